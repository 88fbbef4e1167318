// Vowpal Wabbit text: `[label [importance]] ['tag]|namespace[:value] feature[:value] ... |namespace ...`, one example a
// line.
//
// Every feature is a name, digits too: its own text, after `namespace^` where the namespace has a name. A name that
// comes again is a count, its values are added; so are different names that fall into one slot, and these are counted.
// (Where a learner needs values from 0 to 1, the larger is kept instead.) A label may be a word. What features make
// together, n-grams and interactions, is added where it is asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../thresher/arithmetic.hpp"
#include "delimiters.hpp"
#include "expansion.hpp"
#include "joint_hash.hpp"
#include "number.hpp"
#include "rows.hpp"
#include "slots.hpp"
#include "text_kernels.hpp"

namespace thresher::reading {

class Vowpal {
  public:
    Vowpal(std::size_t n, bool keep_tags, Domain domain = Domain::any, Expansion expansion = {})
        : keep_tags_(keep_tags), sorter_(n, domain), expansion_(std::move(expansion)) {}

    static constexpr bool named = true;
    std::size_t n() const { return sorter_.n(); }

    bool read(const Line& line, Labels& labels, Rows& rows, Trouble& trouble) {
        const char* at = skip_blanks(line.text);
        if (at_end(at)) return true;
        Head head;
        const char* failed = at;
        std::size_t end = rows.terms;
        std::int8_t label = unlabelled;
        const bool good = read_head(at, line.labelled == Labelled::needed, head, failed, trouble) &&
                          features(head.bar, line.end, rows, end, failed, trouble) &&
                          take(labels, head, line, label, failed, trouble);
        if (!good) {
            trouble.column = static_cast<std::size_t>(failed - line.text) + 1;
            return false;
        }
        if (keep_tags_) rows.tags.emplace_back(head.tag);
        rows.end_row(end, label, head.importance, line.place);
        return true;
    }

    // Calls use(hash, namespace, feature, value) for every feature of a line that was read without trouble.
    template <class Use>
    void each_name(const char* line, Use&& use) {
        const char* failed;
        Trouble trouble;
        while (*line != '|') ++line;
        expansion_.clear();
        const auto name = [&](std::string_view feature, double value) {
            use(space_(feature), std::string_view(space_.first()), feature, value);
            if (expansion_.wanted()) expansion_.add(part_, space_.first(), feature, value);
            return true;
        };
        walk(line, failed, trouble, name, one_by_one);
        expansion_.each(trouble, [&](std::uint64_t hash, std::string_view name, double value) {
            use(hash, std::string_view(), name, value);
        });
    }

  private:
    struct Head {
        std::string_view label;
        double importance = 1.0;
        std::string_view tag;
        const char* bar = nullptr;
    };

    // What stands before the first bar.
    static bool read_head(const char* at, bool needs_label, Head& head, const char*& failed, Trouble& trouble) {
        std::string_view tokens[3];
        std::size_t count = 0;
        for (at = skip_blanks(at); *at != '|'; at = skip_blanks(at)) {
            failed = at;
            if (at_end(at)) return refuse(trouble, "no '|' in the line", "label | features");
            const char* const start = at;
            while (!is_blank(*at) && !at_end(at) && *at != '|') ++at;
            const std::string_view token(start, static_cast<std::size_t>(at - start));
            const bool adjacent = *at == '|';
            if (*start == '\'' || adjacent) {  // a tag: quoted, or with no blank between it and the bar
                head.tag = token.substr(*start == '\'');
                if (std::any_of(token.begin(), token.end(), is_control)) {
                    return refuse(trouble, shown(start, at), "a tag that prints");
                }
                double number;
                if (adjacent && count == 0 && needs_label && Labels::number(token, number)) {
                    return refuse(trouble, shown(start, at) + " with no blank before the '|', which makes it a tag",
                                  "a blank between a label and the '|', or a ' before a tag");
                }
                at = skip_blanks(at);
                failed = at;
                if (*at == '|') break;
                return refuse(trouble, shown(at) + " after the tag", "'|'");
            }
            if (count == 2)
                return refuse(trouble, shown(start, at), "at most a label, an importance and a 'tag before the '|'");
            tokens[count++] = token;
        }
        head.bar = at;
        if (count > 0) head.label = tokens[0];
        if (count < 2) return true;
        failed = tokens[1].data();
        if (!Labels::number(tokens[1], head.importance) ||
            !(head.importance >= 0.0 && head.importance <= largest_weight)) {
            return refuse(trouble, "importance " + shown(failed, failed + tokens[1].size()),
                          "a number from 0 to 2^150 (1.4e45)");
        }
        return true;
    }

    static bool take(Labels& labels, const Head& head, const Line& line, std::int8_t& label, const char*& failed,
                     Trouble& trouble) {
        if (head.label.empty() || line.labelled == Labelled::ignored) return true;
        failed = head.label.data();
        return labels.take(failed, failed + head.label.size(), line.number, label, trouble);
    }

    bool features(const char* at, const char* newline, Rows& rows, std::size_t& end, const char*& failed,
                  Trouble& trouble) {
        sorter_.clear();
        const auto add = [&](std::string_view feature, double value) { return sorter_.add(space_(feature), value); };
        if (expansion_.wanted()) {
            if (!expanded(at, add, failed, trouble)) return false;
            rows.reserve(end + sorter_.size());
        } else {
            const auto sweep = [&](const char* from) {
                return sweep_text([&](auto sweeps) { return several(sweeps, from, newline); });
            };
            if (!walk(at, failed, trouble, add, sweep)) return false;
        }
        if (sorter_.settle(rows, end)) return true;
        failed = at;
        return refuse(trouble, "values that add up to more than 2^250 (1.8e75) in one slot", "smaller values");
    }

    // Every feature, and what they make together.
    template <class Add>
    bool expanded(const char* at, Add& add, const char*& failed, Trouble& trouble) {
        expansion_.clear();
        const auto note = [&](std::string_view feature, double value) {
            expansion_.add(part_, space_.first(), feature, value);
            return add(feature, value);
        };
        if (!walk(at, failed, trouble, note, one_by_one)) return false;
        failed = at;
        return expansion_.each(trouble,
                               [&](std::uint64_t hash, std::string_view, double value) { sorter_.add(hash, value); });
    }

    static const char* one_by_one(const char* blank) { return blank; }

    // Plain features of a namespace several at a time, all with values or all without: from the blank before the first
    // to that before one that is none, or to the end of the line.
    template <class Sweeps>
    const char* several(Sweeps sweeps, const char* blank, const char* const newline) {
        if constexpr (Sweeps::hashes) {
            const Prefix prefix = space_.prefix();
            while (*blank == ' ' && prefix.size < 8) {
                const char* const text = blank + 1;
                sweeps.find_names(text, std::min(static_cast<std::size_t>(newline - blank), Marks::reach), marks_);
                if (!sorter_.reserve(marks_.blank_count)) break;
                const auto [hashes, values] = sorter_.room();
                const std::size_t got = marks_.colon_count > 0
                                            ? sweeps.template names<true>(text, marks_, prefix, hashes, values)
                                            : sweeps.template names<false>(text, marks_, prefix, hashes, values);
                if (got == 0) break;
                sorter_.take(got);
                blank = text + marks_.blanks[got];
            }
        }
        return blank;
    }

    // Every feature from the first bar on, with its namespace in `space_` and the number of its bar in `part_`:
    // use(feature, value). Those that `sweep` has read, which is shown the first blank, are left out.
    template <class Use, class Sweep>
    bool walk(const char* bar, const char*& failed, Trouble& trouble, Use&& use, Sweep&& sweep) {
        Delimiters delimiters(bar);
        const char* end = delimiters.next();
        for (part_ = 0; *end == '|'; ++part_) {
            const char* start = end + 1;
            end = delimiters.next();
            space_.begin(start, end);
            double scale = 1.0;
            if (*end == ':') {
                if (end == start) break;
                if (!read_value(end, delimiters, scale, failed, trouble)) return false;
            }
            if (const char* const later = scale == 1.0 ? sweep(end) : end; later != end) {
                end = later;
                delimiters = Delimiters(end + 1);
            }
            while (is_blank(*end)) {
                start = end + 1;
                end = delimiters.next();
                if (end == start) continue;  // another blank, or what the loop ends at
                const std::string_view name(start, static_cast<std::size_t>(end - start));
                double value = 1.0;
                if (*end == ':' && !read_value(end, delimiters, value, failed, trouble)) return false;
                if (scale != 1.0 && !acceptable(value *= scale)) [[unlikely]] {
                    failed = start;
                    return refuse(trouble, "a product beyond 2^250 (1.8e75)", "smaller values");
                }
                if (!use(name, value)) [[unlikely]] {
                    failed = start;
                    return refuse(trouble, "more than 2^20 features", "a shorter line");
                }
            }
        }
        if (at_end(end)) return true;
        failed = end;
        return refuse(trouble, shown(end), "a name, or name:value");
    }

    // The number between a colon and the next delimiter, to which `end` moves on.
    [[gnu::always_inline]] static bool read_value(const char*& end, Delimiters& delimiters, double& value,
                                                  const char*& failed, Trouble& trouble) {
        const char* const start = end + 1;
        end = delimiters.next();
        const bool whole = is_blank(*end) || *end == '|' || at_end(end);  // and nothing else sticks to it
        if (whole && number_between(start, end, value)) return true;
        failed = start;
        const bool nothing = start == end && (is_blank(*end) || at_end(end));
        return refuse(trouble, nothing ? "nothing after the colon" : shown(start),
                      "a finite number of at most 2^250 (1.8e75) after the colon");
    }

    bool keep_tags_;
    HashedRow sorter_;
    JointHash space_;
    std::size_t part_ = 0;
    Expansion expansion_;
    Marks marks_;
};

}  // namespace thresher::reading
