// Rows of tables that have numbers and categories alone, which is most of them: the slots of numbers are the same in
// every row, so they are sorted once, and the few categories of a row are put between them.
//
// Every name of the table at hand has a rank among them all, ascending with its slot. A tile of rows is sorted by ranks
// at once, each row in a lane of its own, by a network of exchanges that asks nothing of the data. Scales are moved for
// all columns of numbers at once, into a second set that is taken if the row can be read.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "../thresher/canonical.hpp"
#include "columns.hpp"
#include "kept.hpp"

namespace thresher::reading {

// Which pairs to exchange, one after the other, so that any `size` things come in order (Batcher; Knuth, 5.2.2 M).
inline std::vector<std::pair<std::uint32_t, std::uint32_t>> sorting_network(std::size_t size) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> exchanges;
    std::size_t top = 1;
    while (2 * top < size) top *= 2;
    for (std::size_t p = size < 2 ? 0 : top; p > 0; p /= 2) {
        std::size_t r = 0, d = p;
        for (std::size_t q = top;; q /= 2) {
            for (std::size_t i = 0; i + d < size; ++i) {
                if ((i & p) == r) exchanges.emplace_back(i, i + d);
            }
            if (q == p) break;
            d = q - p;
            r = p;
        }
    }
    return exchanges;
}

class PlainRows {
  public:
    PlainRows(std::size_t n, Domain domain) : n_(n), domain_(domain) {}

    // Before the rows of a table: its columns, what their names hash to (0 for a category that is missing), and the
    // scales of numbers, or null.
    void begin(const std::vector<Column>& columns, const std::vector<std::vector<std::uint64_t>>& hashes,
               const std::vector<Scale*>& scales) {
        numbers_.clear();
        categories_.clear();
        std::size_t names = 0;
        plain_ = columns.size() <= most_columns;
        for (std::size_t c = 0; c < columns.size() && plain_; ++c) {
            const Column& column = columns[c];
            if (column.kind == Column::Kind::numbers) {
                const std::uint64_t hash = hashes[c][0];
                numbers_.push_back({hash, slot(hash), KeptNames::tag(hash), column.values, scales[c]});
            } else {
                plain_ = column.kind == Column::Kind::categories && column.starts.empty();
                categories_.push_back({column.codes, &hashes[c], names});
                names += hashes[c].size() + 1;
            }
        }
        plain_ = plain_ && names < std::numeric_limits<std::int32_t>::max();
        if (!plain_) return;
        std::sort(numbers_.begin(), numbers_.end(), [](const Numbers& a, const Numbers& b) { return a.hash < b.hash; });
        rank(names);
        if (categories_.size() != sorts_) exchanges_ = sorting_network(sorts_ = categories_.size());
        padded_ = (numbers_.size() + 1) / 2 * 2;
        number_slots_.clear();
        number_tags_.clear();
        for (const Numbers& column : numbers_) {
            number_slots_.push_back(column.slot);
            number_tags_.push_back(column.tag);
        }
        scaled_ = !numbers_.empty() && numbers_[0].scale != nullptr;
        values_.assign(tile * padded_, 0.0);
        used_.assign(padded_, 0.0);
        now_.assign(padded_);
        next_.assign(padded_);
        tile_ = nowhere;
        load();
    }

    // Scales are kept here while rows are written: `load` takes what others made of them, `store` gives them back.
    void load() {
        for (std::size_t j = 0; scaled_ && j < padded_; ++j) now_.put(j, *number(j).scale);
    }
    void store() const {
        for (std::size_t j = 0; scaled_ && j < numbers_.size(); ++j) *numbers_[j].scale = now_.at(j);
    }

    // Writes a row behind `end`, and notes how it would move the scales, for `accept`. False if that cannot be done
    // here: two names share a slot, or a value cannot be learned.
    bool write(std::size_t row, bool frozen, Rows& rows, std::size_t& end) {
        if (!plain_) return false;
        if (row / tile != tile_) fill(row / tile);
        const std::size_t of_tile = row % tile;
        const double* const numbers = values_.data() + of_tile * padded_;
        const bool good = !scaled_ ? take(numbers) : frozen ? scale(numbers) : move(numbers);
        if (!good) return false;
        rows.reserve(end + numbers_.size() + categories_.size() + 1);
        const std::size_t first = categories_.empty() ? 0 : place(of_tile, 0);
        const std::size_t to =
            small_ ? write_row(small_ranks_.data() + first, rows, end) : write_row(ranks_.data() + first, rows, end);
        if (clashing_ && clashes(rows.slots.get() + end, rows.slots.get() + to)) return false;
        end = to;
        return true;
    }

    // The row that was written is taken: the scales are as it has moved them.
    void accept(bool frozen) {
        if (scaled_ && !frozen) std::swap(now_, next_);
    }

  private:
    static constexpr std::size_t most_columns = 4096, nowhere = ~std::size_t{0};
    static constexpr std::size_t tile = 64, lanes = 8;  // rows of a tile, and those of them that are sorted together

    struct Numbers {
        std::uint64_t hash;
        std::int32_t slot;
        std::uint32_t tag;
        std::span<const double> values;
        Scale* scale;
    };
    struct Categories {
        std::span<const std::int32_t> codes;
        const std::vector<std::uint64_t>* hashes;
        std::size_t
            first;  // of its ranks in `rank_of_`; there is one more, before those of its codes, for what is missing
    };
    struct Name {
        std::int32_t slot;
        std::uint32_t tag;
        std::uint32_t numbers_before;
    };
    struct Scales {
        std::vector<double> count, mean, squares;

        void assign(std::size_t size) {
            for (auto* each : {&count, &mean, &squares}) each->assign(size, 0.0);
        }
        void put(std::size_t j, const Scale& scale) {
            count[j] = scale.count;
            mean[j] = scale.mean;
            squares[j] = scale.squares;
        }
        Scale at(std::size_t j) const { return {count[j], mean[j], squares[j]}; }
    };

    std::int32_t slot(std::uint64_t hash) const { return static_cast<std::int32_t>(slot_of_hash(hash, n_)); }

    // The last one has company if their number is odd: itself.
    const Numbers& number(std::size_t j) const { return numbers_[std::min(j, numbers_.size() - 1)]; }

    // Puts the names of categories in order, and finds out whether two names of the table share a slot.
    void rank(std::size_t names) {
        order_.clear();
        for (const Categories& column : categories_) {
            for (std::size_t i = 0; i < column.hashes->size(); ++i) {
                if ((*column.hashes)[i] != 0) order_.emplace_back((*column.hashes)[i], column.first + 1 + i);
            }
        }
        std::sort(order_.begin(), order_.end());
        rank_of_.assign(names, static_cast<std::int32_t>(order_.size()));  // behind all others: nothing
        names_.clear();
        clashing_ = false;
        std::uint32_t before = 0;
        std::int32_t last = -1;
        const auto meet = [&](std::int32_t slot) { clashing_ = clashing_ || slot == std::exchange(last, slot); };
        for (const auto& [hash, place] : order_) {
            for (; before < numbers_.size() && numbers_[before].hash <= hash; ++before) meet(numbers_[before].slot);
            meet(slot(hash));
            rank_of_[place] = static_cast<std::int32_t>(names_.size());
            names_.push_back({slot(hash), KeptNames::tag(hash), before});
        }
        for (; before < numbers_.size(); ++before) meet(numbers_[before].slot);
        names_.push_back({0, 0, 0});
        small_ = names_.size() <= std::numeric_limits<std::int16_t>::max();
        if (small_) small_rank_of_.assign(rank_of_.begin(), rank_of_.end());
        small_ranks_.resize(small_ ? tile * categories_.size() : 0);
        ranks_.resize(small_ ? 0 : tile * categories_.size());
    }

    // ---- a tile of rows
    // ----------------------------------------------------------------------------------------------

    void fill(std::size_t at) {
        tile_ = at;
        const std::size_t from = at * tile;
        for (std::size_t j = 0; j < padded_; ++j) {
            const std::span<const double> cells = number(j).values;
            const std::size_t rows = std::min(tile, cells.size() - from);
            double* to = values_.data() + j;
            for (std::size_t i = 0; i < rows; ++i, to += padded_) *to = cells[from + i];
        }
        if (small_) {
            sort(small_rank_of_, small_ranks_, from);
        } else {
            sort(rank_of_, ranks_, from);
        }
    }

    // Where the rank of a row of the tile is that comes as number c: eight rows lie side by side.
    std::size_t place(std::size_t row, std::size_t c) const {
        return (row / lanes * categories_.size() + c) * lanes + row % lanes;
    }

    template <class Rank>
    void sort(const std::vector<Rank>& rank_of, std::vector<Rank>& ranks, std::size_t from) const {
        for (std::size_t c = 0; c < categories_.size(); ++c) {
            const std::span<const std::int32_t> codes = categories_[c].codes;
            const Rank* const known = rank_of.data() + categories_[c].first + 1;
            const std::size_t rows = std::min(tile, codes.size() - from);
            for (std::size_t i = 0; i < rows; ++i) ranks[place(i, c)] = known[codes[from + i]];
        }
        typedef Rank Lanes __attribute__((vector_size(lanes * sizeof(Rank))));
        for (Rank* rows = ranks.data(); rows != ranks.data() + ranks.size(); rows += lanes * categories_.size()) {
            for (const auto& [low, high] : exchanges_) {
                Lanes a, b;
                std::memcpy(&a, rows + lanes * low, sizeof a);
                std::memcpy(&b, rows + lanes * high, sizeof b);
                const Lanes least = a < b ? a : b, most = a < b ? b : a;
                std::memcpy(rows + lanes * low, &least, sizeof least);
                std::memcpy(rows + lanes * high, &most, sizeof most);
            }
        }
    }

    // ---- numbers of a row, as they are used: 0 where they are missing
    // -------------------------------------------------

    // Two columns side by side: each computes as it would alone.
    using Twin = double __attribute__((vector_size(16)));
    using TwinBits = std::int64_t __attribute__((vector_size(16)));

    static Twin twin(const double* from) { return Twin{from[0], from[1]}; }
    static void put(double* to, Twin values) {
        to[0] = values[0];
        to[1] = values[1];
    }

    // What is seen of the numbers of a row as they are made: whether one is too large, and whether one is 0.
    struct Seen {
        TwinBits good = {-1, -1}, dense = {-1, -1};

        void see(Twin x, Twin used) {
            const TwinBits size = {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()};
            good &= (Twin)((TwinBits)x & size) <= largest_value;
            good &= (Twin)((TwinBits)used & size) <= largest_value;
            dense &= used != 0.0;
        }
    };

    bool take(const double* numbers) {
        Seen seen;
        for (std::size_t j = 0; j < padded_; j += 2) {
            const Twin x = twin(numbers + j);
            const Twin used = x == x ? x : Twin{};
            seen.see(used, used);
            put(used_.data() + j, used);
        }
        return judge(seen, numbers);
    }

    // As `Scale` has it.
    bool move(const double* numbers) {
        Seen seen;
        for (std::size_t j = 0; j < padded_; j += 2) {
            const Twin x = twin(numbers + j), count = twin(&now_.count[j]), mean = twin(&now_.mean[j]);
            const Twin squares = twin(&now_.squares[j]);
            const TwinBits given = x == x;
            const Twin more = count + 1.0;
            const Twin before = x - mean;
            const Twin centre = mean + before / more;
            const Twin sum = squares + before * (x - centre);
            const Twin square = sum / more;
            const Twin deviation = {std::sqrt(square[0]), std::sqrt(square[1])};
            const Twin used = (given & (deviation > 0.0)) ? (x - centre) / deviation : Twin{};
            seen.see(given ? x : Twin{}, used);
            seen.good &=
                ~(given & (count >= Scale::some) & (squares > 0.0) & (sum > Scale::far * squares));  // it leaps
            put(&next_.count[j], given ? more : count);
            put(&next_.mean[j], given ? centre : mean);
            put(&next_.squares[j], given ? sum : squares);
            put(used_.data() + j, used);
        }
        return judge(seen, numbers);
    }

    bool scale(const double* numbers) {
        Seen seen;
        for (std::size_t j = 0; j < padded_; j += 2) {
            const Twin x = twin(numbers + j);
            const TwinBits given = x == x;
            const Twin used = {now_.at(j)(x[0]), now_.at(j + 1)(x[1])};
            seen.see(given ? x : Twin{}, given ? used : Twin{});
            put(used_.data() + j, given ? used : Twin{});
        }
        return judge(seen, numbers);
    }

    bool judge(const Seen& seen, const double* numbers) {
        dense_ = (seen.dense[0] & seen.dense[1]) != 0;
        if ((seen.good[0] & seen.good[1]) == 0) return false;
        for (std::size_t j = 0; domain_ != Domain::any && j < numbers_.size(); ++j) {
            if (numbers[j] == numbers[j] && refuse_value(domain_, used_[j]) != Fault::Kind::none) return false;
        }
        return true;
    }

    // ---- a row
    // ---------------------------------------------------------------------------------------------------------

    template <class Rank>
    std::size_t write_row(const Rank* ranks, const Rows& rows, std::size_t end) const {
        std::int32_t* const slots = rows.slots.get();
        double* const values = rows.values.get();
        std::uint32_t* const tags = rows.name_tags.get();
        const std::int32_t* const number_slots = number_slots_.data();
        const std::uint32_t* const number_tags = number_tags_.data();
        const double* const used = used_.data();
        const Name* const names = names_.data();
        const bool dense = dense_;
        std::size_t at = 0;
        const auto put_numbers = [&](std::size_t until) __attribute__((always_inline)) {
            for (; at < until; ++at) {
                slots[end] = number_slots[at];
                tags[end] = number_tags[at];
                values[end] = used[at];
                end += dense || used[at] != 0.0;
            }
        };
        const auto nothing = static_cast<Rank>(names_.size() - 1);
        const Rank* const last = ranks + lanes * categories_.size();
        for (; ranks != last && *ranks != nothing; ranks += lanes) {
            const Name& name = names[*ranks];
            put_numbers(name.numbers_before);
            slots[end] = name.slot;
            tags[end] = name.tag;
            values[end++] = 1.0;
        }
        if (!dense) {
            put_numbers(number_slots_.size());
            return end;
        }
        const std::size_t left = number_slots_.size() - at;
        std::copy_n(number_slots + at, left, slots + end);
        std::copy_n(number_tags + at, left, tags + end);
        std::copy_n(used + at, left, values + end);
        return end + left;
    }

    static bool clashes(const std::int32_t* slots, const std::int32_t* end) {
        bool same = false;
        for (; slots + 1 < end; ++slots) same |= slots[0] == slots[1];
        return same;
    }

    std::size_t n_;
    Domain domain_;
    bool plain_ = false, scaled_ = false, small_ = false;
    bool clashing_ = false;         // two names of the table share a slot
    std::vector<Numbers> numbers_;  // by their hashes
    std::vector<std::int32_t> number_slots_;
    std::vector<std::uint32_t> number_tags_;
    std::vector<Categories> categories_;
    std::vector<std::pair<std::uint64_t, std::size_t>> order_;
    std::vector<Name> names_;            // of categories, ascending, and one for nothing
    std::vector<std::int32_t> rank_of_;  // among them
    std::vector<std::int16_t> small_rank_of_;
    std::size_t sorts_ = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> exchanges_;  // that sort so many
    std::size_t tile_ = nowhere;
    std::size_t padded_ = 0;      // the number of numbers, if it is even, or one more
    std::vector<double> values_;  // of the tile, row behind row
    std::vector<std::int16_t> small_ranks_;
    std::vector<std::int32_t> ranks_;  // of the tile, column behind column
    std::vector<double> used_;         // of the row
    bool dense_ = false;               // none of them is 0
    Scales now_, next_;
};

}  // namespace thresher::reading
