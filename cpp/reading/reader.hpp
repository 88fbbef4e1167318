// From bytes to rows: whoever has the bytes puts them into `space`, or says how to get them, several threads read them,
// and `next` gives the rows in the order of the text. Any number of threads makes the same of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../thresher/chain.hpp"
#include "../thresher/digest.hpp"
#include "kept.hpp"
#include "parser.hpp"
#include "pieces.hpp"
#include "turns.hpp"

namespace thresher::reading {

// Fills memory with the bytes of a file that come next, and says how many: fewer than there is room for at its end.
using Feed = std::function<std::size_t(std::span<char>)>;

class AnyReader {
  public:
    AnyReader(std::size_t n, const Sizes& sizes) : splitter_(sizes, *spare), names_(n) {}
    AnyReader(const AnyReader&) = delete;
    AnyReader& operator=(const AnyReader&) = delete;
    virtual ~AnyReader() = default;

    // Before the first bytes of each file.
    void start_file() { splitter_.start_file(); }

    // Where the next bytes go.
    std::span<char> space() { return splitter_.space(); }
    void filled(std::size_t count) { splitter_.filled(count); }

    // The bytes that are there, as far as their lines are whole, go to be read; all if they are the last of their file.
    virtual void cut(bool last) = 0;
    virtual bool has_room() const = 0;  // for more to be read

    // The rest of the file comes from `feed`: each thread gets the bytes that it reads, one thread at a time. They need
    // not go from the cache of one core to that of another then.
    virtual void follow(Feed feed) = 0;

    // The next piece of the text, or none where the file that was followed had no more. It stops at a line that cannot
    // be read, unless such lines are skipped.
    virtual bool has_next() const = 0;
    virtual std::optional<Parsed> next() = 0;

    // No more is read: threads and memory are let go. What is known stays.
    virtual void end() = 0;

    // Its threads, who may do other work, too.
    virtual const std::shared_ptr<Crew>& crew() const = 0;

    // Keeps the names of rows that changed something. What was parsed must stay until at most so many are left
    // `naming`.
    virtual void keep_names(const Parsed& parsed, const bool* changed) = 0;
    virtual std::size_t naming() const = 0;
    virtual KeptNames& names() = 0;  // of features, all that were to be kept; where they are indices there are none
    virtual std::vector<std::string> names_of(const Parsed& parsed, std::size_t row) = 0;

    // Passes over bytes in `space`, at most `count`, without reading them. Only before the first `cut`.
    std::size_t skip(std::size_t count) {
        const std::span<const char> skipped = splitter_.skip(count);
        reach(splitter_.file());
        digest_ = splitter_.digest();
        offset += static_cast<std::int64_t>(skipped.size());
        line_ += std::count(skipped.begin(), skipped.end(), '\n');
        return skipped.size();
    }

    std::uint64_t digest() const { return digest_.value(); }  // of all bytes that were read or passed over

    // What follows is as of the piece that `next` gave last.
    Labels labels;
    std::size_t file = 0;     // counted from 0
    std::int64_t offset = 0;  // how many bytes were read or passed over
    std::int64_t without_label = 0;
    std::int64_t bad_lines = 0;
    std::vector<Bad> bad;  // the first of them
    bool stopped = false;
    bool saw_query = false;

    const std::shared_ptr<Spare> spare = std::make_shared<Spare>();

  protected:
    // Goes on to a file.
    void reach(std::size_t other) {
        for (; file < other; ++file) {
            digest_.update("", 1);
            line_ = 0;
        }
    }

    // What was read in a piece becomes part of what was read so far.
    void take(Parsed& parsed) {
        reach(parsed.piece.file);
        const Piece& piece = parsed.piece;
        if (piece.start + parsed.passed == piece.end) {
            digest_ = piece.digest;
        } else {
            digest_.update(piece.text.bytes.get() + piece.start, parsed.passed);
        }
        offset += static_cast<std::int64_t>(parsed.passed);
        labels = parsed.labels;
        labels.move_after(parsed.known, line_);
        for (Bad& one : parsed.bad) {
            if (bad.size() < Parsed::bad_shown) bad.push_back({one.line + line_, std::move(one.trouble)});
        }
        line_ += parsed.lines;
        without_label += parsed.without_label;
        bad_lines += parsed.bad_lines;
        stopped = parsed.stopped;
        saw_query |= parsed.rows.saw_query;
    }

    Splitter splitter_;
    KeptNames names_;

  private:
    std::int64_t line_ = 0;
    Digest digest_;
};

template <class Format>
class Reader final : public AnyReader {
  public:
    Reader(const Policy& policy, Format format, std::size_t threads = 1, const Sizes& sizes = {})
        : AnyReader(format.n(), sizes),
          ahead_(threads == 1 ? 1 : threads + 4),
          turns_(threads, Parser<Format>(policy, std::move(format), sizes, spare)),
          namer_(turns_.own()),
          naming_(turns_.crew(), {&names_, &namer_}) {}

    void cut(bool last) override {
        if (std::optional<Piece> piece = splitter_.cut(last)) turns_.give(Parsed(std::move(*piece), labels));
    }

    // The first piece is read alone: most often it has both labels, and the others need them.
    bool has_room() const override {
        return !stopped && !ended_ && !turns_.follows() && turns_.size() < (begun_ ? ahead_ : 1);
    }
    bool has_next() const override { return !stopped && (rest_ || turns_.size() > 0 || turns_.follows()); }

    void follow(Feed feed) override {
        know();
        turns_.follow(ahead_, [this, feed = std::move(feed), ended = false]() mutable -> std::optional<Parsed> {
            while (!ended) {
                const std::span<char> space = splitter_.space();
                const std::size_t got = feed(space);
                splitter_.filled(got);
                ended = got < space.size();
                if (std::optional<Piece> piece = splitter_.cut(ended)) return Parsed(std::move(*piece), known());
            }
            return std::nullopt;
        });
    }

    std::optional<Parsed> next() override {
        if (!rest_ && !turns_.any()) return std::nullopt;
        Parsed parsed = rest_ ? std::move(*rest_) : turns_.take();
        if (std::exchange(rest_, std::nullopt)) turns_.own()(parsed);
        if (parsed.known != labels.seen().size()) {  // a label was met after its turn had begun: once more
            spare->give(std::move(parsed.rows));
            parsed = Parsed(std::move(parsed.piece), labels);
            turns_.own()(parsed);
        }
        begun_ = true;
        take(parsed);
        know();
        if (parsed.paused()) rest_.emplace(rest_of(parsed.piece, parsed.passed), labels);
        return parsed;
    }

    const std::shared_ptr<Crew>& crew() const override { return turns_.crew(); }

    void end() override {
        names();
        naming_.end();
        ended_ = true;
        rest_.reset();
        turns_.end();
        spare->end();
    }

    void keep_names(const Parsed& parsed, const bool* changed) override {
        if constexpr (Format::named) {
            while (naming_.size() > 0 && (naming_.size() == most_naming || naming_.done())) naming_.take();
            if (naming_.size() == 0 && names_.full()) return;
            const Naming naming{&parsed, {changed, changed + parsed.rows.size}};
            const bool few = naming_.size() == 0 && std::ranges::count(naming.changed, 1) < few_naming;
            if (ended_ || few) {
                Name{&names_, &turns_.own()}(naming);
            } else {
                naming_.give(naming);
            }
        }
    }
    std::size_t naming() const override { return naming_.size(); }
    KeptNames& names() override {
        while (naming_.size() > 0) naming_.take();
        return names_;
    }

    std::vector<std::string> names_of(const Parsed& parsed, std::size_t row) override {
        std::vector<std::string> found;
        const auto add = [&](std::uint64_t, std::string_view first, std::string_view second, double) {
            found.emplace_back(first).append(second);
        };
        if (Format::named && row < parsed.rows.size) turns_.own().each_name(parsed, row, add);
        return found;
    }

  private:
    // Rows whose names are to be kept, where they changed something.
    struct Naming {
        const Parsed* parsed;
        std::vector<std::uint8_t> changed;
    };
    struct Name {
        void operator()(const Naming& naming) {
            if constexpr (Format::named) {
                const auto keep = [this](std::uint64_t hash, std::string_view first, std::string_view second,
                                         double value) {
                    if (value != 0.0) names->keep(hash, first, second);  // a 0 moves nothing
                };
                const Parsed& parsed = *naming.parsed;
                for (std::size_t k = 0; k < parsed.rows.size && !names->full(); ++k) {
                    if (naming.changed[k] != 0 && !names->knows_all(parsed.rows, k)) parser->each_name(parsed, k, keep);
                }
            }
        }

        KeptNames* names;
        Parser<Format>* parser;
    };

    // What comes after the bytes that were passed: it is read when it is asked for, by whoever asks.
    static Piece rest_of(const Piece& piece, std::size_t passed) {
        const std::size_t size = piece.end - piece.start - passed;
        Piece rest{Text(size), 0, size, piece.file, false, piece.last, false, piece.digest};
        std::copy_n(piece.text.bytes.get() + piece.end - size, size, rest.text.bytes.get());
        return rest;
    }

    // The labels that were met, for those who read: they may ask at any time.
    void know() {
        if (met_.seen().size() == labels.seen().size()) return;
        const auto lock = turns_.crew()->lock();
        met_ = labels;
    }
    Labels known() const {
        const auto lock = turns_.crew()->lock();
        return met_;
    }

    std::size_t ahead_;  // how many pieces may wait to be taken
    bool begun_ = false;
    bool ended_ = false;
    Labels met_;
    std::optional<Parsed> rest_;  // of the piece that was taken last
    Turns<Parsed, Parser<Format>> turns_;
    static constexpr std::size_t most_naming = 6;
    static constexpr std::ptrdiff_t few_naming = 64;  // rows: not worth another thread
    Parser<Format> namer_;
    Chain<Naming, Name> naming_;  // before more is read: so memory serves again sooner
};

}  // namespace thresher::reading
