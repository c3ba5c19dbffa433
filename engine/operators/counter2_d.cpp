// Counter2D: a source of the rows and columns of a grid, row by row, as two streams in step; with a trigger
// stream, once for each of its elements. Counter in two dimensions: no cycles of its own.

#include "engine/operators/sweep.h"

namespace sluice::operators {

namespace {

Result<std::vector<StreamType>> shape(const Typing& t) {
  if (auto wrong = checkTrigger(t, {"rows", "columns"})) return *wrong;
  return std::vector<StreamType>(2, sweepType(t, {"rows", "columns"}));
}

sim::Process run(sim::Context& me, std::uint64_t rows, std::uint64_t columns) {
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
    for (std::uint64_t i = 0; i < rows * columns; ++i) {
      const std::uint64_t row = i / columns, column = i % columns;
      const bool ends_row = column + 1 == columns, ends_grid = ends_row && row + 1 == rows;
      const std::uint32_t stop = ends_grid ? 2 + trigger.stop : ends_row ? 1 : 0;
      co_await me.push(me.out(0), sim::Token::number(row).withStop(stop));
      co_await me.push(me.out(1), sim::Token::number(column).withStop(stop));
    }
    more = triggered;
  }
}

sim::Process behaviour(const Instance& instance, sim::Context& me) {
  return run(me, instance.count("rows"), instance.count("columns"));
}

}  // namespace

const Operator& counter2D() {
  static const Operator definition{
      .spec =
          {
              .kind = "Counter2D",
              .category = "Source",
              .summary = "Emits the row and the column of every place of a grid, row by row.",
              .paper = "simulator 2026",
              .parameters = {integerParameter("rows", "rows of the grid", 1),
                             integerParameter("columns", "columns of the grid", 1), triggersParameter()},
              .inputs = {triggerPort()},
              .outputs =
                  {{"row", "",
                    "1 x 1 tiles of u64; shape [1, rows, columns], or that of trigger + [rows, columns]"},
                   {"column", "", "the same for the columns"}},
              .rules = {.shape = "Both outputs: [1, rows, columns]; with a trigger, the shape of trigger, "
                                 "then rows and columns.",
                        .cost = "None.",
                        .timing = "All numbers leave at cycle 0, or when the trigger arrives, as far as both "
                                  "FIFOs have room."},
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
