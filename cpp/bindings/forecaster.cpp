// One forecast from many, in Python.
#include <nanobind/stl/string_view.h>

#include <charconv>
#include <optional>
#include <vector>

#include "../thresher/forecaster.hpp"
#include "bindings.hpp"

namespace thresher::python {

namespace {

// Rounds x experts, or rounds x experts x outcomes.
template <class T>
using Tables = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
using Shown = nb::ndarray<nb::numpy, double>;

std::string shortest(double value) {
    char text[32];
    const auto [end, _] = std::to_chars(text, text + sizeof text, value);
    return {text, end};
}

Shown shaped(std::unique_ptr<double[]> data, std::initializer_list<std::size_t> shape) {
    const nb::capsule owner(data.get(), [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return {data.release(), shape, owner};
}

Loss loss_named(std::string_view name) {
    if (name == "squared") return Loss::squared;
    if (name == "absolute") return Loss::absolute;
    if (name == "log") return Loss::log;
    if (name == "brier") return Loss::brier;
    throw std::invalid_argument("no such loss");
}

Way way_named(std::string_view name) {
    if (name == "mixture") return Way::mixture;
    if (name == "expert") return Way::expert;
    if (name == "aggregating") return Way::aggregating;
    throw std::invalid_argument("no such way");
}

// A forecaster that may not know yet of how many experts: its first round says so.
class PythonForecaster {
  public:
    PythonForecaster(std::size_t n, std::string_view loss, std::string_view way, double low, double high,
                     std::string_view rate, double eta, double alpha)
        : n_(n), rule_{loss_named(loss), way_named(way), low, high, {rate_named(rate), eta, alpha}} {}

    // The same once more.
    PythonForecaster(PythonForecaster& other) : n_(other.n_), rule_(other.rule_) {
        const Busy::Reading reading(other.busy_);
        core_ = other.core_;
    }

    std::size_t n() {
        const Busy::Reading reading(busy_);
        return core_ ? core_->n() : n_;
    }

    std::size_t outcomes() {
        const Busy::Reading reading(busy_);
        return core_ ? core_->outcomes() : 0;
    }

    Shown weights() {
        const Busy::Reading reading(busy_);
        const std::size_t n = core_ ? core_->n() : n_;
        auto copy = std::make_unique_for_overwrite<double[]>(n);
        if (n > 0) (core_ ? *core_ : Forecaster(n, 0, rule_)).mixture(copy.get());
        return shaped(std::move(copy), {n});
    }

    template <class Value>
    Shown predict_many(const Tables<Value>& given, bool one) {
        const Busy::Reading reading(busy_);
        std::optional<Forecaster> fresh;
        const Forecaster& core = core_ ? fitting(given) : fresh.emplace(made_for(given));
        const std::size_t rows = given.shape(0), width = core.width(), step = core.n() * width;
        auto forecasts = std::make_unique_for_overwrite<double[]>(rows * width);
        ForecastFault fault;
        std::size_t k = 0;
        {
            const nb::gil_scoped_release free;
            ForecastRoom room = core.room();
            for (; k < rows && !fault; ++k)
                fault = core.predict(given.data() + k * step, room, forecasts.get() + k * width);
        }
        if (fault) refuse(fault, core, one ? std::nullopt : std::optional(k - 1));
        return forecasts_of(std::move(forecasts), rows, core);
    }

    // The forecasts, what they lost, what each expert lost, the last round's weights, and where it stood before and
    // after.
    template <class Value>
    nb::tuple learn_many(const Tables<Value>& given, const Vector<double>& outcomes, bool one) {
        const Busy::Writing writing(busy_);
        const bool first = !core_;
        Forecaster& core = first ? core_.emplace(made_for(given)) : fitting(given);
        const std::size_t rows = given.shape(0), n = core.n(), width = core.width();
        const nb::tuple before = heads_of(core);
        if (outcomes.shape(0) != rows) throw std::invalid_argument("not one outcome a round");
        auto forecasts = std::make_unique_for_overwrite<double[]>(rows * width);
        auto loss = std::make_unique_for_overwrite<double[]>(rows);
        auto losses = std::make_unique_for_overwrite<double[]>(rows * n);
        auto weights = std::make_unique<double[]>(n);
        ForecastFault fault;
        std::size_t k = 0;
        {
            const nb::gil_scoped_release free;
            core.unshare();
            ForecastRoom room = core.room();
            for (; k < rows && !fault; ++k) {
                fault = core.learn(given.data() + k * n * width, outcomes.data()[k], room, forecasts.get() + k * width,
                                   loss[k], losses.get() + k * n);
            }
            std::copy_n(room.w.data(), n, weights.get());
        }
        if (fault) {
            const Forecaster kept = core;
            if (first && core.mixer.head.rounds == 0) core_.reset();
            refuse(fault, kept, one ? std::nullopt : std::optional(k - 1));
        }
        nb::tuple result = nb::make_tuple(forecasts_of(std::move(forecasts), rows, core),
                                          shaped(std::move(loss), {rows}), shaped(std::move(losses), {rows, n}),
                                          shaped(std::move(weights), {n}), before, heads_of(core));
        if (first && rows == 0) core_.reset();
        return result;
    }

    nb::tuple heads() {
        const Busy::Reading reading(busy_);
        return core_ ? heads_of(*core_) : heads_of(Forecaster(1, 0, rule_));
    }

    // The planes, where it stands, the loss of the rule in two parts, and the number of outcomes; None before the first
    // round.
    nb::object state() {
        const Busy::Reading reading(busy_);
        if (!core_) return nb::none();
        nb::dict planes;
        planes["losses"] = nb::cast(shown_as_it_is(core_->losses));
        planes["missed"] = nb::cast(shown_as_it_is(core_->missed));
        planes["rule_losses"] = nb::cast(shown_as_it_is(core_->mixer.losses()));
        planes["rule_weights"] = nb::cast(shown_as_it_is(core_->mixer.weights()));
        const MixerHead& head = core_->mixer.head;
        return nb::make_tuple(planes, heads_of(*core_), head.loss, head.rest, core_->outcomes());
    }

    void restore(const Vector<double>& losses, const Vector<double>& missed, const Vector<double>& rule_losses,
                 const Vector<double>& rule_weights, std::size_t outcomes, const MixerHead& head, double total,
                 double rest) {
        const Busy::Writing writing(busy_);
        const std::size_t n = losses.shape(0);
        for (const auto* array : {&missed, &rule_losses, &rule_weights})
            if (array->shape(0) != n) throw std::invalid_argument("planes of different lengths");
        Forecaster& core = core_.emplace(n, outcomes, rule_);
        std::copy_n(losses.data(), n, core.losses.data());
        std::copy_n(missed.data(), n, core.missed.data());
        std::copy_n(rule_losses.data(), n, core.mixer.losses().data());
        std::copy_n(rule_weights.data(), n, core.mixer.weights().data());
        core.mixer.head = head;
        core.total = total;
        core.rest = rest;
    }

  private:
    static Rate rate_named(std::string_view name) {
        if (name == "fixed") return Rate::fixed;
        if (name == "anytime") return Rate::anytime;
        if (name == "adaptive") return Rate::adaptive;
        if (name == "share") return Rate::share;
        throw std::invalid_argument("no such rate");
    }

    // Rounds, gaps, loss (two parts), first sleep, largest range: as a rule for losses has them, but the loss is of the
    // forecasts.
    static nb::tuple heads_of(const Forecaster& core) {
        const MixerHead& head = core.mixer.head;
        return nb::make_tuple(head.rounds, head.gap, core.total, core.rest, head.slept, head.largest);
    }

    template <class Value>
    static std::size_t outcomes_of(const Tables<Value>& given) {
        return given.ndim() == 3 ? given.shape(2) : 0;
    }

    template <class Value>
    Forecaster made_for(const Tables<Value>& given) const {
        const std::size_t n = given.shape(1), outcomes = outcomes_of(given);
        if (n_ != 0 && n != n_) raise_width(n, n_);
        if (n == 0) raise("ExampleError", "found forecasts of no expert, expected one at least");
        if (given.ndim() == 3 && outcomes < 2) {
            raise("ExampleError",
                  "found the probabilities of " + std::to_string(outcomes) +
                      " outcomes, expected two at least; or one number for each expert, the probability "
                      "of outcome 1");
        }
        return {n, outcomes, rule_};
    }

    template <class Value>
    Forecaster& fitting(const Tables<Value>& given) {
        if (given.shape(1) != core_->n()) raise_width(given.shape(1), core_->n());
        const std::size_t found = outcomes_of(given), expected = core_->outcomes();
        if (found != expected) {
            const auto said = [](std::size_t k) {
                return k == 0 ? std::string("one number") : "the probabilities of " + std::to_string(k) + " outcomes";
            };
            raise("ExampleError",
                  "found " + said(found) + " of each expert, expected " + said(expected) + " as before");
        }
        return *core_;
    }

    [[noreturn]] static void raise_width(std::size_t found, std::size_t expected) {
        raise("ExampleError",
              "found forecasts of " + std::to_string(found) + " experts, expected " + std::to_string(expected));
    }

    static Shown forecasts_of(std::unique_ptr<double[]> forecasts, std::size_t rows, const Forecaster& core) {
        if (core.outcomes() == 0) return shaped(std::move(forecasts), {rows});
        return shaped(std::move(forecasts), {rows, core.outcomes()});
    }

    [[noreturn]] static void refuse(const ForecastFault& fault, const Forecaster& core,
                                    std::optional<std::size_t> row) {
        using Kind = ForecastFault::Kind;
        const std::string round = row ? "" : "round " + std::to_string(core.mixer.head.rounds + 1) + ": ";
        const std::string found = "found " + shortest(fault.value),
                          outcome = round + "found outcome " + shortest(fault.value);
        const std::string expert = round + "expert " + std::to_string(fault.expert) + ": ";
        const std::string range = "[" + shortest(core.rule().low) + ", " + shortest(core.rule().high) + "]";
        const Place at{row, nb::int_(fault.expert), nb::none()}, all{row, nb::none(), nb::none()};
        switch (fault.kind) {
            case Kind::all_asleep:
                raise("ExampleError", round + "every expert is asleep, expected one awake at least", all);
            case Kind::all_out:
                raise("ExampleError",
                      round + "every expert awake is out: each gave probability 0 to what happened in an earlier round",
                      all);
            case Kind::value:
                raise("ExampleError",
                      expert + found +
                          ", expected a finite number of at most 2^100 (1.2e30), or NaN for an expert asleep",
                      at);
            case Kind::range:
                raise("ExampleError", expert + found + ", expected a number in the range " + range, at);
            case Kind::probability:
                raise("ExampleError",
                      expert + found + ", expected a probability, from 0 to 1, or NaN for an expert asleep", at);
            case Kind::partly:
                raise("ExampleError",
                      expert + "found NaN for some outcomes, expected it for all, an expert asleep, or for none", at);
            case Kind::sum:
                raise("ExampleError",
                      expert + "found probabilities that add up to " + shortest(fault.value) + ", expected 1", at);
            case Kind::outcome:
                raise("ExampleError", outcome + ", expected a finite number of at most 2^100 (1.2e30)", all);
            case Kind::outcome_range:
                raise("ExampleError", outcome + ", expected a number in the range " + range, all);
            case Kind::index:
                raise("ExampleError",
                      outcome + ", expected " +
                          (core.outcomes() == 0 ? std::string("0 or 1")
                                                : "a whole number from 0 to " + std::to_string(core.outcomes() - 1)),
                      all);
            case Kind::impossible:
                raise("ExampleError", outcome + ", to which every expert awake and not out gave probability 0", all);
            case Kind::none:
                break;
        }
        throw std::logic_error("no fault to raise");
    }

    std::size_t n_;  // as the rule says, or 0
    ForecastRule rule_;
    std::optional<Forecaster> core_;
    Busy busy_;
};

}  // namespace

void bind_forecaster(nb::module_& m) {
    nb::class_<PythonForecaster>(m, "Forecasts",
                                 "One forecast from many, of the core: weights, and what everybody lost.")
        .def(nb::init<std::size_t, std::string_view, std::string_view, double, double, std::string_view, double,
                      double>(),
             nb::arg("n"), nb::arg("loss"), nb::arg("way"), nb::arg("low"), nb::arg("high"), nb::arg("rate"),
             nb::arg("eta"), nb::arg("alpha"))
        .def(nb::init<PythonForecaster&>(), nb::arg("other"), "The same once more.")
        .def("_n", &PythonForecaster::n)
        .def("_outcomes", &PythonForecaster::outcomes)
        .def("_weights", &PythonForecaster::weights,
             nb::sig("def _weights(self) -> numpy.typing.NDArray[numpy.float64]"))
        .def("_predict_many", &PythonForecaster::predict_many<double>, nb::arg("given").noconvert(), nb::arg("one"),
             nb::sig("def _predict_many(self, given: numpy.typing.NDArray[numpy.float64], one: bool) -> "
                     "numpy.typing.NDArray[numpy.float64]"))
        .def("_predict_many", &PythonForecaster::predict_many<float>, nb::arg("given").noconvert(), nb::arg("one"),
             nb::sig("def _predict_many(self, given: numpy.typing.NDArray[numpy.float32], one: bool) -> "
                     "numpy.typing.NDArray[numpy.float64]"))
        .def("_learn_many", &PythonForecaster::learn_many<double>, nb::arg("given").noconvert(), nb::arg("outcomes"),
             nb::arg("one"),
             nb::sig("def _learn_many(self, given: numpy.typing.NDArray[numpy.float64], outcomes: "
                     "numpy.typing.NDArray[numpy.float64], one: bool) -> tuple[numpy.typing.NDArray[numpy.float64], "
                     "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
                     "numpy.typing.NDArray[numpy.float64], tuple[int, float, float, float, int, float], "
                     "tuple[int, float, float, float, int, float]]"))
        .def("_learn_many", &PythonForecaster::learn_many<float>, nb::arg("given").noconvert(), nb::arg("outcomes"),
             nb::arg("one"),
             nb::sig("def _learn_many(self, given: numpy.typing.NDArray[numpy.float32], outcomes: "
                     "numpy.typing.NDArray[numpy.float64], one: bool) -> tuple[numpy.typing.NDArray[numpy.float64], "
                     "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
                     "numpy.typing.NDArray[numpy.float64], tuple[int, float, float, float, int, float], "
                     "tuple[int, float, float, float, int, float]]"))
        .def("_heads", &PythonForecaster::heads,
             nb::sig("def _heads(self) -> tuple[int, float, float, float, int, float]"))
        .def("_state", &PythonForecaster::state,
             nb::sig("def _state(self) -> tuple[dict[str, numpy.typing.NDArray[numpy.float64]], tuple[int, float, "
                     "float, float, int, float], float, float, int] | None"))
        .def(
            "_restore",
            [](PythonForecaster& self, Vector<double> losses, Vector<double> missed, Vector<double> rule_losses,
               Vector<double> rule_weights, std::size_t outcomes, std::int64_t rounds, double gap, double loss,
               double rest, std::int64_t slept, double largest, double rule_loss, double rule_rest) {
                self.restore(losses, missed, rule_losses, rule_weights, outcomes,
                             {rounds, gap, rule_loss, rule_rest, slept, largest}, loss, rest);
            },
            nb::arg("losses"), nb::arg("missed"), nb::arg("rule_losses"), nb::arg("rule_weights"), nb::arg("outcomes"),
            nb::arg("rounds"), nb::arg("gap"), nb::arg("loss"), nb::arg("rest"), nb::arg("slept"), nb::arg("largest"),
            nb::arg("rule_loss"), nb::arg("rule_rest"));
}

}  // namespace thresher::python
