// The vote of a portfolio: what many lanes say becomes one prediction, and what they lose becomes their weights.
//
// A lane's weight is the master's, a rule for losses (mixer.hpp). p is the share of the weight that says +1, and the
// vote is +1 where p is at least 1/2, so that a wrong vote has at least half of the weight on wrong lanes: its loss, the
// share of those, is at least 1/2. The master is told each lane's cost: that of the round if it was wrong, else 0.
//
// Beside it stands the combined score z, the mean of the lanes' scores by weight, each in units of its own mean size so
// far, and the chance of +1 that it stands for, 1 / (1 + e^-(a z + b)): a and b follow the log loss by Newton's steps.
//
// Everything is summed lane by lane in one order, in plain code: the same bits everywhere.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "elementary.hpp"
#include "group.hpp"
#include "mixer.hpp"

namespace thresher {

// Platt's line from scores to chances, online: a Newton step a round on the log loss.
struct Calibration {
    // What the line is believed to be before the first round, a = 1 and b = 0, counts as much as this curvature.
    static constexpr double belief = 4.0, steepest = 64.0, farthest = 32.0;

    double slope = 1.0;   // a
    double offset = 0.0;  // b
    double squares = belief, cross = 0.0, weight = belief;  // the curvature so far: sums of q(1 - q) (z z, z, 1)
    double lost = 0.0;    // the log loss so far, high and low part, but for ln of `product`
    double rest = 0.0;
    double product = 1.0;  // of the chances that were given to what came, since a logarithm was taken

    double chance(double z) const {
        const double t = std::clamp(slope * z + offset, -farthest, farthest);
        const double part = quick_exp(-std::fabs(t));
        return (t >= 0.0 ? 1.0 : part) / (1.0 + part);
    }

    double log_loss() const { return lost + (rest - quick_log(product)); }

    // The chance q of +1 was given to z, and this label came.
    void learn(double z, double q, int label, double example_weight) {
        if (example_weight == 0.0) return;
        charge(label > 0 ? q : 1.0 - q, example_weight);
        const double pull = example_weight * ((label > 0 ? 1.0 : 0.0) - q), curve = example_weight * (q * (1.0 - q));
        squares += curve * z * z;
        cross += curve * z;
        weight += curve;
        const double part = pull / (squares * weight - cross * cross);
        slope = std::clamp(slope + part * (weight * z - cross), 0.0, steepest);
        offset = std::clamp(offset + part * (squares - cross * z), -farthest, farthest);
    }

  private:
    void charge(double given, double example_weight) {
        if (example_weight == 1.0) {
            product *= given;
            if (product >= 0x1p-900) return;
            given = std::exchange(product, 1.0);
        }
        Pair sum{lost, rest};
        thresher::add(sum, -example_weight * quick_log(given));
        lost = sum.high;
        rest = sum.low;
    }
};

struct BallotHead {
    std::int64_t rounds = 0;
    std::int64_t mistakes = 0;
    std::int64_t updates = 0;
    std::int64_t collisions = 0;
    std::uint64_t history = 0;
    Negative negative = Negative::unseen;
    std::int64_t weighted = 0;  // the first round with a cost other than 1; 0 is none
    Pair missed{};              // the sum of the costs of mistakes
    Pair cost{};                // the sum of the costs of rounds in which some lane was wrong
};

// What a vote says, and after the label came, what it lost.
struct Ballot {
    double p;       // the share of the weight that says +1
    double z;       // the combined score
    double chance;  // of +1
    double loss;    // the share of the weight on lanes that are wrong
    std::int8_t label;
};

class Voting {
  public:
    Voting(std::size_t lanes, const MixerRule& master, double cost_positive)
        : mixer(lanes, master),
          cost_positive_(cost_positive),
          sizes(lanes),
          mistakes(lanes),
          losses(lanes),
          lost_(lanes) {}

    std::size_t lanes() const { return mixer.n(); }
    double cost_positive() const { return cost_positive_; }
    double cost(std::int8_t code, double weight) const { return code > 0 ? weight * cost_positive_ : weight; }

    // What is wrong with a label or a weight, before any lane sees the example.
    Fault::Kind refuse(std::int8_t code, double weight, Negative negative) const {
        if (code != +1 && code != static_cast<std::int8_t>(negative)) {
            if (code != 0 && code != -1) return Fault::Kind::label;
            if (negative != Negative::unseen) return Fault::Kind::mixed_labels;
        }
        if (!(weight >= 0.0 && weight <= largest_weight && cost(code, weight) <= largest_weight)) {
            return Fault::Kind::weight;
        }
        return Fault::Kind::none;
    }

    // What lanes that say this, with these scores, come to.
    template <class Score>
    Ballot vote(const std::int8_t* says, const Score* scores) const {
        const double* const w = mixer.weights().data();
        double plus[4] = {}, minus[4] = {}, neither[4] = {}, mean[4] = {};
        const auto rounds = static_cast<double>(head.rounds);
        for (std::size_t i = 0; i < lanes(); ++i) {
            const std::size_t k = i % 4;
            plus[k] += says[i] > 0 ? w[i] : 0.0;
            minus[k] += says[i] < 0 ? w[i] : 0.0;
            neither[k] += says[i] == 0 ? w[i] : 0.0;
            mean[k] += w[i] * relative(bounded(scores[i]), sizes[i], rounds);
        }
        const double for_plus = reduce(plus), asleep = reduce(neither), total = for_plus + (reduce(minus) + asleep);
        Ballot ballot{for_plus / total, reduce(mean) / total, 0.0, asleep / total, 0};
        ballot.label = ballot.p >= 0.5 ? +1 : -1;
        ballot.chance = calibration.chance(ballot.z);
        return ballot;
    }

    // One whole round. The label and the weight are good, and the lanes have learned; `moved` says whether one did.
    template <class Score>
    Ballot learn(const std::int8_t* says, const Score* scores, std::int8_t code, double weight, bool moved) {
        Ballot ballot = vote(says, scores);
        const auto label = static_cast<std::int8_t>(code > 0 ? +1 : -1);
        const double price = cost(code, weight);
        ballot.loss = label > 0 ? 1.0 - ballot.p : std::min(1.0, ballot.p + ballot.loss);
        ++head.rounds;
        calibration.learn(ballot.z, ballot.chance, label, weight);
        for (std::size_t i = 0; i < lanes(); ++i) sizes[i] += std::fabs(bounded(scores[i]));
        settle(says, label, price);
        const bool mistake = ballot.label != label;
        head.mistakes += mistake;
        head.updates += moved;
        if (mistake) add(head.missed, price);
        if (price != 1.0 && head.weighted == 0) head.weighted = head.rounds;
        if (head.negative == Negative::unseen && code != +1) head.negative = static_cast<Negative>(code);
        const std::uint64_t facts = std::rotl(std::bit_cast<std::uint64_t>(ballot.p), 17);
        head.history = next_history(head.history, {ballot.z, ballot.label, label, moved},
                                    facts + std::bit_cast<std::uint64_t>(price));
        return ballot;
    }

    void unshare() { mixer.unshare(); }

    Mixer mixer;
    Calibration calibration;
    BallotHead head;

  private:
    double cost_positive_;

  public:
    std::vector<double> sizes;           // each lane's sum of |score|
    std::vector<std::int64_t> mistakes;  // how often each was wrong
    std::vector<Pair> losses;            // and what that cost

  private:
    static constexpr double largest_score = 0x1p500, largest_ratio = 16.0;

    // A score that a sum can take: a lane of somebody's own may say anything.
    template <class Score>
    static double bounded(Score score) {
        const auto s = static_cast<double>(score);
        return s == s ? std::clamp(s, -largest_score, largest_score) : 0.0;
    }

    // A score in units of the mean of the sizes so far, cut off where it is far above them.
    static double relative(double score, double size, double rounds) {
        return size > 0.0 ? std::clamp(rounds * (score / size), -largest_ratio, largest_ratio) : 0.0;
    }

    void settle(const std::int8_t* says, std::int8_t label, double price) {
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < lanes(); ++i) wrong += says[i] != label;
        if (wrong == 0 && mixer.idle()) return;
        for (std::size_t i = 0; i < lanes(); ++i) {
            const bool erred = says[i] != label;
            lost_[i] = erred ? price : 0.0;
            mistakes[i] += erred;
            if (erred) add(losses[i], price);
        }
        if (wrong > 0) add(head.cost, price);
        double loss = 0.0;
        mixer.learn(lost_.data(), loss);  // no fault: these are finite, and nobody sleeps
    }

    std::vector<double> lost_;
};

}  // namespace thresher
