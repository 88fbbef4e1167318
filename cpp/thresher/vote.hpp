// The vote of a portfolio: what many lanes say becomes one prediction, and what they lose becomes their weights.
//
// A lane's weight is the master's, a rule for losses (mixer.hpp). p is the share of the weight that says +1, and the
// vote is +1 where p is at least 1/2, so that a wrong vote has at least half of the weight on wrong lanes: its loss,
// the share of those, is at least 1/2. The master is told each lane's cost: that of the round if it was wrong, else 0.
//
// Beside it stands the combined score z, the mean of the lanes' scores by weight, each in units of its own mean size so
// far, and the chance of +1 that it stands for, 1 / (1 + e^-(a z + b)): a and b follow the log loss by Newton's steps.
//
// Everything is summed in one order on every instruction set: the same bits everywhere.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "elementary.hpp"
#include "group.hpp"
#include "mixer.hpp"
#include "mixer_kernels.hpp"

namespace thresher {

// Shares of the weight: on lanes that say +1, and that say neither; and the mean of the scores by weight, each in units
// of its size.
struct Shares {
    double plus;
    double neither;
    double mean;
};

inline constexpr double largest_score = 0x1p500;
inline constexpr double largest_ratio = 16.0;  // a score in units of the mean of the sizes so far is cut off there

#define THRESHER_VOTES BaselineVotes
#define THRESHER_LANES 2
#define THRESHER_TARGET
#include "vote_sweeps.hpp"
#undef THRESHER_VOTES
#undef THRESHER_LANES
#undef THRESHER_TARGET

#ifdef THRESHER_HAS_AVX2
#define THRESHER_VOTES Avx2Votes
#define THRESHER_LANES 4
#define THRESHER_TARGET THRESHER_AVX2
#include "vote_sweeps.hpp"
#undef THRESHER_VOTES
#undef THRESHER_LANES
#undef THRESHER_TARGET
#endif

inline BaselineVotes votes_for(Baseline) { return {}; }
#ifdef THRESHER_HAS_AVX2
inline Avx2Votes votes_for(Avx2) { return {}; }
#endif

// Platt's line from scores to chances, online: in each round an online Newton step on the log loss. `spread` is the
// inverse of the matrix of it, the sum of the squared gradients and of what is believed before the first round.
struct Calibration {
    static constexpr double belief = 4.0, rate = 3.0;  // of a grid, as docs/decisions/0006-portfolio.md tells
    static constexpr double steepest = 64.0, farthest = 32.0, longest = 1.0;

    double slope = 1.0;   // a
    double offset = 0.0;  // b
    double slope_spread = 1.0 / belief;
    double cross_spread = 0.0;
    double offset_spread = 1.0 / belief;
    double weights = 0.0;  // the sum of the examples'
    double lost = 0.0;     // the log loss so far, high and low part, but for ln of `product`
    double rest = 0.0;
    double product = 1.0;  // of the chances that were given to what came, since a logarithm was taken

    double chance(double z) const {
        const double t = std::clamp(slope * z + offset, -farthest, farthest);
        const double part = fall(std::fabs(t));
        return (t >= 0.0 ? 1.0 : part) / (1.0 + part);
    }

    // e^-x for x from 0 to 32, to within a few units in the last place: the terms of the series do not wait for each
    // other, because every round waits for this.
    static double fall(double x) {
        constexpr double ln_2_high = 0x1.62e42feep-1, ln_2_low = 0x1.a39ef35793c76p-33, nearest = 0x1.8p52;
        const double k = (x * -0x1.71547652b82fep0 + nearest) - nearest;
        const double r = (-x - k * ln_2_high) - k * ln_2_low, q = r * r, q2 = q * q;
        const double first = (1.0 + r) + (1.0 / 2.0 + 1.0 / 6.0 * r) * q;
        const double second = (1.0 / 24.0 + 1.0 / 120.0 * r) + (1.0 / 720.0 + 1.0 / 5040.0 * r) * q;
        const double third = (1.0 / 40320.0 + 1.0 / 362880.0 * r) + (1.0 / 3628800.0 + 1.0 / 39916800.0 * r) * q;
        const auto power = static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023) << 52;
        return (first + q2 * (second + q2 * third)) * std::bit_cast<double>(power);
    }

    double log_loss() const { return lost + (rest - quick_log(product)); }

    // The chance q of +1 was given to z in this round, and this label came. A step counts the example's weight in units
    // of the mean of the weights so far.
    void learn(double z, double q, int label, double example_weight, double round) {
        weights += example_weight;
        if (example_weight == 0.0) return;
        charge(label > 0 ? q : 1.0 - q, example_weight);
        const double pull = (label > 0 ? 1.0 : 0.0) - q;
        const double share = example_weight == 1.0 && weights == round ? 1.0 : example_weight / weights * round;
        const double along = slope_spread * z + cross_spread, across = cross_spread * z + offset_spread;
        const double reach = std::max(0.0, along * z + across), square = share * (pull * pull);
        const double inverse = 1.0 / (1.0 + square * reach);
        double step = rate * share * pull * inverse;
        if (std::fabs(step) * reach > longest) step = std::copysign(longest / reach, pull);  // no chance jumps farther
        slope = std::clamp(slope + step * along, 0.0, steepest);
        offset = std::clamp(offset + step * across, -farthest, farthest);
        const double shrink = square * inverse;
        slope_spread = std::max(0.0, slope_spread - shrink * along * along);
        cross_spread -= shrink * along * across;
        offset_spread = std::max(0.0, offset_spread - shrink * across * across);
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
          sizes((lanes + block - 1) / block * block),
          units(sizes.size()),
          mistakes(lanes),
          losses(lanes),
          plus_(lanes, std::int8_t{+1}),
          minus_(lanes, std::int8_t{-1}),
          lost_(lanes),
          weights_(sizes.size()) {
        weigh();
    }

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

    // What lane i lost. Where every round costs 1 these are its mistakes.
    Pair lost(std::size_t i) const {
        return head.weighted == 0 ? Pair{static_cast<double>(mistakes[i]), 0.0} : losses[i];
    }

    // What lanes that say this, with these scores, come to.
    template <class Score>
    Ballot vote(const std::int8_t* says, const Score* scores) const {
        Shares shares;
        dispatch([&](auto isa) {
            votes_for(isa).template look<false>(says, scores, weights_.data(), units.data(),
                                                const_cast<double*>(sizes.data()), lanes(), false, shares);
        });
        return judged(shares);
    }

    // One whole round. The label and the weight are good, and the lanes have learned; `moved` says whether one did, and
    // `followed` whether another round's answers and scores, a block or more of each, lie right behind these.
    template <class Score>
    Ballot learn(const std::int8_t* says, const Score* scores, std::int8_t code, double weight, bool moved,
                 bool followed = false) {
        const auto label = static_cast<std::int8_t>(code > 0 ? +1 : -1);
        const double price = cost(code, weight);
        Shares shares;
        dispatch([&](auto isa) {
            votes_for(isa).template look<true>(says, scores, weights_.data(), units.data(), sizes.data(), lanes(),
                                               followed, shares);
        });
        Ballot ballot = judged(shares);
        ballot.loss = label > 0 ? 1.0 - ballot.p : std::min(1.0, ballot.p + ballot.loss);
        ++head.rounds;
        if (head.rounds < 64 || head.rounds % 64 == 0) [[unlikely]]
            measure();
        calibration.learn(ballot.z, ballot.chance, label, weight, rounds());
        if (price != 1.0 && head.weighted == 0) [[unlikely]]
            begin_weights();
        settle(says, label, price);
        const bool mistake = ballot.label != label;
        head.mistakes += mistake;
        head.updates += moved;
        if (mistake) add(head.missed, price);
        if (head.negative == Negative::unseen && code != +1) head.negative = static_cast<Negative>(code);
        const std::uint64_t facts = std::rotl(std::bit_cast<std::uint64_t>(ballot.p), 17);
        head.history = next_history(head.history, {ballot.z, ballot.label, label, moved},
                                    facts + std::bit_cast<std::uint64_t>(price));
        return ballot;
    }

    void unshare() { mixer.unshare(); }

    // The master's weights have changed.
    void weigh() { std::copy_n(mixer.weights().data(), lanes(), weights_.data()); }

    Mixer mixer;
    Calibration calibration;
    BallotHead head;

  private:
    double cost_positive_;

  public:
    std::vector<double> sizes;           // each lane's sum of |score|, with room for whole blocks
    std::vector<double> units;           // 1 over the means of these, derived anew every 64 rounds, and in the first 64
    std::vector<std::int64_t> mistakes;  // how often each was wrong
    std::vector<Pair> losses;            // and what that cost

  private:
    double rounds() const { return static_cast<double>(head.rounds); }

    Ballot judged(const Shares& shares) const {
        Ballot ballot{shares.plus, shares.mean, 0.0, shares.neither, 0};
        ballot.label = ballot.p >= 0.5 ? +1 : -1;
        ballot.chance = calibration.chance(ballot.z);
        return ballot;
    }

    // The units of the next rounds: 1 over the mean of each lane's |score| so far; 0 where that is 0, or nearly.
    void measure() {
        for (std::size_t i = 0; i < lanes(); ++i) units[i] = sizes[i] > 0x1p-900 ? rounds() / sizes[i] : 0.0;
    }

    // From this round on a mistake does not cost 1 any more.
    void begin_weights() {
        for (std::size_t i = 0; i < lanes(); ++i) losses[i] = lost(i);
        head.weighted = head.rounds;
    }

    void settle(const std::int8_t* says, std::int8_t label, double price) {
        const std::vector<std::int8_t>& right = label > 0 ? plus_ : minus_;
        const bool all_right = std::memcmp(says, right.data(), lanes()) == 0;
        if (all_right && mixer.idle()) return;
        const bool heavy = dispatch([&](auto isa) {
            return votes_for(isa).charge(says, label, price, weights_.data(), lost_.data(), mistakes.data(), lanes());
        });
        for (std::size_t i = 0; head.weighted > 0 && i < lanes(); ++i) add(losses[i], lost_[i]);
        if (!all_right) add(head.cost, price);
        if (!heavy && !all_right && price > 0.0 && mixer.lose_beside(lost_.data(), price)) return;
        double loss = 0.0;
        mixer.learn(lost_.data(), loss);  // no fault: these are finite, and nobody sleeps
        if (loss > 0.0 || mixer.rule().rate != Rate::adaptive || !(mixer.head.gap > 0.0)) weigh();
    }

    std::vector<std::int8_t> plus_, minus_;
    std::vector<double> lost_;
    std::vector<double> weights_;  // the master's, with room for whole blocks
};

}  // namespace thresher
