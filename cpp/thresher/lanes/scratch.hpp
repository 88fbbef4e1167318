// Where a row becomes what lanes are shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels.hpp"

namespace thresher {

template <class Real>
struct Scratch {
    std::vector<std::int64_t> at, sizes_at;
    std::vector<Real> values, sizes;
    std::size_t count = 0;
    Real square = 0, largest = 0;
    bool binary = true, negative = false;

    // The facts of a row's values; false if one is 0, not a number, or beyond the limits.
    bool look() {
        const Facts<Real> facts =
            sweep_lanes([&](auto sweeps) { return sweeps.look(std::as_const(values).data(), count); });
        square = facts.square;
        largest = facts.largest;
        binary = facts.binary;
        negative = facts.negative;
        return facts.good;
    }
};

}  // namespace thresher
