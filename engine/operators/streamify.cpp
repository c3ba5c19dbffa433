// Streamify: reads buffers back as streams, each `repeat` times (STeP 3.2.2). One token a cycle. Several
// repeat entries run one after another, as in the reference simulator (timing.md 7.2), not nested.

#include "engine/operators/buffers.h"

namespace sluice::inline operators::streamify {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  if (auto wrong = checkBuffer(t)) return *wrong;
  const StreamType& in = t.in(0);
  const BufferType* buffer = in.element.buffer();
  Shape shape = in.shape, held = buffer->shape;
  for (const BoundInteger& factor : t.op.parameters.list("repeat")) {
    shape.push_back(Dim::fixed(factor.symbolic));
    for (Dim& dim : held)
      if (dim.kind == DimKind::Ragged) dim.extent *= factor.symbolic;  // a total
  }
  shape.insert(shape.end(), held.begin(), held.end());
  return std::vector<StreamType>{{std::move(shape), buffer->tile, {}, bufferedValidity(t.in(0))}};
}

Cost cost(const ShapeContext& t, std::span<const StreamType>) {
  Expr reads = elementCount(t.in(0).shape);
  for (const BoundInteger& factor : t.op.parameters.list("repeat")) reads *= factor.symbolic;
  return bufferCost(t, reads);
}

simulator::Process run(simulator::Context& me, std::uint32_t rank, std::vector<std::uint64_t> repeat,
                       std::uint64_t bandwidth) {
  MemoryUnit unit(bandwidth);
  const bool once = repeat.empty();
  if (once) repeat.push_back(1);
  while (const simulator::Token buffer = co_await me.peek(me.in(0))) {
    const std::vector<simulator::Token>& tokens = buffer.group->tokens;
    // It loses its rank: level 1 whatever it was (timing.md 7.2).
    const bool single = tokens.size() == 1;
    for (std::uint32_t entry = 0; entry < repeat.size(); ++entry) {
      const std::uint64_t passes = repeat[repeat.size() - 1 - entry];
      for (std::uint64_t pass = 0; pass < passes; ++pass) {
        for (const simulator::Token& token : tokens) {
          std::uint32_t level = single ? 1 : std::min(token.stop, rank);
          if (level == rank && pass + 1 == passes) level += buffer.stop + (once ? 0 : 1 + entry);
          co_await me.work(0, unit.write(token), buffer.group->unit);
          co_await me.slot(me.out(0));
          me.put(me.out(0), token.withStop(level));
          if (!me.sharesUnits()) me.advance(1);
        }
      }
    }
    me.share(buffer, 0);
    me.take(me.in(0));
  }
}

/// Further repeats run one after another, not nested: no rule holds for all buffers.
Rates::Outputs rates(Rates& r) {
  return r.op.parameters.list("repeat").size() > 1 ? Rates::Outputs{} : streamedRates(r, "repeat", true);
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me, instance.level("rank"), instance.list("repeat"), instance.machine.on_chip_bandwidth);
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "Streamify",
              .category = "On-chip memory",
              .summary = "Streams the contents of on-chip buffers, each as often as asked.",
              .paper = "STeP 3.2.2",
              .parameters = {integerParameter("rank", "how many dimensions a buffer holds", 1),
                             listParameter("repeat", "how often each buffer is streamed; a new dimension", 1,
                                           Value(std::vector<Value>{})),
                             offChipParameter()},
              .inputs = {{"in", "", "references to buffers"}},
              .outputs = {{"out", "", "tiles; shape of in + repeat + shape of the buffer"}},
              .rules = {.shape = "The shape of in, then repeat, then that of the buffer.",
                        .cost = "On chip: a buffer and a tile; none by the equations as printed, where "
                                "Bufferize has both. With off_chip: one tile on chip, and every tile that is "
                                "read is off-chip traffic.",
                        .timing = "One tile a cycle; a buffer is freed after its last pass."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = rates,
  };
  return definition;
}

}  // namespace sluice::inline operators::streamify
