// Compute tasks, forks and joins as functions over streams.

#include <algorithm>
#include <numeric>

#include "engine/itensor/itensor_text.h"
#include "engine/tensor/dataflow/dataflow_tiles.h"
#include "engine/tensor/hls/operator_code.h"
#include "engine/tensor/hls/task_code.h"
#include "engine/tensor/programs/operator_nest.h"

namespace sluice::inline tensor {
namespace {

std::vector<std::string> portNames(const char* side, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(joined(side, i));
  return names;
}

/// The task's unroll factors, a 1 for loops of one trip, which its tiling leaves out.
std::vector<std::int64_t> unrollOf(const HlsPlan& plan, std::size_t task) {
  const DataflowDesign& design = plan.design();
  const OperatorNest nest = nestOf(design.program, design.program.operators[design.tasks[task].subject]);
  const std::vector<std::int64_t>& factors = plan.compiled->timings[task].tiling.unroll;
  std::vector<std::int64_t> unroll;
  std::size_t next = 0;
  for (const OperatorLoop& loop : nest.loops)
    unroll.push_back(loop.extent > 1 && next < factors.size() ? factors[next++] : 1);
  return unroll;
}

class KernelWriter {
 public:
  KernelWriter(CodeWriter& code, const HlsPlan& plan, std::size_t number)
      : code_(code),
        plan_(plan),
        number_(number),
        task_(plan.design().tasks[number]),
        into_(plan.streamsInto(number)),
        from_(plan.streamsFrom(number)),
        in_(portNames("in", into_.size())),
        out_(portNames("out", from_.size())) {}

  void compute() {
    const TensorOperator& op = plan_.design().program.operators[task_.subject];
    code_.comment("Kernel \"", task_.name, "\": ", text(op.kind), stepsText(op));
    head();
    const OperatorCode own(plan_.design(), task_, unrollOf(plan_, number_), plan_.formats);
    const std::int64_t tokens = tokenCount(task_.outputs[0].type);
    code_.loop("token", tokens);
    for (std::size_t port = 0; port < into_.size(); ++port)
      declare(code_, own.inputs()[port], plan_.streams[into_[port]].lanes);
    declare(code_, own.result(), from_.empty() ? 1 : plan_.streams[from_[0]].given().lanes);
    if (own.sums()) declare(code_, *own.sums(), 1);
    own.begin(code_);
    const std::int64_t steps = own.sumsTiles() ? tokenCount(task_.inputs[0].type) / tokens : 1;
    if (steps > 1) code_.loop("step", steps);
    for (const std::size_t port : shallowFirst()) {
      const bool once = steps > 1 && own.sumsTiles() && !isSummed(op, port);
      if (once) code_.open("if (step == 0)");
      take(own, port);
      if (once) code_.close();
    }
    own.work(code_);
    if (steps > 1) code_.close();
    own.finish(code_);
    give(own.result());
    code_.close();
    code_.close();
    code_.blank();
  }

  /// A fork passes every token to all outputs; a join takes its inputs in turn.
  void pass() {
    code_.comment(task_.kind == TaskKind::Fork ? "Fork \"" : "Join \"", task_.name, "\"");
    head();
    const std::int64_t tokens = tokenCount(task_.outputs[0].type);
    const std::string type = plan_.streams[into_[0]].format.type();
    const HlsArray tile{"tile", {elementsOf(tileShape(task_.outputs[0].type))}, {}, type};
    code_.loop("token", tokens / static_cast<std::int64_t>(into_.size()));
    declare(code_, tile, plan_.streams[into_[0]].lanes);
    for (std::size_t port = 0; port < into_.size(); ++port) {
      receive(code_, plan_, into_[port], in_[port], tile);
      give(tile);
    }
    code_.close();
    code_.close();
    code_.blank();
  }

 private:
  static std::string stepsText(const TensorOperator& op) {
    std::string list;
    for (const ElementwiseStep& step : op.before_steps) list += joined(", before it ", text(step.kind));
    for (const ElementwiseStep& step : op.after_steps) list += joined(", then ", text(step.kind));
    return list;
  }

  void head() {
    for (std::size_t i = 0; i < into_.size(); ++i) describeStream(code_, plan_, into_[i], in_[i], true);
    for (std::size_t i = 0; i < from_.size(); ++i) describeStream(code_, plan_, from_[i], out_[i], false);
    std::vector<std::string> parameters;
    for (std::size_t i = 0; i < into_.size(); ++i)
      parameters.push_back(streamParameter(plan_.streams[into_[i]], in_[i]));
    for (std::size_t i = 0; i < from_.size(); ++i)
      parameters.push_back(streamParameter(plan_.streams[from_[i]].given(), out_[i]));
    openFunction(code_, plan_.tasks[number_].name, parameters);
  }

  /// The inputs, that whose stream holds most last: it is taken from when there is a token everywhere, as in
  /// the simulator, so that no token is in hand while others are waited for which its FIFO had to hold.
  std::vector<std::size_t> shallowFirst() const {
    std::vector<std::size_t> order(into_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t port) { return plan_.streams[into_[port]].holds; });
    return order;
  }

  void take(const OperatorCode& own, std::size_t port) {
    receive(code_, plan_, into_[port], in_[port], own.inputs()[port]);
  }

  void give(const HlsArray& array) {
    send(code_, plan_, from_, array.type, [&](const std::string& element) { return array.element(element); });
  }

  CodeWriter& code_;
  const HlsPlan& plan_;
  std::size_t number_;
  const Task& task_;
  std::vector<std::size_t> into_, from_;
  std::vector<std::string> in_, out_;
};

}  // namespace

void writeKernel(CodeWriter& code, const HlsPlan& plan, std::size_t task) {
  KernelWriter writer(code, plan, task);
  if (plan.design().tasks[task].kind == TaskKind::Compute)
    writer.compute();
  else
    writer.pass();
}

void openFunction(CodeWriter& code, const std::string& head, const std::vector<std::string>& parameters) {
  std::string list;
  const std::string between = parameters.size() > 2 ? ",\n    " : ", ";
  for (const std::string& parameter : parameters) list += (list.empty() ? "" : between) + parameter;
  if (parameters.size() > 2) list.insert(0, "\n    ");
  code.open("static void ", head, "(", list, ")");
}

}  // namespace sluice::inline tensor
