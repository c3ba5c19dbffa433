// Map: applies a function to every tile (STeP 3.2.4), or to the two tiles of every tuple that Zip made.
// Roofline timing: the longest of reading the operands, computing, and writing the result back. The result
// goes out before the operand's slot is freed.

#include "engine/operators/functional.h"
#include "engine/operators/functions.h"
#include "engine/operators/off_chip.h"

namespace sluice::inline operators::map {

namespace {

struct Operands {
  TileType a, b;  ///< b only for tuples
};

Result<Operands> operands(const ShapeContext& t) {
  const Function function = functionNamed(t.op.parameters.string("function"));
  if (!combinesTwo(function)) {
    SLUICE_TRY(const TileType tile, t.tile(0));
    return Operands{tile, tile};
  }
  const TupleType* tuple = t.in(0).element.tuple();
  if (!tuple || tuple->elements.size() != 2 || !tuple->elements[0].tile() || !tuple->elements[1].tile()) {
    return t.problem("element-mismatch", "in",
                     "function " + t.op.parameters.string("function") + " takes pairs of tiles, but " +
                         text(t.in(0)) + " arrives",
                     "use BinaryMap for two streams, or Zip them first");
  }
  return Operands{*tuple->elements[0].tile(), *tuple->elements[1].tile()};
}

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  SLUICE_TRY(const Operands in, operands(t));
  const Function function = functionNamed(t.op.parameters.string("function"));
  SLUICE_TRY(const TileType tile,
             resultType(t, function, in.a, in.b, t.op.parameters.boolean("weight_transposed")));
  StreamType out = t.in(0);
  out.element = tile;
  out.validity = resultValidity(function, out.validity, in.a.rows, out.validity, in.b.rows);
  return std::vector<StreamType>{std::move(out)};
}

Cost cost(const ShapeContext& t, std::span<const StreamType> outputs) {
  const Result<Operands> in = operands(t);
  const Function function = functionNamed(t.op.parameters.string("function"));
  const Expr flops = flopsOf(function, in->a, in->b, t.op.parameters.boolean("weight_transposed"));
  const Expr held =
      t.paperEquations() ? Expr() : t.fifos(sizeOf(t.in(0).element) + sizeOf(outputs[0].element));
  return {{}, held, elementCount(t.in(0).shape) * flops, t.symbolic("compute_bw")};
}

struct Plan {
  std::uint64_t compute, bandwidth;
  bool transposed, write_back;
  TileArithmetic* arithmetic;  ///< functional mode
};

template <Function F>
simulator::Process run(simulator::Context& me, Plan plan) {
  MemoryUnit unit(plan.bandwidth), second_unit(plan.bandwidth), result_unit(plan.bandwidth);
  Divider cycles(plan.compute);
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    const bool pair = x.kind == simulator::TokenKind::Tuple;
    const simulator::Token& a = pair ? x.group->tokens[0] : x;
    const simulator::Token& b = pair ? x.group->tokens[1] : x;
    if (pair && !fits<F>(a, b, plan.transposed)) {
      me.fail("wrong-token", 0, "the two tiles of a tuple do not fit the function",
              "check the tile sizes that reach the Zip");
      co_return;
    }
    Flops flops = 0;
    simulator::Token y = apply<F>(a, b, plan.transposed, flops);
    y.from_memory = plan.write_back;
    if (plan.arithmetic) plan.arithmetic->apply(me, F, a, b, plan.transposed, y);
    y.stop = x.stop;
    const Cycles read = unit.read(a) + (pair ? second_unit.read(b) : 0);
    const Cycles write = plan.write_back ? result_unit.write(y) : 0;
    if (!charge(me, y, flops)) co_return;
    const Cycles busy = std::max({read, cycles(flops), write});  // gcc 12 takes no list inside co_await
    co_await me.work(busy, read + write);
    co_await me.slot(me.out(0));
    me.put(me.out(0), y);
    me.share(x, 0);
    me.take(me.in(0));
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  const Plan plan{instance.count("compute_bw"), instance.machine.on_chip_bandwidth,
                  instance.boolean("weight_transposed"), instance.boolean("write_back_mu"),
                  instance.arithmetic()};
  return startFunction<Function::Silu, Function::Exp, Function::RowSum, Function::Matmul, Function::Multiply,
                       Function::Divide, Function::Maximum, Function::Add>(
      instance, [&]<Function F>() { return run<F>(me, plan); });
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "Map",
              .category = "Higher order",
              .summary = "Applies a function to every tile, or to every pair of tiles.",
              .paper = "STeP 3.2.4",
              .parameters = {choiceParameter("function", "what is applied",
                                             {"silu", "exp", "row_sum", "matmul", "dynamic_matmul",
                                              "multiply", "add", "divide", "max"}),
                             booleanParameter("weight_transposed",
                                              "matmul: the second tile is stored transposed", false),
                             computeParameter(), writeBackParameter()},
              .inputs = {{"in", "", "tiles, or tuples of two tiles"}},
              .outputs = {{"out", "", "the results"}},
              .rules =
                  {.shape = "The shape of in. Tiles: as the function makes of them.",
                   .cost = "FLOPs an element: silu 8, exp 4, the others 1; a product of matrices 2 x rows x "
                           "inner x columns a pair. On chip: with FIFOs counted, the operand and the result.",
                   .timing = "Each tile: the longest of reading it from a memory unit, FLOPs / compute_bw, "
                             "and with write_back_mu writing the result."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = mappedRates,
      .schedule = ScheduleRole::Apply,
  };
  return definition;
}

}  // namespace sluice::inline operators::map
