// Which kernels run: the best this machine has, unless another set is asked for. All give the same bits.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels.hpp"
#include "kernels_avx2.hpp"

namespace thresher {

inline std::vector<std::string> instruction_sets() {
    std::vector<std::string> names{Baseline::name};
#ifdef THRESHER_HAS_AVX2
    if (__builtin_cpu_supports("avx2")) names.emplace_back(Avx2::name);
#endif
    return names;
}

inline std::atomic<bool>& wide() {
    static std::atomic<bool> flag{instruction_sets().size() > 1};
    return flag;
}

inline std::string instruction_set() { return instruction_sets()[wide().load() ? 1 : 0]; }

inline void use_instruction_set(const std::string& name) {
    const auto sets = instruction_sets();
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (sets[i] == name) {
            wide().store(i > 0);
            return;
        }
    }
    throw std::invalid_argument("this machine has no instruction set '" + name + "'");
}

// Calls `work` with the kernels to use: work(Baseline{}) or work(Avx2{}).
template <class Work>
auto dispatch(Work&& work) {
#ifdef THRESHER_HAS_AVX2
    if (wide().load(std::memory_order_relaxed)) return work(Avx2{});
#endif
    return work(Baseline{});
}

}  // namespace thresher
