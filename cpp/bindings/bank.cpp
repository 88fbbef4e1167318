// Banks of lanes in Python.
#include "../thresher/bank.hpp"
#include "../thresher/lanes/ahead.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <optional>
#include <typeinfo>

#include "bindings.hpp"
#include "drawn.hpp"
#include "ear.hpp"

namespace thresher::python {

namespace {

// Calls `use` with the rule, if its lanes fit a bank, and says whether they do.
template <class Use>
bool with_rule(nb::handle rule, Use&& use) {
    const auto meets = [&]<class Rule>(const Rule* const*) {
        if (!nb::isinstance<Rule>(rule)) return false;
        const auto& found = nb::cast<const Rule&>(rule);
        if (found.sight.normalize && found.sight.dummy == 0.0) return false;  // it refuses what others take: zeros
        use(found);
        return true;
    };
    const auto any = [&]<class... Rules>(const std::variant<Rules...>*) {
        return (meets(static_cast<const Rules* const*>(nullptr)) || ...);
    };
    return any(static_cast<const LaneRule*>(nullptr));
}

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
class PythonBank {
  public:
    using Says = nb::ndarray<std::int8_t, nb::c_contig, nb::device::cpu>;
    using Scores = nb::ndarray<Real, nb::c_contig, nb::device::cpu>;
    using Changed = nb::ndarray<bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

    PythonBank(std::size_t n, const nb::sequence& rules, std::size_t threads) : bank_(made(n, rules, threads, false)) {}

    PythonBank(std::size_t n, const nb::sequence& rules, const nb::dict& arrays, const nb::dict& heads,
               std::size_t threads)
        : bank_(made(n, rules, threads, arrays.contains(below_))) {
        set(arrays, heads);
    }

    PythonBank(PythonBank& other)
        : bank_(other.read([](const Bank<Real>& bank) { return std::make_unique<Bank<Real>>(bank); })),
          collisions_(other.collisions_) {}

    template <class Read>
    auto read(Read&& what) {
        const Busy::Reading reading(busy_);
        return what(static_cast<const Bank<Real>&>(*bank_));
    }

    std::size_t n() const { return bank_->n(); }
    std::size_t lanes() const { return bank_->lanes(); }
    std::size_t parts() const { return bank_->parts(); }
    std::size_t bytes() const { return bank_->bytes(); }
    std::int64_t collisions() const { return collisions_; }
    std::int64_t rounds() const { return bank_->rounds; }

    void score(nb::handle x, Says says, Scores scores) {
        check(says, scores, 1);
        const Example example(x, n(), Domain::any);
        const Busy::Reading reading(busy_);
        Bank<Real> twin(*bank_);  // lanes note what they said
        Sheet<Real> sheet;
        if (const auto kind = twin.read(example.row(), sheet); kind != Fault::Kind::none) raise(Fault{kind});
        twin.score(sheet, {says.data(), scores.data()});
    }

    bool learn(nb::handle x, nb::handle y, nb::handle weight, Says says, Scores scores) {
        check(says, scores, 1);
        const std::int8_t code = label_code(y);
        if (code == not_a_label) refuse(Fault::Kind::label, 1.0, y);
        const std::optional<double> heft = number_of(weight);
        if (!heft) raise("ExampleError", "found weight " + shown(weight) + ", expected a number of at least 0");
        refuse(read([code](const Bank<Real>& bank) { return bank.refuse_label(code); }), 1.0, y);
        const Example example(x, n(), Domain::any);
        const Busy::Writing writing(busy_);
        if (!(*heft >= 0.0 && *heft <= largest_weight)) raise(Fault{Fault::Kind::weight, 0, *heft});
        if (const auto kind = bank_->read(example.row(), sheet_); kind != Fault::Kind::none) raise(Fault{kind});
        bank_->unshare();
        collisions_ += example.collisions();
        return bank_->learn(sheet_, code, *heft, {says.data(), scores.data()});
    }

    void score_block(const HeldBlock& held, Says says, Scores scores) {
        check_width(width_of(held.block), n());
        check(says, scores, rows_of(held.block));
        const Busy::Reading reading(busy_);
        std::size_t k = 0;
        Fault fault;
        {
            const nb::gil_scoped_release free;
            Bank<Real> twin(*bank_);
            fault = twin.score_block(held.block, {says.data(), scores.data()}, k);
        }
        if (fault) raise(fault, k);
    }

    void learn_block(const HeldBlock& held, Vector<std::int8_t> codes, std::optional<Vector<double>> weights,
                     std::optional<Says> says, std::optional<Scores> scores, Changed changed, nb::handle labels,
                     const Ear* ear, std::optional<Vector<bool>> out) {
        const Busy::Writing writing(busy_);
        std::optional<Busy::Writing> hearing;
        typename Bank<Real>::Hear hear;
        if (ear != nullptr) {
            if (ear->rows != rows_of(held.block) || ear->lanes != lanes()) {
                throw std::invalid_argument("an ear for each row and lane");
            }
            if constexpr (std::is_same_v<Real, float>) {
                hear = ear->hear;
            } else {
                throw std::invalid_argument("an ear hears lanes of float32");
            }
            hearing.emplace(*ear->busy);
        }
        check_width(width_of(held.block), n());
        const std::size_t rows = rows_of(held.block);
        if (says) check(*says, rows);
        if (scores) check(*scores, rows);
        if (out && out->shape(0) != rows) throw std::invalid_argument("one flag a row");
        check_rows(rows, codes, weights, changed);
        std::size_t k = 0;
        Fault fault;
        {
            const nb::gil_scoped_release free;
            fault =
                bank_->learn_block(held.block, codes.data(), weights ? weights->data() : nullptr,
                                   {says ? says->data() : nullptr, scores ? scores->data() : nullptr}, changed.data(),
                                   k, hear, out ? reinterpret_cast<const std::uint8_t*>(out->data()) : nullptr);
        }
        learned(held, fault, k, weights, labels);
    }

    // Rows are learned by a crew, and are taken back in order. Until all are, nobody else uses the bank.
    class Ahead {
      public:
        Ahead(PythonBank& bank, std::shared_ptr<Crew> crew)
            : bank_(bank), lanes_(std::move(crew), Play<Real>(*bank.bank_)) {}

        void give(nb::handle block, nb::handle labels, std::optional<Vector<double>> weights, Says says, Scores scores,
                  Changed changed) {
            const Busy::Writing writing(busy_);
            if (ended_) throw std::invalid_argument("it has ended");
            const auto& held = nb::cast<const HeldBlock&>(block);
            const auto codes = nb::cast<Vector<std::int8_t>>(labels);
            check_width(width_of(held.block), bank_.n());
            bank_.check(says, scores, rows_of(held.block));
            bank_.check_rows(rows_of(held.block), codes, weights, changed);
            if (!using_) using_.emplace(bank_.busy_);
            given_.push_back({nb::borrow(block), nb::borrow(labels), codes, weights, says, scores, changed});
            const double* const costs = weights ? weights->data() : nullptr;
            lanes_.give({&held.block, codes.data(), costs, {says.data(), scores.data()}, changed.data()});
        }

        // Waits until the oldest rows are learned, and raises what is wrong with them.
        void take() {
            const Busy::Writing writing(busy_);
            if (given_.empty()) throw std::invalid_argument("there is nothing to be taken");
            const Given given = std::move(given_.front());  // it must stay until they are learned
            given_.pop_front();
            const Stint<Real> stint = [&] {
                const nb::gil_scoped_release free;
                return lanes_.take();
            }();
            if (given_.empty()) using_.reset();
            bank_.learned(nb::cast<const HeldBlock&>(given.block), stint.fault, stint.played, given.weights,
                          given.labels);
        }

        // What nobody took is let go.
        void end() {
            const Busy::Writing writing(busy_);
            {
                const nb::gil_scoped_release free;
                lanes_.end();
            }
            given_.clear();
            using_.reset();
            ended_ = true;
        }

      private:
        struct Given {
            nb::object block, labels;
            Vector<std::int8_t> codes;
            std::optional<Vector<double>> weights;
            Says says;
            Scores scores;
            Changed changed;
        };

        PythonBank& bank_;
        std::optional<Busy::Writing> using_;
        std::deque<Given> given_;
        LanesAhead<Real> lanes_;
        bool ended_ = false;
        Busy busy_;
    };

    // One lane's weights, and that of its appended attribute.
    nb::ndarray<nb::numpy, double, nb::ndim<1>> weights(std::size_t lane) {
        return read([&](const Bank<Real>& bank) {
            auto out = std::make_unique<double[]>(bank.n());
            placed(lane);
            bank.take_weights(lane, out.get());
            return owned<double>(std::move(out), bank.n());
        });
    }
    double bias_weight(std::size_t lane) {
        return read([&](const Bank<Real>& bank) { return bank.bias_weight(placed(lane)); });
    }

    // The name of a lane's group, and its place in it.
    const char* group(std::size_t lane) const { return bank_->group_of(placed(lane)).name(); }
    std::size_t position(std::size_t lane) const {
        std::size_t before = 0;
        for (std::size_t other = 0; other < placed(lane); ++other) {
            before += &typeid(bank_->group_of(other)) == &typeid(bank_->group_of(lane)) ? 1 : 0;
        }
        return before;
    }

    // Heads by the name of their group, and counts.
    nb::dict heads() {
        return read([&](const Bank<Real>& bank) {
            nb::dict heads;
            for (const std::vector<std::size_t>& kin : bank.groups()) {
                Lanes<Real>& group = bank.group_of(kin.front());
                for (std::size_t i = 0; i < group.heads().size(); ++i) {
                    nb::list values;
                    for (const std::size_t lane : kin) values.append(static_cast<double>(bank.head(lane, i)));
                    heads[named(group, group.heads()[i].name).c_str()] = values;
                }
            }
            heads["rounds"] = bank.rounds;
            heads["negative"] = static_cast<int>(bank.negative);
            heads["collisions"] = collisions_;
            return heads;
        });
    }

    // Planes by the name of their group: arrays, or plain memory.
    template <class Framework>
    nb::dict planes() {
        return read([&](const Bank<Real>& bank) {
            nb::dict arrays;
            const auto room = [&](const std::string& name, std::size_t size) {  // in large pages, which come sooner
                const Plane memory((size * sizeof(Real) + sizeof(double) - 1) / sizeof(double));
                const nb::capsule owner(new Plane(memory),
                                        [](void* held) noexcept { delete static_cast<Plane*>(held); });
                auto* const data = reinterpret_cast<Real*>(const_cast<double*>(memory.data()));
                arrays[name.c_str()] = nb::ndarray<Framework, Real, nb::ndim<1>>(data, {size}, owner);
                return data;
            };
            const Planes<Real> planes = bank.planes();
            const std::vector<std::string> names = plane_names(bank);
            std::vector<Real*> out;
            for (std::size_t p = 0; p < planes.planes(); ++p) out.push_back(room(names[p], planes.size(p)));
            planes.take_all(out);
            return arrays;
        });
    }

    // The same planes as they are now, whatever the lanes learn later: they share the records until then.
    nb::dict drawn() {
        return read([&](const Bank<Real>& bank) {
            const auto kept = std::make_shared<Kept>(bank);
            const std::vector<std::string> names = plane_names(bank);
            nb::dict drawn;
            for (std::size_t p = 0; p < names.size(); ++p) {
                drawn[names[p].c_str()] =
                    nb::cast(static_cast<Drawn*>(new Plain(kept, p)), nb::rv_policy::take_ownership);
            }
            return drawn;
        });
    }

    // Planes and heads: what is kept.
    nb::tuple state() { return nb::make_tuple(planes<nb::numpy>(), heads()); }

  private:
    struct Kept {
        explicit Kept(const Bank<Real>& other) : bank(other), planes(bank.planes()) { planes.look(); }

        Bank<Real> bank;
        Planes<Real> planes;
    };

    class Plain : public Drawn {
      public:
        Plain(std::shared_ptr<const Kept> kept, std::size_t plane) : kept_(std::move(kept)), plane_(plane) {}

        const char* format() const override { return std::is_same_v<Real, float> ? "f" : "d"; }
        std::size_t bytes() const override { return planes().size(plane_) * sizeof(Real); }
        std::size_t fitting(std::size_t from, std::size_t most) const override {
            const std::size_t whole = slot() * Planes<Real>::block;
            return std::min(bytes() - from, std::max(most / whole * whole, whole));
        }
        void draw(std::size_t from, std::size_t size, char* out) const override {
            planes().take(plane_, from / slot(), (from + size) / slot(), reinterpret_cast<Real*>(out));
        }

      private:
        const Planes<Real>& planes() const { return kept_->planes; }
        std::size_t slot() const { return planes().wide(plane_) * sizeof(Real); }

        std::shared_ptr<const Kept> kept_;
        std::size_t plane_;
    };

    static std::unique_ptr<Bank<Real>> made(std::size_t n, const nb::sequence& rules, std::size_t threads, bool below) {
        if (n < 1 || n > most_attributes) throw std::invalid_argument("n must be from 1 to 2^48");
        if (threads < 1) throw std::invalid_argument("one thread at least");
        std::vector<LaneRule> lanes;
        for (const nb::handle rule : rules) {
            if (!with_rule(rule, [&](const auto& found) { lanes.emplace_back(found); })) {
                throw nb::type_error("expected rules that fit a bank");
            }
        }
        return std::make_unique<Bank<Real>>(n, lanes, threads, below);
    }

    static std::string named(const Lanes<Real>& group, const char* what) {
        return std::string(group.name()) + " " + what;
    }

    static std::vector<std::string> plane_names(const Bank<Real>& bank) {
        std::vector<std::string> names;
        for (const std::vector<std::size_t>& kin : bank.groups()) {
            const Lanes<Real>& group = bank.group_of(kin.front());
            for (const auto& plane : group.planes()) names.push_back(named(group, plane.name));
        }
        if (bank.below()) names.emplace_back(below_);
        return names;
    }

    // What came of rows: `k` of them were played before a fault.
    void learned(const HeldBlock& held, Fault fault, std::size_t k, const std::optional<Vector<double>>& weights,
                 nb::handle labels) {
        if (!fault) {
            collisions_ += held.collisions;
            return;
        }
        if (fault.kind == Fault::Kind::weight) fault.value = weights->data()[k];
        const bool about_label = fault.kind == Fault::Kind::label || fault.kind == Fault::Kind::mixed_labels;
        raise(fault, k, about_label ? nb::object(labels[k]) : nb::none());
    }

    std::size_t placed(std::size_t lane) const {
        if (lane >= lanes()) throw nb::index_error("no such lane");
        return lane;
    }

    template <class Table>
    void check(const Table& table, std::size_t rows) const {
        if (table.size() != rows * lanes()) {
            throw std::invalid_argument("one answer and one score for each row and lane");
        }
    }
    void check(const Says& says, const Scores& scores, std::size_t rows) const {
        check(says, rows);
        check(scores, rows);
    }
    static void check_rows(std::size_t rows, const Vector<std::int8_t>& codes,
                           const std::optional<Vector<double>>& weights, const Changed& changed) {
        if (codes.shape(0) != rows || changed.shape(0) != rows || (weights && weights->shape(0) != rows)) {
            throw std::invalid_argument("one label, one weight and one change a row");
        }
    }

    void set(const nb::dict& arrays, const nb::dict& heads) {
        using Plane = nb::ndarray<const Real, nb::c_contig, nb::device::cpu>;
        const auto plane = [&](const std::string& name, std::size_t size) {
            const auto found = nb::cast<Plane>(arrays[name.c_str()]);
            if (found.size() != size) throw std::invalid_argument("one number for each slot and lane");
            return found;
        };
        const Planes<Real> planes = bank_->planes();
        std::vector<const Real*> in;
        std::vector<Plane> held;
        for (const std::string& name : plane_names(*bank_)) {
            held.push_back(plane(name, planes.size(in.size())));
            in.push_back(held.back().data());
        }
        for (const std::vector<std::size_t>& kin : bank_->groups()) {
            Lanes<Real>& group = bank_->group_of(kin.front());
            for (std::size_t i = 0; i < group.heads().size(); ++i) {
                const auto values = nb::cast<std::vector<double>>(heads[named(group, group.heads()[i].name).c_str()]);
                if (values.size() != kin.size()) throw std::invalid_argument("one number for each lane");
                for (std::size_t k = 0; k < kin.size(); ++k) bank_->head(kin[k], i) = static_cast<Real>(values[k]);
            }
        }
        planes.set_all(in);
        bank_->rounds = nb::cast<std::int64_t>(heads["rounds"]);
        bank_->negative = static_cast<Negative>(nb::cast<int>(heads["negative"]));
        collisions_ = nb::cast<std::int64_t>(heads["collisions"]);
    }

    static constexpr const char* below_ = "Winnow below";
    std::unique_ptr<Bank<Real>> bank_;
    Sheet<Real> sheet_;
    std::int64_t collisions_ = 0;
    Busy busy_;
};

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
    using Ahead = PythonBank<float>::Ahead;
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
