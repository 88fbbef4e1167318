// Lanes of first order: Perceptrons and passive-aggressive learners, which differ only in how far they step along x.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "../passive_aggressive.hpp"
#include "../perceptron.hpp"
#include "kernels.hpp"

namespace thresher {

template <class Real>
class FirstOrderLanes final : public Lanes<Real> {
  public:
    void add(const Perceptron& rule) { add({rule.sight, rule.tie, false, 0}); }
    void add(const PassiveAggressive& rule) { add({rule.sight, +1, true, static_cast<Real>(rule.most)}); }

    std::unique_ptr<Lanes<Real>> twin() const override { return std::make_unique<FirstOrderLanes>(*this); }
    const char* name() const override { return "first order"; }
    std::size_t size() const override { return lanes_.size(); }
    std::span<const LanePlane> planes() const override {
        static constexpr std::array<LanePlane, 1> kinds{{{"weights", 0.0, true, false}}};
        return kinds;
    }
    std::vector<LaneHead<Real>> heads() override { return {{"bias_weight", &bias_weights_}}; }
    double bias_weight(std::size_t lane) const override { return bias_weights_[lane]; }

    void score(const Shown<Real>& row, const Real* dots, Real* scores, std::int8_t* says) override {
        const Real* const dot = dots + this->plane(0);
        for (std::size_t k = 0; k < lanes_.size(); ++k) {
            const Lane& lane = lanes_[k];
            const Real score = dot[k] + bias_weights_[k] * lane.dummy;
            squares_[k] = row.square + lane.dummy * lane.dummy;
            norms_[k] = lane.normalize ? std::sqrt(squares_[k]) : Real{1};
            scores_[k] = scores[k] = score / norms_[k];
            const int sign = (scores_[k] > 0) - (scores_[k] < 0);
            says[k] = says_[k] = static_cast<std::int8_t>(sign != 0 ? sign : lane.tie);
        }
    }

    bool learn(const Shown<Real>& row, Real* records, int label, Real weight, std::int64_t) override {
        bool moves = false;
        const auto y = static_cast<Real>(label);
        for (std::size_t k = 0; k < lanes_.size(); ++k) {
            const Lane& lane = lanes_[k];
            Real step = 0;
            if (!lane.margin) {
                step = says_[k] == label ? Real{0} : y * weight / norms_[k];
            } else if (y * scores_[k] < 1) {
                step = y * weight * std::min(lane.most, (1 - y * scores_[k]) / squares_[k]);
            }
            steps_[k] = step;
            bias_weights_[k] += step * lane.dummy;
            moves = moves || (step != 0 && (row.terms.size > 0 || lane.dummy != 0));
        }
        if (moves) {
            sweep_lanes(
                [&](auto sweeps) { sweeps.add(records, row.terms, this->plane(0), this->width(), steps_.data()); });
        }
        return moves;
    }

  private:
    struct Lane {
        Lane(const Sight& sight, int tie, bool margin, Real most)
            : normalize(sight.normalize), dummy(static_cast<Real>(sight.dummy)), tie(tie), margin(margin), most(most) {}
        bool normalize;
        Real dummy;
        int tie;
        bool margin;  // whether it steps below a margin of 1, and not only on mistakes
        Real most;
    };

    void add(const Lane& lane) {
        lanes_.push_back(lane);
        for (auto* const each : {&bias_weights_, &scores_, &squares_, &norms_, &steps_}) {
            *each = for_lanes<Real>(lanes_.size());
        }
        says_.resize(lanes_.size());
    }

    std::vector<Lane> lanes_;
    std::vector<Real> bias_weights_, scores_, squares_, norms_, steps_;
    std::vector<std::int8_t> says_;
};

}  // namespace thresher
