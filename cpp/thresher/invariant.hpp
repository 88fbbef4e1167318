// The invariant rule: NAG, normalised adaptive gradient (Ross, Mineiro and Langford 2013), with the logistic loss, each
// step taken as a whole (Karampatziakis and Langford 2011).
//
// A slot knows the largest |x| it has met, s_i, and the sum of its squared gradients, G_i; all share N, the sum of
// (x_i / s_i)^2 over all terms so far, and T, the rounds, both with the examples' weights. Where |x_i| > s_i, w_i is
// first multiplied by s_i / |x_i|: the score before it is that of x clipped to what was met. Then, c the example's
// weight and p = 1 / (1 + e^m) the pull at m = y w.x,
//   G_i <- G_i + c (p x_i)^2,   w_i <- w_i + u y x_i r_i,   r_i = sqrt(T / N) / (s_i sqrt(G_i)).
// NAG's u is rate c p: the pull at the start of the step. Taken in infinitely many small steps along the same line,
// with the pull falling as the margin rises, it would let m rise by the d with d + e^(m + d) - e^m = rate c R, R = sum
// of x_i^2 r_i, u = d / R. That d is a root; ours is the lesser of two numbers above it that are had at once (`risen`).
//
// Ours, too: from a margin of 3 on, where p is below 0.05, nothing changes but scales; values below 2^-250 are not met,
// so that weights, which are measured in 1/s, stay numbers; and sqrt(T / N) is at most 2^32.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "losses.hpp"
#include "rule.hpp"

namespace thresher {

// How far the margin rises, where it would rise by b were the pull p to stay, q = 1 - p. The root of p d + q (e^d - 1)
// = b is at most that with d + d^2 / 2 for e^d - 1, and at most that without p d. (Where q vanishes and b does, too,
// the logarithm may be anything, and the step with it is next to nothing or nothing.)
template <class Real>
Real risen(Real margin, const Logistic::Both<Real>& both, Real b) {
    const auto [pull, rest] = both;
    const Real d = std::min(2 * b / (1 + std::sqrt(1 + 2 * rest * b)), quick_log((rest + b) / pull) - margin);
    return std::max(d, Real{0});
}

struct Invariant : AnyRule {
    Invariant(double rate, double dummy) : AnyRule{{false, dummy}}, rate(rate) {}

    double rate;

    static constexpr const char* name = "InvariantRule";
    static constexpr Domain domain = Domain::any;
    static constexpr std::array<PlaneKind, 3> planes{
        {{"weights", 0.0, true}, {"squares", 0.0, true}, {"scales", 0.0, true}}};
    struct Head {
        double bias_weight = 0.0;
        double bias_square = 0.0;
        double total = 0.0;       // T
        double normalizer = 0.0;  // N
    };
    static constexpr std::array<const char*, 4> heads{"bias_weight", "bias_square", "total", "normalizer"};
    static constexpr std::array<double Head::*, 4> fields{&Head::bias_weight, &Head::bias_square, &Head::total,
                                                          &Head::normalizer};
    using State = thresher::State<3, Head>;
    static constexpr std::size_t touched = 3;

    template <class Isa, class Row>
    double score(const State& state, const Row& row, const Seen& seen) const {
        const double *const weights = state.at(0), *const scales = state.at(2);
        const auto clipped = [=](std::size_t slot, double value) {
            return weights[slot] * std::clamp(value, -scales[slot], scales[slot]);
        };
        return sum_of_terms(row, state.n(), clipped) + state.head.bias_weight * seen.dummy;
    }

    int predict(double score) const { return score >= 0.0 ? +1 : -1; }

    double chance(double score) const { return Logistic::chance(score); }

    double step(const State&, double, int, int label) const { return label; }

    template <class Row>
    bool move(State& state, const Row& row, const Seen& seen, double step, std::int64_t) const {
        double *const weights = state.at(0), *const squares = state.at(1), *const scales = state.at(2);
        Head& head = state.head;
        const double heft = std::fabs(step), dummy = std::fabs(seen.dummy) < least ? 0.0 : seen.dummy;
        const double margin = std::copysign(1.0, step) * score<void>(state, row, seen);

        each_term(row, state.n(), [=](std::size_t slot, double value) {
            const double size = std::fabs(value);
            if (size > scales[slot] && size >= least) {
                weights[slot] *= scales[slot] / size;
                scales[slot] = size;
            }
        });
        if (!(margin < far)) return false;

        // x_i r_i for each term, but for what all share; 0 where nothing was met, and where squares underflow.
        const auto parts = std::make_unique_for_overwrite<double[]>(row.size);
        std::size_t at = 0;
        const Logistic::Both<double> both = Logistic::both(margin);
        const double pull = both.pull;
        const auto enter = [=](double& square, double scale, double value) {
            if (scale == 0.0) return 0.0;
            const double down = pull * value;
            square += heft * (down * down);
            return square > 0.0 ? value / (scale * std::sqrt(square)) : 0.0;
        };
        double reach = sum_of_terms(row, state.n(), [&](std::size_t slot, double value) {
            parts[at] = enter(squares[slot], scales[slot], value);
            return value * parts[at++];
        });
        at = 0;
        const double norm = sum_of_terms(row, state.n(), [&](std::size_t slot, double) {
            const double ratio = parts[at++] * std::sqrt(squares[slot]);  // x / s
            return ratio * ratio;
        });
        const double bias_part = enter(head.bias_square, std::fabs(dummy), dummy);
        head.total += heft;
        head.normalizer += heft * (norm + (dummy != 0.0));
        const double common = std::sqrt(head.total / head.normalizer);
        const double whole = common <= 0x1p32 ? common : 0x1p32;
        reach += dummy * bias_part;
        if (!(reach > 0.0)) return false;

        const double along = std::copysign(risen(margin, both, rate * (heft * pull * (reach * whole))) / reach, step);
        at = 0;
        each_term(row, state.n(), [&](std::size_t slot, double) { weights[slot] += along * parts[at++]; });
        head.bias_weight += along * bias_part;
        return true;
    }

    void derive(State&) const {}

    static constexpr double far = 3.0;
    static constexpr double least = 0x1p-250;
};

}  // namespace thresher
