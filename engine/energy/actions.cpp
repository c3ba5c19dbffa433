#include "engine/energy/actions.h"

#include <algorithm>
#include <cmath>

#include "engine/core/checked.h"
#include "engine/operators/off_chip.h"
#include "engine/operators/registry.h"

namespace sluice::inline energy {
namespace {

bool isRagged(const TileType& tile) {
  return tile.rows.kind == DimKind::Ragged || tile.cols.kind == DimKind::Ragged;
}

/// Bytes of so many tiles as they move; extents that differ from tile to tile are totals already.
Expr tileBytes(Shape shape, const TileType& tile, const BoundMachine& machine) {
  shape.push_back(tile.rows);
  shape.push_back(tile.cols);
  return elementCount(shape) * Expr(storedBytes(tile.scalar, machine));
}

Expr bytesOf(const Shape& shape, const ElementType& element, const BoundMachine& machine,
             std::int64_t reference) {
  if (const TileType* tile = element.tile()) return tileBytes(shape, *tile, machine);
  if (element.selector()) return elementCount(shape) * sizeOf(element);
  if (element.buffer()) return elementCount(shape) * Expr(reference);
  Expr sum;
  for (const ElementType& part : element.tuple()->elements) sum += bytesOf(shape, part, machine, reference);
  return sum;
}

bool hasRaggedTile(const ElementType& element) {
  if (const TileType* tile = element.tile()) return isRagged(*tile);
  const TupleType* tuple = element.tuple();
  return tuple && std::ranges::any_of(tuple->elements, hasRaggedTile);
}

/// What an accumulation holds: the tile that leaves, or one of the buffer that leaves.
const TileType* heldTile(const ElementType& element) {
  if (const TileType* tile = element.tile()) return tile;
  const BufferType* buffer = element.buffer();
  return buffer ? &buffer->tile : nullptr;
}

/// Counts in numbers, of a run: what it measured, else the values of formulas.
class Numbers {
 public:
  using Count = std::uint64_t;

  explicit Numbers(const BoundSymbols& symbols) {
    for (const auto& [name, value] : symbols)
      symbols_.emplace_hint(symbols_.end(), name, std::llround(value));
  }

  /// Every one so far was known and fits 63 bits.
  bool known() const { return known_; }

  static Count number(std::uint64_t measured) { return measured; }
  Count value(const Expr& formula) {
    const std::optional<std::int64_t> found = formula.value(symbols_);
    known_ = known_ && found && *found >= 0;
    return known_ ? static_cast<std::uint64_t>(*found) : 0;
  }
  Count sum(Count a, Count b) {
    known_ = known_ && b <= largest_count - a;
    return known_ ? a + b : 0;
  }
  Count product(Count a, Count b) {
    const std::uint64_t both = saturatingProduct(a, b);
    known_ = known_ && both <= largest_count;
    return known_ ? both : 0;
  }

 private:
  std::map<std::string, std::int64_t> symbols_;
  bool known_ = true;
};

/// Counts as formulas, without a run.
class Formulas {
 public:
  using Count = Expr;

  static Count number(std::uint64_t measured) { return static_cast<std::int64_t>(measured); }
  static Count value(const Expr& formula) { return formula; }
  static Count sum(const Count& a, const Count& b) { return a + b; }
  static Count product(const Count& a, const Count& b) { return a * b; }
};

template <typename Arithmetic>
class Counter {
 public:
  using Count = typename Arithmetic::Count;

  /// Without a run only where counts are formulas.
  Counter(const FlatGraph& graph, const Inference& inference, Arithmetic& arithmetic,
          const SimulationResult* run)
      : graph_(graph), inference_(inference), arithmetic_(arithmetic), run_(run) {}

  BasicActionCounts<Count> count() {
    BasicActionCounts<Count> counts;
    counts.streams.resize(graph_.streams.size());
    counts.operators.resize(graph_.operators.size());
    for (std::size_t s = 0; s < graph_.streams.size(); ++s) counts.streams[s] = streamActions(s);
    for (std::size_t o = 0; o < graph_.operators.size(); ++o) {
      BasicOperatorActions<Count>& actions = counts.operators[o];
      actions.flops = run_ ? arithmetic_.number(run_->operators[o].flops)
                           : arithmetic_.value(inference_.operators[o].flops);
      if (run_) measured(run_->operators[o], actions);
      offChip(o, counts);
      onChip(o, actions);
      actions.crossed = crossedBytes(graph_.operators[o], counts);
    }
    return counts;
  }

 private:
  static void measured(const OperatorStats& stats, BasicOperatorActions<Count>& actions) {
    actions.row_hits = stats.row_hits;
    actions.row_activations = stats.row_activations;
    actions.switches = stats.switches;
  }

  const StreamType& type(StreamId stream) const { return inference_.streams[stream]; }

  Count bytesIn(std::size_t stream, std::int64_t reference) {
    const StreamType& of = type(static_cast<StreamId>(stream));
    if (!run_ || hasRaggedTile(of.element))
      return arithmetic_.value(bytesOf(of.shape, of.element, graph_.machine, reference));
    const TileType* const tile = of.element.tile();
    return arithmetic_.product(
        arithmetic_.number(run_->streams[stream].tokens),
        tile ? bytesOfOne(*tile) : arithmetic_.value(bytesOf({}, of.element, graph_.machine, reference)));
  }

  /// As tileBytes() of one tile that is not ragged, in numbers alone where nothing but its extents counts.
  Count bytesOfOne(const TileType& tile) {
    if (tile.rows.presence || tile.cols.presence)
      return arithmetic_.value(tileBytes({}, tile, graph_.machine));
    return arithmetic_.product(
        arithmetic_.product(arithmetic_.value(tile.rows.extent), arithmetic_.value(tile.cols.extent)),
        arithmetic_.value(Expr(storedBytes(tile.scalar, graph_.machine))));
  }

  BasicStreamActions<Count> streamActions(std::size_t stream) {
    Count tokens = run_ ? arithmetic_.number(run_->streams[stream].tokens)
                        : arithmetic_.value(elementCount(type(static_cast<StreamId>(stream)).shape));
    return {std::move(tokens), bytesIn(stream, reference_bytes)};
  }

  /// Tiles on streams of a port; references to buffers hold nothing that would move.
  Count tileBytesOn(const std::vector<StreamId>& streams, bool all) {
    Count bytes{};
    for (std::size_t i = 0; i < streams.size() && (all || i == 0); ++i)
      bytes = arithmetic_.sum(bytes, bytesIn(streams[i], 0));
    return bytes;
  }
  /// Only the first of several ports brings what is kept, and takes it along: others steer.
  Count broughtBytes(const FlatOperator& op) { return tileBytesOn(op.inputs, op.spec->inputs.size() == 1); }
  Count takenBytes(const FlatOperator& op) { return tileBytesOn(op.outputs, op.spec->outputs.size() == 1); }

  void offChip(std::size_t at, BasicActionCounts<Count>& counts) {
    const FlatOperator& op = graph_.operators[at];
    const MemoryRole role = definitionOf(op).memory;
    const bool reads = role == MemoryRole::Reader || (role == MemoryRole::None && !op.inputs.empty() &&
                                                      type(op.inputs[0]).element.buffer());
    BasicOperatorActions<Count>& actions = counts.operators[at];
    Count& bytes = reads ? actions.off_chip_read : actions.off_chip_written;
    if (run_) {
      bytes = arithmetic_.number(run_->operators[at].off_chip_bytes);
    } else if (role == MemoryRole::Reader) {
      bytes = counts.streams[op.outputs[0]].bytes;
    } else if (role == MemoryRole::Writer) {
      bytes = counts.streams[dataInput(op)].bytes;
    } else {
      bytes = arithmetic_.value(movedBytes(op, inference_.operators[at].off_chip_bytes, reads));
    }
  }

  /// Of a buffer's traffic, which its formula counts in the bytes of its type, those that move.
  Expr movedBytes(const FlatOperator& op, const Expr& typed, bool reads) const {
    if (typed == Expr()) return {};
    const TileType* const tile = heldTile(type(reads ? op.inputs[0] : op.outputs[0]).element);
    if (!tile) return typed;
    return floorDiv(typed * Expr(storedBytes(tile->scalar, graph_.machine)), Expr(sizeOf(tile->scalar)));
  }

  Count crossedBytes(const FlatOperator& op, const BasicActionCounts<Count>& counts) {
    if (!op.parameters.values().contains("borders")) return {};
    Count bytes{};
    for (const StreamId in : op.inputs) bytes = arithmetic_.sum(bytes, counts.streams[in].bytes);
    return arithmetic_.product(bytes, arithmetic_.value(Expr(op.parameters.integer("borders"))));
  }

  static StreamId dataInput(const FlatOperator& op) {
    const auto& ports = op.spec->inputs;
    const auto in = std::ranges::find(ports, "in", &PortSpec::name);
    return op.inputs.at(in == ports.end() ? 0 : static_cast<std::size_t>(in - ports.begin()));
  }

  void onChip(std::size_t at, BasicOperatorActions<Count>& actions) {
    const FlatOperator& op = graph_.operators[at];
    const Cost& cost = inference_.operators[at];
    const Count moved = arithmetic_.sum(actions.off_chip_read, actions.off_chip_written);
    const bool holds = cost.on_chip_bytes != Expr();
    const bool accumulates =
        holds && cost.flops != Expr() && op.parameters.values().contains("function") && !op.outputs.empty();
    if (moved != Count() || definitionOf(op).memory != MemoryRole::None) {
      actions.on_chip_written = actions.on_chip_read = moved;  // staged on the way
    } else if (accumulates) {
      actions.on_chip_written = actions.on_chip_read = updatedBytes(op);
    } else if (holds) {
      actions.on_chip_written = broughtBytes(op);
      actions.on_chip_read = takenBytes(op);
    }
    const bool writes_back =
        op.parameters.values().contains("write_back_mu") && op.parameters.boolean("write_back_mu");
    if (!writes_back || (holds && !accumulates)) return;
    const Count results = takenBytes(op);
    actions.on_chip_written = arithmetic_.sum(actions.on_chip_written, results);
    actions.on_chip_read = arithmetic_.sum(actions.on_chip_read, results);
  }

  /// A tile that is held, for every token that comes.
  Count updatedBytes(const FlatOperator& op) {
    const TileType* const tile = heldTile(type(op.outputs[0]).element);
    if (!tile) return broughtBytes(op);
    const StreamId in = op.inputs[0];
    if (!run_ || isRagged(*tile)) return arithmetic_.value(tileBytes(type(in).shape, *tile, graph_.machine));
    return arithmetic_.product(arithmetic_.number(run_->streams[in].tokens), bytesOfOne(*tile));
  }

  const FlatGraph& graph_;
  const Inference& inference_;
  Arithmetic& arithmetic_;
  const SimulationResult* run_;
};

}  // namespace

ActionFormulas actionFormulas(const FlatGraph& graph, const Inference& inference) {
  Formulas formulas;
  return Counter(graph, inference, formulas, nullptr).count();
}

std::optional<ActionCounts> symbolicActions(const FlatGraph& graph, const Inference& inference,
                                            const BoundSymbols& symbols) {
  const ActionFormulas formulas = actionFormulas(graph, inference);
  Numbers numbers(symbols);
  ActionCounts counts;
  for (const auto& [tokens, bytes] : formulas.streams)
    counts.streams.push_back({numbers.value(tokens), numbers.value(bytes)});
  for (const BasicOperatorActions<Expr>& actions : formulas.operators) {
    OperatorActions& values = counts.operators.emplace_back();
    for (const OperatorAction& action : operator_actions)
      values.*action.count = numbers.value(actions.*action.formula);
  }
  return numbers.known() ? std::optional(std::move(counts)) : std::nullopt;
}

std::optional<ActionCounts> countedActions(const FlatGraph& graph, const Inference& inference,
                                           const BoundSymbols& symbols, const SimulationResult& run) {
  Numbers numbers(symbols);
  ActionCounts counts = Counter(graph, inference, numbers, &run).count();
  return numbers.known() ? std::optional(std::move(counts)) : std::nullopt;
}

const TileType* computedTile(const FlatOperator& op, const Inference& inference) {
  for (const auto* streams : {&op.inputs, &op.outputs}) {
    for (const StreamId stream : *streams) {
      const ElementType* element = &inference.streams[stream].element;
      while (const TupleType* tuple = element->tuple()) element = &tuple->elements.front();
      if (const TileType* tile = heldTile(*element)) return tile;
    }
  }
  return nullptr;
}

}  // namespace sluice::inline energy
