// Rules for losses: a weight for each expert from the losses so far, the mixture's loss of a round, and what it proves.
//
// Hedge weighs experts by e^(-eta L), L their losses so far; eta is fixed, or falls with the rounds (2 sqrt(ln n / t)),
// or, as in AdaHedge, is ln n over the sum of the mixability gaps so far. Fixed share keeps weights instead and hands a
// part of each round on to the others. Nothing is ever multiplied for ever: weights are derived from L, relative to the
// best, in each round, or at a fixed rate every 64 rounds.
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
#include <vector>

#include "arithmetic.hpp"
#include "elementary.hpp"
#include "mixer_kernels.hpp"

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
    Mixer(std::size_t n, const MixerRule& rule)
        : rule_(rule), log_n_(n == 1 ? 0.0 : log(static_cast<double>(n)).high), losses_(n), weights_(n, 1.0) {}

    std::size_t n() const { return losses_.size(); }
    const MixerRule& rule() const { return rule_; }
    double log_n() const { return log_n_; }

    // The rate of the next round. Infinite is: all weight on the best.
    double eta() const {
        switch (rule_.rate) {
            case Rate::fixed:
            case Rate::share:
                return rule_.eta;
            case Rate::anytime:
                return 2.0 * std::sqrt(log_n_ / static_cast<double>(head.rounds + 1));
            case Rate::adaptive:
                break;
        }
        return head.gap > 0.0 ? std::min(log_n_ / head.gap, 0x1p900) : std::numeric_limits<double>::infinity();
    }

    // The weights of the next round, which add up to 1, into p.
    void mixture(double* p) const {
        const double* const w = weights_.data();
        const double total = sweep([&](auto sweeps) { return sweeps.total(w, n()); });
        for (std::size_t i = 0; i < n(); ++i) p[i] = w[i] / total;
    }

    // The same for those awake alone, relative to the best of them; they do not add up to 1.
    template <class Awake>
    void weigh_awake(Awake awake, double* p) const {
        const double rate = eta(), *const lost = losses_.data();
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < n(); ++i) least = awake(i) ? std::min(least, lost[i]) : least;
        for (std::size_t i = 0; i < n(); ++i) {
            const double behind = lost[i] - least;
            if (!awake(i)) {
                p[i] = 0.0;
            } else if (rule_.rate == Rate::share) {
                p[i] = weights_.data()[i];
            } else {
                p[i] = std::isinf(rate) ? (behind > 0.0 ? 0.0 : 1.0) : decay(-rate * behind);
            }
        }
    }

    // One round: what the mixture loses; then everybody's losses are counted. The losses at `ahead` are those of the
    // round after this one, if they are known.
    template <class Value>
    MixerFault learn(const Value* given, double& loss, const Value* ahead = nullptr) {
        return sweep([&](auto sweeps) { return learn(sweeps, given, loss, ahead == nullptr ? given : ahead); });
    }

    // The same for who holds `mixture()` in p.
    template <class Value>
    MixerFault learn(const Value* given, double*, double& loss) {
        return learn(given, loss);
    }

    // A round in which nobody loses anything, where that changes nothing but the number of rounds; false where it does,
    // and then `learn` must be told. The state is bit for bit what `learn` would leave: AdaHedge derives its weights
    // from losses and gaps that stay as they are, Hedge at a fixed rate multiplies them by 1 until it derives them
    // anew.
    bool idle() {
        const bool still = rule_.rate == Rate::adaptive || (rule_.rate == Rate::fixed && (head.rounds + 1) % 64 != 0 &&
                                                            Series::degree(0.0, 0.0, rule_.eta) > 0);
        head.rounds += still;
        return still;
    }

    // A round in which only experts lose that have no weight at all, `most` each at most, while others do not; false if
    // that is not enough to know, and then `learn` must be told. AdaHedge's rate and its weights stay as they are: who
    // has none falls further behind.
    template <class Value>
    bool lose_beside(const Value* given, double most) {
        if (rule_.rate != Rate::adaptive || !(head.gap > 0.0)) return false;
        double* const lost = losses_.data();
        for (std::size_t i = 0; i < n(); ++i) lost[i] += static_cast<double>(given[i]);
        ++head.rounds;
        head.largest = std::max(head.largest, most);
        return true;
    }

    void unshare() {
        losses_.unshare();
        weights_.unshare();
        derived_rate_ = std::numeric_limits<double>::quiet_NaN();  // who calls may write to them
    }

    MixerHead head;

    // What each expert lost, and its weight in the next round, but for a factor that all share.
    Plane& losses() { return losses_; }
    const Plane& losses() const { return losses_; }
    Plane& weights() { return weights_; }
    const Plane& weights() const { return weights_; }

  private:
    template <class Sweeps, class Value>
    MixerFault learn(Sweeps sweeps, const Value* given, double& loss, const Value* ahead) {
        const Look seen = sweeps.look(given, weights_.data(), n());
        if (seen.low > seen.high) return MixerFault::all_asleep;
        if (!(std::fabs(seen.low) <= largest_value && std::fabs(seen.high) <= largest_value)) {
            return MixerFault::not_finite;
        }
        if (seen.dot == 0.0 && seen.low == 0.0 && lose_beside(given, seen.high)) {
            loss = 0.0;
        } else if (!std::isfinite(seen.dot)) [[unlikely]] {
            learn_asleep(sweeps, given, seen, loss);
        } else {
            loss = lost(seen);
            const auto everyone = [](std::size_t) { return true; };
            // A gap of at most loss - low that the sum of gaps cannot hold is none: so nothing is computed for rounds
            // in which only experts lose that have no weight to speak of.
            const bool gap = rule_.rate == Rate::adaptive && loss - seen.low > head.gap * 0x1p-60;
            enter(seen, loss, gap ? mixed(sweeps, given, weights_.data(), seen, loss, everyone) : loss);
            move(sweeps, given, seen, ahead);
        }
        return MixerFault::none;
    }

    // A round in which some sleep: they have no weight in the mixture, and are charged the mix loss of those awake,
    // whose weights are relative to the best of them: the others may have none that a double holds.
    template <class Sweeps, class Value>
    [[gnu::noinline]] void learn_asleep(Sweeps sweeps, const Value* given, const Look& seen, double& loss) {
        std::vector<double> now(n()), awake(n());
        weigh_awake([&](std::size_t i) { return !std::isnan(given[i]); }, awake.data());
        for (std::size_t i = 0; i < n(); ++i) now[i] = std::isnan(given[i]) ? seen.low : static_cast<double>(given[i]);
        const Look part = sweeps.look(now.data(), awake.data(), n());
        loss = lost(part);
        const double mix =
            mixed(sweeps, now.data(), awake.data(), part, loss, [&](auto i) { return !std::isnan(given[i]); });
        enter(part, loss, mix);
        if (head.slept == 0) head.slept = head.rounds;
        for (std::size_t i = 0; i < n(); ++i) now[i] = std::isnan(given[i]) ? mix : now[i];
        move(sweeps, now.data(), part, now.data());
    }

    static double lost(const Look& seen) { return std::clamp(seen.dot / seen.total, seen.low, seen.high); }
    static double middle(const Look& seen) { return 0.5 * (seen.low + seen.high); }

    void enter(const Look& seen, double loss, double mix) {
        ++head.rounds;
        head.gap += std::max(0.0, loss - mix);
        Pair total{head.loss, head.rest};
        add(total, loss);
        head.loss = total.high;
        head.rest = total.low;
        head.largest = std::max(head.largest, seen.high - seen.low);
    }

    // The mix loss of those awake: -ln(sum p e^(-eta l)) / eta. Where it is far above the least loss, experts count
    // whose weight no double holds, and it is found from the losses themselves.
    template <class Sweeps, class Value, class Awake>
    double mixed(Sweeps sweeps, const Value* now, double* w, const Look& seen, double loss, Awake awake) const {
        const double rate = eta();
        if (rate == 0.0) return loss;
        if (!std::isinf(rate)) {
            double origin = 0.0;
            const double sum = fallen<false>(sweeps, now, w, seen, rate, origin) / seen.total;
            if (sum > 0x1p-500) return std::min(loss, origin - quick_log(sum) / rate);
            if (rule_.rate == Rate::share) return std::min(loss, far_mixed(now, w, seen, rate));
        }
        const double* const before = losses_.data();
        double least = std::numeric_limits<double>::infinity(), reached = least;
        for (std::size_t i = 0; i < n(); ++i) least = awake(i) ? std::min(least, before[i]) : least;
        const auto after = [&](std::size_t i) { return (before[i] - least) + static_cast<double>(now[i]); };
        for (std::size_t i = 0; i < n(); ++i) reached = awake(i) ? std::min(reached, after(i)) : reached;
        if (std::isinf(rate)) return std::min(loss, reached);
        double weight = 0.0, kept = 0.0;
        for (std::size_t i = 0; i < n(); ++i) {
            if (!awake(i)) continue;
            weight += decay(-rate * (before[i] - least));
            kept += decay(-rate * (after(i) - reached));
        }
        return std::min(loss, reached - (quick_log(kept) - quick_log(weight)) / rate);
    }

    // The same from weights that are no function of the losses: each expert's loss less what its share costs, ln p /
    // eta.
    template <class Value>
    double far_mixed(const Value* now, const double* w, const Look& seen, double rate) const {
        const auto cost = [&](std::size_t i) {
            return static_cast<double>(now[i]) - quick_log(w[i] / seen.total) / rate;
        };
        double least = std::numeric_limits<double>::infinity(), sum = 0.0;
        for (std::size_t i = 0; i < n(); ++i) least = w[i] > 0.0 ? std::min(least, cost(i)) : least;
        for (std::size_t i = 0; i < n(); ++i) sum += w[i] > 0.0 ? decay(-rate * (cost(i) - least)) : 0.0;
        return least - quick_log(sum) / rate;
    }

    // The sum of w e^(-eta (l - origin)) for an origin that suits the losses; `keep` says whether w becomes that.
    template <bool keep, class Sweeps, class Value>
    double fallen(Sweeps sweeps, const Value* now, double* w, const Look& seen, double eta, double& origin) const {
        origin = middle(seen);
        switch (Series::degree(seen.low, seen.high, eta)) {
            case 5:
                return sweeps.template near<5, keep>(now, {5, origin, eta}, w, n());
            case 9:
                return sweeps.template near<9, keep>(now, {9, origin, eta}, w, n());
        }
        origin = seen.low;
        return sweeps.template fallen<keep>(now, origin, eta, w, n());
    }

    // Everybody's losses are counted, and the weights of the next round follow. At a fixed rate they are those of this
    // round times e^(-eta l) where that is a short series, and derived anew every 64 rounds: by then a weight has
    // changed by a factor from e^-16 to e^16, and is off by 2^-43 of itself at most.
    template <class Sweeps, class Value>
    void move(Sweeps sweeps, const Value* now, const Look& seen, const Value* ahead) {
        double *const lost = losses_.data(), *const w = weights_.data();
        if (rule_.rate == Rate::fixed && head.rounds % 64 != 0) {
            const double mid = middle(seen);
            switch (Series::degree(seen.low, seen.high, rule_.eta)) {
                case 5:
                    return sweeps.template fall<5>(now, {5, mid, rule_.eta}, lost, w, n(), ahead);
                case 9:
                    return sweeps.template fall<9>(now, {9, mid, rule_.eta}, lost, w, n(), ahead);
            }
        }
        const double least = sweeps.count(now, lost, n(), ahead), rate = eta();
        // At a fixed rate weights were multiplied since.
        const bool same = rule_.rate == Rate::adaptive && least == derived_least_ && rate == derived_rate_;
        derived_least_ = least;
        derived_rate_ = rate;
        if (rule_.rate == Rate::share) {
            double origin = 0.0;
            hand_on(fallen<true>(sweeps, now, w, seen, rate, origin));
        } else if (std::isinf(rate)) {
            for (std::size_t i = 0; i < n(); ++i) w[i] = lost[i] == least ? 1.0 : 0.0;
        } else if (same) {  // then those that lost nothing weigh what they did
            sweeps.template weigh<true>(now, lost, least, rate, w, n());
        } else {
            sweeps.template weigh<false>(now, lost, least, rate, w, n());
        }
    }

    // Fixed share: the weights, whose sum is given, add up to 1, and each hands a part alpha on to the others, in equal
    // shares.
    void hand_on(double sum) {
        double* const w = weights_.data();
        const double handed = n() == 1 ? 0.0 : rule_.alpha / static_cast<double>(n() - 1);
        const double kept = n() == 1 ? 1.0 : 1.0 - rule_.alpha, inverse = 1.0 / sum;
        for (std::size_t i = 0; i < n(); ++i) {
            const double p = std::min(w[i] * inverse, 1.0);
            w[i] = kept * p + handed * (1.0 - p);
        }
    }

    MixerRule rule_;
    double log_n_;
    Plane losses_;
    Plane weights_;
    // From what least loss and at what rate the weights were last derived.
    double derived_least_ = 0.0;
    double derived_rate_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace thresher
