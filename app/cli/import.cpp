// sluice-cli import: a foreign graph becomes a .sluice file that every other verb takes.

#include <iostream>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/report.h"
#include "engine/core/atomic_file.h"
#include "engine/explorer/import.h"
#include "engine/program/fields.h"
#include "engine/program/file_format.h"

namespace sluice::cli {
namespace {

struct ImportCommand {
  std::string file, output, schema, hbm_config, sim_config;
  StepGraphOptions step;
  std::vector<std::string> dimensions;  ///< ONNX: "seq=64"
  bool json = false;
};

Result<std::map<std::string, std::int64_t>> extents(const std::vector<std::string>& dimensions) {
  std::map<std::string, std::int64_t> extents;
  for (const std::string& dimension : dimensions) {
    const auto [name, text] = assignment(dimension);
    const std::optional<std::int64_t> extent = wholeNumber(text);
    if (name.empty() || !extent || *extent < 1)
      return Diagnostic{Severity::Error, "--dimension " + dimension, "it is no name with an extent",
                        "write for example --dimension seq=64"};
    extents[name] = *extent;
  }
  return extents;
}

/// Every .proto file of a folder.
Result<std::map<std::string, std::string>> schemaFiles(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(folder, problem)) {
    if (entry.path().extension() != ".proto") continue;
    const Result<std::string> text = readFile(entry.path(), 1 << 24);
    if (!text) return text.diagnostics();
    files[entry.path().filename().string()] = *text;
  }
  if (!files.empty()) return files;
  return Diagnostic{Severity::Error, folder.string(), "there are no .proto files",
                    "name the folder with the .proto files of the front end"};
}

/// Nothing is written unless the document is one that the other verbs take.
Result<Imported> import(const ImportCommand& command) {
  Result<std::map<std::string, std::int64_t>> dimensions = extents(command.dimensions);
  if (!dimensions) return dimensions.diagnostics();
  ImportOptions options{command.step, *std::move(dimensions), command.hbm_config, command.sim_config};
  if (!command.schema.empty()) {
    Result<std::map<std::string, std::string>> files = schemaFiles(command.schema);
    if (!files) return files.diagnostics();
    options.step.schema_files = *std::move(files);
  }
  Result<Imported> imported = importFile(command.file, options);
  if (!imported) return imported;
  const Result<Done> saved = saveDocument(imported->document, command.output);
  if (!saved) return saved.diagnostics();
  return imported;
}

void print(const Json& report) {
  std::cout << written(report["output"]) << ": " << report["operators"] << " operators, " << report["streams"]
            << " streams, " << report["inputs"] << " inputs\n";
  for (const Json& note : report["report"]) std::cout << written(note) << "\n";
}

int runImport(const ImportCommand& options) {
  const Result<Imported> imported = import(options);
  if (!imported) return fail(imported.diagnostics(), options.json);
  Json notes = Json::array();
  for (const Diagnostic& note : imported->report) notes.push_back(text(note));
  const Document& document = imported->document;
  return show({{"file", options.file},
               {"output", options.output},
               {"operators", document.program.nodes.size()},
               {"streams", document.program.streams.size()},
               {"inputs", document.inputs.size()},
               {"report", std::move(notes)}},
              options.json, print);
}

}  // namespace

Command importCommand() {
  const auto options = std::make_shared<ImportCommand>();
  Command command{.name = "import",
                  .summary =
                      "turn a STeP graph (protobuf or JSON), a Graphviz graph, an ONNX model or a tensor "
                      "program in writing into a .sluice file",
                  .run = [options](Process&) { return runImport(*options); }};
  command.add("FILE", options->file,
              "graph.pb or its JSON form, as the reference front end serialises it; .dot or .gv; .onnx; "
              ".mlir, or any text that begins with 'program'",
              {.required = true});
  command.add("--dimension", options->dimensions, "ONNX: the extent of a symbolic dimension, seq=64",
              {.type = "NAME=EXTENT"});
  command.add("--fifo-depth", options->step.sim.channel_depth,
              "protobuf: tokens of every channel (default: channel_depth of --sim-config, else 1024)",
              {.range = Range{1, fieldOf(&Machine::fifo_depth).range.maximum}});
  command.add("--element-bytes", options->step.element_bytes,
              "protobuf: bytes of a float, 2 (mock_bf16) or 4, for a graph that does not say (n_byte)",
              {.choices = {"2", "4"}});
  command.add(
      "--hbm-config", options->hbm_config,
      "protobuf: the front end's HBMConfig as JSON: addr_offset, channel_num, per_channel_latency, "
      "per_channel_init_interval, per_channel_start_up_time (default: hbm_config.json beside the graph)",
      {.type = "FILE"});
  command.add(
      "--sim-config", options->sim_config,
      "protobuf: the front end's SimConfig as JSON: channel_depth, config_dict {\"ID\": DEPTH}, mock_bf16, "
      "and on_chip_bandwidth, buffer_depths {\"ID\": TILES} (default: sim_config.json beside the graph)",
      {.type = "FILE"});
  command.add("--schema", options->schema,
              "protobuf: folder with the .proto files that the graph was written by", {.type = "FOLDER"});
  command.add("-o,--output", options->output, "the .sluice file to write",
              {.type = "FILE", .required = true});
  command.add(jsonFlag(options->json));
  return command;
}

}  // namespace sluice::cli
