// svmlight and LIBSVM text: `label [qid:number] index:value ... [# comment]`, one example a line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "delimiters.hpp"
#include "number.hpp"
#include "rows.hpp"
#include "text_kernels.hpp"

namespace thresher::reading {

class Svmlight {
  public:
    Svmlight(std::size_t n, bool zero_based) : n_(n), first_(zero_based ? 0 : 1) {}

    static constexpr bool named = false;
    std::size_t n() const { return n_; }

    // Reads a line into `rows`: one row, or none if it is blank. False, with `trouble`, if it cannot be read.
    bool read(const Line& line, Labels& labels, Rows& rows, Trouble& trouble) {
        const char* const start = skip_blanks(line.text);
        if (ends(start)) return true;
        const char* const label_end = end_of_label(start);
        const bool labelled = *label_end != ':';
        const char* failed = start;
        std::size_t end = rows.terms;
        std::int8_t label = unlabelled;
        const bool missing = !labelled && line.labelled == Labelled::needed;
        const bool taken = labelled && line.labelled != Labelled::ignored;
        const bool good = (!missing || refuse(trouble, shown(start), "a label before the features")) &&
                          features(labelled ? label_end : start, line.end, rows, end, failed, trouble) &&
                          (!taken || take(labels, start, label_end, line.number, label, failed, trouble));
        if (good) {
            rows.end_row(end, label, 1.0, line.place);
        } else {
            trouble.column = static_cast<std::size_t>(failed - line.text) + 1;
        }
        return good;
    }

    template <class Use>
    static void each_name(const char*, Use&&) {}  // only indices here

  private:
    struct Feature {
        std::int32_t slot;
        double value;
        const char* at;
        bool operator<(const Feature& other) const {
            return slot < other.slot || (slot == other.slot && at < other.at);
        }
    };

    static bool ends(const char* at) { return at_end(at) || *at == '#'; }

    static const char* end_of_label(const char* at) {
        while (!is_blank(*at) && !ends(at) && *at != ':') ++at;
        return at;
    }

    // The label is taken up only after the rest of its line was read: a line that is skipped adds none.
    static bool take(Labels& labels, const char* start, const char* end, std::int64_t number, std::int8_t& label,
                     const char*& failed, Trouble& trouble) {
        failed = start;
        return labels.take(start, end, number, label, trouble);
    }

    // What of a row was written so far.
    struct Written {
        Rows::Writer writer;
        std::int64_t last = -1;
        bool ascending = true;
        std::size_t count = 0;

        void put(std::int32_t slot, double value) {
            ascending &= slot > last;
            last = slot;
            writer.put(slot, value);
            ++count;
        }

        // What a sweep has written.
        void take(const Swept& more) {
            if (more.count == 0) return;
            ascending &= more.ascending && writer.slots[writer.end] > last;
            writer.end += more.count;
            last = writer.slots[writer.end - 1];
            count += more.count;
        }
    };

    // The features from `start` on, written behind `end`.
    bool features(const char* const start, const char* const newline, Rows& rows, std::size_t& end, const char*& failed,
                  Trouble& trouble) {
        Written row{Rows::Writer(rows, end)};
        const char* const rest =
            sweep_text([&](auto sweeps) { return several(sweeps, skip_blanks(start), newline, row); });
        for (const char* at = ends(rest) ? rest : plain(rest, row); !ends(at); at = plain(at, row)) {
            if (*at == 'q') {
                failed = at;
                if (!query(at, trouble)) return false;
                rows.saw_query = true;
                continue;
            }
            std::int32_t slot = 0;
            double value = 0.0;
            if (!feature(at, slot, value, failed, trouble)) return false;
            row.put(slot, value);
            if (row.count > most_features) return refuse(trouble, "more than 2^20 features", "a shorter line");
        }
        end = row.writer.end;
        return row.ascending || sorted(start, rows, end, failed, trouble);
    }

    // Plain features several at a time, from the first on until before one that is none. One takes four bytes at least.
    template <class Sweeps>
    const char* several(Sweeps sweeps, const char* at, const char* const newline, Written& into) {
        if constexpr (Sweeps::lanes > 0) {
            if (newline - at >= static_cast<std::ptrdiff_t>(4 * most_features)) return at;
            while (at < newline) {
                sweeps.find(at, std::min(static_cast<std::size_t>(newline - at) + 1, Marks::reach), marks_);
                const std::size_t count = std::min(marks_.colon_count, marks_.blank_count);
                if (count == 0) break;
                for (std::size_t i = 0; i < count;) {
                    const std::size_t end = into.writer.end;
                    const Swept swept =
                        sweeps.features(at, marks_, i, {first_, n_}, into.writer.slots + end, into.writer.values + end);
                    into.take(swept);
                    i += swept.count;
                    for (const std::size_t stop = std::min(i + Sweeps::lanes, count); i < stop; ++i) {
                        if (!single(at, i, into)) return marks_.behind(at, i);
                    }
                }
                at += marks_.blanks[count];
                if (at != newline) ++at;
            }
        }
        return at;
    }

    // A feature between marks, if it is plain, too, or its value any number.
    bool single(const char* text, std::size_t i, Written& into) const {
        const char* const colon = text + marks_.colons[i];
        std::uint64_t number;
        double value;
        if (!digits_between(marks_.behind(text, i), colon, number) || number - first_ >= n_ ||
            !number_between(colon + 1, text + marks_.blanks[i + 1], value))
            return false;
        into.put(static_cast<std::int32_t>(number - first_), value);
        return true;
    }

    // Plain features, as many as there are: up to eight digits, a colon, a number, a blank or the end of the line. All
    // else is left to `feature`, which would read these the same, only that each would wait for the end of the last.
    const char* plain(const char* at, Written& into) const {
        std::int32_t* const slots = into.writer.slots;
        double* const values = into.writer.values;
        const std::uint64_t first = first_, n = n_;
        const std::size_t start = into.writer.end, most = start + most_features - into.count;
        std::size_t end = start, zeros = 0;
        std::int64_t last = into.last;
        bool ascending = into.ascending;
        Delimiters delimiters(at);
        while (end + zeros < most) {
            const char* const colon = delimiters.next();
            if (*colon != ':') [[unlikely]] {
                if (colon != at || !is_blank(*colon)) break;
                ++at;
                continue;
            }
            const char* const after = delimiters.next();
            std::uint64_t number;
            double value;
            if (!digits_between(at, colon, number) || number - first >= n) [[unlikely]]
                break;
            const bool last_one = *after != ' ';
            if (last_one && *after != '\n' && *after != '\t') [[unlikely]]
                break;
            if (!number_between(colon + 1, after, value)) [[unlikely]]
                break;
            const auto slot = static_cast<std::int64_t>(number - first);
            if (slot <= last) [[unlikely]]
                ascending = false;
            last = slot;
            slots[end] = static_cast<std::int32_t>(slot);
            values[end] = value;
            if (value == 0.0) [[unlikely]] {
                ++zeros;
            } else {
                ++end;
            }
            at = after;
            if (last_one && *after == '\n') break;
            ++at;
        }
        while (is_blank(*at)) ++at;  // at the limit, blanks may still follow
        into.writer.end = end;
        into.count += end - start + zeros;
        into.last = last;
        into.ascending = ascending;
        return at;
    }

    [[gnu::always_inline]] bool feature(const char*& at, std::int32_t& slot, double& value, const char*& failed,
                                        Trouble& trouble) {
        const Digits index = eight_digits(at);
        std::uint64_t number = index.number;
        const char* after = at + index.count;
        if (index.count == 8) {
            int count = 8;
            after = digits(after, number, count);
            if (count > 18) number = long_index(at, after);
        }
        if (index.count == 0 || *after != ':') [[unlikely]] {
            failed = at;
            return refuse(trouble, shown(at), "index:value, the index a whole number");
        }
        if (number - first_ >= n_) [[unlikely]] {
            failed = at;
            return refuse_index(at, after, number, trouble);
        }
        slot = static_cast<std::int32_t>(number - first_);
        at = after + 1;
        const Number read = read_number(at);
        if (read.end == nullptr || !(is_blank(*read.end) || ends(read.end)) || !acceptable(read.value)) [[unlikely]] {
            failed = at;
            return refuse(trouble, at_end(at) || is_blank(*at) ? "nothing after the colon" : shown(at),
                          "a finite number of at most 2^250 (1.8e75) after the colon");
        }
        at = read.end;
        value = read.value;
        return true;
    }

    // Of more than 18 digits most must be leading zeros, or it is beyond any n.
    static std::uint64_t long_index(const char* at, const char* after) {
        while (*at == '0') ++at;
        std::uint64_t number = 0;
        if (after - at > 18) return ~number;
        for (; at != after; ++at) number = number * 10 + static_cast<std::uint64_t>(*at - '0');
        return number;
    }

    bool refuse_index(const char* at, const char* after, std::uint64_t number, Trouble& trouble) const {
        std::string found = "index " + (after - at > 40 ? std::string(at, at + 40) + "..." : std::string(at, after));
        if (number < first_) {
            return refuse(trouble, std::move(found), "indices from 1 on; if they count from 0 say --zero-based");
        }
        std::string expected = "indices from " + std::to_string(first_) + " to " + std::to_string(n_ - 1 + first_);
        const int bits = std::bit_width(number - first_);
        if (bits <= 31) expected += "; for more give --bits " + std::to_string(bits);
        return refuse(trouble, std::move(found), std::move(expected));
    }

    static bool query(const char*& at, Trouble& trouble) {
        const bool named_so = at[0] == 'q' && at[1] == 'i' && at[2] == 'd' && at[3] == ':';
        const char* after = at + 4;
        while (named_so && is_digit(*after)) ++after;
        if (!named_so || after == at + 4 || !(is_blank(*after) || ends(after))) {
            return refuse(trouble, shown(at), "index:value, or qid:number");
        }
        at = after;
        return true;
    }

    // The features again, each with its place, in ascending order. All were read without trouble before.
    bool sorted(const char* at, Rows& rows, std::size_t& end, const char*& failed, Trouble& trouble) {
        scratch_.clear();
        for (at = skip_blanks(at); !ends(at); at = skip_blanks(at)) {
            if (*at == 'q') {
                query(at, trouble);
                continue;
            }
            Feature next{0, 0.0, at};
            feature(at, next.slot, next.value, failed, trouble);
            scratch_.push_back(next);
        }
        std::sort(scratch_.begin(), scratch_.end());
        Rows::Writer writer(rows, rows.terms);
        for (std::size_t j = 0; j < scratch_.size(); ++j) {
            const Feature& next = scratch_[j];
            if (j > 0 && scratch_[j - 1].slot == next.slot) {
                failed = next.at;
                return refuse(trouble,
                              "index " + std::to_string(static_cast<std::uint64_t>(next.slot) + first_) + " again",
                              "every index once in a line");
            }
            writer.put(next.slot, next.value);
        }
        end = writer.end;
        return true;
    }

    std::size_t n_;
    std::uint64_t first_;  // what the first attribute is called
    std::vector<Feature> scratch_;
    Marks marks_;
};

}  // namespace thresher::reading
