// AccumBuff: folds the innermost `rank` dimensions of a stream into buffers of several tiles (timing.md 6.3):
// tile i of a group goes into slot i mod n, n being the tiles of a buffer. Partial products of a whole row of
// output tiles are summed this way without storing any of them twice.

#include "engine/operators/buffers.h"
#include "engine/operators/functional.h"
#include "engine/operators/functions.h"
#include "engine/operators/off_chip.h"

namespace sluice::inline operators::accum_buff {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  SLUICE_TRY(const TileType in, t.tile(0));
  if (auto wrong = t.rankAtLeast(0, t.integer("rank"), "rank")) return *wrong;
  if (in.rows.kind != DimKind::Static || in.cols.kind != DimKind::Static) {
    return t.problem("dynamic-extent", "in",
                     "buffers hold tiles of one size, but " + text(t.in(0)) + " arrives",
                     "retile the stream to tiles of a fixed size (FlatMap, then Reshape and Accum)");
  }
  SLUICE_CHECK(resultType(t, Function::Add, in, in, false));
  const Shape& shape = t.in(0).shape;
  const auto split = shape.end() - t.integer("rank");
  Shape slots;
  Expr held(1);
  for (const BoundInteger& extent : t.op.parameters.list("buffer_shape")) {
    slots.push_back(Dim::fixed(extent.symbolic));
    held *= extent.symbolic;
  }
  if (slots.empty())
    return t.problem("operator-rule", "", "buffer_shape is empty", "write for example [4] for four tiles");
  const auto group = t.value(elementCount(Shape(split, shape.end()))), tiles = t.value(held);
  if (group && tiles && *group % *tiles != 0) {
    return t.problem("shape-mismatch", "in",
                     "groups of " + std::to_string(*group) + " tiles do not fill a buffer of " +
                         std::to_string(*tiles) + " evenly",
                     "let the innermost dimensions be a multiple of buffer_shape");
  }
  return std::vector<StreamType>{{Shape(shape.begin(), split), BufferType{in, std::move(slots)}, {}, {}}};
}

Cost cost(const ShapeContext& t, std::span<const StreamType> outputs) {
  const TileType& tile = *t.in(0).element.tile();
  const Expr flops = elementCount(t.in(0).shape) * flopsOf(Function::Add, tile, tile, false);
  return {{}, Expr(2) * sizeOf(outputs[0].element) + sizeOf(tile), flops, t.symbolic("compute_bw")};
}

struct Plan {
  std::uint32_t rank;
  std::vector<std::uint64_t> slots;  ///< shape of a buffer
  std::uint64_t compute, bandwidth;
  TileArithmetic* arithmetic;  ///< functional mode
};

/// The tiles of the buffer being filled.
struct Slots {
  std::vector<simulator::Token> tiles;
  std::vector<TileArithmetic::Accumulator> elements;
};

simulator::Group* filled(simulator::Context& me, const Plan& plan, Slots& slots) {
  simulator::Group* buffer = me.newGroup();
  buffer->rank = static_cast<std::uint32_t>(plan.slots.size());
  buffer->unit = me.unit();
  StopCounter stops(plan.slots);
  for (std::size_t i = 0; i < slots.tiles.size(); ++i) {
    if (plan.arithmetic) plan.arithmetic->finish(me, slots.elements[i], slots.tiles[i]);
    buffer->tokens.push_back(slots.tiles[i].withStop(stops.next()));
  }
  std::fill(slots.tiles.begin(), slots.tiles.end(), simulator::Token{});
  return buffer;
}

template <Function F>
simulator::Process run(simulator::Context& me, Plan plan) {
  MemoryUnit unit(plan.bandwidth), slot_unit(plan.bandwidth);
  Divider cycles(plan.compute);
  const std::size_t count = StopCounter(plan.slots).total();
  Slots slots{std::vector<simulator::Token>(count), std::vector<TileArithmetic::Accumulator>(count, nullptr)};
  std::size_t next = 0;
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    simulator::Token& slot = slots.tiles[next];
    if (!slot) slot = simulator::Token::tile(x.rows, x.cols, x.element_bytes, false);
    if (plan.arithmetic) plan.arithmetic->accumulate(me, F, x, x.rows, x.cols, slots.elements[next]);
    Flops flops = 0;
    slot = accumulate<F>(slot, x, flops);
    slot.from_memory = true;
    if (!charge(me, slot, flops)) co_return;
    const Cycles moving = slot_unit.write(slot) + unit.read(x);
    const Cycles busy = std::max(moving, cycles(flops));
    co_await me.work(busy, moving);
    me.take(me.in(0));
    next = (next + 1) % count;
    if (x.stop < plan.rank) continue;
    if (next != 0) {
      me.fail("wrong-token", 0,
              "a group ended in the middle of a buffer of " + std::to_string(count) + " tiles",
              "let groups be multiples of buffer_shape");
      co_return;
    }
    simulator::Token out;
    out.kind = simulator::TokenKind::Buffer;
    out.group = filled(me, plan, slots);
    co_await me.push(me.out(0), out.withStop(x.stop - plan.rank));
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  const Plan plan{instance.level("rank"), instance.list("buffer_shape"), instance.count("compute_bw"),
                  instance.machine.on_chip_bandwidth, instance.arithmetic()};
  return startFunction<Function::Multiply, Function::Maximum, Function::Add>(
      instance, [&]<Function F>() { return run<F>(me, plan); });
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "AccumBuff",
              .category = "Higher order",
              .summary = "Folds the innermost dimensions of a stream into buffers of several tiles each.",
              .paper = "STeP 3.2.4; simulator 2026",
              .parameters = {choiceParameter("function", "how tiles are folded", {"add", "multiply", "max"}),
                             listParameter("buffer_shape", "tiles of a buffer, outermost dimension first", 1,
                                           {}, "tiles"),
                             integerParameter("rank", "innermost dimensions to fold", 1), computeParameter()},
              .inputs = {{"in", "", "tiles"}},
              .outputs = {{"out", "", "references to buffers; shape of in without its innermost dimensions"}},
              .rules =
                  {.shape = "The innermost rank dimensions go; each of the others has a buffer of "
                            "buffer_shape tiles.",
                   .cost = "On chip: two buffers and a tile. FLOPs: one an element that is folded.",
                   .timing =
                       "Each tile: the longer of FLOPs / compute_bw and of reading it and writing its slot."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
  };
  return definition;
}

}  // namespace sluice::inline operators::accum_buff
