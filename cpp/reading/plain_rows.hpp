// Rows of tables that have numbers and categories alone, a tile of them at a time. Numbers are scaled for all columns
// side by side, into a second set of scales that is taken if the rows can be read. Categories are sorted by ranks, each
// row in a lane of its own, by a network of exchanges that asks nothing of the data, and put between the numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "number_kernels.hpp"
#include "plain_names.hpp"
#include "rows.hpp"

namespace thresher::reading {

// How numbers are read: as they are, by scales as they are, or by scales that move with them.
enum class Scaling : std::uint8_t { none, frozen, moving };

class PlainRows {
  public:
    static constexpr std::size_t tile = NumberRows::most_rows;

    PlainRows(Domain domain, Scaling scaling) : domain_(domain), scaling_(scaling) {}

    // Before rows of a table, whose names must outlive them.
    void begin(const PlainNames& names) {
        names_ = &names;
        if (!names.plain) return;
        used_.resize(tile * names.width());
        now_ = next_ = Scales(names.width());
        small_ranks_.resize(names.small ? tile * names.categories.size() : 0);
        ranks_.resize(names.small ? 0 : tile * names.categories.size());
    }

    // Scales, by the columns of the table, are kept here while rows are written: `load` takes what others made of them,
    // `store` gives them back.
    void load(const std::vector<Scale>& scales) {
        if (scaling_ == Scaling::none || !names_->plain) return;
        for (std::size_t j = 0; j < names_->width(); ++j) now_.put(j, scales[column(j)]);
    }
    void store(std::vector<Scale>& scales) const {
        if (scaling_ != Scaling::moving || !names_->plain) return;
        for (std::size_t j = 0; j < names_->numbers(); ++j) scales[column(j)] = now_.at(j);
    }

    // Writes rows, a tile of them at most, behind the last term, and says where each ends, and how many they are. Those
    // that follow, or others among them, cannot be written here: two names share a slot, or a value cannot be learned.
    // The scales are moved by `accept`.
    std::size_t write(std::size_t from, std::size_t count, Rows& rows, std::size_t* ends) {
        clashed_ = false;
        if (!names_->plain) return 0;
        rows.reserve(rows.terms + count * (names_->width() + names_->categories.size()) + 1);
        const bool in_place = names_->categories.empty() && names_->width() == names_->numbers();  // if none is 0
        if (in_place) rows.ones = std::min(rows.ones, rows.terms);
        double* const used = in_place ? rows.values.get() + rows.terms : used_.data();
        const NumberRows numbers{names_->number_values.data(), names_->width(), from, count};
        const NumbersSeen seen = numbers.width == 0 ? NumbersSeen{} : sweep_numbers([&](auto sweeps) {
            return scaling_ == Scaling::none     ? sweeps.take(numbers, used)
                   : scaling_ == Scaling::frozen ? sweeps.scale(numbers, now_, used)
                                                 : sweeps.move(numbers, now_, next_, used);
        });
        if (!seen.good || !fit(used, count)) return 0;
        if (in_place && !seen.dense) std::copy_n(used, count * names_->width(), used_.data());
        if (names_->categories.empty() && seen.dense) {
            write_numbers(count, in_place, rows, ends);
        } else if (names_->small) {
            sort(names_->small_rank_of, small_ranks_, from, count);
            write_each(small_ranks_, count, seen.dense, rows, ends);
        } else {
            sort(names_->rank_of, ranks_, from, count);
            write_each(ranks_, count, seen.dense, rows, ends);
        }
        const std::size_t whole = names_->clashing ? before_clash(rows, count, ends) : count;
        const bool moved = scaling_ == Scaling::moving && names_->numbers() > 0;  // too far
        const std::size_t written = whole == count || whole == 0 || !moved ? whole : write(from, whole, rows, ends);
        clashed_ = whole < count;
        return written;
    }

    // Whether it is the very next row that could not be written, since two names in it share a slot.
    bool clashed() const { return clashed_; }

    // The rows that were written are taken: the scales are as they have moved them.
    void accept() {
        if (scaling_ == Scaling::moving) std::swap(now_, next_);
    }

  private:
    std::size_t column(std::size_t j) const { return names_->number_columns[std::min(j, names_->numbers() - 1)]; }

    bool fit(const double* used, std::size_t count) const {
        if (domain_ == Domain::any) return true;
        return std::all_of(used, used + count * names_->width(),
                           [&](double each) { return refuse_value(domain_, each) == Fault::Kind::none; });
    }

    // ---- ranks of a tile -----------------------------------------------------------------------------------------

    // Where the rank of a row of the tile is that comes as number c of so many: some rows lie side by side.
    static std::size_t place(std::size_t row, std::size_t c, std::size_t columns) {
        return (row / together * columns + c) * together + row % together;
    }

    template <class Rank>
    void sort(const std::vector<Rank>& rank_of, std::vector<Rank>& ranks, std::size_t from, std::size_t count) const {
        const std::size_t columns = names_->categories.size();
        for (std::size_t c = 0; c < columns; ++c) {
            const std::int32_t* const codes = names_->categories[c].codes.data() + from;
            const Rank* const known = rank_of.data() + names_->categories[c].first + 1;
            std::size_t i = 0;
            for (Rank* to = ranks.data() + together * c; i + together <= count;
                 i += together, to += together * columns) {
                for (std::size_t k = 0; k < together; ++k) to[k] = known[codes[i + k]];
            }
            for (; i < count; ++i) ranks[place(i, c, columns)] = known[codes[i]];
        }
        const Rank* const end = ranks.data() + (count + together - 1) / together * together * columns;
        sweep_numbers([&](auto sweeps) { sweeps.sort(ranks.data(), end, columns, names_->exchanges); });
    }

    // ---- rows ----------------------------------------------------------------------------------------------------

    // Rows of numbers alone, none of them 0: all have the same slots. Their values may lie there.
    void write_numbers(std::size_t count, bool in_place, Rows& rows, std::size_t* ends) const {
        const std::size_t numbers = names_->numbers(), width = names_->width();
        write_number_slots(count, rows);
        double* const values = rows.values.get() + rows.terms;
        rows.ones = std::min(rows.ones, rows.terms);
        for (std::size_t i = 0; i < count; ++i) {
            if (!in_place) std::copy_n(used_.data() + i * width, numbers, values + i * numbers);
            ends[i] = rows.terms + (i + 1) * numbers;
        }
    }

    // Unless they lie there.
    void write_number_slots(std::size_t count, Rows& rows) const {
        const std::size_t numbers = names_->numbers(), from = rows.terms, end = from + count * numbers;
        if (numbers == 0) return;
        std::int32_t* const slots = rows.slots.get();
        std::uint32_t* const tags = rows.name_tags.get();
        const bool same = rows.width == numbers && rows.alike >= numbers &&
                          std::equal(slots, slots + numbers, names_->number_slots.begin()) &&
                          std::equal(tags, tags + numbers, names_->number_tags.begin());
        if (same && end <= rows.alike && from % numbers == 0) return;
        repeat(names_->number_slots, count, slots + from);
        repeat(names_->number_tags, count, tags + from);
        if (from == 0 || (same && from % numbers == 0 && from <= rows.alike)) {
            rows.alike = end;
            rows.width = numbers;
        } else {
            rows.alike = std::min(rows.alike, from);
        }
    }

    // What is there is copied behind itself, so that a tile takes few steps.
    template <class T>
    static void repeat(const std::vector<T>& some, std::size_t times, T* to) {
        const std::size_t all = some.size() * times;
        std::copy(some.begin(), some.end(), to);
        for (std::size_t done = some.size(); done < all; done *= 2)
            std::copy_n(to, std::min(done, all - done), to + done);
    }

    template <class Rank>
    void write_each(const std::vector<Rank>& ranks, std::size_t count, bool dense, Rows& rows,
                    std::size_t* ends) const {
        if (names_->numbers() == 0) return write_words(ranks, count, rows, ends);
        rows.overwrite(rows.terms);
        const std::size_t columns = names_->categories.size();
        std::size_t end = rows.terms;
        for (std::size_t i = 0; i < count; ++i) {
            const Rank* const first = ranks.data() + (columns == 0 ? 0 : place(i, 0, columns));
            ends[i] = end = write_row(first, used_.data() + i * names_->width(), dense, rows, end);
        }
    }

    // Names in a register: of each its slot and its tag.
    typedef std::uint32_t Names __attribute__((vector_size(16)));
    static Names two(const PlainNames::Name& one, const PlainNames::Name& other) {
        typedef std::uint64_t Whole __attribute__((vector_size(16)));
        std::uint64_t first, second;
        std::memcpy(&first, &one, sizeof first);
        std::memcpy(&second, &other, sizeof second);
        return (Names)Whole{first, second};
    }

    // Rows of categories alone. What is missing is behind all others, and mostly nothing is.
    template <class Rank>
    void write_words(const std::vector<Rank>& ranks, std::size_t count, Rows& rows, std::size_t* ends) const {
        const std::size_t columns = names_->categories.size();
        const PlainNames::Name* const names = names_->names.data();
        const auto nothing = static_cast<Rank>(names_->names.size() - 1);
        std::int32_t* slots = rows.slots.get() + rows.terms;
        std::uint32_t* tags = rows.name_tags.get() + rows.terms;
        std::size_t end = rows.terms;
        for (std::size_t i = 0; i < count; ++i) {
            const Rank* const first = ranks.data() + (columns == 0 ? 0 : place(i, 0, columns));
            std::size_t given = columns;
            while (given > 0 && first[together * (given - 1)] == nothing) --given;
            std::size_t c = 0;
            for (; c + 4 <= given; c += 4) {
                const Rank* const four = first + together * c;
                const Names one = two(names[four[0]], names[four[together]]),
                            other = two(names[four[2 * together]], names[four[3 * together]]);
                const Names both[] = {__builtin_shufflevector(one, other, 0, 2, 4, 6),
                                      __builtin_shufflevector(one, other, 1, 3, 5, 7)};
                std::memcpy(slots + c, &both[0], sizeof both[0]);
                std::memcpy(tags + c, &both[1], sizeof both[1]);
            }
            for (; c < given; ++c) {
                const PlainNames::Name name = names[first[together * c]];
                slots[c] = name.slot;
                tags[c] = name.tag;
            }
            slots += given;
            tags += given;
            ends[i] = end += given;
        }
        rows.alike = std::min(rows.alike, rows.terms);
        std::fill(rows.values.get() + std::clamp(rows.ones, rows.terms, end), rows.values.get() + end, 1.0);
        if (rows.ones >= rows.terms) rows.ones = std::max(rows.ones, end);
    }

    template <class Rank>
    std::size_t write_row(const Rank* ranks, const double* used, bool dense, const Rows& rows, std::size_t end) const {
        std::int32_t* const slots = rows.slots.get();
        double* const values = rows.values.get();
        std::uint32_t* const tags = rows.name_tags.get();
        const std::int32_t* const number_slots = names_->number_slots.data();
        const std::uint32_t* const number_tags = names_->number_tags.data();
        const PlainNames::Name* const names = names_->names.data();
        const std::uint32_t* const before = names_->numbers_before.data();
        const std::size_t numbers = names_->numbers();
        std::size_t at = 0;
        const auto put_numbers = [&](std::size_t until) __attribute__((always_inline)) {
            for (; at < until; ++at) {
                slots[end] = number_slots[at];
                tags[end] = number_tags[at];
                values[end] = used[at];
                end += dense || used[at] != 0.0;
            }
        };
        const auto nothing = static_cast<Rank>(names_->names.size() - 1);
        const Rank* const last = ranks + together * names_->categories.size();
        for (; ranks != last && *ranks != nothing; ranks += together) {
            const PlainNames::Name name = names[*ranks];
            put_numbers(before[*ranks]);
            slots[end] = name.slot;
            tags[end] = name.tag;
            values[end++] = 1.0;
        }
        put_numbers(numbers);
        return end;
    }

    // How many rows there are before one in which two names share a slot.
    static std::size_t before_clash(const Rows& rows, std::size_t count, const std::size_t* ends) {
        const std::int32_t* const slots = rows.slots.get();
        const std::size_t terms = ends[count - 1] - rows.terms;  // of two rows that follow each other, too: mostly none
        if (!sweep_numbers([&](auto sweeps) { return sweeps.repeats(slots + rows.terms, terms); })) return count;
        for (std::size_t i = 0, at = rows.terms; i < count; at = ends[i++]) {
            bool same = false;
            for (; at + 1 < ends[i]; ++at) same |= slots[at] == slots[at + 1];
            if (same) return i;
        }
        return count;
    }

    Domain domain_;
    Scaling scaling_;
    const PlainNames* names_ = nullptr;
    bool clashed_ = false;
    std::vector<double> used_;  // numbers of the tile, row behind row; 0 where they are missing
    std::vector<std::int16_t> small_ranks_;
    std::vector<std::int32_t> ranks_;
    Scales now_, next_;
};

}  // namespace thresher::reading
