// Whoever hears what lanes say, while they play.
#pragma once

#include <cstddef>

#include "../thresher/bank.hpp"
#include "bindings.hpp"

namespace thresher::python {

// For so many rows and lanes; `hear` is told of rows in order, without the GIL, while `busy` is held for writing.
struct Ear {
    Busy* busy;
    std::size_t rows, lanes;
    Bank<float>::Hear hear;
};

}  // namespace thresher::python
