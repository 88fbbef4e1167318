// Work that several threads do, and that is taken back in the order in which it was given.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "../thresher/crew.hpp"

namespace thresher::reading {

inline constexpr std::size_t most_threads = 64;

// `work(task)` does a task in place; every thread has a copy of `work` for its own. Whoever takes a task that is not
// done yet does what there is to do, so that a single thread does everything. Tasks are given, or made one after the
// other by those who then do them.
template <class Task, class Work>
class Turns {
  public:
    Turns(std::size_t threads, const Work& work)
        : crew_(std::make_shared<Crew>(threads)), fresh_(work), own_(work), others_(threads) {
        crew_->enter(*this);
    }
    Turns(const Turns&) = delete;
    Turns& operator=(const Turns&) = delete;
    ~Turns() { end(); }

    // Ends the threads; what was given and not taken is dropped, and no more may be given.
    void end() {
        crew_->leave(*this);
        crew_->end();
        turns_.clear();
        make_ = nullptr;
        begun_ = 0;
    }

    const std::shared_ptr<Crew>& crew() const { return crew_; }

    std::size_t size() const {
        const auto lock = crew_->lock();
        return turns_.size();
    }

    void give(Task task) {
        auto lock = crew_->lock();
        turns_.push_back(std::make_unique<Turn>(std::move(task)));
        crew_->call(lock);
    }

    // From now on tasks come from `make`, until it makes none: as long as there are fewer than `most`.
    void follow(std::size_t most, std::function<std::optional<Task>()> make) {
        auto lock = crew_->lock();
        make_ = std::move(make);
        most_ = most;
        crew_->call(lock);
    }
    bool follows() const {
        const auto lock = crew_->lock();
        return make_ != nullptr || unmade_ != nullptr;  // what went wrong is still to be told
    }

    // Whether there is one to be taken; one that may be made is waited for. What making one threw comes behind all that
    // were made before.
    bool any() {
        auto lock = crew_->lock();
        crew_->help(lock, [this] { return !turns_.empty() || make_ == nullptr; });
        if (turns_.empty() && unmade_) std::rethrow_exception(std::exchange(unmade_, nullptr));
        return !turns_.empty();
    }

    // The oldest, done. What doing it threw is thrown here.
    Task take() {
        auto lock = crew_->lock();
        crew_->help(lock, [this] { return turns_.front()->done; });
        const std::unique_ptr<Turn> turn = std::move(turns_.front());
        turns_.pop_front();
        --begun_;
        if (may_make()) {
            crew_->call(lock);
        } else {
            lock.unlock();
        }
        if (turn->error) std::rethrow_exception(turn->error);
        return std::move(turn->task);
    }

    // What was given and not taken is dropped; what somebody does already is waited for.
    void drop() {
        auto lock = crew_->lock();
        turns_.resize(begun_);
        crew_->wait(
            lock, [this] { return std::all_of(turns_.begin(), turns_.end(), [](auto& turn) { return turn->done; }); });
        turns_.clear();
        begun_ = 0;
    }

    Work& own() { return own_; }  // of the one who gives and takes, for work of his own

    // What the crew asks.
    std::size_t waiting() const { return turns_.size() + may_make(); }
    bool ready() const { return begun_ < turns_.size() || may_make(); }
    void next(std::unique_lock<std::mutex>& lock, std::size_t hand) {
        const bool made = begun_ == turns_.size();
        if (made && !make(lock)) return;
        Turn& turn = *turns_[begun_++];
        if (made) {
            crew_->call(lock);  // the next one can be made
        } else {
            lock.unlock();
        }
        try {
            work_of(hand)(turn.task);
        } catch (...) {
            turn.error = std::current_exception();
        }
        lock.lock();
        turn.done = true;
    }

  private:
    struct Turn {
        explicit Turn(Task&& given) : task(std::move(given)) {}

        Task task;
        bool done = false;
        std::exception_ptr error;
    };

    bool may_make() const { return make_ != nullptr && !making_ && turns_.size() < most_; }

    bool make(std::unique_lock<std::mutex>& lock) {
        making_ = true;
        lock.unlock();
        std::unique_ptr<Turn> turn;
        std::exception_ptr error;
        try {
            if (std::optional<Task> task = make_()) turn = std::make_unique<Turn>(std::move(*task));
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        making_ = false;
        if (turn == nullptr) {
            make_ = nullptr;
            unmade_ = error;
            return false;
        }
        turns_.push_back(std::move(turn));
        return true;
    }

    Work& work_of(std::size_t hand) {
        std::unique_ptr<Work>& other = others_[hand];
        if (other == nullptr) other = std::make_unique<Work>(fresh_);
        return *other;
    }

    std::shared_ptr<Crew> crew_;  // under whose lock is what follows, the tasks themselves excepted
    const Work fresh_;            // to be copied: one that has worked may have grown
    Work own_;
    std::vector<std::unique_ptr<Work>> others_;  // by the numbers of their threads, which alone look at them
    std::deque<std::unique_ptr<Turn>> turns_;
    std::size_t begun_ = 0;  // the first so many of them are done or being done
    std::function<std::optional<Task>()> make_;
    std::size_t most_ = 0;
    bool making_ = false;
    std::exception_ptr unmade_;
};

}  // namespace thresher::reading
