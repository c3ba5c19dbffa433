// DynStreamify: reads each buffer back once for every element of a reference stream (STeP 3.2.2;
// timing.md 7.3). One token a cycle.

#include "engine/operators/buffers.h"

namespace sluice::inline operators::dyn_streamify {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  if (auto wrong = checkBuffer(t)) return *wrong;
  const StreamType& in = t.in(0);
  const Shape& ref = t.in(1).shape;
  const auto repeated = static_cast<std::size_t>(t.integer("repeat_rank")) + 1;
  bool fits = in.shape.size() == ref.size() && repeated <= ref.size();
  for (std::size_t d = 0; fits && d < ref.size(); ++d) {
    const bool one = d + repeated >= ref.size();
    fits = one ? t.same(in.shape[d].extent, Expr(1)) : !t.differ(in.shape[d].extent, ref[d].extent);
  }
  if (!fits) {
    return t.problem("shape-mismatch", "in",
                     "buffers of " + text(in.shape) + " cannot be repeated along " + text(ref) +
                         " with repeat_rank = " + std::to_string(repeated - 1),
                     "in needs the shape of ref with 1 in place of its innermost repeat_rank + 1 dimensions "
                     "(Promote inserts them)");
  }
  const BufferType& buffer = *in.element.buffer();
  Shape shape = ref, held = buffer.shape;
  // Only the outermost buffered dimension may be ragged; its extent is a total, which the repeats multiply.
  if (held.front().kind == DimKind::Ragged) {
    bool ragged = false;
    for (std::size_t d = ref.size() - repeated; d < ref.size(); ++d) {
      ragged |= ref[d].kind == DimKind::Ragged;
      held.front().extent *= ref[d].extent;
    }
    if (ragged) held.front() = t.dynamic(t.symbolName("n"), 0, held.size() - 1, DimKind::Ragged);
  }
  shape.insert(shape.end(), held.begin(), held.end());
  return std::vector<StreamType>{{std::move(shape), buffer.tile, {}, bufferedValidity(t.in(0))}};
}

Cost cost(const ShapeContext& t, std::span<const StreamType>) {
  return bufferCost(t, elementCount(t.in(1).shape));
}

/// A buffer without a stop stands for all that the reference brings.
simulator::Process run(simulator::Context& me, std::uint32_t rank, std::uint32_t repeat_rank,
                       std::uint64_t bandwidth) {
  MemoryUnit unit(bandwidth);
  while (const simulator::Token buffer = co_await me.peek(me.in(0))) {
    const std::vector<simulator::Token>& tokens = buffer.group->tokens;
    const bool single = tokens.size() == 1;  // loses its rank, as in Streamify
    bool more = true;
    while (more) {
      const simulator::Token ref = co_await me.peek(me.in(1));
      if (!ref && buffer.stop == 0) break;
      if (!ref || (buffer.stop == 0 && ref.stop > 0)) {
        me.fail(
            "wrong-token", 1,
            ref ? "a stop arrived on ref for a buffer without one" : "the reference stream ended too early",
            "in and ref must have the same outer dimensions");
        co_return;
      }
      me.take(me.in(1));
      me.share(ref, 0);
      for (const simulator::Token& token : tokens) {
        std::uint32_t level = single ? 1 : std::min(token.stop, rank);
        if (level == rank) level += ref.stop;
        co_await me.work(0, unit.write(token), buffer.group->unit);
        co_await me.slot(me.out(0));
        me.put(me.out(0), token.withStop(level));
        if (!me.sharesUnits()) me.advance(1);
      }
      more = buffer.stop == 0 || ref.stop <= repeat_rank;
    }
    me.share(buffer, 0);
    me.take(me.in(0));
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me, instance.level("rank"), instance.level("repeat_rank"), instance.machine.on_chip_bandwidth);
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "DynStreamify",
              .category = "On-chip memory",
              .summary = "Streams each buffer once for every element of a reference stream.",
              .paper = "STeP 3.2.2, Streamify with a reference",
              .parameters = {integerParameter("rank", "how many dimensions a buffer holds", 1),
                             integerParameter("repeat_rank",
                                              "rank index of the outermost reference dimension that repeats",
                                              0, Value(0)),
                             offChipParameter()},
              .inputs = {{"in", "", "references to buffers"}, {"ref", "", "says how often"}},
              .outputs = {{"out", "", "tiles; shape of ref + shape of the buffer"}},
              .rules = {.shape = "The shape of ref, then that of the buffer.",
                        .cost = "On chip: a buffer and a tile; none by the equations as printed, where "
                                "Bufferize has both. With off_chip: one tile on chip, and every tile that is "
                                "read is off-chip traffic.",
                        .timing = "One tile a cycle; a buffer is freed after its last pass."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
      .schedule = ScheduleRole::Nest,
  };
  return definition;
}

}  // namespace sluice::inline operators::dyn_streamify
