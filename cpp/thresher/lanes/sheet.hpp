// Rows as lanes are shown them: a sheet of some that follow each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lanes.hpp"
#include "lines.hpp"

namespace thresher {

// How many terms before it is scored the record of a term is fetched: as many lines are under way at once.
inline constexpr std::size_t far = 128;

// A row on a sheet: where its terms begin, how many there are, and how many with those that fill them up.
template <class Real>
struct Line {
    std::size_t first = 0, count = 0, size = 0;
    Real square = 0, largest = 0;
    bool binary = true, negative = false;

    void know(const Facts<Real>& facts) {
        square = facts.square;
        largest = facts.largest;
        binary = facts.binary;
        negative = facts.negative;
    }
};

template <class Real>
class Sheet {
  public:
    std::size_t rows() const { return rows_.size(); }
    std::size_t terms() const { return end_; }
    const Line<Real>& operator[](std::size_t k) const { return rows_[k]; }
    Terms<Real> terms(std::size_t k) const {
        const Line<Real>& row = rows_[k];
        return {at_.data() + row.first, values_.data() + row.first, row.size, row.count};
    }

    void clear() {
        rows_.clear();
        end_ = 0;
    }

    // Room behind the rows for one of so many terms, which is not among them yet.
    struct Room {
        std::int64_t* at;
        Real* values;
    };
    Room hold(Line<Real>& row, std::size_t terms) {
        row.first = end_;
        row.count = terms;
        row.size = (terms + 3) / 4 * 4;
        if (values_.size() < end_ + row.size) {
            const std::size_t room = std::max(end_ + row.size, 2 * values_.size());
            at_.resize(room + far);
            values_.resize(room);
        }
        return {at_.data() + end_, values_.data() + end_};
    }
    void keep(const Line<Real>& row) {
        rows_.push_back(row);
        end_ += row.size;
    }

    void keep_empty() {
        Line<Real> row;
        row.first = end_;
        keep(row);
    }

    // The places `far` terms behind those of row k: of later rows, and behind the last what the next sheet lent, or
    // what lay there before.
    const std::int64_t* later(std::size_t k) const { return at_.data() + rows_[k].first + far; }
    void borrow(const Sheet& next) { std::copy_n(next.at_.data(), std::min(far, next.end_), at_.data() + end_); }

  private:
    Numbers<std::int64_t> at_ = Numbers<std::int64_t>(far);
    Numbers<Real> values_;
    Numbers<Line<Real>> rows_;
    std::size_t end_ = 0;
};

}  // namespace thresher
