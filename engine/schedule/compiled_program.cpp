// From a rewritten design to nodes of the program: timings, sizes, dies, lowering.

#include "engine/schedule/compiled_program.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/core/cancelled.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/lowering/fifo_simulation.h"
#include "engine/tensor/placement/block_bound.h"
#include "engine/tensor/placement/compiled_placement.h"
#include "engine/tensor/placement/platform.h"

namespace sluice::inline schedule {
namespace {

/// Depths found by running the design over and over: only where a run is short.
Result<Done> sizeSimulated(const Rewrite& rewrite, TensorCompilation& compilation) {
  constexpr std::int64_t most_tokens = 20'000;
  CompiledDesign& compiled = compilation.compiled;
  SLUICE_TRY(const DepthProblem problem, depthProblem(compiled, compilation.options));
  std::int64_t tokens = 0;
  for (const DepthGroup& group : problem.groups) tokens += group.tokens;
  if (tokens > most_tokens)
    return rewrite.problem("too-many",
                           "sizing by simulation takes many runs, of " + std::to_string(tokens) +
                               " tokens each; a step allows " + std::to_string(most_tokens),
                           "use larger tiles, or size the FIFOs with sluice-cli size-fifos --mode simulated");
  std::vector<std::vector<std::int64_t>> starts;
  for (const SizingMethod method :
       {SizingMethod::StartTime, SizingMethod::PathProgram, SizingMethod::AsSoonAsPossible}) {
    const Result<FifoSizing> closed = sizeDesign(compiled, method, sizingOptions(compilation.options));
    if (!closed) continue;
    starts.emplace_back();
    for (std::size_t stream = 0; stream < compiled.design.streams.size(); ++stream)
      starts.back().push_back(closed->fifos[stream].depth *
                              vectorsPerTile(compiled.design, compiled.design.streams[stream]));
  }
  const SimulatedSizing sizing =
      sizeBySimulation(problem, starts, {.most_simulations = 2000, .stop = rewrite.stop});
  if (rewrite.stop.stop_requested()) return cancelledDiagnostic();
  compiled.sizing.total_bytes = sizing.bytes;
  for (std::size_t fifo = 0; fifo < sizing.depths.size(); ++fifo) {
    DataflowStream& stream = compiled.design.streams[fifo];
    if (stream.folded) continue;
    stream.depth = sizing.depths[fifo];
    compiled.sizing.fifos[fifo].depth = ceilDiv(sizing.depths[fifo], vectorsPerTile(compiled.design, stream));
    compiled.sizing.fifos[fifo].bytes = problem.groups[fifo].bytesOf(sizing.depths[fifo]);
  }
  return Done{};
}

/// Puts the design on the platform that the step names, if it names one.
Result<Done> placeOnDies(const Rewrite& rewrite, TensorCompilation& compilation) {
  if (compilation.platform == "none") return Done{};
  SLUICE_TRY(const Platform platform, platformNamed(compilation.platform));
  PlacementOptions placement;
  placement.dies.stop = rewrite.stop;
  Result<PlacedDesign> placed = placeCompiled(std::move(compilation.compiled), compilation.options,
                                              BoundOptions{}.products_per_dsp, platform, placement);
  if (!placed) return rewrite.problem(placed.diagnostics());
  compilation.compiled = std::move(placed->compiled);
  return Done{};
}

/// Timings and sizes of the design as it is now.
Result<Done> finish(const Rewrite& rewrite, TensorCompilation& compilation) {
  compilation.options.stop = rewrite.stop;
  Result<CompiledDesign> compiled = finishCompiling(std::move(compilation.compiled), compilation.options);
  if (!compiled) return rewrite.problem(compiled.diagnostics());
  compilation.compiled = *std::move(compiled);
  SLUICE_CHECK(placeOnDies(rewrite, compilation));
  if (compilation.sizing == "simulated") SLUICE_CHECK(sizeSimulated(rewrite, compilation));
  compilation.options.stop = {};  // a request for something else must not end what is sized with these later
  return Done{};
}

/// The graph that a node of this path stands in, or stood in.
Result<Graph*> graphAround(const Rewrite& rewrite, const std::string& path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return &rewrite.document.program;
  SLUICE_TRY(Node * around, rewrite.region(path.substr(0, dot)));
  return &around->body->body;
}

/// `fresh` where the first of the nodes `gone` was, or at the end.
void replaceNodes(Graph& graph, const std::set<std::string>& gone, const Graph& fresh, bool at_end) {
  const auto goes = [&](const Node& node) { return gone.contains(node.name); };
  const auto ends = [&](const Stream& stream) {
    return gone.contains(stream.from.node) || gone.contains(stream.to.node);
  };
  const auto node = std::ranges::find_if(graph.nodes, goes) - graph.nodes.begin();
  const auto stream = std::ranges::find_if(graph.streams, ends) - graph.streams.begin();
  std::erase_if(graph.nodes, goes);
  std::erase_if(graph.streams, ends);
  graph.nodes.insert(at_end ? graph.nodes.end() : graph.nodes.begin() + node, fresh.nodes.begin(),
                     fresh.nodes.end());
  graph.streams.insert(at_end ? graph.streams.end() : graph.streams.begin() + stream, fresh.streams.begin(),
                       fresh.streams.end());
}

Result<Done> lower(const Rewrite& rewrite, CompiledProgram& program) {
  TensorCompilation& compilation = program.compilation;
  SLUICE_TRY(Graph * graph, graphAround(rewrite, compilation.node));
  const bool first = program.lowered.nodes.empty();
  std::set<std::string> gone;
  if (first) gone.insert(compilation.node.substr(compilation.node.rfind('.') + 1));
  for (const Node& node : program.lowered.graph.nodes) gone.insert(node.name);
  std::set<std::string> taken;
  for (const Node& other : graph->nodes)
    if (!gone.contains(other.name)) taken.insert(other.name);
  SLUICE_CHECK(finish(rewrite, compilation));
  Result<LoweredDesign> made =
      lowered(compilation.compiled, compilation.options.requests_per_cycle, std::move(taken));
  if (!made) return rewrite.problem(made.diagnostics());
  replaceNodes(*graph, gone, made->graph, first);
  program.lowered = *std::move(made);
  program.finished = true;
  return Done{};
}

template <class T>
bool containsInARow(const std::vector<T>& all, const std::vector<T>& some) {
  return some.empty() || !std::ranges::search(all, some).empty();
}

}  // namespace

Result<Done> lowerCompiled(Rewrite& rewrite) {
  for (auto& [path, program] : rewrite.compiled) {
    if (program->finished) continue;
    auto finished = std::make_shared<CompiledProgram>(*program);
    SLUICE_CHECK(lower(rewrite, *finished));
    program = std::move(finished);
  }
  return Done{};
}

bool standsAsLowered(const Rewrite& rewrite, const CompiledProgram& program) {
  const Result<Graph*> graph = graphAround(rewrite, program.compilation.node);
  if (!graph) return false;
  const Graph& made = program.lowered.graph;
  // As it was put there, in one piece, unless steps have put something in between.
  if (containsInARow((*graph)->nodes, made.nodes) && containsInARow((*graph)->streams, made.streams))
    return true;
  std::map<std::string, const Node*> nodes;
  for (const Node& node : (*graph)->nodes) nodes.emplace(node.name, &node);
  std::map<std::pair<std::string, std::string>, const Stream*> streams;
  for (const Stream& stream : (*graph)->streams)
    streams.emplace(std::pair(text(stream.from), text(stream.to)), &stream);
  const auto has_node = [&](const Node& node) {
    const auto found = nodes.find(node.name);
    return found != nodes.end() && *found->second == node;
  };
  const auto has_stream = [&](const Stream& stream) {
    const auto found = streams.find({text(stream.from), text(stream.to)});
    return found != streams.end() && *found->second == stream;
  };
  return std::ranges::all_of(made.nodes, has_node) && std::ranges::all_of(made.streams, has_stream);
}

}  // namespace sluice::inline schedule
