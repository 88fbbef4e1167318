// Numbers of a table on their way into rows, and ranks of its categories, a few rows of all columns at a time: in
// baseline, AVX2 and AVX-512, with the same bits.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "../thresher/canonical.hpp"
#include "../thresher/dispatch.hpp"
#include "columns.hpp"

namespace thresher::reading {

// Columns are taken four at a time; where their number is no multiple of four the last one has company: itself.
inline constexpr std::size_t side_by_side = 4;

// So many rows have their categories sorted together.
inline constexpr std::size_t together = 16;

using Exchange = std::pair<std::uint32_t, std::uint32_t>;  // of two columns, in this order
using Exchanges = std::vector<Exchange>;

// Calls use(low, high) for the pairs to exchange, one after the other, so that any `size` things come in order
// (Batcher; Knuth, 5.2.2 M).
template <class Use>
constexpr void sorting_network(std::size_t size, Use&& use) {
    std::size_t top = 1;
    while (2 * top < size) top *= 2;
    for (std::size_t p = size < 2 ? 0 : top; p > 0; p /= 2) {
        std::size_t r = 0, d = p;
        for (std::size_t q = top;; q /= 2) {
            for (std::size_t i = 0; i + d < size; ++i) {
                if ((i & p) == r) use(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i + d));
            }
            if (q == p) break;
            d = q - p;
            r = p;
        }
    }
}

// The same, where the size is known when this is compiled.
template <std::size_t Size>
inline constexpr auto network_of = [] {
    constexpr std::size_t count = [] {
        std::size_t so_many = 0;
        sorting_network(Size, [&](auto, auto) { ++so_many; });
        return so_many;
    }();
    std::array<Exchange, count> exchanges{};
    std::size_t k = 0;
    sorting_network(Size, [&](auto low, auto high) { exchanges[k++] = {low, high}; });
    return exchanges;
}();

// The scales of columns, each part of them side by side. What a frozen one needs is there, too.
struct Scales {
    std::vector<double> count, mean, squares, deviation;

    explicit Scales(std::size_t size = 0) : count(size), mean(size), squares(size), deviation(size) {}

    void put(std::size_t j, const Scale& scale) {
        count[j] = scale.count;
        mean[j] = scale.mean;
        squares[j] = scale.squares;
        deviation[j] = scale.deviation();
    }
    Scale at(std::size_t j) const { return {count[j], mean[j], squares[j]}; }
};

// Rows from `from` on, of columns that are as many as `width` says, one at least; at most `most_rows`.
struct NumberRows {
    static constexpr std::size_t most_rows = 64;

    const double* const* columns;
    std::size_t width, from, rows;
};

// What was seen of the numbers of some rows: whether all can be learned, whether none is 0.
struct NumbersSeen {
    bool good = true, dense = true;

    NumbersSeen operator+(NumbersSeen other) const { return {good && other.good, dense && other.dense}; }
};

#define THRESHER_SWEEPS BaselineNumbers
#define THRESHER_LANES 2
#define THRESHER_TARGET
#include "number_sweeps.hpp"
#undef THRESHER_SWEEPS
#undef THRESHER_LANES
#undef THRESHER_TARGET

#ifdef THRESHER_HAS_AVX2
#define THRESHER_SWEEPS Avx2Numbers
#define THRESHER_LANES 4
#define THRESHER_TARGET THRESHER_AVX2
#include "number_sweeps.hpp"
#undef THRESHER_SWEEPS
#undef THRESHER_LANES
#undef THRESHER_TARGET

#define THRESHER_SWEEPS Avx512Numbers
#define THRESHER_NARROWER Avx2Numbers
#define THRESHER_LANES 8
#define THRESHER_TARGET THRESHER_AVX512
#include "number_sweeps.hpp"
#undef THRESHER_SWEEPS
#undef THRESHER_NARROWER
#undef THRESHER_LANES
#undef THRESHER_TARGET
#endif

inline BaselineNumbers numbers_for(Baseline) { return {}; }
#ifdef THRESHER_HAS_AVX2
inline Avx2Numbers numbers_for(Avx2) { return {}; }
inline Avx512Numbers numbers_for(Avx512) { return {}; }
#endif

// Calls `work` with the sweeps to use.
template <class Work>
auto sweep_numbers(Work&& work) {
    return dispatch_widest([&](auto kernels) { return work(numbers_for(kernels)); });
}

}  // namespace thresher::reading
