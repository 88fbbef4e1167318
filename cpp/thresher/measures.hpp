// What metrics are made of: sums over all predictions that were judged, and the last of them as they were. They are
// added one after the other, so it does not matter in which blocks they come.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "elementary.hpp"

namespace thresher {

// A prediction beside what came; the chance of +1 that was given before is NaN where there was none.
struct Judgement {
    std::int8_t label;
    std::int8_t said;
    double score;
    double chance;
    double weight;
};

// -ln of the chance that was given to what came; a chance below 2^-52 is taken for that.
inline double log_loss(double chance, std::int8_t label) {
    return -quick_log(std::max(label > 0 ? chance : 1.0 - chance, 0x1p-52));
}

// Sums of weights: of positives that were found and missed, of negatives that were called positive and rejected, and of
// the predictions with a chance, whose log losses and squared distances are summed, too.
struct Measured {
    std::int64_t rounds = 0;
    double found = 0.0, missed = 0.0, false_alarms = 0.0, rejected = 0.0;
    double forecast = 0.0, log_sum = 0.0, brier_sum = 0.0;

    void add(const Judgement& one) {
        const bool right = one.said == one.label;
        double& cell = one.label > 0 ? (right ? found : missed) : (right ? rejected : false_alarms);
        cell += one.weight;
        ++rounds;
        if (std::isnan(one.chance)) return;
        const double distance = one.chance - (one.label > 0 ? 1.0 : 0.0);
        forecast += one.weight;
        log_sum += one.weight * log_loss(one.chance, one.label);
        brier_sum += one.weight * (distance * distance);
    }
};

class Measures {
  public:
    explicit Measures(std::size_t window) : window_(std::max<std::size_t>(window, 1)) {}

    std::size_t window() const { return window_; }
    std::size_t kept() const { return kept_.size(); }

    void add(const Judgement& one) {
        so_far.add(one);
        keep(one);
    }

    // The window with one more, of which the sums know.
    void keep(const Judgement& one) {
        if (kept_.size() < window_) {
            kept_.push_back(one);
        } else {
            kept_[oldest_] = one;
            oldest_ = oldest_ + 1 == window_ ? 0 : oldest_ + 1;
        }
    }

    // Those of the window from the oldest on.
    template <class Use>
    void each(Use&& use) const {
        for (std::size_t k = oldest_; k < kept_.size(); ++k) use(kept_[k]);
        for (std::size_t k = 0; k < oldest_; ++k) use(kept_[k]);
    }

    Measured last() const {
        Measured sums;
        each([&](const Judgement& one) { sums.add(one); });
        return sums;
    }

    Measured so_far;

  private:
    std::size_t window_;
    std::size_t oldest_ = 0;
    std::vector<Judgement> kept_;
};

}  // namespace thresher
