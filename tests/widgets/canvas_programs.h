#pragma once
// Programs for the canvas tests: a mixture of experts with its expert as a region, and graphs of any size.

#include <algorithm>
#include <string>
#include <vector>

#include "engine/program/document.h"
#include "engine/program/operator_spec.h"

namespace sluice::test {

/// A catalog that looks like the real one; the canvas must not depend on which operators there are.
class SmallCatalog {
 public:
  SmallCatalog() {
    const std::string in = "in", in1 = "in1", in2 = "in2", ref = "ref", control = "control";
    const ParameterSpec function = parameter("function", ParameterKind::Choice, std::nullopt);
    const ParameterSpec rank = parameter("rank", ParameterKind::Integer, Value(0));
    const ParameterSpec tile = parameter("tile", ParameterKind::IntegerList, std::nullopt);
    const ParameterSpec bandwidth = parameter("compute_bw", ParameterKind::Integer, std::nullopt);
    const ParameterSpec ways = parameter("ways", ParameterKind::Integer, std::nullopt);
    add("LinearOffChipLoad", "Off-chip memory", {}, {"out"}, {tile});
    add("LinearOffChipLoadRef", "Off-chip memory", {ref}, {"out"}, {tile});
    add("LinearOffChipStore", "Off-chip memory", {in}, {}, {tile});
    add("Bufferize", "On-chip memory", {in}, {"out"}, {rank});
    add("Partition", "Routing", {in, control}, {"out"}, {ways, rank}, "ways");
    add("Reassemble", "Routing", {in, control}, {"out"}, {ways, rank}, "", "ways");
    add("Map", "Higher order", {in}, {"out"}, {function, bandwidth});
    add("BinaryMap", "Higher order", {in1, in2}, {"out"}, {function, bandwidth});
    add("Accum", "Higher order", {in}, {"out"}, {function, rank});
    add("FlatMap", "Higher order", {in}, {"out"}, {function});
    add("Reshape", "Shape", {in}, {"out"},
        {parameter("dim", ParameterKind::Integer, Value(0)),
         parameter("chunk", ParameterKind::Integer, std::nullopt)});
    add("SelectGen", "Source", {}, {"out"}, {parameter("input", ParameterKind::Input, std::nullopt)});
    add("Consumer", "Sink", {in}, {}, {});
  }

  Catalog catalog() const {
    std::vector<const OperatorSpec*> all;
    for (const OperatorSpec& spec : specs_) all.push_back(&spec);
    return Catalog(all);
  }

 private:
  static ParameterSpec parameter(const std::string& name, ParameterKind kind, std::optional<Value> initial) {
    ParameterSpec spec;
    spec.name = name;
    spec.kind = kind;
    spec.initial = std::move(initial);
    return spec;
  }

  /// `wide_out` and `wide_in`: the parameter that says how many streams the first port bundles.
  void add(const std::string& kind, const std::string& category, const std::vector<std::string>& inputs,
           const std::vector<std::string>& outputs, std::vector<ParameterSpec> parameters,
           const std::string& wide_out = {}, const std::string& wide_in = {}) {
    OperatorSpec spec{kind, category, kind + " of the test catalog.", "", std::move(parameters), {}, {}};
    for (const std::string& port : inputs)
      spec.inputs.push_back({port, spec.inputs.empty() ? wide_in : "", "input " + port});
    for (const std::string& port : outputs) spec.outputs.push_back({port, wide_out, "output " + port});
    specs_.push_back(std::move(spec));
  }

  std::vector<OperatorSpec> specs_;
};

inline Node node(const std::string& name, const std::string& kind, Values parameters = {}) {
  Node made;
  made.name = name;
  made.kind = kind;
  made.parameters = std::move(parameters);
  return made;
}

inline Stream stream(const std::string& from, const std::string& to) {
  return {*parseEndpoint(from), *parseEndpoint(to), std::nullopt};
}

/// One expert, a SwiGLU layer: 10 operators, 13 streams.
inline Region expert() {
  Region region;
  region.count = "E";
  region.index = "e";
  region.inputs = {"x"};
  region.outputs = {"y"};
  region.body.nodes = {
      node("pack", "Reshape", {{"chunk", "tile"}}),
      node("tile_rows", "Accum", {{"function", "retile_row"}, {"rank", 1}}),
      node("w_gate", "LinearOffChipLoadRef", {{"tile", std::vector<Value>{"D", "f"}}}),
      node("w_up", "LinearOffChipLoadRef", {{"tile", std::vector<Value>{"D", "f"}}}),
      node("gate", "BinaryMap", {{"function", "matmul"}, {"compute_bw", 1022}}),
      node("up", "BinaryMap", {{"function", "matmul"}, {"compute_bw", 1022}}),
      node("act", "Map", {{"function", "silu"}}),
      node("product", "BinaryMap", {{"function", "multiply"}}),
      node("w_down", "LinearOffChipLoadRef", {{"tile", std::vector<Value>{"f", "D"}}}),
      node("down", "BinaryMap", {{"function", "matmul"}, {"compute_bw", 1022}}),
  };
  region.body.streams = {
      stream("region.x", "pack.in"),         stream("pack.out", "tile_rows.in"),
      stream("tile_rows.out", "gate.in1"),   stream("tile_rows.out", "up.in1"),
      stream("tile_rows.out", "w_gate.ref"), stream("tile_rows.out", "w_up.ref"),
      stream("w_gate.out", "gate.in2"),      stream("w_up.out", "up.in2"),
      stream("gate.out", "act.in"),          stream("act.out", "product.in1"),
      stream("up.out", "product.in2"),       stream("product.out", "w_down.ref"),
      stream("product.out", "down.in1"),     stream("w_down.out", "down.in2"),
      stream("down.out", "region.y"),
  };
  return region;
}

/// A mixture of experts: 7 nodes, one of them the region "expert"; 7 streams at the top.
inline Document mixtureOfExperts() {
  Document document;
  document.title = "Mixture of experts";
  Node region = node("expert", "Region");
  region.body = Box<Region>(expert());
  document.program.nodes = {
      node("tokens", "LinearOffChipLoad", {{"tile", std::vector<Value>{1, "D"}}}),
      node("router", "SelectGen", {{"input", "routing"}}),
      node("dispatch", "Partition", {{"ways", "E"}}),
      std::move(region),
      node("collect", "Reassemble", {{"ways", "E"}, {"rank", 1}}),
      node("combine", "Accum", {{"function", "add"}, {"rank", 1}}),
      node("result", "LinearOffChipStore", {{"tile", std::vector<Value>{1, "D"}}}),
  };
  document.program.streams = {
      stream("tokens.out", "dispatch.in"), stream("router.out", "dispatch.control"),
      stream("dispatch.out", "expert.x"),  stream("router.out", "collect.control"),
      stream("expert.y", "collect.in"),    stream("collect.out", "combine.in"),
      stream("combine.out", "result.in"),
  };
  return document;
}

inline Region& expertOf(Document& document) {
  return *document.program.nodes[3].body;
}

/// `count` maps; each but the first few reads from one or two that come before it.
inline Document meshOf(int count) {
  Document document;
  for (int i = 0; i < count; ++i) {
    const std::string name = std::string("n").append(std::to_string(i));
    const bool two = i >= 8 && i % 3 == 0;
    document.program.nodes.push_back(node(name, two ? "BinaryMap" : "Map", {{"function", "add"}}));
    const auto from = [](int n) { return std::string("n").append(std::to_string(n)).append(".out"); };
    if (i >= 4)
      document.program.streams.push_back(stream(from(i - 4 + i % 2), name + (two ? ".in1" : ".in")));
    if (two) document.program.streams.push_back(stream(from(i - 8 + i % 5), name + ".in2"));
  }
  return document;
}

}  // namespace sluice::test
