// Memory in lines of the cache in which nothing else lies: threads that write side by side never meet in one.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace thresher {

inline constexpr std::size_t lines = 128;  // bytes: some machines fetch two lines of 64 at once

template <class T>
struct InLines {
    using value_type = T;

    InLines() = default;
    template <class Other>
    InLines(const InLines<Other>&) {}

    T* allocate(std::size_t count) {
        const std::size_t whole = (count * sizeof(T) + lines - 1) / lines * lines;
        return static_cast<T*>(::operator new(whole, std::align_val_t{lines}));
    }
    void deallocate(T* at, std::size_t) { ::operator delete(at, std::align_val_t{lines}); }
    friend bool operator==(const InLines&, const InLines&) { return true; }
};

// What one thread writes again and again while another writes beside it.
template <class T>
using Numbers = std::vector<T, InLines<T>>;

}  // namespace thresher
