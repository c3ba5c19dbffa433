// Explorations as JSON Lines: what is written is read into another store as the same, and bad lines are
// named.

#include "engine/explorer/store/json_lines.h"
#include "tests/engine/support/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

namespace sluice::json_lines_test {

using testing::HasSubstr;

class JsonLines : public testing_support::FolderTest {
 protected:
  ResultStore store(const char* name) const {
    return *ResultStore::open(folder_ / name, ResultStore::Access::Write);
  }
  static std::string write(ResultStore& store) {
    std::string text;
    const auto done = writeJsonLines(store, {}, [&](std::string_view piece) -> Result<Done> {
      text += piece;
      return Done{};
    });
    EXPECT_TRUE(done);
    return text;
  }
  static Result<MergeReport> read(ResultStore& store, const std::string& text) {
    std::istringstream in(text);
    return readJsonLines(store, in, "lines");
  }
  /// Points of every state and level, of a number and a choice.
  static void fill(ResultStore& store) {
    ExplorationRecord record = explorationHere();
    record.workload = "w";
    record.title = "a \"title\"";
    record.objectives = {"cycles", "on_chip_bytes"};
    record.knobs.resize(2);
    record.knobs[0].name = "tile";
    record.knobs[0].maximum = 64;
    record.knobs[1].name = "mode";
    record.knobs[1].kind = KnobKind::Choice;
    record.knobs[1].choices = {"static", "dynamic"};
    const auto begun = store.begin(record);
    ASSERT_TRUE(begun);
    std::vector<Visit> visits(4);
    for (std::size_t i = 0; i < visits.size(); ++i) {
      visits[i].number = i;
      visits[i].point.knobs = {{"tile", static_cast<std::int64_t>(i)},
                               {"mode", static_cast<std::int64_t>(i % 2)}};
      visits[i].point.metrics.cycles = (std::uint64_t{1} << 60) + i;
      visits[i].point.metrics.operational_intensity = 0.1 * static_cast<double>(i);
    }
    visits[1].point.fidelity = Fidelity::Symbolic;
    visits[2].point.fidelity = Fidelity::Record;
    visits[2].point.peak_fifo_tokens = 77;
    visits[3].point.state = PointState::Deadlocked;
    visits[3].point.cause = "x waits for y, z";
    visits[3].point.deadlock = DeadlockCause{{"x", "y"}, {"x -> y"}, 9, 1};
    ASSERT_TRUE(store.write(*begun, visits));
  }
};

TEST_F(JsonLines, WhatIsWrittenIsReadAsTheSame) {
  ResultStore first = store("a.db"), second = store("b.db");
  fill(first);
  const std::string text = write(first);
  const auto report = read(second, text);
  ASSERT_TRUE(report) << sluice::text(report.diagnostics());
  EXPECT_NE(text.find("1152921504606846977"), std::string::npos);  // no double holds it
  EXPECT_EQ(report->explorations, 1u);
  EXPECT_EQ(report->points, 4u);
  EXPECT_EQ(write(second), text);
  const auto again = read(second, text);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->explorations, 0u);
  EXPECT_EQ(again->points, 0u);
  EXPECT_EQ(again->known, 4u);
  EXPECT_EQ(again->different, 0u);
  EXPECT_EQ(write(second), text);
}

TEST_F(JsonLines, WhatTheStoreKnowsAtAnotherLevelIsNoReasonToOverwrite) {
  ResultStore first = store("a.db");
  fill(first);
  const std::string text = write(first);
  // The same points at the highest level, too.
  const auto records = first.explorations();
  ASSERT_TRUE(records);
  auto points = first.points(records->front());
  ASSERT_TRUE(points);
  std::vector<Visit> higher;
  for (DesignPoint& point : *points) {
    point.fidelity = Fidelity::Record;
    point.metrics.cycles = 5;
    higher.push_back({{}, std::move(point)});
  }
  ASSERT_TRUE(first.write(records->front(), higher));
  const std::string before = write(first);
  std::string other = text;  // the first point, of level count, with other cycles
  const std::string cycles = std::to_string(std::uint64_t{1} << 60);
  other.replace(other.find(cycles), cycles.size(), "7");
  const auto report = read(first, other);
  ASSERT_TRUE(report) << sluice::text(report.diagnostics());
  EXPECT_EQ(report->points, 0u);
  EXPECT_EQ(report->known, 4u);
  EXPECT_GE(report->different, 1u);
  EXPECT_EQ(write(first), before) << "what is here stays";
}

TEST_F(JsonLines, EveryPointIsFlatAndTyped) {
  ResultStore first = store("a.db");
  fill(first);
  std::istringstream lines(write(first));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(nlohmann::json::parse(line)["objectives"][1], "on_chip_bytes");
  std::getline(lines, line);
  const auto point = nlohmann::json::parse(line);
  EXPECT_EQ(point["knob_mode"], "static");
  EXPECT_TRUE(point["knob_tile"].is_number_integer());
  EXPECT_TRUE(point["cycles"].is_number_integer());
  EXPECT_TRUE(point["operational_intensity"].is_number_float());
  EXPECT_TRUE(point["peak_fifo_tokens"].is_null());
  std::getline(lines, line);
  EXPECT_TRUE(nlohmann::json::parse(line)["flops"].is_null()) << "the symbolic level does not tell";
  for (const auto& [name, value] : point.items()) EXPECT_TRUE(value.is_primitive()) << name;
}

TEST_F(JsonLines, BadLinesAreNamed) {
  ResultStore first = store("a.db"), second = store("b.db");
  fill(first);
  const std::string text = write(first);
  const std::string header = text.substr(0, text.find('\n') + 1);
  const auto refusal = [&](const std::string& lines) {
    const auto report = read(second, lines);
    return report ? "" : sluice::text(report.diagnostics());
  };
  EXPECT_THAT(refusal("[1, 2]\n"), HasSubstr("line 1"));
  EXPECT_THAT(refusal(header + "{\"number\": 0}\n"), HasSubstr("line 2"));
  EXPECT_THAT(refusal(text.substr(header.size())), HasSubstr("no line before it"));
  EXPECT_THAT(refusal(header + header.substr(0, 40)), HasSubstr("line 2"));
  EXPECT_THAT(refusal(std::string(3 << 20, 'x')), HasSubstr("1 MiB"));
  EXPECT_THAT(refusal("{\"exploration\": \"x\", \"knobs\": " + std::string(400'000, '[') +
                      std::string(400'000, ']') + "}"),
              HasSubstr("nested deeper"));
  std::string other = text;
  other.replace(other.find("\"knob_mode\":\"static\""), 20, "\"knob_mode\":\"statix\"");
  EXPECT_THAT(refusal(other), HasSubstr("none of the exploration's"));
  std::string unknown = header;
  unknown.replace(unknown.find("\"level\":\"count\""), 15, "\"level\":\"exact\"");
  ResultStore third = store("c.db");
  EXPECT_THAT(sluice::text(read(third, unknown).diagnostics()),
              HasSubstr("line 1: its level is none of symbolic, count and record"));
  EXPECT_TRUE(third.explorations()->empty());
}

}  // namespace sluice::json_lines_test
