// sluice-cli check: everything that can be said of a file without running it.

#include <algorithm>
#include <iostream>
#include <memory>

#include "app/cli/command.h"
#include "engine/explorer/given_inputs.h"
#include "engine/explorer/precheck.h"
#include "engine/program/elaborate.h"
#include "engine/program/file_format.h"
#include "engine/program/fix_edit.h"

namespace sluice::cli {
namespace {

constexpr int most_rounds = 8;

struct CheckOptions : FileOptions {
  bool fix = false;
};

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
  if (knobs && workload) append(found.all, checkInputs(**workload, {}, *knobs));
  if (hasErrors(found.all)) return found;
  const Result<SymbolicResult> symbolic = evaluateSymbolic(**workload, *knobs);
  const Diagnostics more = symbolic ? precheck(**workload, *symbolic) : symbolic.diagnostics();
  append(found.all, more);
  found.deadlock = symbolic && !more.empty();
  if (symbolic) append(found.all, symbolic->warnings);
  return found;
}

/// Makes the edits that are certain, one for each diagnostic, and says which. False: there is none.
Result<bool> applyFixes(const FileOptions& options, const Diagnostics& found) {
  SLUICE_TRY(Document document, loadDocument(options.file));
  std::string made;
  for (const Diagnostic& each : found) {
    const auto fix = std::ranges::find(each.fixes, true, &FixEdit::certain);
    const Document before = document;
    if (fix == each.fixes.end() || !applyFix(document, *fix, builtInCatalog()) || document == before)
      continue;
    made += "fixed: " + text(each.place) + ": " + text(*fix) + "\n";
  }
  if (made.empty()) return false;
  SLUICE_CHECK(saveDocument(document, options.file));
  std::cerr << made;
  return true;
}

int runCheck(const CheckOptions& options) {
  Findings found = examine(options);
  // What is fixed lets more be looked at.
  for (int round = 0; options.fix && round < most_rounds; ++round) {
    const Result<bool> fixed = applyFixes(options, found.all);
    if (!fixed) return fail(fixed.diagnostics(), options.json);
    if (!*fixed) break;
    found = examine(options);
  }
  const bool errors = hasErrors(found.all);
  report(found.all, options.json, !errors && !found.deadlock);
  if (!options.json && !errors)
    std::cout << options.file << (found.deadlock ? ": it will deadlock\n" : ": ok\n");
  return errors ? ExitDiagnostic : found.deadlock ? ExitDeadlock : ExitDone;
}

}  // namespace

Command checkCommand() {
  const auto options = std::make_shared<CheckOptions>();
  Command command{
      .name = "check",
      .summary = "say what is wrong with a file: format, graph, inputs, shapes, certain deadlocks",
      .examples = {{"check sample_workloads/simple_moe.sluice",
                    "what is wrong with a program, and what it would take"},
                   {"check mine.sluice --fix", "fix in the file what has one fix only"}},
      .options = pointOptions(*options),
      .run = [options](Process&) { return runCheck(*options); }};
  command.add("--fix", options->fix, "fix in FILE whatever has one fix only, and say what was done");
  return command;
}

}  // namespace sluice::cli
