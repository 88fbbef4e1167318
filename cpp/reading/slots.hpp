// A row of hashed names on its way to ascending slots.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "../thresher/canonical.hpp"
#include "kept.hpp"
#include "rows.hpp"

namespace thresher::reading {

class HashedRow {
  public:
    explicit HashedRow(std::size_t n) : n_(n) {}

    std::size_t n() const { return n_; }
    void clear() { size_ = 0; }

    [[gnu::always_inline]] bool add(std::uint64_t hash, double value) {
        if (size_ == hashes_.size() && !grow()) return false;
        const auto slot = static_cast<std::uint64_t>(slot_of_hash(hash, n_));
        const std::uint32_t at = size_++;
        keys_[at] = slot << 32 | at;
        hashes_[at] = hash;
        values_[at] = value;
        return true;
    }

    // Writes the row behind `end`: ascending, what shares a slot added, the smaller value first. False if a sum is too
    // large.
    bool settle(Rows& rows, std::size_t& end) {
        sort();
        const std::uint64_t* const sorted = sorted_.data();
        const std::uint64_t* const hashes = hashes_.data();
        const double* const values = values_.data();
        std::uint32_t* const tags = rows.name_tags.get();
        Rows::Writer writer(rows, end);
        for (std::size_t j = 0, size = size_; j < size;) {
            const std::uint64_t slot = sorted[j] >> 32;
            double value = values[sorted[j] & 0xFFFFFFFFu];
            std::uint32_t tag = KeptNames::tag(hashes[sorted[j] & 0xFFFFFFFFu]);
            if (++j < size && sorted[j] >> 32 == slot) [[unlikely]] {
                std::size_t last = j + 1;
                while (last < size && sorted[last] >> 32 == slot) ++last;
                if (!join(j - 1, last, value, rows.collisions)) return false;
                j = last;
                tag = 0;
            }
            tags[writer.end] = tag;
            writer.put(static_cast<std::int32_t>(slot), value);
        }
        end = writer.end;
        return true;
    }

  private:
    static constexpr std::size_t buckets = 256, few = 192;

    std::size_t index(std::size_t j) const { return sorted_[j] & 0xFFFFFFFFu; }

    bool grow() {
        if (size_ >= most_features) return false;
        const std::size_t size = std::max<std::size_t>(256, std::size_t{2} * size_);
        keys_.resize(size);
        sorted_.resize(size);
        hashes_.resize(size);
        values_.resize(size);
        return true;
    }

    // A slot is the hash scaled down, so buckets by the first byte of the hash are in the order of slots; and hashes
    // are even, so little is left to do inside them.
    void sort() {
        const std::size_t size = size_;
        if (size > few) {
            std::copy_n(keys_.begin(), size, sorted_.begin());
            std::sort(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(size));
            return;
        }
        std::uint8_t places[buckets] = {};
        for (std::size_t i = 0; i < size; ++i) ++places[hashes_[i] >> 56];
        sums_before(places);
        for (std::size_t i = 0; i < size; ++i) sorted_[places[hashes_[i] >> 56]++] = keys_[i];
        for (std::size_t i = 1; i < size; ++i) {
            const std::uint64_t moved = sorted_[i];
            std::size_t j = i;
            for (; j > 0 && moved < sorted_[j - 1]; --j) sorted_[j] = sorted_[j - 1];
            sorted_[j] = moved;
        }
    }

    // Each count becomes the sum of those before it; eight at a time, the bytes of a word. No sum is above `few`.
    static void sums_before(std::uint8_t (&counts)[buckets]) {
        constexpr std::uint64_t ones = 0x0101010101010101u;
        std::uint64_t before = 0;
        for (std::size_t i = 0; i < buckets; i += 8) {
            std::uint64_t word;
            std::memcpy(&word, counts + i, 8);
            if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
            const std::uint64_t sums = word * ones;
            std::uint64_t placed = (sums << 8) + before * ones;
            if constexpr (std::endian::native == std::endian::big) placed = __builtin_bswap64(placed);
            std::memcpy(counts + i, &placed, 8);
            before += sums >> 56;
        }
    }

    bool join(std::size_t first, std::size_t last, double& value, std::int64_t& collisions) {
        joined_.clear();
        for (std::size_t j = first; j < last; ++j) joined_.push_back({hashes_[index(j)], values_[index(j)]});
        std::sort(joined_.begin(), joined_.end());
        for (std::size_t j = 1; j < joined_.size(); ++j) collisions += joined_[j].first != joined_[j - 1].first;
        std::sort(joined_.begin(), joined_.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
        value = joined_[0].second;
        bool good = true;
        for (std::size_t j = 1; j < joined_.size(); ++j) {
            value += joined_[j].second;
            good &= acceptable(value);
        }
        return good;
    }

    std::size_t n_;
    std::uint32_t size_ = 0;
    std::vector<std::uint64_t> keys_;    // slot, then the feature's number
    std::vector<std::uint64_t> sorted_;  // the same, ascending
    std::vector<std::uint64_t> hashes_;
    std::vector<double> values_;
    std::vector<std::pair<std::uint64_t, double>> joined_;
};

}  // namespace thresher::reading
