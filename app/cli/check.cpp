// sluice-cli check: everything that can be said of a file without running it.

#include <iostream>
#include <memory>

#include "app/cli/command.h"
#include "engine/explorer/precheck.h"
#include "engine/program/elaborate.h"
#include "engine/program/file_format.h"

namespace sluice::cli {
namespace {

/// Format, graph, inputs, shapes and deadlocks that are certain, as far as each lets the next be looked at.
Diagnostics examine(const FileOptions& options) {
  Result<Document> document = loadDocument(options.file);
  if (!document) return document.diagnostics();
  Diagnostics found = check(*document, builtInCatalog());
  const Result<KnobValues> knobs = knobsOf(*document, options);
  if (!knobs) found.insert(found.end(), knobs.diagnostics().begin(), knobs.diagnostics().end());
  const auto workload = workloadOf(*std::move(document), options);
  if (!workload) found.insert(found.end(), workload.diagnostics().begin(), workload.diagnostics().end());
  if (hasErrors(found)) return found;
  const Result<SymbolicResult> symbolic = evaluateSymbolic(**workload, *knobs);
  const Diagnostics more = symbolic ? precheck(**workload, *symbolic) : symbolic.diagnostics();
  found.insert(found.end(), more.begin(), more.end());
  return found;
}

int runCheck(const FileOptions& options) {
  const Diagnostics found = examine(options);
  const bool ok = !hasErrors(found);
  report(found, options.json, ok);
  if (!options.json && ok) std::cout << options.file << ": ok\n";
  return ok ? exitDone : exitDiagnostic;
}

}  // namespace

Command checkCommand() {
  const auto options = std::make_shared<FileOptions>();
  return {.name = "check",
          .summary = "say what is wrong with a file: format, graph, inputs, shapes, certain deadlocks",
          .options = pointOptions(*options),
          .run = [options](Process&) { return runCheck(*options); }};
}

}  // namespace sluice::cli
