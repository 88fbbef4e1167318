// Packs: registers of a few numbers, for one instruction set. kernels.hpp reads this for each, and says how many bytes
// the widest holds and what to compile for.

struct THRESHER_PACKS {
    static constexpr std::size_t widest = THRESHER_BYTES;

    template <class Real, std::size_t bytes>
    struct Of {
        typedef Real Lanes __attribute__((vector_size(bytes)));
    };

    template <class V, class Real>
    THRESHER_TARGET static void load(const Real* at, V& into) {
        std::memcpy(&into, at, sizeof into);
    }
    template <class V, class Real>
    THRESHER_TARGET static void store(const V& from, Real* at) {
        std::memcpy(at, &from, sizeof from);
    }
    // The numbers at `from` of four or eight terms from j on.
    template <class V, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static V take(const Real* from, const Terms<Real>& terms, std::size_t j) {
        const std::int64_t* const at = terms.at + j;
        if constexpr (sizeof(V) == 4 * sizeof(Real)) {
            return V{from[at[0]], from[at[1]], from[at[2]], from[at[3]]};
        } else {
            typedef typename Of<Real, 4 * sizeof(Real)>::Lanes Four;
            return both<V>(take<Four>(from, terms, j), take<Four>(from, terms, j + 4));
        }
    }
    template <class V, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static void put(const V& numbers, const Terms<Real>& terms, std::size_t j,
                                                           Real* into) {
        if constexpr (sizeof(V) == 4 * sizeof(Real)) {
            const std::int64_t* const at = terms.at + j;
            for (std::size_t k = 0; k < 4; ++k) into[at[k]] = numbers[k];
        } else {
            put(low(numbers), terms, j, into);
            put(high(numbers), terms, j + 4, into);
        }
    }
    // The same for two numbers of each term that lie side by side.
    template <class V, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static void take_pairs(const Real* from, const Terms<Real>& terms,
                                                                  std::size_t j, V& firsts, V& seconds) {
        if constexpr (sizeof(V) == 4 * sizeof(Real)) {
            typedef typename Of<Real, 2 * sizeof(Real)>::Lanes Pair;
            const std::int64_t* const at = terms.at + j;
            Pair a, b, c, d;
            load(from + at[0], a);
            load(from + at[1], b);
            load(from + at[2], c);
            load(from + at[3], d);
            const V low = __builtin_shufflevector(a, b, 0, 1, 2, 3), high = __builtin_shufflevector(c, d, 0, 1, 2, 3);
            firsts = __builtin_shufflevector(low, high, 0, 2, 4, 6);
            seconds = __builtin_shufflevector(low, high, 1, 3, 5, 7);
        } else {
            typename Of<Real, 4 * sizeof(Real)>::Lanes first[2], second[2];
            take_pairs(from, terms, j, first[0], second[0]);
            take_pairs(from, terms, j + 4, first[1], second[1]);
            firsts = both<V>(first[0], first[1]);
            seconds = both<V>(second[0], second[1]);
        }
    }
    template <class V, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static void put_pairs(const V& firsts, const V& seconds,
                                                                 const Terms<Real>& terms, std::size_t j, Real* into) {
        if constexpr (sizeof(V) == 4 * sizeof(Real)) {
            typedef typename Of<Real, 2 * sizeof(Real)>::Lanes Pair;
            const std::int64_t* const at = terms.at + j;
            const V low = __builtin_shufflevector(firsts, seconds, 0, 4, 1, 5);
            const V high = __builtin_shufflevector(firsts, seconds, 2, 6, 3, 7);
            const Pair a = __builtin_shufflevector(low, low, 0, 1), b = __builtin_shufflevector(low, low, 2, 3);
            const Pair c = __builtin_shufflevector(high, high, 0, 1), d = __builtin_shufflevector(high, high, 2, 3);
            store(a, into + at[0]);
            store(b, into + at[1]);
            store(c, into + at[2]);
            store(d, into + at[3]);
        } else {
            typedef typename Of<Real, 4 * sizeof(Real)>::Lanes Four;
            put_pairs<Four>(low(firsts), low(seconds), terms, j, into);
            put_pairs<Four>(high(firsts), high(seconds), terms, j + 4, into);
        }
    }
    // Two registers of four in one of eight.
    template <class V, class Four>
    [[gnu::always_inline]] THRESHER_TARGET static V both(const Four& one, const Four& other) {
        return __builtin_shufflevector(one, other, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    // The halves of a register.
    template <class V>
    [[gnu::always_inline]] THRESHER_TARGET static auto low(const V& x) {
        if constexpr (sizeof(V) / sizeof(x[0]) == 8) return __builtin_shufflevector(x, x, 0, 1, 2, 3);
        if constexpr (sizeof(V) / sizeof(x[0]) == 16) return __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    template <class V>
    [[gnu::always_inline]] THRESHER_TARGET static auto high(const V& x) {
        if constexpr (sizeof(V) / sizeof(x[0]) == 8) return __builtin_shufflevector(x, x, 4, 5, 6, 7);
        if constexpr (sizeof(V) / sizeof(x[0]) == 16)
            return __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
    }
    // Whether any of what was compared is true.
    template <class Bits>
    [[gnu::always_inline]] THRESHER_TARGET static bool any(const Bits& bits) {
        if constexpr (sizeof(Bits) / sizeof(bits[0]) > 4) {
            return any(low(bits) | high(bits));
        } else {
            return (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
        }
    }
    // Small whole numbers as bytes.
    template <class V>
    [[gnu::always_inline]] THRESHER_TARGET static void put_bytes(const V& four, std::int8_t* into) {
        if constexpr (constexpr std::size_t held = sizeof(V) / sizeof(four[0]); held > 4) {
            put_bytes(low(four), into);
            put_bytes(high(four), into + held / 2);
            return;
        } else {
            put_four(four, into);
        }
    }
    template <class V>
    [[gnu::always_inline]] THRESHER_TARGET static void put_four(const V& four, std::int8_t* into) {
#ifdef THRESHER_HAS_AVX2
        if constexpr (sizeof(V) == 16) {
            const __m128i wide = _mm_cvttps_epi32((__m128)four), narrow = _mm_packs_epi32(wide, wide);
            const int bytes = _mm_cvtsi128_si32(_mm_packs_epi16(narrow, narrow));
            std::memcpy(into, &bytes, 4);
            return;
        }
#endif
        for (std::size_t k = 0; k < 4; ++k) into[k] = static_cast<std::int8_t>(four[k]);
    }
#ifdef THRESHER_HAS_AVX2
    // Two floats in a register for four, and back: nothing is done.
    template <class V>
    [[gnu::always_inline]] THRESHER_TARGET static __m128 whole(V two) {
        return (__m128)__builtin_shufflevector(two, two, 0, 1, -1, -1);
    }
    template <class V>
    [[gnu::always_inline]] THRESHER_TARGET static V half(__m128 four) {
        return (V)__builtin_shufflevector(four, four, 0, 1);
    }
#endif
    // a < b ? a : b, and a > b ? a : b, in one instruction.
    template <class V>
    [[gnu::always_inline]] THRESHER_TARGET static V lesser(V a, V b) {
#ifdef THRESHER_HAS_AVX2
        constexpr bool single = sizeof(a[0]) == sizeof(float);
        if constexpr (sizeof(V) == 16)
            return single ? (V)_mm_min_ps((__m128)a, (__m128)b) : (V)_mm_min_pd((__m128d)a, (__m128d)b);
        if constexpr (sizeof(V) == 8 && single) return half<V>(_mm_min_ps(whole<V>(a), whole<V>(b)));
#if THRESHER_BYTES >= 32
        if constexpr (sizeof(V) == 32)
            return single ? (V)_mm256_min_ps((__m256)a, (__m256)b) : (V)_mm256_min_pd((__m256d)a, (__m256d)b);
#endif
#if THRESHER_BYTES >= 64
        if constexpr (sizeof(V) == 64)
            return single ? (V)_mm512_min_ps((__m512)a, (__m512)b) : (V)_mm512_min_pd((__m512d)a, (__m512d)b);
#endif
#endif
        return a < b ? a : b;
    }
    template <class V>
    [[gnu::always_inline]] THRESHER_TARGET static V larger(V a, V b) {
#ifdef THRESHER_HAS_AVX2
        constexpr bool single = sizeof(a[0]) == sizeof(float);
        if constexpr (sizeof(V) == 16)
            return single ? (V)_mm_max_ps((__m128)a, (__m128)b) : (V)_mm_max_pd((__m128d)a, (__m128d)b);
        if constexpr (sizeof(V) == 8 && single) return half<V>(_mm_max_ps(whole<V>(a), whole<V>(b)));
#if THRESHER_BYTES >= 32
        if constexpr (sizeof(V) == 32)
            return single ? (V)_mm256_max_ps((__m256)a, (__m256)b) : (V)_mm256_max_pd((__m256d)a, (__m256d)b);
#endif
#if THRESHER_BYTES >= 64
        if constexpr (sizeof(V) == 64)
            return single ? (V)_mm512_max_ps((__m512)a, (__m512)b) : (V)_mm512_max_pd((__m512d)a, (__m512d)b);
#endif
#endif
        return a > b ? a : b;
    }
    template <class V>
    [[gnu::always_inline]] THRESHER_TARGET static V limited(V x) {
        typedef std::remove_cvref_t<decltype(x[0])> Real;
        const V most = V{} + Limits<Real>::state;
        return larger<V>(lesser<V>(x, most), -most);
    }
    template <class V>
    [[gnu::always_inline]] THRESHER_TARGET static V size_of(V x) {
        typedef decltype(x == x) Bits;
        typedef std::remove_cvref_t<decltype(Bits{}[0])> Bit;
        return (V)((Bits)x & std::numeric_limits<Bit>::max());
    }
    // One number in all places. To add it to 0 would be an addition: -0 is not 0.
    template <class V, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static V all(Real x) {
        return x - V{};
    }
    template <class V>
    [[gnu::always_inline]] THRESHER_TARGET static V root(V x) {
#ifdef THRESHER_HAS_AVX2
        constexpr bool single = sizeof(x[0]) == sizeof(float);
        if constexpr (sizeof(V) == 16) return single ? (V)_mm_sqrt_ps((__m128)x) : (V)_mm_sqrt_pd((__m128d)x);
#if THRESHER_BYTES >= 32
        if constexpr (sizeof(V) == 32) return single ? (V)_mm256_sqrt_ps((__m256)x) : (V)_mm256_sqrt_pd((__m256d)x);
#endif
#if THRESHER_BYTES >= 64
        if constexpr (sizeof(V) == 64) return single ? (V)_mm512_sqrt_ps((__m512)x) : (V)_mm512_sqrt_pd((__m512d)x);
#endif
#endif
        V roots;
        for (std::size_t k = 0; k < sizeof(V) / sizeof(x[0]); ++k) roots[k] = std::sqrt(x[k]);
        return roots;
    }
};
