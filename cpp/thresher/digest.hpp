// XXH64 of bytes that come in pieces: the same as `hash64` of all of them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "names.hpp"

namespace thresher {

class Digest {
  public:
    explicit Digest(std::uint64_t seed = 0) : seed_(seed), lanes_(seed) {}

    void update(const char* at, std::size_t size) {
        if (size == 0) return;  // memcpy may not be given a null pointer, not even for no bytes
        size_ += size;
        const std::size_t room = xxh64::stripe - held_;
        if (size < room) {
            std::memcpy(rest_ + held_, at, size);
            held_ += size;
            return;
        }
        const char* const end = at + size;
        if (held_ > 0) {
            std::memcpy(rest_ + held_, at, room);
            lanes_.take(rest_, rest_ + xxh64::stripe);
            at += room;
        }
        at = lanes_.take(at, end);
        held_ = static_cast<std::size_t>(end - at);
        std::memcpy(rest_, at, held_);
    }

    std::uint64_t value() const {
        const std::uint64_t h = size_ < xxh64::stripe ? xxh64::start(seed_) : lanes_.merged();
        return xxh64::finish(h, size_, rest_, rest_ + held_);
    }

  private:
    std::uint64_t seed_;
    std::uint64_t size_ = 0;
    xxh64::Lanes lanes_;
    char rest_[xxh64::stripe] = {};  // the first `held_` of them: bytes that do not fill a stripe yet
    std::size_t held_ = 0;
};

}  // namespace thresher
