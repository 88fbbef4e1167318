// A part of a bank: lanes of some rules in records of their own, which one thread at a time scores and moves.
//
// One sweep makes of all planes what their groups want to know of a row (Made in lanes.hpp). Groups of which it wants
// dot products alone lie first in a record. Where values below 0 have come, the lanes that need attributes of their own
// for them have a second, smaller record a slot, behind all others.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <system_error>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "../arithmetic.hpp"
#include "adagrad.hpp"
#include "arow.hpp"
#include "averaged.hpp"
#include "constant.hpp"
#include "first_order.hpp"
#include "invariant.hpp"
#include "scaled_winnow.hpp"
#include "sheet.hpp"

namespace thresher {

// What comes out of a round, one for each lane.
template <class Real>
struct Said {
    std::int8_t* says;
    Real* scores;
};

template <class Real>
class alignas(lines) Part {
  public:
    explicit Part(std::size_t n) : n_(n), memory_(0) {}

    Part(const Part& other)
        : n_(other.n_),
          order_(other.order_),
          positions_(other.positions_),
          in_order_(other.in_order_),
          stride_(other.stride_),
          plain_(other.plain_),
          again_(other.again_),
          twice_(other.twice_),
          excesses_(other.excesses_),
          below_(other.below_),
          memory_(other.memory_),
          dots_(other.dots_),
          excess_(other.excess_),
          scores_(other.scores_),
          says_(other.says_) {
        for (const auto& group : other.groups_) own(group->twin());
    }
    Part& operator=(const Part&) = delete;

    // A lane more; all are there before `lay_out`.
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

    // Lays a record out, and says how many numbers it takes.
    std::size_t lay_out() {
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
        return (std::max(at, end) * sizeof(Real) + 31) / 32 * 32 / sizeof(Real);
    }

    // Takes memory for records of `stride` numbers, no fewer than were laid out; for values below 0, too, if some came.
    void settle(std::size_t stride, bool below) {
        stride_ = stride;
        again_.resize(stride_);
        dots_.resize(stride_ + Lanes<Real>::whole(1));  // a group may read whole registers from its last lanes on
        excess_.resize(stride_);
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            for (std::size_t i = 0; i < groups_[g]->planes().size(); ++i) {
                excesses_ = excesses_ || groups_[g]->planes()[i].made == Made::excess;
                if (groups_[g]->planes()[i].made != Made::spread) continue;
                twice_ = true;
                for (std::size_t k = 0; k < wide(g, i); ++k) again_[groups_[g]->place(i, k)] = 1;
            }
        }
        std::size_t column = 0;
        for (const auto& group : groups_) {
            group->line_up(column);
            column += group->size();
        }
        for (const auto& [g, k] : order_) {
            in_order_ = in_order_ && groups_[g]->column() + k == positions_.size();
            positions_.push_back(groups_[g]->column() + k);
        }
        scores_.resize(lanes());
        says_.resize(lanes());
        below_ = below && winnow() != nullptr;
        memory_ = memory(below_at() + (below_ ? n_ : 1) * below_width());
        Real* const records = this->records();
        if (const auto first = first_record(); first != std::vector<Real>(stride_)) {  // the memory is zeros
            for (std::size_t i = 0; i < n_; ++i) std::copy_n(first.data(), stride_, records + i * stride_);
        }
        std::fill_n(records + below_at(), (below_ ? n_ : 1) * below_width(), Real{1});
    }

    std::size_t lanes() const { return order_.size(); }
    std::size_t bytes() const { return memory_.size() * sizeof(double); }
    void unshare() { memory_.unshare(); }

    // What all lanes say of a row of a sheet. Meanwhile records of later rows are fetched, as many as it has, unless
    // there are none: that is one word, since what goes by memory in two and is read in one is waited for.
    template <class Sweeps>
    void score(Sweeps sweeps, const Line<Real>& line, Said<Real> said, const std::int64_t* later) {
        score(sweeps, shown(line), said, ahead(line, later));
        fetch(ahead(line, later), 4);
        fetch(ahead(line, later), 12);
    }

    // Round t of all lanes: whether any has moved. The memory is our own, and label and weight are good.
    template <class Sweeps>
    bool learn(Sweeps sweeps, const Line<Real>& line, std::int8_t given, double weight, std::int64_t t, Said<Real> said,
               const std::int64_t* later) {
        if (line.facts.negative && below_width() > 0 && !below_) grow();
        const auto heft = static_cast<Real>(std::min(weight, static_cast<double>(Limits<Real>::weight)));
        const int label = 2 * static_cast<int>(given > 0) - 1;  // no branch: nobody could guess it
        if (alone_ != nullptr && sweeps.template holds<Real>(lanes())) {
            return alone_->round(sweeps, line, records(), label, heft, said.scores, said.says, ahead(line, later));
        }
        const Shown<Real> shown = this->shown(line);
        score(sweeps, shown, said, ahead(line, later));
        fetch(ahead(line, later), 4);
        bool moved = false;
        each([&](auto& lanes) { moved = lanes.learn(sweeps, shown, records(), label, heft, t) || moved; });
        if (auto* const late = std::get<InvariantLanes<Real>*>(kinds_)) late->follow(sweeps, shown, records());
        fetch(ahead(line, later), 12);
        return moved;
    }

    // The state, for those who keep it: groups, and where their numbers lie in the record of each slot.
    const std::vector<std::unique_ptr<Lanes<Real>>>& groups() const { return groups_; }
    std::size_t stride() const { return stride_; }
    Real* records() { return reinterpret_cast<Real*>(memory_.data()); }
    const Real* records() const { return reinterpret_cast<const Real*>(memory_.data()); }
    // How many numbers a slot has in a plane: one for each lane, or one that all share.
    std::size_t wide(std::size_t g, std::size_t plane) const {
        return groups_[g]->planes()[plane].shared ? 1 : groups_[g]->size();
    }
    // Which group a lane is in, and where in it.
    std::pair<std::size_t, std::size_t> place(std::size_t lane) const { return order_[lane]; }
    // What Winnow's lanes hold of values below 0, if any such value came: a record a slot.
    bool below() const { return below_; }
    std::size_t below_width() const { return winnow() != nullptr ? winnow()->width() : 0; }
    Real* below_records() { return records() + below_at(); }
    const Real* below_records() const { return records() + below_at(); }

  private:
    template <class Group>
    Group& group() {
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            if (auto* const found = dynamic_cast<Group*>(groups_[g].get())) {
                order_.push_back({g, found->size()});
                return *found;
            }
        }
        own(std::make_unique<Group>());
        order_.push_back({groups_.size() - 1, 0});
        return static_cast<Group&>(*groups_.back());
    }
    void own(std::unique_ptr<Lanes<Real>> group) {
        const auto know = [&]<class Kind>(Kind*& kind) {
            if (auto* const found = dynamic_cast<Kind*>(group.get())) kind = found;
        };
        std::apply([&](auto*&... kinds) { (know(kinds), ...); }, kinds_);
        groups_.push_back(std::move(group));
        alone_ = groups_.size() == 1 ? std::get<FirstOrderLanes<Real>*>(kinds_) : nullptr;
    }

    // Every group, as what it is: so nothing is called through a pointer.
    template <class Work>
    [[gnu::always_inline]] void each(Work&& work) {
        const auto with = [&](auto* lanes) __attribute__((always_inline)) {
            if (lanes != nullptr) work(*lanes);
        };
        std::apply([&](auto*... kinds) { (with(kinds), ...); }, kinds_);
    }
    const ScaledWinnowLanes<Real>* winnow() const { return std::get<ScaledWinnowLanes<Real>*>(kinds_); }

    // Whether nothing but dot products is made of a plane.
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    static bool simple(const LanePlane& plane) { return plane.made == Made::dot || plane.made == Made::nothing; }

    std::size_t below_at() const { return (n_ + 1) * stride_; }  // one record is nobody's

    // Memory that is there: a large page that is read before it is written may come in small pieces. The system takes
    // its time to find pages, and finds twice as many for two threads.
    static Plane memory(std::size_t numbers) {
        Plane plane((numbers * sizeof(Real) + 7) / 8 + 8);
        constexpr std::size_t page = std::size_t{1} << 9, some = std::size_t{1} << 18, much = 8 * some;
        std::atomic<std::size_t> next{0};
        const auto touch = [&] {
            for (std::size_t from; (from = next.fetch_add(some)) < plane.size();) {
                for (std::size_t i = from; i < std::min(from + some, plane.size()); i += page) {
                    static_cast<volatile double*>(plane.data())[i] = 0.0;
                }
            }
        };
        std::thread other;
        if (plane.size() >= much && std::thread::hardware_concurrency() > 1) {
            try {
                other = std::thread(touch);
            } catch (const std::system_error&) {  // no more threads are to be had
            }
        }
        touch();
        if (other.joinable()) other.join();
        return plane;
    }

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

    // Records for values below 0: until they are there, one that no lane has moved yet stands for all of them.
    void grow() {
        Plane larger = memory(below_at() + n_ * below_width());
        std::copy_n(records(), below_at(), reinterpret_cast<Real*>(larger.data()));
        memory_ = larger;
        below_ = true;
        std::fill_n(records() + below_at(), n_ * below_width(), Real{1});
    }

    Shown<Real> shown(const Line<Real>& line) {
        const bool sided = below_width() > 0 && line.facts.negative;
        const Terms<Real>& sizes = sided ? sides(line.terms) : line.terms;
        return {line.terms, line.facts, sizes, records(), dots_.data(), excess_.data()};
    }

    // The sizes of values, those of values below 0 at records of their own.
    [[gnu::noinline]] const Terms<Real>& sides(const Terms<Real>& terms) {
        const std::size_t first = winnow()->first();
        sizes_at_.resize(std::max(sizes_at_.size(), terms.size));
        sizes_.resize(std::max(sizes_.size(), terms.size));
        for (std::size_t j = 0; j < terms.size; ++j) {
            const Real value = terms.values[j];
            const std::int64_t at = terms.at[j];
            const std::size_t slot = below_ ? static_cast<std::size_t>(at) / stride_ : 0;
            // The place of the plane in its record is added where it is read.
            const std::size_t below = below_at() + slot * below_width() - first;
            sizes_at_[j] = value >= 0 ? at : static_cast<std::int64_t>(below);
            sizes_[j] = std::fabs(value);
        }
        sides_ = {sizes_at_.data(), sizes_.data(), terms.size, terms.count};
        return sides_;
    }

    // Asks for the records of four of every 16 terms ahead. A call of what only fetches would be left out: it has no
    // effect.
    [[gnu::always_inline]] void fetch(Ahead ahead, std::size_t first) const {
        for (const Real* line = records(); line < records() + stride_; line += 64 / sizeof(Real)) {
            for (std::size_t j = first; j < ahead.size; j += 16) {
                for (std::size_t k = 0; k < 4; ++k) __builtin_prefetch(line + ahead.at[j + k]);
            }
        }
    }
    static Ahead ahead(const Line<Real>& line, const std::int64_t* later) {
        return {later, later == nullptr ? 0 : line.terms.size};
    }

    Plan<Real> plan() const { return {stride_, plain_, again_.data(), twice_, excesses_}; }

    template <class Sweeps>
    void score(Sweeps sweeps, const Shown<Real>& shown, Said<Real> said, Ahead ahead) {
        sweeps.scan(shown.records, shown.terms, plan(), dots_.data(), excess_.data(), ahead);
        Real* const scores = in_order_ ? said.scores : scores_.data();
        std::int8_t* const says = in_order_ ? said.says : says_.data();
        each([&](auto& lanes) { lanes.score(sweeps, shown, scores + lanes.column(), says + lanes.column()); });
        for (std::size_t i = 0; !in_order_ && i < order_.size(); ++i) {
            said.says[i] = says_[positions_[i]];
            said.scores[i] = scores_[positions_[i]];
        }
    }

    std::size_t n_;
    std::vector<std::unique_ptr<Lanes<Real>>> groups_;
    // The same by what they are. Invariant begins before all others and ends after them: its step is long in coming.
    std::tuple<InvariantLanes<Real>*, FirstOrderLanes<Real>*, AveragedLanes<Real>*, ArowLanes<Real>*,
               AdaGradLanes<Real>*, ScaledWinnowLanes<Real>*, ConstantLanes<Real>*>
        kinds_{};
    FirstOrderLanes<Real>* alone_ = nullptr;                  // where there are no others
    std::vector<std::pair<std::size_t, std::size_t>> order_;  // of each lane its group, and its place in it
    std::vector<std::size_t> positions_;                      // and its place among all lanes, group after group
    bool in_order_ = true;                                    // whether lanes were given group after group
    std::size_t stride_ = 0, plain_ = none;  // the numbers of a record, and how many of them are simple
    Numbers<Real> again_;                    // 1 for those that are multiplied by x twice, else 0
    bool twice_ = false, excesses_ = false;  // whether any are, and whether any has its excess told
    bool below_ = false;                     // whether there are records for values below 0
    Plane memory_;
    Terms<Real> sides_{};
    Numbers<Real> dots_, excess_, scores_, sizes_;
    Numbers<std::int64_t> sizes_at_;
    Numbers<std::int8_t> says_;
};

}  // namespace thresher
