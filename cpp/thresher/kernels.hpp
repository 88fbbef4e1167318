// The two loops over features: `score`, which checks the row as it goes, and `move`. Plain C++ for any machine;
// kernels_avx2.hpp holds `score` for AVX2, with the same bits.
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>

#include "arithmetic.hpp"
#include "rows.hpp"

namespace thresher {

// Whether a value may stand in a canonical row. Kept branchless in the loops below.
inline bool one_term(double value) { return std::fabs(value) <= largest_value && value != 0.0; }

template <class Row>
std::size_t slot_at(const Row& row, std::size_t j) {
    if constexpr (requires { row.slots; }) {
        return static_cast<std::size_t>(row.slots[j]);
    } else {
        return j;
    }
}

struct Baseline {
    static constexpr const char* name = "baseline";

    // The dot product with `w`, and with Square the sum of squares, both in canonical order; or false, if the row
    // turns out not to be canonical. No slot is read before it is known to lie below n.
    template <bool Square, class Row>
    static bool score(const double* w, const Row& row, std::size_t n, Sums& sums) {
        double dot[4] = {}, square[4] = {};
        bool good = true;
        std::size_t j = 0;
        for (; j + 4 <= row.size; j += 4) {
            if (!ascending(row, j, j + 4, n)) return false;
            for (std::size_t k = 0; k < 4; ++k) good &= add_term<Square>(w, row, j + k, dot[k], square[k]);
        }
        if (!ascending(row, j, row.size, n)) return false;
        for (std::size_t k = 0; j < row.size; ++j, ++k) good &= add_term<Square>(w, row, j, dot[k], square[k]);
        sums = {reduce(dot), Square ? reduce(square) : 0.0};
        return good;
    }

    // Whether slots j to end - 1 ascend from the one before them and stay below n.
    template <class Index, class Value>
    static bool ascending(const SparseRow<Index, Value>& row, std::size_t j, std::size_t end, std::size_t n) {
        bool good = true;
        for (std::int64_t before = j == 0 ? -1 : row.slots[j - 1]; j < end; ++j) {
            good &= before < row.slots[j];
            before = row.slots[j];
        }
        return good && (end == 0 || static_cast<std::size_t>(row.slots[end - 1]) < n);
    }
    template <class Value>
    static bool ascending(const DenseRow<Value>&, std::size_t, std::size_t, std::size_t) {
        return true;
    }

    template <bool Square, class Row>
    static bool add_term(const double* w, const Row& row, std::size_t j, double& dot, double& square) {
        const auto value = static_cast<double>(row.values[j]);
        dot += w[slot_at(row, j)] * value;
        if constexpr (Square) square += value * value;
        return one_term(value);
    }
};

// w += step * x on the active slots.
template <class Index, class Value>
void move(double* w, const SparseRow<Index, Value>& row, double step) {
    for (std::size_t j = 0; j < row.size; ++j) w[row.slots[j]] += step * static_cast<double>(row.values[j]);
}

template <class Value>
void move(double* w, const DenseRow<Value>& row, double step) {
    for (std::size_t i = 0; i < row.size; ++i) w[i] += step * static_cast<double>(row.values[i]);
}

}  // namespace thresher
