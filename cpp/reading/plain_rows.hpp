// Rows of tables that have numbers and categories alone, which is most of them: the slots of numbers are the same in
// every row, so they are sorted once, and the few categories of a row are put between them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "../thresher/canonical.hpp"
#include "columns.hpp"
#include "kept.hpp"

namespace thresher::reading {

using Moved = std::vector<std::pair<Scale*, Scale>>;

class PlainRows {
  public:
    PlainRows(std::size_t n, Domain domain) : n_(n), domain_(domain) {}

    // Before the rows of a table: its columns, what their names hash to (0 for a category that is missing), and the
    // scales of numbers, or null.
    void begin(const std::vector<Column>& columns, const std::vector<std::vector<std::uint64_t>>& hashes,
               const std::vector<Scale*>& scales) {
        numbers_.clear();
        categories_.clear();
        plain_ = columns.size() <= most_columns;
        for (std::size_t c = 0; c < columns.size() && plain_; ++c) {
            const Column& column = columns[c];
            if (column.kind == Column::Kind::numbers) {
                const std::uint64_t hash = hashes[c][0];
                const auto slot = static_cast<std::int32_t>(slot_of_hash(hash, n_));
                numbers_.push_back({hash, slot, KeptNames::tag(hash), column.values.data(), scales[c]});
            } else {
                plain_ = column.kind == Column::Kind::categories && column.starts.empty();
                categories_.push_back({column.codes.data(), hashes[c].data()});
            }
        }
        std::sort(numbers_.begin(), numbers_.end(), [](const Numbers& a, const Numbers& b) { return a.hash < b.hash; });
        met_.resize(categories_.size() + 1);
        picked_.resize(categories_.size() + 1);
    }

    // Writes a row behind `end`, and notes how it would move the scales. False if that cannot be done here: two names
    // share a slot, or a value cannot be learned.
    bool write(std::size_t row, bool frozen, Rows& rows, std::size_t& end, Moved& moved) {
        if (!plain_) return false;
        const std::size_t picked = pick(row);
        rows.reserve(end + numbers_.size() + picked + 1);
        Out out(rows, end);
        std::size_t at = 0;
        for (const Numbers& column : numbers_) {
            const double value = column.values[row];
            if (value != value) continue;
            double used = value;
            if (column.scale != nullptr) {
                Scale next = *column.scale;
                if (!frozen) {
                    next.add(value);
                    moved.emplace_back(column.scale, next);
                }
                used = next(value);
            }
            if (!acceptable(value) || refuse_value(domain_, used) != Fault::Kind::none) return false;
            if (used == 0.0) continue;
            for (; at < picked && picked_[at] < column.hash; ++at) {
                if (!put(out, picked_[at])) return false;
            }
            if (!out.put(column.slot, used, column.tag)) return false;
        }
        for (; at < picked; ++at) {
            if (!put(out, picked_[at])) return false;
        }
        end = out.end;
        return true;
    }

  private:
    static constexpr std::size_t most_columns = 4096, few = 64;

    struct Numbers {
        std::uint64_t hash;
        std::int32_t slot;
        std::uint32_t tag;
        const double* values;
        Scale* scale;
    };
    struct Categories {
        const std::int32_t* codes;
        const std::uint64_t* hashes;
    };

    struct Out {
        Out(const Rows& rows, std::size_t from)
            : slots(rows.slots.get()), values(rows.values.get()), tags(rows.name_tags.get()), end(from) {}

        bool put(std::int32_t slot, double value, std::uint32_t tag) {
            if (slot == last) return false;
            slots[end] = last = slot;
            values[end] = value;
            tags[end++] = tag;
            return true;
        }

        std::int32_t* slots;
        double* values;
        std::uint32_t* tags;
        std::size_t end;
        std::int32_t last = -1;
    };

    bool put(Out& out, std::uint64_t hash) const {
        return out.put(static_cast<std::int32_t>(slot_of_hash(hash, n_)), 1.0, KeptNames::tag(hash));
    }

    // The hashes of a row's categories, ascending: how many.
    std::size_t pick(std::size_t row) {
        std::size_t size = 0;
        for (const Categories& column : categories_) {
            const std::int32_t code = column.codes[row];
            met_[size] = code < 0 ? 0 : column.hashes[code];
            size += met_[size] != 0;
        }
        if (size > few || !place(size)) {
            std::copy_n(met_.begin(), size, picked_.begin());
            std::sort(picked_.begin(), picked_.begin() + static_cast<std::ptrdiff_t>(size));
        }
        return size;
    }

    // Sorts a few by counting, for each, how many come before it, which has no branches to guess wrong. The first bits
    // of hashes nearly always tell; false if they do not.
    bool place(std::size_t size) {
        std::int32_t keys[few];
        for (std::size_t i = 0; i < size; ++i) {
            keys[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(met_[i] >> 32) ^ 0x80000000u);
        }
        const std::size_t padded = (size + 3) / 4 * 4;
        std::fill(keys + size, keys + padded, std::numeric_limits<std::int32_t>::max());
        std::uint64_t taken = 0;
        for (std::size_t i = 0; i < size; ++i) {
            std::int32_t before = 0;
            for (std::size_t j = 0; j < padded; ++j) before += keys[j] < keys[i];
            taken |= std::uint64_t{1} << before;
            picked_[static_cast<std::size_t>(before)] = met_[i];
        }
        return taken == (size == 0 ? 0 : ~std::uint64_t{0} >> (64 - size));
    }

    std::size_t n_;
    Domain domain_;
    bool plain_ = false;
    std::vector<Numbers> numbers_;  // by their hashes
    std::vector<Categories> categories_;
    std::vector<std::uint64_t> met_, picked_;  // the hashes of a row's categories, as they come and ascending
};

}  // namespace thresher::reading
