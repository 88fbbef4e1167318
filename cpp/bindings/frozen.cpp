// Comparators in Python: what they sum over the rounds.
#include "../thresher/frozen.hpp"
#include "../thresher/sided.hpp"
#include "bindings.hpp"

namespace thresher::python {

namespace {

// A comparator that one thread at a time may enter.
template <class Comparator>
struct Held : Comparator {
    using Comparator::Comparator;
    Busy busy;
};

using HeldFrozen = Held<Frozen>;
using HeldSided = Held<Sided>;

void make(HeldFrozen* self, Vector<double> u, double bias_weight, double margin) {
    new (self) HeldFrozen(plane_of(u), bias_weight, margin);
}

[[noreturn]] void raise_changed() {
    raise("LedgerError", "the examples are not what was learned: enter rounds before you change their arrays");
}

template <class Comparator>
void enter_round(Held<Comparator>& frozen, const Round& round) {
    if (round.origin) check_width(round.origin->n, frozen.u.size());
    const Example example(round.example, frozen.u.size(), domain_of(round.rule()));
    if (round.origin && round.origin->fingerprint &&
        fingerprint(example.row(), frozen.u.size()) != *round.origin->fingerprint) {
        raise_changed();
    }
    const Busy::Writing writing(frozen.busy);
    if constexpr (requires { frozen.values_too; }) frozen.values_too = has_p_norm(round.rule());
    refuse(frozen.enter(sight_of(round.rule()), example.row(), round.label, round.mistake()));
}

template <class Comparator>
void enter_rounds(Held<Comparator>& frozen, const Rounds& rounds) {
    nb::object block = rounds.block;
    if (block.is_none()) {
        block = nb::module_::import_("thresher.examples").attr("block")(rounds.examples, frozen.u.size());
    }
    const Block& rows = nb::cast<const HeldBlock&>(block).block;
    check_width(width_of(rows), frozen.u.size());
    if (rounds.origin && rounds.origin->fingerprint &&
        fingerprint(rows, rounds.columns.size) != *rounds.origin->fingerprint) {
        raise_changed();
    }
    const Sight sight = sight_of(rounds.rule());
    const Busy::Writing writing(frozen.busy);
    if constexpr (requires { frozen.values_too; }) frozen.values_too = has_p_norm(rounds.rule());
    std::size_t k = 0;
    Fault fault;
    {
        const nb::gil_scoped_release free;
        fault = frozen.enter_block(sight, rows, rounds.columns.labels.get(), rounds.columns.predictions.get(),
                                   rounds.columns.size, k);
    }
    if (fault) raise(fault, k);
}

// A sum of at most `rounds` terms that are not negative, rounded up so that it is not below the exact one.
double above(double sum, std::int64_t rounds) {
    if (sum == 0.0) return 0.0;  // then every term was 0: terms are rounded up before they are added
    return sum * (1.0 + static_cast<double>(rounds + 8) * 0x1p-52) + static_cast<double>(rounds) * 0x1p-1000;
}

// What every comparator can do.
template <class Comparator>
nb::class_<Held<Comparator>> bind_comparator(nb::module_& m, const char* name, const char* about) {
    using Sums = typename Comparator::Sums;
    return nb::class_<Held<Comparator>>(m, name, about)
        .def("enter", &enter_round<Comparator>, nb::arg("round"))
        .def("enter", &enter_rounds<Comparator>, nb::arg("rounds"))
        .def_prop_rw(
            "sums", [](const Held<Comparator>& held) { return held.sums; },
            [](Held<Comparator>& held, const Sums& sums) { held.sums = sums; }, nb::rv_policy::copy,
            "Where the sums stand; set it to go back to an earlier moment.");
}

}  // namespace

void bind_frozen(nb::module_& m) {
    const auto sum = [](double Witnessed::* member) {
        return [member](const HeldFrozen& frozen) { return above(frozen.sums.*member, frozen.sums.rounds); };
    };
    const auto exact = [](auto Witnessed::* member) {
        return [member](const HeldFrozen& frozen) { return frozen.sums.*member; };
    };
    nb::class_<Witnessed>(m, "Witnessed", "The sums of a frozen comparator at one moment.");
    bind_comparator<Frozen>(
        m, "Frozen",
        "A linear comparator that never moves. Over the rounds entered it sums what the theorems need,\n"
        "every number rounded to the safe side. It looks at u where it lies: u must not change.")
        .def("__init__", &make, nb::arg("u"), nb::arg("bias_weight"), nb::arg("margin"))
        .def_prop_ro(
            "norm", [](const HeldFrozen& frozen) { return frozen.norm; },
            "The norm of u with its bias weight, from above.")
        .def_prop_ro("rounds", exact(&Witnessed::rounds))
        .def_prop_ro("mistakes", exact(&Witnessed::mistakes))
        .def_prop_ro("terms", exact(&Witnessed::terms), "The most nonzero terms in an example.")
        .def_prop_ro("smallest_margin", exact(&Witnessed::smallest_margin), "min y u.z, from below.")
        .def_prop_ro("largest_norm", exact(&Witnessed::largest_norm), "max |z|, from above.")
        .def_prop_ro("largest_value", exact(&Witnessed::largest_value),
                     "max |z_i|, where the rounds are a p-norm Perceptron's; else 0.")
        .def_prop_ro("squares_on_mistakes", sum(&Witnessed::squares_on_mistakes),
                     "The sum of |z|^2 over mistakes, from above.")
        .def_prop_ro("distance", sum(&Witnessed::distance), "The sum of max(0, margin - y u.z), from above.")
        .def_prop_ro("distance_on_mistakes", sum(&Witnessed::distance_on_mistakes), "The same over mistakes.")
        .def_prop_ro("squared_distance", sum(&Witnessed::squared_distance),
                     "The sum of max(0, margin - y u.z)^2, from above.");

    const auto sided = [](auto SidedSums::* member) {
        return [member](const HeldSided& held) { return held.sums.*member; };
    };
    const auto missing = [](double SidedSums::* member) {
        return [member](const HeldSided& held) {
            return held.exact() ? held.sums.*member : above(held.sums.*member, held.sums.rounds);
        };
    };
    nb::class_<SidedSums>(m, "SidedSums", "The sums of a comparator with two sides at one moment.");
    bind_comparator<Sided>(
        m, "Sided",
        "A comparator that asks u.x + constant to be at least `above` on positive examples and at most `below` on\n"
        "negative ones, and sums what is missing, rounded to the safe side. u must not change, and may hold negative\n"
        "numbers only if all are whole.")
        .def(
            "__init__",
            [](HeldSided* self, Vector<double> u, double constant, double above, double below) {
                new (self) HeldSided(plane_of(u), constant, above, below);
            },
            nb::arg("u"), nb::arg("constant"), nb::arg("above"), nb::arg("below"))
        .def_prop_ro("rounds", sided(&SidedSums::rounds))
        .def_prop_ro("fractional", sided(&SidedSums::fractional), "Examples with a value other than 0 and 1.")
        .def_prop_ro("terms", sided(&SidedSums::terms), "The most nonzero terms in an example.")
        .def_prop_ro("lowest_positive", sided(&SidedSums::lowest_positive), "The least over positives, from below.")
        .def_prop_ro("highest_negative", sided(&SidedSums::highest_negative), "The most over negatives, from above.")
        .def_prop_ro("missing", missing(&SidedSums::missing), "The sum of what is missing, from above.")
        .def_prop_ro("missing_on_mistakes", missing(&SidedSums::missing_on_mistakes), "The same over mistakes.");
}

}  // namespace thresher::python
