// One forecast from those of n experts, in each round, and what everybody loses by it.
//
// By a rule for losses (the Mixer): the forecast is the experts' mixture, and the rule is given either the experts' own
// losses, or the losses made linear at the forecast, l'(p, y) (x - p), whose regret is that against the best mixture.
// By aggregating: weights e^(-L), L an expert's losses so far times the rate at which the loss can be mixed, and a
// forecast that loses no more than -ln sum w e^(-l), whatever the outcome. Sums and weights are relative to the best
// awake, in logarithms: nothing is multiplied for ever, and an expert whose loss is infinite has no weight ever after.
//
// An expert asleep (NaN) takes no part, and is charged the mix loss of those awake, as in the Mixer.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "mixer.hpp"

namespace thresher {

// The natural logarithm of a positive number, to within a unit in the last place: 2 artanh(f / (2 + f)) + k ln 2.
inline double ln(double x) {
    constexpr double ln_2_high = 0x1.62e42feep-1, ln_2_low = 0x1.a39ef35793c76p-33;
    int exponent = 0;
    double m = std::frexp(x, &exponent);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2.0;
        --exponent;
    }
    const double k = exponent, f = m - 1.0, s = f / (2.0 + f), z = s * s, half = 0.5 * f * f;
    double sum = 0.0;
    for (int j = 23; j >= 3; j -= 2) sum = (sum + 2.0 / j) * z;
    return k * ln_2_high - ((half - (s * (half + sum) + k * ln_2_low)) - f);
}

enum class Loss { squared, absolute, log, brier };
enum class Way { mixture, expert, aggregating };  // linear losses, own losses, or the aggregating rule

struct ForecastRule {
    Loss loss = Loss::squared;
    Way way = Way::mixture;
    double low = 0.0;  // the range of the aggregating rule for squared losses
    double high = 0.0;
    MixerRule mixer{};
};

struct ForecastFault {
    enum class Kind {
        none,
        all_asleep,
        all_out,
        value,
        range,
        probability,
        partly,
        sum,
        outcome,
        outcome_range,
        index,
        impossible
    };
    Kind kind = Kind::none;
    std::size_t expert = 0;
    double value = 0.0;
    explicit operator bool() const { return kind != Kind::none; }
};

// No forecast or outcome may be larger: then no loss, and no sum of 2^63 of them, is infinite.
inline constexpr double largest_forecast = 0x1p100;

// What one call works with.
struct ForecastRoom {
    ForecastRoom(std::size_t n, std::size_t width) : x(n * width), w(n), base(n), now(n), sums(n), mixes(width) {}
    std::vector<double> x;     // the forecasts; NaN is asleep
    std::vector<double> w;     // the weights of those awake
    std::vector<double> base;  // aggregating: their losses so far less the least; infinite is asleep, or out
    std::vector<double> now;
    std::vector<double> sums;
    std::vector<double> mixes;
    double total = 0.0;  // the sum of e^(-base)
    bool everyone = true;
};

class Forecaster {
  public:
    using Fault = ForecastFault;
    using Kind = ForecastFault::Kind;

    // `outcomes` is 0 where a forecast is one number, and otherwise of how many outcomes it gives the probabilities.
    Forecaster(std::size_t n, std::size_t outcomes, const ForecastRule& rule)
        : rule_(rule),
          outcomes_(outcomes),
          mixer(n, rule.way == Way::aggregating ? MixerRule{Rate::fixed, 1.0, 0.0} : rule.mixer),
          losses(n),
          missed(n) {}

    std::size_t n() const { return losses.size(); }
    std::size_t outcomes() const { return outcomes_; }
    std::size_t width() const { return std::max<std::size_t>(outcomes_, 1); }
    const ForecastRule& rule() const { return rule_; }
    ForecastRoom room() const { return {n(), width()}; }

    // The weights of the next round if everyone is awake. All are 0 if all are out.
    void mixture(double* w) const {
        if (rule_.way != Way::aggregating) return mixer.mixture(w);
        ForecastRoom room(n(), 1);
        std::fill(room.x.begin(), room.x.end(), 0.0);
        weigh(room, 1);
        std::copy(room.w.begin(), room.w.end(), w);
    }

    // The forecast, one number or one for each outcome, into p.
    template <class Value>
    Fault predict(const Value* given, ForecastRoom& room, double* p) const {
        if (const Fault fault = read(given, room)) return fault;
        if (const Fault fault = weigh(room, width())) return fault;
        forecast(room, p);
        return {};
    }

    // One round: the forecast into p, its loss, and each expert's, NaN if asleep, into `lost`. A fault changes nothing.
    template <class Value>
    Fault learn(const Value* given, double outcome, ForecastRoom& room, double* p, double& loss, double* lost) {
        if (const Fault fault = predict(given, room, p)) return fault;
        if (const Fault fault = check(outcome)) return fault;
        for (std::size_t i = 0; i < n(); ++i) lost[i] = loss_of(&room.x[i * width()], outcome);
        if (rule_.way == Way::aggregating) {
            if (!aggregate(room, outcome, p, loss, lost)) return {Kind::impossible, 0, outcome};
        } else {
            loss = loss_of(p, outcome);
            const double slope = rule_.loss == Loss::squared ? 2.0 * (*p - outcome) : (*p > outcome) - (*p < outcome);
            for (std::size_t i = 0; i < n(); ++i)
                room.now[i] = rule_.way == Way::expert ? lost[i] : slope * (room.x[i] - *p);
            double mixed = 0.0;
            mixer.learn(room.now.data(), room.w.data(), mixed);
        }
        Pair sum{total, rest};
        add(sum, loss);
        total = sum.high;
        rest = sum.low;
        for (std::size_t i = 0; i < n(); ++i) {
            const bool asleep = std::isnan(lost[i]);
            losses.data()[i] += asleep ? 0.0 : lost[i];
            if (asleep) missed.data()[i] += loss;
        }
        return {};
    }

    void unshare() {
        mixer.unshare();
        losses.unshare();
        missed.unshare();
    }

  private:
    ForecastRule rule_;
    std::size_t outcomes_;

  public:
    Mixer mixer;         // aggregating: its losses are the experts', times the rate, and infinite for those out
    double total = 0.0;  // what the forecasts lost, high and low part
    double rest = 0.0;
    Plane losses;  // what each expert lost while awake
    Plane missed;  // what the forecasts lost while it slept

  private:
    bool probabilities() const { return rule_.loss == Loss::log || rule_.loss == Loss::brier; }
    bool ranged() const { return rule_.way == Way::aggregating && rule_.loss == Loss::squared; }

    template <class Value>
    Fault read(const Value* given, ForecastRoom& room) const {
        room.everyone = true;
        bool someone = false;
        for (std::size_t i = 0; i < n(); ++i) {
            double* const x = &room.x[i * width()];
            std::size_t asleep = 0;
            double sum = 0.0;
            for (std::size_t k = 0; k < width(); ++k) {
                x[k] = static_cast<double>(given[i * width() + k]);
                if (std::isnan(x[k])) {
                    ++asleep;
                    continue;
                }
                if (probabilities()) {
                    if (!(x[k] >= 0.0 && x[k] <= 1.0)) return {Kind::probability, i, x[k]};
                } else if (!(std::fabs(x[k]) <= largest_forecast)) {
                    return {Kind::value, i, x[k]};
                } else if (ranged() && !(x[k] >= rule_.low && x[k] <= rule_.high)) {
                    return {Kind::range, i, x[k]};
                }
                sum += x[k];
            }
            if (asleep != 0 && asleep != width()) return {Kind::partly, i, 0.0};
            room.everyone = room.everyone && asleep == 0;
            someone = someone || asleep == 0;
            if (outcomes_ != 0 && asleep == 0) {
                if (!(std::fabs(sum - 1.0) <= 1e-6)) return {Kind::sum, i, sum};
                for (std::size_t k = 0; k < width(); ++k) x[k] /= sum;
            }
        }
        return someone ? Fault{} : Fault{Kind::all_asleep};
    }

    // The weights of those awake, which add up to 1.
    Fault weigh(ForecastRoom& room, std::size_t width) const {
        const auto asleep = [&](std::size_t i) { return std::isnan(room.x[i * width]); };
        double* const w = room.w.data();
        if (rule_.way != Way::aggregating) {
            if (room.everyone) {
                mixer.mixture(w);
            } else {
                mixer.weigh_awake([&](std::size_t i) { return !asleep(i); }, w);
                scale(w, sum_of(w));
            }
            return {};
        }
        constexpr double infinite = std::numeric_limits<double>::infinity();
        double least = infinite;
        for (std::size_t i = 0; i < n(); ++i) {
            room.base[i] = asleep(i) ? infinite : mixer.losses().data()[i];
            least = std::min(least, room.base[i]);
        }
        std::fill_n(w, n(), 0.0);
        if (least == infinite) return {Kind::all_out};
        for (double& each : room.base) each -= least;
        fall(room.base.data(), 0.0, w);
        room.total = sum_of(w);
        scale(w, room.total);
        return {};
    }

    void forecast(ForecastRoom& room, double* p) const {
        if (ranged()) {
            const double middle = rule_.low + 0.5 * (rule_.high - rule_.low);
            const double at_low = mix_at(room, rule_.low), at_high = mix_at(room, rule_.high);
            *p = between(room, 0, middle + 0.25 * (at_low - at_high) * (rule_.high - rule_.low));
        } else if (rule_.loss == Loss::brier) {
            brier(room, p);
        } else {
            for (std::size_t k = 0; k < width(); ++k) {
                double part[4] = {};
                for (std::size_t i = 0; i < n(); ++i) {
                    const double x = room.x[i * width() + k];
                    part[i % 4] += std::isnan(x) ? 0.0 : room.w[i] * x;
                }
                p[k] = between(room, k, reduce(part));
            }
        }
    }

    // Vovk and Zhdanov: s with sum (s - G)^+ = 2, where G are the mix losses of the outcomes; (s - G)^+ / 2.
    void brier(ForecastRoom& room, double* p) const {
        if (outcomes_ == 0) {
            const double no = mix_at(room, 0.0), yes = mix_at(room, 1.0);
            *p = between(room, 0, 0.5 + 0.25 * (no - yes));
            return;
        }
        for (std::size_t k = 0; k < width(); ++k) p[k] = mix_at(room, static_cast<double>(k));
        std::copy_n(p, width(), room.mixes.data());
        std::sort(room.mixes.begin(), room.mixes.end());
        double sum = 2.0, level = std::numeric_limits<double>::infinity();
        for (std::size_t m = 0; m < width(); ++m) {  // of the m + 1 least, which need the lowest level
            sum += room.mixes[m];
            level = std::min(level, sum / static_cast<double>(m + 1));
        }
        for (std::size_t k = 0; k < width(); ++k) p[k] = 0.5 * std::max(0.0, level - p[k]);
    }

    // Within what those awake say of outcome k: a forecast leaves that by rounding alone.
    double between(const ForecastRoom& room, std::size_t k, double p) const {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (std::size_t i = 0; i < n(); ++i) {
            const double x = room.x[i * width() + k];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        return std::clamp(p, low, high);
    }

    Fault check(double outcome) const {
        if (probabilities()) {
            const double most = outcomes_ == 0 ? 1.0 : static_cast<double>(outcomes_ - 1);
            const bool index = outcome >= 0.0 && outcome <= most && outcome == std::floor(outcome);
            return index ? Fault{} : Fault{Kind::index, 0, outcome};
        }
        if (!(std::fabs(outcome) <= largest_forecast)) return {Kind::outcome, 0, outcome};
        const bool within = !ranged() || (outcome >= rule_.low && outcome <= rule_.high);
        return within ? Fault{} : Fault{Kind::outcome_range, 0, outcome};
    }

    // In the user's loss; NaN of a forecast asleep.
    double loss_of(const double* x, double outcome) const {
        switch (rule_.loss) {
            case Loss::squared:
                return (*x - outcome) * (*x - outcome);
            case Loss::absolute:
                return std::fabs(*x - outcome);
            case Loss::log: {
                const double given = outcomes_ != 0   ? x[static_cast<std::size_t>(outcome)]
                                     : outcome == 1.0 ? *x
                                                      : 1.0 - *x;
                if (std::isnan(given)) return given;
                return given > 0.0 ? 0.0 - ln(given) : std::numeric_limits<double>::infinity();
            }
            case Loss::brier:
                break;
        }
        if (outcomes_ == 0) return 2.0 * (*x - outcome) * (*x - outcome);
        double sum = 0.0;
        for (std::size_t k = 0; k < outcomes_; ++k) {
            const double off = x[k] - (static_cast<double>(k) == outcome ? 1.0 : 0.0);
            sum += off * off;
        }
        return sum;
    }

    // A loss times the rate at which it can be mixed: log and Brier 1, squared 2 / (b - a)^2.
    double rated(const double* x, double outcome) const {
        if (!ranged()) return loss_of(x, outcome);
        const double part = (*x - outcome) / (rule_.high - rule_.low);
        return 2.0 * part * part;
    }

    double mix_at(ForecastRoom& room, double outcome) const {
        for (std::size_t i = 0; i < n(); ++i) room.now[i] = rated(&room.x[i * width()], outcome);
        return mixed(room);
    }

    // -ln sum w e^(-now) over those awake; infinite if everybody's is.
    double mixed(ForecastRoom& room) const {
        constexpr double infinite = std::numeric_limits<double>::infinity();
        double least = infinite, low = infinite, high = 0.0;
        for (std::size_t i = 0; i < n(); ++i) {
            const bool there = room.base[i] < infinite;
            room.sums[i] = there ? room.base[i] + room.now[i] : infinite;
            least = std::min(least, room.sums[i]);
            low = there ? std::min(low, room.now[i]) : low;
            high = there ? std::max(high, room.now[i]) : high;
        }
        if (least == infinite) return infinite;
        fall(room.sums.data(), least, room.sums.data());
        return std::clamp(least - ln(sum_of(room.sums.data()) / room.total), low, high);
    }

    bool aggregate(ForecastRoom& room, double outcome, const double* p, double& loss, const double* lost) {
        constexpr double infinite = std::numeric_limits<double>::infinity();
        const double mix = mix_at(room, outcome);
        if (mix == infinite) return false;
        loss = rule_.loss == Loss::log ? mix : loss_of(p, outcome);
        MixerHead& head = mixer.head;
        ++head.rounds;
        if (!room.everyone && head.slept == 0) head.slept = head.rounds;
        double low = infinite, high = -infinite;
        for (std::size_t i = 0; i < n(); ++i) {
            const bool asleep = std::isnan(lost[i]);
            mixer.losses().data()[i] += asleep ? mix : room.now[i];
            low = lost[i] < low ? lost[i] : low;
            high = lost[i] > high && lost[i] < infinite ? lost[i] : high;
        }
        head.largest = std::max(head.largest, high - low);
        return true;
    }

    // e^(-(x - least)) into w, which may be x.
    void fall(const double* x, double least, double* w) const {
        in_twins(x, n(), [&](Twin each, std::size_t i) {
            const Twin weight = decay(-(each - least));
            w[i] = weight[0];
            if (i + 1 < n()) w[i + 1] = weight[1];
        });
    }

    double sum_of(const double* w) const {
        double part[4] = {};
        for (std::size_t i = 0; i < n(); ++i) part[i % 4] += w[i];
        return reduce(part);
    }

    void scale(double* w, double sum) const {
        for (std::size_t i = 0; i < n(); ++i) w[i] /= sum;
    }
};

}  // namespace thresher
