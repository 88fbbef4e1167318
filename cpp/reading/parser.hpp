// From a piece of text to rows. What comes of it depends on the piece and on the labels met before it alone, so that
// several pieces can be read at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pieces.hpp"
#include "rows.hpp"

namespace thresher::reading {

struct Policy {
    Labelled labelled = Labelled::optional;
    bool drop_unlabelled = false;  // unlabelled lines are counted and left out
    bool skip_bad = false;         // lines that cannot be read are counted and left out
    bool needs_features = false;   // for a learner that normalises: a line without features cannot be read
    Domain domain = Domain::any;   // and which values it takes
    bool unweighted = false;       // and that it takes no weight other than 1
};

struct Bad {
    std::int64_t line;
    Trouble trouble;
};

// A piece of text and what was read in it. Lines are counted from the start of the piece.
struct Parsed {
    static constexpr std::size_t bad_shown = 5;

    Parsed(Piece&& piece, const Labels& met) : piece(std::move(piece)), known(met.seen().size()), labels(met) {}

    Piece piece;
    std::size_t known;  // how many labels were met before it
    Labels labels;      // these, and after them those that were first met in it
    Rows rows;
    std::int64_t lines = 0;
    std::int64_t without_label = 0;
    std::int64_t bad_lines = 0;
    std::vector<Bad> bad;    // the first of them
    bool stopped = false;    // at a line that cannot be read, since such lines are not skipped
    std::size_t passed = 0;  // the bytes up to its end, or all: or fewer, if their lines make very many features

    bool paused() const { return !stopped && piece.start + passed < piece.end; }
};

template <class Format>
class Parser {
  public:
    Parser(const Policy& policy, Format format, const Sizes& sizes, std::shared_ptr<Spare> spare)
        : policy_(policy), longest_(sizes.line), format_(std::move(format)), spare_(std::move(spare)) {}

    void operator()(Parsed& parsed) {
        Piece& piece = parsed.piece;
        char* const text = piece.text.bytes.get();
        const char* at = text + piece.start;
        const char* const end = text + piece.end;
        if (piece.first && end - at >= 3 && std::memcmp(at, "\xEF\xBB\xBF", 3) == 0) at += 3;  // a byte-order mark
        parsed.rows = spare_->rows(static_cast<std::size_t>(end - at) + 1);
        bool too_long = piece.inside;  // what stands before the next line break is passed over
        while (at != end && !parsed.stopped && parsed.rows.terms < most_terms) {
            const char* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
            const auto size = static_cast<std::size_t>((newline == nullptr ? end : newline) - at);
            if (size > longest_ && !std::exchange(too_long, true)) {
                note(parsed, parsed.lines + 1, {1, "a line of more than 16 MiB", "shorter ones"});
            }
            if (newline == nullptr) {
                if (too_long) at = end;
                if (at == end) break;
                text[piece.end] = '\n';  // in the padding
                newline = end;
            }
            ++parsed.lines;
            if (!std::exchange(too_long, false)) read_line(at, newline, parsed);
            at = newline + (newline != end);
        }
        parsed.passed = static_cast<std::size_t>(at - (text + piece.start));
        // Text that nobody looks at again serves whoever read it for what comes next: it lies in that one's cache.
        // Where not both labels were known before, it may have to be read once more.
        const bool done = !Format::named && at == end && parsed.known == Labels::most;
        if (done) spare_->give(std::exchange(piece.text, {}));
    }

    // Calls use(hash, first, second, value) for every name in a row: it is `first` and `second` together.
    template <class Use>
    void each_name(const Parsed& parsed, std::size_t row, Use&& use) {
        format_.each_name(parsed.piece.text.bytes.get() + parsed.rows.places[row], use);
    }

  private:
    void read_line(const char* at, const char* end, Parsed& parsed) {
        Rows& rows = parsed.rows;
        Labels& labels = parsed.labels;
        const std::size_t size = rows.size, terms = rows.terms, known = labels.seen().size();
        const auto place = static_cast<std::uint32_t>(at - parsed.piece.text.bytes.get());
        const std::int64_t collisions = rows.collisions;
        Trouble trouble;
        bool good = format_.read({at, end, parsed.lines, place, policy_.labelled}, labels, rows, trouble);
        if (good && rows.size > size && !fits(at, rows, terms, trouble)) {
            rows.drop_last(terms);
            labels.forget_after(known);
            good = false;
        }
        if (!good) {
            note(parsed, parsed.lines, std::move(trouble));
        } else if (rows.size > size && rows.labels.back() == unlabelled) {
            ++parsed.without_label;
            if (policy_.drop_unlabelled) rows.drop_last(terms);
        }
        if (rows.size == size) rows.collisions = collisions;
    }

    void note(Parsed& parsed, std::int64_t line, Trouble trouble) const {
        ++parsed.bad_lines;
        if (parsed.bad.size() < Parsed::bad_shown) parsed.bad.push_back({line, std::move(trouble)});
        parsed.stopped = !policy_.skip_bad;
    }

    // Whether the learner can take the row that was read last, whose terms begin at `terms`.
    bool fits(const char* line, const Rows& rows, std::size_t terms, Trouble& trouble) const {
        if (policy_.needs_features && rows.terms == terms) {
            trouble = {1, "no feature other than 0", "one at least, since the learner normalises: or give it a bias"};
            return false;
        }
        if (policy_.unweighted && !rows.weights.empty() && rows.weights.back() != 1.0) {
            const char* const start = skip_blanks(token_end(skip_blanks(line)));  // behind the label
            const char* end = start;
            while (!is_blank(*end) && !at_end(end) && *end != '|') ++end;
            trouble = {static_cast<std::size_t>(start - line) + 1, "importance " + shown(start, end),
                       "1: the learner takes no weights"};
            return false;
        }
        if (policy_.domain == Domain::any) [[likely]]
            return true;
        const double* const values = rows.values.get();
        for (std::size_t j = terms; j < rows.terms; ++j) {
            if (refuse_value(policy_.domain, values[j]) == Fault::Kind::none) continue;
            trouble = {1, "a value of " + std::to_string(values[j]), expected_values(policy_.domain)};
            place(line, trouble);
            return false;
        }
        return true;
    }

    // The column of the first number after a colon that the learner cannot take, if there is one.
    void place(const char* line, Trouble& trouble) const {
        for (const char* at = line; !at_end(at); ++at) {
            if (*at != ':') continue;
            const char* end = at + 1;
            while (!is_blank(*end) && !at_end(end) && *end != '|') ++end;
            double value;
            if (!number_between(at + 1, end, value) || refuse_value(policy_.domain, value) == Fault::Kind::none)
                continue;
            trouble.column = static_cast<std::size_t>(at + 1 - line) + 1;
            trouble.found = shown(at + 1, end);
            return;
        }
    }

    Policy policy_;
    std::size_t longest_;
    Format format_;
    std::shared_ptr<Spare> spare_;
};

}  // namespace thresher::reading
