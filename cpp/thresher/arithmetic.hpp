// Canonical arithmetic: the one order of operations that every kernel keeps, so that every path gives the same bits.
//
// A score is four partial sums, term j into sum j mod 4, reduced (s0 + s2) + (s1 + s3); then the bias.
#pragma once

#include <algorithm>
#include <atomic>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace thresher {

static_assert(FLT_EVAL_METHOD == 0, "float64 must be evaluated as float64");

// No input may be larger than these. Then no sum can overflow in fewer than 2^63 rounds: a weight stays below
// 2^(63 + 250 + 150), a squared norm below 2^(2 * 463 + 63), a score below both.
inline constexpr double largest_value = 0x1p250;
inline constexpr double largest_weight = 0x1p150;
inline constexpr double largest_state = 0x1p463;  // what a weight can reach
inline constexpr std::size_t most_attributes = std::size_t{1} << 48;

// Which values an example may hold. Zeros are never among its terms.
enum class Domain { any, signed_unit, unit, binary };

constexpr double limit(Domain domain) { return domain == Domain::any ? largest_value : 1.0; }

// A squared norm below `tiny` may have lost terms to underflow; its row is first multiplied by `magnifier`, exactly.
inline constexpr double tiny = 0x1p-500;
inline constexpr double magnifier = 0x1p500;

struct Sums {
    double dot;
    double square;
};

inline double reduce(const double (&s)[4]) { return (s[0] + s[2]) + (s[1] + s[3]); }

// One state per slot, all the same at first, aligned to a cache line; a large plane to a huge page, which it asks for:
// random access to millions of slots is bound by the page tables otherwise. The pages of a large plane of zeros come
// when they are first touched.
//
// A copy of a plane is the same memory: what was learned is handed to a comparator, a file or another learner as it
// is, and only who writes while others look makes it twice. Call `unshare` before you write.
class Plane {
  public:
    explicit Plane(std::size_t n, double first = 0.0) : n_(n), data_(zeros(n)) {
        if (first != 0.0) std::fill_n(data_.get(), n, first);
    }
    // Memory from elsewhere, n numbers.
    Plane(std::shared_ptr<double> data, std::size_t n) : n_(n), data_(std::move(data)) {}

    double* data() { return data_.get(); }
    const double* data() const { return data_.get(); }
    std::size_t size() const { return n_; }

    void unshare() {
        if (data_.use_count() > 1) [[unlikely]] {
            std::shared_ptr<double> own = zeros(n_);
            std::copy_n(data_.get(), n_, own.get());
            data_ = std::move(own);
        }
        std::atomic_thread_fence(std::memory_order_acquire);  // who looked until now has looked
    }

  private:
    static std::shared_ptr<double> zeros(std::size_t n) {
#ifdef __linux__
        if (n * sizeof(double) >= huge) return huge_zeros(n * sizeof(double));
#endif
        constexpr std::align_val_t line{64};
        const std::shared_ptr<double> data(static_cast<double*>(::operator new(n * sizeof(double), line)),
                                           [](double* last) { ::operator delete(last, line); });
        std::fill_n(data.get(), n, 0.0);
        return data;
    }

#ifdef __linux__
    // From the system itself: memory that was in use before may lie in small pages.
    static std::shared_ptr<double> huge_zeros(std::size_t size) {
        const std::size_t room = size + huge;
        void* const mapped = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped == MAP_FAILED) throw std::bad_alloc();
        const std::shared_ptr<void> owner(mapped, [room](void* last) { munmap(last, room); });
        const auto start = (reinterpret_cast<std::uintptr_t>(mapped) + huge - 1) / huge * huge;
        madvise(reinterpret_cast<void*>(start), size / huge * huge, MADV_HUGEPAGE);
        return {owner, reinterpret_cast<double*>(start)};
    }
#endif

    static constexpr std::size_t huge = std::size_t{1} << 21;
    std::size_t n_;
    std::shared_ptr<double> data_;
};

}  // namespace thresher
