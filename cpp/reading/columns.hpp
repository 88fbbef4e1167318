// Columns of a table as they lie in memory, and their cells as attributes: a number under its column's name, a category
// and each word of a text under `column=value`.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../thresher/dispatch.hpp"
#include "../thresher/names.hpp"
#include "rows.hpp"

namespace thresher::reading {

// Texts one behind the other: number i is what stands from offsets[i] on, until before offsets[i + 1].
struct Texts {
    std::span<const char> bytes;
    std::span<const std::int32_t> offsets;

    std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
    std::string_view operator[](std::size_t i) const {
        return {bytes.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
    }

    // Whether all of them lie within the bytes. They came from a file: nothing is followed before this was asked.
    bool whole() const {
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            if (offsets[i] < (i == 0 ? 0 : offsets[i - 1])) return false;
        }
        return offsets.empty() || static_cast<std::size_t>(offsets.back()) <= bytes.size();
    }
};

inline std::string_view trimmed(std::string_view text) {
    const auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

struct Column {
    enum class Kind : std::uint8_t { numbers, categories, words };

    std::string name;    // as the user calls it
    std::string prefix;  // of its attributes' names; of numbers the whole name
    Kind kind = Kind::numbers;
    std::span<const double> values = {};        // of numbers; NaN is missing
    std::span<const std::int32_t> codes = {};   // of categories: which of the texts, -1 for missing
    std::span<const std::int64_t> starts = {};  // of lists of categories: where each row's codes start, and the end
    Texts texts = {};                           // the categories, or of words the cells

    static constexpr std::size_t largest_code = std::numeric_limits<std::int32_t>::max();

    // The number of its rows; -1 if it cannot be read safely.
    std::int64_t rows() const {
        if (kind == Kind::numbers) return static_cast<std::int64_t>(values.size());
        if (!texts.whole()) return -1;
        if (kind == Kind::words) return static_cast<std::int64_t>(texts.size());
        if (!dispatch_widest([&](auto kernels) { return all_known(kernels); })) return -1;
        const auto count = static_cast<std::int64_t>(codes.size());
        if (starts.empty()) return count;
        for (std::size_t i = 0; i < starts.size(); ++i) {
            if (starts[i] < (i == 0 ? 0 : starts[i - 1])) return -1;
        }
        return starts.back() <= count ? static_cast<std::int64_t>(starts.size()) - 1 : -1;
    }

    // Where the codes of a row are.
    std::span<const std::int32_t> of_row(std::size_t row) const {
        if (starts.empty()) return codes.subspan(row, 1);
        return codes.subspan(static_cast<std::size_t>(starts[row]),
                             static_cast<std::size_t>(starts[row + 1] - starts[row]));
    }

  private:
    // Whether every code is from -1 until before the number of texts: else one of two differences has the highest bit.
    [[gnu::always_inline]] bool known() const {
        const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(texts.size(), largest_code));
        std::uint32_t beyond = 0;
        for (const std::int32_t code : codes)
            beyond |= (static_cast<std::uint32_t>(code) + 1) | (size - 1 - static_cast<std::uint32_t>(code));
        return beyond >> 31 == 0;
    }
    template <class Kernels>
    bool all_known(Kernels) const {
        return known();
    }
#ifdef THRESHER_HAS_AVX2
    THRESHER_AVX512 bool all_known(Avx512) const { return known(); }
#endif
};

// Running mean and deviation of a column: what came so far makes numbers of any range comparable. A number becomes
// (x - mean) / deviation, both with itself among the numbers (Welford 1962), so that a missing one, 0, is the mean.
// The share of each number is multiplied with: columns that have as many numbers share one division a row.
struct Scale {
    double count = 0.0;
    double mean = 0.0;
    double squares = 0.0;  // sum of (x - mean)^2

    void add(double x) {
        count += 1.0;
        const double before = x - mean;
        mean += before * (1.0 / count);
        squares += before * (x - mean);
    }

    // Whether a number has made the deviation more than ten times as large: then others hardly differ any more.
    static constexpr double some = 100.0, far = 100.0;
    bool leaps(const Scale& before) const {
        return before.count >= some && before.squares > 0.0 && squares > far * before.squares;
    }

    double deviation() const { return count > 0.0 ? std::sqrt(squares * (1.0 / count)) : 0.0; }

    double operator()(double x) const {
        const double wide = deviation();
        return wide > 0.0 ? (x - mean) / wide : 0.0;
    }
};

// Calls use(word) for each word of a text, which is to be in lower case: what is between marks, blanks and control
// characters. An apostrophe is part of its word.
template <class Use>
void each_word(std::string_view text, Use&& use) {
    std::size_t start = 0;
    const auto end_word = [&](std::size_t end) {
        if (end > start) use(text.substr(start, end - start));
    };
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = [&](std::size_t i) {
            return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
        };
        const unsigned c = byte(0);
        std::size_t size = 1;
        bool inside;
        if (c < 0x80) {
            inside = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '\'';
        } else {  // letters are in the majority: marks are known by their blocks
            size = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
            const unsigned two = (c << 8) | byte(1), three = (two << 8) | byte(2);
            const bool latin_mark = two >= 0xC280 && two <= 0xC2BF && two != 0xC2AA && two != 0xC2B5 && two != 0xC2BA;
            const bool sign = two == 0xC397 || two == 0xC3B7;
            const bool general = three >= 0xE28080 && three <= 0xE2AFBF;  // U+2000 to U+2BFF: marks, arrows, shapes
            const bool wide = (three >= 0xE38080 && three <= 0xE380BF && three != 0xE38085) ||
                              (three >= 0xEFBC80 && three <= 0xEFBC8F) || three == 0xEFBFBD;
            inside = !(latin_mark || sign || general || wide);
        }
        if (!inside) {
            end_word(at);
            start = at + size;
        }
        at += size;
    }
    end_word(text.size());
}

}  // namespace thresher::reading
