// Some rows of a table, from columns to slots. What comes of them depends on the table, on the labels met before and on
// the scales before them alone, so that several threads can make some each.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cell_digest.hpp"
#include "columns.hpp"
#include "expansion.hpp"
#include "parser.hpp"
#include "plain_names.hpp"
#include "plain_rows.hpp"
#include "slots.hpp"

namespace thresher::reading {

// Some rows of a table. Each column has as many cells.
struct Columns {
    std::size_t rows = 0;
    std::vector<Column> columns;
    std::vector<Column> label;  // at most one, of categories
    std::vector<Column> tag;    // at most one, of words: cells that are kept as they are
};

// What is the same for all rows of a table: it, and what its names hash to.
struct Begun {
    static constexpr std::uint64_t missing = missing_cell;

    Begun(const Columns& of, std::size_t n) : table(of) {
        for (const auto* some : {&of.columns, &of.label}) {
            for (const Column& column : *some) {
                hashes.push_back(hashes_of(column));
                spread.push_back(spread_of(hashes.back()));
            }
        }
        plain = PlainNames(n, of.columns, hashes);
    }

    // Of its name, or of each of its categories. A hash that is 0 would be taken for missing: it becomes 1.
    static std::vector<std::uint64_t> hashes_of(const Column& column) {
        if (column.kind == Column::Kind::numbers) return {hash64(column.prefix)};
        std::vector<std::uint64_t> hashes;
        if (column.kind == Column::Kind::words) return hashes;
        std::string joint;
        for (std::size_t i = 0; i < column.texts.size(); ++i) {
            const std::string_view text = trimmed(column.texts[i]);
            joint.assign(column.prefix).append(text);
            hashes.push_back(text.empty() ? missing : std::max<std::uint64_t>(hash64(joint), 1));
        }
        return hashes;
    }

    // The same as number `c` of `digests`, from the first cell on that is given.
    CellDigest digest_from_given(std::size_t c, std::size_t from, std::size_t to) const {
        const Column& column = c < table.columns.size() ? table.columns[c] : table.label[c - table.columns.size()];
        return digest_of(column, hashes[c], spread[c], first_given(column, hashes[c], from, to), to);
    }

    // Of rows from `from` until before `to`: of each column, and of the labels.
    std::vector<CellDigest> digests(std::size_t from, std::size_t to) const {
        std::vector<CellDigest> all;
        for (const auto* some : {&table.columns, &table.label}) {
            for (const Column& column : *some)
                all.push_back(digest_of(column, hashes[all.size()], spread[all.size()], from, to));
        }
        return all;
    }

    const Columns& table;
    std::vector<std::vector<std::uint64_t>> hashes, spread;  // of its columns, and of its labels behind them
    PlainNames plain;
};

// A number that made its column's deviation more than ten times as large.
struct Leap {
    std::size_t column;  // from 0
    std::size_t row;
    double times;
};

// Rows of a table, and what was made of them.
struct Part {
    std::shared_ptr<const Begun> begun;
    std::size_t from, to;
    std::vector<Scale> before;  // of each column, where they move
    Parsed parsed;

    std::vector<Scale> after = {};
    std::size_t end = 0;                   // behind the last row that was read: before `to` if one stopped it
    std::optional<Leap> leap = {};         // the first
    std::vector<CellDigest> digests = {};  // of what was read
};

class RowMaker {
  public:
    static constexpr std::size_t batch_terms = std::size_t{1} << 15;  // half a megabyte, which a cache holds
    static constexpr std::size_t most_rows = batch_terms / 2;

    RowMaker(std::size_t n, const Policy& policy, std::size_t ngrams, Scaling scaling, std::shared_ptr<Spare> spare)
        : policy_(policy),
          scaling_(scaling),
          plain_(policy.domain, scaling),
          sorter_(n, policy.domain),
          expansion_({}, ngrams, policy.domain),
          spare_(std::move(spare)) {}

    // Where rows that begin with this one end, so that they make some ten thousand terms. It depends on the table
    // alone.
    std::size_t end_of_part(const Columns& table, std::size_t from) const {
        std::size_t fixed = 0;
        std::vector<const Column*> varying;
        for (const Column& column : table.columns) {
            const bool one = column.kind != Column::Kind::words && column.starts.empty();
            fixed += one;
            if (!one) varying.push_back(&column);
        }
        const std::size_t most = std::min(table.rows, from + most_rows);
        if (varying.empty()) {
            const std::size_t rows = batch_terms / std::max<std::size_t>(fixed, 1);
            return std::min(most,
                            from + std::max<std::size_t>(
                                       1, rows < PlainRows::tile ? rows : rows / PlainRows::tile * PlainRows::tile));
        }
        std::size_t row = from;
        for (std::size_t terms = 0; row < most && terms < batch_terms; ++row) {
            terms += fixed;
            for (const Column* column : varying) {
                terms += column->kind == Column::Kind::words ? column->texts[row].size() / bytes_of_word
                                                             : column->of_row(row).size();
            }
        }
        return row;
    }

    void operator()(Part& part) {
        begun_ = part.begun.get();
        const Columns& table = begun_->table;
        part.digests = begun_->digests(part.from, part.to);  // first: one column behind the other is faster to read
        Parsed& parsed = part.parsed;
        parsed.rows = spare_->rows(2 * batch_terms);  // always as much, so that it serves again
        scales_ = part.before;
        leap_.reset();
        label_codes_.assign(table.label.empty() ? 0 : table.label[0].texts.size(), undecided);
        plain_.begin(begun_->plain);
        plain_.load(scales_);
        std::size_t row = part.from;
        for (std::size_t most = PlainRows::tile; row < part.to && !parsed.stopped;) {
            const std::size_t run = write_run(row, std::min(most, part.to - row), parsed);
            row += run;
            if (next_alone_ || (run == 0 && most == 1)) {
                read(row++, parsed);
                most = PlainRows::tile;
            } else {
                most = run > 0 ? PlainRows::tile : most / 4;  // so that it finds the row that stands in the way
            }
        }
        plain_.store(scales_);
        part.after = scales_;
        part.leap = leap_;
        part.end = row;
        if (row < part.to) part.digests = begun_->digests(part.from, row);
        begun_ = nullptr;
    }

    // Moves scales by rows, if all of them can be read: then it is what they are behind them.
    void foresee(const Begun& begun, std::size_t from, std::size_t to, std::vector<Scale>& scales) const {
        const Columns& table = begun.table;
        std::vector<std::size_t> which;
        std::vector<const double*> values;
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            if (table.columns[c].kind != Column::Kind::numbers) continue;
            which.push_back(c);
            values.push_back(table.columns[c].values.data());
        }
        if (which.empty()) return;
        while (values.size() % side_by_side != 0) values.push_back(values.back());
        Scales all(values.size());
        for (std::size_t j = 0; j < values.size(); ++j) all.put(j, scales[which[std::min(j, which.size() - 1)]]);
        for (std::size_t row = from; row < to;) {
            std::size_t end = row;
            while (end < to && end - row < NumberRows::most_rows && !left_out(begun, end)) ++end;
            const NumberRows rows{values.data(), values.size(), row, end - row};
            sweep_numbers([&](auto sweeps) { sweeps.foresee(rows, all); });
            row = end - row < NumberRows::most_rows ? end + 1 : end;
        }
        for (std::size_t j = 0; j < which.size(); ++j) scales[which[j]] = all.at(j);
    }

    // Calls use(hash, first, second) for each name of a row: it is `first` and `second` together.
    template <class Use>
    void each_name(const Columns& table, std::size_t row, Use&& use) {
        for (const Column& column : table.columns) {
            const std::string_view prefix = column.prefix;
            if (column.kind == Column::Kind::numbers) {
                const double value = column.values[row];
                if (value == value && (scaling_ != Scaling::none || value != 0.0))
                    use(hash64(prefix), prefix, std::string_view());
            } else if (column.kind == Column::Kind::categories) {
                for (const std::int32_t code : column.of_row(row)) {
                    if (code < 0) continue;
                    const std::string_view text = trimmed(column.texts[static_cast<std::size_t>(code)]);
                    if (!text.empty()) use(joint(prefix, text), prefix, text);
                }
            } else {
                Trouble trouble;
                words(column, row, trouble, [&](std::uint64_t hash, std::string_view first, std::string_view second) {
                    use(hash, first, second);
                    return true;
                });
            }
        }
    }

  private:
    static constexpr std::size_t bytes_of_word = 6;  // and the blank behind it
    static constexpr std::int8_t undecided = -2, refused = -3;
    static constexpr std::uint64_t missing = Begun::missing;

    std::uint64_t joint(std::string_view first, std::string_view second) {
        joint_.assign(first);
        joint_ += second;
        return hash64(joint_);
    }

    // Whether a row has no label, and is left out for it.
    bool left_out(const Begun& begun, std::size_t row) const {
        if (!policy_.drop_unlabelled) return false;
        if (begun.table.label.empty() || policy_.labelled == Labelled::ignored) return true;
        const std::int32_t code = begun.table.label[0].codes[row];
        return code < 0 || begun.hashes.back()[static_cast<std::size_t>(code)] == missing;
    }

    // ---- several rows --------------------------------------------------------------------------------------------

    // Rows from `row` on, at most `run`, whose labels are known and that are plain: how many. Where the next one is
    // known not to be such, `next_alone_` says so.
    std::size_t write_run(std::size_t row, std::size_t run, Parsed& parsed) {
        const Columns& table = begun_->table;
        const bool unknown = table.label.empty() || policy_.labelled == Labelled::ignored;
        next_alone_ = !begun_->plain.plain || (unknown && policy_.drop_unlabelled);
        if (next_alone_) return 0;
        std::int8_t labels[PlainRows::tile];
        std::fill_n(labels, run, unlabelled);
        if (!unknown) {
            const std::int32_t* const codes = table.label[0].codes.data() + row;
            std::size_t known = 0;
            for (; known < run && codes[known] >= 0; ++known) {
                labels[known] = label_codes_[static_cast<std::size_t>(codes[known])];
                if (labels[known] < 0) break;
            }
            next_alone_ = known < run;
            run = known;
        }
        if (run == 0) return 0;
        std::size_t ends[PlainRows::tile];
        Rows& rows = parsed.rows;
        const std::size_t written = plain_.write(row, run, rows, ends);
        next_alone_ = plain_.clashed() || (next_alone_ && written == run);
        run = written;
        if (run == 0) return 0;
        if (policy_.needs_features) {
            for (std::size_t i = 0, before = rows.terms; i < run; before = ends[i++]) {
                if (ends[i] != before) continue;
                next_alone_ = false;
                return 0;
            }
        }
        plain_.accept();
        parsed.lines += static_cast<std::int64_t>(run);
        if (unknown) parsed.without_label += static_cast<std::int64_t>(run);
        for (std::size_t i = 0; i < run && !table.tag.empty(); ++i) rows.tags.emplace_back(table.tag[0].texts[row + i]);
        rows.end_rows(ends, labels, run, static_cast<std::uint32_t>(row));
        return run;
    }

    // ---- one row -------------------------------------------------------------------------------------------------

    void read(std::size_t row, Parsed& parsed) {
        const Columns& table = begun_->table;
        ++parsed.lines;
        Rows& rows = parsed.rows;
        Labels& labels = parsed.labels;
        const std::size_t known = labels.seen().size();
        const std::int64_t collisions = rows.collisions;
        Trouble trouble;
        std::int8_t label = unlabelled;
        bool good = read_label(row, labels, label, trouble);
        if (good && label == unlabelled) {
            ++parsed.without_label;
            if (policy_.drop_unlabelled) return;
        }
        std::size_t end = rows.terms;
        good = good && read_cells(row, rows, end, trouble);
        if (!good) {
            if (labels.seen().size() > known) {
                labels.forget_after(known);
                std::fill(label_codes_.begin(), label_codes_.end(), undecided);
            }
            rows.collisions = collisions;
            ++parsed.bad_lines;
            if (parsed.bad.size() < Parsed::bad_shown)
                parsed.bad.push_back({static_cast<std::int64_t>(row), std::move(trouble)});
            parsed.stopped = !policy_.skip_bad;
            return;
        }
        if (!table.tag.empty()) rows.tags.emplace_back(table.tag[0].texts[row]);
        rows.end_row(end, label, 1.0, static_cast<std::uint32_t>(row));
    }

    bool read_label(std::size_t row, Labels& labels, std::int8_t& label, Trouble& trouble) {
        const Columns& table = begun_->table;
        if (table.label.empty() || policy_.labelled == Labelled::ignored) return true;
        const std::int32_t code = table.label[0].codes[row];
        if (code < 0) return true;
        std::int8_t& known = label_codes_[static_cast<std::size_t>(code)];
        const std::string_view text = trimmed(table.label[0].texts[static_cast<std::size_t>(code)]);
        if (known == undecided) {
            const std::string padded = std::string(text) + '\n' + std::string(16, '\0');
            known = text.empty() ? unlabelled
                    : labels.take_cell({padded.data(), text.size()}, static_cast<std::int64_t>(row) + 1, known, trouble)
                        ? known
                        : refused;
        } else if (known == refused) {
            const std::string padded = std::string(text) + '\n' + std::string(16, '\0');
            std::int8_t none;
            labels.take_cell({padded.data(), text.size()}, 0, none, trouble);  // for the words that say why
        }
        label = known;
        trouble.column = table.columns.size() + 1;
        return known != refused;
    }

    bool read_cells(std::size_t row, Rows& rows, std::size_t& end, Trouble& trouble) {
        const std::size_t before = end;
        const bool plain = plain_.write(row, 1, rows, &end) == 1;
        if (!plain) plain_.store(scales_);
        if (!plain && !sort_cells(row, rows, end = before, trouble)) return false;
        if (policy_.needs_features && end == before)
            return refuse(trouble, "no attribute other than 0",
                          "one at least, since the learner normalises: or give it a bias");
        if (plain) {
            plain_.accept();
        } else {
            for (const auto& [column, next] : moved_) {
                Scale& scale = scales_[column];
                if (!leap_ && next.leaps(scale)) leap_ = {column, row, std::sqrt(next.squares / scale.squares)};
                scale = next;
            }
            plain_.load(scales_);
        }
        return true;
    }

    // The cells of a row in any order.
    bool sort_cells(std::size_t row, Rows& rows, std::size_t& end, Trouble& trouble) {
        sorter_.clear();
        moved_.clear();
        const Columns& table = begun_->table;
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            const Column& column = table.columns[c];
            const std::vector<std::uint64_t>& hashes = begun_->hashes[c];
            trouble.column = c + 1;
            if (column.kind == Column::Kind::numbers) {
                const double value = column.values[row];
                if (value == value && !number(c, value, hashes[0], trouble)) return false;
            } else if (column.kind == Column::Kind::categories) {
                for (const std::int32_t code : column.of_row(row)) {
                    const std::uint64_t hash = code < 0 ? missing : hashes[static_cast<std::size_t>(code)];
                    if (hash != missing && !add(hash, 1.0, trouble)) return false;
                }
            } else {
                const auto use = [&](std::uint64_t hash, std::string_view, std::string_view) {
                    return add(hash, 1.0, trouble);
                };
                if (!words(column, row, trouble, use)) return false;
            }
        }
        trouble.column = 0;
        rows.reserve(end + sorter_.size() + 1);
        return sorter_.settle(rows, end) ||
               refuse(trouble, "values that add up to more than 2^250 (1.8e75) in one slot", "smaller values");
    }

    bool number(std::size_t column, double value, std::uint64_t hash, Trouble& trouble) {
        if (!acceptable(value))
            return refuse(trouble, shown_number(value), "a finite number of at most 2^250 (1.8e75)");
        double used = value;
        if (scaling_ != Scaling::none) {
            Scale next = scales_[column];
            if (scaling_ == Scaling::moving) {
                next.add(value);
                moved_.emplace_back(column, next);
            }
            used = next(value);
        }
        if (refuse_value(policy_.domain, used) != Fault::Kind::none) {
            const std::string scaled = scaling_ != Scaling::none ? " (scaled: " + shown_number(used) + ")" : "";
            return refuse(trouble, shown_number(value) + scaled, expected_values(policy_.domain));
        }
        return used == 0.0 || add(hash, used, trouble);
    }

    bool add(std::uint64_t hash, double value, Trouble& trouble) {
        return sorter_.add(hash, value) || refuse(trouble, "more than 2^20 attributes", "shorter texts");
    }

    // Calls use(hash, prefix, word), which may say no, for the words of a cell and for its n-grams.
    template <class Use>
    bool words(const Column& column, std::size_t row, Trouble& trouble, Use&& use) {
        bool good = true;
        expansion_.clear();
        each_word(column.texts[row], [&](std::string_view word) {
            good = good && use(joint(column.prefix, word), std::string_view(column.prefix), word);
            if (good && expansion_.wanted()) expansion_.add(0, column.prefix, word, 1.0);
        });
        return good && (!expansion_.wanted() || (expansion_.each(trouble, [&](std::uint64_t hash, std::string_view name,
                                                                              double) {
                   good = good && use(hash, std::string_view(), name);
               }) && good));
    }

    static std::string shown_number(double value) {
        char text[32];
        std::snprintf(text, sizeof text, "%.12g", value);
        return text;
    }

    Policy policy_;
    Scaling scaling_;
    PlainRows plain_;
    HashedRow sorter_;
    Expansion expansion_;
    std::shared_ptr<Spare> spare_;
    const Begun* begun_ = nullptr;                      // of the rows at hand
    std::vector<Scale> scales_;                         // of its columns
    std::vector<std::pair<std::size_t, Scale>> moved_;  // by the row at hand, if it can be read
    std::optional<Leap> leap_;
    std::vector<std::int8_t> label_codes_;  // of the categories of its labels
    bool next_alone_ = false;               // the next row is to be read by itself
    std::string joint_;
};

}  // namespace thresher::reading
