// What holds for every reader, whatever the bytes: rows are canonical, counts agree, and how the bytes are split among
// reads and among threads, and by which instructions they are read, changes nothing.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "../reading/reader.hpp"

namespace thresher::fuzz {

using namespace thresher::reading;

inline void demand(bool fact) {
    if (!fact) std::abort();
}

// The first bytes of an input say how the rest is read.
struct Plan {
    static constexpr std::size_t size = 4;

    explicit Plan(const unsigned char* bytes)
        : n(ns[bytes[1] % std::size(ns)]),
          option((bytes[1] & 0x80) != 0),
          cut(bytes[2]),
          seed(bytes[3]),
          longest((bytes[1] & 0x20) != 0 ? 20000 : 96) {
        policy.labelled = static_cast<Labelled>(bytes[0] % 3);
        policy.drop_unlabelled = (bytes[0] & 0x20) != 0;
        policy.skip_bad = (bytes[0] & 0x40) == 0;
        policy.needs_features = (bytes[0] & 0x80) != 0;
        policy.domain = static_cast<Domain>((bytes[0] >> 3) % 4);
        policy.unweighted = (bytes[1] & 0x40) != 0;
    }

    static constexpr std::size_t ns[] = {std::size_t{1} << 18, 1, 2, 3, 64, 1000, most_slots};

    Policy policy;
    std::size_t n;
    bool option;          // of the format
    std::size_t cut;      // where the first file ends and the second begins
    std::uint64_t seed;   // of the pieces
    std::size_t longest;  // a line may have so many bytes
};

using Names = std::vector<std::string>;
using Row = std::tuple<std::vector<std::int32_t>, std::vector<double>, int, double, std::string, Names>;

// All that a reader makes of its text.
struct Outcome {
    std::vector<Row> rows;
    std::vector<std::tuple<std::string, bool, double, std::int64_t>> labels;
    std::vector<std::tuple<std::int64_t, std::size_t, std::string, std::string>> bad;
    std::int64_t bad_lines = 0, without_label = 0, collisions = 0;
    std::string names;
    bool operator==(const Outcome&) const = default;
};

// Rows of more terms, as features make them together, are compared without their names: to look at a million of those
// takes many seconds here.
constexpr std::size_t most_named = 4096;

inline void check_row(const Row& row, const Plan& plan, const AnyReader& reader, bool named) {
    const auto& [slots, values, label, weight, tag, names] = row;
    for (std::size_t j = 0; j < slots.size(); ++j) {
        demand(slots[j] >= 0 && static_cast<std::size_t>(slots[j]) < plan.n && (j == 0 || slots[j - 1] < slots[j]));
        demand(std::isfinite(values[j]) && values[j] != 0.0 && std::fabs(values[j]) <= 0x1p250);
        demand(refuse_value(plan.policy.domain, values[j]) == Fault::Kind::none);
    }
    demand(label == unlabelled || (label >= 0 && label < static_cast<int>(reader.labels.seen().size())));
    demand(label != unlabelled || !plan.policy.drop_unlabelled);
    demand(label == unlabelled || plan.policy.labelled != Labelled::ignored);
    demand(!slots.empty() || !plan.policy.needs_features);
    demand(weight >= 0.0 && weight <= 0x1p150 && (weight == 1.0 || !plan.policy.unweighted));
    if (slots.size() > most_named) return;
    std::set<std::int32_t> possible;
    for (const std::string& name : names) possible.insert(static_cast<std::int32_t>(slot_of(name, plan.n)));
    demand(!named || std::includes(possible.begin(), possible.end(), slots.begin(), slots.end()));
}

template <class Format>
void take(Reader<Format>& reader, const Plan& plan, bool tagged, std::deque<Parsed>& named, Outcome& outcome) {
    std::optional<Parsed> next = reader.next();
    if (!next) return;  // the file that was followed has no more
    const Parsed& parsed = named.emplace_back(std::move(*next));
    const Rows& rows = parsed.rows;
    demand(rows.starts[0] == 0 && rows.starts[rows.size] == static_cast<std::int32_t>(rows.terms));
    demand(rows.labels.size() == rows.size && rows.places.size() == rows.size);
    demand(rows.weights.empty() || rows.weights.size() == rows.size);
    demand(rows.tags.size() == (tagged ? rows.size : 0));
    for (std::size_t k = 0; k < rows.size; ++k) {
        const std::int32_t from = rows.starts[k], to = rows.starts[k + 1];
        demand(from <= to);
        const Row row{{rows.slots.get() + from, rows.slots.get() + to},
                      {rows.values.get() + from, rows.values.get() + to},
                      rows.labels[k],
                      rows.weights.empty() ? 1.0 : rows.weights[k],
                      tagged ? rows.tags[k] : "",
                      static_cast<std::size_t>(to - from) > most_named ? Names() : reader.names_of(parsed, k)};
        check_row(row, plan, reader, Format::named);
        outcome.rows.push_back(row);
    }
    demand(reader.names_of(parsed, rows.size).empty());
    std::vector<char> changed(rows.size);
    for (std::size_t k = 0; k < rows.size; ++k) changed[k] = rows.labels[k] != 1;
    reader.keep_names(parsed, reinterpret_cast<const bool*>(changed.data()));
    outcome.collisions += rows.collisions;
    while (named.size() > reader.naming()) named.pop_front();
}

// How text comes to a reader: in pieces of at most `most` bytes, to so many threads, who may take what follows the
// first piece of a file by themselves.
struct Way {
    std::size_t buffer;
    std::size_t most;
    std::size_t threads = 1;
    bool follows = false;
};

template <class Format>
Outcome read(const std::string_view (&files)[2], const Plan& plan, const Format& format, const Way& way, bool tagged) {
    std::deque<Parsed> named;  // those whose names are being kept
    Reader<Format> reader(plan.policy, format, way.threads, {way.buffer, plan.longest});
    Outcome outcome;
    std::uint64_t chance = plan.seed;
    for (std::string_view left : files) {
        if (reader.stopped) break;  // threads may still be at the file before
        reader.start_file();
        const std::size_t whole = left.size();
        for (bool last = false; !last && !reader.stopped;) {
            while (!reader.has_room() && reader.has_next()) take(reader, plan, tagged, named, outcome);
            if (way.follows && left.size() < whole) {
                reader.follow([left](std::span<char> space) mutable {
                    const std::size_t size = std::min(left.size(), space.size());
                    std::memcpy(space.data(), left.data(), size);
                    left.remove_prefix(size);
                    return size;
                });
                while (reader.has_next()) take(reader, plan, tagged, named, outcome);
                break;
            }
            const std::span<char> space = reader.space();
            demand(!space.empty());
            chance = chance * 6364136223846793005u + 1442695040888963407u;
            const std::size_t piece = std::min({left.size(), space.size(), 1 + (chance >> 33) % way.most});
            std::memcpy(space.data(), left.data(), piece);
            reader.filled(piece);
            left.remove_prefix(piece);
            last = piece == 0;
            reader.cut(last);
        }
    }
    while (reader.has_next()) take(reader, plan, tagged, named, outcome);
    if (!reader.stopped) {
        demand(reader.file == 1);
        demand(reader.offset == static_cast<std::int64_t>(files[0].size() + files[1].size()));
        demand(reader.digest() == hash64(std::string(files[0]) + '\0' + std::string(files[1])));
    }
    demand(reader.stopped == (!plan.policy.skip_bad && reader.bad_lines > 0));
    demand(plan.policy.skip_bad || reader.bad_lines <= 1);
    demand(reader.bad.size() == static_cast<std::size_t>(std::min<std::int64_t>(reader.bad_lines, 5)));
    demand(reader.labels.seen().size() <= 2);
    for (const auto& one : reader.labels.seen())
        outcome.labels.emplace_back(one.spelling, one.numeric, one.value, one.line);
    for (const auto& [line, trouble] : reader.bad) {
        demand(line > 0 && trouble.column > 0 && trouble.column <= plan.longest + 1);
        demand(!trouble.found.empty() && trouble.found.size() < 600 && !trouble.expected.empty());
        demand(std::none_of(trouble.found.begin(), trouble.found.end(), is_control));
        outcome.bad.emplace_back(line, trouble.column, trouble.found, trouble.expected);
    }
    outcome.bad_lines = reader.bad_lines;
    outcome.without_label = reader.without_label;
    outcome.names = reader.names().text();
    return outcome;
}

template <class Format>
void check(const unsigned char* data, std::size_t size, bool tagged, auto&& format, std::size_t threads = 1) {
    if (size < Plan::size) return;
    const Plan plan(data);
    const std::string_view text(reinterpret_cast<const char*>(data) + Plan::size, size - Plan::size);
    const std::size_t first = text.size() - std::min(plan.cut, text.size());
    const std::string_view files[2] = {text.substr(0, first), text.substr(first)};
    const Outcome whole = read<Format>(files, plan, format(plan), {text.size() + 1, SIZE_MAX}, tagged);
    const Way pieces{1 + plan.seed, std::size_t{1} << plan.seed % 8, threads, plan.cut % 2 == 1};
    const std::vector<std::string> sets = instruction_sets();
    use_instruction_set(sets[plan.seed % sets.size()]);
    demand(read<Format>(files, plan, format(plan), pieces, tagged) == whole);
    use_instruction_set(sets.back());
}

}  // namespace thresher::fuzz
