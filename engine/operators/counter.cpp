// Counter: a source of the numbers 0 to max - 1, all at once (timing.md 3.1); with a trigger stream, once for
// each of its elements.

#include "engine/operators/sweep.h"

namespace sluice::operators {

namespace {

Result<std::vector<StreamType>> shape(const Typing& t) {
  if (auto wrong = checkTrigger(t, {"max"})) return *wrong;
  return std::vector<StreamType>{sweepType(t, {"max"})};
}

sim::Process run(sim::Context& me, std::uint64_t max) {
  const bool triggered = me.inputs() > 0;
  bool more = true;
  while (more) {
    sim::Token trigger;
    if (triggered) {
      trigger = co_await me.peek(me.in(0));
      if (!trigger) co_return;
      me.take(me.in(0));
      me.share(trigger, 0);
    }
    for (std::uint64_t i = 0; i < max; ++i)
      co_await me.push(me.out(0), sim::Token::number(i).withStop(i + 1 == max ? 1 + trigger.stop : 0));
    more = triggered;
  }
}

sim::Process behaviour(const Instance& instance, sim::Context& me) {
  return run(me, instance.count("max"));
}

}  // namespace

const Operator& counter() {
  static const Operator definition{
      .spec =
          {
              .kind = "Counter",
              .category = "Source",
              .summary = "Emits the numbers from 0 on.",
              .paper = "simulator 2026",
              .parameters = {integerParameter("max", "how many numbers", 0), triggersParameter()},
              .inputs = {triggerPort()},
              .outputs = {{"out", "", "1 x 1 tiles of u64; shape [1, max], or that of trigger + [max]"}},
              .rules = {.shape = "[1, max]; with a trigger, the shape of trigger, then max.",
                        .cost = "None.",
                        .timing = "All numbers leave at cycle 0, or when the trigger arrives, as far as the "
                                  "FIFO has room."},
          },
      .shape = shape,
      .cost = noCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
  };
  return definition;
}

}  // namespace sluice::operators
