// Bufferize: collects the innermost `rank` dimensions of a stream into on-chip buffers (STeP 3.2.2). One
// token a cycle, whatever its size.

#include "engine/operators/buffers.h"

namespace sluice::inline operators::bufferize {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  SLUICE_TRY(const TileType tile, t.tile(0));
  if (auto wrong = t.rankAtLeast(0, t.integer("rank"), "rank")) return *wrong;
  if (tile.rows.kind != DimKind::Static || tile.cols.kind != DimKind::Static) {
    return t.problem("dynamic-extent", "in",
                     "buffers hold tiles of one size, but " + text(t.in(0)) + " arrives",
                     "retile the stream to tiles of a fixed size (FlatMap, then Reshape and Accum)");
  }
  const Shape& in = t.in(0).shape;
  const auto split = in.end() - t.integer("rank");
  for (auto dim = split + 1; dim < in.end(); ++dim) {
    if (dim->kind != DimKind::Static) {
      return t.problem(
          "dynamic-extent", "in",
          "only the outermost buffered dimension may be dynamic, but " + text(in) + " has another",
          "buffer fewer dimensions, or make the inner ones regular by padding (Reshape)");
    }
  }
  return std::vector<StreamType>{
      {Shape(in.begin(), split), BufferType{tile, Shape(split, in.end())}, {}, bufferedValidity(t.in(0))}};
}

Cost cost(const ShapeContext& t, std::span<const StreamType> outputs) {
  const BufferType& buffer = *outputs[0].element.buffer();
  const Expr tile = sizeOf(buffer.tile);
  if (t.op.parameters.boolean("off_chip")) return {elementCount(t.in(0).shape) * tile, tile, {}, {}};
  return {{}, Expr(2) * sizeOf(outputs[0].element) + tile, {}, {}};  // double-buffered
}

simulator::Process run(simulator::Context& me, std::uint32_t rank, std::uint64_t bandwidth) {
  MemoryUnit unit(bandwidth);
  for (;;) {
    simulator::Group* buffer = nullptr;
    std::uint32_t stop = 0;
    do {
      const simulator::Token x = co_await me.peek(me.in(0));
      if (!x) {
        if (buffer)
          me.fail("wrong-token", 0, "the stream ended inside a buffer",
                  "the stream's innermost dimensions must be complete groups");
        co_return;
      }
      if (!buffer) buffer = me.newGroup(), buffer->rank = rank, buffer->unit = me.unit();
      me.take(me.in(0));
      buffer->tokens.push_back(x);
      stop = x.stop;
      co_await me.work(stop < rank ? 1 : 0, unit.write(x));
    } while (stop < rank);
    simulator::Token out;
    out.kind = simulator::TokenKind::Buffer;
    out.group = buffer;
    co_await me.push(me.out(0), out.withStop(stop - rank));
  }
}

Rates::Outputs rates(Rates& r) {
  Rates::Outputs outputs = foldedRates(r);
  if (outputs.empty()) return outputs;
  const Extents& dims = *r.together();
  outputs[0].held = Extents(dims.end() - static_cast<std::ptrdiff_t>(r.count("rank")), dims.end());
  return outputs;
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me, instance.level("rank"), instance.machine.on_chip_bandwidth);
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "Bufferize",
              .category = "On-chip memory",
              .summary = "Collects the innermost dimensions of a stream into buffers held on chip.",
              .paper = "STeP 3.2.2",
              .parameters = {integerParameter("rank", "how many innermost dimensions a buffer holds", 1),
                             offChipParameter()},
              .inputs = {{"in", "", "tiles"}},
              .outputs = {{"out", "", "references to buffers; shape of in without the buffered dimensions"}},
              .rules = {.shape = "The innermost rank dimensions go into the buffer; the others stay.",
                        .cost = "On chip: two buffers and a tile. With off_chip: one tile on chip, and every "
                                "tile is off-chip traffic.",
                        .timing = "One token a cycle, whatever its size; the buffer goes on with its last "
                                  "tile. With shared units: bytes / on-chip bandwidth."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = rates,
      .schedule = ScheduleRole::Nest,
  };
  return definition;
}

}  // namespace sluice::inline operators::bufferize
