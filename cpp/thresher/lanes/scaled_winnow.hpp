// Lanes of Winnow for any values: ../scaled_winnow.hpp says what they do. All lanes share the scale.
#pragma once

#include <algorithm>
#include <array>

#include "../scaled_winnow.hpp"
#include "kernels.hpp"

namespace thresher {

template <class Real>
class ScaledWinnowLanes final : public Lanes<Real> {
  public:
    void add(const ScaledWinnow& rule) {
        this->join();
        rules_.push_back(rule);
        dummies_.push_back(rule.sight.dummy != 0.0 ? Real{1} : Real{0});
        bias_weights_ = for_lanes<Real>(rules_.size(), Real{1});
        thresholds_ = scales_ = sums_ = gains_ = for_lanes<Real>(rules_.size());
        says_.resize(rules_.size());
    }

    std::unique_ptr<Lanes<Real>> twin() const override { return std::make_unique<ScaledWinnowLanes>(*this); }
    const char* name() const override { return "Winnow"; }
    std::size_t swept() const override { return this->width(); }
    std::span<const LanePlane> planes() const override {
        static constexpr std::array<LanePlane, 1> kinds{{{"weights", 1.0, Made::dot, false}}};
        return kinds;
    }
    std::vector<LaneHead<Real>> heads() override {
        return {{"bias_weight", &bias_weights_}, {"threshold", &thresholds_}, {"scale", &scales_}};
    }
    double bias_weight(std::size_t lane) const override { return bias_weights_[lane]; }

    template <class Sweeps>
    void score(Sweeps sweeps, const Shown<Real>& row, Real* scores, std::int8_t* says) {
        scale_ = std::max(scales_[0], row.facts.largest);
        const Real* sums = row.dots + this->first();
        if (row.sizes.values != row.terms.values) {  // values below 0 have weights of their own
            sweeps.dots(row.records, row.sizes, this->first(), this->width(), sums_.data());
            sums = sums_.data();
        }
        const auto last = thresholds_.begin() + static_cast<std::ptrdiff_t>(rules_.size());
        first_sum_ = std::find(thresholds_.begin(), last, Real{0}) != last ? sum_of_units(row.sizes) : Real{0};
        for (std::size_t k = 0; k < rules_.size(); ++k) {
            const Real threshold = threshold_of(k), unscaled = row.terms.count > 0 ? sums[k] / scale_ : Real{0};
            const Real sum = unscaled + bias_weights_[k] * dummies_[k];
            scores[k] = threshold == 0 ? Real{0} : sum / threshold - 1;
            says[k] = says_[k] = scores[k] >= 0 ? +1 : -1;
        }
    }

    template <class Sweeps>
    bool learn(Sweeps sweeps, const Shown<Real>& row, Real* records, int label, Real weight, std::int64_t) {
        bool moves = false;
        for (std::size_t k = 0; k < rules_.size(); ++k) {
            thresholds_[k] = threshold_of(k);
            scales_[k] = scale_;
            const bool errs = says_[k] != label && weight != 0;
            gains_[k] = errs ? static_cast<Real>(rules_[k].gained(static_cast<double>(weight))) : Real{0};
            if (errs && dummies_[k] != 0) {
                const Real by = 1 + gains_[k], moved = label > 0 ? bias_weights_[k] * by : bias_weights_[k] / by;
                bias_weights_[k] = std::clamp(moved, Limits<Real>::lowest, Limits<Real>::highest);
            }
            moves = moves || (errs && (row.sizes.count > 0 || dummies_[k] != 0));
        }
        if (!moves) return false;
        sweeps.winnow(records, units_of(row.sizes), this->first(), this->size(), gains_.data(), label > 0);
        return true;
    }

  private:
    Real threshold_of(std::size_t k) const {
        const auto times = static_cast<Real>(rules_[k].times);
        return thresholds_[k] == 0 ? times * (first_sum_ + dummies_[k]) : thresholds_[k];
    }

    Terms<Real> units_of(const Terms<Real>& sizes) {
        if (scale_ == 1) return sizes;
        values_.resize(std::max(values_.size(), sizes.size));
        for (std::size_t j = 0; j < sizes.size; ++j) values_[j] = sizes.values[j] / scale_;
        return {sizes.at, values_.data(), sizes.size, sizes.count};
    }

    Real sum_of_units(const Terms<Real>& sizes) {
        const Terms<Real> units = units_of(sizes);
        Real sums[4] = {};
        for (std::size_t j = 0; j < units.size; ++j) sums[j % 4] += units.values[j];
        return (sums[0] + sums[2]) + (sums[1] + sums[3]);
    }

    std::vector<ScaledWinnow> rules_;
    Numbers<Real> dummies_, bias_weights_, thresholds_, scales_, sums_, gains_, values_;
    Numbers<std::int8_t> says_;
    Real scale_ = 0, first_sum_ = 0;
};

}  // namespace thresher
