#include "engine/tensor/sizing/kernel_dataflow.h"

#include <algorithm>
#include <numeric>

#include "engine/core/cancelled.h"
#include "engine/csdf/storage.h"
#include "engine/itensor/itensor.h"
#include "engine/tensor/sizing/kernel_steps.h"

namespace sluice::inline tensor {
namespace {

using Counts = std::vector<std::int64_t>;

/// Tokens of each step of a round, spread evenly: at the first step of a token's share, or at the last.
Counts spread(std::int64_t tokens, std::int64_t steps, std::int64_t round, bool early) {
  Counts counts;
  std::int64_t sum = early ? steps - 1 : 0;
  for (std::int64_t step = 0; step < round; ++step) {
    sum += tokens;
    counts.push_back(sum >= steps ? 1 : 0);
    sum -= sum >= steps ? steps : 0;
  }
  return counts;
}

struct Ports {
  Counts takes, gives;  ///< tokens of an execution
};

/// Firings of an iteration: with more, each of the throughputs that a search asks for takes more than a
/// second.
constexpr std::int64_t most_firings = 20'000;

std::int64_t firingsOf(const CsdfGraph& graph, const Repetition& repetition) {
  std::int64_t firings = 0;
  for (std::size_t actor = 0; actor < graph.actors.size(); ++actor) {
    const auto phases = static_cast<std::int64_t>(graph.actors[actor].phases());
    firings += std::min(repetition.of_actor[actor], most_csdf_number / phases) * phases;
  }
  return firings;
}

class DataflowWriter {
 public:
  explicit DataflowWriter(const TimedGraph& timed) : timed_(timed), ports_(timed.kernels.size()) {
    for (const TimedStream& stream : timed.streams) {
      ports_[stream.producer].gives.push_back(stream.tokens);
      ports_[stream.consumer].takes.push_back(stream.tokens);
    }
    for (std::size_t kernel = 0; kernel < timed.kernels.size(); ++kernel)
      steps_.push_back(stepsOf(timed.kernels[kernel], ports_[kernel].takes));
  }

  Result<KernelDataflow> write() {
    made_.graph.name = "kernels";
    SLUICE_CHECK(chooseUnit());
    for (std::size_t kernel = 0; kernel < timed_.kernels.size(); ++kernel) SLUICE_CHECK(addKernel(kernel));
    for (std::size_t stream = 0; stream < timed_.streams.size(); ++stream) addFifo(stream);
    return std::move(made_);
  }

 private:
  /// Times are in parts of a cycle of which every interval is a whole number.
  Result<Done> chooseUnit() {
    for (const KernelSteps& kernel : steps_) {
      const std::int64_t parts = kernel.interval.tokens / std::gcd(unit_, kernel.interval.tokens);
      if (unit_ > most_csdf_number / parts)
        return csdfOverflow(made_.graph, "the intervals of its kernels in common parts of a cycle");
      unit_ *= parts;
    }
    for (const KernelSteps& kernel : steps_)
      if (std::max(kernel.interval.cycles, kernel.initial_delay) > most_csdf_number / unit_)
        return csdfOverflow(made_.graph, "the times of its kernels in common parts of a cycle");
    made_.graph.times_per_unit = unit_;
    return Done{};
  }

  Result<Done> addKernel(std::size_t kernel) {
    const KernelSteps& steps = steps_[kernel];
    std::int64_t round = 1;  // steps after which all ports begin again
    for (const Counts* ports : {&ports_[kernel].takes, &ports_[kernel].gives})
      for (const std::int64_t tokens : *ports) {
        const std::int64_t own = steps.steps / std::gcd(steps.steps, tokens);
        round = std::lcm(round, own);  // both divide the steps
      }
    if (static_cast<std::size_t>(round) > most_csdf_phases)
      return error("too-many", Location(Where::Kernel, timed_.kernels[kernel].name),
                   "it goes round more than " + std::to_string(most_csdf_phases) + " steps",
                   "give its ports numbers of tokens with a larger common divisor");
    if (kernel == 0) made_.actor = 0, made_.rounds = steps.steps / round;
    rounds_.push_back(round);
    step_.push_back(addActor(kernel, "", Counts(static_cast<std::size_t>(round), unit_)));
    leave_.push_back(step_.back());
    addPace(kernel);
    if (!ports_[kernel].gives.empty()) addPipeline(kernel);
    return Done{};
  }

  /// One step at a time; it lasts a cycle, so that the slots which it frees can be filled a cycle later.
  void addPace(std::size_t kernel) {
    const std::int64_t cycles = steps_[kernel].interval.cycles * (unit_ / steps_[kernel].interval.tokens);
    const std::size_t step = step_[kernel];
    const Counts each(static_cast<std::size_t>(rounds_[kernel]), 1);
    if (cycles == unit_) return connect(kernel, "_pace", step, step, each, each, 1);
    const std::size_t pace = addActor(kernel, "_pace", {cycles - unit_});
    connect(kernel, "_pace", step, pace, each, {1}, 0);
    connect(kernel, "_next", pace, step, {1}, each, 1);
  }

  void addPipeline(std::size_t kernel) {
    const KernelSteps& steps = steps_[kernel];
    const std::size_t step = step_[kernel];
    const std::int64_t interval = steps.interval.cycles * (unit_ / steps.interval.tokens);
    const std::int64_t depth = depthOf(kernel) * unit_;
    const Counts each(static_cast<std::size_t>(rounds_[kernel]), 1);
    const std::size_t pipe = addActor(kernel, "_pipe", {std::max<std::int64_t>(depth - unit_, 0)});
    // A token is there a cycle after it has left; without a pipeline that is the cycle of the step.
    const std::size_t leave = addActor(kernel, "_leave", Counts(each.size(), depth > 0 ? unit_ : 0));
    leave_[kernel] = leave;
    connect(kernel, "_in", step, pipe, each, {1}, 0);
    connect(kernel, "_out", pipe, leave, {1}, each, 0);
    connect(kernel, "_place", leave, step, each, each, quotientUp(depth + unit_, interval));
  }

  /// Cycles from the last step of a token until it leaves.
  std::int64_t depthOf(std::size_t kernel) const {
    const KernelSteps& steps = steps_[kernel];
    std::int64_t first = steps.steps;
    for (const std::int64_t tokens : ports_[kernel].gives)
      first = std::min(first, quotientUp(steps.steps, tokens) - 1);
    return steps.initial_delay - cyclesOf(first, steps.interval);
  }

  void addFifo(std::size_t index) {
    const TimedStream& stream = timed_.streams[index];
    const std::size_t from = stream.producer, to = stream.consumer;
    made_.fifos.push_back(made_.graph.channels.size());
    made_.graph.channels.push_back(
        {"fifo" + std::to_string(index) + "_" + timed_.kernels[from].name + "_" + timed_.kernels[to].name,
         leave_[from],
         step_[to],
         spread(stream.tokens, steps_[from].steps, rounds_[from], false),
         spread(stream.tokens, steps_[to].steps, rounds_[to], true),
         {},
         {},
         0});
  }

  std::size_t addActor(std::size_t kernel, const char* part, Counts times) {
    made_.graph.actors.push_back({timed_.kernels[kernel].name + part, std::move(times), {}});
    return made_.graph.actors.size() - 1;
  }
  void connect(std::size_t kernel, const char* part, std::size_t from, std::size_t to, Counts production,
               Counts consumption, std::int64_t tokens) {
    made_.graph.channels.push_back({timed_.kernels[kernel].name + part,
                                    from,
                                    to,
                                    std::move(production),
                                    std::move(consumption),
                                    {},
                                    {},
                                    tokens});
  }

  const TimedGraph& timed_;
  std::vector<Ports> ports_;
  std::vector<KernelSteps> steps_;
  std::int64_t unit_ = 1;
  std::vector<std::int64_t> rounds_;       ///< steps of a round, by kernel
  std::vector<std::size_t> step_, leave_;  ///< actors, by kernel
  KernelDataflow made_;
};

}  // namespace

Rational KernelDataflow::executionsOf(const Repetition& repetition) const {
  return lowest(repetition.of_actor[actor], rounds);
}

Rational KernelDataflow::cyclesOf(const Rational& period, const Repetition& repetition) const {
  const Rational share = lowest(rounds, repetition.of_actor[actor]);
  const std::int64_t common = std::gcd(period.numerator, share.denominator);
  const std::int64_t other = std::gcd(share.numerator, period.denominator);
  return lowest(period.numerator / common * (share.numerator / other),
                period.denominator / other * (share.denominator / common));
}

Result<KernelDataflow> kernelDataflow(const TimedGraph& timed) {
  if (Diagnostics found = check(timed); !found.empty()) return found;
  for (const TimedKernel& kernel : timed.kernels)
    if (!kernel.flushable)
      return error("unsupported-operator", Location(Where::Kernel, kernel.name),
                   "its pipeline does not drain without new input, which a dataflow graph does not tell",
                   "make it flushable, or size FIFOs in another mode, such as start-time");
  return DataflowWriter(timed).write();
}

Result<ExactDepths> exactDepths(const TimedGraph& timed, std::uint64_t most_evaluations,
                                const std::stop_token& stop) {
  SLUICE_TRY(const KernelDataflow kernels, kernelDataflow(timed));
  SLUICE_TRY(const Repetition repetition, repetitionVector(kernels.graph));
  if (const std::int64_t firings = firingsOf(kernels.graph, repetition); firings > most_firings)
    return error(
        "too-many", "the kernels",
        "as a dataflow graph they have " + std::to_string(firings) +
            " firings in an iteration; exact depths are searched of at most " + std::to_string(most_firings),
        "use larger tiles, so that fewer tokens make an execution, or another mode, such as start-time");
  StorageGoal goal{std::vector<std::int64_t>(kernels.graph.channels.size(), 0), true};
  for (std::size_t stream = 0; stream < timed.streams.size(); ++stream)
    goal.weights[kernels.fifos[stream]] = timed.streams[stream].token_bits;
  StorageBudget budget;
  budget.evaluations = most_evaluations;
  budget.stop = stop;
  SLUICE_TRY(const StorageFrontier frontier, storageFrontier(kernels.graph, budget, goal));
  if (stop.stop_requested()) return cancelledDiagnostic();
  if (!frontier.complete) {
    if (frontier.least.empty())
      return error("deadlock", "the kernels", "they wait for each other whatever the depths",
                   "a kernel that does not drain may need more input: see whether it can be made flushable");
    return error("unfinished-search", "the search for exact depths",
                 "the fewest bytes were not found within " + std::to_string(frontier.evaluations) +
                     " evaluations of the throughput",
                 "allow more by --most-simulations, or take another mode, such as start-time");
  }
  ExactDepths exact{{}, kernels.cyclesOf(frontier.points.back().period, repetition), frontier.evaluations};
  for (const std::size_t fifo : kernels.fifos)
    exact.depths.push_back(frontier.points.back().capacities[fifo]);
  return exact;
}

}  // namespace sluice::inline tensor
