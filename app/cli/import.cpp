// sluice-cli import: a foreign graph becomes a .sluice file that every other verb takes.

#include <filesystem>
#include <iostream>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/report.h"
#include "engine/core/atomic_file.h"
#include "engine/importers/extents.h"
#include "engine/importers/registry.h"
#include "engine/interchange/numpy.h"
#include "engine/program/file_format.h"

namespace sluice::cli {
namespace {

struct ImportCommand {
  std::string file, output;
  ImportOptions options;
  std::map<std::string, std::vector<std::string>> assigned;  ///< by option: "dimension" -> "seq=64"
  bool partial = false;                                      ///< take also what is hardly understood
  bool json = false;
};

Result<Done> takeExtents(const std::string& option, const std::vector<std::string>& assigned,
                         ImportOptions& options) {
  for (const std::string& text : assigned) {
    const auto [name, list] = assignment(text);
    const Location place(Where::Option, "--" + option + " " + text);
    if (name.empty() || list.empty())
      return error("invalid-option", place, "it is no name with an extent",
                   "write for example --" + option + " seq=64");
    SLUICE_TRY(const std::vector<std::int64_t> extents, extentsFrom(list, place));
    SLUICE_CHECK(takeExtents(options, name, extents, place));
  }
  return Done{};
}

/// The first of its report says how little of the model it is.
Diagnostics refusedAsPartial(const Imported& imported) {
  Diagnostics found = imported.report;
  found[0] = error("unsupported-operator", found[0].place, found[0].cause,
                   found[0].fix + "; --partial imports what is understood all the same");
  return found;
}

/// One would be written over the other.
Result<Done> refuseOneFile(const std::string& program, const std::string& weights) {
  std::error_code failed;
  const auto whole = [&](const std::string& file) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(file), failed);
  };
  if (weights.empty() || whole(program) != whole(weights)) return Done{};
  return error("conflicting-options", Location(Where::Option, "--weights"),
               "the weights would be written over the program", "name two files");
}

using Extents = std::map<std::string, std::int64_t> ImportOptions::*;

/// Nothing is written unless the document is one that the other verbs take. `weights`: how many tensors.
Result<Imported> import(const ImportCommand& command, std::size_t& weights) {
  ImportOptions options = command.options;
  for (const Importer* importer : registeredImporters()) {
    for (const ImportOption& option : importer->options) {
      if (!std::holds_alternative<Extents>(option.member)) continue;
      SLUICE_CHECK(takeExtents(option.name, command.assigned.at(option.name), options));
    }
  }
  for (const std::string& output : {command.output, options.weights})
    SLUICE_CHECK(refuseInput(output, {command.file}));
  SLUICE_CHECK(refuseOneFile(command.output, options.weights));
  const auto read = [&]() -> Result<Imported> {
    SLUICE_TRY(Imported imported, importFile(command.file, options));
    if (imported.coverage && imported.coverage->isPartial() && !command.partial)
      return refusedAsPartial(imported);
    return imported;
  };
  Result<Imported> imported = Imported{};
  SLUICE_CHECK(writeFileAtomically(command.output, [&](const ByteSink& program) -> Result<Done> {
    const auto produce = [&]() -> Result<Done> {
      imported = read();
      if (!imported) return imported.diagnostics();
      return program(writeDocument(imported->document));
    };
    if (options.weights.empty()) return produce();
    // Within: neither gets its name before the bytes of both are there.
    return saveTensors(options.weights, [&](const TensorSink& write) {
      options.take_weight = [&](const std::string& name, FloatTensor tensor) {
        ++weights;
        return write(name, std::move(tensor));
      };
      return produce();
    });
  }));
  if (!options.weights.empty()) wrote(options.weights);
  wrote(command.output);
  return imported;
}

Json coverageJson(const ImportCoverage& coverage) {
  Json cuts = Json::array();
  for (const ImportCoverage::Cut& cut : coverage.cuts)
    cuts.push_back({{"node", cut.name},
                    {"operator", cut.kind},
                    {"why", cut.why},
                    {"macs", cut.unknown ? Json() : Json(cut.products)}});
  return {{"nodes", coverage.nodes},   {"nodes_understood", coverage.nodes_understood},
          {"macs", coverage.products}, {"macs_understood", coverage.products_understood},
          {"bytes", coverage.bytes},   {"bytes_understood", coverage.bytes_understood},
          {"pieces", coverage.pieces}, {"cuts", std::move(cuts)}};
}

std::string share(const Json& coverage, const std::string& of) {
  const double whole = coverage[of].get<double>(), part = coverage[of + "_understood"].get<double>();
  return written(coverage[of + "_understood"]) + " of " + written(coverage[of]) +
         (whole > 0 ? " (" + std::to_string(static_cast<int>(100 * part / whole)) + " %)" : "");
}

void printUnderstood(const Json& coverage) {
  std::cout << "understood: " << share(coverage, "nodes") << " nodes, " << share(coverage, "macs")
            << " MACs, " << share(coverage, "bytes") << " bytes; " << counted(coverage["pieces"], "piece")
            << "\n";
}

void printImport(const Json& report) {
  std::cout << written(report["output"]) << ": " << counted(report["operators"], "operator") << ", "
            << counted(report["streams"], "stream") << ", " << counted(report["inputs"], "input") << "\n";
  if (report.contains("layers"))
    std::cout << counted(report["layers"]["count"], "equal layer") << " of "
              << counted(report["layers"]["operators"], "operator") << " each, folded into one\n";
  if (report.contains("coverage")) printUnderstood(report["coverage"]);
  if (report.contains("weights"))
    std::cout << written(report["weights"]["file"]) << ": " << counted(report["weights"]["tensors"], "tensor")
              << "\n";
  std::cout << shown(diagnosticsFrom(report["diagnostics"]));
}

int runImport(const ImportCommand& command) {
  std::size_t weights = 0;
  const Result<Imported> imported = import(command, weights);
  if (!imported) return fail(imported.diagnostics(), command.json);
  const Document& document = imported->document;
  Json report{{"file", command.file},
              {"output", command.output},
              {"operators", document.program.nodes.size()},
              {"streams", document.program.streams.size()},
              {"inputs", document.inputs.size()},
              {"diagnostics", diagnosticsJson(imported->report)}};
  if (imported->layers)
    report["layers"] = {{"count", imported->layers->count}, {"operators", imported->layers->operators}};
  if (imported->coverage) report["coverage"] = coverageJson(*imported->coverage);
  if (!command.options.weights.empty())
    report["weights"] = {{"file", command.options.weights}, {"tensors", weights}};
  return show(report, command.json, printImport);
}

/// ".onnx; .mlir, or any text that begins with 'program'; ..."
std::string files() {
  std::string files;
  for (const Importer* importer : registeredImporters()) {
    if (!files.empty()) files += "; ";
    for (const std::string& suffix : importer->suffixes)
      files += (&suffix == &importer->suffixes.front() ? "." : " or .") + suffix;
    if (!importer->content.empty()) files += ", or " + importer->content;
  }
  return files;
}

void add(Command& command, const Importer& importer, const ImportOption& option, ImportCommand& values) {
  const std::string name = "--" + option.name, help = importer.name + ": " + option.help;
  const OptionRules rules{.type = option.type, .range = option.range, .choices = option.choices};
  if (std::holds_alternative<Extents>(option.member)) {
    command.add(name, values.assigned[option.name], help, rules);
  } else if (const auto* text = std::get_if<std::string ImportOptions::*>(&option.member)) {
    command.add(name, values.options.**text, help, rules);
  } else {
    const auto number = std::get<std::optional<std::int64_t> ImportOptions::*>(option.member);
    command.add(name, values.options.*number, help, rules);
  }
}

}  // namespace

Command importCommand() {
  const auto values = std::make_shared<ImportCommand>();
  Command command{
      .name = "import",
      .summary = "turn " + importedKinds() + " into a .sluice file",
      .examples = {{"import model.onnx -o model.sluice", "a model as a tensor program"},
                   {"import model.onnx -o model.sluice --weights weights.npz", "its weights, too"},
                   {"import moe.dot -o moe.sluice", "a graph as `dot` writes it"}},
      .run = [values](Process&) { return runImport(*values); }};
  command.add("FILE", values->file, files(), {.required = true});
  for (const Importer* importer : registeredImporters())
    for (const ImportOption& option : importer->options) add(command, *importer, option, *values);
  command.add(output_option, values->output, "the .sluice file to write", {.type = "FILE", .required = true});
  command.add("--partial", values->partial,
              "write the file even if less than half of the multiply-accumulate operations are understood");
  command.add(jsonFlag(values->json));
  return command;
}

}  // namespace sluice::cli
