// The Margin Perceptron's rule: examples of norm 1; w <- w + y x where y w.x / |w| is below rho = (1 - epsilon) gamma,
// and where w = 0, as at first.
//
// |w|^2 is kept, and its keeping is part of the definition: it grows by 2 y w.x + 1 with each step. Where it has shrunk
// to a millionth of what it was it is taken anew from w: its errors have not shrunk.
//
// Where gamma is not known it is 1 at first, and is halved, with w = 0 again, as soon as there are more steps than any
// stream with that margin allows: 2/(epsilon gamma)^2 + 2/(epsilon gamma) - 2/epsilon after the first.
#pragma once

#include <algorithm>
#include <cmath>

#include "elementary.hpp"
#include "kernels.hpp"
#include "rule.hpp"

namespace thresher {

struct MarginPerceptron : AnyRule {
    MarginPerceptron(double margin, double epsilon, bool halving, double dummy)
        : AnyRule{{true, dummy}}, margin(margin), epsilon(epsilon), halving(halving) {}

    double margin;  // at first
    double epsilon;
    bool halving;

    static constexpr const char* name = "MarginPerceptronRule";
    static constexpr Domain domain = Domain::any;
    static constexpr std::array<PlaneKind, 1> planes{{{"weights", 0.0, true}}};
    struct Head {
        double bias_weight = 0.0;
        double square = 0.0;
        double margin = 0.0;
        double steps = 0.0;     // with this margin
        double highest = 0.0;   // the largest that the square has been since it was last taken from w
        double weighted = 0.0;  // 1 if a step since w was 0 had a weight other than 1: then their number proves nothing
        double refuted = 0.0;   // the least margin that was proved impossible; 0 is none
    };
    static constexpr std::array<const char*, 7> heads{"bias_weight", "square",   "margin", "steps",
                                                      "highest",     "weighted", "refuted"};
    static constexpr std::array<double Head::*, 7> fields{&Head::bias_weight, &Head::square,  &Head::margin,
                                                          &Head::steps,       &Head::highest, &Head::weighted,
                                                          &Head::refuted};
    using State = thresher::State<1, Head>;

    void begin(State& state) const { state.head.margin = margin; }

    template <class Isa, class Row>
    double score(const State&, const Row&, const Seen& seen) const {
        return seen.score;
    }

    int predict(double score) const { return score >= 0.0 ? +1 : -1; }

    double step(const State& state, double score, int, int label) const {
        const double square = state.head.square, rho = (1.0 - epsilon) * state.head.margin;
        return square == 0.0 || label * score < rho * std::sqrt(square) ? label : 0.0;
    }

    template <class Row>
    bool move(State& state, const Row& row, const Seen& seen, double step, std::int64_t) const {
        const double scaled = step / seen.norm;
        thresher::move(state.at(0), state.n(), row, scaled);
        state.head.bias_weight += scaled * seen.dummy;
        state.head.square = std::max(0.0, state.head.square + (2.0 * step * seen.score + step * step));
        state.head.highest = std::max(state.head.highest, state.head.square);
        if (state.head.square < 0x1p-20 * state.head.highest) take_square(state);
        state.head.steps += 1.0;
        if (std::fabs(step) != 1.0) state.head.weighted = 1.0;
        if (halving && state.head.steps - 1.0 > most_steps(state.head.margin)) {
            std::fill_n(state.at(0), state.n(), 0.0);
            const double refuted = state.head.weighted == 0.0 ? state.head.margin : state.head.refuted;
            state.head = {0.0, 0.0, 0.5 * state.head.margin, 0.0, 0.0, 0.0, refuted};
        }
        return true;
    }

    double most_steps(double gamma) const {
        const double part = 1.0 / (epsilon * gamma);
        return 2.0 * part * part + 2.0 * part - 2.0 / epsilon;
    }

    void derive(State&) const {}

  private:
    [[gnu::noinline]] static void take_square(State& state) {
        Pair sum{};
        for (std::size_t i = 0; i < state.n(); ++i) add(sum, state.at(0)[i] * state.at(0)[i]);
        add(sum, state.head.bias_weight * state.head.bias_weight);
        state.head.square = state.head.highest = sum.high;
    }
};

}  // namespace thresher
