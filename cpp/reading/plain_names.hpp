// The names of a table that has numbers and categories alone, which is most of them: what is the same for all of its
// rows, and so for all threads that make them.
//
// The slots of numbers are the same in every row, so they are sorted once. Every name of a category has a rank among
// them all, ascending with its slot, and knows how many of the numbers come before it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "kept.hpp"
#include "number_kernels.hpp"

namespace thresher::reading {

struct PlainNames {
    struct Categories {
        std::span<const std::int32_t> codes;
        std::size_t first;  // of its ranks; there is one more, before those of its codes, for what is missing
    };
    struct Name {
        std::int32_t slot;
        std::uint32_t tag;
    };

    PlainNames() = default;

    // Columns, and what their names hash to (0 for a category that is missing).
    PlainNames(std::size_t n, const std::vector<Column>& columns,
               const std::vector<std::vector<std::uint64_t>>& hashes) {
        std::vector<std::pair<std::uint64_t, std::size_t>> numbers, order;
        std::size_t count = 0;
        plain = columns.size() <= most_columns;
        for (std::size_t c = 0; c < columns.size() && plain; ++c) {
            if (columns[c].kind == Column::Kind::numbers) {
                numbers.emplace_back(hashes[c][0], c);
                continue;
            }
            plain = columns[c].kind == Column::Kind::categories && columns[c].starts.empty();
            categories.push_back({columns[c].codes, count});
            for (std::size_t i = 0; i < hashes[c].size(); ++i) {
                if (hashes[c][i] != 0) order.emplace_back(hashes[c][i], count + 1 + i);
            }
            count += hashes[c].size() + 1;
        }
        plain = plain && count < std::numeric_limits<std::int32_t>::max();
        if (!plain) return;
        std::sort(numbers.begin(), numbers.end());
        std::sort(order.begin(), order.end());
        take_numbers(n, columns, numbers);
        rank(n, numbers, order, count);
        sorting_network(categories.size(), [this](auto low, auto high) { exchanges.emplace_back(low, high); });
    }

    std::size_t numbers() const { return number_slots.size(); }
    std::size_t width() const { return number_values.size(); }

    bool plain = false;     // else there are other columns, and nothing below is known
    bool clashing = false;  // two names share a slot
    bool small = false;     // ranks have 16 bits
    // Of numbers, ascending: which column each is, its cells (as `side_by_side` says), its slot and its tag.
    std::vector<std::size_t> number_columns;
    std::vector<const double*> number_values;
    std::vector<std::int32_t> number_slots;
    std::vector<std::uint32_t> number_tags;
    // Of categories.
    std::vector<Categories> categories;
    std::vector<Name> names;  // ascending, and one for nothing
    std::vector<std::uint32_t> numbers_before;
    std::vector<std::int32_t> rank_of;
    std::vector<std::int16_t> small_rank_of;
    Exchanges exchanges;  // that sort those of a row

  private:
    static constexpr std::size_t most_columns = 4096;
    using Order = std::vector<std::pair<std::uint64_t, std::size_t>>;

    static std::int32_t slot_of(std::uint64_t hash, std::size_t n) {
        return static_cast<std::int32_t>(slot_of_hash(hash, n));
    }

    void take_numbers(std::size_t n, const std::vector<Column>& columns, const Order& numbers) {
        for (const auto& [hash, c] : numbers) {
            number_columns.push_back(c);
            number_values.push_back(columns[c].values.data());
            number_slots.push_back(slot_of(hash, n));
            number_tags.push_back(KeptNames::tag(hash));
        }
        while (number_values.size() % side_by_side != 0) number_values.push_back(number_values.back());
    }

    void rank(std::size_t n, const Order& numbers, const Order& order, std::size_t count) {
        rank_of.assign(count, static_cast<std::int32_t>(order.size()));  // behind all others: nothing
        std::uint32_t before = 0;
        std::int32_t last = -1;
        const auto meet = [&](std::int32_t slot) { clashing = clashing || slot == std::exchange(last, slot); };
        for (const auto& [hash, place] : order) {
            for (; before < numbers.size() && numbers[before].first <= hash; ++before) meet(number_slots[before]);
            meet(slot_of(hash, n));
            rank_of[place] = static_cast<std::int32_t>(names.size());
            names.push_back({slot_of(hash, n), KeptNames::tag(hash)});
            numbers_before.push_back(before);
        }
        for (; before < numbers.size(); ++before) meet(number_slots[before]);
        names.push_back({0, 0});
        small = names.size() <= std::numeric_limits<std::int16_t>::max();
        if (small) small_rank_of.assign(rank_of.begin(), rank_of.end());
    }
};

}  // namespace thresher::reading
