// A mixture-of-experts layer (STeP 5.2; engine/workloads/README.md 1): every token goes to its top experts,
// each a SwiGLU of three weight matrices, and the weighted results are summed. As a program it works row by
// row with whole weights; tiling the rows, tiling the feature dimension and sharing the arithmetic are the
// schedule.

#include "engine/workloads/parts.h"

namespace sluice::inline workloads::moe {
namespace {

void writeProgram(Graph& program) {
  GraphBuilder g(program);
  const Endpoint sum = routedExperts(g, [&](const std::string& name) { return batchSource(g, name); });
  storeRows(g, sum);
}

Document build(const Sizes& sizes) {
  Document document = documentWith(sizes, {"B", "D", "E", "F", "K", "f", "compute"});
  document.title = "Mixture-of-experts layer";
  document.description =
      "Every token goes to its top experts, each a SwiGLU. The program works row by row; the schedule tiles "
      "rows and "
      "features and lets experts share their arithmetic. Bind a real trace with --input routing=FILE.npz.";
  writeProgram(document.program);
  addExpertSchedule(document, sizes);
  document.inputs.push_back(skewedRouting(sizes));
  return document;
}

}  // namespace

const WorkloadBuilder& definition() {
  static const WorkloadBuilder definition{
      "moe",
      "A mixture-of-experts layer.",
      "STeP 5.2 and 5.3",
      {{"B", 64, 1, "tokens in the batch"},
       {"D", 4096, 1, "hidden size"},
       {"E", 8, 1, "experts"},
       {"F", 14336, 1, "intermediate size of an expert"},
       {"K", 2, 1, "experts per token", "", "E"},
       {"f", 64, 1, "columns of a weight tile", "F"},
       {"compute", 4096, 1, "FLOPs per cycle of an operator"},
       {"depth", 2, 1, "tokens that a FIFO holds"}},
      {{"mixtral_b64", {{"B", 64}, {"D", 4096}, {"E", 8}, {"F", 14336}, {"K", 2}}},
       {"mixtral_b1024", {{"B", 1024}, {"D", 4096}, {"E", 8}, {"F", 14336}, {"K", 2}}},
       {"qwen_b64", {{"B", 64}, {"D", 2048}, {"E", 128}, {"F", 768}, {"K", 8}}},
       {"qwen_b1024", {{"B", 1024}, {"D", 2048}, {"E", 128}, {"F", 768}, {"K", 8}, {"depth", 1024}}}},
      build};
  return definition;
}

}  // namespace sluice::inline workloads::moe
