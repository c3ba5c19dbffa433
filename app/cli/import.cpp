// sluice-cli import: a foreign graph becomes a .sluice file that every other verb takes.

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "engine/core/atomic_file.h"
#include "engine/interchange/dot.h"
#include "engine/interchange/step_fixture.h"
#include "engine/interchange/step_protobuf.h"
#include "engine/program/elaborate.h"
#include "engine/program/file_format.h"

namespace sluice::cli {
namespace {

struct ImportOptions {
  std::string file, output, schema;
  StepGraphOptions step;
  bool json = false;
};

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

/// JSON begins with a brace; a serialised message never does, as its first byte is a field's tag.
Result<Document> read(const ImportOptions& options, const std::string& bytes) {
  const std::filesystem::path extension = std::filesystem::path(options.file).extension();
  if (extension == ".dot" || extension == ".gv") return readDot(bytes, options.file);
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || bytes[first] == '{') return importStepFixture(bytes, options.file);
  StepGraphOptions step = options.step;
  step.folder = std::filesystem::path(options.file).parent_path();
  if (!options.schema.empty()) {
    Result<std::map<std::string, std::string>> files = schemaFiles(options.schema);
    if (!files) return files.diagnostics();
    step.schema_files = *std::move(files);
  }
  return importStepProtobuf(bytes, options.file, step);
}

/// Nothing is written unless the document is one that the other verbs take.
Result<Document> import(const ImportOptions& options) {
  const Result<std::string> bytes = readFile(options.file, 1 << 26);
  if (!bytes) return bytes.diagnostics();
  Result<Document> document = read(options, *bytes);
  if (!document) return document.diagnostics();
  if (document->title.empty()) document->title = std::filesystem::path(options.file).stem().string();
  const Diagnostics wrong = check(*document, builtInCatalog());
  if (hasErrors(wrong)) return wrong;
  const Result<Done> saved = saveDocument(*document, options.output);
  if (!saved) return saved.diagnostics();
  return document;
}

int runImport(const ImportOptions& options) {
  const Result<Document> document = import(options);
  if (!document) return fail(document.diagnostics(), options.json);
  const std::size_t nodes = document->program.nodes.size(), streams = document->program.streams.size();
  if (options.json) {
    const nlohmann::ordered_json object = {{"file", options.file},
                                           {"output", options.output},
                                           {"operators", nodes},
                                           {"streams", streams},
                                           {"inputs", document->inputs.size()}};
    std::cout << object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
  } else {
    std::cout << options.output << ": " << nodes << " operators, " << streams << " streams, "
              << document->inputs.size() << " inputs\n";
  }
  return exitDone;
}

}  // namespace

void addImport(CLI::App& application, int& exit_code) {
  CLI::App* command = application.add_subcommand(
      "import", "turn a STeP graph (protobuf or JSON) or a Graphviz graph into a .sluice file");
  auto options = std::make_shared<ImportOptions>();
  command
      ->add_option("FILE", options->file,
                   "graph.pb or its JSON form, as the reference front end serialises it; .dot or .gv")
      ->required();
  command
      ->add_option("--fifo-depth", options->step.fifo_depth,
                   "protobuf: tokens of every channel (default 1024)")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--element-bytes", options->step.element_bytes,
                   "protobuf: bytes of a float: 2 (mock_bf16) or 4")
      ->check(CLI::IsMember({2, 4}));
  command
      ->add_option("--schema", options->schema,
                   "protobuf: folder with the .proto files that the graph was written by")
      ->type_name("FOLDER");
  command->add_option("-o,--output", options->output, "the .sluice file to write")
      ->required()
      ->type_name("FILE");
  command->add_flag("--json", options->json, "print one JSON object to stdout and nothing else");
  command->callback([options, &exit_code] { exit_code = runImport(*options); });
}

}  // namespace sluice::cli
