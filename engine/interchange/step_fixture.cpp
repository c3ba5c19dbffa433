// Reads a STeP graph of JSON: what its operators have in common. The kinds are in step_graph_operators.cpp.

#include "engine/interchange/step_fixture.h"

#include <algorithm>
#include <cmath>

#include "engine/core/cancelled.h"
#include "engine/core/json_extent.h"
#include "engine/interchange/import_refusal.h"
#include "engine/interchange/step_graph_importer.h"
#include "engine/interchange/step_settings.h"

namespace sluice::inline interchange {

using nlohmann::json;

namespace {

constexpr std::int64_t most = 1 << 16;  // of what a file only counts

std::string nodeName(std::int64_t id) {
  return "op" + std::to_string(id);
}

}  // namespace

StepGraphImporter::StepGraphImporter(const json& graph) : graph_(graph) {
  depth_ = graph.at("depth").is_null() ? SimConfig::default_depth : graph.at("depth").get<std::int64_t>();
  const auto element_bytes = graph.at("fb").get<std::int64_t>();
  if (element_bytes != 2 && element_bytes != 4) {
    refuseImport("unknown-choice",
                 "fb = " + std::to_string(element_bytes) + ", but a float has 2 or 4 bytes here");
  }
  document_.machine.mock_bf16 = element_bytes == 2;
  document_.machine.fifo_depth = Value(depth_);
}

Document StepGraphImporter::run(const std::stop_token& stop) {
  for (const json& op : graph_.at("ops")) {
    if (stop.stop_requested()) break;
    kind_ = op.at("T").get<std::string>();
    id_ = op.at("id").get<std::int64_t>();
    if (id_ < 0) refuseImport("out-of-range", "an id is 0 or more");
    if (!ids_.insert(id_).second) refuseImport("duplicate-name", "another operator has this id");
    const auto reader = readers().find(kind_);
    if (reader == readers().end())
      refuseImport("unknown-operator", "operator kind " + kind_ + " is not known");
    node_ = {nodeName(id_), "", {}, {}, {}};
    reader->second(*this, op);
    document_.program.nodes.push_back(node_);
  }
  connect();
  return std::move(document_);
}

Location StepGraphImporter::place() const {
  return kind_.empty() ? Location() : Location(Where::Operator, std::to_string(id_), kind_);
}

std::int64_t StepGraphImporter::configured(std::int64_t id) const {
  const auto& config = graph_.at("cfg");
  const auto found = config.find(std::to_string(id));
  if (found == config.end()) return depth_;
  return found->is_null() ? SimConfig::default_depth : found->get<std::int64_t>();
}

void StepGraphImporter::input(J source, const std::string& port, std::optional<std::int64_t> depth,
                              std::optional<std::int64_t> index) {
  const Key key{source.at(0).get<std::int64_t>(),
                source.at(1).is_null() ? -1 : source.at(1).get<std::int64_t>()};
  depths_.emplace(key, depth ? *depth : configured(key.producer));
  Endpoint to{nodeName(id_), port, {}};
  if (index) to.index = Value(*index);
  consumers_.push_back({key, std::move(to)});
}

void StepGraphImporter::inputs(J op) {
  for (std::size_t k = 0; k < op.at("inps").size(); ++k)
    input(op.at("inps").at(k), "in", {}, static_cast<std::int64_t>(k));
}

void StepGraphImporter::optionalInput(J op, const char* field, const std::string& port, const char* count) {
  if (!op.contains(field)) return;
  input(op.at(field), port, {}, 0);
  set(count, Value(std::int64_t{1}));
}

void StepGraphImporter::output(const std::string& port, std::int64_t output,
                               std::optional<std::int64_t> depth) {
  depths_.emplace(Key{id_, output}, depth ? *depth : configured(id_));
  Endpoint from{nodeName(id_), port, {}};
  if (output >= 0 && port == "out") from.index = Value(output);
  sources_.emplace(Key{id_, output}, std::move(from));
}

void StepGraphImporter::outputs(std::int64_t ways, std::optional<std::int64_t> depth) {
  if (ways > most) refuseImport("too-many", std::to_string(ways) + " outputs are too many");
  for (std::int64_t i = 0; i < ways; ++i) output("out", i, depth);
}

void StepGraphImporter::output(const std::string& port, const std::vector<std::int64_t>& numbers) {
  auto& [from, keys] = optional_.emplace_back(Endpoint{nodeName(id_), port, {}}, std::vector<Key>());
  for (const std::int64_t number : numbers) {
    keys.push_back({id_, number});
    depths_.emplace(keys.back(), configured(id_));
    sources_.emplace(keys.back(), from);
  }
}

void StepGraphImporter::connect() {
  std::set<Key> read;
  for (auto& [key, to] : consumers_) {
    const auto source = sources_.find(key);
    if (source == sources_.end()) {
      refuseImport("unknown-node", "node " + to.node + " reads output " + std::to_string(key.output) +
                                       " of operator " + std::to_string(key.producer) +
                                       ", which does not exist");
    }
    read.insert(key);
    document_.program.streams.push_back({source->second, to, Value(depths_.at(key))});
  }
  // The reference builds no channel for these; the Consumer takes each token in the cycle in which it comes.
  for (const auto& [output, keys] : optional_) {
    if (std::ranges::any_of(keys, [&](const Key& key) { return read.contains(key); })) continue;
    const std::string name = output.node + "_" + output.port;
    document_.program.nodes.push_back({name, "Consumer", {}, {}, {}});
    document_.program.streams.push_back({output, {name, "in", {}}, Value(SimConfig::default_depth)});
  }
}

namespace {

bool isMissingKey(const json::exception& problem) {
  return problem.id == 403;
}

/// Of "[json.exception.out_of_range.403] key 'depth' not found" what a user can read.
std::string readable(const json::exception& problem) {
  const std::string text = problem.what();
  const std::size_t begin = text.find('\''), end = text.rfind('\'');
  if (isMissingKey(problem) && begin < end)
    return "the field " + text.substr(begin, end - begin + 1) + " is missing";
  const std::size_t id = text.find("] ");
  return "a field is of another type: " + (id == std::string::npos ? text : text.substr(id + 2));
}

}  // namespace

Result<Document> importStepGraph(const json& graph, const std::string& name, const std::stop_token& stop) {
  Location place(Where::File, name);
  try {
    StepGraphImporter importer(graph);
    try {
      Document document = importer.run(stop);
      if (stop.stop_requested()) return cancelledDiagnostic();
      return document;
    } catch (...) {
      place /= importer.place();
      throw;
    }
  } catch (const json::exception& problem) {
    return error(isMissingKey(problem) ? Code("missing-field") : Code("json-type"), place, readable(problem),
                 "is it a STeP graph? Such a file must have depth, cfg, fb and ops, and every operator "
                 "the fields of its kind");
  } catch (const ImportRefusal& problem) {
    return problem.at(place, "remove the operator, or import a graph of the artifact's operators");
  }
}

Result<Document> importStepFixture(std::string_view text, const std::string& name,
                                   const std::stop_token& stop) {
  const Location place(Where::File, name);
  if (const auto why = tooMuchJson(text))
    return error("file-too-large", place, *why, "keep large tensors in a .npy file beside a graph.pb");
  bool too_large = false, fraction = false;  // numbers that are no 64-bit integers
  struct Cancelled {};                       // the parser has no other way out
  const auto look = [&](int, json::parse_event_t event, const json& value) {
    if (stop.stop_requested()) throw Cancelled();
    if (event != json::parse_event_t::value || !value.is_number_float()) return true;
    const auto number = value.get<double>();
    too_large |= !(std::abs(number) < 9e18);
    fraction |= number != std::trunc(number);
    return true;
  };
  json graph;
  try {
    graph = json::parse(text, look, false);
  } catch (const Cancelled&) {
    return cancelledDiagnostic();
  }
  if (too_large) {
    return error("overflow", place, "it holds a number that does not fit in 64 bits",
                 "export the graph again");
  }
  if (fraction) {
    return error("not-an-integer", place, "it holds a number that is not whole", "export the graph again");
  }
  if (graph.is_discarded()) {
    return error("json-syntax", place, "the file is not JSON",
                 "export the graph again, or open a .sluice file with sluice");
  }
  return importStepGraph(graph, name, stop);
}

}  // namespace sluice::inline interchange
