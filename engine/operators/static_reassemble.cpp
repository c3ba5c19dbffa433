// StaticReassemble: joins lanes again that Parallelize dealt out (timing.md 4.5): takes one group of every
// lane in turn and makes one of them, along the dimension of rank index `rank`.

#include "engine/operators/operator.h"
#include "engine/operators/ragged.h"

namespace sluice::inline operators::static_reassemble {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  const auto rank = static_cast<std::size_t>(t.integer("rank"));
  if (auto wrong = checkSwitchCycles(t, t.inCount())) return *wrong;
  if (auto wrong = t.rankAtLeast(0, t.integer("rank") + 1, "rank")) return *wrong;
  StreamType out = t.in(0);
  const std::size_t joined = out.shape.size() - 1 - rank;
  for (std::size_t i = 1; i < t.inCount(); ++i) {
    const StreamType& in = t.in(i);
    bool fits = in.shape.size() == out.shape.size() && t.alike(in.element, out.element);
    for (std::size_t d = 0; fits && d < in.shape.size(); ++d)
      fits = d == joined || !t.differ(in.shape[d].extent, t.in(0).shape[d].extent);
    if (!fits) {
      return t.problem(
          "shape-mismatch", t.portName(i), text(in) + " cannot be joined to " + text(t.in(0)),
          "the lanes must agree in everything but the dimension of rank index " + std::to_string(rank),
          t.portName(0));
    }
    for (std::size_t d = joined + 1; d < in.shape.size(); ++d) joinRagged(out.shape[d], in.shape[d]);
    out.shape[joined].extent += in.shape[joined].extent;
    out.shape[joined].kind = std::max(out.shape[joined].kind, in.shape[joined].kind);
    if (in.validity.kind != Validity::Full) out.validity.kind = Validity::Unknown;
  }
  if (out.validity.kind == Validity::Known) out.validity.kind = Validity::Unknown;
  out.routing = nullptr;
  return std::vector<StreamType>{std::move(out)};
}

simulator::Process run(simulator::Context& me, std::uint32_t rank, std::vector<Cycles> switch_cycles) {
  for (;;) {
    std::uint32_t level = 0;  // that all lanes end this turn with
    for (std::size_t lane = 0; lane < me.inputs(); ++lane) {
      const bool final = lane + 1 == me.inputs();
      for (bool more = true; more;) {
        const simulator::Token x = co_await me.peek(me.in(lane));
        if (!x && lane == 0 && level == 0) co_return;
        more = x.stop <= rank;
        if (!x || (!more && lane > 0 && x.stop != level)) {
          me.fail("wrong-token", static_cast<std::uint32_t>(lane),
                  x ? "a group ends with level " + std::to_string(x.stop) + ", that of the first lane with " +
                          std::to_string(level)
                    : "the lane ended before the others",
                  "all lanes must have the same dimensions outside the joined one");
          co_return;
        }
        if (!more) level = x.stop;
        me.take(me.in(lane));
        co_await me.push(me.out(0), more || final ? x : x.withStop(rank), me.now + switch_cycles[lane]);
      }
    }
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me, instance.level("rank"), switchCycles(instance, me.inputs()));
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "StaticReassemble",
              .category = "Routing",
              .summary = "Joins lanes in turn, a group of each.",
              .paper = "STeP 3.2.3; simulator 2026",
              .parameters = {integerParameter("ways", "number of lanes", 1),
                             integerParameter("rank", "rank index of the dimension that grows", 0, Value(0)),
                             switchCyclesParameter(), portSwitchCyclesParameter()},
              .inputs = {{"in", "ways", "the lanes"}},
              .outputs = {{"out", "", "a group of every lane after the other"}},
              .rules = {.shape = "The dimension of rank index rank is the sum of the lanes'; the others are "
                                 "those of a lane.",
                        .cost = "FIFOs only.",
                        .timing = "switch_cycles, or the lane's port_switch_cycles, from taking a token to "
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

}  // namespace sluice::inline operators::static_reassemble
