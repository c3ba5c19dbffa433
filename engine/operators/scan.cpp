// Scan: like Accum, but tells the state at every element (STeP 3.2.4; timing.md 6.4): with the element taken
// in (tap next) or before it (tap prior). A group of `rank` inner dimensions starts anew from the initial
// tile. Reading and writing memory units costs nothing.

#include "engine/operators/fold_state.h"
#include "engine/operators/tile_size.h"

namespace sluice::inline operators::scan {

namespace {

bool tapsPrior(const Parameters& parameters) {
  return parameters.string("tap") == "prior";
}

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  SLUICE_TRY(const TileType in, t.tile(0));
  if (auto wrong = t.rankAtLeast(0, t.integer("rank"), "rank")) return *wrong;
  const auto& init = t.op.parameters.list("init");
  if (auto wrong = checkTwoNumbers(t, "init", "write init as [rows, columns]")) return *wrong;
  const TileType state{in.scalar, Dim::fixed(init[0].symbolic), Dim::fixed(init[1].symbolic)};
  SLUICE_TRY(const TileType tile,
             resultType(t, functionNamed(t.op.parameters.string("function")), in, state, false));
  StreamType out = t.in(0);
  out.element = tapsPrior(t.op.parameters) ? state : tile;
  out.validity = {};
  return std::vector<StreamType>{std::move(out)};
}

Cost cost(const ShapeContext& t, std::span<const StreamType> outputs) {
  const TileType& in = *t.in(0).element.tile();
  Expr held = sizeOf(outputs[0].element);
  if (!t.paperEquations()) held += t.fifos(sizeOf(t.in(0).element));
  const Expr flops = flopsOf(Function::Add, in, *outputs[0].element.tile(), false);
  return {{}, held, elementCount(t.in(0).shape) * flops, t.symbolic("compute_bw")};
}

struct Plan {
  std::uint32_t rank;
  std::uint64_t compute;
  simulator::Token initial;
  bool prior;
  TileArithmetic* arithmetic;  ///< functional mode
};

template <Function F>
simulator::Process run(simulator::Context& me, Plan plan) {
  Divider cycles(plan.compute);
  simulator::Token state = plan.initial;
  bool starts = true;
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    me.take(me.in(0));
    if (starts) state = initialState(me, plan.arithmetic, F, plan.initial, x, plan.prior);
    Flops flops = 0;
    const simulator::Token before = state;
    state = accumulate<F>(state, x, flops);
    if (plan.arithmetic) plan.arithmetic->apply(me, F, before, x, false, state);
    state.from_memory = false;
    if (!charge(me, state, flops)) co_return;
    me.advance(cycles(flops));
    starts = x.stop >= plan.rank;
    co_await me.push(me.out(0), (plan.prior ? before : state).withStop(x.stop));
  }
}

/// As mapped, but it takes a token before it gives.
Rates::Outputs rates(Rates& r) {
  Rates::Outputs outputs = mappedRates(r);
  r.step({1, 1, false});
  return outputs;
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  const Plan plan{instance.level("rank"), instance.count("compute_bw"), initialTile(instance),
                  tapsPrior(instance.op.parameters), instance.arithmetic()};
  return startFunction<Function::Multiply, Function::Maximum, Function::Add>(
      instance, [&]<Function F>() { return run<F>(me, plan); });
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "Scan",
              .category = "Higher order",
              .summary = "Tells the running fold of a stream at every element.",
              .paper = "STeP 3.2.4; simulator 2026",
              .parameters = {choiceParameter("function", "how tiles are folded", {"add", "multiply", "max"}),
                             choiceParameter("tap", "the state with the element taken in, or before it",
                                             {"next", "prior"}, Value("next")),
                             tileSizeParameter("init", "rows and columns of the initial tile", 0),
                             integerParameter("rank", "innermost dimensions of a group", 1, Value(1)),
                             computeParameter()},
              .inputs = {{"in", "", "tiles"}},
              .outputs = {{"out", "", "states; shape of in"}},
              .rules = {.shape = "The shape of in; tiles of the size of init.",
                        .cost = "On chip: the state. FLOPs: one an element that is folded.",
                        .timing = "Each tile: FLOPs / compute_bw."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = rates,
  };
  return definition;
}

}  // namespace sluice::inline operators::scan
