// The two loops over features: `score`, which checks the row as it goes, and `move`. Plain C++ for any machine;
// kernels_avx2.hpp holds `score` for AVX2, with the same bits.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "arithmetic.hpp"
#include "rows.hpp"

namespace thresher {

// Whether a value may stand in a canonical row. Kept branchless in the loops below.
template <Domain domain>
bool one_term(double value) {
    if constexpr (domain == Domain::binary) return value == 1.0;
    if constexpr (domain == Domain::unit) return (value > 0.0) & (value <= 1.0);
    return (std::fabs(value) <= limit(domain)) & (value != 0.0);
}

// Up to four slots, copied before they are checked: the user's arrays may change, what was checked may not.
struct Slots {
    std::size_t at[4];
};

struct Baseline {
    static constexpr const char* name = "baseline";

    // The dot product with `w`, and with Square the sum of squares, both in canonical order; or false, if the row
    // turns out not to be canonical, or not of the domain. No slot is read before it is known to lie below n.
    template <Domain domain, bool Square, class Row>
    static bool score(const double* w, const Row& row, std::size_t n, Sums& sums) {
        double dot[4] = {}, square[4] = {};
        bool good = true;
        std::int64_t last = -1;
        for (std::size_t j = 0; j < row.size; j += 4) {
            const std::size_t count = row.size - j < 4 ? row.size - j : 4;
            if (!add_terms<domain, Square>(w, row, j, count, n, last, dot, square, good)) return false;
        }
        sums = {reduce(dot), Square ? reduce(square) : 0.0};
        return good;
    }

    // Terms j to j + count - 1, the k-th of them into sum k; false if their slots do not ascend from `last` or reach n.
    template <Domain domain, bool Square, class Row>
    static bool add_terms(const double* w, const Row& row, std::size_t j, std::size_t count, std::size_t n,
                          std::int64_t& last, double (&dot)[4], double (&square)[4], bool& good) {
        Slots slots;
        if (!take(row, j, count, n, last, slots)) return false;
        for (std::size_t k = 0; k < count; ++k) {
            const auto value = static_cast<double>(row.values[j + k]);
            dot[k] += w[slots.at[k]] * value;
            if constexpr (Square) square[k] += value * value;
            good &= one_term<domain>(value);
        }
        return true;
    }

  private:
    template <class Index, class Value>
    static bool take(const SparseRow<Index, Value>& row, std::size_t j, std::size_t count, std::size_t n,
                     std::int64_t& last, Slots& slots) {
        bool good = true;
        for (std::size_t k = 0; k < count; ++k) {
            const std::int64_t slot = row.slots[j + k];
            good &= last < slot;
            slots.at[k] = static_cast<std::size_t>(slot);
            last = slot;
        }
        return good && static_cast<std::size_t>(last) < n;
    }
    template <class Value>
    static bool take(const DenseRow<Value>&, std::size_t j, std::size_t count, std::size_t, std::int64_t&,
                     Slots& slots) {
        for (std::size_t k = 0; k < count; ++k) slots.at[k] = j + k;
        return true;
    }
};

// w += step * x on the active slots. They were checked when the row was scored, and are again before a write.
template <class Index, class Value>
void move(double* w, std::size_t n, const SparseRow<Index, Value>& row, double step) {
    std::size_t j = 0;
    for (; j + 4 <= row.size; j += 4) {  // four at a time: their slots differ, so none waits for another's write
        std::size_t slots[4];
        double moved[4];
        for (std::size_t k = 0; k < 4; ++k) slots[k] = static_cast<std::size_t>(row.slots[j + k]);
        if (!((slots[0] < n) & (slots[1] < n) & (slots[2] < n) & (slots[3] < n))) break;
        for (std::size_t k = 0; k < 4; ++k) moved[k] = w[slots[k]] + step * static_cast<double>(row.values[j + k]);
        for (std::size_t k = 0; k < 4; ++k) w[slots[k]] = moved[k];
    }
    for (; j < row.size; ++j) {
        const auto slot = static_cast<std::size_t>(row.slots[j]);
        if (slot < n) w[slot] += step * static_cast<double>(row.values[j]);
    }
}

template <class Value>
void move(double* w, std::size_t, const DenseRow<Value>& row, double step) {
    for (std::size_t i = 0; i < row.size; ++i) w[i] += step * static_cast<double>(row.values[i]);
}

}  // namespace thresher
