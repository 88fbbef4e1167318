// Work that a crew does one thing after the other, in the order in which it was given, and that is taken back later.
#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include "crew.hpp"

namespace thresher {

// `work(task)` does a task in place.
template <class Task, class Work>
class Chain {
  public:
    Chain(std::shared_ptr<Crew> crew, Work work) : crew_(std::move(crew)), work_(std::move(work)) {
        crew_->enter(*this);
    }
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;
    ~Chain() { end(); }

    std::size_t size() const { return size_; }

    void give(Task task) {
        auto lock = crew_->lock();
        links_.push_back({std::move(task), false, {}});
        ++size_;
        crew_->call(lock);
    }

    // The oldest, done. What doing it threw is thrown here.
    Task take() {
        auto lock = crew_->lock();
        crew_->help(lock, [this] { return links_.front().done; });
        const Link link = std::move(links_.front());
        links_.pop_front();
        --begun_;
        --size_;
        lock.unlock();
        if (link.error) std::rethrow_exception(link.error);
        return link.task;
    }

    bool done() const {
        const auto lock = crew_->lock();
        return links_.front().done;
    }

    // What nobody has begun is dropped; no more may be given.
    void end() {
        crew_->leave(*this);
        links_.clear();
        begun_ = size_ = 0;
    }

    // What the crew asks.
    std::size_t waiting() const { return links_.size(); }
    bool ready() const { return !working_ && begun_ < links_.size(); }
    void next(std::unique_lock<std::mutex>& lock, std::size_t) {
        Link& link = links_[begun_++];
        working_ = true;
        lock.unlock();
        try {
            work_(link.task);
        } catch (...) {
            link.error = std::current_exception();
        }
        lock.lock();
        working_ = false;
        link.done = true;
    }

  private:
    struct Link {
        Task task;
        bool done;
        std::exception_ptr error;
    };

    std::shared_ptr<Crew> crew_;  // under whose lock is what follows, but what is being worked on
    Work work_;
    std::deque<Link> links_;
    std::size_t size_ = 0;   // known to the one who gives and takes, without a lock
    std::size_t begun_ = 0;  // the first so many of them are done, or being done
    bool working_ = false;
};

}  // namespace thresher
