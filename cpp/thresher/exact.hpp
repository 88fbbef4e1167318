// Whether a sum of powers reaches a threshold, in whole numbers: for the rounds in which doubles cannot tell.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <vector>

namespace thresher {

__extension__ using Wide = unsigned __int128;

// A whole number of any size, from 0 on; its least word first.
class Whole {
  public:
    explicit Whole(std::uint64_t value = 0) {
        if (value != 0) words_.push_back(value);
    }

    void multiply(std::uint64_t factor) {
        Wide carry = 0;
        for (auto& word : words_) {
            carry += static_cast<Wide>(word) * factor;
            word = static_cast<std::uint64_t>(carry);
            carry >>= 64;
        }
        if (carry != 0) words_.push_back(static_cast<std::uint64_t>(carry));
    }

    // Adds value * 2^shift.
    void add(std::uint64_t value, std::size_t shift) {
        if (value == 0) return;
        const std::size_t first = shift / 64;
        words_.resize(std::max(words_.size(), first + 2), 0);
        Wide carry = static_cast<Wide>(value) << shift % 64;
        for (std::size_t i = first; carry != 0; ++i) {
            if (i == words_.size()) words_.push_back(0);
            carry += words_[i];
            words_[i] = static_cast<std::uint64_t>(carry);
            carry >>= 64;
        }
        trim();
    }

    void add(const Whole& other) {
        for (std::size_t i = 0; i < other.words_.size(); ++i) add(other.words_[i], 64 * i);
    }

    void shift(std::size_t bits) {
        if (words_.empty()) return;
        if (bits % 64 != 0) multiply(std::uint64_t{1} << bits % 64);
        words_.insert(words_.begin(), bits / 64, 0);
    }

    bool operator<(const Whole& other) const {
        if (words_.size() != other.words_.size()) return words_.size() < other.words_.size();
        return std::lexicographical_compare(words_.rbegin(), words_.rend(), other.words_.rbegin(), other.words_.rend());
    }

  private:
    void trim() {
        while (!words_.empty() && words_.back() == 0) words_.pop_back();
    }
    std::vector<std::uint64_t> words_;
};

// A positive double as odd * 2^two, exactly.
struct Dyadic {
    std::uint64_t odd;
    int two;

    explicit Dyadic(double value) {
        two = 0;
        odd = static_cast<std::uint64_t>(std::ldexp(std::frexp(value, &two), 53));
        two -= 53;
        for (; odd % 2 == 0; odd /= 2) ++two;
    }
};

enum class Order { below, equal, above, unknown };

// How far exponents may lie apart, and from 0. Numbers of more than 2^18 bits are not made: with a factor so near 1
// that the exponents take them, doubles decide.
inline std::int64_t most_exponents(double factor) {
    const Dyadic base(factor);
    return (std::int64_t{1} << 18) / std::max<int>(std::bit_width(base.odd), std::abs(base.two));
}

// The sum of factor^e over whole exponents, the largest first, in units of a^last 2^(k last + down (first - last)),
// where factor = a 2^k and down is -k or 0: by Horner's rule from `first`, which is at least each of them, to `last`.
inline Whole sum_of_powers(const Dyadic& base, const std::vector<std::int64_t>& exponents, std::int64_t first,
                           std::int64_t last) {
    const auto up = static_cast<std::size_t>(std::max(base.two, 0)),
               down = static_cast<std::size_t>(std::max(-base.two, 0));
    Whole sum;
    std::int64_t at = first;
    const auto fall_to = [&](std::int64_t exponent) {
        for (; at > exponent; --at) {
            sum.multiply(base.odd);
            sum.shift(up);
        }
    };
    for (const std::int64_t exponent : exponents) {
        fall_to(exponent);
        sum.add(1, down * static_cast<std::size_t>(first - exponent));
    }
    fall_to(last);
    return sum;
}

// How the sum of factor^e over whole `exponents`, at least one, compares with `threshold`.
inline Order compare_powers(double factor, std::vector<std::int64_t>& exponents, double threshold) {
    std::sort(exponents.begin(), exponents.end(), std::greater<>());
    const Dyadic base(factor), goal(threshold);
    const std::int64_t first = exponents.front(), last = exponents.back();
    const std::int64_t reach =
        std::max(std::max(first, std::int64_t{0}) - std::min(last, std::int64_t{0}), std::int64_t{1});
    if (reach > most_exponents(factor)) return Order::unknown;
    const auto down = static_cast<std::int64_t>(std::max(-base.two, 0));
    Whole sum = sum_of_powers(base, exponents, first, last), other(goal.odd);
    // Now the left side is sum * a^last * 2^left, the right side goal.odd * 2^goal.two.
    for (std::int64_t i = 0; i < last; ++i) sum.multiply(base.odd);
    for (std::int64_t i = last; i < 0; ++i) other.multiply(base.odd);
    const std::int64_t left = base.two * last - down * (first - last);
    (left > goal.two ? sum : other).shift(static_cast<std::size_t>(std::abs(left - goal.two)));
    return sum < other ? Order::below : other < sum ? Order::above : Order::equal;
}

// Whether the least exponent of `more` alone outweighs all of `less`, both in order; seen in doubles, with room to
// spare.
inline bool settled(double factor, const std::vector<std::int64_t>& more, const std::vector<std::int64_t>& less) {
    double all = static_cast<double>(less.size());
    for (std::int64_t e = more.front(); e < less.front() && all >= 0.5; ++e) all *= factor;
    return all < 0.5;
}

// How the sum of factor^e over `left` compares with that over `right`, for a factor below 1 and exponents of at least
// 0. What both hold cancels first: where the two hold the same, no number has to be made.
inline Order compare_sums(double factor, std::vector<std::int64_t> left, std::vector<std::int64_t> right) {
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    std::vector<std::int64_t> more, less;
    std::set_difference(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(more));
    std::set_difference(right.begin(), right.end(), left.begin(), left.end(), std::back_inserter(less));
    if (more.empty() || less.empty()) {
        return more.empty() && less.empty() ? Order::equal : less.empty() ? Order::above : Order::below;
    }
    if (settled(factor, more, less)) return Order::above;
    if (settled(factor, less, more)) return Order::below;
    const std::int64_t last = std::min(more.front(), less.front()), reach = last + most_exponents(factor);
    const std::int64_t first = std::min(std::max(more.back(), less.back()), reach);
    // Powers beyond the reach are not made at first: each is at most factor^first.
    std::vector<std::int64_t> beyond[2];
    for (auto* const side : {&more, &less}) {
        const auto end = std::upper_bound(side->begin(), side->end(), first);
        beyond[side == &less].assign(end, side->end());
        side->erase(end, side->end());
        std::reverse(side->begin(), side->end());
    }
    const Dyadic base(factor);
    Whole over = sum_of_powers(base, more, first, last), under = sum_of_powers(base, less, first, last);
    const bool above = under < over;
    if (!above && !(over < under)) return compare_sums(factor, std::move(beyond[0]), std::move(beyond[1]));
    Whole slack(beyond[0].size() + beyond[1].size());
    for (std::int64_t i = last; i < first; ++i) slack.multiply(base.odd);
    (above ? under : over).add(slack);
    if (above) return under < over ? Order::above : Order::unknown;
    return over < under ? Order::below : Order::unknown;
}

}  // namespace thresher
