// Lanes of the invariant rule: ../invariant.hpp says what they do. All lanes share the slots' scales.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "../invariant.hpp"
#include "kernels.hpp"

namespace thresher {

template <class Real>
class InvariantLanes final : public Lanes<Real> {
  public:
    void add(const Invariant& rule) {
        this->join();
        rates_.push_back(rule.rate);
        dummies_.push_back(static_cast<Real>(rule.sight.dummy));
        pending_.push_back(0);
        for (auto* const each : {&bias_weights_, &bias_squares_, &totals_, &normalizers_, &scores_, &along_}) {
            *each = for_lanes<Real>(rates_.size());
        }
    }

    std::unique_ptr<Lanes<Real>> twin() const override { return std::make_unique<InvariantLanes>(*this); }
    const char* name() const override { return "Invariant"; }
    std::span<const LanePlane> planes() const override {
        static constexpr std::array<LanePlane, 3> kinds{{{"weights", 0.0, Made::dot, false},
                                                         {"squares", 0.0, Made::nothing, false},
                                                         {"scales", 0.0, Made::excess, true}}};
        return kinds;
    }
    // A lane's weight and square are side by side, and behind them all is the scale.
    std::size_t place(std::size_t plane, std::size_t lane) const override {
        return this->first() + (plane < 2 ? 2 * lane + plane : 2 * this->size());
    }
    std::size_t numbers() const override { return 2 * this->size() + 1; }
    std::vector<LaneHead<Real>> heads() override {
        return {{"bias_weight", &bias_weights_},
                {"bias_square", &bias_squares_},
                {"total", &totals_},
                {"normalizer", &normalizers_}};
    }
    double bias_weight(std::size_t lane) const override { return bias_weights_[lane]; }

    template <class Sweeps>
    void score(Sweeps sweeps, const Shown<Real>& row, Real* scores, std::int8_t* says) {
        beyond_ = row.excess[place(2, 0)] > 0;
        for (std::size_t k = 0; k < rates_.size(); ++k) {
            const std::size_t weights = place(0, k);
            const Real dot = beyond_ ? sweeps.clipped(row.records, row.terms, weights, place(2, 0)) : row.dots[weights];
            scores_[k] = scores[k] = dot + bias_weights_[k] * dummies_[k];
            says[k] = scores[k] >= 0 ? +1 : -1;
        }
    }

    template <class Sweeps>
    bool learn(Sweeps sweeps, const Shown<Real>& row, Real* records, int label, Real weight, std::int64_t) {
        if (weight == 0) return false;
        parts_.resize(std::max(parts_.size(), row.terms.size * rates_.size()));
        bool moved = false;
        if (beyond_) sweeps.meet(records, row.terms, place(0, 0), rates_.size(), place(2, 0));
        for (std::size_t k = 0; k < rates_.size(); ++k) {
            moved = learn_lane(sweeps, k, row.terms, records, static_cast<Real>(label), weight) || moved;
        }
        return moved;
    }

    // The step itself waits for a chain of roots and quotients, in which others move.
    template <class Sweeps>
    void follow(Sweeps sweeps, const Shown<Real>& row, Real* records) {
        for (std::size_t k = 0; k < rates_.size(); ++k) {
            if (pending_[k] == 0) continue;
            sweeps.follow(records, row.terms, place(0, k), along_[k], parts_.data() + k * row.terms.size);
            pending_[k] = 0;
        }
    }

  private:
    template <class Sweeps>
    bool learn_lane(Sweeps sweeps, std::size_t k, const Terms<Real>& terms, Real* records, Real y, Real weight) {
        const Real margin = y * scores_[k];
        if (!(margin < static_cast<Real>(Invariant::far))) return false;
        const Real dummy = std::fabs(dummies_[k]) < Limits<Real>::met ? Real{0} : dummies_[k];
        const Logistic::Both<Real> both = Logistic::both(margin);
        const Real pull = both.pull;
        Real* const parts = parts_.data() + k * terms.size;
        const Reach<Real> found = sweeps.reach(records, terms, place(1, k), place(2, 0), pull, weight, parts);
        Real bias_part = 0;
        if (dummy != 0) {
            const Real down = pull * dummy;
            bias_squares_[k] += weight * (down * down);
            if (bias_squares_[k] > 0) bias_part = dummy / (std::fabs(dummy) * std::sqrt(bias_squares_[k]));
        }
        totals_[k] += weight;
        normalizers_[k] += weight * (found.norm + static_cast<Real>(dummy != 0));
        if (sizeof(Real) == 4 &&
            totals_[k] >= Real(0x1p22)) {  // farther on float32 could not count; the quotient stays
            totals_[k] *= Real{0.5};
            normalizers_[k] *= Real{0.5};
        }
        const Real common = std::sqrt(totals_[k] / normalizers_[k]);
        const Real whole = common <= Real(0x1p32) ? common : Real(0x1p32);
        const Real reach = found.sum + dummy * bias_part;
        if (!(reach > 0)) return false;
        const Real rise = static_cast<Real>(rates_[k]) * (weight * pull * (reach * whole));
        pending_[k] = 1;
        along_[k] = y * (risen(margin, both, rise) / reach);
        bias_weights_[k] += along_[k] * bias_part;
        return true;
    }

    std::vector<double> rates_;
    Numbers<Real> dummies_, bias_weights_, bias_squares_, totals_, normalizers_, scores_, along_, parts_;
    std::vector<std::uint8_t> pending_;  // which lanes have a step to take
    bool beyond_ = false;                // whether the row has a value above its slot's scale
};

}  // namespace thresher
