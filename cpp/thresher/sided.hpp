// A comparator with two sides: u.x + constant should be at least `above` on positive examples and at most `below` on
// negative ones; what is missing is summed. A disjunction asks for 1 and 0, a threshold for 1 and 1 - delta.
//
// On binary rows with whole numbers in u, in `above` and in `below` every sum is exact. Otherwise u and x are not
// negative, and a computed u.x is off by at most (terms + 16) 2^-52 of itself: at most terms / 4 + 6 roundings touch a
// term.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "arithmetic.hpp"
#include "blocks.hpp"
#include "frozen.hpp"
#include "rows.hpp"

namespace thresher {

struct SidedSums {
    std::int64_t rounds = 0;
    std::int64_t fractional = 0;                                         // rows with a value that is not 1
    std::int64_t terms = 0;                                              // the most nonzero terms in a row
    double lowest_positive = std::numeric_limits<double>::infinity();    // min over positives, from below
    double highest_negative = -std::numeric_limits<double>::infinity();  // max over negatives, from above
    double missing = 0.0;                                                // the sum of what is missing, from above
    double missing_on_mistakes = 0.0;
};

class Sided {
  public:
    using Sums = SidedSums;

    Sided(Plane plane, double constant, double above, double below)
        : u(std::move(plane)), constant(constant), above(above), below(below) {
        whole_ = constant == std::floor(constant) && above == std::floor(above) && below == std::floor(below);
        for (std::size_t i = 0; i < u.size() && whole_; ++i) {
            whole_ = u.data()[i] == std::floor(u.data()[i]) && std::fabs(u.data()[i]) <= 0x1p20;
        }
    }

    template <class Isa, class Row>
    Fault::Kind enter_row(const Row& row, int label, bool mistake, SidedSums& sums) const {
        thresher::Sums dot;
        if (!Isa::template score<Domain::any, false>(u.data(), row, u.size(), dot)) return Fault::Kind::unsettled;
        bool binary = true;
        for (std::size_t j = 0; j < row.size; ++j) binary &= row.values[j] == 1;
        const double value = dot.dot + constant;
        const double error = whole_ && binary ? 0.0 : relative_error(row.size + 1) * std::fabs(value);
        const double gap = label > 0 ? above - (value - error) : (value + error) - below;
        const double missing = std::max(0.0, gap) * (1.0 + (error > 0.0 ? 0x1p-50 : 0.0));
        ++sums.rounds;
        sums.fractional += !binary;
        sums.terms = std::max(sums.terms, static_cast<std::int64_t>(row.size));
        if (label > 0) {
            sums.lowest_positive = std::min(sums.lowest_positive, value - error);
        } else {
            sums.highest_negative = std::max(sums.highest_negative, value + error);
        }
        sums.missing += missing;
        if (mistake) sums.missing_on_mistakes += missing;
        return Fault::Kind::none;
    }

    Fault::Kind enter(const Sight&, const CanonicalRow& row, int label, bool mistake) {
        return dispatch([&](auto isa) { return enter_row<decltype(isa)>(row, label, mistake, sums); });
    }

    // Enters the first `rounds` rows of a block, or, if one of them has a fault, none; `entered` is then its number.
    Fault enter_block(const Sight&, const Block& block, const std::int8_t* labels, const std::int8_t* predictions,
                      std::size_t rounds, std::size_t& entered) {
        SidedSums after = sums;
        const Fault fault = over_rows(block, u, rounds, entered, [&](auto isa, const auto& row, std::size_t k) {
            return enter_row<decltype(isa)>(row, labels[k], predictions[k] != labels[k], after);
        });
        if (!fault) sums = after;
        return fault;
    }

    // Whether the sums so far are exact.
    bool exact() const { return whole_ && sums.fractional == 0 && sums.missing < 0x1p53; }

    const Plane u;
    double constant, above, below;
    SidedSums sums;

  private:
    bool whole_;
};

}  // namespace thresher
