// exp, log and powers of our own, so that every platform gives the same bits; and sums that lose next to nothing.
//
// A Pair is the unevaluated sum of two doubles, `low` at most half a unit in the last place of `high`: about 106 bits.
// None of this holds near overflow or underflow; arguments stay within 2^-600 and 2^600.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace thresher {

struct Pair {
    double high = 0.0;
    double low = 0.0;
};

inline Pair two_sum(double a, double b) {
    const double sum = a + b, part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
}

inline Pair renormal(double high, double low) {
    const double sum = high + low;
    return {sum, low - (sum - high)};
}

inline Pair two_product(double a, double b) {  // Dekker: each factor in halves whose products are exact
    constexpr double splitter = 0x1p27 + 1.0;
    const auto halves = [](double x) {
        const double big = splitter * x, high = big - (big - x);
        return Pair{high, x - high};
    };
    const Pair x = halves(a), y = halves(b);
    const double product = a * b;
    return {product, ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

inline Pair operator+(Pair a, Pair b) {
    const Pair sum = two_sum(a.high, b.high), rest = two_sum(a.low, b.low);
    const Pair first = renormal(sum.high, sum.low + rest.high);
    return renormal(first.high, first.low + rest.low);
}

inline Pair operator*(Pair a, Pair b) {
    const Pair product = two_product(a.high, b.high);
    return renormal(product.high, product.low + (a.high * b.low + a.low * b.high));
}

inline Pair operator/(Pair a, Pair b) {
    const double first = a.high / b.high;
    const Pair rest = a + Pair{-first, 0.0} * b;
    const double second = rest.high / b.high;
    const Pair last = rest + Pair{-second, 0.0} * b;
    return Pair{first, 0.0} + Pair{second, 0.0} + Pair{last.high / b.high, 0.0};
}

inline constexpr Pair ln_2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

// The natural logarithm of a positive number, as 2 artanh((m - 1) / (m + 1)) + k ln 2.
inline Pair log(double x) {
    int exponent = 0;
    double m = std::frexp(x, &exponent);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2.0;
        --exponent;
    }
    const Pair s = two_sum(m, -1.0) / two_sum(m, 1.0), square = s * s;
    Pair power = s, sum{};
    for (int j = 1; j < 46; j += 2) {
        sum = sum + power / Pair{static_cast<double>(j), 0.0};
        power = power * square;
    }
    return Pair{2.0, 0.0} * sum + Pair{static_cast<double>(exponent), 0.0} * ln_2;
}

// The natural logarithm of x > 0, to within two units in the last place, as 2 artanh((m - 1) / (m + 1)) + k ln 2.
inline double quick_log(double x) {
    int exponent = 0;
    double m = std::frexp(x, &exponent);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2.0;
        --exponent;
    }
    const double s = (m - 1.0) / (m + 1.0), square = s * s;
    double sum = 0.0;
    for (int j = 23; j > 1; j -= 2) sum = (sum + 1.0 / j) * square;
    return 2.0 * (s + s * sum) + exponent * ln_2.high;
}

// e^x to within two units in the last place; 0 below e^-690.
inline double exp(Pair x) {
    if (x.high < -690.0) return 0.0;
    constexpr double ln_2_high = 0x1.62e42feep-1, ln_2_low = 0x1.a39ef35793c76p-33;  // k times the first is exact
    const double k = std::floor(x.high * 0x1.71547652b82fep0 + 0.5);
    const double r = ((x.high - k * ln_2_high) - k * ln_2_low) + x.low;
    double sum = 0.0;
    for (int j = 14; j >= 2; --j) sum = (sum + 1.0) * r / j;  // r/2 (1 + r/3 (1 + ...))
    return std::ldexp(1.0 + (r + sum * r), static_cast<int>(k));
}

inline double exp(double x) { return exp(Pair{x, 0.0}); }

// e^x - 1 for |x| at most 0.35.
inline double exp_minus_1_near_0(double x) {
    constexpr double parts[] = {0x1.6124613a86d09p-33, 0x1.1eed8eff8d898p-29, 0x1.ae64567f544e4p-26,
                                0x1.27e4fb7789f5cp-22, 0x1.71de3a556c734p-19, 0x1.a01a01a01a01ap-16,
                                0x1.a01a01a01a01ap-13, 0x1.6c16c16c16c17p-10, 0x1.1111111111111p-7,
                                0x1.5555555555555p-5,  0x1.5555555555555p-3,  0.5};  // 1/13!, ..., 1/2!
    double sum = 0.0;
    for (const double part : parts) sum = sum * x + part;
    return x + (sum * x) * x;
}

// e^x to within two units in the last place, x at most 690; 0 below e^-690. As `exp`, whose last bits model files rely
// on, but without a division: for those who need one every round.
inline double quick_exp(double x) {
    if (x < -690.0) return 0.0;
    constexpr double ln_2_high = 0x1.62e42feep-1, ln_2_low = 0x1.a39ef35793c76p-33, nearest = 0x1.8p52;
    const double k = (x * 0x1.71547652b82fep0 + nearest) - nearest;
    const double r = (x - k * ln_2_high) - k * ln_2_low;
    const auto power = static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023) << 52;
    return (1.0 + exp_minus_1_near_0(r)) * std::bit_cast<double>(power);
}

// e^x - 1, without loss where x is near 0; x at most 690.
inline double exp_minus_1(double x) { return std::fabs(x) <= 0.34 ? exp_minus_1_near_0(x) : quick_exp(x) - 1.0; }

// The same in float32, for lanes that are: e^x for x up to 87, 0 below e^-86, to within 2^-21 of itself; and ln x to
// within 2^-21 of itself, or of 1 where that is larger.
inline float quick_exp(float x) {
    if (x < -86.0f) return 0.0f;
    constexpr float ln_2_high = 0x1.62e4p-1f, ln_2_low = 0x1.7f7d1cp-20f, nearest = 0x1.8p23f;
    const float k = (x * 0x1.715476p0f + nearest) - nearest;
    const float r = (x - k * ln_2_high) - k * ln_2_low, q = r * r;
    const float part =
        r + q * ((1.0f / 2.0f + 1.0f / 6.0f * r) + q * ((1.0f / 24.0f + 1.0f / 120.0f * r) + q / 720.0f));
    return (1.0f + part) * std::bit_cast<float>(static_cast<std::uint32_t>(static_cast<std::int32_t>(k) + 127) << 23);
}
inline float quick_log(float x) {  // x above 0, no subnormal
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const auto exponent = static_cast<std::int32_t>(bits - 0x3f3504f3u) >> 23;  // m from the root of 1/2 to that of 2
    const float m = std::bit_cast<float>(bits - (static_cast<std::uint32_t>(exponent) << 23));
    const float s = (m - 1.0f) / (m + 1.0f), q = s * s;
    return 2.0f * (s + s * q * ((1.0f / 3.0f + q / 5.0f) + q * q * (1.0f / 7.0f + q / 9.0f))) +
           static_cast<float>(exponent) * 0x1.62e430p-1f;
}

// A sum that terms come to and go from again, kept in a pair; an addition is off by at most 2^-104 of the sums it
// meets.
inline void add(Pair& kept, double term) {
    const Pair sum = two_sum(kept.high, term);
    kept = renormal(sum.high, sum.low + kept.low);
}

// factor^exponent. For whole exponents up to 2^20 it is the nearest double, and so exact where a double can be.
class Powers {
  public:
    explicit Powers(double factor) : factor_(factor), log_(log(factor)) {
        for (int e = -few; e <= few; ++e) table_[e + few] = whole(static_cast<std::uint32_t>(std::abs(e)), e < 0);
    }

    double operator()(double exponent) const {
        const double size = std::fabs(exponent);
        const int near = size <= few ? static_cast<int>(exponent) : 0;
        if (static_cast<double>(near) == exponent) return table_[near + few];
        if (size <= 0x1p20 && size == std::floor(size)) return whole(static_cast<std::uint32_t>(size), exponent < 0.0);
        return exp(log_ * Pair{exponent, 0.0});
    }

    // The largest whole exponent e with factor^e <= 2^bits.
    double exponent_of(double bits) const { return std::floor((Pair{bits, 0.0} * ln_2 / log_).high); }

  private:
    double whole(std::uint32_t exponent, bool inverse) const {
        Pair power{1.0, 0.0}, square{factor_, 0.0};
        for (; exponent > 0; exponent >>= 1) {
            if (exponent & 1) power = power * square;
            if (exponent > 1) square = square * square;
        }
        return inverse ? (Pair{1.0, 0.0} / power).high : power.high;
    }

    static constexpr int few = 40;
    double factor_;
    Pair log_;
    double table_[2 * few + 1];
};

}  // namespace thresher
