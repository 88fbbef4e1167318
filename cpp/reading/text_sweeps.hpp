// Text several tokens at a time, for one instruction set. text_kernels.hpp reads this twice, and says how many words of
// 64 bits a register holds and what to compile for. First the marks between tokens are found, then as many tokens as
// there are words in a register are read side by side. What is not plain is left to those who read one token after the
// other, and would read these the same.

struct THRESHER_SWEEPS {
    static constexpr std::size_t lanes = THRESHER_LANES;
    static constexpr bool hashes = lanes == 8;  // where a product of 64 bits is one instruction: else it is no gain
    typedef std::uint64_t Words __attribute__((vector_size(8 * lanes)));
    typedef std::int64_t Facts __attribute__((vector_size(8 * lanes)));
    typedef double Doubles __attribute__((vector_size(8 * lanes)));
    typedef std::uint32_t Places __attribute__((vector_size(4 * lanes)));
    typedef std::int32_t Slots __attribute__((vector_size(4 * lanes)));

    // The marks in the next `size` bytes of a line.
    THRESHER_TARGET static void find(const char* text, std::size_t size, Marks& marks) {
        find<false>(text, size, marks);
    }

    // The same until before a bar, or a byte that does not print.
    THRESHER_TARGET static void find_names(const char* text, std::size_t size, Marks& marks) {
        find<true>(text, size, marks);
    }

    // The features `index:value` between marks, from a number on until before one that is not plain: its index has one
    // to eight digits, its value is one digit, or 0. and one to eight, and not 0. None, if there are fewer than
    // `lanes`.
    THRESHER_TARGET static Swept features(const char* text, const Marks& marks, std::size_t from, Indices indices,
                                          std::int32_t* slots, double* values) {
        const std::size_t count = std::min(marks.colon_count, marks.blank_count);
        Slots last = Slots{} - 1, ascending = ~Slots{};
        const auto group = [&](std::size_t i, Slots& order) __attribute__((always_inline)) THRESHER_TARGET {
            claim(slots + (i - from), lanes);
            claim(values + (i - from), lanes);
            return indexed(text, marks, i, indices, slots + (i - from), values + (i - from), last, order);
        };
        std::size_t i = from;
        for (; i + lanes <= count; i += lanes) {
            if (!group(i, ascending)) return {i - from, all(ascending)};
        }
        if (i == from || i == count) return {i - from, all(ascending)};
        const std::size_t again = count - lanes;  // the last ones, of which some were read already
        last[lanes - 1] = slots[again - from - 1];
        Slots order = ascending;
        if (group(again, order)) return {count - from, all(order)};
        return {i - from, all(ascending)};
    }

    // The hashes of the names between blanks, or with `Valued` between a blank and a colon, whose values are plain as
    // above. Until before a name for which a prefix and it have more bytes than are hashed in one way.
    template <bool Valued>
    THRESHER_TARGET static std::size_t names(const char* text, const Marks& marks, Prefix prefix, std::uint64_t* hashes,
                                             double* values) {
        const std::size_t count = Valued ? std::min(marks.colon_count, marks.blank_count) : marks.blank_count;
        std::size_t i = 0;
        for (; i + lanes <= count; i += lanes) {
            if (!named<Valued>(text, marks, i, prefix, hashes + i, values + i)) return i;
        }
        if (i == 0 || i == count) return i;
        const std::size_t again = count - lanes;
        return named<Valued>(text, marks, again, prefix, hashes + again, values + again) ? count : i;
    }

#if THRESHER_LANES == 8
    // The place that each of some hashes has among all of them, by its first bits, and where these are alike as they
    // came.
    THRESHER_TARGET static void rank(const std::uint64_t* hashes, std::size_t size, Ranking& ranking) {
        for (std::size_t i = 0; i < size; ++i) {
            const auto first_bits = static_cast<std::uint32_t>(hashes[i] >> 32) & ~std::uint32_t{0xFF};
            ranking.keys[i] = static_cast<std::int32_t>((first_bits | static_cast<std::uint32_t>(i)) ^ 0x80000000u);
        }
        if (size <= 16) return rank_in<1>(size, ranking);
        if (size <= 32) return rank_in<2>(size, ranking);
        if (size <= 48) return rank_in<3>(size, ranking);
        if (size <= 64) return rank_in<4>(size, ranking);
        rank_in<5>(size, ranking);
    }
#endif

  private:
    struct Found {
        std::uint64_t colons, blanks, others;  // a bit for each of 64 bytes
    };

    template <bool Names>
    [[gnu::always_inline]] THRESHER_TARGET static void find(const char* text, std::size_t size, Marks& marks) {
        std::uint32_t* colons = marks.colons;
        std::uint32_t* blanks = marks.blanks + 1;
        std::size_t from = 0;
        Found found = in<Names>(text);
        for (; from + 64 < size && (!Names || found.others == 0); found = in<Names>(text + from)) {
            colons = put(found.colons, from, colons);
            blanks = put(found.blanks, from, blanks);
            from += 64;
        }
        std::size_t last = std::min<std::size_t>(size - from - 1, 63);
        if (Names && found.others != 0) last = std::min<std::size_t>(last, std::countr_zero(found.others));
        const std::uint64_t end = std::uint64_t{1} << last, until = end | (end - 1);
        colons = put(found.colons & until, from, colons);
        blanks = put((found.blanks & until) | (text[from + last] == '\n' ? end : 0), from, blanks);
        marks.colon_count = static_cast<std::size_t>(colons - marks.colons);
        marks.blank_count = static_cast<std::size_t>(blanks - marks.blanks) - 1;
    }

    [[gnu::always_inline]] THRESHER_TARGET static bool indexed(const char* text, const Marks& marks, std::size_t i,
                                                               Indices indices, std::int32_t* slots, double* values,
                                                               Slots& last, Slots& ascending) {
        const Places start = load(marks.blanks + i) + 1, colon = load(marks.colons + i), size = colon - start;
        Places bad = (size - 1) & ~7u;
        const Words digits = (words(text, marks.blanks + i, 1) ^ ascii_zeros) << ((64 - 8 * widened(size)) & 63);
        Words bad_words = not_digits(digits);
        const Words slot = number(digits) - indices.first;
        bad_words |= (Words)(slot >= indices.n);
        const Doubles value = fractions(text, marks, i, bad, bad_words);
        bad_words |= (Words)(value == 0.0);
        if (!none(bad, bad_words)) return false;
        const Slots narrow = __builtin_convertvector(slot, Slots);
        ascending &= narrow > one_before(last, narrow);
        last = narrow;
        std::memcpy(slots, &narrow, sizeof narrow);
        std::memcpy(values, &value, sizeof value);
        return true;
    }

    template <bool Valued>
    [[gnu::always_inline]] THRESHER_TARGET static bool named(const char* text, const Marks& marks, std::size_t i,
                                                             Prefix prefix, std::uint64_t* hashes, double* values) {
        const Places start = load(marks.blanks + i) + 1,
                     size = load(Valued ? marks.colons + i : marks.blanks + i + 1) - start;
        Places bad = (Places)(size - 1 >= static_cast<std::uint32_t>(xxh64::stripe - 1 - prefix.size));
        Words bad_words{};
        Doubles value = Doubles{} + 1.0;
        if constexpr (Valued) value = fractions(text, marks, i, bad, bad_words);
        if (!none(bad, bad_words)) return false;
        const Words hash = hashed(text, marks.blanks + i, widened(size), prefix);
        std::memcpy(hashes, &hash, sizeof hash);
        std::memcpy(values, &value, sizeof value);
        return true;
    }

#if THRESHER_LANES == 8
    // The same in so many registers of 16 numbers.
    template <std::size_t Registers>
    [[gnu::always_inline]] THRESHER_TARGET static void rank_in(std::size_t size, Ranking& ranking) {
        typedef std::int32_t Many __attribute__((vector_size(64)));
        const __m512i one = _mm512_set1_epi32(1);
        Many own[Registers], places[Registers] = {};
        std::memcpy(own, ranking.keys, sizeof own);
        for (std::size_t j = 0; j < size; ++j) {
            const __m512i other = _mm512_set1_epi32(ranking.keys[j]);
            for (std::size_t r = 0; r < Registers; ++r) {
                const __mmask16 after = _mm512_cmpgt_epi32_mask((__m512i)own[r], other);
                places[r] = (Many)_mm512_mask_add_epi32((__m512i)places[r], after, (__m512i)places[r], one);
            }
        }
        std::memcpy(ranking.places, places, sizeof places);
    }
#endif

    // The numbers that fill the text between colons and the blanks after them.
    [[gnu::always_inline]] THRESHER_TARGET static Doubles fractions(const char* text, const Marks& marks, std::size_t i,
                                                                    Places& bad, Words& bad_words) {
        const std::uint32_t* const colons = marks.colons + i;
        const Places size = load(marks.blanks + i + 1) - load(colons) - 1, heads = halves(text, colons);
        if (all((heads & 0xFFFFFFu) == (':' | '0' << 8 | '.' << 16))) {
            bad |= (size - 3) & ~7u;
            const Words kept = ~Words{} >> ((80 - 8 * widened(size)) & 63);
            const Words digits = (words(text, colons, 3) ^ ascii_zeros) & kept;
            bad_words |= not_digits(digits);
            return doubles(number(digits)) / 1e8;  // as if there were always eight digits: the quotient is the same
        }
        const Places digit = ((heads >> 8) & 0xFFu) - '0';
        bad |= (Places)(digit > 9) | (size ^ 1);
        return __builtin_convertvector((Slots)digit, Doubles);
    }

    // XXH64 of texts of fewer bytes than a stripe, each of which begins with the prefix; `size` is that of the rest.
    [[gnu::always_inline]] THRESHER_TARGET static Words hashed(const char* text, const std::uint32_t* blanks,
                                                               Words size, Prefix prefix) {
        using namespace xxh64;
        Words word = words(text, blanks, 1) << static_cast<int>(8 * prefix.size) | prefix.word;
        size += prefix.size;
        Words h = start(0) + size;
        std::int64_t read = 8;
        for (Facts more = (Facts)size >= read; any(more); more = (Facts)size >= read) {
            h = more ? rotl<27>(h ^ rotl<31>(word * p2) * p1) * p1 + p4 : h;
            word = more ? words(text, blanks, 1 + read - static_cast<std::int64_t>(prefix.size)) : word;
            read += 8;
        }
        const Facts four = (size & 4) != 0;
        h = four ? rotl<23>(h ^ (word & 0xFFFFFFFFu) * p1) * p2 + p3 : h;
        word = four ? word >> 32 : word;
        for (std::int64_t k = 0; k < 3; ++k, word >>= 8) {
            h = (Facts)(size & 3) > k ? rotl<11>(h ^ (word & 0xFF) * p5) * p1 : h;
        }
        h = (h ^ (h >> 33)) * p2;
        h = (h ^ (h >> 29)) * p3;
        return h ^ (h >> 32);
    }

    template <int Bits>
    [[gnu::always_inline]] THRESHER_TARGET static Words rotl(Words words) {
        return words << Bits | words >> (64 - Bits);
    }
    [[gnu::always_inline]] THRESHER_TARGET static Places load(const std::uint32_t* from) {
        Places places;
        std::memcpy(&places, from, sizeof places);
        return places;
    }
    [[gnu::always_inline]] THRESHER_TARGET static Words widened(Places places) {
        return __builtin_convertvector(places, Words);
    }
    [[gnu::always_inline]] THRESHER_TARGET static Words not_digits(Words d) {
        return ((d + 0x0606060606060606u) | d) & 0xF0F0F0F0F0F0F0F0u;
    }
    [[gnu::always_inline]] THRESHER_TARGET static Doubles doubles(Words below_2_to_52) {
        return (Doubles)(below_2_to_52 | 0x4330000000000000u) - 0x1p52;
    }
    // What stands so many bytes behind a place.
    [[gnu::always_inline]] static long long word(const char* text, std::uint32_t place, std::int64_t further) {
        return little_endian<long long>(text + static_cast<std::int32_t>(place) + further);
    }
    [[gnu::always_inline]] static int half(const char* text, std::uint32_t place) {
        return little_endian<int>(text + place);
    }

#if THRESHER_LANES == 8
    template <bool Names>
    [[gnu::always_inline]] THRESHER_TARGET static Found in(const char* at) {
        const __m512i text = _mm512_loadu_si512(at);
        Found found{equal(text, ':'), equal(text, ' '), 0};
        if constexpr (Names) {
            found.others = _mm512_cmplt_epu8_mask(text, _mm512_set1_epi8(' ')) | equal(text, '|') | equal(text, 0x7F);
        }
        return found;
    }
    [[gnu::always_inline]] THRESHER_TARGET static std::uint64_t equal(__m512i text, char c) {
        return _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(c));
    }
    [[gnu::always_inline]] THRESHER_TARGET static std::uint32_t* put(std::uint64_t found, std::size_t from,
                                                                     std::uint32_t* to) {
        alignas(64) std::uint8_t places[64];
        const __m512i all = _mm512_load_si512(places_in_64.data());
        const __m512i base = _mm512_set1_epi32(static_cast<int>(from));
        const __m512i first = _mm512_maskz_compress_epi8(found, all);
        const auto count = static_cast<std::size_t>(__builtin_popcountll(found));
        _mm512_storeu_si512(to, _mm512_add_epi32(base, sixteen(_mm512_maskz_extracti32x4_epi32(0xF, first, 0))));
        if (count > 16) [[unlikely]] {
            _mm512_store_si512(places, first);
            for (std::size_t k = 16; k < count; ++k) to[k] = static_cast<std::uint32_t>(from) + places[k];
        }
        return to + count;
    }
    [[gnu::always_inline]] THRESHER_TARGET static __m512i sixteen(__m128i bytes) {
        return _mm512_maskz_cvtepu8_epi32(0xFFFF, bytes);
    }
    [[gnu::always_inline]] THRESHER_TARGET static Words words(const char* text, const std::uint32_t* at,
                                                              std::int64_t further) {
        return (Words)_mm512_set_epi64(word(text, at[7], further), word(text, at[6], further),
                                       word(text, at[5], further), word(text, at[4], further),
                                       word(text, at[3], further), word(text, at[2], further),
                                       word(text, at[1], further), word(text, at[0], further));
    }
    [[gnu::always_inline]] THRESHER_TARGET static Places halves(const char* text, const std::uint32_t* at) {
        return (Places)_mm256_set_epi32(half(text, at[7]), half(text, at[6]), half(text, at[5]), half(text, at[4]),
                                        half(text, at[3]), half(text, at[2]), half(text, at[1]), half(text, at[0]));
    }
    [[gnu::always_inline]] THRESHER_TARGET static Words number(Words d) {
        const __m512i pairs = _mm512_maddubs_epi16((__m512i)d, _mm512_set1_epi16(0x010A));
        const __m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00010064));
        return (Words)_mm512_maskz_mul_epu32(0xFF, fours, _mm512_set1_epi64(10000)) + ((Words)fours >> 32);
    }
    [[gnu::always_inline]] THRESHER_TARGET static Slots one_before(Slots last, Slots slots) {
        return (Slots)_mm256_alignr_epi32((__m256i)slots, (__m256i)last, 7);
    }
    [[gnu::always_inline]] THRESHER_TARGET static bool all(Slots facts) {
        return _mm256_movepi32_mask((__m256i)facts) == 0xFF;
    }
    [[gnu::always_inline]] THRESHER_TARGET static bool any(Facts facts) {
        return _mm512_movepi64_mask((__m512i)facts) != 0;
    }
    [[gnu::always_inline]] THRESHER_TARGET static bool none(Places bad, Words bad_words) {
        const __m512i both = (__m512i)(bad_words | widened(bad));
        return _mm512_test_epi64_mask(both, both) == 0;
    }
#else
    template <bool Names>
    [[gnu::always_inline]] THRESHER_TARGET static Found in(const char* at) {
        const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)),
                      high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 32));
        Found found{equal(low, high, ':'), equal(low, high, ' '), 0};
        if constexpr (Names) {
            const __m256i control = _mm256_set1_epi8(0x1F);
            found.others = equal(low, high, '|') | equal(low, high, 0x7F) |
                           bits(_mm256_cmpeq_epi8(_mm256_min_epu8(low, control), low),
                                _mm256_cmpeq_epi8(_mm256_min_epu8(high, control), high));
        }
        return found;
    }
    [[gnu::always_inline]] THRESHER_TARGET static std::uint64_t equal(__m256i low, __m256i high, char c) {
        const __m256i all = _mm256_set1_epi8(c);
        return bits(_mm256_cmpeq_epi8(low, all), _mm256_cmpeq_epi8(high, all));
    }
    [[gnu::always_inline]] THRESHER_TARGET static std::uint64_t bits(__m256i low, __m256i high) {
        const auto first = static_cast<std::uint32_t>(_mm256_movemask_epi8(low));
        const auto second = static_cast<std::uint32_t>(_mm256_movemask_epi8(high));
        return first | static_cast<std::uint64_t>(second) << 32;
    }
    [[gnu::always_inline]] THRESHER_TARGET static std::uint32_t* put(std::uint64_t found, std::size_t from,
                                                                     std::uint32_t* to) {
        std::uint32_t* const end = to + __builtin_popcountll(found);
        do {  // eight, whether they are there or not: how many are is hard to guess
            for (int k = 0; k < 8; ++k, found &= found - 1)
                *to++ = static_cast<std::uint32_t>(from) + static_cast<std::uint32_t>(std::countr_zero(found));
        } while (found != 0);
        return end;
    }
    [[gnu::always_inline]] THRESHER_TARGET static Words words(const char* text, const std::uint32_t* at,
                                                              std::int64_t further) {
        return (Words)_mm256_set_epi64x(word(text, at[3], further), word(text, at[2], further),
                                        word(text, at[1], further), word(text, at[0], further));
    }
    [[gnu::always_inline]] THRESHER_TARGET static Places halves(const char* text, const std::uint32_t* at) {
        return (Places)_mm_set_epi32(half(text, at[3]), half(text, at[2]), half(text, at[1]), half(text, at[0]));
    }
    [[gnu::always_inline]] THRESHER_TARGET static Words number(Words d) {
        const __m256i pairs = _mm256_maddubs_epi16((__m256i)d, _mm256_set1_epi16(0x010A));
        const __m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00010064));
        return (Words)_mm256_mul_epu32(fours, _mm256_set1_epi64x(10000)) + ((Words)fours >> 32);
    }
    [[gnu::always_inline]] THRESHER_TARGET static Slots one_before(Slots last, Slots slots) {
        return (Slots)_mm_alignr_epi8((__m128i)slots, (__m128i)last, 12);
    }
    [[gnu::always_inline]] THRESHER_TARGET static bool all(Slots facts) {
        return _mm_movemask_epi8((__m128i)facts) == 0xFFFF;
    }
    [[gnu::always_inline]] THRESHER_TARGET static bool any(Facts facts) {
        return _mm256_movemask_pd((__m256d)facts) != 0;
    }
    [[gnu::always_inline]] THRESHER_TARGET static bool none(Places bad, Words bad_words) {
        const __m256i both = (__m256i)(bad_words | widened(bad));
        return _mm256_testz_si256(both, both) != 0;
    }
#endif
};
