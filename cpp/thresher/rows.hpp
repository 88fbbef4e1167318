// Examples as the core reads them: rows by reference, blocks of rows, and what may be wrong with one.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "names.hpp"

namespace thresher {

template <class Index, class Value>
struct SparseRow {
    const Index* slots;
    const Value* values;
    std::size_t size;
};

template <class Value>
struct DenseRow {
    const Value* values;
    std::size_t size;
};

// What is wrong with a row, and where. `column` is a slot as the user gave it; `value` what was found there. The loops
// hand on the kind alone, in a register. `unsettled` is no fault of the user's: the row is not canonical as it stands,
// and nothing was done with it.
struct Fault {
    enum class Kind : std::uint8_t {
        none,
        unsettled,
        value,
        signed_unit,
        unit,
        binary,
        slot,
        twice,
        pointers,
        zero_vector,
        label,
        mixed_labels,
        weight
    };
    Kind kind = Kind::none;
    std::int64_t column = 0;
    double value = 0.0;
    explicit operator bool() const { return kind != Kind::none; }
};

template <class Value>
struct DenseBlock {
    const Value* values;
    std::size_t rows;
    std::size_t n;

    bool row(std::size_t k, DenseRow<Value>& row) const {
        row = {values + k * n, n};
        return true;
    }
    using Row = DenseRow<Value>;
};

template <class Index, class Value>
struct SparseBlock {
    const Index* starts;
    const Index* ends;  // one further on in the same array, unless rows were left out
    const Index* slots;
    const Value* values;
    std::size_t rows;
    std::size_t n;
    std::size_t stored;

    // Each end is read once: the arrays are the user's, and another thread may write to them.
    bool row(std::size_t k, SparseRow<Index, Value>& row) const {
        const Index start = starts[k], end = ends[k];
        if (start < 0 || start > end || static_cast<std::size_t>(end) > stored) return false;
        row = {slots + start, values + start, static_cast<std::size_t>(end - start)};
        return true;
    }
    using Row = SparseRow<Index, Value>;
};

using Block =
    std::variant<DenseBlock<double>, DenseBlock<float>, SparseBlock<std::int32_t, double>,
                 SparseBlock<std::int32_t, float>, SparseBlock<std::int64_t, double>, SparseBlock<std::int64_t, float>>;

// A digest of term j of a row: its slot and its value.
template <class Row>
std::uint64_t term_digest(const Row& row, std::size_t j) {
    using namespace xxh64;
    std::uint64_t slot = j;
    if constexpr (requires { row.slots; }) slot = static_cast<std::uint64_t>(row.slots[j]);
    const auto value = std::bit_cast<std::uint64_t>(static_cast<double>(row.values[j]));
    std::uint64_t term = ((slot + p4) * p1) ^ value;
    term = (term ^ (term >> 32)) * p2;
    term = (term ^ (term >> 29)) * p3;
    return term ^ (term >> 32);
}

// A digest of what lies in a row. The terms do not wait for each other.
template <class Row>
std::uint64_t fingerprint(const Row& row, std::uint64_t seed) {
    std::uint64_t digest = seed * xxh64::p3 + row.size;
    for (std::size_t j = 0; j < row.size; ++j) digest += term_digest(row, j);
    return digest;
}

// A digest of up to 64 rows, evenly spread, the first and the last among them: it tells an array that was overwritten.
inline std::uint64_t fingerprint(const Block& block, std::size_t rounds) {
    const auto digest = [&](const auto& rows) {
        std::uint64_t hash = rounds;
        const std::size_t samples = rounds < 64 ? rounds : 64;
        for (std::size_t i = 0; i < samples; ++i) {
            const std::size_t k = samples == 1 ? 0 : i * (rounds - 1) / (samples - 1);
            typename std::decay_t<decltype(rows)>::Row row;
            if (rows.row(k, row)) hash = fingerprint(row, hash);
        }
        return hash;
    };
    return std::visit(digest, block);
}

inline std::size_t rows_of(const Block& block) {
    return std::visit([](const auto& rows) { return rows.rows; }, block);
}

inline std::size_t width_of(const Block& block) {
    return std::visit([](const auto& rows) { return rows.n; }, block);
}

}  // namespace thresher
