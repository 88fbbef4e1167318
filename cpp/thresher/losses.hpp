// The losses that rules with a gradient go down, as functions of the margin m = y w.x: how hard an example pulls, which
// is minus the slope, and what chance of +1 a score stands for.
#pragma once

#include <cmath>

#include "elementary.hpp"

namespace thresher {

// max(0, 1 - m)
struct Hinge {
    static double pull(double margin) { return margin < 1.0 ? 1.0 : 0.0; }
};

// ln(1 + e^-m)
struct Logistic {
    static double pull(double margin) { return chance(-margin); }

    // The pull at a margin, and 1 less it.
    template <class Real>
    struct Both {
        Real pull, rest;
    };
    template <class Real>
    static Both<Real> both(Real margin) {
        const Real part = quick_exp(-std::fabs(margin)), whole = 1 + part;
        return {(margin > 0 ? part : 1) / whole, (margin >= 0 ? 1 : part) / whole};
    }

    static double chance(double score) {
        const double part = quick_exp(-std::fabs(score));  // at most 1; 0 from 690 on
        return (score >= 0.0 ? 1.0 : part) / (1.0 + part);
    }
};

}  // namespace thresher
