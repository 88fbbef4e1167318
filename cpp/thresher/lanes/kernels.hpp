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
    THRESHER_EACH(REAL, 32, LANES, CALL)  \
    THRESHER_EACH(REAL, 16, LANES, CALL)  \
    THRESHER_EACH(REAL, 8, LANES, CALL)   \
    THRESHER_EACH(REAL, 4, LANES, CALL)

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
#endif

#undef THRESHER_COVER
#undef THRESHER_EACH

inline BaselineLanes lane_sweeps_for(Baseline) { return {}; }
#ifdef THRESHER_HAS_AVX2
inline Avx2Lanes lane_sweeps_for(Avx2) { return {}; }
#endif

// Calls `work` with the sweeps to use.
template <class Work>
auto sweep_lanes(Work&& work) {
    return dispatch([&](auto kernels) { return work(lane_sweeps_for(kernels)); });
}

}  // namespace thresher
