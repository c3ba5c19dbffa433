// What a spread of design points over all samples, workloads and deadlocks evaluates to - formulas, cycles,
// traffic, memory, verdicts, repairs - against the last revision: who changes a number raises the revision,
// as stores keep results by it; who only moves code changes none.

#include "engine/explorer/results_revision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "engine/core/atomic_file.h"
#include "engine/core/executor.h"
#include "engine/explorer/evaluate.h"
#include "engine/explorer/explore.h"
#include "engine/explorer/precheck.h"
#include "engine/explorer/tables.h"
#include "engine/fifo/unlock.h"
#include "engine/program/file_format.h"
#include "engine/workloads/workload_builder.h"

namespace sluice::results_revision_test {

namespace fs = std::filesystem;

const fs::path samples = fs::path(SLUICE_SOURCE_DIR) / "sample_workloads";
const fs::path recorded = fs::path(SLUICE_SOURCE_DIR) / "tests/data/results.txt";
constexpr const char* advice =
    "raise results_revision in engine/explorer/results_revision.h and write the numbers anew with: ./dev "
    "results";

using Numbers = std::map<std::string, std::string>;  ///< design point -> what it evaluates to

struct Recorded {
  int revision = 0;
  Numbers numbers;
};

struct Job {
  std::string name;
  std::shared_ptr<const Workload> workload;
  KnobValues knobs;
};

std::string knobsText(const Document& document, const KnobValues& values) {
  std::string texts;
  for (const Knob& knob : document.knobs)
    texts += " " + knob.name + "=" + knobText(knob, values.at(knob.name));
  return texts;
}

/// Memories down to their banks step each request.
bool soonDoneOnBanks(const Job& job) {
  const Result<PointResult> result = evaluate(*job.workload, job.knobs, RecordMode::Count);
  return result && result->point.metrics.hbm_requests < 200'000;
}

std::shared_ptr<const Workload> workloadOf(Document document, const fs::path& folder) {
  Result<std::shared_ptr<const Workload>> made = makeWorkload(std::move(document), folder);
  if (!made) throw std::runtime_error(text(made.diagnostics()));
  return *made;
}

/// Points from one end of the space to the other; the defaults also on other machines.
std::vector<Job> jobsOf(const std::string& name, const Document& document, const fs::path& folder) {
  std::vector<Job> jobs;
  const auto add = [&](const Document& of, const std::string& machine, const KnobValues& knobs) {
    jobs.push_back({name + machine + knobsText(of, knobs), workloadOf(of, folder), knobs});
  };
  const DesignSpace space = designSpace(document);
  const std::uint64_t last = space.size() - 1;
  std::set<std::uint64_t> indices;
  for (std::uint64_t part = 0; part <= 7; ++part) indices.insert(last / 7 * part);
  indices.insert(last);
  for (const std::uint64_t index : indices) add(document, "", space.point(index));
  Document other = document;
  other.machine.reference_mode = false;
  add(other, " (sensible)", defaultKnobs(document));
  if (!soonDoneOnBanks(jobs.back())) return jobs;
  for (const HbmModel model : {HbmModel::Hbm2, HbmModel::Hbm3}) {
    other.machine.hbm_model = model;
    add(other, model == HbmModel::Hbm2 ? " (hbm2)" : " (hbm3)", defaultKnobs(document));
  }
  return jobs;
}

/// One change that the text of a repair tells.
std::string textOf(const Repair& repair) {
  std::string text = repair.minimal ? "minimal" : "found";
  for (const Repair::Change& change : repair.changes)
    text += " " + change.stream + " " + std::to_string(change.from) + ">" + std::to_string(change.to);
  return text + ", " + std::to_string(repair.cycles) + " cycles";
}

/// Who waits for whom, whether deeper FIFOs free it, and with which it ends.
std::string deadlocked(const Job& job, const PointResult& locked) {
  SearchBudget budget;
  budget.time = std::chrono::hours(1);  // its runs decide, on any machine
  const Unlock found = unlock(*job.workload, locked, budget);
  std::string verdict = "deadlocked at " + std::to_string(locked.point.deadlock->closed_at) + ":";
  for (const std::string& member : locked.point.deadlock->members) verdict += " " + member;
  verdict += "; " + text(found.kind);
  for (const LockKind kind : found.cycles) verdict += ", " + text(kind);
  return found.repair ? verdict + "; " + textOf(*found.repair) : verdict;
}

std::string symbolicText(const SymbolicResult& symbolic) {
  std::string numbers = "formulas";
  for (const std::optional<double>& value :
       {symbolic.total.off_chip_bytes, symbolic.total.on_chip_bytes, symbolic.total.flops})
    numbers += value ? " " + std::to_string(std::llround(*value)) : " ?";
  return numbers;
}

std::string evaluated(const Job& job) {
  const Result<PointResult> result = evaluate(*job.workload, job.knobs, RecordMode::Count);
  if (!result) return "refused";
  std::string numbers = symbolicText(result->symbolic);
  if (const std::size_t warnings = precheck(*job.workload, result->symbolic).size(); warnings > 0)
    numbers += " warnings " + std::to_string(warnings);
  const DesignPoint& point = result->point;
  if (point.deadlock) return numbers + " " + deadlocked(job, *result);
  if (!measured(point)) return numbers + " " + text(point.state);
  for (const MetricSpec* metric : registeredMetrics())
    if (metric->isWhole())
      numbers +=
          " " + metric->name + " " + std::to_string(std::get<std::uint64_t>(metric->value(point.metrics)));
  return numbers;
}

void append(std::vector<Job>& jobs, std::vector<Job> more) {
  std::move(more.begin(), more.end(), std::back_inserter(jobs));
}

Numbers measuredNow() {
  std::vector<Job> jobs;
  for (const auto& entry : fs::recursive_directory_iterator(samples)) {
    if (entry.path().extension() != ".sluice") continue;
    const Result<Document> document = loadDocument(entry.path());
    if (!document) throw std::runtime_error(text(document.diagnostics()));
    append(jobs, jobsOf(fs::relative(entry.path(), samples).string(), *document, entry.path().parent_path()));
  }
  for (const WorkloadBuilder* builder : registeredWorkloads())
    append(jobs, jobsOf("workload " + builder->name, *buildWorkload(builder->name), {}));
  std::vector<std::string> results(jobs.size());
  makeExecutor()->parallelFor(jobs.size(), [&](std::size_t i) { results[i] = evaluated(jobs[i]); });
  Numbers numbers;
  for (std::size_t i = 0; i < jobs.size(); ++i) numbers[jobs[i].name] = results[i];
  return numbers;
}

Recorded readRecorded() {
  std::ifstream file(recorded);
  Recorded result;
  std::string word;
  file >> word >> result.revision >> std::ws;
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) result.numbers[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return result;
}

std::string textOf(const Numbers& numbers) {
  std::string text = "revision " + std::to_string(results_revision) + "\n";
  for (const auto& [point, values] : numbers) text += point + ": " + values + "\n";
  return text;
}

/// Points that are in both and evaluate to something else.
std::vector<std::string> changed(const Numbers& before, const Numbers& now) {
  std::vector<std::string> points;
  for (const auto& [point, values] : now) {
    const auto old = before.find(point);
    if (old != before.end() && old->second != values)
      points.push_back(point + "\n  was " + old->second + "\n  is  " + values);
  }
  return points;
}

TEST(ResultsRevision, IsRaisedWhenNumbersChange) {
  const Recorded before = readRecorded();
  const Numbers now = measuredNow();
  ASSERT_GE(now.size(), 300u);
  const std::vector<std::string> other = changed(before.numbers, now);
  const bool must_raise = !other.empty() && results_revision <= before.revision;
  EXPECT_FALSE(must_raise) << other.size() << " design points have other numbers than at revision "
                           << before.revision << ": " << advice << "\nthe first: " << other.front();
  if (!must_raise && std::getenv("SLUICE_WRITE_RESULTS")) {
    ASSERT_TRUE(writeFileAtomically(recorded, textOf(now)));
    return;
  }
  EXPECT_EQ(before.revision, results_revision) << advice;
  EXPECT_EQ(before.numbers.size(), now.size()) << "samples have come or gone; run ./dev results";
  for (const auto& [point, values] : now)
    EXPECT_TRUE(before.numbers.contains(point)) << point << ": run ./dev results";
}

}  // namespace sluice::results_revision_test
