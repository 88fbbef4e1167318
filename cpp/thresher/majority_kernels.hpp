// One sweep over the experts: what the last round cost them, and the weights of both sides of the next.
//
// Sixteen partial sums a side, expert i into sum i mod 16, in every kernel: so all give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dispatch.hpp"

namespace thresher {

// What an expert says, in a byte: 1 is plus, 0 and -1 are minus, 2 is asleep. Kernels meet no one asleep.
inline constexpr std::int8_t asleep = 2;

struct Sides {
    double plus = 0.0;
    double minus = 0.0;
    double total() const { return plus + minus; }
};

// What a row of advice holds.
struct Heard {
    bool plus = false, zero = false, minus = false, asleep = false, other = false;
};

// A round that was played: who said `label` was right. Null advice is no round.
struct Told {
    const std::int8_t* advice = nullptr;
    std::int8_t label = 0;
    double beta = 1.0;  // what a wrong expert keeps
};

namespace majority {

struct Partial {
    double plus[16] = {};
    double minus[16] = {};

    Sides sides() const { return {reduce(plus), reduce(minus)}; }

  private:
    static double reduce(const double (&s)[16]) {
        double quarter[4];
        for (std::size_t j = 0; j < 4; ++j) quarter[j] = (s[j] + s[j + 4]) + (s[j + 8] + s[j + 12]);
        return thresher::reduce(quarter);
    }
};

inline void hear(Baseline, const std::int8_t* advice, std::size_t from, std::size_t n, Heard& heard) {
    for (std::size_t i = from; i < n; ++i) {
        switch (advice[i]) {
            case 1:
                heard.plus = true;
                break;
            case 0:
                heard.zero = true;
                break;
            case -1:
                heard.minus = true;
                break;
            case thresher::asleep:
                heard.asleep = true;
                break;
            default:
                heard.other = true;
        }
    }
}

#ifdef THRESHER_HAS_AVX2
THRESHER_AVX2 inline void hear(Avx2, const std::int8_t* advice, std::size_t from, std::size_t n, Heard& heard) {
    const __m256i codes[4] = {_mm256_set1_epi8(1), _mm256_setzero_si256(), _mm256_set1_epi8(-1),
                              _mm256_set1_epi8(thresher::asleep)};
    __m256i found[4], known = _mm256_set1_epi8(-1);
    for (auto& each : found) each = _mm256_setzero_si256();
    std::size_t i = from;
    for (; i + 32 <= n; i += 32) {
        const __m256i row = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(advice + i));
        __m256i any = _mm256_setzero_si256();
        for (int j = 0; j < 4; ++j) {
            const __m256i same = _mm256_cmpeq_epi8(row, codes[j]);
            found[j] = _mm256_or_si256(found[j], same);
            any = _mm256_or_si256(any, same);
        }
        known = _mm256_and_si256(known, any);
    }
    const auto some = [](__m256i mask) THRESHER_AVX2 { return _mm256_testz_si256(mask, mask) == 0; };
    heard = {some(found[0]), some(found[1]), some(found[2]), some(found[3]), _mm256_movemask_epi8(known) != -1};
    hear(Baseline{}, advice, i, n, heard);
}
#endif

template <bool Count, bool Sum, class Weight>
void some(const Told& told, const std::int8_t* now, std::size_t from, std::size_t n, Weight* w, std::uint8_t* pending,
          Partial& partial) {
    for (std::size_t i = from; i < n; ++i) {
        if constexpr (Count) {
            const bool wrong = (told.advice[i] == 1) != (told.label == 1);
            w[i] *= wrong ? told.beta : 1.0;
            pending[i] += wrong;
        }
        if constexpr (Sum) {
            const bool plus = now[i] == 1;
            partial.plus[i % 16] += plus ? w[i] : 0.0;
            partial.minus[i % 16] += plus ? 0.0 : w[i];
        }
    }
}

template <bool Count, bool Sum, class Weight>
Sides sweep(Baseline, const Told& told, const std::int8_t* now, std::size_t n, Weight* w, std::uint8_t* pending) {
    Partial partial;
    some<Count, Sum>(told, now, 0, n, w, pending, partial);
    return partial.sides();
}

#ifdef THRESHER_HAS_AVX2
template <bool Count, bool Sum, class Weight>
THRESHER_AVX2 Sides sweep(Avx2, const Told& told, const std::int8_t* now, std::size_t n, Weight* w,
                          std::uint8_t* pending) {
    const __m128i one = _mm_set1_epi8(1), flip = _mm_set1_epi8(told.label == 1 ? -1 : 0);
    const __m256d keeps = _mm256_set1_pd(told.beta), all = _mm256_set1_pd(1.0);
    __m256i spread[4];  // bytes 4j to 4j + 3, each eight times
    __m256d plus[4], minus[4];
    for (int j = 0; j < 4; ++j) {
        const std::int64_t eight = 0x0101010101010101, from = 4 * j * eight;
        spread[j] = _mm256_set_epi64x(from + 3 * eight, from + 2 * eight, from + eight, from);
        plus[j] = minus[j] = _mm256_setzero_pd();
    }
    const auto bytes = [](const std::int8_t* at)
                           THRESHER_AVX2 { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); };
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i wrong = _mm_setzero_si128(), said = _mm_setzero_si128();
        if constexpr (Count) {
            wrong = _mm_xor_si128(_mm_cmpeq_epi8(bytes(told.advice + i), one), flip);
            auto* const count = reinterpret_cast<__m128i*>(pending + i);
            _mm_storeu_si128(count, _mm_sub_epi8(_mm_loadu_si128(count), wrong));
        }
        if constexpr (Sum) said = _mm_cmpeq_epi8(bytes(now + i), one);
        const __m256i lost = _mm256_broadcastsi128_si256(wrong), up = _mm256_broadcastsi128_si256(said);
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
            Weight* const at = w + i + 4 * j;
            __m256d weight = _mm256_loadu_pd(at);
            if constexpr (Count) {
                const __m256i mask = _mm256_shuffle_epi8(lost, spread[j]);
                weight = _mm256_mul_pd(weight, _mm256_blendv_pd(all, keeps, _mm256_castsi256_pd(mask)));
                _mm256_storeu_pd(at, weight);
            }
            if constexpr (Sum) {
                const __m256d mask = _mm256_castsi256_pd(_mm256_shuffle_epi8(up, spread[j]));
                plus[j] = _mm256_add_pd(plus[j], _mm256_and_pd(mask, weight));
                minus[j] = _mm256_add_pd(minus[j], _mm256_andnot_pd(mask, weight));
            }
        }
    }
    Partial partial;
    for (int j = 0; j < 4; ++j) {
        _mm256_storeu_pd(partial.plus + 4 * j, plus[j]);
        _mm256_storeu_pd(partial.minus + 4 * j, minus[j]);
    }
    some<Count, Sum>(told, now, i, n, w, pending, partial);
    return partial.sides();
}
#endif

}  // namespace majority

inline Heard heard_in(const std::int8_t* advice, std::size_t n) {
    Heard heard;
    dispatch([&](auto set) { majority::hear(set, advice, 0, n, heard); });
    return heard;
}

// Both sides' weights by the advice `now`; nobody changes.
inline Sides sides_of(const std::int8_t* now, std::size_t n, const double* w) {
    return dispatch([&](auto set) { return majority::sweep<false, true>(set, {}, now, n, w, nullptr); });
}

inline void count_round(const Told& told, std::size_t n, double* w, std::uint8_t* pending) {
    dispatch([&](auto set) { return majority::sweep<true, false>(set, told, nullptr, n, w, pending); });
}

inline Sides count_and_sum(const Told& told, const std::int8_t* now, std::size_t n, double* w, std::uint8_t* pending) {
    return dispatch([&](auto set) { return majority::sweep<true, true>(set, told, now, n, w, pending); });
}

}  // namespace thresher
