// A round: made by the core in fractions of a microsecond, or in Python for a learner of one's own.
#include "values.hpp"

namespace thresher::python {

namespace {

const char* yes_no(bool fact) { return fact ? "True" : "False"; }

using RoundState = std::tuple<std::int64_t, nb::object, Prediction, int, bool, double, std::optional<double>,
                              OriginState, nb::object, std::optional<double>>;
void bind_round(nb::module_& m) {
    nb::class_<Round>(m, "Round",
                      "One round: the example, what was predicted, the label, and whether the learner changed.\n\n"
                      "Two rounds are equal if these facts are; the example is a reference and is not compared.",
                      nb::type_slots(Collected<Round>::slots))
        .def(
            "__init__",
            [](Round* self, std::int64_t t, nb::object example, const Prediction& prediction, nb::handle label,
               nb::handle changed, double weight, std::optional<double> loss) {
                const std::int8_t code = label_code(label);
                if (code == not_a_label) raise(Fault{Fault::Kind::label}, {}, label);
                const int moved = PyObject_IsTrue(changed.ptr());
                if (moved < 0) nb::raise_python_error();
                if (loss) checked_part("a loss", *loss);
                new (self) Round{
                    checked_t(t), std::move(example),     prediction,   static_cast<std::int8_t>(code > 0 ? 1 : -1),
                    moved != 0,   checked_weight(weight), std::nullopt, loss};
            },
            nb::arg("t"), nb::arg("example").none(), nb::arg("prediction"), nb::arg("label").none(), nb::arg("changed"),
            nb::arg("weight") = 1.0, nb::arg("loss") = nb::none(),
            nb::sig("def __init__(self, t: int, example: object, prediction: Prediction, "
                    "label: typing.SupportsIndex | typing.SupportsFloat, changed: bool, "
                    "weight: float = 1.0, loss: float | None = None) -> None"))
        .def_ro("t", &Round::t, "The round's number, from 1.")
        .def_ro("example", &Round::example, "The example, as it was given.")
        .def_ro("prediction", &Round::prediction, "What the learner said before it knew the label.")
        .def_prop_ro(
            "label", [](const Round& round) { return int{round.label}; }, "The truth: -1 or +1.")
        .def_ro("changed", &Round::changed, "Whether the learner moved.")
        .def_ro("weight", &Round::weight, "The example's weight.")
        .def_prop_ro("rule", &Round::rule, nb::sig("def rule(self, /) -> Rule | None"),
                     "The rule of the core that played this round; None for a round made in Python.")
        .def_prop_ro(
            "margin_mistake", [](const Round& r) { return r.changed && !r.mistake() && has_margin(r.rule(), r.t); },
            "Whether the prediction was right by less than the rule's margin, so that the learner moved.")
        .def_prop_ro(
            "doubt", [](const Round& r) { return r.origin ? r.origin->doubt : 0.0; },
            "How far a score of this learner may ever have been off, beyond the rounding of a sum.")
        .def_prop_ro(
            "before", [](const Round& r) { return r.origin ? r.origin->before : std::nullopt; },
            "A digest of the rounds that the learner played before, or None if it is not known.")
        .def_prop_ro(
            "after", [](const Round& r) { return r.origin ? r.origin->after : std::nullopt; },
            "The same digest with this round.")
        .def_prop_ro(
            "lane_mistakes", [](const Round& r) { return from_standing(r, "lane_mistakes"); },
            nb::sig("def lane_mistakes(self, /) -> numpy.typing.NDArray[numpy.int64] | None"),
            "Of a portfolio: which lanes were wrong, 1 or 0 for each; None for other learners.")
        .def_prop_ro(
            "regret_bound", [](const Round& r) { return from_standing(r, "regret_bound"); },
            nb::sig("def regret_bound(self, /) -> float | None"),
            "Of a portfolio: what its master proves of the regret until now; None where it is silent.")
        .def_ro(
            "calibrated", &Round::chance,
            "Of a portfolio: the calibrated probability of +1, made before the label came; None for other learners.")
        .def_ro("standing", &Round::standing, nb::sig("def standing(self, /) -> Standing | None"),
                "Of a portfolio: where it stands after this round.")
        .def_prop_ro("mistake", &Round::mistake, "Whether the prediction was wrong.")
        .def_prop_ro("loss", &Round::loss,
                     "What the learner's theorem bounds: 1 for a mistake, else 0, unless the learner has another loss.")
        .def(
            "loss_after",
            [](const Round& round, double high, double low) {
                Pair sum{high, low};
                add(sum, round.loss());
                return std::make_pair(sum.high, sum.low);
            },
            nb::arg("high"), nb::arg("low"), "A sum of losses in two parts with this one added.")
        .def_prop_ro(
            "promotion", [](const Round& round) { return round.changed && round.label > 0; },
            "Whether the learner moved towards a positive example.")
        .def_prop_ro(
            "demotion", [](const Round& round) { return round.changed && round.label < 0; },
            "Whether the learner moved away from a negative example.")
        .def(
            "__eq__",
            [](const Round& a, nb::handle other) {
                if (!nb::isinstance<Round>(other)) return false;
                const auto& b = nb::cast<const Round&>(other);
                return a.t == b.t && a.prediction == b.prediction && a.label == b.label && a.changed == b.changed &&
                       a.weight == b.weight && a.loss() == b.loss();
            },
            nb::arg("other").none(), nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__", [](const Round& round) { return nb::hash(nb::make_tuple(round.t, int{round.label})); })
        .def("__repr__",
             [](const Round& round) {
                 return "Round(t=" + std::to_string(round.t) + ", " + text_of(round.prediction) +
                        ", label=" + sign(round.label) + ", mistake=" + yes_no(round.mistake()) +
                        ", changed=" + yes_no(round.changed) + ")";
             })
        .def("_repr_html_",
             [](const Round& round) {
                 return html_table({{"t", std::to_string(round.t)},
                                    {"prediction", sign(round.prediction.label)},
                                    {"score", text_of(round.prediction.score)},
                                    {"label", sign(round.label)},
                                    {"mistake", round.mistake() ? "yes" : "no"},
                                    {"changed", round.changed ? "yes" : "no"}});
             })
        .def(
            "__getstate__",
            [](const Round& round) {
                return nb::make_tuple(round.t, round.example, round.prediction, int{round.label}, round.changed,
                                      round.weight, round.lost, state_of(round.origin), round.standing, round.chance);
            },
            nb::sig("def __getstate__(self) -> tuple[object, ...]"))
        .def(
            "__setstate__",
            [](Round& self, const RoundState& state) {
                const auto& [t, example, prediction, label, changed, weight, lost, origin, standing, chance] = state;
                if (lost) checked_part("a loss", *lost);
                if (chance) checked_part("calibrated", *chance);
                new (&self)
                    Round{checked_t(t),           example,           prediction, checked_label(label),       changed,
                          checked_weight(weight), origin_of(origin), lost,       checked_standing(standing), chance};
            },
            nb::arg("state"), nb::sig("def __setstate__(self, state: tuple[object, ...]) -> None"));
}

}  // namespace

void bind_values(nb::module_& m) {
    bind_round(m);
    bind_rounds(m);
}

}  // namespace thresher::python
