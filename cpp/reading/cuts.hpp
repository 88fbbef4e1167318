// Where text can be cut that another library reads: behind whole rows of CSV; and how deep JSON is nested, before it is
// given to a reader that would follow it down until its stack is full.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace thresher::reading {

// Behind the last line break of the text, or 0.
inline std::size_t end_of_lines(std::string_view text) {
    const std::size_t last = text.rfind('\n');
    return last == std::string_view::npos ? 0 : last + 1;
}

// Behind the last row of CSV that is whole. A quote counts where a cell begins with it; inside, two stand for one, and
// line breaks mean nothing.
inline std::size_t end_of_rows(std::string_view text, char separator, bool quotes) {
    if (!quotes || text.find('"') == std::string_view::npos) return end_of_lines(text);
    enum class In { start, cell, quoted } in = In::start;
    std::size_t end = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (in == In::quoted) {
            if (c != '"') continue;
            if (at + 1 < text.size() && text[at + 1] == '"') {
                ++at;
            } else {
                in = In::cell;
            }
        } else if (in == In::start && c == '"') {
            in = In::quoted;
        } else if (c == '\n') {
            end = at + 1;
            in = In::start;
        } else {
            in = c == separator || c == '\r' ? In::start : In::cell;
        }
    }
    return end;
}

// A cell that begins with a quote, has a line break, and goes on behind the quote that closes it: most likely a quote
// that nothing should have opened, and the rows behind it are none of that cell's. Where its row begins, where the
// quote is, and where its line ends; all 0 if there is none.
struct StrayQuote {
    std::size_t row = 0, quote = 0, end = 0;
};

inline StrayQuote stray_quote(std::string_view text, char separator) {
    enum class In { start, cell, quoted } in = In::start;
    std::size_t row = 0, quote = 0;
    bool breaks = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (in == In::quoted) {
            breaks = breaks || c == '\n';
            if (c != '"') continue;
            const char next = at + 1 < text.size() ? text[at + 1] : '\n';
            if (next == '"') {
                ++at;
            } else if (breaks && next != separator && next != '\n' && next != '\r') {
                return {row, quote, text.find('\n', quote) + 1};
            } else {
                in = In::cell;
            }
        } else if (in == In::start && c == '"') {
            in = In::quoted;
            quote = at;
            breaks = false;
        } else if (c == '\n') {
            row = at + 1;
            in = In::start;
        } else {
            in = c == separator || c == '\r' ? In::start : In::cell;
        }
    }
    return {};
}

// How many brackets are open at once, at most, in lines of JSON.
inline std::size_t depth_of_json(std::string_view text) {
    std::size_t depth = 0, most = 0;
    bool quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '\n') {
            depth = 0;  // JSON has no line break within a string
            quoted = false;
        } else if (quoted) {
            if (c == '\\' && at + 1 < text.size() && text[at + 1] != '\n') ++at;
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            most = std::max(most, ++depth);
        } else if (c == '}' || c == ']') {
            depth -= depth > 0;
        }
    }
    return most;
}

}  // namespace thresher::reading
