// Queries, keys and values, a part of several workloads (STeP 5.5): three products of the hidden states with
// streamed weights, for all heads.

#include "engine/workloads/parts.h"

namespace sluice::inline workloads {
namespace {

Endpoint projection(GraphBuilder& body, const std::string& name, const std::string& cols,
                    const char* compute) {
  const Endpoint x = GraphBuilder::boundary("x");
  const Endpoint weight = weightPerToken(body, name, x, {"w_", "", "", ""}, "D", cols);
  return body.add(name, "BinaryMap", {{"compute_bw", compute}, {"function", "matmul"}},
                  {{"in1", x}, {"in2", weight}});
}

}  // namespace

void projections(GraphBuilder& g, const Endpoint& x) {
  Region region;
  region.inputs = {"x"};
  region.outputs = {"q", "k", "v"};
  GraphBuilder body(region.body);
  body.feed(GraphBuilder::boundary("q"), projection(body, "q", "D", "compute_q"));
  body.feed(GraphBuilder::boundary("k"), projection(body, "k", "H*d", "compute_kv"));
  body.feed(GraphBuilder::boundary("v"), projection(body, "v", "H*d", "compute_kv"));
  g.add("project", std::move(region), {{"x", x}});
}

void addProjectionSchedule(Document& document, const Sizes& sizes, const std::string& prefix) {
  const std::int64_t batch = sizes.at("B");
  const std::vector<std::int64_t> copies = divisorsUpTo(batch, 16);
  document.knobs.push_back(listKnob("copies", copies, copies.back() % 4 == 0 ? 4 : copies.back(),
                                    "copies of the projections that share the batch"));
  const std::vector<std::int64_t> rows = powersUpTo(1, batch);
  document.knobs.push_back(listKnob("rows", rows, std::min<std::int64_t>(sizes.at("rows"), rows.back()),
                                    "requests in a tile of the projections"));
  const std::string region = prefix + "project";
  const auto add = [&](const char* name, Values arguments) {
    document.schedule.push_back({name, std::move(arguments), true});
  };
  add("parallelize", {{"region", region}, {"method", "interleaved"}, {"ways", "copies"}});
  add("tile", {{"region", region}, {"input", "x"}, {"method", "static"}, {"rows", "rows"}});
  for (const char* name : {"q", "k", "v"}) {
    add("split", {{"load", region + "." + name + "_load"},
                  {"axis", "columns"},
                  {"size", name == std::string("q") ? "q_cols" : "kv_cols"}});
  }
}

}  // namespace sluice::inline workloads
