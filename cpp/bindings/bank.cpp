// Banks of lanes in Python.
#include <nanobind/stl/shared_ptr.h>

#include "python_ahead.hpp"

namespace thresher::python {

namespace {

bool fits(nb::handle rule) {
    return with_rule(rule, [](const auto&) {});
}

// Plain memory for what lanes say, all 0: a number for each row, or for each row and lane. NumPy is not asked.
template <class T>
nb::object memory_for(std::size_t rows, std::optional<std::size_t> lanes) {
    const std::size_t shape[] = {rows, lanes.value_or(1)};
    const Plane memory((shape[0] * shape[1] * sizeof(T)) / sizeof(double) + 1);  // in large pages, which come sooner
    const nb::capsule owner(new Plane(memory), [](void* held) noexcept { delete static_cast<Plane*>(held); });
    auto* const data = reinterpret_cast<T*>(const_cast<double*>(memory.data()));
    return nb::cast(nb::ndarray<nb::memview, T>(data, lanes ? 2 : 1, shape, owner));
}

nb::object room(std::string_view kind, std::size_t rows, std::optional<std::size_t> lanes) {
    if (kind == "int8") return memory_for<std::int8_t>(rows, lanes);
    if (kind == "bool") return memory_for<bool>(rows, lanes);
    if (kind == "float32") return memory_for<float>(rows, lanes);
    if (kind == "float64") return memory_for<double>(rows, lanes);
    throw std::invalid_argument("expected int8, bool, float32 or float64");
}

template <class Real>
void bind(nb::module_& m, const char* name, const char* number) {
    using Python = PythonBank<Real>;
    // Signatures must outlive the module.
    static const std::string array = std::string("numpy.typing.NDArray[numpy.") + number + "]";
    static const std::string state = "dict[str, " + array + "], dict[str, typing.Any]";
    static const std::string filled =
        "says: numpy.typing.NDArray[numpy.int8] | memoryview, scores: " + array + " | memoryview";
    static const std::string restored =
        "def __init__(self, n: int, rules: collections.abc.Sequence[Rule], arrays: "
        "dict[str, " +
        array + "], heads: dict[str, typing.Any], threads: int = 1) -> None";
    static const std::string score = "def _score(self, x: object, " + filled + ") -> None";
    static const std::string learn = "def _learn(self, x: object, y: object, weight: float, " + filled + ") -> bool";
    static const std::string score_block = "def _score_block(self, block: Block, " + filled + ") -> None";
    static const std::string learn_block =
        "def _learn_block(self, block: Block, codes: numpy.typing.NDArray[numpy.int8] | memoryview, "
        "weights: numpy.typing.NDArray[numpy.float64] | memoryview | None, says: numpy.typing.NDArray[numpy.int8] | "
        "memoryview | None, scores: " +
        array +
        " | memoryview | None, changed: numpy.typing.NDArray[numpy.bool_] | memoryview, labels: object, ear: Ear | "
        "None = None, "
        "held: numpy.typing.NDArray[numpy.bool_] | None = None) -> None";
    static const std::string kept = "def _state(self) -> tuple[" + state + "]";
    nb::class_<Python>(m, name, "Lanes side by side: learners whose rounds are played in one sweep.")
        .def(nb::init<std::size_t, const nb::sequence&, std::size_t>(), nb::arg("n"), nb::arg("rules"),
             nb::arg("threads") = 1,
             nb::sig("def __init__(self, n: int, rules: collections.abc.Sequence[Rule], threads: int = 1) -> None"))
        .def(nb::init<std::size_t, const nb::sequence&, const nb::dict&, const nb::dict&, std::size_t>(), nb::arg("n"),
             nb::arg("rules"), nb::arg("arrays"), nb::arg("heads"), nb::arg("threads") = 1, nb::sig(restored.c_str()),
             "Lanes in the state that was kept.")
        .def(nb::init<Python&>(), nb::arg("other"), "The same once more.")
        .def_static("fits", &fits, nb::arg("rule"), nb::sig("def fits(rule: Rule) -> bool"),
                    "Whether learners of this rule can be lanes.")
        .def_prop_ro("n", &Python::n, "The number of attributes (slots).")
        .def_prop_ro("lanes", &Python::lanes, "The number of lanes.")
        .def_prop_ro("parts", &Python::parts, "How many parts they lie in, which as many threads play at once.")
        .def_prop_ro("bytes", &Python::bytes, "The memory of all lanes.")
        .def_prop_ro("rounds", &Python::rounds, "How many rounds were played.")
        .def_prop_ro("collisions", &Python::collisions,
                     "How many features fell into a slot that another one of the same example held.")
        .def("_score", &Python::score, nb::arg("x").none(), nb::arg("says").noconvert(), nb::arg("scores").noconvert(),
             nb::sig(score.c_str()))
        .def("_learn", &Python::learn, nb::arg("x").none(), nb::arg("y").none(), nb::arg("weight").none(),
             nb::arg("says").noconvert(), nb::arg("scores").noconvert(), nb::sig(learn.c_str()))
        .def("_score_block", &Python::score_block, nb::arg("block"), nb::arg("says").noconvert(),
             nb::arg("scores").noconvert(), nb::sig(score_block.c_str()))
        .def("_learn_block", &Python::learn_block, nb::arg("block"), nb::arg("codes"), nb::arg("weights").none(),
             nb::arg("says").noconvert().none(), nb::arg("scores").noconvert().none(), nb::arg("changed").noconvert(),
             nb::arg("labels"), nb::arg("ear").none() = nb::none(), nb::arg("held").none() = nb::none(),
             nb::sig(learn_block.c_str()))
        .def("weights", &Python::weights, nb::arg("lane"),
             nb::sig("def weights(self, lane: int) -> numpy.typing.NDArray[numpy.float64]"),
             "One lane's weights: a fresh array of length n.")
        .def("group", &Python::group, nb::arg("lane"), "The name of the group that a lane is in.")
        .def("position", &Python::position, nb::arg("lane"), "A lane's place in its group.")
        .def("bias_weight", &Python::bias_weight, nb::arg("lane"), "The weight of one lane's appended attribute.")
        .def("_heads", &Python::heads, nb::sig("def _heads(self) -> dict[str, typing.Any]"))
        .def("_memory", &Python::template planes<nb::memview>, nb::sig("def _memory(self) -> dict[str, memoryview]"),
             "The planes as plain memory: NumPy is not asked.")
        .def("_drawn", &Python::drawn, nb::sig("def _drawn(self) -> dict[str, Drawn]"),
             "The planes as they are now, to be written: no other memory is taken.")
        .def("_state", &Python::state, nb::sig(kept.c_str()));
}

}  // namespace

void bind_bank(nb::module_& m) {
    nb::class_<Crew>(m, "Crew", "Threads that do whatever there is to do, for several who give it.")
        .def(nb::new_([](std::size_t threads) {
                 if (threads < 1) throw std::invalid_argument("one thread at least");
                 return std::make_shared<Crew>(threads);
             }),
             nb::arg("threads"), "So many at most, that of whoever waits for something included.")
        .def_prop_ro("threads", &Crew::threads, "How many there may be.");
    bind<float>(m, "Bank", "float32");
    bind<double>(m, "Bank64", "float64");
    using Ahead = PythonAhead<float>;
    nb::class_<Ahead>(
        m, "BankAhead",
        "A crew plays rows by a bank, which nobody else may use until they are taken, while who gives them "
        "does something else.")
        .def(nb::init<PythonBank<float>&, std::shared_ptr<Crew>>(), nb::arg("bank"), nb::arg("crew"),
             nb::keep_alive<1, 2>())
        .def("give", &Ahead::give, nb::arg("block"), nb::arg("codes"), nb::arg("weights").none(),
             nb::arg("says").noconvert(), nb::arg("scores").noconvert(), nb::arg("changed").noconvert(),
             nb::sig("def give(self, block: Block, codes: numpy.typing.NDArray[numpy.int8] | memoryview, weights: "
                     "numpy.typing.NDArray[numpy.float64] | memoryview | None, says: memoryview, scores: memoryview, "
                     "changed: memoryview) -> None"),
             "They will be learned, after all that were given before.")
        .def("take", &Ahead::take, "Waits until the oldest rows are learned, and raises what is wrong with them.")
        .def("end", &Ahead::end, "What was given and not begun is not learned.");
    m.def("room", &room, nb::arg("kind"), nb::arg("rows"), nb::arg("lanes").none() = nb::none(),
          nb::sig("def room(kind: str, rows: int, lanes: int | None = None) -> memoryview"),
          "Plain memory for what lanes say, all 0: a number for each row, or for each row and lane.");
}

}  // namespace thresher::python
