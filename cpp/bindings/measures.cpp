// The sums and the window of metrics in Python.
#include "../thresher/measures.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "bindings.hpp"

namespace thresher::python {

namespace {

using Sums = std::tuple<std::int64_t, double, double, double, double, double, double, double>;
using Column = std::optional<Vector<double>>;

Sums sums_of(const Measured& m) {
    return {m.rounds, m.found, m.missed, m.false_alarms, m.rejected, m.forecast, m.log_sum, m.brier_sum};
}

const double* data_of(const Column& column, std::size_t size) {
    if (!column) return nullptr;
    if (column->shape(0) != size) raise("ParameterError", "the columns of predictions must have one entry each");
    return column->data();
}

// Calls use(judgement) for every row.
template <class Use>
void each_row(std::size_t size, const std::int8_t* labels, const std::int8_t* said, const double* scores,
              const double* chances, const double* weights, Use&& use) {
    for (std::size_t k = 0; k < size; ++k) {
        use(Judgement{labels[k], said[k], scores[k],
                      chances == nullptr ? std::numeric_limits<double>::quiet_NaN() : chances[k],
                      weights == nullptr ? 1.0 : weights[k]});
    }
}

// The weights of rounds; those made in Python may have them in any sequence.
std::vector<double> weights_of(const Rounds& rounds) {
    std::vector<double> weights;
    if (rounds.weights.is_none()) return weights;
    for (std::size_t k = 0; k < rounds.columns.size; ++k) weights.push_back(nb::cast<double>(rounds.weights[k]));
    return weights;
}

void enter(Measures& self, const Rounds& rounds) {
    Column array;
    const bool lie_there = !rounds.weights.is_none() && nb::try_cast(rounds.weights, array) && array;
    const std::vector<double> read = lie_there ? std::vector<double>() : weights_of(rounds);
    const double* const chances = rounds.chances ? rounds.chances.get() : rounds.shares.get();
    const Columns& columns = rounds.columns;
    each_row(columns.size, columns.labels.get(), columns.predictions.get(), columns.scores.get(), chances,
             lie_there ? data_of(array, columns.size) : (read.empty() ? nullptr : read.data()),
             [&](const Judgement& one) { self.add(one); });
}

using Labels = Vector<std::int8_t>;

template <class Use>
void each_given(Labels labels, Labels said, Vector<double> scores, const Column& chances, const Column& weights,
                Use&& use) {
    const std::size_t size = labels.shape(0);
    if (said.shape(0) != size || scores.shape(0) != size) {
        raise("ParameterError", "the columns of predictions must have one entry each");
    }
    each_row(size, labels.data(), said.data(), scores.data(), data_of(chances, size), data_of(weights, size), use);
}

template <class T>
auto column(const Measures& self, T Judgement::* part) {
    auto values = std::make_unique_for_overwrite<T[]>(self.kept());
    T* at = values.get();
    self.each([&](const Judgement& one) { *at++ = one.*part; });
    return owned<T>(std::move(values), self.kept());
}

}  // namespace

void bind_measures(nb::module_& m) {
    nb::class_<Measures>(m, "Measures", "Sums over predictions beside what came, and the last of them as they were.")
        .def(nb::init<std::size_t>(), nb::arg("window"))
        .def_prop_ro("window", &Measures::window)
        .def("enter", &enter, nb::arg("rounds"), "Adds rounds; of a portfolio with its calibrated chances.")
        .def(
            "add",
            [](Measures& self, Labels labels, Labels said, Vector<double> scores, const Column& chances,
               const Column& weights) {
                each_given(labels, said, scores, chances, weights, [&](const Judgement& one) { self.add(one); });
            },
            nb::arg("labels"), nb::arg("said"), nb::arg("scores"), nb::arg("chances") = nb::none(),
            nb::arg("weights") = nb::none(), "Adds predictions in columns; a chance is NaN where there was none.")
        .def_prop_ro(
            "so_far", [](const Measures& self) { return sums_of(self.so_far); },
            "rounds, found, missed, false alarms, rejected, forecast, log losses, squared distances")
        .def_prop_ro(
            "last", [](const Measures& self) { return sums_of(self.last()); }, "The same of the window.")
        .def(
            "columns",
            [](const Measures& self) {
                return nb::make_tuple(column<std::int8_t>(self, &Judgement::label),
                                      column<std::int8_t>(self, &Judgement::said),
                                      column<double>(self, &Judgement::score), column<double>(self, &Judgement::chance),
                                      column<double>(self, &Judgement::weight));
            },
            nb::sig("def columns(self) -> tuple[numpy.typing.NDArray[numpy.int8], numpy.typing.NDArray[numpy.int8], "
                    "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
                    "numpy.typing.NDArray[numpy.float64]]"),
            "The window from the oldest on: labels, what was said, scores, chances, weights.")
        .def(
            "restore",
            [](Measures& self, const Sums& sums, Labels labels, Labels said, Vector<double> scores,
               const Column& chances, const Column& weights) {
                Measures made(self.window());
                each_given(labels, said, scores, chances, weights, [&](const Judgement& one) { made.keep(one); });
                const auto& [rounds, found, missed, false_alarms, rejected, forecast, log_sum, brier_sum] = sums;
                made.so_far = {rounds, found, missed, false_alarms, rejected, forecast, log_sum, brier_sum};
                self = std::move(made);
            },
            nb::arg("sums"), nb::arg("labels"), nb::arg("said"), nb::arg("scores"), nb::arg("chances") = nb::none(),
            nb::arg("weights") = nb::none(), "Takes up what was measured earlier: the sums, and the window.");
}

}  // namespace thresher::python
