#include "engine/tensor/lowering/kernel_timing.h"

#include <algorithm>
#include <numeric>

#include "engine/core/units.h"
#include "engine/itensor/converter_counts.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/external_layout.h"
#include "engine/tensor/programs/operator_traits.h"

namespace sluice::inline tensor {
namespace {

/// Cycles through the arithmetic of one iteration, load and store included.
std::int64_t arithmeticLatency(TensorOperatorKind kind) {
  constexpr std::int64_t memory = 3, add = 4, multiply = 3, divide = 15, exponential = 8;
  switch (traitsOf(kind).arithmetic) {
    case Arithmetic::Move:
      return memory;
    case Arithmetic::Add:
      return memory + add;
    case Arithmetic::Multiply:
      return memory + multiply;
    case Arithmetic::Accumulate:
      return memory + multiply + add;
    case Arithmetic::Divide:
      return memory + divide;
    case Arithmetic::Exponential:
      return memory + exponential;
    case Arithmetic::Activation:
      return memory + multiply + exponential + divide;
    case Arithmetic::Softmax:
      return memory + exponential + add + divide;
    case Arithmetic::Norm:  // the root counts as a division
      return memory + multiply + add + divide + divide;
  }
  return memory;
}

std::int64_t arithmeticLatency(const TensorOperator& op) {
  std::int64_t latency = arithmeticLatency(op.kind);
  for (const auto* steps : {&op.before_steps, &op.after_steps})
    for (const ElementwiseStep& step : *steps) latency += arithmeticLatency(step.kind);
  return latency;
}

std::int64_t busiestPort(const Task& task) {
  std::int64_t tokens = 1;
  for (const auto* ports : {&task.inputs, &task.outputs})
    for (const TaskPort& port : *ports) tokens = std::max(tokens, tokenCount(port.type));
  return tokens;
}

Interval reduced(std::int64_t cycles, std::int64_t steps) {
  const std::int64_t divisor = std::gcd(cycles, steps);
  return {cycles / divisor, steps / divisor};
}

class Timer {
 public:
  Timer(const DataflowDesign& design, const TimingOptions& options, std::vector<NestTiling> tilings)
      : design_(design), options_(options), tilings_(std::move(tilings)) {}

  std::vector<TaskTiming> run() {
    for (const Task& task : design_.tasks) timings_.push_back(own(task));
    passVectors();
    shareMemory();
    setPaces();
    for (std::size_t task = 0; task < timings_.size(); ++task)
      timings_[task].curve = curveOf(design_.tasks[task], timings_[task]);
    return std::move(timings_);
  }

 private:
  TaskTiming own(const Task& task) {
    TaskTiming timing;
    timing.steps = timing.cycles = busiestPort(task);
    switch (task.kind) {
      case TaskKind::Compute:
        compute(task, timing);
        break;
      case TaskKind::Converter:
        converter(task, timing);
        break;
      case TaskKind::Load:
      case TaskKind::Store:
        transfer(task, timing);
        break;
      case TaskKind::Fork:
      case TaskKind::Join:  // pass a token a cycle
        break;
    }
    return timing;
  }

  void compute(const Task& task, TaskTiming& timing) {
    const TensorOperator& op = design_.program.operators[task.subject];
    timing.tiling = std::move(tilings_[next_tiling_++]);
    timing.cycles = std::max(timing.tiling.cycles, timing.steps);
    timing.depth = quotientUp(timing.cycles, timing.steps) * traitsOf(op.kind).passes + arithmeticLatency(op);
    timing.operations = operationCount(design_.program, op);
    if (op.kind == TensorOperatorKind::Lookup) lookUp(task.inputs[1], timing);
  }

  /// A row is asked for when the one before has come.
  void lookUp(const TaskPort& rows, TaskTiming& timing) const {
    timing.bursts = burstsOf(rows);
    constexpr std::int64_t wires = 2;  // to the memory and back (simulator/semantics.md 6.3)
    const std::int64_t requests = requestsOf(rows, timing);
    const std::int64_t row =
        quotientUp(requests, options_.requests_per_cycle) + wires +
        static_cast<std::int64_t>(options_.machine.hbm_start_up + options_.machine.hbm_latency);
    timing.cycles = std::max(timing.cycles, timing.steps * row);
    timing.depth += row;
  }

  /// Fill and drain overlap but for the first fill and the last drain.
  static void converter(const Task& task, TaskTiming& timing) {
    timing.iterations = sharedIterations(task.inputs[0].type, task.before_loop);
    timing.fill = tokenCount(task.inputs[0].type) / timing.iterations;
    timing.drain = tokenCount(task.outputs[0].type) / timing.iterations;
  }

  void transfer(const Task& task, TaskTiming& timing) const {
    timing.bursts = burstsOf(transferPort(task));
    const std::int64_t cycles =
        quotientUp(requestsOf(transferPort(task), timing), options_.requests_per_cycle);
    timing.cycles = timing.steps * cycles;
    timing.depth =
        static_cast<std::int64_t>(options_.machine.hbm_start_up + options_.machine.hbm_latency) + cycles;
  }

  void passVectors() {
    for (const DataflowStream& stream : design_.streams) {
      if (stream.vector.empty()) continue;
      const std::int64_t vectors = vectorsPerTile(design_, stream);
      const auto passes = [&](PortRef port, const TaskPort& side) {
        std::int64_t& cycles = timings_[port.task].cycles;
        cycles = std::max(cycles, tokenCount(side.type) * vectors);
      };
      passes(stream.from, sourceOf(design_, stream));
      passes(stream.to, targetOf(design_, stream));
    }
  }

  std::int64_t burstsOf(const TaskPort& port) const {
    const std::vector<std::int64_t> origin(port.type.rank(), 0);
    std::vector<std::int64_t> tile;
    for (std::size_t k = 0; k < port.type.rank(); ++k) tile.push_back(port.type.extent(k));
    return burstCount(design_.layouts[port.tensor], design_.program.tensors[port.tensor].shape, origin, tile);
  }

  /// Of one token.
  std::int64_t requestsOf(const TaskPort& port, const TaskTiming& timing) const {
    const auto request = static_cast<std::int64_t>(options_.machine.hbm_request_bytes);
    return timing.bursts * quotientUp(quotientUp(tokenBytes(port), timing.bursts), request);
  }

  /// What a task asks of the memory; null: nothing.
  const TaskPort* memoryPort(const Task& task) const {
    if (isTransfer(task)) return &transferPort(task);
    for (std::size_t input = 0; input < task.inputs.size(); ++input)
      if (looksUp(task, input, design_.program)) return &task.inputs[input];
    return nullptr;
  }

  /// Where a group waits for the memory, every transfer takes as long as all of them.
  void shareMemory() {
    std::vector<double> bytes;
    std::vector<std::int64_t> slowest;
    for (std::size_t task = 0; task < timings_.size(); ++task) {
      const std::size_t group = design_.tasks[task].group;
      if (group >= bytes.size()) bytes.resize(group + 1, 0), slowest.resize(group + 1, 0);
      slowest[group] = std::max(slowest[group], timings_[task].cycles);
      if (const TaskPort* port = memoryPort(design_.tasks[task]))
        bytes[group] += static_cast<double>(tokenCount(port->type)) *
                        static_cast<double>(requestsOf(*port, timings_[task])) *
                        static_cast<double>(options_.machine.hbm_request_bytes);
    }
    for (std::size_t task = 0; task < timings_.size(); ++task) {
      const std::size_t group = design_.tasks[task].group;
      const auto together = static_cast<std::int64_t>(bytes[group] / options_.machine.offChipBandwidth());
      if (isTransfer(design_.tasks[task]) && together > slowest[group])
        timings_[task].cycles = std::max(timings_[task].cycles, together);
    }
  }

  void setPaces() {
    std::vector<std::int64_t> slowest;
    for (std::size_t task = 0; task < timings_.size(); ++task) {
      const std::size_t group = design_.tasks[task].group;
      if (group >= slowest.size()) slowest.resize(group + 1, 0);
      timings_[task].pace = timings_[task].cycles;
      slowest[group] = std::max(slowest[group], timings_[task].cycles);
    }
    if (options_.equalisation == Equalisation::Conservative) {
      for (std::size_t task = 0; task < timings_.size(); ++task)
        timings_[task].pace = slowest[design_.tasks[task].group];
      return;
    }
    std::vector<std::vector<std::size_t>> readers(timings_.size());
    for (const DataflowStream& stream : design_.streams) readers[stream.from.task].push_back(stream.to.task);
    const std::vector<std::size_t> order = taskOrder(design_);
    for (const std::size_t task : order)
      for (const std::size_t reader : readers[task])
        timings_[reader].pace = std::max(timings_[reader].pace, timings_[task].pace);
    for (const std::size_t task : order)
      if (design_.tasks[task].kind == TaskKind::Load)
        for (const std::size_t reader : readers[task])
          timings_[task].pace = std::max(timings_[task].pace, timings_[reader].pace);
  }

  /// From its first input on.
  static TokenCurve curveOf(const Task& task, const TaskTiming& timing) {
    if (task.kind == TaskKind::Converter) {
      const std::int64_t in = timing.fill * timing.iterations, out = timing.drain * timing.iterations;
      return {cyclesOf(timing.fill - 1, {timing.pace, in}) + 1, reduced(timing.pace, out), out};
    }
    const std::int64_t tokens = task.outputs.empty() ? timing.steps : tokenCount(task.outputs[0].type);
    const std::int64_t first = quotientUp(timing.steps, tokens) - 1;
    return {cyclesOf(first, {timing.pace, timing.steps}) + timing.depth, reduced(timing.pace, tokens),
            tokens};
  }

  const DataflowDesign& design_;
  const TimingOptions& options_;
  std::vector<NestTiling> tilings_;
  std::size_t next_tiling_ = 0;
  std::vector<TaskTiming> timings_;
};

}  // namespace

const TaskPort& transferPort(const Task& task) {
  return task.kind == TaskKind::Load ? task.outputs[0] : task.inputs[0];
}

bool isTransfer(const Task& task) {
  return task.kind == TaskKind::Load || task.kind == TaskKind::Store;
}

std::int64_t tokenBytes(const TaskPort& port) {
  return bytesOf(tokenBits(port.type));
}

std::vector<TaskTiming> taskTimings(const DataflowDesign& design, std::vector<NestTiling> tilings,
                                    const TimingOptions& options) {
  return Timer(design, options, std::move(tilings)).run();
}

}  // namespace sluice::inline tensor
