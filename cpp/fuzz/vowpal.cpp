// Whatever the bytes: Vowpal Wabbit text gives canonical rows whose names fall into their slots, or a refusal; with
// what its features make together, too.
#include "../reading/vowpal.hpp"

#include "reading.hpp"

namespace {

using namespace thresher::fuzz;

Vowpal format(const Plan& plan) {
    struct Together {
        std::vector<std::string> interactions;
        std::size_t ngrams;
    };
    static const Together all[] = {{{}, 1},     {{}, 2}, {{"ab"}, 1},        {{"aa", "ab"}, 1},
                                   {{"::"}, 1}, {{}, 4}, {{"aab", ":a"}, 2}, {{":::"}, 1}};
    const Together& together = all[plan.seed / 8 % std::size(all)];
    return {plan.n, plan.option, plan.policy.domain,
            Expansion(together.interactions, together.ngrams, plan.policy.domain)};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const bool tagged = size > 1 && (data[1] & 0x80) != 0;
    check<Vowpal>(data, size, tagged, format);
    return 0;
}
