// A mixture-of-experts layer (STeP 5.2; step_frontend_spec 5.1): every token goes to its top experts, each a
// SwiGLU of three weight matrices, and the weighted results are summed. As a program it works row by row with
// whole weights; tiling the rows, tiling the feature dimension and sharing the arithmetic are the schedule.

#include "engine/workloads/knobs.h"
#include "engine/workloads/sketch.h"
#include "engine/workloads/workload_builder.h"

namespace sluice::workloads {
namespace {

/// A weight loaded as one tile for every token.
Endpoint weight(Sketch& sketch, const std::string& name, const Endpoint& token, const std::string& rows,
                const std::string& cols) {
  const Endpoint load = sketch.add(name + "_load", "LinearOffChipLoadRef",
                                   {{"out_shape", list({1, 1})},
                                    {"stride", list({1, 1})},
                                    {"tensor", "w_" + name},
                                    {"tensor_origin", list({Value("e*" + rows), 0})},
                                    {"tensor_shape", list({"E", Value(rows), Value(cols)})},
                                    {"tile", list({Value(rows), Value(cols)})}},
                                   {{"ref", token}});
  return sketch.add(name + "_tiles", "Flatten", {{"min", 0}, {"max", 2}}, {{"in", load}});
}

Endpoint matmul(Sketch& sketch, const std::string& name, const Endpoint& x, const Endpoint& w) {
  return sketch.add(name, "BinaryMap", {{"compute_bw", "compute"}, {"function", "matmul"}},
                    {{"in1", x}, {"in2", w}});
}

/// silu(x gate) * (x up) * down, row by row.
Endpoint swiglu(Sketch& body, const Endpoint& x) {
  const Endpoint up_weight = weight(body, "up", x, "D", "F");
  const Endpoint up = matmul(body, "up", x, up_weight);
  const Endpoint gate_weight = weight(body, "gate", x, "D", "F");
  const Endpoint gate = matmul(body, "gate", x, gate_weight);
  const Endpoint activation =
      body.add("activation", "Map", {{"compute_bw", "compute"}, {"function", "silu"}}, {{"in", gate}});
  const Endpoint product =
      body.add("product", "BinaryMap", {{"compute_bw", "compute"}, {"function", "multiply"}},
               {{"in1", up}, {"in2", activation}});
  const Endpoint down_weight = weight(body, "down", x, "F", "D");
  return matmul(body, "down", product, down_weight);
}

Region expert() {
  Region region;
  region.count = "E";
  region.index = "e";
  region.inputs = {"x", "weight"};
  region.outputs = {"y"};
  Sketch body(region.body);
  const Endpoint y = swiglu(body, Sketch::boundary("x"));
  const Endpoint scaled =
      body.add("scale", "BinaryMap", {{"compute_bw", "compute"}, {"function", "multiply"}},
               {{"in1", Sketch::boundary("weight")}, {"in2", y}});
  body.feed(Sketch::boundary("y"), scaled);
  return region;
}

void writeProgram(Graph& program) {
  Sketch g(program);
  const auto select = [&](const std::string& name, const std::string& view) {
    return g.add(name, "SelectGen", {{"input", "routing"}, {"view", view}});
  };
  const Endpoint x =
      g.add("x_load", "LinearOffChipLoad",
            {{"out_shape", list({"B", 1})}, {"stride", list({1, 1})}, {"tile", list({1, "D"})}});
  const Endpoint tokens = g.add("tokens", "Flatten", {{"min", 0}, {"max", 1}}, {{"in", x}});
  const Endpoint route = select("route", "multi_hot");
  const Endpoint scatter =
      g.add("scatter", "Partition", {{"ways", "E"}}, {{"in", tokens}, {"control", route}});
  g.add("expert", expert(), {{"x", scatter}});
  const Endpoint weights =
      g.add("weight_load", "LinearOffChipLoad",
            {{"out_shape", list({"B", "K"})}, {"stride", list({"K", 1})}, {"tile", list({1, 1})}});
  const Endpoint route_weights = select("route_weights", "one_hot");
  const Endpoint scatter_weights =
      g.add("scatter_weights", "Partition", {{"ways", "E"}}, {{"in", weights}, {"control", route_weights}});
  g.feed({"expert", "weight", {}}, scatter_weights);
  const Endpoint route_back = select("route_back", "multi_hot");
  const Endpoint gathered =
      g.add("gather", "Reassemble", {{"ways", "E"}}, {{"in", {"expert", "y", {}}}, {"control", route_back}});
  const Endpoint sum = g.add(
      "sum", "Accum", {{"compute_bw", "compute"}, {"function", "add"}, {"init", list({1, "D"})}, {"rank", 1}},
      {{"in", gathered}});
  const Endpoint rows =
      g.add("rows", "Reshape", {{"chunk", 1}, {"dim", 0}, {"write_back_mu", true}}, {{"in", sum}});
  g.add("store", "LinearOffChipStore", {{"tile", list({1, "D"})}}, {{"in", rows}});
}

void addSchedule(Document& document, const Sizes& sizes) {
  const std::vector<std::int64_t> tiles = powersUpTo(8, sizes.at("B"));
  document.knobs = {
      listKnob("tile", tiles, tiles[tiles.size() > 1 ? 1 : 0], "tokens in a static tile of an expert"),
      choiceKnob("tiling", {"static", "dynamic"}, 0,
                 "tiles of a fixed size, or one per expert with all its tokens"),
      listKnob("regions", divisorsDownTo(sizes.at("E"), 4), sizes.at("E"),
               "copies of the experts' arithmetic that the experts share")};
  document.schedule = {
      {"tile", {{"region", "expert"}, {"input", "x"}, {"method", "=tiling"}, {"rows", "tile"}}, true},
      {"split", {{"load", "expert.up_load"}, {"axis", "columns"}, {"size", "f"}}, true},
      {"time_multiplex", {{"region", "expert"}, {"regions", "regions"}}, true}};
}

Document build(const Sizes& sizes) {
  Document document;
  document.title = "Mixture-of-experts layer";
  document.description =
      "Every token goes to its top experts, each a SwiGLU. The program works row by row; the schedule tiles "
      "rows and "
      "features and lets experts share their arithmetic. Bind a real trace with --input routing=FILE.npz.";
  for (const char* name : {"B", "D", "E", "F", "K", "f"}) document.constants[name] = Value(sizes.at(name));
  document.constants["compute"] = Value(sizes.at("compute"));
  writeProgram(document.program);
  addSchedule(document, sizes);
  Input routing;
  routing.name = "routing";
  routing.kind = InputKind::Routing;
  routing.tokens = sizes.at("B");
  routing.experts = sizes.at("E");
  routing.top_k = sizes.at("K");
  routing.counts = skewedCounts(routing.tokens, routing.experts, routing.top_k);
  document.inputs.push_back(std::move(routing));
  document.machine.fifo_depth = Value(sizes.at("depth"));
  return document;
}

}  // namespace

const WorkloadBuilder& moe() {
  static const WorkloadBuilder definition{
      "moe",
      "A mixture-of-experts layer.",
      "STeP 5.2 and 5.3",
      {{"B", 64, 1, "tokens in the batch"},
       {"D", 4096, 1, "hidden size"},
       {"E", 8, 1, "experts"},
       {"F", 14336, 1, "intermediate size of an expert"},
       {"K", 2, 1, "experts per token"},
       {"f", 64, 1, "columns of a weight tile; divides F"},
       {"compute", 4096, 1, "FLOPs per cycle of an operator"},
       {"depth", 2, 1, "tokens that a FIFO holds"}},
      {{"mixtral_b64", {{"B", 64}, {"D", 4096}, {"E", 8}, {"F", 14336}, {"K", 2}}},
       {"mixtral_b1024", {{"B", 1024}, {"D", 4096}, {"E", 8}, {"F", 14336}, {"K", 2}}},
       {"qwen_b64", {{"B", 64}, {"D", 2048}, {"E", 128}, {"F", 768}, {"K", 8}}},
       {"qwen_b1024", {{"B", 1024}, {"D", 2048}, {"E", 128}, {"F", 768}, {"K", 8}, {"depth", 1024}}}},
      build};
  return definition;
}

}  // namespace sluice::workloads
