// Parallelize: deals groups out to its outputs in turn (timing.md 4.5), the static counterpart of dynamic
// parallelization.

#include "engine/operators/operator.h"

namespace sluice::inline operators::parallelize {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  const Shape& in = t.in(0).shape;
  if (t.integer("rank") + 1 != static_cast<std::int64_t>(in.size())) {
    return t.problem("rank-mismatch", "in",
                     "rank = " + std::to_string(t.integer("rank")) + ", but " + text(in) + " has rank " +
                         std::to_string(in.size() - 1),
                     "Parallelize deals out along the outermost dimension: set rank to the stream's rank");
  }
  if (auto wrong = checkSwitchCycles(t, t.op.outputs.size())) return *wrong;
  const auto outermost = t.value(in[0].extent);
  const std::int64_t ways = t.integer("ways");
  if (in[0].kind == DimKind::Static && outermost && *outermost % ways != 0) {
    return t.problem("shape-mismatch", "in",
                     std::to_string(*outermost) + " groups cannot be dealt out evenly to " +
                         std::to_string(ways) + " outputs",
                     "choose ways so that it divides the outermost dimension of " + text(in));
  }
  StreamType out = t.in(0);
  out.shape[0].extent = floorDiv(in[0].extent, t.symbolic("ways"));
  out.routing = nullptr;
  if (out.validity.kind == Validity::Known) out.validity.kind = Validity::Unknown;
  std::vector<StreamType> lanes(t.op.outputs.size(), out);
  // A ragged extent is a total over all groups, of which a lane gets some.
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    for (std::size_t k = 0; k + 1 < in.size(); ++k) {
      Dim& dim = lanes[lane].shape[in.size() - 1 - k];
      const std::string suffix = "lane_" + std::to_string(lane) + "_d" + std::to_string(k);
      if (dim.kind == DimKind::Ragged) dim = t.dynamic(t.symbolName(suffix), lane, k, DimKind::Ragged);
    }
  }
  return lanes;
}

simulator::Process run(simulator::Context& me, std::uint32_t rank, std::vector<Cycles> switch_cycles) {
  for (std::size_t turn = 0;; turn = (turn + 1) % me.outputs()) {
    bool more = true;
    while (more) {
      const simulator::Token x = co_await me.peek(me.in(0));
      if (!x) co_return;
      if (x.stop > rank) {
        me.fail("wrong-token", 0,
                "a stop of level " + std::to_string(x.stop) + " arrived in groups of rank " +
                    std::to_string(rank),
                "Flatten the outer dimensions first");
        co_return;
      }
      me.take(me.in(0));
      co_await me.push(me.out(turn), x, me.now + switch_cycles[turn]);
      more = x.stop < rank;
    }
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me, instance.level("rank"), switchCycles(instance, me.outputs()));
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "Parallelize",
              .category = "Routing",
              .summary = "Deals groups out to its outputs in turn.",
              .paper = "STeP artifact, Parallelize",
              .parameters = {integerParameter("ways", "number of outputs", 1),
                             integerParameter("rank", "inner dimensions of a group; the stream's rank", 0),
                             switchCyclesParameter(), portSwitchCyclesParameter()},
              .inputs = {{"in", "", "the groups"}},
              .outputs = {{"out", "ways", "every ways-th group"}},
              .rules = {.shape = "Every output has every ways-th group; its outermost dimension is the count "
                                 "of groups / ways.",
                        .cost = "FIFOs only.",
                        .timing = "switch_cycles, or the output's port_switch_cycles, from taking a token to "
                                  "its departure."},
          },
      .shape = shape,
      .cost = switchingCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
  };
  return definition;
}

}  // namespace sluice::inline operators::parallelize
