// A scheduled program as a SystemVerilog project, with what the simulator expects of it.

#include "engine/core/cancelled.h"
#include "engine/emitters/emitter.h"
#include "engine/emitters/project_origin.h"
#include "engine/emitters/rtl_form.h"
#include "engine/operators/simulate.h"
#include "engine/program/trust.h"
#include "engine/rtl/rtl_project.h"

namespace sluice::inline emitters {
namespace {

std::string levelText(const RtlForm& form) {
  if (!form.compute) return "timing";
  return form.compute->precision == Precision::Float32 ? "functional, float32" : "functional, bfloat16";
}

Result<std::vector<ProjectFile>> project(const EmitRequest& request) {
  Workload workload;
  workload.document = *request.document;
  workload.inputs = *request.inputs;
  return rtlFilesOf(workload, request.knobs, {.expected = request.data, .trace = request.trace},
                    request.stop);
}

}  // namespace

Result<std::vector<ProjectFile>> rtlFilesOf(const Workload& workload, const KnobValues& knobs,
                                            const RtlForm& form, const std::stop_token& stop) {
  SLUICE_TRY(const SymbolicResult symbolic, evaluateSymbolic(workload, knobs, {}, stop));
  const InputSet& inputs = symbolic.scheduled ? symbolic.scheduled->inputs : workload.inputs;
  RtlProgram program{symbolic.graph, symbolic.inference, inputs};
  program.point = coveredPoint(workload.document, knobs, workload.inputs);
  SLUICE_CHECK(checkRtl(program, form.compute ? RtlLevel::Functional : RtlLevel::Timing));
  std::optional<ComputedTensors> computed;
  std::optional<SimulationResult> run;
  if (form.compute) {
    SLUICE_TRY(computed, computedTensors(symbolic.graph, inputs, *form.compute));
    program.computed = &*computed;
    if (form.expected) program.run = &computed->run;
  } else if (form.expected) {
    SimulationOptions options;
    options.stop = stop;
    run = simulate(symbolic.graph, inputs, options);
    if (run->cancelled) return cancelledDiagnostic();
    program.run = &*run;
  }
  SLUICE_TRY(std::vector<ProjectFile> files, rtlProject(program));
  addOrigin(files, {.form = "rtl",
                    .document = &workload.document,
                    .inputs = &workload.inputs,
                    .knobs = knobs,
                    .sources = form.sources,
                    .trace = form.trace,
                    .choices = {{"level", levelText(form)}}});
  return files;
}

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
