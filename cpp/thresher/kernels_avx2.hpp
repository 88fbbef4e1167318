// `score` for AVX2: the four partial sums are the four lanes of one register. No FMA, so the bits are those of the
// baseline. Weights are loaded one by one: on the machines measured the gather instruction was no faster, and slower
// where microcode mends its data leak.
#pragma once

#include "kernels.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define THRESHER_HAS_AVX2 1
#include <immintrin.h>

#define THRESHER_AVX2 __attribute__((target("avx2")))
#define THRESHER_AVX512 __attribute__((target("avx2,avx512f,avx512vl,avx512dq,avx512bw")))

namespace thresher {

struct Avx2 {
    static constexpr const char* name = "avx2";

    template <Domain domain, bool Square, class Row>
    THRESHER_AVX2 static bool score(const double* w, const Row& row, std::size_t n, Sums& sums) {
        const __m256d limit = _mm256_set1_pd(thresher::limit(domain));
        const __m256d sign = _mm256_set1_pd(-0.0);
        __m256d dots = _mm256_setzero_pd(), squares = _mm256_setzero_pd();
        __m256d good = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
        auto last = before_first(row);
        std::size_t j = 0;
        for (; j + 4 <= row.size; j += 4) {
            __m256d weight;
            if (!weights_at(w, row, j, n, last, weight)) return false;
            const __m256d value = load(row.values + j);
            if constexpr (domain == Domain::binary) {
                good = _mm256_and_pd(good, _mm256_cmp_pd(value, limit, _CMP_EQ_OQ));
            } else {
                const __m256d size = domain == Domain::unit ? value : _mm256_andnot_pd(sign, value);
                good = _mm256_and_pd(good, _mm256_cmp_pd(size, _mm256_setzero_pd(), _CMP_GT_OQ));
                good = _mm256_and_pd(good, _mm256_cmp_pd(size, limit, _CMP_LE_OQ));
            }
            dots = _mm256_add_pd(dots, _mm256_mul_pd(weight, value));
            if constexpr (Square) squares = _mm256_add_pd(squares, _mm256_mul_pd(value, value));
        }
        if (_mm256_movemask_pd(good) != 0xF) return false;
        if (j == row.size) {
            sums = {reduced(dots), Square ? reduced(squares) : 0.0};
            return true;
        }
        double dot[4], square[4];
        _mm256_storeu_pd(dot, dots);
        _mm256_storeu_pd(square, squares);
        bool tail = true;
        std::int64_t slot = slot_in(last);
        if (!Baseline::add_terms<domain, Square>(w, row, j, row.size - j, n, slot, dot, square, tail)) return false;
        sums = {reduce(dot), Square ? reduce(square) : 0.0};
        return tail;
    }

  private:
    THRESHER_AVX2 static __m256d load(const double* at) { return _mm256_loadu_pd(at); }
    THRESHER_AVX2 static __m256d load(const float* at) { return _mm256_cvtps_pd(_mm_loadu_ps(at)); }

    // The last slots seen: a register of four where the slots are read four at a time, else one.
    template <class Value>
    THRESHER_AVX2 static __m128i before_first(const SparseRow<std::int32_t, Value>&) {
        return _mm_set1_epi32(-1);
    }
    template <class Row>
    static std::int64_t before_first(const Row&) {
        return -1;
    }
    THRESHER_AVX2 static std::int64_t slot_in(__m128i last) { return _mm_extract_epi32(last, 3); }
    static std::int64_t slot_in(std::int64_t last) { return last; }

    // The weights of slots j to j + 3, or false if those do not ascend from the last one or reach n. The slots come
    // from the registers that were checked.
    template <class Value>
    THRESHER_AVX2 static bool weights_at(const double* w, const SparseRow<std::int32_t, Value>& row, std::size_t j,
                                         std::size_t n, __m128i& last, __m256d& weight) {
        const __m128i here = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row.slots + j));
        const __m128i before = _mm_alignr_epi8(here, last, 12);
        const auto low = static_cast<std::uint64_t>(_mm_cvtsi128_si64(here));
        const auto high = static_cast<std::uint64_t>(_mm_extract_epi64(here, 1));
        if (_mm_movemask_epi8(_mm_cmpgt_epi32(here, before)) != 0xFFFF || (high >> 32) >= n) return false;
        last = here;
        weight = four(w + (low & 0xFFFFFFFF), w + (low >> 32), w + (high & 0xFFFFFFFF), w + (high >> 32));
        return true;
    }
    template <class Value>
    THRESHER_AVX2 static bool weights_at(const double* w, const SparseRow<std::int64_t, Value>& row, std::size_t j,
                                         std::size_t n, std::int64_t& last, __m256d& weight) {
        const std::int64_t a = row.slots[j], b = row.slots[j + 1], c = row.slots[j + 2], d = row.slots[j + 3];
        if (!((last < a) & (a < b) & (b < c) & (c < d)) || static_cast<std::size_t>(d) >= n) return false;
        last = d;
        weight = four(w + a, w + b, w + c, w + d);
        return true;
    }
    template <class Value>
    THRESHER_AVX2 static bool weights_at(const double* w, const DenseRow<Value>&, std::size_t j, std::size_t,
                                         std::int64_t&, __m256d& weight) {
        weight = load(w + j);
        return true;
    }

    THRESHER_AVX2 static __m256d four(const double* a, const double* b, const double* c, const double* d) {
        return _mm256_set_m128d(_mm_loadh_pd(_mm_load_sd(c), d), _mm_loadh_pd(_mm_load_sd(a), b));
    }

    THRESHER_AVX2 static double reduced(__m256d sums) {
        const __m128d pairs = _mm_add_pd(_mm256_castpd256_pd128(sums), _mm256_extractf128_pd(sums, 1));
        return _mm_cvtsd_f64(pairs) + _mm_cvtsd_f64(_mm_unpackhi_pd(pairs, pairs));
    }
};

// Registers twice as wide, for what runs across lanes: one learner waits for its weights, and gains nothing by them.
struct Avx512 {
    static constexpr const char* name = "avx512";
};

}  // namespace thresher
#endif
