// Every operator has all four facets and explains itself; the table in the operators' README lists exactly
// what the registry has.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "engine/operators/registry.h"
#include "engine/schedule/transformation.h"

namespace {

TEST(Registry, EveryOperatorHasFourFacetsAndExplainsItself) {
  for (const sluice::Operator* op : sluice::registeredOperators()) {
    SCOPED_TRACE(op->spec.kind);
    EXPECT_NE(op->shape, nullptr);
    EXPECT_NE(op->cost, nullptr);
    EXPECT_NE(op->behaviour, nullptr);
    EXPECT_FALSE(op->spec.summary.empty());
    EXPECT_FALSE(op->spec.paper.empty());
    for (const std::string* rule : {&op->spec.rules.shape, &op->spec.rules.cost, &op->spec.rules.timing})
      EXPECT_TRUE(rule->ends_with('.')) << *rule;
    EXPECT_FALSE(op->spec.category.empty());
    for (const auto& parameter : op->spec.parameters) {
      EXPECT_FALSE(parameter.help.empty()) << parameter.name;
      EXPECT_EQ(parameter.kind == sluice::ParameterKind::Choice, !parameter.choices.empty())
          << parameter.name;
    }
    for (const auto* ports : {&op->spec.inputs, &op->spec.outputs}) {
      for (const auto& port : *ports) {
        EXPECT_FALSE(port.help.empty()) << port.name;
        EXPECT_TRUE(port.width.empty() || op->spec.parameter(port.width)) << port.width;
      }
    }
    EXPECT_TRUE(op->memory == sluice::MemoryRole::None || op->spec.parameter("par_dispatch"));
  }
}

TEST(Registry, OperatorsHaveWhatTheirScheduleRolesSpeakOf) {
  using sluice::ScheduleRole;
  struct Promise {
    std::vector<std::string> parameters;
    std::set<std::vector<std::string>> inputs;  ///< one of them
  };
  const std::map<ScheduleRole, Promise> promises{
      {ScheduleRole::View,
       {{"tile", "out_shape", "stride", "tensor", "tensor_shape", "tensor_origin"}, {{}}}},
      {ScheduleRole::ReferenceView, {{"tile", "out_shape", "stride", "tensor_origin"}, {{"ref"}}}},
      {ScheduleRole::Numbers, {{"first", "count", "block", "every"}, {{}}}},
      {ScheduleRole::Apply, {{"function"}, {{"in"}, {"in1", "in2"}}}},
      {ScheduleRole::Fold, {{"function", "rank", "init"}, {{"in"}, {"in1", "in2"}}}},
      {ScheduleRole::Cut, {{"function"}, {{"in"}}}},
      {ScheduleRole::Merge, {{"min", "max"}, {{"in"}}}},
      {ScheduleRole::Repeat, {{"factor"}, {{"in"}}}}};
  for (const sluice::Operator* op : sluice::registeredOperators()) {
    SCOPED_TRACE(op->spec.kind);
    const auto promise = promises.find(op->schedule);
    if (promise == promises.end()) continue;
    for (const std::string& parameter : promise->second.parameters)
      EXPECT_TRUE(op->spec.parameter(parameter)) << parameter;
    std::vector<std::string> inputs;
    for (const sluice::PortSpec& port : op->spec.inputs) inputs.push_back(port.name);
    EXPECT_TRUE(promise->second.inputs.contains(inputs));
    EXPECT_EQ(op->spec.outputs.size(), 1u);
    EXPECT_EQ(op->spec.outputs.front().name, "out");
  }
}

TEST(Registry, EveryTransformationExplainsItself) {
  for (const sluice::Transformation* known : sluice::registeredTransformations()) {
    SCOPED_TRACE(known->spec.name);
    for (const std::string* text : {&known->spec.summary, &known->spec.effect})
      EXPECT_TRUE(text->ends_with('.')) << *text;
    EXPECT_FALSE(known->spec.paper.empty());
  }
}

TEST(Registry, KindsAreUniqueAndFound) {
  std::set<std::string> kinds;
  for (const sluice::Operator* op : sluice::registeredOperators()) {
    EXPECT_TRUE(kinds.insert(op->spec.kind).second) << op->spec.kind;
    EXPECT_EQ(sluice::findOperator(op->spec.kind), op);
  }
  EXPECT_EQ(sluice::findOperator("NoSuchOperator"), nullptr);
}

TEST(Registry, ReadmeListsExactlyTheRegistry) {
  std::ifstream readme(SLUICE_SOURCE_DIR "/engine/operators/README.md");
  std::set<std::string> listed;
  for (std::string line; std::getline(readme, line);) {
    std::istringstream row(line);
    std::string bar, kind;
    if (row >> bar >> kind && bar == "|" && kind != "kind" && kind != "---") listed.insert(kind);
  }
  std::set<std::string> registered;
  for (const sluice::Operator* op : sluice::registeredOperators()) registered.insert(op->spec.kind);
  EXPECT_EQ(listed, registered);
}

TEST(Registry, OneFilePerOperator) {
  // The file of LinearOffChipLoadRef is linear_off_chip_load_ref.cpp.
  for (const sluice::Operator* op : sluice::registeredOperators()) {
    std::string file;
    for (const char c : op->spec.kind) {
      const bool upper = c >= 'A' && c <= 'Z';
      if (upper && !file.empty()) file += '_';
      file += upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
    EXPECT_TRUE(std::filesystem::exists(SLUICE_SOURCE_DIR "/engine/operators/" + file + ".cpp"))
        << op->spec.kind;
  }
}

}  // namespace
