// Lanes that play rows ahead of their vote, block after block, while whoever gave them does something else.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../bank.hpp"
#include "../chain.hpp"

namespace thresher {

// Rows to play, where what lanes say of them is written, and what came of it: so many were played, up to a fault. What
// it points to must stay as it is until it is taken back.
template <class Real>
struct Stint {
    const Block* block;
    const std::int8_t* labels;
    const double* weights;  // or none
    Said<Real> said;
    bool* changed;
    std::size_t played = 0;
    Fault fault{};
};

// After a fault lanes play no more.
template <class Real>
class Play {
  public:
    explicit Play(Bank<Real>& bank) : bank_(&bank) {}

    void operator()(Stint<Real>& stint) {
        if (stopped_) return;
        stopped_ = true;  // whatever is thrown
        stint.fault =
            bank_->learn_block(*stint.block, stint.labels, stint.weights, stint.said, stint.changed, stint.played);
        stopped_ = static_cast<bool>(stint.fault);
    }

  private:
    Bank<Real>* bank_;
    bool stopped_ = false;
};

// Lanes need nothing of their vote.
template <class Real>
using LanesAhead = Chain<Stint<Real>, Play<Real>>;

}  // namespace thresher
