// Readers of text in Python: bytes go in by a file's own readinto, batches of rows come out.
#include <fcntl.h>
#include <nanobind/stl/shared_ptr.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "../reading/reader.hpp"
#include "../reading/svmlight.hpp"
#include "../reading/vowpal.hpp"
#include "batch.hpp"

namespace thresher::python {

namespace {

using reading::AnyReader;
using reading::Rows;

constexpr std::size_t pieces_to_expand = std::size_t{1} << 16;  // bytes: each may make many rows of its own

template <class T>
auto view(nb::handle self, const T* data, std::size_t size) {
    return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(data, {size}, self);
}

nb::object block_of(nb::handle self) {
    const auto& batch = nb::cast<const Batch&>(self);
    return nb::cast(HeldBlock{batch.parsed.rows.block(batch.n), nb::borrow(self), batch.parsed.rows.collisions});
}

auto codes_of(const Batch& batch, int positive) {
    const auto& labels = batch.parsed.rows.labels;
    auto codes = std::make_unique_for_overwrite<std::int8_t[]>(labels.size());
    for (std::size_t k = 0; k < labels.size(); ++k) {
        codes[k] = labels[k] == reading::unlabelled ? not_a_label : labels[k] == positive ? 1 : -1;
    }
    return owned<std::int8_t, nb::memview>(std::move(codes), labels.size());
}

[[noreturn]] void raise_of_system(int number) {
    errno = number;
    PyErr_SetFromErrno(PyExc_OSError);
    nb::raise_python_error();
}

// A file that is read from some byte on, by its descriptor; where others stand in it does not matter.
class File {
  public:
    File(int descriptor, std::int64_t offset) : descriptor_(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0)), reached_(offset) {
        if (descriptor_ < 0) raise_of_system(errno);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { ::close(descriptor_); }

    std::size_t read(std::span<char> space) {
        std::size_t size = 0;
        while (size < space.size()) {
            const ::ssize_t got = ::pread(descriptor_, space.data() + size, space.size() - size, reached_);
            if (got == 0) break;
            if (got > 0) {
                size += static_cast<std::size_t>(got);
                reached_ += got;
            } else if (errno != EINTR) {
                throw std::system_error(errno, std::generic_category());
            }
        }
        return size;
    }
    std::int64_t reached() const { return reached_; }

  private:
    int descriptor_;
    std::atomic<std::int64_t> reached_;  // who shows progress asks while others read
};

class PythonReader {
  public:
    PythonReader(std::string_view format, std::size_t n, bool zero_based, bool keep_tags, std::string_view labels,
                 bool drop_unlabelled, bool skip_bad, bool needs_features, std::string_view values, bool unweighted,
                 std::vector<std::string> interactions, std::size_t ngrams, std::size_t threads)
        : n_(n) {
        if (n < 1 || n > reading::most_slots) throw std::invalid_argument("n must be from 1 to 2^31");
        if (threads < 1 || threads > reading::most_threads) throw std::invalid_argument("threads must be from 1 to 64");
        const Domain domain = domain_named(values);
        reading::Policy policy = policy_of(labels, drop_unlabelled, skip_bad, needs_features, domain);
        policy.unweighted = unweighted;
        reading::Expansion expansion(std::move(interactions), ngrams, domain);
        if (format == "svmlight") {
            reader_ =
                std::make_unique<reading::Reader<reading::Svmlight>>(policy, reading::Svmlight(n, zero_based), threads);
        } else if (format == "vw") {
            const reading::Sizes sizes = expansion.wanted() ? reading::Sizes{pieces_to_expand} : reading::Sizes{};
            reader_ = std::make_unique<reading::Reader<reading::Vowpal>>(
                policy, reading::Vowpal(n, keep_tags, domain, std::move(expansion)), threads, sizes);
        } else {
            throw std::invalid_argument("no such format");
        }
    }

    // Has `readinto` write into the buffer; 0 at the end of the file. The memory is the reader's own: it is lent for
    // the time of the call.
    std::size_t fill(nb::handle readinto) {
        const Busy::Writing writing(busy_);
        const std::span<char> space = reader_->space();
        const nb::object lent =
            nb::steal(PyMemoryView_FromMemory(space.data(), static_cast<Py_ssize_t>(space.size()), PyBUF_WRITE));
        if (!lent.is_valid()) nb::raise_python_error();
        std::size_t got = 0;
        try {
            got = nb::cast<std::size_t>(readinto(lent));
        } catch (...) {
            lent.attr("release")();
            throw;
        }
        lent.attr("release")();
        if (got > space.size()) throw std::invalid_argument("readinto says it wrote more than there is room for");
        reader_->filled(got);
        return got;
    }

    void cut(bool last) {
        const Busy::Writing writing(busy_);
        if (!reader_->has_room()) throw std::invalid_argument("there is no room for more");
        const nb::gil_scoped_release free;
        reader_->cut(last);
    }

    // The file is read by its descriptor from here on, by a duplicate: it stays open as long as it is read.
    void follow(int descriptor, std::int64_t offset) {
        const Busy::Writing writing(busy_);
        if (!reader_->has_room()) throw std::invalid_argument("there is no room for more");
        file_ = std::make_shared<File>(descriptor, offset);
        reader_->follow([file = file_](std::span<char> space) { return file->read(space); });
    }

    std::int64_t reached() const { return file_ == nullptr ? 0 : file_->reached(); }

    nb::object next() {
        const Busy::Writing writing(busy_);
        if (!reader_->has_next()) throw std::invalid_argument("there is nothing to be read");
        std::optional<reading::Parsed> parsed;
        int wrong = 0;
        {
            const nb::gil_scoped_release free;
            try {
                parsed = reader_->next();
            } catch (const std::system_error& error) {
                wrong = error.code().value();
            }
        }
        if (wrong != 0) raise_of_system(wrong);
        if (!parsed) return nb::none();
        return nb::cast(Batch{std::move(*parsed), n_, reader_->spare});
    }

    void end() {
        const Busy::Writing writing(busy_);
        {
            const nb::gil_scoped_release free;
            reader_->end();
        }
        file_.reset();
    }

    void keep_names(nb::handle given, Vector<bool> changed) {
        const Busy::Writing writing(busy_);
        const auto& batch = nb::cast<const Batch&>(given);
        if (changed.shape(0) != batch.parsed.rows.size) throw std::invalid_argument("one flag a row");
        if (batch.spare != reader_->spare) return;
        named_.push_back(nb::borrow(given));
        {
            const nb::gil_scoped_release free;
            reader_->keep_names(batch.parsed, changed.data());
        }
        while (named_.size() > reader_->naming()) named_.pop_front();
    }

    std::vector<nb::bytes> names_of(const Batch& batch, std::size_t row) {
        const Busy::Writing writing(busy_);
        std::vector<nb::bytes> names;
        if (batch.spare != reader_->spare) return names;  // another reader's: who knows how that is to be read
        for (const std::string& name : reader_->names_of(batch.parsed, row)) names.push_back(as_bytes(name));
        return names;
    }

    template <class Use>
    auto with(Use&& use) {
        const Busy::Writing writing(busy_);
        return use(*reader_);
    }

    // All names that were to be kept, when they are.
    template <class Use>
    auto with_names(Use&& use) {
        return with([&](AnyReader& reader) {
            reading::KeptNames* names = nullptr;
            {
                const nb::gil_scoped_release free;
                names = &reader.names();
            }
            named_.clear();
            return use(*names);
        });
    }

  private:
    std::size_t n_;
    std::shared_ptr<File> file_;
    std::deque<nb::object> named_;  // batches whose names are being kept
    std::unique_ptr<AnyReader> reader_;
    Busy busy_;
};

}  // namespace

void bind_reading(nb::module_& m) {
    nb::class_<Batch>(m, "Batch", "Rows as they were read from text.")
        .def("__len__", [](const Batch& batch) { return batch.parsed.rows.size; })
        .def_prop_ro("X", &block_of, nb::sig("def X(self, /) -> Block"), "The rows.")
        .def("codes", &codes_of, nb::arg("positive"), nb::sig("def codes(self, positive: int) -> memoryview"),
             "The labels as int8, +1 for the one of that number.")
        .def_prop_ro(
            "nonzeros", [](const Batch& batch) { return batch.parsed.rows.terms; }, "How many terms the rows have.")
        .def_prop_ro(
            "weights",
            [](nb::handle self) -> nb::object {
                const auto& weights = nb::cast<const Batch&>(self).parsed.rows.weights;
                if (weights.empty()) return nb::none();
                return nb::cast(view(self, weights.data(), weights.size()));
            },
            nb::sig("def weights(self, /) -> numpy.typing.NDArray[numpy.float64] | None"),
            "The rows' weights, or None for 1 throughout.")
        .def_prop_ro(
            "tags",
            [](const Batch& batch) {
                std::vector<nb::bytes> tags;
                for (const auto& tag : batch.parsed.rows.tags) tags.push_back(as_bytes(tag));
                return tags;
            },
            "The rows' tags, where the reader keeps them.")
        .def_prop_ro(
            "bad", [](const Batch& batch) { return told(batch.parsed.bad); },
            "What could not be read in it: the number of its line, or row, there.")
        .def_prop_ro(
            "places",
            [](nb::handle self) {
                const auto& places = nb::cast<const Batch&>(self).parsed.rows.places;
                return view(self, places.data(), places.size());
            },
            nb::rv_policy::automatic, "Where each row stands: its byte in the text, or its number in the table.")
        .def_prop_ro(
            "indptr",
            [](nb::handle self) {
                const auto& rows = nb::cast<const Batch&>(self).parsed.rows;
                return view(self, rows.starts.get(), rows.size + 1);
            },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "indices",
            [](nb::handle self) {
                const auto& rows = nb::cast<const Batch&>(self).parsed.rows;
                return view(self, rows.slots.get(), rows.terms);
            },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "data",
            [](nb::handle self) {
                const auto& rows = nb::cast<const Batch&>(self).parsed.rows;
                return view(self, rows.values.get(), rows.terms);
            },
            nb::rv_policy::automatic);

    const auto get = [](auto AnyReader::* member) {
        return [member](PythonReader& self) { return self.with([member](AnyReader& r) { return r.*member; }); };
    };
    nb::class_<PythonReader>(m, "Reader", "Reads svmlight or Vowpal Wabbit text.")
        .def(nb::init<std::string_view, std::size_t, bool, bool, std::string_view, bool, bool, bool, std::string_view,
                      bool, std::vector<std::string>, std::size_t, std::size_t>(),
             nb::arg("format"), nb::arg("n"), nb::kw_only(), nb::arg("zero_based"), nb::arg("keep_tags"),
             nb::arg("labels"), nb::arg("drop_unlabelled"), nb::arg("skip_bad"), nb::arg("needs_features"),
             nb::arg("values"), nb::arg("unweighted"), nb::arg("interactions") = std::vector<std::string>(),
             nb::arg("ngrams") = 1, nb::arg("threads") = 1)
        .def("fill", &PythonReader::fill, nb::arg("readinto"),
             nb::sig("def fill(self, readinto: collections.abc.Callable[[memoryview], int]) -> int"))
        .def("cut", &PythonReader::cut, nb::arg("last"))
        .def("follow", &PythonReader::follow, nb::arg("descriptor"), nb::arg("offset"))
        .def_prop_ro("reached", &PythonReader::reached, "How far the file that is followed was read.")
        .def("next", &PythonReader::next, nb::sig("def next(self) -> Batch | None"))
        .def("end", &PythonReader::end)
        .def("keep_names", &PythonReader::keep_names, nb::arg("batch"), nb::arg("changed"),
             nb::sig("def keep_names(self, batch: Batch, changed: object) -> None"))
        .def("names_of", &PythonReader::names_of, nb::arg("batch"), nb::arg("row"))
        .def(
            "skip",
            [](PythonReader& self, std::size_t count) {
                return self.with([count](AnyReader& r) { return r.skip(count); });
            },
            nb::arg("count"))
        .def("start_file", [](PythonReader& self) { self.with([](AnyReader& r) { r.start_file(); }); })
        .def(
            "know_label",
            [](PythonReader& self, const nb::bytes& spelling) {
                self.with([&](AnyReader& r) { r.labels.add(std::string(text_of(spelling)), 0); });
            },
            nb::arg("spelling"))
        .def(
            "find_label",
            [](PythonReader& self, const nb::bytes& spelling) {
                return self.with([&](AnyReader& r) { return found(r.labels, spelling); });
            },
            nb::arg("spelling"), "The number of a label, or -1.")
        .def(
            "keep_name",
            [](PythonReader& self, const nb::bytes& name) {
                self.with_names([&](reading::KeptNames& names) { names.keep(text_of(name)); });
            },
            nb::arg("name"))
        .def_prop_ro("labels",
                     [](PythonReader& self) { return self.with([](AnyReader& r) { return spelled(r.labels); }); })
        .def_prop_ro("names",
                     [](PythonReader& self) {
                         return self.with_names([](reading::KeptNames& names) { return as_bytes(names.text()); });
                     })
        .def_prop_ro(
            "crew", [](PythonReader& self) { return self.with([](AnyReader& r) { return r.crew(); }); },
            "Its threads, who may do other work, too.")
        .def_prop_ro(
            "names_full",
            [](PythonReader& self) { return self.with_names([](reading::KeptNames& names) { return names.full(); }); })
        .def_prop_ro("bad", [](PythonReader& self) { return self.with([](AnyReader& r) { return told(r.bad); }); })
        .def_prop_ro("has_room",
                     [](PythonReader& self) { return self.with([](AnyReader& r) { return r.has_room(); }); })
        .def_prop_ro("has_next",
                     [](PythonReader& self) { return self.with([](AnyReader& r) { return r.has_next(); }); })
        .def_prop_ro("stopped", get(&AnyReader::stopped))
        .def_prop_ro("saw_query", get(&AnyReader::saw_query))
        .def_prop_ro("file", get(&AnyReader::file))
        .def_prop_ro("digest", [](PythonReader& self) { return self.with([](AnyReader& r) { return r.digest(); }); })
        .def_prop_ro("offset", get(&AnyReader::offset))
        .def_prop_ro("without_label", get(&AnyReader::without_label))
        .def_prop_ro("bad_lines", get(&AnyReader::bad_lines));
}

}  // namespace thresher::python
