// AdaGrad's rule (Duchi, Hazan and Singer 2011), diagonal, without a projection: each slot goes down its gradient g
// with a rate of its own,
//   G_i <- G_i + g_i^2,   w_i <- w_i - rate g_i / sqrt(G_i).
//
// g is that of the loss times the example's weight. A step is never longer than the rate. Gradients below 2^-500 count
// as 0: their squares would not be numbers to divide by.
#pragma once

#include <cmath>
#include <type_traits>

#include "losses.hpp"
#include "rule.hpp"

namespace thresher {

template <class Loss>
struct AdaGrad : AnyRule {
    AdaGrad(double rate, double dummy) : AnyRule{{false, dummy}}, rate(rate) {}

    double rate;

    static constexpr const char* name = std::is_same_v<Loss, Hinge> ? "AdaGradHingeRule" : "AdaGradLogisticRule";
    static constexpr Domain domain = Domain::any;
    static constexpr std::array<PlaneKind, 2> planes{{{"weights", 0.0, true}, {"squares", 0.0, true}}};
    struct Head {
        double bias_weight = 0.0;
        double bias_square = 0.0;
    };
    static constexpr std::array<const char*, 2> heads{"bias_weight", "bias_square"};
    static constexpr std::array<double Head::*, 2> fields{&Head::bias_weight, &Head::bias_square};
    using State = thresher::State<2, Head>;
    static constexpr std::size_t touched = std::is_same_v<Loss, Hinge> ? 1 : 2;

    template <class Isa, class Row>
    double score(const State&, const Row&, const Seen& seen) const {
        return seen.score;
    }

    int predict(double score) const { return score >= 0.0 ? +1 : -1; }

    double chance(double score) const
        requires requires { Loss::chance(score); }
    {
        return Loss::chance(score);
    }

    double step(const State&, double score, int, int label) const { return label * Loss::pull(label * score); }

    template <class Row>
    bool move(State& state, const Row& row, const Seen& seen, double step, std::int64_t) const {
        double *const weights = state.at(0), *const squares = state.at(1);
        bool moved = false;
        const auto change = [&](double& weight, double& square, double value) {
            const double down = step * value;
            if (std::fabs(down) < least) return;
            square += down * down;
            weight += rate * (down / std::sqrt(square));
            moved = true;
        };
        each_term(row, state.n(), [&](std::size_t slot, double value) { change(weights[slot], squares[slot], value); });
        change(state.head.bias_weight, state.head.bias_square, seen.dummy);
        return moved;
    }

    void derive(State&) const {}

    static constexpr double least = 0x1p-500;
};

}  // namespace thresher
