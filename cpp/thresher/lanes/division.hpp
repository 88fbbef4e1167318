// Which lanes of a bank lie in which part. A lane is what it is alone, wherever it lies: all that depends on it is
// time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include "../adagrad.hpp"
#include "../arow.hpp"
#include "../averaged_perceptron.hpp"
#include "../constant.hpp"
#include "../invariant.hpp"
#include "../passive_aggressive.hpp"
#include "../perceptron.hpp"
#include "../scaled_winnow.hpp"

namespace thresher {

using LaneRule = std::variant<Perceptron, PassiveAggressive, AveragedPerceptron, AROW, AdaGrad<Hinge>,
                              AdaGrad<Logistic>, Invariant, ScaledWinnow, Constant>;

// What lanes cost: `together` of one kind move in one sweep, which takes `sweep`, and each has so many numbers in a
// record. Nanoseconds for a row of 76 terms (docs/decisions/0008-banks.md); only their proportions count.
struct Price {
    int kind;
    std::size_t together;
    double sweep;
    std::size_t numbers;
};

inline Price price_of(const LaneRule& rule) {
    struct Prices {
        Price operator()(const Perceptron&) const { return {0, 8, 60, 1}; }
        Price operator()(const PassiveAggressive&) const { return {0, 8, 60, 1}; }
        Price operator()(const AveragedPerceptron&) const { return {1, 8, 120, 2}; }
        Price operator()(const AROW&) const { return {2, 2, 100, 2}; }
        Price operator()(const AdaGrad<Hinge>&) const { return {3, 1, 45, 2}; }
        Price operator()(const AdaGrad<Logistic>&) const { return {3, 1, 45, 2}; }
        Price operator()(const Invariant&) const { return {4, 1, 180, 3}; }
        Price operator()(const ScaledWinnow&) const { return {5, 4, 80, 1}; }
        Price operator()(const Constant&) const { return {6, 64, 1, 0}; }
    };
    return std::visit(Prices{}, rule);
}

// The part of each lane; how many parts there are, and how long they take.
struct Division {
    std::size_t parts = 1;
    double time = 0;
    std::vector<std::size_t> part_of{};
};

class Divider {
  public:
    // Of lanes of these rules over n slots.
    Divider(const std::vector<LaneRule>& rules, std::size_t n) : lanes_(rules.size()), n_(n) {
        std::vector<std::size_t> open(8, 0);  // of each kind the unit that a lane may still join, counted from 1
        for (std::size_t lane = 0; lane < lanes_; ++lane) {
            const Price price = price_of(rules[lane]);
            std::size_t& unit = open[static_cast<std::size_t>(price.kind)];
            if (unit == 0 || units_[unit - 1].lanes.size() == price.together) {
                units_.push_back({price.sweep, 0, {}});
                unit = units_.size();
            }
            units_[unit - 1].lanes.push_back(lane);
            units_[unit - 1].numbers += price.numbers;
        }
        std::ranges::stable_sort(units_, std::ranges::greater{}, &Unit::cost);
    }

    // For up to so many threads: each part more must gain something, since it costs the processors more, too.
    Division divide(std::size_t threads) const {
        Division best = into(1, threads, 0);
        for (std::size_t parts = 2; parts <= std::min(threads, units_.size()); ++parts) {
            const Division even = into(parts, threads, 0), uneven = into(parts, threads, beside);
            const Division& better = uneven.time < even.time ? uneven : even;
            if (better.time < 0.95 * best.time) best = better;
        }
        return best;
    }

  private:
    struct Unit {
        double cost;
        std::size_t numbers;
        std::vector<std::size_t> lanes;
    };

    // What scoring takes for a number of a record, and more where records come from afar.
    double look(std::size_t wide) const {
        return static_cast<double>(n_) * static_cast<double>(wide) > near ? 6.0 : 1.5;
    }

    static constexpr double near = 0x1p22;  // so many numbers of all slots a cache holds
    static constexpr double come = 150;     // for a row to be read, and its records to come: in each part
    static constexpr double beside = 130;   // the vote: whoever is ahead sees to it

    // The largest first, each to the part that has least; the last has so much to begin with.
    Division into(std::size_t parts, std::size_t threads, double kept) const {
        std::vector<double> loads(parts);
        std::vector<std::size_t> numbers(parts);
        Division made{parts, 0, std::vector<std::size_t>(lanes_)};
        loads.back() = kept;
        for (const Unit& unit : units_) {
            const auto least = static_cast<std::size_t>(std::ranges::min_element(loads) - loads.begin());
            loads[least] += unit.cost;
            numbers[least] += unit.numbers;
            for (const std::size_t lane : unit.lanes) made.part_of[lane] = least;
        }
        loads.back() -= kept;
        // Records of all parts are as large as the largest, and scored whole.
        const std::size_t wide = (std::ranges::max(numbers) + 7) / 8 * 8;
        double whole = beside, longest = 0;
        for (std::size_t part = 0; part < parts; ++part) {
            const double time = come + loads[part] + look(wide) * static_cast<double>(wide);
            whole += time;
            longest = std::max(longest, time);
        }
        made.time = std::max(longest, whole / static_cast<double>(threads));
        return made;
    }

    std::size_t lanes_, n_;
    std::vector<Unit> units_;
};

}  // namespace thresher
