// compile_tensors: replaces a TensorProgram by the kernels, converters, transfers and sized FIFOs that it
// compiles to. Every choice of the compiler is an argument, so all of them may be knobs.

#include "engine/schedule/compile_tensors.h"

#include <algorithm>

#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/graph_edit.h"
#include "engine/tensor/fifo_simulation.h"

namespace sluice::schedule {
namespace {

const std::vector<std::string> memories = {"converters", "local", "dma"};
const std::vector<std::string> sizings = {"paper", "start_time", "asap", "simulated"};

template <class Enumeration>
Enumeration chosen(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<Enumeration>(std::find(names.begin(), names.end(), name) - names.begin());
}

Result<CompileOptions> optionsOf(const Rewrite& rewrite, const Arguments& args) {
  if (args.integer("on_chip_kib") > std::int64_t{1} << 40)
    return rewrite.problem("on_chip_kib = " + std::to_string(args.integer("on_chip_kib")),
                           "give at most 2^40");
  CompileOptions options;
  options.tiling.default_tile_size = args.integer("tile");
  options.tiling.overall_unroll_size = args.integer("unroll");
  options.on_chip_bytes = args.integer("on_chip_kib") * 1024;
  options.memory = chosen<FusionMemory>(memories, args.text("memory"));
  options.packed = args.text("layout") == "packed";
  if (args.text("sizing") != "simulated") options.sizing = chosen<SizingMethod>(sizings, args.text("sizing"));
  options.equalisation =
      args.text("equalisation") == "normal" ? Equalisation::Normal : Equalisation::Conservative;
  options.requests_per_cycle = args.integer("requests_per_cycle");
  return options;
}

/// The node with its parameters bound.
Result<FlatOperator> boundNode(const Rewrite& rewrite, const FlatGraph& graph, const std::string& path) {
  for (const FlatOperator& op : graph.operators)
    if (op.origin == path && op.spec->kind == "TensorProgram") return op;
  return rewrite.problem("'" + path + "' is no tensor program",
                         "name a node of kind TensorProgram, for example the palette's");
}

/// Depths found by running the design over and over: only where a run is short.
Result<Done> sizeSimulated(const Rewrite& rewrite, TensorCompilation& compilation) {
  constexpr std::int64_t most_tokens = 20'000;
  CompiledDesign& compiled = compilation.compiled;
  const Result<FifoProblem> problem = fifoProblem(compiled, compilation.options);
  if (!problem) return problem.diagnostics();
  std::int64_t tokens = 0;
  for (const std::int64_t count : problem->tokens) tokens += count;
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
    for (const SizedFifo& fifo : closed->fifos) starts.back().push_back(fifo.depth);
  }
  const SimulatedSizing sizing = sizeBySimulation(*problem, starts, {.most_simulations = 2000});
  compiled.sizing.total_bytes = sizing.bytes;
  for (std::size_t fifo = 0; fifo < sizing.depths.size(); ++fifo) {
    compiled.design.streams[fifo].depth = compiled.sizing.fifos[fifo].depth = sizing.depths[fifo];
    compiled.sizing.fifos[fifo].bytes =
        ceilDiv(static_cast<Bytes>(sizing.depths[fifo] * problem->token_bits[fifo]), 8);
  }
  return Done{};
}

Result<TensorCompilation> compileNode(const Rewrite& rewrite, const Arguments& args) {
  const std::string& path = args.text("program");
  if (const Result<Graph*> graph = rewrite.graphOf(path); !graph) return graph.diagnostics();
  const Result<FlatGraph> flat = elaborate(rewrite.document, rewrite.knobs, builtInCatalog());
  if (!flat) return flat.diagnostics();
  const Result<FlatOperator> node = boundNode(rewrite, *flat, path);
  if (!node) return node.diagnostics();
  Result<CompileOptions> options = optionsOf(rewrite, args);
  if (!options) return options.diagnostics();
  options->machine = flat->machine;
  const Parameters& parameters = node->parameters;
  const Result<TensorProgram> program =
      blockProgram(parameters.string("model"), parameters.string("phase"), parameters.integer("tokens"),
                   parameters.string("quantisation"));
  if (!program) return program.diagnostics();
  Result<CompiledDesign> compiled = compile(*program, *options);
  if (!compiled) {
    const Diagnostic& first = compiled.diagnostics().front();
    return rewrite.problem(first.place + ": " + first.cause, first.mend);
  }
  TensorCompilation compilation{path, *std::move(options), *std::move(compiled), args.text("sizing")};
  if (compilation.sizing != "simulated") return compilation;
  if (const Result<Done> sized = sizeSimulated(rewrite, compilation); !sized) return sized.diagnostics();
  return compilation;
}

/// The node's name in its own graph.
std::string nameIn(const TensorCompilation& compilation) {
  return compilation.node.substr(compilation.node.rfind('.') + 1);
}

Result<Done> apply(Rewrite& rewrite, const Arguments& args) {
  const Result<TensorCompilation> compilation = compileNode(rewrite, args);
  if (!compilation) return compilation.diagnostics();
  Graph& graph = **rewrite.graphOf(compilation->node);
  Result<LoweredDesign> result = loweredInto(graph, *compilation);
  if (!result) return result.diagnostics();
  GraphEdit(graph).erase(nameIn(*compilation));
  for (Node& added : result->graph.nodes) graph.nodes.push_back(std::move(added));
  for (Stream& added : result->graph.streams) graph.streams.push_back(std::move(added));
  return Done{};
}

ArgumentSpec optionalChoice(std::string name, const std::vector<std::string>& choices,
                            const std::string& initial, std::string help) {
  ArgumentSpec argument = choiceArgument(std::move(name), choices, std::move(help));
  argument.initial = Value(initial);
  return argument;
}

}  // namespace

const Transformation& compileTensors() {
  static const Transformation definition{
      {"compile_tensors",
       "Compiles a tensor program to kernels, layout converters and sized FIFOs.",
       "StreamTensor 4 and 5",
       {nodeArgument("program", "the node of kind TensorProgram to compile"),
        integerArgument("tile", "largest tile of a loop", Value(16)),
        integerArgument("unroll", "operations at once, of all kernels together", Value(4096)),
        integerArgument("on_chip_kib",
                        "memory of a group of kernels that stream to each other, in KiB; a U55C has 41 MiB",
                        Value(41984)),
        optionalChoice(
            "memory", memories, "converters",
            "what fills it: converters, the kernels' local tiles as well, transfers' buffers as well"),
        optionalChoice("layout", {"packed", "row_major"}, "packed",
                       "how tensors lie in external memory; packed: tile by tile"),
        optionalChoice("sizing", sizings, "start_time",
                       "depths of FIFOs: the published linear program, the best start times, starts as soon "
                       "as possible, or the least that keep the rate in the simulator (short programs)"),
        optionalChoice(
            "equalisation", {"normal", "conservative"}, "conservative",
            "pace that depths are computed for: each kernel's own, or for all that of the slowest"),
        integerArgument("requests_per_cycle", "to external memory, of one transfer", Value(4))}},
      apply};
  return definition;
}

}  // namespace sluice::schedule

namespace sluice {

Result<LoweredDesign> loweredInto(const Graph& graph, const TensorCompilation& compilation) {
  LoweringOptions lowering{compilation.options.requests_per_cycle, {}};
  for (const Node& other : graph.nodes)
    if (other.name != schedule::nameIn(compilation)) lowering.taken_names.insert(other.name);
  return lowered(compilation.compiled.design, compilation.compiled.timings, lowering);
}

Result<TensorCompilation> tensorCompilation(const Document& document, const InputSet& inputs,
                                            const KnobValues& knobs) {
  Scheme scheme{document, inputs};
  scheme.document.schedule.clear();
  for (std::size_t i = 0; i < document.schedule.size(); ++i) {
    const ScheduleStep& step = document.schedule[i];
    if (!step.enabled) continue;
    const std::string place = "schedule step " + std::to_string(i + 1) + ", " + step.transformation;
    if (step.transformation == "compile_tensors") {
      const Result<Arguments> arguments = argumentsOf(step, scheme.document, knobs, place);
      if (!arguments) return arguments.diagnostics();
      return schedule::compileNode(Rewrite(scheme, knobs, place), *arguments);
    }
    Result<Scheme> next = applyStep(std::move(scheme), step, knobs, place);
    if (!next) return next.diagnostics();
    scheme = *std::move(next);
  }
  return Diagnostic{Severity::Error, "the schedule", "it has no step that compiles tensors",
                    "add compile_tensors with the name of a TensorProgram"};
}

}  // namespace sluice
