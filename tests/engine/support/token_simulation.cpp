#include "tests/engine/support/token_simulation.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <set>
#include <sstream>

namespace sluice::testing_support {
namespace {

struct KernelState {
  std::int64_t clock = 0;        ///< stands still while the kernel does
  std::int64_t next_accept = 0;  ///< by that clock
  std::int64_t taken = 0;
  std::deque<std::int64_t> in_flight;  ///< exit times by that clock
};

class CycleRun {
 public:
  CycleRun(const TimedGraph& graph, const std::vector<std::int64_t>& depths)
      : graph_(graph), depths_(depths), kernels_(graph.kernels.size()), count_(depths.size(), 0) {
    run_.accepted.resize(kernels_.size());
    run_.stalls.assign(kernels_.size(), 0);
    run_.peak.assign(depths.size(), 0);
  }

  TokenRun operator()() {
    // Nothing waits for longer than all delays together.
    std::int64_t patience = 2;
    for (const TimedKernel& kernel : graph_.kernels)
      patience += kernel.curve.initial_delay + kernel.curve.interval.cycles + 2;
    std::int64_t idle = 0;
    for (std::int64_t cycle = 0; !done(); ++cycle) {
      const std::vector<std::int64_t> before = count_;
      moved_ = false;
      for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel) step(kernel, before, cycle);
      for (std::size_t stream = 0; stream < count_.size(); ++stream)
        run_.peak[stream] = std::max(run_.peak[stream], count_[stream]);
      idle = moved_ ? 0 : idle + 1;
      if (idle > patience) {
        run_.deadlock = true;
        break;
      }
    }
    return run_;
  }

 private:
  bool done() const {
    for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel)
      if (kernels_[kernel].taken < graph_.kernels[kernel].curve.tokens) return false;
    return true;
  }

  void step(std::size_t kernel, const std::vector<std::int64_t>& before, std::int64_t cycle) {
    KernelState& state = kernels_[kernel];
    const TimedKernel& timed = graph_.kernels[kernel];
    bool fed = true, space = true;
    for (std::size_t stream = 0; stream < depths_.size(); ++stream) {
      if (graph_.streams[stream].consumer == kernel) fed = fed && before[stream] > 0;
      if (graph_.streams[stream].producer == kernel) space = space && before[stream] < depths_[stream];
    }
    const bool due = state.taken < timed.curve.tokens && state.clock >= state.next_accept;
    const bool leaves = !state.in_flight.empty() && state.in_flight.front() <= state.clock;
    if (leaves && !space) {
      ++run_.stalls[kernel];
      return;
    }
    if (due && !fed && !timed.flushable) return;
    if (leaves) {
      state.in_flight.pop_front();
      moved_ = true;
      for (std::size_t stream = 0; stream < depths_.size(); ++stream)
        if (graph_.streams[stream].producer == kernel) ++count_[stream];
    }
    if (due && fed) {
      for (std::size_t stream = 0; stream < depths_.size(); ++stream)
        if (graph_.streams[stream].consumer == kernel) --count_[stream];
      run_.accepted[kernel].push_back(cycle);
      run_.end = std::max(run_.end, cycle);
      ++state.taken;
      state.next_accept = state.clock + timed.curve.interval.cycles;
      state.in_flight.push_back(state.clock + timed.curve.initial_delay);
      moved_ = true;
    }
    ++state.clock;
  }

  const TimedGraph& graph_;
  const std::vector<std::int64_t>& depths_;
  std::vector<KernelState> kernels_;
  std::vector<std::int64_t> count_;  ///< tokens per stream
  TokenRun run_;
  bool moved_ = false;
};

}  // namespace

TokenRun runCycles(const TimedGraph& graph, const std::vector<std::int64_t>& depths) {
  return CycleRun(graph, depths)();
}

std::optional<double> cyclesPerToken(const TimedGraph& graph, const std::vector<std::int64_t>& depths) {
  constexpr std::size_t tokens = 600;
  const std::size_t kernels = graph.kernels.size();
  std::vector<std::vector<std::int64_t>> at(tokens, std::vector<std::int64_t>(kernels, 0));
  for (std::size_t n = 0; n < tokens; ++n) {
    bool changed = true;
    for (std::size_t round = 0; changed; ++round) {
      if (round > kernels + 1) return std::nullopt;
      changed = false;
      const auto raise = [&](std::size_t kernel, std::int64_t time) {
        if (time <= at[n][kernel]) return;
        at[n][kernel] = time;
        changed = true;
      };
      if (n > 0)
        for (std::size_t kernel = 0; kernel < kernels; ++kernel) raise(kernel, at[n - 1][kernel] + 1);
      for (std::size_t index = 0; index < graph.streams.size(); ++index) {
        const TimedStream& stream = graph.streams[index];
        const std::int64_t delay = graph.kernels[stream.producer].curve.initial_delay;
        raise(stream.consumer, at[n][stream.producer] + delay);
        const auto depth = static_cast<std::size_t>(depths[index]);
        if (n >= depth) raise(stream.producer, at[n - depth][stream.consumer] - delay);
      }
    }
  }
  const std::int64_t span = at[tokens - 1][kernels - 1] - at[tokens / 2 - 1][kernels - 1];
  return static_cast<double>(span) / (tokens / 2);
}

TimedGraph randomGraph(SplitMix64& random, std::size_t kernels, std::int64_t tokens, std::uint64_t most_delay,
                       std::uint64_t most_interval) {
  TimedGraph graph;
  const auto upTo = [&](std::uint64_t most) { return static_cast<std::int64_t>(1 + random.below(most)); };
  for (std::size_t kernel = 0; kernel < kernels; ++kernel)
    graph.kernels.push_back({std::to_string(kernel), {upTo(most_delay), {upTo(most_interval), 1}, tokens}});
  for (std::size_t kernel = 1; kernel < kernels; ++kernel) {
    std::set<std::size_t> producers;
    for (std::uint64_t inputs = 1 + random.below(3); inputs > 0; --inputs)
      producers.insert(random.below(kernel));
    for (const std::size_t producer : producers) graph.streams.push_back({producer, kernel, tokens});
  }
  return graph;
}

TimedGraph graphOf(const std::string& edges, const std::vector<std::int64_t>& initial_delays,
                   std::int64_t tokens) {
  TimedGraph graph;
  for (std::size_t kernel = 0; kernel < initial_delays.size(); ++kernel)
    graph.kernels.push_back({std::to_string(kernel), {initial_delays[kernel], {1, 1}, tokens}});
  std::istringstream in(edges);
  std::size_t producer = 0, consumer = 0;
  char arrow = 0;
  while (in >> producer >> arrow >> consumer) graph.streams.push_back({producer, consumer, tokens});
  return graph;
}

}  // namespace sluice::testing_support
