// The sweeps over numbers of a table, for one instruction set. number_kernels.hpp reads this thrice, and says how many
// doubles a register holds and what to compile for: one text, so one arithmetic and the same bits. Each column computes
// as it would alone, as `Scale` has it. Columns come four at a time: where a register holds more, those that are left
// over at the end, from `j` on, are swept by the narrower set, `THRESHER_NARROWER`.

struct THRESHER_SWEEPS {
    static constexpr std::size_t lanes = THRESHER_LANES;
    typedef double Lanes __attribute__((vector_size(8 * lanes)));
    typedef std::int64_t Bits __attribute__((vector_size(8 * lanes)));

    // Numbers as they are, row behind row; 0 where they are missing.
    THRESHER_TARGET static NumbersSeen take(NumberRows given, double* used, std::size_t j = 0) {
        Seen seen;
        for (; j + lanes <= given.width; j += lanes) {
            const Cells cells(given, j);
            for (std::size_t i = 0; i < given.rows; ++i) {
                const Lanes x = cells[i];
                const Lanes as_used = x == x ? x : Lanes{};
                seen.see(as_used, as_used);
                put(used + i * given.width + j, as_used);
            }
        }
#ifdef THRESHER_NARROWER
        if (j < given.width) return seen.all() + THRESHER_NARROWER::take(given, used, j);
#endif
        return seen.all();
    }

    // The same by scales that do not move.
    THRESHER_TARGET static NumbersSeen scale(NumberRows given, const Scales& scales, double* used, std::size_t j = 0) {
        Seen seen;
        for (; j + lanes <= given.width; j += lanes) {
            const Lanes mean = load(&scales.mean[j]), deviation = load(&scales.deviation[j]);
            const Cells cells(given, j);
            for (std::size_t i = 0; i < given.rows; ++i) {
                const Lanes x = cells[i];
                const Lanes as_used = ((x == x) & (deviation > 0.0)) ? (x - mean) / deviation : Lanes{};
                seen.see(x, as_used);
                put(used + i * given.width + j, as_used);
            }
        }
#ifdef THRESHER_NARROWER
        if (j < given.width) return seen.all() + THRESHER_NARROWER::scale(given, scales, used, j);
#endif
        return seen.all();
    }

    // The same by scales that move with each number. A number with which one leaps is not good.
    THRESHER_TARGET static NumbersSeen move(NumberRows given, const Scales& before, Scales& after, double* used,
                                            std::size_t j = 0) {
        Seen seen;
        const Shares shares(before, given.rows);
        for (; j + lanes <= given.width; j += lanes) {
            State state(before, j, shares);
            const Cells cells(given, j);
            for (std::size_t i = 0; i < given.rows; ++i) {
                const Lanes x = cells[i], count = state.count, squares = state.squares;
                Lanes share;
                const Bits there = state.add(x, shares.of[i], share);
                const Lanes deviation = root(state.squares * share);
                const Lanes as_used = (there & (deviation > 0.0)) ? (x - state.mean) / deviation : Lanes{};
                seen.see(x, as_used);
                seen.bad |= (count >= Scale::some) & (squares > 0.0) & (state.squares > Scale::far * squares);
                put(used + i * given.width + j, as_used);
            }
            state.give(after, j);
        }
#ifdef THRESHER_NARROWER
        if (j < given.width) return seen.all() + THRESHER_NARROWER::move(given, before, after, used, j);
#endif
        return seen.all();
    }

    // Ranks of rows that lie side by side, `together` of each column, one column behind the other: put in order.
    template <class Rank>
    THRESHER_TARGET static void sort(Rank* ranks, const Rank* end, std::size_t columns, const Exchanges& exchanges) {
        if constexpr (sizeof(Ranks<Rank>) <= sizeof(Lanes)) {
            if (columns <= few_columns) return sort_few<1>(ranks, end, columns);
        }
        for (; ranks != end; ranks += together * columns) {
            for (const auto& [low, high] : exchanges) {
                Ranks<Rank> a, b;
                std::memcpy(&a, ranks + together * low, sizeof a);
                std::memcpy(&b, ranks + together * high, sizeof b);
                exchange(a, b);
                std::memcpy(ranks + together * low, &a, sizeof a);
                std::memcpy(ranks + together * high, &b, sizeof b);
            }
        }
    }

    // Whether a slot is that of its neighbour.
    THRESHER_TARGET static bool repeats(const std::int32_t* slots, std::size_t count) {
        std::int32_t some = 0;
        for (std::size_t i = 0; i + 1 < count; ++i) some |= slots[i] == slots[i + 1];
        return some != 0;
    }

    // What the scales are behind the rows, and nothing else.
    THRESHER_TARGET static void foresee(NumberRows given, Scales& scales, std::size_t j = 0) {
        const Shares shares(scales, given.rows);
        foresee<beside>(given, shares, scales, j);
#ifdef THRESHER_NARROWER
        const std::size_t over = (given.width - j) % lanes;
        if (over > 0) THRESHER_NARROWER::foresee(given, scales, given.width - over);
#endif
    }

  private:
    template <class Rank>
    using Ranks [[gnu::vector_size(together * sizeof(Rank))]] = Rank;

    template <class Vector>
    [[gnu::always_inline]] THRESHER_TARGET static void exchange(Vector& low, Vector& high) {
        const Vector least = low < high ? low : high;
        high = low < high ? high : low;
        low = least;
    }

    // The same of so few columns that registers hold them, each in one: what to exchange is known here, not looked up.
    static constexpr std::size_t few_columns = 16;
    template <std::size_t Columns, class Rank>
    THRESHER_TARGET static void sort_few(Rank* ranks, const Rank* end, std::size_t columns) {
        if constexpr (Columns <= few_columns) {
            if (columns > Columns) return sort_few<Columns + 1>(ranks, end, columns);
            sort_each<Columns>(ranks, end, std::make_index_sequence<network_of<Columns>.size()>());
        }
    }
    template <std::size_t Columns, class Rank, std::size_t... Each>
    THRESHER_TARGET static void sort_each(Rank* ranks, const Rank* end, std::index_sequence<Each...>) {
        for (; ranks != end; ranks += together * Columns) {
            Ranks<Rank> row[Columns];
            for (std::size_t c = 0; c < Columns; ++c) std::memcpy(&row[c], ranks + together * c, sizeof row[c]);
            (exchange(row[network_of<Columns>[Each].first], row[network_of<Columns>[Each].second]), ...);
            for (std::size_t c = 0; c < Columns; ++c) std::memcpy(ranks + together * c, &row[c], sizeof row[c]);
        }
    }

    static constexpr std::size_t beside = 4;  // registers of columns: a number waits for the one before it

    // What each number is of all so far, in rows where none is missing: columns that have as many share it.
    struct Shares {
        [[gnu::always_inline]] THRESHER_TARGET Shares(const Scales& scales, std::size_t rows)
            : before(scales.count[0]) {
            double count = before;
            for (std::size_t i = 0; i < rows; ++i) of[i] = count += 1.0;  // as a scale counts, beyond 2^53, too
            for (std::size_t i = 0; i < rows; ++i) of[i] = 1.0 / of[i];
        }

        double before;  // so many numbers
        double of[NumberRows::most_rows];
    };

    // A register of columns.
    struct Cells {
        const double* columns[lanes];

        Cells() = default;
        [[gnu::always_inline]] THRESHER_TARGET Cells(const NumberRows& given, std::size_t j) {
            for (std::size_t k = 0; k < lanes; ++k) columns[k] = given.columns[j + k] + given.from;
        }
        [[gnu::always_inline]] THRESHER_TARGET Lanes operator[](std::size_t i) const {
#if THRESHER_LANES == 8
            return Lanes{columns[0][i], columns[1][i], columns[2][i], columns[3][i],
                         columns[4][i], columns[5][i], columns[6][i], columns[7][i]};
#elif THRESHER_LANES == 4
            return Lanes{columns[0][i], columns[1][i], columns[2][i], columns[3][i]};
#else
            return Lanes{columns[0][i], columns[1][i]};
#endif
        }
    };

    struct State {
        Lanes count, mean, squares;
        bool alike;  // all counts are those of the shares

        State() = default;
        [[gnu::always_inline]] THRESHER_TARGET State(const Scales& scales, std::size_t j, const Shares& shares)
            : count(load(&scales.count[j])),
              mean(load(&scales.mean[j])),
              squares(load(&scales.squares[j])),
              alike(every(count == shares.before)) {}
        [[gnu::always_inline]] THRESHER_TARGET void give(Scales& scales, std::size_t j) const {
            put(&scales.count[j], count);
            put(&scales.mean[j], mean);
            put(&scales.squares[j], squares);
        }

        // Which numbers are there, and so were added; and the share of each of these.
        [[gnu::always_inline]] THRESHER_TARGET Bits add(Lanes x, double known, Lanes& share) {
            const Bits there = x == x;
            const Lanes more = count + 1.0, before = x - mean;
            share = alike ? Lanes{} + known : 1.0 / more;
            const Lanes centre = mean + before * share;
            const Lanes sum = squares + before * (x - centre);
            if (every(there)) {
                count = more;
                mean = centre;
                squares = sum;
            } else {
                alike = false;
                count = there ? more : count;
                mean = there ? centre : mean;
                squares = there ? sum : squares;
            }
            return there;
        }
    };

    struct Seen {
        Bits bad{}, zero{};

        // A number that is missing is not bad.
        [[gnu::always_inline]] THRESHER_TARGET void see(Lanes x, Lanes used) {
            bad |= (size_of(x) > largest_value) | (size_of(used) > largest_value);
            zero |= used == 0.0;
        }
        [[gnu::always_inline]] THRESHER_TARGET NumbersSeen all() const {
            NumbersSeen seen;
            for (std::size_t k = 0; k < lanes; ++k) {
                seen.good = seen.good && bad[k] == 0;
                seen.dense = seen.dense && zero[k] == 0;
            }
            return seen;
        }
    };

    template <std::size_t Beside>
    THRESHER_TARGET static void foresee(NumberRows given, const Shares& shares, Scales& scales, std::size_t j) {
        for (; j + Beside * lanes <= given.width; j += Beside * lanes) {
            State states[Beside];
            Cells cells[Beside];
            for (std::size_t p = 0; p < Beside; ++p) {
                states[p] = State(scales, j + p * lanes, shares);
                cells[p] = Cells(given, j + p * lanes);
            }
            for (std::size_t i = 0; i < given.rows; ++i) {
                Lanes share;
                for (std::size_t p = 0; p < Beside; ++p) states[p].add(cells[p][i], shares.of[i], share);
            }
            for (std::size_t p = 0; p < Beside; ++p) states[p].give(scales, j + p * lanes);
        }
        if constexpr (Beside > 1) foresee<Beside - 1>(given, shares, scales, j);
    }

    [[gnu::always_inline]] THRESHER_TARGET static Lanes size_of(Lanes x) {
        return (Lanes)((Bits)x & (Bits{} + std::numeric_limits<std::int64_t>::max()));
    }
    [[gnu::always_inline]] THRESHER_TARGET static Lanes load(const double* from) {
        Lanes values;
        std::memcpy(&values, from, sizeof values);
        return values;
    }
    [[gnu::always_inline]] THRESHER_TARGET static void put(double* to, Lanes values) {
        std::memcpy(to, &values, sizeof values);
    }
    [[gnu::always_inline]] THRESHER_TARGET static bool every(Bits bits) {
#if defined(THRESHER_HAS_AVX2) && THRESHER_LANES == 8
        return _mm512_movepi64_mask((__m512i)bits) == 255;
#elif defined(THRESHER_HAS_AVX2) && THRESHER_LANES == 4
        return _mm256_movemask_pd((__m256d)bits) == 15;
#elif defined(THRESHER_HAS_AVX2)
        return _mm_movemask_pd((__m128d)bits) == 3;
#else
        std::int64_t all = -1;
        for (std::size_t k = 0; k < lanes; ++k) all &= bits[k];
        return all != 0;
#endif
    }
    [[gnu::always_inline]] THRESHER_TARGET static Lanes root(Lanes x) {
#if defined(THRESHER_HAS_AVX2) && THRESHER_LANES == 8
        return (Lanes)_mm512_maskz_sqrt_pd(255, (__m512d)x);  // GCC 12 warns of the plain one
#elif defined(THRESHER_HAS_AVX2) && THRESHER_LANES == 4
        return (Lanes)_mm256_sqrt_pd((__m256d)x);
#elif defined(THRESHER_HAS_AVX2)
        return (Lanes)_mm_sqrt_pd((__m128d)x);
#else
        Lanes roots;
        for (std::size_t k = 0; k < lanes; ++k) roots[k] = std::sqrt(x[k]);
        return roots;
#endif
    }
};
