// What a rule is made of.
//
// A rule has a sight (how it sees an example), a domain (which values an example may hold), planes (state per slot,
// the first of them the weights that score a row), a head (its scalars), and says
//   score     what the weights, and whatever else counts, make of a row
//   predict   which label that is: +1, -1, or 0, which is a mistake for either
//   step      how far to move, from the label; 0 is not at all
//   move      what happens to the active slots; whether anything can
//   derive    what follows from the planes and heads that a model file holds
// and, where it needs them,
//   begin     the heads of a fresh learner that depend on n
//   watch     what it keeps of a round before it moves
//   chance    of +1, that a score stands for
//   touched   how many of the planes, from the first on, most rounds touch: 1 unless it says so
//   needs_square   true where a move needs the example's squared norm
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "arithmetic.hpp"
#include "sight.hpp"

namespace thresher {

struct AnyRule {
    Sight sight{};
};

struct PlaneKind {
    const char* name;
    double first;  // what every slot begins with
    bool kept;     // in a model file; the others follow from those
};

template <std::size_t Planes, class Head>
struct State {
    std::array<Plane, Planes> planes;
    Head head{};

    std::size_t n() const { return planes[0].size(); }
    const double* at(std::size_t plane) const { return planes[plane].data(); }
    double* at(std::size_t plane) { return planes[plane].data(); }
};

template <class Row>
std::size_t slot_at(const Row& row, std::size_t j) {
    if constexpr (requires { row.slots; }) {
        return static_cast<std::size_t>(row.slots[j]);
    } else {
        return j;
    }
}

// Calls use(slot, value) for every term. The slots were checked when the row was scored, and are again before a write:
// the user's arrays may have changed.
template <class Row, class Use>
void each_term(const Row& row, std::size_t n, Use&& use) {
    for (std::size_t j = 0; j < row.size; ++j) {
        const std::size_t slot = slot_at(row, j);
        if (slot < n) use(slot, static_cast<double>(row.values[j]));
    }
}

// The canonical sum of term(slot, value): four partial sums, as a score is summed. The row is canonical.
template <class Row, class Term>
double sum_of_terms(const Row& row, std::size_t n, Term&& term) {
    double sums[4] = {};
    const auto enter = [&](std::size_t j, double& sum) {
        const std::size_t slot = slot_at(row, j);
        if (slot < n) sum += term(slot, static_cast<double>(row.values[j]));
    };
    std::size_t j = 0;
    for (; j + 4 <= row.size; j += 4) {
        for (std::size_t k = 0; k < 4; ++k) enter(j + k, sums[k]);
    }
    for (std::size_t k = 0; j + k < row.size; ++k) enter(j + k, sums[k]);
    return reduce(sums);
}

}  // namespace thresher
