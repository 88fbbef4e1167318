// Examples as the core reads them: rows by reference, blocks of rows, and what may be wrong with one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

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
        none, unsettled, value, slot, twice, pointers, zero_vector, label, mixed_labels, weight
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

    bool has(std::size_t) const { return true; }
    DenseRow<Value> row(std::size_t k) const { return {values + k * n, n}; }
};

template <class Index, class Value>
struct SparseBlock {
    const Index* starts;
    const Index* slots;
    const Value* values;
    std::size_t rows;
    std::size_t n;
    std::size_t stored;

    bool has(std::size_t k) const {
        return starts[k] >= 0 && starts[k] <= starts[k + 1] && static_cast<std::size_t>(starts[k + 1]) <= stored;
    }
    SparseRow<Index, Value> row(std::size_t k) const {
        const auto start = static_cast<std::size_t>(starts[k]);
        return {slots + start, values + start, static_cast<std::size_t>(starts[k + 1]) - start};
    }
};

using Block = std::variant<DenseBlock<double>, DenseBlock<float>, SparseBlock<std::int32_t, double>,
                           SparseBlock<std::int32_t, float>, SparseBlock<std::int64_t, double>,
                           SparseBlock<std::int64_t, float>>;

inline std::size_t rows_of(const Block& block) {
    return std::visit([](const auto& rows) { return rows.rows; }, block);
}

}  // namespace thresher
