// Lanes of AROW: ../arow.hpp says what they do.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "../arow.hpp"
#include "kernels.hpp"

namespace thresher {

template <class Real>
class ArowLanes final : public Lanes<Real> {
  public:
    void add(const AROW& rule) {
        this->join();
        r_.push_back(static_cast<Real>(rule.r));
        dummies_.push_back(static_cast<Real>(rule.sight.dummy));
        for (auto* const each : {&bias_weights_, &scores_, &along_, &part_}) *each = for_lanes<Real>(r_.size());
        for (auto* const each : {&bias_variances_, &least_}) *each = for_lanes<Real>(r_.size(), Real{1});
    }

    std::unique_ptr<Lanes<Real>> twin() const override { return std::make_unique<ArowLanes>(*this); }
    const char* name() const override { return "AROW"; }
    std::span<const LanePlane> planes() const override {
        static constexpr std::array<LanePlane, 2> kinds{
            {{"weights", 0.0, Made::dot, false}, {"variances", 1.0, Made::spread, false}}};
        return kinds;
    }
    // Two lanes share a register: their weights and their variances.
    std::size_t place(std::size_t plane, std::size_t lane) const override {
        return this->first() + lane / 2 * 4 + 2 * plane + lane % 2;
    }
    std::size_t numbers() const override { return (this->size() + 1) / 2 * 4; }
    std::vector<LaneHead<Real>> heads() override {
        return {{"bias_weight", &bias_weights_}, {"bias_variance", &bias_variances_}};
    }
    double bias_weight(std::size_t lane) const override { return bias_weights_[lane]; }

    template <class Sweeps>
    void score(Sweeps, const Shown<Real>& row, Real* scores, std::int8_t* says) {
        for (std::size_t k = 0; k < r_.size(); ++k) {
            scores_[k] = scores[k] = row.dots[place(0, k)] + bias_weights_[k] * dummies_[k];
            says[k] = scores[k] >= 0 ? +1 : -1;
        }
    }

    template <class Sweeps>
    bool learn(Sweeps sweeps, const Shown<Real>& row, Real* records, int label, Real weight, std::int64_t) {
        const auto y = static_cast<Real>(label);
        bool moves = false;
        for (std::size_t k = 0; k < r_.size(); ++k) moves = moves || y * scores_[k] < 1;
        if (!moves || weight == 0) return false;
        bool moved = false;
        for (std::size_t k = 0; k < r_.size(); ++k) {
            const Real dummy = dummies_[k], variance = row.dots[place(1, k)] + bias_variances_[k] * dummy * dummy;
            const Real whole = weight * variance + r_[k];
            const bool mine = y * scores_[k] < 1;
            part_[k] = mine ? weight / whole : Real{0};
            least_[k] = mine ? r_[k] / whole : Real{1};
            along_[k] = y * ((1 - y * scores_[k]) * part_[k]);
            moved = moved || (mine && (row.terms.count > 0 || dummy != 0));
            if (dummy == 0) continue;
            const Real shared = bias_variances_[k] * dummy;
            bias_weights_[k] = std::clamp(bias_weights_[k] + along_[k] * shared, -most, most);
            bias_variances_[k] *= std::max(1 - part_[k] * shared * dummy, least_[k]);
        }
        for (std::size_t k = 0; k < r_.size(); k += 2) {
            sweeps.arow(records, row.terms, place(0, k), &along_[k], &part_[k], &least_[k]);
        }
        return moved;
    }

  private:
    static constexpr Real most = Limits<Real>::state;
    Numbers<Real> r_, dummies_, bias_weights_, bias_variances_, scores_, along_, part_, least_;
};

}  // namespace thresher
