// A digest of a column's cells in their order, which several threads can make in parts: however the cells are cut, it
// is the same.
//
// It is the polynomial of the cells at an odd number, modulo 2^64. Two parts make the whole by multiplying the first
// with as many powers as the second has cells. A cell's bits are spread over all of them first: else the signs of two
// numbers could change and nobody would know.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../thresher/names.hpp"
#include "columns.hpp"

namespace thresher::reading {

inline constexpr std::uint64_t missing_cell = 0;  // in place of a category's hash

class CellDigest {
  public:
    CellDigest() = default;

    // Of so many cells; cell(i) is number i in 64 bits. Four sums side by side, so that none waits for itself.
    template <class Cell>
    CellDigest(std::size_t count, Cell&& cell) : count_(count) {
        constexpr std::uint64_t two = base * base, four = two * two;
        std::uint64_t sums[4] = {};
        std::size_t i = 0;
        for (; i + 4 <= count; i += 4) {
            for (std::size_t k = 0; k < 4; ++k) sums[k] = sums[k] * four + spread(cell(i + k));
        }
        sum_ = (sums[0] * base + sums[1]) * two + sums[2] * base + sums[3];
        for (; i < count; ++i) sum_ = sum_ * base + spread(cell(i));
    }

    void append(const CellDigest& next) {
        sum_ = sum_ * power(next.count_) + next.sum_;
        count_ += next.count_;
    }

    std::uint64_t sum() const { return sum_; }
    std::uint64_t count() const { return count_; }

  private:
    static constexpr std::uint64_t base = xxh64::p1;

    static std::uint64_t spread(std::uint64_t cell) {
        cell *= xxh64::p2;
        return cell ^ (cell >> 32);
    }

    static std::uint64_t power(std::uint64_t exponent) {
        std::uint64_t all = 1;
        for (std::uint64_t square = base; exponent > 0; exponent /= 2, square *= square) {
            if (exponent % 2 == 1) all *= square;
        }
        return all;
    }

    std::uint64_t sum_ = 0;
    std::uint64_t count_ = 0;
};

// Of a column's rows from `from` until before `to`. `hashes` are those of its categories.
inline CellDigest digest_of(const Column& column, const std::vector<std::uint64_t>& hashes, std::size_t from,
                            std::size_t to) {
    const std::uint64_t* const known = hashes.data();
    const auto hash_of = [=](std::int32_t code) { return code < 0 ? missing_cell : known[code]; };
    if (column.kind == Column::Kind::numbers) {
        const double* const values = column.values.data() + from;
        return {to - from, [=](std::size_t i) { return std::bit_cast<std::uint64_t>(values[i]); }};
    }
    if (column.kind == Column::Kind::words)
        return {to - from, [&](std::size_t i) { return hash64(column.texts[from + i]); }};
    if (column.starts.empty()) {
        const std::int32_t* const codes = column.codes.data() + from;
        return {to - from, [=](std::size_t i) { return hash_of(codes[i]); }};
    }
    return {to - from, [&](std::size_t i) {
                std::uint64_t cell = 0;
                for (const std::int32_t code : column.of_row(from + i)) cell = cell * xxh64::p1 + hash_of(code);
                return cell;
            }};
}

}  // namespace thresher::reading
