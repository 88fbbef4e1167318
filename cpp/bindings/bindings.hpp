// What the files of the bindings share. Only this folder knows Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "../thresher/canonical.hpp"
#include "../thresher/elementary.hpp"
#include "../thresher/group.hpp"
#include "../thresher/rows.hpp"

namespace nb = nanobind;

namespace thresher::python {

// ---- errors: the classes of thresher.errors, raised from here -----------------------------------------------------

struct Place {
    std::optional<std::size_t> row{};
    nb::object column = nb::none();
    nb::object rounds = nb::none();
};

[[noreturn]] void raise(const char* error, const std::string& message, const Place& place = {});
[[noreturn]] void raise(const Fault& fault, std::optional<std::size_t> row = {}, nb::handle found = nb::none(),
                        nb::object rounds = nb::none());
inline void refuse(Fault::Kind kind, double weight = 1.0, nb::handle label = nb::none()) {
    if (kind != Fault::Kind::none) raise(Fault{kind, 0, weight}, {}, label);
}
std::string shown(nb::handle object);  // its repr, cut to a line

// ---- one learner, one writer --------------------------------------------------------------------------------------

// Readers share, a writer is alone; whoever finds it otherwise gets ConcurrentUse.
class Busy {
  public:
    class Reading {
      public:
        explicit Reading(Busy& busy);
        ~Reading() { busy_.users_.fetch_sub(1, std::memory_order_release); }
        Reading(const Reading&) = delete;
        Reading& operator=(const Reading&) = delete;

      private:
        Busy& busy_;
    };
    class Writing {
      public:
        explicit Writing(Busy& busy);
        ~Writing() { busy_.users_.store(0, std::memory_order_release); }
        Writing(const Writing&) = delete;
        Writing& operator=(const Writing&) = delete;

      private:
        Busy& busy_;
    };

  private:
    static constexpr int writer = -1;
    std::atomic<int> users_{0};
};

// ---- examples -----------------------------------------------------------------------------------------------------

// A block with the Python arrays it looks into.
struct HeldBlock {
    Block block;
    nb::object arrays;
    std::int64_t collisions = 0;  // that were resolved when the rows were read
};

void check_width(std::size_t found, std::size_t expected);  // of examples, in attributes

// What `float(value)` gives, unless that drops a part of it.
std::optional<double> number_of(nb::handle value);

// Where an example becomes canonical. It knows the names that it last read, by the very objects that they were: a row
// of the same names in the same order, as `learn` is given after `predict`, needs neither hashing nor sorting.
struct Scratch {
    Canonical canonical;
    std::vector<nb::object> names{};  // plain str, which never changes; none unless each has a slot of its own
    std::size_t n = 0;                // among so many
};

// One example of Python's, canonical: a mapping, a set, a list, an array or a sparse row.
class Example {
  public:
    // Names that meet in one slot are added where the domain is any; elsewhere the larger in size is kept.
    Example(nb::handle x, std::size_t n, Domain domain = Domain::any);
    ~Example();
    Example(const Example&) = delete;
    Example& operator=(const Example&) = delete;

    CanonicalRow row() const { return scratch_->canonical.row(); }
    std::int64_t collisions() const { return collisions_; }

  private:
    void read_other(nb::handle read, std::size_t n);
    void settle(nb::handle x, std::size_t n, void (*read)(nb::handle, std::size_t, Scratch&));

    std::unique_ptr<Scratch> scratch_;
    Domain domain_;
    std::int64_t collisions_ = 0;
};

// ---- values -------------------------------------------------------------------------------------------------------

struct Prediction {
    std::int8_t label;
    double score;
    std::optional<double> p_positive;
    bool operator==(const Prediction&) const = default;
};

std::string sign(int label);
std::string text_of(double number);
std::string text_of(const Prediction& prediction);
double checked_part(const char* name, double value);  // of 1: a chance, a share, a loss

// What the core knows of rounds that it played itself: by which rule and with how many attributes, from which history
// to which, on which examples.
struct Origin {
    nb::object rule;
    std::size_t n;
    std::optional<std::uint64_t> before{};
    std::optional<std::uint64_t> after{};
    std::optional<std::uint64_t> fingerprint{};
    double doubt = 0.0;  // how far a score may ever have been off, beyond the rounding of a sum
};

struct Round {
    std::int64_t t;
    nb::object example;
    Prediction prediction;
    std::int8_t label;
    bool changed;
    double weight;
    std::optional<Origin> origin{};    // of a round made in Python: none
    std::optional<double> lost{};      // none: 1 for a mistake, else 0
    nb::object standing = nb::none();  // of a portfolio,
    std::optional<double> chance{};    // and its calibrated chance of +1

    bool mistake() const { return prediction.label != label; }
    double loss() const { return lost.value_or(mistake() ? 1.0 : 0.0); }
    nb::object rule() const { return origin ? origin->rule : nb::none(); }
};

struct Rounds {
    std::int64_t first;
    nb::object examples;
    nb::object block;    // the HeldBlock that was learned, or None
    nb::object weights;  // None means 1 throughout
    std::optional<Origin> origin;
    Columns columns;
    std::int64_t mistakes = 0;
    std::int64_t updates = 0;
    std::shared_ptr<double[]> losses{};   // null: 1 for a mistake, else 0
    std::shared_ptr<double[]> shares{};   // p_positive; null: none
    nb::object standing = nb::none();     // of a portfolio,
    std::shared_ptr<double[]> chances{};  // and its calibrated chances of +1; null: none

    double loss_at(std::size_t k) const {
        return losses ? losses[k] : columns.predictions[k] != columns.labels[k] ? 1.0 : 0.0;
    }
    double loss() const;
    Pair loss_after(Pair sum) const;
    Outcome outcome(std::size_t k) const {
        return {columns.scores[k], columns.predictions[k], columns.labels[k], columns.changed[k]};
    }
    nb::object rule() const { return origin ? origin->rule : nb::none(); }
    void count();
};

// How the learner that played these rounds saw its examples.
Sight sight_of(nb::handle rule);
// Which values an example of it may hold.
Domain domain_of(nb::handle rule);
const char* values_of(Domain domain);  // in a word
Domain domain_named(std::string_view values);
// Whether in round t it also moves where it is right by less than a margin. A Margin Perceptron's first example is
// none.
bool has_margin(nb::handle rule, std::int64_t t);
// Whether its theorems are about p-norms.
bool has_p_norm(nb::handle rule);

// The learner of a rule, with n slots, and with the planes that were kept of it, looked at where they lie; raises
// TypeError if it is no rule.
std::unique_ptr<AnyGroup> group_of(std::size_t n, nb::handle rule, const nb::dict& kept);

std::int8_t label_code(nb::handle y);

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// An array of NumPy's that owns what it shows.
template <class T, class Framework = nb::numpy>
nb::ndarray<Framework, T, nb::ndim<1>> owned(std::unique_ptr<std::remove_const_t<T>[]> data, std::size_t size) {
    const nb::capsule owner(data.get(), [](void* p) noexcept { delete[] static_cast<std::remove_const_t<T>*>(p); });
    return {data.release(), {size}, owner};
}

// The memory of an array as a plane, which keeps the array.
Plane plane_of(const Vector<double>& array);
// A plane's memory as a read-only array. A learner that goes on leaves it behind and takes other memory.
template <class Framework = nb::numpy>
nb::ndarray<Framework, const double, nb::ndim<1>> shown_as_it_is(const Plane& plane) {
    const nb::capsule owner(new Plane(plane), [](void* shared) noexcept { delete static_cast<Plane*>(shared); });
    return {plane.data(), {plane.size()}, owner};
}

void bind_examples(nb::module_& m);
void bind_prediction(nb::module_& m);
void bind_measures(nb::module_& m);
void bind_values(nb::module_& m);
void bind_rules(nb::module_& m);
void bind_group(nb::module_& m);
void bind_bank(nb::module_& m);
void bind_multiclass(nb::module_& m);
void bind_frozen(nb::module_& m);
void bind_experts(nb::module_& m);
void bind_labels(nb::module_& m);
void bind_majority(nb::module_& m);
void bind_vote(nb::module_& m);
void bind_forecaster(nb::module_& m);
void bind_reading(nb::module_& m);
void bind_table(nb::module_& m);
void bind_store(nb::module_& m);

}  // namespace thresher::python
