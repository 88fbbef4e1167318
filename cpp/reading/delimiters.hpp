// Where the tokens of a Vowpal Wabbit line end: at a blank, a colon, a bar, or a byte that does not print.
//
// They are found for 64 bytes at a time, ahead of the tokens: so no token waits for the end of the one before it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace thresher::reading {

class Delimiters {
  public:
    // From `at` on. A '\n' is one, so nothing behind the 64 bytes around the end of a line is read.
    explicit Delimiters(const char* at) : base_(at), found_(in(at)) {}

    [[gnu::always_inline]] const char* next() {
        while (found_ == 0) found_ = in(base_ += 64);
        const char* const at = base_ + static_cast<unsigned>(std::countr_zero(found_));
        found_ &= found_ - 1;
        return at;
    }

  private:
    static std::uint64_t in(const char* at) {
        std::uint64_t found = 0;
#ifdef __SSE2__
        const __m128i blank = _mm_set1_epi8(0x20), colon = _mm_set1_epi8(':'), bar = _mm_set1_epi8('|'),
                      erase = _mm_set1_epi8(0x7F);
        for (int i = 0; i < 4; ++i) {
            const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at) + i);
            const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(text, blank), text);  // 0x20 and below
            const __m128i other = _mm_or_si128(_mm_cmpeq_epi8(text, colon),
                                               _mm_or_si128(_mm_cmpeq_epi8(text, bar), _mm_cmpeq_epi8(text, erase)));
            const auto four = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_or_si128(low, other)));
            found |= static_cast<std::uint64_t>(four) << 16 * i;
        }
#else
        for (int i = 0; i < 64; ++i) {
            const char c = at[i];
            const bool ends = static_cast<unsigned char>(c) <= 0x20 || c == ':' || c == '|' || c == 0x7F;
            found |= static_cast<std::uint64_t>(ends) << i;
        }
#endif
        return found;
    }

    const char* base_;
    std::uint64_t found_;
};

}  // namespace thresher::reading
