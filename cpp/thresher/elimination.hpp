// Elimination's rule: +1 where some literal of L is true; a wrong +1 removes from L every literal that is true.
//
// L begins with every attribute and, unless monotone, every negation. A negation stays in L as long as its attribute is
// on in every removal: so each slot counts the removals it was on in, and those that lack none are left.
#pragma once

#include "rule.hpp"

namespace thresher {

struct Elimination : AnyRule {
    explicit Elimination(bool monotone) : monotone(monotone) {}

    bool monotone;

    static constexpr const char* name = "EliminationRule";
    static constexpr Domain domain = Domain::binary;
    static constexpr std::array<PlaneKind, 2> planes{{{"weights", 1.0, true}, {"met", 0.0, true}}};
    struct Head {
        double removals = 0.0;
        double negations = 0.0;   // how many are left in L
        double refuted_at = 0.0;  // the first round that no disjunction fits; 0 is none
    };
    static constexpr std::array<const char*, 3> heads{"removals", "negations", "refuted_at"};
    static constexpr std::array<double Head::*, 3> fields{&Head::removals, &Head::negations, &Head::refuted_at};
    using State = thresher::State<2, Head>;

    void begin(State& state) const { state.head.negations = monotone ? 0.0 : static_cast<double>(state.n()); }

    // How many literals of L are true.
    template <class Isa, class Row>
    double score(const State& state, const Row& row, const Seen& seen) const {
        if (state.head.negations == 0.0) return seen.score;
        double off = 0.0;
        each_term(row, state.n(), [&](std::size_t slot, double) { off += state.at(1)[slot] == state.head.removals; });
        return seen.score + (state.head.negations - off);
    }

    int predict(double score) const { return score > 0.0 ? +1 : -1; }

    double step(const State&, double, int prediction, int label) const { return prediction == label ? 0.0 : label; }

    template <class Row>
    bool move(State& state, const Row& row, const Seen&, double step, std::int64_t t) const {
        Head& head = state.head;
        if (step > 0.0) {
            if (head.refuted_at == 0.0) head.refuted_at = static_cast<double>(t);
            return false;
        }
        double left = 0.0;
        each_term(row, state.n(), [&](std::size_t slot, double) {
            state.at(0)[slot] = 0.0;
            double& met = state.at(1)[slot];
            if (met != head.removals) return;
            met += 1.0;
            left += 1.0;
        });
        head.removals += 1.0;
        head.negations = monotone ? 0.0 : left;
        return true;
    }

    void derive(State&) const {}
};

}  // namespace thresher
