// Lanes: learners side by side in one bank, of one rule and different parameters. SIMD runs across them.
//
// Every lane does the arithmetic of its rule alone, operation by operation, in the bank's precision: so at float64 it
// has the bits of the learner, and at float32 those of a bank that holds no other lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../arithmetic.hpp"
#include "lines.hpp"

namespace thresher {

// How far numbers go in a precision. At float64 the limits are those of the learners, which nothing reaches; lanes at
// float32 see values clipped to 2^40 and none below 2^-40, and weights of examples up to 2^20, so that no sum of theirs
// can become infinite and none but squares of gradients can be multiplied into infinity, where a slot stops to move.
template <class Real>
struct Limits;

template <>
struct Limits<double> {
    static constexpr double value = largest_value, smallest = 0.0, weight = largest_weight, state = largest_state;
    static constexpr double gradient = 0x1p-500, met = 0x1p-250, lowest = 0x1p-200, highest = 0x1p300;
};

template <>
struct Limits<float> {
    static constexpr float value = 0x1p40f, smallest = 0x1p-40f, weight = 0x1p20f, state = 0x1p60f;
    static constexpr float gradient = 0x1p-50f, met = 0x1p-40f, lowest = 0x1p-100f, highest = 0x1p60f;
};

// Terms of a row: where in the records each slot begins, and its value. Their number is a multiple of 4: behind `count`
// of them come some of value 0 in a record that is nobody's.
template <class Real>
struct Terms {
    const std::int64_t* at;
    const Real* values;
    std::size_t size;
    std::size_t count;
};

// Terms of later rows than the one that is shown: their records will be needed. It goes by registers, as two words do.
struct Ahead {
    const std::int64_t* at = nullptr;
    std::size_t size = 0;
};

// What is known of a row's values beside themselves.
template <class Real>
struct Facts {
    Real square;    // the sum of squared values, in canonical order
    Real largest;   // of the sizes
    bool negative;  // whether a value is below 0
    bool good;      // false if one is 0, not a number, or beyond the limits
};

// What lanes are shown of a row.
template <class Real>
struct Shown {
    const Terms<Real>& terms;
    const Facts<Real>& facts;
    const Terms<Real>& sizes;  // |x|, each at the record of its slot and its sign: what lanes that need [0, 1] see
    const Real* records;
    const Real *dots, *excess;  // for each number of a record, what was made of it: dot products and spreads, excesses
};

// What a step of the invariant rule reaches: see sweeps.hpp.
template <class Real>
struct Reach {
    Real norm, sum;
};

// What lanes of first order judge by, one number for each, in whole registers: see first_order.hpp.
template <class Real>
struct FirstOrder {
    const Real *dummies, *ties, *margins, *most, *normalize;
    Real *bias_weights, *scores, *norms, *steps;
};

// What the bank makes of a plane and a row, for all planes in one sweep.
enum class Made {
    nothing,
    dot,     // the sum of its numbers times x
    spread,  // the sum of its numbers times x, times x again
    excess,  // the largest |x| less its number, or 0
};

struct LanePlane {
    const char* name;
    double first;  // what every slot begins with
    Made made;
    bool shared;  // one number a slot for all lanes, instead of one for each
};

// How records are swept: `numbers` of them in whole registers; of the first `plain` nothing but dot products is wanted,
// and behind them `again` is 1 where a number is multiplied by x twice, else 0. `twice` says whether any is, and
// `excess` whether an excess is wanted of any.
template <class Real>
struct Plan {
    std::size_t numbers, plain;
    const Real* again;
    bool twice, excess;
};

template <class Real>
struct LaneHead {
    const char* name;
    Numbers<Real>* values;  // one a lane
};

// A group of lanes. The bank says once where in a record its numbers begin; `place(i, k)` is where that of plane i and
// lane k lies. What every row needs is not virtual, so that it is compiled into the round (part.hpp); each kind of
// group has it by the same names:
//   score(sweeps, row, scores, says)               scores and predictions of all lanes; row.dots[place(i, k)] is what
//                                                  was made of plane i and lane k
//   learn(sweeps, row, records, label, weight, t)  what follows from the label in the t-th round: the lanes that move
//                                                  do so, and it says whether any did; `score` came right before
// `sweeps` are those of the instruction set (kernels.hpp), which is asked for once for many rows.
template <class Real>
class alignas(lines) Lanes {
  public:
    virtual ~Lanes() = default;
    virtual std::unique_ptr<Lanes> twin() const = 0;
    virtual const char* name() const = 0;
    virtual std::span<const LanePlane> planes() const = 0;
    virtual std::vector<LaneHead<Real>> heads() = 0;
    virtual double bias_weight(std::size_t lane) const = 0;

    // A group has plane after plane, unless its sweeps want the numbers of a lane side by side.
    virtual std::size_t place(std::size_t plane, std::size_t lane) const {
        std::size_t before = 0;
        for (std::size_t i = 0; i < plane; ++i) before += planes()[i].shared ? 1 : size();
        return first_ + before + lane;
    }
    virtual std::size_t numbers() const { return place(planes().size(), 0) - first_; }
    std::size_t size() const { return size_; }
    std::size_t first() const { return first_; }
    void begin(std::size_t first) { first_ = first; }
    // Where its lanes begin among those of all groups.
    std::size_t column() const { return column_; }
    void line_up(std::size_t column) { column_ = column; }
    // The lanes with those that fill up whole registers: what is read and judged, but never written, in a record.
    std::size_t width() const { return whole(size()); }
    // How many numbers its sweeps read and write: what is beyond its own they leave as they found it.
    virtual std::size_t swept() const { return numbers(); }
    static constexpr std::size_t whole(std::size_t lanes) { return (lanes + 3) / 4 * 4; }

  protected:
    Lanes() = default;
    Lanes(const Lanes&) = default;
    // One lane more: its number.
    std::size_t join() { return size_++; }

  private:
    std::size_t size_ = 0, first_ = 0, column_ = 0;
};

// One parameter or head, a number for each lane, with room for whole registers.
template <class Real>
Numbers<Real> for_lanes(std::size_t lanes, Real value = Real{}) {
    return Numbers<Real>(Lanes<Real>::whole(lanes), value);
}

}  // namespace thresher
