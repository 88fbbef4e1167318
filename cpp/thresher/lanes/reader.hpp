// Rows as lanes are shown them: read once, checked, and each while the one before it is played.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "../blocks.hpp"
#include "../canonical.hpp"
#include "../rows.hpp"
#include "kernels.hpp"
#include "scratch.hpp"

namespace thresher {

// For records of `stride` numbers, one for each of n slots, and behind them one that is nobody's.
template <class Real>
struct Reader {
    using Scratch = thresher::Scratch<Real>;

    std::size_t n, stride;

    // Reads a row, or says that it is not canonical as it stands. What the user holds is copied before it is checked.
    template <class Row>
    Fault::Kind read(const Row& row, Scratch& scratch) const {
        scratch.hold(row.size);
        std::int64_t* const at = scratch.at.data();
        Real* const values = scratch.values.data();
        Facts<Real> facts;
        const bool ascends = sweep_lanes([&](auto sweeps) {
            if constexpr (requires { row.slots; }) {
                return sweeps.read(row.slots, row.values, row.size, n, stride, at, values, facts);
            } else {
                sweeps.read(row.values, row.size, stride, at, values, facts);
                return true;
            }
        });
        if (!ascends) return Fault::Kind::unsettled;
        scratch.know(facts);
        if (!facts.good) [[unlikely]]
            return look_again(row, scratch);
        fill_up(scratch);
        return Fault::Kind::none;
    }

    // A row in any order, or what is wrong with it.
    template <class Row>
    Fault read_any(const Row& row, Scratch& scratch, Canonical& canonical) const {
        if (read(row, scratch) == Fault::Kind::none) return {};
        if (const Fault fault = canonical.read(row, n)) return fault;
        return {read(canonical.row(), scratch)};
    }

    // The rows after the next, into the cache: those that read in bursts are not waited for. Fetching never faults.
    template <class Row>
    static void fetch_ahead(const Row& row) {
        const auto fetch = [](const auto* at, std::size_t size) {
            const auto* const bytes = reinterpret_cast<const char*>(at + 2 * size);
            for (std::size_t line = 0; line < size * sizeof(*at); line += 64) __builtin_prefetch(bytes + line);
        };
        fetch(row.values, row.size);
        if constexpr (requires { row.slots; }) fetch(row.slots, row.size);
    }

    // Calls play(row, ahead, k) for each row; each is read before the one before it is played, which may so fetch its
    // records.
    template <class Refuse, class Play>
    Fault over_rows(const Block& block, std::size_t& played, Refuse&& refuse, Play&& play) const {
        return std::visit(
            [&](const auto& rows) -> Fault {
                typename std::decay_t<decltype(rows)>::Row row;
                const auto take = [&](std::size_t k, Scratch& scratch) {
                    if (k >= rows.rows) return Fault::Kind::none;
                    if (!rows.row(k, row)) return Fault::Kind::pointers;
                    fetch_ahead(row);
                    return read(row, scratch);
                };
                Scratch scratches[2];
                Canonical canonical;
                played = 0;
                auto kind = take(0, scratches[0]);
                for (; played < rows.rows; ++played) {
                    Scratch &now = scratches[played % 2], &next = scratches[(played + 1) % 2];
                    const auto later = take(played + 1, next);
                    const bool known = later == Fault::Kind::none && played + 1 < rows.rows;
                    if (kind == Fault::Kind::pointers) return {kind};
                    if (const auto fault = refuse(played); fault != Fault::Kind::none) return {fault};
                    if (kind != Fault::Kind::none) {
                        if (!rows.row(played, row)) return {Fault::Kind::pointers};
                        if (const Fault fault = read_any(row, now, canonical)) return fault;
                    }
                    play(now, known ? ahead(next) : Ahead{}, played);
                    kind = later;
                }
                return {};
            },
            block);
    }

  private:
    // From this many bytes of records on they are fetched ahead: fewer stay in a near cache.
    static constexpr std::size_t near = std::size_t{1} << 18;

    Ahead ahead(const Scratch& next) const {
        const std::size_t bytes = stride * sizeof(Real);
        return n * bytes < near ? Ahead{} : Ahead{next.at.data(), next.size, bytes};
    }

    // Terms of value 0, up to a multiple of four, in a record that is nobody's.
    void fill_up(Scratch& scratch) const {
        for (std::size_t j = scratch.count; j < scratch.size; ++j) {
            scratch.at[j] = static_cast<std::int64_t>(n * stride);
            scratch.values[j] = 0;
        }
    }

    // The same for a row with values that lanes cannot hold as they are: large ones are clipped, tiny ones left out.
    template <class Row>
    [[gnu::noinline]] Fault::Kind look_again(const Row& row, Scratch& scratch) const {
        std::size_t kept = 0;
        for (std::size_t j = 0; j < scratch.count; ++j) {
            const auto given = static_cast<double>(row.values[j]);
            if (!acceptable(given) || given == 0.0) return Fault::Kind::unsettled;
            const auto value = static_cast<Real>(std::clamp(given, -most, most));
            if (std::fabs(value) < Limits<Real>::smallest || value == 0) continue;
            scratch.at[kept] = scratch.at[j];
            scratch.values[kept++] = value;
        }
        scratch.hold(kept);
        scratch.know(sweep_lanes([&](auto sweeps) { return sweeps.look(std::as_const(scratch.values).data(), kept); }));
        fill_up(scratch);
        return Fault::Kind::none;
    }

    static constexpr double most = static_cast<double>(Limits<Real>::value);
};

}  // namespace thresher
