// Attention over a cache of keys and values, a part of several workloads (STeP 5.4;
// engine/workloads/README.md 2). A request reads its cached keys and values tile by tile, appends the new row
// to its last tile and writes that back; softmax is taken without subtracting the maximum, as the reference
// does.

#include "engine/workloads/parts.h"

namespace sluice::inline workloads {
namespace {

Values with(Values values, const std::string& name, Value value) {
  values[name] = std::move(value);
  return values;
}

Values compute(const AttentionPart& part, const char* function) {
  return {{"compute_bw", Value(part.compute)}, {"function", function}};
}

/// The cached tiles of one request with the new row in the last; the last goes back to the cache.
Endpoint cached(GraphBuilder& body, const AttentionPart& part, const std::string& name,
                const Endpoint& fresh_row) {
  // As in the reference, the tile to write back is addressed by the number of tiles, not of the last: reads
  // begin a tile later.
  const Values written{{"tensor", name + "_cache"},
                       {"tensor_shape", list({Value(part.requests + "*N + kv"), "d"})},
                       {"tile", list({"kv", "d"})}};
  const Values read = with(written, "tensor_origin", list({"kv", 0}));
  const Endpoint address = body.add(name + "_addresses", "CacheReadAddrGen", {{"row_offset", "N/kv"}},
                                    {{"index", part.index}, {"length", part.tiles}});
  const Endpoint load = body.add(name + "_load", "RandomOffChipLoad", read, {{"address", address}});
  const Endpoint last = body.add(name + "_last", "FilterLastTile", {}, {{"in", part.tiles}});
  const Endpoint parts =
      body.add(name + "_parts", "Partition", {{"ways", 2}}, {{"in", load}, {"control", last}});
  const Endpoint filled = body.add(name + "_filled", "BinaryMap", compute(part, "set_offset"),
                                   {{"in1", GraphBuilder::element(parts, 0)}, {"in2", part.offset}});
  const Endpoint row = body.flatten(name + "_row", fresh_row);
  const Endpoint appended =
      body.add(name + "_append", "BinaryMap", compute(part, "row_append"), {{"in1", filled}, {"in2", row}});
  const Endpoint joined = body.add(name + "_join", "Reassemble", {{"ways", 2}}, {{"control", last}});
  body.feed({name + "_join", "in", Value(0)}, appended);
  body.feed({name + "_join", "in", Value(1)}, GraphBuilder::element(parts, 1));
  const Endpoint all = body.flatten(name, joined);
  const Endpoint write_address = body.add(name + "_write_address", "BinaryMap",
                                          with(compute(part, "cache_write_address"), "row_offset", "N/kv"),
                                          {{"in1", part.flat_index}, {"in2", part.flat_tiles}});
  const Endpoint back = body.add(name + "_write_back", "Broadcast", {{"ways", 1}}, {{"in", appended}});
  body.add(name + "_store", "RandomOffChipStore",
           part.write_back_depth ? with(written, "buffer_depth", *part.write_back_depth) : written,
           {{"address", write_address}, {"in", GraphBuilder::element(back, 0)}});
  body.drop(name + "_stored", {name + "_store", "ack", {}});
  return all;
}

}  // namespace

Endpoint cachedAttention(GraphBuilder& body, const AttentionPart& part) {
  const Endpoint k = cached(body, part, "k", part.key);
  const Endpoint v = cached(body, part, "v", part.value);
  const Endpoint query = body.add("query", "Expand", {{"rank", 1}}, {{"in", part.query}, {"ref", k}});
  const Endpoint score =
      body.add("score", "BinaryMap", with(compute(part, "matmul"), "weight_transposed", true),
               {{"in1", query}, {"in2", k}});
  const Endpoint weight = body.add("weight", "Map", compute(part, "exp"), {{"in", score}});
  Values fold = with(compute(part, "matmul"), "rank", 1);
  const Endpoint weighted = body.add("weighted", "BinaryMapAccum", with(fold, "init", list({"q", "d"})),
                                     {{"in1", weight}, {"in2", v}});
  fold = with(compute(part, "add"), "rank", 1);
  const Endpoint sums = body.add("sums", "Accum", with(fold, "init", list({"q", "kv"})), {{"in", weight}});
  const Endpoint total = body.add("total", "Map", compute(part, "row_sum"), {{"in", sums}});
  return body.add("output", "BinaryMap", with(compute(part, "divide"), "write_back_mu", true),
                  {{"in1", weighted}, {"in2", total}});
}

}  // namespace sluice::inline workloads
