// Labels as they are given, and as the core codes them.
#include <type_traits>

#include "bindings.hpp"

namespace thresher::python {

namespace {

template <class Number>
std::int8_t code_of(Number number) {
    const bool plus = number == Number(1), zero = number == Number(0);
    if constexpr (std::is_unsigned_v<Number>) {
        return plus ? 1 : zero ? 0 : not_a_label;
    } else {
        return plus ? 1 : zero ? 0 : number == Number(-1) ? -1 : not_a_label;
    }
}

template <class Number>
auto codes_of(Vector<Number> labels) {
    const std::size_t size = labels.shape(0);
    auto codes = std::make_unique_for_overwrite<std::int8_t[]>(size);
    for (std::size_t k = 0; k < size; ++k) codes[k] = code_of(labels.data()[k]);
    return owned<std::int8_t>(std::move(codes), size);
}

}  // namespace

std::int8_t label_code(nb::handle y) {
    if (PyLong_Check(y.ptr())) {
        int overflow = 0;
        const long value = PyLong_AsLongAndOverflow(y.ptr(), &overflow);
        return overflow == 0 && value >= -1 && value <= 1 ? static_cast<std::int8_t>(value) : not_a_label;
    }
    const std::optional<double> number = number_of(y);
    return number ? code_of(*number) : not_a_label;
}

void bind_labels(nb::module_& m) {
    m.attr("NOT_A_LABEL") = int{not_a_label};
    m.def("label_code", &label_code, nb::arg("y").none(), nb::sig("def label_code(y: object) -> int"));
    const auto def_codes = [&](auto function) { m.def("label_codes", function, nb::arg("labels").noconvert()); };
    def_codes(&codes_of<std::int8_t>);
    def_codes(&codes_of<std::int32_t>);
    def_codes(&codes_of<std::int64_t>);
    def_codes(&codes_of<std::uint8_t>);
    def_codes(&codes_of<float>);
    def_codes(&codes_of<double>);
}

}  // namespace thresher::python
