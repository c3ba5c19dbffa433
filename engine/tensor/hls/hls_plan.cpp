#include "engine/tensor/hls/hls_plan.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_tiles.h"
#include "engine/tensor/hls/cpp_names.h"
#include "engine/tensor/hls/operator_code.h"

namespace sluice::inline tensor {
namespace {

std::int64_t lanesOf(std::int64_t elements, const NumberFormat& format) {
  std::int64_t lanes = std::min(elements, most_bits / format.bits);
  while (elements % lanes != 0) --lanes;
  return lanes;
}

/// A port at memory is as wide as a power of two.
std::int64_t wordLanes(std::int64_t run, const NumberFormat& format) {
  std::int64_t lanes = 1;
  while (run % (2 * lanes) == 0 && 2 * lanes * format.bits <= most_bits) lanes *= 2;
  return lanes;
}

/// Why the operator of a compute task has no HLS, or its tiles none.
std::optional<Diagnostic> refusal(const DataflowDesign& design, const Task& task) {
  const TensorOperator& op = design.program.operators[task.subject];
  const Location place = Location(Where::Operator, op.name);
  const std::int64_t results = tokenCount(task.outputs[0].type);
  if (op.kind == TensorOperatorKind::Lookup)
    return error("unsupported-operator", place, "it reads rows of a table at places that data says",
                 "emit the program behind it, with its result as an input");
  for (std::size_t port = 0; port < task.inputs.size(); ++port) {
    const std::int64_t tokens = tokenCount(task.inputs[port].type);
    const bool summed = isSummed(op, port);
    if (tokens == results || (summed && tokens % results == 0)) continue;
    return error("unsupported-operator", place,
                 "its input " + std::to_string(port) + " brings " + std::to_string(tokens) + " tiles for " +
                     std::to_string(results) + " results; only products and convolutions sum over tiles",
                 "choose tiles that hold what a result needs");
  }
  return {};
}

Result<Done> checkSizes(const DataflowDesign& design) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  for (const TensorValue& tensor : design.program.tensors)
    if (elementCount(tensor) > most)
      return error("too-many", Location(Where::Tensor, tensor.name),
                   "it has " + std::to_string(elementCount(tensor)) + " elements; indices have 32 bits",
                   "emit a smaller model, or fewer tokens");
  for (const Task& task : design.tasks)
    for (const auto* ports : {&task.inputs, &task.outputs})
      for (const TaskPort& port : *ports)
        if (tokenCount(port.type) > most || port.external)
          return error("too-many", Location(Where::Task, task.name),
                       port.external ? "it reads external memory itself"
                                     : "it passes " + std::to_string(tokenCount(port.type)) + " tokens",
                       "emit a smaller model, or larger tiles");
  return Done{};
}

class Planner {
 public:
  Planner(const CompiledDesign& compiled, std::vector<NumberFormat> formats) : design_(compiled.design) {
    plan_.compiled = &compiled;
    plan_.formats = std::move(formats);
  }

  HlsPlan plan() {
    plan_.order = taskOrder(design_);
    std::size_t groups = 0;
    for (const Task& task : design_.tasks) groups = std::max(groups, task.group + 1);
    for (std::size_t group = 0; group < groups; ++group)
      plan_.tops.push_back(names_.take("group " + std::to_string(group)));
    for (const Task& task : design_.tasks) plan_.tasks.push_back(taskPlan(task));
    for (std::size_t stream = 0; stream < design_.streams.size(); ++stream)
      plan_.streams.push_back(streamPlan(stream));
    planTensors();
    return std::move(plan_);
  }

 private:
  HlsTask taskPlan(const Task& task) {
    HlsTask made;
    made.name = names_.take(task.name);
    const auto halves = [&](const char* first, const char* second) {
      made.first = names_.take(made.name + " " + first);
      made.second = names_.take(made.name + " " + second);
      made.buffer = names_.take(made.name + " halves");
    };
    if (task.kind == TaskKind::Load) halves("fetch", "send");
    if (task.kind == TaskKind::Store) halves("take", "write");
    if (task.kind == TaskKind::Converter) halves("fill", "drain");
    if (isTransfer(task)) made.memory = names_.take(made.name + " memory");
    return made;
  }

  HlsStream streamPlan(std::size_t number) {
    const DataflowStream& stream = design_.streams[number];
    HlsStream made;
    made.name = names_.take(plan_.tasks[stream.from.task].name + " to " + plan_.tasks[stream.to.task].name);
    const TileShape tile = tileShape(sourceOf(design_, stream).type);
    const std::int64_t token = elementsOf(stream.vector.empty() ? tile : stream.vector);
    made.format = plan_.formatOf(sourceOf(design_, stream).tensor);
    made.vector = stream.vector;
    made.lanes = lanesOf(token, made.format);
    made.beats = token / made.lanes;
    made.tokens = stream.folded ? folded_tiles * vectorsPerTile(design_, stream) : stream.depth.value_or(2);
    if (number < plan_.compiled->crossings.size() && plan_.compiled->crossings[number].cycles > 0)
      made.tokens += plan_.compiled->crossings[number].depth;
    made.slots = made.tokens * made.beats;
    made.holds = static_cast<double>(made.slots * made.lanes) / static_cast<double>(elementsOf(tile));
    if (isCut(design_, stream)) addCutter(made, elementsOf(tile));
    return made;
  }

  void addCutter(HlsStream& made, std::int64_t elements) {
    made.cutter = names_.take(made.name + " vectors");
    made.tiles.name = names_.take(made.name + " tiles");
    made.tiles.format = made.format;
    made.tiles.lanes = lanesOf(elements, made.format);
    made.tiles.beats = elements / made.tiles.lanes;
    made.tiles.tokens = folded_tiles;
    made.tiles.slots = made.tiles.tokens * made.tiles.beats;
    made.holds += static_cast<double>(made.tiles.tokens) + 1;
  }

  void planTensors() {
    const std::vector<std::size_t> storage = storages(design_);
    std::vector<std::int64_t> common(storage.size(), 0);
    for (const Task& task : design_.tasks) {
      if (!isTransfer(task)) continue;
      const TaskPort& port = transferPort(task);
      std::int64_t& own = common[storage[port.tensor]];
      own = std::gcd(own, runOf(port));
    }
    for (std::size_t tensor = 0; tensor < storage.size(); ++tensor) {
      const TensorValue& value = design_.program.tensors[tensor];
      const std::int64_t run = common[storage[tensor]];
      const std::string name = tensor_names_.take(value.name);
      const NumberFormat format = plan_.formatOf(storage[tensor]);
      plan_.tensors.push_back({name, tensor_names_.take(name + " at"), format,
                               run == 0 ? 1 : wordLanes(run, format), storage[tensor], run != 0});
    }
  }

  /// Consecutive addresses that every tile of the port has from a multiple of their number on, in the order
  /// of its elements: along the last dimension, and further where the tile spans the unit of the layout.
  std::int64_t runOf(const TaskPort& port) const {
    const std::vector<std::int64_t>& shape = design_.program.tensors[port.tensor].shape;
    const ExternalLayout& layout = design_.layouts[port.tensor];
    const std::vector<std::int64_t>& unit = !layout.vector.empty() ? layout.vector
                                            : !layout.tile.empty() ? layout.tile
                                                                   : shape;
    std::int64_t run = 1;
    for (std::size_t k = shape.size(); k-- > 0;) {
      std::int64_t own = std::gcd(std::gcd(port.type.extent(k), port.type.map[k].constant), unit[k]);
      for (std::size_t d = 0; d < port.type.loops.size(); ++d)
        if (port.type.loops[d].trips > 1) own = std::gcd(own, port.type.stride(k, d));
      run *= own;
      if (own != unit[k] || port.type.extent(k) != unit[k]) break;
    }
    return run;
  }

  const DataflowDesign& design_;
  CppNames names_, tensor_names_;
  HlsPlan plan_;
};

/// Every result is the host's to read: some task stores it.
Result<Done> checkResults(const HlsPlan& plan) {
  for (const std::size_t tensor : plan.design().program.results)
    if (!plan.tensors[tensor].moved)
      return error("unsupported-operator",
                   Location(Where::Tensor, plan.design().program.tensors[tensor].name),
                   "it is a result, but no operator computes it", "leave it out of the results");
  return Done{};
}

}  // namespace

std::vector<std::size_t> HlsPlan::streamsInto(std::size_t task) const {
  std::vector<std::size_t> into(design().tasks[task].inputs.size());
  for (std::size_t i = 0; i < streams.size(); ++i)
    if (design().streams[i].to.task == task) into[design().streams[i].to.port] = i;
  return into;
}

std::vector<std::size_t> HlsPlan::streamsFrom(std::size_t task) const {
  std::vector<std::size_t> from;
  for (std::size_t i = 0; i < streams.size(); ++i)
    if (design().streams[i].from.task == task) from.push_back(i);
  return from;
}

std::vector<std::size_t> HlsPlan::tasksOf(std::size_t group) const {
  std::vector<std::size_t> all;
  for (const std::size_t task : order)
    if (design().tasks[task].group == group) all.push_back(task);
  return all;
}

Result<HlsPlan> hlsPlan(const CompiledDesign& compiled, std::vector<NumberFormat> formats) {
  for (const Task& task : compiled.design.tasks) {
    if (task.kind != TaskKind::Compute) continue;
    if (std::optional<Diagnostic> refused = refusal(compiled.design, task)) return *std::move(refused);
  }
  SLUICE_CHECK(checkSizes(compiled.design));
  HlsPlan plan = Planner(compiled, std::move(formats)).plan();
  SLUICE_CHECK(checkResults(plan));
  return plan;
}

}  // namespace sluice::inline tensor
