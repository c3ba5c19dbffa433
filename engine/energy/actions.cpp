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

class Counter {
 public:
  Counter(const FlatGraph& graph, const Inference& inference, const BoundSymbols& symbols,
          const SimulationResult* run)
      : graph_(graph), inference_(inference), run_(run) {
    for (const auto& [name, value] : symbols)
      symbols_.emplace_hint(symbols_.end(), name, std::llround(value));
  }

  std::optional<ActionCounts> count() {
    ActionCounts counts;
    counts.streams.resize(graph_.streams.size());
    counts.operators.resize(graph_.operators.size());
    for (std::size_t s = 0; s < graph_.streams.size(); ++s) counts.streams[s] = streamActions(s);
    for (std::size_t o = 0; o < graph_.operators.size(); ++o) {
      counts.operators[o].flops = run_ ? run_->operators[o].flops : value(inference_.operators[o].flops);
      if (run_) measured(run_->operators[o], counts.operators[o]);
      offChip(o, counts);
      onChip(o, counts);
      counts.operators[o].crossed = crossedBytes(graph_.operators[o], counts);
    }
    return known_ ? std::optional(std::move(counts)) : std::nullopt;
  }

 private:
  static void measured(const OperatorStats& stats, OperatorActions& actions) {
    actions.row_hits = stats.row_hits;
    actions.row_activations = stats.row_activations;
    actions.switches = stats.switches;
  }

  const StreamType& type(StreamId stream) const { return inference_.streams[stream]; }

  std::uint64_t value(const Expr& formula) {
    const std::optional<std::int64_t> found = formula.value(symbols_);
    known_ = known_ && found && *found >= 0;
    return known_ ? static_cast<std::uint64_t>(*found) : 0;
  }

  std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t both = saturatingProduct(a, b);
    known_ = known_ && both <= largest_count;
    return both;
  }

  std::uint64_t bytesIn(std::size_t stream, std::int64_t reference) {
    const StreamType& of = type(static_cast<StreamId>(stream));
    if (!run_ || hasRaggedTile(of.element))
      return value(bytesOf(of.shape, of.element, graph_.machine, reference));
    const TileType* const tile = of.element.tile();
    return product(run_->streams[stream].tokens,
                   tile ? bytesOfOne(*tile) : value(bytesOf({}, of.element, graph_.machine, reference)));
  }

  /// As tileBytes() of one tile that is not ragged, in numbers alone where nothing but its extents counts.
  std::uint64_t bytesOfOne(const TileType& tile) {
    if (tile.rows.presence || tile.cols.presence) return value(tileBytes({}, tile, graph_.machine));
    return product(product(value(tile.rows.extent), value(tile.cols.extent)),
                   static_cast<std::uint64_t>(storedBytes(tile.scalar, graph_.machine)));
  }

  StreamActions streamActions(std::size_t stream) {
    const std::uint64_t tokens =
        run_ ? run_->streams[stream].tokens : value(elementCount(type(static_cast<StreamId>(stream)).shape));
    return {tokens, bytesIn(stream, reference_bytes)};
  }

  /// Tiles on streams of a port; references to buffers hold nothing that would move.
  std::uint64_t tileBytesOn(const std::vector<StreamId>& streams, bool all) {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < streams.size() && (all || i == 0); ++i) {
      const std::uint64_t more = bytesIn(streams[i], 0);
      known_ = known_ && more <= largest_count - bytes;
      if (known_) bytes += more;
    }
    return bytes;
  }
  /// Only the first of several ports brings what is kept, and takes it along: others steer.
  std::uint64_t broughtBytes(const FlatOperator& op) {
    return tileBytesOn(op.inputs, op.spec->inputs.size() == 1);
  }
  std::uint64_t takenBytes(const FlatOperator& op) {
    return tileBytesOn(op.outputs, op.spec->outputs.size() == 1);
  }

  void offChip(std::size_t at, ActionCounts& counts) {
    const FlatOperator& op = graph_.operators[at];
    const MemoryRole role = definitionOf(op).memory;
    const bool reads = role == MemoryRole::Reader || (role == MemoryRole::None && !op.inputs.empty() &&
                                                      type(op.inputs[0]).element.buffer());
    OperatorActions& actions = counts.operators[at];
    std::uint64_t bytes = 0;
    if (run_) {
      bytes = run_->operators[at].off_chip_bytes;
    } else if (role == MemoryRole::Reader) {
      bytes = counts.streams[op.outputs[0]].bytes;
    } else if (role == MemoryRole::Writer) {
      bytes = counts.streams[dataInput(op)].bytes;
    } else if (inference_.operators[at].off_chip_bytes != Expr()) {
      const TileType* const tile = heldTile(type(reads ? op.inputs[0] : op.outputs[0]).element);
      const int typed = tile ? sizeOf(tile->scalar) : 1;
      const int moved = tile ? storedBytes(tile->scalar, graph_.machine) : 1;
      bytes = product(value(inference_.operators[at].off_chip_bytes), static_cast<std::uint64_t>(moved)) /
              static_cast<std::uint64_t>(typed);
    }
    (reads ? actions.off_chip_read : actions.off_chip_written) = bytes;
  }

  std::uint64_t crossedBytes(const FlatOperator& op, const ActionCounts& counts) {
    if (!op.parameters.values().contains("borders")) return 0;
    std::uint64_t bytes = 0;
    for (const StreamId in : op.inputs) bytes += counts.streams[in].bytes;
    return product(bytes, static_cast<std::uint64_t>(op.parameters.integer("borders")));
  }

  static StreamId dataInput(const FlatOperator& op) {
    const auto& ports = op.spec->inputs;
    const auto in = std::ranges::find(ports, "in", &PortSpec::name);
    return op.inputs.at(in == ports.end() ? 0 : static_cast<std::size_t>(in - ports.begin()));
  }

  void onChip(std::size_t at, ActionCounts& counts) {
    const FlatOperator& op = graph_.operators[at];
    const Cost& cost = inference_.operators[at];
    OperatorActions& actions = counts.operators[at];
    const std::uint64_t moved = actions.off_chip_read + actions.off_chip_written;
    const bool holds = cost.on_chip_bytes != Expr();
    const bool accumulates =
        holds && cost.flops != Expr() && op.parameters.values().contains("function") && !op.outputs.empty();
    if (moved > 0 || definitionOf(op).memory != MemoryRole::None) {
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
    const std::uint64_t results = takenBytes(op);
    actions.on_chip_written += results;
    actions.on_chip_read += results;
  }

  /// A tile that is held, for every token that comes.
  std::uint64_t updatedBytes(const FlatOperator& op) {
    const TileType* const tile = heldTile(type(op.outputs[0]).element);
    if (!tile) return broughtBytes(op);
    const StreamId in = op.inputs[0];
    if (!run_ || isRagged(*tile)) return value(tileBytes(type(in).shape, *tile, graph_.machine));
    return product(run_->streams[in].tokens, bytesOfOne(*tile));
  }

  const FlatGraph& graph_;
  const Inference& inference_;
  const SimulationResult* run_;
  std::map<std::string, std::int64_t> symbols_;
  bool known_ = true;
};

}  // namespace

std::optional<ActionCounts> symbolicActions(const FlatGraph& graph, const Inference& inference,
                                            const BoundSymbols& symbols) {
  return Counter(graph, inference, symbols, nullptr).count();
}

std::optional<ActionCounts> countedActions(const FlatGraph& graph, const Inference& inference,
                                           const BoundSymbols& symbols, const SimulationResult& run) {
  return Counter(graph, inference, symbols, &run).count();
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
