// sluice-cli check: everything that can be said of a file without running it.

#include <iostream>
#include <memory>

#include "app/cli/command.h"
#include "engine/explorer/precheck.h"
#include "engine/program/elaborate.h"
#include "engine/program/file_format.h"

namespace sluice::cli {
namespace {

struct Findings {
  Diagnostics all;
  bool deadlock = false;  ///< it is certain
};

void append(Diagnostics& to, const Diagnostics& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// Format, graph, inputs, shapes and deadlocks that are certain, as far as each lets the next be looked at.
Findings examine(const FileOptions& options) {
  Result<Document> document = loadDocument(options.file);
  if (!document) return {document.diagnostics()};
  Findings found{check(*document, builtInCatalog())};
  const Result<KnobValues> knobs = knobsOf(*document, options);
  if (!knobs) append(found.all, knobs.diagnostics());
  const auto workload = workloadOf(*std::move(document), options);
  if (!workload) append(found.all, workload.diagnostics());
  if (hasErrors(found.all)) return found;
  const Result<SymbolicResult> symbolic = evaluateSymbolic(**workload, *knobs);
  const Diagnostics more = symbolic ? precheck(**workload, *symbolic) : symbolic.diagnostics();
  append(found.all, more);
  found.deadlock = symbolic && !more.empty();
  return found;
}

int runCheck(const FileOptions& options) {
  const Findings found = examine(options);
  const bool errors = hasErrors(found.all);
  report(found.all, options.json, !errors && !found.deadlock);
  if (!options.json && !errors)
    std::cout << options.file << (found.deadlock ? ": it will deadlock\n" : ": ok\n");
  return errors ? exitDiagnostic : found.deadlock ? exitDeadlock : exitDone;
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
