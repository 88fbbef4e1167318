// A bank: lanes of many rules side by side. What they know of a slot lies together in one record, so that a row is read
// once: one sweep scores all lanes, all judge, and those that move do so.
//
// Lanes need nothing of each other. So a bank may have several parts, each with records of its own (lanes/part.hpp),
// and as many threads play them at once; a lane has the same bits in any part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include "canonical.hpp"
#include "group.hpp"
#include "lanes/division.hpp"
#include "lanes/part.hpp"
#include "lanes/passage.hpp"
#include "lanes/reader.hpp"
#include "lanes/relay.hpp"
#include "planes.hpp"
#include "rows.hpp"

namespace thresher {

template <class Real>
class Bank {
  public:
    // Is told of rows that all lanes have played, from the first on, up to the last, and what they say of them.
    using Hear = std::function<void(std::size_t, std::size_t, const Said<Real>&)>;

    // Lanes of these rules over n slots, for so many threads at most; with records for values below 0, if some came.
    Bank(std::size_t n, const std::vector<LaneRule>& rules, std::size_t threads, bool below) : n_(n) {
        const Division division = Divider(rules, n).divide(threads);
        for (std::size_t part = 0; part < division.parts; ++part) parts_.push_back(std::make_unique<Part<Real>>(n));
        for (std::size_t lane = 0; lane < rules.size(); ++lane) {
            const std::size_t part = division.part_of[lane];
            std::visit([&](const auto& rule) { parts_[part]->add(rule); }, rules[lane]);
            const std::size_t column = parts_[part]->lanes() - 1;
            const auto [group, position] = parts_[part]->place(column);
            places_.push_back({part, group, position, column});
        }
        threads_ = std::min(threads, division.parts);
        std::size_t stride = 0;
        for (const auto& part : parts_) stride = std::max(stride, part->lay_out());
        for (const auto& part : parts_) part->settle(stride, below);  // all the same: a place in one is that in another
        for (std::size_t lane = 0; lane < rules.size(); ++lane) {
            const auto found = std::ranges::find_if(kin_, [&](const std::vector<std::size_t>& kin) {
                return price_of(rules[kin.front()]).kind == price_of(rules[lane]).kind;
            });
            if (found == kin_.end()) {
                kin_.push_back({lane});
            } else {
                found->push_back(lane);
            }
        }
    }

    Bank(const Bank& other)
        : negative(other.negative),
          rounds(other.rounds),
          n_(other.n_),
          threads_(other.threads_),
          places_(other.places_),
          kin_(other.kin_) {
        for (const auto& part : other.parts_) parts_.push_back(std::make_unique<Part<Real>>(*part));
    }
    Bank& operator=(const Bank&) = delete;

    std::size_t n() const { return n_; }
    std::size_t lanes() const { return places_.size(); }
    std::size_t parts() const { return parts_.size(); }
    std::size_t bytes() const {
        std::size_t sum = 0;
        for (const auto& part : parts_) sum += part->bytes();
        return sum;
    }
    void unshare() {
        for (const auto& part : parts_) part->unshare();
    }

    Fault::Kind refuse_label(std::int8_t given) const {
        // Nobody can guess labels: what depends on them is no branch.
        const bool known = given == +1, same = given == static_cast<std::int8_t>(negative);
        if (known | same) [[likely]]
            return Fault::Kind::none;
        if (given != 0 && given != -1) return Fault::Kind::label;
        return negative == Negative::unseen ? Fault::Kind::none : Fault::Kind::mixed_labels;
    }

    // Reads a canonical row to a sheet of its own.
    template <class Row>
    Fault::Kind read(const Row& row, Sheet<Real>& sheet) const {
        sheet.clear();
        return reader().read(row, sheet);
    }

    // What all lanes say of the row on a sheet.
    void score(const Sheet<Real>& sheet, const Said<Real>& said) {
        play_one(said, [&](auto sweeps, Part<Real>& part, const Said<Real>& own) {
            part.score(sweeps, sheet[0], own, nullptr);
            return false;
        });
    }

    // One round of all lanes: whether any has moved. The memory is our own, and label and weight are good.
    bool learn(const Sheet<Real>& sheet, std::int8_t given, double weight, const Said<Real>& said) {
        if (given != +1) negative = static_cast<Negative>(given);
        ++rounds;
        return play_one(said, [&](auto sweeps, Part<Real>& part, const Said<Real>& own) {
            return part.learn(sweeps, sheet[0], given, weight, rounds, own, nullptr);
        });
    }

    // Plays one round a row until a row has a fault: the rounds before it are learned, and it is as if it never came.
    // What is `said` is kept where there is room for it; where there is none, only who hears it knows.
    // Rows that are `held` out, if there are any, are only scored as they come, and no lane learns them.
    Fault learn_block(const Block& block, const std::int8_t* labels, const double* weights, const Said<Real>& said,
                      bool* changed, std::size_t& played, const Hear& hear = {}, const std::uint8_t* held = nullptr) {
        unshare();
        const auto weight = [&](std::size_t k) { return weights == nullptr ? 1.0 : weights[k]; };
        const auto out = [&](std::size_t k) { return held != nullptr && held[k] != 0; };
        std::vector<std::int64_t> turns(held == nullptr ? 0 : rows_of(block));  // the number of each row's round
        std::int64_t last = rounds;
        for (std::size_t k = 0; k < turns.size(); ++k) turns[k] = last += !out(k);
        const auto turn = [&](std::size_t k) {
            return held == nullptr ? last + static_cast<std::int64_t>(k) + 1 : turns[k];
        };
        const Fault fault = over_rows(
            block, said, changed, played,
            [&](std::size_t k) {
                if (out(k)) return Fault::Kind::none;
                if (const auto kind = refuse_label(labels[k]); kind != Fault::Kind::none) return kind;
                return weight(k) >= 0.0 && weight(k) <= largest_weight ? Fault::Kind::none : Fault::Kind::weight;
            },
            [&](std::size_t k) {
                const bool tells = !out(k) && labels[k] != +1;
                negative = tells ? static_cast<Negative>(labels[k]) : negative;
            },
            [&](auto sweeps, Part<Real>& part, const Line<Real>& line, std::size_t k, Said<Real> own,
                const std::int64_t* later) {
                if (!out(k)) return part.learn(sweeps, line, labels[k], weight(k), turn(k), own, later);
                part.score(sweeps, line, own, later);
                return false;
            },
            hear);
        if (played > 0) rounds = turn(played - 1);
        return fault;
    }

    Fault score_block(const Block& block, const Said<Real>& said, std::size_t& played) {
        return over_rows(
            block, said, nullptr, played, [](std::size_t) { return Fault::Kind::none; }, [](std::size_t) {},
            [](auto sweeps, Part<Real>& part, const Line<Real>& line, std::size_t, Said<Real> own,
               const std::int64_t* later) {
                part.score(sweeps, line, own, later);
                return false;
            },
            {});
    }

    // The state, for those who keep it. Lanes of one kind are a group, in whatever parts they lie.
    const std::vector<std::vector<std::size_t>>& groups() const { return kin_; }
    Lanes<Real>& group_of(std::size_t lane) const { return *parts_[places_[lane].part]->groups()[places_[lane].group]; }
    double bias_weight(std::size_t lane) const { return group_of(lane).bias_weight(places_[lane].position); }
    // The number that a lane has in a head of its group.
    Real& head(std::size_t lane, std::size_t which) const {
        return (*group_of(lane).heads()[which].values)[places_[lane].position];
    }
    // A plane, n rows of one number for each lane, or of one that all share.
    std::size_t wide(std::size_t g, std::size_t plane) const {
        return group_of(kin_[g].front()).planes()[plane].shared ? 1 : kin_[g].size();
    }
    // The weights of one lane.
    void take_weights(std::size_t lane, double* out) const {
        const Lanes<Real>& group = group_of(lane);
        if (group.planes().empty()) return;
        const Part<Real>& part = *parts_[places_[lane].part];
        const Real* number = part.records() + group.place(0, places_[lane].position);
        for (std::size_t i = 0; i < n_; ++i, number += part.stride()) out[i] = *number;
    }
    // Whether Winnow's lanes hold anything of values below 0: n rows of one number for each, if any such value came.
    bool below() const {
        return std::ranges::any_of(parts_, [](const auto& part) { return part->below(); });
    }
    std::size_t winnow() const {
        const auto needs = [&](const std::vector<std::size_t>& kin) {
            return dynamic_cast<const ScaledWinnowLanes<Real>*>(&group_of(kin.front())) != nullptr;
        };
        return static_cast<std::size_t>(std::ranges::find_if(kin_, needs) - kin_.begin());
    }
    // All planes where they lie, in the order of groups and their planes; at last that of values below 0, if any came.
    Planes<Real> planes() const {
        std::vector<Lot<Real>> lots;
        for (const auto& part : parts_) lots.push_back({part->records(), part->stride()});
        std::vector<Spread> spreads;
        for (std::size_t g = 0; g < kin_.size(); ++g) {
            for (std::size_t i = 0; i < group_of(kin_[g].front()).planes().size(); ++i) {
                Spread& spread = spreads.emplace_back(Spread{wide(g, i), {}, {}});
                for (std::size_t k = 0; k < kin_[g].size(); ++k) {
                    const Place& place = places_[kin_[g][k]];
                    const Lanes<Real>& group = group_of(kin_[g][k]);
                    if (!group.planes()[i].shared) {
                        spread.spots.push_back({place.part, group.place(i, place.position), k});
                    } else if (place.position == 0) {
                        (k == 0 ? spread.spots : spread.copies).push_back({place.part, group.place(i, 0), 0});
                    }
                }
            }
        }
        if (below()) {
            for (const auto& part : parts_) lots.push_back({part->below_records(), part->below_width()});
            const std::vector<std::size_t>& kin = kin_[winnow()];
            Spread& spread = spreads.emplace_back(Spread{kin.size(), {}, {}});
            for (std::size_t k = 0; k < kin.size(); ++k) {
                const Place& place = places_[kin[k]];
                spread.spots.push_back({parts_.size() + place.part, place.position, k});
            }
        }
        return {n_, std::move(lots), std::move(spreads)};
    }

    Negative negative = Negative::unseen;
    std::int64_t rounds = 0;

  private:
    // Where a lane lies: its part, its group there and its place in that, and its column among the part's lanes.
    struct Place {
        std::size_t part, group, position, column;
    };

    // So many rows are read at once, which is what memory is fastest at; they stay in a near cache. Several threads
    // pass many such sheets from hand to hand, so that they seldom wait; fewer rows than two sheets are not worth a
    // thread.
    static constexpr std::size_t most_rows = 256, most_terms = std::size_t{1} << 15, many = 8;

    Reader<Real> reader() const { return {n_, parts_.front()->stride()}; }

    template <class Play>
    bool play_one(const Said<Real>& said, Play&& play) {
        return sweep_lanes([&](auto sweeps) {
            if (parts_.size() == 1) return play(sweeps, *parts_.front(), said);
            bool moved = false;
            for (std::size_t part = 0; part < parts_.size(); ++part) {
                Answer<Real> answer = room(part, 1);
                moved = play(sweeps, *parts_[part], Said<Real>{answer.says.data(), answer.scores.data()}) || moved;
                place_answer(part, answer, 1, said);
            }
            return moved;
        });
    }

    Answer<Real> room(std::size_t part, std::size_t rows) const {
        const std::size_t lanes = parts_[part]->lanes();
        return {Numbers<std::int8_t>(rows * lanes), Numbers<Real>(rows * lanes), Numbers<std::uint8_t>(rows)};
    }

    std::vector<Answer<Real>> answers(std::size_t rows) const {
        std::vector<Answer<Real>> made;
        for (std::size_t part = 0; part < parts_.size(); ++part) made.push_back(room(part, rows));
        return made;
    }

    // Scores may be nobody's: then no line of the cache that another core wrote is fetched for them.
    void place_answer(std::size_t part, const Answer<Real>& answer, std::size_t rows, const Said<Real>& said) const {
        const std::size_t all = lanes(), own = parts_[part]->lanes();
        for (std::size_t lane = 0; lane < all; ++lane) {
            if (places_[lane].part != part) continue;
            const std::int8_t* const says = answer.says.data() + places_[lane].column;
            const Real* const scores = answer.scores.data() + places_[lane].column;
            for (std::size_t k = 0; k < rows; ++k) {
                said.says[k * all + lane] = says[k * own];
                if (said.scores != nullptr) said.scores[k * all + lane] = scores[k * own];
            }
        }
    }

    // Rows are read in order, until one has a fault; each part plays them in order, and when all have, they are heard.
    template <class Refuse, class Accept, class Play>
    Fault over_rows(const Block& block, const Said<Real>& said, bool* changed, std::size_t& played, Refuse&& refuse,
                    Accept&& accept, Play&& play, const Hear& hear) {
        played = 0;
        return std::visit(
            [&](const auto& rows) {
                return threads_ > 1 && rows.rows >= 2 * most_rows
                           ? together(rows, said, changed, played, refuse, accept, play, hear)
                           : alone(rows, said, changed, played, refuse, accept, play, hear);
            },
            block);
    }

    // One thread reads a sheet before it plays the one before it: so the records of its first rows come in time.
    template <class Rows, class Refuse, class Accept, class Play>
    Fault alone(const Rows& rows, const Said<Real>& said, bool* changed, std::size_t& played, Refuse&& refuse,
                Accept&& accept, Play&& play, const Hear& hear) {
        Passage<Real> passage;
        if (parts_.size() > 1) passage.answers = answers(std::min(most_rows, rows.rows));
        make_room(said, std::min(most_rows, rows.rows));
        std::size_t next = 0, now = 0;
        Fault fault;
        const auto read = [&](Sheet<Real>& sheet) {
            sheet.clear();
            if (!fault) {
                fault = reader().read_many(rows, next, sheet, canonical_, most_rows, most_terms, refuse, accept);
            }
            return sheet.rows() > 0;
        };
        for (bool more = read(sheets_[now]); more; now = 1 - now) {
            Sheet<Real>& sheet = sheets_[now];
            if (more = read(sheets_[1 - now]); more) sheet.borrow(sheets_[1 - now]);
            passage.first = played;
            passage.end = played + sheet.rows();
            for (std::size_t part = 0; part < parts_.size(); ++part) {
                play_sheet(part, sheet, passage, passage.end, said, changed, play);
            }
            hear_rows(passage, said, changed, hear);
            played = passage.end;
        }
        return fault;
    }

    // Each part reads for itself. The first to have read some rows says how many there are without a fault, and all
    // play as many: somebody may write to them meanwhile, and a row that has become bad since is played as an empty
    // one.
    template <class Rows, class Refuse, class Accept, class Play>
    Fault together(const Rows& rows, const Said<Real>& said, bool* changed, std::size_t& played, Refuse&& refuse,
                   Accept&& accept, Play&& play, const Hear& hear) {
        std::vector<Passage<Real>> passages(many);
        for (Passage<Real>& passage : passages) passage.answers = answers(most_rows);
        make_room(said, most_rows);
        desks_.resize(parts_.size());
        std::mutex settling;  // for `fault`, `stop`, and how far passages go
        Fault fault;
        std::size_t next = 0, stop = rows.rows;
        const Negative before = negative;
        const auto read = [&](std::size_t place) {
            const std::lock_guard lock(settling);
            Passage<Real>& passage = passages[place];
            passage.first = passage.end = next;
            passage.settled = false;
            typename Rows::Row row;
            for (std::size_t terms = 0; next < stop && next - passage.first < most_rows && terms < most_terms; ++next) {
                auto kind = rows.row(next, row) ? refuse(next) : Fault::Kind::pointers;
                if (kind != Fault::Kind::none) {
                    fault = {kind};
                    stop = next;
                    break;
                }
                accept(next);
                terms += row.size;
            }
            passage.end = next;
            return next > passage.first;
        };
        const auto play_part = [&](std::size_t part, std::size_t place) {
            Passage<Real>& passage = passages[place];
            auto& [sheet, canonical] = desks_[part];
            std::size_t end = passage.first;
            const auto bound = [&] { return std::clamp(stop, passage.first, passage.end); };
            std::unique_lock lock(settling);
            const std::size_t most = bound();
            lock.unlock();
            const Fault found = reader().read_up_to(rows, end, most, sheet, canonical);
            lock.lock();
            if (!std::exchange(passage.settled, true)) {
                if (found) fault = found;
                if (found) stop = end;
                passage.end = bound();
            }
            end = passage.end;
            lock.unlock();
            while (sheet.rows() < end - passage.first) sheet.keep_empty();
            play_sheet(part, sheet, passage, end, said, changed, play);
        };
        const auto hear_passage = [&](std::size_t place) {
            const Passage<Real>& passage = passages[place];
            if (passage.end == passage.first) return;  // behind a fault
            hear_rows(passage, said, changed, hear);
            played = passage.end;
        };
        Relay(parts_.size(), many, read, play_part, hear_passage).run(threads_);
        negative = before;  // of rows behind a fault nothing is known
        for (std::size_t k = 0; k < played; ++k) accept(k);
        return fault;
    }

    // A part plays the rows of a passage, up to `end`, which lie on a sheet.
    template <class Play>
    void play_sheet(std::size_t part, const Sheet<Real>& sheet, Passage<Real>& passage, std::size_t end,
                    const Said<Real>& said, bool* changed, Play&& play) {
        const bool single = parts_.size() == 1;
        const std::size_t wide = parts_[part]->lanes();
        Answer<Real>* const answer = single ? nullptr : &passage.answers[part];
        const Said<Real> first =
            single ? from(said, passage.first) : Said<Real>{answer->says.data(), answer->scores.data()};
        sweep_lanes([&](auto sweeps) {
            for (std::size_t k = passage.first; k < end; ++k) {
                const std::size_t row = k - passage.first;
                const Said<Real> own{first.says + row * wide, first.scores + row * wide};
                const bool moved = play(sweeps, *parts_[part], sheet[row], k, own, reader().later(sheet, row));
                if (!single) {
                    answer->changed[row] = moved;
                } else if (changed != nullptr) {
                    changed[k] = moved;
                }
            }
        });
    }

    // What all parts have played becomes known.
    void hear_rows(const Passage<Real>& passage, const Said<Real>& said, bool* changed, const Hear& hear) {
        const std::size_t first = passage.first, count = passage.end - passage.first;
        Said<Real> heard = from(said, first);
        if (!hear && said.scores == nullptr) heard.scores = nullptr;
        for (std::size_t part = 0; part < passage.answers.size(); ++part) {
            const Answer<Real>& answer = passage.answers[part];
            place_answer(part, answer, count, heard);
            for (std::size_t k = 0; changed != nullptr && k < count; ++k) {
                changed[first + k] = (part > 0 && changed[first + k]) || answer.changed[k] != 0;
            }
        }
        if (hear) hear(first, first + count, heard);
    }

    // Where what is said of row k and those behind it goes: to who keeps it, or to room for the rows of one passage,
    // which stays in a near cache.
    Said<Real> from(const Said<Real>& said, std::size_t k) {
        return {said.says != nullptr ? said.says + k * lanes() : says_.data(),
                said.scores != nullptr ? said.scores + k * lanes() : scores_.data()};
    }
    void make_room(const Said<Real>& said, std::size_t rows) {
        if (said.says == nullptr) says_.resize(std::max(says_.size(), rows * lanes()));
        if (said.scores == nullptr) scores_.resize(std::max(scores_.size(), rows * lanes()));
    }

    std::size_t n_, threads_ = 1;
    std::vector<std::unique_ptr<Part<Real>>> parts_;
    std::vector<Place> places_;                  // of each lane
    std::vector<std::vector<std::size_t>> kin_;  // the lanes of each kind, in order
    Sheet<Real> sheets_[2];                      // memory that is kept: blocks may be small, and many
    Numbers<std::int8_t> says_;
    Numbers<Real> scores_;
    std::vector<Desk<Real>> desks_;
    Canonical canonical_;
};

}  // namespace thresher
