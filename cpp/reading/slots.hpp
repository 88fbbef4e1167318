// A row of hashed names on its way to ascending slots.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "../thresher/canonical.hpp"
#include "kept.hpp"
#include "rows.hpp"
#include "text_kernels.hpp"

namespace thresher::reading {

class HashedRow {
  public:
    // What shares a slot is added where the domain is any; elsewhere the larger in size is kept.
    HashedRow(std::size_t n, Domain domain) : n_(n), domain_(domain) {}

    std::size_t n() const { return n_; }
    std::size_t size() const { return size_; }
    void clear() { size_ = 0; }

    [[gnu::always_inline]] bool add(std::uint64_t hash, double value) {
        if (size_ == room_ && !grow()) return false;
        hashes_[size_] = hash;
        values_[size_++] = value;
        return true;
    }

    // Room for so many more, which are written there by others; false if they are too many.
    bool reserve(std::size_t more) {
        while (room_ - size_ < more) {
            if (!grow()) return false;
        }
        return true;
    }
    std::pair<std::uint64_t*, double*> room() { return {hashes_.data() + size_, values_.data() + size_}; }
    void take(std::size_t more) { size_ += more; }

    // Writes the row behind `end`, ascending; the smaller values are added first. False if a sum is too large.
    bool settle(Rows& rows, std::size_t& end) {
        if (placed(rows, end)) return true;
        sort();
        const Term* const sorted = sorted_.data();
        std::uint32_t* const tags = rows.name_tags.get();
        const std::size_t from = end;
        Rows::Writer writer(rows, end);
        const std::size_t size = size_;
        claim(tags + end, size);
        claim(writer.slots + end, size);
        claim(writer.values + end, size);
        std::int64_t slot = slot_of_hash(sorted[0].hash, n_);
        for (std::size_t j = 0; j < size;) {
            const std::int64_t here = slot;
            double value = sorted[j].value;
            std::uint32_t tag = KeptNames::tag(sorted[j].hash);
            slot = slot_of_hash(sorted[++j].hash, n_);  // of the one behind the last, too, which is not used
            if (slot == here && j < size) [[unlikely]] {
                if (!join(j, here, value, rows.collisions)) {
                    rows.overwrite(from, writer.end);
                    return false;
                }
                slot = slot_of_hash(sorted[j].hash, n_);
                tag = 0;
            }
            tags[writer.end] = tag;
            writer.put(static_cast<std::int32_t>(here), value);
        }
        end = writer.end;
        rows.overwrite(from, end);
        return true;
    }

  private:
    struct Term {
        std::uint64_t hash;
        double value;
        bool operator<(const Term& other) const { return hash < other.hash; }
    };

    static constexpr std::size_t buckets = 256, few = 192;
    static constexpr std::uint32_t crowd = 32;

    bool grow() {
        if (room_ >= most_features) return false;
        room_ *= 2;
        hashes_.resize(room_);
        values_.resize(room_);
        sorted_.resize(room_ + 1);
        return true;
    }

    // Few terms go straight to their places, each found by comparing it with all others: nothing waits there, where the
    // counts of a sort wait for each other. False if two share a slot, one is 0, or the bits that were compared do not
    // tell all slots apart: then nothing was done.
    bool placed(Rows& rows, std::size_t& end) {
        const std::size_t size = size_, from = end;
        const bool ranked = size > 0 && size <= Ranking::most && sweep_text([&](auto sweeps) {
                                if constexpr (decltype(sweeps)::hashes) sweeps.rank(hashes_.data(), size, ranking_);
                                return decltype(sweeps)::hashes;
                            });
        if (!ranked) return false;
        std::int32_t* const slots = rows.slots.get() + from;
        std::uint32_t* const tags = rows.name_tags.get() + from;
        double* const values = rows.values.get() + from;
        claim(tags, size);
        claim(slots, size);
        claim(values, size);
        const std::uint64_t* const hashes = hashes_.data();
        const double* const given = values_.data();
        const std::int32_t* const places = ranking_.places;
        bool good = true;
        for (std::size_t i = 0; i < size; ++i) {
            const auto place = static_cast<std::size_t>(places[i]);
            slots[place] = static_cast<std::int32_t>(slot_of_hash(hashes[i], n_));
            tags[place] = KeptNames::tag(hashes[i]);
            values[place] = given[i];
            good &= given[i] != 0.0;
        }
        for (std::size_t j = 1; j < size; ++j) good &= slots[j - 1] < slots[j];
        rows.overwrite(from, from + size);
        if (good) end += size;
        return good;
    }

    // A slot is the hash scaled down, so the order of hashes is that of slots; and hashes are even, so after buckets by
    // their first bits little is left to do.
    void sort() {
        if (size_ > few) return sort_many();
        const std::size_t size = size_;
        const std::uint64_t* const hashes = hashes_.data();
        const double* const values = values_.data();
        Term* const sorted = sorted_.data();
        std::uint8_t places[buckets] = {};
        for (std::size_t i = 0; i < size; ++i) ++places[hashes[i] >> 56];
        sums_before(places);
        for (std::size_t i = 0; i < size; ++i) sorted[places[hashes[i] >> 56]++] = {hashes[i], values[i]};
        insert();
    }

    // The same with about as many buckets as terms. One that is crowded, with a name that comes again and again or with
    // hashes that somebody chose, would take quadratic time.
    [[gnu::noinline]] void sort_many() {
        const int shift = 64 - std::bit_width(size_);
        places_.assign((std::size_t{1} << (64 - shift)) + 1, 0);
        for (std::size_t i = 0; i < size_; ++i) ++places_[(hashes_[i] >> shift) + 1];
        if (*std::max_element(places_.begin(), places_.end()) > crowd) {
            for (std::size_t i = 0; i < size_; ++i) sorted_[i] = {hashes_[i], values_[i]};
            std::sort(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(size_));
            return;
        }
        std::partial_sum(places_.begin(), places_.end(), places_.begin());
        for (std::size_t i = 0; i < size_; ++i) sorted_[places_[hashes_[i] >> shift]++] = {hashes_[i], values_[i]};
        insert();
    }

    // From order among buckets to order within them.
    void insert() {
        Term* const sorted = sorted_.data();
        for (std::size_t i = 1; i < size_; ++i) {
            const Term moved = sorted[i];
            std::size_t j = i;
            for (; j > 0 && moved < sorted[j - 1]; --j) sorted[j] = sorted[j - 1];
            if (j != i) sorted[j] = moved;
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

    [[gnu::noinline]] bool join(std::size_t& end, std::int64_t slot, double& value, std::int64_t& collisions) {
        joined_.assign(1, sorted_[end - 1]);
        for (; end < size_ && slot_of_hash(sorted_[end].hash, n_) == slot; ++end) joined_.push_back(sorted_[end]);
        for (std::size_t j = 1; j < joined_.size(); ++j) collisions += joined_[j].hash != joined_[j - 1].hash;
        std::sort(joined_.begin(), joined_.end(), [](const Term& a, const Term& b) { return a.value < b.value; });
        value = joined_[0].value;
        if (domain_ != Domain::any) {
            value = kept_of(domain_, value, joined_.back().value);
            return true;
        }
        bool good = true;
        for (std::size_t j = 1; j < joined_.size(); ++j) {
            value += joined_[j].value;
            good &= acceptable(value);
        }
        return good;
    }

    std::size_t n_;
    Domain domain_;
    std::size_t size_ = 0;
    std::size_t room_ = 256;
    std::vector<std::uint64_t> hashes_ = std::vector<std::uint64_t>(room_);  // as they came
    std::vector<double> values_ = std::vector<double>(room_);
    std::vector<Term> sorted_ = std::vector<Term>(room_ + 1);  // by their hashes, and one more
    std::vector<Term> joined_;
    std::vector<std::uint32_t> places_;
    Ranking ranking_;
};

}  // namespace thresher::reading
