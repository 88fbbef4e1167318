// Tables in Python: columns go in as arrays, batches of rows come out; and where text can be cut for others to read.
#include "../reading/table.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <map>
#include <vector>

#include "../reading/cuts.hpp"
#include "../reading/whole_rows.hpp"
#include "batch.hpp"

namespace thresher::python {

namespace {

using reading::Column;
using reading::TableReader;

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using State = std::tuple<double, double, double>;

// A column with the Python arrays that it looks into.
struct HeldColumn {
    Column column;
    nb::object arrays;
};

template <class T>
std::span<const T> span_of(const Vector<T>& array) {
    return {array.data(), array.shape(0)};
}

reading::Texts texts_of(const Bytes& bytes, const Vector<std::int32_t>& offsets) {
    return {{reinterpret_cast<const char*>(bytes.data()), bytes.shape(0)}, span_of(offsets)};
}

HeldColumn numbers(std::string name, std::string prefix, Vector<double> values) {
    return {{std::move(name), std::move(prefix), Column::Kind::numbers, span_of(values)}, nb::cast(values)};
}

HeldColumn categories(std::string name, std::string prefix, Vector<std::int32_t> codes, Bytes bytes,
                      Vector<std::int32_t> offsets, std::optional<Vector<std::int64_t>> starts) {
    Column column{std::move(name), std::move(prefix), Column::Kind::categories};
    column.codes = span_of(codes);
    column.texts = texts_of(bytes, offsets);
    if (starts) column.starts = span_of(*starts);
    if (starts && column.starts.empty()) throw std::invalid_argument("a list has starts, and an end");
    return {std::move(column), nb::make_tuple(nb::cast(codes), nb::cast(bytes), nb::cast(offsets),
                                              starts ? nb::cast(*starts) : nb::none())};
}

HeldColumn words(std::string name, std::string prefix, Bytes bytes, Vector<std::int32_t> offsets) {
    Column column{std::move(name), std::move(prefix), Column::Kind::words};
    column.texts = texts_of(bytes, offsets);
    return {std::move(column), nb::make_tuple(nb::cast(bytes), nb::cast(offsets))};
}

// The columns of a table, which have as many rows: checked, so that nobody need look again.
struct HeldColumns {
    HeldColumns(std::size_t rows, nb::list columns, const HeldColumn* label, const HeldColumn* tag)
        : arrays(nb::make_tuple(columns, label == nullptr ? nb::none() : label->arrays,
                                tag == nullptr ? nb::none() : tag->arrays)) {
        table.rows = rows;
        for (const nb::handle each : columns) table.columns.push_back(nb::cast<const HeldColumn&>(each).column);
        if (label != nullptr) table.label.push_back(label->column);
        if (tag != nullptr) table.tag.push_back(tag->column);
        const nb::gil_scoped_release free;  // while all of it is looked at
        for (const auto* some : {&table.columns, &table.label, &table.tag}) {
            for (const Column& column : *some) {
                if (column.rows() != static_cast<std::int64_t>(rows))
                    throw std::invalid_argument("column '" + column.name + "' is damaged, or not as long as the table");
            }
        }
        const bool fit = (table.label.empty() ||
                          (table.label[0].kind == Column::Kind::categories && table.label[0].starts.empty())) &&
                         (table.tag.empty() || table.tag[0].kind == Column::Kind::words);
        if (!fit) throw std::invalid_argument("labels are categories, tags are texts");
    }

    reading::Columns table;
    nb::object arrays;
};

class PythonTableReader {
  public:
    PythonTableReader(std::size_t n, std::string_view labels, bool drop_unlabelled, bool skip_bad, bool needs_features,
                      std::string_view values, std::size_t ngrams, bool scaled, bool frozen, std::size_t threads)
        : n_(n),
          reader_(slots(n), policy_of(labels, drop_unlabelled, skip_bad, needs_features, domain_named(values)), ngrams,
                  !scaled  ? reading::Scaling::none
                  : frozen ? reading::Scaling::frozen
                           : reading::Scaling::moving,
                  checked(threads)) {}

    void begin(nb::object columns) {
        const Busy::Writing writing(busy_);
        const reading::Columns& table = nb::cast<const HeldColumns&>(columns).table;
        {
            const nb::gil_scoped_release free;
            reader_.begin(table);
        }
        begun_ = std::move(columns);  // those before are needed no more
    }

    bool has_next() const { return reader_.has_next(); }

    Batch next(bool shared) {
        const Busy::Writing writing(busy_);
        if (!has_next()) throw std::invalid_argument("there is nothing to be read");
        const auto read = [&] {
            const nb::gil_scoped_release free;
            return reader_.next(shared);
        };
        return {read(), n_, reader_.spare, begun_};
    }

    // Passes over rows of the table that was begun, at most `count`: so many.
    std::size_t skip(std::size_t count) {
        const Busy::Writing writing(busy_);
        const nb::gil_scoped_release free;
        return reader_.skip(count);
    }

    void end() {
        const Busy::Writing writing(busy_);
        const nb::gil_scoped_release free;
        reader_.end();
    }

    void keep_names(const Batch& batch, Vector<bool> changed) {
        const Busy::Writing writing(busy_);
        if (changed.shape(0) != batch.parsed.rows.size) throw std::invalid_argument("one flag a row");
        if (batch.spare == reader_.spare) reader_.keep_names(table_of(batch), batch.parsed.rows, changed.data());
    }

    std::vector<nb::bytes> names_of(const Batch& batch, std::size_t row) {
        const Busy::Writing writing(busy_);
        std::vector<nb::bytes> names;
        if (batch.spare != reader_.spare || row >= batch.parsed.rows.size) return names;
        reader_.each_name(table_of(batch), batch.parsed.rows.places[row],
                          [&](std::uint64_t, std::string_view first, std::string_view second) {
                              names.push_back(as_bytes(std::string(first).append(second)));
                          });
        return names;
    }

    std::map<std::string, State> scales() const {
        std::map<std::string, State> all;
        for (const auto& [name, scale] : reader_.scales()) all[name] = {scale.count, scale.mean, scale.squares};
        return all;
    }

    void scale(const std::string& name, double count, double mean, double squares) {
        reader_.scales()[name] = {count, mean, squares};
    }

    template <class Use>
    auto with(Use&& use) {
        const Busy::Writing writing(busy_);
        return use(reader_);
    }

  private:
    static std::size_t slots(std::size_t n) {
        if (n < 1 || n > reading::most_slots) throw std::invalid_argument("n must be from 1 to 2^31");
        return n;
    }
    static std::size_t checked(std::size_t threads) {
        if (threads < 1 || threads > reading::most_threads) throw std::invalid_argument("threads must be from 1 to 64");
        return threads;
    }
    static const reading::Columns& table_of(const Batch& batch) {
        return nb::cast<const HeldColumns&>(batch.source).table;
    }

    std::size_t n_;
    nb::object begun_;  // what the reader looks into, while it is there
    TableReader reader_;
    Busy busy_;
};

std::string_view text_in(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.shape(0)}; }

}  // namespace

void bind_table(nb::module_& m) {
    m.def(
        "end_of_rows",
        [](Bytes text, char separator, bool quotes) { return reading::end_of_rows(text_in(text), separator, quotes); },
        nb::arg("text"), nb::arg("separator"), nb::arg("quotes"), "Where the last row of CSV ends that is whole.");
    m.def(
        "whole_rows",
        [](Bytes text, char separator, bool quotes) {
            const auto found = reading::whole_rows(text_in(text), separator, quotes);
            return std::tuple(found.end, found.lines, found.broken);
        },
        nb::arg("text"), nb::arg("separator"), nb::arg("quotes"),
        "The same, how many line breaks are before it, and whether a cell in quotes may have some of them.");
    m.def(
        "stray_quote",
        [](Bytes text, char separator) {
            const auto found = reading::stray_quote(text_in(text), separator);
            return std::tuple(found.row, found.quote, found.end);
        },
        nb::arg("text"), nb::arg("separator"),
        "Of a cell in quotes that has a line break and goes on behind them: where its row begins, where the quote is, "
        "and "
        "where the line of that ends; all 0 if there is none.");
    m.def(
        "depth_of_json", [](Bytes text) { return reading::depth_of_json(text_in(text)); }, nb::arg("text"),
        "How deep lines of JSON are nested.");

    nb::class_<HeldColumn>(m, "Column", "A column of a table.")
        .def_prop_ro("name", [](const HeldColumn& self) { return self.column.name; })
        .def_static("numbers", &numbers, nb::arg("name"), nb::arg("prefix"), nb::arg("values").noconvert())
        .def_static("categories", &categories, nb::arg("name"), nb::arg("prefix"), nb::arg("codes").noconvert(),
                    nb::arg("bytes").noconvert(), nb::arg("offsets").noconvert(),
                    nb::arg("starts").noconvert().none() = nb::none())
        .def_static("words", &words, nb::arg("name"), nb::arg("prefix"), nb::arg("bytes").noconvert(),
                    nb::arg("offsets").noconvert());
    nb::class_<HeldColumns>(m, "Columns", "Some rows of a table, checked.")
        .def(nb::init<std::size_t, nb::list, const HeldColumn*, const HeldColumn*>(), nb::arg("rows"),
             nb::arg("columns"), nb::arg("label").none() = nb::none(), nb::arg("tag").none() = nb::none(),
             nb::sig("def __init__(self, rows: int, columns: list[Column], label: Column | None = None, "
                     "tag: Column | None = None) -> None"))
        .def("__len__", [](const HeldColumns& self) { return self.table.rows; });

    const auto get = [](auto TableReader::* member) {
        return [member](PythonTableReader& self) { return self.with([member](TableReader& r) { return r.*member; }); };
    };
    nb::class_<PythonTableReader>(m, "TableReader", "Makes rows of columns.")
        .def(nb::init<std::size_t, std::string_view, bool, bool, bool, std::string_view, std::size_t, bool, bool,
                      std::size_t>(),
             nb::arg("n"), nb::kw_only(), nb::arg("labels"), nb::arg("drop_unlabelled"), nb::arg("skip_bad"),
             nb::arg("needs_features"), nb::arg("values"), nb::arg("ngrams"), nb::arg("scaled"), nb::arg("frozen"),
             nb::arg("threads"))
        .def_prop_ro(
            "crew", [](PythonTableReader& self) { return self.with([](TableReader& r) { return r.crew(); }); },
            "Its threads, who may do other work, too.")
        .def("begin", &PythonTableReader::begin, nb::arg("columns"),
             nb::sig("def begin(self, columns: Columns) -> None"))
        .def("next", &PythonTableReader::next, nb::arg("shared") = true)
        .def("skip", &PythonTableReader::skip, nb::arg("count"))
        .def("end", &PythonTableReader::end)
        .def_prop_ro("has_next", &PythonTableReader::has_next)
        .def("keep_names", &PythonTableReader::keep_names, nb::arg("batch"), nb::arg("changed"),
             nb::sig("def keep_names(self, batch: Batch, changed: object) -> None"))
        .def("names_of", &PythonTableReader::names_of, nb::arg("batch"), nb::arg("row"))
        .def_prop_ro("scales", &PythonTableReader::scales, "Of each column of numbers: count, mean, squares.")
        .def("scale", &PythonTableReader::scale, nb::arg("name"), nb::arg("count"), nb::arg("mean"), nb::arg("squares"))
        .def(
            "know_label",
            [](PythonTableReader& self, const nb::bytes& spelling) {
                self.with([&](TableReader& r) { r.labels.add(std::string(text_of(spelling)), 0); });
            },
            nb::arg("spelling"))
        .def(
            "find_label",
            [](PythonTableReader& self, const nb::bytes& spelling) {
                return self.with([&](TableReader& r) { return found(r.labels, spelling); });
            },
            nb::arg("spelling"), "The number of a label, or -1.")
        .def(
            "keep_name",
            [](PythonTableReader& self, const nb::bytes& name) {
                self.with([&](TableReader& r) { r.names.keep(text_of(name)); });
            },
            nb::arg("name"))
        .def_prop_ro(
            "labels",
            [](PythonTableReader& self) { return self.with([](TableReader& r) { return spelled(r.labels); }); })
        .def_prop_ro(
            "names",
            [](PythonTableReader& self) { return self.with([](TableReader& r) { return as_bytes(r.names.text()); }); })
        .def_prop_ro("names_full",
                     [](PythonTableReader& self) { return self.with([](TableReader& r) { return r.names.full(); }); })
        .def_prop_ro("digest",
                     [](PythonTableReader& self) { return self.with([](TableReader& r) { return r.digest(); }); })
        .def_prop_ro("rows", [](PythonTableReader& self) { return self.with([](TableReader& r) { return r.rows(); }); })
        .def_prop_ro(
            "leap",
            [](PythonTableReader& self) {
                return self.with([](TableReader& r) -> std::optional<std::tuple<std::size_t, std::size_t, double>> {
                    if (!r.leap) return std::nullopt;
                    return std::tuple(r.leap->column, r.leap->row, r.leap->times);
                });
            },
            "Of the first number that made a deviation more than ten times as large: its column, its row, how many "
            "times.")
        .def_prop_ro("stopped", get(&TableReader::stopped))
        .def_prop_ro("without_label", get(&TableReader::without_label))
        .def_prop_ro("bad_lines", get(&TableReader::bad_lines));
}

}  // namespace thresher::python
