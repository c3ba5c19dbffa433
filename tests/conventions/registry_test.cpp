// Every entry of the registries explains itself; the table in the operators' README lists exactly
// what the registry has.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "engine/explorer/metrics/registry.h"
#include "engine/importers/registry.h"
#include "engine/operators/registry.h"
#include "engine/plugins/rules.h"

namespace sluice::registry_test {

/// What is held against a plug-in holds here.
TEST(Registry, EveryEntryExplainsItselfAndHasWhatItsTraitsSpeakOf) {
  using testing::IsEmpty;
  for (const sluice::Operator* op : sluice::registeredOperators())
    EXPECT_THAT(sluice::brokenRules(*op), IsEmpty()) << op->spec.kind;
  for (const sluice::Transformation* known : sluice::registeredTransformations())
    EXPECT_THAT(sluice::brokenRules(*known), IsEmpty()) << known->spec.name;
  for (const sluice::Strategy& strategy : sluice::strategies())
    EXPECT_THAT(sluice::brokenRules(strategy), IsEmpty()) << strategy.name;
  for (const sluice::DepthStrategy& strategy : sluice::depthStrategies())
    EXPECT_THAT(sluice::brokenRules(strategy), IsEmpty()) << strategy.name;
  for (const sluice::MetricSpec* metric : sluice::registeredMetrics())
    EXPECT_THAT(sluice::brokenRules(*metric), IsEmpty()) << metric->name;
  for (const sluice::Importer* importer : sluice::registeredImporters())
    EXPECT_THAT(sluice::brokenRules(*importer), IsEmpty()) << importer->name;
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

}  // namespace sluice::registry_test
