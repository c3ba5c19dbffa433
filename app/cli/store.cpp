// sluice-cli explorations, export, merge: what lies in result stores.

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/option_values.h"
#include "app/cli/table.h"
#include "engine/core/atomic_file.h"
#include "engine/explorer/store/json_lines.h"
#include "engine/explorer/store/result_store.h"

namespace sluice::cli {
namespace {

using Json = nlohmann::ordered_json;

struct StoreOptions {
  std::string store;
  bool json = false;
  std::int64_t exploration = 0;  ///< 0: all
  std::string out, format = "csv";
  std::vector<std::string> others;
};

void addStoreOptions(CLI::App& command, StoreOptions& options) {
  command.add_option("STORE", options.store, "the result store")->required();
  command.add_flag("--json", options.json, "print one JSON object to stdout and nothing else");
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Json toJson(const ExplorationRecord& record) {
  Json knobs = Json::array();
  for (const Knob& knob : record.knobs) knobs.push_back(knob.name);
  return {{"id", record.id},
          {"title", record.title},
          {"file", record.file},
          {"workload", record.workload},
          {"knobs", std::move(knobs)},
          {"strategy", record.strategy},
          {"seed", record.seed},
          {"budget", record.budget},
          {"level", text(record.level)},
          {"objectives", record.objectives},
          {"engine", record.engine},
          {"machine", record.machine},
          {"started", record.started},
          {"points", record.points}};
}

int runExplorations(const StoreOptions& options) {
  Result<ResultStore> store = ResultStore::open(options.store, ResultStore::Access::Read);
  if (!store) return fail(store.diagnostics(), options.json);
  const Result<std::vector<ExplorationRecord>> records = store->explorations();
  if (!records) return fail(records.diagnostics(), options.json);
  if (options.json) {
    Json list = Json::array();
    for (const ExplorationRecord& record : *records) list.push_back(toJson(record));
    printJson(Json{{"store", options.store}, {"explorations", std::move(list)}});
    return exitDone;
  }
  Table table({"", "started (UTC)", "program", "strategy", "seed", "level", "objectives", "engine", "machine",
               "points"},
              0);
  for (const ExplorationRecord& record : *records) {
    table.row({std::to_string(record.id), record.started, record.title.empty() ? record.file : record.title,
               record.strategy, std::to_string(record.seed), text(record.level), joined(record.objectives),
               record.engine, record.machine, grouped(record.points)});
  }
  table.print(std::cout);
  return exitDone;
}

/// Text to a file, or to stdout.
Result<Done> exportTo(const StoreOptions& options, ResultStore& store) {
  const auto exploration = options.exploration > 0 ? std::optional(options.exploration) : std::nullopt;
  const auto write = [&](const ByteSink& sink) {
    return options.format == "csv" ? store.writeCsv(exploration, sink)
                                   : writeJsonLines(store, exploration, sink);
  };
  if (!options.out.empty()) return writeFileAtomically(options.out, write);
  return write([](std::string_view text) -> Result<Done> {
    if (std::cout << text) return Done{};
    return Diagnostic{Severity::Error, "standard output", "it cannot be written", "let it go to a file"};
  });
}

int runExport(const StoreOptions& options) {
  Result<ResultStore> store = ResultStore::open(options.store, ResultStore::Access::Read);
  if (!store) return fail(store.diagnostics(), false);
  const Result<Done> written = exportTo(options, *store);
  if (!std::cout) return exitDiagnostic;  // main() says why
  if (!written) return fail(written.diagnostics(), false);
  if (!options.out.empty()) std::cerr << "wrote " << options.out << "\n";
  return exitDone;
}

int runMerge(const StoreOptions& options) {
  Result<ResultStore> store = ResultStore::open(options.store, ResultStore::Access::Write);
  if (!store) return fail(store.diagnostics(), options.json);
  Json merged = Json::array();
  for (const std::string& other : options.others) {
    const Result<MergeReport> report = mergeFile(*store, other);
    if (!report) return fail(report.diagnostics(), options.json);
    merged.push_back({{"store", other},
                      {"explorations", report->explorations},
                      {"points", report->points},
                      {"known", report->known},
                      {"different", report->different}});
    if (report->different > 0) {
      std::cerr << "warning: " << other << ": " << report->different
                << " points are here with other numbers; those here were kept\n";
    }
    if (options.json) continue;
    std::cout << other << ": " << grouped(report->explorations) << " explorations and "
              << grouped(report->points) << " points added, " << grouped(report->known)
              << " points were here already\n";
  }
  if (options.json) printJson(Json{{"store", options.store}, {"merged", std::move(merged)}});
  return exitDone;
}

}  // namespace

void addExplorations(CLI::App& application, Process& process) {
  CLI::App* command = application.add_subcommand("explorations", "list what a result store holds");
  auto options = std::make_shared<StoreOptions>();
  addStoreOptions(*command, *options);
  command->callback([options, &process] { process.exit_code = runExplorations(*options); });
}

void addPoints(CLI::App& application, Process& process) {
  CLI::App* command =
      application.add_subcommand("points", "write the points of a result store as CSV or JSON Lines");
  auto options = std::make_shared<StoreOptions>();
  command->add_option("STORE", options->store, "the result store")->required();
  command->add_option("--exploration", options->exploration, "only this one; `explorations` numbers them")
      ->check(belowOne, "POSITIVE");
  command->add_option("--format", options->format, "csv: a table; jsonl: JSON Lines, which `merge` reads")
      ->check(CLI::IsMember({"csv", "jsonl"}))
      ->capture_default_str();
  command->add_option("--out", options->out, "write here instead of to stdout")->type_name("FILE");
  command->callback([options, &process] { process.exit_code = runExport(*options); });
}

void addMerge(CLI::App& application, Process& process) {
  CLI::App* command = application.add_subcommand("merge", "add what other result stores hold to one");
  auto options = std::make_shared<StoreOptions>();
  addStoreOptions(*command, *options);
  command->add_option("OTHERS", options->others, "the stores to add, or .jsonl files of `points`")
      ->required();
  command->callback([options, &process] { process.exit_code = runMerge(*options); });
}

}  // namespace sluice::cli
