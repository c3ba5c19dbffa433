#include "engine/fifo/fifo_sizes.h"

#include <algorithm>

#include "engine/operators/simulate.h"

namespace sluice {
namespace {

struct Group {
  std::string name;
  std::size_t instances = 0;
  std::uint64_t depth = 0, need = 1;
  double bytes = 0;  ///< of one more token in each instance
};

bool within(const std::string& origin, const std::string& region) {
  return region.empty() || origin.starts_with(region + "#") || origin.starts_with(region + ".");
}

Diagnostic unfinished(const PointResult& point) {
  return {Severity::Error, "simulation", "the run does not come to its end: " + point.point.cause,
          "fix the deadlock or the fault first; the diagnostics list tells of it"};
}

/// All instances of a stream of the document have one depth.
std::map<std::string, Group> groupsOf(const PointResult& point, const SimulationResult& run,
                                      const std::string& region) {
  const std::vector<double> bytes = tokenBytes(point, run);
  std::map<std::string, Group> groups;
  for (StreamId id = 0; id < point.symbolic.graph.streams.size(); ++id) {
    const FlatStream& stream = point.symbolic.graph.streams[id];
    if (stream.origin.empty() || !within(stream.origin, region)) continue;
    Group& group = groups[stream.origin];
    if (group.instances++ == 0) group.name = stream.name;
    group.depth = std::max(group.depth, stream.depth);
    group.need = std::max(group.need, run.streams[id].max_occupancy);
    group.bytes += bytes[id];
  }
  return groups;
}

FifoSizes proposal(const Workload& workload, const PointResult& point,
                   const std::map<std::string, Group>& groups, std::uint64_t slack) {
  FifoSizes sizes;
  Repair repair;
  for (const auto& [origin, group] : groups) {
    const std::uint64_t depth = group.need + slack;
    sizes.bytes_before += static_cast<double>(group.depth) * group.bytes;
    sizes.bytes_after += static_cast<double>(depth) * group.bytes;
    if (depth == group.depth) continue;
    const double more = (static_cast<double>(depth) - static_cast<double>(group.depth)) * group.bytes;
    repair.changes.push_back({origin, group.name, group.instances, group.depth, depth, more});
  }
  sizes.document = repaired(workload.document, point.symbolic.scheme.get(), repair);
  sizes.changes = std::move(repair.changes);
  sizes.cycles_before = point.simulation.cycles;
  return sizes;
}

}  // namespace

Result<FifoSizes> sizeFifos(const Workload& workload, const KnobValues& knobs, const std::string& region,
                            FifoNeed need, std::stop_token stop) {
  const Result<PointResult> base = evaluate(workload, knobs, RecordMode::Record, stop);
  if (!base) return base.diagnostics();
  if (base->point.state != PointState::Done) return unfinished(*base);
  SimulationResult free;
  if (need == FifoNeed::Unlimited) {
    FlatGraph graph = base->symbolic.graph;
    for (FlatStream& stream : graph.streams)
      if (within(stream.origin, region)) stream.depth = unlimited_depth;
    const InputSet& inputs = base->symbolic.scheme ? base->symbolic.scheme->inputs : workload.inputs;
    SimulationOptions options;
    options.mode = RecordMode::Record;
    options.stop = stop;
    free = simulate(graph, inputs, options);
  }
  const SimulationResult& measured = need == FifoNeed::Run ? base->simulation : free;
  const std::map<std::string, Group> groups = groupsOf(*base, measured, region);
  // A slot is free one cycle after its token has left, so a FIFO that is never fuller than n tokens may need
  // room for one more to keep the pace.
  Result<FifoSizes> best = unfinished(*base);
  for (const std::uint64_t slack : {std::uint64_t{0}, std::uint64_t{1}}) {
    FifoSizes sizes = proposal(workload, *base, groups, slack);
    const Workload tried{sizes.document, workload.inputs};
    const Result<PointResult> after = evaluate(tried, knobs, RecordMode::Count, stop);
    if (!after) return after.diagnostics();
    if (after->point.state != PointState::Done) continue;
    sizes.cycles_after = after->simulation.cycles;
    const bool better = !best || sizes.cycles_after < best->cycles_after;
    if (better) best = std::move(sizes);
    if (best->cycles_after <= measured.cycles) break;
  }
  return best;
}

}  // namespace sluice
