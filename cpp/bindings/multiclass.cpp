// The multiclass Perceptron of the core in Python. Its classes are codes here; their names are Python's.
#include "../thresher/multiclass.hpp"

#include <nanobind/stl/vector.h>

#include "bindings.hpp"

namespace thresher::python {

namespace {

class PythonMulticlass {
  public:
    template <class T>
    using Column = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    using Table = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

    PythonMulticlass(std::size_t n, double bias) : learner_(n, bias) {
        if (n < 1 || n > most_attributes) throw std::invalid_argument("n must be from 1 to 2^48");
    }
    PythonMulticlass(PythonMulticlass& other) : learner_(other.copied()) {}

    template <class Read>
    auto read(Read&& what) {
        const Busy::Reading reading(busy_);
        return what(static_cast<const Multiclass&>(learner_));
    }

    void know(std::size_t classes) {
        const Busy::Writing writing(busy_);
        learner_.know(classes);
    }

    // The class that is predicted, and its score.
    nb::tuple predict(nb::handle x) {
        const Example example(x, learner_.n());
        return read([&](const Multiclass& learner) {
            std::vector<double> scores;
            const ClassOutcome outcome = learner.predict(shown(example).terms(0), scores);
            return nb::make_tuple(outcome.prediction, outcome.score);
        });
    }

    // The same, and whether the learner changed.
    nb::tuple learn(nb::handle x, std::int32_t code, nb::handle weight) {
        const std::optional<double> heft = number_of(weight);
        if (!heft) raise("ExampleError", "found weight " + python::shown(weight) + ", expected a number of at least 0");
        const Example example(x, learner_.n());
        const Busy::Writing writing(busy_);
        if (!(*heft >= 0.0 && *heft <= largest_weight)) raise(Fault{Fault::Kind::weight, 0, *heft});
        if (code < 0 || static_cast<std::size_t>(code) > learner_.classes())
            throw std::invalid_argument("no such class");
        learner_.hold(std::max(learner_.classes(), static_cast<std::size_t>(code) + 1));
        learner_.unshare();
        const ClassOutcome outcome = learner_.learn(shown(example).terms(0), code, *heft);
        learner_.collisions += example.collisions();
        return nb::make_tuple(outcome.prediction, outcome.score, outcome.changed);
    }

    // Plays the rows until a label is no class, and returns how many; a row that is at fault raises.
    std::size_t learn_block(const HeldBlock& held, Vector<std::int32_t> codes, std::optional<Vector<double>> weights,
                            Column<std::int32_t> predictions, Column<double> scores, Column<bool> changed) {
        const Busy::Writing writing(busy_);
        const std::size_t rows = checked(held, predictions, scores);
        if (codes.shape(0) != rows || changed.shape(0) != rows || (weights && weights->shape(0) != rows)) {
            throw std::invalid_argument("one label, one weight and one change a row");
        }
        std::size_t k = 0;
        Fault fault;
        {
            const nb::gil_scoped_release free;
            fault = learner_.learn_block(held.block, codes.data(), weights ? weights->data() : nullptr,
                                         {scores.data(), predictions.data(), changed.data()}, k);
        }
        if (!fault) learner_.collisions += held.collisions;
        if (!fault || fault.kind == Fault::Kind::label) return k;
        if (fault.kind == Fault::Kind::weight) fault.value = weights->data()[k];
        raise(fault, k);
    }

    void predict_block(const HeldBlock& held, Column<std::int32_t> predictions, Column<double> scores) {
        const std::size_t rows = checked(held, predictions, scores);
        const Busy::Reading reading(busy_);
        const auto changed = std::make_unique<bool[]>(rows);
        over(held, [&](std::size_t& k) {
            return learner_.predict_block(held.block, {scores.data(), predictions.data(), changed.get()}, k);
        });
    }

    void score_block(const HeldBlock& held, Table scores) {
        check_width(width_of(held.block), learner_.n());
        const Busy::Reading reading(busy_);
        if (scores.shape(0) != rows_of(held.block) || scores.shape(1) != learner_.classes()) {
            throw std::invalid_argument("one score for each row and class");
        }
        over(held, [&](std::size_t& k) { return learner_.score_block(held.block, scores.data(), k); });
    }

    // The weights of all classes, one row of them each, into an array.
    void weights(Table into) {
        read([&](const Multiclass& learner) {
            fits(into, learner);
            for (std::size_t c = 0; c < learner.classes(); ++c) learner.take_weights(c, into.data() + c * learner.n());
        });
    }

    // What was kept of a learner: weights, weights of the bias, and counts.
    void restore(Table weights, const std::vector<double>& bias_weights, const nb::dict& counts) {
        const Busy::Writing writing(busy_);
        learner_.know(bias_weights.size());
        fits(weights, learner_);
        learner_.unshare();
        for (std::size_t c = 0; c < bias_weights.size(); ++c) {
            learner_.set_weights(c, weights.data() + c * learner_.n());
            learner_.set_bias_weight(c, bias_weights[c]);
        }
        learner_.rounds = nb::cast<std::int64_t>(counts["rounds"]);
        learner_.mistakes = nb::cast<std::int64_t>(counts["mistakes"]);
        learner_.updates = nb::cast<std::int64_t>(counts["updates"]);
        learner_.collisions = nb::cast<std::int64_t>(counts["collisions"]);
    }

  private:
    Multiclass copied() {
        const Busy::Reading reading(busy_);
        return learner_;
    }

    Sheet<double> shown(const Example& example) const {
        Sheet<double> sheet;
        if (const auto kind = learner_.read(example.row(), sheet); kind != Fault::Kind::none) raise(Fault{kind});
        return sheet;
    }

    std::size_t checked(const HeldBlock& held, const Column<std::int32_t>& predictions,
                        const Column<double>& scores) const {
        check_width(width_of(held.block), learner_.n());
        const std::size_t rows = rows_of(held.block);
        if (predictions.shape(0) != rows || scores.shape(0) != rows) {
            throw std::invalid_argument("one prediction and one score a row");
        }
        return rows;
    }

    static void fits(const Table& weights, const Multiclass& learner) {
        if (weights.shape(0) != learner.classes() || weights.shape(1) != learner.n()) {
            throw std::invalid_argument("one weight for each class and slot");
        }
    }

    template <class Play>
    static void over(const HeldBlock&, Play&& play) {
        std::size_t k = 0;
        Fault fault;
        {
            const nb::gil_scoped_release free;
            fault = play(k);
        }
        if (fault) raise(fault, k);
    }

    Multiclass learner_;
    Busy busy_;
};

}  // namespace

void bind_multiclass(nb::module_& m) {
    using Python = PythonMulticlass;
    const auto count = [](std::int64_t Multiclass::* member) {
        return [member](Python& self) {
            return self.read([member](const Multiclass& learner) { return learner.*member; });
        };
    };
    nb::class_<Python>(m, "Multiclass", "A multiclass Perceptron of the core: weights for every class, by its code.")
        .def(nb::init<std::size_t, double>(), nb::arg("n"), nb::arg("bias"))
        .def(nb::init<Python&>(), nb::arg("other"), "The same once more.")
        .def_prop_ro(
            "n", [](Python& self) { return self.read([](const Multiclass& learner) { return learner.n(); }); },
            "The number of attributes (slots).")
        .def_prop_ro(
            "bias", [](Python& self) { return self.read([](const Multiclass& learner) { return learner.bias(); }); },
            "The value of the appended attribute; 0 where there is none.")
        .def_prop_ro(
            "classes",
            [](Python& self) { return self.read([](const Multiclass& learner) { return learner.classes(); }); },
            "How many classes it knows.")
        .def_prop_ro(
            "bias_weights",
            [](Python& self) { return self.read([](const Multiclass& learner) { return learner.bias_weights(); }); },
            "The weight of the appended attribute, one a class.")
        .def_prop_ro("rounds", count(&Multiclass::rounds), "How many rounds were played.")
        .def_prop_ro("mistakes", count(&Multiclass::mistakes), "In how many of them the prediction was wrong.")
        .def_prop_ro("updates", count(&Multiclass::updates), "In how many of them the learner took a step.")
        .def_prop_ro("collisions", count(&Multiclass::collisions),
                     "How many features fell into a slot that another one of the same example held.")
        .def(
            "bytes_for",
            [](Python& self, std::size_t classes) {
                return self.read([classes](const Multiclass& learner) { return learner.bytes(classes); });
            },
            nb::arg("classes"), "The memory that so many classes take.")
        .def_prop_ro(
            "bytes", [](Python& self) { return self.read([](const Multiclass& learner) { return learner.bytes(); }); },
            "The memory of all classes.")
        .def("_know", &Python::know, nb::arg("classes"))
        .def("_predict", &Python::predict, nb::arg("x").none(),
             nb::sig("def _predict(self, x: object) -> tuple[int, float]"))
        .def("_learn", &Python::learn, nb::arg("x").none(), nb::arg("code"), nb::arg("weight").none(),
             nb::sig("def _learn(self, x: object, code: int, weight: float) -> tuple[int, float, bool]"))
        .def("_learn_block", &Python::learn_block, nb::arg("block"), nb::arg("codes"), nb::arg("weights").none(),
             nb::arg("predictions").noconvert(), nb::arg("scores").noconvert(), nb::arg("changed").noconvert(),
             nb::sig("def _learn_block(self, block: Block, codes: numpy.typing.NDArray[numpy.int32], "
                     "weights: numpy.typing.NDArray[numpy.float64] | None, "
                     "predictions: numpy.typing.NDArray[numpy.int32], scores: numpy.typing.NDArray[numpy.float64], "
                     "changed: numpy.typing.NDArray[numpy.bool_]) -> int"))
        .def("_predict_block", &Python::predict_block, nb::arg("block"), nb::arg("predictions").noconvert(),
             nb::arg("scores").noconvert(),
             nb::sig("def _predict_block(self, block: Block, predictions: numpy.typing.NDArray[numpy.int32], "
                     "scores: numpy.typing.NDArray[numpy.float64]) -> None"))
        .def("_score_block", &Python::score_block, nb::arg("block"), nb::arg("scores").noconvert(),
             nb::sig("def _score_block(self, block: Block, scores: numpy.typing.NDArray[numpy.float64]) -> None"))
        .def("_weights", &Python::weights, nb::arg("into").noconvert(),
             nb::sig("def _weights(self, into: numpy.typing.NDArray[numpy.float64]) -> None"))
        .def("_restore", &Python::restore, nb::arg("weights"), nb::arg("bias_weights"), nb::arg("counts"),
             nb::sig("def _restore(self, weights: numpy.typing.NDArray[numpy.float64], bias_weights: list[float], "
                     "counts: dict[str, int]) -> None"));
}

}  // namespace thresher::python
