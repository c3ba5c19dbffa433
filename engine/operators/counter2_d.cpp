// Counter2D: a source of the rows and columns of a grid, row by row, as two streams in step; with a trigger
// stream, once for each of its elements. Counter in two dimensions: no cycles of its own.

#include "engine/operators/sweep.h"

namespace sluice::inline operators::counter2_d {

namespace {

constexpr const char* extents[] = {"rows", "columns"};

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  if (auto wrong = checkTrigger(t, extents)) return *wrong;
  return std::vector<StreamType>(2, sweepType(t, extents));
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return sweep(instance, me, extents);
}

}  // namespace

const Operator& definition() {
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

}  // namespace sluice::inline operators::counter2_d
