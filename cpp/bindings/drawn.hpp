// Numbers that are made when they are written, so that they need not be in memory twice.
#pragma once

#include <cstddef>

namespace thresher::python {

class Drawn {
  public:
    virtual ~Drawn() = default;
    virtual const char* format() const = 0;
    virtual std::size_t bytes() const = 0;
    // How many bytes from here on one piece may have; more than `most` if no fewer can be made.
    virtual std::size_t fitting(std::size_t from, std::size_t most) const = 0;
    virtual void draw(std::size_t from, std::size_t size, char* out) const = 0;
};

}  // namespace thresher::python
