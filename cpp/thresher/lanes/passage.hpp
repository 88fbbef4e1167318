// Some rows that follow each other, and what the parts of a bank say of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../canonical.hpp"
#include "lines.hpp"
#include "sheet.hpp"

namespace thresher {

// What one part says of the rows.
template <class Real>
struct Answer {
    Numbers<std::int8_t> says;
    Numbers<Real> scores;
    Numbers<std::uint8_t> changed;
};

// Rows from `first` on up to `end`.
template <class Real>
struct alignas(lines) Passage {
    std::size_t first = 0, end = 0;
    bool settled = false;  // whether a part has read them: then all play as many as it found without a fault
    std::vector<Answer<Real>> answers;
};

// What a part reads rows to: its own, since to hand lines of the cache on costs more than to read the rows again.
template <class Real>
struct alignas(lines) Desk {
    Sheet<Real> sheet;
    Canonical canonical;
};

}  // namespace thresher
