#include "engine/explorer/program_bounds.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <variant>

#include "engine/core/checked.h"
#include "engine/energy/energy_floor.h"
#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline explorer {
namespace {

struct Bounded {
  const char *name, *title, *unit;
  std::variant<std::uint64_t ProgramBounds::*, double ProgramBounds::*> bound;
  bool of_metric = true;  ///< of the same name
};
const Bounded bounded[] = {
    {"flops", "FLOPs", "FLOPs", &ProgramBounds::flops},
    {"off_chip_bytes", "compulsory traffic", "bytes", &ProgramBounds::off_chip_bytes},
    {"on_chip_bytes", "on-chip memory", "bytes", &ProgramBounds::on_chip_bytes},
    {"compute_cycles", "compute bound", "cycles", &ProgramBounds::compute_cycles, false},
    {"traffic_cycles", "compulsory-traffic bound", "cycles", &ProgramBounds::traffic_cycles, false},
    {"critical_cycles", "critical-path bound", "cycles", &ProgramBounds::critical_cycles, false},
    {"cycles", "largest of these", "cycles", &ProgramBounds::cycles},
    {"energy", "Energy", "", &ProgramBounds::energy},
    {"energy_delay_product", "Energy-delay product", "", &ProgramBounds::energy_delay_product}};

/// What the floors of all operators come to.
struct Sums {
  Flops flops = 0;
  Bytes off_chip_bytes = 0, moved_bytes = 0, on_chip_bytes = 0;
  std::uint64_t requests = 0;
  Cycles critical_cycles = 0;
  std::string critical_operator;
  bool fits = true;  ///< in 63 bits

  void add(std::uint64_t& sum, std::uint64_t more) { fits = addWithin<63>(sum, more) && fits; }
};

void addOperators(const SymbolicResult& symbolic, const Document& document, const FurtherSteps& further,
                  Sums& sums) {
  const std::vector<OperatorFloor> floors = operatorFloors(symbolic, document, further);
  std::map<std::string, Bytes> shared;  // by origin: the instance that holds most
  for (std::size_t i = 0; i < floors.size(); ++i) {
    const OperatorFloor& floor = floors[i];
    const FlatOperator& op = symbolic.graph.operators[i];
    sums.add(sums.flops, floor.flops);
    sums.add(sums.off_chip_bytes, floor.off_chip_bytes);
    sums.add(sums.moved_bytes, floor.moved_bytes);
    sums.add(sums.requests, floor.requests);
    if (floor.shares_memory)
      shared[op.origin] = std::max(shared[op.origin], floor.on_chip_bytes);
    else
      sums.add(sums.on_chip_bytes, floor.on_chip_bytes);
    if (floor.serial_cycles == 0) continue;
    // It begins with the first token that comes, and does all of its own work behind that.
    Cycles cycles = floor.start;
    sums.add(cycles, floor.serial_cycles);
    if (cycles <= sums.critical_cycles) continue;
    sums.critical_cycles = cycles;
    sums.critical_operator = op.name;
  }
  for (const auto& [origin, bytes] : shared) sums.add(sums.on_chip_bytes, bytes);
}

/// Of all rows that a lookup reads.
Bytes rowBytes(const TensorProgram& program, const TensorOperator& lookup) {
  const TensorValue& table = program.tensors[lookup.inputs[1]];
  return static_cast<Bytes>(elementCount(program.tensors[lookup.inputs[0]]) *
                            bytesOf(table.shape[1] * table.scalar.bits));
}

/// A tensor program that is not compiled yet: every tensor from outside that a result depends on is loaded
/// once at least, of a table that is looked up in as many rows as there are places, every result stored once.
/// Fusion keeps what is in between on chip, at best all of it; tiling, layouts, packing and vectors only make
/// more bytes of a tensor. The kernels do the operations of the operators that results depend on; fusing
/// elementwise operators into others keeps theirs.
void addTensorProgram(const TensorProgram& program, Sums& sums) {
  std::vector<bool> needed(program.tensors.size(), false), stored(program.tensors.size(), false);
  for (const std::size_t result : program.results) needed.at(result) = stored.at(result) = true;
  std::vector<bool> read(program.tensors.size(), false);
  for (auto op = program.operators.rbegin(); op != program.operators.rend(); ++op) {
    if (!needed.at(op->output)) continue;
    sums.add(sums.flops, static_cast<Flops>(operationCount(program, *op)));
    const std::vector<std::size_t> tensors = readTensors(*op);
    for (std::size_t number = 0; number < tensors.size(); ++number) {
      needed.at(tensors[number]) = true;
      if (isLookedUp(*op, number))
        sums.add(sums.off_chip_bytes, rowBytes(program, *op));
      else
        read.at(tensors[number]) = true;
    }
  }
  for (std::size_t t = 0; t < program.tensors.size(); ++t) {
    const bool inside = program.tensors[t].role == TensorRole::Activation;
    if (inside ? stored[t] : read[t])
      sums.add(sums.off_chip_bytes, static_cast<Bytes>(storedBytes(program.tensors[t])));
  }
}

bool holdsTensorPrograms(const FlatGraph& graph) {
  return std::ranges::any_of(graph.operators,
                             [](const FlatOperator& op) { return definitionOf(op).holds_program; });
}

/// The steps that no further one can undo: rewrites may change all of a compiled design, so where some are to
/// come the program counts as not compiled yet.
std::vector<ScheduleStep> settled(const std::vector<ScheduleStep>& schedule, const FurtherSteps& further) {
  const bool rewrites = std::ranges::any_of(further, [](const std::string& name) {
    const Transformation* const step = findTransformation(name);
    return step && step->rewrite;
  });
  const auto first =
      std::ranges::find_if(schedule, [](const ScheduleStep& step) { return compilesTensors(step); });
  return rewrites ? std::vector(schedule.begin(), first) : schedule;
}

/// A channel takes a request every interval, and the last one is not followed by another. Requests count for
/// more than bytes: rows are rounded up. Of a memory with banks only the peak is certain.
Cycles trafficCycles(const Sums& sums, const BoundMachine& machine) {
  const std::uint64_t interval = machine.hbm_initiation_interval, channels = machine.hbm_channels;
  if (machine.hbm_model == HbmModel::Node && channels > 0) {
    const std::uint64_t busy = saturatingProduct(ceilDiv(sums.requests, channels), interval);
    return std::min(busy, largest_count) - std::min(busy, interval);
  }
  const double peak = machine.offChipBandwidth();
  const double cycles = static_cast<double>(sums.moved_bytes) / peak * (1 - 1e-9);  // doubles round
  const double all_but_last = std::min(cycles, 0x1p62) - static_cast<double>(interval);
  return peak > 0 && all_but_last > 0 ? static_cast<Cycles>(all_but_last) : 0;
}

/// What is known of the sums on this machine within the budget.
ProgramBounds boundsFrom(const Sums& sums, const BoundMachine& machine, const BoundBudget& budget) {
  ProgramBounds bounds;
  bounds.flops = sums.flops;
  bounds.off_chip_bytes = sums.off_chip_bytes;
  bounds.on_chip_bytes = sums.on_chip_bytes;
  bounds.traffic_cycles = trafficCycles(sums, machine);
  bounds.critical_cycles = sums.critical_cycles;
  bounds.critical_operator = sums.critical_operator;
  // Operators do no more FLOPs a cycle than they were allocated, so neither do all together.
  if (budget.compute && *budget.compute > 0) bounds.compute_cycles = ceilDiv(sums.flops, *budget.compute);
  for (const auto& [bound, cycles] : {std::pair(BindingBound::Compute, bounds.compute_cycles),
                                      std::pair(BindingBound::Traffic, bounds.traffic_cycles),
                                      std::pair(BindingBound::CriticalPath, bounds.critical_cycles)}) {
    if (cycles <= bounds.cycles) continue;
    bounds.cycles = cycles;
    bounds.binding = bound;
  }
  std::optional<Bytes> most = budget.on_chip_bytes;
  if (machine.on_chip_capacity > 0) most = std::min(most.value_or(largest_count), machine.on_chip_capacity);
  if (most && bounds.on_chip_bytes > *most) {
    bounds.infeasible = "every schedule needs " + std::to_string(bounds.on_chip_bytes) +
                        " bytes on chip; there are " + std::to_string(*most);
  } else if (budget.compute && *budget.compute == 0 && bounds.flops > 0) {
    bounds.infeasible =
        "every schedule has to do " + std::to_string(bounds.flops) + " FLOPs; no compute is allocated";
  }
  return bounds;
}

/// A product of two numbers, both of which every schedule has to reach, is one more.
void addEnergy(const Technology& technology, const BoundMachine& machine, Bytes moved,
               ProgramBounds& bounds) {
  bounds.energy = leastEnergy(technology, machine, {bounds.flops, moved, bounds.cycles});
  bounds.energy_delay_product =
      bounds.energy * static_cast<double>(bounds.cycles) / clockHertz(technology, machine);
}

/// The floors of what is neither compiled nor a tensor program, and those of tensor programs.
Result<ProgramBounds> boundsOfProgram(const Workload& workload, const KnobValues& knobs,
                                      const FurtherSteps& further, const BoundBudget& budget) {
  SLUICE_TRY(ScheduledProgram scheduled, applySchedule(workload.document, workload.inputs, knobs));
  SLUICE_TRY(const FlatGraph graph, elaborate(scheduled.document, knobs, builtInCatalog()));
  Sums sums;
  if (holdsTensorPrograms(graph)) {
    for (const FlatOperator& op : graph.operators) {
      if (!definitionOf(op).holds_program) continue;
      SLUICE_TRY(const TensorProgram program, tensorProgramOf(op));
      addTensorProgram(program, sums);
    }
    sums.moved_bytes = sums.off_chip_bytes;
    sums.requests = sums.off_chip_bytes / std::max<std::uint64_t>(graph.machine.hbm_request_bytes, 1);
    eraseTensorPrograms(scheduled.document.program);
  }
  if (!graph.operators.empty() && !scheduled.document.program.nodes.empty()) {
    const Workload plain{std::move(scheduled.document), std::move(scheduled.inputs)};
    SLUICE_TRY(const SymbolicResult symbolic, evaluateSymbolic(plain, knobs));
    addOperators(symbolic, plain.document, further, sums);
  }
  if (!sums.fits) {
    return error("overflow", "program", "its bounds come to more than 2^63 bytes or operations",
                 "make tiles, streams or costs smaller");
  }
  ProgramBounds bounds = boundsFrom(sums, graph.machine, budget);
  if (workload.technology) addEnergy(*workload.technology, graph.machine, sums.moved_bytes, bounds);
  return bounds;
}

}  // namespace

const char* text(BindingBound bound) {
  switch (bound) {
    case BindingBound::None:
      return "none";
    case BindingBound::Compute:
      return "compute";
    case BindingBound::Traffic:
      return "compulsory traffic";
    case BindingBound::CriticalPath:
      return "critical path";
  }
  return "";
}

const FurtherSteps& provedSteps() {
  static const FurtherSteps steps = [] {
    FurtherSteps all{"tile",      "split",           "parallelize", "time_multiplex", "hierarchical_tile",
                     "broadcast", "compile_tensors", "fifo_depth"};
    for (const Transformation* step : registeredTransformations())
      if (step->rewrite) all.insert(step->spec.name);
    return all;
  }();
  return steps;
}

Result<ProgramBounds> programBounds(const Workload& workload, const KnobValues& knobs,
                                    const BoundBudget& budget) {
  Workload plain = workload;
  plain.document.schedule.clear();
  return boundsOfProgram(plain, knobs, provedSteps(), budget);
}

Result<ProgramBounds> partialBounds(const Workload& workload, const KnobValues& knobs,
                                    const FurtherSteps& further, const BoundBudget& budget) {
  if (!std::ranges::includes(provedSteps(), further)) return ProgramBounds{};
  Workload begun = workload;
  begun.document.schedule = settled(workload.document.schedule, further);
  return boundsOfProgram(begun, knobs, further, budget);
}

double ReportedBound::number() const {
  return std::visit([](auto number) { return static_cast<double>(number); }, value);
}

std::vector<ReportedBound> reportedBounds(const ProgramBounds& bounds) {
  std::vector<ReportedBound> reported;
  for (const Bounded& each : bounded) {
    const MetricValue value =
        std::visit([&](auto member) { return MetricValue(bounds.*member); }, each.bound);
    const MetricSpec* const metric = each.of_metric ? findMetric(each.name) : nullptr;
    reported.push_back({each.name, each.title, each.unit, value, metric});
  }
  return reported;
}

std::optional<double> boundOf(const ProgramBounds& bounds, const std::string& metric) {
  const auto found = std::ranges::find(bounded, metric, &Bounded::name);
  if (found == std::end(bounded) || !found->of_metric) return {};
  const double bound =
      std::visit([&](auto member) { return static_cast<double>(bounds.*member); }, found->bound);
  return bound > 0 ? std::optional(bound) : std::nullopt;
}

std::vector<BoundGap> withinBound(const DesignPoint& point, const ProgramBounds& bounds) {
  std::vector<BoundGap> gaps;
  if (point.fidelity == Fidelity::Symbolic) return gaps;  // its metrics are bounds themselves
  for (const MetricSpec* each : registeredMetrics()) {
    const std::optional<double> bound = boundOf(bounds, each->name);
    const double value = bound ? metric(point, *each) : std::nan("");
    if (!std::isnan(value)) gaps.push_back({each, *bound, value, value / *bound});
  }
  return gaps;
}

}  // namespace sluice::inline explorer
