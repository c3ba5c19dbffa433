// The designer: its frontier against schedules that people wrote and against every schedule there is, the
// same at any number of threads, whatever ends it, and what cannot be asked of it.

#include "engine/designer/designer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <stdexcept>
#include <thread>
#include <utility>

#include "engine/core/time_limit.h"
#include "engine/designer/design_store.h"
#include "engine/designer/promise.h"
#include "engine/designer/step_choices.h"
#include "engine/energy/technology.h"
#include "engine/explorer/bounds.h"
#include "engine/explorer/cost_values.h"
#include "engine/explorer/elaborated.h"
#include "engine/operators/numeric_inference.h"
#include "engine/schedule/graph_hash.h"
#include "engine/workloads/workload_builder.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/store_folder.h"

namespace sluice::designer_test {

using testing::HasSubstr;
using testing_support::chainDocument;
using testing_support::sampleWorkload;
using testing_support::workloadOf;

const std::filesystem::path samples = std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads";

/// A builder's program, small enough for thousands of runs, with its schedule and knobs.
Document smallDocument(const std::string& name, const Sizes& sizes) {
  Result<Document> document = buildWorkload(name, "", sizes);
  if (!document) throw std::runtime_error(text(document.diagnostics()));
  return *std::move(document);
}

const Sizes few_experts{{"B", 16}, {"D", 64}, {"E", 4}, {"F", 128}, {"K", 2}, {"f", 16}, {"compute", 256}};

Workload plainOf(const Workload& workload) {
  return withSchedule(workload, {});
}

DesignResult found(const Workload& workload, const DesignRequest& request, unsigned threads = 2,
                   const DesignObserver& observer = {}) {
  const std::unique_ptr<Executor> executor = makeExecutor(threads);
  Result<DesignResult> result =
      findDesigns(workload, defaultKnobs(workload.document), request, *executor, observer);
  if (!result) throw std::runtime_error(text(result.diagnostics()));
  return *std::move(result);
}

Diagnostics refused(const Workload& workload, const DesignRequest& request) {
  const std::unique_ptr<Executor> executor = makeExecutor(1);
  const Result<DesignResult> result =
      findDesigns(workload, defaultKnobs(workload.document), request, *executor);
  EXPECT_FALSE(result);
  return result ? Diagnostics{} : result.diagnostics();
}

std::vector<double> valuesOf(const DesignPoint& point, const std::vector<std::string>& objectives) {
  std::vector<double> values;
  for (const std::string& name : objectives) values.push_back(minimised(name, metric(point, name)));
  return values;
}

bool dominatesOrEquals(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!(a[k] <= b[k])) return false;
  return true;
}

/// What every point of the document's own design space comes to: the designs that somebody wrote down.
std::vector<std::vector<double>> writtenDown(const Workload& workload,
                                             const std::vector<std::string>& objectives) {
  std::vector<std::vector<double>> values;
  const DesignSpace space = designSpace(workload.document);
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    const Result<PointResult> result = evaluate(workload, space.point(i), RecordMode::Count);
    if (result && result->point.state == PointState::Done)
      values.push_back(valuesOf(result->point, objectives));
  }
  return values;
}

TEST(Designer, IsNoWorseThanAnySchedulePublished) {
  const std::shared_ptr<const Workload> workload = workloadOf(smallDocument("moe", few_experts));
  DesignRequest request;
  request.budget = 400;
  const DesignResult result = found(plainOf(*workload), request);
  EXPECT_TRUE(result.remarks.empty()) << text(result.remarks);
  ASSERT_GT(result.frontier.size(), 3u);
  const auto published = writtenDown(*workload, request.objectives);
  ASSERT_GE(published.size(), 4u);
  for (const std::vector<double>& point : published) {
    const bool met = std::ranges::any_of(result.frontier, [&](std::size_t design) {
      return dominatesOrEquals(valuesOf(result.designs[design].point, request.objectives), point);
    });
    EXPECT_TRUE(met) << point[0] << " cycles, " << point[1] << " bytes";
  }
}

/// The metrics of a design are those of its schedule, whatever path the search took to them.
TEST(Designer, DesignsAreOrdinarySchedules) {
  const std::shared_ptr<const Workload> workload = workloadOf(smallDocument("moe", few_experts));
  const Workload plain = plainOf(*workload);
  DesignRequest request;
  request.budget = 60;
  const DesignResult result = found(plain, request);
  for (const std::size_t i : result.frontier) {
    const Design& design = result.designs[i];
    const Result<PointResult> again =
        evaluate(withSchedule(plain, design.schedule), defaultKnobs(plain.document), RecordMode::Count);
    ASSERT_TRUE(again) << text(again.diagnostics());
    for (const MetricSpec* metric : registeredMetrics())
      EXPECT_EQ(exactMetric(again->point, *metric), exactMetric(design.point, *metric)) << metric->name;
    for (const BoundGap& gap : design.gaps) EXPECT_GE(gap.value, gap.bound) << gap.metric->name;
  }
}

/// All schedules of up to `steps` proposed steps behind this one, evaluated: values of those that run.
void evaluateAll(const Workload& workload, const KnobValues& knobs, std::size_t steps,
                 const std::vector<std::string>& objectives, const FurtherSteps& allowed,
                 std::vector<double>& rows) {
  const Result<PointResult> result = evaluate(workload, knobs, RecordMode::Count);
  if (result && result->point.state == PointState::Done)
    for (const double value : valuesOf(result->point, objectives)) rows.push_back(value);
  if (steps == 0) return;
  const Result<Proposals> proposals = proposalsFor(workload.document, workload.inputs, knobs);
  if (!proposals) return;
  for (const Proposal& proposal : proposals->legal) {
    if (!allowed.contains(proposal.step.transformation)) continue;
    SplitMix64 random(1);
    for (const ScheduleStep& step : stepChoices(proposal, random).steps) {
      std::vector<ScheduleStep> schedule = workload.document.schedule;
      schedule.push_back(step);
      evaluateAll(withSchedule(workload, schedule), knobs, steps - 1, objectives, allowed, rows);
    }
  }
}

std::shared_ptr<const Workload> priced(Workload workload) {
  workload.document.machine.technology = "u55c";
  workload.technology = std::make_shared<const Technology>(*technologyNamed("u55c"));
  return std::make_shared<const Workload>(std::move(workload));
}

/// Neither bounds, nor runs that are cut, nor graphs that are taken for equal cost a point of the frontier.
TEST(Designer, CuttingLosesNoPointOfTheFrontier) {
  struct Case {
    std::shared_ptr<const Workload> workload;
    FurtherSteps allowed;
    std::vector<std::string> objectives = {"cycles", "on_chip_bytes"};
  };
  const std::vector<Case> cases = {
      {workloadOf(smallDocument("moe", few_experts)), {"tile", "time_multiplex"}},
      {workloadOf(smallDocument("moe", few_experts)),
       {"tile", "time_multiplex"},
       {"flops", "off_chip_bytes"}},
      {priced(*workloadOf(smallDocument("moe", few_experts))),
       {"tile", "time_multiplex"},
       {"cycles", "energy"}},
      {workloadOf(smallDocument("gnn", {{"N", 16}, {"E", 48}, {"D", 16}, {"H", 16}})),
       {"parallelize", "tile"}},
      {sampleWorkload(samples / "softmax_depths.sluice"), {"fifo_depth"}, {"cycles", "fifo_bytes"}}};
  for (const Case& each : cases) {
    const std::vector<std::string>& objectives = each.objectives;
    const Workload plain = plainOf(*each.workload);
    SCOPED_TRACE(plain.document.title + " " + *each.allowed.begin() + " " + objectives[1]);
    const KnobValues knobs = defaultKnobs(plain.document);
    std::vector<double> rows;
    evaluateAll(plain, knobs, 2, objectives, each.allowed, rows);
    DesignRequest request;
    request.objectives = objectives;
    request.allowed = {each.allowed.begin(), each.allowed.end()};
    request.most_steps = 2;
    request.budget = 5000;
    const DesignResult result = found(plain, request);
    EXPECT_TRUE(result.complete);
    std::set<std::vector<double>> wanted, got;
    for (const std::size_t i : paretoFrontier(rows, 2)) wanted.insert({rows[2 * i], rows[2 * i + 1]});
    for (const std::size_t i : result.frontier) got.insert(valuesOf(result.designs[i].point, objectives));
    EXPECT_EQ(got, wanted);
  }
}

TEST(Designer, IsTheSameAtAnyNumberOfThreads) {
  const std::shared_ptr<const Workload> workload = workloadOf(smallDocument("moe", few_experts));
  const Workload plain = plainOf(*workload);
  DesignRequest request;
  request.budget = 48;
  const DesignResult one = found(plain, request, 1);
  for (const unsigned threads : {2u, 3u}) {
    const DesignResult other = found(plain, request, threads);
    ASSERT_EQ(other.designs.size(), one.designs.size());
    for (std::size_t i = 0; i < one.designs.size(); ++i) {
      EXPECT_EQ(other.designs[i].schedule, one.designs[i].schedule);
      EXPECT_EQ(other.designs[i].parent, one.designs[i].parent);
      EXPECT_EQ(other.designs[i].point.metrics.cycles, one.designs[i].point.metrics.cycles);
    }
    EXPECT_EQ(other.frontier, one.frontier);
    EXPECT_EQ(other.progress, one.progress);
    EXPECT_EQ(other.pruned, one.pruned);
  }
  request.seed = 2;
  const DesignResult another = found(plain, request, 2);
  EXPECT_FALSE(std::ranges::equal(another.designs, one.designs, {}, &Design::schedule, &Design::schedule));
}

/// A program with many experts is typed in numbers; alone, a schedule is typed with symbols.
TEST(Designer, ManyExpertsComeToWhatTheyComeToAlone) {
  Sizes many_experts = few_experts;
  many_experts["E"] = 40;
  const Workload plain = plainOf(*workloadOf(smallDocument("moe", many_experts)));
  ASSERT_TRUE(inNumbers(plain.inputs));
  const KnobValues knobs = defaultKnobs(plain.document);
  DesignRequest request;
  request.budget = 24;
  const DesignResult one = found(plain, request, 1), three = found(plain, request, 3);
  EXPECT_TRUE(std::ranges::equal(one.designs, three.designs, {}, &Design::schedule, &Design::schedule));
  EXPECT_EQ(one.frontier, three.frontier);
  std::size_t runs = 0;
  for (const Design& design : one.designs) {
    const Workload alone = withSchedule(plain, design.schedule);
    Metrics expected;
    if (design.point.fidelity == Fidelity::Symbolic) {
      const Result<DesignPoint> bounds = boundsOf(alone, knobs);
      ASSERT_TRUE(bounds);
      expected = bounds->metrics;
    } else {
      const Result<PointResult> run = evaluate(alone, knobs, RecordMode::Count);
      ASSERT_TRUE(run);
      EXPECT_EQ(design.point.state, run->point.state);
      expected = run->point.metrics;
      ++runs;
    }
    EXPECT_EQ(design.point.metrics.cycles, expected.cycles);
    EXPECT_EQ(design.point.metrics.off_chip_bytes, expected.off_chip_bytes);
    EXPECT_EQ(design.point.metrics.on_chip_bytes, expected.on_chip_bytes);
    EXPECT_EQ(design.point.metrics.flops, expected.flops);
    EXPECT_EQ(design.point.metrics.allocated_compute, expected.allocated_compute);
  }
  EXPECT_GT(runs, 8u);
}

TEST(Designer, TouchesNothingThatIsLocked) {
  const std::shared_ptr<const Workload> workload = workloadOf(smallDocument("moe", few_experts));
  const Workload plain = plainOf(*workload);
  DesignRequest request;
  request.budget = 60;
  request.locked = {"expert"};
  const DesignResult result = found(plain, request);
  const Node* const before = plain.document.program.find("expert");
  ASSERT_TRUE(before);
  for (const Design& design : result.designs) {
    const Result<ScheduledProgram> scheduled = applySchedule(withSchedule(plain, design.schedule).document,
                                                             plain.inputs, defaultKnobs(plain.document));
    ASSERT_TRUE(scheduled);
    const Node* const after = scheduled->document.program.find("expert");
    ASSERT_TRUE(after);
    EXPECT_EQ(after->body->body, before->body->body);
  }
  EXPECT_TRUE(std::ranges::any_of(result.rejected, [](const RejectedDesign& design) {
    return design.why->front().cause.find("'expert', which is locked") != std::string::npos;
  }));
}

TEST(Designer, KeepsToItsTransformationsAndConstraints) {
  const std::shared_ptr<const Workload> workload = workloadOf(smallDocument("moe", few_experts));
  DesignRequest request;
  request.budget = 60;
  request.allowed = {"tile", "split", "fifo_depth"};
  request.forbidden = {"fifo_depth"};
  request.constraints = {{"on_chip_bytes", true, 100'000}};
  const DesignResult result = found(plainOf(*workload), request);
  EXPECT_FALSE(result.frontier.empty());
  for (const Design& design : result.designs)
    for (const ScheduleStep& step : design.schedule)
      EXPECT_TRUE(step.transformation == "tile" || step.transformation == "split") << step.transformation;
  for (const std::size_t i : result.frontier)
    EXPECT_LE(result.designs[i].point.metrics.on_chip_bytes, 100'000u);
}

TEST(Designer, WhatIsThereWhenItIsStoppedIsGiven) {
  const std::shared_ptr<const Workload> workload = workloadOf(smallDocument("moe", few_experts));
  const Workload plain = plainOf(*workload);
  std::stop_source stop;
  std::size_t seen = 0;
  DesignObserver observer;
  observer.design = [&](const Design&) {
    if (++seen == 20) stop.request_stop();
  };
  const std::unique_ptr<Executor> executor = makeExecutor(2);
  const Result<DesignResult> result =
      findDesigns(plain, defaultKnobs(plain.document), {}, *executor, observer, stop.get_token());
  ASSERT_TRUE(result) << text(result.diagnostics());
  EXPECT_TRUE(result->cancelled);
  EXPECT_FALSE(result->complete);
  EXPECT_GE(result->designs.size(), 20u);
  EXPECT_LT(result->designs.size(), 60u);
  EXPECT_FALSE(result->frontier.empty());
  EXPECT_EQ(result->designs.size(), seen);
  EXPECT_TRUE(result->remarks.empty());
}

/// Run by run, not only when a round has ended; of a design under traces, trace by trace.
TEST(Designer, TellsHowFarItIs) {
  Document document = smallDocument("moe", few_experts);
  for (Input& input : document.inputs)
    if (input.kind == InputKind::Routing) {
      input.data.reset();
      input.counts.clear();
      input.file = "set:zipf,count=5,exponent=1";
      input.tokens = 16, input.experts = 4, input.top_k = 2;
    }
  document.schedule.clear();
  const Result<WorkloadSet> set = makeWorkloadSet(document, ".");
  ASSERT_TRUE(set) << text(set.diagnostics());
  const DesignRequest few{.budget = 9};
  for (const bool under_traces : {true, false}) {
    SCOPED_TRACE(under_traces);
    const DesignRequest request =
        under_traces ? overTraces(few, std::make_shared<const WorkloadSet>(*set)) : few;
    const Workload workload =
        under_traces ? *set->workload : plainOf(*workloadOf(smallDocument("moe", few_experts)));
    std::vector<DesignProgress> told;
    DesignObserver observer;
    observer.progress = [&](const DesignProgress& progress) { told.push_back(progress); };
    const DesignResult result = found(workload, request, 2, observer);
    ASSERT_EQ(result.simulated, 9u);
    EXPECT_GE(told.size(), under_traces ? 9u * 5 : 9u);
    double share = 0;
    for (const DesignProgress& progress : told) {
      EXPECT_GE(progress.share(), share);
      share = progress.share();
    }
    EXPECT_EQ(share, 1);
    EXPECT_DOUBLE_EQ(told.back().hypervolume, result.hypervolume);
    EXPECT_EQ(told.back().frontier, result.frontier.size());
  }
}

/// What runs is stopped with the time, not at the end of the batch: the first run alone takes longer.
TEST(Designer, EndsWithItsTime) {
  const std::shared_ptr<const Workload> workload = workloadOf(smallDocument("moe", few_experts));
  DesignRequest request;
  request.seconds = 1e-9;
  const DesignResult result = found(plainOf(*workload), request);
  EXPECT_FALSE(result.cancelled);  // nobody asked it to stop
  EXPECT_FALSE(result.complete);
  EXPECT_TRUE(result.designs.empty());
  ASSERT_EQ(result.remarks.size(), 1u);
  EXPECT_EQ(result.remarks.front().code, "invalid-budget");
  EXPECT_THAT(result.remarks.front().cause, HasSubstr("before one design"));
}

TEST(TimeLimit, StopsByItselfOrWithTheOther) {
  const auto waitFor = [](const std::stop_token& token) {
    while (!token.stop_requested()) std::this_thread::yield();
  };
  TimeLimit at_once(0, {});
  waitFor(at_once.token());
  std::stop_source stop;
  TimeLimit never(HUGE_VAL, stop.get_token());
  TimeLimit late(1e6, stop.get_token());
  EXPECT_FALSE(never.token().stop_requested());
  EXPECT_FALSE(late.token().stop_requested());
  stop.request_stop();
  EXPECT_TRUE(never.token().stop_requested());
  EXPECT_TRUE(late.token().stop_requested());
}

TEST(Designer, GoesOnFromAStore) {
  const std::shared_ptr<const Workload> workload = workloadOf(smallDocument("moe", few_experts));
  const Workload plain = plainOf(*workload);
  DesignRequest request;
  request.budget = 40;
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("sluice-designs-" + std::to_string(::getpid()) + ".db");
  const auto search = [&](bool resume) {
    Result<std::unique_ptr<DesignStore>> store =
        DesignStore::open(file, plain, request, "moe.sluice", resume, {});
    if (!store) throw std::runtime_error(text(store.diagnostics()));
    DesignObserver observer;
    observer.store = store->get();
    DesignResult result = found(plain, request, 2, observer);
    EXPECT_TRUE((*store)->finish());
    return result;
  };
  const DesignResult first = search(false);
  EXPECT_EQ(first.reused, 0u);
  const DesignResult again = search(true);
  EXPECT_EQ(again.frontier, first.frontier);
  EXPECT_EQ(again.simulated, first.simulated);
  // A run that was cut is no result, and is made again.
  EXPECT_GT(again.reused, first.simulated / 2);
  for (std::size_t i = 0; i < first.designs.size(); ++i) {
    EXPECT_EQ(again.designs[i].schedule, first.designs[i].schedule);
    EXPECT_EQ(again.designs[i].point.metrics.cycles, first.designs[i].point.metrics.cycles);
    EXPECT_EQ(again.designs[i].point.knobs, first.designs[i].point.knobs);
  }
  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + end);
}

TEST(Designer, BeginsWithTheStepsThatATensorProgramNeeds) {
  const std::shared_ptr<const Workload> workload = sampleWorkload(samples / "gpt2_block.sluice");
  DesignRequest request;
  request.budget = 6;
  const DesignResult result = found(plainOf(*workload), request);
  EXPECT_NE(result.designs.front().point.state, PointState::Done);
  ASSERT_FALSE(result.frontier.empty()) << text(result.remarks);
  EXPECT_EQ(result.designs[result.frontier.front()].schedule.front().transformation, "compile_tensors");
}

TEST(Designer, SaysWhatCannotBeAsked) {
  const std::shared_ptr<const Workload> workload = workloadOf(smallDocument("moe", few_experts));
  const Workload plain = plainOf(*workload);
  const auto codeOf = [&](const auto& change) {
    DesignRequest request;
    request.budget = 10;
    change(request);
    const Diagnostics why = refused(plain, request);
    EXPECT_TRUE(why.empty() || !why.front().fix.empty());
    return why.empty() ? std::string() : why.front().code;
  };
  EXPECT_EQ(codeOf([](DesignRequest& r) { r.budget = 0; }), "invalid-budget");
  EXPECT_EQ(codeOf([](DesignRequest& r) { r.seconds = 0; }), "invalid-budget");
  EXPECT_EQ(codeOf([](DesignRequest& r) { r.seconds = std::nan(""); }), "invalid-budget");
  EXPECT_EQ(codeOf([](DesignRequest& r) { r.most_steps = 0; }), "invalid-budget");
  EXPECT_EQ(codeOf([](DesignRequest& r) { r.objectives = {"speed"}; }), "unknown-metric");
  EXPECT_EQ(codeOf([](DesignRequest& r) { r.allowed = {"tiel"}; }), "unknown-transformation");
  EXPECT_EQ(codeOf([](DesignRequest& r) { r.locked = {"expert.nobody"}; }), "unknown-region");
  EXPECT_EQ(codeOf([](DesignRequest& r) { r.allowed = r.forbidden = {"tile"}; }), "nothing-legal");
  EXPECT_EQ(codeOf([](DesignRequest& r) {
              r.constraints = {{"on_chip_bytes", true, 1}};
            }),
            "no-feasible-point");
  EXPECT_EQ(codeOf([](DesignRequest& r) {
              r.constraints = {{"cycles", true, 1e9}, {"cycles", false, 2e9}};
            }),
            "no-feasible-point");
}

TEST(Designer, TellsWhyThereIsNoDesign) {
  // Deadlocks, whatever is tried: FIFOs may not be made deeper.
  DesignRequest request;
  request.allowed = {"tile", "split"};
  const DesignResult stuck = found(*sampleWorkload(samples / "deadlock_fork_join.sluice"), request);
  EXPECT_TRUE(stuck.frontier.empty());
  ASSERT_TRUE(hasErrors(stuck.remarks));
  EXPECT_FALSE(stuck.designs.empty());
  // Each alone can be fulfilled, both cannot: what is cut for it says so, and how far off it was.
  const Workload plain = plainOf(*workloadOf(smallDocument("moe", few_experts)));
  const DesignResult all = found(plain, {.budget = 20});
  const auto leastOf = [&](const char* name) {
    double least = HUGE_VAL;
    for (const std::size_t i : all.frontier) least = std::min(least, metric(all.designs[i].point, name));
    return least;
  };
  DesignRequest both;
  both.constraints = {{"cycles", true, leastOf("cycles")}, {"on_chip_bytes", true, leastOf("on_chip_bytes")}};
  both.budget = 4;
  const DesignResult neither = found(plain, both);
  ASSERT_TRUE(hasErrors(neither.remarks));
  EXPECT_EQ(neither.remarks.front().code, "no-feasible-point");
  for (const char* part : {"cycles <= ", "on_chip_bytes <= "})
    EXPECT_NE(neither.remarks.front().cause.find(part), std::string::npos) << text(neither.remarks);
  // Nothing may follow.
  const DesignResult none = found(*workloadOf(chainDocument(2, 8, 2)), {.allowed = {"parallelize"}});
  ASSERT_EQ(none.remarks.size(), 1u);
  EXPECT_EQ(none.remarks.front().code, "nothing-legal");
  // An objective that FIFOs do not change.
  DesignRequest depths;
  depths.allowed = {"fifo_depth"};
  depths.objectives = {"cycles", "flops"};
  depths.budget = 20;
  const DesignResult same = found(*sampleWorkload(samples / "softmax_depths.sluice"), depths);
  ASSERT_EQ(same.remarks.size(), 1u) << text(same.remarks);
  EXPECT_EQ(same.remarks.front().code, "unchanged-objective");
}

ScheduleStep splitInto(std::int64_t size) {
  return {"split", {{"load", "load"}, {"axis", "columns"}, {"size", size}}, true};
}

/// A number that became better by a change goes on twice as far; without such a change the nearest comes
/// first.
/// What a search spends is told whole, and where it runs no design itself not at all.
TEST(Designer, TellsWhatItSpends) {
  const std::shared_ptr<const Workload> workload = workloadOf(smallDocument("moe", few_experts));
  DesignRequest request;
  request.budget = 12;
  const DesignEffort effort = found(plainOf(*workload), request, 2).effort;
  for (const double seconds : {effort.simulation, effort.evaluation, effort.search}) EXPECT_GT(seconds, 0);
  EXPECT_GE(effort.ruled_out, 0);
  EXPECT_NEAR(effort.overhead() * (effort.simulation + effort.evaluation), effort.ruled_out + effort.search,
              1e-12);
}

TEST(Moves, GoOnInTheDirectionThatWasTaken) {
  const Proposal proposal{{"split", {{"load", "load"}, {"axis", "columns"}}, true},
                          {numbers("size", {2, 4, 8, 16, 32, 64, 128, 256})}};
  const std::vector<std::shared_ptr<const Proposals>> known = {
      std::make_shared<const Proposals>(Proposals{{proposal}, {}}), nullptr};
  const auto firstAfter = [&](std::int64_t before, std::int64_t now) {
    Moves moves({splitInto(now)}, 0, 1, known, {"split"}, SplitMix64(1), {splitInto(before)});
    std::vector<std::int64_t> sizes;
    for (int i = 0; i < 2; ++i) {
      const StepEdit edit = moves.next("change split", [](const StepEdit&) { return 0.0; });
      sizes.push_back(*edit.step->arguments.at("size").integer());
    }
    return sizes;
  };
  EXPECT_EQ(firstAfter(128, 64).front(), 16);
  EXPECT_EQ(firstAfter(64, 16).front(), 2);  // as far as it goes
  EXPECT_EQ(firstAfter(8, 16).front(), 64);
  EXPECT_THAT(firstAfter(16, 16), testing::UnorderedElementsAre(8, 32));
}

TEST(Promise, AStepThatGainedElsewhereComesFirst) {
  const StepEdit good{0, splitInto(64)}, bad{0, splitInto(32)}, fresh{0, splitInto(16)};
  Promise promise(2);
  EXPECT_EQ(promise.of(good, "change split"), promise.of(fresh, "change split"));
  promise.made("change split", good.key);
  promise.gained("change split", good.key);
  promise.made("change split", bad.key);
  EXPECT_GT(promise.of(good, "change split"), promise.of(fresh, "change split"));
  EXPECT_LT(promise.of(bad, "change split"), promise.of(fresh, "change split"));
  const Proposal proposal{{"split", {{"load", "load"}, {"axis", "columns"}}, true},
                          {numbers("size", {16, 32, 64})}};
  const auto known = std::make_shared<const Proposals>(Proposals{{proposal}, {}});
  const Moves moves({splitInto(16)}, 0, 2, {known, known}, {"split"}, SplitMix64(1), {splitInto(16)});
  EXPECT_EQ(promise.bestOf(moves), "add split");  // never tried
}

TEST(Promise, ExpectsTheBestSurpriseOfAKindThatHasRun) {
  Promise promise(2);
  const std::vector<double> expected = {100, 10};
  promise.ran("add parallelize", expected, std::vector<double>{50, 40});
  EXPECT_TRUE(std::isnan(promise.atBest("add parallelize", expected)[0]));
  promise.ran("add parallelize", expected, {});
  EXPECT_THAT(promise.atBest("add parallelize", expected), testing::ElementsAre(50, 10));
  EXPECT_TRUE(std::isnan(promise.atBest("add tile", expected)[0]));
}

/// What a search types in numbers is what the types and costs with symbols come to.
TEST(Designer, NumbersAreWhatSymbolsComeTo) {
  for (const char* name :
       {"moe_three_ways", "simple_moe", "attention_qwen", "moe_mixtral", "gnn", "swiglu"}) {
    SCOPED_TRACE(name);
    const std::shared_ptr<const Workload> workload =
        sampleWorkload(samples / (std::string(name) + ".sluice"));
    const KnobValues knobs = defaultKnobs(workload->document);
    const Result<SymbolicResult> symbols = evaluateSymbolic(*workload, knobs);
    ASSERT_TRUE(symbols);
    const InputSet& inputs = symbols->scheduled ? symbols->scheduled->inputs : workload->inputs;
    const Result<Inference> numbers = inferNumbers(symbols->graph, inputs);
    ASSERT_TRUE(numbers) << text(numbers.diagnostics());
    EXPECT_EQ(numbers->known, symbols->inference.known);
    const std::vector<CostValues> values = valuesOf(numbers->operators, symbols->bound);
    for (std::size_t i = 0; i < values.size(); ++i)
      for (const CostTerm& term : costTerms())
        EXPECT_EQ(values[i].*term.value, symbols->operators[i].*term.value)
            << symbols->graph.operators[i].name << ": " << term.what;
    std::map<std::string, std::int64_t> known = numbers->known;
    known.insert(knobs.begin(), knobs.end());
    for (std::size_t i = 0; i < numbers->streams.size(); ++i) {
      const Shape &before = symbols->inference.streams[i].shape, &after = numbers->streams[i].shape;
      ASSERT_EQ(after.size(), before.size());
      for (std::size_t k = 0; k < before.size(); ++k) {
        EXPECT_EQ(after[k].kind, before[k].kind);
        const std::optional<std::int64_t> number = before[k].extent.value(known);
        const bool stays = before[k].kind != DimKind::Static && number == 1;
        EXPECT_TRUE(stays || after[k].extent.constant() == number) << text(before) << ", " << text(after);
      }
    }
  }
}

}  // namespace sluice::designer_test
