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

// Scores a row and hands `use` the row (magnified where its norm is tiny) and what was seen.
template <class Isa, bool Square, class Row, class Use>
Fault::Kind see(const Sight& sight, const Plane& weights, double bias_weight, const Row& row, double dummy, Use&& use) {
    const double* w = weights.data();
    Sums sums;
    if (!sight.normalize) {
        if (!Isa::template score<Square>(w, row, weights.size(), sums)) return Fault::Kind::unsettled;
        use(row, Seen{sums.dot + bias_weight * dummy, 1.0, sums.square + dummy * dummy, dummy});
        return Fault::Kind::none;
    }
    if (!Isa::template score<true>(w, row, weights.size(), sums)) return Fault::Kind::unsettled;
    const double square = sums.square + dummy * dummy;
    if (square < tiny) {
        if (row.size == 0 && dummy == 0.0) return Fault::Kind::zero_vector;
        Canonical magnified;
        magnified.magnify(row);
        return see<Isa, Square>(sight, weights, bias_weight, magnified.row(), dummy * magnifier, use);
    }
    const double norm = std::sqrt(square);
    use(row, Seen{(sums.dot + bias_weight * dummy) / norm, norm, square, dummy});
    return Fault::Kind::none;
}

}  // namespace thresher
