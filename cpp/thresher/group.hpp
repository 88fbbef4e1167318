// A learner of one rule: its state, and the rounds it plays.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "arithmetic.hpp"
#include "blocks.hpp"
#include "canonical.hpp"
#include "dispatch.hpp"
#include "names.hpp"
#include "rows.hpp"
#include "rule.hpp"
#include "sight.hpp"

namespace thresher {

// How labels come in: +1, 0, -1, or anything else. A stream spells its negative label 0 or -1, not both.
inline constexpr std::int8_t not_a_label = 127;
enum class Negative : std::int8_t { unseen = 1, zero = 0, minus = -1 };

struct Outcome {
    double score;
    std::int8_t prediction;
    std::int8_t label;
    bool changed;
};

// What a learner moved along, in brief: its size, its weight, and its first, middle and last term.
template <class Row>
std::uint64_t gist(const Row& row, double weight) {
    std::uint64_t digest = std::bit_cast<std::uint64_t>(weight) + row.size;
    if (row.size == 0) return digest;
    for (const std::size_t j : {std::size_t{0}, row.size / 2, row.size - 1}) {
        digest = std::rotl(digest, 21) * xxh64::p1 + term_digest(row, j);
    }
    return digest;
}

// A digest of all rounds so far, so that a ledger can tell whether rounds go on where others ended. 0 before the first.
inline std::uint64_t next_history(std::uint64_t history, const Outcome& outcome, std::uint64_t moved_along) {
    const auto facts = static_cast<std::uint64_t>(outcome.label + 4 * outcome.prediction + 16 * outcome.changed);
    history = (history ^ std::bit_cast<std::uint64_t>(outcome.score)) * xxh64::p1 + moved_along + facts + xxh64::p5;
    return std::rotl(history, 31);
}

struct Counts {
    std::int64_t rounds = 0;
    std::int64_t mistakes = 0;
    std::int64_t updates = 0;
    std::int64_t collisions = 0;
    std::uint64_t history = 0;
    Negative negative = Negative::unseen;
};

// The outcomes of many rounds, in columns.
struct Columns {
    explicit Columns(std::size_t rounds)
        : scores(std::make_unique_for_overwrite<double[]>(rounds)),
          predictions(std::make_unique_for_overwrite<std::int8_t[]>(rounds)),
          labels(std::make_unique_for_overwrite<std::int8_t[]>(rounds)),
          changed(std::make_unique_for_overwrite<bool[]>(rounds)) {}

    // Bare pointers for the loop: bytes written through them would make the compiler doubt everything behind a
    // reference.
    struct View {
        double* scores;
        std::int8_t* predictions;
        std::int8_t* labels;
        bool* changed;

        void put(std::size_t k, const Outcome& outcome) const {
            scores[k] = outcome.score;
            predictions[k] = outcome.prediction;
            labels[k] = outcome.label;
            changed[k] = outcome.changed;
        }
    };
    View view() const { return {scores.get(), predictions.get(), labels.get(), changed.get()}; }

    std::unique_ptr<double[]> scores;
    std::unique_ptr<std::int8_t[]> predictions;
    std::unique_ptr<std::int8_t[]> labels;
    std::unique_ptr<bool[]> changed;
    std::size_t size = 0;  // rounds played
};

// Rows among those of a block that are only scored, each as it comes, and never learned: which they are, and where
// their scores are written, one after the other. Without `held` there are none.
struct Asides {
    const bool* held = nullptr;
    double* scores = nullptr;
};

// The door to a group: virtual here, once a call, and never inside a loop.
class AnyGroup {
  public:
    AnyGroup() = default;
    AnyGroup& operator=(const AnyGroup&) = delete;
    virtual ~AnyGroup() = default;

    // The same learner once more, which goes its own way from here.
    virtual std::unique_ptr<AnyGroup> twin() const = 0;

    // Written for a loop that meets good labels in random order: one test, which is never true for them after the
    // first negative one.
    Fault::Kind refuse_label(std::int8_t given) const {
        if ((given != +1) & (given != static_cast<std::int8_t>(counts.negative))) [[unlikely]] {
            if (given != 0 && given != -1) return Fault::Kind::label;
            if (counts.negative != Negative::unseen) return Fault::Kind::mixed_labels;
        }
        return Fault::Kind::none;
    }

    virtual int predict(double score) const = 0;
    // The chance of +1 that a score stands for, where the rule has one.
    virtual std::optional<double> chance(double score) const = 0;
    virtual Fault score(const CanonicalRow& row, double& score) const = 0;
    virtual Fault learn(const CanonicalRow& row, std::int8_t label, double weight, Outcome& outcome) = 0;

    // Scores rows until one has a fault; `scored` counts those before it.
    virtual Fault score_block(const Block& block, double* scores, std::size_t& scored) const = 0;
    // Plays one round a row until a row has a fault: the rounds before it are learned, and it is as if it never came.
    // `weights` may be null, which means 1 throughout. Labels, weights and the log are of the rows that are learned.
    virtual Fault learn_block(const Block& block, const std::int8_t* labels, const double* weights, Columns& log,
                              const Asides& asides) = 0;

    // The state, for those who keep it.
    virtual std::span<const PlaneKind> plane_kinds() const = 0;
    virtual std::span<const Plane> planes() const = 0;
    virtual std::span<const char* const> head_names() const = 0;
    virtual std::vector<double> heads() const = 0;
    virtual void set_heads(std::span<const double> heads) = 0;
    virtual double bias_weight() const = 0;
    // How far a score may ever have been off, beyond the rounding of a sum.
    virtual double doubt() const = 0;

    Counts counts;

  protected:
    AnyGroup(const AnyGroup&) = default;
};

template <class Rule>
class Group final : public AnyGroup {
  public:
    Group(std::size_t n, const Rule& rule) : Group(n, rule, {}) {}

    // With these planes, those that are kept, in order; without any, a fresh one.
    Group(std::size_t n, const Rule& rule, std::span<const Plane> kept)
        : rule_(rule), state_{made(n, kept, std::make_index_sequence<count>())} {
        if constexpr (requires { rule.begin(state_); }) rule_.begin(state_);
    }

    std::unique_ptr<AnyGroup> twin() const override { return std::unique_ptr<AnyGroup>(new Group(*this)); }

    int predict(double score) const override { return rule_.predict(score); }

    std::optional<double> chance(double score) const override {
        if constexpr (requires { rule_.chance(score); }) return rule_.chance(score);
        return std::nullopt;
    }

    Fault score(const CanonicalRow& row, double& score) const override {
        return outside(row, dispatch([&](auto isa) { return score_row<decltype(isa)>(row, score); }));
    }

    Fault learn(const CanonicalRow& row, std::int8_t label, double weight, Outcome& outcome) override {
        unshare();
        return outside(row, dispatch([&](auto isa) { return learn_row<decltype(isa)>(row, label, weight, outcome); }));
    }

    Fault score_block(const Block& block, double* scores, std::size_t& scored) const override {
        return over_rows<Rule::domain>(block, weights(), rows_of(block), scored,
                                       [this, scores](auto isa, const auto& row, std::size_t k) {
                                           return score_row<decltype(isa)>(row, scores[k]);
                                       });
    }

    Fault learn_block(const Block& block, const std::int8_t* labels, const double* example_weights, Columns& log,
                      const Asides& asides) override {
        unshare();
        std::size_t asked = 0;
        const auto play = [this, labels, example_weights, columns = log.view(), asides, &asked](
                              auto isa, const auto& row, std::size_t k) {
            if (asides.held != nullptr) [[unlikely]] {
                if (asides.held[k]) return ask<decltype(isa)>(row, asides.scores, asked);
                k -= asked;
            }
            Outcome outcome;
            const double weight = example_weights == nullptr ? 1.0 : example_weights[k];
            const Fault::Kind fault = learn_row<decltype(isa)>(row, labels[k], weight, outcome);
            if (fault == Fault::Kind::none) columns.put(k, outcome);
            return fault;
        };
        const Fault fault = over_rows<Rule::domain>(block, weights(), rows_of(block), log.size, play, beside());
        log.size -= asked;
        return fault;
    }

    std::span<const PlaneKind> plane_kinds() const override { return Rule::planes; }
    std::span<const Plane> planes() const override { return state_.planes; }
    std::span<const char* const> head_names() const override { return Rule::heads; }
    std::vector<double> heads() const override {
        std::vector<double> values;
        for (const auto field : Rule::fields) values.push_back(state_.head.*field);
        return values;
    }
    void set_heads(std::span<const double> heads) override {
        for (std::size_t i = 0; i < Rule::fields.size(); ++i) state_.head.*Rule::fields[i] = heads[i];
        rule_.derive(state_);
    }
    double doubt() const override {
        if constexpr (requires { state_.head.doubt; }) return state_.head.doubt;
        return 0.0;
    }
    double bias_weight() const override {
        if constexpr (requires { state_.head.bias_weight; }) return state_.head.bias_weight;
        return 0.0;
    }

  private:
    static constexpr std::size_t count = Rule::planes.size();

    template <std::size_t... I>
    static std::array<Plane, count> made(std::size_t n, std::span<const Plane> kept, std::index_sequence<I...>) {
        std::size_t next = 0;
        const auto plane = [&](const PlaneKind& kind) {
            return kind.kept && !kept.empty() ? kept[next++] : Plane(n, kind.first);
        };
        return {plane(Rule::planes[I])...};
    }

    const Plane& weights() const { return state_.planes[0]; }

    std::span<const Plane> beside() const {
        if constexpr (requires { Rule::touched; }) return std::span(state_.planes).subspan(1, Rule::touched - 1);
        return {};
    }

    void unshare() {
        for (Plane& plane : state_.planes) plane.unshare();
    }

    // A canonical row that does not settle holds a value outside the rule's domain: which one?
    static Fault outside(const CanonicalRow& row, Fault::Kind kind) {
        if (kind != Fault::Kind::unsettled) return {kind};
        for (std::size_t j = 0; j < row.size; ++j) {
            const Fault fault{refuse_value(Rule::domain, row.values[j]), row.slots[j], row.values[j]};
            if (fault) return fault;
        }
        return {kind};
    }

    template <class Isa, class Row>
    Fault::Kind score_row(const Row& row, double& score) const {
        return see<Isa, Rule::domain, false>(
            rule_.sight, weights(), bias_weight(), row,
            [&](const auto& seen_row, const Seen& seen) { score = rule_.template score<Isa>(state_, seen_row, seen); });
    }

    // The same for a row among others that are learned: apart, so that their loop is what it is without it.
    template <class Isa, class Row>
    [[gnu::noinline]] Fault::Kind ask(const Row& row, double* scores, std::size_t& asked) const {
        const Fault::Kind fault = score_row<Isa>(row, scores[asked]);
        asked += fault == Fault::Kind::none;
        return fault;
    }

    // One whole round: predict, compare, update. Everything that can be refused is refused before anything changes.
    template <class Isa, class Row>
    Fault::Kind learn_row(const Row& row, std::int8_t given, double weight, Outcome& outcome) {
        if (const Fault::Kind fault = refuse_label(given); fault != Fault::Kind::none) return fault;
        if (!(weight >= 0.0 && weight <= largest_weight)) return Fault::Kind::weight;

        const int label = 2 * (given > 0) - 1;
        std::uint64_t moved_along = 0;
        const auto play = [&](const auto& seen_row, const Seen& seen) {
            const double score = rule_.template score<Isa>(state_, seen_row, seen);
            const int prediction = rule_.predict(score);
            const double step = rule_.step(state_, score, prediction, label) * weight;
            if constexpr (requires { rule_.watch(state_, seen_row, seen); }) rule_.watch(state_, seen_row, seen);
            const bool changed = step != 0.0 && rule_.move(state_, seen_row, seen, step, counts.rounds + 1);
            if (changed) moved_along = gist(seen_row, weight);
            outcome = {score, static_cast<std::int8_t>(prediction), static_cast<std::int8_t>(label), changed};
        };
        constexpr bool square = requires { requires Rule::needs_square; };
        const Fault::Kind fault = see<Isa, Rule::domain, square>(rule_.sight, weights(), bias_weight(), row, play);
        if (fault != Fault::Kind::none) return fault;

        if (counts.negative == Negative::unseen && given != +1) counts.negative = static_cast<Negative>(given);
        ++counts.rounds;
        counts.mistakes += outcome.prediction != label;
        counts.updates += outcome.changed;
        counts.history = next_history(counts.history, outcome, moved_along);
        return Fault::Kind::none;
    }

    Rule rule_;
    typename Rule::State state_;
};

}  // namespace thresher
