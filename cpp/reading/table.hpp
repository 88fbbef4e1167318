// From the columns of a table to rows, and from there to the names in them.
//
// Rows are made by several threads, some thousand each, and taken in the order of the table. What they depend on is
// foreseen: the labels are those that are known, and the scales of numbers, which move with each row, are moved by all
// rows before in a sweep that does nothing else. If it came otherwise, since a row could not be read or had a new
// label, they are made once more, by the thread that takes them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../thresher/digest.hpp"
#include "cell_digest.hpp"
#include "kept.hpp"
#include "row_maker.hpp"
#include "turns.hpp"

namespace thresher::reading {

class TableReader {
  public:
    TableReader(std::size_t n, const Policy& policy, std::size_t ngrams, Scaling scaling, std::size_t threads = 1)
        : names(n),
          n_(n),
          scaling_(scaling),
          ahead_(threads == 1 ? 1 : threads + 1),
          turns_(threads, RowMaker(n, policy, ngrams, scaling, spare)) {}

    // Before the rows of a table are read: its names are hashed. It must stay as long as they are read.
    void begin(const Columns& table) {
        turns_.drop();
        stopped = alone_ = false;
        row_ = given_ = 0;
        begun_ = std::make_shared<Begun>(table, n_);
        scales_of_.clear();
        digests_of_.clear();
        for (const auto* some : {&table.columns, &table.label}) {
            for (const Column& column : *some) digests_of_.push_back(&digests_[column.name + '\0' + column.prefix]);
        }
        for (const Column& column : table.columns) {
            const bool scaled = scaling_ != Scaling::none && column.kind == Column::Kind::numbers;
            scales_of_.push_back(scaled ? &scales_[column.prefix] : nullptr);
        }
        now_.assign(table.columns.size(), {});
        for (std::size_t c = 0; c < now_.size(); ++c) {
            if (scales_of_[c] != nullptr) now_[c] = *scales_of_[c];
        }
    }

    bool has_next() const { return begun_ != nullptr && !stopped && row_ < begun_->table.rows; }

    // The next rows of the table that was begun last, as many as go into a batch; or those before one that cannot be
    // read. Only if there are some. `shared`: the other threads make rows, too; else they are left to what else is
    // done.
    Parsed next(bool shared = true) {
        if (!shared && turns_.size() == 0) {
            Part part = made(given_, turns_.own().end_of_part(begun_->table, given_));
            take(part);
            return std::move(part.parsed);
        }
        while (shared && given_ < begun_->table.rows && turns_.size() < (met_ && !alone_ ? ahead_ : 1)) give();
        Part part = turns_.take();
        const bool known = part.parsed.known == labels.seen().size(), as_foreseen = same(part.before, now_);
        if (!known || !as_foreseen) {
            turns_.drop();
            alone_ = alone_ || !as_foreseen;
            spare->give(std::move(part.parsed.rows));
            part = made(part.from, part.to);
        }
        take(part);
        return std::move(part.parsed);
    }

    // Passes over rows of the table that was begun, at most `count`, without reading them: so many.
    std::size_t skip(std::size_t count) {
        if (begun_ == nullptr) return 0;
        turns_.drop();
        const std::size_t from = row_;
        const std::size_t to = from + std::min(count, begun_->table.rows - from);
        note(begun_->digests(from, to), to);
        given_ = row_;
        return row_ - from;
    }

    // No more is read: threads and memory are let go. What is known stays.
    const std::shared_ptr<Crew>& crew() const { return turns_.crew(); }

    void end() {
        turns_.end();
        spare->end();
        begun_.reset();
    }

    void keep_names(const Columns& table, const Rows& rows, const bool* changed) {
        for (std::size_t k = 0; k < rows.size && !names.full(); ++k) {
            if (!changed[k] || names.knows_all(rows, k)) continue;
            each_name(table, rows.places[k], [&](std::uint64_t hash, std::string_view first, std::string_view second) {
                const bool lines = (first.find('\n') & second.find('\n')) != std::string_view::npos;
                if (!lines) names.keep(hash, first, second);
            });
        }
    }

    // Calls use(hash, first, second) for each name of a row: it is `first` and `second` together.
    template <class Use>
    void each_name(const Columns& table, std::size_t row, Use&& use) {
        turns_.own().each_name(table, row, use);
    }

    // Of every cell that was read or passed, column by column, from the first on that is given: however they are cut
    // into batches, and whether or not it was known before what a column would hold, it is the same.
    std::uint64_t digest() const {
        Digest all;
        for (const auto& [name, digest] : digests_) {
            if (digest.count() == 0) continue;
            const std::uint64_t numbers[] = {name.size(), digest.sum(), digest.count()};
            all.update(name.data(), name.size());
            all.update(reinterpret_cast<const char*>(numbers), sizeof numbers);
        }
        return all.value();
    }
    std::int64_t rows() const { return rows_; }

    std::map<std::string, Scale>& scales() { return scales_; }
    const std::map<std::string, Scale>& scales() const { return scales_; }

    std::optional<Leap> leap;  // the first there was, in the table that was begun then

    Labels labels;
    KeptNames names;
    std::int64_t without_label = 0;
    std::int64_t bad_lines = 0;
    bool stopped = false;
    const std::shared_ptr<Spare> spare = std::make_shared<Spare>();

  private:
    static bool same(const std::vector<Scale>& one, const std::vector<Scale>& other) {
        return one.empty() || std::memcmp(one.data(), other.data(), one.size() * sizeof(Scale)) == 0;
    }

    void give() {
        const std::size_t from = given_;
        if (turns_.size() == 0) {
            foreseen_ = now_;  // nobody makes rows meanwhile
        } else if (scaling_ == Scaling::moving) {
            turns_.own().foresee(*begun_, foreseen_at_, from, foreseen_);
        }
        foreseen_at_ = from;
        given_ = turns_.own().end_of_part(begun_->table, from);
        turns_.give(Part{begun_, from, given_, foreseen_, Parsed({}, labels)});
    }

    // Rows whose turn it is, by this thread.
    Part made(std::size_t from, std::size_t to) {
        Part part{begun_, from, to, now_, Parsed({}, labels)};
        turns_.own()(part);
        given_ = to;
        return part;
    }

    // What was made of some rows becomes part of what was read so far.
    void take(Part& part) {
        const Parsed& parsed = part.parsed;
        note(part.digests, part.end);
        met_ = true;
        now_ = std::move(part.after);
        for (std::size_t c = 0; c < now_.size(); ++c) {
            if (scales_of_[c] != nullptr) *scales_of_[c] = now_[c];
        }
        labels = parsed.labels;
        without_label += parsed.without_label;
        bad_lines += parsed.bad_lines;
        stopped = parsed.stopped;
        if (!leap) leap = part.leap;
    }

    void note(const std::vector<CellDigest>& digests, std::size_t to) {
        for (std::size_t c = 0; c < digests.size(); ++c) {
            CellDigest& all = *digests_of_[c];
            all.append(all.count() > 0 ? digests[c] : begun_->digest_from_given(c, row_, to));
        }
        rows_ += static_cast<std::int64_t>(to - row_);
        row_ = to;
    }

    std::size_t n_;
    Scaling scaling_;
    std::size_t ahead_;                          // how many parts may wait to be taken
    std::map<std::string, Scale> scales_;        // by the names of their columns
    std::map<std::string, CellDigest> digests_;  // of the columns, by name and prefix: neither tells them all apart
    std::int64_t rows_ = 0;
    // Of the table that was begun:
    std::shared_ptr<const Begun> begun_;
    std::size_t row_ = 0, given_ = 0;      // those before were taken, and given to be made
    std::vector<CellDigest*> digests_of_;  // of its columns and of its labels
    std::vector<Scale*> scales_of_;        // of its columns, where numbers are scaled
    std::vector<Scale> now_;               // the same, as they are
    std::vector<Scale> foreseen_;          // and as they will be before the row `foreseen_at_`
    std::size_t foreseen_at_ = 0;
    bool met_ = false;    // rows were read: most often they have both labels, and the others need them
    bool alone_ = false;  // something came otherwise than foreseen: rows of this table wait for those before them
    Turns<Part, RowMaker> turns_;
};

}  // namespace thresher::reading
