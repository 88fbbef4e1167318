// Decimal numbers in text, rounded exactly: what Python's float() gives for the same characters.
//
// Everything here reads from a buffer in which a line ends with '\n' and at least 16 bytes follow it (reader.hpp sees
// to that): a '\n' is no digit, so no loop needs to be told where the text ends.
#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "../thresher/canonical.hpp"
#include "../thresher/names.hpp"

namespace thresher::reading {

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Up to eight digits at once: how many of the next eight bytes are digits, from the first on, and their number.
struct Digits {
    std::uint64_t number;
    int count;
};

inline constexpr std::uint64_t ascii_zeros = 0x3030303030303030u;

// Zero if all bytes are digits, else its lowest byte that is not zero is the first that is none; bytes are given with
// '0' taken off by exclusive or. Only a byte that is no digit carries over to those above it.
inline std::uint64_t not_digits(std::uint64_t bytes) {
    return ((bytes + 0x0606060606060606u) | bytes) & 0xF0F0F0F0F0F0F0F0u;
}

// The number that eight such bytes spell, the first being the lowest.
inline std::uint64_t eight_digits_number(std::uint64_t d) {
    d = d * 10 + (d >> 8);
    return ((d & 0x000000FF000000FFu) * 0x000F424000000064u +
            ((d >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >>
           32;
}

[[gnu::always_inline]] inline Digits eight_digits(const char* at) {
    const std::uint64_t d = little_endian<std::uint64_t>(at) ^ ascii_zeros;
    const int count = std::countr_zero(not_digits(d)) / 8;  // 8 if all are digits
    // Leading zeros take the place of what is no digit.
    return {eight_digits_number(count == 0 ? 0 : d << (64 - 8 * count)), count};
}

inline constexpr std::uint64_t whole_powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
inline constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Digits without end: appends to `number` what it can hold, and counts them all. Above 18 of them `number` is void.
inline const char* digits(const char* at, std::uint64_t& number, int& count) {
    for (;;) {
        const Digits next = eight_digits(at);
        if (count <= 18) number = number * whole_powers[next.count] + next.number;
        count += count <= 18 ? next.count : 1;
        at += next.count;
        if (next.count < 8) return at;
    }
}

// A number and where it ends; null if there is none. In registers: through memory it would wait for itself.
struct Number {
    const char* end;
    double value;
};

// The number at `start` by the library, for what the quick ways below cannot do.
[[gnu::noinline]] inline Number slow_number(const char* start) {
    const char* const first = start + (*start == '-' || *start == '+');
    const char* end = first;
    while (is_digit(*end) || *end == '.') ++end;
    std::int64_t exponent = 0;
    if (*end == 'e' || *end == 'E') {
        const char* at = end + 1;
        const bool negative = *at == '-';
        at += *at == '-' || *at == '+';
        if (is_digit(*at)) {
            for (; is_digit(*at); ++at) exponent = exponent < 1000000000 ? exponent * 10 + (*at - '0') : exponent;
            end = at;
            if (negative) exponent = -exponent;
        }
    }
    double value = 0.0;
    const auto [stop, error] = std::from_chars(start + (*start == '+'), end, value);
    if (stop != end) return {nullptr, 0.0};
    if (error == std::errc::result_out_of_range) {  // the place of the first digit that is not 0 tells in which way
        const char* point = first;
        while (is_digit(*point)) ++point;
        const char* leading = first;
        while (*leading == '0' || *leading == '.') ++leading;
        value = exponent + (point - leading) > 0 ? __builtin_inf() : 0.0;
        if (*start == '-') value = -value;
    }
    return {end, value};
}

[[gnu::noinline]] inline Number any_number(const char* at) {
    const char* const start = at;
    const bool negative = *at == '-';
    at += negative || *at == '+';
    const Digits whole = eight_digits(at);
    at += whole.count;
    std::uint64_t mantissa = whole.number;
    int exponent = 0;
    if (*at == '.') {
        const Digits part = eight_digits(at + 1);
        at += 1 + part.count;
        mantissa = mantissa * whole_powers[part.count] + part.number;
        exponent = -part.count;
        if (part.count + whole.count == 0) return {nullptr, 0.0};
    } else if (whole.count == 0) {
        return {nullptr, 0.0};
    }
    if (is_digit(*at)) return slow_number(start);  // more digits than eight
    if (*at == 'e' || *at == 'E') {
        ++at;
        const bool shrinks = *at == '-';
        at += shrinks || *at == '+';
        const Digits power = eight_digits(at);
        at += power.count;
        if (power.count == 0) return {nullptr, 0.0};
        if (power.count > 4) return slow_number(start);
        exponent += shrinks ? -static_cast<int>(power.number) : static_cast<int>(power.number);
        if (exponent < -22 || exponent > 22) return slow_number(start);
    }
    // Clinger's fast path: the mantissa and the power of ten are exact, so one operation rounds right.
    if (mantissa > std::uint64_t{1} << 53) return slow_number(start);
    const auto number = static_cast<double>(mantissa);
    const double size = exponent < 0 ? number / powers[-exponent] : number * powers[exponent];
    return {at, negative ? -size : size};
}

// The number that starts at `at`. Too large gives infinity. The two forms that fill files come first: one digit, and 0.
// with up to seven digits.
[[gnu::always_inline]] inline Number read_number(const char* at) {
    if (at[0] == '0' && at[1] == '.') {
        const Digits part = eight_digits(at + 2);
        const char* const end = at + 2 + part.count;
        if (part.count < 8 && *end <= ' ') [[likely]] {
            return {end, static_cast<double>(part.number) / powers[part.count]};
        }
    } else if (is_digit(at[0]) && at[1] <= ' ') {
        return {at + 1, static_cast<double>(at[0] - '0')};
    }
    return any_number(at);
}

// The whole number that fills the text between two places, if it has one to eight digits.
[[gnu::always_inline]] inline bool digits_between(const char* start, const char* end, std::uint64_t& number) {
    const auto size = static_cast<std::uint64_t>(end - start);
    if (size - 1 >= 8) return false;
    const std::uint64_t digits = (little_endian<std::uint64_t>(start) ^ ascii_zeros) << (64 - 8 * size);
    if (not_digits(digits) != 0) return false;
    number = eight_digits_number(digits);
    return true;
}

// The number that fills the text between two places, if there is one that a row may have.
[[gnu::always_inline]] inline bool number_between(const char* start, const char* end, double& value) {
    if (end - start == 1 && is_digit(*start)) {
        value = static_cast<double>(*start - '0');
        return true;
    }
    std::uint64_t part;
    if (start[0] == '0' && start[1] == '.' && digits_between(start + 2, end, part)) [[likely]] {
        value = static_cast<double>(static_cast<std::int64_t>(part)) / powers[end - start - 2];
        return true;
    }
    const Number read = any_number(start);
    value = read.value;
    return read.end == end && acceptable(value);
}

}  // namespace thresher::reading
