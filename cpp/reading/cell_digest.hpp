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

    // Of so many cells; cell(i) is number i in 64 bits, spread. Eight sums side by side, so that none waits for itself.
    template <class Cell>
    CellDigest(std::size_t count, Cell&& cell) : count_(count) {
        constexpr std::size_t side_by_side = 8;
        const std::uint64_t far = power(side_by_side);
        std::uint64_t sums[side_by_side] = {};
        std::size_t i = 0;
        for (; i + side_by_side <= count; i += side_by_side) {
            for (std::size_t k = 0; k < side_by_side; ++k) sums[k] = sums[k] * far + cell(i + k);
        }
        for (const std::uint64_t sum : sums) sum_ = sum_ * base + sum;
        for (; i < count; ++i) sum_ = sum_ * base + cell(i);
    }

    static std::uint64_t spread(std::uint64_t cell) {
        cell *= xxh64::p2;
        return cell ^ (cell >> 32);
    }

    void append(const CellDigest& next) {
        sum_ = sum_ * power(next.count_) + next.sum_;
        count_ += next.count_;
    }

    std::uint64_t sum() const { return sum_; }
    std::uint64_t count() const { return count_; }

  private:
    static constexpr std::uint64_t base = xxh64::p1;

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

// Of hashes of categories: what their cells are, spread, behind that of a missing one.
inline std::vector<std::uint64_t> spread_of(const std::vector<std::uint64_t>& hashes) {
    std::vector<std::uint64_t> all{CellDigest::spread(missing_cell)};
    for (const std::uint64_t hash : hashes) all.push_back(CellDigest::spread(hash));
    return all;
}

// Of a column's rows from `from` until before `to`. `hashes` are those of its categories, `spread` the same as above.
inline CellDigest digest_of(const Column& column, const std::vector<std::uint64_t>& hashes,
                            const std::vector<std::uint64_t>& spread, std::size_t from, std::size_t to) {
    if (column.kind == Column::Kind::numbers) {
        const double* const values = column.values.data() + from;
        return {to - from, [=](std::size_t i) { return CellDigest::spread(std::bit_cast<std::uint64_t>(values[i])); }};
    }
    if (column.kind == Column::Kind::words)
        return {to - from, [&](std::size_t i) { return CellDigest::spread(hash64(column.texts[from + i])); }};
    if (column.starts.empty()) {
        const std::int32_t* const codes = column.codes.data() + from;
        const std::uint64_t* const known = spread.data() + 1;
        return {to - from, [=](std::size_t i) { return known[codes[i]]; }};
    }
    return {to - from, [&](std::size_t i) {
                std::uint64_t cell = 0;
                for (const std::int32_t code : column.of_row(from + i))
                    cell = cell * xxh64::p1 + (code < 0 ? missing_cell : hashes[static_cast<std::size_t>(code)]);
                return CellDigest::spread(cell);
            }};
}

}  // namespace thresher::reading
