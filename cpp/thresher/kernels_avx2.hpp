// `score` for AVX2: the four partial sums are the four lanes of one register. No FMA, so the bits are those of the
// baseline. Weights are loaded one by one: on the machines measured the gather instruction was no faster, and slower
// where microcode mends its data leak.
#pragma once

#include "kernels.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define THRESHER_HAS_AVX2 1
#include <immintrin.h>

#define THRESHER_AVX2 __attribute__((target("avx2")))

namespace thresher {

struct Avx2 {
    static constexpr const char* name = "avx2";

    template <bool Square, class Row>
    THRESHER_AVX2 static bool score(const double* w, const Row& row, std::size_t n, Sums& sums) {
        const __m256d limit = _mm256_set1_pd(largest_value);
        const __m256d sign = _mm256_set1_pd(-0.0);
        __m256d dots = _mm256_setzero_pd(), squares = _mm256_setzero_pd();
        __m256d good = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
        std::size_t j = 0;
        for (; j + 4 <= row.size; j += 4) {
            if (!ascending(row, j, n)) return false;
            const __m256d value = load(row.values + j);
            const __m256d size = _mm256_andnot_pd(sign, value);
            good = _mm256_and_pd(good, _mm256_cmp_pd(size, _mm256_setzero_pd(), _CMP_GT_OQ));
            good = _mm256_and_pd(good, _mm256_cmp_pd(size, limit, _CMP_LE_OQ));
            dots = _mm256_add_pd(dots, _mm256_mul_pd(weights_at(w, row, j), value));
            if constexpr (Square) squares = _mm256_add_pd(squares, _mm256_mul_pd(value, value));
        }
        if (_mm256_movemask_pd(good) != 0xF) return false;
        if (j == row.size) {
            sums = {reduced(dots), Square ? reduced(squares) : 0.0};
            return true;
        }
        if (!Baseline::ascending(row, j, row.size, n)) return false;
        double dot[4], square[4];
        _mm256_storeu_pd(dot, dots);
        _mm256_storeu_pd(square, squares);
        bool tail = true;
        for (std::size_t k = 0; j < row.size; ++j, ++k) {
            tail &= Baseline::add_term<Square>(w, row, j, dot[k], square[k]);
        }
        sums = {reduce(dot), Square ? reduce(square) : 0.0};
        return tail;
    }

  private:
    THRESHER_AVX2 static __m256d load(const double* at) { return _mm256_loadu_pd(at); }
    THRESHER_AVX2 static __m256d load(const float* at) { return _mm256_cvtps_pd(_mm_loadu_ps(at)); }

    template <class Index, class Value>
    THRESHER_AVX2 static __m256d weights_at(const double* w, const SparseRow<Index, Value>& row, std::size_t j) {
        const Index* slots = row.slots + j;
        const __m128d low = _mm_loadh_pd(_mm_load_sd(w + slots[0]), w + slots[1]);
        const __m128d high = _mm_loadh_pd(_mm_load_sd(w + slots[2]), w + slots[3]);
        return _mm256_set_m128d(high, low);
    }
    template <class Value>
    THRESHER_AVX2 static __m256d weights_at(const double* w, const DenseRow<Value>&, std::size_t j) {
        return load(w + j);
    }

    // Whether slots j to j + 3 ascend from the one before them and stay below n.
    template <class Value>
    THRESHER_AVX2 static bool ascending(const SparseRow<std::int32_t, Value>& row, std::size_t j, std::size_t n) {
        const std::int32_t* slots = row.slots + j;
        const __m128i here = _mm_loadu_si128(reinterpret_cast<const __m128i*>(slots));
        const __m128i before = j == 0 ? _mm_insert_epi32(_mm_slli_si128(here, 4), -1, 0)
                                      : _mm_loadu_si128(reinterpret_cast<const __m128i*>(slots - 1));
        return _mm_movemask_epi8(_mm_cmpgt_epi32(here, before)) == 0xFFFF && static_cast<std::size_t>(slots[3]) < n;
    }
    template <class Row>
    THRESHER_AVX2 static bool ascending(const Row& row, std::size_t j, std::size_t n) {
        return Baseline::ascending(row, j, j + 4, n);
    }

    THRESHER_AVX2 static double reduced(__m256d sums) {
        const __m128d pairs = _mm_add_pd(_mm256_castpd256_pd128(sums), _mm256_extractf128_pd(sums, 1));
        return _mm_cvtsd_f64(pairs) + _mm_cvtsd_f64(_mm_unpackhi_pd(pairs, pairs));
    }
};

}  // namespace thresher
#endif
