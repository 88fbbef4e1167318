// The names that a learner moved, so that weights can be shown with words. Up to a limit; after it new ones are let go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../thresher/names.hpp"

namespace thresher::reading {

class KeptNames {
  public:
    static constexpr std::size_t most_names = std::size_t{1} << 19;
    static constexpr std::size_t most_bytes = std::size_t{16} << 20;

    void keep(std::string_view name) { keep(hash64(name), "", name); }

    // The name is `first` and `second` together, `hash` its hash.
    void keep(std::uint64_t hash, std::string_view first, std::string_view second) {
        std::size_t place = hash & mask();
        while (table_[place] != 0) {
            if (table_[place] == hash) return;
            place = (place + 1) & mask();
        }
        if (count_ == most_names || text_.size() + first.size() + second.size() >= most_bytes) {
            full_ = true;
            return;
        }
        table_[place] = hash;  // a hash of 0 would be kept again and again: one name in 2^64
        text_ += first;
        text_ += second;
        text_ += '\n';
        if (++count_ * 2 > table_.size()) grow();
    }

    const std::string& text() const { return text_; }  // in the order in which they came, each ended by '\n'
    std::size_t count() const { return count_; }
    bool full() const { return full_; }

  private:
    std::size_t mask() const { return table_.size() - 1; }

    void grow() {
        std::vector<std::uint64_t> larger(2 * table_.size(), 0);
        larger.swap(table_);
        for (const std::uint64_t hash : larger) {
            if (hash == 0) continue;
            std::size_t place = hash & mask();
            while (table_[place] != 0) place = (place + 1) & mask();
            table_[place] = hash;
        }
    }

    std::vector<std::uint64_t> table_ = std::vector<std::uint64_t>(1024, 0);
    std::string text_;
    std::size_t count_ = 0;
    bool full_ = false;
};

}  // namespace thresher::reading
