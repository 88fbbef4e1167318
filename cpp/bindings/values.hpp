// What a round and rounds have in common: what is checked of them, how they are kept, and what they hold of Python's.
#pragma once

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bindings.hpp"
#include "standing.hpp"

namespace thresher::python {

inline std::string html_table(std::initializer_list<std::pair<const char*, std::string>> cells) {
    std::string head, body;
    for (const auto& [name, value] : cells) {
        head += std::string("<th>") + name + "</th>";
        body += "<td>" + value + "</td>";
    }
    return "<table><thead><tr>" + head + "</tr></thead><tbody><tr>" + body + "</tr></tbody></table>";
}

inline std::int8_t checked_label(int label) {
    if (label != 1 && label != -1) {
        raise("LabelError", "found label " + std::to_string(label) + ", expected -1 or +1 in a round");
    }
    return static_cast<std::int8_t>(label);
}

inline std::int8_t checked_prediction(int label) {
    if (label < -1 || label > 1) {
        raise("LabelError", "found prediction " + std::to_string(label) + ", expected -1, +1, or 0 for none");
    }
    return static_cast<std::int8_t>(label);
}

inline std::int64_t checked_t(std::int64_t t) {
    if (t < 1) raise("ParameterError", "found t = " + std::to_string(t) + ", but rounds are counted from 1");
    return t;
}

inline double checked_weight(double weight) {
    if (!(weight >= 0.0 && weight <= largest_weight)) raise(Fault{Fault::Kind::weight, 0, weight});
    return weight;
}

using Digest = std::optional<std::uint64_t>;
using OriginState = std::optional<std::tuple<nb::object, std::size_t, Digest, Digest, Digest, double>>;
inline OriginState state_of(const std::optional<Origin>& origin) {
    if (!origin) return std::nullopt;
    return std::make_tuple(origin->rule, origin->n, origin->before, origin->after, origin->fingerprint, origin->doubt);
}

inline std::optional<Origin> origin_of(const OriginState& state) {
    if (!state) return std::nullopt;
    const auto& [rule, n, before, after, fingerprint, doubt] = *state;
    sight_of(rule);  // refuses what is no rule
    return Origin{rule, n, before, after, fingerprint, doubt};
}

inline nb::object checked_standing(const nb::object& standing) {
    if (!standing.is_none() && !nb::isinstance<Standing>(standing)) throw nb::type_error("expected a standing");
    return standing;
}

template <class Value>
nb::object from_standing(const Value& value, const char* name) {
    return value.standing.is_none() ? nb::none() : nb::object(value.standing.attr(name));
}

// The collector must see what a value holds, or a cycle through an example would never be freed.
inline void each_held(Round& round, auto&& visit) {
    visit(round.example);
    visit(round.standing);
    if (round.origin) visit(round.origin->rule);
}

inline void each_held(Rounds& rounds, auto&& visit) {
    for (nb::object* held : {&rounds.examples, &rounds.block, &rounds.weights, &rounds.standing}) visit(*held);
    if (rounds.origin) visit(rounds.origin->rule);
}

template <class Value>
struct Collected {
    static int traverse(PyObject* self, visitproc visit, void* arg) {
        Py_VISIT(Py_TYPE(self));
        if (!nb::inst_ready(self)) return 0;
        int stop = 0;
        each_held(*nb::inst_ptr<Value>(self), [&](nb::object& held) {
            if (stop == 0 && held.is_valid()) stop = visit(held.ptr(), arg);
        });
        return stop;
    }
    static int clear(PyObject* self) {
        if (nb::inst_ready(self)) each_held(*nb::inst_ptr<Value>(self), [](nb::object& held) { held = nb::none(); });
        return 0;
    }
    static inline PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                                         {Py_tp_clear, reinterpret_cast<void*>(clear)},
                                         {0, nullptr}};
};

void bind_rounds(nb::module_& m);

}  // namespace thresher::python
