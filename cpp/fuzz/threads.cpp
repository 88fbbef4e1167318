// Several threads make of a text what one makes of it, whatever its lines: a program of its own, for the thread
// sanitizer, which the fuzzer's counters would drown. `threads SECONDS` makes texts until the time is over.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "../reading/svmlight.hpp"
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
        }
    }
    std::printf("stat::number_of_executed_units: %zu\n", texts);
}
