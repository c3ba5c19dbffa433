// BinaryMap: applies a function to the elements of two streams in step (STeP 3.2.4). Timing as Map; both
// streams must carry the same stops, unless it is said whose count.

#include "engine/operators/functional.h"
#include "engine/operators/functions.h"

namespace sluice::inline operators::binary_map {

namespace {

/// The input whose stops the results have; nothing: both have the same.
std::optional<std::size_t> stopsFrom(const Parameters& parameters) {
  const std::string& stops = parameters.string("stops");
  if (stops == "both") return {};
  return stops == "in1" ? 0 : 1;
}

std::optional<Diagnostic> checkPairs(const ShapeContext& t) {
  if (!stopsFrom(t.op.parameters)) return checkInStep(t);
  if (!t.differ(elementCount(t.in(0).shape), elementCount(t.in(1).shape))) return {};
  return t.problem("shape-mismatch", "in2",
                   "streams of shape " + text(t.in(0).shape) + " and " + text(t.in(1).shape) +
                       " do not have a partner for each element",
                   "bring both to one number of elements (Repeat, Expand)", "in1");
}

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  SLUICE_TRY(const TileType a, t.tile(0));
  SLUICE_TRY(const TileType b, t.tile(1));
  if (auto wrong = checkPairs(t)) return *wrong;
  const Function function = functionNamed(t.op.parameters.string("function"));
  SLUICE_TRY(const TileType tile,
             resultType(t, function, a, b, t.op.parameters.boolean("weight_transposed")));
  StreamType out = t.in(0);
  out.element = tile;
  out.validity = resultValidity(function, t.in(0).validity, a.rows, t.in(1).validity, b.rows);
  if (stopsFrom(t.op.parameters) == 1) out.shape = t.in(1).shape;
  return std::vector<StreamType>{std::move(out)};
}

/// The paper's equations count the FIFOs of products only.
Expr held(const ShapeContext& t, Function function, const StreamType& out) {
  if (t.paperEquations())
    return function == Function::Matmul ? t.fifos(productBytes(t, sizeOf(out.element))) : Expr();
  return t.fifos(sizeOf(t.in(0).element) + sizeOf(t.in(1).element) + sizeOf(out.element));
}

Cost cost(const ShapeContext& t, std::span<const StreamType> outputs) {
  const Function function = functionNamed(t.op.parameters.string("function"));
  const Expr flops = flopsOf(function, *t.in(0).element.tile(), *t.in(1).element.tile(),
                             t.op.parameters.boolean("weight_transposed"));
  const Expr compute = takesOneCycle(function) ? Expr() : t.symbolic("compute_bw");
  return {{}, held(t, function, outputs[0]), elementCount(t.in(0).shape) * flops, compute};
}

struct Plan {
  std::uint64_t compute, bandwidth, row_offset;
  bool transposed, write_back;
  std::optional<std::size_t> stops;
  TileArithmetic* arithmetic;  ///< functional mode
};

template <Function F>
simulator::Process run(simulator::Context& me, Plan plan) {
  MemoryUnit unit(plan.bandwidth), second_unit(plan.bandwidth), result_unit(plan.bandwidth);
  Divider cycles(plan.compute);
  for (;;) {
    const simulator::Token a = co_await me.peek(me.in(0));
    const simulator::Token b = co_await me.peek(me.in(1));
    if (!a && !b) co_return;
    if (!inStep(me, a, plan.stops ? b.withStop(a.stop) : b)) co_return;
    if (!fits<F>(a, b, plan.transposed)) {
      me.fail("wrong-token", 1,
              "tiles of " + sizeText(a) + " and " + sizeText(b) + " do not fit the function",
              "check the tile sizes of both streams");
      co_return;
    }
    Flops flops = 0;
    simulator::Token y = apply<F>(a, b, plan.transposed, flops, plan.row_offset);
    y.from_memory = plan.write_back;
    if (plan.stops == 1) y.stop = b.stop;
    if (plan.arithmetic) plan.arithmetic->apply(me, F, a, b, plan.transposed, y);
    const Cycles write = plan.write_back ? result_unit.write(y) : 0;
    if (!charge(me, y, flops)) co_return;
    const Cycles read = unit.read(a) + second_unit.read(b);
    const Cycles busy = std::max(
        {read, takesOneCycle(F) ? 1 : cycles(flops), write});  // gcc 12 takes no list inside co_await
    co_await me.work(busy, read + write);
    co_await me.slot(me.out(0));
    me.put(me.out(0), y);
    me.take(me.in(0));
    me.take(me.in(1));
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  const Plan plan{instance.count("compute_bw"),
                  instance.machine.on_chip_bandwidth,
                  instance.count("row_offset"),
                  instance.boolean("weight_transposed"),
                  instance.boolean("write_back_mu"),
                  stopsFrom(instance.op.parameters),
                  instance.arithmetic()};
  return startFunction<Function::Matmul, Function::Multiply, Function::Divide, Function::Maximum,
                       Function::SetOffset, Function::RowAppend, Function::CacheWriteAddress, Function::Add>(
      instance, [&]<Function F>() { return run<F>(me, plan); });
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "BinaryMap",
              .category = "Higher order",
              .summary = "Applies a function to the elements of two streams in step.",
              .paper = "STeP 3.2.4",
              .parameters = {choiceParameter("function", "what is applied",
                                             {"matmul", "dynamic_matmul", "multiply", "add", "divide", "max",
                                              "set_offset", "row_append", "cache_write_address"}),
                             booleanParameter("weight_transposed", "matmul: in2 is stored transposed", false),
                             integerParameter("row_offset",
                                              "cache_write_address: tiles of one request's cache", 0,
                                              Value(0), "tiles"),
                             computeParameter(), writeBackParameter(),
                             choiceParameter(
                                 "stops",
                                 "whose dimensions the results have; both: the inputs must have the same",
                                 {"both", "in1", "in2"}, Value("both"))},
              .inputs = {{"in1", "", "first operand"}, {"in2", "", "second operand"}},
              .outputs = {{"out", "", "the results; shape of in1, or by stops of in2"}},
              .rules = {.shape = "The shape of in1; both inputs must have the same dimensions and stops. "
                                 "With stops in1 or in2 that input's shape; the other needs only as many "
                                 "elements. Tiles: as the function makes of the two.",
                        .cost =
                            "FLOPs: 2 x rows x inner x columns for a product of matrices, one an element for "
                            "the others; none for set_offset, row_append and cache_write_address. On chip: "
                            "with FIFOs counted, the operands and the result; by the equations as printed, "
                            "for a product alone: 16 rows of the first operand, the second and the result.",
                        .timing = "Each pair: the longest of reading the operands from memory units, FLOPs / "
                                  "compute_bw, and with write_back_mu writing the result."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = mappedRates,
      .schedule = ScheduleRole::Apply,
      .reads_together = true,
  };
  return definition;
}

}  // namespace sluice::inline operators::binary_map
