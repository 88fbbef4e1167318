// A canonical example: ascending slots, zeros dropped, collisions resolved, every value finite.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "arithmetic.hpp"
#include "rows.hpp"

namespace thresher {

using CanonicalRow = SparseRow<std::int64_t, double>;

inline bool acceptable(double value) { return std::fabs(value) <= largest_value; }  // false for NaN

// What is wrong with a value, zero included, where the rule asks for a domain.
inline Fault::Kind refuse_value(Domain domain, double value) {
    if (!acceptable(value)) return Fault::Kind::value;
    const double size = std::fabs(value);
    switch (domain) {
        case Domain::any:
            return Fault::Kind::none;
        case Domain::signed_unit:
            return size <= 1.0 ? Fault::Kind::none : Fault::Kind::signed_unit;
        case Domain::unit:
            return value >= 0.0 && value <= 1.0 ? Fault::Kind::none : Fault::Kind::unit;
        case Domain::binary:
            return value == 0.0 || value == 1.0 ? Fault::Kind::none : Fault::Kind::binary;
    }
    return Fault::Kind::value;
}

// What a domain asks for, in words.
inline const char* expected_values(Domain domain) {
    switch (domain) {
        case Domain::any:
            break;
        case Domain::signed_unit:
            return "a number from -1 to 1";
        case Domain::unit:
            return "a number from 0 to 1";
        case Domain::binary:
            return "0 or 1";
    }
    return "a finite number of at most 2^250 (1.8e75)";
}

// Which of two values in one slot, the lower first, is kept where a domain forbids to add them: the larger in size. One
// that is to be refused is not hidden by another.
inline double kept_of(Domain domain, double low, double high) {
    const bool lower = domain == Domain::signed_unit ? std::fabs(low) > std::fabs(high) : low < 0.0;
    return lower ? low : high;
}

// Where a row that is not yet canonical becomes so. Kept across rows, so that it allocates only to grow.
class Canonical {
  public:
    static constexpr std::size_t few = 128;  // a multiple of 64, and a place fits a byte

    void clear() { features_.clear(); }
    void add(std::int64_t slot, double value) { features_.push_back({slot, value}); }

    CanonicalRow row() const { return {slots_.data(), values_.data(), slots_.size()}; }

    // Different names in one slot are added, the smaller value first, where the domain is any, and elsewhere the larger
    // in size is kept: the order in which they came does not matter. Counts in `joined` the features that met another
    // one.
    Fault settle_collisions(std::int64_t& joined, Domain domain) {
        sort();
        joined = 0;
        Fault fault;
        settle([&](Feature& kept, const Feature& next) {
            kept.value = domain == Domain::any ? kept.value + next.value : kept_of(domain, kept.value, next.value);
            ++joined;
            if (!acceptable(kept.value)) fault = {Fault::Kind::value, kept.slot, kept.value};
            return true;
        });
        return fault;
    }

    // Whether each feature of the row that was settled, of a few, has a slot of its own: then the place of each is
    // known, and a row with other values in the same slots needs no sorting.
    bool placed() const { return placed_; }
    // Gives the feature that was added as number i another value, for `settle_again`.
    void replace(std::size_t i, double value) { features_[places_[i]].value = value; }
    void settle_again() {
        settle([](const Feature&, const Feature&) { return true; });
    }

    template <class Index, class Value>
    Fault read(const SparseRow<Index, Value>& row, std::size_t n, Domain domain = Domain::any) {
        clear();
        bool ascending = true;
        for (std::size_t j = 0; j < row.size; ++j) {
            const auto slot = static_cast<std::int64_t>(row.slots[j]);
            const auto value = static_cast<double>(row.values[j]);
            if (slot < 0 || static_cast<std::uint64_t>(slot) >= n) return {Fault::Kind::slot, slot};
            if (const auto kind = refuse_value(domain, value); kind != Fault::Kind::none) return {kind, slot, value};
            ascending = ascending && (j == 0 || features_.back().slot < slot);
            add(slot, value);
        }
        if (!ascending) sort();
        Fault fault;
        settle([&](const Feature& kept, const Feature&) {
            if (!fault) fault = {Fault::Kind::twice, kept.slot};
            return false;
        });
        return fault;
    }

    template <class Value>
    Fault read(const DenseRow<Value>& row, std::size_t, Domain domain = Domain::any) {
        clear_row();
        for (std::size_t i = 0; i < row.size; ++i) {
            const auto value = static_cast<double>(row.values[i]);
            const auto slot = static_cast<std::int64_t>(i);
            if (const auto kind = refuse_value(domain, value); kind != Fault::Kind::none) return {kind, slot, value};
            if (value != 0.0) push(slot, value);
        }
        return {};
    }

    // The same row with every value multiplied by `magnifier`.
    template <class Row>
    void magnify(const Row& row) {
        std::vector<std::int64_t> slots(row.size);
        std::vector<double> values(row.size);
        for (std::size_t j = 0; j < row.size; ++j) {
            if constexpr (requires { row.slots; }) {
                slots[j] = static_cast<std::int64_t>(row.slots[j]);
            } else {
                slots[j] = static_cast<std::int64_t>(j);
            }
            values[j] = static_cast<double>(row.values[j]) * magnifier;
        }
        slots_.swap(slots);
        values_.swap(values);
    }

  private:
    struct Feature {
        std::int64_t slot;
        double value;
        bool operator<(const Feature& other) const {
            return slot < other.slot || (slot == other.slot && value < other.value);
        }
    };

    void sort() {
        std::uint64_t all = 0;
        for (const Feature& feature : features_) all |= static_cast<std::uint64_t>(feature.slot);
        const int bits = std::bit_width(all);
        placed_ = features_.size() <= few && (place<std::int16_t>(bits) || (bits > 16 && place<std::int32_t>(bits)));
        if (placed_) {
            features_.swap(sorted_);
        } else {
            std::sort(features_.begin(), features_.end());
        }
    }

    // Few features are sorted by counting, for each, how many come before it: quadratic, and free of the branches that
    // make a comparison sort of random slots slow. Shorter keys go faster (at fifty features, those of 16 bits take
    // half the time of those of 32): the first bits of a slot nearly always tell. False if they do not.
    template <class Key>
    bool place(int bits) {
        const std::size_t size = features_.size(), padded = (size + 7) / 8 * 8;
        const int dropped = std::max(0, bits - std::numeric_limits<std::make_unsigned_t<Key>>::digits);
        Key keys[few];
        for (std::size_t i = 0; i < size; ++i) {
            keys[i] = static_cast<Key>((features_[i].slot >> dropped) + std::numeric_limits<Key>::min());
        }
        std::fill(keys + size, keys + padded, std::numeric_limits<Key>::max());
        std::uint64_t taken[few / 64] = {};
        sorted_.resize(size);
        for (std::size_t i = 0; i < size; ++i) {
            Key before = 0;
            for (std::size_t j = 0; j < padded; ++j) before = static_cast<Key>(before + (keys[j] < keys[i]));
            const auto at = static_cast<std::size_t>(before);
            taken[at / 64] |= std::uint64_t{1} << (at % 64);
            places_[i] = static_cast<std::uint8_t>(at);
            sorted_[at] = features_[i];
        }
        int places = 0;
        for (const auto word : taken) places += std::popcount(word);
        return static_cast<std::size_t>(places) == size;  // else two share a key, and so a place
    }

    // From sorted features to slots and values. `join(kept, next)` meets two features of one slot.
    template <class Join>
    void settle(Join&& join) {
        slots_.resize(features_.size());
        values_.resize(features_.size());
        std::size_t size = 0, j = 0;
        while (j < features_.size()) {
            Feature kept = features_[j++];
            while (j < features_.size() && features_[j].slot == kept.slot) {
                if (!join(kept, features_[j++])) return;
            }
            slots_[size] = kept.slot;
            values_[size] = kept.value;
            size += kept.value != 0.0;
        }
        slots_.resize(size);
        values_.resize(size);
    }

    void clear_row() {
        slots_.clear();
        values_.clear();
    }
    void push(std::int64_t slot, double value) {
        slots_.push_back(slot);
        values_.push_back(value);
    }

    std::vector<Feature> features_;
    std::vector<Feature> sorted_;
    std::uint8_t places_[few] = {};  // of each feature as it came, among the sorted ones
    bool placed_ = false;
    std::vector<std::int64_t> slots_;
    std::vector<double> values_;
};

}  // namespace thresher
