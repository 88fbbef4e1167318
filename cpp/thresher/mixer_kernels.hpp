// The loops over experts for the rules for losses, in baseline and AVX2 with the same bits, and what they share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "dispatch.hpp"

namespace thresher {

// What a look at a round's losses l gives beside weights w: the sums of w l and of w, the least and the largest loss.
struct Look {
    double dot;
    double total;
    double low;
    double high;
};

// e^(-eta (l - mid)) for losses near mid, but for a factor that all experts share: c[0] is mid, and the others are the
// coefficients of the powers of l - mid.
struct Series {
    double c[8];

    // By degree 5 for exponents up to 1/64, by degree 7 for exponents up to 1/16: the terms of the exponential series,
    // and the next one as the polynomial of lower degree that is nearest to it there (Chebyshev). Off by 2^-50 at most.
    Series(int degree, double mid, double eta) : c{mid, 1.0, 1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0} {
        if (degree == 5) {
            constexpr double h = 1.0 / 64.0, next = 1.0 / 720.0;
            c[2] -= 0.5625 * h * h * h * h * next;
            c[4] += 1.5 * h * h * next;
        } else {
            constexpr double h = 1.0 / 16.0, next = 1.0 / 40320.0;
            c[6] = 1.0 / 720.0 + 2.0 * h * h * next;
            c[7] = 1.0 / 5040.0;
            c[4] -= 1.25 * h * h * h * h * next;
            c[2] += 0.25 * h * h * h * h * h * h * next;
        }
        double power = 1.0;
        for (int j = 1; j <= degree; ++j) c[j] *= power *= -eta;
    }

    // Which degree suffices for losses from low to high around their mid; 0 is none.
    static int degree(double low, double high, double eta) {
        const double reach = 0.5 * eta * (high - low);
        if (!(eta >= 0x1p-100 && eta <= 0x1p100)) return 0;  // no power of eta may overflow or underflow
        return reach <= 1.0 / 64.0 ? 5 : reach <= 1.0 / 16.0 ? 7 : 0;
    }
};

inline constexpr double bits_of_e = 0x1.71547652b82fep0;  // log2 e
inline constexpr std::size_t block = 8;

#define THRESHER_SWEEPS BaselineSweeps
#define THRESHER_LANES 2
#define THRESHER_TARGET
#include "mixer_sweeps.hpp"
#undef THRESHER_SWEEPS
#undef THRESHER_LANES
#undef THRESHER_TARGET

#ifdef THRESHER_HAS_AVX2
#define THRESHER_SWEEPS Avx2Sweeps
#define THRESHER_LANES 4
#define THRESHER_TARGET THRESHER_AVX2
#include "mixer_sweeps.hpp"
#undef THRESHER_SWEEPS
#undef THRESHER_LANES
#undef THRESHER_TARGET
#endif

inline BaselineSweeps sweeps_for(Baseline) { return {}; }
#ifdef THRESHER_HAS_AVX2
inline Avx2Sweeps sweeps_for(Avx2) { return {}; }
#endif

// Calls `work` with the sweeps to use.
template <class Work>
auto sweep(Work&& work) {
    return dispatch([&](auto kernels) { return work(sweeps_for(kernels)); });
}

}  // namespace thresher
