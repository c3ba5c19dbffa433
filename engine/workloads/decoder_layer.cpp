// A decoder layer in one graph (STeP 5.5, Figure 17): queries, keys and values, attention over the cache, and
// the mixture of experts, with streams between them. As in the paper's description there is no output
// projection (the attended values of all heads are as wide as the hidden state), no residual and no norm.
//
// Published of the first two parts: both are parallel over the batch by four. Everything else about them is
// our reconstruction (see engine/figures/README.md for the numbers that it aims at).

#include "engine/workloads/parts.h"

namespace sluice::inline workloads::decoder_layer {
namespace {

/// [B, H] numbers of the input "lengths".
Endpoint numbers(GraphBuilder& g, const std::string& name, const std::string& emit) {
  const Endpoint all =
      g.add(name + "_gen", "MetadataGen",
            {{"count", "B"}, {"emit", emit}, {"input", "lengths"}, {"times", "H"}, {"unit", "kv"}});
  return g.add(name, "Flatten", {{"min", 1}, {"max", 2}}, {{"in", all}});
}

/// Attention of every head of a request, one after the other: [B, H] in, [B] of rows [1, D] out.
Region attend() {
  Region region;
  region.inputs = {"query", "key", "value", "index", "tiles", "offset"};
  region.outputs = {"y"};
  region.by_instance = true;
  GraphBuilder body(region.body);
  const auto flat = [&](const std::string& port) {
    return body.flatten(port + "_flat", GraphBuilder::boundary(port));
  };
  const Endpoint query =
      body.add("query_tile", "Promote", {{"rank", 0}}, {{"in", GraphBuilder::boundary("query")}});
  AttentionPart part{query,
                     GraphBuilder::boundary("key"),
                     GraphBuilder::boundary("value"),
                     GraphBuilder::boundary("index"),
                     GraphBuilder::boundary("tiles"),
                     flat("index"),
                     flat("tiles"),
                     flat("offset")};
  part.requests = "B*H";
  part.compute = "compute_attention";
  part.write_back_depth = 4;
  const Endpoint output = cachedAttention(body, part);
  const Endpoint rows = body.add("head_rows", "FlatMap", {{"function", "retile_streamify"}, {"split", "row"}},
                                 {{"in", output}});
  const Endpoint joined = body.add(
      "joined", "Accum", {{"compute_bw", 1}, {"function", "retile_col"}, {"init", list({1, 0})}, {"rank", 1}},
      {{"in", rows}});
  body.feed(GraphBuilder::boundary("y"), joined);
  return region;
}

/// Rows of all heads, cut into heads: [B, heads] of [1, d].
Endpoint headsOf(GraphBuilder& g, const std::string& name, const std::string& port) {
  return g.add(name, "FlatMap", {{"function", "split_tile"}, {"piece", list({1, "d"})}, {"split", "row"}},
               {{"in", {"project", port, {}}}});
}

/// [B] of rows [1, D] in, [1, B] of rows out.
Endpoint writeLayer(GraphBuilder& g, const Endpoint& x) {
  projections(g, x);
  const Endpoint query_heads = headsOf(g, "query_heads", "q");
  const Endpoint groups =
      g.add("query_groups", "Reshape", {{"chunk", "q"}, {"dim", 0}}, {{"in", query_heads}});
  const Endpoint query =
      g.add("queries", "Accum",
            {{"compute_bw", 1}, {"function", "retile_row"}, {"init", list({0, "d"})}, {"rank", 1}},
            {{"in", groups}});
  g.add("attend", attend(),
        {{"query", query},
         {"key", headsOf(g, "keys", "k")},
         {"value", headsOf(g, "values", "v")},
         {"index", numbers(g, "index", "index")},
         {"tiles", numbers(g, "tiles", "tiles")},
         {"offset", numbers(g, "offset", "remainder")}});
  const Endpoint attended{"attend", "y", {}};
  return routedExperts(
      g, [&](const std::string& name) { return name == "tokens" ? attended : batchSource(g, name); });
}

/// The hidden states of the batch, [B] of rows.
Endpoint requests(GraphBuilder& g) {
  const Endpoint tokens = batchSource(g, "tokens");
  return g.flatten("requests", tokens);
}

void addSchedule(Document& document, const Sizes& sizes, const std::string& prefix) {
  addProjectionSchedule(document, sizes, prefix);
  const std::vector<std::int64_t> ways = divisorsUpTo(sizes.at("B"), 16);
  document.knobs.push_back(choiceKnob("method", {"interleaved", "dynamic"}, 0,
                                      "attention: requests in turn, or the first that is ready"));
  document.knobs.push_back(
      listKnob("ways", ways, ways.back() % 4 == 0 ? 4 : ways.back(), "copies of the attention"));
  document.schedule.push_back(
      {"parallelize",
       {{"region", prefix + "attend"}, {"method", "=method"}, {"ways", "ways"}, {"signal", "k_load.out"}},
       true});
  addExpertSchedule(document, sizes, prefix);
}

Document documentFor(const Sizes& sizes) {
  Document document =
      documentWith(sizes, {"B", "E", "F", "H", "K", "N", "compute", "compute_attention", "compute_kv",
                           "compute_q", "d", "f", "kv", "kv_cols", "q", "q_cols"});
  document.constants["D"] = "H*q*d";
  document.inputs = {skewedRouting(sizes), skewedLengths(sizes)};
  return document;
}

Document buildLayer(const Sizes& sizes) {
  Document document = documentFor(sizes);
  document.title = "Decoder layer";
  document.description =
      "One decode step of a transformer layer in one graph: queries, keys and values, attention over the "
      "cache, and "
      "a mixture of experts. Bind real traces with --input routing=FILE.npz --input lengths=FILE.npy.";
  GraphBuilder g(document.program);
  storeRows(g, writeLayer(g, requests(g)));
  addSchedule(document, sizes, "");
  return document;
}

Document buildModel(const Sizes& sizes) {
  Document document = documentFor(sizes);
  document.title = "Decoder layers in sequence";
  document.description =
      "Decoder layers of one shape, one behind the other, with the same routing and lengths in every layer "
      "(and "
      "the same matrices and caches, where they are computed). Every layer has resources of its own, and "
      "starts with "
      "the first rows of the layer before.";
  const std::int64_t layers = sizes.at("L");
  document.constants["L"] = Value(layers);
  GraphBuilder g(document.program);
  const Endpoint x = requests(g);
  Region layer;
  layer.count = "L";
  layer.inputs = {"x"};
  layer.outputs = {"y"};
  GraphBuilder body(layer.body);
  const Endpoint y = writeLayer(body, GraphBuilder::boundary("x"));
  body.feed(GraphBuilder::boundary("y"), body.flatten("flat", y));
  g.add("layer", std::move(layer));
  const Endpoint in{"layer", "x", {}}, out{"layer", "y", {}};
  g.feed(GraphBuilder::element(in, 0), x);
  for (std::int64_t i = 1; i < layers; ++i)
    g.feed(GraphBuilder::element(in, i), GraphBuilder::element(out, i - 1));
  storeRows(g, GraphBuilder::element(out, layers - 1));
  addSchedule(document, sizes, "layer.");
  return document;
}

std::vector<SizeSpec> sizesOfLayer() {
  return {{"B", 64, 1, "requests in the batch"},
          {"H", 8, 1, "key-value heads"},
          {"d", 128, 1, "size of a head"},
          {"q", 4, 1, "query heads of one key-value head; the hidden size is H q d"},
          {"N", 6464, 1, "tokens that a request's cache has room for"},
          {"kv", 32, 1, "tokens in a tile of the cache", "N"},
          {"E", 8, 1, "experts"},
          {"F", 14336, 1, "intermediate size of an expert"},
          {"K", 2, 1, "experts per token", "", "E"},
          {"f", 64, 1, "columns of an expert's weight tile", "F"},
          {"rows", 4, 1, "requests in a tile of the projections, to begin with"},
          {"q_cols", 64, 1, "columns of a tile of the query weights; divides H q d"},
          {"kv_cols", 32, 1, "columns of a tile of the key and value weights; divides H d"},
          {"compute", 1024, 1, "FLOPs per cycle of an operator of the experts"},
          {"compute_attention", 2048, 1, "FLOPs per cycle of an operator of the attention"},
          {"compute_q", 16384, 1, "FLOPs per cycle of the query product"},
          {"compute_kv", 2048, 1, "FLOPs per cycle of the key and of the value product"},
          {"depth", 2, 1, "tokens that a FIFO holds"}};
}

std::vector<SizeSpec> sizesOfModel() {
  std::vector<SizeSpec> sizes = sizesOfLayer();
  sizes.push_back({"L", 2, 1, "layers"});
  return sizes;
}

const std::map<std::string, Sizes>& models() {
  static const std::map<std::string, Sizes> models{
      {"mixtral_b64", {{"rows", 4}, {"q_cols", 64}, {"kv_cols", 32}}},
      {"qwen_b64",
       {{"H", 4},
        {"d", 64},
        {"q", 8},
        {"E", 128},
        {"F", 768},
        {"K", 8},
        {"f", 48},
        {"rows", 16},
        {"q_cols", 16},
        {"kv_cols", 16}}}};
  return models;
}

}  // namespace

const WorkloadBuilder& definition() {
  static const WorkloadBuilder definition{"decoder_layer",
                                          "A decoder layer in one graph: projections, attention, experts.",
                                          "STeP 5.5, Figure 17",
                                          sizesOfLayer(),
                                          models(),
                                          buildLayer};
  return definition;
}

}  // namespace sluice::inline workloads::decoder_layer

namespace sluice::inline workloads::whole_model {

const WorkloadBuilder& definition() {
  static const WorkloadBuilder definition{"whole_model",
                                          "Decoder layers in sequence, in one graph.",
                                          "STeP 5.5",
                                          decoder_layer::sizesOfModel(),
                                          decoder_layer::models(),
                                          decoder_layer::buildModel};
  return definition;
}

}  // namespace sluice::inline workloads::whole_model
