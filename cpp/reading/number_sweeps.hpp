// The sweeps over numbers of a table, for one instruction set. number_kernels.hpp reads this twice, and says how many
// doubles a register holds and what to compile for: one text, so one arithmetic and the same bits. Each column computes
// as it would alone, as `Scale` has it.

struct THRESHER_SWEEPS {
    static constexpr std::size_t lanes = THRESHER_LANES, parts = side_by_side / lanes;
    typedef double Lanes __attribute__((vector_size(8 * lanes)));
    typedef std::int64_t Bits __attribute__((vector_size(8 * lanes)));

    // Numbers as they are, row behind row; 0 where they are missing.
    THRESHER_TARGET static NumbersSeen take(const NumberRows& given, double* used) {
        Seen seen;
        for (std::size_t j = 0; j < given.width; j += lanes) {
            for (std::size_t i = 0; i < given.rows; ++i) {
                const Lanes x = cells(given, j, i);
                const Lanes as_used = x == x ? x : Lanes{};
                seen.see(as_used, as_used);
                put(used + i * given.width + j, as_used);
            }
        }
        return seen.all();
    }

    // The same by scales that do not move.
    THRESHER_TARGET static NumbersSeen scale(const NumberRows& given, const Scales& scales, double* used) {
        Seen seen;
        for (std::size_t j = 0; j < given.width; j += lanes) {
            const Lanes mean = load(&scales.mean[j]), deviation = load(&scales.deviation[j]);
            for (std::size_t i = 0; i < given.rows; ++i) {
                const Lanes x = cells(given, j, i);
                const Bits there = x == x;
                const Lanes as_used = (there & (deviation > 0.0)) ? (x - mean) / deviation : Lanes{};
                seen.see(there ? x : Lanes{}, as_used);
                put(used + i * given.width + j, as_used);
            }
        }
        return seen.all();
    }

    // The same by scales that move with each number. A number with which one leaps is not good.
    THRESHER_TARGET static NumbersSeen move(const NumberRows& given, const Scales& before, Scales& after,
                                            double* used) {
        Seen seen;
        for (std::size_t j = 0; j < given.width; j += side_by_side) {
            State states[parts];
            for (std::size_t p = 0; p < parts; ++p) states[p] = State::of(before, j + p * lanes);
            for (std::size_t i = 0; i < given.rows; ++i) {
                for (std::size_t p = 0; p < parts; ++p) {  // beside each other, so that neither waits for itself
                    State& state = states[p];
                    const Lanes x = cells(given, j + p * lanes, i);
                    const Lanes count = state.count, squares = state.squares;
                    const Bits there = state.add(x);
                    const Lanes deviation = root(state.squares / state.count);
                    const Lanes as_used = (there & (deviation > 0.0)) ? (x - state.mean) / deviation : Lanes{};
                    seen.see(there ? x : Lanes{}, as_used);
                    seen.good &=
                        ~(there & (count >= Scale::some) & (squares > 0.0) & (state.squares > Scale::far * squares));
                    put(used + i * given.width + j + p * lanes, as_used);
                }
            }
            for (std::size_t p = 0; p < parts; ++p) states[p].give(after, j + p * lanes);
        }
        return seen.all();
    }

    // Ranks of rows that lie side by side, `together` of each column, one column behind the other: put in order.
    template <class Rank>
    THRESHER_TARGET static void sort(Rank* ranks, const Rank* end, std::size_t columns, const Exchanges& exchanges) {
        typedef Rank Ranks __attribute__((vector_size(together * sizeof(Rank))));
        for (; ranks != end; ranks += together * columns) {
            for (const auto& [low, high] : exchanges) {
                Ranks a, b;
                std::memcpy(&a, ranks + together * low, sizeof a);
                std::memcpy(&b, ranks + together * high, sizeof b);
                const Ranks least = a < b ? a : b, most = a < b ? b : a;
                std::memcpy(ranks + together * low, &least, sizeof least);
                std::memcpy(ranks + together * high, &most, sizeof most);
            }
        }
    }

    // What the scales are behind the rows, and nothing else.
    THRESHER_TARGET static void foresee(const NumberRows& given, Scales& scales) { foresee<beside>(given, scales, 0); }

  private:
    static constexpr std::size_t beside = THRESHER_LANES == 4 ? 5 : 2;  // times four columns, which registers hold

    // Columns from j on, so many fours beside each other: a number waits for the division of the one before it.
    template <std::size_t Fours>
    THRESHER_TARGET static void foresee(const NumberRows& given, Scales& scales, std::size_t j) {
        constexpr std::size_t all = Fours * parts;
        for (; j + Fours * side_by_side <= given.width; j += Fours * side_by_side) {
            State states[all];
            for (std::size_t p = 0; p < all; ++p) states[p] = State::of(scales, j + p * lanes);
            for (std::size_t i = 0; i < given.rows; ++i) {
                for (std::size_t p = 0; p < all; ++p) states[p].add(cells(given, j + p * lanes, i));
            }
            for (std::size_t p = 0; p < all; ++p) states[p].give(scales, j + p * lanes);
        }
        if constexpr (Fours > 1) foresee<Fours - 1>(given, scales, j);
    }

    struct State {
        Lanes count, mean, squares;

        [[gnu::always_inline]] THRESHER_TARGET static State of(const Scales& scales, std::size_t j) {
            return {load(&scales.count[j]), load(&scales.mean[j]), load(&scales.squares[j])};
        }
        [[gnu::always_inline]] THRESHER_TARGET void give(Scales& scales, std::size_t j) const {
            put(&scales.count[j], count);
            put(&scales.mean[j], mean);
            put(&scales.squares[j], squares);
        }

        // Which numbers are there, and so were added.
        [[gnu::always_inline]] THRESHER_TARGET Bits add(Lanes x) {
            const Bits there = x == x;
            const Lanes more = count + 1.0, before = x - mean;
            const Lanes centre = mean + before / more;
            const Lanes sum = squares + before * (x - centre);
            count = there ? more : count;
            mean = there ? centre : mean;
            squares = there ? sum : squares;
            return there;
        }
    };

    struct Seen {
        Bits good = ~Bits{}, dense = ~Bits{};

        [[gnu::always_inline]] THRESHER_TARGET void see(Lanes x, Lanes used) {
            good &= (size_of(x) <= largest_value) & (size_of(used) <= largest_value);
            dense &= used != 0.0;
        }
        [[gnu::always_inline]] THRESHER_TARGET NumbersSeen all() const {
            NumbersSeen seen;
            for (std::size_t k = 0; k < lanes; ++k) {
                seen.good = seen.good && good[k] != 0;
                seen.dense = seen.dense && dense[k] != 0;
            }
            return seen;
        }
    };

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
    [[gnu::always_inline]] THRESHER_TARGET static Lanes cells(const NumberRows& given, std::size_t j, std::size_t i) {
        const double* const* const columns = given.columns + j;
        const std::size_t row = given.from + i;
#if THRESHER_LANES == 4
        return Lanes{columns[0][row], columns[1][row], columns[2][row], columns[3][row]};
#else
        return Lanes{columns[0][row], columns[1][row]};
#endif
    }
    [[gnu::always_inline]] THRESHER_TARGET static Lanes root(Lanes x) {
#if defined(THRESHER_HAS_AVX2) && THRESHER_LANES == 4
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
