// One SwiGLU layer, tiled by tokens and by the intermediate dimension: what the STeP paper validates against
// RTL (STeP 4.5; engine/workloads/README.md 3).

#include "engine/workloads/graph_builder.h"
#include "engine/workloads/knobs.h"
#include "engine/workloads/workload_builder.h"

namespace sluice::inline workloads::swiglu {
namespace {

Endpoint load(GraphBuilder& g, const std::string& name, Value view, Value stride, Value tile) {
  return g.add(name, "LinearOffChipLoad",
               {{"out_shape", std::move(view)},
                {"par_dispatch", "dispatch"},
                {"stride", std::move(stride)},
                {"tile", std::move(tile)}});
}

Endpoint matmul(GraphBuilder& g, const std::string& name, const Endpoint& x, const Endpoint& w, Value init,
                bool last) {
  Values parameters{
      {"compute_bw", "compute"}, {"function", "matmul"}, {"init", std::move(init)}, {"rank", 1}};
  if (last) parameters["write_back_mu"] = true;
  return g.add(name, "BinaryMapAccum", std::move(parameters), {{"in1", x}, {"in2", w}});
}

void writeProgram(Graph& program) {
  GraphBuilder g(program);
  const Value view = list({"row_tiles", "col_tiles", 1});
  const Endpoint x = load(g, "x_load", view, list({1, 0, 1}), list({"tile_m", "D"}));
  const Endpoint gate_weight = load(g, "gate_load", view, list({0, 1, "col_tiles"}), list({"D", "tile_n"}));
  const Endpoint up_weight = load(g, "up_load", view, list({0, 1, "col_tiles"}), list({"D", "tile_n"}));
  const Endpoint gate = matmul(g, "gate", x, gate_weight, list({"tile_m", "tile_n"}), false);
  const Endpoint up = matmul(g, "up", x, up_weight, list({"tile_m", "tile_n"}), false);
  const Endpoint activation =
      g.add("activation", "Map", {{"compute_bw", "compute"}, {"function", "silu"}}, {{"in", gate}});
  const Endpoint product =
      g.add("product", "BinaryMap", {{"compute_bw", "compute"}, {"function", "multiply"}},
            {{"in1", activation}, {"in2", up}});
  const Endpoint by_row = g.add("by_row", "Reshape", {{"chunk", 1}, {"dim", 1}}, {{"in", product}});
  const Endpoint down_weight =
      load(g, "down_load", list({"row_tiles", 1, "col_tiles"}), list({0, 1, 1}), list({"tile_n", "D"}));
  const Endpoint down = matmul(g, "down", by_row, down_weight, list({"tile_m", "D"}), true);
  g.add("store", "LinearOffChipStore", {{"par_dispatch", "dispatch"}, {"tile", list({"tile_m", "D"})}},
        {{"in", down}});
}

Document build(const Sizes& sizes) {
  Document document;
  document.title = "SwiGLU validation layer";
  document.description =
      "One SwiGLU expert: silu(x Wgate) * (x Wup) Wdown, float32. The layer that the STeP paper validates "
      "against RTL "
      "(Figure 8): token tiles tile_m, intermediate tiles tile_n.";
  for (const char* name : {"B", "D", "F", "compute", "dispatch"})
    document.constants[name] = Value(sizes.at(name));
  document.constants["row_tiles"] = Value("B/tile_m");
  document.constants["col_tiles"] = Value("F/tile_n");
  writeProgram(document.program);
  document.knobs = {
      powerKnob("tile_m", 16, sizes.at("B"), 32, "rows (tokens) of a tile"),
      powerKnob("tile_n", 16, sizes.at("F") / 2, 64, "columns of a gate and up tile, rows of a down tile")};
  document.machine.name = "HDL validation";
  document.machine.fifo_depth = 1;
  document.machine.on_chip_bandwidth = 256;
  document.machine.mock_bf16 = false;
  document.machine.hbm_channels = 8;
  return document;
}

}  // namespace

const WorkloadBuilder& definition() {
  static const WorkloadBuilder definition{"swiglu",
                                          "One SwiGLU layer in float32, tiled by tokens and features.",
                                          "STeP 4.5, Figure 8",
                                          {{"B", 64, 32, "tokens; a power of two", "", "", true},
                                           {"D", 256, 1, "hidden size"},
                                           {"F", 512, 128, "intermediate size; a power of two", "", "", true},
                                           {"compute", 4096, 1, "FLOPs per cycle of an operator"},
                                           {"dispatch", 4, 1, "requests that a load issues per cycle"}},
                                          {},
                                          build};
  return definition;
}

}  // namespace sluice::inline workloads::swiglu
