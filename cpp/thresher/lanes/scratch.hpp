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
    std::size_t count = 0, size = 0;  // how many terms there are, and how many with those that fill them up
    Real square = 0, largest = 0;
    bool binary = true, negative = false;

    // Room for a row of so many terms, and for those that fill it up.
    void hold(std::size_t terms) {
        count = terms;
        size = (terms + 3) / 4 * 4;
        if (at.size() >= size) return;
        at.resize(size);
        values.resize(size);
    }

    void know(const Facts<Real>& facts) {
        square = facts.square;
        largest = facts.largest;
        binary = facts.binary;
        negative = facts.negative;
    }
};

}  // namespace thresher
