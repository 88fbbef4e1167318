// Winnow over attributes and their negations, x and 1 - x, in the time of the nonzeros alone.
//
// Attribute i has a weight factor^e_i and its negation one of factor^(g + r_i): a step moves the weight of every
// negation that is on, which is nearly all, so it moves g and sets right the r_i of the active slots. The sum of
// factor^r_i is kept. When g is far from 0, or the sum has fallen so far that it may have lost more than its last bit,
// g is folded into the r_i, which are then floored as all weights are, and summed anew. The kept sum and the folding
// are part of the definition: they decide, where doubles round.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "winnow.hpp"

namespace thresher {

struct LiteralWinnow : WinnowRule {
    LiteralWinnow(double threshold, double factor, bool strict)
        : WinnowRule(threshold, factor, strict), far(std::max(1.0, power.exponent_of(100.0))) {}

    double far;  // where g is folded in

    static constexpr const char* name = "LiteralWinnowRule";
    static constexpr Domain domain = Domain::unit;
    static constexpr std::array<PlaneKind, 4> planes{
        {{"weights", 1.0, false}, {"exponents", 0.0, true}, {"negated_weights", 1.0, false}, {"negated", 0.0, true}}};
    struct Head {
        double exponent = 0.0;  // g
        double sum = 0.0;       // of the negations' weights over factor^g: high and low part
        double rest = 0.0;
        double slack = 0.0;  // how far that sum may be off
        double doubt = 0.0;  // how far a score may ever have been off
        double scale = 1.0;  // factor^g
    };
    static constexpr std::array<const char*, 5> heads{"exponent", "sum", "rest", "slack", "doubt"};
    static constexpr std::array<double Head::*, 5> fields{&Head::exponent, &Head::sum, &Head::rest, &Head::slack,
                                                          &Head::doubt};
    using State = thresher::State<4, Head>;

    void begin(State& state) const { state.head.sum = static_cast<double>(state.n()); }

    template <class Isa, class Row>
    double score(const State& state, const Row& row, const Seen& seen) const {
        Sums negated{};
        Isa::template score<domain, false>(state.at(2), row, state.n(), negated);
        return seen.score + state.head.scale * ((state.head.sum - negated.dot) + state.head.rest);
    }

    double step(const State&, double, int prediction, int label) const { return prediction == label ? 0.0 : label; }

    // How far the score of a row of so many terms may be off: by rounding, and by what the kept sum has lost.
    double error(const State& state, std::size_t terms, double own) const {
        const Head& head = state.head;
        return static_cast<double>(terms + 32) * 0x1p-50 * (own + head.scale * head.sum) + head.scale * head.slack;
    }

    template <class Row>
    void watch(State& state, const Row& row, const Seen& seen) const {
        state.head.doubt = std::max(state.head.doubt, error(state, row.size, seen.score));
    }

    template <class Row>
    bool move(State& state, const Row& row, const Seen&, double step, std::int64_t) const {
        if (std::fabs(step) >= far) return leap(state, row, step);
        double *weights = state.at(0), *exponents = state.at(1), *negated = state.at(2), *relative = state.at(3);
        Head& head = state.head;
        Pair sum{head.sum, head.rest};
        each_term(row, state.n(), [&](std::size_t slot, double value) {
            exponents[slot] = moved(exponents[slot], step * value);
            weights[slot] = power(exponents[slot]);
            relative[slot] = moved(relative[slot], -step * value);
            const double before = negated[slot];
            negated[slot] = power(relative[slot]);
            head.slack += 0x1p-103 * (sum.high + negated[slot]);
            add(sum, negated[slot]);
            add(sum, -before);
        });
        head.sum = sum.high;
        head.rest = sum.low;
        head.exponent += step;
        if (std::fabs(head.exponent) >= far || !(head.slack <= 0x1p-53 * head.sum)) {
            fold(state);
        } else {
            head.scale = power(head.exponent);
        }
        return true;
    }

    void derive(State& state) const {
        for (std::size_t i = 0; i < state.n(); ++i) {
            state.at(0)[i] = power(state.at(1)[i]);
            state.at(2)[i] = power(state.at(3)[i]);
        }
        state.head.scale = power(state.head.exponent);
    }

  private:
    // A step so long, of an example with a weight, that g cannot hold it: the active negations, which move by less,
    // are put back after all have moved.
    template <class Row>
    [[gnu::noinline]] bool leap(State& state, const Row& row, double step) const {
        fold(state);
        std::vector<std::pair<std::size_t, double>> own;
        each_term(row, state.n(), [&](std::size_t slot, double value) {
            own.emplace_back(slot, moved(state.at(3)[slot], step * (1.0 - value)));
            state.at(1)[slot] = moved(state.at(1)[slot], step * value);
            state.at(0)[slot] = power(state.at(1)[slot]);
        });
        for (std::size_t i = 0; i < state.n(); ++i) state.at(3)[i] = moved(state.at(3)[i], step);
        for (const auto& [slot, exponent] : own) state.at(3)[slot] = exponent;
        fold(state);
        return true;
    }

    [[gnu::noinline]] void fold(State& state) const {
        Head& head = state.head;
        Pair sum{};
        for (std::size_t i = 0; i < state.n(); ++i) {
            state.at(3)[i] = moved(state.at(3)[i], head.exponent);
            state.at(2)[i] = power(state.at(3)[i]);
            add(sum, state.at(2)[i]);
        }
        head = {0.0, sum.high, sum.low, static_cast<double>(state.n()) * 0x1p-103 * sum.high, head.doubt, 1.0};
    }
};

}  // namespace thresher
