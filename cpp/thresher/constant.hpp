// The rule that says the same of every example, and never moves.
#pragma once

#include "rule.hpp"

namespace thresher {

struct Constant : AnyRule {
    explicit Constant(int label) : label(label) {}

    int label;

    static constexpr const char* name = "ConstantRule";
    static constexpr Domain domain = Domain::any;
    static constexpr std::array<PlaneKind, 1> planes{{{"weights", 0.0, true}}};
    struct Head {};
    static constexpr std::array<const char*, 0> heads{};
    static constexpr std::array<double Head::*, 0> fields{};
    using State = thresher::State<1, Head>;

    template <class Isa, class Row>
    double score(const State&, const Row&, const Seen&) const {
        return label;
    }

    int predict(double) const { return label; }
    double step(const State&, double, int, int) const { return 0.0; }

    template <class Row>
    bool move(State&, const Row&, const Seen&, double, std::int64_t) const {
        return false;
    }

    void derive(State&) const {}
};

}  // namespace thresher
