// Threads that do whatever there is to do, for several who give it; and whoever waits for something does the next of
// it.
//
// So there are never more threads at work than were asked for: two that wait for each other and a third for them would
// leave processors idle while there is work.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace thresher {

// Kinds of work. All is known under the crew's lock, but what is being done.
class Jobs {
  public:
    virtual ~Jobs() = default;
    virtual std::size_t waiting() const = 0;  // how many were given and not taken
    virtual bool ready() const = 0;           // whether one can be begun
    // Does one, and lets the lock go meanwhile. `hand` is the number of the thread: 0 is that of whoever waits.
    virtual void next(std::unique_lock<std::mutex>& lock, std::size_t hand) = 0;

  private:
    friend class Crew;
    std::size_t busy_ = 0;  // how many are being done
};

class Crew {
  public:
    explicit Crew(std::size_t threads) : threads_(threads) {}
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;
    ~Crew() { end(); }

    // Work that comes before all that was there, or after it; nobody does it once it has left.
    void enter(Jobs& jobs, bool first) {
        const std::lock_guard lock(mutex_);
        kinds_.insert(first ? kinds_.begin() : kinds_.end(), &jobs);
    }
    void leave(Jobs& jobs) {
        std::unique_lock lock(mutex_);
        std::erase(kinds_, &jobs);
        done_.wait(lock, [&] { return jobs.busy_ == 0; });
    }

    std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

    // Something was given. Threads start as they are needed: a small file needs none.
    void call(std::unique_lock<std::mutex>& lock) {
        std::size_t waiting = 0;
        for (const Jobs* const jobs : kinds_) waiting += jobs->waiting();
        if (workers_.size() + 1 < std::min(threads_, waiting)) start();
        lock.unlock();
        given_.notify_one();
    }

    // Until something is so, does what there is to do, and sleeps only where there is nothing.
    template <class Until>
    void help(std::unique_lock<std::mutex>& lock, Until&& until) {
        bool helped = false;
        while (!until()) {
            if (work(lock, 0)) {
                helped = true;
            } else {
                done_.wait(lock);
            }
        }
        if (helped && something() != nullptr) given_.notify_one();  // what came next of it, nobody was told
    }
    // The same, without a hand in it.
    template <class Until>
    void wait(std::unique_lock<std::mutex>& lock, Until&& until) {
        done_.wait(lock, until);
    }

    std::size_t threads() const { return threads_; }

    // Its threads end; from then on those who wait do everything.
    void end() {
        {
            const std::lock_guard lock(mutex_);
            threads_ = 1;
            ending_ = true;
        }
        given_.notify_all();
        for (std::thread& worker : workers_) worker.join();
        workers_.clear();
    }

  private:
    bool work(std::unique_lock<std::mutex>& lock, std::size_t hand) {
        Jobs* const jobs = something();
        if (jobs == nullptr) return false;
        ++jobs->busy_;
        jobs->next(lock, hand);
        --jobs->busy_;
        return true;
    }

    Jobs* something() const {
        const auto found = std::ranges::find_if(kinds_, [](const Jobs* jobs) { return jobs->ready(); });
        return found == kinds_.end() ? nullptr : *found;
    }

    void start() {
        try {
            workers_.emplace_back([this, hand = workers_.size() + 1] {
                std::unique_lock lock(mutex_);
                while (!ending_) {
                    if (work(lock, hand)) {
                        done_.notify_all();
                    } else {
                        given_.wait(lock);
                    }
                }
            });
        } catch (const std::system_error&) {  // no more threads are to be had: those there are do the work
            threads_ = workers_.size() + 1;
        }
    }

    std::size_t threads_;
    std::mutex mutex_;
    std::condition_variable given_, done_;
    std::vector<Jobs*> kinds_;  // what is done first comes first
    bool ending_ = false;
    std::vector<std::thread> workers_;
};

}  // namespace thresher
