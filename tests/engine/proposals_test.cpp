// What is proposed can be applied: for every sample and every workload, each step with the first, the middle
// and the last values of its domains. The schedules of the published figures are among what is proposed.

#include "engine/schedule/proposals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>
#include <stop_token>

#include "engine/explorer/metrics/registry.h"
#include "engine/explorer/preview.h"
#include "engine/figures/published.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/graph_hash.h"
#include "engine/schedule/schedule.h"
#include "engine/workloads/workload_builder.h"
#include "tests/engine/support/documents.h"

namespace sluice::proposals_test {

namespace fs = std::filesystem;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;
using testing_support::sampleWorkload;
using testing_support::workloadOf;

struct Program {
  std::string name;
  std::shared_ptr<const Workload> workload;

  KnobValues knobs() const { return defaultKnobs(workload->document); }
};

std::vector<Program> samples() {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(SLUICE_SOURCE_DIR "/sample_workloads"))
    if (entry.path().extension() == ".sluice") files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<Program> programs;
  for (const fs::path& file : files) programs.push_back({file.stem().string(), sampleWorkload(file)});
  return programs;
}

std::vector<Program> builtWorkloads() {
  std::vector<Program> programs;
  for (const WorkloadBuilder* builder : registeredWorkloads()) {
    const Result<Document> document = buildWorkload(builder->name);
    if (!document) throw std::runtime_error(text(document.diagnostics()));
    programs.push_back({builder->name, workloadOf(*document)});
  }
  return programs;
}

Program plain(const Program& program) {
  Workload workload = *program.workload;
  workload.document.schedule.clear();
  return {program.name + ", plain", std::make_shared<const Workload>(std::move(workload))};
}

Proposals proposalsOf(const Workload& workload, const KnobValues& knobs) {
  Result<Proposals> proposals = proposalsFor(workload.document, workload.inputs, knobs);
  if (!proposals) throw std::runtime_error(text(proposals.diagnostics()));
  return *std::move(proposals);
}

/// The same program, its types known to the steps that are tried on it.
ScheduledProgram withTypes(ScheduledProgram scheduled, const KnobValues& knobs) {
  Rewrite typing(scheduled, knobs, "here");
  (void)typing.inferTypes();
  scheduled.typed = typing.typed();
  return scheduled;
}

/// Empty: it applies, and gives a program that can be typed, if this one can. Types that are known beforehand
/// change nothing.
std::string problemWith(const ScheduledProgram& scheduled, const ScheduledProgram& typed_before,
                        const ScheduleStep& step, const KnobValues& knobs, bool is_typed) {
  const Result<ScheduledProgram> next = applyStep(scheduled, step, knobs, placeOf(step, 0));
  const Result<ScheduledProgram> same = applyStep(typed_before, step, knobs, placeOf(step, 0));
  EXPECT_EQ(static_cast<bool>(next), static_cast<bool>(same));
  if (!next) return text(next.diagnostics());
  if (same) {
    EXPECT_EQ(next->document.program, same->document.program);
    EXPECT_FALSE(same->typed) << "the step has changed the program that they are of";
  }
  const Result<FlatGraph> graph = elaborate(next->document, knobs, builtInCatalog());
  const Result<Inference> typed = graph ? inferTypes(*graph, next->inputs) : graph.diagnostics();
  return typed || !is_typed ? "" : text(typed.diagnostics());
}

struct Share {
  std::size_t clean = 0, all = 0;
};

/// All proposals for a program, at both ends and in the middle of their domains.
void expectApplicable(const Program& program, Share& share) {
  SCOPED_TRACE(program.name);
  const KnobValues knobs = program.knobs();
  const Result<ScheduledProgram> scheduled =
      applySchedule(program.workload->document, program.workload->inputs, knobs);
  ASSERT_TRUE(scheduled) << text(scheduled.diagnostics());
  const Result<Proposals> proposals = proposalsFor(*scheduled, knobs);
  ASSERT_TRUE(proposals) << text(proposals.diagnostics());
  const Result<FlatGraph> graph = elaborate(scheduled->document, knobs, builtInCatalog());
  const bool is_typed = graph && inferTypes(*graph, scheduled->inputs);
  const ScheduledProgram typed_before = withTypes(*scheduled, knobs);
  for (const Proposal& proposal : proposals->legal) {
    std::vector<ScheduleStep> steps;
    for (const std::size_t half : {0u, 1u, 2u})
      steps.push_back(stepOf(
          proposal, [&](const ArgumentDomain& domain) { return (domain.values.size() - 1) * half / 2; }));
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    for (const ScheduleStep& step : steps) {
      EXPECT_TRUE(contains(proposal, step));
      const std::string problem = problemWith(*scheduled, typed_before, step, knobs, is_typed);
      EXPECT_EQ(problem.find("internal"), std::string::npos) << problem;
      if (!problem.empty()) std::cout << program.name << ": " << problem << "\n";
      share.clean += problem.empty() ? 1 : 0;
      ++share.all;
    }
  }
}

void expectMostlyClean(const Share& share) {
  std::cout << share.clean << " of " << share.all << " proposed steps apply\n";
  EXPECT_GE(100 * share.clean, 99 * share.all);
  EXPECT_GT(share.all, 100u);
}

TEST(Proposals, OfEverySampleApply) {
  Share share;
  for (const Program& program : samples()) {
    expectApplicable(program, share);
    if (!program.workload->document.schedule.empty()) expectApplicable(plain(program), share);
  }
  expectMostlyClean(share);
}

TEST(Proposals, OfEveryWorkloadApply) {
  Share share;
  for (const Program& program : builtWorkloads()) {
    expectApplicable(program, share);
    expectApplicable(plain(program), share);
  }
  expectMostlyClean(share);
}

/// A step as it is at one design point: knobs and constants as numbers, choices as texts. One that changes
/// nothing there is left out of a schedule.
ScheduleStep boundStep(const ScheduleStep& step, const Document& document, const KnobValues& knobs) {
  const Result<Arguments> arguments = argumentsOf(step, document, knobs, "step");
  if (!arguments) throw std::runtime_error(text(arguments.diagnostics()));
  ScheduleStep bound{step.transformation, {}, true};
  for (const ArgumentSpec& spec : findTransformation(step.transformation)->spec.arguments) {
    if (!step.arguments.contains(spec.name)) continue;
    const bool whole = spec.kind == ArgumentKind::Integer;
    bound.arguments[spec.name] =
        whole ? Value(arguments->integer(spec.name)) : Value(arguments->text(spec.name));
  }
  return bound;
}

/// Goes through the schedule: each step that changes something must be proposed behind those before it.
void expectProposed(const Workload& workload, const KnobValues& knobs) {
  ScheduledProgram scheduled{workload.document, workload.inputs};
  scheduled.document.schedule.clear();
  for (const ScheduleStep& written : workload.document.schedule) {
    const ScheduleStep step = boundStep(written, scheduled.document, knobs);
    Result<ScheduledProgram> next = applyStep(scheduled, step, knobs, "step");
    ASSERT_TRUE(next) << text(next.diagnostics());
    if (next->document.program == scheduled.document.program) continue;
    const Result<Proposals> proposals = proposalsFor(scheduled, knobs);
    ASSERT_TRUE(proposals) << text(proposals.diagnostics());
    const bool proposed = std::ranges::any_of(
        proposals->legal, [&](const Proposal& proposal) { return contains(proposal, step); });
    EXPECT_TRUE(proposed) << step.transformation;
    for (const auto& [name, value] : step.arguments) {
      if (!proposed) std::cout << "  " << name << "=" << text(value) << "\n";
    }
    scheduled = *std::move(next);
  }
}

KnobValues knobsWith(const Document& document, const std::map<std::string, std::string>& wanted) {
  KnobValues knobs = defaultKnobs(document);
  for (const Knob& knob : document.knobs) {
    const auto found = wanted.find(knob.name);
    if (found == wanted.end()) continue;
    const auto choice = std::ranges::find(knob.choices, found->second);
    knobs[knob.name] =
        choice != knob.choices.end() ? choice - knob.choices.begin() : std::stoll(found->second);
  }
  return knobs;
}

TEST(Proposals, HoldThePublishedTilings) {
  for (const char* figure : {"fig9", "fig10"}) {
    const PublishedTable table = publishedTable(figure);
    for (const PublishedRow& row : table) {
      SCOPED_TRACE(std::string(figure) + " " + row.text("model") + " " + row.text("tile"));
      const Result<Document> document = buildWorkload("moe", row.text("model"));
      ASSERT_TRUE(document) << text(document.diagnostics());
      const bool dynamic = row.text("tile") == "dynamic";
      expectProposed(*workloadOf(*document),
                     knobsWith(*document, dynamic ? std::map<std::string, std::string>{{"tiling", "dynamic"}}
                                                  : std::map<std::string, std::string>{
                                                        {"tiling", "static"}, {"tile", row.text("tile")}}));
    }
  }
}

TEST(Proposals, HoldThePublishedTimeMultiplexing) {
  const PublishedTable table = publishedTable("fig12");
  for (const PublishedRow& row : table) {
    SCOPED_TRACE(row.text("tiling") + " " + row.text("regions"));
    const Result<Document> document = buildWorkload("moe", "qwen_b64", {{"compute", 1024}, {"f", 48}});
    ASSERT_TRUE(document) << text(document.diagnostics());
    expectProposed(*workloadOf(*document), knobsWith(*document, {{"tiling", row.text("tiling")},
                                                                 {"tile", "32"},
                                                                 {"regions", row.text("regions")}}));
  }
}

TEST(Proposals, HoldTheSchedulesOfTheSamples) {
  for (const Program& program : samples()) {
    SCOPED_TRACE(program.name);
    expectProposed(*program.workload, program.knobs());
  }
}

TEST(Proposals, AreOneAnswerToOneQuestion) {
  const auto workload = sampleWorkload(SLUICE_SOURCE_DIR "/sample_workloads/moe_three_ways.sluice");
  const KnobValues knobs = defaultKnobs(workload->document);
  EXPECT_EQ(proposalsOf(*workload, knobs).legal, proposalsOf(*workload, knobs).legal);
  std::stop_source source;
  source.request_stop();
  EXPECT_FALSE(proposalsFor(workload->document, workload->inputs, knobs, source.get_token()));
}

/// Without types some steps more are among them, and none is missing.
TEST(Proposals, ThatAreOnlyAppliedAreNoFewer) {
  const auto workload = sampleWorkload(SLUICE_SOURCE_DIR "/sample_workloads/moe_three_ways.sluice");
  const KnobValues knobs = defaultKnobs(workload->document);
  const Result<Proposals> applied =
      proposalsFor(workload->document, workload->inputs, knobs, {}, Tried::Applied);
  ASSERT_TRUE(applied) << text(applied.diagnostics());
  const auto first = [](const ArgumentDomain&) { return std::size_t{0}; };
  for (const Proposal& proposal : proposalsOf(*workload, knobs).legal) {
    const ScheduleStep step = stepOf(proposal, first);
    EXPECT_TRUE(std::ranges::any_of(applied->legal, [&](const Proposal& each) {
      return contains(each, step);
    })) << step.transformation;
  }
}

/// For every sample, and for its program without a schedule.
const std::vector<Proposals>& proposalsOfSamples() {
  static const std::vector<Proposals> all = [] {
    std::vector<Proposals> found;
    for (const Program& program : samples()) {
      found.push_back(proposalsOf(*program.workload, program.knobs()));
      if (!program.workload->document.schedule.empty())
        found.push_back(proposalsOf(*plain(program).workload, program.knobs()));
    }
    return found;
  }();
  return all;
}

TEST(Proposals, KnowEveryTransformation) {
  std::set<std::string> proposed;
  for (const Proposals& proposals : proposalsOfSamples())
    for (const Proposal& proposal : proposals.legal) proposed.insert(proposal.step.transformation);
  for (const Transformation* known : registeredTransformations()) {
    if (known->rewrite) continue;  // which are legal depends on the design that was compiled
    EXPECT_THAT(proposed, Contains(known->spec.name));
  }
  EXPECT_THAT(proposed, Contains("fold"));
  EXPECT_THAT(proposed, Contains("insert_fork"));
}

TEST(Proposals, NameMetricsAndArgumentsThatThereAre) {
  for (const Proposals& proposals : proposalsOfSamples()) {
    for (const Proposal& proposal : proposals.legal) {
      const TransformationSpec& spec = findTransformation(proposal.step.transformation)->spec;
      const auto hasArgument = [&](const std::string& name) {
        return std::ranges::find(spec.arguments, name, &ArgumentSpec::name) != spec.arguments.end();
      };
      for (const auto& [name, value] : proposal.step.arguments) EXPECT_TRUE(hasArgument(name)) << name;
      for (const ArgumentDomain& domain : proposal.domains) {
        EXPECT_TRUE(hasArgument(domain.argument)) << domain.argument;
        EXPECT_THAT(domain.values, Not(IsEmpty())) << domain.argument;
      }
      for (const ExpectedChange& change : proposal.expected)
        EXPECT_NE(findMetric(change.metric), nullptr) << change.metric;
    }
    for (const RefusedStep& refused : proposals.refused) EXPECT_THAT(refused.why, Not(IsEmpty()));
  }
}

/// Where the symbolic cost tells, a tile or a cut does what it is expected to do.
TEST(Proposals, ExpectWhatThePreviewShows) {
  Result<Document> document = buildWorkload("moe");
  ASSERT_TRUE(document);
  document->schedule.clear();
  const auto workload = workloadOf(*document);
  const KnobValues knobs = defaultKnobs(*document);
  std::size_t compared = 0;
  for (const Proposal& proposal : proposalsOf(*workload, knobs).legal) {
    const ScheduleStep step =
        stepOf(proposal, [](const ArgumentDomain& domain) { return domain.values.size() / 2; });
    if (proposal.expected.empty() || step.transformation == "fifo_depth") continue;
    const Result<StepPreview> preview = previewStep(*workload, knobs, step);
    ASSERT_TRUE(preview) << text(preview.diagnostics());
    for (const ExpectedChange& change : proposal.expected) {
      const MetricSpec& metric = *findMetric(change.metric);
      if (!metric.formula.isTerm()) continue;
      const auto before = metric.formula.value(preview->before), after = metric.formula.value(preview->after);
      if (!before || !after) continue;
      const bool down = change.direction == ExpectedChange::Direction::Down;
      EXPECT_TRUE(down ? *after <= *before : *after >= *before)
          << step.transformation << " " << change.metric << " " << *before << " -> " << *after;
      ++compared;
    }
  }
  EXPECT_GT(compared, 3u);
}

TEST(Proposals, OffersNoChoiceThatItsConditionsDoNotGive) {
  const Proposal proposal{{"parallelize", {{"region", "r"}}, true},
                          {choices("method", {"coarse", "interleaved"}), numbers("ways", {2, 4, 8}),
                           numbers("block", {1, 2, 4, 8}, {{"method", {"coarse"}}})},
                          {{{"ways", "block"}, 16}}};
  const auto last = [](const ArgumentDomain& domain) { return domain.values.size() - 1; };
  const auto first = [](const ArgumentDomain&) { return std::size_t{0}; };
  EXPECT_EQ(stepOf(proposal, last).arguments,
            (Values{{"method", "interleaved"}, {"region", "r"}, {"ways", 8}}));
  EXPECT_EQ(stepOf(proposal, first).arguments,
            (Values{{"block", 1}, {"method", "coarse"}, {"region", "r"}, {"ways", 2}}));
  const ScheduleStep large = stepOf(proposal, [](const ArgumentDomain& domain) {
    return domain.argument == "method" ? 0 : domain.values.size() - 1;
  });
  EXPECT_EQ(large.arguments.at("block"), Value(2)) << "eight copies of two are all sixteen";
}

TEST(Proposals, DomainsAreWhatTheirNamesSay) {
  using Numbers = std::vector<std::int64_t>;
  EXPECT_EQ(powersOfTwo(3, 17), (Numbers{4, 8, 16}));
  EXPECT_EQ(powersOfTwo(2, 1), Numbers{});
  EXPECT_EQ(powersOfTwo(1, std::numeric_limits<std::int64_t>::max()).size(), 63u);
  EXPECT_EQ(divisors(36, 2, 12), (Numbers{2, 3, 4, 6, 9, 12}));
  EXPECT_EQ(divisors(0, 1, 5), Numbers{});
  EXPECT_EQ(merged({1, 4}, {2, 4, 8}), (Numbers{1, 2, 4, 8}));
}

}  // namespace sluice::proposals_test
