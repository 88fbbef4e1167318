// The hash of names: XXH64 of the UTF-8 bytes (Yann Collet's published algorithm), and the slot it gives.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace thresher {

template <class Word>
inline Word little_endian(const char* at) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    if constexpr (std::endian::native == std::endian::big) {
        Word swapped = 0;
        for (std::size_t i = 0; i < sizeof word; ++i) swapped = (swapped << 8) | ((word >> (8 * i)) & 0xFF);
        return swapped;
    }
    return word;
}

// The parts of XXH64; `Digest` puts them together for bytes that come in pieces.
namespace xxh64 {

inline constexpr std::uint64_t p1 = 0x9E3779B185EBCA87u, p2 = 0xC2B2AE3D27D4EB4Fu, p3 = 0x165667B19E3779F9u,
                               p4 = 0x85EBCA77C2B2AE63u, p5 = 0x27D4EB2F165667C5u;
inline constexpr std::size_t stripe = 32;

inline std::uint64_t scramble(std::uint64_t lane, std::uint64_t word) { return std::rotl(lane + word * p2, 31) * p1; }

// Where the hash of fewer bytes than a stripe starts.
inline std::uint64_t start(std::uint64_t seed) { return seed + p5; }

// Where that of more starts: from the stripes, 8 bytes of each into each lane.
class Lanes {
  public:
    explicit Lanes(std::uint64_t seed) : lanes_{seed + p1 + p2, seed + p2, seed, seed - p1} {}

    // Takes the whole stripes and returns where the rest begins.
    const char* take(const char* at, const char* end) {
        while (static_cast<std::size_t>(end - at) >= stripe) {
            for (auto& lane : lanes_) {
                lane = scramble(lane, little_endian<std::uint64_t>(at));
                at += 8;
            }
        }
        return at;
    }

    std::uint64_t merged() const {
        std::uint64_t h =
            std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) + std::rotl(lanes_[3], 18);
        for (const auto lane : lanes_) h = (h ^ scramble(0, lane)) * p1 + p4;
        return h;
    }

  private:
    std::uint64_t lanes_[4];
};

// The hash, from where it starts, the number of all bytes, and those after the last whole stripe.
inline std::uint64_t finish(std::uint64_t h, std::uint64_t size, const char* at, const char* end) {
    h += size;
    for (; end - at >= 8; at += 8) h = std::rotl(h ^ scramble(0, little_endian<std::uint64_t>(at)), 27) * p1 + p4;
    if (end - at >= 4) {
        h = std::rotl(h ^ (little_endian<std::uint32_t>(at) * p1), 23) * p2 + p3;
        at += 4;
    }
    for (; at != end; ++at) h = std::rotl(h ^ (static_cast<unsigned char>(*at) * p5), 11) * p1;
    h = (h ^ (h >> 33)) * p2;
    h = (h ^ (h >> 29)) * p3;
    return h ^ (h >> 32);
}

}  // namespace xxh64

inline std::uint64_t hash64(std::string_view name, std::uint64_t seed = 0) {
    const char* at = name.data();
    const char* const end = at + name.size();
    std::uint64_t h = xxh64::start(seed);
    if (name.size() >= xxh64::stripe) {
        xxh64::Lanes lanes(seed);
        at = lanes.take(at, end);
        h = lanes.merged();
    }
    return xxh64::finish(h, name.size(), at, end);
}

// The high 64 bits of hash * n: every slot below n, evenly, for any n.
inline std::int64_t slot_of_hash(std::uint64_t hash, std::size_t n) {
    __extension__ using Product = unsigned __int128;
    return static_cast<std::int64_t>((static_cast<Product>(hash) * n) >> 64);
}

inline std::int64_t slot_of(std::string_view name, std::size_t n, std::uint64_t seed = 0) {
    return slot_of_hash(hash64(name, seed), n);
}

}  // namespace thresher
