#include "app/cli/compare_measured.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <iterator>
#include <sstream>

#include "app/cli/chart_helper.h"
#include "app/cli/measured_charts.h"
#include "app/cli/report.h"
#include "app/cli/trust_report.h"
#include "app/cli/written_program.h"
#include "engine/core/atomic_file.h"
#include "engine/core/cancelled.h"
#include "engine/core/csv.h"
#include "engine/explorer/statistics.h"
#include "engine/explorer/tables.h"
#include "engine/measurements/confirmation.h"
#include "engine/measurements/measured_point.h"

namespace sluice::cli {
namespace {

Json modelJson(const ModelAndMeasured& value) {
  return {
      {"model", orNull(value.model)}, {"measured", orNull(value.measured)}, {"error", orNull(value.error())}};
}

/// "compute", "waiting_for_a_token" ...: those that were measured.
Json activitiesJson(const std::array<ModelAndMeasured, activities>& of) {
  Json json = Json::object();
  for (std::size_t i = 0; i < activities; ++i)
    if (of[i].measured) json[plainName(text(static_cast<Activity>(i)))] = modelJson(of[i]);
  return json;
}

Json operatorJson(const OperatorErrors& row) {
  Json json = {{"place", row.place},
               {"kind", row.kind},
               {"instances", row.count},
               {"matched_by", text(row.by)},
               {"cycles", activitiesJson(row.of)}};
  if (row.total.measured) json["total_cycles"] = modelJson(row.total);
  if (row.finished.measured) json["finished_cycle"] = modelJson(row.finished);
  return json;
}

Json streamJson(const StreamErrors& row) {
  Json json = {{"name", row.name}, {"matched_by", text(row.by)}};
  if (row.tokens.measured) json["tokens"] = modelJson(row.tokens);
  if (row.most.measured) json["max_occupancy"] = modelJson(row.most);
  if (row.no_token) json["reader_waits_cycles"] = *row.no_token;
  if (row.no_slot) json["writer_waits_cycles"] = *row.no_slot;
  return json;
}

Json runJson(const MeasuredRun& run, const MeasuredComparison& compared, std::size_t top) {
  Json json = {{"place", text(run.place)},
               {"knobs", compared.model.point.knobs},
               {"state", text(compared.model.point.state)},
               {"cycles", modelJson(compared.errors.cycles)}};
  if (run.operators.empty() && run.streams.empty()) return json;
  const auto some = [&](const auto& rows, auto print) {
    Json list = Json::array();
    for (const auto& row : rows)
      if (top == 0 || list.size() < top) list.push_back(print(row));
    return list;
  };
  const Matching& matching = compared.errors.matching;
  json["activities"] = activitiesJson(compared.errors.of);
  json["operators"] = some(compared.errors.operators, operatorJson);
  json["streams"] = some(compared.errors.streams, streamJson);
  json["not_in_program"] = matching.unknown;
  json["operators_not_measured"] = matching.operators_not_measured;
  json["streams_not_measured"] = matching.streams_not_measured;
  return json;
}

/// Mean of the errors' amounts, and the correlation; of the runs that have cycles.
Json summaryJson(const std::vector<MeasuredComparison>& runs) {
  std::vector<double> model, measured;
  double sum = 0;
  for (const MeasuredComparison& run : runs) {
    const auto error = run.errors.cycles.error();
    if (!error) continue;
    sum += std::abs(*error);
    model.push_back(*run.errors.cycles.model), measured.push_back(*run.errors.cycles.measured);
  }
  if (model.empty()) return Json();
  const double together = correlation(model, measured);
  return {{"runs", model.size()},
          {"mean_error", sum / static_cast<double>(model.size())},
          {"correlation", std::isnan(together) ? Json() : Json(together)}};
}

std::string shareText(const Json& error) {
  return error.is_null()
             ? "-"
             : (error.get<double>() > 0 ? "+" : "") + decimal(error.get<double>() * 100, 1) + " %";
}
std::string cyclesText(const Json& number) {
  return number.is_null() ? "-" : grouped(static_cast<std::uint64_t>(std::llround(number.get<double>())));
}
std::vector<std::string> cells(std::vector<std::string> first, const Json& value) {
  first.push_back(cyclesText(value["model"])), first.push_back(cyclesText(value["measured"]));
  first.push_back(shareText(value["error"]));
  return first;
}

void printNames(const char* title, const Json& names, std::size_t most) {
  if (names.empty()) return;
  std::cout << "\n" << title << ": ";
  for (std::size_t i = 0; i < names.size() && (most == 0 || i < most); ++i)
    std::cout << (i == 0 ? "" : ", ") << names[i].get<std::string>();
  if (most > 0 && names.size() > most) std::cout << " and " << names.size() - most << " more";
  std::cout << "\n";
}

bool agree(const Json& value) {
  return value["model"] == value["measured"];
}

/// "12 others agree in every number".
void printAgreeing(std::size_t agreeing, std::size_t of, const char* what) {
  if (agreeing == 0) return;
  std::cout << (agreeing == of ? "All " : "")
            << counted(agreeing, agreeing == of ? what : std::string("other ") + what)
            << (agreeing == 1 ? " agrees" : " agree") << " in every number\n";
}

void printOperators(const Json& rows, std::size_t most) {
  Table operators({"operator", "cycles", "model", "measured", "error"}, 2);
  std::size_t agreeing = 0;
  for (const Json& op : rows) {
    std::vector<std::pair<std::string, Json>> values;
    for (const auto& [activity, value] : op["cycles"].items()) {
      std::string words = activity;
      std::ranges::replace(words, '_', ' ');
      values.emplace_back(words, value);
    }
    if (op.contains("total_cycles")) values.emplace_back("total", op["total_cycles"]);
    const bool same = std::ranges::all_of(values, [](const auto& each) { return agree(each.second); });
    if (same) ++agreeing;
    if (same && most > 0) continue;
    std::string place = op["place"].get<std::string>();
    if (op["instances"] != 1) place += " ×" + op["instances"].dump();
    for (const auto& [words, value] : values) {
      if (most > 0 && agree(value) && value["model"] == 0) continue;
      operators.row(cells({place, words}, value));
      place = "";
    }
  }
  std::cout << "\nOperators, largest difference first (cycles, instances summed)\n";
  if (agreeing < rows.size() || most == 0) operators.print(std::cout, most == 0 ? 0 : most * 4);
  if (most > 0) printAgreeing(agreeing, rows.size(), "operator");
}

void printStreams(const Json& rows, std::size_t most) {
  if (rows.empty()) return;
  Table streams({"stream", "tokens", "measured", "most at once", "measured"});
  std::size_t agreeing = 0;
  for (const Json& stream : rows) {
    const auto both = [&](const char* key) {
      return stream.contains(key) ? stream[key] : Json{{"model", nullptr}, {"measured", nullptr}};
    };
    const Json tokens = both("tokens"), fill = both("max_occupancy");
    const bool same = agree(tokens) && agree(fill);
    if (same) ++agreeing;
    if (same && most > 0) continue;
    streams.row({stream["name"].get<std::string>(), cyclesText(tokens["model"]),
                 cyclesText(tokens["measured"]), cyclesText(fill["model"]), cyclesText(fill["measured"])});
  }
  std::cout << "\nStreams (tokens)\n";
  if (agreeing < rows.size() || most == 0) streams.print(std::cout, most);
  if (most > 0) printAgreeing(agreeing, rows.size(), "stream");
}

/// `most`: rows of a list; 0: all of them, those that agree included.
void printRun(const Json& run, std::size_t most) {
  std::cout << run["place"].get<std::string>() << "\n";
  if (run["state"] != text(PointState::Done))
    std::cout << "The model's run: " << run["state"].get<std::string>() << "\n";
  Table whole({"cycles", "model", "measured", "error"});
  whole.row(cells({"of the run"}, run["cycles"]));
  if (!run.contains("operators")) return whole.print(std::cout);
  for (const auto& [activity, value] : run["activities"].items()) {
    std::string words = activity;
    std::ranges::replace(words, '_', ' ');
    whole.row(cells({words + ", all operators measured"}, value));
  }
  whole.print(std::cout);
  printOperators(run["operators"], most);
  printStreams(run["streams"], most);
  printNames("Measured, but not in the program", run["not_in_program"], most);
  printNames("Operators that were not measured", run["operators_not_measured"], most);
  printNames("Streams that were not measured", run["streams_not_measured"], most);
}

/// Runs that have cycles and nothing else stand in one table.
void printRuns(const Json& report, std::size_t most) {
  Table table({"run", "knobs", "model", "measured", "error"}, 2);
  std::size_t rows = 0;
  for (const Json& run : report["runs"]) {
    if (run.contains("operators")) continue;
    std::string knobs;
    for (const auto& [name, value] : run["knobs"].items())
      knobs += (knobs.empty() ? "" : " ") + name + "=" + value.dump();
    const std::string place = run["place"].get<std::string>();
    table.row(cells({place.substr(place.rfind('/') + 1), knobs}, run["cycles"]));
    ++rows;
  }
  if (rows > 0) table.print(std::cout, most);
  for (const Json& run : report["runs"])
    if (run.contains("operators")) printRun(run, most);
  const Json& summary = report["summary"];
  if (!summary.is_null() && summary["runs"] > 1) {
    std::cout << "\nMean error of " << summary["runs"]
              << " runs: " << decimal(summary["mean_error"].get<double>() * 100, 2) << " %";
    if (!summary["correlation"].is_null())
      std::cout << "; correlation " << decimal(summary["correlation"].get<double>(), 4);
    std::cout << "\n";
  }
}

std::string csvOf(const std::vector<MeasuredRun>& runs, const std::vector<MeasuredComparison>& compared) {
  if (runs.size() == 1) return errorsCsv(compared.front().errors);
  CsvTable table({"run", "knobs", "model_cycles", "measured_cycles", "error"});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::string knobs;
    for (const auto& [name, value] : compared[i].model.point.knobs)
      knobs += (knobs.empty() ? "" : " ") + name + "=" + std::to_string(value);
    const ModelAndMeasured& cycles = compared[i].errors.cycles;
    const auto number = [](const std::optional<double>& value) { return value ? csvNumber(*value) : ""; };
    table.row(
        {text(runs[i].place), knobs, number(cycles.model), number(cycles.measured), number(cycles.error())});
  }
  return table.text();
}

/// What is reported before the numbers: that they are likely of another program.
Diagnostics mismatchesOf(const Measurement& measurement, const std::vector<MeasuredComparison>& compared,
                         const Workload& workload) {
  Diagnostics mismatches;
  for (std::size_t i = 0; i < compared.size(); ++i) {
    if (auto other = otherPoint(compared[i].point, workload, compared[i].model.point.knobs))
      mismatches.push_back(*std::move(other));
    if (auto other = likelyMismatch(compared[i].errors.matching, measurement.runs[i]))
      mismatches.push_back(*std::move(other));
  }
  return mismatches;
}

Diagnostics notesOf(const Measurement& measurement, const std::set<std::string>& ignored,
                    const Document& document) {
  Diagnostics notes = measurement.notes;
  std::ranges::move(unusedColumns(ignored, document), std::back_inserter(notes));
  return notes;
}

/// The program, which has the label of RTL, or of papers, where --confirm asks for it and every number is the
/// model's.
Result<Document> labelled(const MeasuredOptions& options, const Workload& workload,
                          const std::vector<MeasuredComparison>& compared) {
  Document document = workload.document;
  if (options.confirmed.empty()) return document;
  const bool printed = !options.published.empty();
  SLUICE_TRY(document.provenance,
             confirmed(printed ? printed_cycles : emitted_rtl, compared, workload,
                       printed ? options.published : sourceText(options.files, compared.size())));
  return document;
}

/// Whether --confirm would give the program a label that it does not have yet.
bool isConfirmable(const MeasuredOptions& options, const Workload& workload,
                   const std::vector<MeasuredComparison>& compared, const TrustLabel& trust) {
  return options.confirmed.empty() && trust.trust != Trust::Rtl &&
         confirmed(emitted_rtl, compared, workload, {});
}

/// Files for --confirm, --out and --charts.
Result<Done> writeFiles(const std::string& program, const MeasuredOptions& options, const Document& document,
                        const std::vector<MeasuredRun>& runs, const std::vector<MeasuredComparison>& compared,
                        const std::stop_token& stop) {
  std::vector<std::string> inputs = options.files;
  inputs.push_back(program);
  const std::string csv = csvOf(runs, compared);
  std::vector<OutputFile> files;
  if (!options.confirmed.empty())
    files.push_back({options.confirmed, [&] { return programText(document, program, options.confirmed); }});
  if (!options.out.empty()) files.push_back({options.out, [&] { return csv; }});
  SLUICE_CHECK(writeOutputs(files, inputs));
  if (options.charts.empty()) return Done{};
  SLUICE_CHECK(writeInto(options.charts, "errors.csv", csv));
  return drawCharts(measuredCharts(compared), options.charts, stop);
}

}  // namespace

std::vector<Option> measuredOptions(MeasuredOptions& options, bool required) {
  return {{"--measured",
           &options.files,
           "a measurement: a value change dump, trace events (Chrome, Perfetto), a table in CSV of operators "
           "or of "
           "runs, a profile of Vitis; may be given several times",
           {.type = "FILE", .required = required, .one_each = true}},
          {"--measured-clock",
           &options.clock_mhz,
           "MHz of what was measured, to turn its times into cycles; without it as the file says",
           {.type = "MHZ", .range = Range{1, 100'000}}},
          {"--cycles-column",
           &options.cycles_column,
           "the column of a table of runs that has their cycles",
           {.type = "NAME", .shows_default = true}}};
}

Diagnostics setInVain(const FileOptions& file, const KnobValues& knobs,
                      const std::vector<MeasuredRun>& runs) {
  Diagnostics told;
  const auto look = [&](const std::string& option, const std::string& set) {
    const std::string name = assignment(set).first;
    const auto has = [&](const MeasuredRun& run) {
      const auto own = run.at.find(name);
      return own != run.at.end() && own->second != knobs.at(name);
    };
    const auto first = std::ranges::find_if(runs, has);
    if (first == runs.end()) return;
    const auto number = std::ranges::count_if(runs, has);
    Diagnostic& warned = told.emplace_back(
        warning("conflicting-options", Location(Where::Option, option + " " + set),
                "of " + counted(runs.size(), "measured run") + " " + std::to_string(number) +
                    (number == 1 ? " has" : " have") + " another value of '" + name + "', which counts",
                "leave the option out, or the column"));
    warned.related.push_back(first->place);
  };
  for (const std::string& set : file.sets) look("--set", set);
  for (const std::string& set : file.own_sets) look(file.own_option, set);
  return told;
}

Result<Measurement> readMeasured(const MeasuredOptions& options, const std::stop_token& stop) {
  Measurement all;
  for (const std::string& file : options.files) {
    SLUICE_TRY(Measurement one, readMeasurement(file, {options.clock_mhz, options.cycles_column, stop}));
    all.format = one.format;
    std::move(one.runs.begin(), one.runs.end(), std::back_inserter(all.runs));
    std::move(one.notes.begin(), one.notes.end(), std::back_inserter(all.notes));
  }
  return all;
}

int compareMeasured(const FileOptions& file, const MeasuredOptions& options, bool all, std::size_t top,
                    const std::stop_token& stop) {
  const Result<Opened> opened = open(file);
  if (!opened) return fail(opened.diagnostics(), file.json);
  const Result<Measurement> measurement = readMeasured(options, stop);
  if (!measurement) return fail(measurement.diagnostics(), file.json);
  const Diagnostics in_vain = setInVain(file, opened->knobs, measurement->runs);
  std::set<std::string> ignored;
  const Result<std::vector<MeasuredComparison>> all_runs =
      compareWithModel(opened->workload, opened->knobs, measurement->runs, ignored, stop);
  if (!all_runs) return fail(all_runs.diagnostics(), file.json);
  const std::vector<MeasuredComparison>& compared = *all_runs;
  const std::size_t rows = all ? 0 : top;
  Json report = {{"file", file.file}, {"measured", options.files}, {"runs", Json::array()}};
  for (std::size_t i = 0; i < compared.size(); ++i)
    report["runs"].push_back(runJson(measurement->runs[i], compared[i], rows));
  report["summary"] = summaryJson(compared);
  const Result<Document> document = labelled(options, *opened->workload, compared);
  if (!document) return fail(document.diagnostics(), file.json);
  // Of several runs the label of them all, of one that of its point.
  const TrustLabel trust =
      compared.size() == 1 ? trustOf(*document, compared.front().model.point.knobs, opened->workload->inputs)
                           : trustOf(*document);
  report["trust"] = trustJson(trust);
  report["confirmable"] = isConfirmable(options, *opened->workload, compared, trust);
  const Diagnostics mismatches = mismatchesOf(*measurement, compared, *opened->workload);
  Diagnostics notes = notesOf(*measurement, ignored, opened->workload->document);
  notes.insert(notes.begin(), in_vain.begin(), in_vain.end());
  Diagnostics all_notes = mismatches;
  all_notes.insert(all_notes.end(), notes.begin(), notes.end());
  report["notes"] = diagnosticsJson(all_notes);
  if (!file.json) {
    if (!mismatches.empty()) std::cerr << shown(mismatches);
    printRuns(report, all ? 0 : rows > 0 ? rows : 20);
    std::cout << trustLine(trust);
    if (report["confirmable"] == true)
      std::cout
          << "Emitted RTL has every number of the model: --confirm OUT.sluice writes the program with that "
             "label\n";
    std::cout << std::flush;  // before what is told of files
    if (!notes.empty()) std::cerr << shown(notes);
  }
  if (const auto written = writeFiles(file.file, options, *document, measurement->runs, compared, stop);
      !written)
    return fail(written.diagnostics(), file.json);
  if (file.json) printJson(report);
  return mismatches.empty() ? ExitDone : ExitDiagnostic;
}

}  // namespace sluice::cli
