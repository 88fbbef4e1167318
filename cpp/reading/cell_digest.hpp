// A digest of a column's cells in their order, which several threads can make in parts: however the cells are cut, it
// is the same.
//
// It is the polynomial of the cells at an odd number, modulo 2^64. Two parts make the whole by multiplying the first
// with as many powers as the second has cells. A cell's bits are spread over all of them first: else the signs of two
// numbers could change and nobody would know.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../thresher/dispatch.hpp"
#include "../thresher/names.hpp"
#include "columns.hpp"

namespace thresher::reading {

inline constexpr std::uint64_t missing_cell = 0;  // in place of a category's hash

class CellDigest {
  public:
    CellDigest() = default;

    // Of so many cells; cell(i) is number i in 64 bits, spread.
    template <class Cell>
    CellDigest(std::size_t count, Cell&& cell) : sum_(sum_of<few>(Numbers{count}, cell)), count_(count) {}

    // Of cells that lie in memory; cell(x) is what one of them is in 64 bits, spread.
    template <class T, class Cell>
    CellDigest(std::span<const T> cells, Cell&& cell)
        : sum_(dispatch_widest([&](auto kernels) { return sum_for(kernels, cells, cell); })), count_(cells.size()) {}

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
    static constexpr std::size_t few = 8, many = 16;

    // 0, 1, 2 …: cells that are asked for by number.
    struct Numbers {
        std::size_t count;

        std::size_t size() const { return count; }
        std::size_t operator[](std::size_t i) const { return i; }
    };

    // Sums side by side, so that none waits for itself.
    template <std::size_t SideBySide, class Cells, class Cell>
    [[gnu::always_inline]] static std::uint64_t sum_of(const Cells& cells, Cell&& cell) {
        const std::uint64_t far = power(SideBySide);
        std::uint64_t sums[SideBySide] = {};
        const std::size_t count = cells.size();
        std::size_t i = 0;
        for (; i + SideBySide <= count; i += SideBySide) {
            ask_ahead(cells, i, SideBySide);
            for (std::size_t k = 0; k < SideBySide; ++k) sums[k] = sums[k] * far + cell(cells[i + k]);
        }
        std::uint64_t all = 0;
        for (const std::uint64_t sum : sums) all = all * base + sum;
        for (; i < count; ++i) all = all * base + cell(cells[i]);
        return all;
    }

    template <class Kernels, class Cells, class Cell>
    static std::uint64_t sum_for(Kernels, const Cells& cells, Cell&& cell) {
        return sum_of<few>(cells, cell);
    }
#ifdef THRESHER_HAS_AVX2
    // Only here a register multiplies numbers of 64 bits.
    template <class Cells, class Cell>
    THRESHER_AVX512 static std::uint64_t sum_for(Avx512, const Cells& cells, Cell&& cell) {
        return sum_of<many>(cells, cell);
    }
#endif

    // Asks for the memory behind these cells: whoever decoded them did so elsewhere, and each line of it is waited for.
    template <class T>
    [[gnu::always_inline]] static void ask_ahead(std::span<const T> cells, std::size_t from, std::size_t count) {
        constexpr std::size_t line = 64, ahead = 4096;
        const auto start = reinterpret_cast<std::uintptr_t>(cells.data() + from) + ahead;
        for (std::size_t at = 0; at < count * sizeof(T); at += line)
            __builtin_prefetch(reinterpret_cast<const void*>(start + at));
    }
    static void ask_ahead(const Numbers&, std::size_t, std::size_t) {}

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
        return {column.values.subspan(from, to - from),
                [](double value) { return CellDigest::spread(std::bit_cast<std::uint64_t>(value)); }};
    }
    if (column.kind == Column::Kind::words)
        return {to - from, [&](std::size_t i) { return CellDigest::spread(hash64(column.texts[from + i])); }};
    if (column.starts.empty()) {
        const std::uint64_t* const known = spread.data() + 1;
        return {column.codes.subspan(from, to - from), [=](std::int32_t code) { return known[code]; }};
    }
    return {to - from, [&](std::size_t i) {
                std::uint64_t cell = 0;
                for (const std::int32_t code : column.of_row(from + i))
                    cell = cell * xxh64::p1 + (code < 0 ? missing_cell : hashes[static_cast<std::size_t>(code)]);
                return CellDigest::spread(cell);
            }};
}

// The first row from `from` until before `to` whose cell is given, or `to`. `hashes` as above. Before it nobody may
// know what the column holds: so those that are missing there are no part of its digest, however much is known.
inline std::size_t first_given(const Column& column, const std::vector<std::uint64_t>& hashes, std::size_t from,
                               std::size_t to) {
    const auto given = [&](std::size_t row) {
        if (column.kind == Column::Kind::numbers) return !std::isnan(column.values[row]);
        if (column.kind == Column::Kind::words) return !column.texts[row].empty();
        return std::ranges::any_of(column.of_row(row), [&](std::int32_t code) {
            return code >= 0 && hashes[static_cast<std::size_t>(code)] != missing_cell;
        });
    };
    while (from < to && !given(from)) ++from;
    return from;
}

}  // namespace thresher::reading
