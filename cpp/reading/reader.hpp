// From bytes to rows, a buffer at a time: whoever has the bytes puts them into `space`, `next` reads the whole lines.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "../thresher/digest.hpp"
#include "kept.hpp"
#include "rows.hpp"

namespace thresher::reading {

struct Policy {
    Labelled labelled = Labelled::optional;
    bool drop_unlabelled = false;  // unlabelled lines are counted and left out
    bool skip_bad = false;         // lines that cannot be read are counted and left out
    bool needs_features = false;   // for a learner that normalises: a line without features cannot be read
    Domain domain = Domain::any;   // and which values it takes
};

// Memory: how much is read at a time, and what a line may have at most.
struct Sizes {
    std::size_t buffer = std::size_t{1} << 20;
    std::size_t line = longest_line;
};

struct Bad {
    std::int64_t line;
    Trouble trouble;
};

class AnyReader {
  public:
    AnyReader(const Policy& policy, std::size_t n, const Sizes& sizes = {})
        : names(n), policy_(policy), sizes_(sizes), buffer_(sizes.buffer + padding) {}
    AnyReader(const AnyReader&) = delete;
    AnyReader& operator=(const AnyReader&) = delete;
    virtual ~AnyReader() = default;

    // Where the next bytes go. What `next` gave before stays good, but the text it came from is gone.
    std::span<char> space() {
        generation_ = ++generations;
        std::memmove(buffer_.data(), buffer_.data() + start_, end_ - start_);
        end_ -= start_;
        start_ = 0;
        if (end_ + padding >= buffer_.size()) {
            buffer_.resize(2 * buffer_.size());
        } else if (buffer_.size() > sizes_.buffer + padding && end_ < sizes_.buffer) {  // a long line has passed
            buffer_.resize(sizes_.buffer + padding);
            buffer_.shrink_to_fit();
        }
        return {buffer_.data() + end_, std::min(buffer_.size() - padding - end_, sizes_.buffer)};
    }
    void filled(std::size_t count) { end_ += std::min(count, buffer_.size() - padding - end_); }

    // The rows of the whole lines in the buffer; of everything in it if these are the `last` bytes of their file. It
    // stops before a line that cannot be read, unless such lines are skipped; then `stopped()`. And after rows that are
    // large, where lines make more features than they hold; then `paused()`, and it is called again before anything
    // else.
    virtual Rows next(bool last) = 0;
    virtual void keep_names(const Rows& rows, const bool* changed) = 0;
    virtual std::vector<std::string> names_of(const Rows& rows, std::size_t k) = 0;
    virtual bool saw_query() const = 0;

    void start_file() {
        line_ = 0;
        fresh_ = true;
        too_long_ = false;
    }
    void end_file() { digest_.update("", 1); }  // a NUL, so that bytes cannot move from one file to the next unseen

    // Passes over bytes in the buffer, at most `count`, without reading them.
    std::size_t skip(std::size_t count) {
        count = std::min(count, end_ - start_);
        if (count == 0) return 0;
        const char* const from = buffer_.data() + start_;
        line_ += std::count(from, from + count, '\n');
        consume(count);
        return count;
    }

    bool stopped() const { return stopped_; }
    bool paused() const { return paused_; }
    std::uint64_t digest() const { return digest_.value(); }  // of all bytes that were read or passed over

    std::shared_ptr<Spare> spare = std::make_shared<Spare>();
    Labels labels;
    KeptNames names;          // of features; where they are indices there are none
    std::int64_t offset = 0;  // how many bytes those were
    std::int64_t without_label = 0;
    std::int64_t bad_lines = 0;
    std::vector<Bad> bad;  // the first of them

  protected:
    static constexpr std::size_t padding = 64;
    static constexpr std::size_t bad_shown = 5;

    void consume(std::size_t count) {
        digest_.update(buffer_.data() + start_, count);
        fresh_ = fresh_ && count == 0;
        start_ += count;
        offset += static_cast<std::int64_t>(count);
    }

    void note(std::int64_t line, Trouble trouble) {
        ++bad_lines;
        if (bad.size() < bad_shown) bad.push_back({line, std::move(trouble)});
        if (!policy_.skip_bad) stopped_ = true;
    }

    Policy policy_;
    Sizes sizes_;
    std::vector<char> buffer_;
    std::size_t start_ = 0;
    std::size_t end_ = 0;
    std::int64_t line_ = 0;
    std::uint64_t generation_ = 0;
    inline static std::atomic<std::uint64_t> generations = 0;  // of all readers: no rows are taken for another's
    bool fresh_ = true;                                        // at the first byte of a file
    bool too_long_ = false;                                    // inside a line that is too long, which is passed over
    bool stopped_ = false;
    bool paused_ = false;
    Digest digest_;
};

template <class Format>
class Reader final : public AnyReader {
  public:
    Reader(const Policy& policy, Format format, const Sizes& sizes = {})
        : AnyReader(policy, format.n(), sizes), format_(std::move(format)) {}

    Rows next(bool last) override {
        if (fresh_ && end_ - start_ >= 3 && std::memcmp(buffer_.data() + start_, "\xEF\xBB\xBF", 3) == 0) consume(3);
        Rows rows = spare->take(end_ - start_ + 1);
        rows.generation = generation_;
        const char* at = buffer_.data() + start_;
        const char* const end = buffer_.data() + end_;
        while (at != end && !stopped_ && rows.terms < most_terms) {
            const char* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
            check_length(static_cast<std::size_t>((newline == nullptr ? end : newline) - at));
            if (newline == nullptr) {
                if (too_long_) at = end;  // a line without end is passed over piece by piece
                if (!last || at == end) break;
                buffer_[end_] = '\n';  // in the padding
                newline = end;
            }
            read_line(at, rows);
            at = newline + (newline != end);
        }
        paused_ = at != end && !stopped_ && rows.terms >= most_terms;
        consume(static_cast<std::size_t>(at - (buffer_.data() + start_)));
        return rows;
    }

    void keep_names(const Rows& rows, const bool* changed) override {
        if constexpr (Format::named) {
            if (rows.generation != generation_) return;
            const auto keep = [this](std::uint64_t hash, std::string_view first, std::string_view second,
                                     double value) {
                if (value != 0.0) names.keep(hash, first, second);  // a 0 moves nothing
            };
            for (std::size_t k = 0; k < rows.size; ++k) {
                if (changed[k] && !all_known(rows, k)) format_.each_name(buffer_.data() + rows.places[k], keep);
            }
        }
    }

    // Whether the names of a row are all kept: then its text need not be read again.
    bool all_known(const Rows& rows, std::size_t k) const {
        for (auto j = static_cast<std::size_t>(rows.starts[k]); j < static_cast<std::size_t>(rows.starts[k + 1]); ++j) {
            if (!names.knows(KeptNames::key(rows.slots[j], rows.name_tags[j]))) return false;
        }
        return true;
    }

    std::vector<std::string> names_of(const Rows& rows, std::size_t k) override {
        std::vector<std::string> found;
        if (rows.generation == generation_ && k < rows.size) {
            const auto add = [&](std::uint64_t, std::string_view first, std::string_view second, double) {
                found.emplace_back(first).append(second);
            };
            format_.each_name(buffer_.data() + rows.places[k], add);
        }
        return found;
    }

    bool saw_query() const override { return format_.saw_query; }

  private:
    void read_line(const char* at, Rows& rows) {
        ++line_;
        if (std::exchange(too_long_, false)) return;  // the rest of one
        const std::size_t size = rows.size, terms = rows.terms, known = labels.seen().size();
        const auto place = static_cast<std::uint32_t>(at - buffer_.data());
        const std::int64_t collisions = rows.collisions;
        Trouble trouble;
        bool good = format_.read({at, line_, place, policy_.labelled}, labels, rows, trouble);
        if (good && rows.size > size && !fits(at, rows, terms, trouble)) {
            rows.drop_last(terms);
            labels.forget_after(known);
            good = false;
        }
        if (!good) {
            note(line_, std::move(trouble));
        } else if (rows.size > size && rows.labels.back() == unlabelled) {
            ++without_label;
            if (policy_.drop_unlabelled) rows.drop_last(terms);
        }
        if (rows.size == size) rows.collisions = collisions;
    }

    // Whether the learner can take the row that was read last, whose terms begin at `terms`.
    bool fits(const char* line, const Rows& rows, std::size_t terms, Trouble& trouble) const {
        if (policy_.needs_features && rows.terms == terms) {
            trouble = {1, "no feature other than 0", "one at least, since the learner normalises: or give it a bias"};
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

    void check_length(std::size_t size) {
        if (size <= sizes_.line || std::exchange(too_long_, true)) return;
        note(line_ + 1, {1, "a line of more than 16 MiB", "shorter ones"});
    }

    Format format_;
};

}  // namespace thresher::reading
