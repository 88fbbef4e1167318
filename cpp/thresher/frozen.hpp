// The frozen rule: a comparator u that never moves, and the sums a theorem needs of it, each rounded outward.
//
// A computed u.z is off by at most (terms + 16) 2^-52 |u| |z| + terms 2^-1000: at most terms / 4 + 6 roundings touch a
// term (four partial sums, their reduction, the dummy, the division by the norm, which is itself off by a relative
// terms 2^-54 + 2^-52), Cauchy-Schwarz, and underflow: 2^-1074 a term, divided by a norm of at least 2^-250 where the
// sight normalises, hence 2^-800 there. (Powers that are normal numbers: denormal ones are slow.)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "arithmetic.hpp"
#include "blocks.hpp"
#include "canonical.hpp"
#include "dispatch.hpp"
#include "rows.hpp"
#include "sight.hpp"

namespace thresher {

inline double relative_error(std::size_t terms) { return static_cast<double>(terms + 16) * 0x1p-52; }
inline double absolute_error(std::size_t terms, bool normalized = false) {
    return static_cast<double>(terms) * (normalized ? 0x1p-800 : 0x1p-1000);
}

// An upper bound of a norm from its computed square.
inline double norm_above(double square, std::size_t terms) {
    return std::sqrt(square + 4.0 * absolute_error(terms)) * (1.0 + relative_error(terms));
}

struct Witnessed {
    std::int64_t rounds = 0;
    std::int64_t mistakes = 0;
    std::int64_t terms = 0;  // the most nonzero terms in a row, the dummy included
    double smallest_margin = std::numeric_limits<double>::infinity();  // min y u.z, from below
    double largest_norm = 0.0;                                         // max |z|, from above
    double largest_value = 0.0;                                        // max |z_i|, where `values_too` asks for it
    double squares_on_mistakes = 0.0;                                  // sum of |z|^2 over mistakes, from above
    // d = max(0, margin - y u.z): sums of d and d^2, from above
    double distance = 0.0;
    double distance_on_mistakes = 0.0;
    double squared_distance = 0.0;
};

class Frozen {
  public:
    using Sums = Witnessed;

    Frozen(Plane plane, double bias_weight, double margin)
        : u(std::move(plane)), bias_weight(bias_weight), margin(margin) {
        double square[4] = {};
        for (std::size_t i = 0; i < u.size(); ++i) square[i % 4] += u.data()[i] * u.data()[i];
        norm = norm_above(reduce(square) + bias_weight * bias_weight, u.size() + 1);
    }

    // Sums one row as `sight` shows it. `sums` is changed only if there is no fault.
    template <class Isa, class Row>
    Fault::Kind enter_row(const Sight& sight, const Row& row, int label, bool mistake, Witnessed& sums) const {
        return see<Isa, Domain::any, true>(sight, u, bias_weight, row, [&](const auto& seen_row, const Seen& seen) {
            const std::size_t terms = seen_row.size + (sight.dummy != 0.0);
            const double length = sight.normalize ? 1.0 : norm_above(seen.square, terms);
            const double error = relative_error(terms) * norm * length + absolute_error(terms, sight.normalize);
            const double at_least = label * seen.score - error;
            const double gap = margin - at_least;
            const double short_of = (gap + std::fabs(gap)) * (0.5 + 0x1p-51);  // max(0, gap), without a branch
            ++sums.rounds;
            sums.terms = std::max(sums.terms, static_cast<std::int64_t>(terms));
            sums.smallest_margin = std::min(sums.smallest_margin, at_least);
            sums.largest_norm = std::max(sums.largest_norm, length);
            if (values_too) {
                double largest = std::max(sums.largest_value, std::fabs(seen.dummy));
                for (std::size_t j = 0; j < seen_row.size; ++j) {
                    largest = std::max(largest, std::fabs(static_cast<double>(seen_row.values[j])));
                }
                sums.largest_value = largest;
            }
            sums.distance += short_of;
            sums.squared_distance += short_of * short_of;
            if (mistake) {
                ++sums.mistakes;
                sums.squares_on_mistakes += length * length;
                sums.distance_on_mistakes += short_of;
            }
        });
    }

    Fault::Kind enter(const Sight& sight, const CanonicalRow& row, int label, bool mistake) {
        return dispatch([&](auto isa) { return enter_row<decltype(isa)>(sight, row, label, mistake, sums); });
    }

    // Enters the first `rounds` rows of a block, or, if one of them has a fault, none; `entered` is then its number.
    Fault enter_block(const Sight& sight, const Block& block, const std::int8_t* labels, const std::int8_t* predictions,
                      std::size_t rounds, std::size_t& entered) {
        Witnessed after = sums;
        const Fault fault = over_rows(block, u, rounds, entered, [&](auto isa, const auto& row, std::size_t k) {
            return enter_row<decltype(isa)>(sight, row, labels[k], predictions[k] != labels[k], after);
        });
        if (!fault) sums = after;
        return fault;
    }

    const Plane u;
    double bias_weight;
    double margin;
    double norm = 0.0;        // of u with its bias weight, from above
    bool values_too = false;  // not asked for where no theorem needs it: it costs a loop over the row
    Witnessed sums;
};

}  // namespace thresher
