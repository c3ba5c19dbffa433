// The depth of one FIFO against the rate of the design (StreamTensor, figure 8(f)): a kernel feeds another
// and a third past it; the third is reached on both ways. All three in our simulator.

#include <algorithm>

#include "engine/figures/streamtensor.h"
#include "engine/tensor/sizing/fifo_sizing.h"

namespace sluice::inline figures {
namespace {

constexpr std::int64_t delay_of_first = 3, delay_of_second = 5;

constexpr std::int64_t deepest = 10;

Node kernel(const std::string& name, const std::vector<std::int64_t>& takes,
            const std::vector<std::int64_t>& gives, std::int64_t delay, bool drains) {
  const auto list = [](const std::vector<std::int64_t>& numbers) {
    return Value(std::vector<Value>(numbers.begin(), numbers.end()));
  };
  Node node{name, "Kernel", {}, {}, {}};
  node.parameters["inputs"] = Value(static_cast<std::int64_t>(takes.size()));
  node.parameters["outputs"] = Value(static_cast<std::int64_t>(gives.size()));
  node.parameters["takes"] = list(takes);
  node.parameters["gives"] = list(gives);
  node.parameters["initial_delay"] = Value(delay);
  node.parameters["flushable"] = Value(drains);
  node.parameters["tile"] = list({1, 1});
  return node;
}

Document forkAndJoin(std::int64_t tokens, std::int64_t depth, bool drains) {
  constexpr std::int64_t deep = 64;  // of the FIFOs that are not looked at
  Document document;
  document.title = "figure 8(f), depth " + std::to_string(depth);
  document.machine.reference_mode = false;
  document.program.nodes = {kernel("first", {}, {tokens, tokens}, delay_of_first, true),
                            kernel("second", {tokens}, {tokens}, delay_of_second, drains),
                            kernel("third", {tokens, tokens}, {}, 0, true)};
  const auto stream = [&](const char* from, std::int64_t port, const char* to, std::int64_t input,
                          std::int64_t room) {
    document.program.streams.push_back({{from, "out", Value(port)}, {to, "in", Value(input)}, Value(room)});
  };
  stream("first", 0, "second", 0, deep);
  stream("first", 1, "third", 0, depth);
  stream("second", 0, "third", 1, deep);
  return document;
}

/// The depth of the direct FIFO that the start-time program gives, for FIFOs that pass a token on a cycle
/// later.
Result<double> sizedDepth() {
  constexpr std::int64_t tokens = 600;
  TimedGraph graph;
  graph.kernels = {{"first", {delay_of_first, {1, 1}, tokens}},
                   {"second", {delay_of_second, {1, 1}, tokens}},
                   {"third", {0, {1, 1}, tokens}}};
  graph.streams = {{0, 1, tokens}, {1, 2, tokens}, {0, 2, tokens}};
  SLUICE_TRY(const FifoSizing sizing,
             sizeFifos(graph, SizingMethod::StartTime, {.fifo = {.hop_latency = 1}}));
  return static_cast<double>(sizing.fifos[2].depth);
}

/// Cycles of a run; nothing where it deadlocks.
Result<std::optional<double>> cyclesOf(std::int64_t tokens, std::int64_t depth, bool drains) {
  SLUICE_TRY(const auto workload, makeWorkload(forkAndJoin(tokens, depth, drains), {}));
  SLUICE_TRY(const PointResult result, evaluate(*workload, {}, RecordMode::Count));
  if (result.point.state == PointState::Deadlocked) return std::optional<double>();
  if (result.point.state != PointState::Done) {
    return error("run-not-finished", "figure 8(f)", "the run did not finish: " + result.point.cause,
                 "report this");
  }
  return std::optional(static_cast<double>(result.point.metrics.cycles));
}

/// Cycles per token in the long run: what 600 tokens more take.
Result<std::optional<double>> rateOf(std::int64_t depth, bool drains) {
  constexpr std::int64_t tokens = 600;
  SLUICE_TRY(const auto once, cyclesOf(tokens, depth, drains));
  SLUICE_TRY(const auto twice, cyclesOf(2 * tokens, depth, drains));
  if (!once || !twice) return std::optional<double>();
  return std::optional((*twice - *once) / tokens);
}

}  // namespace

Result<Done> addDepthSweep(FigureResult& figure) {
  Report report(figure);
  const PublishedTable recurrence = publishedTable("fifo_depth");  // depth 1, 2 ...
  FigureChart chart{.name = "streamtensor_depth",
                    .title = "Figure 8(f): fork and join, initial delays 3 and 5",
                    .x_label = "Depth of the direct FIFO (tokens)",
                    .y_label = "Cycles per token"};
  for (const bool drains : {true, false}) {
    const std::string name = drains ? "pipelines drain" : "the second stands still without input";
    FigureChart::Curve ours{name, {}, {}, {}, false};
    std::int64_t runs = 0, full_rate = 0;
    for (std::int64_t depth = 1; depth <= deepest; ++depth) {
      SLUICE_TRY(const auto rate, rateOf(depth, drains));
      if (!rate) continue;
      if (runs == 0) runs = depth;
      if (full_rate == 0 && *rate < 1.005) full_rate = depth;
      ours.x.push_back(static_cast<double>(depth));
      ours.y.push_back(*rate);
      const auto at = static_cast<std::size_t>(depth) - 1;
      const bool known = drains && at < recurrence.size();
      report.point("depth sweep, " + name, "depth " + std::to_string(depth), "cycles_per_token",
                   known ? recurrence[at].value("cycles_per_token") : std::nullopt, *rate);
    }
    chart.curves.push_back(std::move(ours));
    report.publishedClaim("streamtensor", "figure 8(f), " + name + ": least depth at full rate",
                          static_cast<double>(full_rate));
    report.claim("figure 8(f), " + name + ": least depth that does not deadlock", {},
                 static_cast<double>(runs));
  }
  SLUICE_TRY(const double sized, sizedDepth());
  report.publishedClaim("streamtensor",
                        "figure 8(f): depth by the linear program (published: Equation 2 for its delay of 8)",
                        sized);
  figure.notes.push_back(
      "depth sweep: 'ours' is simulated. The paper gives the linear program's delay of the direct "
      "stream, 8 cycles, which is depth 5 by its Equation 2, and no rates; the rates beside ours are the "
      "token model's recurrence for FIFOs that hand a token on in the cycle in which it comes, where "
      "depth 5 is the knee (and depth 0 deadlocks). Our FIFOs are registered: a slot of the direct one is "
      "taken for 8 cycles - the 5 of the second kernel, a cycle's way into it and out of it, and the "
      "cycle in which the slot comes free - so that a token takes 8 / depth cycles and the knee is at 8, "
      "as our sizing says. A pipeline that stands still without input deadlocks below depth 6");
  FigureChart::Curve model{"recurrence, bypass FIFOs", {}, {}, {}, true};
  for (const PublishedRow& row : recurrence) {
    model.x.push_back(row.number("depth"));
    model.y.push_back(row.number("cycles_per_token"));
  }
  chart.curves.push_back(std::move(model));
  figure.charts.push_back(std::move(chart));
  return Done{};
}

}  // namespace sluice::inline figures
