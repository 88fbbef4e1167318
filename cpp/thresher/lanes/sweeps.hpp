// The sweeps over the terms of a row, for all lanes of a group and one instruction set. kernels.hpp reads this twice,
// and says how many bytes the widest register holds and what to compile for: one text, so one arithmetic and the same
// bits.
//
// Lanes lie in whole registers of 8 bytes. `first` is where in a record a plane begins.

struct THRESHER_SWEEPS {
    static constexpr std::size_t widest = THRESHER_BYTES;

    template <class Real, std::size_t bytes>
    struct Of {
        typedef Real Lanes __attribute__((vector_size(bytes)));
    };

    // CALL for registers V that cover the lanes, the widest first; `lane` is the first lane of each.
#define THRESHER_COVER(REAL, LANES, CALL)                                                  \
    std::size_t lane = 0;                                                                  \
    if constexpr (widest > 16) {                                                           \
        typedef typename Of<REAL, widest>::Lanes V;                                        \
        for (; lane + widest / sizeof(REAL) <= LANES; lane += widest / sizeof(REAL)) CALL; \
    }                                                                                      \
    {                                                                                      \
        typedef typename Of<REAL, 16>::Lanes V;                                            \
        for (; lane + 16 / sizeof(REAL) <= LANES; lane += 16 / sizeof(REAL)) CALL;         \
    }                                                                                      \
    typedef typename Of<REAL, 8>::Lanes V;                                                 \
    for (; lane < LANES; lane += 8 / sizeof(REAL)) CALL

    // Dot products with the planes from `first` on, `lanes` numbers wide.
    template <class Real>
    THRESHER_TARGET static void dots(const Real* records, const Terms<Real>& terms, std::size_t first,
                                     std::size_t lanes, Real* out) {
        THRESHER_COVER(Real, lanes, (lane += more_dots<V>(records + first + lane, terms, lanes - lane, out + lane)));
    }

    // w += step x, held within the limits.
    template <class Real>
    THRESHER_TARGET static void add(Real* records, const Terms<Real>& terms, std::size_t first, std::size_t lanes,
                                    const Real* steps) {
        THRESHER_COVER(Real, lanes, (add_in<V>(records + first + lane, terms, steps + lane)));
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
    THRESHER_TARGET static void adagrad(Real* records, const Terms<Real>& terms, std::size_t weights,
                                        std::size_t squares, Real step, Real rate) {
        typedef typename Of<Real, 4 * sizeof(Real)>::Lanes V;
        const V least = V{} + Limits<Real>::gradient;
        for (std::size_t j = 0; j < terms.size; j += 4) {
            V weight, square, value;
            take(records + weights, terms, j, weight);
            take(records + squares, terms, j, square);
            values(terms, j, value);
            const V down = step * value, after = square + down * down;
            const auto moves = size_of<V>(down) >= least;
            const V moved = limited<V>(weight + rate * (down / root<V>(after)));
            put(moves ? after : square, terms, j, records + squares);
            put(moves ? moved : weight, terms, j, records + weights);
        }
    }

    // The sum of w x, x clipped to [-s, s]; `beyond` becomes true where an |x| is above its s.
    template <class Real>
    THRESHER_TARGET static Real clipped(const Real* records, const Terms<Real>& terms, std::size_t weights,
                                        std::size_t scales, bool& beyond) {
        typedef typename Of<Real, 4 * sizeof(Real)>::Lanes V;
        V sums = {}, most = {};
        for (std::size_t j = 0; j < terms.size; j += 4) {
            V weight, scale, value;
            take(records + weights, terms, j, weight);
            take(records + scales, terms, j, scale);
            values(terms, j, value);
            const V above = size_of<V>(value) - scale;
            most = most < above ? above : most;
            value = value < -scale ? -scale : value;
            sums += weight * (value > scale ? scale : value);
        }
        beyond = beyond || most[0] > 0 || most[1] > 0 || most[2] > 0 || most[3] > 0;
        return (sums[0] + sums[2]) + (sums[1] + sums[3]);
    }

    // With z = x / s, 0 where s is: G += heft (pull x)^2 and parts = z / sqrt(G), 0 where G is. The sums are those of
    // z^2 and of x parts.
    template <class Real>
    THRESHER_TARGET static Reach<Real> reach(Real* records, const Terms<Real>& terms, std::size_t squares,
                                             std::size_t scales, Real pull, Real heft, Real* parts) {
        typedef typename Of<Real, 4 * sizeof(Real)>::Lanes V;
        V sums = {}, norms = {};
        for (std::size_t j = 0; j < terms.size; j += 4) {
            V square, scale, value;
            take(records + squares, terms, j, square);
            take(records + scales, terms, j, scale);
            values(terms, j, value);
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
    THRESHER_TARGET static void follow(Real* records, const Terms<Real>& terms, std::size_t weights, Real along,
                                       const Real* parts) {
        constexpr Real most = Limits<Real>::state;
        for (std::size_t j = 0; j < terms.size; ++j) {
            Real& weight = records[weights + terms.at[j]];
            weight += along * parts[j];
            weight = weight > most ? most : weight < -most ? -most : weight;
        }
    }
#undef THRESHER_COVER

  private:
    template <class V, class Real>
    THRESHER_TARGET static void load(const Real* at, V& into) {
        std::memcpy(&into, at, sizeof into);
    }
    template <class V, class Real>
    THRESHER_TARGET static void store(const V& from, Real* at) {
        std::memcpy(at, &from, sizeof from);
    }
    // Up to four terms from j on: their numbers at `from` and after; those that are missing have values of 0.
    template <class V, class Real>
    THRESHER_TARGET static void take(const Real* from, const Terms<Real>& terms, std::size_t j, V& into) {
        if (j + 4 <= terms.size) {
            into = V{from[terms.at[j]], from[terms.at[j + 1]], from[terms.at[j + 2]], from[terms.at[j + 3]]};
        } else {
            into = V{};
            for (std::size_t k = 0; j + k < terms.size; ++k) into[k] = from[terms.at[j + k]];
        }
    }
    template <class V, class Real>
    THRESHER_TARGET static void values(const Terms<Real>& terms, std::size_t j, V& into) {
        if (j + 4 <= terms.size) {
            load(terms.values + j, into);
        } else {
            into = V{};
            for (std::size_t k = 0; j + k < terms.size; ++k) into[k] = terms.values[j + k];
        }
    }
    template <class V, class Real>
    THRESHER_TARGET static void put(const V& from, const Terms<Real>& terms, std::size_t j, Real* into) {
        for (std::size_t k = 0; k < 4 && j + k < terms.size; ++k) into[terms.at[j + k]] = from[k];
    }
    template <class V>
    [[gnu::always_inline]] THRESHER_TARGET static V limited(V x) {
        typedef std::remove_cvref_t<decltype(x[0])> Real;
        const V most = V{} + Limits<Real>::state;
        x = x < most ? x : most;
        return x > -most ? x : -most;
    }
    template <class V>
    [[gnu::always_inline]] THRESHER_TARGET static V size_of(V x) {
        return x < 0 ? -x : x;
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
    THRESHER_TARGET static std::size_t more_dots(const Real* planes, const Terms<Real>& terms, std::size_t lanes,
                                                 Real* out) {
        constexpr std::size_t held = sizeof(V) / sizeof(Real);
        if (lanes >= 3 * held) {
            dots_in<V, 3>(planes, terms, out);
            return 2 * held;
        }
        if (lanes >= 2 * held) {
            dots_in<V, 2>(planes, terms, out);
            return held;
        }
        dots_in<V, 1>(planes, terms, out);
        return 0;
    }

    template <class V, std::size_t registers, class Real>
    THRESHER_TARGET static void dots_in(const Real* planes, const Terms<Real>& terms, Real* out) {
        constexpr std::size_t held = sizeof(V) / sizeof(Real);
        V sums[4][registers] = {};
        std::size_t j = 0;
        for (; j + 4 <= terms.size; j += 4) {
            for (std::size_t k = 0; k < 4; ++k) {
                const Real* const at = planes + terms.at[j + k];
                const Real value = terms.values[j + k];
                for (std::size_t r = 0; r < registers; ++r) {
                    V weights;
                    load(at + r * held, weights);
                    sums[k][r] += weights * value;
                }
            }
        }
        for (std::size_t k = 0; j + k < terms.size; ++k) {
            const Real* const at = planes + terms.at[j + k];
            for (std::size_t r = 0; r < registers; ++r) {
                V weights;
                load(at + r * held, weights);
                sums[k][r] += weights * terms.values[j + k];
            }
        }
        for (std::size_t r = 0; r < registers; ++r) {
            store((sums[0][r] + sums[2][r]) + (sums[1][r] + sums[3][r]), out + r * held);
        }
    }

    template <class V, class Real>
    THRESHER_TARGET static void add_in(Real* plane, const Terms<Real>& terms, const Real* steps) {
        V step;
        load(steps, step);
        for (std::size_t j = 0; j < terms.size; ++j) {
            Real* const at = plane + terms.at[j];
            V weights;
            load(at, weights);
            store(limited<V>(weights + step * terms.values[j]), at);
        }
    }

    template <class V, class Real>
    THRESHER_TARGET static void spread_in(const Real* plane, const Terms<Real>& terms, Real* out) {
        V sums[4] = {};
        for (std::size_t j = 0; j < terms.size; ++j) {
            V own;
            load(plane + terms.at[j], own);
            sums[j % 4] += own * terms.values[j] * terms.values[j];
        }
        store((sums[0] + sums[2]) + (sums[1] + sums[3]), out);
    }

    template <class V, class Real>
    THRESHER_TARGET static void arow_in(Real* weights, Real* variances, const Terms<Real>& terms, const Real* along,
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
            store(own * (kept < floor ? floor : kept), variances + terms.at[j]);
        }
    }

    template <class V>
    [[gnu::always_inline]] THRESHER_TARGET static V held(V weights) {
        typedef std::remove_cvref_t<decltype(weights[0])> Real;
        const V most = V{} + Limits<Real>::highest, least = V{} + Limits<Real>::lowest;
        weights = weights < most ? weights : most;
        return weights > least ? weights : least;
    }

    template <class V, bool up, class Real>
    THRESHER_TARGET static void winnow_in(Real* plane, const Terms<Real>& units, const Real* gains) {
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
