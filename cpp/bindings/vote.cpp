// The vote of a portfolio in Python: it is told what the lanes said, and keeps what they lost.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "../thresher/vote.hpp"
#include "bindings.hpp"
#include "ear.hpp"
#include "standing.hpp"

namespace thresher::python {

namespace {

using Says = nb::ndarray<const std::int8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class Score>
using Scores = nb::ndarray<const Score, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T, class Framework = nb::numpy>
nb::ndarray<Framework, const T, nb::ndim<1>> fresh(const std::vector<T>& values) {
    auto copy = std::make_unique_for_overwrite<T[]>(values.size());
    std::copy(values.begin(), values.end(), copy.get());
    return owned<const T, Framework>(std::move(copy), values.size());
}

class PythonVote {
  public:
    template <class Read>
    auto read(Read&& what) {
        const Busy::Reading reading(busy_);
        return what(static_cast<const Voting&>(voting_));
    }

    PythonVote(std::size_t lanes, std::string_view rate, double eta, double alpha, double cost_positive)
        : voting_(lanes, {rate_named(rate), eta, alpha}, cost_positive) {
        if (lanes < 1) throw std::invalid_argument("one lane at least");
    }

    PythonVote(PythonVote& other) : voting_(other.read([](const Voting& voting) { return voting; })) {}

    // How many rows come before the first whose label or weight cannot be learned.
    std::size_t check(Vector<std::int8_t> codes, std::optional<Vector<double>> weights) {
        return read([&](const Voting& voting) {
            const std::size_t rows = codes.shape(0);
            check_rows(rows, weights);
            Negative negative = voting.head.negative;
            for (std::size_t k = 0; k < rows; ++k) {
                const std::int8_t code = codes.data()[k];
                const bool known = (code == +1) | (code == static_cast<std::int8_t>(negative));  // a guess would fail
                if (known && !weights && voting.cost_positive() <= largest_weight) continue;
                if (voting.refuse(code, weights ? weights->data()[k] : 1.0, negative) != Fault::Kind::none) return k;
                if (negative == Negative::unseen && code != +1) negative = static_cast<Negative>(code);
            }
            return rows;
        });
    }

    // Raises what is wrong with a label or a weight that `check` stopped at.
    void refuse(std::int8_t code, double weight, nb::handle label, std::optional<std::size_t> row, nb::object rounds) {
        Fault fault{read([&](const Voting& voting) { return voting.refuse(code, weight, voting.head.negative); })};
        fault.value = weight;
        if (fault.kind == Fault::Kind::weight && weight >= 0.0 && weight <= largest_weight) {
            raise("ExampleError",
                  "found weight " + text_of(weight) +
                      " for a positive example, expected one that, times cost_positive, is " + "at most 2^150 (1.4e45)",
                  {row, nb::none(), rounds});
        }
        if (fault) raise(fault, row, label, rounds);
        throw std::logic_error("no fault to raise");
    }

    // What each round costs a lane that is wrong; None where that is 1 throughout.
    nb::object costs(Vector<std::int8_t> codes, std::optional<Vector<double>> weights) {
        return read([&](const Voting& voting) -> nb::object {
            const std::size_t rows = codes.shape(0);
            check_rows(rows, weights);
            if (!weights && voting.cost_positive() == 1.0) return nb::none();
            auto made = std::make_unique_for_overwrite<double[]>(rows);
            for (std::size_t k = 0; k < rows; ++k) {
                made[k] = voting.cost(codes.data()[k], weights ? weights->data()[k] : 1.0);
            }
            return nb::cast(owned<double, nb::memview>(std::move(made), rows));
        });
    }

    // Votes on rows as it is told what the lanes say of them, and learns what they lost, but of rows that are held out.
    template <class Score>
    auto hearing(Vector<std::int8_t> codes, std::optional<Vector<double>> weights, Vector<bool> moved,
                 Out<std::int8_t> predictions, Out<double> z, Out<double> p, Out<double> losses, Out<double> chances,
                 std::optional<Vector<bool>> held) {
        const std::size_t rows = codes.shape(0), lanes = voting_.lanes();
        check_rows(rows, weights);
        check_out(rows, moved, predictions, z, p, losses, chances);
        if (held) check_out(rows, *held);
        return [=, this](std::size_t from, std::size_t to, const std::int8_t* says, const Score* scores) {
            voting_.unshare();
            const auto* const shifted = reinterpret_cast<const std::uint8_t*>(moved.data());
            const auto* const out = held ? reinterpret_cast<const std::uint8_t*>(held->data()) : nullptr;
            for (std::size_t k = from; k < to; ++k) {
                const bool followed = (to - 1 - k) * lanes >= block;  // what comes later may be being written
                const auto* const said = says + (k - from) * lanes;
                const auto* const scored = scores + (k - from) * lanes;
                const Ballot ballot = out != nullptr && out[k] != 0 ? voting_.vote(said, scored)
                                                                    : voting_.learn(said, scored, codes.data()[k],
                                                                                    weights ? weights->data()[k] : 1.0,
                                                                                    shifted[k] != 0, followed);
                predictions.data()[k] = ballot.label;
                z.data()[k] = ballot.z;
                p.data()[k] = ballot.p;
                losses.data()[k] = ballot.loss;
                chances.data()[k] = ballot.chance;
            }
        };
    }

    // The same for lanes of a bank, while they play.
    Ear ear(Vector<std::int8_t> codes, std::optional<Vector<double>> weights, Vector<bool> moved,
            Out<std::int8_t> predictions, Out<double> z, Out<double> p, Out<double> losses, Out<double> chances,
            std::optional<Vector<bool>> held) {
        const auto hear = hearing<float>(codes, weights, moved, predictions, z, p, losses, chances, held);
        return {&busy_, codes.shape(0), voting_.lanes(),
                [hear](std::size_t from, std::size_t to, const Said<float>& said) {
                    hear(from, to, said.says, said.scores);
                }};
    }

    template <class Score>
    void learn_block(Says says, Scores<Score> scores, Vector<std::int8_t> codes, std::optional<Vector<double>> weights,
                     Vector<bool> moved, Out<std::int8_t> predictions, Out<double> z, Out<double> p, Out<double> losses,
                     Out<double> chances) {
        const auto hear = hearing<Score>(codes, weights, moved, predictions, z, p, losses, chances, {});
        check_table(says, scores, codes.shape(0));
        const Busy::Writing writing(busy_);
        const nb::gil_scoped_release free;
        hear(0, codes.shape(0), says.data(), scores.data());
    }

    template <class Score>
    void score_block(Says says, Scores<Score> scores, Out<std::int8_t> predictions, Out<double> z, Out<double> p,
                     Out<double> chances) {
        const Busy::Reading reading(busy_);
        const std::size_t rows = says.shape(0), lanes = voting_.lanes();
        check_table(says, scores, rows);
        check_out(rows, predictions, z, p, chances);
        const nb::gil_scoped_release free;
        for (std::size_t k = 0; k < rows; ++k) {
            const Ballot ballot = voting_.vote(says.data() + k * lanes, scores.data() + k * lanes);
            predictions.data()[k] = ballot.label;
            z.data()[k] = ballot.z;
            p.data()[k] = ballot.p;
            chances.data()[k] = ballot.chance;
        }
    }

    void collide(std::int64_t features) {
        const Busy::Writing writing(busy_);
        voting_.head.collisions += features;
    }

    // Where it stands, with the lanes' mistakes since `before`, and what the master proves.
    Standing standing(const std::vector<std::int64_t>& before, std::optional<double> regret_bound) {
        return read([&](const Voting& voting) {
            if (before.size() != voting.lanes()) throw std::invalid_argument("one count a lane");
            Standing made{.mistakes = voting.mistakes,
                          .all_mistakes = voting.mistakes,
                          .losses = lost(voting),
                          .regret_bound = regret_bound,
                          .rule = voting.mixer.rule(),
                          .master = voting.mixer.head,
                          .weighted = voting.head.weighted,
                          .missed = voting.head.missed,
                          .cost = voting.head.cost};
            for (std::size_t i = 0; i < voting.lanes(); ++i) made.mistakes[i] -= before[i];
            return made;
        });
    }

    nb::ndarray<nb::numpy, const double, nb::ndim<1>> weights() { return fresh(read(mixture)); }
    nb::ndarray<nb::numpy, const std::int64_t, nb::ndim<1>> mistakes() { return fresh(read(wrong)); }
    nb::ndarray<nb::numpy, const double, nb::ndim<1>> losses() { return fresh(read(summed)); }

    // How often each lane was wrong, what it lost, and its weight in the next round.
    std::tuple<std::vector<std::int64_t>, std::vector<double>, std::vector<double>> counts() {
        return read(
            [](const Voting& voting) { return std::make_tuple(wrong(voting), summed(voting), mixture(voting)); });
    }

    std::size_t best() {
        return read([](const Voting& voting) {
            const auto less = [](const Pair& a, const Pair& b) {
                return a.high < b.high || (a.high == b.high && a.low < b.low);
            };
            const std::vector<Pair> all = lost(voting);
            return static_cast<std::size_t>(std::min_element(all.begin(), all.end(), less) - all.begin());
        });
    }

    // What is kept of it beside arrays, and the master's.
    nb::tuple heads() {
        return read([](const Voting& voting) {
            nb::dict heads;
            const BallotHead& head = voting.head;
            heads["rounds"] = head.rounds;
            heads["mistakes"] = head.mistakes;
            heads["updates"] = head.updates;
            heads["collisions"] = head.collisions;
            heads["history"] = head.history;
            heads["negative"] = static_cast<int>(head.negative);
            heads["weighted"] = head.weighted;
            heads["missed"] = head.missed.high;
            heads["missed_rest"] = head.missed.low;
            heads["cost"] = head.cost.high;
            heads["cost_rest"] = head.cost.low;
            const Calibration& calibration = voting.calibration;
            for (const auto& [name, member] : calibrated) heads[name] = calibration.*member;
            const MixerHead& mixed = voting.mixer.head;
            return nb::make_tuple(
                heads, nb::make_tuple(mixed.rounds, mixed.gap, mixed.loss, mixed.rest, mixed.slept, mixed.largest));
        });
    }

    // The arrays that are kept of it, and the master's, as plain memory.
    nb::tuple memory() {
        return read([](const Voting& voting) {
            nb::dict arrays, planes;
            std::vector<double> high, low;
            for (const Pair& loss : lost(voting)) {
                high.push_back(loss.high);
                low.push_back(loss.low);
            }
            const auto room = static_cast<std::ptrdiff_t>(voting.lanes());
            const auto show = [&]<class T>(const char* name, const std::vector<T>& values) {
                arrays[name] = nb::cast(fresh<T, nb::memview>(values));
            };
            show("sizes", std::vector(voting.sizes.begin(), voting.sizes.begin() + room));
            show("units", std::vector(voting.units.begin(), voting.units.begin() + room));
            show("mistakes", wrong(voting));
            show("losses", high);
            show("rests", low);
            planes["losses"] = nb::cast(shown_as_it_is<nb::memview>(voting.mixer.losses()));
            planes["weights"] = nb::cast(shown_as_it_is<nb::memview>(voting.mixer.weights()));
            return nb::make_tuple(arrays, planes);
        });
    }

    // The arrays are checked by who calls: one number a lane, heads that a run can have.
    void restore(const nb::dict& arrays, const nb::dict& heads, const nb::dict& planes, const nb::dict& master) {
        const Busy::Writing writing(busy_);
        const auto numbers = [&](const nb::dict& from, const char* name) {
            const auto array = nb::cast<Vector<double>>(from[name]);
            if (array.shape(0) != voting_.lanes()) throw std::invalid_argument("one number a lane");
            return array;
        };
        const auto sizes = numbers(arrays, "sizes"), units = numbers(arrays, "units"), high = numbers(arrays, "losses"),
                   low = numbers(arrays, "rests"), lost = numbers(planes, "losses"),
                   weights = numbers(planes, "weights");
        const auto mistakes = nb::cast<Vector<std::int64_t>>(arrays["mistakes"]);
        if (mistakes.shape(0) != voting_.lanes()) throw std::invalid_argument("one count a lane");
        const auto whole = [](const nb::dict& from, const char* name) { return nb::cast<std::int64_t>(from[name]); };
        const auto real = [](const nb::dict& from, const char* name) { return nb::cast<double>(from[name]); };
        Calibration calibration;
        for (const auto& [name, member] : calibrated) calibration.*member = real(heads, name);
        const BallotHead head{whole(heads, "rounds"),
                              whole(heads, "mistakes"),
                              whole(heads, "updates"),
                              whole(heads, "collisions"),
                              nb::cast<std::uint64_t>(heads["history"]),
                              static_cast<Negative>(whole(heads, "negative")),
                              whole(heads, "weighted"),
                              {real(heads, "missed"), real(heads, "missed_rest")},
                              {real(heads, "cost"), real(heads, "cost_rest")}};
        const MixerHead mixed{whole(master, "rounds"), real(master, "gap"),    real(master, "loss"),
                              real(master, "rest"),    whole(master, "slept"), real(master, "largest")};
        voting_.unshare();
        voting_.head = head;
        voting_.calibration = calibration;
        voting_.mixer.head = mixed;
        for (std::size_t i = 0; i < voting_.lanes(); ++i) {
            voting_.sizes[i] = sizes.data()[i];
            voting_.units[i] = units.data()[i];
            voting_.mistakes[i] = mistakes.data()[i];
            voting_.losses[i] = {high.data()[i], low.data()[i]};
            voting_.mixer.losses().data()[i] = lost.data()[i];
            voting_.mixer.weights().data()[i] = weights.data()[i];
        }
        voting_.weigh();
    }

  private:
    static constexpr std::pair<const char*, double Calibration::*> calibrated[] = {
        {"slope", &Calibration::slope},
        {"offset", &Calibration::offset},
        {"slope_spread", &Calibration::slope_spread},
        {"cross_spread", &Calibration::cross_spread},
        {"offset_spread", &Calibration::offset_spread},
        {"weights", &Calibration::weights},
        {"log_loss", &Calibration::lost},
        {"log_rest", &Calibration::rest},
        {"product", &Calibration::product}};

    static std::vector<std::int64_t> wrong(const Voting& voting) { return voting.mistakes; }

    static std::vector<double> mixture(const Voting& voting) {
        std::vector<double> weights(voting.lanes());
        voting.mixer.mixture(weights.data());
        return weights;
    }

    static std::vector<double> summed(const Voting& voting) {
        std::vector<double> sums;
        for (const Pair& loss : lost(voting)) sums.push_back(loss.high + loss.low);
        return sums;
    }

    static std::vector<Pair> lost(const Voting& voting) {
        std::vector<Pair> all;
        for (std::size_t i = 0; i < voting.lanes(); ++i) all.push_back(voting.lost(i));
        return all;
    }

    static void check_rows(std::size_t rows, const std::optional<Vector<double>>& weights) {
        if (weights && weights->shape(0) != rows) throw std::invalid_argument("one weight a row");
    }

    template <class Score>
    void check_table(const Says& says, const Scores<Score>& scores, std::size_t rows) const {
        if (says.shape(0) != rows || scores.shape(0) != rows || says.shape(1) != voting_.lanes() ||
            scores.shape(1) != voting_.lanes()) {
            throw std::invalid_argument("one row a round and one column a lane");
        }
    }

    template <class... Arrays>
    static void check_out(std::size_t rows, const Arrays&... arrays) {
        if (((arrays.shape(0) != rows) || ...)) throw std::invalid_argument("one entry a row");
    }

    Voting voting_;
    Busy busy_;
};

template <class Get>
auto head_of(Get&& get) {
    return [get](PythonVote& self) { return self.read([&](const Voting& voting) { return get(voting); }); };
}

}  // namespace

void bind_vote(nb::module_& m) {
    auto vote = nb::class_<PythonVote>(
        m, "Vote", "The vote of a portfolio's lanes: the master, what each lane lost, and the calibration.");
    vote.def(nb::init<std::size_t, std::string_view, double, double, double>(), nb::arg("lanes"), nb::arg("rate"),
             nb::arg("eta"), nb::arg("alpha"), nb::arg("cost_positive"))
        .def(nb::init<PythonVote&>(), nb::arg("other"), "The same once more.")
        .def_prop_ro("lanes", head_of([](const Voting& voting) { return voting.lanes(); }), "How many lanes vote.")
        .def_prop_ro("cost_positive", head_of([](const Voting& voting) { return voting.cost_positive(); }),
                     "What a missed positive example costs.")
        .def_prop_ro("rounds", head_of([](const Voting& voting) { return voting.head.rounds; }),
                     "How many rounds were played.")
        .def_prop_ro("mistakes", head_of([](const Voting& voting) { return voting.head.mistakes; }),
                     "In how many of them the vote was wrong.")
        .def_prop_ro("updates", head_of([](const Voting& voting) { return voting.head.updates; }),
                     "In how many of them a lane moved.")
        .def_prop_ro("collisions", head_of([](const Voting& voting) { return voting.head.collisions; }),
                     "How many features fell into a slot that another one of the same example held.")
        .def_prop_ro("history", head_of([](const Voting& voting) { return voting.head.history; }),
                     "A digest of all rounds so far.")
        .def_prop_ro("loss",
                     head_of([](const Voting& voting) { return voting.mixer.head.loss + voting.mixer.head.rest; }),
                     "What the mixture of the lanes lost.")
        .def_prop_ro("log_loss", head_of([](const Voting& voting) { return voting.calibration.log_loss(); }),
                     "The sum of -ln of the chances that were given to what came.")
        .def_prop_ro("lane_weights", &PythonVote::weights, nb::rv_policy::automatic,
                     "The lanes' weights in the next round, which add up to 1: a fresh read-only array.")
        .def_prop_ro("lane_mistakes", &PythonVote::mistakes, nb::rv_policy::automatic,
                     "How often each lane was wrong: a fresh read-only array.")
        .def_prop_ro("lane_losses", &PythonVote::losses, nb::rv_policy::automatic,
                     "What each lane lost: a fresh read-only array.")
        .def_prop_ro("best_lane", &PythonVote::best, "The lane that lost least; the first, if there are several.")
        .def("_check", &PythonVote::check, nb::arg("codes"), nb::arg("weights").none(),
             nb::sig("def _check(self, codes: numpy.typing.NDArray[numpy.int8] | memoryview, "
                     "weights: numpy.typing.NDArray[numpy.float64] | None) -> int"))
        .def("_refuse", &PythonVote::refuse, nb::arg("code"), nb::arg("weight"), nb::arg("label").none(),
             nb::arg("row").none(), nb::arg("rounds").none(),
             nb::sig("def _refuse(self, code: int, weight: float, label: object, row: int | None, "
                     "rounds: Rounds | None) -> typing.NoReturn"))
        .def("_costs", &PythonVote::costs, nb::arg("codes"), nb::arg("weights").none(),
             nb::sig("def _costs(self, codes: numpy.typing.NDArray[numpy.int8] | memoryview, "
                     "weights: numpy.typing.NDArray[numpy.float64] | None) -> memoryview | None"));
    nb::class_<Ear>(m, "Ear", "Hears what lanes say while they play.");
    const auto with_scores = [&]<class Score>(const char* learn, const char* score) {
        vote.def("_learn_block", &PythonVote::learn_block<Score>, nb::arg("says"), nb::arg("scores").noconvert(),
                 nb::arg("codes"), nb::arg("weights").none(), nb::arg("moved"), nb::arg("predictions").noconvert(),
                 nb::arg("z").noconvert(), nb::arg("p").noconvert(), nb::arg("losses").noconvert(),
                 nb::arg("chances").noconvert(), nb::sig(learn));
        vote.def("_score_block", &PythonVote::score_block<Score>, nb::arg("says"), nb::arg("scores").noconvert(),
                 nb::arg("predictions").noconvert(), nb::arg("z").noconvert(), nb::arg("p").noconvert(),
                 nb::arg("chances").noconvert(), nb::sig(score));
    };
#define THRESHER_COLUMN(KIND) "numpy.typing.NDArray[numpy." KIND "] | memoryview"
#define THRESHER_VOTE \
    "codes: " THRESHER_COLUMN("int8") ", weights: numpy.typing.NDArray[numpy.float64] | None, moved: "                \
    THRESHER_COLUMN("bool_") ", predictions: " THRESHER_COLUMN("int8") ", z: " THRESHER_COLUMN("float64") ", p: "     \
    THRESHER_COLUMN("float64") ", losses: " THRESHER_COLUMN("float64") ", chances: " THRESHER_COLUMN("float64")
#define THRESHER_LEARN(SCORE)                                                                                      \
    "def _learn_block(self, says: " THRESHER_COLUMN("int8") ", scores: " THRESHER_COLUMN(SCORE) ", " THRESHER_VOTE \
                                                                                                ") -> None"
#define THRESHER_SCORE(SCORE) \
    "def _score_block(self, says: " THRESHER_COLUMN("int8") ", scores: " THRESHER_COLUMN(SCORE) ", predictions: "     \
    THRESHER_COLUMN("int8") ", z: " THRESHER_COLUMN("float64") ", p: " THRESHER_COLUMN("float64") ", chances: "       \
    THRESHER_COLUMN("float64") ") -> None"
    with_scores.operator()<float>(THRESHER_LEARN("float32"), THRESHER_SCORE("float32"));
    with_scores.operator()<double>(THRESHER_LEARN("float64"), THRESHER_SCORE("float64"));
    vote.def(
        "_ear", &PythonVote::ear, nb::keep_alive<0, 1>(), nb::arg("codes").noconvert(), nb::arg("weights").none(),
        nb::arg("moved").noconvert(), nb::arg("predictions").noconvert(), nb::arg("z").noconvert(),
        nb::arg("p").noconvert(), nb::arg("losses").noconvert(), nb::arg("chances").noconvert(),
        nb::arg("held").none() = nb::none(),
        nb::sig("def _ear(self, " THRESHER_VOTE ", held: numpy.typing.NDArray[numpy.bool_] | None = None) -> Ear"));
#undef THRESHER_COLUMN
#undef THRESHER_VOTE
#undef THRESHER_LEARN
#undef THRESHER_SCORE
    vote.def("_collide", &PythonVote::collide, nb::arg("features"))
        .def("_standing", &PythonVote::standing, nb::arg("before"), nb::arg("regret_bound").none())
        .def("_counts", &PythonVote::counts,
             "Of each lane, in lists: how often it was wrong, what it lost, its weight in the next round.")
        .def("_heads", &PythonVote::heads,
             nb::sig("def _heads(self) -> tuple[dict[str, float], tuple[int, float, float, float, int, float]]"))
        .def("_memory", &PythonVote::memory,
             nb::sig("def _memory(self) -> tuple[dict[str, memoryview], dict[str, memoryview]]"))
        .def("_restore", &PythonVote::restore, nb::arg("arrays"), nb::arg("heads"), nb::arg("planes"),
             nb::arg("master"),
             nb::sig("def _restore(self, arrays: dict[str, numpy.typing.NDArray[typing.Any]], heads: dict[str, "
                     "float], planes: dict[str, numpy.typing.NDArray[numpy.float64]], master: dict[str, float]) -> "
                     "None"));
    bind_standing(m);
}

}  // namespace thresher::python
