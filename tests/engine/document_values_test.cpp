// One visitor sees every value that a document holds.

#include "engine/program/document_values.h"

#include <gtest/gtest.h>

#include "engine/program/fields.h"

namespace sluice::document_values_test {

TEST(DocumentValues, EveryOneIsVisitedOnce) {
  std::multiset<std::string> written, visited;
  const auto next = [&] { return Value(*written.insert("v" + std::to_string(written.size()))); };
  Document document;
  document.constants["D"] = next();
  for (const Field<Machine>& field : fields<Machine>())
    if (field.as<Value>()) document.machine.*field.as<Value>() = next();
  document.machine.hbm_timing["tRCD"] = next();
  document.schedule.push_back({"tile", {{"size", next()}}, false});
  Node inner{"n", "Map", {{"rank", next()}}, {}, {}};
  Node region{"r", "Region", {{"odd", next()}}, {}, Region{}};
  region.body->count = next();
  region.body->widths["x"] = next();
  region.body->body.nodes.push_back(inner);
  region.body->body.streams.push_back({{"region", "x", next()}, {"n", "in", next()}, next()});
  document.program.nodes.push_back(region);
  document.program.streams.push_back({{"a", "out", next()}, {"r", "x", next()}, next()});
  forEachValue(document, [&](const Value& value) { visited.insert(text(value)); });
  EXPECT_EQ(visited, written);
}

TEST(DocumentValues, NamesAreFoundInExpressionsChoicesAndTexts) {
  std::set<std::string> names;
  addNames(Value(std::vector<Value>{"ceil(B/N_1) + 2", "=mode", 7, true, "a.b-c"}), names);
  EXPECT_EQ(names, (std::set<std::string>{"ceil", "B", "N_1", "2", "mode", "a", "b", "c"}));
  addNames(Value(std::string(1'000'000, 'x')), names);
  EXPECT_EQ(names.size(), 9u);
}

}  // namespace sluice::document_values_test
