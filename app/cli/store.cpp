// sluice-cli explorations, export, merge: what lies in result stores.

#include <iostream>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/report.h"
#include "engine/core/atomic_file.h"
#include "engine/explorer/store/json_lines.h"
#include "engine/explorer/store/result_store.h"

namespace sluice::cli {
namespace {

struct StoreOptions {
  std::string store;
  bool json = false;
  std::int64_t exploration = 0;  ///< 0: all
  std::string out, format = "csv";
  std::vector<std::string> others;
};

Option storeArgument(StoreOptions& options) {
  return {"STORE", &options.store, "the result store", {.required = true}};
}

/// Why a text is no number of 1 or more; one that is no whole number at all is reported elsewhere.
std::string belowOne(const std::string& text) {
  const std::optional<std::int64_t> number = wholeNumber(text);
  return number && *number < 1 ? "'" + text + "' is too small: give at least 1" : "";
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
          {"level", text(record.fidelity)},
          {"objectives", record.objectives},
          {"engine", record.engine},
          {"machine", record.machine},
          {"started", record.started},
          {"points", record.points}};
}

void printExplorations(const Json& report) {
  const auto program = [](const Json& record) {
    return written(record["title"].get_ref<const std::string&>().empty() ? record["file"] : record["title"]);
  };
  const auto joined = [](const Json& names) {
    const std::string list = written(names);  // [cycles, flops]
    return list.substr(1, list.size() - 2);
  };
  tableOf(report["explorations"],
          {{"id", "", writtenPlain},
           {"started", "started (UTC)"},
           {"", "program", program},
           {"strategy", "strategy"},
           {"seed", "seed", writtenPlain},
           {"level", "level"},
           {"objectives", "objectives", joined},
           {"engine", "engine"},
           {"machine", "machine"},
           {"points", "points"}},
          0)
      .print(std::cout);
}

int runExplorations(const StoreOptions& options) {
  Result<ResultStore> store = ResultStore::open(options.store, ResultStore::Access::Read);
  if (!store) return fail(store.diagnostics(), options.json);
  const Result<std::vector<ExplorationRecord>> records = store->explorations();
  if (!records) return fail(records.diagnostics(), options.json);
  Json list = Json::array();
  for (const ExplorationRecord& record : *records) list.push_back(toJson(record));
  return show({{"store", options.store}, {"explorations", std::move(list)}}, options.json, printExplorations);
}

/// Text to a file, or to stdout.
Result<Done> exportTo(const StoreOptions& options, ResultStore& store) {
  const auto exploration = options.exploration > 0 ? std::optional(options.exploration) : std::nullopt;
  const auto write = [&](const ByteSink& sink) {
    return options.format == "csv" ? store.writeCsv(exploration, sink)
                                   : writeJsonLines(store, exploration, sink);
  };
  if (!options.out.empty()) {
    SLUICE_CHECK(refuseInput(options.out, {options.store}));
    SLUICE_CHECK(writeFileAtomically(options.out, write));
    wrote(options.out);
    return Done{};
  }
  return write([](std::string_view text) -> Result<Done> {
    if (std::cout << text) return Done{};
    return error("file-unwritable", "standard output", "it cannot be written", "let it go to a file");
  });
}

int runExport(const StoreOptions& options) {
  Result<ResultStore> store = ResultStore::open(options.store, ResultStore::Access::Read);
  if (!store) return fail(store.diagnostics(), false);
  const Result<Done> written = exportTo(options, *store);
  if (!std::cout) return ExitDiagnostic;  // main() says why
  if (!written) return fail(written.diagnostics(), false);
  return ExitDone;
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
      std::cerr << shown(warning("store-mismatch", Location(Where::Store, other),
                                 counted(report->different, "point") + " with other numbers than here",
                                 "those here were kept"));
    }
    if (options.json) continue;
    std::cout << other << ": " << counted(report->explorations, "exploration") << " and "
              << counted(report->points, "point")
              << " added; here already: " << counted(report->known, "point") << "\n";
  }
  if (options.json) printJson(Json{{"store", options.store}, {"merged", std::move(merged)}});
  return ExitDone;
}

}  // namespace

Command explorationsCommand() {
  const auto options = std::make_shared<StoreOptions>();
  return {.name = "explorations",
          .summary = "list what a result store holds",
          .examples = {{"explorations moe.db", "what a store holds"},
                       {"explorations moe.db --json", "for a script"}},
          .options = {storeArgument(*options), jsonFlag(options->json)},
          .run = [options](Process&) { return runExplorations(*options); }};
}

Command pointsCommand() {
  const auto options = std::make_shared<StoreOptions>();
  Command command{
      .name = "points",
      .summary = "write the points of a result store as CSV or JSON Lines",
      .examples = {{"points moe.db --out points.csv", "a table of all points"},
                   {"points moe.db --format jsonl --out points.jsonl", "for `merge`, on another machine"}},
      .options = {storeArgument(*options)},
      .run = [options](Process&) { return runExport(*options); }};
  command.add("--exploration", options->exploration, "only this one; `explorations` numbers them",
              {.form = "POSITIVE", .wrong = belowOne});
  command.add("--format", options->format, "csv: a table; jsonl: JSON Lines, which `merge` reads",
              {.choices = {"csv", "jsonl"}, .shows_default = true});
  command.add(output_option, options->out, "write here instead of to stdout", {.type = "FILE"});
  return command;
}

Command mergeCommand() {
  const auto options = std::make_shared<StoreOptions>();
  Command command{.name = "merge",
                  .summary = "add what other result stores hold to one",
                  .examples = {{"merge all.db moe.db", "stores of several machines in one"},
                               {"merge all.db points.jsonl", "and points that were written as JSON Lines"}},
                  .options = {storeArgument(*options), jsonFlag(options->json)},
                  .run = [options](Process&) { return runMerge(*options); }};
  command.add("OTHERS", options->others, "the stores to add, or .jsonl files of `points`",
              {.required = true});
  return command;
}

}  // namespace sluice::cli
