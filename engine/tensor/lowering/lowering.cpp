#include "engine/tensor/lowering/lowering.h"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "engine/itensor/converter_counts.h"
#include "engine/itensor/itensor_text.h"
#include "engine/program/spelling.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_types.h"
#include "engine/tensor/sizing/kernel_steps.h"

namespace sluice::inline tensor {
namespace {

/// A name that nodes may have, and none has.
std::string nodeName(const std::string& wish, std::set<std::string>& taken) {
  std::string name;
  for (const char c : wish) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name = "k" + name;
  return *taken.insert(freeName(name, [&](const std::string& each) { return taken.contains(each); })).first;
}

Value listOf(const std::vector<std::int64_t>& numbers) {
  std::vector<Value> values(numbers.begin(), numbers.end());
  return Value(std::move(values));
}

using Orders = std::vector<std::optional<ITensor>>;

/// As a parameter: once where all ports have the same, none where nothing is said of any.
Value orderList(const Orders& orders) {
  const bool equal = std::ranges::all_of(orders, [&](const auto& each) { return each == orders.front(); });
  const std::size_t told = !equal ? orders.size() : orders.empty() || !orders.front() ? 0 : 1;
  std::vector<Value> texts;
  for (const std::optional<ITensor>& order : std::span(orders).first(told))
    texts.emplace_back(order ? text(*order) : std::string());
  return Value(std::move(texts));
}

Endpoint end(const std::string& node, const char* port, std::optional<std::size_t> index = {}) {
  Endpoint endpoint{node, port, {}};
  if (index) endpoint.index = Value(static_cast<std::int64_t>(*index));
  return endpoint;
}

/// Rows and bytes of a row of what the stream sends at once.
std::vector<std::int64_t> rowsAndBytes(const TaskPort& port, const std::vector<std::int64_t>& vector) {
  std::int64_t rows = 1, columns = 1;
  const std::size_t rank = port.type.rank();
  for (std::size_t k = 0; k < rank; ++k) {
    const std::int64_t extent = vector.empty() ? port.type.extent(k) : vector[k];
    (k + 1 == rank ? columns : rows) *= extent;
  }
  return {rows, bytesOf(columns * port.type.scalar.bits)};
}

class Lowering {
 public:
  Lowering(const DataflowDesign& design, const std::vector<TaskTiming>& timings,
           const LoweringOptions& options)
      : design_(design),
        timings_(timings),
        options_(options),
        taken_(options.taken_names),
        storages_(storages(design)) {
    into_.resize(design.tasks.size());
    from_.resize(design.tasks.size());
    for (std::size_t task = 0; task < design.tasks.size(); ++task)
      into_[task].assign(design.tasks[task].inputs.size(), none);
    for (std::size_t stream = 0; stream < design.streams.size(); ++stream) {
      into_[design.streams[stream].to.task][design.streams[stream].to.port] = stream;
      from_[design.streams[stream].from.task].push_back(stream);
    }
    for (const Task& task : design.tasks) groups_ = std::max(groups_, task.group + 1);
  }

  Result<LoweredDesign> run() {
    for (std::size_t task = 0; task < design_.tasks.size(); ++task) SLUICE_CHECK(checkComplete(task));
    for (const Task& task : design_.tasks) lowered_.nodes.push_back(nodeName(task.name, taken_));
    for (std::size_t task = 0; task < design_.tasks.size(); ++task) addTask(task);
    addBarriers();
    addStreams();
    return std::move(lowered_);
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  static constexpr std::size_t most_outputs = 64;  ///< of a Kernel

  Result<Done> checkComplete(std::size_t number) const {
    const Task& task = design_.tasks[number];
    const Location place(Where::Task, task.name);
    bool fed = true;
    for (std::size_t port = 0; port < task.inputs.size(); ++port)
      fed = fed && (into_[number][port] != none || looksUp(task, port, design_.program));
    const auto external = [](const TaskPort& port) { return port.external; };
    if (!fed || std::any_of(task.outputs.begin(), task.outputs.end(), external))
      return error("unconnected-port", place, "it reaches external memory itself",
                   "materialise transfers first");
    if (from_[number].size() > most_outputs)
      return error("too-many", place, "it has more than 64 readers", "insert forks");
    if (task.kind != TaskKind::Converter) return Done{};
    for (const std::size_t stream : from_[number])
      if (design_.streams[stream].vector != design_.streams[from_[number][0]].vector)
        return error("tile-mismatch", place, "its readers want vectors of different sizes",
                     "vectorise its streams alike, or give each reader a converter of its own");
    return Done{};
  }

  std::int64_t taken(std::size_t stream) const {
    const DataflowStream& s = design_.streams[stream];
    return tokenCount(targetOf(design_, s).type) * vectorsPerTile(design_, s);
  }
  std::int64_t given(std::size_t stream) const {
    const DataflowStream& s = design_.streams[stream];
    return tokenCount(sourceOf(design_, s).type) * vectorsPerTile(design_, s);
  }

  /// What flows in the stream.
  ITensor orderOf(const DataflowStream& stream) const {
    return vectorisedType(sourceOf(design_, stream).type, stream.vector);
  }
  /// What the consumer says that must come. Behind a reshape that was dropped both ends call the same scalars
  /// tiles of two tensors: there it says nothing.
  std::optional<ITensor> expectedOf(const DataflowStream& stream) const {
    const TaskPort &from = sourceOf(design_, stream), &to = targetOf(design_, stream);
    if (from.tensor != to.tensor) return {};
    return vectorisedType(to.type, stream.vector);
  }
  bool isLookup(std::size_t number) const {
    const Task& task = design_.tasks[number];
    return task.kind == TaskKind::Compute &&
           design_.program.operators[task.subject].kind == TensorOperatorKind::Lookup;
  }
  /// Of a task, that its node has: a lookup's places go to the node that asks for rows, its table's port
  /// takes the rows.
  std::size_t firstPort(std::size_t number) const { return isLookup(number) ? 1 : 0; }

  Orders expectedBy(std::size_t number) const {
    Orders orders;
    for (std::size_t port = firstPort(number); port < into_[number].size(); ++port) {
      const std::size_t stream = into_[number][port];
      orders.push_back(stream == none ? std::nullopt : expectedOf(design_.streams[stream]));
    }
    return orders;
  }
  /// As they leave the task: whole tiles where they are cut behind it.
  Value ordersFrom(std::size_t number) const {
    Orders orders;
    for (const std::size_t index : from_[number]) {
      const DataflowStream& stream = design_.streams[index];
      orders.emplace_back(isCut(stream) ? sourceOf(design_, stream).type : orderOf(stream));
    }
    return orderList(orders);
  }

  void addNode(std::string name, std::string kind, Values parameters) {
    lowered_.graph.nodes.push_back({std::move(name), std::move(kind), std::move(parameters), {}, {}});
  }

  void addTask(std::size_t number) {
    switch (design_.tasks[number].kind) {
      case TaskKind::Converter:
        return addConverter(number);
      case TaskKind::Load:
        return addLoad(number);
      case TaskKind::Store:
        return addStore(number);
      default:
        return addKernel(number);
    }
  }

  /// What the stream sends at once; into memory as the memory has it.
  std::vector<std::int64_t> tileOf(std::size_t number) const {
    const DataflowStream& stream = design_.streams[number];
    const TaskPort& port = sourceOf(design_, stream);
    if (design_.tasks[stream.to.task].kind == TaskKind::Store)
      return transferTile(stream.to.task, port, vectorsPerTile(design_, stream));
    return rowsAndBytes(port, stream.vector);
  }

  bool isCut(const DataflowStream& stream) const { return tensor::isCut(design_, stream); }

  /// All tiles in one list, or once where they are equal.
  Value outputTiles(std::size_t number) const {
    std::vector<std::int64_t> all, first;
    bool equal = true;
    for (const std::size_t stream : from_[number]) {
      const DataflowStream& own = design_.streams[stream];
      const std::vector<std::int64_t> tile =
          isCut(own) ? rowsAndBytes(sourceOf(design_, own), {}) : tileOf(stream);
      if (first.empty()) first = tile;
      equal = equal && tile == first;
      all.insert(all.end(), tile.begin(), tile.end());
    }
    if (first.empty()) first = {1, 1};
    return listOf(equal ? first : all);
  }

  void addKernel(std::size_t number) {
    const Task& task = design_.tasks[number];
    const TaskTiming& timing = timings_[number];
    if (isLookup(number)) addRowLoad(number);
    std::vector<std::int64_t> takes, gives;
    std::int64_t local = 0, steps = 1;
    for (std::size_t port = firstPort(number); port < into_[number].size(); ++port)
      takes.push_back(into_[number][port] == none ? tokenCount(task.inputs[port].type)
                                                  : taken(into_[number][port]));
    for (const std::size_t stream : from_[number])
      gives.push_back(tokenCount(sourceOf(design_, design_.streams[stream]).type));
    if (task.kind == TaskKind::Compute) local += tileBuffers(number);
    for (const auto* counts : {&takes, &gives})
      for (const std::int64_t count : *counts) steps = std::max(steps, count);
    // Tiles sent in vectors make steps smaller, not the work; a FIFO passes one of them a cycle.
    const std::int64_t cycles = std::max(timing.cycles, steps);
    const std::int64_t most = gives.empty() ? steps : *std::max_element(gives.begin(), gives.end());
    const std::int64_t first = quotientUp(steps, most) - 1;
    const std::int64_t delay = cyclesOf(first, {cycles, steps}) + timing.depth;
    const std::int64_t divisor = std::gcd(cycles, steps);
    addNode(lowered_.nodes[number], "Kernel",
            {{"inputs", static_cast<std::int64_t>(takes.size())},
             {"outputs", static_cast<std::int64_t>(gives.size())},
             {"takes", listOf(takes)},
             {"gives", listOf(gives)},
             {"initial_delay", delay},
             {"interval", cycles / divisor},
             {"interval_steps", steps / divisor},
             {"tile", outputTiles(number)},
             {"local_bytes", local},
             {"flops", timing.operations},
             {"takes_order", orderList(expectedBy(number))},
             {"gives_order", ordersFrom(number)}});
  }

  /// Addresses from places, and the rows at them.
  void addRowLoad(std::size_t number) {
    const TaskPort& rows = design_.tasks[number].inputs[1];
    const DataflowStream& places = design_.streams[into_[number][0]];
    const std::string& name = lowered_.nodes[number];
    const std::string asker = nodeName(name + "_places", taken_), load = nodeName(name + "_rows", taken_);
    const std::int64_t count = tokenCount(rows.type);
    addNode(asker, "Kernel",
            {{"takes", listOf({taken(into_[number][0])})},
             {"gives", listOf({count})},
             {"initial_delay", 1},
             {"scalar", Value("u64")},
             {"takes_order", orderList({expectedOf(places)})}});
    addNode(load, "RandomOffChipLoad",
            {{"tile", listOf(transferTile(number, rows, 1))},
             {"scalar", Value("i8")},
             {"par_dispatch", options_.requests_per_cycle}});
    lowered_.lookups.push_back({number, asker, load});
    lowered_.graph.streams.push_back({end(asker, "out", 0), end(load, "address"), {}});
    lowered_.graph.streams.push_back({end(load, "out"), end(name, "in", 0), {}});
  }

  /// Where a stream of the design arrives.
  Endpoint arrival(const PortRef& to) const {
    const TaskKind kind = design_.tasks[to.task].kind;
    if (kind == TaskKind::Converter || kind == TaskKind::Store) return end(lowered_.nodes[to.task], "in");
    if (to.port >= firstPort(to.task))
      return end(lowered_.nodes[to.task], "in", to.port - firstPort(to.task));
    return end(std::ranges::find(lowered_.lookups, to.task, &LoweredLookup::task)->asker, "in", 0);
  }

  /// One tile of each port; none where a folded stream's other end has the tile.
  std::int64_t tileBuffers(std::size_t number) const {
    const Task& task = design_.tasks[number];
    std::int64_t bytes = 0;
    for (std::size_t port = 0; port < task.inputs.size(); ++port)
      if (into_[number][port] == none || !design_.streams[into_[number][port]].folded)
        bytes += tokenBytes(task.inputs[port]);
    for (const TaskPort& port : task.outputs) bytes += tokenBytes(port);
    for (const std::size_t stream : from_[number]) {
      const DataflowStream& own = design_.streams[stream];
      if (own.folded && design_.tasks[own.to.task].kind != TaskKind::Compute)
        bytes -= tokenBytes(task.outputs[own.from.port]);
    }
    return bytes;
  }

  void addConverter(std::size_t number) {
    const Task& task = design_.tasks[number];
    const TaskTiming& timing = timings_[number];
    const std::int64_t drains =
        from_[number].empty() ? 1 : vectorsPerTile(design_, design_.streams[from_[number][0]]);
    addNode(lowered_.nodes[number], "LayoutConverter",
            {{"outputs", static_cast<std::int64_t>(from_[number].size())},
             {"iterations", timing.iterations},
             {"fill", timing.fill * vectorsPerTile(design_, design_.streams[into_[number][0]])},
             {"drain", timing.drain * drains},
             {"tile", outputTiles(number)},
             {"buffer_bytes", doubleBufferBytes(task.buffer, task.inputs[0].type)},
             {"takes_order", orderList(expectedBy(number))},
             {"gives_order", ordersFrom(number)}});
  }

  /// A token in memory: each of its bursts is a row. Of a tile that is sent in vectors, a vector.
  std::vector<std::int64_t> transferTile(std::size_t number, const TaskPort& port,
                                         std::int64_t vectors) const {
    const std::int64_t bursts = std::max<std::int64_t>(1, timings_[number].bursts / vectors);
    const std::int64_t bytes = quotientUp(tokenBytes(port), vectors);
    return {bursts, quotientUp(bytes, bursts)};
  }

  void addLoad(std::size_t number) {
    const TaskPort& port = design_.tasks[number].outputs[0];
    const bool waits = design_.tasks[number].group > 0;
    const std::int64_t parts =
        from_[number].empty() ? 1 : vectorsPerTile(design_, design_.streams[from_[number][0]]);
    addNode(lowered_.nodes[number], waits ? "LinearOffChipLoadRef" : "LinearOffChipLoad",
            {{"tile", listOf(transferTile(number, port, parts))},
             {"out_shape", listOf({tokenCount(port.type) * parts})},
             {"scalar", Value("i8")},
             {"par_dispatch", options_.requests_per_cycle},
             {"gives_order", loadOrder(number)}});
  }

  /// A load has one output, however many read it.
  Value loadOrder(std::size_t number) const {
    if (from_[number].empty()) return orderList({design_.tasks[number].outputs[0].type});
    return orderList({orderOf(design_.streams[from_[number][0]])});
  }

  /// Numbers of a tensor that leave the program: not those that a later group reads, nor padding.
  std::int64_t resultsIn(std::size_t tensor) const {
    const auto same_memory = [&](std::size_t result) { return storages_[result] == storages_[tensor]; };
    if (!std::ranges::any_of(design_.program.results, same_memory)) return 0;
    const TensorValue& value = design_.program.tensors[tensor];
    return boundedProduct(value.valid.empty() ? value.shape : value.valid).value_or(0);
  }

  void addStore(std::size_t number) {
    const TaskPort& port = design_.tasks[number].inputs[0];
    const std::string& name = lowered_.nodes[number];
    const std::int64_t parts = vectorsPerTile(design_, design_.streams[into_[number][0]]);
    Values parameters = {{"tile", listOf(transferTile(number, port, parts))},
                         {"par_dispatch", options_.requests_per_cycle},
                         {"results", resultsIn(port.tensor)},
                         {"takes_order", orderList(expectedBy(number))}};
    if (design_.tasks[number].group + 1 == groups_)
      return addNode(name, "LinearOffChipStore", std::move(parameters));
    // Somebody waits until it is done: tiles with acknowledgements.
    const std::string numbers = nodeName(name + "_tiles", taken_);
    addNode(numbers, "Counter", {{"max", taken(into_[number][0])}});
    parameters["scalar"] = Value("i8");  // as the tiles that arrive: bytes
    parameters["takes_order"] = orderList({std::nullopt, expectedBy(number).front()});
    addNode(name, "RandomOffChipStore", std::move(parameters));
    lowered_.graph.streams.push_back({end(numbers, "out"), end(name, "address"), {}});
  }

  /// Lets the loads of each group begin when the stores of the groups before are through. A group that loads
  /// nothing, such as one that only fills a tensor with a number, waits for none: the next one that does
  /// waits for its stores, and for those before it.
  void addBarriers() {
    std::vector<std::vector<std::size_t>> stores(groups_), loads(groups_);
    for (std::size_t task = 0; task < design_.tasks.size(); ++task) {
      if (design_.tasks[task].kind == TaskKind::Store) stores[design_.tasks[task].group].push_back(task);
      if (design_.tasks[task].kind == TaskKind::Load) loads[design_.tasks[task].group].push_back(task);
    }
    std::vector<std::size_t> pending;
    for (std::size_t group = 1; group < groups_; ++group) {
      pending.insert(pending.end(), stores[group - 1].begin(), stores[group - 1].end());
      if (loads[group].empty() && group + 1 < groups_) continue;
      addBarrier(group, pending, loads[group]);
      pending.clear();
    }
  }

  void addBarrier(std::size_t group, const std::vector<std::size_t>& stores,
                  const std::vector<std::size_t>& loads) {
    std::vector<std::int64_t> takes;
    for (const std::size_t store : stores) takes.push_back(taken(into_[store][0]));
    const std::int64_t steps = takes.empty() ? 1 : *std::max_element(takes.begin(), takes.end());
    const std::size_t outputs =
        std::min(loads.size(), most_outputs);  // beyond, an output has several readers
    const std::string name = nodeName("begin_group_" + std::to_string(group), taken_);
    addNode(name, "Kernel",
            {{"inputs", static_cast<std::int64_t>(takes.size())},
             {"outputs", static_cast<std::int64_t>(outputs)},
             {"takes", listOf(takes)},
             {"gives", listOf(std::vector<std::int64_t>(outputs, 1))},
             {"initial_delay", steps - 1}});
    // Stores are through at different times: acknowledgements wait in FIFOs that hold all of them.
    for (std::size_t i = 0; i < stores.size(); ++i)
      lowered_.graph.streams.push_back(
          {end(lowered_.nodes[stores[i]], "ack"), end(name, "in", i), Value(takes[i])});
    for (std::size_t i = 0; i < loads.size(); ++i)
      lowered_.graph.streams.push_back(
          {end(name, "out", i % outputs), end(lowered_.nodes[loads[i]], "ref"), {}});
  }

  void addStreams() {
    for (std::size_t number = 0; number < design_.streams.size(); ++number) {
      const DataflowStream& stream = design_.streams[number];
      const auto& siblings = from_[stream.from.task];
      const auto position =
          static_cast<std::size_t>(std::find(siblings.begin(), siblings.end(), number) - siblings.begin());
      const bool bundle = design_.tasks[stream.from.task].kind != TaskKind::Load;
      Endpoint source =
          end(lowered_.nodes[stream.from.task], "out", bundle ? std::optional(position) : std::nullopt);
      if (isCut(stream)) source = addCutter(number, std::move(source));
      if (number < options_.crossings.size() && options_.crossings[number].cycles > 0)
        source = addCrossing(number, std::move(source));
      lowered_.streams.push_back(lowered_.graph.streams.size());
      Stream added{std::move(source), arrival(stream.to), {}};
      if (stream.depth) added.depth = Value(*stream.depth);
      if (stream.folded) added.depth = Value(folded_tiles);
      lowered_.graph.streams.push_back(std::move(added));
    }
  }

  /// Nothing of a tile leaves before all that goes into the tile has come: while one is worked on, the
  /// vectors of the one before are sent. Where they come out.
  Endpoint addCutter(std::size_t number, Endpoint source) {
    const DataflowStream& stream = design_.streams[number];
    const std::string name = nodeName(
        lowered_.nodes[stream.from.task] + "_to_" + lowered_.nodes[stream.to.task] + "_vectors", taken_);
    addNode(name, "Kernel",
            {{"takes", listOf({tokenCount(sourceOf(design_, stream).type)})},
             {"gives", listOf({given(number)})},
             {"initial_delay", 1},
             {"tile", listOf(tileOf(number))},
             {"takes_order", orderList({sourceOf(design_, stream).type})},
             {"gives_order", orderList({orderOf(stream)})}});
    lowered_.cutters.emplace_back(name, number);
    lowered_.graph.streams.push_back({std::move(source), end(name, "in", 0), Value(folded_tiles)});
    return end(name, "out", 0);
  }

  /// Registers on the way, and the FIFO before them; where the stream comes out.
  Endpoint addCrossing(std::size_t number, Endpoint source) {
    const DataflowStream& stream = design_.streams[number];
    const StreamCrossing& crossing = options_.crossings[number];
    const std::int64_t tokens = given(number);
    const std::string name = nodeName(
        lowered_.nodes[stream.from.task] + "_to_" + lowered_.nodes[stream.to.task] + "_crossing", taken_);
    addNode(name, "Kernel",
            {{"takes", listOf({tokens})},
             {"gives", listOf({tokens})},
             {"initial_delay", crossing.cycles},
             {"tile", listOf(tileOf(number))},
             {"borders", crossing.borders},
             {"takes_order", orderList({orderOf(stream)})},
             {"gives_order", orderList({orderOf(stream)})}});
    lowered_.crossings.push_back(name);
    lowered_.graph.streams.push_back({std::move(source), end(name, "in", 0), Value(crossing.depth)});
    return end(name, "out", 0);
  }

  const DataflowDesign& design_;
  const std::vector<TaskTiming>& timings_;
  const LoweringOptions& options_;
  std::set<std::string> taken_;
  std::vector<std::size_t> storages_;
  std::vector<std::vector<std::size_t>> into_, from_;  ///< streams of each task: by port, and in their order
  std::size_t groups_ = 0;
  LoweredDesign lowered_;
};

}  // namespace

TimedGraph timedGraph(const DataflowDesign& design, const std::vector<TaskTiming>& timings) {
  TimedGraph graph;
  for (std::size_t task = 0; task < design.tasks.size(); ++task)
    graph.kernels.push_back({design.tasks[task].name, timings[task].curve});
  for (const DataflowStream& stream : design.streams) {
    const ITensor& type = sourceOf(design, stream).type;
    graph.streams.push_back({stream.from.task, stream.to.task, tokenCount(type), tokenBits(type)});
  }
  return graph;
}

DataflowDesign withDepths(const DataflowDesign& design, const FifoSizing& sizing) {
  DataflowDesign sized = design;
  for (std::size_t stream = 0; stream < sized.streams.size(); ++stream)
    if (!sized.streams[stream].folded)
      sized.streams[stream].depth =
          sizing.fifos[stream].depth * vectorsPerTile(design, design.streams[stream]);
  return sized;
}

Result<LoweredDesign> lowered(const DataflowDesign& design, const std::vector<TaskTiming>& timings,
                              const LoweringOptions& options) {
  return Lowering(design, timings, options).run();
}

Graph kernelGraph(const TimedGraph& timed, std::span<const std::int64_t> depths) {
  Graph graph;
  std::set<std::string> taken;
  std::vector<std::vector<std::int64_t>> takes(timed.kernels.size()), gives(timed.kernels.size());
  std::vector<std::pair<std::size_t, std::size_t>> ports;
  for (const TimedStream& stream : timed.streams) {
    ports.emplace_back(gives[stream.producer].size(), takes[stream.consumer].size());
    gives[stream.producer].push_back(stream.tokens);
    takes[stream.consumer].push_back(stream.tokens);
  }
  for (std::size_t kernel = 0; kernel < timed.kernels.size(); ++kernel) {
    const KernelSteps steps = stepsOf(timed.kernels[kernel], takes[kernel]);
    graph.nodes.push_back({nodeName(timed.kernels[kernel].name, taken),
                           "Kernel",
                           {{"inputs", static_cast<std::int64_t>(takes[kernel].size())},
                            {"outputs", static_cast<std::int64_t>(gives[kernel].size())},
                            {"takes", listOf(takes[kernel])},
                            {"gives", listOf(gives[kernel])},
                            {"initial_delay", steps.initial_delay},
                            {"interval", steps.interval.cycles},
                            {"interval_steps", steps.interval.tokens},
                            {"flushable", Value(timed.kernels[kernel].flushable)}},
                           {},
                           {}});
  }
  for (std::size_t stream = 0; stream < timed.streams.size(); ++stream) {
    const TimedStream& s = timed.streams[stream];
    graph.streams.push_back({end(graph.nodes[s.producer].name, "out", ports[stream].first),
                             end(graph.nodes[s.consumer].name, "in", ports[stream].second),
                             Value(depths[stream])});
  }
  return graph;
}

}  // namespace sluice::inline tensor
