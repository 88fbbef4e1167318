// Which kernels run: the best this machine has, unless another set is asked for. All give the same bits.
#pragma once

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels.hpp"
#include "kernels_avx2.hpp"

namespace thresher {

// The sets of this machine, each wider than the one before it. Whether the system keeps the wide registers is part of
// the question.
inline std::vector<std::string> instruction_sets() {
    std::vector<std::string> names{Baseline::name};
#ifdef THRESHER_HAS_AVX2
    if (!__builtin_cpu_supports("avx2")) return names;
    names.emplace_back(Avx2::name);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw")) {
        names.emplace_back(Avx512::name);
    }
#endif
    return names;
}

// The number of the set to use among these.
inline std::atomic<std::size_t>& wide() {
    static std::atomic<std::size_t> number{instruction_sets().size() - 1};
    return number;
}

inline std::string instruction_set() { return instruction_sets()[wide().load()]; }

inline void use_instruction_set(const std::string& name) {
    const auto sets = instruction_sets();
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (sets[i] == name) {
            wide().store(i);
            return;
        }
    }
    throw std::invalid_argument("this machine has no instruction set '" + name + "'");
}

// Calls `work` with the kernels to use: work(Baseline{}) or work(Avx2{}).
template <class Work>
auto dispatch(Work&& work) {
#ifdef THRESHER_HAS_AVX2
    if (wide().load(std::memory_order_relaxed) > 0) return work(Avx2{});
#endif
    return work(Baseline{});
}

// The same for what has kernels for wider registers, too: work(Avx512{}).
template <class Work>
auto dispatch_widest(Work&& work) {
#ifdef THRESHER_HAS_AVX2
    if (wide().load(std::memory_order_relaxed) > 1) return work(Avx512{});
#endif
    return dispatch(work);
}

}  // namespace thresher
