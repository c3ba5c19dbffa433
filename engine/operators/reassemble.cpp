// Reassemble: gathers, for each selector, one group from every input it names, in order of arrival, into one
// group (STeP 3.2.3).

#include <algorithm>

#include "engine/operators/operator.h"
#include "engine/operators/ragged.h"

namespace sluice::inline operators::reassemble {

namespace {

std::optional<Diagnostic> check(const ShapeContext& t, std::size_t rank) {
  const std::size_t control = t.inCount() - 1;
  if (auto wrong = checkSwitchCycles(t, control)) return wrong;
  const SelectorType* selector = t.in(control).element.selector();
  if (!selector) {
    return t.problem("element-mismatch", "control",
                     "Reassemble is steered by selectors, but " + text(t.in(control)) + " arrives",
                     "connect the selectors that steered the Partition");
  }
  if (t.differ(selector->width, t.symbolic("ways"))) {
    return t.problem("element-mismatch", "control",
                     "the selectors choose among " + selector->width.text() +
                         " inputs, but ways = " + t.symbolic("ways").text(),
                     "set ways to the width of the selectors");
  }
  for (std::size_t i = 0; i < control; ++i) {
    if (auto wrong = t.rankAtLeast(i, t.integer("rank"), "rank")) return wrong;
    if (!t.alike(t.in(i).element, t.in(0).element)) {
      return t.problem(
          "element-mismatch", t.portName(i),
          text(t.in(i).element) + " arrives here, but " + text(t.in(0).element) + " on the first input",
          "bring all inputs to one element type", t.portName(0));
    }
    for (std::size_t k = 0; k < rank; ++k) {
      const Dim& a = t.in(0).shape[t.in(0).shape.size() - 1 - k];
      const Dim& b = t.in(i).shape[t.in(i).shape.size() - 1 - k];
      if (t.differ(a.extent, b.extent)) {
        return t.problem("shape-mismatch", t.portName(i),
                         "groups of " + text(t.in(i).shape) + " cannot join groups of " + text(t.in(0).shape),
                         "make the innermost " + std::to_string(rank) + " dimensions of all inputs equal",
                         t.portName(0));
      }
    }
  }
  return {};
}

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  const auto rank = static_cast<std::size_t>(t.integer("rank"));
  if (auto wrong = check(t, rank)) return *wrong;
  const StreamType& control = t.in(t.inCount() - 1);
  StreamType out{control.shape, t.in(0).element, {}, {}};
  std::optional<std::int64_t> known;
  if (control.routing) {
    known = 0;
    for (const std::int64_t selected : control.routing->selected) *known += selected;
  }
  out.shape.push_back(t.dynamic(t.symbolName("n"), 0, rank, DimKind::Ragged, known));
  for (std::size_t k = rank; k-- > 0;) {
    const Dim& dim = t.in(0).shape[t.in(0).shape.size() - 1 - k];
    out.shape.push_back(dim.kind == DimKind::Static
                            ? dim
                            : t.dynamic(t.symbolName("d" + std::to_string(k)), 0, k, DimKind::Ragged));
  }
  for (std::size_t i = 0; i + 1 < t.inCount(); ++i) {
    if (t.in(i).validity.kind != Validity::Full) out.validity.kind = Validity::Unknown;
  }
  return std::vector<StreamType>{std::move(out)};
}

/// Written back, a whole group is held: the output's dimensions from position rank(control) - 1 on
/// (engine/symbolic/cost_model.md 3). The total of the ragged one is shared out among the groups around it,
/// as the front end's symbol, too, stands for what one selector gathers.
Cost cost(const ShapeContext& t, std::span<const StreamType> outputs) {
  Cost fifos = switchingCost(t, outputs);
  if (!t.op.parameters.boolean("write_back_mu")) return fifos;
  const Shape& shape = outputs[0].shape;
  const std::size_t control_rank = t.in(t.inCount() - 1).shape.size() - 1;
  const std::size_t first = control_rank == 0 ? shape.size() - 1 : control_rank - 1;
  const Expr elements = groupElements(shape, shape.size() - first);
  return {{}, elements * sizeOf(outputs[0].element) + fifos.on_chip_bytes, {}, {}};
}

struct Plan {
  std::uint32_t rank;
  std::vector<Cycles> switch_cycles;
  bool write_back;
  std::uint64_t bandwidth;
};

std::uint32_t levelOut(const simulator::Token& x, std::uint32_t rank, bool last, std::uint32_t control_stop) {
  if (rank == 0) return last ? (x.stop > 0 ? x.stop + control_stop + 1 : 1 + control_stop) : 0;
  return last && x.stop >= rank ? x.stop + control_stop + 1 : x.stop;
}

simulator::Process run(simulator::Context& me, Plan plan) {
  MemoryUnit unit(plan.bandwidth), control_unit(plan.bandwidth);
  simulator::Channel& control_in = me.in(me.inputs() - 1);
  std::vector<std::pair<Cycles, std::uint32_t>> order;  // arrival of the group's first element, input
  while (const simulator::Token control = co_await me.peek(control_in)) {
    const Cycles read_control = control_unit.read(control);
    co_await me.work(read_control, read_control);
    me.take(control_in);
    order.clear();
    for (const std::uint32_t input : control.selector->indices) {
      if (!co_await me.queued(me.in(input))) {
        me.fail("wrong-token", input, "the input ended although a selector still asks for a group from it",
                "the selectors of Partition and Reassemble must match");
        co_return;
      }
      order.emplace_back(me.in(input).headArrival(), input);
    }
    if (order.empty()) {
      me.fail("wrong-token", static_cast<std::uint32_t>(me.inputs() - 1), "a selector names no input",
              "every selector must name at least one input");
      co_return;
    }
    // It follows the latest of those that it waits for, before it takes anything.
    const auto& [_, latest] =
        *std::max_element(order.begin(), order.end(), [&](const auto& a, const auto& b) {
          return me.in(a.second).headFollow() < me.in(b.second).headFollow();
        });
    me.follow(me.in(latest).headFollow(), me.in(latest));
    if (order.size() > 1) std::sort(order.begin(), order.end());  // equal arrivals: the lower input first
    for (const auto& [arrival, input] : order) {
      const bool last = input == order.back().second;
      bool more = true;
      while (more) {
        simulator::Channel& in = me.in(input);
        const simulator::Token x = co_await me.peek(in);
        if (!x) {
          me.fail("wrong-token", input, "the input ended inside a group",
                  "rank must be the rank of the groups");
          co_return;
        }
        const Cycles read = unit.read(x), write = plan.write_back ? unit.write(x) : 0;
        co_await me.work(0, read);  // takes time where units are shared
        me.advanceTo(arrival + plan.switch_cycles[input] + read);
        me.take(in);
        co_await me.work(write, write);
        simulator::Token y = x;
        y.from_memory = plan.write_back;
        y.stop = levelOut(x, plan.rank, last, control.stop);
        co_await me.slot(me.out(0));
        me.put(me.out(0), y);
        more = !((x.stop == 0 && plan.rank == 0) || (x.stop > 0 && x.stop >= plan.rank));
      }
    }
  }
}

Rates::Outputs rates(Rates& r) {
  const std::size_t ways = r.ins() - 1;
  std::optional<std::uint64_t> group;
  for (std::size_t way = 0; way < ways; ++way) {
    const std::optional<std::uint64_t> here = r.group(way, r.count("rank"));
    if (!here || (group && *group != *here)) return {};
    group = here;
  }
  std::optional<SelectorRows> rows = r.selectors(ways);
  if (!rows) return {};
  r.rule = {.kind = TokenRule::Kind::Gather, .group = *group, .rows = *std::move(rows)};
  std::uint64_t groups = 0;
  for (const auto& row : r.rule.rows) groups += row.size();
  return {counted(groups * *group)};
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me, {instance.level("rank"), switchCycles(instance, me.inputs() - 1),
                  instance.boolean("write_back_mu"), instance.machine.on_chip_bandwidth});
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "Reassemble",
              .category = "Routing",
              .summary = "Gathers the groups that a selector names into one, first come first.",
              .paper = "STeP 3.2.3",
              .parameters = {integerParameter("ways", "number of inputs", 1),
                             integerParameter("rank", "inner dimensions of a group", 0, Value(0)),
                             switchCyclesParameter(), portSwitchCyclesParameter(), writeBackParameter()},
              .inputs = {{"in", "ways", "the groups"}, {"control", "", "one selector a gathered group"}},
              .outputs = {{"out", "", "the gathered groups"}},
              .rules = {.shape = "The shape of control, a ragged dimension of how many groups each selector "
                                 "gathers, then that of a group.",
                        .cost = "FIFOs only; with write_back_mu what one selector gathers, on average.",
                        .timing = "The inputs that a selector names in order of arrival. Each token: no "
                                  "earlier than its group's arrival + switch_cycles, reading it from a "
                                  "memory unit, and with write_back_mu writing it."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::Chooses,
      .rates = rates,
  };
  return definition;
}

}  // namespace sluice::inline operators::reassemble
