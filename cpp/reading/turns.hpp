// Work that several threads do, and that is taken back in the order in which it was given.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace thresher::reading {

inline constexpr std::size_t most_threads = 64;

// `work(task)` does a task in place; every thread has a copy of `work` for its own. Whoever takes a task that is not
// done yet does the oldest one that nobody has begun, so that a single thread does everything, and no thread waits
// while there is something to do. Threads that have nothing to do sleep.
template <class Task, class Work>
class Turns {
  public:
    Turns(std::size_t threads, const Work& work) : threads_(threads), fresh_(work), own_(work) {}
    Turns(const Turns&) = delete;
    Turns& operator=(const Turns&) = delete;
    ~Turns() { end(); }

    // Ends the threads; what was given and not taken is dropped, and no more may be given.
    void end() {
        {
            const std::lock_guard lock(mutex_);
            ending_ = true;
        }
        given_.notify_all();
        for (std::thread& worker : workers_) worker.join();
        workers_.clear();
        turns_.clear();
        begun_ = size_ = 0;
    }

    std::size_t size() const { return size_; }

    void give(Task task) {
        {
            const std::lock_guard lock(mutex_);
            turns_.push_back(std::make_unique<Turn>(std::move(task)));
        }
        ++size_;
        if (workers_.size() + 1 < threads_ && workers_.size() + 1 < size_) start();
        given_.notify_one();
    }

    // The oldest, done. What doing it threw is thrown here.
    Task take() {
        std::unique_lock lock(mutex_);
        while (!turns_.front()->done) {
            if (begun_ < turns_.size()) {
                do_next(lock, own_);
            } else {
                done_.wait(lock);
            }
        }
        const std::unique_ptr<Turn> turn = std::move(turns_.front());
        turns_.pop_front();
        --begun_;
        --size_;
        lock.unlock();
        if (turn->error) std::rethrow_exception(turn->error);
        return std::move(turn->task);
    }

    // What was given and not taken is dropped; what somebody does already is waited for.
    void drop() {
        std::unique_lock lock(mutex_);
        turns_.resize(begun_);
        done_.wait(lock,
                   [this] { return std::all_of(turns_.begin(), turns_.end(), [](auto& turn) { return turn->done; }); });
        turns_.clear();
        begun_ = size_ = 0;
    }

    Work& own() { return own_; }  // of the thread that gives and takes

  private:
    struct Turn {
        explicit Turn(Task&& given) : task(std::move(given)) {}

        Task task;
        bool done = false;
        std::exception_ptr error;
    };

    void do_next(std::unique_lock<std::mutex>& lock, Work& work) {
        Turn& turn = *turns_[begun_++];
        lock.unlock();
        try {
            work(turn.task);
        } catch (...) {
            turn.error = std::current_exception();
        }
        lock.lock();
        turn.done = true;
    }

    void start() {
        try {
            workers_.emplace_back([this, work = fresh_]() mutable {
                std::unique_lock lock(mutex_);
                while (true) {
                    given_.wait(lock, [this] { return ending_ || begun_ < turns_.size(); });
                    if (ending_) return;
                    do_next(lock, work);
                    done_.notify_one();
                }
            });
        } catch (const std::system_error&) {  // no more threads are to be had: those there are do the work
            threads_ = workers_.size() + 1;
        }
    }

    std::size_t threads_;
    const Work fresh_;  // to be copied: one that has worked may have grown
    Work own_;
    std::size_t size_ = 0;  // known to the one who gives and takes, without a lock
    std::mutex mutex_;      // for what follows, the tasks themselves excepted
    std::condition_variable given_;
    std::condition_variable done_;
    std::deque<std::unique_ptr<Turn>> turns_;
    std::size_t begun_ = 0;  // the first so many of them are done or being done
    bool ending_ = false;
    std::vector<std::thread> workers_;
};

}  // namespace thresher::reading
