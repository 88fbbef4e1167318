// Faults of the core become the typed errors of thresher.errors, with the place and what was expected there.
#include <charconv>

#include "bindings.hpp"

namespace thresher::python {

namespace {

std::string shortest(double value) {
    char text[32];
    const auto [end, _] = std::to_chars(text, text + sizeof text, value);
    return {text, end};
}

}  // namespace

std::string shown(nb::handle object) {
    nb::object text = nb::steal(PyObject_Repr(object.ptr()));
    if (!text.is_valid()) {
        PyErr_Clear();
        return "(no repr)";
    }
    // A repr may hold lone surrogates, which UTF-8 cannot.
    const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
    const char* chars = bytes.is_valid() ? PyBytes_AsString(bytes.ptr()) : nullptr;
    if (chars == nullptr) {
        PyErr_Clear();
        return "(no repr)";
    }
    std::string whole(chars);
    constexpr std::size_t longest = 80;
    if (whole.size() <= longest) return whole;
    std::size_t cut = longest;
    while (cut > 0 && (static_cast<unsigned char>(whole[cut]) & 0xC0) == 0x80) --cut;
    return whole.substr(0, cut) + "...";
}

void raise(const char* error, const std::string& message, const Place& place) {
    std::string text = message;
    if (place.row) text = "row " + std::to_string(*place.row) + ": " + text;
    const nb::object type = nb::module_::import_("thresher.errors").attr(error);
    nb::object value;
    if (place.row || !place.column.is_none()) {
        nb::object row = nb::none();
        if (place.row) row = nb::int_(*place.row);
        value = type(text, nb::arg("row") = row, nb::arg("column") = place.column, nb::arg("rounds") = place.rounds);
    } else {
        value = type(text);
    }
    PyErr_SetObject(type.ptr(), value.ptr());
    throw nb::python_error();
}

void raise(const Fault& fault, std::optional<std::size_t> row, nb::handle found, nb::object rounds) {
    const std::string column = "column " + std::to_string(fault.column) + ": ";
    const nb::object at = nb::int_(fault.column);
    switch (fault.kind) {
        case Fault::Kind::value:
            raise("ExampleError",
                  column + "found " + shortest(fault.value) + ", expected a finite number of at most 2^250 (1.8e75)",
                  {row, at, rounds});
        case Fault::Kind::signed_unit:
        case Fault::Kind::unit:
        case Fault::Kind::binary: {
            const Domain domain = fault.kind == Fault::Kind::unit     ? Domain::unit
                                  : fault.kind == Fault::Kind::binary ? Domain::binary
                                                                      : Domain::signed_unit;
            raise("ExampleError", column + "found " + shortest(fault.value) + ", expected " + expected_values(domain),
                  {row, at, rounds});
        }
        case Fault::Kind::slot:
            raise("ExampleError",
                  column + "found index " + std::to_string(fault.column) + ", expected one from 0 to n - 1",
                  {row, at, rounds});
        case Fault::Kind::twice:
            raise("ExampleError", column + "given twice, expected every column once", {row, at, rounds});
        case Fault::Kind::pointers:
            raise("ExampleError", "the matrix's indptr does not point into its data", {row, nb::none(), rounds});
        case Fault::Kind::zero_vector:
            raise("ExampleError",
                  "a zero vector has no direction and cannot be normalised; leave it out or give a bias",
                  {row, nb::none(), rounds});
        case Fault::Kind::label:
            raise("LabelError",
                  "found label " + shown(found) +
                      ", expected -1, 0 or False for minus, 1 or True for plus; "
                      "for other labels give a comparison, such as y == 'spam'",
                  {row, nb::none(), rounds});
        case Fault::Kind::mixed_labels:
            raise("LabelError",
                  "found label " + shown(found) +
                      ", but this stream has spelled its negative label the other way "
                      "before: use -1 or 0, not both",
                  {row, nb::none(), rounds});
        case Fault::Kind::weight:
            raise("ExampleError",
                  "found weight " + shortest(fault.value) + ", expected a finite number from 0 to 2^150 (1.4e45)",
                  {row, nb::none(), rounds});
        case Fault::Kind::unsettled:
        case Fault::Kind::none:
            break;
    }
    throw std::logic_error("no fault to raise");
}

Busy::Reading::Reading(Busy& busy) : busy_(busy) {
    int users = busy.users_.load(std::memory_order_relaxed);
    do {
        if (users == writer) raise("ConcurrentUse", "it is learning in another thread; give each thread its own");
    } while (!busy.users_.compare_exchange_weak(users, users + 1, std::memory_order_acquire));
}

Busy::Writing::Writing(Busy& busy) : busy_(busy) {
    int idle = 0;
    if (!busy.users_.compare_exchange_strong(idle, writer, std::memory_order_acquire)) {
        raise("ConcurrentUse", "it is in use in another thread; give each thread its own");
    }
}

}  // namespace thresher::python
