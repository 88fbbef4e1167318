// Balanced Winnow's rule, exponentiated gradient over (x, -x): weights e^(+-eta theta_i) on the simplex, and on a
// mistake theta <- theta + y x.
//
// What scores is their difference, 2 sinh(eta theta_i), over the sum of all, which is kept. Everything is divided by
// e^offset, so that nothing overflows; where the largest weight leaves that scale, a sweep moves it.
#pragma once

#include <algorithm>
#include <cmath>

#include "elementary.hpp"
#include "rule.hpp"

namespace thresher {

struct BalancedWinnow : AnyRule {
    BalancedWinnow(double eta, double dummy) : AnyRule{{false, dummy}}, eta(eta) {}

    double eta;

    static constexpr const char* name = "BalancedWinnowRule";
    static constexpr Domain domain = Domain::signed_unit;
    static constexpr std::array<PlaneKind, 2> planes{{{"weights", 0.0, false}, {"exponents", 0.0, true}}};
    struct Head {
        double bias_exponent = 0.0;
        double offset = 0.0;
        double sum = 0.0;  // of all weights, in this scale: high and low part
        double rest = 0.0;
        double swept = 0.0;     // the largest sum since the last sweep: what the kept one may have lost is a part of it
        double farthest = 0.0;  // the largest eta |theta| there ever was
        double bias_weight = 0.0;
    };
    static constexpr std::array<const char*, 6> heads{"bias_exponent", "offset", "sum", "rest", "swept", "farthest"};
    static constexpr std::array<double Head::*, 6> fields{&Head::bias_exponent, &Head::offset, &Head::sum,
                                                          &Head::rest,          &Head::swept,  &Head::farthest};
    using State = thresher::State<2, Head>;

    void begin(State& state) const {
        state.head.sum = 2.0 * static_cast<double>(state.n() + (sight.dummy != 0.0));
        state.head.swept = state.head.sum;
    }

    template <class Isa, class Row>
    double score(const State& state, const Row&, const Seen& seen) const {
        return seen.score / state.head.sum;
    }

    int predict(double score) const { return score >= 0.0 ? +1 : -1; }

    double step(const State&, double, int prediction, int label) const { return prediction == label ? 0.0 : label; }

    template <class Row>
    bool move(State& state, const Row& row, const Seen& seen, double step, std::int64_t) const {
        Head& head = state.head;
        double largest = 0.0;
        Pair sum{head.sum, head.rest};
        const auto change = [&](double& theta, double& weight, double value) {
            const Two before = two(theta, head.offset);
            theta += step * value;
            largest = std::max(largest, eta * std::fabs(theta));
            const Two after = two(theta, head.offset);
            weight = after.up - after.down;
            add(sum, after.up + after.down);
            add(sum, -(before.up + before.down));
        };
        each_term(row, state.n(), [&](std::size_t slot, double value) {
            change(state.at(1)[slot], state.at(0)[slot], value);
        });
        if (seen.dummy != 0.0) change(head.bias_exponent, head.bias_weight, seen.dummy);
        head.farthest = std::max(head.farthest, largest);
        head.sum = sum.high;
        head.rest = sum.low;
        head.swept = std::max(head.swept, head.sum);
        if (largest > head.offset + room || !(head.sum >= 0x1p-20 * head.swept)) sweep(state);
        return row.size > 0 || seen.dummy != 0.0;
    }

    void derive(State& state) const {
        const auto weight = [&](double theta) {
            const Two both = two(theta, state.head.offset);
            return both.up - both.down;
        };
        for (std::size_t i = 0; i < state.n(); ++i) state.at(0)[i] = weight(state.at(1)[i]);
        state.head.bias_weight = weight(state.head.bias_exponent);
    }

    static constexpr double room = 200.0;

  private:
    struct Two {
        double up, down;
    };
    Two two(double theta, double offset) const {
        return {exp(std::min(eta * theta - offset, 2.0 * room)), exp(std::min(-eta * theta - offset, 2.0 * room))};
    }

    [[gnu::noinline]] void sweep(State& state) const {
        Head& head = state.head;
        double largest = std::fabs(head.bias_exponent);
        for (std::size_t i = 0; i < state.n(); ++i) largest = std::max(largest, std::fabs(state.at(1)[i]));
        head.offset = eta * largest;
        Pair sum{};
        const auto enter = [&](double theta) {
            const Two both = two(theta, head.offset);
            add(sum, both.up + both.down);
        };
        for (std::size_t i = 0; i < state.n(); ++i) enter(state.at(1)[i]);
        if (sight.dummy != 0.0) enter(head.bias_exponent);
        head.sum = head.swept = sum.high;
        head.rest = sum.low;
        derive(state);
    }
};

}  // namespace thresher
