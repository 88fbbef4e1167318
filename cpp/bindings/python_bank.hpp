// A bank of lanes as Python has it.
#pragma once

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <typeinfo>

#include "../thresher/bank.hpp"
#include "bindings.hpp"
#include "drawn.hpp"
#include "ear.hpp"

namespace thresher::python {

// Calls `use` with the rule, if its lanes fit a bank, and says whether they do.
template <class Use>
bool with_rule(nb::handle rule, Use&& use) {
    const auto meets = [&]<class Rule>(const Rule* const*) {
        if (!nb::isinstance<Rule>(rule)) return false;
        const auto& found = nb::cast<const Rule&>(rule);
        if (found.sight.normalize && found.sight.dummy == 0.0) return false;  // it refuses what others take: zeros
        use(found);
        return true;
    };
    const auto any = [&]<class... Rules>(const std::variant<Rules...>*) {
        return (meets(static_cast<const Rules* const*>(nullptr)) || ...);
    };
    return any(static_cast<const LaneRule*>(nullptr));
}

template <class Real>
class PythonAhead;

template <class Real>
class PythonBank {
  public:
    using Says = nb::ndarray<std::int8_t, nb::c_contig, nb::device::cpu>;
    using Scores = nb::ndarray<Real, nb::c_contig, nb::device::cpu>;
    using Changed = nb::ndarray<bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

    PythonBank(std::size_t n, const nb::sequence& rules, std::size_t threads) : bank_(made(n, rules, threads, false)) {}

    PythonBank(std::size_t n, const nb::sequence& rules, const nb::dict& arrays, const nb::dict& heads,
               std::size_t threads)
        : bank_(made(n, rules, threads, arrays.contains(below_))) {
        set(arrays, heads);
    }

    PythonBank(PythonBank& other)
        : bank_(other.read([](const Bank<Real>& bank) { return std::make_unique<Bank<Real>>(bank); })),
          collisions_(other.collisions_) {}

    template <class Read>
    auto read(Read&& what) {
        const Busy::Reading reading(busy_);
        return what(static_cast<const Bank<Real>&>(*bank_));
    }

    std::size_t n() const { return bank_->n(); }
    std::size_t lanes() const { return bank_->lanes(); }
    std::size_t parts() const { return bank_->parts(); }
    std::size_t bytes() const { return bank_->bytes(); }
    std::int64_t collisions() const { return collisions_; }
    std::int64_t rounds() const { return bank_->rounds; }

    void score(nb::handle x, Says says, Scores scores) {
        check(says, scores, 1);
        const Example example(x, n(), Domain::any);
        const Busy::Reading reading(busy_);
        Bank<Real> twin(*bank_);  // lanes note what they said
        Sheet<Real> sheet;
        if (const auto kind = twin.read(example.row(), sheet); kind != Fault::Kind::none) raise(Fault{kind});
        twin.score(sheet, {says.data(), scores.data()});
    }

    bool learn(nb::handle x, nb::handle y, nb::handle weight, Says says, Scores scores) {
        check(says, scores, 1);
        const std::int8_t code = label_code(y);
        if (code == not_a_label) refuse(Fault::Kind::label, 1.0, y);
        const std::optional<double> heft = number_of(weight);
        if (!heft) raise("ExampleError", "found weight " + shown(weight) + ", expected a number of at least 0");
        refuse(read([code](const Bank<Real>& bank) { return bank.refuse_label(code); }), 1.0, y);
        const Example example(x, n(), Domain::any);
        const Busy::Writing writing(busy_);
        if (!(*heft >= 0.0 && *heft <= largest_weight)) raise(Fault{Fault::Kind::weight, 0, *heft});
        if (const auto kind = bank_->read(example.row(), sheet_); kind != Fault::Kind::none) raise(Fault{kind});
        bank_->unshare();
        collisions_ += example.collisions();
        return bank_->learn(sheet_, code, *heft, {says.data(), scores.data()});
    }

    void score_block(const HeldBlock& held, Says says, Scores scores) {
        check_width(width_of(held.block), n());
        check(says, scores, rows_of(held.block));
        const Busy::Reading reading(busy_);
        std::size_t k = 0;
        Fault fault;
        {
            const nb::gil_scoped_release free;
            Bank<Real> twin(*bank_);
            fault = twin.score_block(held.block, {says.data(), scores.data()}, k);
        }
        if (fault) raise(fault, k);
    }

    void learn_block(const HeldBlock& held, Vector<std::int8_t> codes, std::optional<Vector<double>> weights,
                     std::optional<Says> says, std::optional<Scores> scores, Changed changed, nb::handle labels,
                     const Ear* ear, std::optional<Vector<bool>> out) {
        const Busy::Writing writing(busy_);
        std::optional<Busy::Writing> hearing;
        typename Bank<Real>::Hear hear;
        if (ear != nullptr) {
            if (ear->rows != rows_of(held.block) || ear->lanes != lanes()) {
                throw std::invalid_argument("an ear for each row and lane");
            }
            if constexpr (std::is_same_v<Real, float>) {
                hear = ear->hear;
            } else {
                throw std::invalid_argument("an ear hears lanes of float32");
            }
            hearing.emplace(*ear->busy);
        }
        check_width(width_of(held.block), n());
        const std::size_t rows = rows_of(held.block);
        if (says) check(*says, rows);
        if (scores) check(*scores, rows);
        if (out && out->shape(0) != rows) throw std::invalid_argument("one flag a row");
        check_rows(rows, codes, weights, changed);
        std::size_t k = 0;
        Fault fault;
        {
            const nb::gil_scoped_release free;
            fault =
                bank_->learn_block(held.block, codes.data(), weights ? weights->data() : nullptr,
                                   {says ? says->data() : nullptr, scores ? scores->data() : nullptr}, changed.data(),
                                   k, hear, out ? reinterpret_cast<const std::uint8_t*>(out->data()) : nullptr);
        }
        learned(held, fault, k, weights, labels);
    }

    // One lane's weights, and that of its appended attribute.
    nb::ndarray<nb::numpy, double, nb::ndim<1>> weights(std::size_t lane) {
        return read([&](const Bank<Real>& bank) {
            auto out = std::make_unique<double[]>(bank.n());
            placed(lane);
            bank.take_weights(lane, out.get());
            return owned<double>(std::move(out), bank.n());
        });
    }
    double bias_weight(std::size_t lane) {
        return read([&](const Bank<Real>& bank) { return bank.bias_weight(placed(lane)); });
    }

    // The name of a lane's group, and its place in it.
    const char* group(std::size_t lane) const { return bank_->group_of(placed(lane)).name(); }
    std::size_t position(std::size_t lane) const {
        std::size_t before = 0;
        for (std::size_t other = 0; other < placed(lane); ++other) {
            before += &typeid(bank_->group_of(other)) == &typeid(bank_->group_of(lane)) ? 1 : 0;
        }
        return before;
    }

    // Heads by the name of their group, and counts.
    nb::dict heads() {
        return read([&](const Bank<Real>& bank) {
            nb::dict heads;
            for (const std::vector<std::size_t>& kin : bank.groups()) {
                Lanes<Real>& group = bank.group_of(kin.front());
                for (std::size_t i = 0; i < group.heads().size(); ++i) {
                    nb::list values;
                    for (const std::size_t lane : kin) values.append(static_cast<double>(bank.head(lane, i)));
                    heads[named(group, group.heads()[i].name).c_str()] = values;
                }
            }
            heads["rounds"] = bank.rounds;
            heads["negative"] = static_cast<int>(bank.negative);
            heads["collisions"] = collisions_;
            return heads;
        });
    }

    // Planes by the name of their group: arrays, or plain memory.
    template <class Framework>
    nb::dict planes() {
        return read([&](const Bank<Real>& bank) {
            nb::dict arrays;
            const auto room = [&](const std::string& name, std::size_t size) {  // in large pages, which come sooner
                const Plane memory((size * sizeof(Real) + sizeof(double) - 1) / sizeof(double));
                const nb::capsule owner(new Plane(memory),
                                        [](void* held) noexcept { delete static_cast<Plane*>(held); });
                auto* const data = reinterpret_cast<Real*>(const_cast<double*>(memory.data()));
                arrays[name.c_str()] = nb::ndarray<Framework, Real, nb::ndim<1>>(data, {size}, owner);
                return data;
            };
            const Planes<Real> planes = bank.planes();
            const std::vector<std::string> names = plane_names(bank);
            std::vector<Real*> out;
            for (std::size_t p = 0; p < planes.planes(); ++p) out.push_back(room(names[p], planes.size(p)));
            planes.take_all(out);
            return arrays;
        });
    }

    // The same planes as they are now, whatever the lanes learn later: they share the records until then.
    nb::dict drawn() {
        return read([&](const Bank<Real>& bank) {
            const auto kept = std::make_shared<Kept>(bank);
            const std::vector<std::string> names = plane_names(bank);
            nb::dict drawn;
            for (std::size_t p = 0; p < names.size(); ++p) {
                drawn[names[p].c_str()] =
                    nb::cast(static_cast<Drawn*>(new Plain(kept, p)), nb::rv_policy::take_ownership);
            }
            return drawn;
        });
    }

    // Planes and heads: what is kept.
    nb::tuple state() { return nb::make_tuple(planes<nb::numpy>(), heads()); }

  private:
    friend class PythonAhead<Real>;

    struct Kept {
        explicit Kept(const Bank<Real>& other) : bank(other), planes(bank.planes()) { planes.look(); }

        Bank<Real> bank;
        Planes<Real> planes;
    };

    class Plain : public Drawn {
      public:
        Plain(std::shared_ptr<const Kept> kept, std::size_t plane) : kept_(std::move(kept)), plane_(plane) {}

        const char* format() const override { return std::is_same_v<Real, float> ? "f" : "d"; }
        std::size_t bytes() const override { return planes().size(plane_) * sizeof(Real); }
        std::size_t fitting(std::size_t from, std::size_t most) const override {
            const std::size_t whole = slot() * Planes<Real>::block;
            return std::min(bytes() - from, std::max(most / whole * whole, whole));
        }
        void draw(std::size_t from, std::size_t size, char* out) const override {
            planes().take(plane_, from / slot(), (from + size) / slot(), reinterpret_cast<Real*>(out));
        }

      private:
        const Planes<Real>& planes() const { return kept_->planes; }
        std::size_t slot() const { return planes().wide(plane_) * sizeof(Real); }

        std::shared_ptr<const Kept> kept_;
        std::size_t plane_;
    };

    static std::unique_ptr<Bank<Real>> made(std::size_t n, const nb::sequence& rules, std::size_t threads, bool below) {
        if (n < 1 || n > most_attributes) throw std::invalid_argument("n must be from 1 to 2^48");
        if (threads < 1) throw std::invalid_argument("one thread at least");
        std::vector<LaneRule> lanes;
        for (const nb::handle rule : rules) {
            if (!with_rule(rule, [&](const auto& found) { lanes.emplace_back(found); })) {
                throw nb::type_error("expected rules that fit a bank");
            }
        }
        return std::make_unique<Bank<Real>>(n, lanes, threads, below);
    }

    static std::string named(const Lanes<Real>& group, const char* what) {
        return std::string(group.name()) + " " + what;
    }

    static std::vector<std::string> plane_names(const Bank<Real>& bank) {
        std::vector<std::string> names;
        for (const std::vector<std::size_t>& kin : bank.groups()) {
            const Lanes<Real>& group = bank.group_of(kin.front());
            for (const auto& plane : group.planes()) names.push_back(named(group, plane.name));
        }
        if (bank.below()) names.emplace_back(below_);
        return names;
    }

    // What came of rows: `k` of them were played before a fault.
    void learned(const HeldBlock& held, Fault fault, std::size_t k, const std::optional<Vector<double>>& weights,
                 nb::handle labels) {
        if (!fault) {
            collisions_ += held.collisions;
            return;
        }
        if (fault.kind == Fault::Kind::weight) fault.value = weights->data()[k];
        const bool about_label = fault.kind == Fault::Kind::label || fault.kind == Fault::Kind::mixed_labels;
        raise(fault, k, about_label ? nb::object(labels[k]) : nb::none());
    }

    std::size_t placed(std::size_t lane) const {
        if (lane >= lanes()) throw nb::index_error("no such lane");
        return lane;
    }

    template <class Table>
    void check(const Table& table, std::size_t rows) const {
        if (table.size() != rows * lanes()) {
            throw std::invalid_argument("one answer and one score for each row and lane");
        }
    }
    void check(const Says& says, const Scores& scores, std::size_t rows) const {
        check(says, rows);
        check(scores, rows);
    }
    static void check_rows(std::size_t rows, const Vector<std::int8_t>& codes,
                           const std::optional<Vector<double>>& weights, const Changed& changed) {
        if (codes.shape(0) != rows || changed.shape(0) != rows || (weights && weights->shape(0) != rows)) {
            throw std::invalid_argument("one label, one weight and one change a row");
        }
    }

    void set(const nb::dict& arrays, const nb::dict& heads) {
        using Plane = nb::ndarray<const Real, nb::c_contig, nb::device::cpu>;
        const auto plane = [&](const std::string& name, std::size_t size) {
            const auto found = nb::cast<Plane>(arrays[name.c_str()]);
            if (found.size() != size) throw std::invalid_argument("one number for each slot and lane");
            return found;
        };
        const Planes<Real> planes = bank_->planes();
        std::vector<const Real*> in;
        std::vector<Plane> held;
        for (const std::string& name : plane_names(*bank_)) {
            held.push_back(plane(name, planes.size(in.size())));
            in.push_back(held.back().data());
        }
        for (const std::vector<std::size_t>& kin : bank_->groups()) {
            Lanes<Real>& group = bank_->group_of(kin.front());
            for (std::size_t i = 0; i < group.heads().size(); ++i) {
                const auto values = nb::cast<std::vector<double>>(heads[named(group, group.heads()[i].name).c_str()]);
                if (values.size() != kin.size()) throw std::invalid_argument("one number for each lane");
                for (std::size_t k = 0; k < kin.size(); ++k) bank_->head(kin[k], i) = static_cast<Real>(values[k]);
            }
        }
        planes.set_all(in);
        bank_->rounds = nb::cast<std::int64_t>(heads["rounds"]);
        bank_->negative = static_cast<Negative>(nb::cast<int>(heads["negative"]));
        collisions_ = nb::cast<std::int64_t>(heads["collisions"]);
    }

    static constexpr const char* below_ = "Winnow below";
    std::unique_ptr<Bank<Real>> bank_;
    Sheet<Real> sheet_;
    std::int64_t collisions_ = 0;
    Busy busy_;
};

}  // namespace thresher::python
