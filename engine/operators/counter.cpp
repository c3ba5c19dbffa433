// Counter: a source of the numbers 0 to max - 1, all at once (timing.md 3.1); with a trigger stream, once for
// each of its elements.

#include "engine/operators/sweep.h"

namespace sluice::inline operators::counter {

namespace {

constexpr const char* extents[] = {"max"};

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  if (auto wrong = checkTrigger(t, extents)) return *wrong;
  return std::vector<StreamType>{sweepType(t, extents)};
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return sweep(instance, me, extents);
}

}  // namespace

const Operator& definition() {
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

}  // namespace sluice::inline operators::counter
