// Bytes as they come, cut into pieces of whole lines: each can be read by whoever is free.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../thresher/digest.hpp"
#include "rows.hpp"

namespace thresher::reading {

// Memory: how much is read at a time, and what a line may have at most.
struct Sizes {
    std::size_t buffer = std::size_t{1} << 20;
    std::size_t line = longest_line;
};

struct Text {
    static constexpr std::size_t padding =
        128;  // behind the bytes: whoever reads them may look so far beyond their end

    Text() = default;
    explicit Text(std::size_t room)
        : capacity(room), bytes(std::make_unique_for_overwrite<char[]>(capacity + padding)) {
        std::memset(bytes.get() + capacity, 0, padding);
    }

    std::size_t capacity = 0;
    std::unique_ptr<char[]> bytes;
};

// The bytes from `start` until before `end` of a text: whole lines, save that the last one of a file may lack its line
// break, and that of a line that is too long a piece may hold any part.
struct Piece {
    Text text;
    std::size_t start = 0;
    std::size_t end = 0;
    std::size_t file = 0;  // counted from 0
    bool first = false;    // of its file
    bool last = false;
    bool inside = false;  // begins inside a line that is too long
    Digest digest{};      // of the text up to its end
};

// What is in use no more, for its memory: fresh memory costs as much as reading the text into it.
class Spare {
  public:
    Spare() {  // so that nothing throws when it is given something
        rows_.reserve(most_kept_);
        texts_.reserve(most_kept_);
    }

    // Pieces are cut at lines, so that hardly two have one size: what was made for one is to serve for all.
    Rows rows(std::size_t bytes) {
        Rows found = taken(rows_, bytes < step ? std::bit_ceil(bytes) : (bytes + step - 1) / step * step);
        found.clear();
        return found;
    }
    Text text(std::size_t room) { return taken(texts_, room); }

    void give(Rows&& rows) { keep(rows_, std::move(rows)); }
    void give(Text&& text) { keep(texts_, std::move(text)); }

    // Lets go of everything, now and later.
    void end() {
        const std::lock_guard guard(lock_);
        rows_.clear();
        texts_.clear();
        most_kept_ = 0;
    }

  private:
    static constexpr std::size_t most_room = std::size_t{2} << 20, step = std::size_t{1} << 16;

    template <class Kept>
    Kept taken(std::vector<Kept>& from, std::size_t room) {
        {
            const std::lock_guard guard(lock_);
            for (; !from.empty(); from.pop_back()) {
                if (from.back().capacity < room) continue;
                Kept found = std::move(from.back());
                from.pop_back();
                return found;
            }
        }
        return Kept(room);
    }

    template <class Kept>
    void keep(std::vector<Kept>& in, Kept&& one) {
        const std::lock_guard guard(lock_);
        if (in.size() < most_kept_ && one.capacity > 0 && room_of(one) <= most_room) in.push_back(std::move(one));
    }

    static std::size_t room_of(const Rows& rows) { return std::max(rows.capacity, rows.room); }
    static std::size_t room_of(const Text& text) { return text.capacity; }

    std::mutex lock_;
    std::size_t most_kept_ = 12;
    std::vector<Rows> rows_;
    std::vector<Text> texts_;
};

class Splitter {
  public:
    Splitter(const Sizes& sizes, Spare& spare) : sizes_(sizes), spare_(spare) {}

    // Where the next bytes go.
    std::span<char> space() {
        if (text_.capacity == 0) begin_text();
        const std::size_t size = end_ - start_;
        if (size == room_) {  // of one line: it may have so many bytes, and some more come with them
            continue_in(std::max(size + sizes_.buffer, std::min(2 * size, sizes_.line)));
        }
        if (start_ > 0) continue_in(room_);
        return {text_.bytes.get() + end_, std::min(room_ - end_, sizes_.buffer)};
    }
    void filled(std::size_t count) { end_ += std::min(count, room_ - end_); }

    // The whole lines that are there, if any; everything if these are the last bytes of their file.
    std::optional<Piece> cut(bool last) {
        if (text_.capacity == 0 && !left_.empty()) begin_text();
        const std::size_t tail = end_ - end_of_lines();
        const std::size_t mark = fresh_ ? 3 : 0;  // a byte-order mark is no part of the first line
        const bool runs_on = !last && (tail > sizes_.line + mark || (inside_ && tail == end_ - start_));
        const std::size_t end = last || runs_on ? end_ : end_ - tail;
        if (end == start_ && !last) return std::nullopt;
        if (text_.capacity == 0) text_ = Text(0);
        digest_.update(text_.bytes.get() + start_, end - start_);
        Piece piece{std::move(text_), start_, end, file_, std::exchange(fresh_, false), last, inside_, digest_};
        inside_ = runs_on;
        left_.assign(piece.text.bytes.get() + end, piece.text.bytes.get() + end_);
        text_ = {};
        start_ = end_ = 0;
        return piece;
    }

    // A NUL comes between two files, so that bytes cannot move from one to the next unseen.
    void start_file() {
        if (std::exchange(begun_, true)) {
            ++file_;
            digest_.update("", 1);
        }
        fresh_ = true;
        inside_ = false;
    }
    std::size_t file() const { return file_; }

    // Passes over bytes that are there, at most `count`: these.
    std::span<const char> skip(std::size_t count) {
        if (text_.capacity == 0 && !left_.empty()) begin_text();
        count = std::min(count, end_ - start_);
        const char* const from = text_.bytes.get() + start_;
        if (count > 0) fresh_ = false;
        digest_.update(from, count);
        start_ += count;
        return {from, count};
    }
    const Digest& digest() const { return digest_; }  // of what was cut or passed over

  private:
    std::size_t end_of_lines() const {
        std::size_t end = end_;
        while (end > start_ && text_.bytes[end - 1] != '\n') --end;
        return end;
    }

    // Memory is taken by who reads into it, since that one knows it best.
    void begin_text() {
        room_ = std::max(sizes_.buffer, 2 * left_.size());
        text_ = spare_.text(room_);
        std::ranges::copy(left_, text_.bytes.get());
        end_ = left_.size();
        left_.clear();
    }

    void continue_in(std::size_t room) {
        Text text(room_ = room);
        std::copy_n(text_.bytes.get() + start_, end_ - start_, text.bytes.get());
        text_ = std::move(text);
        end_ -= std::exchange(start_, 0);
    }

    Sizes sizes_;
    Spare& spare_;
    Text text_;
    std::size_t room_ = 0;  // of it, so much is used: memory that served before may be larger, and pieces end alike
    std::size_t start_ = 0;
    std::size_t end_ = 0;
    std::vector<char> left_;  // behind the last piece, until there is memory for what follows
    std::size_t file_ = 0;
    bool begun_ = false;
    bool fresh_ = true;    // at the first byte of a file
    bool inside_ = false;  // a line that is too long
    Digest digest_;
};

}  // namespace thresher::reading
