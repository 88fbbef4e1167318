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
#include "sheet.hpp"

namespace thresher {

template <class Real>
class FirstOrderLanes final : public Lanes<Real> {
  public:
    void add(const Perceptron& rule) { add(rule.sight, rule.tie, false, 0.0); }
    void add(const PassiveAggressive& rule) { add(rule.sight, +1, true, rule.most); }

    std::unique_ptr<Lanes<Real>> twin() const override { return std::make_unique<FirstOrderLanes>(*this); }
    const char* name() const override { return "first order"; }
    std::span<const LanePlane> planes() const override {
        static constexpr std::array<LanePlane, 1> kinds{{{"weights", 0.0, Made::dot, false}}};
        return kinds;
    }
    std::vector<LaneHead<Real>> heads() override { return {{"bias_weight", &bias_weights_}}; }
    double bias_weight(std::size_t lane) const override { return bias_weights_[lane]; }

    template <class Sweeps>
    void score(Sweeps sweeps, const Shown<Real>& row, Real* scores, std::int8_t* says) {
        sweeps.stand(lanes(), this->size(), row.dots + this->first(), row.facts.square, normalizes_, scores, says);
    }

    template <class Sweeps>
    bool learn(Sweeps sweeps, const Shown<Real>& row, Real* records, int label, Real weight, std::int64_t) {
        const Real y = static_cast<Real>(label);
        if (!sweeps.judge(lanes(), this->size(), row.facts.square, row.terms.count == 0, y, y * weight)) return false;
        sweeps.add(records, row.terms, this->first(), this->size(), std::as_const(steps_).data());
        return true;
    }

    // Both, where a register holds these lanes and a record nothing else.
    template <class Sweeps>
    bool round(Sweeps sweeps, const Line<Real>& row, Real* records, int label, Real weight, Real* scores,
               std::int8_t* says, Ahead ahead) {
        const Real y = static_cast<Real>(label);
        return sweeps.round(records, row.terms, lanes(), this->size(), row.facts.square, normalizes_, y, y * weight,
                            scores, says, ahead);
    }

  private:
    void add(const Sight& sight, int tie, bool margin, double most) {
        const std::size_t k = this->join();
        const auto grow = [&](Numbers<Real>& each, double value, Real idle) {
            each.resize(this->width(), idle);
            each[k] = static_cast<Real>(value);
        };
        grow(dummies_, sight.dummy, 0);
        grow(ties_, tie, +1);
        grow(margins_, margin, 1);  // whether it steps below a margin of 1, and not only on mistakes
        grow(most_, most, 0);       // an idle lane never steps
        grow(norms_, 1.0, 1);
        grow(normalize_, sight.normalize, 0);
        for (auto* const each : {&bias_weights_, &scores_, &steps_}) grow(*each, 0.0, 0);
        normalizes_ = normalizes_ || sight.normalize;
    }

    FirstOrder<Real> lanes() {
        return {dummies_.data(),      ties_.data(),   margins_.data(), most_.data(), normalize_.data(),
                bias_weights_.data(), scores_.data(), norms_.data(),   steps_.data()};
    }

    bool normalizes_ = false;
    Numbers<Real> dummies_, ties_, margins_, most_, normalize_, norms_, bias_weights_, scores_, steps_;
};

}  // namespace thresher
