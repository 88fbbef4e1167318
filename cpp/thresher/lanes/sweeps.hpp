// The sweeps over the terms of a row, for all lanes of a group and one instruction set. kernels.hpp reads this twice,
// and says how many bytes the widest register holds and what to compile for: one text, so one arithmetic and the same
// bits.
//
// `first` is where in a record a plane begins. Terms are handed to the loops by value: what these write to the records
// might otherwise have changed them, and they would be read anew for every term.

struct THRESHER_SWEEPS {
    static constexpr std::size_t widest = THRESHER_BYTES;

    template <class Real, std::size_t bytes>
    struct Of {
        typedef Real Lanes __attribute__((vector_size(bytes)));
    };

    // CALL for registers V that cover the lanes and nothing beside them, the widest first; `lane` is the first of each.
#define THRESHER_REGISTERS(REAL, BYTES, LANES, CALL)                                       \
    if constexpr (BYTES >= sizeof(REAL) && BYTES <= widest) {                              \
        typedef typename Of<REAL, (BYTES < sizeof(REAL) ? sizeof(REAL) : BYTES)>::Lanes V; \
        for (; lane + BYTES / sizeof(REAL) <= LANES; lane += BYTES / sizeof(REAL)) CALL;   \
    }
#define THRESHER_COVER(REAL, LANES, CALL)     \
    std::size_t lane = 0;                     \
    THRESHER_REGISTERS(REAL, 32, LANES, CALL) \
    THRESHER_REGISTERS(REAL, 16, LANES, CALL) \
    THRESHER_REGISTERS(REAL, 8, LANES, CALL)  \
    THRESHER_REGISTERS(REAL, 4, LANES, CALL)

    // Where the records of slots begin; false if the slots do not ascend or one is not below n. Every slot is read
    // once: what is checked is what is used.
    template <class Index>
    THRESHER_TARGET static bool places(const Index* slots, std::size_t size, std::size_t n, std::size_t stride,
                                       std::int64_t* at) {
        for (std::size_t j = 0; j < size; ++j) at[j] = slots[j];
        if (size == 0) return true;
        if (at[0] < 0 || static_cast<std::uint64_t>(at[size - 1]) >= n) return false;
        std::int64_t falls = 0;
        for (std::size_t j = 1; j < size; ++j) falls |= at[j - 1] < at[j] ? 0 : -1;
        if (falls != 0) return false;
        if (std::has_single_bit(stride)) {  // no vector multiplies 64 bits by 64 in one instruction
            const int bits = std::countr_zero(stride);
            for (std::size_t j = 0; j < size; ++j) at[j] <<= bits;
        } else {
            for (std::size_t j = 0; j < size; ++j) at[j] *= static_cast<std::int64_t>(stride);
        }
        return true;
    }

    template <class Value, class Real>
    THRESHER_TARGET static void convert(const Value* given, std::size_t size, Real* values) {
        for (std::size_t j = 0; j < size; ++j) values[j] = static_cast<Real>(given[j]);
    }

    // The facts of a row's values. A NaN is neither small nor large, but its square is a NaN, and so is the sum.
    template <class Real>
    THRESHER_TARGET static Facts<Real> look(const Real* values, std::size_t size) {
        typedef typename Of<Real, 4 * sizeof(Real)>::Lanes V;
        constexpr Real most = Limits<Real>::value;
        V squares{}, largest{}, smallest = V{} + most, lowest{};
        std::size_t j = 0;
        for (; j + 4 <= size; j += 4) {
            V value;
            load(values + j, value);
            const V length = size_of<V>(value);
            squares += value * value;
            largest = larger<V>(length, largest);
            smallest = lesser<V>(length, smallest);
            lowest = lesser<V>(value, lowest);
        }
        for (std::size_t k = 0; j < size; ++j, ++k) {
            const Real value = values[j], length = std::fabs(value);
            squares[k] += value * value;
            largest[k] = length > largest[k] ? length : largest[k];
            smallest[k] = length < smallest[k] ? length : smallest[k];
            lowest[k] = value < lowest[k] ? value : lowest[k];
        }
        const Real square = (squares[0] + squares[2]) + (squares[1] + squares[3]);
        const Real high = std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3]));
        const Real low = std::min(std::min(smallest[0], smallest[1]), std::min(smallest[2], smallest[3]));
        const bool negative = std::min(std::min(lowest[0], lowest[1]), std::min(lowest[2], lowest[3])) < 0;
        const bool good = square == square && high <= most && low > 0 && low >= Limits<Real>::smallest;
        return {square, high, size == 0 || (low == 1 && high == 1), negative, size == 0 || good};
    }

    // Dot products with the planes from `first` on, `lanes` numbers wide, in whole registers. The records of the row
    // after this one come meanwhile: a few for every few terms, so that no term has to wait for many of them.
    template <class Real>
    THRESHER_TARGET static void dots(const Real* records, const Terms<Real>& terms, std::size_t first,
                                     std::size_t lanes, Real* out, Ahead ahead = {}) {
        THRESHER_COVER(Real, lanes,
                       (lane += more_dots<V>(records, terms, first + lane, lanes - lane, out + lane, ahead)));
    }

    // How far lanes of first order step, and whether any does: those with a margin where y times the score is below 1,
    // the others where they were wrong. `whole` is y times the example's weight.
    template <class Real>
    THRESHER_TARGET static bool judge(const FirstOrder<Real>& lanes, std::size_t width, Real y, Real whole,
                                      Real* steps) {
        typedef typename Of<Real, 4 * sizeof(Real)>::Lanes V;
        const V zero{};
        auto moves = zero != zero;
        for (std::size_t k = 0; k < width; k += 4) {
            V score, square, most, norm, tie, margins;
            load(lanes.scores + k, score);
            load(lanes.squares + k, square);
            load(lanes.most + k, most);
            load(lanes.norms + k, norm);
            load(lanes.ties + k, tie);
            load(lanes.margins + k, margins);
            const V margin = y * score, reach = (1 - margin) / square;
            const V close = margin < 1 ? whole * lesser<V>(most, reach) : zero;
            const auto right = (margin > 0) | ((margin == 0) & (tie == y));
            const V wrong = right ? zero : whole / norm;
            const V step = margins != 0 ? close : wrong;
            moves |= step != 0;
            store(step, steps + k);
        }
        return (moves[0] | moves[1] | moves[2] | moves[3]) != 0;
    }

    // w += step x, held within the limits.
    template <class Real>
    THRESHER_TARGET static void add(Real* records, const Terms<Real>& terms, std::size_t first, std::size_t lanes,
                                    const Real* steps) {
        THRESHER_COVER(Real, lanes, (lane += more_add<V>(records + first + lane, terms, lanes - lane, steps + lane)));
    }

    // The sum of s x^2.
    template <class Real>
    THRESHER_TARGET static void spread(const Real* records, const Terms<Real>& terms, std::size_t first,
                                       std::size_t lanes, Real* out) {
        THRESHER_COVER(Real, lanes, (spread_in<V>(records + first + lane, terms, out + lane)));
    }

    // AROW: w += along s x, s *= max(1 - part s x^2, least).
    template <class Real>
    THRESHER_TARGET static void arow(Real* records, const Terms<Real>& terms, std::size_t weights,
                                     std::size_t variances, std::size_t lanes, const Real* along, const Real* part,
                                     const Real* least) {
        THRESHER_COVER(Real, lanes,
                       (arow_in<V>(records + weights + lane, records + variances + lane, terms, along + lane,
                                   part + lane, least + lane)));
    }

    // Winnow: w *= 1 + gain u where it is `up`, and else w /= that, held within the limits.
    template <class Real>
    THRESHER_TARGET static void winnow(Real* records, const Terms<Real>& units, std::size_t first, std::size_t lanes,
                                       const Real* gains, bool up) {
        if (up) {
            THRESHER_COVER(Real, lanes, (winnow_in<V, true>(records + first + lane, units, gains + lane)));
        } else {
            THRESHER_COVER(Real, lanes, (winnow_in<V, false>(records + first + lane, units, gains + lane)));
        }
    }

    // Rules that divide and take roots work on one lane at a time, four terms side by side: one for each partial sum.
    // `weights`, `squares` and `scales` are where in a record the lane's numbers and the slot's scale lie.

    // AdaGrad: G += (step x)^2, w += rate step x / sqrt(G), where |step x| is not too small.
    template <class Real>
    THRESHER_TARGET static void adagrad(Real* records, Terms<Real> terms, std::size_t weights, std::size_t squares,
                                        Real step, Real rate) {
        typedef typename Of<Real, 4 * sizeof(Real)>::Lanes V;
        const V least = V{} + Limits<Real>::gradient;
        for (std::size_t j = 0; j < terms.size; j += 4) {
            const V weight = take<V>(records + weights, terms, j), square = take<V>(records + squares, terms, j);
            V value;
            load(terms.values + j, value);
            const V down = step * value, after = square + down * down;
            const auto moves = size_of<V>(down) >= least;
            const V moved = limited<V>(weight + rate * (down / root<V>(after)));
            put(moves ? after : square, terms, j, records + squares);
            put(moves ? moved : weight, terms, j, records + weights);
        }
    }

    // The sum of w x, x clipped to [-s, s]; `beyond` becomes true where an |x| is above its s.
    template <class Real>
    THRESHER_TARGET static Real clipped(const Real* records, Terms<Real> terms, std::size_t weights, std::size_t scales,
                                        bool& beyond) {
        typedef typename Of<Real, 4 * sizeof(Real)>::Lanes V;
        V sums = {}, most = {};
        for (std::size_t j = 0; j < terms.size; j += 4) {
            const V weight = take<V>(records + weights, terms, j), scale = take<V>(records + scales, terms, j);
            V value;
            load(terms.values + j, value);
            most = larger<V>(size_of<V>(value) - scale, most);
            sums += weight * lesser<V>(larger<V>(value, -scale), scale);
        }
        beyond = beyond || most[0] > 0 || most[1] > 0 || most[2] > 0 || most[3] > 0;
        return (sums[0] + sums[2]) + (sums[1] + sums[3]);
    }

    // Where an |x| is above its s, and large enough to be met, s becomes it, and the weights of all lanes shrink. Which
    // terms these are nobody can guess: so all are multiplied, most of them by 1.
    template <class Real>
    THRESHER_TARGET static void meet(Real* records, Terms<Real> terms, std::size_t weights, std::size_t lanes,
                                     std::size_t scales) {
        typedef typename Of<Real, 4 * sizeof(Real)>::Lanes V;
        for (std::size_t j = 0; j < terms.size; j += 4) {
            V value;
            load(terms.values + j, value);
            const V size = size_of<V>(value), scale = take<V>(records + scales, terms, j);
            const auto beyond = (size > scale) & (size >= Limits<Real>::met);
            const V factor = beyond ? scale / size : V{} + 1;
            put(beyond ? size : scale, terms, j, records + scales);
            for (std::size_t lane = weights; lane < weights + lanes; ++lane) {
                put(take<V>(records + lane, terms, j) * factor, terms, j, records + lane);
            }
        }
    }

    // With z = x / s, 0 where s is: G += heft (pull x)^2 and parts = z / sqrt(G), 0 where G is. The sums are those of
    // z^2 and of x parts.
    template <class Real>
    THRESHER_TARGET static Reach<Real> reach(Real* records, Terms<Real> terms, std::size_t squares, std::size_t scales,
                                             Real pull, Real heft, Real* parts) {
        typedef typename Of<Real, 4 * sizeof(Real)>::Lanes V;
        V sums = {}, norms = {};
        for (std::size_t j = 0; j < terms.size; j += 4) {
            const V square = take<V>(records + squares, terms, j), scale = take<V>(records + scales, terms, j);
            V value;
            load(terms.values + j, value);
            const V down = pull * value, after = scale > 0 ? square + heft * (down * down) : square;
            const V ratio = scale > 0 ? value / scale : V{};
            const V steep = ratio / root<V>(after);
            const V part = after > 0 ? steep : V{};
            put(after, terms, j, records + squares);
            store(part, parts + j);
            sums += value * part;
            norms += ratio * ratio;
        }
        return {(norms[0] + norms[2]) + (norms[1] + norms[3]), (sums[0] + sums[2]) + (sums[1] + sums[3])};
    }

    // w += along parts.
    template <class Real>
    THRESHER_TARGET static void follow(Real* records, Terms<Real> terms, std::size_t weights, Real along,
                                       const Real* parts) {
        typedef typename Of<Real, 4 * sizeof(Real)>::Lanes V;
        for (std::size_t j = 0; j < terms.size; j += 4) {
            V part;
            load(parts + j, part);
            put(limited<V>(take<V>(records + weights, terms, j) + along * part), terms, j, records + weights);
        }
    }
#undef THRESHER_COVER
#undef THRESHER_REGISTERS

  private:
    template <class V, class Real>
    THRESHER_TARGET static void load(const Real* at, V& into) {
        std::memcpy(&into, at, sizeof into);
    }
    template <class V, class Real>
    THRESHER_TARGET static void store(const V& from, Real* at) {
        std::memcpy(at, &from, sizeof from);
    }
    // The numbers at `from` of four terms from j on.
    template <class V, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static V take(const Real* from, const Terms<Real>& terms, std::size_t j) {
        const std::int64_t* const at = terms.at + j;
        return V{from[at[0]], from[at[1]], from[at[2]], from[at[3]]};
    }
    template <class V, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static void put(const V& four, const Terms<Real>& terms, std::size_t j,
                                                           Real* into) {
        const std::int64_t* const at = terms.at + j;
        into[at[0]] = four[0];
        into[at[1]] = four[1];
        into[at[2]] = four[2];
        into[at[3]] = four[3];
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
#if THRESHER_BYTES == 32
        if constexpr (sizeof(V) == 32)
            return single ? (V)_mm256_min_ps((__m256)a, (__m256)b) : (V)_mm256_min_pd((__m256d)a, (__m256d)b);
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
#if THRESHER_BYTES == 32
        if constexpr (sizeof(V) == 32)
            return single ? (V)_mm256_max_ps((__m256)a, (__m256)b) : (V)_mm256_max_pd((__m256d)a, (__m256d)b);
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
        return larger<V>(x, -x);
    }
    template <class V>
    [[gnu::always_inline]] THRESHER_TARGET static V root(V x) {
#ifdef THRESHER_HAS_AVX2
        constexpr bool single = sizeof(x[0]) == sizeof(float);
        if constexpr (sizeof(V) == 16) return single ? (V)_mm_sqrt_ps((__m128)x) : (V)_mm_sqrt_pd((__m128d)x);
#if THRESHER_BYTES == 32
        if constexpr (sizeof(V) == 32) return single ? (V)_mm256_sqrt_ps((__m256)x) : (V)_mm256_sqrt_pd((__m256d)x);
#endif
#endif
        V roots;
        for (std::size_t k = 0; k < sizeof(V) / sizeof(x[0]); ++k) roots[k] = std::sqrt(x[k]);
        return roots;
    }

    // Up to three registers at a time; returns how many lanes it did beyond the first register.
    template <class V, class Real>
    THRESHER_TARGET static std::size_t more_dots(const Real* records, const Terms<Real>& terms, std::size_t first,
                                                 std::size_t lanes, Real* out, Ahead& ahead) {
        constexpr std::size_t held = sizeof(V) / sizeof(Real);
        const Ahead later = std::exchange(ahead, {});  // once is enough
        if (lanes >= 3 * held) {
            dots_in<V, 3>(records, terms, first, out, later);
            return 2 * held;
        }
        if (lanes >= 2 * held) {
            dots_in<V, 2>(records, terms, first, out, later);
            return held;
        }
        dots_in<V, 1>(records, terms, first, out, later);
        return 0;
    }

    template <class V, std::size_t registers, class Real>
    THRESHER_TARGET static void dots_in(const Real* records, Terms<Real> terms, std::size_t first, Real* out,
                                        Ahead ahead) {
        constexpr std::size_t held = sizeof(V) / sizeof(Real);
        const Real* const planes = records + first;
        V sums[4][registers] = {};
        for (std::size_t j = 0; j < terms.size; j += 4) {
            for (std::size_t k = 0; k < 4; ++k) {
                const Real* const at = planes + terms.at[j + k];
                const Real value = terms.values[j + k];
                for (std::size_t r = 0; r < registers; ++r) {
                    V weights;
                    load(at + r * held, weights);
                    sums[k][r] += weights * value;
                }
            }
            if (j < ahead.size) fetch(records, ahead, j, j + 4);
        }
        fetch(records, ahead, terms.size, ahead.size);
        for (std::size_t r = 0; r < registers; ++r) {
            store((sums[0][r] + sums[2][r]) + (sums[1][r] + sums[3][r]), out + r * held);
        }
    }

    // The records of some terms of the row ahead, into the cache.
    template <class Real>
    [[gnu::always_inline]] THRESHER_TARGET static void fetch(const Real* records, const Ahead& ahead, std::size_t from,
                                                             std::size_t to) {
        for (std::size_t j = from; j < to; ++j) {
            const auto* const record = reinterpret_cast<const char*>(records + ahead.at[j]);
            __builtin_prefetch(record);
            for (std::size_t line = 64; line < ahead.bytes; line += 64) __builtin_prefetch(record + line);
        }
    }

    template <class V, class Real>
    THRESHER_TARGET static std::size_t more_add(Real* plane, const Terms<Real>& terms, std::size_t lanes,
                                                const Real* steps) {
        constexpr std::size_t held = sizeof(V) / sizeof(Real);
        if (lanes >= 2 * held) {
            add_in<V, 2>(plane, terms, steps);
            return held;
        }
        add_in<V, 1>(plane, terms, steps);
        return 0;
    }

    template <class V, std::size_t registers, class Real>
    THRESHER_TARGET static void add_in(Real* plane, Terms<Real> terms, const Real* steps) {
        constexpr std::size_t held = sizeof(V) / sizeof(Real);
        V step[registers];
        for (std::size_t r = 0; r < registers; ++r) load(steps + r * held, step[r]);
        for (std::size_t j = 0; j < terms.size; ++j) {
            Real* const at = plane + terms.at[j];
            const Real value = terms.values[j];
            for (std::size_t r = 0; r < registers; ++r) {
                V weights;
                load(at + r * held, weights);
                store(limited<V>(weights + step[r] * value), at + r * held);
            }
        }
    }

    template <class V, class Real>
    THRESHER_TARGET static void spread_in(const Real* plane, Terms<Real> terms, Real* out) {
        V sums[4] = {};
        for (std::size_t j = 0; j < terms.size; j += 4) {
            for (std::size_t k = 0; k < 4; ++k) {
                V own;
                load(plane + terms.at[j + k], own);
                sums[k] += own * terms.values[j + k] * terms.values[j + k];
            }
        }
        store((sums[0] + sums[2]) + (sums[1] + sums[3]), out);
    }

    template <class V, class Real>
    THRESHER_TARGET static void arow_in(Real* weights, Real* variances, Terms<Real> terms, const Real* along,
                                        const Real* part, const Real* least) {
        V ahead, share, floor;
        load(along, ahead);
        load(part, share);
        load(least, floor);
        for (std::size_t j = 0; j < terms.size; ++j) {
            const Real value = terms.values[j];
            V weight, own;
            load(weights + terms.at[j], weight);
            load(variances + terms.at[j], own);
            const V shared = own * value;
            store(limited<V>(weight + ahead * shared), weights + terms.at[j]);
            const V kept = 1 - share * shared * value;
            store(own * larger<V>(kept, floor), variances + terms.at[j]);
        }
    }

    template <class V>
    [[gnu::always_inline]] THRESHER_TARGET static V held(V weights) {
        typedef std::remove_cvref_t<decltype(weights[0])> Real;
        const V most = V{} + Limits<Real>::highest, least = V{} + Limits<Real>::lowest;
        return larger<V>(lesser<V>(weights, most), least);
    }

    template <class V, bool up, class Real>
    THRESHER_TARGET static void winnow_in(Real* plane, Terms<Real> units, const Real* gains) {
        V gain;
        load(gains, gain);
        for (std::size_t j = 0; j < units.size; ++j) {
            V weights;
            load(plane + units.at[j], weights);
            const V factor = 1 + gain * units.values[j];
            store(held<V>(up ? weights * factor : weights / factor), plane + units.at[j]);
        }
    }
};
