#pragma once
// A small catalog for the tests of the program floor, so that they do not depend on the real operators: one
// operator for every kind of parameter and port.

#include "engine/program/operator_spec.h"

namespace sluice::test {

inline const Catalog& programCatalog() {
  using K = ParameterKind;
  static const OperatorSpec source{
      "Source",
      "Source",
      "",
      "",
      {{"size", K::Integer, Value(1), 1, {}, "how many", ""}, {"shape", K::IntegerList, Value(std::vector<Value>{}), 1, {}, "", ""}},
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
  static const OperatorSpec join{"Join", "Higher order", "", "", {}, {{"in1", "", ""}, {"in2", "", ""}}, {{"out", "", ""}}};
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

}  // namespace sluice::test
