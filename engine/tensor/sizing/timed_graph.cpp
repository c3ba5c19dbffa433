#include "engine/tensor/sizing/timed_graph.h"

#include <algorithm>

namespace sluice::inline tensor {
namespace {

/// Cycles and tokens up to here, and sums of them along a path, are exact in a double, which the linear
/// programs compute with.
constexpr std::int64_t largest_count = std::int64_t{1} << 40;

Location placeOf(const TimedGraph& graph, std::size_t kernel) {
  return Location(Where::Kernel, graph.kernels[kernel].name);
}

bool countsBelowLimit(const TokenCurve& curve) {
  const auto fits = [](std::int64_t count) { return count >= 0 && count <= largest_count; };
  if (!fits(curve.initial_delay) || !fits(curve.interval.cycles) || !fits(curve.interval.tokens) ||
      !fits(curve.tokens))
    return false;
  const double estimate = static_cast<double>(curve.tokens) * static_cast<double>(curve.interval.cycles) /
                          static_cast<double>(curve.interval.tokens);
  return estimate <= static_cast<double>(largest_count) && fits(latency(curve));
}

void checkKernel(const TimedGraph& graph, std::size_t kernel, Diagnostics& found) {
  const TokenCurve& curve = graph.kernels[kernel].curve;
  const auto report = [&](std::string cause, std::string fix) {
    found.push_back(error("out-of-range", placeOf(graph, kernel), std::move(cause), std::move(fix)));
  };
  if (curve.interval.cycles < 1 || curve.interval.tokens < 1) {
    report("its initiation interval is not positive", "give it at least one cycle between two tokens");
  } else if (curve.tokens < 1) {
    report("it produces " + std::to_string(curve.tokens) + " tokens per execution", "give at least one");
  } else if (curve.initial_delay < 0) {
    report("its initial delay is negative", "count from the start of the kernel: 0 or more cycles");
  } else if (!countsBelowLimit(curve)) {
    report("it runs for more than 2^40 cycles, too many for exact arithmetic",
           "size one tile of the problem");
  }
}

void checkStream(const TimedGraph& graph, std::size_t index, Diagnostics& found) {
  const TimedStream& stream = graph.streams[index];
  const std::size_t kernels = graph.kernels.size();
  if (stream.producer >= kernels || stream.consumer >= kernels) {
    found.push_back(error("unknown-node", "stream " + std::to_string(index),
                          "it ends at a kernel that does not exist",
                          "use the numbers 0 to " + std::to_string(kernels) + ", the last one not included"));
    return;
  }
  const Location place(Where::Stream, nameOf(graph, stream));
  const std::int64_t produced = graph.kernels[stream.producer].curve.tokens;
  if (stream.tokens != produced) {
    found.push_back(error(
        "shape-mismatch", place,
        "it carries " + std::to_string(stream.tokens) + " tokens per execution, but its producer makes " +
            std::to_string(produced),
        "put a converter between kernels whose rates differ, or split a kernel with outputs of two rates"));
    found.back().related.push_back(placeOf(graph, stream.producer));
  }
  if (stream.token_bits < 1 || stream.token_bits > largest_count) {
    found.push_back(error("out-of-range", place, "a token of " + std::to_string(stream.token_bits) + " bits",
                          "give the width of its token in bits, at least 1"));
  }
}

/// The kernels around one cycle among those that Kahn's algorithm could not reach: each of them has a
/// producer among them.
std::vector<std::size_t> cycleOf(const TimedGraph& graph, const std::vector<std::size_t>& order) {
  std::vector<bool> ordered(graph.kernels.size(), false);
  for (const std::size_t kernel : order) ordered[kernel] = true;
  std::vector<std::size_t> producer(graph.kernels.size(), 0);
  for (const TimedStream& stream : graph.streams)
    if (!ordered[stream.producer]) producer[stream.consumer] = stream.producer;
  std::size_t kernel =
      static_cast<std::size_t>(std::find(ordered.begin(), ordered.end(), false) - ordered.begin());
  for (std::size_t step = 0; step < graph.kernels.size(); ++step) kernel = producer[kernel];
  std::vector<std::size_t> cycle{kernel};
  for (std::size_t before = producer[kernel]; before != kernel; before = producer[before])
    cycle.insert(cycle.begin() + 1, before);
  return cycle;
}

Diagnostic cycleProblem(const TimedGraph& graph, const std::vector<std::size_t>& cycle) {
  Diagnostic problem =
      error("cyclic-graph", "the graph of kernels",
            "it has a cycle: ", "FIFOs are sized for acyclic graphs; break the cycle through memory");
  for (const std::size_t kernel : cycle) {
    problem.cause += graph.kernels[kernel].name + " > ";
    problem.related.push_back(placeOf(graph, kernel));
  }
  problem.cause += graph.kernels[cycle.front()].name;
  return problem;
}

/// No start time is later than the sum of all delays.
bool startsBelowLimit(const TimedGraph& graph) {
  std::int64_t longest = 0;  // of the summands below, each at most 2^40
  for (const TimedKernel& kernel : graph.kernels) {
    longest += kernel.curve.initial_delay;
    if (longest > largest_count) return false;
  }
  return true;
}

}  // namespace

Diagnostics check(const TimedGraph& graph) {
  Diagnostics found;
  for (std::size_t kernel = 0; kernel < graph.kernels.size(); ++kernel) checkKernel(graph, kernel, found);
  for (std::size_t stream = 0; stream < graph.streams.size(); ++stream) checkStream(graph, stream, found);
  if (!found.empty()) return found;
  const std::vector<std::size_t> order = topologicalOrder(graph);
  if (order.size() < graph.kernels.size()) {
    found.push_back(cycleProblem(graph, cycleOf(graph, order)));
  } else if (!startsBelowLimit(graph)) {
    found.push_back(error("too-many", "the graph of kernels",
                          "its initial delays add up to more than 2^40 cycles, too many for exact arithmetic",
                          "size one tile of the problem"));
  }
  return found;
}

std::string nameOf(const TimedGraph& graph, const TimedStream& stream) {
  return graph.kernels[stream.producer].name + " > " + graph.kernels[stream.consumer].name;
}

/// Kahn's algorithm.
std::vector<std::size_t> topologicalOrder(const TimedGraph& graph) {
  std::vector<std::vector<std::size_t>> consumers(graph.kernels.size());
  std::vector<std::size_t> waiting(graph.kernels.size(), 0);
  for (const TimedStream& stream : graph.streams) {
    consumers[stream.producer].push_back(stream.consumer);
    ++waiting[stream.consumer];
  }
  std::vector<std::size_t> order;
  for (std::size_t kernel = 0; kernel < waiting.size(); ++kernel)
    if (waiting[kernel] == 0) order.push_back(kernel);
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const std::size_t consumer : consumers[order[next]])
      if (--waiting[consumer] == 0) order.push_back(consumer);
  }
  return order;
}

std::vector<TokenCurve> scheduledCurves(const TimedGraph& graph, Equalisation strategy) {
  std::vector<TokenCurve> curves;
  std::int64_t longest = 0;
  for (const TimedKernel& kernel : graph.kernels) longest = std::max(longest, latency(kernel.curve));
  for (const TimedKernel& kernel : graph.kernels)
    curves.push_back(strategy == Equalisation::Normal ? kernel.curve : stretched(kernel.curve, longest));

  std::vector<std::int64_t> busy(curves.size(), 0);  // cycles per execution of the slowest kernel so far
  std::vector<std::vector<std::size_t>> producers(curves.size());
  for (const TimedStream& stream : graph.streams) producers[stream.consumer].push_back(stream.producer);
  for (const std::size_t kernel : topologicalOrder(graph)) {
    TokenCurve& curve = curves[kernel];
    busy[kernel] = cyclesOf(curve.tokens, curve.interval);
    for (const std::size_t producer : producers[kernel])
      busy[kernel] = std::max(busy[kernel], busy[producer]);
    if (graph.kernels[kernel].flushable) continue;
    const std::int64_t swallowed = std::min(
        curve.tokens,
        intervalsCovering(graph.kernels[kernel].curve.initial_delay, graph.kernels[kernel].curve.interval));
    curve.initial_delay = std::max(curve.initial_delay, cyclesOf(swallowed, {busy[kernel], curve.tokens}));
  }
  return curves;
}

StreamTiming timingOf(const TimedStream& stream, std::span<const TokenCurve> curves, std::int64_t delay) {
  const TokenCurve& consumer = curves[stream.consumer];
  Interval consumption = consumer.interval;
  if (consumer.tokens != stream.tokens)
    consumption = {cyclesOf(consumer.tokens, consumer.interval), stream.tokens};
  return {curves[stream.producer], consumption, delay};
}

}  // namespace sluice::inline tensor
