// Learners of the core in Python: a group with its rule.
#include <cmath>
#include <vector>

#include "bindings.hpp"

namespace thresher::python {

namespace {

using Numpy = nb::ndarray<nb::numpy, const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

class PythonGroup {
  public:
    template <class Read>
    auto read(Read&& what) {
        const Busy::Reading reading(busy_);
        return what(*group_);
    }

    PythonGroup(std::size_t n, nb::object rule)
        : n_(n), group_(group_of(n, rule, {})), rule_(std::move(rule)), domain_(domain_of(rule_)) {}

    // A learner of whom these planes, these heads and these counts were kept.
    PythonGroup(std::size_t n, nb::object rule, const nb::dict& kept, const nb::dict& heads)
        : n_(n), group_(group_of(n, rule, kept)), rule_(std::move(rule)), domain_(domain_of(rule_)) {
        std::vector<double> values;
        for (const char* const name : group_->head_names()) values.push_back(nb::cast<double>(heads[name]));
        group_->set_heads(values);
        group_->counts = {
            nb::cast<std::int64_t>(heads["rounds"]),   nb::cast<std::int64_t>(heads["mistakes"]),
            nb::cast<std::int64_t>(heads["updates"]),  nb::cast<std::int64_t>(heads["collisions"]),
            nb::cast<std::uint64_t>(heads["history"]), static_cast<Negative>(nb::cast<int>(heads["negative"]))};
    }

    PythonGroup(PythonGroup& other)
        : n_(other.n_),
          group_(other.read([](const AnyGroup& group) { return group.twin(); })),
          rule_(other.rule_),
          domain_(other.domain_) {}

    std::size_t n() const { return n_; }
    nb::object rule() const { return rule_; }

    Prediction predict(nb::handle x) {
        const Example example(x, n_, domain_);
        const Busy::Reading reading(busy_);
        double score = 0.0;
        if (const Fault fault = group_->score(example.row(), score)) raise(fault);
        return {static_cast<std::int8_t>(group_->predict(score)), score, group_->chance(score)};
    }

    Round learn(nb::object x, nb::handle y, nb::handle weight) {
        const std::int8_t code = label_code(y);
        if (code == not_a_label) refuse(Fault::Kind::label, 1.0, y);
        const std::optional<double> scale = number_of(weight);
        if (!scale) raise("ExampleError", "found weight " + shown(weight) + ", expected a number of at least 0");
        std::optional<Example> read_example;
        try {
            read_example.emplace(x, n_, domain_);
        } catch (const nb::python_error&) {  // as in a block, a label that does not fit comes before an example
            refuse(read([code](const AnyGroup& group) { return group.refuse_label(code); }), 1.0, y);
            throw;
        }
        const Example& example = *read_example;
        const Busy::Writing writing(busy_);
        const std::uint64_t before = group_->counts.history;
        Outcome outcome;
        Fault fault = group_->learn(example.row(), code, *scale, outcome);
        if (fault.kind == Fault::Kind::weight) fault.value = *scale;
        if (fault) raise(fault, {}, y);
        group_->counts.collisions += example.collisions();
        return {group_->counts.rounds,
                std::move(x),
                {outcome.prediction, outcome.score, group_->chance(outcome.score)},
                outcome.label,
                outcome.changed,
                *scale,
                Origin{rule_, n_, before, group_->counts.history, fingerprint(example.row(), n_), group_->doubt()}};
    }

    nb::ndarray<nb::numpy, double, nb::ndim<1>> score_block(const HeldBlock& held) {
        const Busy::Reading reading(busy_);
        check_width(width_of(held.block), n_);
        const std::size_t rows = rows_of(held.block);
        auto scores = std::make_unique_for_overwrite<double[]>(rows);
        std::size_t k = 0;
        Fault fault;
        {
            const nb::gil_scoped_release free;
            fault = group_->score_block(held.block, scores.get(), k);
        }
        if (fault) raise(fault, k);
        return owned<double>(std::move(scores), rows);
    }

    nb::ndarray<nb::numpy, std::int8_t, nb::ndim<1>> predictions(Vector<double> scores) {
        const std::size_t rows = scores.shape(0);
        auto labels = std::make_unique_for_overwrite<std::int8_t[]>(rows);
        for (std::size_t k = 0; k < rows; ++k) {
            labels[k] = static_cast<std::int8_t>(group_->predict(scores.data()[k]));
        }
        return owned<std::int8_t>(std::move(labels), rows);
    }

    // The chances of +1 behind scores; None where the rule has none.
    nb::object chances(Vector<double> scores) {
        auto chances = chances_of(scores.data(), scores.shape(0));
        return chances ? nb::cast(owned<double>(std::move(chances), scores.shape(0))) : nb::none();
    }

    // `examples` and `labels` are what the user gave: kept in the rounds, and named in errors.
    Rounds learn_block(nb::object block, Vector<std::int8_t> codes, std::optional<Numpy> weights, nb::object examples,
                       nb::handle labels) {
        const Block& rows = nb::cast<const HeldBlock&>(block).block;
        return play(std::move(block), codes, weights, std::move(examples), labels, rows, {});
    }

    // The same where these rows come among others that are held out, each of which is scored before the next is
    // learned; and the scores.
    nb::tuple learn_among(nb::object block, Vector<std::int8_t> codes, std::optional<Numpy> weights, nb::handle labels,
                          const HeldBlock& among, Vector<bool> held) {
        const std::size_t rows = held.shape(0);
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(held.data());
        auto out = std::make_unique_for_overwrite<bool[]>(rows);  // a byte may be neither 0 nor 1
        std::size_t asked = 0;
        for (std::size_t k = 0; k < rows; ++k) asked += out[k] = bytes[k] != 0;
        if (rows_of(among.block) != rows || rows_of(nb::cast<const HeldBlock&>(block).block) + asked != rows) {
            throw std::invalid_argument("a row is learned or held out");
        }
        auto scores = std::make_unique_for_overwrite<double[]>(asked);
        Rounds rounds = play(block, codes, weights, block, labels, among.block, {out.get(), scores.get()});
        return nb::make_tuple(nb::cast(std::move(rounds)), owned<double>(std::move(scores), asked));
    }

    // Rounds that were played earlier on these rows, from what was kept of them: all but the scores and the history.
    Rounds tell(std::int64_t first, nb::object block, Vector<std::int8_t> codes, Vector<std::int8_t> predictions,
                Vector<bool> changed, nb::object weights, nb::object examples) {
        const std::size_t size = rows_of(nb::cast<const HeldBlock&>(block).block);
        if (codes.shape(0) != size || predictions.shape(0) != size || changed.shape(0) != size) {
            throw std::invalid_argument("one label, one prediction and one change a row");
        }
        Rounds rounds{first,        std::move(examples), std::move(block), std::move(weights), Origin{rule_, n_},
                      Columns(size)};
        for (std::size_t k = 0; k < size; ++k) {
            const auto label = static_cast<std::int8_t>(codes.data()[k] > 0 ? +1 : -1);
            rounds.columns.view().put(k, {std::nan(""), predictions.data()[k], label, changed.data()[k]});
        }
        rounds.columns.size = size;
        rounds.origin->doubt = group_->doubt();
        rounds.count();
        return rounds;
    }

    nb::ndarray<nb::numpy, const double, nb::ndim<1>> weights() {
        return read([](const AnyGroup& group) { return shown_as_it_is(group.planes()[0]); });
    }

    // What is kept of it: planes and heads, at one moment. The planes are shown as arrays, or as plain memory.
    template <class Framework>
    nb::tuple state() {
        return read([](const AnyGroup& group) {
            nb::dict planes, heads;
            for (std::size_t i = 0; i < group.planes().size(); ++i) {
                const PlaneKind& kind = group.plane_kinds()[i];
                if (kind.kept) planes[kind.name] = nb::cast(shown_as_it_is<Framework>(group.planes()[i]));
            }
            const std::vector<double> values = group.heads();
            for (std::size_t i = 0; i < values.size(); ++i) heads[group.head_names()[i]] = values[i];
            const Counts& counts = group.counts;
            heads["rounds"] = counts.rounds;
            heads["mistakes"] = counts.mistakes;
            heads["updates"] = counts.updates;
            heads["collisions"] = counts.collisions;
            heads["history"] = counts.history;
            heads["negative"] = static_cast<int>(counts.negative);
            return nb::make_tuple(planes, heads);
        });
    }

  private:
    // Rounds with the rows of `block`, which are all that `played` has but for those that are only scored.
    Rounds play(nb::object block, Vector<std::int8_t> codes, const std::optional<Numpy>& weights, nb::object examples,
                nb::handle labels, const Block& played, const Asides& asides) {
        const Busy::Writing writing(busy_);
        const auto& held = nb::cast<const HeldBlock&>(block);
        const Block& rows = held.block;
        check_width(width_of(played), n_);
        const std::size_t size = rows_of(rows);
        if (codes.shape(0) != size || (weights && weights->shape(0) != size)) {
            throw std::invalid_argument("one label and one weight a row");
        }
        const Counts before = group_->counts;
        Rounds rounds{before.rounds + 1, std::move(examples), block, nb::none(), Origin{rule_, n_, before.history},
                      Columns(size)};
        Fault fault;
        {
            const nb::gil_scoped_release free;
            fault =
                group_->learn_block(played, codes.data(), weights ? weights->data() : nullptr, rounds.columns, asides);
            rounds.shares = chances_of(rounds.columns.scores.get(), rounds.columns.size);
        }
        if (weights) rounds.weights = nb::cast(*weights)[nb::slice(rounds.columns.size)];
        rounds.mistakes = group_->counts.mistakes - before.mistakes;
        rounds.updates = group_->counts.updates - before.updates;
        rounds.origin->after = group_->counts.history;
        rounds.origin->fingerprint = fingerprint(rows, rounds.columns.size);
        rounds.origin->doubt = group_->doubt();
        if (fault) {
            const std::size_t k = rounds.columns.size;
            if (fault.kind == Fault::Kind::weight) fault.value = weights->data()[k];
            const bool about_label = fault.kind == Fault::Kind::label || fault.kind == Fault::Kind::mixed_labels;
            const nb::object found = about_label ? nb::object(labels[k]) : nb::none();
            raise(fault, k, found, nb::cast(std::move(rounds)));
        }
        group_->counts.collisions += held.collisions;
        return rounds;
    }

    std::unique_ptr<double[]> chances_of(const double* scores, std::size_t rows) const {
        if (!group_->chance(0.0)) return nullptr;
        auto chances = std::make_unique_for_overwrite<double[]>(rows);
        for (std::size_t k = 0; k < rows; ++k) chances[k] = *group_->chance(scores[k]);
        return chances;
    }

    std::size_t n_;
    std::unique_ptr<AnyGroup> group_;
    nb::object rule_;
    Domain domain_;
    Busy busy_;
};

}  // namespace

void check_width(std::size_t found, std::size_t expected) {
    if (found != expected) {
        raise("ParameterError",
              "found examples of " + std::to_string(found) + " attributes, expected " + std::to_string(expected));
    }
}

Plane plane_of(const Vector<double>& array) {
    auto* const data = const_cast<double*>(array.data());
    const std::shared_ptr<void> owner(new Vector<double>(array), [](void* last) {
        const nb::gil_scoped_acquire gil;
        delete static_cast<Vector<double>*>(last);
    });
    return {{owner, data}, array.shape(0)};
}

void bind_group(nb::module_& m) {
    const auto count = [](std::int64_t Counts::* member) {
        return [member](PythonGroup& self) {
            return self.read([member](const AnyGroup& group) { return group.counts.*member; });
        };
    };
    m.attr("LARGEST_VALUE") = largest_value;
    m.attr("LARGEST_STATE") = largest_state;
    m.attr("MOST_ATTRIBUTES") = most_attributes;
    nb::class_<PythonGroup>(m, "Group", "A learner of the core: its rule, its weights and its counts.")
        .def(nb::init<std::size_t, nb::object>(), nb::arg("n"), nb::arg("rule"),
             nb::sig("def __init__(self, n: int, rule: Rule) -> None"))
        .def(nb::init<std::size_t, nb::object, const nb::dict&, const nb::dict&>(), nb::arg("n"), nb::arg("rule"),
             nb::arg("planes"), nb::arg("heads"),
             nb::sig("def __init__(self, n: int, rule: Rule, planes: dict[str, "
                     "numpy.typing.NDArray[numpy.float64]], heads: dict[str, float]) -> None"),
             "A learner in the state that was kept. The planes are its memory now: nobody else may write to them.")
        .def(nb::init<PythonGroup&>(), nb::arg("other"), "The same once more.")
        .def_prop_ro("n", &PythonGroup::n, "The number of attributes (slots).")
        .def_prop_ro("rule", &PythonGroup::rule, nb::sig("def rule(self, /) -> Rule"),
                     "The rule of the core, with its parameters.")
        .def("predict", &PythonGroup::predict, nb::arg("x").none(),
             nb::sig("def predict(self, x: object) -> Prediction"),
             "What the learner says of one example. Never changes the learner.")
        .def("learn", &PythonGroup::learn, nb::arg("x").none(), nb::arg("y").none(), nb::arg("weight").none() = 1.0,
             nb::sig("def learn(self, x: object, y: object, weight: float = 1.0) -> Round"),
             "One whole round: predict, compare with the label y, update. A refused example changes nothing.\n\n"
             "`weight` scales the step; 0 moves nothing, though the round is counted. When labels come late, the\n"
             "prediction that counts is the one made here, not one that was served earlier.")
        .def_prop_ro("weights", &PythonGroup::weights, nb::rv_policy::automatic,
                     "The weights now: a fresh read-only array of length n.")
        .def_prop_ro(
            "bias_weight",
            [](PythonGroup& self) { return self.read([](const AnyGroup& group) { return group.bias_weight(); }); },
            "The weight of the appended attribute; 0 where there is none.")
        .def_prop_ro("rounds", count(&Counts::rounds), "How many rounds were played.")
        .def_prop_ro("mistakes", count(&Counts::mistakes), "In how many of them the prediction was wrong.")
        .def_prop_ro("updates", count(&Counts::updates), "In how many of them the learner took a step.")
        .def_prop_ro("collisions", count(&Counts::collisions),
                     "How many features fell into a slot that another one of the same example held.")
        .def("_state", &PythonGroup::state<nb::numpy>,
             nb::sig("def _state(self) -> tuple[dict[str, numpy.typing.NDArray[numpy.float64]], dict[str, float]]"))
        .def("_memory", &PythonGroup::state<nb::memview>,
             nb::sig("def _memory(self) -> tuple[dict[str, memoryview], dict[str, float]]"),
             "The same, for whom bytes are enough: NumPy is not asked.")
        .def("_score_block", &PythonGroup::score_block, nb::arg("block"))
        .def("_predictions", &PythonGroup::predictions, nb::arg("scores"))
        .def("_chances", &PythonGroup::chances, nb::arg("scores"),
             nb::sig("def _chances(self, scores: numpy.typing.NDArray[numpy.float64]) -> "
                     "numpy.typing.NDArray[numpy.float64] | None"),
             "The chances of +1 behind scores; None where the rule has none.")
        .def(
            "_learn_block", &PythonGroup::learn_block, nb::arg("block"), nb::arg("codes"), nb::arg("weights").none(),
            nb::arg("examples"), nb::arg("labels"),
            nb::sig("def _learn_block(self, block: Block, codes: numpy.typing.NDArray[numpy.int8] | memoryview, "
                    "weights: numpy.typing.NDArray[numpy.float64] | None, examples: object, labels: object) -> Rounds"))
        .def("_learn_among", &PythonGroup::learn_among, nb::arg("block"), nb::arg("codes"), nb::arg("weights").none(),
             nb::arg("labels"), nb::arg("among"), nb::arg("held"),
             nb::sig("def _learn_among(self, block: Block, codes: numpy.typing.NDArray[numpy.int8] | memoryview, "
                     "weights: numpy.typing.NDArray[numpy.float64] | None, labels: object, among: Block, "
                     "held: numpy.typing.NDArray[numpy.bool_]) -> "
                     "tuple[Rounds, numpy.typing.NDArray[numpy.float64]]"))
        .def("_tell", &PythonGroup::tell, nb::arg("first"), nb::arg("block"), nb::arg("codes"), nb::arg("predictions"),
             nb::arg("changed"), nb::arg("weights").none(), nb::arg("examples"),
             nb::sig("def _tell(self, first: int, block: Block, codes: numpy.typing.NDArray[numpy.int8] | memoryview, "
                     "predictions: numpy.typing.NDArray[numpy.int8], changed: numpy.typing.NDArray[numpy.bool_], "
                     "weights: numpy.typing.NDArray[numpy.float64] | None, examples: object) -> Rounds"),
             "Rounds that were played earlier on these rows, from what was kept of them: without scores and history.");
}

}  // namespace thresher::python
