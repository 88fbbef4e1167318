// Examples from Python: mappings and sets are read here, key by key; everything else becomes a block first.
#include <vector>

#include "../thresher/names.hpp"
#include "bindings.hpp"

namespace thresher::python {

namespace {

// Scratch rows that are in nobody's hands. Reading an example may run Python code that reads another, so each takes
// its own. Guarded by the GIL. Never destroyed: the names that they hold cannot be let go after Python has ended.
std::vector<std::unique_ptr<Scratch>>& spare() {
    static auto& rows = *new std::vector<std::unique_ptr<Scratch>>;
    return rows;
}

std::string_view utf8(nb::handle name) {
    if (PyUnicode_IS_COMPACT_ASCII(name.ptr())) {
        return {reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(name.ptr())),
                static_cast<std::size_t>(PyUnicode_GET_LENGTH(name.ptr()))};
    }
    Py_ssize_t size;
    const char* bytes = PyUnicode_AsUTF8AndSize(name.ptr(), &size);
    if (bytes == nullptr) {
        PyErr_Clear();
        raise("ExampleError", "the name " + shown(name) + " is not valid Unicode: it cannot be written as UTF-8",
              {{}, nb::borrow(name)});
    }
    return {bytes, static_cast<std::size_t>(size)};
}

// An object that is no number says so with one of these; anything else, an interrupt say, is not ours to swallow.
void clear_conversion_error() {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0 && PyErr_ExceptionMatches(PyExc_ValueError) == 0 &&
        PyErr_ExceptionMatches(PyExc_OverflowError) == 0) {
        nb::raise_python_error();
    }
    PyErr_Clear();
}

[[noreturn]] void raise_key(nb::handle key) {
    raise("ExampleError", "found the key " + shown(key) + ", expected an int (an index) or a str (a name)",
          {{}, nb::borrow(key)});
}

std::int64_t slot_of_key(nb::handle key, std::size_t n) {
    if (PyUnicode_Check(key.ptr())) return slot_of(utf8(key), n);
    if (PyBool_Check(key.ptr()) || !PyIndex_Check(key.ptr())) raise_key(key);
    const nb::object index = nb::steal(PyNumber_Index(key.ptr()));
    if (!index.is_valid()) {
        clear_conversion_error();
        raise_key(key);
    }
    int overflow = 0;
    const long long slot = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    if (overflow != 0 || slot < 0 || static_cast<unsigned long long>(slot) >= n) {
        raise("ExampleError", "found index " + shown(key) + ", expected one from 0 to " + std::to_string(n - 1),
              {{}, nb::borrow(key)});
    }
    return slot;
}

double value_of(nb::handle key, nb::handle value) {
    const std::optional<double> number = number_of(value);
    if (!number) {
        raise("ExampleError", "key " + shown(key) + ": found " + shown(value) + ", expected a number",
              {{}, nb::borrow(key)});
    }
    if (!acceptable(*number)) {
        raise("ExampleError",
              "key " + shown(key) + ": found " + shown(value) + ", expected a finite number of at most 2^250 (1.8e75)",
              {{}, nb::borrow(key)});
    }
    return *number;
}

// The number that a plain float, int or bool is, if a feature can hold it. Reading these runs no Python code.
std::optional<double> plain_number(PyObject* value) {
    double number;
    if (PyFloat_CheckExact(value) != 0) {
        number = PyFloat_AS_DOUBLE(value);
    } else if (PyLong_CheckExact(value) != 0 || PyBool_Check(value) != 0) {
        number = PyLong_AsDouble(value);
        if (number == -1.0 && PyErr_Occurred() != nullptr) {  // it is too large
            PyErr_Clear();
            return std::nullopt;
        }
    } else {
        return std::nullopt;
    }
    return acceptable(number) ? std::optional(number) : std::nullopt;
}

// Reads a row of the names that were read last; false if it is another, or not all of its values are plain numbers.
bool read_same_names(nb::handle x, std::size_t n, Scratch& scratch) {
    const std::size_t size = scratch.names.size();
    if (n != scratch.n || static_cast<std::size_t>(PyDict_Size(x.ptr())) != size) return false;
    PyObject *key, *value;
    Py_ssize_t at = 0;
    for (std::size_t i = 0; i < size; ++i) {
        if (PyDict_Next(x.ptr(), &at, &key, &value) == 0 || key != scratch.names[i].ptr()) return false;
        const std::optional<double> number = plain_number(value);
        if (!number) return false;
        scratch.canonical.replace(i, *number);
    }
    scratch.canonical.settle_again();
    return true;
}

void read_dict(nb::handle x, std::size_t n, Scratch& scratch) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    const Py_ssize_t size = PyDict_Size(x.ptr());
    const bool few = size <= static_cast<Py_ssize_t>(Canonical::few);
    Py_ssize_t features = 0;
    while (PyDict_Next(x.ptr(), &at, &key, &value) != 0) {
        ++features;
        if (PyUnicode_CheckExact(key) != 0) {
            if (const std::optional<double> number = plain_number(value)) {
                scratch.canonical.add(slot_of(utf8(key), n), *number);
                if (few) scratch.names.push_back(nb::borrow(key));
                continue;
            }
        }
        const nb::object held_key = nb::borrow(key), held_value = nb::borrow(value);
        const double number = value_of(held_key, held_value);
        scratch.canonical.add(slot_of_key(held_key, n), number);
    }
    if (features != size || PyDict_Size(x.ptr()) != size)
        raise("ExampleError", "the example changed while it was read");
    if (scratch.names.size() != static_cast<std::size_t>(size)) scratch.names.clear();  // not all of them are plain
}

void read_set(nb::handle x, std::size_t n, Scratch& scratch) {
    for (const nb::handle key : nb::borrow<nb::iterable>(x)) scratch.canonical.add(slot_of_key(key, n), 1.0);
}

template <class Value>
HeldBlock dense_block(nb::ndarray<const Value, nb::ndim<2>, nb::c_contig, nb::device::cpu> values) {
    return {DenseBlock<Value>{values.data(), values.shape(0), values.shape(1)}, nb::cast(values)};
}

template <class Index, class Value>
HeldBlock sparse_block(Vector<Index> starts, Vector<Index> slots, Vector<Value> values, std::size_t n) {
    if (starts.shape(0) == 0 || slots.shape(0) != values.shape(0)) {
        throw std::invalid_argument("indptr, indices and data do not fit together");
    }
    return {SparseBlock<Index, Value>{starts.data(), starts.data() + 1, slots.data(), values.data(),
                                      starts.shape(0) - 1, n, slots.shape(0)},
            nb::make_tuple(nb::cast(starts), nb::cast(slots), nb::cast(values))};
}

// Rows first to last - 1 of a block. Nobody knows which rows had how many collisions, so those at its end have them
// all.
HeldBlock rows_between(const HeldBlock& held, std::size_t first, std::size_t last) {
    if (first > last || last > rows_of(held.block)) throw nb::index_error("no such rows");
    const Block part = std::visit(
        [&](auto rows) -> Block {
            if constexpr (requires { rows.starts; }) {
                rows.starts += first;
                rows.ends += first;
            } else {
                rows.values += first * rows.n;
            }
            rows.rows = last - first;
            return rows;
        },
        held.block);
    return {part, held.arrays, last == rows_of(held.block) ? held.collisions : 0};
}

// The rows of a block that are not left out; sparse ones by reference. As above, who has the last row has the
// collisions.
HeldBlock rows_without(const HeldBlock& held, Vector<bool> out) {
    const std::size_t rows = rows_of(held.block);
    if (out.shape(0) != rows) throw std::invalid_argument("whether a row is left out, for each");
    const auto* const left = reinterpret_cast<const std::uint8_t*>(out.data());  // a byte may be neither 0 nor 1
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < rows; ++k) {
        if (left[k] == 0) kept.push_back(k);
    }
    const std::int64_t collisions = !kept.empty() && kept.back() + 1 == rows ? held.collisions : 0;
    return std::visit(
        [&](auto some) -> HeldBlock {
            some.rows = kept.size();
            if constexpr (requires { some.starts; }) {
                using Index = std::remove_cvref_t<decltype(*some.starts)>;
                auto places = std::make_unique_for_overwrite<Index[]>(2 * kept.size());
                for (std::size_t i = 0; i < kept.size(); ++i) {
                    places[i] = some.starts[kept[i]];
                    places[kept.size() + i] = some.ends[kept[i]];
                }
                some.starts = places.get();
                some.ends = places.get() + kept.size();
                return {some, nb::make_tuple(held.arrays, owned<Index>(std::move(places), 2 * kept.size())),
                        collisions};
            } else {
                using Value = std::remove_cvref_t<decltype(*some.values)>;
                auto values = std::make_unique_for_overwrite<Value[]>(kept.size() * some.n);
                for (std::size_t i = 0; i < kept.size(); ++i) {
                    std::copy_n(some.values + kept[i] * some.n, some.n, values.get() + i * some.n);
                }
                some.values = values.get();
                return {some, nb::cast(owned<Value>(std::move(values), kept.size() * some.n)), collisions};
            }
        },
        held.block);
}

// One example as a block of one canonical row of its own.
HeldBlock one_block(nb::handle x, std::size_t n) {
    const Example example(x, n);
    const CanonicalRow row = example.row();
    auto starts = std::make_unique_for_overwrite<std::int64_t[]>(2);
    auto slots = std::make_unique_for_overwrite<std::int64_t[]>(row.size);
    auto values = std::make_unique_for_overwrite<double[]>(row.size);
    starts[0] = 0;
    starts[1] = static_cast<std::int64_t>(row.size);
    std::copy_n(row.slots, row.size, slots.get());
    std::copy_n(row.values, row.size, values.get());
    const SparseBlock<std::int64_t, double> block{starts.get(), starts.get() + 1, slots.get(), values.get(), 1, n,
                                                  row.size};
    return {block,
            nb::make_tuple(owned<std::int64_t>(std::move(starts), 2), owned<std::int64_t>(std::move(slots), row.size),
                           owned<double>(std::move(values), row.size)),
            example.collisions()};
}

nb::dict row_at(const HeldBlock& held, std::int64_t k) {
    const auto size = static_cast<std::int64_t>(rows_of(held.block));
    const std::int64_t at = k < 0 ? k + size : k;
    if (at < 0 || at >= size) {
        throw nb::index_error(("no row " + std::to_string(k) + " among " + std::to_string(size)).c_str());
    }
    nb::dict features;
    std::visit(
        [&](const auto& rows) {
            typename std::decay_t<decltype(rows)>::Row row;
            if (!rows.row(static_cast<std::size_t>(at), row)) raise(Fault{Fault::Kind::pointers}, at);
            for (std::size_t j = 0; j < row.size; ++j) {
                auto slot = static_cast<std::int64_t>(j);
                if constexpr (requires { row.slots; }) slot = row.slots[j];
                features[nb::int_(slot)] = static_cast<double>(row.values[j]);
            }
        },
        held.block);
    return features;
}

}  // namespace

std::optional<double> number_of(nb::handle value) {
    if (PyFloat_CheckExact(value.ptr())) return PyFloat_AS_DOUBLE(value.ptr());
    if (!PyFloat_Check(value.ptr()) && !PyLong_Check(value.ptr())) {
        // Some types turn into a float by losing a part: complex numbers their imaginary one, dates their meaning.
        if (PyComplex_Check(value.ptr())) return std::nullopt;
        if (nb::hasattr(value, "dtype")) {
            const auto kind = nb::cast<std::string>(nb::str(value.attr("dtype").attr("kind")));
            if (kind.find_first_not_of("biuf") != std::string::npos) return std::nullopt;
        }
    }
    const double number = PyFloat_AsDouble(value.ptr());
    if (number == -1.0 && PyErr_Occurred() != nullptr) {
        clear_conversion_error();
        return std::nullopt;
    }
    return number;
}

Example::Example(nb::handle x, std::size_t n, Domain domain) : domain_(domain) {
    auto& rows = spare();
    if (rows.empty()) {
        scratch_ = std::make_unique<Scratch>();
    } else {
        scratch_ = std::move(rows.back());
        rows.pop_back();
    }
    // Only the plain types are read directly: a subclass may mean something else, as SciPy's dictionary of keys does.
    const bool dict = PyDict_CheckExact(x.ptr()) != 0;
    if (dict && read_same_names(x, n, *scratch_)) return;
    scratch_->canonical.clear();
    scratch_->names.clear();
    scratch_->n = 0;
    if (dict) {
        settle(x, n, read_dict);
    } else if (PyAnySet_CheckExact(x.ptr()) != 0) {
        settle(x, n, read_set);
    } else {
        read_other(nb::module_::import_("thresher.examples").attr("one")(x, n), n);
    }
}

void Example::read_other(nb::handle read, std::size_t n) {
    if (PyDict_CheckExact(read.ptr()) != 0) {
        settle(read, n, read_dict);
        return;
    }
    const Block& block = nb::cast<const HeldBlock&>(read).block;
    if (rows_of(block) != 1) throw std::invalid_argument("one example is one row");
    const Fault fault = std::visit(
        [&](const auto& rows) -> Fault {
            typename std::decay_t<decltype(rows)>::Row row;
            if (!rows.row(0, row)) return {Fault::Kind::pointers};
            return scratch_->canonical.read(row, n);
        },
        block);
    if (fault) raise(fault);
}

void Example::settle(nb::handle x, std::size_t n, void (*read)(nb::handle, std::size_t, Scratch&)) {
    read(x, n, *scratch_);
    if (const Fault fault = scratch_->canonical.settle_collisions(collisions_, domain_)) raise(fault);
    if (!scratch_->names.empty() && scratch_->canonical.placed()) scratch_->n = n;
}

Example::~Example() {
    try {
        spare().push_back(std::move(scratch_));
    } catch (const std::bad_alloc&) {  // then it is freed
    }
}

void bind_examples(nb::module_& m) {
    m.def(
        "hash64", [](nb::str name, std::uint64_t seed) { return hash64(utf8(name), seed); }, nb::arg("name"),
        nb::arg("seed") = 0);
    m.def(
        "slot_of",
        [](nb::str name, std::size_t n, std::uint64_t seed) {
            if (n == 0) raise("ParameterError", "n is 0, expected at least one slot");
            return slot_of(utf8(name), n, seed);
        },
        nb::arg("name"), nb::arg("n"), nb::arg("seed") = 0);
    m.def(
        "slot_of_bytes",
        [](nb::bytes name, std::size_t n) { return slot_of({name.c_str(), name.size()}, n == 0 ? 1 : n); },
        nb::arg("name"), nb::arg("n"));

    nb::class_<HeldBlock>(m, "Block", "Rows of examples, by reference.")
        .def("__len__", [](const HeldBlock& held) { return rows_of(held.block); })
        .def("__getitem__", &row_at, nb::arg("k"), nb::sig("def __getitem__(self, k: int) -> dict[int, float]"),
             "A row as a mapping from slots to values.")
        .def_prop_ro("n", [](const HeldBlock& held) { return width_of(held.block); })
        .def_ro("collisions", &HeldBlock::collisions,
                "How many features fell into a slot that another one of the same example held, as the rows were read.")
        .def("rows", &rows_between, nb::arg("first"), nb::arg("last"), "These rows, `last` not among them.")
        .def("without", &rows_without, nb::arg("out"), "The rows that are not left out.")
        .def_prop_ro(
            "shape", [](const HeldBlock& held) { return nb::make_tuple(rows_of(held.block), width_of(held.block)); },
            nb::sig("def shape(self, /) -> tuple[int, int]"))
        .def("__repr__", [](const HeldBlock& held) {
            std::string text = std::to_string(rows_of(held.block));
            return text.append(" rows of ").append(std::to_string(width_of(held.block))).append(" attributes");
        });
    m.def("one_block", &one_block, nb::arg("x").none(), nb::arg("n"),
          nb::sig("def one_block(x: object, n: int) -> Block"), "One example, canonical, as a block of one row.");
    m.def("dense_block", &dense_block<double>, nb::arg("values").noconvert());
    m.def("dense_block", &dense_block<float>, nb::arg("values").noconvert());
    const auto def_sparse = [&](auto function) {
        m.def("sparse_block", function, nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
              nb::arg("data").noconvert(), nb::arg("n"));
    };
    def_sparse(&sparse_block<std::int32_t, double>);
    def_sparse(&sparse_block<std::int32_t, float>);
    def_sparse(&sparse_block<std::int64_t, double>);
    def_sparse(&sparse_block<std::int64_t, float>);
}

}  // namespace thresher::python
