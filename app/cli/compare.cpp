// sluice-cli compare: two runs side by side - of two files, or of one file at two design points or inputs.

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "app/cli/command.h"
#include "app/cli/compare_json.h"
#include "app/cli/compare_measured.h"
#include "app/cli/metric_text.h"
#include "app/cli/report.h"
#include "app/cli/trust_report.h"
#include "engine/explorer/compare.h"
#include "engine/explorer/tables.h"

namespace sluice::cli {
namespace {

struct CompareOptions {
  std::string a, b;
  bool json = false, all = false;
  std::size_t top = 0;  ///< rows of each list; 0: all in JSON, a few as text
  std::vector<std::string> sets, sets_a, sets_b, inputs, inputs_a, inputs_b;
  FileOptions priced;  ///< the technology of both runs
  MeasuredOptions measured;

  FileOptions of(bool first) const {
    FileOptions options;
    options.file = first ? a : b;
    options.json = json;
    options.sets = sets, options.inputs = inputs;
    const auto append = [](auto& to, const auto& more) { to.insert(to.end(), more.begin(), more.end()); };
    options.own_sets = first ? sets_a : sets_b;
    options.own_option = first ? "--set-a" : "--set-b";
    options.technology = priced.technology, options.clock_mhz = priced.clock_mhz;
    append(options.inputs, first ? inputs_a : inputs_b);
    return options;
  }
  /// Nothing makes B another run than A.
  bool same() const {
    return b.empty() && sets_a.empty() && sets_b.empty() && inputs_a.empty() && inputs_b.empty();
  }
};

std::string numberText(const std::optional<double>& value) {
  if (!value) return "-";
  const bool whole = *value >= 0 && *value == static_cast<double>(static_cast<std::uint64_t>(*value));
  return whole ? grouped(static_cast<std::uint64_t>(*value)) : decimal(*value, 4);
}

std::string changeText(const ComparedValue& value) {
  const std::optional<double> change = value.change();
  if (!change) return "";
  return (*change > 0 ? "+" : "") + decimal(*change * 100, 1) + " %";
}

std::vector<std::string> cells(const ComparedValue& value) {
  return {numberText(value.a), numberText(value.b), changeText(value)};
}

/// Both names where A calls it otherwise.
std::string nameOf(const ComparedOperator& op) {
  return op.count_a == 0 || op.place_a == op.place ? op.place : op.place + " (A: " + op.place_a + ")";
}

Table causesTable(const Comparison& comparison) {
  std::map<std::string, std::string> names;
  for (const ComparedOperator& op : comparison.operators) names[op.place] = nameOf(op);
  Table causes({"to blame for lost cycles", "A", "B", "change"});
  for (const ComparedCause& cause : comparison.causes) {
    const auto known = names.find(cause.cause);
    std::vector<std::string> line{known == names.end() ? cause.cause : known->second};
    for (std::string& cell : cells(cause.lost)) line.push_back(std::move(cell));
    causes.row(std::move(line));
  }
  return causes;
}

std::string comparisonText(const CompareOptions& options, const Comparison& comparison,
                           const std::vector<RunProfile>& runs, const std::vector<TrustLabel>& trust) {
  std::ostringstream out;
  const std::size_t most = options.all ? 0 : options.top > 0 ? options.top : 20;
  Table metrics({"metric", "A", "B", "change"});
  metrics.row({"state", text(runs[0].point.state), text(runs[1].point.state), ""});
  for (const ComparedMetric& metric : comparison.metrics) {
    const MetricSpec& spec = *metric.metric;
    const auto side = [&](const std::optional<double>& value) {
      return value ? metricText(spec, *value) : "-";
    };
    metrics.row({metricLabel(spec), side(metric.value.a), side(metric.value.b), changeText(metric.value)});
  }
  metrics.print(out);
  for (std::size_t side = 0; side < 2; ++side)
    out << "Trust of "
        << "AB"[side] << ": " << trustText(trust[side]) << "\n";
  Table operators({"operator", "instances", "busy A", "busy B", "change", "waits A", "waits B", "change"});
  for (const ComparedOperator& op : comparison.operators) {
    ComparedValue waits;
    if (op.count_a > 0) waits.a = *op.starved.a + *op.blocked.a;
    if (op.count_b > 0) waits.b = *op.starved.b + *op.blocked.b;
    std::vector<std::string> line{nameOf(op),
                                  std::to_string(op.count_a) + " / " + std::to_string(op.count_b)};
    for (const ComparedValue& value : {op.busy, waits})
      for (std::string& cell : cells(value)) line.push_back(std::move(cell));
    operators.row(std::move(line));
  }
  out << "\nOperators, largest difference first (cycles, instances summed)\n";
  operators.print(out, most);
  out << "\nCauses of lost cycles, largest difference first\n";
  causesTable(comparison).print(out, most);
  Table streams({"stream", "depth A", "depth B", "most A", "most B", "tokens A", "tokens B"});
  for (const ComparedStream& stream : comparison.streams) {
    streams.row({stream.name, numberText(stream.depth.a), numberText(stream.depth.b),
                 numberText(stream.most.a), numberText(stream.most.b), numberText(stream.tokens.a),
                 numberText(stream.tokens.b)});
  }
  out << "\nStreams (tokens; depth and most at once of one instance)\n";
  streams.print(out, most);
  return out.str();
}

Json runJson(const RunProfile& run, const std::string& file, const TrustLabel& trust) {
  return {{"file", file},
          {"state", text(run.point.state)},
          {"knobs", run.point.knobs},
          {"trust", trustJson(trust)}};
}

Json comparedJson(const CompareOptions& options, const Comparison& comparison,
                  const std::vector<RunProfile>& runs, const std::vector<TrustLabel>& trust) {
  Json object = {{"a", runJson(runs[0], options.a, trust[0])}, {"b", runJson(runs[1], options.b, trust[1])}};
  object.update(comparisonJson(comparison, options.all ? 0 : options.top));
  return object;
}

/// Two files have operators of the same names: the place says which file is meant.
Diagnostics inFile(const std::string& file, Diagnostics diagnostics) {
  const auto say = [&](Location& place) {
    if (!place.beginsWith(Where::File)) place = Location(Where::File, file) / place;
  };
  for (Diagnostic& each : diagnostics) {
    say(each.place);
    std::ranges::for_each(each.related, say);
  }
  return diagnostics;
}

int runMeasured(const CompareOptions& options, const std::stop_token& stop) {
  if (!options.same())
    throw WrongUse{"conflicting-options",
                   "B is what was measured: leave the second file and the options of one run alone out"};
  return compareMeasured(options.of(true), options.measured, options.all, options.top, stop);
}

int runCompare(CompareOptions options, const std::stop_token& stop) {
  if (!options.measured.files.empty()) return runMeasured(options, stop);
  if (options.same()) {
    throw WrongUse{
        "missing-option",
        "B is the same run as A: name a second file, what differs in B, such as --set-b KNOB=VALUE, or a "
        "measured run with --measured"};
  }
  const bool two_files = !options.b.empty();
  if (!two_files) options.b = options.a;
  std::vector<RunProfile> runs;
  std::vector<TrustLabel> trust;
  for (const bool first : {true, false}) {
    const FileOptions file = options.of(first);
    const auto failed = [&](const Diagnostics& why) {
      return fail(two_files ? inFile(file.file, why) : why, options.json);
    };
    const Result<Opened> opened = open(file);
    if (!opened) return failed(opened.diagnostics());
    Result<PointResult> run = evaluate(*opened->workload, opened->knobs, RecordMode::Timeline, stop);
    if (stop.stop_requested()) return ExitCancelled;  // in the run or before it
    if (!run) return failed(run.diagnostics());
    runs.push_back(profileOf(*run));
    trust.push_back(trustAt(*opened->workload, opened->knobs));
  }
  const Comparison comparison = compare(runs[0], runs[1]);
  if (options.json)
    printJson(comparedJson(options, comparison, runs, trust));
  else
    std::cout << comparisonText(options, comparison, runs, trust);
  return ExitDone;
}

}  // namespace

Command compareCommand() {
  const auto options = std::make_shared<CompareOptions>();
  const auto values = [](const char* name, std::vector<std::string>& into, const char* help) {
    return assignments(name, into, help, "NAME=VALUE");
  };
  Command command{
      .name = "compare",
      .summary = "two runs side by side: of two files, of one at two points or inputs, or model and measured",
      .examples =
          {{"compare sample_workloads/simple_moe.sluice sample_workloads/simple_moe.sluice --set-b "
            "token_tile=8",
            "one program at two points"},
           {"compare sample_workloads/swiglu.sluice --measured sample_workloads/measurements/swiglu_rtl.csv",
            "the model beside measured runs"}},
      .run = [options](Process& process) { return runCompare(*options, process.interrupt.token()); }};
  command.add("a", options->a, "the .sluice file of run A", {.type = "FILE", .required = true});
  command.add("b", options->b,
              "the .sluice file of run B; left out: the same, and an option says what differs",
              {.type = "FILE"});
  command.add(values("--set", options->sets, "a knob of both runs"));
  command.add(values("--set-a", options->sets_a, "a knob of run A"));
  command.add(values("--set-b", options->sets_b, "a knob of run B"));
  command.add(values("--input", options->inputs, "a file for an input of both runs"));
  command.add(values("--input-a", options->inputs_a, "a file for an input of run A"));
  command.add(values("--input-b", options->inputs_b, "a file for an input of run B"));
  command.add("--all", options->all, "print every row");
  command.add("--top", options->top, "rows of each list; without it 20, with --json all",
              {.range = Range{1, 1'000'000}});
  command.add(jsonFlag(options->json, "print one JSON object"));
  for (const Option& option : technologyOptions(options->priced)) command.add(option);
  for (const Option& option : measuredOptions(options->measured, false)) command.add(option);
  command.add(output_option, options->measured.out,
              "with --measured: write the errors by operator and by what its cycles went to, as CSV",
              {.type = "OUT.csv", .needs = "--measured"});
  command.add("--confirm", options->measured.confirmed,
              "with --measured, of RTL that 'emit rtl' wrote: where its numbers are the model's, write the "
              "program with the label that RTL confirms this point, else end with 1; without it differences "
              "are no failure",
              {.type = "OUT.sluice", .needs = "--measured"});
  command.add("--published", options->measured.published,
              "with --confirm: the measurements are cycles that this paper prints, and the label says so, of "
              "their points alone",
              {.type = "PAPER", .needs = "--confirm"});
  command.add(
      "--charts", options->measured.charts,
      "with --measured: a folder for charts as PDF: cycles by what they went to, and the operators that are "
      "furthest off; of several runs, model against measured",
      {.type = "FOLDER", .needs = "--measured"});
  return command;
}

}  // namespace sluice::cli
