// A scheduled program as a SystemVerilog project at the level of timing, with what the simulator expects of
// it.

#include "engine/core/cancelled.h"
#include "engine/emitters/emitter.h"
#include "engine/explorer/evaluate.h"
#include "engine/operators/simulate.h"
#include "engine/rtl/rtl_project.h"

namespace sluice::inline emitters {
namespace {

Result<std::vector<ProjectFile>> project(const EmitRequest& request) {
  Workload workload;
  workload.document = *request.document;
  workload.inputs = *request.inputs;
  SLUICE_TRY(const SymbolicResult symbolic, evaluateSymbolic(workload, request.knobs, {}, request.stop));
  const InputSet& inputs = symbolic.scheduled ? symbolic.scheduled->inputs : workload.inputs;
  // What has no RTL is told before anything runs.
  if (!request.data) return rtlProject({symbolic.graph, symbolic.inference, inputs});
  SLUICE_CHECK(rtlPlan({symbolic.graph, symbolic.inference, inputs}));
  SimulationOptions options;
  options.stop = request.stop;
  const SimulationResult run = simulate(symbolic.graph, inputs, options);
  if (run.cancelled) return cancelledDiagnostic();
  return rtlProject({symbolic.graph, symbolic.inference, inputs, &run});
}

}  // namespace

const Emitter& rtl() {
  static const Emitter emitter{.name = "rtl",
                               .title = "SystemVerilog project",
                               .summary = "a scheduled program as SystemVerilog that runs with Verilator",
                               .run = "make check",
                               .places = false,
                               .has_data = true,
                               .project = project};
  return emitter;
}

}  // namespace sluice::inline emitters
