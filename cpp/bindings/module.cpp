#include <nanobind/stl/vector.h>

#include "../thresher/dispatch.hpp"
#include "bindings.hpp"

NB_MODULE(_core, m) {
    using namespace thresher;
    m.doc() = "The core of thresher: rules, rows and values. Use it through thresher's own modules.";
    python::bind_examples(m);
    python::bind_rules(m);
    python::bind_labels(m);
    python::bind_prediction(m);
    python::bind_values(m);
    python::bind_measures(m);
    python::bind_group(m);
    python::bind_bank(m);
    python::bind_multiclass(m);
    python::bind_frozen(m);
    python::bind_experts(m);
    python::bind_majority(m);
    python::bind_vote(m);
    python::bind_forecaster(m);
    python::bind_reading(m);
    python::bind_table(m);
    python::bind_store(m);
    m.def("instruction_sets", &instruction_sets, "The kernels this machine can run. All give the same bits.");
    m.def("instruction_set", &instruction_set, "The kernels in use.");
    m.def("use_instruction_set", &use_instruction_set, nb::arg("name"),
          "Use other kernels from now on, to compare them.");
}
