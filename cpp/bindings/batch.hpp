// Rows as readers give them, and what Python is told of the text or the table that they are from.
#pragma once

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../reading/parser.hpp"
#include "bindings.hpp"

namespace thresher::python {

struct Batch {
    Batch(reading::Parsed&& read, std::size_t n, std::shared_ptr<reading::Spare> spare, nb::object source = {})
        : parsed(std::move(read)), n(n), spare(std::move(spare)), source(std::move(source)) {}
    Batch(Batch&&) = default;
    ~Batch() {
        if (!spare) return;
        spare->give(std::move(parsed.rows));
        spare->give(std::move(parsed.piece.text));
    }

    reading::Parsed parsed;
    std::size_t n;
    std::shared_ptr<reading::Spare> spare;
    nb::object source;  // the columns that the rows are from, if they are
};

using Spelled = std::tuple<nb::bytes, std::int64_t>;
using BadLine = std::tuple<std::int64_t, std::size_t, nb::bytes, std::string>;

inline nb::bytes as_bytes(std::string_view text) { return nb::bytes(text.data(), text.size()); }
inline std::string_view text_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

inline std::vector<Spelled> spelled(const reading::Labels& labels) {
    std::vector<Spelled> all;
    for (const auto& one : labels.seen()) all.emplace_back(as_bytes(one.spelling), one.line);
    return all;
}

inline std::vector<BadLine> told(const std::vector<reading::Bad>& bad) {
    std::vector<BadLine> all;
    for (const auto& [line, trouble] : bad) {
        all.emplace_back(line, trouble.column, as_bytes(trouble.found), trouble.expected);
    }
    return all;
}

// The number of a label, or -1.
inline int found(const reading::Labels& labels, const nb::bytes& spelling) {
    const std::string padded = std::string(text_of(spelling)) + '\n' + std::string(16, '\0');
    return labels.find({padded.data(), spelling.size()});
}

inline reading::Policy policy_of(std::string_view labels, bool drop_unlabelled, bool skip_bad, bool needs_features,
                                 Domain domain) {
    const auto labelled = [&] {
        if (labels == "needed") return reading::Labelled::needed;
        if (labels == "optional") return reading::Labelled::optional;
        if (labels == "ignored") return reading::Labelled::ignored;
        throw std::invalid_argument("labels are needed, optional or ignored");
    };
    return {labelled(), drop_unlabelled, skip_bad, needs_features, domain};
}

}  // namespace thresher::python
