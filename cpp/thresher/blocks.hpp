// The one loop over the rows of a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "arithmetic.hpp"
#include "canonical.hpp"
#include "dispatch.hpp"
#include "rows.hpp"

namespace thresher {

// From this many slots on, the weights a row needs are fetched into the cache some rows ahead of it: measured to gain
// up to twice at 2^20 slots on a busy machine, and to lose a quarter where the weights fit the cache anyway.
inline constexpr std::size_t many_slots = std::size_t{1} << 18;
inline constexpr std::size_t ahead = 2;

template <class Value>
void fetch(const Plane&, const DenseRow<Value>&) {}

template <class Index, class Value>
void fetch(const Plane& weights, const SparseRow<Index, Value>& row) {
    const auto start = reinterpret_cast<std::uintptr_t>(weights.data());
    for (std::size_t j = 0; j < row.size; ++j) {  // a slot outside the weights is harmless: fetching never faults
        const auto at = start + static_cast<std::uintptr_t>(row.slots[j]) * sizeof(double);
        __builtin_prefetch(reinterpret_cast<const void*>(at));
    }
}

// The same for what lies so many terms behind a row: a reader's rows were written by another core.
inline constexpr std::size_t terms_ahead = 512;

template <class Value>
void fetch_terms(const DenseRow<Value>&) {}

template <class Index, class Value>
void fetch_terms(const SparseRow<Index, Value>& row) {
    const auto fetch = [&](const auto* terms) {
        constexpr std::size_t line = 64 / sizeof(*terms);
        const auto start = reinterpret_cast<std::uintptr_t>(terms) + terms_ahead * sizeof(*terms);
        for (std::size_t j = 0; j < row.size; j += line) {
            __builtin_prefetch(reinterpret_cast<const void*>(start + j * sizeof(*terms)));
        }
    };
    fetch(row.slots);
    fetch(row.values);
}

// Calls play(isa, row, k) for each of the first `rounds` rows, k being the row's number, until one has a fault, and
// returns it; `played` says how many rows were played without one. A row that proves unsettled is played again in its
// canonical form. `beside` are planes to be fetched as the weights are.
template <Domain domain = Domain::any, class Play>
Fault over_rows(const Block& block, const Plane& weights, std::size_t rounds, std::size_t& played, Play&& play,
                std::span<const Plane> beside = {}) {
    const auto loop = [&](const auto& rows, auto isa) -> Fault {
        typename std::decay_t<decltype(rows)>::Row row, later;
        Canonical scratch;
        Fault fault;
        const bool far = weights.size() >= many_slots;
        for (played = 0; played < rounds; ++played) {
            const std::size_t k = played;
            if (far && k + ahead < rounds && rows.row(k + ahead, later)) {
                fetch(weights, later);
                for (const Plane& plane : beside) fetch(plane, later);
            }
            if (!rows.row(k, row)) return {Fault::Kind::pointers};
            fetch_terms(row);
            fault.kind = play(isa, row, k);
            if (fault.kind == Fault::Kind::unsettled) {
                fault = scratch.read(row, weights.size(), domain);
                if (!fault) fault.kind = play(isa, scratch.row(), k);
            }
            if (fault) return fault;
        }
        return {};
    };
    return std::visit([&](const auto& rows) { return dispatch([&](auto isa) { return loop(rows, isa); }); }, block);
}

}  // namespace thresher
