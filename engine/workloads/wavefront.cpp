// A dynamic program over a grid, as in the alignment of sequences: cell (i, j) depends on its left, upper and
// diagonal neighbour,
//   T(i, j) = max(T(i, j - 1), T(i - 1, j), T(i - 1, j - 1) + a(i) b(j)),
// many problems at once, some of them in a tile. Every row of the grid is an instance of a region, and its
// results stream into the next row while it works: the cells in flight form a wavefront. Along a row the
// maximum over the left neighbours is a Scan; since a row never falls, a Scan of the row above that tells the
// state before each element gives the diagonal neighbours. Beside the row above lies 0.

#include "engine/workloads/graph_builder.h"
#include "engine/workloads/knobs.h"
#include "engine/workloads/workload_builder.h"

namespace sluice::inline workloads::wavefront {
namespace {

/// A sequence of `length` elements for each of Q problems, t problems in a tile: [1, Q/t, length].
Endpoint sequence(GraphBuilder& g, const std::string& name, const std::string& length) {
  return g.add(name + "_load", "LinearOffChipLoad",
               {{"out_shape", list({"Q/t", Value(length)})},
                {"stride", list({1, "Q/t"})},
                {"tensor", name},
                {"tensor_shape", list({Value(length), "Q"})},
                {"tile", list({1, "t"})}});
}

Endpoint highest(GraphBuilder& g, const std::string& name, const std::string& tap, const Endpoint& from) {
  return g.add(name, "Scan",
               {{"compute_bw", "compute"}, {"function", "max"}, {"init", list({1, "t"})}, {"tap", tap}},
               {{"in", from}});
}

Endpoint combine(GraphBuilder& g, const std::string& name, const std::string& function, const Endpoint& a,
                 const Endpoint& b) {
  return g.add(name, "BinaryMap", {{"compute_bw", "compute"}, {"function", function}},
               {{"in1", a}, {"in2", b}});
}

Region row() {
  Region region;
  region.count = "N";
  region.index = "i";
  region.inputs = {"up", "b"};
  region.outputs = {"down", "b_on"};
  GraphBuilder body(region.body);
  const Endpoint up = GraphBuilder::boundary("up"), b = GraphBuilder::boundary("b");
  const Endpoint a_load = body.add("a_load", "LinearOffChipLoad",
                                   {{"out_shape", list({"Q/t"})},
                                    {"tensor", "a"},
                                    {"tensor_origin", list({"i", 0})},
                                    {"tensor_shape", list({"N", "Q"})},
                                    {"tile", list({1, "t"})}});
  const Endpoint a = body.add("a", "Repeat", {{"factor", "M"}}, {{"in", a_load}});
  const Endpoint score = combine(body, "score", "multiply", a, b);
  const Endpoint diagonal = highest(body, "diagonal", "prior", up);
  const Endpoint matched = combine(body, "matched", "add", diagonal, score);
  const Endpoint best = combine(body, "best", "max", up, matched);
  body.feed(GraphBuilder::boundary("down"), highest(body, "cells", "next", best));
  body.feed(GraphBuilder::boundary("b_on"), b);
  return region;
}

void writeProgram(Graph& program, std::int64_t rows) {
  GraphBuilder g(program);
  const Endpoint border = highest(g, "border", "next", sequence(g, "border", "M"));
  const Endpoint b = sequence(g, "b", "M");
  g.add("row", row(), {});
  const auto end = [](const char* port, std::int64_t i) { return Endpoint{"row", port, Value(i)}; };
  g.feed(end("up", 0), border);
  g.feed(end("b", 0), b);
  for (std::int64_t i = 0; i + 1 < rows; ++i) {
    g.feed(end("up", i + 1), end("down", i));
    g.feed(end("b", i + 1), end("b_on", i));
  }
  g.drop("b_end", end("b_on", rows - 1));
  const Endpoint last = g.add("last", "TakeLast", {}, {{"in", end("down", rows - 1)}});
  g.add("store", "LinearOffChipStore", {{"tensor_shape", list({1, "Q"})}, {"tile", list({1, "t"})}},
        {{"in", last}});
}

Document build(const Sizes& sizes) {
  Document document;
  document.title = "Wavefront of a dynamic program";
  document.description =
      "Alignment scores of many pairs of sequences: every row of the grid is a stage of a pipeline, and a "
      "cell waits for its left, upper and diagonal neighbour. Large tiles work on many problems at once.";
  for (const char* name : {"M", "N", "Q", "compute"}) document.constants[name] = Value(sizes.at(name));
  writeProgram(document.program, sizes.at("N"));
  std::vector<std::int64_t> tiles;
  for (const std::int64_t tile : powersUpTo(1, sizes.at("Q")))
    if (tile >= std::min<std::int64_t>(sizes.at("Q"), 16) && sizes.at("Q") % tile == 0) tiles.push_back(tile);
  if (tiles.empty()) tiles = {sizes.at("Q")};
  document.knobs = {listKnob("t", tiles, tiles[tiles.size() / 2], "problems in a tile"),
                    powerKnob("depth", 1, 4, 2, "tokens that a FIFO holds")};
  document.machine.fifo_depth = "depth";
  return document;
}

}  // namespace

const WorkloadBuilder& definition() {
  static const WorkloadBuilder definition{
      "wavefront",
      "A dynamic program over a grid, as in sequence alignment; its rows are a pipeline.",
      "after Smith and Waterman 1981",
      {{"N", 16, 1, "rows of the grid, a stage each"},
       {"M", 64, 1, "columns of the grid"},
       {"Q", 4096, 1, "problems"},
       {"compute", 256, 1, "FLOPs per cycle of an operator"}},
      {},
      build};
  return definition;
}

}  // namespace sluice::inline workloads::wavefront
