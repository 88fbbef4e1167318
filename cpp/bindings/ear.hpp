// Whoever hears what lanes say, while they play.
#pragma once

#include <cstddef>
#include <functional>

#include "bindings.hpp"

namespace thresher::python {

// For so many rows; `hear(from, to)` is told of them in order, without the GIL, while `busy` is held for writing.
struct Ear {
    Busy* busy;
    std::size_t rows;
    std::function<void(std::size_t, std::size_t)> hear;
};

}  // namespace thresher::python
