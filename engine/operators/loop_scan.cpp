// LoopScan: the scan of the reference simulator's later versions (timing.md 6.4): folds each element of a
// stream into a state, and an element of a second stream behind it, and tells the state after and before on
// two outputs. Stops end a loop: the state starts anew. A third stream has one element a loop, which is taken
// and not looked at: the fabric learns the number of steps from it. Memory units cost nothing.

#include "engine/operators/fold_state.h"
#include "engine/operators/tile_size.h"

namespace sluice::inline operators::loop_scan {

namespace {

bool hasOperand(const ShapeContext& t) {
  return t.inCount() == 3;
}

TileType stateType(const ShapeContext& t, const TileType& in) {
  const auto& init = t.op.parameters.list("init");
  return {in.scalar, Dim::fixed(init[0].symbolic), Dim::fixed(init[1].symbolic)};
}

std::optional<Diagnostic> check(const ShapeContext& t) {
  if (t.integer("operands") > 1) {
    return t.problem("operator-rule", "",
                     "operands = " + t.symbolic("operands").text() + ", but there is one second operand",
                     "set operands to 0 or 1");
  }
  if (auto wrong = checkTwoNumbers(t, "init", "write init as [rows, columns]")) return wrong;
  if (auto wrong = t.rankAtLeast(0, 1, "LoopScan")) return wrong;
  for (std::size_t port = 0; port + 1 < t.inCount(); ++port) {
    if (const Result<TileType> in = t.tile(port); !in) return in.diagnostics().front();
  }
  if (!hasOperand(t) || !t.differ(elementCount(t.in(0).shape), elementCount(t.in(1).shape))) return {};
  return t.problem("shape-mismatch", t.portName(1),
                   text(t.in(1)) + " does not have an operand for each element of " + text(t.in(0)),
                   "bring both to one number of elements (Repeat, Expand)", t.portName(0));
}

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  if (auto wrong = check(t)) return *wrong;
  const TileType state = stateType(t, *t.in(0).element.tile());
  for (std::size_t port = 0; port + 1 < t.inCount(); ++port) {
    const char* const parameter = port == 0 ? "function" : "operand_function";
    SLUICE_TRY(const TileType folded, resultType(t, functionNamed(t.op.parameters.string(parameter)), state,
                                                 *t.in(port).element.tile(), false));
    if (t.differ(folded.rows.extent, state.rows.extent) || t.differ(folded.cols.extent, state.cols.extent)) {
      return t.problem(
          "tile-mismatch", t.portName(port),
          "a state of " + text(ElementType(state)) + " would grow to " + text(ElementType(folded)),
          "set init to the rows and columns of the state");
    }
  }
  return std::vector<StreamType>(2, {t.in(0).shape, state, {}, {}});
}

Cost cost(const ShapeContext& t, std::span<const StreamType> outputs) {
  const TileType& state = *outputs[0].element.tile();
  Expr held = sizeOf(outputs[0].element), flops;
  for (std::size_t port = 0; port + 1 < t.inCount(); ++port) {
    if (!t.paperEquations()) held += t.fifos(sizeOf(t.in(port).element));
    flops += flopsOf(Function::Add, *t.in(port).element.tile(), state, false);
  }
  return {{}, held, elementCount(t.in(0).shape) * flops, t.symbolic("compute_bw")};
}

struct Plan {
  Function function, operand_function;
  std::uint64_t compute;
  simulator::Token initial;
  bool write_back;
  TileArithmetic* arithmetic;  ///< functional mode
};

/// The state with `x` folded into it.
simulator::Token folded(simulator::Context& me, const Plan& plan, Function function,
                        const simulator::Token& state, const simulator::Token& x, Flops& flops) {
  simulator::Token next = accumulate<Function::Add>(state, x, flops);  // as large as of any such function
  if (plan.arithmetic) plan.arithmetic->apply(me, function, state, x, false, next);
  next.from_memory = plan.write_back;
  me.countFlops(flops);
  return next;
}

simulator::Process run(simulator::Context& me, Plan plan) {
  Divider cycles(plan.compute), operand_cycles(plan.compute);
  const bool has_operand = me.inputs() == 3;
  simulator::Channel& count_in = me.in(me.inputs() - 1);
  simulator::Token state = plan.initial;
  bool starts = true;
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    me.take(me.in(0));
    if (starts) {
      const simulator::Token count = co_await me.peek(count_in);
      if (count) me.take(count_in), me.share(count, 0);
      state = initialState(me, plan.arithmetic, plan.function, plan.initial, x, true);
    }
    const simulator::Token before = state;
    Flops flops = 0;
    state = folded(me, plan, plan.function, before, x, flops);
    Cycles busy = cycles(flops);
    if (has_operand) {
      const simulator::Token operand = co_await me.peek(me.in(1));
      if (!operand) {
        me.fail("wrong-token", 1, "the second operand ended before the stream did",
                "give one for each element");
        co_return;
      }
      me.take(me.in(1));
      state = folded(me, plan, plan.operand_function, state, operand, flops);
      busy = std::max(busy, operand_cycles(flops));
    }
    me.advance(busy);
    starts = x.stop > 0;
    co_await me.push(me.out(1), before.withStop(x.stop));
    co_await me.push(me.out(0), state.withStop(x.stop));
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  const auto function = [&](const char* name) { return functionNamed(instance.op.parameters.string(name)); };
  return run(me, {function("function"), function("operand_function"), instance.count("compute_bw"),
                  initialTile(instance), instance.boolean("write_back_mu"), instance.arithmetic()});
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "LoopScan",
              .category = "Higher order",
              .summary = "Tells the running fold of a stream after and before every element.",
              .paper = "simulator 2026, Scan",
              .parameters = {choiceParameter("function", "how tiles are folded", {"add", "multiply", "max"}),
                             choiceParameter("operand_function", "how those of operand are, behind them",
                                             {"add", "multiply", "max"}, Value("add")),
                             integerParameter("operands", "1: a second stream is folded in step; 0: none", 0,
                                              Value(0)),
                             tileSizeParameter("init", "rows and columns of the state", 1),
                             computeParameter(), writeBackParameter()},
              .inputs = {{"in", "", "tiles"},
                         {"operand", "operands", "tiles, one for each of in; its stops do not matter"},
                         {"count", "", "one element for each group of in, whatever it holds"}},
              .outputs = {{"next", "", "the state with the element taken in; shape of in"},
                          {"prior", "", "the state before it; shape of in"}},
              .rules = {.shape = "The shape of in on both outputs; tiles of the size of init.",
                        .cost = "On chip: the state. FLOPs: one an element that is folded.",
                        .timing = "Each tile: FLOPs / compute_bw, of the longer of the two folds."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
  };
  return definition;
}

}  // namespace sluice::inline operators::loop_scan
