// What a reader makes of text: rows ready for a learner, the labels as they are spelled, and what was wrong where.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../thresher/canonical.hpp"
#include "../thresher/rows.hpp"
#include "number.hpp"

namespace thresher::reading {

inline constexpr std::size_t longest_line = std::size_t{16} << 20;
inline constexpr std::size_t most_features = std::size_t{1} << 20;  // in a line
inline constexpr std::size_t most_terms = std::size_t{1} << 18;     // in rows, but for the last of them
inline constexpr std::size_t most_slots = std::size_t{1} << 31;     // slots are 32 bits wide here

// One line that cannot be read: where, what was found there, what was expected.
struct Trouble {
    std::size_t column = 0;  // in bytes, from 1
    std::string found;
    std::string expected;
};

inline bool refuse(Trouble& trouble, std::string found, std::string expected) {
    trouble.found = std::move(found);
    trouble.expected = std::move(expected);
    return false;
}

// Whether a line that could have a label must have one, may have one, or has it passed over.
enum class Labelled : std::uint8_t { needed, optional, ignored };

// A line as it lies in a text, until its '\n', with its number and its place there.
struct Line {
    const char* text;
    const char* end;
    std::int64_t number;
    std::uint32_t place;
    Labelled labelled;
};

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool at_end(const char* at) { return *at == '\n' || (*at == '\r' && at[1] == '\n'); }
inline bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

inline const char* skip_blanks(const char* at) {
    while (is_blank(*at)) ++at;
    return at;
}

inline const char* token_end(const char* at) {
    while (!is_blank(*at) && !at_end(at)) ++at;
    return at;
}

// Text as an error shows it: cut where it is long, with bytes that do not print by their number.
inline std::string shown(const char* at, const char* end) {
    constexpr std::size_t longest = 40;
    std::string text;
    for (const char* c = at; c != end; ++c) {
        const bool inside = (static_cast<unsigned char>(*c) & 0xC0) == 0x80;  // of a letter, unless it is no UTF-8
        if (text.size() >= longest && (!inside || text.size() >= longest + 3)) return "'" + text + "...'";
        if (is_control(*c)) {
            constexpr char hex[] = "0123456789abcdef";
            const auto byte = static_cast<unsigned char>(*c);
            text += std::string("\\x") + hex[byte / 16] + hex[byte % 16];
        } else {
            text += *c;
        }
    }
    return "'" + text + "'";
}

// The same, from a place up to the next blank.
inline std::string shown(const char* at) { return at_end(at) ? "the end of the line" : shown(at, token_end(at)); }

// Whether the bytes are UTF-8: no byte out of place, no form longer than it need be, no surrogates.
inline bool is_utf8(std::string_view bytes) {
    std::size_t at = 0;
    const auto byte = [&](std::size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u; };
    while (at < bytes.size()) {
        const unsigned first = byte(at);
        const std::size_t size = first < 0x80   ? 1
                                 : first < 0xC2 ? 0
                                 : first < 0xE0 ? 2
                                 : first < 0xF0 ? 3
                                 : first < 0xF5 ? 4
                                                : 0;
        if (size == 0) return false;
        const unsigned second = byte(at + 1);
        const unsigned least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        const unsigned most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        if (size > 1 && (second < least || second > most)) return false;
        for (std::size_t i = 2; i < size; ++i) {
            if ((byte(at + i) & 0xC0) != 0x80) return false;
        }
        at += size;
    }
    return true;
}

// The labels of a stream: at most two, each with the first spelling that was met. Labels that are numbers are the same
// if their values are (1, +1 and 1.0), others if their letters are.
class Labels {
  public:
    static constexpr std::size_t most = 2;

    struct One {
        std::string spelling;
        bool numeric;
        double value;
        std::int64_t line;  // where it was first met; 0 if it was known before
    };

    static bool number(std::string_view token, double& value) {
        const Number read = read_number(token.data());
        value = read.value;
        return read.end == token.data() + token.size();
    }

    void add(std::string spelling, std::int64_t line) {
        std::string padded = spelling + '\n' + std::string(16, '\0');
        double value = 0.0;
        const bool numeric = number({padded.data(), spelling.size()}, value);
        seen_.push_back({std::move(spelling), numeric, value, line});
    }

    // The number of the label, 0 or 1, or -1 if it is neither. `token` lies in a text.
    int find(std::string_view token) const {
        for (std::size_t i = 0; i < seen_.size(); ++i) {
            if (seen_[i].spelling == token) return static_cast<int>(i);
        }
        double value = 0.0;
        if (!number(token, value)) return -1;
        for (std::size_t i = 0; i < seen_.size(); ++i) {
            if (seen_[i].numeric && seen_[i].value == value) return static_cast<int>(i);
        }
        return -1;
    }

    // The same, with a new label taken up while there is room for one.
    bool take(const char* at, const char* end, std::int64_t line, std::int8_t& label, Trouble& trouble) {
        const std::string_view token(at, static_cast<std::size_t>(end - at));
        if (const int found = find(token); found >= 0) {
            label = static_cast<std::int8_t>(found);
            return true;
        }
        if (token.size() <= longest_label && token.find(',') != std::string_view::npos)
            return refuse(trouble, shown(at, end),
                          "one label, without a comma: lists of labels are not read, and tables begin with names");
        return take_cell(token, line, label, trouble);
    }

    // The same of a table's cell, which may have commas and blanks.
    bool take_cell(std::string_view token, std::int64_t line, std::int8_t& label, Trouble& trouble) {
        int found = find(token);
        if (found < 0) {
            if (!acceptable_label(token, trouble)) return false;
            if (seen_.size() == most) {
                trouble.found = "label " + shown(token.data(), token.data() + token.size());
                const bool known = seen_[0].line == 0 && seen_[1].line == 0;
                trouble.expected = "'" + seen_[0].spelling + "' or '" + seen_[1].spelling +
                                   (known ? "', the labels of the model; predict --ignore-labels does not look at them"
                                          : "', the two labels before it");
                return false;
            }
            found = static_cast<int>(seen_.size());
            add(std::string(token), line);
        }
        label = static_cast<std::int8_t>(found);
        return true;
    }

    const std::vector<One>& seen() const { return seen_; }

    // Those after the first `count` were met so many lines later than they say.
    void move_after(std::size_t count, std::int64_t lines) {
        for (std::size_t i = count; i < seen_.size(); ++i) seen_[i].line += lines;
    }

    // Only the first `count` were met: those after them stood in a line that was left out.
    void forget_after(std::size_t count) {
        while (seen_.size() > count) seen_.pop_back();
    }

  private:
    static constexpr std::size_t longest_label = 256;  // in bytes

    static bool acceptable_label(std::string_view token, Trouble& trouble) {
        trouble.expected = "a label";
        if (token.size() > longest_label) {
            trouble.found = "a label of " + std::to_string(token.size()) + " bytes";
            return false;
        }
        std::string lower(token);
        for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        if (!lower.empty() && (lower[0] == '-' || lower[0] == '+')) lower.erase(0, 1);
        if (!is_utf8(token)) {
            trouble.found = shown(token.data(), token.data() + token.size());
            trouble.expected = "a label in UTF-8";
            return false;
        }
        double value = 0.0;
        const bool missing =
            lower == "nan" || lower == "inf" || lower == "infinity" || (number(token, value) && std::isinf(value));
        if (!missing && std::none_of(token.begin(), token.end(), is_control)) return true;
        trouble.found = shown(token.data(), token.data() + token.size());
        return false;
    }

    std::vector<One> seen_;
};

inline constexpr std::int8_t unlabelled = -1;

// Asks for the memory that is written some thousand terms behind these. Rows serve again, so it lies in the cache of
// the core that learned from it, and whoever writes there without having asked waits for each line of it.
template <class T>
[[gnu::always_inline]] inline void claim(const T* terms, std::size_t size) {
    constexpr std::size_t line = 64, ahead = 1024 * sizeof(T);
    const auto start = reinterpret_cast<std::uintptr_t>(terms) + ahead;
    for (std::size_t at = 0; at < size * sizeof(T); at += line) {
        __builtin_prefetch(reinterpret_cast<const void*>(start + at), 1);
    }
}

// Rows in columns, each canonical: ascending slots, no zeros, every value finite.
struct Rows {
    Rows() = default;

    // `bytes` of text hold at most half as many features and rows: so nothing below checks for room.
    explicit Rows(std::size_t bytes)
        : capacity(bytes),
          starts(std::make_unique_for_overwrite<std::int32_t[]>(bytes / 2 + 2)),
          slots(std::make_unique_for_overwrite<std::int32_t[]>(bytes / 2 + 2)),
          values(std::make_unique_for_overwrite<double[]>(bytes / 2 + 2)),
          name_tags(std::make_unique_for_overwrite<std::uint32_t[]>(bytes / 2 + 2)),
          room(bytes / 2 + 2) {
        starts[0] = 0;
    }

    // Room for so many terms, where lines make more of them than their text holds.
    void reserve(std::size_t wanted) {
        if (wanted <= room) return;
        wanted = std::max(wanted, 2 * room);
        grow(slots, wanted);
        grow(values, wanted);
        grow(name_tags, wanted);
        room = wanted;
        overwrite(terms);
    }

    // From a term on, others are written than were before.
    void overwrite(std::size_t from) {
        ones = std::min(ones, from);
        alike = std::min(alike, from);
    }
    // The same of a single row among others: a `Writer` has written it.
    void overwrite(std::size_t from, std::size_t end) {
        alike = std::min(alike, from);
        if (from < ones) others.emplace_back(from, std::min(end + 1, ones));  // one behind the last it may have tried
    }

    void clear() {
        size = terms = 0;
        collisions = 0;
        saw_query = false;
        labels.clear();
        weights.clear();
        places.clear();
        tags.clear();
        for (const auto& [from, end] : others) std::fill(values.get() + from, values.get() + end, 1.0);
        others.clear();
    }

    std::size_t capacity = 0;
    std::unique_ptr<std::int32_t[]> starts;
    std::unique_ptr<std::int32_t[]> slots;
    std::unique_ptr<double[]> values;
    std::unique_ptr<std::uint32_t[]> name_tags;  // of each term, where terms are names; 0 where several share it
    std::size_t room = 0;                        // for terms
    std::size_t size = 0;
    std::size_t terms = 0;              // in whole rows
    std::vector<std::int8_t> labels;    // 0, 1 or unlabelled
    std::vector<double> weights;        // empty: 1 throughout
    std::vector<std::uint32_t> places;  // where each row's line starts in its text
    std::vector<std::string> tags;      // only where they are asked for
    std::int64_t collisions = 0;
    bool saw_query = false;  // a qid, which is read and left out
    // Rows serve again, and those of a table are much alike. What lies there from before need not be written:
    std::size_t ones = 0;                                     // so many values from the first on are 1,
    std::vector<std::pair<std::size_t, std::size_t>> others;  // but for these, until before
    std::size_t alike = 0;  // so many slots and tags from the first on are those of one row, again and again
    std::size_t width = 0;  // of that row

    // Writes terms one behind the other, zeros left out. It holds bare pointers, for the loops.
    struct Writer {
        Writer(const Rows& rows, std::size_t from) : slots(rows.slots.get()), values(rows.values.get()), end(from) {}

        void put(std::int32_t slot, double value) {
            slots[end] = slot;
            values[end] = value;
            end += std::bit_cast<std::uint64_t>(value) << 1 != 0;  // value != 0.0, in fewer steps: it is never NaN
        }

        std::int32_t* slots;
        double* values;
        std::size_t end;
    };

    // The terms up to `end` have become a row.
    void end_row(std::size_t end, std::int8_t label, double weight, std::uint32_t place) {
        if (weight != 1.0 && weights.empty()) weights.assign(size, 1.0);
        if (!weights.empty() || weight != 1.0) weights.push_back(weight);
        labels.push_back(label);
        places.push_back(place);
        terms = end;
        starts[++size] = static_cast<std::int32_t>(end);
    }

    // Several have, of weight 1, whose places follow each other.
    void end_rows(const std::size_t* ends, const std::int8_t* given, std::size_t count, std::uint32_t place) {
        if (!weights.empty()) weights.insert(weights.end(), count, 1.0);
        labels.insert(labels.end(), given, given + count);
        places.resize(places.size() + count);
        std::iota(places.end() - static_cast<std::ptrdiff_t>(count), places.end(), place);
        for (std::size_t i = 0; i < count; ++i) starts[size + 1 + i] = static_cast<std::int32_t>(ends[i]);
        size += count;
        terms = count > 0 ? ends[count - 1] : terms;
    }

    void drop_last(std::size_t terms_before) {
        --size;
        terms = terms_before;
        labels.pop_back();
        places.pop_back();
        if (!weights.empty()) weights.pop_back();
        if (!tags.empty()) tags.pop_back();
    }

    Block block(std::size_t n) const {
        return SparseBlock<std::int32_t, double>{starts.get(), starts.get() + 1, slots.get(), values.get(), size, n,
                                                 terms};
    }

  private:
    template <class T>
    void grow(std::unique_ptr<T[]>& column, std::size_t wanted) const {
        auto larger = std::make_unique_for_overwrite<T[]>(wanted);
        std::copy_n(column.get(), terms, larger.get());
        column = std::move(larger);
    }
};

}  // namespace thresher::reading
