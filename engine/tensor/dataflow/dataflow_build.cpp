#include "engine/tensor/dataflow/dataflow_build.h"

#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/programs/program_kernels.h"

namespace sluice::inline tensor {
namespace {

class DesignBuilder {
 public:
  DesignBuilder(const TensorProgram& program, const ProgramKernels& kernels,
                const std::vector<std::size_t>& group_of)
      : kernels_(kernels), group_of_(group_of) {
    design_.program = program;
    design_.layouts.resize(program.tensors.size());
  }

  DataflowDesign build() {
    TaskNames names(design_);
    for (std::size_t kernel = 0; kernel < group_of_.size(); ++kernel) addTask(kernel, names);
    for (std::size_t kernel = 0; kernel < group_of_.size(); ++kernel) addStreams(kernel);
    // What no task reads is external as well: a result, or the end of unused work.
    std::vector<bool> read(design_.tasks.size(), false);
    for (const DataflowStream& stream : design_.streams) read[stream.from.task] = true;
    for (std::size_t task = 0; task < design_.tasks.size(); ++task) {
      TaskPort& result = design_.tasks[task].outputs[0];
      if (kernels_.leaves[result.tensor] || !read[task]) result.external = true;
    }
    return std::move(design_);
  }

 private:
  void addTask(std::size_t number, TaskNames& names) {
    const ProgramKernel& kernel = kernels_.kernels[number];
    Task task;
    task.name = names.take(design_.program.operators[kernel.op].name);
    task.subject = kernel.op;
    task.group = group_of_[number];
    for (const TiledAccess& read : kernel.reads()) task.inputs.push_back({read.tensor, read.stream, false});
    task.outputs.push_back({kernel.result().tensor, kernel.result().stream, false});
    design_.tasks.push_back(std::move(task));
  }

  void addStreams(std::size_t number) {
    for (std::size_t port = 0; port < design_.tasks[number].inputs.size(); ++port) {
      TaskPort& input = design_.tasks[number].inputs[port];
      const std::optional<std::size_t> producer = kernels_.kernel_of[input.tensor];
      if (producer && group_of_[*producer] == group_of_[number]) {
        design_.streams.push_back({{*producer, 0}, {number, port}, {}, false, {}});
      } else {
        input.external = true;
        if (producer) design_.tasks[*producer].outputs[0].external = true;
      }
    }
  }

  const ProgramKernels& kernels_;
  const std::vector<std::size_t>& group_of_;
  DataflowDesign design_;
};

}  // namespace

Result<DataflowDesign> abstractDesign(const TensorProgram& program, const FusionPlan& plan,
                                      std::int64_t tile) {
  if (tile < 1) return error("out-of-range", "tile size", "it is " + std::to_string(tile), "use at least 1");
  const ProgramKernels kernels = programKernels(program, tile);
  if (plan.group_of.size() != kernels.kernels.size())
    return error("shape-mismatch", "fusion plan",
                 "it is of " + std::to_string(plan.group_of.size()) + " kernels, the program has " +
                     std::to_string(kernels.kernels.size()),
                 "make the plan from the fusion graph of the same program");
  DataflowDesign design = DesignBuilder(program, kernels, plan.group_of).build();
  Diagnostics found = verify(design);
  if (!found.empty()) return found;
  return design;
}

}  // namespace sluice::inline tensor
