// Threads that do whatever there is to do, for several who give it; and whoever waits for something does the next of
// it.
//
// So there are never more threads at work than were asked for: two that wait for each other and a third for them would
// leave processors idle while there is work.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace thresher {

// A kind of work is given by an object with these, which are called under the crew's lock:
//   waiting()         how many jobs were given and not taken back
//   ready()           whether one can be begun
//   next(lock, hand)  does one, and lets the lock go meanwhile; `hand` is the number of the thread: 0 for who waits
class Crew {
  public:
    explicit Crew(std::size_t threads) : threads_(threads) {}
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;
    ~Crew() { end(); }

    // Work that comes before all that was there.
    template <class Jobs>
    void enter(Jobs& jobs) {
        auto kind = std::make_unique<Kind>(Kind{&jobs, &waiting_of<Jobs>, &ready_of<Jobs>, &next_of<Jobs>});
        const std::lock_guard lock(mutex_);
        kinds_.insert(kinds_.begin(), std::move(kind));
    }
    // Nobody does it any more.
    template <class Jobs>
    void leave(Jobs& jobs) {
        std::unique_lock lock(mutex_);
        const auto found =
            std::ranges::find(kinds_, static_cast<void*>(&jobs), [](const auto& kind) { return kind->jobs; });
        if (found == kinds_.end()) return;
        const std::unique_ptr<Kind> kind = std::move(*found);
        kinds_.erase(found);
        done_.wait(lock, [&] { return kind->busy == 0; });
    }

    std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

    // Something was given. Threads start as they are needed: a small file needs none.
    void call(std::unique_lock<std::mutex>& lock) {
        std::size_t waiting = 0;
        for (const auto& kind : kinds_) waiting += kind->waiting(kind->jobs);
        if (workers_.size() + 1 < std::min(threads_, waiting)) start();
        lock.unlock();
        given_.notify_one();
        done_.notify_all();  // whoever waits for something else may do this meanwhile
    }

    // Until something is so, does what there is to do, and sleeps only where there is nothing; of several who wait at
    // once, one does.
    template <class Until>
    void help(std::unique_lock<std::mutex>& lock, Until&& until) {
        bool helped = false;
        while (!until()) {
            if (std::exchange(helping_, true)) {
                done_.wait(lock);
                continue;
            }
            const bool did = work(lock, 0);
            helping_ = false;
            helped |= did;
            if (!did) done_.wait(lock);
        }
        if (helped && something() != nullptr) given_.notify_one();  // what came next of it, nobody was told
    }
    // The same, without a hand in it.
    template <class Until>
    void wait(std::unique_lock<std::mutex>& lock, Until&& until) {
        done_.wait(lock, until);
    }

    std::size_t threads() {
        const std::lock_guard lock(mutex_);
        return threads_;
    }

    // Its threads end; from then on those who wait do everything.
    void end() {
        std::vector<std::thread> workers;
        {
            const std::lock_guard lock(mutex_);
            threads_ = 1;
            ending_ = true;
            workers.swap(workers_);
        }
        given_.notify_all();
        for (std::thread& worker : workers) worker.join();
    }

  private:
    using Lock = std::unique_lock<std::mutex>;

    // What is called of a kind, by addresses that never change: an object that is being made or let go has not all of
    // its own yet, or any more.
    struct Kind {
        void* jobs;
        std::size_t (*waiting)(void*);
        bool (*ready)(void*);
        void (*next)(void*, Lock&, std::size_t);
        std::size_t busy = 0;  // how many jobs are being done
    };
    template <class Jobs>
    static std::size_t waiting_of(void* jobs) {
        return static_cast<Jobs*>(jobs)->waiting();
    }
    template <class Jobs>
    static bool ready_of(void* jobs) {
        return static_cast<Jobs*>(jobs)->ready();
    }
    template <class Jobs>
    static void next_of(void* jobs, Lock& lock, std::size_t hand) {
        static_cast<Jobs*>(jobs)->next(lock, hand);
    }

    bool work(Lock& lock, std::size_t hand) {
        Kind* const kind = something();
        if (kind == nullptr) return false;
        ++kind->busy;
        kind->next(kind->jobs, lock, hand);
        --kind->busy;
        done_.notify_all();
        return true;
    }

    Kind* something() const {
        const auto found = std::ranges::find_if(kinds_, [](const auto& kind) { return kind->ready(kind->jobs); });
        return found == kinds_.end() ? nullptr : found->get();
    }

    void start() {
        try {
            workers_.emplace_back([this, hand = workers_.size() + 1] {
                std::unique_lock lock(mutex_);
                while (!ending_) {
                    if (!work(lock, hand)) given_.wait(lock);
                }
            });
        } catch (const std::system_error&) {  // no more threads are to be had: those there are do the work
            threads_ = workers_.size() + 1;
        }
    }

    std::size_t threads_;
    std::mutex mutex_;
    std::condition_variable given_, done_;
    std::vector<std::unique_ptr<Kind>> kinds_;  // what is done first comes first
    bool helping_ = false;                      // whether somebody who waits does something
    bool ending_ = false;
    std::vector<std::thread> workers_;
};

}  // namespace thresher
