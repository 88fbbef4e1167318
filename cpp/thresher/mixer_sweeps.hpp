// The sweeps over experts, for one instruction set. mixer_kernels.hpp reads this twice, and says how many doubles a
// register holds and what to compile for: one text, so one arithmetic and the same bits.
//
// Experts come in blocks of eight, the last one filled up with experts that have no weight. A sum over all of them is
// eight partial sums, expert i into sum i mod 8, so that none has to wait for itself.

struct THRESHER_SWEEPS {
    static constexpr std::size_t lanes = THRESHER_LANES, parts = block / lanes;
    typedef double Lanes __attribute__((vector_size(8 * lanes)));
    typedef std::int64_t Bits __attribute__((vector_size(8 * lanes)));

    // A round as it comes. A dot product that is not finite says that a loss is NaN or infinite.
    template <class Value>
    THRESHER_TARGET static Look look(const Value* given, const double* w, std::size_t n) {
        typedef Value Register __attribute__((vector_size(8 * lanes)));
        constexpr std::size_t held = sizeof(Register) / sizeof(Value), registers = block / held;
        Lanes dot[parts] = {}, total[parts] = {};
        Register low[registers], high[registers];
        for (std::size_t k = 0; k < registers; ++k) {
            low[k] = Register{} + std::numeric_limits<Value>::infinity();
            high[k] = -low[k];
        }
        Value few[block];
        double few_weights[block];
        for (std::size_t i = 0; i < n; i += block) {
            const Value* at = given + i;
            const double* weights = w + i;
            if (n - i < block) [[unlikely]] {
                at = filled(few, at, n - i, given[0]);
                weights = filled(few_weights, weights, n - i, 0.0);
            }
            for (std::size_t k = 0; k < parts; ++k) {
                Lanes loss, weight;
                load(at + k * lanes, loss);
                load(weights + k * lanes, weight);
                dot[k] += weight * loss;
                total[k] += weight;
            }
            for (std::size_t k = 0; k < registers; ++k) {  // a NaN is neither lower nor higher than anything
                Register loss;
                std::memcpy(&loss, at + k * held, sizeof loss);
                low[k] = loss < low[k] ? loss : low[k];
                high[k] = loss > high[k] ? loss : high[k];
            }
        }
        Value lows[block], highs[block];
        std::memcpy(lows, low, sizeof lows);
        std::memcpy(highs, high, sizeof highs);
        return {sum(dot), sum(total), *std::min_element(lows, lows + block), *std::max_element(highs, highs + block)};
    }

    // L += l and w *= e^(-eta (l - mid)) by a short series. The losses at `ahead` are fetched meanwhile. Most rounds at
    // a fixed rate spend their time here, so whole blocks come apart from the last.
    template <int degree, class Value>
    THRESHER_TARGET static void fall(const Value* given, const Series& series, double* losses, double* w, std::size_t n,
                                     const Value* ahead) {
        Lanes c[degree + 1];
        spread<degree>(series, c);
        std::size_t i = 0;
        for (; i + block <= n; i += block) {
            __builtin_prefetch(ahead + i);
            fall_block<degree>(given + i, c, losses + i, w + i);
        }
        if (i == n) return;
        Value few[block];
        double few_losses[block], few_weights[block];
        fall_block<degree>(filled(few, given + i, n - i, given[0]), c, filled(few_losses, losses + i, n - i, 0.0),
                           filled(few_weights, w + i, n - i, 0.0));
        put_back(few_losses, losses + i, n - i);
        put_back(few_weights, w + i, n - i);
    }

    // The sum of w e^(-eta (l - mid)) by a short series; `keep` says whether w becomes that.
    template <int degree, bool keep, class Value>
    THRESHER_TARGET static double near(const Value* given, const Series& series, double* w, std::size_t n) {
        Lanes c[degree + 1], total[parts] = {};
        spread<degree>(series, c);
        Value few[block];
        double few_weights[block];
        for (std::size_t i = 0; i < n; i += block) {
            const Value* at = given + i;
            double* weights = w + i;
            const bool last = n - i < block;
            if (last) [[unlikely]] {
                at = filled(few, at, n - i, given[0]);
                weights = filled(few_weights, weights, n - i, 0.0);
            }
            for (std::size_t k = 0; k < parts; ++k) {
                Lanes loss, weight;
                load(at + k * lanes, loss);
                load(weights + k * lanes, weight);
                step<degree>(c, loss, weight);
                total[k] += weight;
                if constexpr (keep) store(weights + k * lanes, weight);
            }
            if (keep && last) [[unlikely]]
                put_back(weights, w + i, n - i);
        }
        return sum(total);
    }

    // The same with the least loss for mid, and any losses.
    template <bool keep, class Value>
    THRESHER_TARGET static double fallen(const Value* given, double low, double eta, double* w, std::size_t n) {
        Lanes total[parts] = {};
        Value few[block];
        double few_weights[block];
        for (std::size_t i = 0; i < n; i += block) {
            const Value* at = given + i;
            double* weights = w + i;
            const bool last = n - i < block;
            if (last) [[unlikely]] {
                at = filled(few, at, n - i, given[0]);
                weights = filled(few_weights, weights, n - i, 0.0);
            }
            for (std::size_t k = 0; k < parts; ++k) {
                Lanes loss, weight;
                load(at + k * lanes, loss);
                load(weights + k * lanes, weight);
                loss = (loss - low) * (-eta * bits_of_e);
                power_of_two(loss);
                weight *= loss;
                total[k] += weight;
                if constexpr (keep) store(weights + k * lanes, weight);
            }
            if (keep && last) [[unlikely]]
                put_back(weights, w + i, n - i);
        }
        return sum(total);
    }

    // L += l; the least L. The losses at `ahead` are fetched meanwhile.
    template <class Value>
    THRESHER_TARGET static double count(const Value* given, double* losses, std::size_t n, const Value* ahead) {
        Lanes least[parts];
        for (std::size_t k = 0; k < parts; ++k) least[k] = Lanes{} + std::numeric_limits<double>::infinity();
        Value few[block];
        double few_losses[block];
        for (std::size_t i = 0; i < n; i += block) {
            const Value* at = given + i;
            double* lost = losses + i;
            __builtin_prefetch(ahead + i);
            const bool last = n - i < block;
            if (last) [[unlikely]] {
                at = filled(few, at, n - i, at[0]);
                lost = filled(few_losses, lost, n - i, lost[0]);
            }
            for (std::size_t k = 0; k < parts; ++k) {
                Lanes loss, all;
                load(at + k * lanes, loss);
                load(lost + k * lanes, all);
                all += loss;
                least[k] = all < least[k] ? all : least[k];
                store(lost + k * lanes, all);
            }
            if (last) [[unlikely]]
                put_back(lost, losses + i, n - i);
        }
        double leasts[block];
        std::memcpy(leasts, least, sizeof leasts);
        return *std::min_element(leasts, leasts + block);
    }

    // w = e^(-eta (L - least)). With `some`, of those blocks alone in which somebody lost something now.
    template <bool some, class Value>
    THRESHER_TARGET static void weigh(const Value* now, const double* losses, double least, double eta, double* w,
                                      std::size_t n) {
        double few[block];
        for (std::size_t i = 0; i < n; i += block) {
            const double* lost = losses + i;
            double* weights = w + i;
            const bool last = n - i < block;
            if constexpr (some) {
                if (std::all_of(now + i, now + std::min(n, i + block), [](Value loss) { return loss == Value{0}; })) {
                    continue;
                }
            }
            if (last) [[unlikely]]
                lost = weights = filled(few, lost, n - i, least);
            for (std::size_t k = 0; k < parts; ++k) {
                Lanes each;
                load(lost + k * lanes, each);
                each = (each - least) * (-eta * bits_of_e);
                power_of_two(each);
                store(weights + k * lanes, each);
            }
            if (last) [[unlikely]]
                put_back(weights, w + i, n - i);
        }
    }

    THRESHER_TARGET static double total(const double* w, std::size_t n) {
        Lanes total[parts] = {};
        double few[block];
        for (std::size_t i = 0; i < n; i += block) {
            const double* weights = n - i < block ? filled(few, w + i, n - i, 0.0) : w + i;
            for (std::size_t k = 0; k < parts; ++k) {
                Lanes weight;
                load(weights + k * lanes, weight);
                total[k] += weight;
            }
        }
        return sum(total);
    }

  private:
    template <int degree, class Value>
    THRESHER_TARGET static void fall_block(const Value* given, const Lanes (&c)[degree + 1], double* losses,
                                           double* w) {
        for (std::size_t k = 0; k < parts; ++k) {
            Lanes loss, all, weight;
            load(given + k * lanes, loss);
            load(losses + k * lanes, all);
            load(w + k * lanes, weight);
            all += loss;
            step<degree>(c, loss, weight);
            store(losses + k * lanes, all);
            store(w + k * lanes, weight);
        }
    }

    // w *= e^(-eta (l - mid)): the mid is c[0], the series' coefficients follow.
    template <int degree>
    THRESHER_TARGET static void step(const Lanes (&c)[degree + 1], const Lanes& loss, Lanes& weight) {
        const Lanes y = loss - c[0], q = y * y;
        Lanes rest;
        if constexpr (degree == 5) {
            rest = (c[3] + c[4] * y) + c[5] * q;
        } else {
            rest = (c[3] + c[4] * y) + ((c[5] + c[6] * y) + ((c[7] + c[8] * y) + c[9] * q) * q) * q;
        }
        weight += (weight * y) * ((c[1] + c[2] * y) + rest * q);
    }

    template <int degree>
    THRESHER_TARGET static void spread(const Series& series, Lanes (&c)[degree + 1]) {
        for (int j = 0; j <= degree; ++j) c[j] = Lanes{} + series.c[j];
    }

    // t <= 0 becomes 2^t, to within a unit in the last place, without a branch or a call; 0 below 2^-900. The
    // polynomial meets 2^f at the Chebyshev points between -1/2 and 1/2.
    THRESHER_TARGET static void power_of_two(Lanes& t) {
        constexpr double magic = 0x1.8p52;
        const Lanes floor = Lanes{} - 900.0;
        const Bits seen = t >= floor;
        t = t > floor ? t : floor;
        const Lanes shifted = t + magic, f = t - (shifted - magic), q = f * f, q2 = q * q;
        const Lanes first =
            (0x1.62e42fefa39efp-1 + 0x1.ebfbdff82c598p-3 * f) + (0x1.c6b08d704a0c2p-5 + 0x1.3b2ab6fba1ddap-7 * f) * q;
        const Lanes second = (0x1.5d87fe78a5276p-10 + 0x1.430913096fd9fp-13 * f) +
                             (0x1.ffcbfc670dcd4p-17 + 0x1.62bfd47773353p-20 * f) * q;
        const Lanes third = (0x1.b524fae627834p-24 + 0x1.e6063f7217bc6p-28 * f) + 0x1.e9d3fe3952179p-32 * q;
        const Bits scale = (reinterpret_cast<Bits>(shifted) << 52) + (std::int64_t{1023} << 52);
        t = (1.0 + f * (first + q2 * (second + q2 * third))) * reinterpret_cast<Lanes>(scale);
        t = reinterpret_cast<Lanes>(reinterpret_cast<Bits>(t) & seen);
    }

    THRESHER_TARGET static void load(const double* at, Lanes& x) { std::memcpy(&x, at, sizeof x); }
    THRESHER_TARGET static void load(const float* at, Lanes& x) { widen(at, x, std::make_index_sequence<lanes>()); }
    template <std::size_t... j>
    THRESHER_TARGET static void widen(const float* at, Lanes& x, std::index_sequence<j...>) {
        x = Lanes{static_cast<double>(at[j])...};
    }
    THRESHER_TARGET static void store(double* at, const Lanes& x) { std::memcpy(at, &x, sizeof x); }

    THRESHER_TARGET static double sum(const Lanes (&parted)[parts]) {
        double s[block];
        std::memcpy(s, parted, sizeof s);
        return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
    }

    // The last block: what there is of it, and `rest` for the others. A copy of so few is no call's worth.
    template <class Value>
    static Value* filled(Value* few, const Value* from, std::size_t size, Value rest) {
        for (std::size_t i = 0; i < block; ++i) few[i] = i < size ? from[i] : rest;
        return few;
    }
    static void put_back(const double* few, double* to, std::size_t size) {
        for (std::size_t i = 0; i < block; ++i) {
            if (i < size) to[i] = few[i];
        }
    }
};
