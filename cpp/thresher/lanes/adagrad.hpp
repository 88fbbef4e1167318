// Lanes of AdaGrad with either loss: ../adagrad.hpp says what they do.
#pragma once

#include <array>
#include <cmath>

#include "../adagrad.hpp"
#include "kernels.hpp"

namespace thresher {

template <class Real>
class AdaGradLanes final : public Lanes<Real> {
  public:
    template <class Loss>
    void add(const AdaGrad<Loss>& rule) {
        this->join();
        hinge_.push_back(std::is_same_v<Loss, Hinge>);
        dummies_.push_back(static_cast<Real>(rule.sight.dummy));
        rates_.push_back(static_cast<Real>(rule.rate));
        for (auto* const each : {&bias_weights_, &bias_squares_, &scores_}) {
            *each = for_lanes<Real>(hinge_.size());
        }
    }

    std::unique_ptr<Lanes<Real>> twin() const override { return std::make_unique<AdaGradLanes>(*this); }
    const char* name() const override { return "AdaGrad"; }
    std::span<const LanePlane> planes() const override {
        static constexpr std::array<LanePlane, 2> kinds{
            {{"weights", 0.0, Made::dot, false}, {"squares", 0.0, Made::nothing, false}}};
        return kinds;
    }
    std::size_t place(std::size_t plane, std::size_t lane) const override { return this->first() + 2 * lane + plane; }
    std::size_t numbers() const override { return 2 * this->size(); }
    std::vector<LaneHead<Real>> heads() override {
        return {{"bias_weight", &bias_weights_}, {"bias_square", &bias_squares_}};
    }
    double bias_weight(std::size_t lane) const override { return bias_weights_[lane]; }

    template <class Sweeps>
    void score(Sweeps, const Shown<Real>& row, Real* scores, std::int8_t* says) {
        for (std::size_t k = 0; k < hinge_.size(); ++k) {
            scores_[k] = scores[k] = row.dots[place(0, k)] + bias_weights_[k] * dummies_[k];
            says[k] = scores[k] >= 0 ? +1 : -1;
        }
    }

    template <class Sweeps>
    bool learn(Sweeps sweeps, const Shown<Real>& row, Real* records, int label, Real weight, std::int64_t) {
        const auto y = static_cast<Real>(label);
        bool moved = false;
        for (std::size_t k = 0; k < hinge_.size(); ++k) {
            const auto margin = static_cast<double>(y * scores_[k]);
            const double pull = hinge_[k] ? Hinge::pull(margin) : Logistic::pull(margin);
            const Real step = y * static_cast<Real>(pull) * weight;
            if (step == 0) continue;
            sweeps.adagrad(records, row.terms, place(0, k), step, rates_[k]);
            moved = moved || reaches(row, step) || std::fabs(step * dummies_[k]) >= Limits<Real>::gradient;
            const Real down = step * dummies_[k];
            if (std::fabs(down) < Limits<Real>::gradient) continue;
            bias_squares_[k] += down * down;
            bias_weights_[k] += rates_[k] * (down / std::sqrt(bias_squares_[k]));
        }
        return moved;
    }

  private:
    // Whether a gradient was large enough to count.
    static bool reaches(const Shown<Real>& row, Real step) {
        return row.terms.count > 0 && std::fabs(step * row.facts.largest) >= Limits<Real>::gradient;
    }

    std::vector<bool> hinge_;
    Numbers<Real> dummies_, rates_, bias_weights_, bias_squares_, scores_;
};

}  // namespace thresher
