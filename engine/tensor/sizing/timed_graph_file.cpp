#include "engine/tensor/sizing/timed_graph_file.h"

#include "engine/program/json_reader.h"
#include "engine/program/spelling.h"
#include "engine/tensor/named.h"

namespace sluice::inline tensor {
namespace {

/// A number of cycles, or [cycles, tokens].
void readInterval(JsonDecoder& reading, const JsonCursor& spot, Interval& interval) {
  if (std::holds_alternative<std::int64_t>(spot.json().value)) return read(reading, spot, interval.cycles);
  std::vector<std::int64_t> pair;
  read(reading, spot, pair);
  if (reading.failed()) return;
  if (pair.size() != 2)
    return reading.refuse("json-type", spot, "an interval of " + std::to_string(pair.size()) + " numbers",
                          "write cycles per token, or [cycles, tokens]");
  interval = {pair[0], pair[1]};
}

TimedKernel readKernel(JsonDecoder& reading, const JsonCursor& spot) {
  TimedKernel kernel;
  const ObjectReader object(reading, spot, "a kernel",
                            {"name", "initial_delay", "interval", "tokens", "flushable"});
  if (!object) return kernel;
  object.requiredName("name", kernel.name);
  object.optional("initial_delay", kernel.curve.initial_delay);
  if (const auto interval = object.find("interval")) readInterval(reading, *interval, kernel.curve.interval);
  if (const auto tokens = object.require("tokens")) read(reading, *tokens, kernel.curve.tokens);
  object.optional("flushable", kernel.flushable);
  return kernel;
}

std::size_t readEnd(JsonDecoder& reading, const ObjectReader& object, const char* key,
                    const TimedGraph& graph) {
  const auto spot = object.require(key);
  if (!spot) return 0;
  std::string name;
  readName(reading, *spot, name);
  if (const auto kernel = positionOf(graph.kernels, name)) return *kernel;
  reading.refuse("unknown-name", *spot, "there is no kernel '" + name + "'",
                 spellingFix(name, namesOf(graph.kernels), "list it under \"kernels\""));
  return 0;
}

TimedStream readStream(JsonDecoder& reading, const JsonCursor& spot, const TimedGraph& graph) {
  TimedStream stream;
  const ObjectReader object(reading, spot, "a stream", {"from", "to", "token_bits"});
  if (!object) return stream;
  stream.producer = readEnd(reading, object, "from", graph);
  stream.consumer = readEnd(reading, object, "to", graph);
  if (!graph.kernels.empty()) stream.tokens = graph.kernels[stream.producer].curve.tokens;
  object.optional("token_bits", stream.token_bits);
  return stream;
}

void readGraph(JsonDecoder& reading, const JsonCursor& root, TimedGraph& graph) {
  const ObjectReader object(reading, root, "a graph of kernels", {"kernels", "streams"});
  if (!object) return;
  if (const auto kernels = object.require("kernels"))
    forEach(reading, *kernels, "kernels",
            [&](const JsonCursor& one) { graph.kernels.push_back(readKernel(reading, one)); });
  if (const auto streams = object.require("streams"))
    forEach(reading, *streams, "streams",
            [&](const JsonCursor& one) { graph.streams.push_back(readStream(reading, one, graph)); });
}

}  // namespace

Result<TimedGraph> parseTimedGraph(std::string_view json, const std::string& name) {
  Result<TimedGraph> graph = parseWhole<TimedGraph>(json, name, readGraph);
  if (!graph) return graph;
  Diagnostics found = check(*graph);
  for (Diagnostic& diagnostic : found) diagnostic.place = Location(Where::File, name) / diagnostic.place;
  if (!found.empty()) return found;
  return graph;
}

Result<TimedGraph> loadTimedGraph(const std::filesystem::path& file) {
  return loadWhole(file, parseTimedGraph);
}

}  // namespace sluice::inline tensor
