// Where a portfolio stands, as a value of Python.
#include "standing.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>

namespace thresher::python {

namespace {

constexpr std::array<const char*, 4> rates{"fixed", "anytime", "adaptive", "share"};

using Parts = std::pair<double, double>;
using StandingState =
    std::tuple<std::vector<std::int64_t>, std::vector<std::int64_t>, std::vector<double>, std::vector<double>,
               std::optional<double>, std::tuple<std::string, double, double>,
               std::tuple<std::int64_t, double, double, double, std::int64_t, double>, std::int64_t, Parts, Parts>;

Parts parts(const Pair& pair) { return {pair.high, pair.low}; }

StandingState state_of(const Standing& standing) {
    std::vector<double> high, low;
    for (const Pair& loss : standing.losses) {
        high.push_back(loss.high);
        low.push_back(loss.low);
    }
    const MixerHead& head = standing.master;
    return {standing.mistakes,
            standing.all_mistakes,
            high,
            low,
            standing.regret_bound,
            {name_of(standing.rule.rate), standing.rule.eta, standing.rule.alpha},
            {head.rounds, head.gap, head.loss, head.rest, head.slept, head.largest},
            standing.weighted,
            parts(standing.missed),
            parts(standing.cost)};
}

Standing standing_of(const StandingState& state) {
    const auto& [mistakes, all, high, low, bound, rule, head, weighted, missed, cost] = state;
    if (all.size() != mistakes.size() || high.size() != mistakes.size() || low.size() != mistakes.size()) {
        throw std::invalid_argument("one number a lane");
    }
    Standing made{.mistakes = mistakes,
                  .all_mistakes = all,
                  .losses = {},
                  .regret_bound = bound,
                  .rule = {rate_named(std::get<0>(rule)), std::get<1>(rule), std::get<2>(rule)},
                  .master = {std::get<0>(head), std::get<1>(head), std::get<2>(head), std::get<3>(head),
                             std::get<4>(head), std::get<5>(head)},
                  .weighted = weighted,
                  .missed = {missed.first, missed.second},
                  .cost = {cost.first, cost.second}};
    for (std::size_t i = 0; i < high.size(); ++i) made.losses.push_back({high[i], low[i]});
    return made;
}

nb::ndarray<nb::numpy, const std::int64_t, nb::ndim<1>> counts(const std::vector<std::int64_t>& values) {
    auto copy = std::make_unique_for_overwrite<std::int64_t[]>(values.size());
    std::copy(values.begin(), values.end(), copy.get());
    return owned<const std::int64_t>(std::move(copy), values.size());
}

}  // namespace

Rate rate_named(std::string_view name) {
    for (std::size_t i = 0; i < rates.size(); ++i) {
        if (name == rates[i]) return static_cast<Rate>(i);
    }
    throw std::invalid_argument("no such rate");
}

const char* name_of(Rate rate) { return rates[static_cast<std::size_t>(rate)]; }

void bind_standing(nb::module_& m) {
    nb::class_<Standing>(m, "Standing", "Where a portfolio stands after rounds: the sums that its ledger needs.")
        .def_prop_ro(
            "lane_mistakes", [](const Standing& standing) { return counts(standing.mistakes); },
            nb::rv_policy::automatic, "How often each lane was wrong in these rounds.")
        .def_prop_ro(
            "all_mistakes", [](const Standing& standing) { return counts(standing.all_mistakes); },
            nb::rv_policy::automatic, "The same in all rounds until now.")
        .def_prop_ro(
            "losses",
            [](const Standing& standing) {
                std::vector<Parts> lost;
                for (const Pair& loss : standing.losses) lost.push_back(parts(loss));
                return lost;
            },
            "What each lane lost until now, in two parts.")
        .def_ro("regret_bound", &Standing::regret_bound,
                "What the master proves of its regret until now; None where it is silent.")
        .def_prop_ro(
            "rate", [](const Standing& standing) { return name_of(standing.rule.rate); },
            "How the master weighs: adaptive (AdaHedge), fixed or anytime (Hedge), share (Fixed Share).")
        .def_prop_ro("eta", [](const Standing& standing) { return standing.rule.eta; })
        .def_prop_ro("alpha", [](const Standing& standing) { return standing.rule.alpha; })
        .def_prop_ro("rounds", [](const Standing& standing) { return standing.master.rounds; })
        .def_prop_ro("gap", [](const Standing& standing) { return standing.master.gap; })
        .def_prop_ro("largest", [](const Standing& standing) { return standing.master.largest; })
        .def_prop_ro(
            "loss", [](const Standing& standing) { return Parts{standing.master.loss, standing.master.rest}; },
            "What the mixture lost until now, in two parts.")
        .def_ro("weighted", &Standing::weighted, "The first round with a cost other than 1; 0 is none.")
        .def_prop_ro(
            "missed", [](const Standing& standing) { return parts(standing.missed); },
            "The cost of the vote's mistakes, in two parts.")
        .def_prop_ro(
            "cost", [](const Standing& standing) { return parts(standing.cost); },
            "The cost of all rounds in which some lane was wrong, in two parts.")
        .def("__getstate__", &state_of, nb::sig("def __getstate__(self) -> tuple[object, ...]"))
        .def(
            "__setstate__",
            [](Standing& self, const StandingState& state) { new (&self) Standing(standing_of(state)); },
            nb::arg("state"), nb::sig("def __setstate__(self, state: tuple[object, ...]) -> None"));
}

}  // namespace thresher::python
