// A bank: lanes of many rules side by side. What all of them know of a slot lies together in one record, so that a row
// is read once: one sweep scores all lanes, all judge, and those that move do so.
//
// One sweep makes of all planes what their groups want to know of a row (Made in lanes/lanes.hpp). Groups of which it
// wants dot products alone lie first in a record. Where values below 0 have come, the lanes that need attributes of
// their own for them have a second, smaller record a slot, behind all others.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "arithmetic.hpp"
#include "canonical.hpp"
#include "group.hpp"
#include "lanes/adagrad.hpp"
#include "lanes/arow.hpp"
#include "lanes/averaged.hpp"
#include "lanes/constant.hpp"
#include "lanes/first_order.hpp"
#include "lanes/invariant.hpp"
#include "lanes/reader.hpp"
#include "lanes/scaled_winnow.hpp"
#include "rows.hpp"

namespace thresher {

// What comes out of a round, one for each lane.
template <class Real>
struct Said {
    std::int8_t* says;
    Real* scores;
};

template <class Real>
class Bank {
  public:
    explicit Bank(std::size_t n) : n_(n), memory_(0) {}

    Bank(const Bank& other)
        : negative(other.negative),
          rounds(other.rounds),
          n_(other.n_),
          order_(other.order_),
          positions_(other.positions_),
          in_order_(other.in_order_),
          stride_(other.stride_),
          plain_(other.plain_),
          again_(other.again_),
          winnow_(other.winnow_),
          below_(other.below_),
          memory_(other.memory_),
          dots_(other.dots_),
          excess_(other.excess_) {
        for (const auto& group : other.groups_) groups_.push_back(group->twin());
    }
    Bank& operator=(const Bank&) = delete;

    // A lane more; all are there before `settle`.
    void add(const Perceptron& rule) { group<FirstOrderLanes<Real>>().add(rule); }
    void add(const PassiveAggressive& rule) { group<FirstOrderLanes<Real>>().add(rule); }
    void add(const AveragedPerceptron& rule) { group<AveragedLanes<Real>>().add(rule); }
    void add(const AROW& rule) { group<ArowLanes<Real>>().add(rule); }
    template <class Loss>
    void add(const AdaGrad<Loss>& rule) {
        group<AdaGradLanes<Real>>().add(rule);
    }
    void add(const Invariant& rule) { group<InvariantLanes<Real>>().add(rule); }
    void add(const ScaledWinnow& rule) { group<ScaledWinnowLanes<Real>>().add(rule); }
    void add(const Constant& rule) { group<ConstantLanes<Real>>().add(rule); }

    // Lays the records out, and takes memory for them; for values below 0, too, if some came.
    void settle(bool below = false) {
        std::size_t at = 0, end = 0;
        for (const bool plain : {true, false}) {
            for (const auto& group : groups_) {
                if (std::ranges::all_of(group->planes(), simple) != plain) continue;
                if (!plain) plain_ = std::min(plain_, at);
                group->begin(at);
                end = std::max(end, at + group->swept());
                at += group->numbers();
            }
        }
        // Records of whole registers: they touch few lines of the cache, and one sweep needs nothing beside them.
        stride_ = (std::max(at, end) * sizeof(Real) + 31) / 32 * 32 / sizeof(Real);
        again_.resize(stride_);
        dots_.resize(stride_ + Lanes<Real>::whole(1));  // a group may read whole registers from its last lanes on
        excess_.resize(stride_);
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            for (std::size_t i = 0; i < groups_[g]->planes().size(); ++i) {
                if (groups_[g]->planes()[i].made != Made::spread) continue;
                for (std::size_t k = 0; k < wide(g, i); ++k) again_[groups_[g]->place(i, k)] = 1;
            }
            if (dynamic_cast<const ScaledWinnowLanes<Real>*>(groups_[g].get()) != nullptr) winnow_ = g;
        }
        for (const auto& [g, k] : order_) {
            std::size_t first = 0;
            for (std::size_t i = 0; i < g; ++i) first += groups_[i]->size();
            in_order_ = in_order_ && first + k == positions_.size();
            positions_.push_back(first + k);
        }
        below_ = below && winnow_ < groups_.size();
        memory_ = memory(below_at() + (below_ ? n_ : 1) * below_width());
        Real* const records = this->records();
        if (const auto first = first_record(); first != std::vector<Real>(stride_)) {  // the memory is zeros
            for (std::size_t i = 0; i < n_; ++i) std::copy_n(first.data(), stride_, records + i * stride_);
        }
        std::fill_n(records + below_at(), (below_ ? n_ : 1) * below_width(), Real{1});
    }

    std::size_t n() const { return n_; }
    std::size_t lanes() const { return order_.size(); }
    std::size_t bytes() const { return memory_.size() * sizeof(double); }
    void unshare() { memory_.unshare(); }

    Fault::Kind refuse_label(std::int8_t given) const {
        if ((given == +1) || given == static_cast<std::int8_t>(negative)) return Fault::Kind::none;
        if (given != 0 && given != -1) return Fault::Kind::label;
        return negative == Negative::unseen ? Fault::Kind::none : Fault::Kind::mixed_labels;
    }

    using Scratch = thresher::Scratch<Real>;

    // Reads a canonical row.
    template <class Row>
    Fault::Kind read(const Row& row, Scratch& scratch) const {
        return reader().read(row, scratch);
    }

    // What all lanes say of a row. The records of the row ahead are fetched meanwhile.
    void score(Scratch& scratch, const Said<Real>& said, const Ahead& ahead = {}) {
        show(scratch);
        const Plan<Real> plan{stride_, plain_, again_.data()};
        sweep_lanes(
            [&](auto sweeps) { sweeps.scan(shown_.records, shown_.terms, plan, dots_.data(), excess_.data(), ahead); });
        scores_.resize(lanes());
        says_.resize(lanes());
        const Said<Real> own = in_order_ ? said : Said<Real>{says_.data(), scores_.data()};
        std::size_t first = 0;
        for (const auto& group : groups_) {
            group->score(shown_, own.scores + first, own.says + first);
            first += group->size();
        }
        for (std::size_t i = 0; !in_order_ && i < order_.size(); ++i) {
            said.says[i] = says_[positions_[i]];
            said.scores[i] = scores_[positions_[i]];
        }
    }

    // One round of all lanes: whether any has moved. The memory is our own, and label and weight are good.
    bool learn(Scratch& scratch, std::int8_t given, double weight, const Said<Real>& said, const Ahead& ahead = {}) {
        if (scratch.negative && below_width() > 0 && !below_) grow();
        score(scratch, said, ahead);
        if (given != +1) negative = static_cast<Negative>(given);
        ++rounds;
        const auto heft = static_cast<Real>(std::min(weight, static_cast<double>(Limits<Real>::weight)));
        bool moved = false;
        for (const auto& group : groups_) {
            moved = group->learn(shown_, records(), given > 0 ? +1 : -1, heft, rounds) || moved;
        }
        return moved;
    }

    // Plays one round a row until a row has a fault: the rounds before it are learned, and it is as if it never came.
    Fault learn_block(const Block& block, const std::int8_t* labels, const double* weights, const Said<Real>& said,
                      bool* changed, std::size_t& played) {
        unshare();
        return reader().over_rows(
            block, played,
            [&](std::size_t k) -> Fault::Kind {
                if (const auto kind = refuse_label(labels[k]); kind != Fault::Kind::none) return kind;
                const double weight = weights == nullptr ? 1.0 : weights[k];
                return weight >= 0.0 && weight <= largest_weight ? Fault::Kind::none : Fault::Kind::weight;
            },
            [&](Scratch& row, const Ahead& ahead, std::size_t k) {
                changed[k] = learn(row, labels[k], weights == nullptr ? 1.0 : weights[k], at(said, k), ahead);
            });
    }

    Fault score_block(const Block& block, const Said<Real>& said, std::size_t& played) {
        return reader().over_rows(
            block, played, [](std::size_t) { return Fault::Kind::none; },
            [&](Scratch& row, const Ahead& ahead, std::size_t k) { score(row, at(said, k), ahead); });
    }

    // The state, for those who keep it: groups, their planes and heads.
    const std::vector<std::unique_ptr<Lanes<Real>>>& groups() const { return groups_; }
    // A plane, n rows of one number for each lane, or of one that all share.
    std::size_t wide(std::size_t g, std::size_t plane) const {
        return groups_[g]->planes()[plane].shared ? 1 : groups_[g]->size();
    }
    // All planes, in the order of groups and their planes, out of the records or into them: one sweep over these.
    void take_planes(std::vector<Real*> planes) const {
        each_number([&](const Real& number, std::size_t plane) { *planes[plane]++ = number; });
    }
    void set_planes(std::vector<const Real*> planes) {
        each_number([&](const Real& number, std::size_t plane) { const_cast<Real&>(number) = *planes[plane]++; });
    }
    // The weights of one lane.
    void take_weights(std::size_t lane, double* out) const {
        const auto [g, k] = order_[lane];
        if (groups_[g]->planes().empty()) return;
        for (std::size_t i = 0; i < n_; ++i) out[i] = records()[i * stride_ + groups_[g]->place(0, k)];
    }
    // What Winnow's lanes hold of values below 0: n rows of one number for each, if any such value came.
    bool below() const { return below_; }
    std::size_t winnow() const { return winnow_; }
    void take_below(Real* out) const {
        const Real* record = records() + below_at();
        const std::size_t wide = groups_[winnow_]->size();
        for (std::size_t i = 0; i < n_; ++i, record += below_width()) out = std::copy_n(record, wide, out);
    }
    void set_below(const Real* in) {
        Real* record = records() + below_at();
        const std::size_t wide = groups_[winnow_]->size();
        for (std::size_t i = 0; i < n_; ++i, record += below_width(), in += wide) std::copy_n(in, wide, record);
    }
    // Which group a lane is in, and where in it.
    std::pair<std::size_t, std::size_t> place(std::size_t lane) const { return order_[lane]; }

    Negative negative = Negative::unseen;
    std::int64_t rounds = 0;

  private:
    Said<Real> at(const Said<Real>& said, std::size_t k) const {
        return {said.says + k * lanes(), said.scores + k * lanes()};
    }

    Reader<Real> reader() const { return {n_, stride_}; }

    template <class Group>
    Group& group() {
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            if (auto* const found = dynamic_cast<Group*>(groups_[g].get())) {
                order_.push_back({g, found->size()});
                return *found;
            }
        }
        groups_.push_back(std::make_unique<Group>());
        order_.push_back({groups_.size() - 1, 0});
        return static_cast<Group&>(*groups_.back());
    }

    // Whether nothing but dot products is made of a plane.
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    static bool simple(const LanePlane& plane) { return plane.made == Made::dot || plane.made == Made::nothing; }

    std::size_t below_at() const { return (n_ + 1) * stride_; }  // one record is nobody's
    std::size_t below_width() const { return winnow_ < groups_.size() ? groups_[winnow_]->width() : 0; }

    // Memory that is there: a large page that is read before it is written may come in small pieces.
    static Plane memory(std::size_t numbers) {
        Plane plane((numbers * sizeof(Real) + 7) / 8 + 8);
        for (std::size_t i = 0; i < plane.size(); i += 512) static_cast<volatile double*>(plane.data())[i] = 0.0;
        return plane;
    }
    Real* records() { return reinterpret_cast<Real*>(memory_.data()); }
    const Real* records() const { return reinterpret_cast<const Real*>(memory_.data()); }

    // What every slot begins with.
    std::vector<Real> first_record() const {
        std::vector<Real> record(stride_);
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            for (std::size_t i = 0; i < groups_[g]->planes().size(); ++i) {
                for (std::size_t k = 0; k < wide(g, i); ++k) {
                    record[groups_[g]->place(i, k)] = static_cast<Real>(groups_[g]->planes()[i].first);
                }
            }
        }
        return record;
    }

    // Calls use(number, plane) for each number of each record, plane after plane.
    template <class Use>
    void each_number(Use&& use) const {
        struct Place {
            std::size_t at, plane;
        };
        std::vector<Place> places;
        for (std::size_t g = 0, plane = 0; g < groups_.size(); ++g) {
            for (std::size_t i = 0; i < groups_[g]->planes().size(); ++i, ++plane) {
                for (std::size_t k = 0; k < wide(g, i); ++k) places.push_back({groups_[g]->place(i, k), plane});
            }
        }
        for (std::size_t i = 0; i < n_; ++i) {
            const Real* const record = records() + i * stride_;
            for (const Place& place : places) use(record[place.at], place.plane);
        }
    }

    // Records for values below 0: until they are there, one that no lane has moved yet stands for all of them.
    void grow() {
        Plane larger = memory(below_at() + n_ * below_width());
        std::copy_n(records(), below_at(), reinterpret_cast<Real*>(larger.data()));
        memory_ = larger;
        below_ = true;
        std::fill_n(records() + below_at(), n_ * below_width(), Real{1});
    }

    void show(Scratch& scratch) {
        shown_.terms = {scratch.at.data(), scratch.values.data(), scratch.size, scratch.count};
        shown_.square = scratch.square;
        shown_.largest = scratch.largest;
        shown_.binary = scratch.binary;
        shown_.records = records();
        shown_.dots = dots_.data();
        shown_.excess = excess_.data();
        shown_.sizes = shown_.terms;
        if (below_width() == 0 || !scratch.negative) return;
        const std::size_t size = scratch.size, first = groups_[winnow_]->first();
        scratch.sizes_at.resize(size);
        scratch.sizes.resize(size);
        for (std::size_t j = 0; j < size; ++j) {
            const Real value = scratch.values[j];
            const std::size_t slot = below_ ? static_cast<std::size_t>(scratch.at[j]) / stride_ : 0;
            // The place of the plane in its record is added where it is read.
            const std::size_t below = below_at() + slot * below_width() - first;
            scratch.sizes_at[j] = value >= 0 ? scratch.at[j] : static_cast<std::int64_t>(below);
            scratch.sizes[j] = std::fabs(value);
        }
        shown_.sizes = {scratch.sizes_at.data(), scratch.sizes.data(), size, scratch.count};
    }

    std::size_t n_;
    std::vector<std::unique_ptr<Lanes<Real>>> groups_;
    std::vector<std::pair<std::size_t, std::size_t>> order_;  // of each lane its group, and its place in it
    std::vector<std::size_t> positions_;                      // and its place among all lanes, group after group
    bool in_order_ = true;                                    // whether lanes were given group after group
    std::size_t stride_ = 0, plain_ = none;              // the numbers of a record, and how many of them are simple
    std::vector<Real> again_;                            // 1 for those that are multiplied by x twice, else 0
    std::size_t winnow_ = static_cast<std::size_t>(-1);  // the group that needs records for values below 0
    bool below_ = false;                                 // whether they are there
    Plane memory_;
    Shown<Real> shown_{};
    std::vector<Real> dots_, excess_, scores_;
    std::vector<std::int8_t> says_;
};

}  // namespace thresher
