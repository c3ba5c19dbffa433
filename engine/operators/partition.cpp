// Partition: sends each group of `rank` inner dimensions to the outputs that a multi-hot selector names
// (STeP 3.2.3).

#include "engine/operators/operator.h"

namespace sluice::inline operators::partition {

namespace {

/// The type of output `target`: a new outermost dimension - how many groups go there - around the group's own
/// dimensions.
StreamType outputType(const ShapeContext& t, std::size_t target) {
  const StreamType& in = t.in(0);
  const StreamType& control = t.in(1);
  const auto rank = static_cast<std::size_t>(t.integer("rank"));
  const std::string stem = control.routing ? control.routing->stem + "_" : t.symbolName("");
  std::optional<std::int64_t> known;
  if (control.routing && target < control.routing->selected.size()) known = control.routing->selected[target];
  StreamType out{{}, in.element, {}, {}};
  out.shape.push_back(t.dynamic(stem + std::to_string(target), target, rank, DimKind::Regular, known));
  for (std::size_t k = rank; k-- > 0;) {
    const Dim& dim = in.shape[in.shape.size() - 1 - k];
    const bool ragged =
        dim.kind == DimKind::Ragged;  // its total over the groups that come here is another number
    out.shape.push_back(ragged ? t.dynamic(t.symbolName(std::to_string(target) + "_d" + std::to_string(k)),
                                           target, k, dim.kind)
                               : dim);
  }
  if (in.validity.kind != Validity::Full) out.validity.kind = Validity::Unknown;
  return out;
}

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  const SelectorType* selector = t.in(1).element.selector();
  if (!selector) {
    return t.problem("element-mismatch", "control",
                     "Partition is steered by selectors, but " + text(t.in(1)) + " arrives",
                     "connect a SelectGen, or another stream of selectors");
  }
  if (t.differ(selector->width, t.symbolic("ways"))) {
    return t.problem("element-mismatch", "control",
                     "the selectors choose among " + selector->width.text() +
                         " targets, but ways = " + t.symbolic("ways").text(),
                     "set ways to the width of the selectors");
  }
  if (auto wrong = t.rankAtLeast(0, t.integer("rank"), "rank")) return *wrong;
  if (auto wrong = checkSwitchCycles(t, t.op.outputs.size())) return *wrong;
  std::vector<StreamType> outputs;
  for (std::size_t i = 0; i < t.op.outputs.size(); ++i) outputs.push_back(outputType(t, i));
  return outputs;
}

struct Plan {
  std::uint32_t rank;
  std::vector<Cycles> switch_cycles;
  bool write_back;
  std::uint64_t bandwidth;
};

simulator::Process run(simulator::Context& me, Plan plan) {
  MemoryUnit unit(plan.bandwidth), control_unit(plan.bandwidth);
  while (const simulator::Token control = co_await me.peek(me.in(1))) {
    const Cycles read_control = control_unit.read(control);
    co_await me.work(read_control, read_control);
    me.take(me.in(1));
    const std::vector<std::uint32_t>& selected = control.selector->indices;
    Cycles turn = 0;
    for (const std::uint32_t target : selected) turn = std::max(turn, plan.switch_cycles[target]);
    // A stop on the selector closes outer dimensions: then the group must close them too.
    const std::uint32_t closing = control.stop > 0 ? control.stop + plan.rank : 0;
    bool more = true;
    while (more) {
      const simulator::Token x = co_await me.peek(me.in(0));
      if (!x) {
        me.fail("wrong-token", 0, "the stream ended although a selector still waits for a group",
                "give as many groups as there are selectors");
        co_return;
      }
      if (x.stop > 0 && (closing > 0 ? x.stop != closing : x.stop > plan.rank)) {
        me.fail("wrong-token", 0,
                "a stop of level " + std::to_string(x.stop) + " arrived where " +
                    std::to_string(closing > 0 ? closing : plan.rank) + " is due",
                "data and selectors must have the same outer dimensions (Flatten or Reshape one of them), "
                "and rank must be the "
                "group's");
        co_return;
      }
      const Cycles read = unit.read(x);
      co_await me.work(read, read);
      me.take(me.in(0));
      me.advance(turn);
      const Cycles write = plan.write_back ? unit.write(x) : 0;
      co_await me.work(write, write);
      simulator::Token y = x;
      y.from_memory = plan.write_back;
      y.stop = x.stop == 0 ? 0 : closing > 0 ? plan.rank : x.stop;
      me.share(x, selected.size());
      for (const std::uint32_t target : selected) {
        co_await me.slot(me.out(target));
        me.put(me.out(target), y);
      }
      more = !(x.stop == 0 ? plan.rank == 0 : x.stop == plan.rank || x.stop == closing);
    }
  }
}

Rates::Outputs rates(Rates& r) {
  const std::uint64_t rank = r.count("rank");
  const StreamCount& from = r.in(0);
  const std::optional<std::uint64_t> group = r.group(0, rank);
  std::optional<SelectorRows> rows = r.selectors(1);
  if (!group || !rows) return {};
  r.rule = {.kind = TokenRule::Kind::Deal, .group = *group, .rows = *std::move(rows)};
  Extents groups(r.outs(), 0);
  for (const auto& row : r.rule.rows)
    for (const std::uint32_t target : row) ++groups.at(target);
  Rates::Outputs outputs;
  for (const std::uint64_t count : groups) {
    Extents dims{count};
    if (rank > 0)
      dims.insert(dims.end(), from.dims->end() - static_cast<std::ptrdiff_t>(rank), from.dims->end());
    outputs.push_back(shaped(std::move(dims)));
    outputs.back().unstopped = rank == 0;
  }
  return outputs;
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me, {instance.level("rank"), switchCycles(instance, me.outputs()),
                  instance.boolean("write_back_mu"), instance.machine.on_chip_bandwidth});
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "Partition",
              .category = "Routing",
              .summary = "Sends each group to the outputs that its selector names.",
              .paper = "STeP 3.2.3",
              .parameters = {integerParameter("ways", "number of outputs", 1),
                             integerParameter("rank", "inner dimensions of a group", 0, Value(0)),
                             switchCyclesParameter(), portSwitchCyclesParameter(), writeBackParameter()},
              .inputs = {{"in", "", "the groups"}, {"control", "", "one selector a group"}},
              .outputs = {{"out", "ways", "the groups sent here"}},
              .rules = {.shape = "Every output: a new dimension - how many groups are sent there, known when "
                                 "the program runs - and the dimensions of a group.",
                        .cost = "FIFOs only.",
                        .timing = "Each token: reading it from a memory unit, the largest switch_cycles of "
                                  "the outputs it goes to, and with write_back_mu writing it. It leaves to "
                                  "all of them at one moment."},
          },
      .shape = shape,
      .cost = switchingCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = rates,
  };
  return definition;
}

}  // namespace sluice::inline operators::partition
