// How far the rows of CSV go that are whole, found for 64 bytes at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "cuts.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace thresher::reading {

struct WholeRows {
    std::size_t end = 0;    // behind the last of them
    std::size_t lines = 0;  // line breaks in them
    bool broken = false;    // a cell in quotes may have a line break; if it is false, none has
};

// Quotes open and close by turns, as long as each that opens does so where a cell begins, or right behind one that
// closes: two that stand for one. If one does not, the rows are looked at byte by byte (`end_of_rows`).
class RowScan {
  public:
    RowScan(char separator, bool quotes) : separator_(separator), quotes_(quotes) {}

    WholeRows operator()(std::string_view text) {
        std::size_t at = 0;
        for (; at + 64 <= text.size(); at += 64) take(text.data() + at, at);
        char rest[64] = {};
        std::memcpy(rest, text.data() + at, text.size() - at);
        if (at < text.size()) take(rest, at);
        if (regular_) return rows_;
        const std::size_t end = end_of_rows(text, separator_, quotes_);
        return {
            end,
            static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n')),
            true};
    }

  private:
    struct Found {
        std::uint64_t quotes = 0, breaks = 0, starts = 0;  // behind these a cell begins
    };

    void take(const char* bytes, std::size_t at) {
        const Found found = in(bytes);
        std::uint64_t quoted = found.quotes;  // those and what follows, until before the next
        for (int shift = 1; shift < 64; shift *= 2) quoted ^= quoted << shift;
        quoted ^= inside_;
        inside_ = std::uint64_t{0} - (quoted >> 63);
        const std::uint64_t before = found.starts | found.quotes;
        regular_ = regular_ && (found.quotes & quoted & ~(before << 1 | started_)) == 0;
        started_ = before >> 63;
        const std::uint64_t ends = found.breaks & ~quoted;
        if (ends != 0) {
            const int last = 63 - std::countl_zero(ends);
            const std::uint64_t until = ~std::uint64_t{0} >> (63 - last);
            rows_.end = at + static_cast<std::size_t>(last) + 1;
            rows_.lines = lines_ + static_cast<std::size_t>(std::popcount(found.breaks & until));
            rows_.broken = rows_.broken || broken_ || (found.breaks & quoted & until) != 0;
            broken_ = (found.breaks & quoted & ~until) != 0;
        } else {
            broken_ = broken_ || (found.breaks & quoted) != 0;
        }
        lines_ += static_cast<std::size_t>(std::popcount(found.breaks));
    }

    Found in(const char* bytes) const {
        Found found;
#ifdef __SSE2__
        const __m128i quote = _mm_set1_epi8('"'), line = _mm_set1_epi8('\n'), back = _mm_set1_epi8('\r'),
                      separator = _mm_set1_epi8(separator_);
        const auto bits = [](__m128i same, int i) {
            return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(same))) << 16 * i;
        };
        for (int i = 0; i < 4; ++i) {
            const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes) + i);
            const __m128i breaks = _mm_cmpeq_epi8(text, line);
            found.breaks |= bits(breaks, i);
            if (!quotes_) continue;
            found.quotes |= bits(_mm_cmpeq_epi8(text, quote), i);
            found.starts |= bits(
                _mm_or_si128(breaks, _mm_or_si128(_mm_cmpeq_epi8(text, separator), _mm_cmpeq_epi8(text, back))), i);
        }
#else
        for (int i = 0; i < 64; ++i) {
            const char c = bytes[i];
            found.breaks |= static_cast<std::uint64_t>(c == '\n') << i;
            found.quotes |= static_cast<std::uint64_t>(quotes_ && c == '"') << i;
            found.starts |= static_cast<std::uint64_t>(c == '\n' || c == '\r' || c == separator_) << i;
        }
#endif
        return found;
    }

    char separator_;
    bool quotes_;
    WholeRows rows_;
    bool regular_ = true;
    std::uint64_t inside_ = 0;   // all bits, if a cell in quotes goes on
    std::uint64_t started_ = 1;  // a cell begins with the next byte
    std::size_t lines_ = 0;
    bool broken_ = false;  // behind the rows that are whole
};

inline WholeRows whole_rows(std::string_view text, char separator, bool quotes) {
    return RowScan(separator, quotes)(text);
}

}  // namespace thresher::reading
