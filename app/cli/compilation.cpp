#include "app/cli/compilation.h"

#include <algorithm>

#include "engine/operators/registry.h"
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
      return Diagnostic{Severity::Error, "--set " + set, "'" + name + "' is nothing that can be set here",
                        spellingFix(name, known,
                                    "write NAME=VALUE with a parameter of TensorProgram or an "
                                    "argument of compile_tensors")};
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

/// Behind those that the first step which compiles has already.
void addRewrites(Document& document, const std::vector<std::string>& rewrites) {
  for (ScheduleStep& step : document.schedule) {
    if (!step.enabled || step.transformation != "compile_tensors" || rewrites.empty()) continue;
    Value& argument = step.arguments.try_emplace("rewrites", std::vector<Value>{}).first->second;
    std::vector<Value> all = argument.list() ? *argument.list() : std::vector<Value>{argument};
    all.insert(all.end(), rewrites.begin(), rewrites.end());
    argument = Value(std::move(all));
    return;
  }
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

Result<TensorCompilation> compileProgram(const FileOptions& options, const Platform* platform,
                                         const std::vector<std::string>& rewrites) {
  const auto compiled = [&](Document document, const InputSet& inputs, const KnobValues& knobs) {
    addRewrites(document, rewrites);
    if (platform) {
      const bool mock_bf16 = document.machine.mock_bf16;
      document.machine = machineOf(*platform);
      document.machine.mock_bf16 = mock_bf16;
    }
    return tensorCompilation(document, inputs, knobs);
  };
  if (!isModel(options.file)) {
    const Result<Opened> opened = open(options);
    if (!opened) return opened.diagnostics();
    return compiled(opened->workload->document, opened->workload->inputs, opened->knobs);
  }
  const Result<Document> document = modelDocument(options);
  if (!document) return document.diagnostics();
  return compiled(*document, {}, {});
}

}  // namespace sluice::cli
