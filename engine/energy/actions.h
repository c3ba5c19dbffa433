#pragma once
// What a program does that costs energy, counted exactly: by formulas of its inference, or by those and what
// a run has measured (README.md says what counts as what).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/operators/inference.h"
#include "engine/simulator/result.h"

namespace sluice::inline energy {

/// Symbols with their values: knobs, what follows from the inputs, what a run has measured.
using BoundSymbols = std::map<std::string, double>;

/// Of a FIFO: each of its tokens is pushed once and popped once. Count: a number, or a formula.
template <typename Count>
struct BasicStreamActions {
  Count tokens{};
  Count bytes{};  ///< as they move; of a buffer a reference of `reference_bytes`
  bool operator==(const BasicStreamActions&) const = default;
};
inline constexpr std::int64_t reference_bytes = 8;

template <typename Count>
struct BasicOperatorActions {
  Count flops{};
  Count on_chip_read{}, on_chip_written{};    ///< bytes
  Count off_chip_read{}, off_chip_written{};  ///< bytes
  Count crossed{};  ///< bytes, of registers between dies: what passes them, a border a time
  // Only of a run, and only in a memory with banks: bursts to an open row, and rows that were opened for one.
  std::uint64_t row_hits = 0, row_activations = 0;
  std::uint64_t switches =
      0;  ///< only of a run, of a merge: groups that came from another input than the last
  bool operator==(const BasicOperatorActions&) const = default;
};

template <typename Count>
struct BasicActionCounts {
  std::vector<BasicStreamActions<Count>> streams;      ///< parallel to FlatGraph::streams
  std::vector<BasicOperatorActions<Count>> operators;  ///< parallel to FlatGraph::operators
  bool operator==(const BasicActionCounts&) const = default;
};

using StreamActions = BasicStreamActions<std::uint64_t>;
using OperatorActions = BasicOperatorActions<std::uint64_t>;
using ActionCounts = BasicActionCounts<std::uint64_t>;
using ActionFormulas = BasicActionCounts<Expr>;

template <typename Count>
using ActionMember = Count BasicOperatorActions<Count>::*;

/// What operators do that has a formula.
struct OperatorAction {
  const char* key;    ///< in JSON: "on_chip_bytes_read"
  const char* title;  ///< on screen, with its unit
  ActionMember<Expr> formula;
  ActionMember<std::uint64_t> count;
};
inline constexpr OperatorAction operator_actions[] = {
    {"flops", "FLOPs", &BasicOperatorActions<Expr>::flops, &OperatorActions::flops},
    {"on_chip_bytes_read", "on-chip bytes read", &BasicOperatorActions<Expr>::on_chip_read,
     &OperatorActions::on_chip_read},
    {"on_chip_bytes_written", "on-chip bytes written", &BasicOperatorActions<Expr>::on_chip_written,
     &OperatorActions::on_chip_written},
    {"off_chip_bytes_read", "off-chip bytes read", &BasicOperatorActions<Expr>::off_chip_read,
     &OperatorActions::off_chip_read},
    {"off_chip_bytes_written", "off-chip bytes written", &BasicOperatorActions<Expr>::off_chip_written,
     &OperatorActions::off_chip_written},
    {"crossed_bytes", "bytes over borders between dies", &BasicOperatorActions<Expr>::crossed,
     &OperatorActions::crossed}};

/// Without a run, in the symbols of the shapes.
ActionFormulas actionFormulas(const FlatGraph& graph, const Inference& inference);
/// Their values. Nothing where a symbol is open or a count does not fit 63 bits.
std::optional<ActionCounts> symbolicActions(const FlatGraph& graph, const Inference& inference,
                                            const BoundSymbols& symbols);
/// Of a run that ended: tokens, FLOPs and traffic as it measured them.
std::optional<ActionCounts> countedActions(const FlatGraph& graph, const Inference& inference,
                                           const BoundSymbols& symbols, const SimulationResult& run);

/// The tile that an operator computes on: of its first input that has one, else of its outputs; null: none.
const TileType* computedTile(const FlatOperator& op, const Inference& inference);

}  // namespace sluice::inline energy
