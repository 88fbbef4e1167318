// The multiclass Perceptron: weights for every class, w_c, all zero at first. A row is predicted to be of the class
// with the largest score w_c.x, the one that appeared first among equals. On a mistake the right class moves towards
// the row, w_y += x, and the predicted one away from it, w_p -= x.
//
// Classes are lanes: what all of them know of a slot lies in one record, so that one sweep scores them all. Codes of
// classes count from 0, in order of appearance. A class can be predicted from the round after its first; before there
// is any, nothing is, and nothing moves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "arithmetic.hpp"
#include "canonical.hpp"
#include "lanes/reader.hpp"
#include "rows.hpp"

namespace thresher {

inline constexpr std::int32_t no_class = -1;

struct ClassOutcome {
    double score;
    std::int32_t prediction;
    bool changed;
};

// The outcomes of many rounds, in columns.
struct ClassColumns {
    double* scores;
    std::int32_t* predictions;
    bool* changed;

    void put(std::size_t k, const ClassOutcome& outcome) const {
        scores[k] = outcome.score;
        predictions[k] = outcome.prediction;
        changed[k] = outcome.changed;
    }
};

class Multiclass {
  public:
    // `bias` is the value of an attribute that every row has beside its own; 0 for none.
    Multiclass(std::size_t n, double bias) : n_(n), bias_(bias), memory_(0) { hold(1); }

    std::size_t n() const { return n_; }
    double bias() const { return bias_; }
    std::size_t classes() const { return bias_weights_.size(); }
    std::size_t bytes() const { return memory_.size() * sizeof(double); }
    // What room for so many classes takes.
    std::size_t bytes(std::size_t classes) const { return (n_ + 1) * room(classes) * sizeof(double); }
    void unshare() { memory_.unshare(); }

    // Room for so many classes.
    void hold(std::size_t classes) {
        const std::size_t before = stride_, after = room(classes);
        if (after == before) return;
        Plane larger((n_ + 1) * after);
        for (std::size_t i = 0; i < n_ && before > 0; ++i) {
            std::copy_n(memory_.data() + i * before, before, larger.data() + i * after);
        }
        memory_ = larger;
        stride_ = after;
    }

    // Classes that are known from now on.
    void know(std::size_t classes) {
        hold(classes);
        if (classes > bias_weights_.size()) bias_weights_.resize(classes);
    }

    template <class Row>
    Fault::Kind read(const Row& row, Sheet<double>& sheet) const {
        return reader().read(row, sheet);
    }

    // The scores of all classes, with room for whole registers. The records of the row ahead are fetched meanwhile.
    void score(const Terms<double>& row, std::vector<double>& scores, Ahead ahead = {}) const {
        const std::size_t lanes = Lanes<double>::whole(classes());
        scores.resize(lanes);
        sweep_lanes([&](auto sweeps) { sweeps.dots(memory_.data(), row, 0, lanes, scores.data(), ahead); });
        for (std::size_t c = 0; c < classes(); ++c) scores[c] += bias_weights_[c] * bias_;
    }

    ClassOutcome predict(const Terms<double>& row, std::vector<double>& scores, Ahead ahead = {}) const {
        score(row, scores, ahead);
        std::size_t best = 0;
        for (std::size_t c = 1; c < classes(); ++c) best = scores[c] > scores[best] ? c : best;
        if (classes() == 0) return {0.0, no_class, false};
        return {scores[best], static_cast<std::int32_t>(best), false};
    }

    // One whole round. The label is a class, or the next one; there is room for it, and the memory is our own.
    ClassOutcome learn(const Terms<double>& row, std::int32_t label, double weight, Ahead ahead = {}) {
        ClassOutcome outcome = predict(row, scores_, ahead);
        const std::int32_t said = outcome.prediction;
        if (static_cast<std::size_t>(label) == classes()) bias_weights_.push_back(0.0);
        ++rounds;
        mistakes += said != label;
        if (said == label || said == no_class || weight == 0.0) return outcome;
        for (std::size_t j = 0; j < row.count; ++j) {
            double* const record = memory_.data() + row.at[j];
            const double move = weight * row.values[j];
            record[label] += move;
            record[said] -= move;
        }
        bias_weights_[static_cast<std::size_t>(label)] += weight * bias_;
        bias_weights_[static_cast<std::size_t>(said)] -= weight * bias_;
        outcome.changed = row.count > 0 || bias_ != 0.0;
        updates += outcome.changed;
        return outcome;
    }

    // Plays one round a row until one has a fault or a label that is no class: the rounds before it are learned.
    Fault learn_block(const Block& block, const std::int32_t* labels, const double* weights, const ClassColumns& log,
                      std::size_t& played) {
        std::int32_t most = -1;
        for (std::size_t k = 0; k < rows_of(block); ++k) most = std::max(most, labels[k]);
        hold(std::max(classes(), static_cast<std::size_t>(most + 1)));
        unshare();
        const auto refuse = [&](std::size_t k) {
            if (labels[k] < 0 || static_cast<std::size_t>(labels[k]) > classes()) return Fault::Kind::label;
            const double weight = weights == nullptr ? 1.0 : weights[k];
            return weight >= 0.0 && weight <= largest_weight ? Fault::Kind::none : Fault::Kind::weight;
        };
        return reader().over_rows(block, played, refuse, [&](const Sheet<double>& sheet, Ahead ahead, std::size_t k) {
            log.put(k, learn(sheet.terms(0), labels[k], weights == nullptr ? 1.0 : weights[k], ahead));
        });
    }

    Fault predict_block(const Block& block, const ClassColumns& log, std::size_t& played) const {
        std::vector<double> scores;
        return reader().over_rows(
            block, played, [](std::size_t) { return Fault::Kind::none; },
            [&](const Sheet<double>& sheet, Ahead ahead, std::size_t k) {
                log.put(k, predict(sheet.terms(0), scores, ahead));
            });
    }

    // The scores of all classes, a row of them for each row.
    Fault score_block(const Block& block, double* out, std::size_t& played) const {
        std::vector<double> scores;
        return reader().over_rows(
            block, played, [](std::size_t) { return Fault::Kind::none; },
            [&](const Sheet<double>& sheet, Ahead ahead, std::size_t k) {
                score(sheet.terms(0), scores, ahead);
                std::copy_n(scores.data(), classes(), out + k * classes());
            });
    }

    // The weights of one class.
    void take_weights(std::size_t c, double* out) const {
        for (std::size_t i = 0; i < n_; ++i) out[i] = memory_.data()[i * stride_ + c];
    }
    void set_weights(std::size_t c, const double* in) {
        for (std::size_t i = 0; i < n_; ++i) memory_.data()[i * stride_ + c] = in[i];
    }
    const std::vector<double>& bias_weights() const { return bias_weights_; }
    void set_bias_weight(std::size_t c, double weight) { bias_weights_[c] = weight; }

    std::int64_t rounds = 0, mistakes = 0, updates = 0, collisions = 0;

  private:
    Reader<double> reader() const { return {n_, stride_}; }

    // Numbers a slot for so many classes: those there are, or a quarter more, so that growing is rare.
    std::size_t room(std::size_t classes) const {
        const std::size_t least = Lanes<double>::whole(classes);
        return least <= stride_ ? stride_ : std::max(least, Lanes<double>::whole(stride_ + stride_ / 4));
    }

    std::size_t n_;
    double bias_;
    std::size_t stride_ = 0;
    Plane memory_;  // a record a slot, one number for each class there is room for; and one that is nobody's
    std::vector<double> bias_weights_, scores_;
};

}  // namespace thresher
