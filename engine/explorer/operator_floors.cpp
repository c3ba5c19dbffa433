// What a step of the schedule may do to the cost of an operator, and what it cannot. The steps are those of
// engine/schedule that change a program of operators:
//
//   tile               merges rows [n] that enter a region: an operator in it works on fewer, taller
//   elements,
//                      and a weight (LinearOffChipLoadRef) is loaded once a tile, at best once in all
//   split              cuts a weight's tiles along one dimension, and what is computed with them; the same
//                      operator does the pieces one after the other
//   parallelize        copies a region with one instance, and the loads that feed it (coarse); each copy gets
//                      whole elements of the outermost dimension, and every element goes to one copy
//   time_multiplex     lets instances of a region share weight loads and the arithmetic on whole tiles
//   hierarchical_tile  cuts the tiles of a product into units; the same operator does them in turn
//   broadcast, fifo_depth   change neither work nor traffic; a Broadcast only delays
//
// None takes an operator away that computes or moves tiles, gives one more FLOPs per cycle, or lets an access
// be wider: `compute_bw`, `par_dispatch` and the elements of a tile are not theirs to change.

#include "engine/explorer/operator_floors.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "engine/core/checked.h"
#include "engine/operators/off_chip.h"

namespace sluice::inline explorer {
namespace {

bool isFixed(const TileType& tile) {
  return tile.rows.kind == DimKind::Static && tile.cols.kind == DimKind::Static;
}

/// Tiles whose size no group decides: symbolic costs of others are averages.
bool isFixed(const ElementType& element) {
  if (const TileType* tile = element.tile()) return isFixed(*tile);
  if (const BufferType* buffer = element.buffer()) return isFixed(buffer->tile);
  const TupleType* tuple = element.tuple();
  return !tuple || std::ranges::all_of(tuple->elements, [](const ElementType& e) { return isFixed(e); });
}

/// The regions of a program that a step may copy: parallelize asks for a single instance. The region that
/// time_multiplex makes may have one too, but a bundle of the instances' tiles goes into it, which cannot be
/// dealt out.
void addSingleRegions(const Graph& graph, const std::string& prefix, bool inside,
                      std::set<std::string>& all) {
  for (const Node& node : graph.nodes) {
    if (!node.body) continue;
    const bool copied = inside || node.body->count == Value(1);
    if (copied) all.insert(prefix + node.name);
    addSingleRegions(node.body->body, prefix + node.name + ".", copied, all);
  }
}

/// A count that doubles have summed: beyond 2^53, where they round, a hair less.
std::uint64_t surely(double count) {
  if (!(count > 0)) return 0;
  return static_cast<std::uint64_t>(count < 0x1p53 ? std::round(count) : count * (1 - 0x1p-48));
}

class Floors {
 public:
  Floors(const SymbolicResult& symbolic, const Document& document, const FurtherSteps& further)
      : symbolic_(symbolic), graph_(symbolic.graph), machine_(symbolic.graph.machine), further_(further) {
    for (const auto& [name, value] : symbolic.bound) bound_[name] = static_cast<std::int64_t>(value);
    if (may("parallelize")) addSingleRegions(document.program, "", false, single_regions_);
  }

  OperatorFloor of(OperatorId id) const {
    OperatorFloor floor;
    const FlatOperator& op = graph_.operators[id];
    const Operator& definition = definitionOf(op);
    if (definition.memory != MemoryRole::None)
      addTransfers(op, definition, floor);
    else
      addArithmetic(id, definition, floor);
    addMemory(id, definition, floor);
    return floor;
  }

  /// Cycles between the arrival of the first input and the first output, at least.
  Cycles firstResult(const FlatOperator& op, const OperatorFloor& floor) const {
    const Operator& definition = definitionOf(op);
    if (definition.memory == MemoryRole::Reader) return latency();
    const bool computes =
        definition.schedule == ScheduleRole::Apply || definition.schedule == ScheduleRole::Fold;
    return computes && floor.flops > 0 ? 1 : 0;  // a token is seen in the cycle after the push at best
  }

 private:
  bool may(const char* step) const { return further_.contains(step); }
  bool isInRegion(const FlatOperator& op) const { return op.origin.find('.') != std::string::npos; }
  bool mayBeCopied(const FlatOperator& op, const Operator& definition) const {
    // A load that feeds a copied region is copied with it.
    if (definition.schedule == ScheduleRole::View && !single_regions_.empty()) return true;
    const std::size_t dot = op.origin.rfind('.');
    return dot != std::string::npos && single_regions_.contains(op.origin.substr(0, dot));
  }
  const StreamType& typeOf(StreamId stream) const { return symbolic_.inference.streams[stream]; }
  std::optional<std::uint64_t> valueOf(const Expr& expr) const {
    const std::optional<std::int64_t> value = expr.value(bound_);
    if (!value || *value < 0) return {};
    return static_cast<std::uint64_t>(*value);
  }

  /// Cycles from a request to its answer, at least (engine/simulator/semantics.md 6.3); of a memory with
  /// banks nothing is claimed.
  Cycles latency() const {
    if (machine_.hbm_model != HbmModel::Node) return 0;
    return std::max<Cycles>(1, machine_.hbm_start_up + machine_.hbm_latency);
  }

  /// Tiles that the operator moves. tile, the one step that lowers their number, lets a pass over the view
  /// serve many elements of ref. It merges the dimension of rows, the outermost one within a region, and
  /// leaves one element of it where there was any; dimensions inside, of a Repeat, stay.
  std::optional<std::uint64_t> tilesOf(const FlatOperator& op, const Operator& definition) const {
    const bool reads = definition.memory == MemoryRole::Reader || !op.outputs.empty();
    const Shape& shape = typeOf(reads ? op.outputs[0] : op.inputs[0]).shape;
    const std::optional<std::uint64_t> all = valueOf(elementCount(shape));
    const bool per_tile = definition.schedule == ScheduleRole::ReferenceView;
    if (!all || *all == 0 || !per_tile || !may("tile") || !isInRegion(op)) return all;
    std::uint64_t fewest = 1;
    const std::size_t outer = shape.size() - op.parameters.list("out_shape").size();
    for (const BoundInteger& extent : op.parameters.list("out_shape"))
      fewest *= static_cast<std::uint64_t>(extent.value);
    const Shape inside(shape.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(outer, 1)),
                       shape.begin() + static_cast<std::ptrdiff_t>(outer));
    if (std::ranges::all_of(inside, [](const Dim& dim) { return dim.kind == DimKind::Static; }))
      fewest *= valueOf(elementCount(inside)).value_or(1);
    return std::min(*all, fewest);
  }

  /// Traffic: no step takes a tile's bytes away: split moves a tile as pieces whose bytes are the same and
  /// whose requests are as many or more (rows are rounded up one by one).
  void addTransfers(const FlatOperator& op, const Operator& definition, OperatorFloor& floor) const {
    const bool reader = definition.memory == MemoryRole::Reader, random = !op.outputs.empty();
    const ElementType* stored = reader ? nullptr : &typeOf(op.inputs[random ? 1 : 0]).element;
    if (stored && (!stored->tile() || !isFixed(*stored))) return;
    const std::optional<std::uint64_t> tiles = tilesOf(op, definition);
    if (!tiles || *tiles == 0) return;
    const Scalar scalar = reader ? operators::scalarOf(op) : stored->tile()->scalar;
    const auto moved = static_cast<std::uint64_t>(operators::storedBytes(scalar, machine_));
    // A linear store is counted by its type, though a float may move as two bytes
    // (engine/symbolic/cost_model.md 1.2).
    const auto counted = reader || random ? moved : static_cast<std::uint64_t>(sizeOf(scalar));
    const auto rows = static_cast<std::uint64_t>(op.parameters.list("tile")[0].value);
    const auto cols = static_cast<std::uint64_t>(op.parameters.list("tile")[1].value);
    const std::uint64_t requests = operators::requestsOf(rows, cols, moved, machine_.hbm_request_bytes);
    floor.off_chip_bytes = *tiles * rows * cols * counted;
    floor.moved_bytes = *tiles * rows * cols * moved;
    floor.requests = *tiles * requests;
    // An operator moves one tile at a time, in reference mode: it waits for the last answer. In pieces that
    // takes as long or longer. Of copies, one moves a tile at least.
    if (!machine_.reference_mode || latency() == 0) return;
    const auto together = static_cast<std::uint64_t>(
        op.parameters.values().contains("par_dispatch") ? op.parameters.integer("par_dispatch") : 1);
    const Cycles alone = ceilDiv(requests, std::max<std::uint64_t>(together, 1)) - 1 + latency();
    floor.serial_cycles = mayBeCopied(op, definition) ? alone : saturatingProduct(alone, *tiles);
  }

  /// Arithmetic: FLOPs are those of the elements, however they are packed (padding adds), cut or dealt out.
  /// An operator does at most compute_bw of them a cycle, each element's rounded up. One that is not copied
  /// does all of its own, and more where instances share it. Of copies, one does the largest element, which
  /// has the average at least: elements are dealt out whole.
  void addArithmetic(OperatorId id, const Operator& definition, OperatorFloor& floor) const {
    const FlatOperator& op = graph_.operators[id];
    const CostValues& cost = symbolic_.operators[id];
    if (!cost.flops || *cost.flops <= 0) return;
    for (const StreamId in : op.inputs)
      if (!isFixed(typeOf(in).element)) return;
    floor.flops = surely(*cost.flops);
    const std::uint64_t compute = rounded(cost.compute);
    if (compute == 0) return;
    floor.serial_cycles = ceilDiv(floor.flops, compute);
    if (!mayBeCopied(op, definition)) return;
    const bool by_element =
        definition.schedule == ScheduleRole::Apply || definition.schedule == ScheduleRole::Fold;
    const auto elements = by_element ? valueOf(elementCount(typeOf(op.inputs[0]).shape)) : std::nullopt;
    floor.serial_cycles =
        elements && *elements > 0 ? ceilDiv(floor.flops, saturatingProduct(compute, *elements)) : 0;
  }

  /// On-chip memory. No step changes the streams at an operator that it does not know: tiles that were packed
  /// or cut inside a region are taken apart or joined before them. Copies hold as much or more (of groups
  /// that differ, some copy's average is no less than that of all). Staging tiles of weights may be cut to a
  /// row or a column, and they and sums may be shared. Nothing is claimed of what works on packed or cut
  /// tiles, whose memory may fall to that of a piece, or grow.
  void addMemory(OperatorId id, const Operator& definition, OperatorFloor& floor) const {
    const std::optional<double>& held = symbolic_.operators[id].on_chip_bytes;
    const FlatOperator& op = graph_.operators[id];
    if (!held) return;
    const bool changes = may("tile") || may("split") || may("parallelize") || may("time_multiplex") ||
                         may("hierarchical_tile");
    const ScheduleRole role = definition.schedule;
    if (!changes || role == ScheduleRole::Unknown || role == ScheduleRole::View ||
        role == ScheduleRole::Numbers) {
      floor.on_chip_bytes = surely(*held);
      return;
    }
    floor.shares_memory = may("time_multiplex") && isInRegion(op);
    if (role == ScheduleRole::ReferenceView) {
      const auto& tile = op.parameters.list("tile");
      const std::int64_t longer = std::max<std::int64_t>({tile[0].value, tile[1].value, 1});
      floor.on_chip_bytes = surely(*held) / (may("split") ? static_cast<std::uint64_t>(longer) : 1);
    } else if (role == ScheduleRole::Fold && op.inputs.size() == 1 && sums(op) &&
               isFixed(typeOf(op.outputs[0]).element)) {
      floor.on_chip_bytes = surely(*held);
    }
  }

  static bool sums(const FlatOperator& op) {
    const std::string& function = op.parameters.string("function");
    return function == "add" || function == "multiply" || function == "max";
  }

  const SymbolicResult& symbolic_;
  const FlatGraph& graph_;
  const BoundMachine& machine_;
  const FurtherSteps& further_;
  std::map<std::string, std::int64_t> bound_;
  std::set<std::string> single_regions_;
};

/// When the first token of each operator's output can leave, in the order of the streams. An operator that
/// reads its inputs together, or has one, waits for the latest first token, another one for the earliest;
/// what lies in or behind a loop, and a task with two clocks, may begin at 0. Steps only put operators on the
/// way: those that they take off (Flatten) have no cycles here, and a piece of a tile pays the latency as
/// well.
void addStarts(const FlatGraph& graph, const Floors& floors, std::vector<OperatorFloor>& all) {
  std::vector<std::size_t> open(graph.operators.size());
  std::vector<Cycles> ready(graph.operators.size(), 0);
  std::deque<OperatorId> next;
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    open[id] = graph.operators[id].inputs.size();
    if (open[id] == 0) next.push_back(id);
  }
  while (!next.empty()) {
    const OperatorId id = next.front();
    next.pop_front();
    const FlatOperator& op = graph.operators[id];
    const Operator& definition = definitionOf(op);
    Cycles first = 0, last = 0;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const Cycles arrival = ready[graph.streams[op.inputs[i]].producer];
      first = i == 0 ? arrival : std::min(first, arrival);
      last = std::max(last, arrival);
    }
    all[id].start = definition.reads_together ? last : first;
    if (definition.arrival == Arrival::TwoClocks) all[id].start = 0;
    ready[id] = all[id].start + floors.firstResult(op, all[id]);
    for (const StreamId out : op.outputs)
      if (--open[graph.streams[out].consumer] == 0) next.push_back(graph.streams[out].consumer);
  }
}

}  // namespace

std::vector<OperatorFloor> operatorFloors(const SymbolicResult& symbolic, const Document& document,
                                          const FurtherSteps& further) {
  const Floors floors(symbolic, document, further);
  std::vector<OperatorFloor> all;
  for (OperatorId id = 0; id < symbolic.graph.operators.size(); ++id) all.push_back(floors.of(id));
  addStarts(symbolic.graph, floors, all);
  return all;
}

}  // namespace sluice::inline explorer
