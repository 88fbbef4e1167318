// Coins: Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011), a function of a key and a counter, without state.
#pragma once

#include <array>
#include <cstdint>

namespace thresher {

inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
        const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
        counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
                   static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
        key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
    }
    return counter;
}

// The coin of round t: a number from 0 to below 1, in steps of 2^-53.
inline double coin(std::uint64_t seed, std::uint64_t t) {
    const auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
    const auto drawn = philox({low(t), low(t >> 32), 0, 0}, {low(seed), low(seed >> 32)});
    return static_cast<double>(((std::uint64_t{drawn[0]} << 32) | drawn[1]) >> 11) * 0x1p-53;
}

}  // namespace thresher
