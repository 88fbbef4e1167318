// Work that goes from hand to hand: what one reads all play, each its part, and when all have, it is heard, in order.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace thresher {

// `read(place)` brings the next sheet to one of so many places and says whether there was one; `play(part, place)`
// plays it, and `hear(place)` ends it. A thread has parts of its own, which no other plays, so that what they need
// stays in its cache; one that is ahead of the others reads and hears for them. Who has nothing to do sleeps.
template <class Read, class Play, class Hear>
class Relay {
  public:
    Relay(std::size_t parts, std::size_t places, Read read, Play play, Hear hear)
        : places_(places), played_(parts), read_(read), play_(play), hear_(hear) {}

    // All of it, by so many threads, that of the caller among them. What one of them threw is thrown here.
    void run(std::size_t threads) {
        std::vector<std::thread> others;
        {
            const std::lock_guard lock(mutex_);  // nobody begins before it is known how many there are
            try {
                others.reserve(threads - 1);
                while (others.size() + 1 < threads) {
                    others.emplace_back([this, own = others.size() + 1] { work(own); });
                }
            } catch (const std::system_error&) {  // no more threads are to be had: those there are do the work
            } catch (const std::bad_alloc&) {     // nor memory for one
            }
            threads_ = others.size() + 1;
            asleep_.resize(threads_);
        }
        work(0);
        for (std::thread& other : others) other.join();
        if (error_) std::rethrow_exception(error_);
    }

  private:
    void work(std::size_t own) {
        std::unique_lock lock(mutex_);
        while (!error_ && !(ended_ && heard_ == brought_)) {
            if (const std::size_t part = behind(own); part < played_.size()) {
                const std::size_t place = played_[part] % places_;
                attempt(lock, [&] { play_(part, place); });
                ++played_[part];
            } else if (!hearing_ && heard_ < *std::ranges::min_element(played_)) {
                hearing_ = true;
                attempt(lock, [&, place = heard_ % places_] { hear_(place); });
                hearing_ = false;
                ++heard_;
            } else if (!reading_ && !ended_ && brought_ - heard_ < places_) {
                reading_ = true;
                bool more = false;
                attempt(lock, [&, place = brought_ % places_] { more = read_(place); });
                reading_ = false;
                more ? static_cast<void>(++brought_) : static_cast<void>(ended_ = true);
            } else {
                asleep_[own] = true;
                moved_.wait(lock);
                asleep_[own] = false;
                continue;
            }
            if (worth_waking()) moved_.notify_all();
        }
        moved_.notify_all();
    }

    // Whether somebody who sleeps has enough to do: to wake one costs both. Whoever is awake takes whatever there is,
    // so nothing is left lying.
    bool worth_waking() const {
        if (error_ || std::ranges::find(asleep_, true) == asleep_.end()) return static_cast<bool>(error_);
        for (std::size_t own = 0; own < threads_; ++own) {
            if (asleep_[own] && behind(own) < played_.size()) return true;
        }
        const bool read = !reading_ && !ended_ && brought_ - heard_ <= places_ / 2;
        return read || (!hearing_ && *std::ranges::min_element(played_) - heard_ >= places_ / 2);
    }

    // The part of a thread's own that has most to play, if one has anything.
    std::size_t behind(std::size_t own) const {
        std::size_t found = played_.size();
        for (std::size_t part = own; part < played_.size(); part += threads_) {
            if (played_[part] < brought_ && (found == played_.size() || played_[part] < played_[found])) found = part;
        }
        return found;
    }

    template <class Work>
    void attempt(std::unique_lock<std::mutex>& lock, Work&& work) {
        std::exception_ptr error;
        lock.unlock();
        try {
            work();
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        if (error && !error_) error_ = error;
    }

    std::size_t places_, threads_ = 1;
    std::mutex mutex_;  // for what follows
    std::condition_variable moved_;
    std::size_t brought_ = 0, heard_ = 0;  // how many sheets
    std::vector<std::size_t> played_;      // and by each part
    std::vector<bool> asleep_;
    bool reading_ = false, hearing_ = false, ended_ = false;
    std::exception_ptr error_;
    Read read_;
    Play play_;
    Hear hear_;
};

}  // namespace thresher
