// The Perceptron's rule (Rosenblatt 1958, Novikoff 1962): on a mistake, w <- w + y x.
#pragma once

#include "kernels.hpp"
#include "rule.hpp"

namespace thresher {

struct Perceptron : AnyRule {
    Perceptron(const Sight& sight, int tie) : AnyRule{sight}, tie(tie) {}

    int tie;  // what a score of 0 predicts: +1, -1, or 0, which is a mistake for either label

    static constexpr const char* name = "PerceptronRule";
    static constexpr Domain domain = Domain::any;
    static constexpr std::array<PlaneKind, 1> planes{{{"weights", 0.0, true}}};
    struct Head {
        double bias_weight = 0.0;
    };
    static constexpr std::array<const char*, 1> heads{"bias_weight"};
    static constexpr std::array<double Head::*, 1> fields{&Head::bias_weight};
    using State = thresher::State<1, Head>;

    template <class Isa, class Row>
    double score(const State&, const Row&, const Seen& seen) const {
        return seen.score;
    }

    // By arithmetic: a branch on the sign would be mispredicted every other time.
    int predict(double score) const {
        const int sign = (score > 0.0) - (score < 0.0);
        return sign != 0 ? sign : tie;
    }

    double step(const State&, double, int prediction, int label) const { return prediction == label ? 0.0 : label; }

    template <class Row>
    bool move(State& state, const Row& row, const Seen& seen, double step, std::int64_t) const {
        const double scaled = step / seen.norm;
        thresher::move(state.at(0), state.n(), row, scaled);
        state.head.bias_weight += scaled * seen.dummy;
        return row.size > 0 || seen.dummy != 0.0;
    }

    void derive(State&) const {}
};

}  // namespace thresher
