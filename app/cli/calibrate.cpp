// sluice-cli calibrate: numbers of the machine and the workload fitted to measured runs.

#include <algorithm>
#include <cmath>
#include <iostream>
#include <iterator>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/compare_measured.h"
#include "app/cli/progress.h"
#include "app/cli/report.h"
#include "app/cli/written_program.h"
#include "engine/measurements/calibration.h"

namespace sluice::cli {
namespace {

struct CalibrateOptions : FileOptions {
  MeasuredOptions measured;
  std::vector<std::string> fit;
  std::string output;
  unsigned threads = 0;
};

Json calibrationJson(const CalibrateOptions& options, const Calibration& result) {
  Json parameters = Json::array(), runs = Json::array();
  for (const FittedParameter& each : result.parameters)
    parameters.push_back({{"name", each.name},
                          {"before", each.before},
                          {"after", each.after},
                          {"half_width_95", orNull(each.half_width)},
                          {"determined", !each.undetermined()},
                          {"left", each.left},
                          {"excludes_before", each.excludes_before}});
  for (const CalibratedRun& run : result.runs) {
    Json at = Json::object();
    for (const auto& [name, value] : run.at) at[name] = value;
    runs.push_back({{"place", text(run.place)},
                    {"at", std::move(at)},
                    {"measured_cycles", orNull(run.measured)},
                    {"cycles_before", run.before},
                    {"cycles_after", run.after},
                    {"cycles_left_out", orNull(run.left_out)}});
  }
  return {{"file", options.file},
          {"measured", options.measured.files},
          {"parameters", std::move(parameters)},
          {"mean_error_before", result.error_before},
          {"mean_error_after", result.error_after},
          {"mean_error_left_out", orNull(result.error_left_out)},
          {"evaluations", result.evaluations},
          {"runs", std::move(runs)},
          {"ignored_columns", result.ignored},
          {"notes", diagnosticsJson(result.notes)},
          {"written", options.output.empty() ? Json() : Json(options.output)}};
}

std::string errorText(const Json& error) {
  return error.is_null() ? "-" : decimal(error.get<double>() * 100, 2) + " %";
}

/// "± 12"; "more than 4,096" where the runs tell no more than that; what was left keeps its number.
std::string confidenceText(const Json& number) {
  if (number["left"]) return "not determined, left";
  if (!number["determined"] && number["excludes_before"])
    return (number["after"] > number["before"] ? "more than " : "less than ") +
           grouped(number["before"].get<std::uint64_t>());
  const Json& width = number["half_width_95"];
  if (width.is_null()) return "not told by these runs";
  const auto value = width.get<double>();
  return "± " + (value < 100 ? decimal(value, 1) : grouped(static_cast<std::uint64_t>(std::ceil(value))));
}

/// "tile_m=16 tile_n=32", else the file.
std::string runText(const Json& run) {
  std::string knobs;
  for (const auto& [name, value] : run["at"].items())
    knobs += (knobs.empty() ? "" : " ") + name + "=" + value.dump();
  return knobs.empty() ? run["place"].get<std::string>() : knobs;
}

std::string cyclesOf(const Json& cycles) {
  return cycles.is_null() ? "-" : grouped(static_cast<std::uint64_t>(std::llround(cycles.get<double>())));
}

void printCalibration(const Json& report) {
  tableOf(
      report["parameters"],
      {{"name", "number"}, {"before", "before"}, {"after", "after"}, {"", "95 % confidence", confidenceText}})
      .print(std::cout);
  std::cout << "\nMean error of the cycles: " << errorText(report["mean_error_before"]) << " before, "
            << errorText(report["mean_error_after"]) << " after";
  if (report["mean_error_after"] > report["mean_error_before"])
    std::cout << ", which is larger (the fit makes the sum of the squares least, of operators, too)";
  if (!report["mean_error_left_out"].is_null())
    std::cout << "; each run by the fit to all others: " << errorText(report["mean_error_left_out"]);
  std::cout << "\n\n";
  tableOf(report["runs"], {{"", "cycles of the run", runText},
                           {"measured_cycles", "measured", cyclesOf},
                           {"cycles_before", "before", cyclesOf},
                           {"cycles_after", "after", cyclesOf},
                           {"cycles_left_out", "left out", cyclesOf}})
      .print(std::cout, 40);
}

Result<CalibrationRequest> requestOf(const CalibrateOptions& options, Diagnostics& notes,
                                     const std::stop_token& stop) {
  SLUICE_TRY(Opened opened, open(options));
  SLUICE_TRY(Measurement measurement, readMeasured(options.measured, stop));
  notes = setInVain(options, opened.knobs, measurement.runs);
  std::ranges::move(measurement.notes, std::back_inserter(notes));
  CalibrationRequest request;
  Diagnostics wrong;
  for (const std::string& text : options.fit) {
    Result<FitParameter> parameter = fitParameter(opened.workload->document, opened.knobs, text);
    const auto same = [&](const FitParameter& each) { return parameter && each.name == parameter->name; };
    if (std::ranges::any_of(request.parameters, same))
      wrong.push_back(error("duplicate-name", Location(Where::Option, "--fit " + text),
                            "it is fitted already", "leave it out"));
    else if (parameter)
      request.parameters.push_back(*std::move(parameter));
    else
      wrong.insert(wrong.end(), parameter.diagnostics().begin(), parameter.diagnostics().end());
  }
  if (!wrong.empty()) return wrong;
  request.source = sourceText(options.measured.files, measurement.runs.size());
  request.workload = std::move(opened.workload);
  request.knobs = std::move(opened.knobs);
  request.runs = std::move(measurement.runs);
  request.stop = stop;
  return request;
}

int runCalibrate(const CalibrateOptions& options, const std::stop_token& stop) {
  Diagnostics notes;
  Result<CalibrationRequest> request = requestOf(options, notes, stop);
  if (!request) return fail(request.diagnostics(), options.json);
  ProgressLine line;
  request->progress = [&](std::size_t evaluations, double error) {
    line.show(counted(evaluations, "set") + " of numbers, mean error " + decimal(error * 100, 2) + " %", 0,
              -1);
  };
  const auto executor = makeExecutor(options.threads);
  Result<Calibration> result = calibrate(*request, *executor);
  line.clear();
  if (!result) return fail(result.diagnostics(), options.json);
  result->notes.insert(result->notes.begin(), notes.begin(), notes.end());
  if (!options.output.empty()) {
    if (const auto written =
            writeProgram(result->document, options.file, options.output, options.measured.files);
        !written)
      return fail(written.diagnostics(), options.json);
  }
  const int status = show(calibrationJson(options, *result), options.json, printCalibration);
  if (!options.json && !result->notes.empty()) std::cerr << shown(result->notes);
  return status;
}

}  // namespace

Command calibrateCommand() {
  const auto options = std::make_shared<CalibrateOptions>();
  Command command{
      .name = "calibrate",
      .summary = "fit numbers of the machine and the workload to measured runs",
      .examples = {{"calibrate sample_workloads/swiglu.sluice --measured "
                    "sample_workloads/measurements/swiglu_rtl.csv "
                    "--fit compute --fit hbm_start_up",
                    "two numbers by a table of runs: knobs and cycles"},
                   {"calibrate sample_workloads/swiglu.sluice --measured "
                    "sample_workloads/measurements/swiglu_rtl.csv "
                    "--fit hbm_start_up=1:1000 --fit compute -o fitted.sluice --json",
                    "within bounds; the program with the number and where it is from"}},
      .options = with(pointOptions(*options), measuredOptions(options->measured, true)),
      .run = [options](Process& process) { return runCalibrate(*options, process.interrupt.token()); }};
  command.add(
      "--fit", options->fit,
      "a number to fit: a constant, a knob, or a number of the machine (machine.NAME where names are the "
      "same); may be given several times",
      {.type = "NAME[=LEAST:MOST]", .required = true, .one_each = true});
  command.add(output_option, options->output,
              "write the program with the fitted numbers and their provenance", {.type = "FILE"});
  command.add("--threads", options->threads, "0: one for each core", {.range = Range{0, 4096}});
  return command;
}

}  // namespace sluice::cli
