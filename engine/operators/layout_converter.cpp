// LayoutConverter: brings the tiles of a tensor into another order through a double buffer (StreamTensor,
// MICRO '25): one half is filled in the order of the source while the other drains in the order of the
// result, as often as the result repeats it; then they swap. The loops that both orders share run around it.

#include <algorithm>
#include <array>

#include "engine/itensor/converter_counts.h"
#include "engine/itensor/itensor_text.h"
#include "engine/operators/order.h"
#include "engine/operators/task.h"

namespace sluice::inline operators::layout_converter {

namespace {

/// What its numbers must be to turn one order into the other.
Diagnostic wrongBuffer(const ShapeContext& t, const ITensor& source, const ITensor& result,
                       std::span<const ConverterCounts> ways) {
  if (ways.empty())
    return t.problem("layout-mismatch", "", "no buffer turns " + text(source) + " into " + text(result),
                     "give it two orders of one tensor, of which takes_order sends every element");
  const ConverterCounts& least = ways.front();
  return t.problem("layout-mismatch", "",
                   "a buffer of " + std::to_string(t.integer("buffer_bytes")) + " bytes, filled " +
                       std::to_string(t.integer("iterations")) + " times, cannot turn " + text(source) +
                       " into " + text(result),
                   "set iterations = " + std::to_string(least.iterations) +
                       ", fill = " + std::to_string(tokenCount(source) / least.iterations) +
                       ", drain = " + std::to_string(tokenCount(result) / least.iterations) +
                       " and buffer_bytes to " + std::to_string(least.bytes) + " or more");
}

/// The buffer is one that the compiler could have made for these orders, where both are given.
std::optional<Diagnostic> checkBuffer(const ShapeContext& t) {
  const StreamOrder source = takenOrder(t.op, 0);
  for (std::size_t port = 0; source && port < t.op.outputs.size(); ++port) {
    const StreamOrder result = givenOrder(t.op, port);
    if (!result || (port > 0 && result == givenOrder(t.op, port - 1))) continue;
    const std::vector<ConverterCounts> ways = converterCounts(*source, *result);
    const auto is_built = [&](const ConverterCounts& way) {
      return way.iterations == t.integer("iterations") && way.bytes <= t.integer("buffer_bytes");
    };
    if (std::ranges::none_of(ways, is_built)) return wrongBuffer(t, *source, *result, ways);
  }
  return {};
}

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  if (auto wrong = checkTaskCounts(t, {"iterations", "fill", "drain", "fill_interval", "drain_interval"}))
    return *wrong;
  if (auto wrong = checkTaskInput(t, 0, t.symbolic("iterations") * t.symbolic("fill"), "iterations * fill"))
    return *wrong;
  if (auto wrong = checkBuffer(t)) return *wrong;
  const std::vector<Expr> tokens(t.op.outputs.size(), t.symbolic("iterations") * t.symbolic("drain"));
  return taskOutputs(t, tokens);
}

Cost cost(const ShapeContext& t, std::span<const StreamType> outputs) {
  const Expr fifos = sizeOf(t.in(0).element) + t.symbolic("outputs") * sizeOf(outputs[0].element);
  return {{}, t.symbolic("buffer_bytes") + t.fifos(fifos), {}, {}};
}

struct Plan {
  std::uint64_t iterations = 1, fill = 1, drain = 1;
  Cycles fill_interval = 1, drain_interval = 1;
  std::vector<simulator::Token> tokens;
  TaskValues* values = nullptr;  ///< functional mode

  simulator::Token token(simulator::Context& me, std::size_t port, bool last) const {
    simulator::Token y = tokens[port].withStop(last ? 1 : 0);
    if (values) values->give(me, port, y);
    return y;
  }
};

/// One side of the buffer: the token it is at, and the earliest time for it.
struct Side {
  std::uint64_t iteration = 0, token = 0;
  Cycles next = 0;
};

/// Filling and draining have clocks of their own; on the host either may be ahead.
simulator::Process run(simulator::Context& me, Plan plan) {
  me.followNobody();
  Side fill, drain;
  std::array<Cycles, 2> free{}, filled{};  // times, of each half
  while (drain.iteration < plan.iterations) {
    const bool fills = fill.iteration < plan.iterations && fill.iteration - drain.iteration < 2;
    const bool drains = drain.iteration < fill.iteration;
    if (fills && fill.token == 0) fill.next = std::max(fill.next, free[fill.iteration % 2]);
    if (fills && !me.in(0).empty()) {
      me.now = fill.next;
      co_await me.peek(me.in(0));
      const simulator::Token x = me.take(me.in(0));
      if (plan.values) plan.values->take(me, 0, x);
      me.share(x, 0);
      me.advance(plan.fill_interval);
      fill.next = me.now;
      if (++fill.token < plan.fill) continue;
      filled[fill.iteration++ % 2] = fill.next;
      fill.token = 0;
      continue;
    }
    if (fills && me.in(0).closed()) {
      me.fail("wrong-token", 0,
              "the stream ended after " + std::to_string(me.in(0).received()) + " tokens, of " +
                  std::to_string(plan.iterations * plan.fill),
              "set iterations and fill to the tokens that arrive");
      co_return;
    }
    simulator::Channel* full = nullptr;
    for (std::size_t port = 0; drains && !full && port < me.outputs(); ++port)
      if (me.out(port).full()) full = &me.out(port);
    if (drains && drain.token == 0) drain.next = std::max(drain.next, filled[drain.iteration % 2]);
    if (full || !drains) {
      me.now = drains ? drain.next : fill.next;
      co_await me.either(fills ? &me.in(0) : nullptr, full);
      continue;
    }
    me.now = drain.next;
    for (std::size_t port = 0; port < me.outputs(); ++port) co_await me.slot(me.out(port));
    const bool last = drain.iteration + 1 == plan.iterations && drain.token + 1 == plan.drain;
    for (std::size_t port = 0; port < me.outputs(); ++port)
      co_await me.push(me.out(port), plan.token(me, port, last));
    drain.next = me.now + plan.drain_interval;
    if (++drain.token < plan.drain) continue;
    free[drain.iteration++ % 2] = drain.next;
    drain.token = 0;
  }
  me.now = drain.next;
  if (co_await me.queued(me.in(0)))
    me.fail("wrong-token", 0,
            "more tokens arrived than the " + std::to_string(plan.iterations * plan.fill) +
                " that the converter takes",
            "set iterations and fill to the tokens that arrive");
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me, {instance.count("iterations"), instance.count("fill"), instance.count("drain"),
                  instance.count("fill_interval"), instance.count("drain_interval"),
                  taskTokens(instance, instance.op.outputs.size()), taskValues(instance)});
}

std::vector<ParameterSpec> parameters() {
  return {integerParameter("outputs", "number of readers, who all get every token", 1, Value(1)),
          integerParameter("iterations", "of the loops that both orders share", 1, Value(1)),
          integerParameter("fill", "tokens that fill a half, in each iteration", 1, {}, "tokens"),
          integerParameter("drain", "tokens that a half gives, in each iteration", 1, {}, "tokens"),
          integerParameter("fill_interval", "to write a token into the buffer", 1, Value(1), "cycles"),
          integerParameter("drain_interval", "to read a token from the buffer", 1, Value(1), "cycles"),
          taskTileParameter(),
          taskScalarParameter(),
          integerParameter("buffer_bytes", "both halves of the buffer", 0, Value(0), "bytes"),
          takesOrderParameter(),
          givesOrderParameter()};
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "LayoutConverter",
              .category = "On-chip memory",
              .summary = "Brings the tiles of a tensor into another order through a double buffer.",
              .paper = "StreamTensor 4.1",
              .parameters = parameters(),
              .inputs = {{"in", "", "the tiles in the order of the source"}},
              .outputs = {{"out", "outputs",
                           "the tiles in the order of the result; shape [1, iterations * drain]"}},
              .rules =
                  {.shape =
                       "Every output is [1, iterations x drain], in gives_order. Where both orders "
                       "are given, iterations and buffer_bytes must be enough to turn takes_order into it.",
                   .cost = "On chip: buffer_bytes, both halves.",
                   .timing = "A token every fill_interval into one half, every drain_interval out of "
                             "the other; the halves swap when both are done."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::TwoClocks,
      .rates = unknownRates,
      .ordered = true,
  };
  return definition;
}

}  // namespace sluice::inline operators::layout_converter
