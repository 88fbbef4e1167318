// hash64 of two texts together, one of which stays for many of the other: a namespace and its features. Where the first
// is short it lies in a register, and nothing is copied.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "../thresher/digest.hpp"
#include "../thresher/names.hpp"
#include "text_kernels.hpp"

namespace thresher::reading {

class JointHash {
  public:
    // The first text: a namespace and a ^, or nothing.
    void begin(const char* start, const char* end) {
        first_.assign(start, end);
        if (start != end) first_ += '^';
        word_ = 0;
        if (first_.size() < 8) std::memcpy(&word_, first_.data(), first_.size());
    }

    const std::string& first() const { return first_; }
    Prefix prefix() const { return {word_, first_.size()}; }  // its word is void where it has eight bytes or more

    // `second` lies in a reader's buffer: eight bytes from its last one on may be read.
    [[gnu::always_inline]] std::uint64_t operator()(std::string_view second) {
        const std::size_t before = first_.size(), size = before + second.size();
        if (before >= 8 || size >= xxh64::stripe || std::endian::native == std::endian::big) return copied(second);
        return in_registers(little_endian<std::uint64_t>(second.data()) << 8 * before | word_, second.data() - before,
                            size);
    }

  private:
    // `word` holds the first eight bytes; all others lie behind `base`, as if the first text stood before the second.
    static std::uint64_t in_registers(std::uint64_t word, const char* base, std::size_t size) {
        using namespace xxh64;
        std::uint64_t h = start(0) + size;
        for (std::size_t at = 8; at <= size; at += 8) {
            h = std::rotl(h ^ scramble(0, word), 27) * p1 + p4;
            word = little_endian<std::uint64_t>(base + at);
        }
        if ((size & 4) != 0) {
            h = std::rotl(h ^ ((word & 0xFFFFFFFFu) * p1), 23) * p2 + p3;
            word >>= 32;
        }
        for (std::size_t rest = size & 3; rest > 0; --rest, word >>= 8)
            h = std::rotl(h ^ ((word & 0xFF) * p5), 11) * p1;
        return finish(h, 0, nullptr, nullptr);
    }

    std::uint64_t copied(std::string_view second) {
        constexpr std::size_t longest = std::size_t{1} << 12;
        if (first_.size() + second.size() > longest) {  // rather slowly than to hold another of these
            Digest digest;
            digest.update(first_.data(), first_.size());
            digest.update(second.data(), second.size());
            return digest.value();
        }
        joint_.assign(first_);
        joint_ += second;
        return hash64(joint_);
    }

    std::string first_;
    std::uint64_t word_ = 0;
    std::string joint_;
};

}  // namespace thresher::reading
