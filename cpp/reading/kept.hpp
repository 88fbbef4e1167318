// The names that a learner moved, so that weights can be shown with words. Up to a limit; from then on all are let go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../thresher/names.hpp"
#include "rows.hpp"

namespace thresher::reading {

class KeptNames {
  public:
    static constexpr std::size_t most_names = std::size_t{1} << 19;
    static constexpr std::size_t most_bytes = std::size_t{16} << 20;
    static constexpr std::size_t longest_name = std::size_t{1}
                                                << 12;  // nobody reads a longer one, and it would fill the room

    explicit KeptNames(std::size_t n) : n_(n) {}

    // What a name is known by: its slot and half of its hash. Never 0.
    static std::uint32_t tag(std::uint64_t hash) { return static_cast<std::uint32_t>(hash) | 1u; }
    static std::uint64_t key(std::int32_t slot, std::uint32_t tag) {
        return static_cast<std::uint64_t>(slot) << 32 | tag;
    }

    // Of several names that were joined it knows none: their tag is 0, and 0 marks an empty place, too.
    bool knows(std::uint64_t key) const { return key != 0 && table_[place_of(key)] == key; }

    // Whether it knows all names of a row. Most are the one of their slot that was met last: one look, where slots are
    // so few that a table of them stays near.
    bool knows_all(const Rows& rows, std::size_t row) {
        const auto first = static_cast<std::size_t>(rows.starts[row]),
                   end = static_cast<std::size_t>(rows.starts[row + 1]);
        if (latest_.empty()) latest_.assign(n_ <= few_slots ? n_ : 1, no_tag);
        std::uint32_t* const latest = latest_.data();
        const bool few = n_ <= few_slots;
        for (std::size_t j = first; j < end; ++j) {
            const std::int32_t slot = rows.slots[j];
            const std::uint32_t tag = rows.name_tags[j];
            if (few && latest[slot] == tag) continue;
            if (!knows(key(slot, tag))) return false;
            if (few) latest[slot] = tag;
        }
        return true;
    }

    void keep(std::string_view name) { keep(hash64(name), "", name); }

    // The name is `first` and `second` together, `hash` its hash.
    void keep(std::uint64_t hash, std::string_view first, std::string_view second) {
        if (full_) return;
        const std::uint64_t known_by = key(static_cast<std::int32_t>(slot_of_hash(hash, n_)), tag(hash));
        const std::size_t place = place_of(known_by);
        if (table_[place] == known_by || first.size() + second.size() > longest_name) return;
        if (count_ == most_names || text_.size() + first.size() + second.size() >= most_bytes) {
            full_ = true;
            return;
        }
        table_[place] = known_by;
        text_ += first;
        text_ += second;
        text_ += '\n';
        if (++count_ * 2 > table_.size()) grow();
    }

    const std::string& text() const { return text_; }  // in the order in which they came, each ended by '\n'
    std::size_t count() const { return count_; }
    bool full() const { return full_; }

  private:
    static constexpr std::size_t few_slots = std::size_t{1} << 20;
    static constexpr std::uint32_t no_tag = 2;  // tags are odd, or 0

    // Where a key is, or would be.
    std::size_t place_of(std::uint64_t key) const {
        const std::size_t mask = table_.size() - 1;
        std::size_t place = ((key * xxh64::p1) >> 32) & mask;
        while (table_[place] != 0 && table_[place] != key) place = (place + 1) & mask;
        return place;
    }

    void grow() {
        std::vector<std::uint64_t> keys(2 * table_.size(), 0);
        keys.swap(table_);
        for (const std::uint64_t key : keys) {
            if (key != 0) table_[place_of(key)] = key;
        }
    }

    std::size_t n_;
    std::vector<std::uint64_t> table_ = std::vector<std::uint64_t>(1024, 0);
    std::vector<std::uint32_t> latest_;  // of each slot the tag of a name that is known
    std::string text_;
    std::size_t count_ = 0;
    bool full_ = false;
};

}  // namespace thresher::reading
