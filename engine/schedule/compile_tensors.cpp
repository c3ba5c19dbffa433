// compile_tensors: replaces a TensorProgram by the kernels, converters, transfers and sized FIFOs that it
// compiles to. Every choice of the compiler is an argument, so all of them may be knobs.

#include <algorithm>

#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/graph_edit.h"
#include "engine/schedule/transformation.h"
#include "engine/tensor/compile.h"

namespace sluice::schedule {
namespace {

const std::vector<std::string> memories = {"converters", "local", "dma"};
const std::vector<std::string> sizings = {"paper", "start_time", "asap"};

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
  options.sizing = chosen<SizingMethod>(sizings, args.text("sizing"));
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

Result<Done> apply(Rewrite& rewrite, const Arguments& args) {
  const std::string& path = args.text("node");
  const Result<Graph*> graph = rewrite.graphOf(path);
  if (!graph) return graph.diagnostics();
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
  const Result<CompiledDesign> compiled = compile(*program, *options);
  if (!compiled) {
    const Diagnostic& first = compiled.diagnostics().front();
    return rewrite.problem(first.place + ": " + first.cause, first.mend);
  }
  const std::string name = path.substr(path.rfind('.') + 1);
  LoweringOptions lowering{options->requests_per_cycle, {}};
  for (const Node& other : (*graph)->nodes)
    if (other.name != name) lowering.taken_names.insert(other.name);
  Result<LoweredDesign> result = lowered(compiled->design, compiled->timings, lowering);
  if (!result) return result.diagnostics();
  GraphEdit(**graph).erase(name);
  for (Node& added : result->graph.nodes) (*graph)->nodes.push_back(std::move(added));
  for (Stream& added : result->graph.streams) (*graph)->streams.push_back(std::move(added));
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
       {nodeArgument("node", "the TensorProgram to compile"),
        integerArgument("tile", "largest tile of a loop", Value(16)),
        integerArgument("unroll", "operations at once, of all kernels together", Value(4096)),
        integerArgument("on_chip_kib",
                        "memory of a group of kernels that stream to each other, in KiB; a U55C has 41 MiB",
                        Value(41984)),
        optionalChoice("memory", memories, "converters",
                       "what fills it: converters, the kernels' local tiles as well, transfers' buffers as well"),
        optionalChoice("layout", {"packed", "row_major"}, "packed",
                       "how tensors lie in external memory; packed: tile by tile"),
        optionalChoice("sizing", sizings, "start_time",
                       "depths of FIFOs: the published linear program, the best start times, starts as soon "
                       "as possible"),
        optionalChoice("equalisation", {"normal", "conservative"}, "conservative",
                       "pace that depths are computed for: each kernel's own, or for all that of the slowest"),
        integerArgument("requests_per_cycle", "to external memory, of one transfer", Value(4))}},
      apply};
  return definition;
}

}  // namespace sluice::schedule
