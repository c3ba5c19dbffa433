#include "engine/program/elaborate.h"

#include <algorithm>
#include <numeric>

#include "engine/core/cancelled.h"
#include "engine/program/fields.h"
#include "engine/program/wiring.h"

namespace sluice::inline program {
namespace {

constexpr std::uint64_t most_banks = 1 << 16;  // of all channels together

/// What `hbm_timing` says that is no number, or no number of this memory.
void checkTiming(const Machine& machine, BoundMachine& bound, DiagnosticSink& sink) {
  const Location timing = Location(Where::Machine) / Location(Where::Field, "hbm_timing");
  for (const auto& [name, value] : machine.hbm_timing) {
    const auto numbers = fields<Dram>();
    if (std::ranges::find(numbers, name, &Field<Dram>::key) != numbers.end()) continue;
    const Location place = timing / Location(Where::Field, name);
    if (name != "mapping") {
      sink.add("unknown-field", place, "there is no such number of the memory",
               "see the table of hbm_timing in engine/program/README.md, e.g. tRCD or banks");
    } else if (!value.string() || !bound.dram.setMapping(*value.string())) {
      sink.add("unknown-choice", place, "'" + text(value) + "' is no order of the parts of an address",
               "write Ro, Ba, Bg, Co and Ch once each, the most significant first: RoBaCoBgCh");
    }
  }
  if (machine.hbm_model == HbmModel::Node && !machine.hbm_timing.empty()) {
    sink.add("unknown-field", timing, "the memory node has no such timing",
             "set hbm_model to hbm2 or hbm3, or leave hbm_timing out");
  }
  const Dram& dram = bound.dram;
  std::uint64_t banks = bound.hbm_channels;
  for (const std::uint64_t part : {dram.pseudo_channels, dram.bank_groups, dram.banks}) {
    if (__builtin_mul_overflow(banks, part, &banks)) banks = std::uint64_t{1} << 63;
  }
  if (bound.hbm_model != HbmModel::Node && banks > most_banks) {
    sink.add("too-many", timing, "this is a memory of more than " + std::to_string(most_banks) + " banks",
             "lower hbm_channels, pseudo_channels, bank_groups or banks");
  }
  if (dram.row_bytes % dram.burst_bytes != 0) {
    sink.add("out-of-range", timing / Location(Where::Field, "row_bytes"),
             "a row of " + std::to_string(dram.row_bytes) + " bytes is not a whole number of bursts of " +
                 std::to_string(dram.burst_bytes),
             "give a multiple of burst_bytes");
  }
  // After a refresh a row must be opened and read before the next: else nothing is ever served.
  if (dram.tREFI > 0 && dram.tREFI <= dram.tRFC + dram.tRP + dram.tRCD) {
    sink.add("out-of-range", timing / Location(Where::Field, "tREFI"),
             "refreshing and opening a row take longer than the time between refreshes",
             "give more than tRFC + tRP + tRCD = " + std::to_string(dram.tRFC + dram.tRP + dram.tRCD) +
                 ", or 0 for no refresh");
  }
}

BoundMachine bindMachine(const Machine& machine, Binding& binding, DiagnosticSink& sink) {
  BoundMachine bound;
  const auto bind = [&](const std::string& name, const Value& value, const Range& range,
                        std::uint64_t& target) {
    const auto place = [&] { return Location(Where::Machine) / Location(Where::Field, name); };
    const auto integer = binding.open(value, {}, place);
    const auto closed = integer ? binding.close(*integer, {}, {}, range, place) : std::nullopt;
    if (closed) target = static_cast<std::uint64_t>(closed->value);
  };
  for (const Field<Machine>& field : fields<Machine>())
    if (field.bound)
      bind(std::string(field.key), machine.*field.as<Value>(), field.range, bound.*field.bound);
  bound.mock_bf16 = machine.mock_bf16;
  bound.reference_mode = machine.reference_mode;
  bound.hbm_model = machine.hbm_model;
  bound.dram = Dram::preset(machine.hbm_model);
  for (const Field<Dram>& field : fields<Dram>()) {
    const auto given = machine.hbm_timing.find(std::string(field.key));
    if (given == machine.hbm_timing.end()) continue;
    bind("hbm_timing, " + given->first, given->second, field.range, bound.dram.*field.as<std::uint64_t>());
  }
  checkTiming(machine, bound, sink);
  return bound;
}

/// Puts the operators of regions that are laid out instance by instance into that order.
void orderInstances(FlatGraph& graph, const std::vector<InstanceOrder>& orders) {
  if (orders.empty()) return;
  std::vector<OperatorId> order(graph.operators.size());
  std::iota(order.begin(), order.end(), OperatorId{0});
  std::vector<std::size_t> instance(order.size());
  for (const InstanceOrder& region : orders) {
    for (OperatorId op = region.first; op < region.last; ++op) {
      const std::string& name = graph.operators[op].name;
      instance[op] = static_cast<std::size_t>(
          std::find_if(region.prefixes.begin(), region.prefixes.end(),
                       [&](const std::string& prefix) { return name.starts_with(prefix); }) -
          region.prefixes.begin());
    }
    std::stable_sort(order.begin() + region.first, order.begin() + region.last,
                     [&](OperatorId a, OperatorId b) { return instance[a] < instance[b]; });
  }
  std::vector<OperatorId> place(order.size());
  std::vector<FlatOperator> operators(order.size());
  for (OperatorId i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    operators[i] = std::move(graph.operators[order[i]]);
  }
  graph.operators = std::move(operators);
  for (FlatStream& stream : graph.streams) {
    stream.producer = place[stream.producer];
    stream.consumer = place[stream.consumer];
  }
}

Result<FlatGraph> elaborateAs(Ports ports, const Document& document, const KnobValues& knobs,
                              const Catalog& catalog, std::stop_token stop) {
  DiagnosticSink sink(std::move(stop));
  Binding binding(document, knobs, sink);
  FlatGraph graph;
  graph.knobs = binding.knobs();
  graph.machine = bindMachine(document.machine, binding, sink);
  Planner planner(document, catalog, binding, sink);
  const GraphPlan plan = planner.plan();
  if (!sink.empty()) return sink.diagnostics();

  Expander expander(binding, sink);
  const GraphInstances root = expander.expand(plan);
  if (sink.cancelled()) return cancelledDiagnostic();
  if (!sink.empty()) return sink.diagnostics();
  graph.operators = expander.takeOperators();

  Wiring wiring(graph, root, expander.junctions(), binding, sink);
  wiring.connect(ports);
  if (sink.empty()) wiring.materialiseStreams(planner, expander);
  if (sink.cancelled()) return cancelledDiagnostic();
  if (!sink.empty()) return sink.diagnostics();
  orderInstances(graph, expander.instanceOrders());
  return graph;
}

}  // namespace

Result<FlatGraph> elaborate(const Document& document, const KnobValues& knobs, const Catalog& catalog,
                            std::stop_token stop) {
  return elaborateAs(Ports::Closed, document, knobs, catalog, std::move(stop));
}

Result<FlatGraph> elaborateDraft(const Document& document, const KnobValues& knobs, const Catalog& catalog) {
  static_assert(open_port == Expander::unconnected);
  return elaborateAs(Ports::Open, document, knobs, catalog, {});
}

}  // namespace sluice::inline program
