#include "app/cli/compilation.h"

#include <algorithm>

#include "engine/operators/registry.h"
#include "engine/program/rewrite_words.h"
#include "engine/program/spelling.h"

namespace sluice::cli {
namespace {

constexpr const char* models[] = {"gpt2", "qwen", "llama", "gemma"};

Value valueOf(const std::string& text) {
  const std::optional<std::int64_t> number = wholeNumber(text);
  return number ? Value(*number) : Value(text);
}

/// A block of a model with the schedule that compiles it.
Result<Document> modelDocument(const FileOptions& options) {
  Values parameters = {{"model", Value(options.file)}}, arguments = {{"program", "block"}};
  std::vector<std::string> known;
  for (const ParameterSpec& parameter : findOperator("TensorProgram")->spec.parameters)
    if (parameter.name != "model") known.push_back(parameter.name);
  const std::size_t own = known.size();
  for (const ArgumentSpec& argument : findTransformation("compile_tensors")->spec.arguments)
    if (argument.name != "program") known.push_back(argument.name);
  for (const std::string& set : options.sets) {
    const std::size_t equals = set.find('=');
    const std::string name = set.substr(0, equals);
    const auto found = std::find(known.begin(), known.end(), name);
    if (equals == std::string::npos || found == known.end())
      return error("unknown-name", "--set " + set, "'" + name + "' is nothing that can be set here",
                   spellingFix(name, known,
                               "write NAME=VALUE with a parameter of TensorProgram or an argument of "
                               "compile_tensors"));
    const bool parameter = found < known.begin() + static_cast<std::ptrdiff_t>(own);
    (parameter ? parameters : arguments)[name] = valueOf(set.substr(equals + 1));
  }
  Document document;
  document.title = options.file;
  document.machine.reference_mode = false;
  document.machine.mock_bf16 = false;
  document.program.nodes = {{"block", "TensorProgram", std::move(parameters), {}, {}}};
  document.schedule = {{"compile_tensors", std::move(arguments), true}};
  return document;
}

/// Steps behind the first one that compiles, and behind the rewrites that follow it already.
Result<Done> addRewrites(Document& document, const std::vector<std::string>& rewrites) {
  const auto compiles = [](const ScheduleStep& step) { return compilesTensors(step); };
  const auto compiling = std::ranges::find_if(document.schedule, compiles);
  if (compiling == document.schedule.end()) return Done{};
  const auto program = compiling->arguments.find("program");
  if (program == compiling->arguments.end()) return Done{};  // which is refused anyway
  std::vector<ScheduleStep> steps;
  for (const std::string& words : rewrites) {
    auto step = rewriteStep(program->second, words);
    if (!step) continue;
    if (!isRewrite(*step))
      return error("unknown-name", Location(Where::Option, "--rewrites"),
                   "there is no transformation '" + step->transformation + "' of compiled programs",
                   "--list-rewrites lists them with their places");
    steps.push_back(*std::move(step));
  }
  const auto behind = std::find_if_not(compiling + 1, document.schedule.end(), isRewrite);
  document.schedule.insert(behind, steps.begin(), steps.end());
  return Done{};
}

}  // namespace

std::vector<Option> programOptions(FileOptions& options, std::string file) {
  return {{"FILE", &options.file, std::move(file), {.required = true}},
          jsonFlag(options.json),
          {"--set",
           &options.sets,
           "a knob of the file; of a model: tokens, phase, quantisation, tile, unroll, on_chip_kib ...",
           {.type = "NAME=VALUE"}}};
}

bool isModel(const std::string& file) {
  return std::find(std::begin(models), std::end(models), file) != std::end(models);
}

std::string writtenRun(const Json& run) {
  return run["state"] == "deadlocked" ? "deadlock" : written(run["cycles"]);
}

Result<CompilationSource> compilationSource(const FileOptions& options, const Platform* platform,
                                            const std::vector<std::string>& rewrites) {
  CompilationSource source;
  if (isModel(options.file)) {
    SLUICE_TRY(source.document, modelDocument(options));
    for (const std::string& set : options.sets) source.choices.push_back(assignment(set));
  } else {
    SLUICE_TRY(const Opened opened, open(options));
    source = {opened.workload->document, opened.workload->inputs, opened.knobs, {}};
  }
  SLUICE_CHECK(addRewrites(source.document, rewrites));
  std::string rewritten;
  for (const std::string& words : rewrites) rewritten += (rewritten.empty() ? "" : "; ") + words;
  if (!rewritten.empty()) source.choices.emplace_back("rewrites", rewritten);
  if (platform) {
    const bool mock_bf16 = source.document.machine.mock_bf16;
    source.document.machine = machineOf(*platform);
    source.document.machine.mock_bf16 = mock_bf16;
  }
  return source;
}

Result<TensorCompilation> compileProgram(const FileOptions& options, const Platform* platform,
                                         const std::vector<std::string>& rewrites) {
  SLUICE_TRY(const CompilationSource source, compilationSource(options, platform, rewrites));
  return tensorCompilation(source.document, source.inputs, source.knobs);
}

}  // namespace sluice::cli
