// Rounds: many of them in columns.
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "values.hpp"

namespace thresher::python {

namespace {

// A column as a read-only array that keeps its rounds alive.
template <class T>
auto column(nb::handle self, const T* data) {
    const auto& rounds = nb::cast<const Rounds&>(self);
    return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(data, {rounds.columns.size}, self);
}

nb::object column_or_none(nb::handle self, const double* data) {
    return data == nullptr ? nb::none() : nb::cast(column(self, data));
}

std::size_t rows_in(nb::handle examples) {
    return nb::hasattr(examples, "shape") ? nb::cast<std::size_t>(examples.attr("shape")[0]) : nb::len(examples);
}

using Column = std::optional<Vector<double>>;

std::unique_ptr<double[]> checked_parts(const char* name, const Column& column, std::size_t size) {
    if (!column) return nullptr;
    if (column->shape(0) != size) raise("ParameterError", "the columns of rounds must have one entry a round");
    auto parts = std::make_unique_for_overwrite<double[]>(size);
    for (std::size_t k = 0; k < size; ++k) parts[k] = checked_part(name, column->data()[k]);
    return parts;
}

Rounds build_rounds(std::int64_t first, nb::object examples, Vector<std::int8_t> predictions,
                    Vector<std::int8_t> labels, Vector<double> scores, Vector<bool> changed, nb::object weights,
                    const Column& losses, const Column& shares, std::optional<Origin> origin) {
    const std::size_t size = labels.shape(0);
    if (predictions.shape(0) != size || scores.shape(0) != size || changed.shape(0) != size ||
        rows_in(examples) < size || (!weights.is_none() && nb::len(weights) != size)) {
        raise("ParameterError", "the columns of rounds must have one entry a round");
    }
    if (!weights.is_none()) {
        for (std::size_t k = 0; k < size; ++k) {
            double weight = 0.0;
            if (!nb::try_cast(nb::object(weights[k]), weight)) {
                raise("ExampleError", "found weight " + shown(weights[k]) + ", expected a number of at least 0");
            }
            checked_weight(weight);
        }
    }
    Rounds rounds{checked_t(first),   std::move(examples), nb::none(),
                  std::move(weights), std::move(origin),   Columns(size)};
    const auto* moved = reinterpret_cast<const std::uint8_t*>(changed.data());  // a byte may be neither 0 nor 1
    for (std::size_t k = 0; k < size; ++k) {
        rounds.columns.view().put(k, {scores.data()[k], checked_prediction(predictions.data()[k]),
                                      checked_label(labels.data()[k]), moved[k] != 0});
    }
    rounds.columns.size = size;
    rounds.losses = checked_parts("a loss", losses, size);
    rounds.shares = checked_parts("p_positive", shares, size);
    rounds.count();
    return rounds;
}

// The k-th round alone. Its history is not known: only the rounds as a whole continue one.
Round round_at(const Rounds& rounds, std::int64_t k) {
    const auto size = static_cast<std::int64_t>(rounds.columns.size);
    const std::int64_t at = k < 0 ? k + size : k;
    if (at < 0 || at >= size) {
        throw nb::index_error(("no round " + std::to_string(k) + " among " + std::to_string(size)).c_str());
    }
    const auto row = static_cast<std::size_t>(at);
    const Outcome outcome = rounds.outcome(row);
    const auto entry = [&](const auto& parts) { return parts ? std::optional<double>(parts[row]) : std::nullopt; };
    return {rounds.first + at,
            rounds.examples[at],
            {outcome.prediction, outcome.score, entry(rounds.shares)},
            outcome.label,
            outcome.changed,
            rounds.weights.is_none() ? 1.0 : nb::cast<double>(rounds.weights[at]),
            rounds.origin ? std::optional<Origin>(Origin{rounds.origin->rule, rounds.origin->n}) : std::nullopt,
            entry(rounds.losses),
            nb::none(),
            entry(rounds.chances)};
}

// What a ledger counts beside mistakes, where `last` is the label before the first: positives, those of them that were
// missed, labels other than the one before, and the last label.
std::tuple<std::int64_t, std::int64_t, std::int64_t, int> counts(const Rounds& rounds, int last) {
    std::int64_t positives = 0, missed = 0, repeats = 0;
    for (std::size_t k = 0; k < rounds.columns.size; ++k) {
        const int label = rounds.columns.labels[k];
        positives += label > 0;
        missed += (label > 0) & (rounds.columns.predictions[k] <= 0);  // a guess would fail
        repeats += label != last;
        last = label;
    }
    return {positives, missed, repeats, last};
}

// After how many of the rounds, ascending: mistakes, positives, labels other than the one before, and the loss by then.
using Counted = std::tuple<std::int64_t, std::int64_t, std::int64_t, double>;
std::vector<Counted> counted(const Rounds& rounds, const std::vector<std::int64_t>& after, int last) {
    std::vector<Counted> found;
    std::int64_t mistakes = 0, positives = 0, repeats = 0;
    double loss = 0.0;
    std::size_t k = 0;
    for (const std::int64_t until : after) {
        if (until < static_cast<std::int64_t>(k) || until > static_cast<std::int64_t>(rounds.columns.size)) {
            throw std::invalid_argument("expected ascending numbers of these rounds");
        }
        for (; k < static_cast<std::size_t>(until); ++k) {
            const int label = rounds.columns.labels[k];
            mistakes += rounds.columns.predictions[k] != label;
            positives += label > 0;
            repeats += label != last;
            last = label;
            loss += rounds.loss_at(k);
        }
        found.emplace_back(mistakes, positives, repeats, loss);
    }
    return found;
}

using RoundsState = std::tuple<std::int64_t, nb::object, Vector<std::int8_t>, Vector<std::int8_t>, Vector<double>,
                               Vector<bool>, nb::object, Column, Column, OriginState, nb::object, Column>;

}  // namespace

void bind_rounds(nb::module_& m) {
    nb::class_<Rounds>(m, "Rounds",
                       "Many rounds in columns, in order. The examples are held by reference: enter the rounds into a\n"
                       "ledger before you change the arrays they came from.",
                       nb::type_slots(Collected<Rounds>::slots))
        .def(
            "__init__",
            [](Rounds* self, std::int64_t first, nb::object examples, Vector<std::int8_t> predictions,
               Vector<std::int8_t> labels, Vector<double> scores, Vector<bool> changed, nb::object weights,
               const Column& losses, const Column& p_positive) {
                new (self) Rounds(build_rounds(first, std::move(examples), predictions, labels, scores, changed,
                                               std::move(weights), losses, p_positive, std::nullopt));
            },
            nb::arg("first"), nb::arg("examples"), nb::arg("predictions"), nb::arg("labels"), nb::arg("scores"),
            nb::arg("changed"), nb::arg("weights") = nb::none(), nb::arg("losses") = nb::none(),
            nb::arg("p_positive") = nb::none())
        .def_ro("first", &Rounds::first, "The number t of the first of these rounds.")
        .def_ro("examples", &Rounds::examples, "The examples, as they were given.")
        .def_ro("weights", &Rounds::weights,
                nb::sig("def weights(self, /) -> numpy.typing.NDArray[numpy.float64] | None"),
                "The examples' weights, or None for 1 throughout.")
        .def_prop_ro("rule", &Rounds::rule, nb::sig("def rule(self, /) -> Rule | None"),
                     "The rule of the core that played these rounds; None for rounds made in Python.")
        .def_prop_ro(
            "doubt", [](const Rounds& r) { return r.origin ? r.origin->doubt : 0.0; },
            "How far a score of this learner may ever have been off, beyond the rounding of a sum.")
        .def_prop_ro(
            "predictions",
            [](nb::handle self) { return column(self, nb::cast<const Rounds&>(self).columns.predictions.get()); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "labels", [](nb::handle self) { return column(self, nb::cast<const Rounds&>(self).columns.labels.get()); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "scores", [](nb::handle self) { return column(self, nb::cast<const Rounds&>(self).columns.scores.get()); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "changed",
            [](nb::handle self) { return column(self, nb::cast<const Rounds&>(self).columns.changed.get()); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "losses",
            [](const Rounds& rounds) {
                auto losses = std::make_unique_for_overwrite<double[]>(rounds.columns.size);
                for (std::size_t k = 0; k < rounds.columns.size; ++k) losses[k] = rounds.loss_at(k);
                return owned<double>(std::move(losses), rounds.columns.size);
            },
            nb::rv_policy::automatic, "Each round's loss.")
        .def_prop_ro(
            "p_positive",
            [](nb::handle self) { return column_or_none(self, nb::cast<const Rounds&>(self).shares.get()); },
            nb::sig("def p_positive(self, /) -> numpy.typing.NDArray[numpy.float64] | None"),
            "Each round's chance or share of weight of +1; None where the learner has none.")
        .def_prop_ro(
            "before", [](const Rounds& r) { return r.origin ? r.origin->before : std::nullopt; },
            "A digest of the rounds that the learner played before, or None if it is not known.")
        .def_prop_ro(
            "after", [](const Rounds& r) { return r.origin ? r.origin->after : std::nullopt; },
            "The same digest with these rounds.")
        .def_prop_ro(
            "lane_mistakes", [](const Rounds& r) { return from_standing(r, "lane_mistakes"); },
            nb::sig("def lane_mistakes(self, /) -> numpy.typing.NDArray[numpy.int64] | None"),
            "Of a portfolio: in how many of these rounds each lane was wrong; None for other learners.")
        .def_prop_ro(
            "regret_bound", [](const Rounds& r) { return from_standing(r, "regret_bound"); },
            nb::sig("def regret_bound(self, /) -> float | None"),
            "Of a portfolio: what its master proves of the regret until now; None where it is silent.")
        .def_prop_ro(
            "calibrated",
            [](nb::handle self) { return column_or_none(self, nb::cast<const Rounds&>(self).chances.get()); },
            nb::sig("def calibrated(self, /) -> numpy.typing.NDArray[numpy.float64] | None"),
            "Of a portfolio: each round's calibrated probability of +1, made before its label came; None for others.")
        .def_ro("standing", &Rounds::standing, nb::sig("def standing(self, /) -> Standing | None"),
                "Of a portfolio: where it stands after these rounds.")
        .def_ro("mistakes", &Rounds::mistakes, "How many of these rounds were mistakes.")
        .def_ro("updates", &Rounds::updates, "In how many of these rounds the learner moved.")
        .def_prop_ro("loss", &Rounds::loss, "The sum of the rounds' losses.")
        .def(
            "loss_after",
            [](const Rounds& rounds, double high, double low) {
                const Pair sum = rounds.loss_after({high, low});
                return std::make_pair(sum.high, sum.low);
            },
            nb::arg("high"), nb::arg("low"), "A sum of losses in two parts with these added, one after the other.")
        .def_prop_ro(
            "_moved",
            [](nb::handle self) {
                const auto& columns = nb::cast<const Rounds&>(self).columns;
                return nb::ndarray<nb::memview, const bool, nb::ndim<1>>(columns.changed.get(), {columns.size}, self);
            },
            nb::rv_policy::automatic, nb::sig("def _moved(self, /) -> memoryview"),
            "`changed` as plain memory: NumPy is not asked.")
        .def("_counts", &counts, nb::arg("last_label"),
             "Positives, those that were missed, labels other than the one before, and the last label.")
        .def("_counted", &counted, nb::arg("after"), nb::arg("last_label"),
             "After so many rounds, ascending: mistakes, positives, labels other than the one before, the loss.")
        .def(
            "plot",
            [](nb::handle self, nb::handle ax) {
                return nb::module_::import_("thresher.drawing").attr("draw_rounds")(self, ax);
            },
            nb::arg("ax").none() = nb::none(), nb::sig("def plot(self, ax: typing.Any = None) -> typing.Any"),
            "Draws how the mistakes went, beside two baselines, with matplotlib; returns the Axes.")
        .def("__len__", [](const Rounds& rounds) { return rounds.columns.size; })
        .def("__getitem__", &round_at, nb::arg("k"))
        .def("__repr__",
             [](const Rounds& rounds) {
                 return "Rounds(first=" + std::to_string(rounds.first) +
                        ", rounds=" + std::to_string(rounds.columns.size) +
                        ", mistakes=" + std::to_string(rounds.mistakes) +
                        ", updates=" + std::to_string(rounds.updates) + ")";
             })
        .def("_repr_html_",
             [](const Rounds& rounds) {
                 return html_table({{"first round", std::to_string(rounds.first)},
                                    {"rounds", std::to_string(rounds.columns.size)},
                                    {"mistakes", std::to_string(rounds.mistakes)},
                                    {"updates", std::to_string(rounds.updates)}});
             })
        .def(
            "__getstate__",
            [](nb::handle self) {
                const auto& rounds = nb::cast<const Rounds&>(self);
                return nb::make_tuple(
                    rounds.first, rounds.examples, self.attr("predictions"), self.attr("labels"), self.attr("scores"),
                    self.attr("changed"), rounds.weights, rounds.losses ? nb::object(self.attr("losses")) : nb::none(),
                    self.attr("p_positive"), state_of(rounds.origin), rounds.standing, self.attr("calibrated"));
            },
            nb::sig("def __getstate__(self) -> tuple[object, ...]"))
        .def(
            "__setstate__",
            [](Rounds& self, const RoundsState& state) {
                const auto& [first, examples, predictions, labels, scores, changed, weights, losses, shares, origin,
                             standing, chances] = state;
                new (&self) Rounds(build_rounds(first, examples, predictions, labels, scores, changed, weights, losses,
                                                shares, origin_of(origin)));
                self.standing = checked_standing(standing);
                self.chances = checked_parts("calibrated", chances, self.columns.size);
            },
            nb::arg("state"), nb::sig("def __setstate__(self, state: tuple[object, ...]) -> None"));
}

double Rounds::loss() const {
    const Pair sum = loss_after({});
    return sum.high + sum.low;
}

Pair Rounds::loss_after(Pair sum) const {
    const double counted = sum.high + static_cast<double>(mistakes);
    const bool whole = sum.low == 0.0 && sum.high == std::floor(sum.high) && counted <= 0x1p53;
    if (!losses && whole) return {counted, 0.0};  // each 1 is added exactly
    for (std::size_t k = 0; k < columns.size; ++k) {
        if (const double loss = loss_at(k); loss != 0.0) add(sum, loss);
    }
    return sum;
}

void Rounds::count() {
    mistakes = updates = 0;
    for (std::size_t k = 0; k < columns.size; ++k) {
        mistakes += columns.predictions[k] != columns.labels[k];
        updates += columns.changed[k];
    }
}

}  // namespace thresher::python
