// compile_tensors: replaces a TensorProgram by the kernels, converters, transfers and sized FIFOs that it
// compiles to. Every choice of the compiler is an argument, so all of them may be knobs. Steps behind it
// rewrite the design (design_rewrites.cpp) before it is lowered (compiled_program.cpp).

#include "engine/schedule/compile_tensors.h"

#include <algorithm>

#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/node_roles.h"
#include "engine/schedule/proposals.h"
#include "engine/schedule/schedule.h"
#include "engine/tensor/programs/quantised_program.h"
#include "engine/tensor/programs/repeated_layers.h"
#include "engine/tensor/programs/sized_text.h"
#include "engine/tensor/programs/stacked_program.h"
#include "engine/tensor/programs/tensor_program_text.h"

namespace sluice::inline schedule::compile_tensors {
namespace {

const std::vector<std::string> memories = {"converters", "local", "dma"};
const std::vector<std::string> searches = {"greedy", "optimal"};
const std::vector<std::string> layers = {"apart", "together"};
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
  options.layers_apart = args.text("layers") == layers[0];
  options.converters = chosen<ConverterOrder>(orders, args.text("converters"));
  options.packed = args.text("layout") == "packed";
  options.vectors = chosen<StreamVectors>(vectors, args.text("vectors"));
  options.fold = args.text("fold") == "free";
  options.rewrite_start = chosen<RewriteStart>(rewrite_starts, args.text("rewrite_from"));
  if (args.text("sizing") != "simulated") options.sizing = chosen<SizingMethod>(sizings, args.text("sizing"));
  options.equalisation = chosen<Equalisation>(equalisations, args.text("equalisation"));
  options.requests_per_cycle = args.integer("requests_per_cycle");
  return options;
}

/// The program of the node with its parameters bound; in a region, that of all its instances.
Result<TensorProgram> boundProgram(const Rewrite& rewrite, const FlatGraph& graph, const std::string& path) {
  std::optional<TensorProgram> program;
  std::string first;  // instance of it
  for (const FlatOperator& op : graph.operators) {
    if (op.origin != path || !definitionOf(op).holds_program) continue;
    Result<TensorProgram> own = tensorProgramOf(op);
    if (!own) return rewrite.problem(own.diagnostics());
    if (program && *own != *program) {
      Diagnostic differs =
          rewrite.problem("'" + op.name + "' is another program than the first instance of '" + path + "'",
                          "give all instances of the region the same parameters: they are compiled once");
      differs.related = {Location(Where::Operator, first)};
      return differs;
    }
    if (!program) first = op.name;
    program = *std::move(own);
  }
  if (program) return *std::move(program);
  return rewrite.problem("'" + path + "' is no tensor program",
                         "name a node of kind TensorProgram, for example the palette's");
}

Result<Done> apply(Rewrite& rewrite, const Arguments& args) {
  const std::string& path = args.text("program");
  SLUICE_CHECK(rewrite.graphOf(path));
  SLUICE_TRY(const FlatGraph flat,
             elaborate(rewrite.document, rewrite.knobs, builtInCatalog(), rewrite.stop));
  SLUICE_TRY(TensorProgram program, boundProgram(rewrite, flat, path));
  SLUICE_TRY(program, withQuantisation(std::move(program), args.text("quantisation")));
  CompileOptions options = optionsOf(args);
  options.machine = flat.machine;
  options.stop = rewrite.stop;
  Result<CompiledDesign> compiled = startCompiling(program, options);
  if (!compiled) return rewrite.problem(compiled.diagnostics());
  CompiledProgram made{
      {path, std::move(options), *std::move(compiled), args.text("sizing"), args.text("platform")}};
  made.compilation.options.stop = {};
  made.position = rewrite.compiled.size();
  rewrite.compiled[path] = std::make_shared<const CompiledProgram>(std::move(made));
  return Done{};
}

ArgumentSpec optionalChoice(std::string name, const std::vector<std::string>& choices,
                            const std::string& initial, std::string help) {
  ArgumentSpec argument = choiceArgument(std::move(name), choices, std::move(help));
  argument.initial = Value(initial);
  return argument;
}

std::vector<ArgumentSpec> loopArguments() {
  return {
      optionalChoice(
          "quantisation", quantisations(), "as_written",
          "other widths of weights and activations than the program has, in bytes moved and kept; the "
          "values that functional mode computes stay unrounded. mixed: products of W4A8, all else in bf16"),
      integerArgument("tile", "largest tile of a loop", Value(16)),
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
      optionalChoice(
          "layers", layers, "apart",
          "equal layers that follow each other: groups of their own, each with all of unroll, or in "
          "one where memory allows"),
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
      optionalChoice(
          "rewrite_from", rewrite_starts, "materialised",
          "what rewriting steps begin with; abstract: converters and transfers are not tasks yet")};
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

/// The choices of an argument, without those that are left out.
std::vector<Value> choicesOf(const ArgumentSpec& argument, const std::vector<std::string>& without) {
  std::vector<Value> some;
  for (const std::string& choice : argument.choices)
    if (std::ranges::find(without, choice) == without.end()) some.emplace_back(choice);
  return some;
}

/// What makes sense for the whole numbers of a program.
std::vector<std::int64_t> numbersOf(const TensorProgram& program, const std::string& argument) {
  std::int64_t largest = 1;
  for (const TensorValue& tensor : program.tensors)
    for (const std::int64_t extent : tensor.shape) largest = std::max(largest, extent);
  if (argument == "tile") return powersOfTwo(1, std::min<std::int64_t>(largest, 1024));
  // Every kernel does an operation at once.
  if (argument == "unroll") return powersOfTwo(static_cast<std::int64_t>(program.operators.size()), 16384);
  if (argument == "banks") return powersOfTwo(16, 65536);
  if (argument == "on_chip_kib") return merged(powersOfTwo(512, 32768), {41984});
  return powersOfTwo(1, 64);  // requests_per_cycle
}

/// Arguments that others make idle.
std::vector<ArgumentDomain::Condition> conditionsOf(const std::string& argument) {
  if (argument == "budget") return {{"parallelization", {"slowest"}}};
  if (argument == "layers") return {{"fusion", {"greedy"}}};
  return {};
}

Proposal proposalFor(Sites& sites, const std::string& path, const TensorProgram& program) {
  Proposal proposal{sites.step({{"program", path}})};
  for (const ArgumentSpec& argument : allArguments()) {
    if (argument.kind == ArgumentKind::Integer) {
      proposal.domains.push_back(numbers(argument.name, numbersOf(program, argument.name)));
    } else if (argument.kind == ArgumentKind::Choice) {
      std::vector<std::string> without;
      // The optimum is searched for few kernels, and only short programs can be sized by runs.
      if (argument.name == "fusion" && program.operators.size() > most_optimal_kernels) without = {"optimal"};
      if (argument.name == "sizing") without = {"simulated"};
      if (argument.name == "layers" && repeatedLayers(program).count == 0) continue;
      proposal.domains.push_back(
          choices(argument.name, choicesOf(argument, without), conditionsOf(argument.name)));
    }
  }
  std::erase_if(proposal.domains, [](const ArgumentDomain& domain) { return domain.values.empty(); });
  proposal.expected = {{"off_chip_bytes", ExpectedChange::Direction::Down},
                       {"on_chip_bytes", ExpectedChange::Direction::Up}};
  return proposal;
}

std::vector<Proposal> proposals(Sites& sites) {
  std::vector<Proposal> found;
  for (const std::string& path : sites.names("program")) {
    Rewrite& typed = sites.typed();
    const Result<FlatGraph> flat = elaborate(typed.document, typed.knobs, builtInCatalog(), sites.stop());
    if (!flat) continue;
    const Result<TensorProgram> program = boundProgram(typed, *flat, path);
    ScheduleStep step = sites.step({{"program", path}});
    if (!program) {
      sites.refuse(std::move(step), program.diagnostics());
      continue;
    }
    // As tensorProgramDocument() does: the default may be too little for many kernels.
    Proposal proposal = proposalFor(sites, path, *program);
    const auto unroll = std::ranges::find(proposal.domains, "unroll", &ArgumentDomain::argument);
    if (unroll != proposal.domains.end()) step.arguments["unroll"] = unroll->values.back();
    if (sites.applies(step)) found.push_back(std::move(proposal));
  }
  return found;
}

}  // namespace

const Transformation& definition() {
  static const Transformation definition{
      {"compile_tensors", "Compiles a tensor program to kernels, layout converters and sized FIFOs.",
       "StreamTensor 4 and 5", allArguments(),
       "The tensor program becomes kernels, layout converters, loads and stores with sized FIFOs, whose "
       "streams carry the tiles of iterative tensors. On-chip memory: local buffers, converters and FIFOs. "
       "Traffic: what no group of fused kernels keeps on chip. Time: the initiation intervals and delays of "
       "the kernels."},
      apply,
      nullptr,
      proposals};
  return definition;
}

}  // namespace sluice::inline schedule::compile_tensors

namespace sluice::inline schedule {

void eraseTensorPrograms(Graph& graph) {
  std::erase_if(graph.nodes, holdsTensorProgram);
  for (Node& node : graph.nodes)
    if (node.body) eraseTensorPrograms(node.body->body);
}

Result<TensorProgram> tensorProgramOf(const FlatOperator& node) {
  const Parameters& parameters = node.parameters;
  if (parameters.string("text").empty())
    return blockProgram(parameters.string("model"), parameters.string("phase"), parameters.integer("tokens"),
                        parameters.string("quantisation"), parameters.integer("blocks"));
  std::vector<std::int64_t> sizes;
  for (const BoundInteger& size : parameters.list("sizes")) sizes.push_back(size.value);
  SLUICE_TRY(const std::string concrete, withSizes(parameters.string("text"), sizes, "text"));
  const Result<TensorProgram> written = parseTensorProgram(concrete, "text");
  return written ? stacked(*written, parameters.integer("blocks")) : written;
}

bool compilesTensors(const ScheduleStep& step) {
  return step.enabled && step.transformation == compile_tensors::definition().spec.name;
}

bool compilesTensors(const Document& document) {
  return std::ranges::any_of(document.schedule,
                             [](const ScheduleStep& step) { return compilesTensors(step); });
}

Result<std::vector<CompiledProgram>> compiledPrograms(const Document& document, const InputSet& inputs,
                                                      const KnobValues& knobs, const std::stop_token& stop) {
  Document until = document;  // what comes behind the last step that compiles or rewrites does not matter
  const auto makes_design = [](const ScheduleStep& step) {
    return compilesTensors(step) || (step.enabled && isRewrite(step));
  };
  while (!until.schedule.empty() && !makes_design(until.schedule.back())) until.schedule.pop_back();
  SLUICE_TRY(const ScheduledProgram scheduled, applySchedule(until, inputs, knobs, stop));
  std::vector<CompiledProgram> found(scheduled.compiled.size());
  for (const auto& [path, program] : scheduled.compiled) found[program->position] = *program;
  if (!found.empty()) return found;
  return error("missing-value", "the schedule", "it has no step that compiles tensors",
               "add compile_tensors with the name of a TensorProgram");
}

Result<TensorCompilation> tensorCompilation(const Document& document, const InputSet& inputs,
                                            const KnobValues& knobs, const std::stop_token& stop) {
  SLUICE_TRY(std::vector<CompiledProgram> programs, compiledPrograms(document, inputs, knobs, stop));
  return std::move(programs.front().compilation);
}

namespace {

Knob listKnob(std::string name, std::vector<std::int64_t> values, std::int64_t initial, std::string help) {
  Knob knob;
  knob.name = std::move(name);
  knob.kind = KnobKind::List;
  knob.help = std::move(help);
  knob.list = std::move(values);
  knob.initial = initial;
  return knob;
}

/// What to turn first: each is an argument of compile_tensors.
std::vector<Knob> compilingKnobs(std::int64_t operators) {
  const CompileOptions defaults;
  std::int64_t unroll = defaults.tiling.overall_unroll_size;
  while (unroll < 2 * operators) unroll *= 2;  // every kernel does an operation at once
  Knob sizing;
  sizing.name = "sizing";
  sizing.kind = KnobKind::Choice;
  sizing.help = "how FIFO depths are computed";
  sizing.choices = {"paper", "start_time", "asap"};
  sizing.initial = 1;
  return {listKnob("tile", {16, 32, 64}, defaults.tiling.default_tile_size, "largest tile of a loop"),
          listKnob("unroll", {unroll / 2, unroll, 2 * unroll}, unroll,
                   "operations at once, of all kernels of a group together"),
          listKnob("on_chip", {8192, 41984}, 41984,
                   "KiB for the converters of a group of kernels; a U55C has 41984"),
          std::move(sizing)};
}

}  // namespace

Document tensorProgramDocument(const TensorProgram& program) {
  return tensorProgramDocument(program, sizedText(program));
}

Document tensorProgramDocument(const TensorProgram& program, const SizedText& text) {
  Document document;
  document.title = program.name;
  document.machine.reference_mode = false;
  document.machine.mock_bf16 = false;
  document.program.nodes = {{"program", "TensorProgram", {{"text", Value(text.text)}}, {}, {}}};
  std::vector<Value> names;
  for (const std::string& name : sizesIn(text.text)) {
    document.constants.emplace(name, Value(text.sizes.at(name)));
    names.emplace_back(name);
  }
  if (!names.empty()) document.program.nodes[0].parameters["sizes"] = Value(std::move(names));
  document.knobs = compilingKnobs(static_cast<std::int64_t>(program.operators.size()));
  document.schedule = {{"compile_tensors",
                        {{"program", Value("program")},
                         {"tile", Value("tile")},
                         {"unroll", Value("unroll")},
                         {"on_chip_kib", Value("on_chip")},
                         {"sizing", Value("=sizing")}},
                        true}};
  return document;
}

}  // namespace sluice::inline schedule
