// A mixture-of-experts layer under all three optimizations of the STeP paper at once: the tokens of the batch
// are dealt out to copies of the layer (parallelization), the tokens of an expert are packed into tiles
// (tiling), and the experts of a copy share their arithmetic (time-multiplexing). Every copy loads the
// weights that its tokens need.

#include "engine/workloads/parts.h"

namespace sluice::inline workloads::parallel_moe {
namespace {

const std::vector<std::string>& portNames() {
  static const std::vector<std::string> names{"tokens", "route", "weights", "route_weights", "route_back"};
  return names;
}

Region layer() {
  Region region;
  region.inputs = portNames();
  region.outputs = {"y"};
  GraphBuilder body(region.body);
  body.feed(GraphBuilder::boundary("y"), routedExperts(body, GraphBuilder::boundary));
  return region;
}

void writeProgram(Graph& program) {
  GraphBuilder g(program);
  std::map<std::string, Endpoint> sources;
  for (const std::string& name : portNames()) {
    const bool pairs = name == "weights" || name == "route_weights";  // [1, B, K], the others [1, B]
    const int min = pairs ? 1 : 0;
    sources[name] =
        g.add(name + "_each", "Flatten", {{"min", min}, {"max", min + 1}}, {{"in", batchSource(g, name)}});
  }
  g.add("layer", layer(), {});
  for (const std::string& name : portNames()) g.feed({"layer", name, {}}, sources.at(name));
  storeRows(g, {"layer", "y", {}});
}

Document build(const Sizes& sizes) {
  Document document = documentWith(sizes, {"B", "D", "E", "F", "K", "compute", "f"});
  document.title = "Mixture of experts, three ways at once";
  document.description =
      "The batch is dealt out to copies of the layer, an expert's tokens are packed into tiles, and the "
      "experts of a copy share their arithmetic. Bind a real trace with --input routing=FILE.npz.";
  writeProgram(document.program);
  std::vector<std::int64_t> copies;
  for (const std::int64_t number : powersUpTo(1, 8))
    if (sizes.at("B") % number == 0) copies.push_back(number);
  document.knobs = {listKnob("copies", copies, copies.size() > 1 ? 2 : 1,
                             "copies of the layer that the batch is dealt out to")};
  addExpertSchedule(document, sizes, "layer.");
  document.schedule.push_back(
      {"parallelize", {{"region", "layer"}, {"method", "interleaved"}, {"ways", "copies"}}, true});
  document.inputs.push_back(skewedRouting(sizes));
  return document;
}

}  // namespace

const WorkloadBuilder& definition() {
  static const WorkloadBuilder definition{
      "parallel_moe",
      "A mixture-of-experts layer, tiled, time-multiplexed and parallelized at once.",
      "STeP 5.2 to 5.4, together",
      {{"B", 64, 1, "tokens in the batch"},
       {"D", 4096, 1, "hidden size"},
       {"E", 16, 1, "experts"},
       {"F", 6400, 1, "intermediate size of an expert"},
       {"K", 2, 1, "experts per token", "", "E"},
       {"f", 64, 1, "columns of a weight tile", "F"},
       {"compute", 256, 1, "FLOPs per cycle of an operator"},
       {"depth", 2, 1, "tokens that a FIFO holds"}},
      {{"phi35_moe_b64", {{"B", 64}, {"D", 4096}, {"E", 16}, {"F", 6400}, {"K", 2}}},
       {"mixtral_b64", {{"B", 64}, {"D", 4096}, {"E", 8}, {"F", 14336}, {"K", 2}}},
       {"qwen_b64", {{"B", 64}, {"D", 2048}, {"E", 128}, {"F", 768}, {"K", 8}}}},
      build};
  return definition;
}

}  // namespace sluice::inline workloads::parallel_moe
