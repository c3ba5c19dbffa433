#include "engine/operators/sweep.h"

#include "engine/operators/around.h"
#include "engine/operators/off_chip.h"

namespace sluice::inline operators {

ParameterSpec triggersParameter() {
  return integerParameter("triggers", "1: a sweep for each element of trigger; 0: one sweep", 0, Value(0));
}

PortSpec triggerPort() {
  return {"trigger", "triggers", "each element, whatever it holds, starts a sweep"};
}

std::optional<Diagnostic> checkTrigger(const ShapeContext& t, std::span<const char* const> extents) {
  if (t.inCount() > 1) {
    return t.problem("operator-rule", "",
                     "triggers = " + std::to_string(t.inCount()) + ", but one stream can start the sweeps",
                     "set triggers to 0 or 1");
  }
  for (const char* extent : extents) {
    if (t.inCount() == 0 || t.integer(extent) > 0) continue;
    return t.problem("out-of-range", "",
                     std::string("a sweep of ") + extent + " = 0 has no number to end with",
                     std::string("set ") + extent + " to 1 or more");
  }
  return {};
}

StreamType sweepType(const ShapeContext& t, std::span<const char* const> extents) {
  StreamType out{{}, TileType{Scalar::U64, Dim::fixed(1), Dim::fixed(1)}, {}, {}};
  for (const char* extent : extents) out.shape.push_back(Dim::fixed(t.symbolic(extent)));
  const Shape around = t.inCount() > 0 ? t.in(0).shape : Shape{aroundAll(t, out.shape)};
  out.shape.insert(out.shape.begin(), around.begin(), around.end());
  return out;
}

namespace {

simulator::Process run(simulator::Context& me, std::vector<std::uint64_t> extents) {
  StopCounter stops(std::move(extents));
  const std::uint64_t total = stops.total();
  std::vector<std::uint64_t> place;
  const bool triggered = me.inputs() > 0;
  for (bool more = true; more; more = triggered) {
    simulator::Token trigger;
    if (triggered) {
      trigger = co_await me.peek(me.in(0));
      if (!trigger) co_return;
      me.take(me.in(0));
      me.share(trigger, 0);
    }
    for (std::uint64_t left = total; left > 0; --left) {
      place = stops.place();
      const std::uint32_t stop = stops.next() + (left == 1 ? trigger.stop : 0);
      for (std::size_t d = 0; d < me.outputs(); ++d)
        co_await me.push(me.out(d), simulator::Token::number(place[d]).withStop(stop));
    }
  }
}

}  // namespace

simulator::Process sweep(const Instance& instance, simulator::Context& me,
                         std::span<const char* const> extents) {
  std::vector<std::uint64_t> numbers;
  for (const char* extent : extents) numbers.push_back(instance.count(extent));
  return run(me, std::move(numbers));
}

}  // namespace sluice::inline operators
