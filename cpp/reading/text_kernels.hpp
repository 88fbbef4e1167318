// Tokens of text, several at a time: for AVX2 and AVX-512. Elsewhere text is read one token after the other.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "../thresher/dispatch.hpp"
#include "../thresher/names.hpp"
#include "number.hpp"

namespace thresher::reading {

// Where the colons and the blanks of a stretch of text are, as distances from its start. The first blank stands before
// it; the end of a line is one, too.
struct Marks {
    static constexpr std::size_t reach = 4096;    // bytes of text that are looked at
    static constexpr std::size_t at_once = 64;    // places that are written, though not all may be marks
    static constexpr std::uint32_t before = ~0u;  // the text: one more is 0

    std::size_t colon_count = 0;
    std::size_t blank_count = 0;  // the first one left out
    std::uint32_t colons[reach + at_once];
    std::uint32_t blanks[1 + reach + at_once] = {before};

    // Where the token behind a blank starts.
    const char* behind(const char* text, std::size_t blank) const { return text + (blanks[blank] + 1); }
};

// So many features were read. Whether each has a larger slot than the one before it.
struct Swept {
    std::size_t count;
    bool ascending;
};

// Which slots there are, and what the first of them is called.
struct Indices {
    std::uint64_t first, n;
};

// What stands before every name: fewer than eight bytes, the first of them lowest.
struct Prefix {
    std::uint64_t word;
    std::size_t size;
};

// Hashes on their way to their places, by the first 24 bits of each and its number.
struct Ranking {
    static constexpr std::size_t most = 80;  // their square is the number of comparisons

    std::int32_t keys[most] = {};
    std::int32_t places[most];
};

#ifdef THRESHER_HAS_AVX2
alignas(64) inline constexpr auto places_in_64 = [] {
    std::array<std::uint8_t, 64> places{};
    std::iota(places.begin(), places.end(), std::uint8_t{0});
    return places;
}();

#define THRESHER_SWEEPS Avx2Text
#define THRESHER_LANES 4
#define THRESHER_TARGET THRESHER_AVX2
#include "text_sweeps.hpp"
#undef THRESHER_SWEEPS
#undef THRESHER_LANES
#undef THRESHER_TARGET

#define THRESHER_SWEEPS Avx512Text
#define THRESHER_LANES 8
#define THRESHER_TARGET THRESHER_AVX512
#include "text_sweeps.hpp"
#undef THRESHER_SWEEPS
#undef THRESHER_LANES
#undef THRESHER_TARGET

inline Avx2Text text_for(Avx2) { return {}; }
inline Avx512Text text_for(Avx512) { return {}; }
#endif

// No token at a time.
struct BaselineText {
    static constexpr std::size_t lanes = 0;
    static constexpr bool hashes = false;
};

inline BaselineText text_for(Baseline) { return {}; }

// Calls `work` with the sweeps to use.
template <class Work>
auto sweep_text(Work&& work) {
    return dispatch_widest([&](auto kernels) { return work(text_for(kernels)); });
}

}  // namespace thresher::reading
