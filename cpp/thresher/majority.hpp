// Majorities: experts who say plus or minus, each with the weight beta^(its mistakes), in whole numbers.
//
// Mistakes are counted; weights are derived from the counts, relative to the best expert, at least every 64 rounds and
// whenever they have fallen far, and multiplied by beta in between. So a weight is off by at most 65 units in the last
// place however many rounds are played, and none is lost to underflow that could matter.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "elementary.hpp"
#include "exact.hpp"
#include "group.hpp"
#include "majority_kernels.hpp"
#include "philox.hpp"

namespace thresher {

enum class Vote : std::int8_t { weighted, randomized, improved, leader };

struct MajorityRule : AnyRule {
    static constexpr const char* name = "MajorityRule";
    Vote vote = Vote::weighted;
    std::size_t n = 1;
    double beta = 0.5;
    bool doubling = false;  // then beta follows from the phase
    std::uint64_t seed = 0;
};

// beta^e for whole e from 0 on, the nearest double; 0 below 2^-600.
class Fading {
  public:
    explicit Fading(double beta) : log_(beta > 0.0 ? log(beta) : Pair{}) {
        if (beta <= 0.0) return;
        end_ = static_cast<std::int64_t>(std::min((Pair{-600.0, 0.0} * ln_2 / log_).high, 0x1p62)) + 1;
        fill(fine_, Pair{beta, 0.0}, std::min(end_, size));
        if (end_ > size) fill(coarse_, fine_.back() * Pair{beta, 0.0}, std::min((end_ + size - 1) / size, size));
    }

    double operator()(std::int64_t e) const {
        if (e >= end_) return e == 0 ? 1.0 : 0.0;
        if (e < size) return fine_[static_cast<std::size_t>(e)].high;
        if (e >= size * size) return exp(log_ * Pair{static_cast<double>(e), 0.0});
        return (coarse_[static_cast<std::size_t>(e / size)] * fine_[static_cast<std::size_t>(e % size)]).high;
    }

  private:
    static constexpr std::int64_t size = 4096;

    static void fill(std::vector<Pair>& table, Pair factor, std::int64_t entries) {
        table.assign(1, Pair{1.0, 0.0});
        while (static_cast<std::int64_t>(table.size()) < entries) table.push_back(table.back() * factor);
    }

    Pair log_;
    std::int64_t end_ = 0;  // from here on it is 0
    std::vector<Pair> fine_, coarse_;
};

struct MajorityHead {
    std::int64_t rounds = 0;
    std::int64_t mistakes = 0;
    std::int64_t updates = 0;
    double loss = 0.0;  // high and low part
    double rest = 0.0;
    std::uint64_t history = 0;
    std::int64_t slept = 0;                // the first round in which an expert was asleep; 0 is none
    std::int64_t phase = 0;                // of doubling
    Negative negative = Negative::unseen;  // how labels spell minus, and how the experts do
    Negative advised = Negative::unseen;
};

// What a table of advice was seen to hold: nothing but 0 and 1, or any bytes, of which 2 is an expert asleep or a
// fault.
enum class Holds { bits, signs, sleepers };

struct AdviceFault {
    enum class Kind : std::uint8_t { none, label, mixed_labels, advice, mixed_advice, all_asleep, no_perfect };
    Kind kind = Kind::none;
    std::size_t expert = 0;
    explicit operator bool() const { return kind != Kind::none; }
};

struct Said {
    std::int8_t label;
    double score;  // what the label was read from: the lead of plus, or the chance of plus less the coin
    double share;  // the chance or share of weight of plus; the leader has none
};

class Majority {
  public:
    explicit Majority(const MajorityRule& rule)
        : rule_(rule),
          log_n_(rule.n > 1 ? log(static_cast<double>(rule.n)).high : 0.0),
          beta_(beta_of(0)),
          fading_(beta_),
          weights_(rule.n, 1.0),
          pending_(rule.n),
          base_(rule.n),
          since_(rule.n) {}

    const MajorityRule& rule() const { return rule_; }
    std::size_t n() const { return rule_.n; }
    double beta() const { return beta_; }
    std::vector<std::int64_t> counts() const {
        std::vector<std::int64_t> all = base_;
        for (std::size_t i = 0; i < n(); ++i) all[i] += pending_[i];
        return all;
    }
    const std::vector<std::int64_t>& base() const { return base_; }
    const std::vector<std::int64_t>& since() const { return since_; }

    // Counts as they were kept: in all, when weights were last derived, and when the phase began.
    void restore(const std::int64_t* counts, const std::int64_t* base, const std::int64_t* since,
                 const MajorityHead& kept) {
        head = kept;
        begin_phase(head.phase);
        since_.assign(since, since + n());
        base_.assign(base, base + n());
        std::fill(pending_.begin(), pending_.end(), std::uint8_t{0});
        derive();
        for (std::size_t i = 0; i < n(); ++i) {
            for (; base_[i] + pending_[i] < counts[i]; ++pending_[i]) weights_[i] *= beta_;
        }
    }

    // The experts' shares of the weight now, which add up to 1: all of it is the leader's, if that is followed.
    void shares(double* p) const {
        std::size_t best = 0;
        for (std::size_t i = 1; i < n(); ++i) best = lost(i) < lost(best) ? i : best;
        double part[4] = {};
        for (std::size_t i = 0; i < n(); ++i) {
            p[i] = !sums() ? (i == best ? 1.0 : 0.0) : fading_(beta_ == 0.0 ? lost(i) : lost(i) - lost(best));
            part[i % 4] += p[i];
        }
        const double sum = reduce(part);
        for (std::size_t i = 0; i < n(); ++i) p[i] /= sum;
    }

    // What is wrong with this advice, and how it spells minus.
    AdviceFault check(const std::int8_t* advice, Holds holds, Negative& spelled, bool& everyone) const {
        if (holds == Holds::bits && spelled == Negative::zero) return {};  // then nothing can be wrong
        const bool may_sleep = holds == Holds::sleepers;
        const auto [plus, zero, minus, slept, other] = heard_in(advice, n());
        everyone = !slept;
        const auto first = [&](auto wrong) {
            return static_cast<std::size_t>(std::find_if(advice, advice + n(), wrong) - advice);
        };
        using Kind = AdviceFault::Kind;
        if (other || (slept && !may_sleep)) {
            return {Kind::advice,
                    first([&](auto said) { return said < -1 || said > asleep || (said == asleep && !may_sleep); })};
        }
        if (zero && minus) return {Kind::mixed_advice, first([&](auto said) { return said == -1; })};
        if (zero && spelled == Negative::minus) return {Kind::mixed_advice, first([](auto said) { return said == 0; })};
        if (minus && spelled == Negative::zero)
            return {Kind::mixed_advice, first([](auto said) { return said == -1; })};
        if (!(plus || zero || minus)) return {Kind::all_asleep};
        if (zero || minus) spelled = zero ? Negative::zero : Negative::minus;
        return {};
    }

    // What the majority says to this advice, which was checked, in the next round.
    Said predict(const std::int8_t* advice, bool everyone) const {
        return judge(advice, everyone, sides(advice, everyone));
    }

    // Rounds in order, until one is refused: `played` is how many were. Labels are codes; `put` takes each outcome.
    template <class Put>
    AdviceFault learn(const std::int8_t* table, Holds holds, const std::int8_t* labels, std::size_t rows,
                      std::size_t& played, Put&& put) {
        Told told;
        AdviceFault fault;
        for (played = 0; played < rows; ++played) {
            const std::int8_t* const advice = table + played * n();
            Negative advised = head.advised;
            bool everyone = true;
            fault = refuse(labels[played]);
            if (!fault) fault = check(advice, holds, advised, everyone);
            if (fault) break;
            if (!everyone) settle(told);
            const Sides both = told.advice == nullptr ? sides(advice, everyone) : fused(told, advice);
            told = {};
            const std::int8_t label = labels[played] == 1 ? +1 : -1;
            if (beta_ == 0.0 && sums() && nobody_left(advice, label)) {
                fault = {AdviceFault::Kind::no_perfect};
                break;
            }
            head.advised = advised;
            if (label < 0) head.negative = static_cast<Negative>(labels[played]);
            put(played, count(advice, label, everyone, both));
            told = {advice, label, beta_};
            end_round(told, everyone, both);
        }
        settle(told);
        return fault;
    }

    struct Outcome {
        Said said;
        std::int8_t label;
        bool changed;
        double loss;
    };

    MajorityHead head;

  private:
    static constexpr std::int64_t refresh = 64;
    static constexpr double low = 0x1p-300;

    std::int64_t lost(std::size_t i) const { return base_[i] + pending_[i] - since_[i]; }

    AdviceFault refuse(std::int8_t label) const {
        using Kind = AdviceFault::Kind;
        if (label != 1 && label != 0 && label != -1) return {Kind::label};
        const bool mixed = label != 1 && head.negative != Negative::unseen && label != static_cast<int>(head.negative);
        return {mixed ? Kind::mixed_labels : Kind::none};
    }

    bool sums() const { return rule_.vote != Vote::leader; }

    Sides sides(const std::int8_t* advice, bool everyone) const {
        if (!sums()) return {};
        return everyone ? sides_of(advice, n(), weights_.data()) : sides_awake(advice);
    }

    Sides fused(const Told& told, const std::int8_t* now) {
        return count_and_sum(told, now, n(), weights_.data(), pending_.data());
    }

    void settle(Told& told) {
        if (told.advice != nullptr) count_round(told, n(), weights_.data(), pending_.data());
        told = {};
    }

    // What has to be done before the next round; the rest of it can wait for that round's sweep.
    void end_round(Told& told, bool everyone, const Sides& both) {
        const bool stale = !everyone || !sums() || head.rounds % refresh == 0 || far_down(both, told.label);
        if (!everyone || !sums()) {
            count_awake(told);
            told = {};
        } else if (stale || rule_.doubling) {
            settle(told);
        }
        if (next_phase() || stale) derive();
    }

    // By those awake alone, relative to the best of them; alike, if none of them has weight.
    Sides sides_awake(const std::int8_t* advice) const {
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (std::size_t i = 0; i < n(); ++i) least = advice[i] == asleep ? least : std::min(least, lost(i));
        const bool alike = beta_ == 0.0 && least > 0;
        majority::Partial partial;
        for (std::size_t i = 0; i < n(); ++i) {
            if (advice[i] == asleep) continue;
            const double weight = alike ? 1.0 : fading_(beta_ == 0.0 ? lost(i) : lost(i) - least);
            (advice[i] == 1 ? partial.plus : partial.minus)[i % 16] += weight;
        }
        return partial.sides();
    }

    void count_awake(const Told& told) {
        for (std::size_t i = 0; i < n(); ++i) {
            pending_[i] += told.advice[i] != asleep && (told.advice[i] == 1) != (told.label == 1);
        }
    }

    bool far_down(const Sides& both, std::int8_t label) const {
        const double right = label > 0 ? both.plus : both.minus, wrong = label > 0 ? both.minus : both.plus;
        return right + beta_ * wrong < low;
    }

    bool nobody_left(const std::int8_t* advice, std::int8_t label) const {
        for (std::size_t i = 0; i < n(); ++i) {
            if (lost(i) == 0 && (advice[i] == asleep || (advice[i] == 1) == (label == 1))) return false;
        }
        return true;
    }

    Said judge(const std::int8_t* advice, bool everyone, const Sides& both) const {
        const double share = both.plus / both.total();
        const auto tossed = [&](double chance) {
            const double score = chance - coin(rule_.seed, static_cast<std::uint64_t>(head.rounds) + 1);
            return Said{static_cast<std::int8_t>(score > 0.0 ? +1 : -1), score, chance};
        };
        switch (rule_.vote) {
            case Vote::weighted:
                return {static_cast<std::int8_t>(ahead(advice, both) ? +1 : -1),
                        (both.plus - both.minus) / both.total(), share};
            case Vote::randomized:
                return tossed(share);
            case Vote::improved:
                return tossed(std::clamp(0.5 + (share - 0.5) / twice_c(beta_), 0.0, 1.0));
            case Vote::leader:
                break;
        }
        std::size_t leader = n();
        for (std::size_t i = 0; i < n(); ++i) {
            if (!everyone && advice[i] == asleep) continue;
            if (leader == n() || lost(i) < lost(leader)) leader = i;
        }
        const std::int8_t label = advice[leader] == 1 ? +1 : -1;
        return {label, static_cast<double>(label), std::numeric_limits<double>::quiet_NaN()};
    }

    // Whether plus has more weight; exactly, where the doubles are too near to tell.
    bool ahead(const std::int8_t* advice, const Sides& both) const {
        const double doubt = (static_cast<double>(n()) / 16.0 + 80.0) * 0x1p-52 * both.total();
        if (std::fabs(both.plus - both.minus) > doubt || beta_ == 0.0) return both.plus > both.minus;
        std::vector<std::int64_t> plus, minus;
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (std::size_t i = 0; i < n(); ++i) {
            if (advice[i] == asleep) continue;
            (advice[i] == 1 ? plus : minus).push_back(lost(i));
            least = std::min(least, lost(i));
        }
        for (auto* const side : {&plus, &minus}) {
            for (auto& each : *side) each -= least;
        }
        const Order order = compare_sums(beta_, std::move(plus), std::move(minus));
        return order == Order::unknown ? both.plus > both.minus : order == Order::above;
    }

    // 2c of the improved rule's line, c = (1 + beta) ln(2 / (1 + beta)) / (2 (1 - beta)): with z = (1 - beta) / 2 it is
    // (1 + beta) / 2 times -ln(1 - z) / z.
    static double twice_c(double beta) {
        const double z = (1.0 - beta) / 2.0;
        if (z < 0x1p-10) return (1.0 + beta) / 2.0 * (1.0 + z * (1.0 / 2 + z * (1.0 / 3 + z * (1.0 / 4 + z / 5))));
        return (1.0 + beta) / 2.0 * (-log(1.0 - z).high / z);
    }

    Outcome count(const std::int8_t* advice, std::int8_t label, bool everyone, const Sides& both) {
        const Said said = judge(advice, everyone, both);
        const bool mistake = said.label != label;
        bool changed = false;
        for (std::size_t i = 0; i < n() && !changed; ++i) {
            changed = advice[i] != asleep && (advice[i] == 1) != (label == 1);
        }
        double loss = mistake ? 1.0 : 0.0;
        if (rule_.vote == Vote::improved) loss = label > 0 ? 1.0 - said.share : said.share;
        if (rule_.vote == Vote::weighted || rule_.vote == Vote::randomized) {
            loss = (label > 0 ? both.minus : both.plus) / both.total();
        }
        ++head.rounds;
        head.mistakes += mistake;
        head.updates += changed;
        if (!everyone && head.slept == 0) head.slept = head.rounds;
        Pair total{head.loss, head.rest};
        add(total, loss);
        head.loss = total.high;
        head.rest = total.low;
        const auto gist = [&](std::size_t i) {
            return static_cast<std::uint64_t>(static_cast<std::uint8_t>(advice[i]));
        };
        const std::uint64_t moved =
            gist(0) + 256 * gist(n() / 2) + 65536 * gist(n() - 1) + std::bit_cast<std::uint64_t>(loss);
        head.history = next_history(head.history, {said.score, said.label, label, changed}, moved);
        return {said, label, changed, loss};
    }

    // Weights from the counts, relative to the best.
    void derive() {
        for (std::size_t i = 0; i < n(); ++i) base_[i] += std::exchange(pending_[i], std::uint8_t{0});
        if (!sums()) return;
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (std::size_t i = 0; i < n(); ++i) least = std::min(least, lost(i));
        if (beta_ == 0.0) least = 0;
        for (std::size_t i = 0; i < n(); ++i) weights_[i] = fading_(lost(i) - least);
    }

    // Doubling: phase j is tuned for 4^j ln n mistakes of its best expert, and ends when that has made more.
    double budget(std::int64_t phase) const { return std::ldexp(log_n_, static_cast<int>(2 * phase)); }

    double beta_of(std::int64_t phase) const {
        if (!rule_.doubling) return rule_.beta;
        return n() == 1 ? 0.5 : 1.0 / (1.0 + std::sqrt(2.0 * log_n_ / budget(phase)));
    }

    void begin_phase(std::int64_t phase) {
        head.phase = phase;
        if (beta_of(phase) == beta_) return;
        beta_ = beta_of(phase);
        fading_ = Fading(beta_);
    }

    bool next_phase() {
        if (!rule_.doubling || n() == 1) return false;
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (std::size_t i = 0; i < n(); ++i) least = std::min(least, lost(i));
        if (static_cast<double>(least) <= budget(head.phase)) return false;
        since_ = counts();
        begin_phase(head.phase + 1);
        return true;
    }

    MajorityRule rule_;
    double log_n_;
    double beta_;
    Fading fading_;
    std::vector<double> weights_;
    std::vector<std::uint8_t> pending_;       // the experts' mistakes since weights were derived,
    std::vector<std::int64_t> base_, since_;  // until then, and before the phase began
};

}  // namespace thresher
