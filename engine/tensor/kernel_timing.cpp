#include "engine/tensor/kernel_timing.h"

#include <algorithm>
#include <numeric>

#include "engine/core/units.h"
#include "engine/tensor/dataflow_graph.h"
#include "engine/tensor/external_layout.h"
#include "engine/tensor/operator_nest.h"

namespace sluice {
namespace {

std::int64_t quotientUp(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// Cycles through the arithmetic of one iteration, load and store included.
std::int64_t arithmeticLatency(TensorOperatorKind kind) {
  constexpr std::int64_t memory = 3, add = 4, multiply = 3, divide = 15, exponential = 8;
  switch (kind) {
    case TensorOperatorKind::Linear:
    case TensorOperatorKind::BatchedMatmul:
    case TensorOperatorKind::Rotary:
      return memory + multiply + add;
    case TensorOperatorKind::Softmax:
      return memory + exponential + add + divide;
    case TensorOperatorKind::LayerNorm:
    case TensorOperatorKind::RmsNorm:  // the root counts as a division
      return memory + multiply + add + divide + divide;
    case TensorOperatorKind::Gelu:
    case TensorOperatorKind::Silu:
      return memory + multiply + exponential + divide;
    case TensorOperatorKind::Add:
      return memory + add;
    case TensorOperatorKind::Mul:
      return memory + multiply;
    case TensorOperatorKind::Reshape:
    case TensorOperatorKind::Transpose:
    case TensorOperatorKind::Fill:
      return memory;
  }
  return memory;
}

std::int64_t arithmeticLatency(const TensorOperator& op) {
  std::int64_t latency = arithmeticLatency(op.kind);
  for (const auto* steps : {&op.before_steps, &op.after_steps})
    for (const ElementwiseStep& step : *steps) latency += arithmeticLatency(step.kind);
  return latency;
}

/// Over each row: its maximum or sums first, the results last.
std::int64_t passesOf(TensorOperatorKind kind) {
  switch (kind) {
    case TensorOperatorKind::Softmax:
    case TensorOperatorKind::LayerNorm:
      return 3;
    case TensorOperatorKind::RmsNorm:
      return 2;
    default:
      return 1;
  }
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

TaskTiming computeTiming(const Task& task, const TensorOperator& op, std::int64_t operations,
                         NestTiling tiling) {
  TaskTiming timing;
  timing.steps = busiestPort(task);
  timing.cycles = std::max(tiling.cycles, timing.steps);
  timing.interval = reduced(timing.cycles, timing.steps);
  timing.operations = operations;
  timing.tiling = std::move(tiling);
  const std::int64_t tokens = tokenCount(task.outputs[0].type);
  const std::int64_t first_token = quotientUp(timing.steps, tokens);  // steps that go into it
  const std::int64_t delay = cyclesOf(first_token, timing.interval) * passesOf(op.kind);
  timing.curve = {delay + arithmeticLatency(op), reduced(timing.cycles, tokens), tokens};
  timing.tail = timing.curve.initial_delay - cyclesOf(first_token - 1, timing.interval);
  return timing;
}

/// Fill and drain overlap but for the first fill and the last drain.
TaskTiming converterTiming(const Task& task) {
  TaskTiming timing;
  const std::int64_t in = tokenCount(task.inputs[0].type), out = tokenCount(task.outputs[0].type);
  std::size_t shared = task.before_loop;
  for (const ITensorLoop& loop : task.inputs[0].type.loops)
    if (loop.trips > 1 && shared > 0) timing.iterations *= loop.trips, --shared;
  timing.fill = in / timing.iterations;
  timing.drain = out / timing.iterations;
  timing.steps = std::max(in, out);
  timing.cycles = timing.iterations * std::max(timing.fill, timing.drain);
  timing.interval = reduced(timing.cycles, timing.steps);
  timing.tail = timing.drain;
  const std::int64_t between = (timing.iterations - 1) * std::max(timing.fill, timing.drain) + timing.drain;
  timing.curve = {timing.fill, out > 1 ? reduced(std::max(between - 1, out - 1), out - 1) : Interval{}, out};
  return timing;
}

/// Loads and stores; the memory's share comes later.
TaskTiming transferTiming(const DataflowDesign& design, const Task& task, const TimingOptions& options) {
  const TaskPort& port = task.kind == TaskKind::Load ? task.outputs[0] : task.inputs[0];
  TaskTiming timing;
  const std::vector<std::int64_t> origin(port.type.rank(), 0);
  std::vector<std::int64_t> tile;
  for (std::size_t k = 0; k < port.type.rank(); ++k) tile.push_back(port.type.extent(k));
  timing.bursts =
      burstCount(design.layouts[port.tensor], design.program.tensors[port.tensor].shape, origin, tile);
  const auto request = static_cast<std::int64_t>(options.machine.hbm_request_bytes);
  const std::int64_t requests =
      timing.bursts * quotientUp(quotientUp(tokenBytes(port), timing.bursts), request);
  timing.steps = tokenCount(port.type);
  timing.cycles = timing.steps * quotientUp(requests, options.requests_per_cycle);
  timing.interval = reduced(timing.cycles, timing.steps);
  const auto latency = static_cast<std::int64_t>(options.machine.hbm_start_up + options.machine.hbm_latency);
  timing.curve = {latency + quotientUp(requests, options.requests_per_cycle), timing.interval, timing.steps};
  timing.tail = timing.curve.initial_delay;
  return timing;
}

/// Forks and joins pass a token a cycle.
TaskTiming passingTiming(const Task& task) {
  TaskTiming timing;
  timing.steps = timing.cycles = busiestPort(task);
  const std::int64_t tokens = tokenCount(task.outputs[0].type);
  timing.curve = {quotientUp(timing.steps, tokens), reduced(timing.cycles, tokens), tokens};
  return timing;
}

/// Where the memory is what the design waits for, every transfer takes as long as all of them.
void shareMemory(const DataflowDesign& design, const TimingOptions& options,
                 std::vector<TaskTiming>& timings) {
  const auto transfers = [&](std::size_t task) {
    return design.tasks[task].kind == TaskKind::Load || design.tasks[task].kind == TaskKind::Store;
  };
  std::size_t groups = 0;
  for (const Task& task : design.tasks) groups = std::max(groups, task.group + 1);
  for (std::size_t group = 0; group < groups; ++group) {
    double bytes = 0;
    std::int64_t slowest = 0;
    for (std::size_t task = 0; task < timings.size(); ++task) {
      if (design.tasks[task].group != group) continue;
      slowest = std::max(slowest, timings[task].cycles);
      if (!transfers(task)) continue;
      const auto& ports =
          design.tasks[task].kind == TaskKind::Load ? design.tasks[task].outputs : design.tasks[task].inputs;
      const auto request = static_cast<std::int64_t>(options.machine.hbm_request_bytes);
      const std::int64_t run = quotientUp(tokenBytes(ports[0]), timings[task].bursts);
      bytes += static_cast<double>(timings[task].steps * timings[task].bursts *
                                   quotientUp(run, request) * request);
    }
    const auto together = static_cast<std::int64_t>(bytes / options.machine.offChipBandwidth()) + 1;
    if (together <= slowest) continue;
    for (std::size_t task = 0; task < timings.size(); ++task) {
      if (design.tasks[task].group != group || !transfers(task)) continue;
      timings[task].cycles = std::max(timings[task].cycles, together);
      timings[task].interval = reduced(timings[task].cycles, timings[task].steps);
      timings[task].curve.interval = timings[task].interval;
    }
  }
}

}  // namespace

std::int64_t tokenBytes(const TaskPort& port) {
  return bytesOf(tokenBits(port.type));
}

LoopNest loopNestOf(const TensorProgram& program, const TensorOperator& op) {
  const OperatorNest nest = withoutUnitLoops(nestOf(program, op));
  LoopNest loops;
  loops.name = op.name;
  for (const OperatorLoop& loop : nest.loops)
    loops.loops.push_back(
        {"d" + std::to_string(loops.loops.size()), loop.extent,
         loop.kind == OperatorLoopKind::Reduction ? LoopKind::Reduction : LoopKind::Parallel});
  loops.operations = std::max<std::int64_t>(1, quotientUp(operationCount(program, op), iterations(loops)));
  return loops;
}

Result<std::vector<TaskTiming>> taskTimings(const DataflowDesign& design, const TimingOptions& options) {
  LoopProgram nests;
  for (const Task& task : design.tasks) {
    if (task.kind != TaskKind::Compute) continue;
    nests.nests.push_back(loopNestOf(design.program, design.program.operators[task.subject]));
    nests.nests.back().name = task.name;
  }
  Result<std::vector<NestTiling>> tilings = tileNests(nests, options.tiling);
  if (!tilings) return tilings.diagnostics();
  std::vector<TaskTiming> timings;
  std::size_t next = 0;
  for (const Task& task : design.tasks) {
    switch (task.kind) {
      case TaskKind::Compute: {
        const TensorOperator& op = design.program.operators[task.subject];
        timings.push_back(
            computeTiming(task, op, operationCount(design.program, op), std::move((*tilings)[next++])));
        break;
      }
      case TaskKind::Converter:
        timings.push_back(converterTiming(task));
        break;
      case TaskKind::Load:
      case TaskKind::Store:
        timings.push_back(transferTiming(design, task, options));
        break;
      case TaskKind::Fork:
      case TaskKind::Join:
        timings.push_back(passingTiming(task));
        break;
    }
  }
  shareMemory(design, options, timings);
  return timings;
}

}  // namespace sluice
