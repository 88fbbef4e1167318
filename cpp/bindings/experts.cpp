// Rules for losses in Python: weights for experts, from what they lost.
#include <nanobind/stl/string_view.h>

#include "../thresher/mixer.hpp"
#include "bindings.hpp"
#include "standing.hpp"

namespace thresher::python {

namespace {

using Table64 = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Table32 = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

class PythonMixer {
  public:
    template <class Read>
    auto read(Read&& what) {
        const Busy::Reading reading(busy_);
        return what(static_cast<const Mixer&>(mixer_));
    }

    PythonMixer(std::size_t n, std::string_view rate, double eta, double alpha)
        : mixer_(n, {rate_named(rate), eta, alpha}) {}

    // The same once more.
    PythonMixer(PythonMixer& other) : mixer_(other.read([](const Mixer& mixer) { return mixer; })) {}

    nb::ndarray<nb::numpy, const double, nb::ndim<1>> mixture() {
        const std::size_t n = mixer_.n();
        auto copy = std::make_unique_for_overwrite<double[]>(n);
        read([&](const Mixer& mixer) { mixer.mixture(copy.get()); });
        return owned<const double>(std::move(copy), n);
    }

    double learn(Vector<double> losses) {
        const Busy::Writing writing(busy_);
        check_width(losses.shape(0));
        mixer_.unshare();
        double loss = 0.0;
        refuse(mixer_.learn(losses.data(), loss), {});
        return loss;
    }

    template <class Table>
    nb::ndarray<nb::numpy, double, nb::ndim<1>> learn_many(Table losses) {
        const Busy::Writing writing(busy_);
        check_width(losses.shape(1));
        const std::size_t rows = losses.shape(0), n = losses.shape(1);
        auto lost = std::make_unique_for_overwrite<double[]>(rows);
        MixerFault fault = MixerFault::none;
        std::size_t k = 0;
        {
            const nb::gil_scoped_release free;
            mixer_.unshare();
            for (; k < rows && fault == MixerFault::none; ++k) {
                const auto* const row = losses.data() + k * n;
                fault = mixer_.learn(row, lost[k], k + 1 < rows ? row + n : row);
            }
        }
        if (fault != MixerFault::none) refuse(fault, k - 1);
        return owned<double>(std::move(lost), rows);
    }

    nb::tuple heads() {
        return read([](const Mixer& mixer) {
            const MixerHead& head = mixer.head;
            return nb::make_tuple(head.rounds, head.gap, head.loss, head.rest, head.slept, head.largest);
        });
    }

    nb::tuple state() {
        return read([](const Mixer& mixer) {
            nb::dict planes;
            planes["losses"] = nb::cast(shown_as_it_is(mixer.losses()));
            planes["weights"] = nb::cast(shown_as_it_is(mixer.weights()));
            const MixerHead& head = mixer.head;
            return nb::make_tuple(planes, head.rounds, head.gap, head.loss, head.rest, head.slept, head.largest);
        });
    }

    void restore(Vector<double> losses, Vector<double> weights, const MixerHead& head) {
        const Busy::Writing writing(busy_);
        check_width(losses.shape(0));
        check_width(weights.shape(0));
        mixer_.unshare();
        std::copy_n(losses.data(), losses.shape(0), mixer_.losses().data());
        std::copy_n(weights.data(), weights.shape(0), mixer_.weights().data());
        mixer_.head = head;
    }

  private:
    void check_width(std::size_t found) const {
        if (found != mixer_.n()) {
            raise("ExampleError",
                  "found losses of " + std::to_string(found) + " experts, expected " + std::to_string(mixer_.n()));
        }
    }

    void refuse(MixerFault fault, std::optional<std::size_t> row) const {
        if (fault == MixerFault::none) return;
        const std::string round = row ? "" : "round " + std::to_string(mixer_.head.rounds + 1) + ": ";
        const char* const found = fault == MixerFault::all_asleep
                                      ? "every expert is asleep, expected one awake at least"
                                      : "found a loss that is infinite or beyond 2^250 (1.8e75), expected a number, or "
                                        "NaN for an expert asleep";
        raise("ExampleError", round + found, {row, nb::none(), nb::none()});
    }

    Mixer mixer_;
    Busy busy_;
};

}  // namespace

void bind_experts(nb::module_& m) {
    nb::class_<PythonMixer>(m, "Mixer", "A rule for losses of the core: the experts' losses so far, and what follows.")
        .def(nb::init<std::size_t, std::string_view, double, double>(), nb::arg("n"), nb::arg("rate"), nb::arg("eta"),
             nb::arg("alpha"))
        .def(nb::init<PythonMixer&>(), nb::arg("other"), "The same once more.")
        .def_prop_ro(
            "n", [](PythonMixer& self) { return self.read([](const Mixer& mixer) { return mixer.n(); }); },
            "The number of experts.")
        .def_prop_ro(
            "rounds", [](PythonMixer& self) { return self.read([](const Mixer& mixer) { return mixer.head.rounds; }); },
            "How many rounds were played.")
        .def_prop_ro("weights", &PythonMixer::mixture, nb::rv_policy::automatic,
                     "The weights of the next round, which add up to 1: a fresh read-only array.")
        .def_prop_ro(
            "rate", [](PythonMixer& self) { return self.read([](const Mixer& mixer) { return mixer.eta(); }); },
            "The rate of the next round; infinite is all weight on the best.")
        .def("_learn", &PythonMixer::learn, nb::arg("losses"))
        .def("_learn_many", &PythonMixer::learn_many<Table64>, nb::arg("losses").noconvert())
        .def("_learn_many", &PythonMixer::learn_many<Table32>, nb::arg("losses").noconvert())
        .def("_heads", &PythonMixer::heads, nb::sig("def _heads(self) -> tuple[int, float, float, float, int, float]"))
        .def("_state", &PythonMixer::state,
             nb::sig("def _state(self) -> tuple[dict[str, numpy.typing.NDArray[numpy.float64]], int, float, float, "
                     "float, int, float]"))
        .def(
            "_restore",
            [](PythonMixer& self, Vector<double> losses, Vector<double> weights, std::int64_t rounds, double gap,
               double loss, double rest, std::int64_t slept,
               double largest) { self.restore(losses, weights, {rounds, gap, loss, rest, slept, largest}); },
            nb::arg("losses"), nb::arg("weights"), nb::arg("rounds"), nb::arg("gap"), nb::arg("loss"), nb::arg("rest"),
            nb::arg("slept"), nb::arg("largest"),
            nb::sig("def _restore(self, losses: numpy.typing.NDArray[numpy.float64] | memoryview, "
                    "weights: numpy.typing.NDArray[numpy.float64] | memoryview, rounds: int, gap: float, loss: float, "
                    "rest: float, slept: int, largest: float) -> None"));
}

}  // namespace thresher::python
