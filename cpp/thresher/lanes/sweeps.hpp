// The sweeps over the terms of a row, for all lanes of a group and one instruction set. kernels.hpp reads this for
// each, and says how many bytes the widest register holds and what to compile for: one text, so one arithmetic and the
// same bits.
//
// `first` is where in a record a plane begins. Terms are handed on by reference, since a copy of what was just written
// is waited for; loops that write take a copy of their own, since for all the compiler knows they might change them,
// and would read them anew for every term.

struct THRESHER_SWEEPS : THRESHER_READINGS {
    // What `size` lanes of first order say, and their scores. `square` is the sum of the squared values; `normalizes`
    // says whether some lane divides by the norm.
    template <class Real>
    THRESHER_TARGET static void stand(FirstOrder<Real> lanes, std::size_t size, const Real* dots, Real square,
                                      bool normalizes, Real* scores, std::int8_t* says) {
        THRESHER_FILL(Real, size, (stand_in<V>(lanes, k, size - k, dots, square, normalizes, scores, says)));
    }

    // How far lanes of first order step, and whether any moves: those with a margin where y times the score is below 1,
    // the others where they were wrong. `whole` is y times the example's weight. The weights of appended attributes
    // follow at once.
    template <class Real>
    THRESHER_TARGET static bool judge(FirstOrder<Real> lanes, std::size_t size, Real square, bool empty, Real y,
                                      Real whole) {
        bool moves = false;
        THRESHER_FILL(Real, size, (moves |= judge_in<V>(lanes, k, square, empty, y, whole)));
        return moves;
    }

    // Whether one register holds a number of each of so many lanes, and no others.
    template <class Real>
    static constexpr bool holds(std::size_t lanes) {
        return (lanes == 8 || lanes == 16) && lanes * sizeof(Real) <= widest;
    }

    // One round of as many lanes of first order, which are alone in their records: dot products, scores and steps stay
    // in the register, where `stand`, `judge` and `add` hand them on by memory. All records ahead are asked for.
    template <class Real>
    THRESHER_TARGET static bool round(Real* records, const Terms<Real>& terms, const FirstOrder<Real>& lanes,
                                      std::size_t size, Real square, bool normalizes, Real y, Real whole, Real* scores,
                                      std::int8_t* says, Ahead ahead) {
        if constexpr (holds<Real>(16)) {
            typedef typename Of<Real, 16 * sizeof(Real)>::Lanes V;
            if (size == 16)
                return round_in<V>(records, terms, lanes, square, normalizes, y, whole, scores, says, ahead);
        }
        if constexpr (holds<Real>(8)) {
            typedef typename Of<Real, 8 * sizeof(Real)>::Lanes V;
            return round_in<V>(records, terms, lanes, square, normalizes, y, whole, scores, says, ahead);
        }
        return false;
    }

    // w += step x, held within the limits.
    template <class Real>
    THRESHER_TARGET static void add(Real* records, const Terms<Real>& terms, std::size_t first, std::size_t lanes,
                                    const Real* steps) {
        THRESHER_COVER(Real, lanes, (lane += more_add<V>(records + first + lane, terms, lanes - lane, steps + lane)));
    }

    // AROW: w += along s x, s *= max(1 - part s x^2, least), of two lanes whose numbers w, w', s, s' are side by side.
    template <class Real>
    THRESHER_TARGET static void arow(Real* records, const Terms<Real>& terms, std::size_t first, const Real* along,
                                     const Real* part, const Real* least) {
        arow_in<(widest >= 8 * sizeof(Real))>(records + first, terms, along, part, least);
    }

    // Winnow: w *= 1 + gain u where it is `up`, and else w /= that, held within the limits.
    template <class Real>
    THRESHER_TARGET static void winnow(Real* records, const Terms<Real>& units, std::size_t first, std::size_t lanes,
                                       const Real* gains, bool up) {
        for (std::size_t lane = 0; lane < lanes; lane += 4) {
            if (up) {
                winnow_in<true>(records + first + lane, units, lanes - lane, gains + lane);
            } else {
                winnow_in<false>(records + first + lane, units, lanes - lane, gains + lane);
            }
        }
    }

    // Rules that divide and take roots work on one lane at a time, four terms side by side: one for each partial sum.
    // `weights`, `squares` and `scales` are where in a record the lane's numbers and the slot's scale lie.

    // AdaGrad: G += (step x)^2, w += rate step x / sqrt(G), where |step x| is not too small. G lies behind w.
    template <class Real>
    THRESHER_TARGET static void adagrad(Real* records, const Terms<Real>& row, std::size_t first, Real step,
                                        Real rate) {
        const Terms<Real> terms = row;
        THRESHER_TERMS(Real, terms, (adagrad_in<V>(records + first, terms, j, step, rate)));
    }

    // The sum of w x, x clipped to [-s, s].
    template <class Real>
    THRESHER_TARGET static Real clipped(const Real* records, const Terms<Real>& row, std::size_t weights,
                                        std::size_t scales) {
        const Terms<Real> terms = row;
        typename Of<Real, 4 * sizeof(Real)>::Lanes sums = {};
        THRESHER_TERMS(Real, terms, (clipped_in<V>(records, terms, j, weights, scales, sums)));
        return (sums[0] + sums[2]) + (sums[1] + sums[3]);
    }

    // Where an |x| is above its s, and large enough to be met, s becomes it, and the weights of all lanes shrink. Which
    // terms these are nobody can guess: so all are multiplied, most of them by 1.
    template <class Real>
    THRESHER_TARGET static void meet(Real* records, const Terms<Real>& row, std::size_t weights, std::size_t lanes,
                                     std::size_t scales) {
        const Terms<Real> terms = row;
        THRESHER_TERMS(Real, terms, (meet_in<V>(records, terms, j, weights, lanes, scales)));
    }

    // Where s is above 0: G += heft (pull x)^2 and parts = x / (s sqrt(G)), 0 where G is. The sums are those of x parts
    // and of (x / s)^2, which is (parts sqrt(G))^2: so a term takes one division. G stays a number.
    template <class Real>
    THRESHER_TARGET static Reach<Real> reach(Real* records, const Terms<Real>& row, std::size_t squares,
                                             std::size_t scales, Real pull, Real heft, Real* parts) {
        const Terms<Real> terms = row;
        typename Of<Real, 4 * sizeof(Real)>::Lanes sums = {}, norms = {};
        if (scales == squares + 1) {  // as where one lane has them
            THRESHER_TERMS(Real, terms,
                           (reach_in<V, true>(records, terms, j, squares, scales, pull, heft, parts, sums, norms)));
        } else {
            THRESHER_TERMS(Real, terms,
                           (reach_in<V, false>(records, terms, j, squares, scales, pull, heft, parts, sums, norms)));
        }
        return {(norms[0] + norms[2]) + (norms[1] + norms[3]), (sums[0] + sums[2]) + (sums[1] + sums[3])};
    }

    // w += along parts.
    template <class Real>
    THRESHER_TARGET static void follow(Real* records, const Terms<Real>& row, std::size_t weights, Real along,
                                       const Real* parts) {
        const Terms<Real> terms = row;
        THRESHER_TERMS(Real, terms, (follow_in<V>(records, terms, j, weights, along, parts)));
    }

  private:
    // Four partial sums, term j into sum j mod 4, also where eight terms come at once.
    template <class Four, class V>
    [[gnu::always_inline]] THRESHER_TARGET static void sum_up(Four& sums, const V& terms) {
        if constexpr (sizeof(V) == sizeof(Four)) {
            sums += terms;
        } else {
            sums += low(terms);
            sums += high(terms);
        }
    }

    template <class V, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static void adagrad_in(Real* plane, const Terms<Real>& terms, std::size_t j,
                                                                  Real step, Real rate) {
        const V least = V{} + Limits<Real>::gradient;
        V weight, square, value;
        take_pairs(plane, terms, j, weight, square);
        load(terms.values + j, value);
        const V down = step * value, after = square + down * down;
        const auto moves = size_of<V>(down) >= least;
        const V moved = limited<V>(weight + rate * (down / root<V>(after)));
        put_pairs<V>(moves ? moved : weight, moves ? after : square, terms, j, plane);
    }

    template <class V, class Real, class Four>
    [[gnu::always_inline]] THRESHER_TARGET static void clipped_in(const Real* records, const Terms<Real>& terms,
                                                                  std::size_t j, std::size_t weights,
                                                                  std::size_t scales, Four& sums) {
        const V weight = take<V>(records + weights, terms, j), scale = take<V>(records + scales, terms, j);
        V value;
        load(terms.values + j, value);
        sum_up(sums, weight * lesser<V>(larger<V>(value, -scale), scale));
    }

    template <class V, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static void meet_in(Real* records, const Terms<Real>& terms, std::size_t j,
                                                               std::size_t weights, std::size_t lanes,
                                                               std::size_t scales) {
        V value;
        load(terms.values + j, value);
        const V size = size_of<V>(value), scale = take<V>(records + scales, terms, j);
        const auto beyond = (size > scale) & (size >= Limits<Real>::met);
        const V factor = beyond ? scale / size : V{} + 1;
        put(beyond ? size : scale, terms, j, records + scales);
        for (std::size_t lane = weights; lane < weights + 2 * lanes; lane += 2) {
            put(take<V>(records + lane, terms, j) * factor, terms, j, records + lane);
        }
    }

    template <class V, bool beside, class Real, class Four>
    [[gnu::always_inline]] THRESHER_TARGET static void reach_in(Real* records, const Terms<Real>& terms, std::size_t j,
                                                                std::size_t squares, std::size_t scales, Real pull,
                                                                Real heft, Real* parts, Four& sums, Four& norms) {
        const V most = V{} + std::numeric_limits<Real>::max();
        V value, square, scale;
        load(terms.values + j, value);
        if constexpr (beside) {
            take_pairs(records + squares, terms, j, square, scale);
        } else {
            square = take<V>(records + squares, terms, j);
            scale = take<V>(records + scales, terms, j);
        }
        const V down = pull * value, larger = lesser<V>(square + heft * (down * down), most);
        const V after = scale > 0 ? larger : square, deep = root<V>(after), whole = scale * deep;
        const V part = whole > 0 ? value / whole : V{}, ratio = part * deep;
        put(after, terms, j, records + squares);
        store(part, parts + j);
        sum_up(sums, value * part);
        sum_up(norms, ratio * ratio);
    }

    template <class V, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static void follow_in(Real* records, const Terms<Real>& terms, std::size_t j,
                                                                 std::size_t weights, Real along, const Real* parts) {
        V part;
        load(parts + j, part);
        put(limited<V>(take<V>(records + weights, terms, j) + along * part), terms, j, records + weights);
    }

    template <class V, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static void stand_in(const FirstOrder<Real>& lanes, std::size_t k,
                                                                std::size_t left, const Real* dots, Real square,
                                                                bool normalizes, Real* scores, std::int8_t* says) {
        constexpr std::size_t held = sizeof(V) / sizeof(Real);
        V dot, tie;
        load(dots + k, dot);
        load(lanes.ties + k, tie);
        if constexpr (held == 4) {
            if (left < 4) dot = ours<V, Real>(left) ? dot : V{};  // what lies beside ours may not be a number
        }
        const V score = score_in(lanes, k, dot, square, normalizes), said = said_in(score, tie);
        store(score, lanes.scores + k);
        if (left >= held) {
            store(score, scores + k);
            put_bytes(said, says + k);
            return;
        }
        for (std::size_t i = 0; i < left; ++i) {
            scores[k + i] = score[i];
            says[k + i] = static_cast<std::int8_t>(said[i]);
        }
    }

    template <class V, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static V score_in(const FirstOrder<Real>& lanes, std::size_t k, const V& dot,
                                                             Real square, bool normalizes) {
        V weight, dummy;
        load(lanes.bias_weights + k, weight);
        load(lanes.dummies + k, dummy);
        const V score = dot + weight * dummy;
        if (!normalizes) return score;
        V normalize;
        load(lanes.normalize + k, normalize);
        const V norm = normalize != 0 ? root<V>(square + dummy * dummy) : V{} + 1;
        store(norm, lanes.norms + k);
        return score / norm;
    }

    template <class V>
    [[gnu::always_inline]] THRESHER_TARGET static V said_in(const V& score, const V& tie) {
        const V one = V{} + 1;
        return score > 0 ? one : score < 0 ? -one : tie;
    }

    template <class V, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static bool judge_in(const FirstOrder<Real>& lanes, std::size_t k,
                                                                Real square, bool empty, Real y, Real whole) {
        V score, step;
        load(lanes.scores + k, score);
        const bool moves = step_in(lanes, k, score, square, empty, y, whole, step);
        store(step, lanes.steps + k);  // as wide as it is loaded for the move: narrower stores would be waited for
        return moves;
    }

    template <class V, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static bool step_in(const FirstOrder<Real>& lanes, std::size_t k,
                                                               const V& score, Real square, bool empty, Real y,
                                                               Real whole, V& step) {
        const V zero{};
        const auto filled = (zero + (empty ? Real{0} : Real{1})) != 0;
        V dummy, weight, most, norm, tie, margins;
        load(lanes.dummies + k, dummy);
        load(lanes.bias_weights + k, weight);
        load(lanes.most + k, most);
        load(lanes.norms + k, norm);
        load(lanes.ties + k, tie);
        load(lanes.margins + k, margins);
        const V margin = y * score, reach = (1 - margin) / (square + dummy * dummy);
        const V close = margin < 1 ? whole * lesser<V>(most, reach) : zero;
        const auto right = (margin > 0) | ((margin == 0) & (tie == y));
        const V wrong = right ? zero : whole / norm;
        step = margins != 0 ? close : wrong;
        store(weight + step * dummy, lanes.bias_weights + k);
        return any((step != 0) & (filled | (dummy != 0)));
    }

    template <class V, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static bool round_in(Real* records, const Terms<Real>& terms,
                                                                const FirstOrder<Real>& lanes, Real square,
                                                                bool normalizes, Real y, Real whole, Real* scores,
                                                                std::int8_t* says, Ahead ahead) {
        V tie, step;
        load(lanes.ties, tie);
        const V dot = THRESHER_READINGS::template dot_in<V>(records, terms, ahead);
        const V score = score_in(lanes, 0, dot, square, normalizes);
        store(score, scores);
        put_bytes(said_in(score, tie), says);
        const bool moves = step_in(lanes, 0, score, square, terms.count == 0, y, whole, step);
        std::size_t j = moves ? add_of<V, 1>(records, terms, &step, ahead) : 0;
        for (j += 4; j < ahead.size; j += 8) THRESHER_READINGS::template fetch_four<sizeof(V)>(records, ahead, j);
        return moves;
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
    THRESHER_TARGET static void add_in(Real* plane, const Terms<Real>& row, const Real* steps) {
        constexpr std::size_t held = sizeof(V) / sizeof(Real);
        V step[registers];
        for (std::size_t r = 0; r < registers; ++r) load(steps + r * held, step[r]);
        add_of<V, registers>(plane, row, step, {});
    }

    // Half of the records ahead are asked for beside those that move eight at a time: says beside how many.
    template <class V, std::size_t registers, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static std::size_t add_of(Real* plane, const Terms<Real>& row, const V* step,
                                                                     Ahead ahead) {
        const Terms<Real> terms = row;
        constexpr std::size_t held = sizeof(V) / sizeof(Real);
        std::size_t j = 0, fetched = 0;
        if constexpr (registers == 1 && widest > 32) {
            for (; j + 8 <= terms.size; j += 8) {
                add_eight<V>(plane, terms.at + j, terms.values + j, step[0]);
                if (j < ahead.size) THRESHER_READINGS::template fetch_four<sizeof(V)>(plane, ahead, j + 4);
            }
            fetched = j;
        }
        for (; j < terms.size; j += 4) {
            for (std::size_t k = 0; k < 4; ++k) {
                Real* const at = plane + terms.at[j + k];
                const Real value = terms.values[j + k];
                for (std::size_t r = 0; r < registers; ++r) {
                    V weights;
                    load(at + r * held, weights);
                    store(limited<V>(weights + step[r] * value), at + r * held);
                }
            }
        }
        return fetched;
    }

    // All weights are loaded before one is stored: a processor that takes a load for that of a late store waits once.
    template <class V, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static void add_eight(Real* plane, const std::int64_t* at,
                                                                 const Real* values, V step) {
        V a, b, c, d, e, f, g, h;
        load(plane + at[0], a);
        load(plane + at[1], b);
        load(plane + at[2], c);
        load(plane + at[3], d);
        load(plane + at[4], e);
        load(plane + at[5], f);
        load(plane + at[6], g);
        load(plane + at[7], h);
        store(limited<V>(a + step * values[0]), plane + at[0]);
        store(limited<V>(b + step * values[1]), plane + at[1]);
        store(limited<V>(c + step * values[2]), plane + at[2]);
        store(limited<V>(d + step * values[3]), plane + at[3]);
        store(limited<V>(e + step * values[4]), plane + at[4]);
        store(limited<V>(f + step * values[5]), plane + at[5]);
        store(limited<V>(g + step * values[6]), plane + at[6]);
        store(limited<V>(h + step * values[7]), plane + at[7]);
    }

    // Four numbers of a record, of which the first `lanes` are ours: the others are written back as they were found.
    template <class V, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static auto ours(std::size_t lanes) {
        const auto own = static_cast<Real>(std::min<std::size_t>(lanes, 4));
        return V{0, 1, 2, 3} < own;
    }

    // Two terms at a time, where a register holds them.
    template <bool two, class Real>
    THRESHER_TARGET static void arow_in(Real* plane, const Terms<Real>& row, const Real* along, const Real* part,
                                        const Real* least) {
        const Terms<Real> terms = row;
        typedef typename Of<Real, 4 * sizeof(Real)>::Lanes Four;
        typedef typename Of<Real, (two ? 8 : 4) * sizeof(Real)>::Lanes V;
        const V share = repeated<V>(Four{along[0], along[1], part[0], part[1]});
        const V floor = repeated<V>(Four{0, 0, least[0], least[1]});
        const auto weights = repeated<V>(Four{0, 1, 2, 3}) < 2;
        for (std::size_t j = 0; j < terms.size; j += two ? 2 : 1) {
            V numbers, value, own;
            if constexpr (two) {
                Four one, other;
                load(plane + terms.at[j], one);
                load(plane + terms.at[j + 1], other);
                numbers = __builtin_shufflevector(one, other, 0, 1, 2, 3, 4, 5, 6, 7);
                own = __builtin_shufflevector(numbers, numbers, 2, 3, 2, 3, 6, 7, 6, 7);
                value = __builtin_shufflevector(all<Four>(terms.values[j]), all<Four>(terms.values[j + 1]), 0, 1, 2, 3,
                                                4, 5, 6, 7);
            } else {
                load(plane + terms.at[j], numbers);
                own = __builtin_shufflevector(numbers, numbers, 2, 3, 2, 3);
                value = all<V>(terms.values[j]);
            }
            const V shared = share * (own * value) * (weights ? V{} + 1 : value);
            const V moved = limited<V>(numbers + shared), kept = own * larger<V>(1 - shared, floor);
            const V after = weights ? moved : kept;
            if constexpr (two) {
                store<Four>(__builtin_shufflevector(after, after, 0, 1, 2, 3), plane + terms.at[j]);
                store<Four>(__builtin_shufflevector(after, after, 4, 5, 6, 7), plane + terms.at[j + 1]);
            } else {
                store(after, plane + terms.at[j]);
            }
        }
    }

    // Four numbers as often as a register holds four.
    template <class V, class Four>
    [[gnu::always_inline]] THRESHER_TARGET static V repeated(const Four& four) {
        if constexpr (sizeof(V) == sizeof(Four)) {
            return four;
        } else {
            return __builtin_shufflevector(four, four, 0, 1, 2, 3, 4, 5, 6, 7);
        }
    }

    template <class V>
    [[gnu::always_inline]] THRESHER_TARGET static V held(V weights) {
        typedef std::remove_cvref_t<decltype(weights[0])> Real;
        const V most = V{} + Limits<Real>::highest, least = V{} + Limits<Real>::lowest;
        return larger<V>(lesser<V>(weights, most), least);
    }

    template <bool up, class Real>
    THRESHER_TARGET static void winnow_in(Real* plane, const Terms<Real>& row, std::size_t lanes, const Real* gains) {
        const Terms<Real> units = row;
        typedef typename Of<Real, 4 * sizeof(Real)>::Lanes V;
        const auto own_lanes = ours<V, Real>(lanes);
        const V gain{gains[0], gains[1], gains[2], gains[3]};  // written one by one: a wide load would wait for them
        for (std::size_t j = 0; j < units.size; ++j) {
            V weights;
            load(plane + units.at[j], weights);
            const V factor = 1 + gain * units.values[j];
            const V moved = held<V>(up ? weights * factor : weights / factor);
            store(own_lanes ? moved : weights, plane + units.at[j]);
        }
    }
};
