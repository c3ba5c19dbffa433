#include "engine/operators/operator.h"

#include <algorithm>

#include "engine/operators/functional.h"

namespace sluice::inline operators {

std::optional<std::int64_t> ShapeContext::value(const Expr& expr) const {
  return expr.value(graph_.knobs);
}

bool ShapeContext::same(const Expr& a, const Expr& b) const {
  if (a == b) return true;
  const auto x = value(a), y = value(b);
  return x && y && *x == *y;
}

bool ShapeContext::differ(const Expr& a, const Expr& b) const {
  if (a == b) return false;
  const auto x = value(a), y = value(b);
  return x && y && *x != *y;
}

bool ShapeContext::alike(const ElementType& a, const ElementType& b) const {
  if (a.index() != b.index()) return false;
  const TileType *x = a.tile(), *y = b.tile();
  const auto differs = [&](const Dim& of_x, const Dim& of_y) {
    const bool fixed = of_x.kind == DimKind::Static && of_y.kind == DimKind::Static;
    return fixed && differ(of_x.extent, of_y.extent);
  };
  return !x || (x->scalar == y->scalar && !differs(x->rows, y->rows) && !differs(x->cols, y->cols));
}

Dim ShapeContext::dynamic(const std::string& symbol, std::size_t port, std::size_t rank_index, DimKind kind,
                          std::optional<std::int64_t> known) const {
  result_.run_time.emplace(symbol, RunTimeSymbol{op.outputs[port], static_cast<std::uint32_t>(rank_index)});
  if (known) result_.known.emplace(symbol, *known);
  return {Expr::symbol(symbol), kind, false};
}

std::string ShapeContext::symbolName(const std::string& suffix) const {
  std::string name;
  for (const char c : op.name) {
    if (c == ']') continue;
    name += c == '[' ? '.' : c;
  }
  return name + "_" + suffix;
}

Diagnostic ShapeContext::problem(Code code, const std::string& port, std::string cause, std::string fix,
                                 const std::string& other) const {
  const Location place(Where::Operator, op.name);
  Diagnostic wrong = error(code, port.empty() ? place : place / Location(Where::Port, port), std::move(cause),
                           std::move(fix));
  if (!other.empty()) wrong.related = {place / Location(Where::Port, other)};
  return wrong;
}

std::string ShapeContext::portName(std::size_t input) const {
  std::size_t first = 0;
  for (const PortSpec& port : op.spec->inputs) {
    const std::size_t width = port.width.empty() ? 1 : static_cast<std::size_t>(integer(port.width));
    if (input < first + width)
      return port.width.empty() ? port.name : port.name + "[" + std::to_string(input - first) + "]";
    first += width;
  }
  return {};
}

Result<TileType> ShapeContext::tile(std::size_t port) const {
  if (const TileType* tile = in(port).element.tile()) return *tile;
  return problem("element-mismatch", portName(port),
                 op.spec->kind + " takes a stream of tiles, but " + text(in(port)) + " arrives",
                 "connect a stream of tiles; a buffer becomes tiles by Streamify");
}

std::optional<Diagnostic> ShapeContext::rankAtLeast(std::size_t port, std::int64_t rank,
                                                    const std::string& parameter) const {
  if (rank < static_cast<std::int64_t>(in(port).shape.size())) return {};
  const bool set = op.spec->parameter(parameter) != nullptr;
  const std::string who = set ? parameter + " = " + std::to_string(integer(parameter)) : parameter;
  return problem("rank-mismatch", portName(port),
                 who + " needs a stream of rank " + std::to_string(rank) + " or more, but " +
                     text(in(port).shape) + " has rank " + std::to_string(in(port).shape.size() - 1),
                 (set ? "lower " + parameter + ", or give" : std::string("give")) +
                     " the stream more dimensions (Promote, Reshape)");
}

std::vector<std::uint64_t> Instance::list(const std::string& name) const {
  std::vector<std::uint64_t> numbers;
  for (const BoundInteger& number : op.parameters.list(name))
    numbers.push_back(static_cast<std::uint64_t>(number.value));
  return numbers;
}

TileArithmetic* Instance::arithmetic() const {
  return functional ? &functional->arithmetic() : nullptr;
}

TensorPort* Instance::tensor() const {
  return functional ? functional->port(op) : nullptr;
}

Cost sum(const std::vector<Cost>& costs) {
  const auto total = [&costs](Expr Cost::*part) {
    std::vector<Expr> terms;
    for (const Cost& cost : costs) terms.push_back(cost.*part);
    return sum(std::span<const Expr>(terms));
  };
  return {total(&Cost::off_chip_bytes), total(&Cost::on_chip_bytes), total(&Cost::flops),
          total(&Cost::compute)};
}

Cost noCost(const ShapeContext&, std::span<const StreamType>) {
  return {};
}

Cost passingCost(const ShapeContext& t, std::span<const StreamType> outputs) {
  return {{}, t.fifos(Expr(2) * sizeOf(outputs[0].element)), {}, {}};
}

Cost holdingCost(const ShapeContext& t, std::span<const StreamType> outputs) {
  return {{}, Expr(t.model.count_fifos ? 2 : 1) * sizeOf(outputs[0].element), {}, {}};
}

Cost switchingCost(const ShapeContext& t, std::span<const StreamType>) {
  return {{}, t.fifos((t.symbolic("ways") + Expr(1)) * sizeOf(t.in(0).element)), {}, {}};
}

ParameterSpec integerParameter(std::string name, std::string help, const Range& range,
                               std::optional<Value> initial, std::string unit) {
  return {std::move(name), ParameterKind::Integer, std::move(initial), range, {},
          std::move(help), std::move(unit)};
}

ParameterSpec listParameter(std::string name, std::string help, const Range& range,
                            std::optional<Value> initial, std::string unit) {
  return {std::move(name), ParameterKind::IntegerList, std::move(initial), range, {}, std::move(help),
          std::move(unit)};
}

ParameterSpec booleanParameter(std::string name, std::string help, bool initial) {
  return {std::move(name), ParameterKind::Boolean, Value(initial), 0, {}, std::move(help), {}};
}

ParameterSpec choiceParameter(std::string name, std::string help, std::vector<std::string> choices,
                              std::optional<Value> initial) {
  return {
      std::move(name), ParameterKind::Choice, std::move(initial), 0, std::move(choices), std::move(help), {}};
}

ParameterSpec inputParameter(std::string name, std::string help) {
  return {std::move(name), ParameterKind::Input, {}, 0, {}, std::move(help), {}};
}

namespace {

ParameterSpec duration(ParameterSpec spec) {
  spec.duration = true;
  return spec;
}

}  // namespace

ParameterSpec tileSizeParameter(std::string name, std::string help, const Range& range) {
  ParameterSpec spec = listParameter(std::move(name), std::move(help), range, {}, "elements");
  spec.suggested = std::vector<Value>{16, 16};
  return spec;
}

ParameterSpec tileParameter() {
  return tileSizeParameter("tile", "rows and columns of a tile", 1);
}

ParameterSpec computeParameter() {
  ParameterSpec spec =
      duration(integerParameter("compute_bw", "FLOPs per cycle of the unit that runs the operator",
                                {1, std::int64_t{1} << 40}, {}, "FLOPs/cycle"));
  spec.suggested = 1024;
  return spec;
}

ParameterSpec writeBackParameter() {
  return booleanParameter(
      "write_back_mu",
      "leave the result in a memory unit: its write, and the reader's read, then cost cycles", false);
}

ParameterSpec parDispatchParameter() {
  return integerParameter("par_dispatch", "memory requests issued per cycle", {1, 65536}, Value(1));
}

ParameterSpec switchCyclesParameter() {
  return duration(
      integerParameter("switch_cycles", "cycles to turn to another port", {0, 1 << 30}, Value(1), "cycles"));
}

ParameterSpec portSwitchCyclesParameter() {
  return duration(listParameter("port_switch_cycles",
                                "cycles to turn to each port; empty: switch_cycles for every one", 0,
                                Value(std::vector<Value>{}), "cycles"));
}

std::optional<Diagnostic> checkSwitchCycles(const ShapeContext& t, std::size_t ports) {
  const std::size_t given = t.op.parameters.list("port_switch_cycles").size();
  if (given == 0 || given == ports) return {};
  return t.problem(
      "operator-rule", "",
      "port_switch_cycles has " + std::to_string(given) + " numbers for " + std::to_string(ports) + " ports",
      "give one number per port, or none");
}

std::vector<Cycles> switchCycles(const Instance& instance, std::size_t ports) {
  std::vector<Cycles> cycles = instance.list("port_switch_cycles");
  if (cycles.empty()) cycles.assign(ports, instance.count("switch_cycles"));
  return cycles;
}

}  // namespace sluice::inline operators
