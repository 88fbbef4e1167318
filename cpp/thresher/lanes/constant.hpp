// Lanes that say the same of every row.
#pragma once

#include "../constant.hpp"
#include "lanes.hpp"

namespace thresher {

template <class Real>
class ConstantLanes final : public Lanes<Real> {
  public:
    void add(const Constant& rule) {
        this->join();
        labels_.push_back(static_cast<std::int8_t>(rule.label));
    }

    std::unique_ptr<Lanes<Real>> twin() const override { return std::make_unique<ConstantLanes>(*this); }
    const char* name() const override { return "constant"; }
    std::span<const LanePlane> planes() const override { return {}; }
    std::vector<LaneHead<Real>> heads() override { return {}; }
    double bias_weight(std::size_t) const override { return 0.0; }

    template <class Sweeps>
    void score(Sweeps, const Shown<Real>&, Real* scores, std::int8_t* says) {
        for (std::size_t k = 0; k < labels_.size(); ++k) {
            scores[k] = labels_[k];
            says[k] = labels_[k];
        }
    }
    template <class Sweeps>
    bool learn(Sweeps, const Shown<Real>&, Real*, int, Real, std::int64_t) {
        return false;
    }

  private:
    std::vector<std::int8_t> labels_;
};

}  // namespace thresher
