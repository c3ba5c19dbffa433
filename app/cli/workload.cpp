// sluice-cli workload: writes a built-in workload as a .sluice file, its sizes as asked for.

#include <iostream>
#include <memory>

#include "app/cli/command.h"
#include "engine/explorer/evaluate.h"
#include "engine/program/elaborate.h"
#include "engine/program/file_format.h"
#include "engine/workloads/workload_builder.h"

namespace sluice::cli {
namespace {

struct WorkloadOptions {
  std::string name, model, output;
  std::vector<std::string> sizes;  ///< "D=2048"
};

Result<workloads::Sizes> sizesOf(const std::vector<std::string>& written) {
  workloads::Sizes sizes;
  for (const std::string& size : written) {
    const auto [name, text] = assignment(size);
    const std::optional<std::int64_t> value = wholeNumber(text);
    if (!value) {
      return error("invalid-option", Location(Where::Option, "--size " + size), "it is not NAME=NUMBER",
                   "write for example --size D=2048");
    }
    sizes[name] = *value;
  }
  return sizes;
}

void listWorkloads() {
  for (const WorkloadBuilder* builder : registeredWorkloads()) {
    std::cout << builder->name << ": " << builder->summary << " (" << builder->source << ")\n";
    for (const SizeSpec& size : builder->sizes)
      std::cout << "  --size " << size.name << "=" << size.initial << "  " << size.help << "\n";
    for (const auto& [model, sizes] : builder->models) {
      std::cout << "  --model " << model << " ";
      for (const auto& [name, value] : sizes) std::cout << " " << name << "=" << value;
      std::cout << "\n";
    }
  }
}

/// Refused where `check` would refuse the file.
Result<Document> build(const WorkloadOptions& options) {
  SLUICE_TRY(const workloads::Sizes sizes, sizesOf(options.sizes));
  SLUICE_TRY(Document document, buildWorkload(options.name, options.model, sizes));
  if (Diagnostics wrong = check(document, builtInCatalog()); hasErrors(wrong)) return wrong;
  SLUICE_TRY(const auto workload, makeWorkload(document, {}));
  SLUICE_CHECK(evaluateSymbolic(*workload, defaultKnobs(document)));
  return document;
}

int runWorkload(const WorkloadOptions& options) {
  if (options.name.empty()) {
    listWorkloads();
    return ExitDone;
  }
  const Result<Document> document = build(options);
  if (!document) {  // there is no file that it could be wrong of
    report(document.diagnostics(), false);
    return ExitUsage;
  }
  if (options.output.empty()) {
    std::cout << writeDocument(*document);
    return ExitDone;
  }
  const Result<Done> done = writeOutput(options.output, writeDocument(*document), {});
  return done ? ExitDone : fail(done.diagnostics(), false);
}

}  // namespace

Command workloadCommand() {
  const auto options = std::make_shared<WorkloadOptions>();
  Command command{.name = "workload",
                  .summary = "write a built-in workload as a file; without a name, list them",
                  .examples = {{"workload", "what there is"},
                               {"workload moe --model mixtral_b64 --size K=4 -o moe.sluice",
                                "a published model with another size"}},
                  .run = [options](Process&) { return runWorkload(*options); }};
  command.add("name", options->name, "the workload");
  command.add("--model", options->model, "the sizes of a published model");
  command.add("--size", options->sizes, "a size, NAME=NUMBER; may be repeated");
  command.add(output_option, options->output, "the file; default: standard output");
  return command;
}

}  // namespace sluice::cli
