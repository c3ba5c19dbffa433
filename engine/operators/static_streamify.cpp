// StaticStreamify: reads buffers back through an affine view (STeP 3.2.2, affine Streamify; timing.md 7.3):
// element (i, j, ...) of out_shape is tile i*stride_i + j*stride_j + ... of the buffer. One token a cycle.

#include "engine/operators/buffers.h"
#include "engine/operators/off_chip.h"

namespace sluice::inline operators::static_streamify {

namespace {

/// Tiles to step per dimension of the view; row-major unless given.
std::vector<std::uint64_t> strides(std::vector<std::uint64_t> given, const std::vector<std::uint64_t>& view) {
  if (!given.empty()) return given;
  given.assign(view.size(), 1);
  for (std::size_t d = view.size(); d-- > 1;) given[d - 1] = given[d] * view[d];
  return given;
}

std::string viewText(const std::vector<std::uint64_t>& numbers) {
  std::string list;
  for (const std::uint64_t number : numbers) list += (list.empty() ? "" : ", ") + std::to_string(number);
  return "[" + list + "]";
}

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  if (auto wrong = checkBuffer(t)) return *wrong;
  const auto& view = t.op.parameters.list("out_shape");
  const auto& stride = t.op.parameters.list("stride");
  if (!stride.empty() && stride.size() != view.size()) {
    return t.problem("operator-rule", "",
                     "stride has " + std::to_string(stride.size()) + " numbers and out_shape " +
                         std::to_string(view.size()),
                     "give one stride per dimension of out_shape, or none");
  }
  const BufferType& buffer = *t.in(0).element.buffer();
  std::vector<std::uint64_t> extents, steps;
  for (const BoundInteger& extent : view) extents.push_back(static_cast<std::uint64_t>(extent.value));
  for (const BoundInteger& step : stride) steps.push_back(static_cast<std::uint64_t>(step.value));
  steps = strides(std::move(steps), extents);
  std::uint64_t last = 0;
  bool overflows = false;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    std::uint64_t reach = 0;
    overflows |= __builtin_mul_overflow(extents[d] - 1, steps[d], &reach) ||
                 __builtin_add_overflow(last, reach, &last);
  }
  const auto held = t.value(elementCount(buffer.shape));
  if (overflows || (held && last >= static_cast<std::uint64_t>(*held))) {
    return t.problem("memory-out-of-bounds", "in",
                     "the view " + viewText(extents) + " with strides " + viewText(steps) +
                         " reaches beyond the buffer " + text(t.in(0).element),
                     "lower out_shape or stride");
  }
  Shape shape = t.in(0).shape;
  for (const BoundInteger& extent : view) shape.push_back(Dim::fixed(extent.symbolic));
  return std::vector<StreamType>{{std::move(shape), buffer.tile, {}, bufferedValidity(t.in(0))}};
}

Cost cost(const ShapeContext& t, std::span<const StreamType> outputs) {
  return bufferCost(t, elementCount(outputs[0].shape));
}

simulator::Process run(simulator::Context& me, std::vector<std::uint64_t> view,
                       std::vector<std::uint64_t> stride, std::uint64_t bandwidth) {
  MemoryUnit unit(bandwidth);
  StopCounter stops(view);
  const auto rank = static_cast<std::uint32_t>(view.size());
  const std::uint64_t total = stops.total();
  while (const simulator::Token buffer = co_await me.peek(me.in(0))) {
    const std::vector<simulator::Token>& tokens = buffer.group->tokens;
    for (std::uint64_t i = 0; i < total; ++i) {
      std::uint64_t index = 0, rest = i;
      for (std::size_t d = view.size(); d-- > 0; rest /= view[d]) index += rest % view[d] * stride[d];
      if (index >= tokens.size()) {
        me.fail("memory-out-of-bounds", 0,
                "the view reads tile " + std::to_string(index) + " of a buffer of " +
                    std::to_string(tokens.size()),
                "lower out_shape or stride");
        co_return;
      }
      std::uint32_t level = stops.next();
      if (level == rank) level += buffer.stop;
      co_await me.work(0, unit.write(tokens[index]), buffer.group->unit);
      co_await me.slot(me.out(0));
      me.put(me.out(0), tokens[index].withStop(level));
      if (!me.sharesUnits()) me.advance(1);
    }
    me.share(buffer, 0);
    me.take(me.in(0));
  }
}

Rates::Outputs rates(Rates& r) {
  return streamedRates(r, "out_shape", false);
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me, instance.list("out_shape"), strides(instance.list("stride"), instance.list("out_shape")),
             instance.machine.on_chip_bandwidth);
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "StaticStreamify",
              .category = "On-chip memory",
              .summary = "Streams the contents of buffers through an affine view.",
              .paper = "STeP 3.2.2, affine Streamify; simulator 2026",
              .parameters = {integerParameter("rank", "how many dimensions a buffer holds; 0: any number", 0,
                                              Value(0)),
                             listParameter("out_shape", "shape of the view, outermost first", 1, {}, "tiles"),
                             listParameter(
                                 "stride",
                                 "tiles to step in the buffer per dimension of out_shape; empty: row-major",
                                 0, Value(std::vector<Value>{}), "tiles"),
                             offChipParameter()},
              .inputs = {{"in", "", "references to buffers"}},
              .outputs = {{"out", "", "tiles; shape of in + out_shape"}},
              .rules = {.shape = "The shape of in, then out_shape.",
                        .cost = "On chip: a buffer and a tile; none by the equations as printed, where "
                                "Bufferize has both. With off_chip: one tile on chip, and every tile that is "
                                "read is off-chip traffic.",
                        .timing = "One tile a cycle; a buffer is freed after its last tile."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = rates,
  };
  return definition;
}

}  // namespace sluice::inline operators::static_streamify
