// A mixture-of-experts layer as in DeepSeek's models: many narrow routed experts, of which every token visits
// several, and shared experts that every token passes. As the models' authors do, the shared experts are one
// SwiGLU as wide as all of them together. Both results are summed.

#include "engine/workloads/parts.h"

namespace sluice::inline workloads::deepseek_moe {
namespace {

Region sharedExperts() {
  Region region;
  region.inputs = {"x"};
  region.outputs = {"y"};
  GraphBuilder body(region.body);
  body.feed(GraphBuilder::boundary("y"),
            swigluLayer(body, GraphBuilder::boundary("x"), {"shared_", "S*F", "", ""}));
  return region;
}

void writeProgram(Graph& program) {
  GraphBuilder g(program);
  const Endpoint tokens = batchSource(g, "tokens");
  const Endpoint all = g.flatten("all", tokens);
  g.add("shared", sharedExperts(), {{"x", all}});
  const Endpoint sum = routedExperts(
      g, [&](const std::string& name) { return name == "tokens" ? tokens : batchSource(g, name); });
  const Endpoint routed = g.flatten("routed", sum);
  const Endpoint both = g.add("both", "BinaryMap", {{"compute_bw", "compute"}, {"function", "add"}});
  // Neither side waits for the other: a tile of tokens may be large on one and small on the other.
  g.feed({"both", "in1", {}}, {"shared", "y", {}}, Value("B"));
  g.feed({"both", "in2", {}}, routed, Value("B"));
  storeRows(g, both);
}

Document build(const Sizes& sizes) {
  Document document = documentWith(sizes, {"B", "D", "E", "F", "K", "S", "compute", "f"});
  document.title = "DeepSeek mixture-of-experts layer";
  document.description =
      "Every token goes to its top routed experts, each a narrow SwiGLU, and through the shared experts; the "
      "results are summed. The schedule tiles rows and features and lets routed experts share their "
      "arithmetic. Bind a real trace with --input routing=FILE.npz.";
  writeProgram(document.program);
  addExpertSchedule(document, sizes);
  const std::vector<std::int64_t> tiles = powersUpTo(8, sizes.at("B"));
  document.knobs.push_back(
      listKnob("shared_tile", tiles, tiles.back(), "tokens in a tile of the shared experts"));
  document.schedule.push_back(
      {"tile", {{"region", "shared"}, {"input", "x"}, {"method", "static"}, {"rows", "shared_tile"}}, true});
  document.schedule.push_back(
      {"split", {{"load", "shared.up_load"}, {"axis", "columns"}, {"size", "f"}}, true});
  document.inputs.push_back(skewedRouting(sizes));
  return document;
}

}  // namespace

const WorkloadBuilder& definition() {
  static const WorkloadBuilder definition{
      "deepseek_moe",
      "A mixture-of-experts layer with shared experts.",
      "DeepSeek-V2 and V3",
      {{"B", 64, 1, "tokens in the batch"},
       {"D", 2048, 1, "hidden size"},
       {"E", 64, 1, "routed experts"},
       {"F", 1408, 1, "intermediate size of an expert"},
       {"K", 6, 1, "routed experts per token", "", "E"},
       {"S", 2, 1, "shared experts"},
       {"f", 64, 1, "columns of a weight tile", "F"},
       {"compute", 4096, 1, "FLOPs per cycle of an operator"},
       {"depth", 4, 1, "tokens that a FIFO holds"}},
      {{"v2_lite_b64", {{"B", 64}, {"D", 2048}, {"E", 64}, {"F", 1408}, {"K", 6}, {"S", 2}}},
       {"v2_b64", {{"B", 64}, {"D", 5120}, {"E", 160}, {"F", 1536}, {"K", 6}, {"S", 2}}},
       {"v3_b64", {{"B", 64}, {"D", 7168}, {"E", 256}, {"F", 2048}, {"K", 8}, {"S", 1}}}},
      build};
  return definition;
}

}  // namespace sluice::inline workloads::deepseek_moe
