// Whatever the bytes: Vowpal Wabbit text gives canonical rows whose names fall into their slots, or a refusal.
#include "../reading/vowpal.hpp"

#include "reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    using namespace thresher::fuzz;
    const bool tagged = size > 1 && (data[1] & 0x80) != 0;
    check<Vowpal>(data, size, tagged, [](const Plan& plan) { return Vowpal(plan.n, plan.option, plan.policy.domain); });
    return 0;
}
