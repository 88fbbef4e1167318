// Majorities in Python: learners whose example is what the experts say.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>

#include "../thresher/majority.hpp"
#include "bindings.hpp"

namespace thresher::python {

namespace {

using Table = nb::ndarray<const std::int8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Counts64 = nb::ndarray<nb::numpy, const std::int64_t, nb::ndim<1>>;

Counts64 shown(const std::vector<std::int64_t>& counts) {
    auto copy = std::make_unique_for_overwrite<std::int64_t[]>(counts.size());
    std::copy(counts.begin(), counts.end(), copy.get());
    return owned<const std::int64_t>(std::move(copy), counts.size());
}

std::optional<double> share_of(const Said& said) {
    return std::isnan(said.share) ? std::nullopt : std::optional<double>(said.share);
}

Holds holds_named(std::string_view name) {
    if (name == "bits") return Holds::bits;
    if (name == "signs") return Holds::signs;
    if (name == "sleepers") return Holds::sleepers;
    throw std::invalid_argument("no such advice");
}

class PythonMajority {
  public:
    template <class Read>
    auto read(Read&& what) {
        const Busy::Reading reading(busy_);
        return what(static_cast<const Majority&>(majority_));
    }

    explicit PythonMajority(nb::object rule) : majority_(nb::cast<const MajorityRule&>(rule)), rule_(std::move(rule)) {}

    PythonMajority(PythonMajority& other)
        : majority_(other.read([](const Majority& majority) { return majority; })), rule_(other.rule_) {}

    nb::object rule() const { return rule_; }

    Prediction predict(Vector<std::int8_t> advice, std::string_view holds) {
        return read([&](const Majority& majority) {
            check_width(advice.shape(0));
            const Said said = said_to(majority, advice.data(), holds_named(holds), {});
            return Prediction{said.label, said.score, share_of(said)};
        });
    }

    // What it would say to many rows, each as the next round: labels and chances.
    nb::tuple predict_many(Table advice, std::string_view holds) {
        const Busy::Reading reading(busy_);
        check_width(advice.shape(1));
        const std::size_t rows = advice.shape(0), n = majority_.n();
        auto labels = std::make_unique_for_overwrite<std::int8_t[]>(rows);
        auto shares = std::make_unique_for_overwrite<double[]>(rows);
        for (std::size_t k = 0; k < rows; ++k) {
            const Said said = said_to(majority_, advice.data() + k * n, holds_named(holds), k);
            labels[k] = said.label;
            shares[k] = said.share;
        }
        return nb::make_tuple(owned<std::int8_t>(std::move(labels), rows), owned<double>(std::move(shares), rows));
    }

    Round learn(Vector<std::int8_t> advice, std::string_view holds, nb::object example, nb::handle y) {
        const std::int8_t code = label_code(y);
        const Busy::Writing writing(busy_);
        check_width(advice.shape(0));
        const std::uint64_t before = majority_.head.history;
        Majority::Outcome outcome{};
        std::size_t played = 0;
        const AdviceFault fault = majority_.learn(advice.data(), holds_named(holds), &code, 1, played,
                                                  [&](std::size_t, const auto& made) { outcome = made; });
        if (fault) refuse(majority_, fault, {}, advice.data(), y);
        return {majority_.head.rounds,
                std::move(example),
                {outcome.said.label, outcome.said.score, share_of(outcome.said)},
                outcome.label,
                outcome.changed,
                1.0,
                Origin{rule_, majority_.n(), before, majority_.head.history},
                outcome.loss};
    }

    Rounds learn_many(Table advice, std::string_view holds, Vector<std::int8_t> codes, nb::object examples,
                      nb::handle labels) {
        const Busy::Writing writing(busy_);
        check_width(advice.shape(1));
        const std::size_t size = advice.shape(0);
        if (codes.shape(0) != size) throw std::invalid_argument("one label a row");
        const MajorityHead before = majority_.head;
        Rounds rounds{before.rounds + 1,
                      std::move(examples),
                      nb::none(),
                      nb::none(),
                      Origin{rule_, majority_.n(), before.history},
                      Columns(size)};
        rounds.losses = std::make_unique_for_overwrite<double[]>(size);
        if (majority_.rule().vote != Vote::leader) rounds.shares = std::make_unique_for_overwrite<double[]>(size);
        AdviceFault fault;
        {
            const nb::gil_scoped_release free;
            const auto view = rounds.columns.view();
            double* const losses = rounds.losses.get();
            double* const shares = rounds.shares.get();
            fault = majority_.learn(advice.data(), holds_named(holds), codes.data(), size, rounds.columns.size,
                                    [&](std::size_t k, const Majority::Outcome& made) {
                                        view.put(k, {made.said.score, made.said.label, made.label, made.changed});
                                        losses[k] = made.loss;
                                        if (shares != nullptr) shares[k] = made.said.share;
                                    });
        }
        rounds.mistakes = majority_.head.mistakes - before.mistakes;
        rounds.updates = majority_.head.updates - before.updates;
        rounds.origin->after = majority_.head.history;
        if (fault) {
            const std::size_t k = rounds.columns.size;
            const bool about_label =
                fault.kind == AdviceFault::Kind::label || fault.kind == AdviceFault::Kind::mixed_labels;
            const nb::object found = about_label ? nb::object(labels[k]) : nb::none();
            const std::int8_t* const row = advice.data() + k * majority_.n();
            refuse(majority_, fault, k, row, found, nb::cast(std::move(rounds)));
        }
        return rounds;
    }

    nb::ndarray<nb::numpy, const double, nb::ndim<1>> weights() {
        return read([](const Majority& majority) {
            auto shares = std::make_unique_for_overwrite<double[]>(majority.n());
            majority.shares(shares.get());
            return owned<const double>(std::move(shares), majority.n());
        });
    }

    nb::tuple state() {
        return read([](const Majority& majority) {
            nb::dict counts, heads;
            counts["mistakes"] = nb::cast(shown(majority.counts()));
            counts["base"] = nb::cast(shown(majority.base()));
            counts["since"] = nb::cast(shown(majority.since()));
            const MajorityHead& head = majority.head;
            heads["rounds"] = head.rounds;
            heads["mistakes"] = head.mistakes;
            heads["updates"] = head.updates;
            heads["loss"] = head.loss;
            heads["rest"] = head.rest;
            heads["history"] = head.history;
            heads["slept"] = head.slept;
            heads["phase"] = head.phase;
            heads["negative"] = static_cast<int>(head.negative);
            heads["advised"] = static_cast<int>(head.advised);
            return nb::make_tuple(counts, heads);
        });
    }

    void restore(Vector<std::int64_t> mistakes, Vector<std::int64_t> base, Vector<std::int64_t> since,
                 const nb::dict& heads) {
        const Busy::Writing writing(busy_);
        for (const auto* counts : {&mistakes, &base, &since}) check_width(counts->shape(0));
        const auto whole = [&](const char* name) { return nb::cast<std::int64_t>(heads[name]); };
        majority_.restore(
            mistakes.data(), base.data(), since.data(),
            {whole("rounds"), whole("mistakes"), whole("updates"), nb::cast<double>(heads["loss"]),
             nb::cast<double>(heads["rest"]), nb::cast<std::uint64_t>(heads["history"]), whole("slept"), whole("phase"),
             static_cast<Negative>(whole("negative")), static_cast<Negative>(whole("advised"))});
    }

  private:
    static Said said_to(const Majority& majority, const std::int8_t* advice, Holds holds,
                        std::optional<std::size_t> row) {
        Negative spelled = majority.head.advised;
        bool everyone = true;
        if (const AdviceFault fault = majority.check(advice, holds, spelled, everyone)) {
            refuse(majority, fault, row, advice, nb::none());
        }
        return majority.predict(advice, everyone);
    }

    void check_width(std::size_t found) const {
        if (found != majority_.n()) {
            raise("ExampleError", "found the advice of " + std::to_string(found) +
                                      " experts, expected n = " + std::to_string(majority_.n()));
        }
    }

    [[noreturn]] static void refuse(const Majority& majority, const AdviceFault& fault, std::optional<std::size_t> row,
                                    const std::int8_t* advice, nb::handle label, nb::object rounds = nb::none()) {
        const std::string expert = "column " + std::to_string(fault.expert) + ": ";
        const std::string round = "round " + std::to_string(majority.head.rounds + 1) + ": ";
        const nb::object at = nb::int_(fault.expert);
        switch (fault.kind) {
            case AdviceFault::Kind::label:
                raise(Fault{Fault::Kind::label}, row, label, rounds);
            case AdviceFault::Kind::mixed_labels:
                raise(Fault{Fault::Kind::mixed_labels}, row, label, rounds);
            case AdviceFault::Kind::advice:
                raise("ExampleError",
                      expert +
                          "found what is no advice, expected -1, 0 or False for minus, 1 or True for plus, or "
                          "NaN or None for an expert asleep",
                      {row, at, rounds});
            case AdviceFault::Kind::mixed_advice:
                raise("ExampleError",
                      expert + "found " + std::to_string(int{advice[fault.expert]}) +
                          ", but minus was spelled the other way before: use -1 or 0, not both; NaN or None is an "
                          "expert asleep",
                      {row, at, rounds});
            case AdviceFault::Kind::all_asleep:
                raise("ExampleError", round + "every expert is asleep, expected one awake at least",
                      {row, nb::none(), rounds});
            case AdviceFault::Kind::no_perfect:
                raise("NotRealizable",
                      round +
                          "no expert is left that has made no mistake; with beta = 0 one must be perfect, take a "
                          "beta above 0");
            case AdviceFault::Kind::none:
                break;
        }
        throw std::logic_error("no fault to raise");
    }

    Majority majority_;
    nb::object rule_;
    Busy busy_;
};

template <class Get>
auto head_of(Get&& get) {
    return [get](PythonMajority& self) { return self.read([&](const Majority& majority) { return get(majority); }); };
}

}  // namespace

void bind_majority(nb::module_& m) {
    m.attr("ASLEEP") = int{asleep};
    m.def(
        "philox",
        [](std::uint64_t counter_low, std::uint64_t counter_high, std::uint64_t key) {
            const auto half = [](std::uint64_t value, int shift) { return static_cast<std::uint32_t>(value >> shift); };
            const auto drawn =
                philox({half(counter_low, 0), half(counter_low, 32), half(counter_high, 0), half(counter_high, 32)},
                       {half(key, 0), half(key, 32)});
            return nb::make_tuple(drawn[0], drawn[1], drawn[2], drawn[3]);
        },
        nb::arg("counter_low"), nb::arg("counter_high"), nb::arg("key"),
        nb::sig("def philox(counter_low: int, counter_high: int, key: int) -> tuple[int, int, int, int]"),
        "Philox4x32-10 of a counter and a key.");
    m.def("coin", &coin, nb::arg("seed"), nb::arg("t"), "The coin of round t: from 0 to below 1.");
    nb::class_<PythonMajority>(m, "Majority", "A majority of the core: its rule, and the experts' mistakes.")
        .def(nb::init<PythonMajority&>(), nb::arg("other"), "The same once more.")
        .def(nb::init<nb::object>(), nb::arg("rule"), nb::sig("def __init__(self, rule: MajorityRule) -> None"))
        .def_prop_ro("rule", &PythonMajority::rule, nb::sig("def rule(self, /) -> MajorityRule"),
                     "The rule of the core, with its parameters.")
        .def_prop_ro("n", head_of([](const Majority& majority) { return majority.n(); }), "The number of experts.")
        .def_prop_ro("rounds", head_of([](const Majority& majority) { return majority.head.rounds; }),
                     "How many rounds were played.")
        .def_prop_ro("mistakes", head_of([](const Majority& majority) { return majority.head.mistakes; }),
                     "In how many of them the prediction was wrong.")
        .def_prop_ro("updates", head_of([](const Majority& majority) { return majority.head.updates; }),
                     "In how many of them an expert was wrong.")
        .def_prop_ro("loss", head_of([](const Majority& majority) { return majority.head.loss + majority.head.rest; }),
                     "The sum of the rounds' losses.")
        .def_prop_ro("beta", head_of([](const Majority& majority) { return majority.beta(); }),
                     "What a wrong expert keeps of its weight, now.")
        .def_prop_ro("expert_mistakes", head_of([](const Majority& majority) { return shown(majority.counts()); }),
                     nb::rv_policy::automatic, "How many mistakes each expert has made: a fresh read-only array.")
        .def_prop_ro("weights", &PythonMajority::weights, nb::rv_policy::automatic,
                     "The experts' shares of the weight now, which add up to 1: a fresh read-only array.")
        .def("_predict", &PythonMajority::predict, nb::arg("advice"), nb::arg("holds"))
        .def("_predict_many", &PythonMajority::predict_many, nb::arg("advice"), nb::arg("holds"),
             nb::sig("def _predict_many(self, advice: numpy.typing.NDArray[numpy.int8], holds: str) -> "
                     "tuple[numpy.typing.NDArray[numpy.int8], numpy.typing.NDArray[numpy.float64]]"))
        .def("_learn", &PythonMajority::learn, nb::arg("advice"), nb::arg("holds"), nb::arg("example"),
             nb::arg("y").none(),
             nb::sig("def _learn(self, advice: numpy.typing.NDArray[numpy.int8], holds: str, example: object, y: "
                     "object) -> Round"))
        .def("_learn_many", &PythonMajority::learn_many, nb::arg("advice"), nb::arg("holds"), nb::arg("codes"),
             nb::arg("examples"), nb::arg("labels"),
             nb::sig("def _learn_many(self, advice: numpy.typing.NDArray[numpy.int8], holds: str, "
                     "codes: numpy.typing.NDArray[numpy.int8], examples: object, labels: object) -> Rounds"))
        .def("_state", &PythonMajority::state,
             nb::sig("def _state(self) -> tuple[dict[str, numpy.typing.NDArray[numpy.int64]], dict[str, float]]"))
        .def("_restore", &PythonMajority::restore, nb::arg("mistakes"), nb::arg("base"), nb::arg("since"),
             nb::arg("heads"),
             nb::sig("def _restore(self, mistakes: numpy.typing.NDArray[numpy.int64], "
                     "base: numpy.typing.NDArray[numpy.int64], since: numpy.typing.NDArray[numpy.int64], "
                     "heads: dict[str, float]) -> None"));
}

}  // namespace thresher::python
