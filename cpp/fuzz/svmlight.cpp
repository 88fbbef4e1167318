// Whatever the bytes: svmlight text gives canonical rows or a refusal, and numbers are what the C library makes of
// them.
#include "../reading/svmlight.hpp"

#include <cstdlib>

#include "reading.hpp"

namespace {

using namespace thresher::fuzz;

void check_number(std::string_view text) {
    text = text.substr(0, std::min(text.find_first_not_of("0123456789.eE+-"), text.size()));
    const std::string padded = std::string(text) + '\n' + std::string(16, '\0');
    const auto [end, value] = read_number(padded.data());
    char* expected_end = nullptr;
    const double expected = std::strtod(padded.data(), &expected_end);
    const bool whole = end == padded.data() + text.size() && !text.empty();
    demand(whole == (expected_end == padded.data() + text.size() && !text.empty()));
    demand(!whole || std::memcmp(&value, &expected, sizeof value) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    check_number({reinterpret_cast<const char*>(data), size});
    check<Svmlight>(data, size, false, [](const Plan& plan) { return Svmlight(plan.n, plan.option); });
    return 0;
}
