#include "engine/workloads/parts.h"

#include <algorithm>

namespace sluice::inline workloads {
namespace {

Endpoint matmul(GraphBuilder& g, const std::string& name, const Endpoint& x, const Endpoint& w) {
  return g.add(name, "BinaryMap", {{"compute_bw", "compute"}, {"function", "matmul"}},
               {{"in1", x}, {"in2", w}});
}

Region expert() {
  Region region;
  region.count = "E";
  region.index = "e";
  region.inputs = {"x", "weight"};
  region.outputs = {"y"};
  GraphBuilder body(region.body);
  const Endpoint y = swigluLayer(body, GraphBuilder::boundary("x"));
  const Endpoint scaled =
      body.add("scale", "BinaryMap", {{"compute_bw", "compute"}, {"function", "multiply"}},
               {{"in1", GraphBuilder::boundary("weight")}, {"in2", y}});
  body.feed(GraphBuilder::boundary("y"), scaled);
  return region;
}

}  // namespace

Document documentWith(const Sizes& sizes, std::initializer_list<const char*> constants) {
  Document document;
  for (const char* name : constants) document.constants[name] = Value(sizes.at(name));
  document.machine.fifo_depth = Value(sizes.at("depth"));
  return document;
}

void storeRows(GraphBuilder& g, const Endpoint& y) {
  const Endpoint rows =
      g.add("rows", "Reshape", {{"chunk", 1}, {"dim", 0}, {"write_back_mu", true}}, {{"in", y}});
  g.add("store", "LinearOffChipStore", {{"tile", list({1, "D"})}}, {{"in", rows}});
}

Endpoint weightPerToken(GraphBuilder& body, const std::string& name, const Endpoint& token,
                        const Weights& weights, const std::string& rows, const std::string& cols) {
  Values parameters{{"out_shape", list({1, 1})},
                    {"stride", list({1, 1})},
                    {"tensor", weights.tensors + name},
                    {"tensor_shape", list({Value(rows), Value(cols)})},
                    {"tile", list({Value(rows), Value(cols)})}};
  if (!weights.index.empty()) {
    parameters["tensor_origin"] = list({Value(weights.index + "*" + rows), 0});
    parameters["tensor_shape"] = list({Value(weights.count), Value(rows), Value(cols)});
  }
  const Endpoint load =
      body.add(name + "_load", "LinearOffChipLoadRef", std::move(parameters), {{"ref", token}});
  return body.add(name + "_tiles", "Flatten", {{"min", 0}, {"max", 2}}, {{"in", load}});
}

Endpoint swigluLayer(GraphBuilder& body, const Endpoint& x, const Weights& weights) {
  const std::string& inner = weights.inner;
  const Endpoint up_weight = weightPerToken(body, "up", x, weights, "D", inner);
  const Endpoint up = matmul(body, "up", x, up_weight);
  const Endpoint gate_weight = weightPerToken(body, "gate", x, weights, "D", inner);
  const Endpoint gate = matmul(body, "gate", x, gate_weight);
  const Endpoint activation =
      body.add("activation", "Map", {{"compute_bw", "compute"}, {"function", "silu"}}, {{"in", gate}});
  const Endpoint product =
      body.add("product", "BinaryMap", {{"compute_bw", "compute"}, {"function", "multiply"}},
               {{"in1", up}, {"in2", activation}});
  const Endpoint down_weight = weightPerToken(body, "down", x, weights, inner, "D");
  return matmul(body, "down", product, down_weight);
}

Endpoint routedExperts(GraphBuilder& g, const SourceOf& source) {
  const Endpoint tokens = source("tokens");
  const Endpoint route = source("route");
  const Endpoint scatter =
      g.add("scatter", "Partition", {{"ways", "E"}}, {{"in", tokens}, {"control", route}});
  g.add("expert", expert(), {{"x", scatter}});
  const Endpoint weights = source("weights");
  const Endpoint route_weights = source("route_weights");
  const Endpoint scatter_weights =
      g.add("scatter_weights", "Partition", {{"ways", "E"}}, {{"in", weights}, {"control", route_weights}});
  g.feed({"expert", "weight", {}}, scatter_weights);
  const Endpoint route_back = source("route_back");
  const Endpoint gathered =
      g.add("gather", "Reassemble", {{"ways", "E"}}, {{"in", {"expert", "y", {}}}, {"control", route_back}});
  return g.add("sum", "Accum",
               {{"compute_bw", "compute"}, {"function", "add"}, {"init", list({1, "D"})}, {"rank", 1}},
               {{"in", gathered}});
}

Endpoint batchSource(GraphBuilder& g, const std::string& name) {
  if (name == "tokens") {
    const Endpoint x =
        g.add("x_load", "LinearOffChipLoad",
              {{"out_shape", list({"B", 1})}, {"stride", list({1, 1})}, {"tile", list({1, "D"})}});
    return g.flatten("tokens", x);
  }
  if (name == "weights") {
    return g.add("weight_load", "LinearOffChipLoad",
                 {{"out_shape", list({"B", "K"})}, {"stride", list({"K", 1})}, {"tile", list({1, 1})}});
  }
  const char* view = name == "route_weights" ? "one_hot" : "multi_hot";
  return g.add(name, "SelectGen", {{"input", "routing"}, {"view", view}});
}

void addExpertSchedule(Document& document, const Sizes& sizes, const std::string& prefix) {
  const std::vector<std::int64_t> tiles = powersUpTo(8, sizes.at("B"));
  document.knobs.push_back(
      listKnob("tile", tiles, tiles[tiles.size() > 1 ? 1 : 0], "tokens in a static tile of an expert"));
  document.knobs.push_back(choiceKnob("tiling", {"static", "dynamic"}, 0,
                                      "tiles of a fixed size, or one per expert with all its tokens"));
  document.knobs.push_back(listKnob("regions", divisorsDownTo(sizes.at("E"), 4), sizes.at("E"),
                                    "copies of the experts' arithmetic that the experts share"));
  const std::string region = prefix + "expert";
  document.schedule.push_back(
      {"tile", {{"region", region}, {"input", "x"}, {"method", "=tiling"}, {"rows", "tile"}}, true});
  document.schedule.push_back(
      {"split", {{"load", region + ".up_load"}, {"axis", "columns"}, {"size", "f"}}, true});
  document.schedule.push_back({"time_multiplex", {{"region", region}, {"regions", "regions"}}, true});
}

Input skewedRouting(const Sizes& sizes) {
  Input routing;
  routing.name = "routing";
  routing.kind = InputKind::Routing;
  routing.tokens = sizes.at("B");
  routing.experts = sizes.at("E");
  routing.top_k = sizes.at("K");
  routing.counts = skewedCounts(routing.tokens, routing.experts, routing.top_k);
  return routing;
}

Input skewedLengths(const Sizes& sizes) {
  Input lengths;
  lengths.name = "lengths";
  lengths.kind = InputKind::Lengths;
  IntTensor values{{static_cast<std::size_t>(sizes.at("B"))}, {}};
  for (std::int64_t b = 0; b < sizes.at("B"); ++b) {
    const std::int64_t longest = sizes.at("N") - 1, rank = (b * 37 + 11) % 64;
    values.data.push_back(std::max<std::int64_t>(1, longest * rank * rank * rank / (64 * 64 * 64)));
  }
  lengths.data = std::move(values);
  return lengths;
}

}  // namespace sluice::inline workloads
