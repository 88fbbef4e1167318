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

#define THRESHER_SWEEPS BaselineLanes
#define THRESHER_BYTES 16
#define THRESHER_TARGET
#include "sweeps.hpp"
#undef THRESHER_SWEEPS
#undef THRESHER_BYTES
#undef THRESHER_TARGET

#ifdef THRESHER_HAS_AVX2
#define THRESHER_SWEEPS Avx2Lanes
#define THRESHER_BYTES 32
#define THRESHER_TARGET THRESHER_AVX2
#include "sweeps.hpp"
#undef THRESHER_SWEEPS
#undef THRESHER_BYTES
#undef THRESHER_TARGET
#endif

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
