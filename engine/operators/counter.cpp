// Counter: a source of the numbers 0 to max - 1, all at once (timing.md 3.1); with a trigger stream, once for
// each of its elements.

#include "engine/operators/sweep.h"

namespace sluice::operators {

namespace {

constexpr const char* extents[] = {"max"};

Result<std::vector<StreamType>> shape(const Typing& t) {
  if (auto wrong = checkTrigger(t, extents)) return *wrong;
  return std::vector<StreamType>{sweepType(t, extents)};
}

sim::Process behaviour(const Instance& instance, sim::Context& me) {
  return sweep(instance, me, extents);
}

}  // namespace

const Operator& counter() {
  static const Operator definition{
      {"Counter",
       "Source",
       "Emits the numbers from 0 on.",
       "simulator 2026",
       {integerParameter("max", "how many numbers", 0), triggersParameter()},
       {triggerPort()},
       {{"out", "", "1 x 1 tiles of u64; shape [1, max], or that of trigger + [max]"}},
       {"[1, max]; with a trigger, the shape of trigger, then max.", "None.",
        "All numbers leave at cycle 0, or when the trigger arrives, as far as the FIFO has room."}},
      shape,
      noCost,
      behaviour,
      MemoryRole::None};
  return definition;
}

}  // namespace sluice::operators
