// Lanes of averaged Perceptrons: averaged_perceptron.hpp says what they do.
#pragma once

#include <array>
#include <cmath>

#include "../averaged_perceptron.hpp"
#include "kernels.hpp"

namespace thresher {

template <class Real>
class AveragedLanes final : public Lanes<Real> {
  public:
    void add(const AveragedPerceptron& rule) {
        this->join();
        lanes_.push_back({rule.sight.normalize, static_cast<Real>(rule.sight.dummy), rule.tie});
        for (auto* const each : {&bias_weights_, &bias_lags_, &ages_, &own_, &norms_, &steps_, &late_}) {
            *each = for_lanes<Real>(lanes_.size());
        }
    }

    std::unique_ptr<Lanes<Real>> twin() const override { return std::make_unique<AveragedLanes>(*this); }
    const char* name() const override { return "averaged"; }
    std::span<const LanePlane> planes() const override {
        static constexpr std::array<LanePlane, 2> kinds{
            {{"weights", 0.0, Made::dot, false}, {"lag", 0.0, Made::dot, false}}};
        return kinds;
    }
    std::vector<LaneHead<Real>> heads() override {
        return {{"bias_weight", &bias_weights_}, {"bias_lag", &bias_lags_}, {"age", &ages_}};
    }
    double bias_weight(std::size_t lane) const override { return bias_weights_[lane]; }

    template <class Sweeps>
    void score(Sweeps, const Shown<Real>& row, Real* scores, std::int8_t* says) {
        const Real *const dot = row.dots + this->first(), *const lag = row.dots + this->place(1, 0);
        for (std::size_t k = 0; k < lanes_.size(); ++k) {
            const Lane& lane = lanes_[k];
            norms_[k] = lane.normalize ? std::sqrt(row.facts.square + lane.dummy * lane.dummy) : Real{1};
            own_[k] = (dot[k] + bias_weights_[k] * lane.dummy) / norms_[k];
            scores[k] = own_[k] - (lag[k] + bias_lags_[k] * lane.dummy) / norms_[k] / (ages_[k] + 1);
            says[k] = said(scores[k], lane);
        }
    }

    template <class Sweeps>
    bool learn(Sweeps sweeps, const Shown<Real>& row, Real* records, int label, Real weight, std::int64_t t) {
        bool moves = false;
        for (std::size_t k = 0; k < lanes_.size(); ++k) {
            const Lane& lane = lanes_[k];
            ages_[k] = static_cast<Real>(t);  // to add 1 would come to nothing from 2^24 on in float32
            steps_[k] = said(own_[k], lane) == label ? Real{0} : static_cast<Real>(label) * weight / norms_[k];
            late_[k] = steps_[k] * static_cast<Real>(t);
            bias_weights_[k] += steps_[k] * lane.dummy;
            bias_lags_[k] += late_[k] * lane.dummy;
            moves = moves || (steps_[k] != 0 && (row.terms.count > 0 || lane.dummy != 0));
        }
        if (moves) {
            sweeps.add(records, row.terms, this->first(), this->size(), steps_.data());
            sweeps.add(records, row.terms, this->place(1, 0), this->size(), late_.data());
        }
        return moves;
    }

  private:
    struct Lane {
        bool normalize;
        Real dummy;
        int tie;
    };

    static std::int8_t said(Real score, const Lane& lane) {
        const int sign = (score > 0) - (score < 0);
        return static_cast<std::int8_t>(sign != 0 ? sign : lane.tie);
    }

    std::vector<Lane> lanes_;
    Numbers<Real> bias_weights_, bias_lags_, ages_, own_, norms_, steps_, late_;
};

}  // namespace thresher
