// Where a portfolio stands after rounds: what its ledger needs, in sums, instead of a row a lane.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "../thresher/mixer.hpp"
#include "bindings.hpp"

namespace thresher::python {

struct Standing {
    std::vector<std::int64_t> mistakes;      // of each lane in these rounds,
    std::vector<std::int64_t> all_mistakes;  // and in all until now
    std::vector<Pair> losses;                // what those cost
    std::optional<double> regret_bound;      // what the master proves, in exact arithmetic
    MixerRule rule;                          // of the master
    MixerHead master;
    std::int64_t weighted;  // the first round with a cost other than 1; 0 is none
    Pair missed;            // the cost of the vote's mistakes
    Pair cost;              // of all rounds in which some lane was wrong
};

Rate rate_named(std::string_view name);
const char* name_of(Rate rate);
void bind_standing(nb::module_& m);

}  // namespace thresher::python
