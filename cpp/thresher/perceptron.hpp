// The Perceptron's rule (theory: Rosenblatt 1958, Novikoff 1962): on a mistake, w <- w + y x.
//
// A rule is: how it sees an example, a judge (from the score and the label: what is predicted, how far to move) and a
// move (what happens to an active slot). The link from state to weight is the identity here.
#pragma once

#include "kernels.hpp"
#include "sight.hpp"

namespace thresher {

struct Perceptron {
    Sight sight;
    int tie = +1;  // what a score of 0 predicts: +1, -1, or 0, which is a mistake for either label

    // By arithmetic: a branch on the sign would be mispredicted every other time.
    int predict(double score) const {
        const int sign = (score > 0.0) - (score < 0.0);
        return sign != 0 ? sign : tie;
    }

    double step(int prediction, int label) const { return prediction == label ? 0.0 : label; }

    template <class Row>
    static void move(double* w, std::size_t n, const Row& row, double step) {
        thresher::move(w, n, row, step);
    }

    bool operator==(const Perceptron&) const = default;
};

}  // namespace thresher
