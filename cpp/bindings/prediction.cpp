// Predictions, and how they and their numbers are printed and checked.
#include <nanobind/operators.h>

#include <string_view>

#include "bindings.hpp"

namespace thresher::python {

std::string sign(int label) { return label > 0 ? "+1" : std::to_string(label); }

std::string text_of(double number) { return nb::cast<std::string>(nb::repr(nb::float_(number))); }

std::string text_of(const Prediction& prediction) {
    return "Prediction(label=" + sign(prediction.label) + ", score=" + text_of(prediction.score) +
           ", p_positive=" + (prediction.p_positive ? text_of(*prediction.p_positive) : "None") + ")";
}

double checked_part(const char* name, double value) {
    if (!(value >= 0.0 && value <= 1.0)) {
        raise("ParameterError", std::string("found ") + name + " = " + text_of(value) + ", expected 0 to 1");
    }
    return value;
}

namespace {

bool is_bool(nb::handle value) {
    const std::string_view type = Py_TYPE(value.ptr())->tp_name;
    return type == "bool" || type == "numpy.bool" || type == "numpy.bool_";
}

}  // namespace

void bind_prediction(nb::module_& m) {
    nb::class_<Prediction>(
        m, "Prediction",
        "What a learner says of an example: a label, the score behind it and, where the learner has\n"
        "one, the chance or share of weight of +1.")
        .def(
            "__init__",
            [](Prediction* self, nb::handle said, double score, std::optional<double> p_positive) {
                std::int8_t label = label_code(said);
                if (label == 0 && is_bool(said)) label = -1;  // False is a label; 0 is neither
                if (label == not_a_label) {
                    raise("LabelError", "found prediction " + shown(said) + ", expected -1, +1, or 0 for neither");
                }
                if (p_positive) checked_part("p_positive", *p_positive);
                new (self) Prediction{label, score, p_positive};
            },
            nb::arg("label").none(), nb::arg("score"), nb::arg("p_positive") = nb::none(),
            nb::sig("def __init__(self, label: typing.SupportsIndex | typing.SupportsFloat, score: float, "
                    "p_positive: float | None = None) -> None"))
        .def_prop_ro(
            "label", [](const Prediction& p) { return int{p.label}; }, "-1 or +1; 0 for neither.")
        .def_ro("score", &Prediction::score, "What the label was read from.")
        .def_ro("p_positive", &Prediction::p_positive, "The chance or share of weight of +1, or None.")
        .def(nb::self == nb::self, nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__",
             [](const Prediction& p) { return nb::hash(nb::make_tuple(int{p.label}, p.score, p.p_positive)); })
        .def("__repr__", [](const Prediction& p) { return text_of(p); })
        .def(
            "__reduce__",
            [](nb::handle self) {
                const auto& p = nb::cast<const Prediction&>(self);
                return nb::make_tuple(self.type(), nb::make_tuple(int{p.label}, p.score, p.p_positive));
            },
            nb::sig("def __reduce__(self) -> tuple[type, tuple[object, ...]]"));
}

}  // namespace thresher::python
