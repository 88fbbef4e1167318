// The p-norm Perceptron's rule (Grove, Littlestone and Schuurmans 2001; Gentile 2003): theta <- theta + y x on a
// mistake, and w_i = sign(theta_i) |theta_i|^(p-1) / |theta|_p^(p-2). With p = 2 it is the Perceptron.
//
// What scores is |theta_i / 2^k|^(p-1), where 2^k is above every |theta_i| when it is chosen, and chosen anew, by a
// sweep, where one has left it far behind. The p-norm is kept as the sum of |theta_i / 2^k|^p, to which a step adds in
// active slots only; where that sum has shrunk to 2^-40 of what it was it is added up again: its errors have not
// shrunk.
#pragma once

#include <algorithm>
#include <cmath>

#include "elementary.hpp"
#include "rule.hpp"

namespace thresher {

struct PNormPerceptron : AnyRule {
    PNormPerceptron(double p, double dummy)
        : AnyRule{{false, dummy}},
          p(p),
          whole_(static_cast<unsigned>(p - 1.0)),
          part_(p - 1.0 - static_cast<double>(whole_)),
          reach_(exp((Pair{200.0, 0.0} * ln_2 / Pair{p - 1.0, 0.0}).high)) {}

    double p;

    static constexpr const char* name = "PNormPerceptronRule";
    static constexpr Domain domain = Domain::any;
    static constexpr std::array<PlaneKind, 2> planes{{{"weights", 0.0, false}, {"theta", 0.0, true}}};
    struct Head {
        double bias_theta = 0.0;
        double exponent = 0.0;  // k
        double sum = 0.0;       // of |theta_i / 2^k|^p: high and low part
        double rest = 0.0;
        double highest = 0.0;  // the largest that the sum has been since it was last added up
        double bias_weight = 0.0;
        double scale = 1.0;  // what the weights that score must be multiplied by to be w
    };
    static constexpr std::array<const char*, 5> heads{"bias_theta", "exponent", "sum", "rest", "highest"};
    static constexpr std::array<double Head::*, 5> fields{&Head::bias_theta, &Head::exponent, &Head::sum, &Head::rest,
                                                          &Head::highest};
    using State = thresher::State<2, Head>;

    template <class Isa, class Row>
    double score(const State& state, const Row&, const Seen& seen) const {
        return seen.score * state.head.scale;
    }

    int predict(double score) const { return score >= 0.0 ? +1 : -1; }

    double step(const State&, double, int prediction, int label) const { return prediction == label ? 0.0 : label; }

    template <class Row>
    bool move(State& state, const Row& row, const Seen& seen, double step, std::int64_t) const {
        Head& head = state.head;
        const double unit = std::ldexp(1.0, -static_cast<int>(head.exponent));
        Pair sum{head.sum, head.rest};
        double largest = 0.0;
        const auto change = [&](double& theta, double& weight, double value) {
            const double before = std::fabs(weight * (theta * unit));
            theta += step * value;
            const double here = theta * unit;
            largest = std::max(largest, std::fabs(here));
            weight = linked(std::min(std::max(here, -reach_), reach_));  // beyond it a sweep comes
            add(sum, std::fabs(weight * here));
            head.highest = std::max(head.highest, sum.high);
            add(sum, -before);
        };
        each_term(row, state.n(),
                  [&](std::size_t slot, double value) { change(state.at(1)[slot], state.at(0)[slot], value); });
        if (seen.dummy != 0.0) change(head.bias_theta, head.bias_weight, seen.dummy);
        head.sum = sum.high;
        head.rest = sum.low;
        if (largest > reach_) {
            sweep(state);
        } else if (!(head.sum >= 0x1p-40 * head.highest && head.sum >= least_)) {
            add_up(state);
            if (head.sum < least_) sweep(state);
        }
        take_scale(head);
        return row.size > 0 || seen.dummy != 0.0;
    }

    void derive(State& state) const {
        const double unit = std::ldexp(1.0, -static_cast<int>(state.head.exponent));
        for (std::size_t i = 0; i < state.n(); ++i) state.at(0)[i] = linked(state.at(1)[i] * unit);
        state.head.bias_weight = linked(state.head.bias_theta * unit);
        take_scale(state.head);
    }

    // |t|^(p-1), with the sign of t.
    double linked(double t) const {
        if (t == 0.0) return 0.0;
        const double size = std::fabs(t);
        double power = 1.0, square = size;
        for (unsigned exponent = whole_; exponent > 0; exponent >>= 1) {
            if (exponent & 1) power *= square;
            if (exponent > 1) square *= square;
        }
        if (part_ > 0.0) power *= exp(part_ * quick_log(size));
        return t > 0.0 ? power : -power;
    }

  private:
    // |theta|_p is 2^k sum^(1/p), so w is 2^k sum^(-(p-2)/p) times what scores. A sum below the least, even after a
    // sweep, is one of denormal numbers: then only the sign of a score counts.
    void take_scale(Head& head) const {
        const double power = head.sum >= least_ ? exp(-((p - 2.0) / p) * quick_log(head.sum)) : 1.0;
        head.scale = std::ldexp(power, static_cast<int>(head.exponent));
    }

    void add_up(State& state) const {
        const double unit = std::ldexp(1.0, -static_cast<int>(state.head.exponent));
        Pair sum{};
        for (std::size_t i = 0; i < state.n(); ++i) add(sum, std::fabs(state.at(0)[i] * (state.at(1)[i] * unit)));
        add(sum, std::fabs(state.head.bias_weight * (state.head.bias_theta * unit)));
        state.head.sum = state.head.highest = sum.high;
        state.head.rest = sum.low;
    }

    [[gnu::noinline]] void sweep(State& state) const {
        double largest = std::fabs(state.head.bias_theta);
        for (std::size_t i = 0; i < state.n(); ++i) largest = std::max(largest, std::fabs(state.at(1)[i]));
        int exponent = 0;
        std::frexp(largest, &exponent);
        state.head.exponent = std::max(exponent, -1000);
        derive(state);
        add_up(state);
    }

    static constexpr double least_ = 0x1p-300;
    unsigned whole_;  // p - 1, its whole part and the rest
    double part_;
    double reach_;  // up to here |theta_i / 2^k|^(p-1) is at most 2^200
};

}  // namespace thresher
