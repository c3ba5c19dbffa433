#pragma once
// What reading a STeP graph's operators, kind by kind (step_graph_operators.cpp), has in common: ids, ports,
// FIFO depths by the reference simulator's rule - whichever end of a channel is built first decides
// (step_format.md 4) - and parameters. Private to step_fixture.cpp, which reads the graph.

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/core/location.h"
#include "engine/program/document.h"

namespace sluice::inline interchange {

class StepGraphImporter {
 public:
  explicit StepGraphImporter(const nlohmann::json& graph);

  /// Throws json exceptions for fields that are missing or of another type, ImportRefusal for what is not
  /// known. A stop request leaves the rest out.
  Document run(const std::stop_token& stop);
  Location place() const;

 private:
  using J = const nlohmann::json&;
  using Reader = std::function<void(StepGraphImporter&, J)>;
  using Readers = std::map<std::string, Reader>;
  static const Readers& readers();
  static Readers offChipReaders();
  static Readers sourceReaders();
  static Readers routingReaders();
  static Readers computeReaders();
  static Readers bufferReaders();
  static Readers shapeReaders();

  /// A channel: its producer, and which of its outputs (-1: its only one).
  struct Key {
    std::int64_t producer;
    std::int64_t output;
    auto operator<=>(const Key&) const = default;
  };

  /// Depth of the channels that leave operator `id`.
  std::int64_t configured(std::int64_t id) const;
  void kind(const char* name) { node_.kind = name; }
  void set(const char* parameter, Value value) { node_.parameters[parameter] = std::move(value); }
  void number(const char* parameter, J op, const char* field);
  void flag(const char* parameter, J op, const char* field);
  void list(const char* parameter, J op, const char* field);

  void input(J source, const std::string& port, std::optional<std::int64_t> depth = {},
             std::optional<std::int64_t> index = {});
  void inputs(J op);
  /// A port that bundles one stream or none: `count` is the parameter that says which.
  void optionalInput(J op, const char* field, const std::string& port, const char* count);
  void output(const std::string& port, std::int64_t output = -1, std::optional<std::int64_t> depth = {});
  void outputs(std::int64_t ways, std::optional<std::int64_t> depth = {});
  /// One that goes by several numbers, and need not be read.
  void output(const std::string& port, const std::vector<std::int64_t>& numbers);

  void selectors(J op);
  void inlineInput(J op);
  void inlineInput(const char* parameter, IntTensor tensor);
  void extents(J op);
  void memoryTile(J op);
  void load(J op);
  void compute(J op);
  void function(J fn, const char* parameter = "function");
  void routing(J op, std::size_t ways);
  void reshapePadStream(J op);
  void scan(J op);
  void connect();

  const nlohmann::json& graph_;
  Document document_;
  Node node_;
  std::string kind_;
  std::int64_t id_ = 0, depth_;
  std::set<std::int64_t> ids_;
  std::map<Key, std::int64_t> depths_;  ///< the first end that is built decides
  std::map<Key, Endpoint> sources_;
  std::vector<std::pair<Endpoint, std::vector<Key>>> optional_;  ///< outputs that need not be read
  std::vector<std::pair<Key, Endpoint>> consumers_;
};

}  // namespace sluice::inline interchange
