// Rows as lanes are shown them: a sheet of some that follow each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lanes.hpp"
#include "lines.hpp"

namespace thresher {

// How many terms before it is scored the record of a term is fetched: as many lines are under way at once.
inline constexpr std::size_t far = 192;

// A row on a sheet: its terms, and what is known of their values.
//
// What is written in pieces and then read as a whole is waited for, until all that came before it is done. So a row's
// terms are written here, long before it is played, and from then on handed by reference.
template <class Real>
struct Line {
    Terms<Real> terms{};
    Facts<Real> facts{0, 0, false, true};
};

template <class Real>
class Sheet {
  public:
    Sheet() = default;
    Sheet(Sheet&&) = default;
    Sheet& operator=(Sheet&&) = default;

    std::size_t rows() const { return count_; }
    std::size_t terms() const { return end_; }
    const Line<Real>& operator[](std::size_t k) const { return rows_[k]; }
    const Terms<Real>& terms(std::size_t k) const { return rows_[k].terms; }

    void clear() { count_ = end_ = 0; }

    // Room behind the rows for one of so many terms, which is not among them until it is kept.
    struct Room {
        Line<Real>& row;
        std::int64_t* at;
        Real* values;
    };
    Room hold(std::size_t terms) {
        const std::size_t size = (terms + 3) / 4 * 4;
        if (count_ == rows_.size()) rows_.resize(std::max<std::size_t>(16, 2 * count_));
        if (values_.size() < end_ + size) grow(std::max(end_ + size, 2 * values_.size()));
        Line<Real>& row = rows_[count_];
        row.terms.at = at_.data() + end_;
        row.terms.values = values_.data() + end_;
        row.terms.size = size;
        row.terms.count = terms;
        return {row, at_.data() + end_, values_.data() + end_};
    }
    void keep() { end_ += rows_[count_++].terms.size; }

    void keep_empty() {
        hold(0).row.facts = Line<Real>{}.facts;
        keep();
    }

    // The places `far` terms behind those of row k: of later rows, and behind the last what the next sheet lent, or
    // what lay there before.
    const std::int64_t* later(std::size_t k) const { return rows_[k].terms.at + far; }
    void borrow(const Sheet& next) { std::copy_n(next.at_.data(), std::min(far, next.end_), at_.data() + end_); }

  private:
    void grow(std::size_t room) {
        at_.resize(room + far);
        values_.resize(room);
        std::size_t first = 0;
        for (std::size_t k = 0; k < count_; ++k) {
            rows_[k].terms.at = at_.data() + first;
            rows_[k].terms.values = values_.data() + first;
            first += rows_[k].terms.size;
        }
    }

    Numbers<std::int64_t> at_ = Numbers<std::int64_t>(far);
    Numbers<Real> values_;
    Numbers<Line<Real>> rows_;
    std::size_t count_ = 0, end_ = 0;  // of rows and terms that are there
};

}  // namespace thresher
