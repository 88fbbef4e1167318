// Several threads make of a text what one makes of it, whatever its lines, and of a table: a program of its own, for
// the thread sanitizer, which the fuzzer's counters would drown. `threads SECONDS` makes both until the time is over.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "../reading/svmlight.hpp"
#include "../reading/table.hpp"
#include "../reading/vowpal.hpp"
#include "reading.hpp"

namespace {

using namespace thresher::fuzz;

// A text of some hundred lines for one of the formats: most of them good, labels that are first met late among them.
std::string text(std::mt19937_64& chance, bool named) {
    constexpr const char* svmlight[] = {"1:1",     "2:0.5 7:1e-3", "3:2 3:2", "qid:4 5:1",  "0:1",
                                        "9999:.5", "4:-1 2:1",     "# no",    "1:1 x 12:3", "18446744073709551616:1"};
    constexpr const char* vowpal[] = {
        "| a b", "|n word word:2", "'tag|m:0.5 x y:-1", "|a b |c d:1e3", "| a:nan", "0.5 | a:",
        "|",     "tag| x",         "| ü \xff",          "| a:1e300"};
    std::string made;
    const std::uint64_t lines = chance() % 300, late = chance() % 400;
    for (std::uint64_t k = 0; k < lines; ++k) {
        const std::uint64_t draw = chance();
        const std::size_t which = draw % 64 == 0 ? draw / 64 % 10 : draw / 64 % 2;  // the first two are good
        made += draw % 128 == 1 ? "" : k == late ? "2 " : draw % 3 == 0 ? "1 " : "-1 ";
        made += named ? vowpal[which] : svmlight[which];
        made += draw % 7 == 0 ? "\r\n" : "\n";
        if (draw % 251 == 0) made += std::string(draw % 130, 'a') + '\n';
    }
    return made;
}

// A table of some parts: numbers of which some are missing or cannot be learned, words, and labels, some of them late.
struct MadeTable {
    explicit MadeTable(std::mt19937_64& chance) : numbers(150), words(50) {
        const std::size_t rows = 1500;
        const std::uint64_t late = chance() % 1500, rare = chance() % 2 == 0 ? 1 : 200'000;
        for (auto& column : numbers) {
            for (std::size_t k = 0; k < rows; ++k) {
                const std::uint64_t draw = chance();
                const bool bad = rare > 1 && draw % rare == 1;
                column.push_back(bad ? 1e300 : draw % 16 == 0 ? 0.0 / 0.0 : static_cast<double>(draw % 997));
            }
        }
        for (auto& column : words) {
            for (std::size_t k = 0; k < rows; ++k) column.push_back(static_cast<std::int32_t>(chance() % 5) - 1);
        }
        for (std::size_t k = 0; k < rows; ++k)
            labels.push_back(chance() % 50 == 0 ? -1 : k < late ? 0 : static_cast<std::int32_t>(chance() % 2));
        table.rows = rows;
        for (std::size_t c = 0; c < numbers.size(); ++c) {
            const std::string name = "x" + std::to_string(c);
            table.columns.push_back({name, name, Column::Kind::numbers, numbers[c]});
        }
        for (std::size_t c = 0; c < words.size(); ++c)
            table.columns.push_back(coded("c" + std::to_string(c), words[c], texts(4)));
        table.label.push_back(coded("label", labels, texts(2)));
    }

    Texts texts(std::size_t count) const { return {bytes, std::span(offsets).first(count + 1)}; }
    static Column coded(const std::string& name, std::span<const std::int32_t> codes, const Texts& texts) {
        Column column{name, name + "=", Column::Kind::categories};
        column.codes = codes;
        column.texts = texts;
        return column;
    }

    std::vector<std::vector<double>> numbers;
    std::vector<std::vector<std::int32_t>> words;
    std::vector<std::int32_t> labels;
    std::vector<char> bytes = {'a', 'b', 'c', 'd'};
    std::vector<std::int32_t> offsets = {0, 1, 2, 3, 4};
    Columns table;
};

// All that is made of a table, twice one behind the other: what was known of the first is known of the second.
struct TableOutcome {
    std::vector<std::vector<double>> values;
    std::vector<std::vector<std::int32_t>> slots;
    std::vector<std::vector<std::int8_t>> labels;
    std::vector<double> scales;
    std::int64_t rows, bad, without_label;
    std::uint64_t digest;
    bool operator==(const TableOutcome&) const = default;
};

TableOutcome outcome(const Columns& table, const Plan& plan, Scaling scaling, std::size_t threads) {
    TableReader reader(plan.n, plan.policy, 1, scaling, threads);
    TableOutcome made{};
    for (int time = 0; time < 2; ++time) {
        reader.begin(table);
        if (plan.option && time == 1) reader.skip(plan.cut);
        while (reader.has_next()) {
            const Parsed parsed = reader.next((plan.seed + made.labels.size()) % 3 != 0);
            made.values.emplace_back(parsed.rows.values.get(), parsed.rows.values.get() + parsed.rows.terms);
            made.slots.emplace_back(parsed.rows.slots.get(), parsed.rows.slots.get() + parsed.rows.terms);
            made.labels.push_back(parsed.rows.labels);
            if (plan.seed % 5 == 0 && made.labels.size() == 2) break;
        }
    }
    for (const auto& [name, scale] : reader.scales()) {
        for (const double part : {scale.count, scale.mean, scale.squares}) made.scales.push_back(part);
    }
    made.rows = reader.rows();
    made.bad = reader.bad_lines;
    made.without_label = reader.without_label;
    made.digest = reader.digest();
    return made;
}

void check_table(std::mt19937_64& chance, const Plan& plan, std::size_t threads) {
    const MadeTable made(chance);
    const Scaling scaling = chance() % 3 == 0 ? Scaling::none : Scaling::moving;
    demand(outcome(made.table, plan, scaling, 1) == outcome(made.table, plan, scaling, threads));
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return 2;
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::seconds(std::atoi(arguments[1]));
    std::mt19937_64 chance(1);
    std::size_t texts = 0;
    for (; Clock::now() < end; texts += 2) {
        for (const bool named : {false, true}) {
            std::string input(Plan::size, '\0');
            for (char& byte : input) byte = static_cast<char>(chance());
            input += text(chance, named);
            const auto* const data = reinterpret_cast<const unsigned char*>(input.data());
            const std::size_t threads = 2 + chance() % 3;
            if (named) {
                const auto format = [](const Plan& plan) { return Vowpal(plan.n, true, plan.policy.domain); };
                check<Vowpal>(data, input.size(), true, format, threads);
            } else {
                const auto format = [](const Plan& plan) { return Svmlight(plan.n, plan.option); };
                check<Svmlight>(data, input.size(), false, format, threads);
            }
            if (texts % 32 == 0 && named) check_table(chance, Plan(data), threads);
        }
    }
    std::printf("stat::number_of_executed_units: %zu\n", texts);
}
