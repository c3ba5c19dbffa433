// Writes a tiled matrix product, simulates it, sweeps its tile sizes and saves it:
//   build_program OUT.sluice

#include <sluice/sluice.h>

#include <iostream>

using namespace sluice;

/// x [64, 128] times w [128, 256], by tiles of `rows` x `columns`.
Document product() {
  Document document;
  document.title = "matrix product";
  for (const char* name : {"rows", "columns"}) {
    Knob knob{.name = name, .kind = KnobKind::PowerOfTwo};
    knob.minimum = 16, knob.maximum = 64, knob.initial = 32;
    document.knobs.push_back(knob);
  }
  GraphBuilder g(document.program);
  const Value view = list({"64/rows", "256/columns", 1});
  const auto load = [&](const char* name, Value stride, Value tile) {
    return g.add(name, "LinearOffChipLoad", {{"out_shape", view}, {"stride", stride}, {"tile", tile}});
  };
  const Endpoint x = load("x", list({1, 0, 1}), list({"rows", 128}));
  const Endpoint w = load("w", list({0, 1, "256/columns"}), list({128, "columns"}));
  const Values matmul{
      {"function", "matmul"}, {"init", list({"rows", "columns"})}, {"rank", 1}, {"compute_bw", 1024}};
  const Endpoint y = g.add("y", "BinaryMapAccum", matmul, {{"in1", x}, {"in2", w}});
  g.add("store", "LinearOffChipStore", {{"tile", list({"rows", "columns"})}}, {{"in", y}});
  return document;
}

int main(int argc, char** argv) {
  if (argc != 2) return std::cerr << "usage: build_program OUT.sluice\n", 2;
  const auto workload = makeWorkload(product(), ".");
  if (!workload) return std::cerr << text(workload.diagnostics()), 1;
  const auto point = evaluate(**workload, defaultKnobs((*workload)->document), RecordMode::Count);
  if (!point) return std::cerr << text(point.diagnostics()), 1;
  std::cout << "default point: " << point->point.metrics.cycles << " cycles\n";
  const auto sweep = explore(**workload, *makeExecutor(), {.objectives = {"cycles", "on_chip_bytes"}});
  if (!sweep) return std::cerr << text(sweep.diagnostics()), 1;
  for (const std::size_t i : sweep->frontier)
    std::cout << "rows=" << sweep->points[i].knobs.at("rows")
              << " columns=" << sweep->points[i].knobs.at("columns") << ": "
              << sweep->points[i].metrics.cycles << " cycles\n";
  const auto saved = saveDocument((*workload)->document, argv[1]);
  if (!saved) return std::cerr << text(saved.diagnostics()), 1;
}
