// BinaryMapAccum (the paper's Map + Accum): combines two streams element by element and sums the results over
// the innermost `rank` dimensions (STeP 3.2.4). Operands are freed before the sum goes out; writing back
// costs the size of a fresh accumulator (timing.md 6.2).

#include "engine/operators/functional.h"
#include "engine/operators/functions.h"

namespace sluice::inline operators::binary_map_accum {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  SLUICE_TRY(const TileType a, t.tile(0));
  SLUICE_TRY(const TileType b, t.tile(1));
  if (auto wrong = checkInStep(t)) return *wrong;
  if (auto wrong = t.rankAtLeast(0, t.integer("rank"), "rank")) return *wrong;
  SLUICE_TRY(const TileType tile,
             resultType(t, Function::Matmul, a, b, t.op.parameters.boolean("weight_transposed")));
  const auto& init = t.op.parameters.list("init");
  if (init.size() != 2 || t.differ(init[1].symbolic, tile.cols.extent) ||
      (init[0].value != 0 && t.differ(init[0].symbolic, tile.rows.extent))) {
    return t.problem("tile-mismatch", "",
                     "the accumulator does not have the size of the products, " + text(ElementType(tile)),
                     "set init to their rows and columns (rows 0: it grows with dynamic tiles)");
  }
  const auto rank = static_cast<std::size_t>(t.integer("rank"));
  StreamType out = t.in(0);
  out.shape.resize(out.shape.size() - rank);
  out.element = tile;
  if (out.validity.kind == Validity::Known) {
    if (out.validity.inner >= rank) {
      out.validity.fold(rank);
    } else {
      out.validity.kind = Validity::Unknown;
    }
  }
  return std::vector<StreamType>{std::move(out)};
}

Expr held(const ShapeContext& t, const StreamType& out) {
  if (!t.model.count_fifos) return sizeOf(out.element);
  return t.paperEquations() ? productBytes(t, sizeOf(out.element)) : Expr(3) * sizeOf(t.in(0).element);
}

Cost cost(const ShapeContext& t, std::span<const StreamType> outputs) {
  const Expr flops = flopsOf(Function::Matmul, *t.in(0).element.tile(), *t.in(1).element.tile(),
                             t.op.parameters.boolean("weight_transposed"));
  return {{}, held(t, outputs[0]), elementCount(t.in(0).shape) * flops, t.symbolic("compute_bw")};
}

struct Plan {
  std::uint32_t rank;
  std::uint64_t compute, bandwidth, accumulator_elements;
  bool transposed, write_back;
  TileArithmetic* arithmetic;  ///< functional mode
};

simulator::Process run(simulator::Context& me, Plan plan) {
  MemoryUnit unit(plan.bandwidth), second_unit(plan.bandwidth), result_unit(plan.bandwidth);
  Divider cycles(plan.compute);
  TileArithmetic::Accumulator elements = nullptr;
  for (;;) {
    const simulator::Token a = co_await me.peek(me.in(0));
    const simulator::Token b = co_await me.peek(me.in(1));
    if (!a && !b) co_return;
    if (!inStep(me, a, b)) co_return;
    if (!fits<Function::Matmul>(a, b, plan.transposed)) {
      me.fail("wrong-token", 1, "no matrix product of " + sizeText(a) + " and " + sizeText(b),
              "check the tile sizes of both streams");
      co_return;
    }
    Flops flops = 0;
    simulator::Token y = apply<Function::Matmul>(a, b, plan.transposed, flops);
    const bool closes = a.stop >= plan.rank;
    if (plan.arithmetic) plan.arithmetic->accumulateProduct(me, a, b, plan.transposed, elements);
    const Cycles write =
        closes && plan.write_back ? result_unit.write(plan.accumulator_elements * a.element_bytes) : 0;
    if (!charge(me, y, flops)) co_return;
    const Cycles read = unit.read(a) + second_unit.read(b);
    const Cycles busy = std::max({read, cycles(flops), write});  // gcc 12 takes no list inside co_await
    co_await me.work(busy, read + write);
    me.take(me.in(0));
    me.take(me.in(1));
    if (!closes) continue;
    y.from_memory = plan.write_back;
    y.stop = a.stop - plan.rank;
    if (plan.arithmetic) plan.arithmetic->finish(me, elements, y);
    co_await me.slot(me.out(0));
    me.put(me.out(0), y);
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  const std::vector<std::uint64_t> init = instance.list("init");
  return run(me, {instance.level("rank"), instance.count("compute_bw"), instance.machine.on_chip_bandwidth,
                  init[0] * init[1], instance.boolean("weight_transposed"), instance.boolean("write_back_mu"),
                  instance.arithmetic()});
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "BinaryMapAccum",
              .category = "Higher order",
              .summary = "Multiplies two streams tile by tile and sums over the innermost dimensions.",
              .paper = "STeP 3.2.4",
              .parameters = {choiceParameter("function", "what is applied and summed",
                                             {"matmul", "dynamic_matmul"}, Value("matmul")),
                             booleanParameter("weight_transposed", "in2 is stored transposed", false),
                             tileSizeParameter("init", "rows and columns of the accumulator", 0),
                             integerParameter("rank", "innermost dimensions to sum over", 1),
                             computeParameter(), writeBackParameter()},
              .inputs = {{"in1", "", "first operand"}, {"in2", "", "second operand"}},
              .outputs = {{"out", "", "the sums; shape of in1 without its innermost dimensions"}},
              .rules =
                  {.shape =
                       "The shape of in1 without its innermost rank dimensions; tiles of the size of init.",
                   .cost = "FLOPs: 2 x rows x inner x columns a pair. On chip: the accumulator; with FIFOs "
                           "counted, three of the first operand instead; by the equations as printed, 16 "
                           "rows of the first operand and a weight, too.",
                   .timing =
                       "Each pair: the longest of reading the operands, FLOPs / compute_bw, and, at the end "
                       "of a group with write_back_mu, writing back a tile of the size of init."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = foldedRates,
      .schedule = ScheduleRole::Fold,
      .reads_together = true,
  };
  return definition;
}

}  // namespace sluice::inline operators::binary_map_accum
