#pragma once
// What a program does that costs energy, counted exactly: by formulas of its inference, or by those and what
// a run has measured (README.md says what counts as what).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/units.h"
#include "engine/operators/inference.h"
#include "engine/simulator/result.h"

namespace sluice::inline energy {

/// Symbols with their values: knobs, what follows from the inputs, what a run has measured.
using BoundSymbols = std::map<std::string, double>;

/// Of a FIFO: each of its tokens is pushed once and popped once.
struct StreamActions {
  std::uint64_t tokens = 0;
  Bytes bytes = 0;  ///< as they move; of a buffer a reference of `reference_bytes`
  bool operator==(const StreamActions&) const = default;
};
inline constexpr std::int64_t reference_bytes = 8;

struct OperatorActions {
  Flops flops = 0;
  Bytes on_chip_read = 0, on_chip_written = 0;
  Bytes off_chip_read = 0, off_chip_written = 0;
  // Only of a run, and only in a memory with banks: bursts to an open row, and rows that were opened for one.
  std::uint64_t row_hits = 0, row_activations = 0;
  std::uint64_t switches =
      0;              ///< only of a run, of a merge: groups that came from another input than the last
  Bytes crossed = 0;  ///< of registers between dies: what passes them, a border a time
  bool operator==(const OperatorActions&) const = default;
};

struct ActionCounts {
  std::vector<StreamActions> streams;      ///< parallel to FlatGraph::streams
  std::vector<OperatorActions> operators;  ///< parallel to FlatGraph::operators
  bool operator==(const ActionCounts&) const = default;
};

/// Without a run. Nothing where a symbol is open or a count does not fit 63 bits.
std::optional<ActionCounts> symbolicActions(const FlatGraph& graph, const Inference& inference,
                                            const BoundSymbols& symbols);
/// Of a run that ended: tokens, FLOPs and traffic as it measured them.
std::optional<ActionCounts> countedActions(const FlatGraph& graph, const Inference& inference,
                                           const BoundSymbols& symbols, const SimulationResult& run);

/// The tile that an operator computes on: of its first input that has one, else of its outputs; null: none.
const TileType* computedTile(const FlatOperator& op, const Inference& inference);

}  // namespace sluice::inline energy
