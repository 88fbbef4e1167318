// How a learner sees an example: with a dummy attribute appended, then scaled to norm 1, where it asks for that.
#pragma once

#include <cmath>
#include <cstddef>

#include "arithmetic.hpp"
#include "canonical.hpp"
#include "rows.hpp"

namespace thresher {

struct Sight {
    bool normalize = false;
    double dummy = 0.0;  // the value of the appended attribute; 0 appends nothing

    bool operator==(const Sight&) const = default;
};

// What one example looks like: the score, and what a step along it must be divided by.
struct Seen {
    double score;
    double norm;    // of the example with its dummy where the sight normalises, else 1
    double square;  // the squared norm, with its dummy; only where the sight normalises or Square asks for it
    double dummy;   // the dummy's value, magnified with the row
};

// The rare case of a normalised row so small that its norm underflows: the same, with everything magnified.
template <class Isa, class Row, class Use>
[[gnu::noinline]] Fault::Kind see_tiny(const Plane& weights, double bias_weight, const Row& row, double dummy,
                                       Use& use) {
    if (row.size == 0 && dummy == 0.0) return Fault::Kind::zero_vector;
    Canonical magnified;
    magnified.magnify(row);
    Sums sums{};
    double square = 0.0;
    for (;;) {
        dummy *= magnifier;
        Isa::template score<Domain::any, true>(weights.data(), magnified.row(), weights.size(), sums);
        square = sums.square + dummy * dummy;
        if (square >= tiny) break;
        magnified.magnify(magnified.row());
    }
    const double norm = std::sqrt(square);
    use(magnified.row(), Seen{(sums.dot + bias_weight * dummy) / norm, norm, square, dummy});
    return Fault::Kind::none;
}

// Scores a row and hands `use` the row and what was seen.
template <class Isa, Domain domain, bool Square, class Row, class Use>
[[gnu::always_inline]] inline Fault::Kind see(const Sight& sight, const Plane& weights, double bias_weight,
                                              const Row& row, Use&& use) {
    const double dummy = sight.dummy;
    Sums sums;
    if (!sight.normalize) {
        if (!Isa::template score<domain, Square>(weights.data(), row, weights.size(), sums)) {
            return Fault::Kind::unsettled;
        }
        use(row, Seen{sums.dot + bias_weight * dummy, 1.0, sums.square + dummy * dummy, dummy});
        return Fault::Kind::none;
    }
    if (!Isa::template score<domain, true>(weights.data(), row, weights.size(), sums)) return Fault::Kind::unsettled;
    const double square = sums.square + dummy * dummy;
    if (square < tiny) return see_tiny<Isa>(weights, bias_weight, row, dummy, use);
    const double norm = std::sqrt(square);
    use(row, Seen{(sums.dot + bias_weight * dummy) / norm, norm, square, dummy});
    return Fault::Kind::none;
}

}  // namespace thresher
