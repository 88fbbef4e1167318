// Lanes of first order: Perceptrons and passive-aggressive learners, which differ only in how far they step along x.
//
// What each lane is lies in arrays, so that several lanes are judged at once.
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
    void add(const Perceptron& rule) { add(rule.sight, rule.tie, false, 0.0); }
    void add(const PassiveAggressive& rule) { add(rule.sight, +1, true, rule.most); }

    std::unique_ptr<Lanes<Real>> twin() const override { return std::make_unique<FirstOrderLanes>(*this); }
    const char* name() const override { return "first order"; }
    std::size_t size() const override { return size_; }
    std::span<const LanePlane> planes() const override {
        static constexpr std::array<LanePlane, 1> kinds{{{"weights", 0.0, true, false}}};
        return kinds;
    }
    std::vector<LaneHead<Real>> heads() override { return {{"bias_weight", &bias_weights_}}; }
    double bias_weight(std::size_t lane) const override { return bias_weights_[lane]; }

    void score(const Shown<Real>& row, const Real* dots, Real* scores, std::int8_t* says) override {
        const Real* const dot = dots + this->plane(0);
        Real *const squares = squares_.data(), *const own = scores_.data(), *const ties = ties_.data();
        const Real *const dummies = dummies_.data(), *const weights = bias_weights_.data();
        for (std::size_t k = 0; k < this->width(); ++k) {
            squares[k] = row.square + dummies[k] * dummies[k];
            own[k] = dot[k] + weights[k] * dummies[k];
        }
        if (normalizes_) {
            for (std::size_t k = 0; k < size_; ++k) {
                norms_[k] = normalize_[k] ? std::sqrt(squares[k]) : Real{1};
                own[k] /= norms_[k];
            }
        }
        for (std::size_t k = 0; k < size_; ++k) {
            const Real said = own[k] > 0 ? Real{1} : own[k] < 0 ? Real{-1} : ties[k];
            scores[k] = own[k];
            says[k] = static_cast<std::int8_t>(said);
        }
    }

    bool learn(const Shown<Real>& row, Real* records, int label, Real weight, std::int64_t) override {
        const Real y = static_cast<Real>(label), whole = y * weight;
        Real *const steps = steps_.data(), *const weights = bias_weights_.data();
        const Real* const dummies = dummies_.data();
        const FirstOrder<Real> lanes{scores_.data(), squares_.data(), most_.data(),
                                     norms_.data(),  ties_.data(),    margins_.data()};
        bool moves = sweep_lanes([&](auto sweeps) { return sweeps.judge(lanes, this->width(), y, whole, steps); });
        if (!moves) return false;
        moves = false;
        for (std::size_t k = 0; k < this->width(); ++k) {
            weights[k] += steps[k] * dummies[k];
            moves |= (steps[k] != 0) & ((row.terms.count > 0) | (dummies[k] != 0));
        }
        sweep_lanes([&](auto sweeps) { sweeps.add(records, row.terms, this->plane(0), size_, steps); });
        return moves;
    }

  private:
    void add(const Sight& sight, int tie, bool margin, double most) {
        const std::size_t k = size_++;
        const auto grow = [&](std::vector<Real>& each, double value, Real idle) {
            each.resize(this->width(), idle);
            each[k] = static_cast<Real>(value);
        };
        grow(dummies_, sight.dummy, 0);
        grow(ties_, tie, +1);
        grow(margins_, margin, 1);  // whether it steps below a margin of 1, and not only on mistakes
        grow(most_, most, 0);       // an idle lane never steps
        grow(norms_, 1.0, 1);
        for (auto* const each : {&bias_weights_, &scores_, &squares_, &steps_}) grow(*each, 0.0, 0);
        normalize_.push_back(sight.normalize);
        normalizes_ = normalizes_ || sight.normalize;
    }

    std::size_t size_ = 0;
    bool normalizes_ = false;
    std::vector<bool> normalize_;
    std::vector<Real> dummies_, ties_, margins_, most_, norms_, bias_weights_, scores_, squares_, steps_;
};

}  // namespace thresher
