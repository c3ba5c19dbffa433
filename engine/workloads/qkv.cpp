// Generation of queries, keys and values for one decode step of a batch (STeP 5.5): three products of the
// hidden states with streamed weights, for all heads. The paper says that the batch is shared by four copies,
// and no more; the tile sizes and the bandwidths of decoder_layer.cpp are a reconstruction.

#include "engine/workloads/parts.h"

namespace sluice::inline workloads::qkv {
namespace {

void writeProgram(Graph& program) {
  GraphBuilder g(program);
  const Endpoint tokens = batchSource(g, "tokens");
  projections(g, g.flatten("requests", tokens));
  for (const char* name : {"q", "k", "v"}) {
    const std::string cols = name == std::string("q") ? "D" : "H*d";
    const Endpoint rows =
        g.add(name + std::string("_rows"), "Reshape", {{"chunk", 1}, {"dim", 0}, {"write_back_mu", true}},
              {{"in", {"project", name, {}}}});
    g.add(name + std::string("_store"), "LinearOffChipStore",
          {{"tensor", name}, {"tile", list({1, Value(cols)})}}, {{"in", rows}});
  }
}

Document build(const Sizes& sizes) {
  Document document =
      documentWith(sizes, {"B", "H", "compute_kv", "compute_q", "d", "kv_cols", "q", "q_cols"});
  document.title = "Queries, keys and values";
  document.description =
      "Generates queries, keys and values of all heads for one decode step of a batch. The schedule shares "
      "the batch "
      "among copies, tiles it, and streams the weights in tiles of columns.";
  document.constants["D"] = "H*q*d";
  writeProgram(document.program);
  addProjectionSchedule(document, sizes);
  return document;
}

}  // namespace

const WorkloadBuilder& definition() {
  static const WorkloadBuilder definition{
      "qkv",
      "Queries, keys and values of a batch, one decode step.",
      "STeP 5.5",
      {{"B", 64, 1, "requests in the batch"},
       {"H", 8, 1, "key-value heads"},
       {"d", 128, 1, "size of a head"},
       {"q", 4, 1, "query heads of one key-value head"},
       {"rows", 4, 1, "requests in a tile, to begin with"},
       {"q_cols", 64, 1, "columns of a tile of the query weights; divides H q d"},
       {"kv_cols", 32, 1, "columns of a tile of the key and value weights; divides H d"},
       {"compute_q", 16384, 1, "FLOPs per cycle of the query product"},
       {"compute_kv", 2048, 1, "FLOPs per cycle of the key and of the value product"},
       {"depth", 2, 1, "tokens that a FIFO holds"}},
      {{"mixtral_b64", {{"H", 8}, {"d", 128}, {"q", 4}, {"rows", 4}, {"q_cols", 64}, {"kv_cols", 32}}},
       {"qwen_b64", {{"H", 4}, {"d", 64}, {"q", 8}, {"rows", 16}, {"q_cols", 16}, {"kv_cols", 16}}}},
      build};
  return definition;
}

}  // namespace sluice::inline workloads::qkv
