#pragma once
// Operator: the four facets of one STeP operator - parameters and ports (spec), shape rule, symbolic cost,
// behaviour. Each operator file defines one; registry.cpp lists them. Everything else (palette, inspector,
// file format, checker, simulator) reads the registry.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/operators/inference.h"
#include "engine/operators/stream_type.h"
#include "engine/operators/token_rates.h"
#include "engine/program/flat_graph.h"
#include "engine/simulator/process.h"

namespace sluice::inline operators {

/// What a shape rule and a cost rule see of one operator instance.
class ShapeContext {
 public:
  ShapeContext(const FlatGraph& graph, OperatorId id, const InputSet& input_set, const CostModel& cost_model,
               std::vector<const StreamType*> in, Inference& result)
      : op(graph.operators[id]),
        machine(graph.machine),
        inputs(input_set),
        model(cost_model),
        graph_(graph),
        in_(std::move(in)),
        result_(result) {}

  const FlatOperator& op;
  const BoundMachine& machine;
  const InputSet& inputs;
  const CostModel& model;

  bool paperEquations() const { return model.equations == CostModel::Equations::Paper; }
  /// `bytes` where the model counts FIFOs.
  Expr fifos(const Expr& bytes) const { return model.count_fifos ? bytes : Expr(); }

  const StreamType& in(std::size_t port) const { return *in_[port]; }
  /// For `assume` rules: the input's type, or null while unknown.
  const StreamType* known(std::size_t port) const { return in_[port]; }
  std::size_t inCount() const { return in_.size(); }
  std::int64_t integer(const std::string& name) const { return op.parameters.integer(name); }
  const Expr& symbolic(const std::string& name) const { return op.parameters.symbolic(name); }

  /// Equal algebraically, or equal at this design point.
  bool same(const Expr& a, const Expr& b) const;
  /// Both are numbers at this design point, and they differ: then the program is wrong. Dynamic extents are
  /// checked by the run.
  bool differ(const Expr& a, const Expr& b) const;
  /// Of one kind; tiles also of one scalar, and of one size as far as that is known.
  bool alike(const ElementType& a, const ElementType& b) const;
  /// The value at this design point, if no dynamic symbol is in it.
  std::optional<std::int64_t> value(const Expr& expr) const;

  /// A dimension that only the run knows, measured as the tokens with stop >= rank_index on output `port`.
  /// `known`: its value, if the inputs already tell it.
  Dim dynamic(const std::string& symbol, std::size_t port, std::size_t rank_index, DimKind kind,
              std::optional<std::int64_t> known = {}) const;
  /// A symbol's name made of this operator's: "expert.0.unpack_rows".
  std::string symbolName(const std::string& suffix) const;

  /// Errors of this operator: "operator 'x', port 'in'". `other`: the port of what does not go with it.
  Diagnostic problem(Code code, const std::string& port, std::string cause, std::string fix,
                     const std::string& other = {}) const;
  /// The input port's element must be a tile; error otherwise.
  Result<TileType> tile(std::size_t port) const;
  /// The input's rank must be at least `rank`, for which `parameter` asks (or the operator itself: its kind).
  std::optional<Diagnostic> rankAtLeast(std::size_t port, std::int64_t rank,
                                        const std::string& parameter) const;
  std::string portName(std::size_t input) const;
  /// The stream into an input; null: nothing is connected there yet (draft.h).
  const FlatStream* stream(std::size_t port) const {
    return op.inputs[port] < graph_.streams.size() ? &graph_.streams[op.inputs[port]] : nullptr;
  }

 private:
  const FlatGraph& graph_;
  std::vector<const StreamType*> in_;
  Inference& result_;
};

class Functional;
class TensorPort;
class TileArithmetic;

/// What a behaviour sees of one operator instance besides its context.
struct Instance {
  const FlatOperator& op;
  const BoundMachine& machine;
  const InputSet& inputs;
  Functional* functional = nullptr;  ///< functional mode: computes the elements of tiles
  std::uint64_t address = 0;         ///< where its off-chip tensor begins; only a memory with banks asks

  std::int64_t integer(const std::string& name) const { return op.parameters.integer(name); }
  std::uint64_t count(const std::string& name) const { return static_cast<std::uint64_t>(integer(name)); }
  std::uint32_t level(const std::string& name) const { return static_cast<std::uint32_t>(integer(name)); }
  bool boolean(const std::string& name) const { return op.parameters.boolean(name); }
  std::vector<std::uint64_t> list(const std::string& name) const;
  /// Null in timing mode.
  TileArithmetic* arithmetic() const;
  TensorPort* tensor() const;
};

enum class MemoryRole { None, Reader, Writer };  ///< a reader's or a writer's port at the memory controller

/// What steps of the schedule may take an operator for, with the ports and parameters that they then go by.
/// They stop at one that is Unknown to them, or refuse.
enum class ScheduleRole {
  Unknown,
  View,           ///< a source of the tiles of a view: `tile`, `out_shape`, `stride`, the tensor's place
  ReferenceView,  ///< the same, for every element of `ref`
  Numbers,        ///< a source of an input's numbers in blocks: `first`, `count`, `block`, `every`
  Apply,          ///< `function` of every tile of `in`, or of those of `in1` and `in2` in step
  Fold,           ///< the same, folded over the `rank` innermost dimensions to a tile of size `init`
  Cut,            ///< every tile of `in` in pieces, by `function`
  Merge,          ///< `in` with its dimensions `min` to `max` as one
  Repeat,         ///< every element of `in`, `factor` times
  Nest            ///< opens dimensions inside an element, or holds and streams what is inside it
};

/// How what an operator does depends on when its inputs come; re-timing and the search for depths go by it.
enum class Arrival {
  Determinate,  ///< not at all: the tokens decide (a Kahn process)
  Chooses,      ///< it takes first what comes first, of the inputs that a token names
  WatchesAll,   ///< it looks again whenever anything happens, and takes first what comes first
  TwoClocks     ///< each side has a clock of its own, and looks at its FIFOs without waiting
};

/// A facet that every operator states: to leave it out does not compile.
template <class T>
class Stated {
 public:
  constexpr Stated(T value) : value_(value) {}
  constexpr operator T() const { return value_; }

 private:
  T value_;
};

/// Written with designated initialisers. What other code must know of an operator it asks here: nothing else
/// goes by an operator's name.
struct Operator {
  using Shape = Result<std::vector<StreamType>> (*)(const ShapeContext&);
  using CostRule = Cost (*)(const ShapeContext&, std::span<const StreamType> outputs);
  using Behaviour = simulator::Process (*)(const Instance&, simulator::Context&);

  OperatorSpec spec;
  Stated<Shape> shape;
  Stated<CostRule> cost;
  Stated<Behaviour> behaviour;
  Stated<Arrival> arrival;
  Stated<RatesRule> rates;
  MemoryRole memory = MemoryRole::None;
  ScheduleRole schedule = ScheduleRole::Unknown;
  bool reads_together = false;  ///< a token of every input at once: all must bring the same number
  bool copies = false;          ///< every output carries what comes in, as a wire with branches would
  bool ordered = false;         ///< says in takes_order and gives_order what its streams bring (order.h)
  bool prints = false;          ///< the first `limit` tokens that come are kept for the user
  bool holds_program = false;   ///< a tensor program that a step of the schedule compiles; never runs
  /// For operators that may close a loop: what can be said of the outputs before every input is typed
  /// (ShapeContext::known). Null: a cycle through the operator is an error.
  std::vector<std::optional<StreamType>> (*assume)(const ShapeContext&) = nullptr;
};

/// A rule for operators that hold nothing, move nothing and compute nothing.
Cost noCost(const ShapeContext&, std::span<const StreamType>);
/// For operators that pass elements on: their two FIFOs, if those are counted.
Cost passingCost(const ShapeContext&, std::span<const StreamType>);
/// For operators that hold one element of their output.
Cost holdingCost(const ShapeContext&, std::span<const StreamType>);
/// For operators that pass elements between one stream and a bundle of `ways`.
Cost switchingCost(const ShapeContext&, std::span<const StreamType>);

// Parameters, as the specs list them.
ParameterSpec integerParameter(std::string name, std::string help, const Range& range,
                               std::optional<Value> initial = {}, std::string unit = {});
ParameterSpec listParameter(std::string name, std::string help, const Range& range,
                            std::optional<Value> initial = {}, std::string unit = {});
ParameterSpec booleanParameter(std::string name, std::string help, bool initial);
ParameterSpec choiceParameter(std::string name, std::string help, std::vector<std::string> choices,
                              std::optional<Value> initial = {});
ParameterSpec inputParameter(std::string name, std::string help);
// Those that several operators share.
/// Rows and columns that must be given.
ParameterSpec tileSizeParameter(std::string name, std::string help, const Range& range);
ParameterSpec tileParameter();
ParameterSpec computeParameter();
ParameterSpec writeBackParameter();
ParameterSpec parDispatchParameter();
ParameterSpec switchCyclesParameter();
ParameterSpec portSwitchCyclesParameter();
/// `port_switch_cycles` must name every port, or none.
std::optional<Diagnostic> checkSwitchCycles(const ShapeContext& t, std::size_t ports);
/// Cycles to turn to each port: `port_switch_cycles`, or `switch_cycles` for all.
std::vector<Cycles> switchCycles(const Instance& instance, std::size_t ports);

/// Ceiling division by a fixed divisor. Tiles of a stream mostly have one size, so the last quotient mostly
/// serves again.
class Divider {
 public:
  explicit Divider(std::uint64_t divisor) : divisor_(divisor) {}
  std::uint64_t operator()(std::uint64_t dividend) {
    if (dividend != dividend_) [[unlikely]]
      dividend_ = dividend, quotient_ = ceilDiv(dividend, divisor_);
    return quotient_;
  }

 private:
  std::uint64_t divisor_, dividend_ = 0, quotient_ = 0;
};

/// Cycles of one on-chip memory unit (engine/simulator/semantics.md 5).
class MemoryUnit {
 public:
  explicit MemoryUnit(std::uint64_t bandwidth) : divide_(bandwidth) {}
  /// "wr": to write the token.
  std::uint64_t write(const simulator::Token& token) { return divide_(token.bytes()); }
  std::uint64_t write(std::uint64_t bytes) { return divide_(bytes); }
  /// "mem": to read the token if it lies in a memory unit.
  std::uint64_t read(const simulator::Token& token) { return token.from_memory ? write(token) : 0; }

 private:
  Divider divide_;
};

}  // namespace sluice::inline operators
