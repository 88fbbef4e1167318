// How rows and records are read, for one instruction set: see sweeps.hpp.

struct THRESHER_READINGS : THRESHER_PACKS {
    // Reads a row in one sweep: where the records of its slots begin, its values and their facts. False if the slots do
    // not ascend or one is not below n. Every slot and value is read once: what is checked is what is used.
    template <class Index, class Value, class Real>
    THRESHER_TARGET static bool read(const Index* slots, const Value* given, std::size_t size, std::size_t n,
                                     std::size_t stride, std::int64_t* at, Real* values, Facts<Real>& facts) {
        return std::has_single_bit(stride) ? read_in<true>(slots, given, size, n, stride, at, values, facts)
                                           : read_in<false>(slots, given, size, n, stride, at, values, facts);
    }

    // The same for a row that has a value for every slot.
    template <class Value, class Real>
    THRESHER_TARGET static void read(const Value* given, std::size_t size, std::size_t stride, std::int64_t* at,
                                     Real* values, Facts<Real>& facts) {
        for (std::size_t j = 0; j < size; ++j) at[j] = static_cast<std::int64_t>(j * stride);
        for (std::size_t j = 0; j < size; ++j) values[j] = static_cast<Real>(given[j]);
        facts = look(values, size);
    }

    // The facts of a row's values.
    template <class Real>
    THRESHER_TARGET static Facts<Real> look(const Real* values, std::size_t size) {
        typedef typename Of<Real, 4 * sizeof(Real)>::Lanes V;
        Sight<V> sight;
        std::size_t j = 0;
        for (; j + 4 <= size; j += 4) {
            V four;
            load(values + j, four);
            sight.see(four);
        }
        return facts_of<Real>(sight, values + j, size - j, size);
    }

    // Dot products with the planes from `first` on, `lanes` numbers wide, in whole registers. The records of the row
    // after this one come meanwhile: a few for every few terms, so that no term has to wait for many of them.
    template <class Real>
    THRESHER_TARGET static void dots(const Real* records, const Terms<Real>& terms, std::size_t first,
                                     std::size_t lanes, Real* out, Ahead ahead = {}) {
        THRESHER_COVER(Real, lanes,
                       (lane += more_dots<V>(records, terms, first + lane, lanes - lane, out + lane, ahead)));
    }

    // What is made of all numbers of the records, two registers at a time: dot products with x, where `again` says so
    // with x twice, and behind those that are plain the largest excess of |x|. Of every eight records ahead four
    // are asked for meanwhile; who plays asks for the others when scores are known and when lanes have moved, so that
    // memory works all the time.
    template <class Real>
    THRESHER_TARGET static void scan(const Real* records, const Terms<Real>& terms, const Plan<Real>& plan, Real* dots,
                                     Real* excess, Ahead ahead) {
        std::size_t i = 0;
        for (; i + 2 * widest / sizeof(Real) <= plan.numbers; i += 2 * widest / sizeof(Real)) {
            scan_of<typename Of<Real, widest>::Lanes, 2>(records, terms, plan, i, dots, excess, ahead);
        }
        if (i + widest / sizeof(Real) <= plan.numbers) {
            scan_of<typename Of<Real, widest>::Lanes, 1>(records, terms, plan, i, dots, excess, ahead);
            i += widest / sizeof(Real);
        }
        if constexpr (widest > 32) {  // records are whole registers of 32 bytes
            if (i < plan.numbers)
                scan_of<typename Of<Real, 32>::Lanes, 1>(records, terms, plan, i, dots, excess, ahead);
        }
    }

  private:
    // What four partial sums know of a row's values. A NaN is neither small nor large, but its square is a NaN, and so
    // is the sum.
    template <class V>
    struct Sight {
        typedef std::remove_cvref_t<decltype(V{}[0])> Real;
        V squares{}, largest{}, smallest = V{} + Limits<Real>::value, lowest{};

        [[gnu::always_inline]] THRESHER_TARGET void see(const V& value) {
            squares += value * value;
            see(value, size_of<V>(value), size_of<V>(value));
        }
        // Twice as many.
        template <class Both>
        [[gnu::always_inline]] THRESHER_TARGET void see_both(const Both& values) {
            const Both square = values * values, length = size_of<Both>(values);
            squares += low(square);
            squares += high(square);
            const V one = low(length), other = high(length);
            see(lesser<V>(low(values), high(values)), larger<V>(one, other), lesser<V>(one, other));
        }

        // Some of them; the others are like these.
        template <class Bits>
        [[gnu::always_inline]] THRESHER_TARGET void see_few(const V& value, const Bits& some) {
            squares += some ? value * value : V{};
            see(value, size_of<V>(value), size_of<V>(value));
        }

      private:
        [[gnu::always_inline]] THRESHER_TARGET void see(const V& least, const V& longest, const V& shortest) {
            largest = larger<V>(longest, largest);
            smallest = lesser<V>(shortest, smallest);
            lowest = lesser<V>(least, lowest);
        }
    };

    // The facts of a row of `size` values, the last `few` of which, less than four, were not seen yet.
    template <class Real, class V>
    [[gnu::always_inline]] THRESHER_TARGET static Facts<Real> facts_of(Sight<V>& sight, const Real* last,
                                                                       std::size_t few, std::size_t size) {
        if (few > 0) {
            const Real a = last[0], b = few > 1 ? last[1] : a,
                       c = few > 2 ? last[2] : a;  // they have been written apart
            sight.see_few(V{a, b, c, a}, V{0, 1, 2, 3} < static_cast<Real>(few));
        }
        const auto [squares, largest, smallest, lowest] = sight;
        const Real square = (squares[0] + squares[2]) + (squares[1] + squares[3]);
        const Real high = std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3]));
        const Real low = std::min(std::min(smallest[0], smallest[1]), std::min(smallest[2], smallest[3]));
        const bool negative = std::min(std::min(lowest[0], lowest[1]), std::min(lowest[2], lowest[3])) < 0;
        const bool good = square == square && high <= Limits<Real>::value && low > 0 && low >= Limits<Real>::smallest;
        return {square, high, negative, size == 0 || good};
    }

    // Four or eight slots in 64 bits each. GCC 12 goes through memory.
    template <class Places, class Slots>
    [[gnu::always_inline]] THRESHER_TARGET static void widen(const Slots& slots, Places& places) {
#if defined(THRESHER_HAS_AVX2) && THRESHER_BYTES >= 32
        if constexpr (sizeof(Slots) == 16 && sizeof(Places) == 32) {
            places = (Places)_mm256_cvtepi32_epi64((__m128i)slots);
            return;
        }
#endif
#if defined(THRESHER_HAS_AVX2) && THRESHER_BYTES >= 64
        if constexpr (sizeof(Slots) == 32 && sizeof(Places) == 64) {
            places = (Places)_mm512_cvtepi32_epi64((__m256i)slots);
            return;
        }
#endif
        places = __builtin_convertvector(slots, Places);
    }

    // What the user holds so many terms later, into the cache: a little for every few terms, since whole rows at once
    // wait for each other. Fetching never faults.
    static constexpr std::size_t later = 1024;
    template <class Index, class Value>
    [[gnu::always_inline]] THRESHER_TARGET static void fetch_later(const Index* slots, const Value* given) {
        __builtin_prefetch(slots + later);
        __builtin_prefetch(given + later);
    }

    // Eight values, in the lanes' precision.
    template <class Value, class V>
    [[gnu::always_inline]] THRESHER_TARGET static void take_eight(const Value* given, V& values) {
        typename Of<Value, 8 * sizeof(Value)>::Lanes eight;
        load(given, eight);
        values = __builtin_convertvector(eight, V);
    }

    // `shift` says that the stride is a power of two: no vector multiplies 64 bits by 64 in one instruction.
    template <bool shift, class Index, class Value, class Real>
    THRESHER_TARGET static bool read_in(const Index* slots, const Value* given, std::size_t size, std::size_t n,
                                        std::size_t stride, std::int64_t* at, Real* values, Facts<Real>& facts) {
        typedef typename Of<Index, 4 * sizeof(Index)>::Lanes Slots;
        typedef typename Of<Real, 4 * sizeof(Real)>::Lanes V;
        Sight<V> sight;
        const int bits = std::countr_zero(stride);
        const auto wide = static_cast<std::int64_t>(stride);
        Slots before = Slots{} - 1, ascends = before;
        std::size_t j = 0;
        if constexpr (widest >= 64) {
            typedef typename Of<Index, 8 * sizeof(Index)>::Lanes Eight;
            Eight former = Eight{} - 1, rising = former;
            for (; j + 8 <= size; j += 8) {
                Eight now;
                fetch_later(slots + j, given + j);
                load(slots + j, now);
                rising &= __builtin_shufflevector(former, now, 7, 8, 9, 10, 11, 12, 13, 14) < now;
                former = now;
                typename Of<std::int64_t, 64>::Lanes slot;
                widen(now, slot);
                store(shift ? slot << bits : slot * wide, at + j);
                typename Of<Real, 8 * sizeof(Real)>::Lanes value;
                take_eight(given + j, value);
                store(value, values + j);
                sight.see_both(value);
            }
            before = high(former);
            ascends = low(rising) & high(rising);
        }
        for (; j + 4 <= size; j += 4) {
            Slots now;
            typename Of<Value, 4 * sizeof(Value)>::Lanes four;
            fetch_later(slots + j, given + j);
            load(slots + j, now);
            load(given + j, four);
            ascends &= __builtin_shufflevector(before, now, 3, 4, 5, 6) < now;
            before = now;
            typename Of<std::int64_t, 32>::Lanes slot;
            widen(now, slot);
            store(shift ? slot << bits : slot * wide, at + j);
            const V value = __builtin_convertvector(four, V);
            store(value, values + j);
            sight.see(value);
        }
        Index last = before[3];
        bool ascend = (ascends[0] & ascends[1] & ascends[2] & ascends[3]) != 0;
        const std::size_t seen = j;
        for (; j < size; ++j) {
            const Index slot = slots[j];
            ascend = ascend && last < slot;
            last = slot;
            at[j] = static_cast<std::int64_t>(slot) * wide;
            values[j] = static_cast<Real>(given[j]);
        }
        if (!ascend || (size > 0 && static_cast<std::uint64_t>(last) >= n)) return false;
        facts = facts_of<Real>(sight, values + seen, size - seen, size);
        return true;
    }
    // Up to three registers at a time; returns how many lanes it did beyond the first register.
    template <class V, class Real>
    THRESHER_TARGET static std::size_t more_dots(const Real* records, const Terms<Real>& terms, std::size_t first,
                                                 std::size_t lanes, Real* out, Ahead ahead) {
        constexpr std::size_t held = sizeof(V) / sizeof(Real);
        if (lanes >= 3 * held) return dots_in<V, 3>(records, terms, first, out, ahead);
        if (lanes >= 2 * held) return dots_in<V, 2>(records, terms, first, out, ahead);
        return dots_in<V, 1>(records, terms, first, out, ahead);
    }

    template <class V, std::size_t registers, class Real>
    THRESHER_TARGET static std::size_t dots_in(const Real* records, const Terms<Real>& terms, std::size_t first,
                                               Real* out, Ahead ahead) {
        constexpr std::size_t bytes = registers * sizeof(V);
        scan_in<V, registers, 0, false, false, Real>(records, terms, first, nullptr, out, nullptr, ahead);
        const std::size_t beside = std::min(terms.size, ahead.size);
        for (std::size_t j = 4; j < beside; j += 8) fetch_four<bytes>(records + first, ahead, j);
        for (std::size_t j = beside; j < ahead.size; j += 4) fetch_four<bytes>(records + first, ahead, j);
        return bytes / sizeof(Real) - sizeof(V) / sizeof(Real);
    }

    template <class V, std::size_t registers, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static void scan_of(const Real* records, const Terms<Real>& terms,
                                                               const Plan<Real>& plan, std::size_t i, Real* dots,
                                                               Real* excess, Ahead ahead) {
        constexpr std::size_t held = sizeof(V) / sizeof(Real);
        if (i + registers * held <= plan.plain) {
            scan_in<V, registers, 0, false, false>(records, terms, i, plan.again + i, dots + i, excess + i, ahead);
        } else if (registers > 1 && i + held <= plan.plain) {
            scan_more<V, registers, 1>(records, terms, plan, i, dots, excess, ahead);
        } else {
            scan_more<V, registers, registers>(records, terms, plan, i, dots, excess, ahead);
        }
    }

    template <class V, std::size_t registers, std::size_t special, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static void scan_more(const Real* records, const Terms<Real>& terms,
                                                                 const Plan<Real>& plan, std::size_t i, Real* dots,
                                                                 Real* excess, Ahead ahead) {
        const Real* const again = plan.again + i;
        if (!plan.twice) {
            scan_in<V, registers, special, false, true>(records, terms, i, again, dots + i, excess + i, ahead);
        } else if (!plan.excess) {
            scan_in<V, registers, special, true, false>(records, terms, i, again, dots + i, excess + i, ahead);
        } else {
            scan_in<V, registers, special, true, true>(records, terms, i, again, dots + i, excess + i, ahead);
        }
    }

    // Of the numbers from `first` on; the last `special` of the registers are not plain, and have some that are
    // multiplied twice, or some of whose excess is wanted, or both.
    template <class V, std::size_t registers, std::size_t special, bool any_twice, bool any_excess, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static void scan_in(const Real* records, const Terms<Real>& given,
                                                               std::size_t first, const Real* again, Real* dots,
                                                               Real* excess, Ahead ahead) {
        const Terms<Real> terms = given;
        constexpr std::size_t held = sizeof(V) / sizeof(Real), plain = registers - special;
        const Real* const planes = records + first;
        V sums[4][registers] = {}, most[registers] = {}, twice[registers];
        for (std::size_t r = plain; r < registers; ++r) load(again + r * held, twice[r]);
        for (std::size_t j = 0; j < terms.size; j += 4) {
            for (std::size_t k = 0; k < 4; ++k) {
                const Real* const at = planes + terms.at[j + k];
                const V value = all<V>(terms.values[j + k]);
                for (std::size_t r = 0; r < registers; ++r) {
                    V numbers;
                    load(at + r * held, numbers);
                    V product = numbers * value;
                    if (any_twice && r >= plain) product *= twice[r] != 0 ? value : V{} + 1;
                    if (any_excess && r >= plain) most[r] = larger<V>(size_of<V>(value) - numbers, most[r]);
                    sums[k][r] += product;
                }
            }
            if (j % 8 == 0 && j < ahead.size) fetch_four<registers * sizeof(V)>(planes, ahead, j);
        }
        for (std::size_t r = 0; r < registers; ++r) {
            store((sums[0][r] + sums[2][r]) + (sums[1][r] + sums[3][r]), dots + r * held);
            if (r >= plain) store(most[r], excess + r * held);
        }
    }

  protected:
    // The dot products of one register of numbers, where they stay.
    template <class V, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static V dot_in(const Real* records, const Terms<Real>& terms, Ahead ahead) {
        V sum;
        scan_in<V, 1, 0, false, false, Real>(records, terms, 0, nullptr, reinterpret_cast<Real*>(&sum), nullptr, ahead);
        return sum;
    }

    // What will be swept of the records ahead, so many bytes of each, into the cache: of four terms.
    template <std::size_t bytes, class Real>
    [[gnu::always_inline]] THRESHER_TARGET static void fetch_four(const Real* planes, Ahead ahead, std::size_t from) {
        for (std::size_t line = 0; line < bytes; line += 64) {
            for (std::size_t k = 0; k < 4; ++k) {
                __builtin_prefetch(reinterpret_cast<const char*>(planes + ahead.at[from + k]) + line);
            }
        }
    }
};
