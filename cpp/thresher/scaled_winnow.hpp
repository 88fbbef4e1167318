// Winnow for any values: every attribute is two, one for values above 0 and one for those below, and each sees
// u = |x| / scale, where the scale is the largest |x| met so far, this example's included. It predicts +1 where
// w.u >= threshold, and on a mistake w <- w (1 + (factor - 1) u)^y, which is Winnow's own step where u is 1.
//
// The threshold is `times` the sum of u over the first example that has any. The appended attribute has u = 1. A weight
// stays between 2^-200 and 2^300. An example of weight c has factor^c. The score is w.u / threshold - 1.
#pragma once

#include <algorithm>
#include <cmath>

#include "elementary.hpp"
#include "lanes/lanes.hpp"
#include "rule.hpp"

namespace thresher {

struct ScaledWinnow : AnyRule {
    ScaledWinnow(double times, double factor, double dummy)
        : AnyRule{{false, dummy}}, times(times), factor(factor), log_factor(log(factor).high) {}

    double times, factor, log_factor;

    static constexpr const char* name = "ScaledWinnowRule";
    static constexpr Domain domain = Domain::any;
    static constexpr std::array<PlaneKind, 2> planes{{{"weights", 1.0, true}, {"below", 1.0, true}}};
    struct Head {
        double bias_weight = 1.0;
        double threshold = 0.0;
        double scale = 0.0;
    };
    static constexpr std::array<const char*, 3> heads{"bias_weight", "threshold", "scale"};
    static constexpr std::array<double Head::*, 3> fields{&Head::bias_weight, &Head::threshold, &Head::scale};
    using State = thresher::State<2, Head>;

    template <class Isa, class Row>
    double score(const State& state, const Row& row, const Seen&) const {
        const double scale = scale_with(state, row), *const above = state.at(0), *const below = state.at(1);
        const double sum = sum_of_terms(row, state.n(), [=](std::size_t slot, double value) {
            return (value > 0.0 ? above : below)[slot] * std::fabs(value);
        });
        const double unscaled = row.size > 0 ? sum / scale : 0.0;
        const double threshold = threshold_with(state, row, scale);
        return threshold == 0.0 ? 0.0 : (unscaled + state.head.bias_weight * dummy()) / threshold - 1.0;
    }

    int predict(double score) const { return score >= 0.0 ? +1 : -1; }

    double step(const State&, double, int prediction, int label) const { return prediction == label ? 0.0 : label; }

    template <class Row>
    void watch(State& state, const Row& row, const Seen&) const {
        const double scale = scale_with(state, row);
        state.head.threshold = threshold_with(state, row, scale);
        state.head.scale = scale;
    }

    template <class Row>
    bool move(State& state, const Row& row, const Seen&, double step, std::int64_t) const {
        double *const above = state.at(0), *const below = state.at(1);
        const double scale = state.head.scale, gain = gained(std::fabs(step));
        const auto change = [=](double& weight, double unit) {
            const double by = 1.0 + gain * unit;
            weight =
                std::clamp(step > 0.0 ? weight * by : weight / by, Limits<double>::lowest, Limits<double>::highest);
        };
        each_term(row, state.n(), [&](std::size_t slot, double value) {
            change((value > 0.0 ? above : below)[slot], std::fabs(value) / scale);
        });
        if (dummy() != 0.0) change(state.head.bias_weight, 1.0);
        return row.size > 0 || dummy() != 0.0;
    }

    void derive(State&) const {}

    // factor^weight - 1, no more than 2^40.
    double gained(double weight) const {
        return weight == 1.0 ? factor - 1.0 : exp_minus_1(std::min(weight * log_factor, 27.0));
    }

  private:
    double dummy() const { return sight.dummy != 0.0 ? 1.0 : 0.0; }

    template <class Row>
    double scale_with(const State& state, const Row& row) const {
        double scale = state.head.scale;
        each_term(row, state.n(), [&](std::size_t, double value) { scale = std::max(scale, std::fabs(value)); });
        return scale;
    }

    template <class Row>
    double threshold_with(const State& state, const Row& row, double scale) const {
        if (state.head.threshold != 0.0) return state.head.threshold;
        const auto unit = [=](std::size_t, double value) { return std::fabs(value) / scale; };
        return times * (sum_of_terms(row, state.n(), unit) + dummy());
    }
};

}  // namespace thresher
