// Unfinished programs: what is known of them, and whether a stream fits before it is joined.

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/explorer/evaluate.h"
#include "engine/operators/draft.h"
#include "engine/program/file_format.h"

namespace sluice::draft_test {

std::vector<std::shared_ptr<const Workload>> samples() {
  std::vector<std::shared_ptr<const Workload>> all;
  const std::filesystem::path folder = SLUICE_SOURCE_DIR "/sample_workloads";
  for (const char* name : {"simple_moe", "swiglu", "deadlock_fork_join", "gnn", "attention_qwen"}) {
    auto document = loadDocument(folder / (std::string(name) + ".sluice"));
    if (!document) throw std::runtime_error(text(document.diagnostics()));
    document->schedule.clear();
    auto workload = makeWorkload(*document, folder);
    if (!workload) throw std::runtime_error(text(workload.diagnostics()));
    all.push_back(*workload);
  }
  return all;
}

TEST(Draft, OfAWholeProgramKnowsWhatInferenceKnows) {
  for (const auto& workload : samples()) {
    const KnobValues knobs = defaultKnobs(workload->document);
    const auto whole = evaluateSymbolic(*workload, knobs);
    ASSERT_TRUE(whole) << text(whole.diagnostics());
    const auto draft = typeDraft(workload->document, knobs, workload->inputs);
    ASSERT_TRUE(draft);
    EXPECT_TRUE(draft->problems.empty()) << text(draft->problems);
    ASSERT_EQ(draft->streams.size(), whole->inference.streams.size());
    for (std::size_t i = 0; i < draft->streams.size(); ++i) {
      ASSERT_TRUE(draft->streams[i]) << draft->graph.streams[i].name;
      EXPECT_EQ(text(*draft->streams[i]), text(whole->inference.streams[i]));
    }
  }
}

/// Every stream that a correct program has fits: alone missing, and with all others of its graph missing.
TEST(Draft, NoStreamOfACorrectProgramIsRefused) {
  for (const auto& workload : samples()) {
    const Document& document = workload->document;
    const KnobValues knobs = defaultKnobs(document);
    const std::size_t count = document.program.streams.size();
    for (std::size_t i = 0; i < count; ++i) {
      Document without = document;
      without.program.streams.erase(without.program.streams.begin() + static_cast<std::ptrdiff_t>(i));
      Document with = without;
      with.program.streams.push_back(document.program.streams[i]);
      const auto why = newProblem(without, with, knobs, workload->inputs);
      EXPECT_FALSE(why) << document.title << ": " << text(*why);
    }
    Document growing = document;
    growing.program.streams.clear();
    for (const Stream& stream : document.program.streams) {
      Document next = growing;
      next.program.streams.push_back(stream);
      const auto why = newProblem(growing, next, knobs, workload->inputs);
      EXPECT_FALSE(why) << document.title << ": " << text(*why);
      growing = std::move(next);
    }
  }
}

TEST(Draft, WhatDoesNotFitIsRefusedWithItsReason) {
  const auto workload = samples().front();
  const KnobValues knobs = defaultKnobs(workload->document);
  const auto why = [&](const std::string& from, const std::string& to) -> std::string {
    Document before = workload->document;
    std::erase_if(before.program.streams, [&](const Stream& stream) { return text(stream.to) == to; });
    Document after = before;
    after.program.streams.push_back({*parseEndpoint(from), *parseEndpoint(to), {}});
    const auto problem = newProblem(before, after, knobs, workload->inputs);
    return problem ? problem->cause : "";
  };
  std::string selector_input;
  for (const Stream& stream : workload->document.program.streams)
    if (stream.to.port == "control") selector_input = text(stream.to);
  ASSERT_FALSE(selector_input.empty());
  EXPECT_NE(why("x_load.out", selector_input).find("selector"), std::string::npos)
      << why("x_load.out", selector_input);
  // A cycle without an operator that can begin it.
  Document circle;
  Node flatten;
  flatten.kind = "Flatten";
  flatten.parameters = {{"min", 0}, {"max", 1}};
  for (const char* name : {"a", "b"}) {
    flatten.name = name;
    circle.program.nodes.push_back(flatten);
  }
  circle.program.streams.push_back({{"a", "out", {}}, {"b", "in", {}}, {}});
  Document closed = circle;
  closed.program.streams.push_back({{"b", "out", {}}, {"a", "in", {}}, {}});
  EXPECT_FALSE(newProblem({}, circle, {}, {}));
  const auto problem = newProblem(circle, closed, {}, {});
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->cause.find("cycle"), std::string::npos);
}

}  // namespace sluice::draft_test
