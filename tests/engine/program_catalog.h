#pragma once
// For the tests of the program floor: documents from few words, and a small catalog - one operator for every
// kind of parameter and port - so that they do not depend on the real operators.

#include <gtest/gtest.h>

#include "engine/program/file_format.h"
#include "engine/program/operator_spec.h"

namespace sluice::test {

inline const Catalog& programCatalog() {
  using K = ParameterKind;
  static const OperatorSpec source{"Source",
                                   "Source",
                                   "",
                                   "",
                                   {{"size", K::Integer, Value(1), 1, {}, "how many", ""},
                                    {"shape", K::IntegerList, Value(std::vector<Value>{}), 1, {}, "", ""}},
                                   {},
                                   {{"out", "", ""}}};
  static const OperatorSpec map{"Map",
                                "Higher order",
                                "",
                                "",
                                {{"function", K::Choice, {}, 0, {"silu", "exp"}, "what to compute", ""},
                                 {"compute_bw", K::Integer, Value(64), 1, {}, "", ""},
                                 {"write_back", K::Boolean, Value(false), 0, {}, "", ""}},
                                {{"in", "", ""}},
                                {{"out", "", ""}}};
  static const OperatorSpec join{
      "Join", "Higher order", "", "", {}, {{"in1", "", ""}, {"in2", "", ""}}, {{"out", "", ""}}};
  static const OperatorSpec split{"Split",
                                  "Routing",
                                  "",
                                  "",
                                  {{"ways", K::Integer, {}, 1, {}, "number of outputs", ""}},
                                  {{"in", "", ""}, {"control", "", ""}},
                                  {{"out", "ways", ""}}};
  static const OperatorSpec gather{"Gather",
                                   "Routing",
                                   "",
                                   "",
                                   {{"ways", K::Integer, {}, 1, {}, "number of inputs", ""}},
                                   {{"in", "ways", ""}, {"control", "", ""}},
                                   {{"out", "", ""}}};
  static const OperatorSpec broadcast{"Broadcast",
                                      "Routing",
                                      "",
                                      "",
                                      {{"ways", K::Integer, {}, 1, {}, "number of copies", ""}},
                                      {{"in", "", ""}},
                                      {{"out", "ways", ""}}};
  static const OperatorSpec select{
      "Select", "Source", "", "", {{"input", K::Input, {}, 0, {}, "the routing", ""}}, {}, {{"out", "", ""}}};
  static const OperatorSpec consumer{"Consumer", "Sink", "", "", {}, {{"in", "", ""}}, {}};
  static const Catalog catalog({&source, &map, &join, &split, &gather, &broadcast, &select, &consumer});
  return catalog;
}

/// The document of a JSON text; a text that is wrong fails the test.
inline Document documentOf(const std::string& json) {
  const Result<Document> document = parseDocument(json, "test");
  EXPECT_TRUE(document) << text(document.diagnostics()) << json;
  return document ? *document : Document{};
}

/// A document around a program; `rest` are further keys of the document.
inline Document programOf(const std::string& nodes, const std::string& streams,
                          const std::string& rest = "") {
  return documentOf("{\"sluice\": 1, " + rest + "\"program\": {\"nodes\": [" + nodes + "], \"streams\": [" +
                    streams + "]}}");
}

}  // namespace sluice::test
