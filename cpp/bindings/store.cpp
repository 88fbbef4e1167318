// Model files in Python: bytes that know themselves whole, and the digest that says so.
#include "../thresher/store.hpp"
#include "../thresher/digest.hpp"
#include "bindings.hpp"

namespace thresher::python {

namespace {

// Another object's bytes, where they lie; it can neither free nor move them meanwhile.
class Bytes {
  public:
    explicit Bytes(nb::handle object) {
        if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_SIMPLE) != 0) nb::raise_python_error();
    }
    ~Bytes() { PyBuffer_Release(&buffer_); }
    Bytes(const Bytes&) = delete;
    Bytes& operator=(const Bytes&) = delete;

    std::string_view view() const {
        return {static_cast<const char*>(buffer_.buf), static_cast<std::size_t>(buffer_.len)};
    }

  private:
    Py_buffer buffer_;
};

// The GIL is free while the core works: a large file takes a while to hash.
template <class Work>
auto unless_refused(Work&& work) {
    try {
        const nb::gil_scoped_release free;
        return work();
    } catch (const store::Refusal& refusal) {
        raise("StoreError", refusal.what());
    }
}

std::string name_of(nb::handle name) {
    if (!PyUnicode_Check(name.ptr())) {
        raise("StoreError", "found a section named " + shown(name) + ", expected a str");
    }
    // Lone surrogates pass, for the core to refuse with everything else that is not ASCII.
    const nb::object utf8 = nb::steal(PyUnicode_AsEncodedString(name.ptr(), "utf-8", "surrogatepass"));
    if (!utf8.is_valid()) nb::raise_python_error();
    return {PyBytes_AS_STRING(utf8.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(utf8.ptr()))};
}

nb::bytes bytes_of(const std::string& piece) { return nb::bytes(piece.data(), piece.size()); }

nb::list pack(const nb::dict& named) {
    nb::list views;
    std::vector<std::unique_ptr<Bytes>> held;
    std::vector<store::Section> sections;
    for (const nb::handle item : named.items()) {  // a copy: to ask an object for its bytes may run code
        const nb::object section = item[1];
        const nb::memoryview view(section);
        held.push_back(std::make_unique<Bytes>(view));
        sections.push_back({name_of(item[0]), held.back()->view()});
        views.append(view);
    }
    const auto between = unless_refused([&] { return store::pack(sections); });
    nb::list pieces;
    for (std::size_t k = 0; k < sections.size(); ++k) {
        pieces.append(bytes_of(between[k]));
        pieces.append(views[k]);
    }
    pieces.append(bytes_of(between.back()));
    return pieces;
}

nb::dict unpack(nb::handle file) {
    auto bytes = std::make_unique<Bytes>(file);
    const std::string_view view = bytes->view();
    const nb::capsule owner(bytes.release(), [](void* held) noexcept { delete static_cast<Bytes*>(held); });
    nb::dict sections;
    for (const auto& [name, section] : unless_refused([&] { return store::unpack(view); })) {
        const auto* data = reinterpret_cast<const std::uint8_t*>(section.data());
        sections[name.c_str()] =
            nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>(data, {section.size()}, owner).cast();
    }
    return sections;
}

std::uint64_t digest(const nb::args& pieces) {
    Digest digest;
    for (const nb::handle piece : pieces) {
        const Bytes bytes(piece);
        const nb::gil_scoped_release free;
        digest.update(bytes.view().data(), bytes.view().size());
    }
    return digest.value();
}

}  // namespace

// NumPy's own stubs call an array a buffer from Python 3.12 on only.
#define BYTES_LIKE "typing_extensions.Buffer | numpy.typing.NDArray[typing.Any]"

void bind_store(nb::module_& m) {
    m.def("pack", &pack, nb::arg("sections"),
          nb::sig("def pack(sections: dict[str, " BYTES_LIKE "]) -> list[bytes | memoryview]"),
          "The file that holds these sections, in pieces to write one after the other: views of the sections, and\n"
          "what stands before, between and after them.");
    m.def("unpack", &unpack, nb::arg("file"),
          nb::sig("def unpack(file: " BYTES_LIKE ") -> dict[str, numpy.typing.NDArray[numpy.uint8]]"),
          "The sections of a file, as read-only views that keep it alive.");
    m.def(
        "check_head",
        [](nb::handle head, std::uint64_t size) {
            const Bytes bytes(head);
            unless_refused([&] { store::check_head(bytes.view(), size); });
        },
        nb::arg("head"), nb::arg("size"), nb::sig("def check_head(head: " BYTES_LIKE ", size: int) -> None"),
        "Refuses a file of `size` bytes that cannot be a model, from its first bytes (32 or more; all, if fewer).");
    m.def("digest", &digest, nb::sig("def digest(*pieces: " BYTES_LIKE ") -> int"),
          "XXH64 of these bytes, one after the other.");
}

}  // namespace thresher::python
