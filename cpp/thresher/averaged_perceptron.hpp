// The averaged Perceptron's rule (Freund and Schapire 1999): w moves as a Perceptron's does, on its own mistakes, and
// what predicts is the average of all the w there were, the present one among them.
//
// With w_s the weights before round s, w_1 + ... + w_t is t w_t - lag, where a step in round k adds k times itself to
// the lag. So both planes change on active slots only, and the average's score in round t is w.x - lag.x / t.
#pragma once

#include "kernels.hpp"
#include "rule.hpp"

namespace thresher {

struct AveragedPerceptron : AnyRule {
    AveragedPerceptron(const Sight& sight, int tie) : AnyRule{sight}, tie(tie) {}

    int tie;  // what a score of 0 predicts: +1, -1, or 0, which is a mistake for either label

    static constexpr const char* name = "AveragedPerceptronRule";
    static constexpr Domain domain = Domain::any;
    static constexpr std::array<PlaneKind, 2> planes{{{"weights", 0.0, true}, {"lag", 0.0, true}}};
    struct Head {
        double bias_weight = 0.0;
        double bias_lag = 0.0;
        double age = 0.0;  // rounds played
    };
    static constexpr std::array<const char*, 3> heads{"bias_weight", "bias_lag", "age"};
    static constexpr std::array<double Head::*, 3> fields{&Head::bias_weight, &Head::bias_lag, &Head::age};
    using State = thresher::State<2, Head>;

    template <class Isa, class Row>
    double score(const State& state, const Row& row, const Seen& seen) const {
        Sums lag{};
        Isa::template score<domain, false>(state.at(1), row, state.n(), lag);
        return seen.score - (lag.dot + state.head.bias_lag * seen.dummy) / seen.norm / (state.head.age + 1.0);
    }

    int predict(double score) const {
        const int sign = (score > 0.0) - (score < 0.0);
        return sign != 0 ? sign : tie;
    }

    double step(const State&, double, int, int label) const { return label; }  // `move` asks whether w itself erred

    template <class Row>
    void watch(State& state, const Row&, const Seen&) const {
        state.head.age += 1.0;
    }

    template <class Row>
    bool move(State& state, const Row& row, const Seen& seen, double step, std::int64_t t) const {
        if (predict(seen.score) == (step > 0.0 ? +1 : -1)) return false;
        const double scaled = step / seen.norm, late = scaled * static_cast<double>(t);
        thresher::move(state.at(0), state.n(), row, scaled);
        thresher::move(state.at(1), state.n(), row, late);
        state.head.bias_weight += scaled * seen.dummy;
        state.head.bias_lag += late * seen.dummy;
        return row.size > 0 || seen.dummy != 0.0;
    }

    void derive(State&) const {}
};

}  // namespace thresher
