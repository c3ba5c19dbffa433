#include "engine/explorer/import.h"

#include <algorithm>

#include "engine/core/atomic_file.h"
#include "engine/interchange/dot.h"
#include "engine/interchange/step_fixture.h"
#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/tensor/onnx/onnx.h"
#include "engine/tensor/programs/tensor_program_text.h"

namespace sluice {
namespace {

constexpr std::uintmax_t most = std::uintmax_t{1} << 26, mostWithWeights = std::uintmax_t{1} << 28;

/// In lower case, without the dot.
std::string suffixOf(const std::filesystem::path& file) {
  std::string suffix = file.extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return suffix.empty() ? suffix : suffix.substr(1);
}

Result<std::string> bytesOf(const std::filesystem::path& file) {
  return readFile(file, suffixOf(file) == "onnx" ? mostWithWeights : most);
}

/// 'program', behind comments.
bool beginsTensorProgram(std::string_view bytes) {
  while (bytes.starts_with("//")) {
    const std::size_t line = bytes.find('\n');
    bytes.remove_prefix(line == std::string_view::npos ? bytes.size() : line + 1);
  }
  return bytes.starts_with("program");
}

/// A serialised message never begins with a brace, as its first byte is a field's tag.
bool isJson(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos || bytes[first] == '{';
}

/// Every Sluice document has this key; no graph of the artifact has.
bool isDocument(std::string_view bytes) {
  return bytes.find("\"sluice\"") != std::string_view::npos;
}

Result<Imported> withoutReport(Result<Document> document) {
  if (!document) return document.diagnostics();
  return Imported{*std::move(document), {}};
}

Result<Imported> importTensorProgram(const std::string& bytes, const std::string& name,
                                     const std::stop_token& stop) {
  const Result<TensorProgram> program = parseTensorProgram(bytes, name, stop);
  if (!program) return program.diagnostics();
  return Imported{tensorProgramDocument(*program), {}};
}

/// What no other format claims.
bool isStepProtobuf(const std::filesystem::path& file, const std::string& bytes) {
  const std::string suffix = suffixOf(file);
  return suffix != "onnx" && suffix != "mlir" && suffix != "dot" && suffix != "gv" &&
         !beginsTensorProgram(bytes) && !isJson(bytes);
}

/// A file of settings: the one that was asked for, or the one of that name beside the graph.
std::filesystem::path settingsFile(const std::filesystem::path& given, const std::filesystem::path& graph,
                                   const char* name) {
  const std::filesystem::path beside = graph.parent_path() / name;
  std::error_code problem;
  return !given.empty() || !std::filesystem::is_regular_file(beside, problem) ? given : beside;
}

/// Says which file decided, where the user did not name it.
void tellOf(const std::filesystem::path& file, const std::filesystem::path& given, Diagnostics& report) {
  if (!given.empty()) return;
  report.push_back({Severity::Note, file.string(), "the run's settings were taken from this file",
                    "name another file with --hbm-config or --sim-config, or move this one away"});
}

/// What the files say, for what the caller leaves open.
Result<StepGraphOptions> withSettings(const std::filesystem::path& graph, const ImportOptions& options,
                                      Diagnostics& report) {
  constexpr std::uintmax_t limit = 1 << 24;
  StepGraphOptions step = options.step;
  step.folder = graph.parent_path();
  step.stop = options.stop;
  if (const auto file = settingsFile(options.hbm_config, graph, "hbm_config.json"); !file.empty()) {
    const Result<std::string> text = readFile(file, limit);
    if (!text) return text.diagnostics();
    const Result<HbmConfig> hbm = parseHbmConfig(*text, file.string());
    if (!hbm) return hbm.diagnostics();
    if (!step.hbm) step.hbm = *hbm;
    tellOf(file, options.hbm_config, report);
  }
  if (const auto file = settingsFile(options.sim_config, graph, "sim_config.json"); !file.empty()) {
    const Result<std::string> text = readFile(file, limit);
    if (!text) return text.diagnostics();
    Result<SimConfig> sim = parseSimConfig(*text, file.string());
    if (!sim) return sim.diagnostics();
    if (step.sim.channel_depth) sim->channel_depth = step.sim.channel_depth;
    if (sim->functional) {
      report.push_back({Severity::Note, file.string(), "functional_sim is a matter of the run",
                        "compute with 'sluice-cli simulate FILE --compute float32'"});
    }
    step.sim = *std::move(sim);
    tellOf(file, options.sim_config, report);
  }
  return step;
}

Result<Imported> importStepGraph(const std::filesystem::path& file, const std::string& bytes,
                                 const ImportOptions& options) {
  Diagnostics report;
  const Result<StepGraphOptions> step = withSettings(file, options, report);
  if (!step) return step.diagnostics();
  Result<StepGraphImport> graph = importStepProtobuf(bytes, file.string(), *step);
  if (!graph) return graph.diagnostics();
  if (!step->sim.channel_depth) {
    report.push_back({Severity::Note, file.string(),
                      "nothing says how deep FIFOs are: " + std::to_string(SimConfig::default_depth) +
                          " tokens, the simulator's default",
                      "give --fifo-depth, or channel_depth in the file of --sim-config (sim_config.json)"});
  }
  report.insert(report.end(), graph->report.begin(), graph->report.end());
  return Imported{std::move(graph->document), std::move(report)};
}

Result<Imported> read(const std::filesystem::path& file, const std::string& bytes,
                      const ImportOptions& options) {
  const std::string suffix = suffixOf(file), name = file.string();
  if (suffix == "sluice" || (isJson(bytes) && isDocument(bytes))) {
    return Diagnostic{Severity::Error, name, "this is a Sluice document: there is nothing to import",
                      "open it as it is; every command takes it"};
  }
  if (suffix == "onnx") {
    Result<OnnxImport> model = importOnnx(bytes, name, {options.dimensions, options.stop});
    if (!model) return model.diagnostics();
    return Imported{tensorProgramDocument(model->program), std::move(model->report)};
  }
  if (suffix == "mlir" || beginsTensorProgram(bytes)) return importTensorProgram(bytes, name, options.stop);
  if (suffix == "dot" || suffix == "gv") return withoutReport(readDot(bytes, name, options.stop));
  if (isJson(bytes)) return withoutReport(importStepFixture(bytes, name, options.stop));
  return importStepGraph(file, bytes, options);
}

}  // namespace

Result<Imported> importFile(const std::filesystem::path& file, const ImportOptions& options) {
  const Result<std::string> bytes = bytesOf(file);
  if (!bytes) return bytes.diagnostics();
  const bool settings = !options.hbm_config.empty() || !options.sim_config.empty();
  if (settings && !isStepProtobuf(file, *bytes)) {
    return Diagnostic{Severity::Error, file.string(),
                      "settings of STeP's simulator are for graphs in its protobuf form",
                      "leave --hbm-config and --sim-config out"};
  }
  Result<Imported> imported = read(file, *bytes, options);
  if (!imported) return imported;
  if (imported->document.title.empty()) imported->document.title = file.stem().string();
  if (const Diagnostics wrong = check(imported->document, builtInCatalog(), options.stop);
      hasErrors(wrong) || isCancelled(wrong))
    return wrong;
  return imported;
}

const std::vector<std::string>& importSuffixes() {
  static const std::vector<std::string> suffixes{"pb", "json", "dot", "gv", "onnx", "mlir"};
  return suffixes;
}

bool isForeign(const std::filesystem::path& file) {
  const std::string suffix = suffixOf(file);
  if (suffix == "sluice") return false;
  const std::vector<std::string>& known = importSuffixes();
  const bool by_name = std::find(known.begin(), known.end(), suffix) != known.end();
  if (by_name && suffix != "json") return true;
  const Result<std::string> bytes = bytesOf(file);
  if (!bytes) return by_name;
  return by_name ? !isDocument(*bytes) : beginsTensorProgram(*bytes);
}

std::vector<std::string> symbolicDimensions(const std::filesystem::path& file) {
  if (suffixOf(file) != "onnx") return {};
  const Result<std::string> bytes = bytesOf(file);
  return bytes ? onnxDimensions(*bytes) : std::vector<std::string>{};
}

}  // namespace sluice
