// Where a portfolio stands, as a value of Python, and its rounds, which know it.
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

struct Voted {
    Vector<std::int8_t> predictions;
    Vector<std::int8_t> codes;
    Vector<double> scores;
    Vector<double> shares;
    Vector<double> losses;
    Vector<bool> moved;
    Vector<double> chances;
};

Origin origin_of(nb::object rule, std::size_t n, std::pair<std::uint64_t, std::uint64_t> history) {
    return {std::move(rule), n, history.first, history.second};
}

// A column as it is: whoever holds it keeps its memory.
std::shared_ptr<double[]> held(const Vector<double>& column) {
    return {const_cast<double*>(column.data()), [column](double*) {}};
}

Rounds rounds_of(std::int64_t first, nb::object examples, nb::object block, nb::object weights, nb::object rule,
                 std::pair<std::uint64_t, std::uint64_t> history, const Voted& voted, nb::object standing) {
    const Block& rows = nb::cast<const HeldBlock&>(block).block;
    const std::size_t size = voted.codes.shape(0);
    for (const std::size_t found : {voted.predictions.shape(0), voted.scores.shape(0), voted.shares.shape(0),
                                    voted.losses.shape(0), voted.moved.shape(0), voted.chances.shape(0)}) {
        if (found != size) throw std::invalid_argument("one entry a row");
    }
    if (rows_of(rows) < size) throw std::invalid_argument("one row a round");
    Rounds rounds{first,
                  std::move(examples),
                  std::move(block),
                  std::move(weights),
                  origin_of(std::move(rule), width_of(rows), history),
                  Columns(size)};
    rounds.origin->fingerprint = fingerprint(rows, size);
    const auto* const moved = reinterpret_cast<const std::uint8_t*>(voted.moved.data());
    for (std::size_t k = 0; k < size; ++k) {
        rounds.columns.view().put(k, {voted.scores.data()[k], voted.predictions.data()[k],
                                      static_cast<std::int8_t>(voted.codes.data()[k] > 0 ? +1 : -1), moved[k] != 0});
    }
    rounds.losses = held(voted.losses);
    rounds.shares = held(voted.shares);
    rounds.chances = held(voted.chances);
    rounds.columns.size = size;
    rounds.standing = std::move(standing);
    rounds.count();
    return rounds;
}

Round round_of(std::int64_t t, nb::object example, nb::object block, double weight, nb::object rule,
               std::pair<std::uint64_t, std::uint64_t> history, const Prediction& said, std::int8_t code, bool changed,
               double loss, double chance, nb::object standing) {
    const Block& rows = nb::cast<const HeldBlock&>(block).block;
    const std::size_t n = width_of(rows);
    Origin origin = origin_of(std::move(rule), n, history);
    std::visit(
        [&](const auto& held) {
            typename std::decay_t<decltype(held)>::Row row;
            if (held.rows == 1 && held.row(0, row)) origin.fingerprint = fingerprint(row, n);
        },
        rows);
    return {t,
            std::move(example),
            said,
            static_cast<std::int8_t>(code > 0 ? +1 : -1),
            changed,
            weight,
            std::move(origin),
            loss,
            std::move(standing),
            chance};
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
        .def(
            "_erred", [](const Standing& standing, std::size_t lane) { return standing.all_mistakes.at(lane); },
            nb::arg("lane"), "That of one lane alone.")
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
    m.def(
        "voted_rounds",
        [](std::int64_t first, nb::object examples, nb::object block, nb::object weights, nb::object rule,
           std::pair<std::uint64_t, std::uint64_t> history, Vector<std::int8_t> predictions, Vector<std::int8_t> codes,
           Vector<double> scores, Vector<double> shares, Vector<double> losses, Vector<bool> moved,
           Vector<double> chances, nb::object standing) {
            return rounds_of(first, std::move(examples), std::move(block), std::move(weights), std::move(rule), history,
                             {predictions, codes, scores, shares, losses, moved, chances}, std::move(standing));
        },
        nb::arg("first"), nb::arg("examples"), nb::arg("block"), nb::arg("weights").none(), nb::arg("rule"),
        nb::arg("history"), nb::arg("predictions"), nb::arg("codes"), nb::arg("scores"), nb::arg("shares"),
        nb::arg("losses"), nb::arg("moved"), nb::arg("chances"), nb::arg("standing"),
        nb::sig("def voted_rounds(first: int, examples: object, block: Block, "
                "weights: numpy.typing.NDArray[numpy.float64] | None, rule: Rule, history: tuple[int, int], "
                "predictions: memoryview, codes: numpy.typing.NDArray[numpy.int8] | memoryview, scores: memoryview, "
                "shares: memoryview, losses: memoryview, moved: memoryview, chances: memoryview, "
                "standing: Standing) -> Rounds"),
        "The rounds of a portfolio, from what its vote wrote.");
    m.def("voted_round", &round_of, nb::arg("t"), nb::arg("example").none(), nb::arg("block"), nb::arg("weight"),
          nb::arg("rule"), nb::arg("history"), nb::arg("said"), nb::arg("code"), nb::arg("changed"), nb::arg("loss"),
          nb::arg("chance"), nb::arg("standing"),
          nb::sig("def voted_round(t: int, example: object, block: Block, weight: float, rule: Rule, "
                  "history: tuple[int, int], said: Prediction, code: int, changed: bool, loss: float, "
                  "chance: float, standing: Standing) -> Round"),
          "One round of a portfolio.");
}

}  // namespace thresher::python
