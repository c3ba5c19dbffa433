// sluice-cli import: a foreign graph becomes a .sluice file that every other verb takes.

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "engine/core/atomic_file.h"
#include "engine/interchange/step_fixture.h"
#include "engine/program/elaborate.h"
#include "engine/program/file_format.h"

namespace sluice::cli {
namespace {

struct ImportOptions {
  std::string file, output;
  bool json = false;
};

/// Nothing is written unless the document is one that the other verbs take.
Result<Document> import(const ImportOptions& options) {
  const Result<std::string> bytes = readFile(options.file);
  if (!bytes) return bytes.diagnostics();
  Result<Document> document = importStepFixture(*bytes, options.file);
  if (!document) return document.diagnostics();
  document->title = std::filesystem::path(options.file).stem().string();
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
  CLI::App* command = application.add_subcommand("import", "turn a STeP graph (JSON) into a .sluice file");
  auto options = std::make_shared<ImportOptions>();
  command->add_option("FIXTURE", options->file, "the graph, as the reference front end serialises it")
      ->required();
  command->add_option("-o,--output", options->output, "the .sluice file to write")
      ->required()
      ->type_name("FILE");
  command->add_flag("--json", options->json, "print one JSON object to stdout and nothing else");
  command->callback([options, &exit_code] { exit_code = runImport(*options); });
}

}  // namespace sluice::cli
