// From the columns of a table to rows, and from there to the names in them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../thresher/digest.hpp"
#include "columns.hpp"
#include "expansion.hpp"
#include "kept.hpp"
#include "parser.hpp"
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

class TableReader {
  public:
    // `scaled`: numbers by their running scale; `frozen`: by the scale as it is, which does not move.
    TableReader(std::size_t n, const Policy& policy, std::size_t ngrams, bool scaled, bool frozen)
        : names(n),
          policy_(policy),
          scaled_(scaled),
          frozen_(frozen),
          plain_(n, policy.domain),
          sorter_(n, policy.domain),
          expansion_({}, ngrams, policy.domain) {}

    // Before the rows of a table are read: its names are hashed.
    void begin(const Columns& table) {
        hashes_.clear();
        for (const Column& column : table.columns) hashes_.push_back(hashes_of(column));
        scales_of_.clear();
        for (const Column& column : table.columns)
            scales_of_.push_back(scaled(column) ? &scales_[column.prefix] : nullptr);
        plain_.begin(table.columns, hashes_, scales_of_);
        label_codes_.clear();
        if (!table.label.empty()) label_codes_.assign(table.label[0].texts.size(), undecided);
        label_hashes_ = table.label.empty() ? std::vector<std::uint64_t>() : hashes_of(table.label[0]);
    }

    // Passes over rows without reading them, for the digest alone.
    void pass(const Columns& table, std::size_t from, std::size_t to) {
        for (std::size_t c = 0; c < table.columns.size(); ++c) note(table.columns[c], hashes_[c], from, to);
        for (const Column& column : table.label) note(column, label_hashes_, from, to);
        rows_ += static_cast<std::int64_t>(to - from);
    }

    // The rows from `row` on, as many as go into a batch; `row` moves on to the first that does not, or behind the one
    // that cannot be read. The table must be the one that was begun last.
    Parsed next(const Columns& table, std::size_t& row) {
        Parsed parsed({}, labels);
        const std::size_t from = row;
        parsed.rows = spare->rows(2 * batch_terms);  // always as much, so that it serves again
        const auto room = [&] { return parsed.rows.terms < batch_terms && parsed.rows.size < most_rows; };
        plain_.load();
        for (; row < table.rows && !parsed.stopped && room(); ++row) read(table, row, parsed);
        plain_.store();
        pass(table, from, row);
        labels = parsed.labels;
        without_label += parsed.without_label;
        bad_lines += parsed.bad_lines;
        stopped = parsed.stopped;
        return parsed;
    }

    void keep_names(const Columns& table, const Rows& rows, const bool* changed) {
        for (std::size_t k = 0; k < rows.size && !names.full(); ++k) {
            if (!changed[k] || all_known(rows, k)) continue;
            each_name(table, rows.places[k], [&](std::uint64_t hash, std::string_view first, std::string_view second) {
                const bool lines = (first.find('\n') & second.find('\n')) != std::string_view::npos;
                if (!lines) names.keep(hash, first, second);
            });
        }
    }

    // Calls use(hash, first, second) for each name of a row: it is `first` and `second` together.
    template <class Use>
    void each_name(const Columns& table, std::size_t row, Use&& use) {
        for (const Column& column : table.columns) {
            const std::string_view prefix = column.prefix;
            if (column.kind == Column::Kind::numbers) {
                const double value = column.values[row];
                if (value == value && (scaled_ || value != 0.0)) use(hash64(prefix), prefix, std::string_view());
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

    // Of every cell that was read or passed, column by column: however they are cut into batches, it is the same.
    std::uint64_t digest() const {
        Digest all;
        for (const auto& [name, digest] : digests_) {
            const std::uint64_t value = digest.value(), size = name.size();
            all.update(reinterpret_cast<const char*>(&size), sizeof size);
            all.update(name.data(), name.size());
            all.update(reinterpret_cast<const char*>(&value), sizeof value);
        }
        return all.value();
    }
    std::int64_t rows() const { return rows_; }

    std::map<std::string, Scale>& scales() { return scales_; }
    const std::map<std::string, Scale>& scales() const { return scales_; }

    // The first number that made its column's deviation more than ten times as large, in the table that was begun then.
    struct Leap {
        std::size_t column;  // from 0
        std::size_t row;
        double times;
    };
    std::optional<Leap> leap;

    Labels labels;
    KeptNames names;
    std::int64_t without_label = 0;
    std::int64_t bad_lines = 0;
    bool stopped = false;
    const std::shared_ptr<Spare> spare = std::make_shared<Spare>();

  private:
    static constexpr std::size_t batch_terms = std::size_t{1} << 16;  // a megabyte, which a cache holds
    static constexpr std::size_t most_rows = batch_terms / 2;
    static constexpr std::int8_t undecided = -2, refused = -3;
    static constexpr std::uint64_t missing = 0;  // in place of a hash

    std::uint64_t joint(std::string_view first, std::string_view second) {
        joint_.assign(first);
        joint_ += second;
        return hash64(joint_);
    }

    // Of its name, or of each of its categories. A hash that is 0 would be taken for missing: it becomes 1.
    std::vector<std::uint64_t> hashes_of(const Column& column) {
        if (column.kind == Column::Kind::numbers) return {hash64(column.prefix)};
        std::vector<std::uint64_t> hashes;
        if (column.kind == Column::Kind::words) return hashes;
        for (std::size_t i = 0; i < column.texts.size(); ++i) {
            const std::string_view text = trimmed(column.texts[i]);
            hashes.push_back(text.empty() ? missing : std::max<std::uint64_t>(joint(column.prefix, text), 1));
        }
        return hashes;
    }

    // Eight bytes for each cell: a number's own, or a hash.
    void note(const Column& column, const std::vector<std::uint64_t>& hashes, std::size_t from, std::size_t to) {
        Digest& digest = digests_[column.name + '\0' + column.prefix];
        if (column.kind == Column::Kind::numbers) {
            const double* const values = column.values.data();
            digest.update(reinterpret_cast<const char*>(values + from), (to - from) * sizeof(double));
            return;
        }
        cells_.resize(to - from);
        std::uint64_t* const cells = cells_.data();
        const std::uint64_t* const known = hashes.data();
        const auto hash_of = [&](std::int32_t code) { return code < 0 ? missing : known[code]; };
        if (column.kind == Column::Kind::words) {
            for (std::size_t row = from; row < to; ++row) cells[row - from] = hash64(column.texts[row]);
        } else if (column.starts.empty()) {
            const std::int32_t* const codes = column.codes.data();
            for (std::size_t row = from; row < to; ++row) cells[row - from] = hash_of(codes[row]);
        } else {
            for (std::size_t row = from; row < to; ++row) {
                std::uint64_t cell = 0;
                for (const std::int32_t code : column.of_row(row)) cell = cell * xxh64::p1 + hash_of(code);
                cells[row - from] = cell;
            }
        }
        digest.update(reinterpret_cast<const char*>(cells_.data()), cells_.size() * sizeof(std::uint64_t));
    }

    // ---- one row --------------------------------------------------------------------------------------------------

    void read(const Columns& table, std::size_t row, Parsed& parsed) {
        ++parsed.lines;
        Rows& rows = parsed.rows;
        Labels& labels = parsed.labels;
        const std::size_t known = labels.seen().size();
        const std::int64_t collisions = rows.collisions;
        Trouble trouble;
        std::int8_t label = unlabelled;
        bool good = read_label(table, row, labels, label, trouble);
        if (good && label == unlabelled) {
            ++parsed.without_label;
            if (policy_.drop_unlabelled) return;
        }
        std::size_t end = rows.terms;
        good = good && read_cells(table, row, rows, end, trouble);
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

    bool read_label(const Columns& table, std::size_t row, Labels& labels, std::int8_t& label, Trouble& trouble) {
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

    bool read_cells(const Columns& table, std::size_t row, Rows& rows, std::size_t& end, Trouble& trouble) {
        const std::size_t before = end;
        const bool plain = plain_.write(row, frozen_, rows, end);
        if (!plain) plain_.store();
        if (!plain && !sort_cells(table, row, rows, end, trouble)) return false;
        if (policy_.needs_features && end == before)
            return refuse(trouble, "no attribute other than 0",
                          "one at least, since the learner normalises: or give it a bias");
        if (plain) {
            plain_.accept(frozen_);
        } else {
            for (const auto& [scale, next] : moved_) {
                if (!leap && next.leaps(*scale)) leap = leap_of(*scale, next, scale, row);
                *scale = next;
            }
            plain_.load();
        }
        return true;
    }

    Leap leap_of(const Scale& before, const Scale& next, const Scale* scale, std::size_t row) const {
        const auto column = std::find(scales_of_.begin(), scales_of_.end(), scale) - scales_of_.begin();
        return {static_cast<std::size_t>(column), row, std::sqrt(next.squares / before.squares)};
    }

    // The cells of a row in any order.
    bool sort_cells(const Columns& table, std::size_t row, Rows& rows, std::size_t& end, Trouble& trouble) {
        sorter_.clear();
        moved_.clear();
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            const Column& column = table.columns[c];
            trouble.column = c + 1;
            if (column.kind == Column::Kind::numbers) {
                const double value = column.values[row];
                if (value != value) continue;
                if (!number(scales_of_[c], value, hashes_[c][0], trouble)) return false;
            } else if (column.kind == Column::Kind::categories) {
                for (const std::int32_t code : column.of_row(row)) {
                    const std::uint64_t hash = code < 0 ? missing : hashes_[c][static_cast<std::size_t>(code)];
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

    bool scaled(const Column& column) const { return scaled_ && column.kind == Column::Kind::numbers; }

    bool number(Scale* scale, double value, std::uint64_t hash, Trouble& trouble) {
        if (!acceptable(value))
            return refuse(trouble, shown_number(value), "a finite number of at most 2^250 (1.8e75)");
        double used = value;
        if (scale != nullptr) {
            Scale next = *scale;
            if (!frozen_) {
                next.add(value);
                moved_.emplace_back(scale, next);
            }
            used = next(value);
        }
        if (refuse_value(policy_.domain, used) != Fault::Kind::none) {
            const std::string scaled = scale != nullptr ? " (scaled: " + shown_number(used) + ")" : "";
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

    bool all_known(const Rows& rows, std::size_t k) const {
        for (auto j = static_cast<std::size_t>(rows.starts[k]); j < static_cast<std::size_t>(rows.starts[k + 1]); ++j) {
            if (!names.knows(KeptNames::key(rows.slots[j], rows.name_tags[j]))) return false;
        }
        return true;
    }

    Policy policy_;
    bool scaled_, frozen_;
    PlainRows plain_;
    HashedRow sorter_;
    Expansion expansion_;
    std::map<std::string, Scale> scales_;             // by the names of their columns
    std::vector<std::pair<Scale*, Scale>> moved_;     // by the row at hand, if it can be read
    std::vector<std::vector<std::uint64_t>> hashes_;  // of the columns of the table that was begun
    std::vector<std::uint64_t> label_hashes_;
    std::vector<Scale*> scales_of_;          // of the same, where numbers are scaled
    std::vector<std::int8_t> label_codes_;   // of the categories of its labels
    std::map<std::string, Digest> digests_;  // of the columns, by name and prefix: neither tells them all apart
    std::vector<std::uint64_t> cells_;
    std::string joint_;
    std::int64_t rows_ = 0;
};

}  // namespace thresher::reading
