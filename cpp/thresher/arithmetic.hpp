// Canonical arithmetic: the one order of operations that every kernel keeps, so that every path gives the same bits.
//
// A score is four partial sums, term j into sum j mod 4, reduced (s0 + s2) + (s1 + s3); then the bias.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
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

// A squared norm below `tiny` may have lost terms to underflow; its row is first multiplied by `magnifier`, exactly.
inline constexpr double tiny = 0x1p-500;
inline constexpr double magnifier = 0x1p500;

struct Sums {
    double dot;
    double square;
};

inline double reduce(const double (&s)[4]) { return (s[0] + s[2]) + (s[1] + s[3]); }

// One state per slot, zero at first, aligned to a cache line; a large one to a huge page, which it asks for: random
// access to millions of slots is bound by the page tables otherwise. The zeros are written at once, so the first
// examples do not pay for the pages.
class Plane {
  public:
    explicit Plane(std::size_t n)
        : n_(n),
          alignment_{n * sizeof(double) < huge ? 64 : huge},
          data_(static_cast<double*>(::operator new(n * sizeof(double), alignment_))) {
#ifdef __linux__
        if (n * sizeof(double) >= huge) madvise(data_, n * sizeof(double) / huge * huge, MADV_HUGEPAGE);
#endif
        for (std::size_t i = 0; i < n; ++i) data_[i] = 0.0;
    }
    Plane(const Plane&) = delete;
    Plane& operator=(const Plane&) = delete;
    ~Plane() { ::operator delete(data_, alignment_); }

    double* data() { return data_; }
    const double* data() const { return data_; }
    std::size_t size() const { return n_; }

  private:
    static constexpr std::size_t huge = std::size_t{1} << 21;
    std::size_t n_;
    std::align_val_t alignment_;
    double* data_;
};

}  // namespace thresher
