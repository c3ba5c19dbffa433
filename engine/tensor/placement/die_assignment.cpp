#include "engine/tensor/placement/die_assignment.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/core/cancelled.h"
#include "engine/core/random.h"
#include "engine/tensor/placement/die_layout.h"
#include "engine/tensor/sizing/branch_and_bound.h"

namespace sluice::inline tensor {
namespace {

constexpr std::int64_t largest_count = std::int64_t{1} << 40;

Diagnostics checkInput(std::span<const DieTask> tasks, std::span<const DieStream> streams,
                       const DieOptions& options) {
  Diagnostics found;
  const auto counted = [](std::int64_t count) { return count >= 0 && count <= largest_count; };
  for (const DieTask& task : tasks) {
    if (!std::ranges::all_of(task.resources.count, counted))
      found.push_back(error("out-of-range", Location(Where::Task, task.name),
                            "a resource count is out of range", "give counts from 0 to 2^40"));
  }
  for (std::size_t at = 0; at < streams.size(); ++at) {
    if (streams[at].producer < tasks.size() && streams[at].consumer < tasks.size() &&
        counted(streams[at].bits))
      continue;
    found.push_back(error("out-of-range", "stream " + std::to_string(at),
                          "it ends at a task that does not exist, or its width is out of range",
                          "give two numbers of tasks and a width from 0 to 2^40 bits"));
  }
  const auto weight = [](double value) { return value >= 0 && value <= 1e6; };
  if (!(options.fill > 0 && options.fill <= 1) || !weight(options.crossing_weight) ||
      !weight(options.imbalance_weight))
    found.push_back(error("out-of-range", "the options", "the fill or a weight is out of range",
                          "give a fill above 0 and up to 1, and weights from 0 to a million"));
  return found;
}

DieProblem problemOf(std::span<const DieTask> tasks, std::span<const DieStream> streams,
                     const Platform& platform, const DieOptions& options) {
  DieProblem problem;
  problem.external_die = platform.memory.die;
  problem.crossing_weight = options.crossing_weight;
  problem.imbalance_weight = options.imbalance_weight;
  Resources needed;
  for (const DieTask& task : tasks) {
    problem.need.push_back(task.resources);
    problem.tied.push_back(task.external);
    needed += task.resources;
  }
  for (const Resource resource : all_resources)
    if (needed[resource] > 0) problem.in_use.push_back(resource);
  for (const Die& die : platform.dies) {
    problem.size.push_back(die.resources);
    problem.room.push_back(share(die.resources, options.fill));
  }
  double all_bits = 0;
  for (const DieStream& stream : streams) all_bits += static_cast<double>(stream.bits);
  for (const DieStream& stream : streams) {
    if (stream.producer != stream.consumer && stream.bits > 0)
      problem.joined[std::minmax(stream.producer, stream.consumer)] +=
          static_cast<double>(stream.bits) / all_bits;
  }
  return problem;
}

std::string percent(double fraction) {
  return std::to_string(std::lround(fraction * 100)) + " %";
}

/// " ('scores: both halves' 300, for which BRAM18 has no room)": the buffers that the task needs most of this
/// memory for.
std::string largestBuffers(const DieTask& task, Resource resource) {
  constexpr std::size_t most_named = 3;
  std::vector<const DieBuffer*> here;
  for (const DieBuffer& buffer : task.buffers)
    if (buffer.memory == resource && buffer.blocks > 0) here.push_back(&buffer);
  if (here.empty()) return "";
  std::ranges::stable_sort(here, std::greater(), &DieBuffer::blocks);
  std::string named;
  for (std::size_t at = 0; at < std::min(most_named, here.size()); ++at) {
    named += (at == 0 ? " ('" : ", '") + here[at]->name + "' " + std::to_string(here[at]->blocks);
    if (here[at]->full) named += ", for which " + std::string(text(*here[at]->full)) + " has no room";
  }
  if (here.size() > most_named) named += " and " + std::to_string(here.size() - most_named) + " more buffers";
  return named + ")";
}

/// A need beyond what there is.
struct Lack {
  Diagnostic told;
  double times = 1;  ///< what is needed of what there is
};

/// What is needed and not there, by resource.
std::vector<Lack> lacksOf(const Location& place, const DieTask& need, const Resources& room,
                          const std::string& where, double fill) {
  std::vector<Lack> lacks;
  for (const Resource resource : all_resources) {
    if (need.resources[resource] <= room[resource]) continue;
    lacks.push_back(
        {error("does-not-fit", place,
               "it needs " + std::to_string(need.resources[resource]) + " " + std::string(text(resource)) +
                   largestBuffers(need, resource) + "; " + percent(fill) + " of " + where + " are " +
                   std::to_string(room[resource]),
               "unroll less, use smaller tiles, let fusion open more groups, allow a fuller die, or take a "
               "larger platform"),
         static_cast<double>(need.resources[resource]) /
             static_cast<double>(std::max<std::int64_t>(1, room[resource]))});
  }
  return lacks;
}

/// The worst of the tasks that are too large for a die; the last one says how many there are beside them.
Diagnostics tooLargeTasks(std::span<const DieTask> tasks, const Resources& largest, double fill) {
  constexpr std::size_t most_named = 4;
  std::vector<Lack> lacks;
  for (const DieTask& task : tasks)
    for (Lack& lack : lacksOf(Location(Where::Task, task.name), task, largest, "the largest die", fill))
      lacks.push_back(std::move(lack));
  std::ranges::stable_sort(lacks, std::greater(), &Lack::times);
  Diagnostics found;
  for (std::size_t at = 0; at < std::min(most_named, lacks.size()); ++at)
    found.push_back(std::move(lacks[at].told));
  if (lacks.size() > most_named)
    found.back().cause +=
        "; " + std::to_string(lacks.size() - most_named) + " more of this kind are not listed";
  return found;
}

/// The relaxation. beyond[task][border] is 1 where the task's die lies behind the border; dies are then
/// columns between borders, and a stream crosses a border where its ends differ.
class Relaxation {
 public:
  explicit Relaxation(const DieProblem& problem)
      : problem_(problem), tasks_(problem.need.size()), borders_(problem.size.size() - 1) {
    for (std::size_t task = 0; task < tasks_; ++task) addTask(task);
    for (const auto& [ends, bits] : problem.joined) addPair(ends.first, ends.second, bits);
    for (std::size_t die = 0; die <= borders_; ++die)
      for (const Resource resource : problem.in_use) addRoom(die, resource);
    for (const Resource resource : problem.in_use) addImbalance(resource);
  }

  BoundedProgram& program() { return program_; }

  std::vector<std::size_t> binaries() const {
    std::vector<std::size_t> all;
    for (std::size_t task = 0; task < tasks_; ++task)
      if (!problem_.tied[task])
        for (std::size_t border = 0; border < borders_; ++border) all.push_back(beyond(task, border));
    return all;
  }

  std::vector<bool> valuesOf(const std::vector<std::size_t>& die) const {
    std::vector<bool> values;
    for (std::size_t task = 0; task < tasks_; ++task)
      if (!problem_.tied[task])
        for (std::size_t border = 0; border < borders_; ++border) values.push_back(die[task] > border);
    return values;
  }

  /// Behind as many borders as the relaxed values add up to.
  std::vector<std::size_t> rounded(std::span<const double> x) const {
    std::vector<std::size_t> die;
    for (std::size_t task = 0; task < tasks_; ++task) {
      double behind = 0;
      for (std::size_t border = 0; border < borders_; ++border) behind += x[beyond(task, border)];
      die.push_back(
          static_cast<std::size_t>(std::clamp<long>(std::lround(behind), 0, static_cast<long>(borders_))));
    }
    return die;
  }

  std::vector<std::size_t> dieOf(const std::vector<bool>& values) const {
    std::vector<std::size_t> die(tasks_, problem_.external_die);
    std::size_t next = 0;
    for (std::size_t task = 0; task < tasks_; ++task) {
      if (problem_.tied[task]) continue;
      die[task] = 0;
      for (std::size_t border = 0; border < borders_; ++border) die[task] += values[next++] ? 1 : 0;
    }
    return die;
  }

 private:
  using Term = BoundedProgram::Term;

  std::size_t beyond(std::size_t task, std::size_t border) const { return task * borders_ + border; }

  void addTask(std::size_t task) {
    for (std::size_t border = 0; border < borders_; ++border) {
      const double tied_value = problem_.external_die > border ? 1 : 0;
      const bool tied = problem_.tied[task];
      program_.addVariable(0, tied ? tied_value : 0, tied ? tied_value : 1);
    }
    for (std::size_t border = 0; border + 1 < borders_; ++border) {
      const Term order[] = {{beyond(task, border), 1}, {beyond(task, border + 1), -1}};
      program_.addRow(order, 0, BoundedProgram::unbounded);
    }
  }

  void addPair(std::size_t a, std::size_t b, double bits) {
    for (std::size_t border = 0; border < borders_; ++border) {
      const std::size_t cross =
          program_.addVariable(problem_.crossing_weight * bits, 0, BoundedProgram::unbounded);
      for (const double sign : {1.0, -1.0}) {
        const Term differ[] = {{cross, 1}, {beyond(a, border), -sign}, {beyond(b, border), sign}};
        program_.addRow(differ, 0, BoundedProgram::unbounded);
      }
    }
  }

  /// What a die uses of a resource, as a part of its size: the terms, and the constant beside them.
  std::pair<std::vector<Term>, double> utilisation(std::size_t die, Resource resource) const {
    const double size = static_cast<double>(std::max<std::int64_t>(1, problem_.size[die][resource]));
    std::vector<Term> terms;
    double constant = 0;
    for (std::size_t task = 0; task < tasks_; ++task) {
      const double part = static_cast<double>(problem_.need[task][resource]) / size;
      if (part == 0) continue;
      if (die > 0)
        terms.push_back({beyond(task, die - 1), part});
      else
        constant += part;
      if (die < borders_) terms.push_back({beyond(task, die), -part});
    }
    return {std::move(terms), constant};
  }

  void addRoom(std::size_t die, Resource resource) {
    const auto [terms, constant] = utilisation(die, resource);
    const double size = static_cast<double>(std::max<std::int64_t>(1, problem_.size[die][resource]));
    program_.addRow(terms, -BoundedProgram::unbounded,
                    static_cast<double>(problem_.room[die][resource]) / size - constant);
  }

  void addImbalance(Resource resource) {
    const double weight = problem_.imbalance_weight / static_cast<double>(problem_.in_use.size());
    const std::size_t fullest = program_.addVariable(weight, 0, BoundedProgram::unbounded);
    const std::size_t emptiest = program_.addVariable(-weight, 0, BoundedProgram::unbounded);
    const Term order[] = {{fullest, 1}, {emptiest, -1}};
    program_.addRow(order, 0, BoundedProgram::unbounded);
    for (std::size_t die = 0; die <= borders_; ++die) {
      if (problem_.size[die][resource] == 0) continue;
      auto [terms, constant] = utilisation(die, resource);
      terms.push_back({fullest, -1});
      program_.addRow(terms, -BoundedProgram::unbounded, -constant);
      terms.back() = {emptiest, -1};
      program_.addRow(terms, -constant, BoundedProgram::unbounded);
    }
  }

  const DieProblem& problem_;
  std::size_t tasks_, borders_;
  BoundedProgram program_;
};

std::optional<BinarySearch::Proposal> improved(const DieProblem& problem, const Relaxation& relaxation,
                                               std::vector<std::size_t> die) {
  for (std::size_t task = 0; task < die.size(); ++task)
    if (problem.tied[task]) die[task] = problem.external_die;
  DieLayout layout(problem, std::move(die));
  layout.improve();
  if (layout.excess() > 0) return std::nullopt;
  return BinarySearch::Proposal{relaxation.valuesOf(layout.die()), layout.objective()};
}

/// Downhill from the tasks in one piece, cut where the dies' shares of them end, and from random layouts.
std::optional<BinarySearch::Proposal> startingPoint(const DieProblem& problem, const Relaxation& relaxation) {
  constexpr int random_starts = 8;
  const std::size_t tasks = problem.need.size(), dies = problem.size.size();
  std::vector<std::vector<std::size_t>> starts{std::vector<std::size_t>(tasks, problem.external_die)};
  std::vector<std::size_t> pieces, reversed;
  for (std::size_t task = 0; task < tasks; ++task) {
    pieces.push_back(task * dies / tasks);
    reversed.push_back(dies - 1 - pieces.back());
  }
  starts.insert(starts.end(), {pieces, reversed});
  SplitMix64 random(1);
  for (int start = 0; start < random_starts; ++start) {
    std::vector<std::size_t>& die = starts.emplace_back();
    for (std::size_t task = 0; task < tasks; ++task) die.push_back(random.below(dies));
  }
  std::optional<BinarySearch::Proposal> best;
  for (const std::vector<std::size_t>& start : starts) {
    const auto found = improved(problem, relaxation, start);
    if (found && (!best || found->objective < best->objective)) best = found;
  }
  return best;
}

DieAssignment assignmentOf(const DieProblem& problem, std::vector<std::size_t> die,
                           std::span<const DieStream> streams) {
  const DieLayout layout(problem, std::move(die));
  DieAssignment assignment;
  assignment.die = layout.die();
  assignment.used = layout.used();
  assignment.crossing_share = layout.crossing();
  assignment.imbalance = layout.imbalance();
  assignment.objective = layout.objective();
  for (const DieStream& stream : streams) {
    const std::size_t from = assignment.die[stream.producer], to = assignment.die[stream.consumer];
    assignment.crossings.push_back(static_cast<std::int64_t>(from > to ? from - to : to - from));
  }
  return assignment;
}

}  // namespace

Diagnostics lackOfRoom(std::span<const DieTask> tasks, const Platform& platform, const DieOptions& options) {
  Resources largest;
  for (const Die& die : platform.dies)
    for (const Resource resource : all_resources)
      largest[resource] = std::max(largest[resource], share(die.resources, options.fill)[resource]);
  Resources all_room;
  for (const Die& die : platform.dies) all_room += share(die.resources, options.fill);
  DieTask tied, all;
  for (const DieTask& task : tasks) {
    all.resources += task.resources;
    if (task.external) tied.resources += task.resources;
  }
  Diagnostics found;
  for (Lack& lack : lacksOf("the design", all, all_room, "all dies of " + platform.name, options.fill))
    found.push_back(std::move(lack.told));
  Diagnostics large = tooLargeTasks(tasks, largest, options.fill);
  const bool each_fits = large.empty();
  std::ranges::move(large, std::back_inserter(found));
  const Die& external = platform.dies[platform.memory.die];
  for (Lack& lack : lacksOf("the tasks at the external memory", tied, share(external.resources, options.fill),
                            "its die, " + external.name, options.fill))
    if (each_fits) found.push_back(std::move(lack.told));
  return found;
}

Result<DieAssignment> assignDies(std::span<const DieTask> tasks, std::span<const DieStream> streams,
                                 const Platform& platform, const DieOptions& options) {
  Diagnostics found = checkInput(tasks, streams, options);
  if (!found.empty()) return found;
  found = lackOfRoom(tasks, platform, options);
  if (!found.empty()) return found;
  const DieProblem problem = problemOf(tasks, streams, platform, options);
  Relaxation relaxation(problem);
  BinarySearch search;
  search.binaries = relaxation.binaries();
  search.incumbent = startingPoint(problem, relaxation);
  search.node_limit = options.node_limit;
  search.stop = options.stop;
  search.round = [&](std::span<const double> x) {
    return improved(problem, relaxation, relaxation.rounded(x));
  };
  const BinaryOutcome outcome = branchAndBound(relaxation.program(), search);
  if (options.stop.stop_requested()) return cancelledDiagnostic();
  if (!outcome.best) {
    return error(
        "infeasible-placement", Location(Where::Platform, platform.name) / Location(Where::Field, "dies"),
        outcome.complete
            ? "the tasks fit together, but no way of parting them fits each die"
            : "no assignment was found within " + std::to_string(outcome.nodes) + " steps of the search",
        "split the largest tasks (unroll them less), allow a fuller die, or take a larger platform");
  }
  DieAssignment assignment = assignmentOf(problem, relaxation.dieOf(outcome.best->values), streams);
  assignment.bound = std::min(outcome.bound, assignment.objective);
  assignment.optimal = outcome.complete;
  assignment.nodes = outcome.nodes;
  return assignment;
}

TimedGraph withCrossings(const TimedGraph& graph, std::span<const std::int64_t> crossings,
                         std::int64_t crossing_cycles) {
  TimedGraph result = graph;
  for (std::size_t at = 0; at < graph.streams.size(); ++at) {
    if (crossings[at] == 0 || crossing_cycles == 0) continue;
    const TimedStream& stream = graph.streams[at];
    const TokenCurve& source = graph.kernels[stream.producer].curve;
    result.streams[at].producer = result.kernels.size();
    result.streams.push_back({stream.producer, result.kernels.size(), stream.tokens, stream.token_bits});
    result.kernels.push_back({nameOf(graph, stream) + " crossing",
                              {crossings[at] * crossing_cycles, source.interval, stream.tokens},
                              true});
  }
  return result;
}

}  // namespace sluice::inline tensor
