// The sweeps over a portfolio's lanes, for one instruction set. vote.hpp reads this twice, and says how many doubles a
// register holds and what to compile for: one text, so one arithmetic and the same bits.
//
// Lanes come in blocks of eight, and there is room for whole blocks of weights and sizes, the last filled up with lanes
// without weight. A sum over all of them is eight partial sums, lane i into sum i mod 8.

struct THRESHER_VOTES {
    static constexpr std::size_t lanes = THRESHER_LANES, parts = block / lanes;
    typedef double Lanes __attribute__((vector_size(8 * lanes)));
    typedef std::int64_t Bits __attribute__((vector_size(8 * lanes)));
    typedef std::int8_t Bytes __attribute__((vector_size(lanes)));

    // What lanes that say this come to: shares of the weight, and the combined score. Where they learn, the sizes of
    // their scores are counted. `followed` says that another row lies behind this one: then the last block may be read
    // whole, and what is not of this row has neither weight nor unit.
    template <bool learn, class Score>
    THRESHER_TARGET static void look(const std::int8_t* says, const Score* scores, const double* w, const double* units,
                                     double* sizes, std::size_t n, bool followed, Shares& shares) {
        Lanes plus[parts] = {}, neither[parts] = {}, total[parts] = {}, mean[parts] = {};
        std::int8_t few_says[block] = {};
        Score few_scores[block] = {};
        for (std::size_t i = 0; i < n; i += block) {
            const std::int8_t* said = says + i;
            const Score* score = scores + i;
            if (n - i < block && !followed) [[unlikely]] {
                for (std::size_t j = 0; j < n - i; ++j) {
                    few_says[j] = said[j];
                    few_scores[j] = score[j];
                }
                said = few_says;
                score = few_scores;
            }
            for (std::size_t k = 0; k < parts; ++k) {
                Bytes bytes;
                Lanes s, weight, all;
                std::memcpy(&bytes, said + k * lanes, sizeof bytes);
                load(score + k * lanes, s);
                std::memcpy(&weight, w + i + k * lanes, sizeof weight);
                std::memcpy(&all, sizes + i + k * lanes, sizeof all);
                const Bits label = widened(bytes);
                plus[k] += masked(label > 0, weight);
                neither[k] += masked(label == 0, weight);
                total[k] += weight;
                bound(s);
                Lanes unit, ratio;
                std::memcpy(&unit, units + i + k * lanes, sizeof unit);
                ratio = s * unit;
                const Lanes most = Lanes{} + largest_ratio;
                ratio = ratio > most ? most : ratio;
                ratio = ratio < -most ? -most : ratio;
                mean[k] += weight * ratio;
                if constexpr (learn) {
                    all +=
                        reinterpret_cast<Lanes>(reinterpret_cast<Bits>(s) & std::numeric_limits<std::int64_t>::max());
                    std::memcpy(sizes + i + k * lanes, &all, sizeof all);
                }
            }
        }
        const double all = sum(total);
        shares.plus = sum(plus) / all;
        shares.neither = sum(neither) / all;
        shares.mean = sum(mean) / all;
    }

    // What each lane loses, the price if it was wrong; and its mistakes are counted. Whether one of those has weight.
    THRESHER_TARGET static bool charge(const std::int8_t* says, std::int8_t truth, double price, const double* w,
                                       double* lost, std::int64_t* mistakes, std::size_t n) {
        std::size_t i = 0;
        Bits weight{};
        double few = 0.0;
        for (; i + lanes <= n; i += lanes) {
            Bytes bytes;
            Bits made;
            std::memcpy(&bytes, says + i, sizeof bytes);
            std::memcpy(&made, mistakes + i, sizeof made);
            const Bits wrong = widened(bytes) != std::int64_t{truth};
            Bits own;
            std::memcpy(&own, w + i, sizeof own);
            weight |= own & wrong;
            const Lanes loss = masked(wrong, Lanes{} + price);
            made -= wrong;  // what is true is -1
            std::memcpy(lost + i, &loss, sizeof loss);
            std::memcpy(mistakes + i, &made, sizeof made);
        }
        for (; i < n; ++i) {
            const bool wrong = says[i] != truth;
            lost[i] = wrong ? price : 0.0;
            mistakes[i] += wrong;
            few += wrong ? w[i] : 0.0;
        }
        for (std::size_t k = 1; k < lanes; ++k) weight[0] |= weight[k];
        return weight[0] != 0 || few > 0.0;
    }

  private:
    THRESHER_TARGET static Lanes masked(const Bits& mask, const Lanes& x) {
        return reinterpret_cast<Lanes>(mask & reinterpret_cast<Bits>(x));
    }

    THRESHER_TARGET static Bits widened(const Bytes& bytes) {
#if defined(THRESHER_HAS_AVX2) && THRESHER_LANES == 4
        int four;  // GCC 12 goes byte by byte
        std::memcpy(&four, &bytes, sizeof four);
        return reinterpret_cast<Bits>(_mm256_cvtepi8_epi64(_mm_cvtsi32_si128(four)));
#else
        return __builtin_convertvector(bytes, Bits);
#endif
    }

    // A score that a sum can take: a lane of somebody's own may say anything.
    THRESHER_TARGET static void bound(Lanes& s) {
        const Lanes most = Lanes{} + largest_score;
        s = masked(s == s, s);
        s = s > most ? most : s;
        s = s < -most ? -most : s;
    }

    THRESHER_TARGET static void load(const double* at, Lanes& x) { std::memcpy(&x, at, sizeof x); }
    THRESHER_TARGET static void load(const float* at, Lanes& x) {
        typedef float Floats __attribute__((vector_size(4 * lanes)));
        Floats few;
        std::memcpy(&few, at, sizeof few);
        x = __builtin_convertvector(few, Lanes);
    }

    THRESHER_TARGET static double sum(const Lanes (&parted)[parts]) {
        double s[block];
        std::memcpy(s, parted, sizeof s);
        return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
    }
};
