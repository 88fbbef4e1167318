// The passive-aggressive rule, PA-I (Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006): where the hinge loss
// 1 - y w.x is above 0, w <- w + tau y x, with the least tau that takes it to 0, loss / |x|^2, but no more than C.
//
// A squared norm that underflows is one so small that the least tau is far above any C.
#pragma once

#include <algorithm>

#include "kernels.hpp"
#include "rule.hpp"

namespace thresher {

struct PassiveAggressive : AnyRule {
    PassiveAggressive(double most, double dummy) : AnyRule{{false, dummy}}, most(most) {}

    double most;  // C

    static constexpr const char* name = "PassiveAggressiveRule";
    static constexpr Domain domain = Domain::any;
    static constexpr bool needs_square = true;
    static constexpr std::array<PlaneKind, 1> planes{{{"weights", 0.0, true}}};
    struct Head {
        double bias_weight = 0.0;
    };
    static constexpr std::array<const char*, 1> heads{"bias_weight"};
    static constexpr std::array<double Head::*, 1> fields{&Head::bias_weight};
    using State = thresher::State<1, Head>;

    template <class Isa, class Row>
    double score(const State&, const Row&, const Seen& seen) const {
        return seen.score;
    }

    int predict(double score) const { return score >= 0.0 ? +1 : -1; }

    double step(const State&, double score, int, int label) const { return label * score < 1.0 ? label : 0.0; }

    template <class Row>
    bool move(State& state, const Row& row, const Seen& seen, double step, std::int64_t) const {
        if (row.size == 0 && seen.dummy == 0.0) return false;
        const double loss = 1.0 - (step > 0.0 ? seen.score : -seen.score);
        const double scaled = step * std::min(most, loss / seen.square);
        thresher::move(state.at(0), state.n(), row, scaled);
        state.head.bias_weight += scaled * seen.dummy;
        return true;
    }

    void derive(State&) const {}
};

}  // namespace thresher
