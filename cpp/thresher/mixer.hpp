// Rules for losses: a weight for each expert from the losses so far, the mixture's loss of a round, and what it proves.
//
// Hedge weighs experts by e^(-eta L), L their losses so far; eta is fixed, or falls with the rounds (2 sqrt(ln n / t)),
// or, as in AdaHedge, is ln n over the sum of the mixability gaps so far. Fixed share keeps weights instead and hands a
// part of each round on to the others. Nothing is ever multiplied for ever: weights are derived from L, relative to the
// best.
//
// An expert whose loss is NaN is asleep: it takes no part in the round, and is charged what those awake lose on average
// in the sense of the rule (their mix loss), so that its weight among all stays what it was.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "arithmetic.hpp"
#include "elementary.hpp"

namespace thresher {

// e^x for x <= 0, to within three units in the last place, without a branch or a call, so that loops over it become
// vector code with the same bits; 0 below e^-700.
inline double decay(double x) {
    constexpr double magic = 0x1.8p52;
    constexpr double ln_2_high = 0x1.62e42feep-1, ln_2_low = 0x1.a39ef35793c76p-33;
    const double bounded = x < -700.0 ? -700.0 : x;
    const double shifted = bounded * 0x1.71547652b82fep0 + magic;
    const double k = shifted - magic;
    const double r = (bounded - k * ln_2_high) - k * ln_2_low;
    double sum = 1.0 / 6227020800.0;
    for (const double part : {1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0,
                              1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5}) {
        sum = sum * r + part;
    }
    const double e_r = 1.0 + (r + r * r * sum);
    const auto scale = (std::bit_cast<std::uint64_t>(shifted) << 52) + (std::uint64_t{1023} << 52);
    return x < -700.0 ? 0.0 : e_r * std::bit_cast<double>(scale);
}

enum class Rate { fixed, anytime, adaptive, share };

struct MixerRule {
    Rate rate = Rate::adaptive;
    double eta = 0.0;    // of fixed and share
    double alpha = 0.0;  // of share: what each round hands on
};

struct MixerHead {
    std::int64_t rounds = 0;
    double gap = 0.0;   // the sum of mixability gaps, AdaHedge's Delta
    double loss = 0.0;  // of the mixture, high and low part
    double rest = 0.0;
    std::int64_t slept = 0;  // the first round in which an expert was asleep; 0 is none
    double largest = 0.0;    // the largest range of losses in a round
};

enum class MixerFault { none, not_finite, all_asleep };

class Mixer {
  public:
    Mixer(std::size_t n, const MixerRule& rule) : rule_(rule), losses_(n), weights_(n, 1.0), scratch_(n) {}

    std::size_t n() const { return losses_.size(); }
    const MixerRule& rule() const { return rule_; }
    double log_n() const { return n() == 1 ? 0.0 : log(static_cast<double>(n())).high; }

    // The rate of the next round. Infinite is: all weight on the best.
    double eta() const {
        switch (rule_.rate) {
            case Rate::fixed:
            case Rate::share:
                return rule_.eta;
            case Rate::anytime:
                return 2.0 * std::sqrt(log_n() / static_cast<double>(head.rounds + 1));
            case Rate::adaptive:
                break;
        }
        return head.gap > 0.0 ? log_n() / head.gap : std::numeric_limits<double>::infinity();
    }

    // The weights of the next round, which add up to 1, into p.
    void mixture(double* p) const {
        if (rule_.rate == Rate::share) {
            std::copy_n(weights_.data(), n(), p);
        } else {
            weigh(losses_.data(), eta(), p);
        }
        scale(p);
    }

    // One round: what the mixture p loses, where p holds `mixture()`; then everybody's losses are counted.
    template <class Value>
    MixerFault learn(const Value* given, double* p, double& loss) {
        std::size_t awake = 0;
        double low = std::numeric_limits<double>::infinity(), high = -low, all = 0.0;
        for (std::size_t i = 0; i < n(); ++i) {
            const auto value = static_cast<double>(given[i]);
            if (std::isnan(value)) continue;
            if (!(std::fabs(value) <= largest_value)) return MixerFault::not_finite;
            ++awake;
            low = std::min(low, value);
            high = std::max(high, value);
        }
        if (awake == 0) return MixerFault::all_asleep;
        double* const now = scratch_.data();
        const bool everyone = awake == n();
        for (std::size_t i = 0; i < n(); ++i) {
            const auto value = static_cast<double>(given[i]);
            const bool there = everyone || !std::isnan(value);
            now[i] = there ? value : 0.0;
            if (!there) p[i] = 0.0;
            all += p[i];
        }
        if (!(all > 0.0)) {  // all weight slept: those awake share alike
            for (std::size_t i = 0; i < n(); ++i) p[i] = std::isnan(static_cast<double>(given[i])) ? 0.0 : 1.0;
        }
        if (!everyone) scale(p);
        double part[4] = {};
        for (std::size_t i = 0; i < n(); ++i) part[i % 4] += p[i] * now[i];
        loss = std::clamp(reduce(part), low, high);
        const double mix = mixed(p, now, eta(), low, loss);
        ++head.rounds;
        head.gap += std::max(0.0, loss - mix);
        Pair total{head.loss, head.rest};
        add(total, loss);
        head.loss = total.high;
        head.rest = total.low;
        head.largest = std::max(head.largest, high - low);
        if (!everyone && head.slept == 0) head.slept = head.rounds;
        for (std::size_t i = 0; i < n(); ++i) {
            const bool there = everyone || !std::isnan(static_cast<double>(given[i]));
            losses_.data()[i] += there ? now[i] : mix;
        }
        if (rule_.rate == Rate::share) share(now, given, mix);
        return MixerFault::none;
    }

    void unshare() {
        losses_.unshare();
        weights_.unshare();
    }

    MixerHead head;

    Plane& losses() { return losses_; }
    const Plane& losses() const { return losses_; }
    Plane& weights() { return weights_; }
    const Plane& weights() const { return weights_; }

  private:
    // e^(-eta (L - least)), or 1 for the best alone.
    void weigh(const double* losses, double eta, double* p) const {
        const double least = *std::min_element(losses, losses + n());
        if (std::isinf(eta)) {
            for (std::size_t i = 0; i < n(); ++i) p[i] = losses[i] == least ? 1.0 : 0.0;
        } else {
            for (std::size_t i = 0; i < n(); ++i) p[i] = decay(-eta * (losses[i] - least));
        }
    }

    void scale(double* p) const {
        double part[4] = {};
        for (std::size_t i = 0; i < n(); ++i) part[i % 4] += p[i];
        const double sum = reduce(part);
        for (std::size_t i = 0; i < n(); ++i) p[i] /= sum;
    }

    // The mix loss: -ln(sum p e^(-eta l)) / eta, and the least loss with weight where eta is infinite.
    double mixed(const double* p, const double* now, double eta, double low, double loss) const {
        if (std::isinf(eta)) {
            double least = loss;
            for (std::size_t i = 0; i < n(); ++i) least = p[i] > 0.0 ? std::min(least, now[i]) : least;
            return least;
        }
        if (eta == 0.0) return loss;
        double part[4] = {};
        for (std::size_t i = 0; i < n(); ++i) part[i % 4] += p[i] * decay(p[i] > 0.0 ? -eta * (now[i] - low) : 0.0);
        const double sum = reduce(part);
        return sum > 0.0 ? std::min(loss, low - log(sum).high / eta) : loss;
    }

    // Fixed share: each weight by its loss, then a part alpha of it to the others, in equal shares.
    template <class Value>
    void share(const double* now, const Value* given, double mix) {
        double* const w = weights_.data();
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < n(); ++i) {
            scratch_[i] = std::isnan(static_cast<double>(given[i])) ? mix : now[i];
            least = std::min(least, scratch_[i]);
        }
        for (std::size_t i = 0; i < n(); ++i) w[i] *= decay(-rule_.eta * (scratch_[i] - least));
        scale(w);
        if (n() == 1) return;
        const double handed = rule_.alpha / static_cast<double>(n() - 1);
        for (std::size_t i = 0; i < n(); ++i) w[i] = (1.0 - rule_.alpha) * w[i] + handed * (1.0 - w[i]);
    }

    MixerRule rule_;
    Plane losses_;
    Plane weights_;
    std::vector<double> scratch_;
};

}  // namespace thresher
