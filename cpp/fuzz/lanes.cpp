// A bank whose lanes several threads play is what it is for one, whatever its rows: a program of its own, for the
// thread sanitizer. `lanes SECONDS` makes banks and rows until the time is over.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <random>
#include <vector>

#include "../thresher/bank.hpp"
#include "../thresher/lanes/ahead.hpp"

namespace {

using namespace thresher;

constexpr std::size_t n = 40;

std::vector<LaneRule> rules(std::mt19937_64& chance) {
    std::vector<LaneRule> made;
    for (std::size_t left = 1 + chance() % 20; left > 0; --left) {
        const double bias = chance() % 2 == 0 ? 0.0 : 0.5;
        switch (chance() % 8) {
            case 0:
                made.emplace_back(PassiveAggressive(0.3, bias));
                break;
            case 1:
                made.emplace_back(AROW(1.0, bias));
                break;
            case 2:
                made.emplace_back(AdaGrad<Hinge>(0.3, bias));
                break;
            case 3:
                made.emplace_back(AdaGrad<Logistic>(0.3, bias));
                break;
            case 4:
                made.emplace_back(Invariant(1.0, bias));
                break;
            case 5:
                made.emplace_back(ScaledWinnow(1.0, 2.0, bias));
                break;
            case 6:
                made.emplace_back(Constant(+1));
                break;
            default:
                made.emplace_back(Perceptron({false, bias}, +1));
        }
    }
    return made;
}

// What lanes said of some rows, what was heard of them, and how far they came.
struct Told {
    std::vector<std::int8_t> says;
    std::vector<float> scores;
    std::unique_ptr<bool[]> changed;
    std::size_t played = 0, heard = 0;
    double sum = 0;
    Fault::Kind fault = Fault::Kind::none;
};

Told play(Bank<float>& bank, const Block& block, const std::vector<std::int8_t>& labels) {
    const std::size_t rows = labels.size(), lanes = bank.lanes();
    Told told{std::vector<std::int8_t>(rows * lanes), std::vector<float>(rows * lanes), std::make_unique<bool[]>(rows)};
    const auto hear = [&](std::size_t from, std::size_t to, const Said<float>&) {
        if (from != told.heard) std::abort();
        told.heard = to;
        for (std::size_t k = from; k < to; ++k) {
            for (std::size_t i = k * lanes; i < (k + 1) * lanes; ++i) {
                told.sum = told.sum / 2 + told.scores[i] + told.says[i];
            }
            told.sum += told.changed[k];
        }
    };
    told.fault = bank.learn_block(block, labels.data(), nullptr, {told.says.data(), told.scores.data()},
                                  told.changed.get(), told.played, hear)
                     .kind;
    return told;
}

// The same by a crew that plays the rows block after block, ahead of whoever hears of them.
Told play_ahead(Bank<float>& bank, const std::vector<double>& values, const std::vector<std::int8_t>& labels,
                std::size_t threads, std::size_t some) {
    const std::size_t rows = labels.size(), lanes = bank.lanes();
    Told told{std::vector<std::int8_t>(rows * lanes), std::vector<float>(rows * lanes), std::make_unique<bool[]>(rows)};
    std::deque<Block> blocks;
    LanesAhead<float> ahead(std::make_shared<Crew>(threads), Play<float>(bank));
    const auto take = [&] {
        const Stint<float> stint = ahead.take();
        if (told.fault == Fault::Kind::none) {
            told.played += stint.played;
            told.fault = stint.fault.kind;
        }
    };
    for (std::size_t first = 0; first < rows; first += some) {
        const std::size_t size = std::min(some, rows - first);
        blocks.push_back(DenseBlock<double>{values.data() + first * n, size, n});
        ahead.give({&blocks.back(),
                    labels.data() + first,
                    nullptr,
                    {told.says.data() + first * lanes, told.scores.data() + first * lanes},
                    told.changed.get() + first});
        if (ahead.size() > 3) take();
    }
    while (ahead.size() > 0) take();
    return told;
}

// What is thrown in any thread ends all of them, and comes to the caller.
bool ends(const std::vector<LaneRule>& lanes, std::size_t rows, std::size_t threads) {
    const std::vector<double> values(rows * n, 1.0);
    const std::vector<std::int8_t> labels(rows, +1);
    std::vector<std::int8_t> says(rows * lanes.size());
    std::vector<float> scores(rows * lanes.size());
    const auto changed = std::make_unique<bool[]>(rows);
    Bank<float> bank(n, lanes, threads, false);
    std::size_t played = 0;
    try {
        bank.learn_block(DenseBlock<double>{values.data(), rows, n}, labels.data(), nullptr,
                         {says.data(), scores.data()}, changed.get(), played,
                         [rows](std::size_t, std::size_t to, const Said<float>&) {
                             if (to > rows / 2) throw std::bad_alloc();
                         });
    } catch (const std::bad_alloc&) {
        return true;
    }
    std::fprintf(stderr, "found nothing thrown\n");
    return false;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return 2;
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::seconds(std::atoi(arguments[1]));
    std::mt19937_64 chance(1);
    std::size_t runs = 0;
    for (; Clock::now() < end; ++runs) {
        const std::size_t rows = 1 + chance() % 3000;
        std::vector<double> values(rows * n);
        std::vector<std::int8_t> labels(rows);
        const std::uint64_t low = chance() % 3;  // values below 0: none, some late, some
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto value = static_cast<double>(chance() % 5);
            values[i] = low == 2 || (low == 1 && i > values.size() / 2) ? value - 2.0 : value;
        }
        for (std::int8_t& label : labels) label = chance() % 2 == 0 ? +1 : -1;
        if (chance() % 3 == 0) labels[chance() % rows] = 7;  // a fault
        const std::vector<LaneRule> lanes = rules(chance);
        Bank<float> one(n, lanes, 1, false), other(n, lanes, 2 + chance() % 4, false), third(one);
        if (!ends(lanes, rows, 1 + chance() % 4)) return 1;
        for (int pass = 0; pass < 2; ++pass) {
            const Block block = DenseBlock<double>{values.data(), rows, n};
            const Told alone = play(one, block, labels), together = play(other, block, labels),
                       before = play_ahead(third, values, labels, 1 + chance() % 3, 1 + chance() % 700);
            const bool same = alone.fault == together.fault && alone.played == together.played &&
                              alone.heard == together.heard && alone.says == together.says &&
                              alone.sum == together.sum && one.rounds == other.rounds &&
                              std::memcmp(alone.scores.data(), together.scores.data(), 4 * alone.scores.size()) == 0 &&
                              std::memcmp(alone.changed.get(), together.changed.get(), alone.played) == 0;
            const std::size_t said = alone.played * one.lanes();
            const bool same_ahead = alone.fault == before.fault && alone.played == before.played &&
                                    one.rounds == third.rounds &&
                                    std::memcmp(alone.says.data(), before.says.data(), said) == 0 &&
                                    std::memcmp(alone.scores.data(), before.scores.data(), 4 * said) == 0 &&
                                    std::memcmp(alone.changed.get(), before.changed.get(), alone.played) == 0;
            if (!same || !same_ahead) {
                std::fprintf(stderr, "found other rounds with several threads\n");
                return 1;
            }
        }
    }
    std::printf("stat::number_of_executed_units: %zu\n", runs);
}
