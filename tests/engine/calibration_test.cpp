// Calibration: numbers that were altered are found again, and Figure 8 is met better than by the paper's own
// simulator, also where a point was left out of the fit.

#include "engine/measurements/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "engine/figures/published.h"
#include "engine/interchange/chrome_trace.h"
#include "engine/interchange/vcd.h"
#include "engine/measurements/registry.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/documents.h"

namespace sluice::calibration_test {

using namespace testing_support;
using testing::HasSubstr;

const std::string samples = SLUICE_SOURCE_DIR "/sample_workloads/";

/// The sample's workload, its points, and what to fit; a test adds the runs.
CalibrationRequest requestFor(const std::vector<std::string>& fit) {
  CalibrationRequest request;
  request.workload = sampleWorkload(samples + "swiglu.sluice");
  request.knobs = defaultKnobs(request.workload->document);
  for (const std::string& text : fit) {
    Result<FitParameter> parameter = fitParameter(request.workload->document, request.knobs, text);
    EXPECT_TRUE(parameter) << sluice::text(parameter.diagnostics());
    if (parameter) request.parameters.push_back(*std::move(parameter));
  }
  return request;
}

Calibration calibrated(const CalibrationRequest& request, unsigned threads = 2) {
  const auto executor = makeExecutor(threads);
  Result<Calibration> result = calibrate(request, *executor);
  EXPECT_TRUE(result) << text(result.diagnostics());
  return result ? *std::move(result) : Calibration{};
}

/// The machine that is measured: other numbers than the sample's.
std::shared_ptr<const Workload> altered() {
  Workload other = *sampleWorkload(samples + "swiglu.sluice");
  other.document.constants["compute"] = Value(2900);
  other.document.machine.hbm_start_up = 37;
  return std::make_shared<const Workload>(std::move(other));
}

MeasuredRun readBack(const std::string& text) {
  std::istringstream in(text);
  return formatOf(text)->read(in, "recorded", {})->runs.at(0);
}

TEST(Calibration, FindsAlteredNumbersFromOneRecording) {
  const auto device = altered();
  const Result<PointResult> run = evaluate(*device, defaultKnobs(device->document), RecordMode::Timeline);
  ASSERT_TRUE(run);
  for (const bool trace : {false, true}) {
    CalibrationRequest request = requestFor({"compute", "hbm_start_up"});
    request.runs = {readBack(trace ? chromeTrace(run->symbolic.graph, *run->simulation.timeline)
                                   : valueChangeDump(run->symbolic.graph, *run->simulation.timeline))};
    const Calibration found = calibrated(request);
    ASSERT_EQ(found.parameters.size(), 2u);
    EXPECT_NEAR(static_cast<double>(found.parameters[0].after), 2900, 10);  // costs are rounded to cycles
    EXPECT_EQ(found.parameters[1].after, 37);
    EXPECT_EQ(found.error_after, 0);
    EXPECT_GT(found.error_before, 0.01);
    EXPECT_FALSE(found.error_left_out);
    EXPECT_EQ(found.document.machine.hbm_start_up, Value(37));
  }
}

TEST(Calibration, FindsAlteredNumbersFromWholeRuns) {
  const auto device = altered();
  CalibrationRequest request = requestFor({"compute", "hbm_start_up=1:100"});
  for (const std::int64_t m : {16, 32, 64})
    for (const std::int64_t n : {16, 64, 256}) {
      MeasuredRun run;
      run.place = Location(Where::File, "runs");
      run.at = {{"tile_m", m}, {"tile_n", n}};
      run.cycles = static_cast<double>(evaluate(*device, run.at, RecordMode::Count)->simulation.cycles);
      request.runs.push_back(std::move(run));
    }
  const Calibration found = calibrated(request);
  EXPECT_NEAR(static_cast<double>(found.parameters[0].after), 2900, 10);
  EXPECT_EQ(found.parameters[1].after, 37);
  EXPECT_LT(*found.error_left_out, 1e-3);
  ASSERT_TRUE(found.parameters[1].half_width);
  EXPECT_LT(*found.parameters[1].half_width, 1);
}

/// Cycles of our own RTL of the sample (`emit rtl`, Verilator 5.006): its memory takes 25 cycles more for a
/// request; then a quarter of the arithmetic, too. The numbers are found, whole.
TEST(Calibration, FindsWhatWasAlteredInRtl) {
  using Runs = std::vector<std::array<std::int64_t, 3>>;  // tile_m, tile_n, cycles
  const Runs slow_memory = {{16, 64, 27'554}, {16, 256, 27'560}, {64, 64, 9'671}, {64, 256, 11'139}};
  const Runs slow_both = {{16, 64, 27'762}, {64, 64, 19'857}, {64, 256, 28'401}};
  const auto fitted = [](const Runs& runs, const std::vector<std::string>& names) {
    CalibrationRequest request = requestFor(names);
    for (const auto& [m, n, cycles] : runs) {
      MeasuredRun run;
      run.place = Location(Where::File, "RTL");
      run.at = {{"tile_m", m}, {"tile_n", n}};
      run.cycles = static_cast<double>(cycles);
      request.runs.push_back(std::move(run));
    }
    const Calibration found = calibrated(request);
    EXPECT_GT(found.error_before, 0.005);
    EXPECT_EQ(found.error_after, 0);
    EXPECT_EQ(found.error_left_out, 0);
    std::vector<std::int64_t> after;
    for (const auto& parameter : found.parameters) after.push_back(parameter.after);
    return after;
  };
  EXPECT_THAT(fitted(slow_memory, {"hbm_start_up"}), testing::ElementsAre(14 + 25));
  EXPECT_THAT(fitted(slow_memory, {"hbm_latency"}), testing::ElementsAre(2 + 25));
  EXPECT_THAT(fitted(slow_both, {"compute", "hbm_start_up"}), testing::ElementsAre(4096 / 4, 14 + 25));
}

/// STeP's Figure 8 prints what its simulator gives beside register-transfer simulation.
TEST(Calibration, FigureEightIsMetBetterThanByTheReferenceSimulator) {
  const PublishedTable table = publishedTable("fig8");
  double reference = 0;
  for (const PublishedRow& row : table)
    reference += std::abs(row.number("cycles") - row.number("rtl_cycles")) / row.number("rtl_cycles") /
                 static_cast<double>(table.size());
  CalibrationRequest request = requestFor({"compute", "hbm_start_up"});
  Result<Measurement> measured = readMeasurement(samples + "measurements/swiglu_rtl.csv");
  ASSERT_TRUE(measured) << text(measured.diagnostics());
  request.runs = measured->runs;
  ASSERT_EQ(request.runs.size(), table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(request.runs[i].cycles, table[i].number("rtl_cycles"));
    EXPECT_EQ(request.runs[i].at.at("tile_n"), table[i].integer("tile_n"));
  }
  const Calibration found = calibrated(request, 1), again = calibrated(request, 4);
  EXPECT_NEAR(reference, 0.0609, 1e-4);
  EXPECT_NEAR(found.error_before, reference, 0.005);
  ASSERT_TRUE(found.error_left_out);
  EXPECT_LT(*found.error_left_out, 0.04);
  EXPECT_LT(*found.error_left_out, reference);
  EXPECT_LE(found.error_after, *found.error_left_out);
  EXPECT_EQ(found.document, again.document);
  EXPECT_EQ(found.evaluations, again.evaluations);
  EXPECT_EQ(found.error_left_out, again.error_left_out);
}

TEST(Calibration, RefusesWhatCannotBeFitted) {
  const auto workload = sampleWorkload(samples + "swiglu.sluice");
  const KnobValues knobs = defaultKnobs(workload->document);
  const auto codeOf = [&](const std::string& text) {
    const Result<FitParameter> parameter = fitParameter(workload->document, knobs, text);
    return parameter ? "accepted" : parameter.diagnostics().front().code;
  };
  EXPECT_EQ(codeOf("hbm_latency"), "accepted");
  EXPECT_EQ(codeOf("machine.hbm_latency=0:9"), "accepted");
  EXPECT_EQ(codeOf("tile_m"), "accepted");
  EXPECT_EQ(codeOf("hbm_latencies"), "unknown-name");
  EXPECT_EQ(codeOf("tCL"), "unknown-name");  // of a memory down to its banks
  EXPECT_EQ(codeOf("row_tiles"), "wrong-type");
  EXPECT_EQ(codeOf("compute=5"), "invalid-option");
  EXPECT_EQ(codeOf("compute=1:100"), "out-of-range");
  EXPECT_THAT(text(fitParameter(workload->document, knobs, "compute=9000:10").diagnostics()),
              HasSubstr("write compute=10:9000"));
  const auto executor = makeExecutor(1);
  CalibrationRequest request = requestFor({"compute", "hbm_start_up"});
  MeasuredRun run;
  run.cycles = 15000;
  request.runs = {run};
  EXPECT_EQ(calibrate(request, *executor).diagnostics().front().code, "too-few-measurements");
  request.runs = {};
  EXPECT_EQ(calibrate(request, *executor).diagnostics().front().code, "too-few-measurements");
  run.at["compute"] = 4096;
  request.runs = {run, run};
  EXPECT_EQ(calibrate(request, *executor).diagnostics().front().code, "conflicting-options");
}

/// Abramowitz and Stegun, table 26.10.
TEST(Calibration, StudentsDistribution) {
  EXPECT_NEAR(studentQuantile(0.975, 1), 12.706, 1e-3);
  EXPECT_NEAR(studentQuantile(0.975, 10), 2.228, 1e-3);
  EXPECT_NEAR(studentQuantile(0.975, 120), 1.980, 1e-3);
  EXPECT_NEAR(studentQuantile(0.95, 13), 1.771, 1e-3);
}

/// y = a x, with a whole a: the delta method gives the textbook's interval.
TEST(Calibration, ConfidenceIsThatOfALine) {
  const std::vector<double> x{1, 2, 3, 4, 5}, noise{2, -3, 1, 2, -1};
  LeastSquares fit({{.start = 40, .range = Range(1, 100'000)}}, [&](std::span<const WholePoint> points) {
    std::vector<std::optional<Residuals>> all;
    for (const WholePoint& point : points) {
      Residuals residuals;
      for (std::size_t i = 0; i < x.size(); ++i)
        residuals.push_back({static_cast<double>(point[0]) * x[i] - (100 * x[i] + noise[i])});
      all.emplace_back(std::move(residuals));
    }
    return all;
  });
  const WholePoint best = fit.fit();
  EXPECT_EQ(best, WholePoint{100});
  const double variance = (4 + 9 + 1 + 4 + 1) / 4.0;
  EXPECT_NEAR(*fit.halfWidths(best)[0], 2.776 * std::sqrt(variance / 55), 1e-3);
}

/// Cycles that one number determines, and measured by hand, so that another fits a little better, too.
std::vector<MeasuredRun> runsNear(const std::shared_ptr<const Workload>& device,
                                  const std::vector<std::array<std::int64_t, 3>>& tiles) {
  std::vector<MeasuredRun> runs;
  for (const auto& [m, n, off] : tiles) {
    MeasuredRun run;
    run.place = Location(Where::File, "runs");
    run.at = {{"tile_m", m}, {"tile_n", n}};
    const PointResult point = *evaluate(*device, run.at, RecordMode::Count);
    run.cycles = static_cast<double>(point.simulation.cycles) + static_cast<double>(off);
    runs.push_back(std::move(run));
  }
  return runs;
}

/// Tiles of 16 rows are all memory: with noise the best `compute` is another one, and that says nothing.
TEST(Calibration, LeavesWhatTheRunsDoNotDetermine) {
  Workload other = *sampleWorkload(samples + "swiglu.sluice");
  other.document.machine.hbm_start_up = 150;
  const auto device = std::make_shared<const Workload>(std::move(other));
  CalibrationRequest request = requestFor({"hbm_start_up", "compute"});
  request.runs = runsNear(device, {{16, 16, 40}, {16, 32, -35}, {16, 64, 20}, {16, 128, -25}});
  const Calibration found = calibrated(request);
  EXPECT_NEAR(static_cast<double>(found.parameters[0].after), 150, 10);
  EXPECT_FALSE(found.parameters[0].undetermined());
  EXPECT_TRUE(found.parameters[1].left);
  EXPECT_TRUE(found.parameters[1].undetermined());
  EXPECT_FALSE(found.parameters[1].half_width);
  EXPECT_EQ(found.parameters[1].after, 4096);
  EXPECT_EQ(found.document.constants.at("compute"), Value(4096));
  EXPECT_THAT(found.document.provenance->detail, HasSubstr("compute 4096 (as it was, not determined)"));
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_THAT(found.notes[0].cause, HasSubstr("4096 is left"));
  // A request's answer takes start-up and latency: only their sum shows, and the one named first is fitted.
  request = requestFor({"hbm_start_up", "hbm_latency"});
  request.runs = runsNear(device, {{16, 16, 4}, {16, 64, -4}, {64, 64, 3}, {64, 16, -3}});
  const Calibration sum = calibrated(request);
  EXPECT_NEAR(static_cast<double>(sum.parameters[0].after), 150, 3);
  EXPECT_FALSE(sum.parameters[0].undetermined());
  EXPECT_TRUE(sum.parameters[1].left);
  EXPECT_EQ(sum.parameters[1].after, 2);
}

/// One run and one number: it is fitted, and nothing tells how exact it is.
TEST(Calibration, AsManyNumbersAsRunsHaveNoInterval) {
  Workload other = *sampleWorkload(samples + "swiglu.sluice");
  other.document.machine.hbm_start_up = 150;
  CalibrationRequest request = requestFor({"hbm_start_up"});
  request.runs = runsNear(std::make_shared<const Workload>(std::move(other)), {{64, 64, 0}});
  const Calibration found = calibrated(request);
  EXPECT_EQ(found.parameters[0].after, 150);
  EXPECT_FALSE(found.parameters[0].left);
  EXPECT_FALSE(found.parameters[0].half_width);
  EXPECT_TRUE(found.parameters[0].undetermined());
}

/// A recording of another program that shares a few names with this one.
TEST(Calibration, SaysThatARecordingIsLikelyOfAnotherProgram) {
  const auto other = sampleWorkload(samples + "simple_moe.sluice");
  const Result<PointResult> run = evaluate(*other, defaultKnobs(other->document), RecordMode::Timeline);
  ASSERT_TRUE(run);
  CalibrationRequest request = requestFor({"compute"});
  request.runs = {readBack(valueChangeDump(run->symbolic.graph, *run->simulation.timeline))};
  const Calibration found = calibrated(request);
  ASSERT_FALSE(found.notes.empty());
  EXPECT_EQ(found.notes.front().code, "measurement-mismatch");
  EXPECT_EQ(found.notes.front().severity, Severity::Warning);
}

TEST(Calibration, AtTheShell) {
  const std::string words = "calibrate '" + samples + "swiglu.sluice' --measured '" + samples +
                            "measurements/swiglu_rtl.csv' --fit compute=1024:16384";
  const auto report = runCommandLine(words + " --json").object();
  EXPECT_EQ(report["parameters"][0]["name"], "compute");
  EXPECT_LT(report["mean_error_after"].get<double>(), report["mean_error_before"].get<double>());
  EXPECT_EQ(report["runs"].size(), 15u);
  EXPECT_EQ(report["parameters"][0]["after"], 16384);
  EXPECT_EQ(report["parameters"][0]["determined"], false);
  EXPECT_EQ(report["parameters"][0]["left"], false) << "4096 is too small by any of these runs";
  EXPECT_EQ(report["notes"][0]["code"], "undetermined-number");
  EXPECT_THAT(runCommandLine(words + " --fit nothing", true).out, HasSubstr("[unknown-name]"));
  EXPECT_EQ(runCommandLine("calibrate '" + samples + "swiglu.sluice' --fit compute").status, 2);
}

}  // namespace sluice::calibration_test
