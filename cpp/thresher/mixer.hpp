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

// Two doubles side by side, in one register of any x86-64 or ARM64: each lane computes as a double alone would.
using Twin = double __attribute__((vector_size(16)));
using TwinBits = std::int64_t __attribute__((vector_size(16)));

// e^x for x <= 0, to within three units in the last place, without a branch or a call; 0 below e^-700.
inline Twin decay(Twin x) {
    constexpr double magic = 0x1.8p52;
    constexpr double ln_2_high = 0x1.62e42feep-1, ln_2_low = 0x1.a39ef35793c76p-33;
    const TwinBits far = x < -700.0;
    const Twin bounded = far ? Twin{-700.0, -700.0} : x;
    const Twin shifted = bounded * 0x1.71547652b82fep0 + magic;
    const Twin k = shifted - magic;
    const Twin r = (bounded - k * ln_2_high) - k * ln_2_low;
    Twin sum = {1.0 / 6227020800.0, 1.0 / 6227020800.0};
    for (const double part : {1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0,
                              1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5}) {
        sum = sum * r + part;
    }
    const Twin e_r = 1.0 + (r + r * r * sum);
    const TwinBits scale = (std::bit_cast<TwinBits>(shifted) << 52) + (std::int64_t{1023} << 52);
    return far ? Twin{} : e_r * std::bit_cast<Twin>(scale);
}

inline double decay(double x) { return decay(Twin{x, x})[0]; }

// Calls use(Twin, i) for x[i] and x[i + 1], and for a last one alone, beside a 0, if their number is odd.
template <class Use>
void in_twins(const double* x, std::size_t n, Use&& use) {
    std::size_t i = 0;
    for (; i + 2 <= n; i += 2) use(Twin{x[i], x[i + 1]}, i);
    if (i < n) use(Twin{x[i], x[i]}, i);
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
        double* const now = scratch_.data();
        double lows[4], highs[4];
        std::fill_n(lows, 4, std::numeric_limits<double>::infinity());
        std::fill_n(highs, 4, -std::numeric_limits<double>::infinity());
        for (std::size_t i = 0; i < n(); ++i) {  // a NaN is neither lower nor higher than anything
            now[i] = static_cast<double>(given[i]);
            lows[i % 4] = now[i] < lows[i % 4] ? now[i] : lows[i % 4];
            highs[i % 4] = now[i] > highs[i % 4] ? now[i] : highs[i % 4];
        }
        const double low = *std::min_element(lows, lows + 4), high = *std::max_element(highs, highs + 4);
        if (low > high) return MixerFault::all_asleep;
        if (!(std::fabs(low) <= largest_value && std::fabs(high) <= largest_value)) return MixerFault::not_finite;
        const bool everyone = std::none_of(now, now + n(), [](double value) { return std::isnan(value); });
        if (!everyone) leave_out_sleepers(given, now, p);
        double part[4] = {};
        for (std::size_t i = 0; i < n(); ++i) part[i % 4] += p[i] * now[i];
        loss = std::clamp(reduce(part), low, high);
        const bool asked = rule_.rate == Rate::adaptive || !everyone;  // by the rate, or by those asleep
        const double mix = asked ? mixed(p, now, eta(), low, loss) : loss;
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
            in_twins(losses, n(), [&](Twin each, std::size_t i) {
                const Twin weight = decay(-eta * (each - least));
                p[i] = weight[0];
                if (i + 1 < n()) p[i + 1] = weight[1];
            });
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
        in_twins(now, n(), [&](Twin each, std::size_t i) {
            const Twin fallen = decay(-eta * (each - low));
            part[i % 4] += p[i] * fallen[0];
            if (i + 1 < n()) part[(i + 1) % 4] += p[i + 1] * fallen[1];
        });
        const double sum = reduce(part);
        return sum > 0.0 ? std::min(loss, low - log(sum).high / eta) : loss;
    }

    // Those asleep have no weight in the mixture; if all weight slept, those awake share alike.
    template <class Value>
    void leave_out_sleepers(const Value* given, double* now, double* p) const {
        double all = 0.0;
        for (std::size_t i = 0; i < n(); ++i) {
            const bool asleep = std::isnan(static_cast<double>(given[i]));
            if (asleep) now[i] = p[i] = 0.0;
            all += p[i];
        }
        for (std::size_t i = 0; i < n() && !(all > 0.0); ++i)
            p[i] = std::isnan(static_cast<double>(given[i])) ? 0.0 : 1.0;
        scale(p);
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
