#pragma once
// Small documents made in code, for tests and benchmarks that need a program of a given size rather than a
// sample file.

#include <filesystem>
#include <string>

#include "engine/explorer/evaluate.h"
#include "engine/program/file_format.h"

namespace sluice::testing_support {

inline Node node(std::string name, std::string kind, Values parameters) {
  Node made;
  made.name = std::move(name);
  made.kind = std::move(kind);
  made.parameters = std::move(parameters);
  return made;
}

inline Stream stream(const std::string& from, const std::string& to) {
  return {{from, "out", {}}, {to, "in", {}}, {}};
}

/// TileGen -> `maps` x Map(silu) -> Consumer, all FIFOs of depth `depth`: a knob named "depth" of 1 to 16
/// where that is 0.
inline Document chainDocument(int maps, std::int64_t tokens, std::int64_t depth) {
  Document document;
  document.title = "a chain of maps";
  const Values source = {{"shape", std::vector<Value>{Value(tokens)}},
                         {"tile", std::vector<Value>{Value(16), Value(16)}}};
  document.program.nodes.push_back(node("source", "TileGen", source));
  for (int i = 0; i < maps; ++i) {
    const std::string name = "map_" + std::to_string(i);
    document.program.nodes.push_back(
        node(name, "Map", {{"function", Value("silu")}, {"compute_bw", Value(2048)}}));
  }
  document.program.nodes.push_back(node("sink", "Consumer", {}));
  for (std::size_t i = 1; i < document.program.nodes.size(); ++i) {
    document.program.streams.push_back(
        stream(document.program.nodes[i - 1].name, document.program.nodes[i].name));
  }
  document.machine.fifo_depth = depth > 0 ? Value(depth) : Value("depth");
  if (depth > 0) return document;
  Knob knob;
  knob.name = "depth";
  knob.minimum = 1;
  knob.maximum = 16;
  knob.initial = 2;
  document.knobs.push_back(knob);
  return document;
}

/// A load that streams `tiles` tiles of rows x cols into a consumer.
inline Document streamingDocument(std::int64_t tiles, std::int64_t rows, std::int64_t cols) {
  Document document;
  document.program.nodes.push_back(node("load", "LinearOffChipLoad",
                                        {{"out_shape", std::vector<Value>{Value(tiles), Value(1)}},
                                         {"stride", std::vector<Value>{Value(1), Value(1)}},
                                         {"tile", std::vector<Value>{Value(rows), Value(cols)}}}));
  document.program.nodes.push_back(node("sink", "Consumer", {}));
  document.program.streams.push_back(stream("load", "sink"));
  return document;
}

/// The workload of a document that must be right; throws with its diagnostics otherwise.
inline std::shared_ptr<const Workload> workloadOf(Document document,
                                                  const std::filesystem::path& folder = ".") {
  auto workload = makeWorkload(std::move(document), folder);
  if (!workload) throw std::runtime_error(text(workload.diagnostics()));
  return *std::move(workload);
}

/// A file of sample_workloads/.
inline std::shared_ptr<const Workload> sampleWorkload(const std::filesystem::path& file) {
  Result<Document> document = sluice::loadDocument(file);
  if (!document) throw std::runtime_error(text(document.diagnostics()));
  return workloadOf(*std::move(document), file.parent_path());
}

}  // namespace sluice::testing_support
