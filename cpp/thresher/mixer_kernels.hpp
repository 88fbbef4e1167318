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
    double c[10];

    // By degree 5 for exponents up to 1/64, by degree 9 for exponents up to 1/4: the polynomial that meets e^x at the
    // Chebyshev points between them, divided by its first coefficient. Off by 2^-50 at most.
    Series(int degree, double mid, double eta) : c{mid} {
        constexpr double few[] = {0x1.ffffffffffffbp-1, 0x1.ffffffff33328p-2, 0x1.555555551ad16p-3,
                                  0x1.55566666be2bbp-5, 0x1.1111ad1af8af6p-7};
        constexpr double more[] = {0x1.ffffffffffffcp-1,  0x1.fffffffffe30dp-2,  0x1.5555555555010p-3,
                                   0x1.5555555c90c0fp-5,  0x1.11111113b2319p-7,  0x1.6c1698ed4509fp-10,
                                   0x1.a019e42dc5fffp-13, 0x1.a0d3152ebd4a2p-16, 0x1.7264d01d50256p-19};
        double power = 1.0;
        for (int j = 1; j <= degree; ++j) c[j] = (degree == 5 ? few : more)[j - 1] * (power *= -eta);
    }

    // Which degree suffices for losses from low to high around their mid; 0 is none.
    static int degree(double low, double high, double eta) {
        const double reach = 0.5 * eta * (high - low);
        if (!(eta >= 0x1p-100 && eta <= 0x1p100)) return 0;  // no power of eta may overflow or underflow
        return reach <= 1.0 / 64.0 ? 5 : reach <= 1.0 / 4.0 ? 9 : 0;
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
