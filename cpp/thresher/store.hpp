// The container of model files, version 1. Numbers are little-endian and unsigned.
//
//     byte 0   8 bytes   "thresher"
//          8   4         the version
//         12   4         how many sections
//         16   8         the size of the whole file
//         24   32 each   the table: a section's name (16 bytes, zeros at its end), its offset, its size
//                        the sections in this order, each at the next multiple of 64, zeros before it
//     end - 8  8         XXH64 of everything before
//
// The sections determine every byte: a file has one way to say what it says, nothing can hide in it, and what unpacks
// packs to the same bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "digest.hpp"
#include "names.hpp"

namespace thresher::store {

inline constexpr std::string_view magic = "thresher";
inline constexpr std::uint32_t version = 1;
inline constexpr std::size_t alignment = 64, most_sections = 1024, longest_name = 16;
inline constexpr std::size_t head_size = 24, entry_size = 32, checksum_size = 8, smallest = head_size + checksum_size;
// More than any memory holds; up to here no sum below overflows.
inline constexpr std::uint64_t most_bytes = std::uint64_t{1} << 56;

struct Section {
    std::string name;
    std::string_view bytes;
};

// Why a file cannot be read, or sections not be packed.
struct Refusal : std::runtime_error {
    using std::runtime_error::runtime_error;
};

[[noreturn]] inline void refuse(const std::string& found, const std::string& expected) {
    throw Refusal("found " + found + ", expected " + expected);
}

inline bool printable(char c) { return c >= ' ' && c <= '~'; }

// For messages: in quotes, what is not printable ASCII as \xNN, a long text cut.
inline std::string quoted(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string shown = "'";
    for (const char c : text.substr(0, longest_name)) {
        const auto byte = static_cast<unsigned char>(c);
        shown += printable(c) ? std::string{c} : std::string{'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
    return shown + (text.size() > longest_name ? "...'" : "'");
}

// What the first bytes of a file tell before the rest is read: at least `smallest` of them, if there are so many.
inline void check_head(std::string_view head, std::uint64_t size) {
    const std::string_view first = head.substr(0, magic.size());
    if (first != magic.substr(0, first.size())) {
        throw Refusal("not a Thresher model: it begins with " + quoted(first) + ", expected " + quoted(magic));
    }
    if (head.size() < smallest) {
        refuse(std::to_string(head.size()) + " bytes",
               std::to_string(smallest) + " or more: too short for a model file");
    }
    const auto written = little_endian<std::uint32_t>(head.data() + 8);
    if (written > version) {
        throw Refusal("found a model file of version " + std::to_string(written) + ", this Thresher reads up to " +
                      std::to_string(version) + ": install a newer one");
    }
    if (written != version) refuse("a model file of version 0", std::to_string(version));
    const auto expected = little_endian<std::uint64_t>(head.data() + 16);
    if (size != expected) {
        refuse(std::to_string(size) + " bytes",
               std::to_string(expected) + (size < expected ? ": the file was cut off" : ": more was appended"));
    }
    if (size > most_bytes) refuse(std::to_string(size) + " bytes", std::to_string(most_bytes) + " at most");
}

// Where each section must stand, given those before it.
class Layout {
  public:
    explicit Layout(std::size_t sections) : end_(head_size + sections * entry_size) {
        if (sections > most_sections) {
            refuse(std::to_string(sections) + " sections", std::to_string(most_sections) + " at most");
        }
    }

    std::size_t end() const { return end_; }

    // The offset of the next section, which may not reach beyond `limit`.
    std::size_t place(const std::string& name, std::uint64_t size, std::uint64_t limit) {
        if (name.empty() || name.size() > longest_name || !std::all_of(name.begin(), name.end(), printable)) {
            refuse("a section named " + quoted(name), "a name of 1 to 16 printable ASCII characters");
        }
        if (std::find(names_.begin(), names_.end(), name) != names_.end()) {
            refuse("two sections named " + quoted(name), "one");
        }
        names_.push_back(name);
        const std::size_t start = (end_ + alignment - 1) / alignment * alignment;
        if (start > limit || size > limit - start) {
            refuse(
                "section " + quoted(name) + " of " + std::to_string(size) + " bytes from byte " + std::to_string(start),
                "an end by byte " + std::to_string(limit));
        }
        end_ = start + size;
        return start;
    }

  private:
    std::size_t end_;
    std::vector<std::string> names_;
};

// The sections of a file, as views of it.
inline std::vector<Section> unpack(std::string_view file) {
    check_head(file, file.size());
    const std::size_t end = file.size() - checksum_size;
    if (hash64(file.substr(0, end)) != little_endian<std::uint64_t>(file.data() + end)) {
        throw Refusal("damaged: its checksum does not match");
    }
    const std::size_t count = little_endian<std::uint32_t>(file.data() + 12);
    Layout layout(count);
    if (layout.end() > end) {
        refuse("a table of " + std::to_string(count) + " sections", "one that fits " + std::to_string(end) + " bytes");
    }
    std::vector<Section> sections;
    for (std::size_t k = 0; k < count; ++k) {
        const char* const entry = file.data() + head_size + k * entry_size;
        std::string name(entry, longest_name);
        name.erase(name.find_last_not_of('\0') + 1);
        const auto offset = little_endian<std::uint64_t>(entry + 16), size = little_endian<std::uint64_t>(entry + 24);
        const std::size_t before = layout.end(), start = layout.place(name, size, end);
        if (offset != start) {
            refuse("section " + quoted(name) + " at byte " + std::to_string(offset), std::to_string(start));
        }
        if (file.substr(before, start - before).find_first_not_of('\0') != std::string_view::npos) {
            refuse("other bytes than 0 before section " + quoted(name), "none");
        }
        sections.push_back({std::move(name), file.substr(start, size)});
    }
    if (layout.end() != end) {
        refuse(std::to_string(end - layout.end()) + " bytes after the last section", "none");
    }
    return sections;
}

template <class Word>
inline void append(std::string& to, Word word) {
    for (std::size_t i = 0; i < sizeof word; ++i) to += static_cast<char>((word >> (8 * i)) & 0xFF);
}

// What stands before each section of a file, given their names and sizes. Behind the last one is the checksum alone.
inline std::vector<std::string> between(const std::vector<std::pair<std::string, std::uint64_t>>& sections) {
    Layout layout(sections.size());
    std::string table;
    std::vector<std::string> pieces;
    for (const auto& [name, size] : sections) {
        const std::size_t before = layout.end();
        const std::size_t start = layout.place(name, size, most_bytes - checksum_size);
        table += name + std::string(longest_name - name.size(), '\0');
        append<std::uint64_t>(table, start);
        append<std::uint64_t>(table, size);
        pieces.emplace_back(start - before, '\0');
    }
    std::string head(magic);
    append<std::uint32_t>(head, version);
    append<std::uint32_t>(head, static_cast<std::uint32_t>(sections.size()));
    append<std::uint64_t>(head, layout.end() + checksum_size);
    pieces.emplace_back();
    pieces.front().insert(0, head + table);
    return pieces;
}

}  // namespace thresher::store
