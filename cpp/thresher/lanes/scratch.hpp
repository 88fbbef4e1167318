// Where a row becomes what lanes are shown.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "lanes.hpp"

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
        typedef Real V __attribute__((vector_size(4 * sizeof(Real))));
        const std::size_t size = count;
        constexpr Real most = Limits<Real>::value;
        V squares{}, most_of{}, smallest = V{} + most, lowest{};
        auto good = lowest <= most;
        const auto enter = [&](const V& value, const V& length) {
            good &= length <= most;  // a NaN is not
            squares += value * value;
            most_of = most_of < length ? length : most_of;
            smallest = length < smallest ? length : smallest;
            lowest = value < lowest ? value : lowest;
        };
        std::size_t j = 0;
        for (; j + 4 <= size; j += 4) {
            V value;
            std::memcpy(&value, values.data() + j, sizeof value);
            enter(value, value < 0 ? -value : value);
        }
        if (j < size) {  // what is missing of the last four is 0, and as large as can be for the smallest
            V value{}, length = V{} + most;
            for (std::size_t k = 0; j + k < size; ++k) length[k] = std::fabs(value[k] = values[j + k]);
            const V before = most_of;
            enter(value, length);
            for (std::size_t k = size - j; k < 4; ++k) most_of[k] = before[k];
        }
        square = (squares[0] + squares[2]) + (squares[1] + squares[3]);
        largest = std::max(std::max(most_of[0], most_of[1]), std::max(most_of[2], most_of[3]));
        const Real least = std::min(std::min(smallest[0], smallest[1]), std::min(smallest[2], smallest[3]));
        binary = size == 0 || (least == 1 && largest == 1);
        negative = std::min(std::min(lowest[0], lowest[1]), std::min(lowest[2], lowest[3])) < 0;
        const bool numbers = good[0] && good[1] && good[2] && good[3];
        return numbers && (size == 0 || (least > 0 && least >= Limits<Real>::smallest));
    }
};

}  // namespace thresher
