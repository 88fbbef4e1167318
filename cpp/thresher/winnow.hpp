// Winnow's rule (Littlestone 1988): +1 where w.x >= threshold (strict: >); on a mistake w_i <- w_i factor^(y x_i).
//
// The state of a slot is its exponent, weight = factor^exponent, held between 2^-200 and 2^300. As long as examples are
// binary the exponents are whole, and where the score is too near the threshold for doubles to tell, whole numbers
// decide. The score is then moved to the threshold, or just below or above it, so that it tells the label in all cases.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "elementary.hpp"
#include "exact.hpp"
#include "rule.hpp"

namespace thresher {

// What all forms of Winnow share: the threshold, the factor, and how far a weight may go.
struct WinnowRule : AnyRule {
    WinnowRule(double threshold, double factor, bool strict)
        : threshold(threshold),
          factor(factor),
          strict(strict),
          power(factor),
          lowest(-power.exponent_of(200.0)),
          highest(power.exponent_of(300.0)) {}

    double threshold, factor;
    bool strict;
    Powers power;
    double lowest, highest;

    // Whether compare_powers knows the answer for all exponents that binary examples lead to: none is above the last
    // promotion, from below the threshold.
    bool exact() const {
        const double top = power.exponent_of(std::log2(threshold)) + 2.0;
        return static_cast<std::int64_t>(top - lowest) <= most_exponents(factor);
    }

    int predict(double score) const { return score > threshold || (!strict && score == threshold) ? +1 : -1; }

    double moved(double exponent, double step) const { return std::clamp(exponent + step, lowest, highest); }
};

struct Winnow : WinnowRule {
    using WinnowRule::WinnowRule;

    static constexpr const char* name = "WinnowRule";
    static constexpr Domain domain = Domain::unit;
    static constexpr std::array<PlaneKind, 2> planes{{{"weights", 1.0, false}, {"exponents", 0.0, true}}};
    struct Head {
        double whole = 1.0;  // 1 while every exponent is a whole number
    };
    static constexpr std::array<const char*, 1> heads{"whole"};
    static constexpr std::array<double Head::*, 1> fields{&Head::whole};
    using State = thresher::State<2, Head>;

    template <class Isa, class Row>
    double score(const State& state, const Row& row, const Seen& seen) const {
        const double error = static_cast<double>(row.size + 16) * 0x1p-52 * std::max(seen.score, threshold);
        if (std::fabs(seen.score - threshold) > error) [[likely]]
            return seen.score;
        return state.head.whole == 1.0 ? settled(state, row, seen.score) : seen.score;
    }

    double step(const State&, double, int prediction, int label) const { return prediction == label ? 0.0 : label; }

    template <class Row>
    bool move(State& state, const Row& row, const Seen&, double step, std::int64_t) const {
        double* const weights = state.at(0);
        double* const exponents = state.at(1);
        each_term(row, state.n(), [&](std::size_t slot, double value) {
            const double exponent = moved(exponents[slot], step * value);
            if (exponent != std::floor(exponent)) state.head.whole = 0.0;
            exponents[slot] = exponent;
            weights[slot] = power(exponent);
        });
        return row.size > 0;
    }

    void derive(State& state) const {
        for (std::size_t i = 0; i < state.n(); ++i) state.at(0)[i] = power(state.at(1)[i]);
    }

  private:
    template <class Row>
    [[gnu::noinline]] double settled(const State& state, const Row& row, double score) const {
        std::vector<std::int64_t> exponents;
        bool binary = row.size > 0;
        each_term(row, state.n(), [&](std::size_t slot, double value) {
            binary = binary && value == 1.0;
            exponents.push_back(static_cast<std::int64_t>(state.at(1)[slot]));
        });
        constexpr double infinity = std::numeric_limits<double>::infinity();
        switch (binary ? compare_powers(factor, exponents, threshold) : Order::unknown) {
            case Order::equal:
                return threshold;
            case Order::below:
                return std::min(score, std::nextafter(threshold, 0.0));
            case Order::above:
                return std::max(score, std::nextafter(threshold, infinity));
            case Order::unknown:
                break;
        }
        return score;
    }
};

}  // namespace thresher
