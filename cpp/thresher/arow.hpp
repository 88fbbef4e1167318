// The rule of AROW, adaptive regularisation of weights (Crammer, Kulesza and Dredze 2009), with a diagonal covariance:
// each weight has a mean, which scores, and a variance, which is 1 at first and shrinks as its slot is met.
//
// Where y w.x < 1, with v = sum of s_i x_i^2 and b = c / (c v + r), c the example's weight,
//   w_i <- w_i + b (1 - y w.x) y s_i x_i,   s_i <- s_i (1 - b s_i x_i^2).
// The last factor is at least r / (c v + r), and is kept there where it rounds to less. No weight passes 2^463: with
// values of very different sizes the diagonal, unlike the full matrix, does not bound them by itself.
#pragma once

#include <algorithm>
#include <cmath>

#include "rule.hpp"

namespace thresher {

struct AROW : AnyRule {
    AROW(double r, double dummy) : AnyRule{{false, dummy}}, r(r) {}

    double r;

    static constexpr const char* name = "AROWRule";
    static constexpr Domain domain = Domain::any;
    static constexpr std::array<PlaneKind, 2> planes{{{"weights", 0.0, true}, {"variances", 1.0, true}}};
    struct Head {
        double bias_weight = 0.0;
        double bias_variance = 1.0;
    };
    static constexpr std::array<const char*, 2> heads{"bias_weight", "bias_variance"};
    static constexpr std::array<double Head::*, 2> fields{&Head::bias_weight, &Head::bias_variance};
    using State = thresher::State<2, Head>;
    static constexpr std::size_t touched = 2;

    template <class Isa, class Row>
    double score(const State&, const Row&, const Seen& seen) const {
        return seen.score;
    }

    int predict(double score) const { return score >= 0.0 ? +1 : -1; }

    double step(const State&, double score, int, int label) const { return label * score < 1.0 ? label : 0.0; }

    template <class Row>
    bool move(State& state, const Row& row, const Seen& seen, double step, std::int64_t) const {
        double *const weights = state.at(0), *const variances = state.at(1);
        Head& head = state.head;
        const double heft = std::fabs(step);
        const double missing = step > 0.0 ? 1.0 - seen.score : 1.0 + seen.score;
        const double variance =
            sum_of_terms(row, state.n(),
                         [=](std::size_t slot, double value) { return variances[slot] * value * value; }) +
            head.bias_variance * seen.dummy * seen.dummy;
        const double whole = heft * variance + r, part = heft / whole, least = r / whole;
        const double along = std::copysign(missing * part, step);
        const auto change = [=](double& weight, double& own, double value) {
            const double shared = own * value;
            weight = std::clamp(weight + along * shared, -largest_state, largest_state);
            own *= std::max(1.0 - part * shared * value, least);
        };
        each_term(row, state.n(),
                  [&](std::size_t slot, double value) { change(weights[slot], variances[slot], value); });
        if (seen.dummy != 0.0) change(head.bias_weight, head.bias_variance, seen.dummy);
        return row.size > 0 || seen.dummy != 0.0;
    }

    void derive(State&) const {}
};

}  // namespace thresher
