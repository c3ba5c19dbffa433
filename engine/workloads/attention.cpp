// Grouped-query attention of one key-value head over a cache, one decode step for a batch of requests (STeP
// 5.4; engine/workloads/README.md 2). The program serves one request after the other; parallelization is the
// schedule.

#include "engine/workloads/parts.h"

namespace sluice::inline workloads::attention {
namespace {

Region attend() {
  Region region;
  region.inputs = {"query", "key", "value", "index", "tiles", "offset"};
  region.by_instance = true;
  GraphBuilder body(region.body);
  const Endpoint index = GraphBuilder::boundary("index"), tiles = GraphBuilder::boundary("tiles");
  const Endpoint output = cachedAttention(
      body, {GraphBuilder::boundary("query"), GraphBuilder::boundary("key"), GraphBuilder::boundary("value"),
             index, tiles, index, tiles, GraphBuilder::boundary("offset")});
  body.add("output_store", "RandomOffChipStore",
           {{"tensor", "y"}, {"tensor_shape", list({"B*q", "d"})}, {"tile", list({"q", "d"})}},
           {{"address", GraphBuilder::boundary("index")}, {"in", output}});
  body.drop("output_stored", {"output_store", "ack", {}});
  return region;
}

void writeProgram(Graph& program) {
  GraphBuilder g(program);
  const auto load = [&](const std::string& name, const Value& rows) {
    const Endpoint tiles = g.add(name + "_load", "LinearOffChipLoad",
                                 {{"out_shape", list({"B", 1})},
                                  {"stride", list({1, 1})},
                                  {"tensor", name},
                                  {"tile", list({rows, "d"})}});
    return g.add(name, "Flatten", {{"min", 1}, {"max", 2}}, {{"in", tiles}});
  };
  const auto numbers = [&](const std::string& name, const std::string& emit) {
    const Endpoint all = g.add(name + "_gen", "MetadataGen",
                               {{"count", "B"}, {"emit", emit}, {"input", "lengths"}, {"unit", "kv"}});
    return g.flatten(name, all);
  };
  const Endpoint query = load("q", "q"), key = load("k_new", 1), value = load("v_new", 1);
  const Endpoint index = numbers("index", "index"), tiles = numbers("tiles", "tiles"),
                 offset = numbers("offset", "remainder");
  g.add("attend", attend(),
        {{"query", query},
         {"key", key},
         {"value", value},
         {"index", index},
         {"tiles", tiles},
         {"offset", offset}});
}

Document build(const Sizes& sizes) {
  Document document = documentWith(sizes, {"B", "N", "compute", "d", "kv", "q"});
  document.title = "Attention over a key-value cache";
  document.description =
      "One decode step of grouped-query attention for a batch of requests whose caches differ in length. The "
      "schedule "
      "says how requests are shared among copies of the region. Bind real lengths with --input "
      "lengths=FILE.npy.";
  writeProgram(document.program);
  std::vector<std::int64_t> ways;
  for (const std::int64_t copies : powersUpTo(1, 16))
    if (sizes.at("B") % copies == 0) ways.push_back(copies);
  document.knobs = {choiceKnob("method", {"none", "coarse", "interleaved", "dynamic"}, 2,
                               "blocks of requests per copy, requests in turn, or the first that is ready"),
                    listKnob("ways", ways, sizes.at("B") % 4 == 0 ? 4 : 1, "copies of the region")};
  document.schedule = {{"parallelize",
                        {{"region", "attend"},
                         {"method", "=method"},
                         {"ways", "ways"},
                         {"block", sizes.at("block")},
                         {"signal", "k_load.out"}},
                        true}};
  document.inputs.push_back(skewedLengths(sizes));
  return document;
}

}  // namespace

const WorkloadBuilder& definition() {
  static const WorkloadBuilder definition{"attention",
                                          "Grouped-query attention over a key-value cache, one decode step.",
                                          "STeP 5.4",
                                          {{"B", 64, 1, "requests in the batch"},
                                           {"N", 6464, 1, "tokens that a request's cache has room for"},
                                           {"d", 64, 1, "size of a head"},
                                           {"q", 8, 1, "query heads of one key-value head"},
                                           {"kv", 32, 1, "tokens in a tile of the cache", "N"},
                                           {"block", 16, 1, "coarse: consecutive requests of one copy"},
                                           {"compute", 2048, 1, "FLOPs per cycle of an operator"},
                                           {"depth", 1, 1, "tokens that a FIFO holds"}},
                                          {{"qwen_b16", {{"B", 16}, {"N", 4672}}},
                                           {"qwen_b64", {{"B", 64}, {"N", 6464}}},
                                           {"qwen_b80", {{"B", 80}, {"N", 6528}}},
                                           {"mixtral_b64", {{"B", 64}, {"d", 128}, {"q", 4}}}},
                                          build};
  return definition;
}

}  // namespace sluice::inline workloads::attention
