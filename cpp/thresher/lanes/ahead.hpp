// Lanes that play rows ahead of their vote, block after block, while whoever gave them does something else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include "../bank.hpp"
#include "../crew.hpp"

namespace thresher {

// Rows to play, where what lanes say of them is written, and what came of it: so many were played, up to a fault.
template <class Real>
struct Stint {
    const Block* block;
    const std::int8_t* labels;
    const double* weights;  // or none
    Said<Real> said;
    bool* changed;
    std::size_t played = 0;
    Fault fault{};
    std::exception_ptr error{};
    bool done = false;
};

// Lanes need nothing of their vote, so a crew may play them: one thread at a time, and before anything else, since all
// wait for them. After a fault they play no more.
template <class Real>
class LanesAhead final : public Jobs {
  public:
    LanesAhead(Bank<Real>& bank, std::shared_ptr<Crew> crew) : bank_(bank), crew_(std::move(crew)) {
        crew_->enter(*this);
    }
    LanesAhead(const LanesAhead&) = delete;
    LanesAhead& operator=(const LanesAhead&) = delete;
    ~LanesAhead() override { end(); }

    // What it points to must stay as it is until it is taken, or all ends.
    void give(const Stint<Real>& stint) {
        auto lock = crew_->lock();
        stints_.push_back(stint);
        crew_->call(lock);
    }

    // The oldest, when it is done.
    Stint<Real> take() {
        auto lock = crew_->lock();
        crew_->help(lock, [this] { return stints_.front().done; });
        const Stint<Real> stint = stints_.front();
        stints_.pop_front();
        --begun_;
        return stint;
    }

    // What nobody has begun is dropped.
    void end() {
        crew_->leave(*this);
        stints_.clear();
        begun_ = 0;
    }

    std::size_t waiting() const override { return stints_.size(); }
    bool ready() const override { return !playing_ && begun_ < stints_.size(); }
    void next(std::unique_lock<std::mutex>& lock, std::size_t) override {
        Stint<Real>& stint = stints_[begun_++];
        playing_ = true;
        lock.unlock();
        if (!stopped_) play(stint);
        lock.lock();
        playing_ = false;
        stint.done = true;
    }

  private:
    void play(Stint<Real>& stint) {
        try {
            stint.fault =
                bank_.learn_block(*stint.block, stint.labels, stint.weights, stint.said, stint.changed, stint.played);
        } catch (...) {
            stint.error = std::current_exception();
        }
        stopped_ = stint.fault || stint.error;
    }

    Bank<Real>& bank_;
    std::shared_ptr<Crew> crew_;  // under whose lock is what follows
    std::deque<Stint<Real>> stints_;
    std::size_t begun_ = 0;  // the first so many of them are played, or being played
    bool playing_ = false;
    bool stopped_ = false;  // known to who plays
};

}  // namespace thresher
