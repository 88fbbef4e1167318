// Model files in Python: bytes that know themselves whole, and the digest that says so.
#include "../thresher/store.hpp"

#include <algorithm>

#include "../reading/turns.hpp"
#include "../thresher/digest.hpp"
#include "bindings.hpp"
#include "drawn.hpp"

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

using Room = std::shared_ptr<std::vector<char>>;

// Some bytes of a section, which are made where there is room for them.
struct Drawing {
    const Drawn* drawn;
    std::size_t at, size;
    Room room;
};

struct Draw {
    void operator()(const Drawing& drawing) const {
        drawing.drawn->draw(drawing.at, drawing.size, drawing.room->data());
    }
};

// The pieces of a file, one after the other: what stands between sections, and these, large ones as they lie. What is
// drawn is made by another thread while what comes before it is written, and each piece is hashed as it goes out.
class Pieces {
  public:
    explicit Pieces(const nb::dict& named) {
        std::vector<std::pair<std::string, std::uint64_t>> sizes;
        for (const nb::handle item : named.items()) {  // a copy: to ask an object for its bytes may run code
            Section section{nb::borrow(item[1]), nullptr, nullptr};
            if (!nb::try_cast(section.object, section.drawn)) {
                section.object = nb::memoryview(section.object);
                section.held = std::make_unique<Bytes>(section.object);
            }
            sizes.emplace_back(name_of(item[0]), section.size());
            sections_.push_back(std::move(section));
        }
        between_ = unless_refused([&] { return store::between(sizes); });
    }

    Pieces(const Pieces&) = delete;
    Pieces& operator=(const Pieces&) = delete;

    nb::object next() {
        const Busy::Writing writing(busy_);
        if (now_ > sections_.size()) throw nb::stop_iteration();
        if (!inside_) {
            std::string piece = between_[now_];
            digest_.update(piece.data(), piece.size());
            if (now_ == sections_.size()) {
                store::append(piece, digest_.value());
                ++now_;
            }
            inside_ = true;
            return nb::bytes(piece.data(), piece.size());
        }
        const Section& section = sections_[now_];
        nb::object piece = section.object;
        if (section.held != nullptr) {
            const nb::gil_scoped_release free;
            digest_.update(section.held->view().data(), section.size());
            at_ = section.size();
        } else {
            Drawing drawing{};
            {
                const nb::gil_scoped_release free;
                while (drawings_.size() < ahead && draw_next()) continue;
                drawing = drawings_.take();
                digest_.update(drawing.room->data(), drawing.size);
                at_ += drawing.size;
            }
            const nb::capsule owner(new Room(drawing.room),
                                    [](void* held) noexcept { delete static_cast<Room*>(held); });
            piece = nb::cast(
                nb::ndarray<nb::memview, std::uint8_t, nb::ndim<1>>(drawing.room->data(), {drawing.size}, owner));
        }
        if (at_ == section.size()) {
            inside_ = false;
            at_ = 0;
            ++now_;
        }
        return piece;
    }

  private:
    struct Section {
        nb::object object;
        std::unique_ptr<Bytes> held;  // one of these two
        const Drawn* drawn;

        std::size_t size() const { return drawn != nullptr ? drawn->bytes() : held->view().size(); }
    };

    // The next piece of all sections that are drawn begins to be made, if there is one.
    bool draw_next() {
        for (; next_ < sections_.size(); ++next_, from_ = 0) {
            const Drawn* const drawn = sections_[next_].drawn;
            if (drawn == nullptr || from_ == drawn->bytes()) continue;
            const std::size_t size = drawn->fitting(from_, most_drawn);
            drawings_.give({drawn, from_, size, free_room(size)});
            from_ += size;
            return true;
        }
        return false;
    }

    // Memory that no piece lies in any more.
    Room free_room(std::size_t size) {
        auto room = std::ranges::find_if(rooms_, [](const Room& each) { return each.use_count() == 1; });
        if (room == rooms_.end()) room = rooms_.insert(room, std::make_shared<std::vector<char>>());
        (*room)->resize(std::max((*room)->size(), size));
        return *room;
    }

    // They stay in a near cache until they are written.
    static constexpr std::size_t most_drawn = std::size_t{1} << 18, ahead = 3;

    std::vector<Section> sections_;
    std::vector<std::string> between_;
    Digest digest_;
    std::size_t now_ = 0, at_ = 0;     // which section, and where in it
    std::size_t next_ = 0, from_ = 0;  // and from where on nothing is drawn yet
    bool inside_ = false;              // whether what stands before it is out
    std::vector<Room> rooms_;
    reading::Turns<Drawing, Draw> drawings_{2, Draw{}};
    Busy busy_;
};

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
    nb::class_<Drawn>(m, "Drawn", "Numbers that are not in memory as they are to be written: made when they are.")
        .def_prop_ro("format", &Drawn::format, "Their type, as a memoryview has it.")
        .def_prop_ro("nbytes", &Drawn::bytes, "How many bytes they take.");
    nb::class_<Pieces>(m, "Pieces", "The pieces of a file, each made and hashed when it is asked for.")
        .def(
            "__iter__", [](nb::handle self) { return nb::borrow(self); }, nb::sig("def __iter__(self) -> Pieces"))
        .def("__next__", &Pieces::next, nb::sig("def __next__(self) -> bytes | memoryview"));
    m.def(
        "pack", [](const nb::dict& sections) { return new Pieces(sections); }, nb::arg("sections"),
        nb::sig("def pack(sections: dict[str, " BYTES_LIKE " | Drawn]) -> Pieces"),
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
