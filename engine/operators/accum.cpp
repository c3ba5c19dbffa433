// Accum: folds the innermost `rank` dimensions of a stream into one tile each (STeP 3.2.4): sums and products
// of tiles, or tiles packed together by rows or columns (RetileRow, RetileCol - free of cycles in the
// reference simulator).

#include "engine/operators/functional.h"
#include "engine/operators/functions.h"
#include "engine/operators/tile_size.h"

namespace sluice::inline operators::accum {

namespace {

/// Extent of `count` packed pieces on top of an accumulator of `init`.
Dim packed(const Expr& init, const Dim& piece, const Dim& count) {
  const DimKind kind = std::max(piece.kind, count.kind);
  return {init + piece.extent * count.extent, kind, false};
}

Result<TileType> foldedTile(const ShapeContext& t, const TileType& in, const Dim& reduced) {
  const auto& init = t.op.parameters.list("init");
  if (auto wrong = checkTwoNumbers(t, "init", "write init as [rows, columns]")) return *wrong;
  const Dim rows = Dim::fixed(init[0].symbolic), cols = Dim::fixed(init[1].symbolic);
  switch (functionNamed(t.op.parameters.string("function"))) {
    case Function::RetileRow:
      if (t.differ(init[1].symbolic, in.cols.extent)) break;
      return TileType{in.scalar, packed(init[0].symbolic, in.rows, reduced), in.cols};
    case Function::RetileCol:
      if (init[0].value != 0 && t.differ(init[0].symbolic, in.rows.extent)) break;
      return TileType{in.scalar, in.rows, packed(init[1].symbolic, in.cols, reduced)};
    case Function::SignalAllRead:
      return resultType(t, Function::SignalAllRead, in, in, false);
    default:
      return resultType(t, Function::Add, in, {in.scalar, rows, cols}, false);
  }
  return t.problem(
      "tile-mismatch", "in",
      "tiles " + text(ElementType(in)) + " cannot be packed onto an accumulator of [" +
          init[0].symbolic.text() + ", " + init[1].symbolic.text() + "]",
      "retile_row wants init = [0, columns of the tiles], retile_col init = [rows of the tiles, 0] (rows 0: "
      "dynamic tiles)");
}

Validity foldedValidity(const ShapeContext& t, Validity validity, std::size_t rank) {
  const Function function = functionNamed(t.op.parameters.string("function"));
  const bool by_row = function == Function::RetileRow;
  const bool keeps = function == Function::RetileCol || t.op.parameters.boolean("keep_padding");
  if (!by_row && !keeps) return {};  // a fresh tile, all of it valid
  if (validity.kind != Validity::Known) return validity;
  // Pieces below each other add their rows, others repeat those of one tile.
  const bool more_rows = by_row && t.op.parameters.list("init")[0].value > 0;
  if (more_rows || (by_row ? validity.inner > 0 : validity.inner < rank))
    return {Validity::Unknown, {}, 0, 0};
  validity.fold(rank);
  return validity;
}

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  SLUICE_TRY(const TileType in, t.tile(0));
  if (auto wrong = t.rankAtLeast(0, t.integer("rank"), "rank")) return *wrong;
  const auto rank = static_cast<std::size_t>(t.integer("rank"));
  StreamType out = t.in(0);
  const Dim reduced = flattened(out.shape, out.shape.size() - rank, out.shape.size() - 1);
  out.shape.resize(out.shape.size() - rank);
  SLUICE_TRY(const TileType tile, foldedTile(t, in, reduced));
  out.element = tile;
  out.validity = foldedValidity(t, out.validity, rank);
  return std::vector<StreamType>{std::move(out)};
}

Cost cost(const ShapeContext& t, std::span<const StreamType> outputs) {
  const Function function = functionNamed(t.op.parameters.string("function"));
  const bool packs = function == Function::RetileRow || function == Function::RetileCol ||
                     function == Function::SignalAllRead;
  const TileType& in = *t.in(0).element.tile();
  const Expr flops =
      packs ? Expr()
            : elementCount(t.in(0).shape) * flopsOf(Function::Add, in, *outputs[0].element.tile(), false);
  Expr held = sizeOf(outputs[0].element);
  if (!t.paperEquations()) held += t.fifos(sizeOf(t.in(0).element));
  return {{}, held, flops, packs ? Expr() : t.symbolic("compute_bw")};
}

struct Plan {
  std::uint32_t rank;
  std::uint64_t compute, bandwidth;
  std::uint64_t accumulator_elements;
  simulator::Token initial;
  bool write_back, keep_padding;
  TileArithmetic* arithmetic;  ///< functional mode
};

template <Function F>
simulator::Process run(simulator::Context& me, Plan plan) {
  constexpr bool packs = F == Function::RetileRow || F == Function::RetileCol;
  MemoryUnit unit(plan.bandwidth), result_unit(plan.bandwidth);
  Divider cycles(plan.compute);
  simulator::Token acc = plan.initial;
  TileArithmetic::Accumulator elements = nullptr;
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    const bool closes = x.stop >= plan.rank;
    Flops flops = 0;
    acc = accumulate<F>(acc, x, flops);
    if (plan.arithmetic)
      plan.arithmetic->accumulate(me, F, x, plan.initial.rows, plan.initial.cols, elements);
    // The size of a fresh accumulator, not of the result (timing.md 6.2); its elements are those of the tiles
    // it takes in.
    const std::uint64_t element = F == Function::SignalAllRead ? 8 : x.element_bytes;
    const Cycles write =
        closes && plan.write_back ? result_unit.write(plan.accumulator_elements * element) : 0;
    if (!charge(me, acc, flops)) co_return;
    const Cycles read = unit.read(x);
    const Cycles busy = std::max(
        {read, takesOneCycle(F) ? 1 : cycles(flops), write});  // gcc 12 takes no list inside co_await
    co_await me.work(busy, read + write);
    me.take(me.in(0));
    if (!closes) continue;
    simulator::Token y = acc;
    // Packed tiles keep the flag of their last piece (engine/simulator/semantics.md 1.3).
    if (!packs) y.from_memory = plan.write_back;
    if (!packs && plan.keep_padding) y.valid = x.valid;
    y.stop = x.stop - plan.rank;
    acc = plan.initial;
    if (plan.arithmetic) plan.arithmetic->finish(me, elements, y);
    co_await me.slot(me.out(0));
    me.put(me.out(0), y);
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  const std::vector<std::uint64_t> init = instance.list("init");
  const Plan plan{instance.level("rank"),
                  instance.count("compute_bw"),
                  instance.machine.on_chip_bandwidth,
                  init[0] * init[1],
                  initialTile(instance),
                  instance.boolean("write_back_mu"),
                  instance.boolean("keep_padding"),
                  instance.arithmetic()};
  return startFunction<Function::RetileRow, Function::RetileCol, Function::SignalAllRead, Function::Multiply,
                       Function::Maximum, Function::Add>(instance,
                                                         [&]<Function F>() { return run<F>(me, plan); });
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "Accum",
              .category = "Higher order",
              .summary = "Folds the innermost dimensions of a stream into one tile each.",
              .paper = "STeP 3.2.4",
              .parameters = {choiceParameter(
                                 "function", "how tiles are folded",
                                 {"add", "multiply", "max", "retile_row", "retile_col", "signal_all_read"}),
                             tileSizeParameter("init", "rows and columns of a fresh accumulator", 0),
                             integerParameter("rank", "innermost dimensions to fold", 1), computeParameter(),
                             writeBackParameter(),
                             booleanParameter("keep_padding",
                                              "padding rows of the tiles stay padding; off: all rows of a "
                                              "sum count as data, as in the reference simulator",
                                              false)},
              .inputs = {{"in", "", "tiles"}},
              .outputs = {{"out", "", "folded tiles; shape of in without its innermost dimensions"}},
              .rules =
                  {.shape =
                       "The innermost rank dimensions go; the others stay. A folded tile is as large as init "
                       "where tiles are summed; packed tiles grow by rows or columns with what they take in.",
                   .cost = "On chip: one accumulator. FLOPs: one an element that is folded; packing none.",
                   .timing = "Each tile: the longest of reading it from a memory unit, FLOPs / compute_bw, "
                             "and, at the end of a group with write_back_mu, writing back a tile of the size "
                             "of init. Packing takes no cycles of its own, counting what arrives one."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = foldedRates,
      .schedule = ScheduleRole::Fold,
  };
  return definition;
}

}  // namespace sluice::inline operators::accum
