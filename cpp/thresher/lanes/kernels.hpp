// The sweeps of a bank for each instruction set.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "../dispatch.hpp"
#include "lanes.hpp"

namespace thresher {

// CALL for registers V that cover the lanes and nothing beside them, the widest first; `lane` is the first of each.
#define THRESHER_EACH(REAL, BYTES, LANES, CALL)                                            \
    if constexpr (BYTES >= sizeof(REAL) && BYTES <= widest) {                              \
        typedef typename Of<REAL, (BYTES < sizeof(REAL) ? sizeof(REAL) : BYTES)>::Lanes V; \
        for (; lane + BYTES / sizeof(REAL) <= LANES; lane += BYTES / sizeof(REAL)) CALL;   \
    }
#define THRESHER_COVER(REAL, LANES, CALL) \
    std::size_t lane = 0;                 \
    THRESHER_EACH(REAL, 64, LANES, CALL)  \
    THRESHER_EACH(REAL, 32, LANES, CALL)  \
    THRESHER_EACH(REAL, 16, LANES, CALL)  \
    THRESHER_EACH(REAL, 8, LANES, CALL)   \
    THRESHER_EACH(REAL, 4, LANES, CALL)

// CALL for registers V of 16, 8 or 4 numbers, the widest first, the last of which may be filled up; `k` is the first.
#define THRESHER_FIT(REAL, HELD, LANES, CALL)                        \
    if constexpr (HELD == 4 || HELD * sizeof(REAL) <= widest) {      \
        typedef typename Of<REAL, HELD * sizeof(REAL)>::Lanes V;     \
        for (; k + (HELD == 4 ? 1 : HELD) <= LANES; k += HELD) CALL; \
    }
#define THRESHER_FILL(REAL, LANES, CALL) \
    std::size_t k = 0;                   \
    THRESHER_FIT(REAL, 16, LANES, CALL)  \
    THRESHER_FIT(REAL, 8, LANES, CALL)   \
    THRESHER_FIT(REAL, 4, LANES, CALL)

// CALL for registers V of eight terms from j on, where one holds as many, and of four for the last.
#define THRESHER_TERMS(REAL, TERMS, CALL)                     \
    std::size_t j = 0;                                        \
    if constexpr (8 * sizeof(REAL) <= widest) {               \
        typedef typename Of<REAL, 8 * sizeof(REAL)>::Lanes V; \
        for (; j + 8 <= TERMS.size; j += 8) CALL;             \
    }                                                         \
    typedef typename Of<REAL, 4 * sizeof(REAL)>::Lanes V;     \
    for (; j < TERMS.size; j += 4) CALL

#define THRESHER_PACKS BaselinePacks
#define THRESHER_READINGS BaselineReadings
#define THRESHER_SWEEPS BaselineLanes
#define THRESHER_BYTES 16
#define THRESHER_TARGET
#include "packs.hpp"
#include "readings.hpp"
#include "sweeps.hpp"
#undef THRESHER_PACKS
#undef THRESHER_READINGS
#undef THRESHER_SWEEPS
#undef THRESHER_BYTES
#undef THRESHER_TARGET

#ifdef THRESHER_HAS_AVX2
#define THRESHER_PACKS Avx2Packs
#define THRESHER_READINGS Avx2Readings
#define THRESHER_SWEEPS Avx2Lanes
#define THRESHER_BYTES 32
#define THRESHER_TARGET THRESHER_AVX2
#include "packs.hpp"
#include "readings.hpp"
#include "sweeps.hpp"
#undef THRESHER_PACKS
#undef THRESHER_READINGS
#undef THRESHER_SWEEPS
#undef THRESHER_BYTES
#undef THRESHER_TARGET

#define THRESHER_PACKS Avx512Packs
#define THRESHER_READINGS Avx512Readings
#define THRESHER_SWEEPS Avx512Lanes
#define THRESHER_BYTES 64
#define THRESHER_TARGET THRESHER_AVX512
#include "packs.hpp"
#include "readings.hpp"
#include "sweeps.hpp"
#undef THRESHER_PACKS
#undef THRESHER_READINGS
#undef THRESHER_SWEEPS
#undef THRESHER_BYTES
#undef THRESHER_TARGET
#endif

#undef THRESHER_TERMS
#undef THRESHER_FILL
#undef THRESHER_FIT
#undef THRESHER_COVER
#undef THRESHER_EACH

inline BaselineLanes lane_sweeps_for(Baseline) { return {}; }
#ifdef THRESHER_HAS_AVX2
inline Avx2Lanes lane_sweeps_for(Avx2) { return {}; }
inline Avx512Lanes lane_sweeps_for(Avx512) { return {}; }
#endif

// Calls `work` with the sweeps to use.
template <class Work>
auto sweep_lanes(Work&& work) {
    return dispatch_widest([&](auto kernels) { return work(lane_sweeps_for(kernels)); });
}

}  // namespace thresher
