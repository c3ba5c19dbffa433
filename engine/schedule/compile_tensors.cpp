// compile_tensors: replaces a TensorProgram by the kernels, converters, transfers and sized FIFOs that it
// compiles to. Every choice of the compiler is an argument, so all of them may be knobs.

#include "engine/schedule/compile_tensors.h"

#include <algorithm>
#include <set>

#include "engine/core/cancelled.h"
#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/graph_edit.h"
#include "engine/schedule/node_roles.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/lowering/fifo_simulation.h"
#include "engine/tensor/placement/block_bound.h"
#include "engine/tensor/placement/compiled_placement.h"
#include "engine/tensor/placement/platform.h"
#include "engine/tensor/programs/stacked_program.h"
#include "engine/tensor/programs/tensor_program_text.h"

namespace sluice::schedule {
namespace {

const std::vector<std::string> memories = {"converters", "local", "dma"};
const std::vector<std::string> searches = {"greedy", "optimal"};
const std::vector<std::string> orders = {"order-free", "printed", "slides"};
const std::vector<std::string> parallelizations = {"slowest", "ia+ca", "ia", "ca", "naive"};
const std::vector<std::string> budgets = {"sum", "product", "per_kernel"};
const std::vector<std::string> factors = {"powers_of_two", "divisors"};
const std::vector<std::string> permutations = {"reductions_outward", "as_written"};
const std::vector<std::string> vectors = {"tiles", "unroll", "bus"};
const std::vector<std::string> folds = {"none", "free"};
const std::vector<std::string> rewrite_starts = {"materialised", "abstract"};
const std::vector<std::string> sizings = {"paper", "start_time", "asap", "simulated"};
const std::vector<std::string> equalisations = {"normal", "conservative"};

/// The names are in the order of the enumeration.
template <class Enumeration>
Enumeration chosen(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<Enumeration>(std::find(names.begin(), names.end(), name) - names.begin());
}

TilingOptions tilingOf(const Arguments& args) {
  TilingOptions tiling;
  tiling.default_tile_size = args.integer("tile");
  tiling.overall_unroll_size = args.integer("unroll");
  tiling.budget = chosen<UnrollBudget>(budgets, args.text("budget"));
  tiling.factors = chosen<UnrollFactors>(factors, args.text("factors"));
  tiling.parallelization = parallelizationModeNamed(args.text("parallelization"));
  tiling.reductions_outward = args.text("permutation") == permutations[0];
  tiling.most_banks = args.integer("banks");
  return tiling;
}

CompileOptions optionsOf(const Arguments& args) {
  CompileOptions options;
  options.tiling = tilingOf(args);
  options.on_chip_bytes = args.integer("on_chip_kib") * 1024;
  options.memory = chosen<FusionMemory>(memories, args.text("memory"));
  options.fusion = chosen<FusionSearch>(searches, args.text("fusion"));
  options.converters = chosen<ConverterOrder>(orders, args.text("converters"));
  options.packed = args.text("layout") == "packed";
  options.vectors = chosen<StreamVectors>(vectors, args.text("vectors"));
  options.fold = args.text("fold") == "free";
  options.rewrite_start = chosen<RewriteStart>(rewrite_starts, args.text("rewrite_from"));
  options.rewrites = args.texts("rewrites");
  if (args.text("sizing") != "simulated") options.sizing = chosen<SizingMethod>(sizings, args.text("sizing"));
  options.equalisation = chosen<Equalisation>(equalisations, args.text("equalisation"));
  options.requests_per_cycle = args.integer("requests_per_cycle");
  return options;
}

/// What is wrong with the design, as the step's problem.
Diagnostic problemOf(const Rewrite& rewrite, const Diagnostics& found) {
  if (isCancelled(found)) return found.front();
  return rewrite.problem(text(found.front().place) + ": " + found.front().cause, found.front().fix);
}

Result<TensorProgram> programOf(const FlatOperator& node) {
  const Parameters& parameters = node.parameters;
  if (parameters.string("text").empty())
    return blockProgram(parameters.string("model"), parameters.string("phase"), parameters.integer("tokens"),
                        parameters.string("quantisation"), parameters.integer("blocks"));
  const Result<TensorProgram> written = parseTensorProgram(parameters.string("text"), "text");
  return written ? stacked(*written, parameters.integer("blocks")) : written;
}

/// The program of the node with its parameters bound; in a region, that of all its instances.
Result<TensorProgram> boundProgram(const Rewrite& rewrite, const FlatGraph& graph, const std::string& path) {
  std::optional<TensorProgram> program;
  for (const FlatOperator& op : graph.operators) {
    if (op.origin != path || !definitionOf(op).holds_program) continue;
    Result<TensorProgram> own = programOf(op);
    if (!own) return problemOf(rewrite, own.diagnostics());
    if (program && *own != *program)
      return rewrite.problem("'" + op.name + "' is another program than the first instance of '" + path + "'",
                             "give all instances of the region the same parameters: they are compiled once");
    program = *std::move(own);
  }
  if (program) return *std::move(program);
  return rewrite.problem("'" + path + "' is no tensor program",
                         "name a node of kind TensorProgram, for example the palette's");
}

/// Depths found by running the design over and over: only where a run is short.
Result<Done> sizeSimulated(const Rewrite& rewrite, TensorCompilation& compilation) {
  constexpr std::int64_t most_tokens = 20'000;
  CompiledDesign& compiled = compilation.compiled;
  const Result<DepthProblem> problem = depthProblem(compiled, compilation.options);
  if (!problem) return problem.diagnostics();
  std::int64_t tokens = 0;
  for (const DepthGroup& group : problem->groups) tokens += group.tokens;
  if (tokens > most_tokens)
    return rewrite.problem("sizing by simulation takes many runs, of " + std::to_string(tokens) +
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
      sizeBySimulation(*problem, starts, {.most_simulations = 2000, .stop = rewrite.stop});
  if (rewrite.stop.stop_requested()) return cancelledDiagnostic();
  compiled.sizing.total_bytes = sizing.bytes;
  for (std::size_t fifo = 0; fifo < sizing.depths.size(); ++fifo) {
    DataflowStream& stream = compiled.design.streams[fifo];
    if (stream.folded) continue;
    stream.depth = sizing.depths[fifo];
    compiled.sizing.fifos[fifo].depth = ceilDiv(sizing.depths[fifo], vectorsPerTile(compiled.design, stream));
    compiled.sizing.fifos[fifo].bytes = problem->groups[fifo].bytesOf(sizing.depths[fifo]);
  }
  return Done{};
}

/// Puts the design on the platform that the step names, if it names one.
Result<Done> placeOnDies(const Rewrite& rewrite, const Arguments& args, TensorCompilation& compilation) {
  if (args.text("platform") == "none") return Done{};
  const Result<Platform> platform = platformNamed(args.text("platform"));
  if (!platform) return platform.diagnostics();
  PlacementOptions placement;
  placement.dies.stop = rewrite.stop;
  Result<PlacedDesign> placed = placeCompiled(std::move(compilation.compiled), compilation.options,
                                              BoundOptions{}.products_per_dsp, *platform, placement);
  if (!placed) return problemOf(rewrite, placed.diagnostics());
  compilation.compiled = std::move(placed->compiled);
  return Done{};
}

Result<TensorCompilation> compileNode(const Rewrite& rewrite, const Arguments& args) {
  const std::string& path = args.text("program");
  if (const Result<Graph*> graph = rewrite.graphOf(path); !graph) return graph.diagnostics();
  const Result<FlatGraph> flat = elaborate(rewrite.document, rewrite.knobs, builtInCatalog(), rewrite.stop);
  if (!flat) return flat.diagnostics();
  const Result<TensorProgram> program = boundProgram(rewrite, *flat, path);
  if (!program) return program.diagnostics();
  CompileOptions options = optionsOf(args);
  options.machine = flat->machine;
  options.stop = rewrite.stop;
  Result<CompiledDesign> compiled = compile(*program, options);
  if (!compiled) return problemOf(rewrite, compiled.diagnostics());
  TensorCompilation compilation{path, std::move(options), *std::move(compiled), args.text("sizing")};
  if (const Result<Done> placed = placeOnDies(rewrite, args, compilation); !placed)
    return placed.diagnostics();
  if (compilation.sizing == "simulated")
    if (const Result<Done> sized = sizeSimulated(rewrite, compilation); !sized) return sized.diagnostics();
  compilation.options.stop = {};  // a request for something else must not end what is sized with these later
  return compilation;
}

/// The node's name in its own graph.
std::string nameIn(const TensorCompilation& compilation) {
  return compilation.node.substr(compilation.node.rfind('.') + 1);
}

/// What takes the program's place in `graph`, whose other nodes keep their names.
Result<LoweredDesign> loweredInto(const Graph& graph, const TensorCompilation& compilation) {
  std::set<std::string> taken;
  for (const Node& other : graph.nodes)
    if (other.name != nameIn(compilation)) taken.insert(other.name);
  return lowered(compilation.compiled, compilation.options.requests_per_cycle, std::move(taken));
}

struct Made {
  TensorCompilation compilation;
  LoweredDesign lowered;
};

Result<Made> compileInto(Rewrite& rewrite, const Arguments& args) {
  Result<TensorCompilation> compilation = compileNode(rewrite, args);
  if (!compilation) return compilation.diagnostics();
  Graph& graph = **rewrite.graphOf(compilation->node);
  Result<LoweredDesign> result = loweredInto(graph, *compilation);
  if (!result) return problemOf(rewrite, result.diagnostics());
  GraphEdit(graph).erase(nameIn(*compilation));
  graph.nodes.insert(graph.nodes.end(), result->graph.nodes.begin(), result->graph.nodes.end());
  graph.streams.insert(graph.streams.end(), result->graph.streams.begin(), result->graph.streams.end());
  return Made{*std::move(compilation), *std::move(result)};
}

Result<Done> apply(Rewrite& rewrite, const Arguments& args) {
  const Result<Made> made = compileInto(rewrite, args);
  if (!made) return made.diagnostics();
  return Done{};
}

ArgumentSpec optionalChoice(std::string name, const std::vector<std::string>& choices,
                            const std::string& initial, std::string help) {
  ArgumentSpec argument = choiceArgument(std::move(name), choices, std::move(help));
  argument.initial = Value(initial);
  return argument;
}

std::vector<ArgumentSpec> loopArguments() {
  return {integerArgument("tile", "largest tile of a loop", Value(16)),
          optionalChoice("parallelization", parallelizations, "slowest",
                         "which kernels are unrolled: the slowest again and again (StreamTensor), or HIDA's "
                         "intensity-aware (ia), connection-aware (ca) or naive factors"),
          integerArgument("unroll",
                          "operations at once: of all kernels together, with HIDA's factors of the most "
                          "intense one (at most 16384)",
                          Value(4096)),
          optionalChoice("budget", budgets, "sum",
                         "what unroll bounds where the slowest kernel is unrolled: the sum or product over "
                         "the kernels, or each of them"),
          optionalChoice("factors", factors, "powers_of_two", "by which a loop may be unrolled"),
          optionalChoice("permutation", permutations, "reductions_outward",
                         "order of the loops in a tile; reductions outside keep sums apart"),
          integerArgument("banks", "of one tensor on chip at most, of two ports each", Value(65536))};
}

std::vector<ArgumentSpec> designArguments() {
  return {
      integerArgument("on_chip_kib",
                      "memory of a group of kernels that stream to each other, in KiB; a U55C has 41 MiB",
                      Value(41984), {1, std::int64_t{1} << 40}),
      optionalChoice(
          "memory", memories, "converters",
          "what fills it: converters, the kernels' local tiles as well, transfers' buffers as well"),
      optionalChoice("fusion", searches, "greedy",
                     "which kernels share a group: the published algorithm, or the least traffic (at most 20 "
                     "kernels)"),
      optionalChoice("converters", orders, "order-free",
                     "how the loops that two streams share are found: the smallest buffer, as the paper "
                     "prints it, as its slides do"),
      optionalChoice("layout", {"packed", "row_major"}, "packed",
                     "how tensors lie in external memory; packed: tile by tile"),
      optionalChoice("fold", folds, "none",
                     "free: streams that need no more than one buffer's two halves have no FIFO"),
      optionalChoice("vectors", vectors, "tiles",
                     "what streams on chip send at once: whole tiles, what the unrolled kernels work on, or "
                     "512 bits"),
      optionalChoice("rewrite_from", rewrite_starts, "materialised",
                     "what rewrites begin with; abstract: converters and transfers are not tasks yet"),
      {"rewrites",
       ArgumentKind::Texts,
       Value(std::vector<Value>{}),
       {},
       "rewrites of the design, as 'sluice-cli compile --list-rewrites' writes them"}};
}

std::vector<ArgumentSpec> sizingArguments() {
  return {
      optionalChoice("sizing", sizings, "start_time",
                     "depths of FIFOs: the published linear program, the best start times, starts as soon "
                     "as possible, or the least that keep the rate in the simulator (short programs)"),
      optionalChoice("equalisation", equalisations, "conservative",
                     "pace that depths are computed for: each kernel's own, or for all that of the slowest"),
      optionalChoice("platform", {"none", "u55c", "u280", "generic"}, "none",
                     "card whose dies the tasks lie on; streams between dies pass registers"),
      integerArgument("requests_per_cycle", "to external memory, of one transfer", Value(4), {1, 65536})};
}

std::vector<ArgumentSpec> allArguments() {
  std::vector<ArgumentSpec> all = {
      operatorArgument("program", holdsTensorProgram, "the node of kind TensorProgram to compile")};
  for (const std::vector<ArgumentSpec>& some : {loopArguments(), designArguments(), sizingArguments()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace

const Transformation& compileTensors() {
  static const Transformation definition{
      {"compile_tensors", "Compiles a tensor program to kernels, layout converters and sized FIFOs.",
       "StreamTensor 4 and 5", allArguments(),
       "The tensor program becomes kernels, layout converters, loads and stores with sized FIFOs, whose "
       "streams carry the tiles of iterative tensors. On-chip memory: local buffers, converters and FIFOs. "
       "Traffic: what no group of fused kernels keeps on chip. Time: the initiation intervals and delays of "
       "the kernels."},
      apply};
  return definition;
}

}  // namespace sluice::schedule

namespace sluice {

Result<CompiledStep> applyCompileStep(Scheme scheme, const ScheduleStep& step, const KnobValues& knobs,
                                      const Location& place, const std::stop_token& stop) {
  const Result<Arguments> arguments = argumentsOf(step, scheme.document, knobs, place);
  if (!arguments) return arguments.diagnostics();
  Rewrite rewrite(scheme, knobs, place, stop);
  Result<schedule::Made> made = schedule::compileInto(rewrite, *arguments);
  if (!made) return made.diagnostics();
  return CompiledStep{std::move(scheme), std::move(made->compilation), std::move(made->lowered)};
}

Result<std::vector<CompiledStep>> compileSteps(const Document& document, const InputSet& inputs,
                                               const KnobValues& knobs, std::size_t most,
                                               const std::stop_token& stop) {
  Scheme scheme{document, inputs};
  scheme.document.schedule.clear();
  std::vector<CompiledStep> found;
  for (std::size_t i = 0; i < document.schedule.size() && found.size() < most; ++i) {
    const ScheduleStep& step = document.schedule[i];
    if (!step.enabled) continue;
    const Location place = placeOf(step, i);
    if (step.transformation == "compile_tensors") {
      Result<CompiledStep> made = applyCompileStep(std::move(scheme), step, knobs, place, stop);
      if (!made) return made.diagnostics();
      scheme = made->scheme;
      found.push_back(*std::move(made));
      continue;
    }
    Result<Scheme> next = applyStep(std::move(scheme), step, knobs, place, stop);
    if (!next) return next.diagnostics();
    scheme = *std::move(next);
  }
  if (!found.empty()) return found;
  return Diagnostic{Severity::Error, "the schedule", "it has no step that compiles tensors",
                    "add compile_tensors with the name of a TensorProgram"};
}

bool compilesTensors(const Document& document) {
  return std::ranges::any_of(document.schedule, [](const ScheduleStep& step) {
    return step.enabled && step.transformation == "compile_tensors";
  });
}

Result<TensorCompilation> tensorCompilation(const Document& document, const InputSet& inputs,
                                            const KnobValues& knobs, const std::stop_token& stop) {
  Result<std::vector<CompiledStep>> steps = compileSteps(document, inputs, knobs, 1, stop);
  if (!steps) return steps.diagnostics();
  return std::move(steps->front().compilation);
}

Document tensorProgramDocument(const TensorProgram& program) {
  Document document;
  document.title = program.name;
  document.machine.reference_mode = false;
  document.machine.mock_bf16 = false;
  document.program.nodes = {{"program", "TensorProgram", {{"text", Value(text(program))}}, {}, {}}};
  Values arguments = {{"program", Value("program")}};
  // Every kernel does an operation at once; some to spare, so that the slowest can be unrolled.
  const auto operators = static_cast<std::int64_t>(program.operators.size());
  if (operators > CompileOptions{}.tiling.overall_unroll_size)
    arguments.emplace("unroll", Value(2 * operators));
  document.schedule = {{"compile_tensors", std::move(arguments), true}};
  return document;
}

}  // namespace sluice
