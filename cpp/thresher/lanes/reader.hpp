// Rows as lanes are shown them: read once, whatever the number of lanes, and checked.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include "../canonical.hpp"
#include "../rows.hpp"
#include "kernels.hpp"
#include "sheet.hpp"

namespace thresher {

// For records of `stride` numbers, one for each of n slots, and behind them one that is nobody's.
template <class Real>
struct Reader {
    std::size_t n, stride;

    // Reads a row to the end of a sheet, or says that it is not canonical as it stands. What the user holds is copied
    // before it is checked.
    template <class Row>
    Fault::Kind read(const Row& row, Sheet<Real>& sheet) const {
        return sweep_lanes([&](auto sweeps) { return read(sweeps, row, sheet); });
    }
    template <class Sweeps, class Row>
    Fault::Kind read(Sweeps sweeps, const Row& row, Sheet<Real>& sheet) const {
        const auto [seen, at, values] = sheet.hold(row.size);
        bool ascends = true;
        if constexpr (requires { row.slots; }) {
            ascends = sweeps.read(row.slots, row.values, row.size, n, stride, at, values, seen.facts);
        } else {
            sweeps.read(row.values, row.size, stride, at, values, seen.facts);
        }
        if (!ascends) return Fault::Kind::unsettled;
        if (!seen.facts.good) [[unlikely]] {
            if (const auto kind = look_again(row, sheet); kind != Fault::Kind::none) return kind;
        }
        // Up to a multiple of four, in the record of nobody.
        for (std::size_t j = seen.terms.count; j < seen.terms.size; ++j) {
            at[j] = static_cast<std::int64_t>(n * stride);
            values[j] = 0;
        }
        sheet.keep();
        return Fault::Kind::none;
    }

    // A row in any order, or what is wrong with it.
    template <class Sweeps, class Row>
    Fault read_any(Sweeps sweeps, const Row& row, Sheet<Real>& sheet, Canonical& canonical) const {
        if (read(sweeps, row, sheet) == Fault::Kind::none) return {};
        if (const Fault fault = canonical.read(row, n)) return fault;
        return {read(sweeps, canonical.row(), sheet)};
    }

    // Rows from the `next` on, while the sheet has fewer rows and terms than it may; `next` goes on, up to a row that
    // has a fault. `refuse(k)` says what is wrong with it beside its terms, and
    // `accept(k)` is told that nothing is.
    template <class Rows, class Refuse, class Accept>
    Fault read_many(const Rows& rows, std::size_t& next, Sheet<Real>& sheet, Canonical& canonical,
                    std::size_t most_rows, std::size_t most_terms, Refuse&& refuse, Accept&& accept) const {
        return sweep_lanes([&](auto sweeps) -> Fault {
            typename Rows::Row row;
            for (sheet.clear(); next < rows.rows && sheet.rows() < most_rows && sheet.terms() < most_terms; ++next) {
                if (!rows.row(next, row)) return {Fault::Kind::pointers};
                if (const auto kind = refuse(next); kind != Fault::Kind::none) return {kind};
                if (const Fault fault = read_any(sweeps, row, sheet, canonical)) return fault;
                accept(next);
            }
            return {};
        });
    }

    // Rows from the `next` on up to `end`; `next` goes on, up to a row that has a fault.
    template <class Rows>
    Fault read_up_to(const Rows& rows, std::size_t& next, std::size_t end, Sheet<Real>& sheet,
                     Canonical& canonical) const {
        const auto fine = [&](std::size_t) { return Fault::Kind::none; };
        const std::size_t most = end - next;
        if (most == 0) sheet.clear();
        return most == 0 ? Fault{}
                         : read_many(rows, next, sheet, canonical, most, std::size_t(-1), fine, [](std::size_t) {});
    }

    // Calls play(sheet, ahead, k) for each row, on a sheet of its own, for whom it matters what those before it led to:
    // each is read before the one before it is played, which may so fetch its records.
    template <class Refuse, class Play>
    Fault over_rows(const Block& block, std::size_t& played, Refuse&& refuse, Play&& play) const {
        return std::visit(
            [&](const auto& rows) -> Fault {
                typename std::decay_t<decltype(rows)>::Row row;
                const auto take = [&](std::size_t k, Sheet<Real>& sheet) {
                    sheet.clear();
                    if (k >= rows.rows) return Fault::Kind::none;
                    if (!rows.row(k, row)) return Fault::Kind::pointers;
                    return read(row, sheet);
                };
                Sheet<Real> sheets[2];
                Canonical canonical;
                played = 0;
                auto kind = take(0, sheets[0]);
                for (; played < rows.rows; ++played) {
                    Sheet<Real>&now = sheets[played % 2], &next = sheets[(played + 1) % 2];
                    const auto later = take(played + 1, next);
                    if (kind == Fault::Kind::pointers) return {kind};
                    if (const auto fault = refuse(played); fault != Fault::Kind::none) return {fault};
                    if (kind != Fault::Kind::none) {
                        if (!rows.row(played, row)) return {Fault::Kind::pointers};
                        const Fault fault =
                            sweep_lanes([&](auto sweeps) { return read_any(sweeps, row, now, canonical); });
                        if (fault) return fault;
                    }
                    play(std::as_const(now), next.rows() > 0 ? fetched(next.terms(0)) : Ahead{}, played);
                    kind = later;
                }
                return {};
            },
            block);
    }

    // The places to be fetched while row k of a sheet is played, as many as it has; null where none are.
    const std::int64_t* later(const Sheet<Real>& sheet, std::size_t k) const {
        return records_are_near() ? nullptr : sheet.later(k);
    }

  private:
    // From this many bytes of records on they are fetched ahead: fewer stay in a near cache.
    static constexpr std::size_t near = std::size_t{1} << 18;

    bool records_are_near() const { return n * stride * sizeof(Real) < near; }

    Ahead fetched(const Terms<Real>& next) const { return records_are_near() ? Ahead{} : Ahead{next.at, next.size}; }

    // Reads a row with values that lanes cannot hold as they are: large ones are clipped, tiny ones left out.
    template <class Row>
    [[gnu::noinline]] Fault::Kind look_again(const Row& row, Sheet<Real>& sheet) const {
        const auto [seen, at, values] = sheet.hold(row.size);
        std::size_t kept = 0;
        for (std::size_t j = 0; j < row.size; ++j) {
            const auto given = static_cast<double>(row.values[j]);
            if (!acceptable(given) || given == 0.0) return Fault::Kind::unsettled;
            const auto value = static_cast<Real>(std::clamp(given, -most, most));
            if (std::fabs(value) < Limits<Real>::smallest || value == 0) continue;
            at[kept] = at[j];
            values[kept++] = value;
        }
        sheet.hold(kept);
        seen.facts = sweep_lanes([&, held = std::as_const(values)](auto sweeps) { return sweeps.look(held, kept); });
        return Fault::Kind::none;
    }

    static constexpr double most = static_cast<double>(Limits<Real>::value);
};

}  // namespace thresher
