// Rewrites of compiled designs as steps of a schedule: each is a transformation, several in a row are lowered
// once and give what one after the other gives, wrong ones say at which argument; and files of before, which
// had them in words inside a step.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/program/file_format.h"
#include "engine/program/rewrite_words.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/schedule/design_rewrites.h"
#include "engine/schedule/patch.h"
#include "engine/tensor/dataflow/rewrites.h"
#include "tests/engine/support/documents.h"

namespace sluice::design_rewrite_steps_test {

using testing::HasSubstr;

ScheduleStep compiling(const std::string& program = "block") {
  return {"compile_tensors", {{"program", Value(program)}, {"tile", 32}}, true};
}

ScheduleStep rewriting(const std::string& name, const std::string& kind, const std::string& place,
                       const std::string& program = "block") {
  return {name, {{"program", Value(program)}, {kind, Value(place)}}, true};
}

Document blockDocument(std::vector<ScheduleStep> schedule) {
  Document document;
  document.machine.reference_mode = false;
  document.machine.mock_bf16 = false;
  document.program.nodes = {testing_support::node("block", "TensorProgram", {{"tokens", 32}})};
  document.schedule = std::move(schedule);
  return document;
}

/// One step after the other, each lowered.
Result<ScheduledProgram> oneByOne(const Document& document, const KnobValues& knobs = {}) {
  ScheduledProgram scheduled{document, {}};
  scheduled.document.schedule.clear();
  for (std::size_t i = 0; i < document.schedule.size(); ++i) {
    const ScheduleStep& step = document.schedule[i];
    SLUICE_TRY(ScheduledProgram next, applyStep(std::move(scheduled), step, knobs, placeOf(step, i)));
    scheduled = std::move(next);
  }
  return scheduled;
}

Diagnostic refusal(const Document& document) {
  const Result<ScheduledProgram> scheduled = applySchedule(document, {}, defaultKnobs(document));
  return scheduled ? error("none", "none: it is taken", "", "") : scheduled.diagnostics().front();
}

TEST(DesignRewriteSteps, EveryRewriteIsATransformation) {
  std::size_t found = 0;
  for (const DataflowRewrite& rewrite : dataflowRewrites()) {
    const Transformation* step = findTransformation(schedule::transformationOf(rewrite.name));
    ASSERT_TRUE(step) << rewrite.name;
    EXPECT_EQ(step->rewrite, &rewrite);
    EXPECT_EQ(step->spec.arguments[1].name, wordFor(rewrite.kind));
    EXPECT_EQ(step->spec.arguments.size(), rewrite.argument.empty() ? 3u : 4u);
    ++found;
  }
  EXPECT_EQ(found, dataflow_rewrite_count);
}

TEST(DesignRewriteSteps, InARowTheyGiveWhatOneAfterTheOtherGives) {
  const Document document = blockDocument({compiling(),
                                           rewriting("insert_fork", "output", "everywhere"),
                                           rewriting("unpack", "tensor", "everywhere"),
                                           rewriting("fold", "stream", "everywhere"),
                                           {"fifo_depth", {{"to", "*"}, {"depth", 64}}, true}});
  const Result<ScheduledProgram> at_once = applySchedule(document, {}, {}), steps = oneByOne(document);
  ASSERT_TRUE(at_once) << text(at_once.diagnostics());
  ASSERT_TRUE(steps) << text(steps.diagnostics());
  EXPECT_EQ(at_once->document, steps->document);
  const Result<TensorCompilation> compilation = tensorCompilation(document, {}, {});
  ASSERT_TRUE(compilation);
  ASSERT_EQ(compilation->compiled.rewrites.size(), 3u);
  EXPECT_THAT(compilation->compiled.rewrites[0].text, HasSubstr("insert fork"));
  EXPECT_THAT(compilation->compiled.rewrites[0].difference, HasSubstr("tasks"));
  DataflowDesign expected = tensorCompilation(blockDocument({compiling()}), {}, {})->compiled.rewritable;
  for (const char* name : {"insert fork", "unpack", "fold"})
    expected = applyEverywhere(expected, **rewriteNamed(name))->after;
  EXPECT_EQ(compilation->compiled.rewritable, expected);
}

/// What a step changes can be taken back, as with any other transformation.
TEST(DesignRewriteSteps, AStepIsUndone) {
  const Result<ScheduledProgram> before = oneByOne(blockDocument({compiling()}));
  ASSERT_TRUE(before);
  const Result<ScheduledProgram> after =
      applyStep(*before, rewriting("insert_fork", "output", "everywhere"), {}, "step");
  ASSERT_TRUE(after) << text(after.diagnostics());
  const ScheduledPatch patch = difference(*before, *after);
  EXPECT_FALSE(summary(patch).added.empty());
  const Result<ScheduledProgram> back = applyPatch(*after, inverse(patch));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->document, before->document);
}

TEST(DesignRewriteSteps, ProgramsSideBySideKeepTheirOrder) {
  Document document = blockDocument({compiling(), compiling("other"),
                                     rewriting("insert_fork", "output", "everywhere", "other"),
                                     rewriting("unpack", "tensor", "everywhere")});
  document.program.nodes.push_back(testing_support::node("other", "TensorProgram", {{"tokens", 16}}));
  const Result<ScheduledProgram> at_once = applySchedule(document, {}, {}), steps = oneByOne(document);
  ASSERT_TRUE(at_once) << text(at_once.diagnostics());
  ASSERT_TRUE(steps) << text(steps.diagnostics());
  EXPECT_EQ(at_once->document, steps->document);
  const Result<std::vector<CompiledProgram>> programs = compiledPrograms(document, {}, {});
  ASSERT_TRUE(programs);
  ASSERT_EQ(programs->size(), 2u);
  EXPECT_EQ(programs->front().compilation.node, "block");
  EXPECT_THAT(programs->front().compilation.compiled.rewrites[0].text, HasSubstr("unpack"));
}

TEST(DesignRewriteSteps, ArgumentsOfAnotherValueKindOrName) {
  const Result<ScheduledProgram> compiled = oneByOne(blockDocument({compiling()}));
  ASSERT_TRUE(compiled);
  for (const Transformation* known : registeredTransformations()) {
    if (!known->rewrite) continue;
    const std::string word(wordFor(known->rewrite->kind));
    const auto expectRefused = [&](const std::string& argument, const std::optional<Value>& value) {
      ScheduleStep step = rewriting(known->spec.name, word, "everywhere");
      if (value)
        step.arguments[argument] = *value;
      else
        step.arguments.erase(argument);
      const Result<ScheduledProgram> next =
          applyStep(*compiled, step, {}, placeOf(step, 1), {}, Lowering::Later);
      ASSERT_FALSE(next) << known->spec.name << ", " << argument << (value ? text(*value) : "");
      const Diagnostic& told = next.diagnostics().front();
      EXPECT_EQ(told.place.find(Where::Argument)->name, argument) << text(told);
      EXPECT_FALSE(told.cause.empty() || told.fix.empty() || told.code.empty()) << text(told);
    };
    expectRefused("colour", Value(1));
    expectRefused("program", std::nullopt);
    expectRefused(word, std::nullopt);
    for (const ArgumentSpec& argument : known->spec.arguments)
      for (const Value& wrong : {Value(1), Value(true), Value(""), Value("nothing"), Value("=nothing")})
        expectRefused(argument.name, wrong);
  }
}

TEST(DesignRewriteSteps, MistakesSayWhereAndWhatToDo) {
  const ScheduleStep fold = rewriting("fold", "stream", "nowhere");
  Diagnostic told = refusal(blockDocument({compiling(), fold}));
  EXPECT_EQ(told.code, "unknown-name");
  EXPECT_THAT(text(told), HasSubstr("no such stream"));
  told = refusal(blockDocument({fold}));
  EXPECT_THAT(text(told.place), HasSubstr("schedule step 1, fold"));
  EXPECT_THAT(told.fix, HasSubstr("compile_tensors"));
  told = refusal(blockDocument(
      {compiling(), rewriting("unfold", "stream", "everywhere"), rewriting("fuse_groups", "group", "0")}));
  EXPECT_EQ(told.code, "illegal-rewrite");
  EXPECT_THAT(text(told.place), HasSubstr("schedule step 3, fuse_groups"));
  // What the design became is changed by another step before it is rewritten.
  const ScheduleStep depth{"fifo_depth", {{"to", "*"}, {"depth", 64}}, true};
  told = refusal(blockDocument({compiling(), depth, rewriting("unpack", "tensor", "everywhere")}));
  EXPECT_EQ(told.code, "stale-step");
  EXPECT_THAT(text(told.place), HasSubstr("schedule step 3, unpack"));
  EXPECT_THAT(told.fix, HasSubstr("in front"));
}

TEST(RewriteWords, AreSteps) {
  for (const DataflowRewrite& rewrite : dataflowRewrites()) {
    const auto step = rewriteStep("block", std::string(rewrite.name) + " everywhere");
    ASSERT_TRUE(step);
    EXPECT_EQ(*step, rewriting(schedule::transformationOf(rewrite.name), std::string(wordFor(rewrite.kind)),
                               "everywhere"));
  }
  const auto vector = rewriteStep("block", "vectorise stream 'a by b.out0 -> c.in0' by 2x4");
  ASSERT_TRUE(vector);
  EXPECT_EQ(vector->arguments.at("stream"), Value("a by b.out0 -> c.in0"));
  EXPECT_EQ(vector->arguments.at("vector"), Value(std::vector<Value>{2, 4}));
  EXPECT_EQ(rewriteStep("block", "fuse groups group 0 by 4096")->arguments.at("capacity"),
            Value(std::vector<Value>{4096}));
  EXPECT_EQ(rewriteStep("block", "interleave load task 'load x' by 0x")->arguments.at("ways"), Value("0x"));
  EXPECT_FALSE(rewriteStep("block", "none"));
  EXPECT_EQ(rewriteStep("block", "melt everywhere")->transformation, "melt_everywhere");
  EXPECT_EQ(rewriteStep("block", "fold")->arguments.count("stream"), 0u);
}

/// Every place of a design by its words.
TEST(RewriteWords, AreThoseOfTheList) {
  const DataflowDesign design = tensorCompilation(blockDocument({compiling()}), {}, {})->compiled.rewritable;
  for (const RewriteChoice& choice : applicablePlaces(design)) {
    const auto step = rewriteStep("block", text(design, choice));
    ASSERT_TRUE(step);
    EXPECT_EQ(step->transformation, schedule::transformationOf(choice.rewrite->name));
    const Value& place = step->arguments.at(std::string(wordFor(choice.rewrite->kind)));
    EXPECT_EQ(place, Value(placeName(design, choice.place)));
    const std::vector<Value> numbers(choice.argument.begin(), choice.argument.end());
    if (numbers.empty()) continue;
    EXPECT_EQ(step->arguments.at(std::string(choice.rewrite->argument)), Value(numbers));
  }
}

/// A file of before: its list becomes steps, and a knob among its entries still chooses.
TEST(RewriteWords, InFilesBecomeSteps) {
  Document written = blockDocument({compiling()});
  Knob knob;
  knob.name = "how";
  knob.kind = KnobKind::Choice;
  knob.choices = {"none", "insert fork everywhere", "unpack everywhere"};
  knob.initial = 0;
  written.knobs = {knob};
  written.schedule[0].arguments["rewrites"] = Value(std::vector<Value>{"unfold everywhere", "=how"});
  const Result<Document> read = parseDocument(writeDocument(written), "old.sluice");
  ASSERT_TRUE(read) << text(read.diagnostics());
  ASSERT_EQ(read->schedule.size(), 4u);
  EXPECT_FALSE(read->schedule[0].arguments.contains("rewrites"));
  EXPECT_EQ(read->schedule[1], rewriting("unfold", "stream", "everywhere"));
  EXPECT_EQ(read->schedule[2].arguments.at("when"),
            Value(std::vector<Value>{"=how", "insert fork everywhere"}));
  EXPECT_EQ(*parseDocument(writeDocument(*read), "new.sluice"), *read);
  for (std::int64_t how = 0; how < 3; ++how) {
    std::vector<ScheduleStep> plain = {compiling(), rewriting("unfold", "stream", "everywhere")};
    if (how == 1) plain.push_back(rewriting("insert_fork", "output", "everywhere"));
    if (how == 2) plain.push_back(rewriting("unpack", "tensor", "everywhere"));
    const Result<ScheduledProgram> chosen = applySchedule(*read, {}, {{"how", how}});
    const Result<ScheduledProgram> expected = applySchedule(blockDocument(plain), {}, {});
    ASSERT_TRUE(chosen) << text(chosen.diagnostics());
    ASSERT_TRUE(expected) << text(expected.diagnostics());
    EXPECT_EQ(chosen->document.program, expected->document.program) << how;
  }
}

}  // namespace sluice::design_rewrite_steps_test
