// Reading a .sluice text. What the names mean (unknown kinds, knob defaults ...) is not checked here but by
// check().

#include <algorithm>
#include <set>

#include "engine/program/file_format.h"
#include "engine/program/file_format_names.h"
#include "engine/program/json_reader.h"
#include "engine/program/number_ranges.h"
#include "engine/program/spelling.h"

namespace sluice {
namespace {

/// Reads a text that must be one of `names`.
template <class Enumeration, std::size_t count>
void readEnumeration(Reading& reading, const Spot& spot,
                     const std::array<std::pair<Enumeration, std::string_view>, count>& names,
                     Enumeration& target) {
  std::string written;
  read(reading, spot, written);
  if (written.empty() && !std::holds_alternative<std::string>(spot.json().value)) return;
  std::vector<std::string> known;
  for (const auto& [value, name] : names) {
    if (name == written) {
      target = value;
      return;
    }
    known.emplace_back(name);
  }
  reading.mismatch(spot, "a kind", spellingFix(written, known, "choose a known kind"));
}

void readValues(Reading& reading, const Spot& spot, const std::string& what, Values& target) {
  const Json::Object* object = spot.json().object();
  if (!object) return reading.mismatch(spot, what + " (an object)", "write { \"name\": value, ... }");
  for (const JsonMember& member : *object) read(reading, spot.member(member), target[member.key]);
}

void readGraph(Reading& reading, const Spot& spot, int depth, Graph& graph);

void readPortNames(Reading& reading, const ObjectReader& object, std::string_view key,
                   std::map<std::string, std::string>& seen, std::vector<std::string>& names) {
  const std::optional<Spot> spot = object.find(key);
  if (!spot) return;
  forEach(reading, *spot, "port names", [&](const Spot& element) {
    readName(reading, element, names.emplace_back());
    refuseTwice(reading, element, "port", names.back(), seen);
  });
}

void readRegion(Reading& reading, const Spot& spot, const ObjectReader& object, int depth, Node& node) {
  if (depth >= maxRegionDepth) {
    return reading.refuse(spot, "regions are nested more than " + std::to_string(maxRegionDepth) + " deep",
                          "dissolve some of the regions");
  }
  Region region;
  object.optionalNumber("count", region.count);
  if (const auto index = object.find("index")) readName(reading, *index, region.index);
  std::map<std::string, std::string> ports;
  readPortNames(reading, object, "inputs", ports, region.inputs);
  readPortNames(reading, object, "outputs", ports, region.outputs);
  if (const auto widths = object.find("widths")) readValues(reading, *widths, "widths", region.widths);
  object.optional("by_instance", region.by_instance);
  object.optional("collapsed", region.collapsed);
  if (const auto program = object.require("program")) readGraph(reading, *program, depth + 1, region.body);
  node.body = std::move(region);
}

void readNode(Reading& reading, const Spot& spot, int depth, Node& node) {
  const Json::Object* members = spot.json().object();
  const bool isRegion =
      members && std::any_of(members->begin(), members->end(), [](const JsonMember& member) {
        const auto* kind = std::get_if<std::string>(&member.value.value);
        return member.key == "kind" && kind && *kind == regionKind;
      });
  std::vector<std::string> keys{"name", "kind", "parameters", "at"};
  if (isRegion)
    keys = {"name",   "kind",        "count",     "index",      "inputs", "outputs",
            "widths", "by_instance", "collapsed", "parameters", "at",     "program"};
  const ObjectReader object(reading, spot, isRegion ? "a region" : "a node", std::move(keys));
  object.requiredName("name", node.name);
  if (node.name == boundaryName) {
    reading.refuse(*object.find("name"), "the name 'region' is kept for the region's own boundary",
                   "give the node another name");
  }
  if (const auto kind = object.require("kind")) readName(reading, *kind, node.kind);
  if (const auto parameters = object.find("parameters"))
    readValues(reading, *parameters, "parameters", node.parameters);
  object.optional("at", node.at);
  if (isRegion) readRegion(reading, spot, object, depth, node);
}

void readEndpoint(Reading& reading, const ObjectReader& object, std::string_view key, Endpoint& endpoint) {
  const std::optional<Spot> spot = object.require(key);
  if (!spot) return;
  const auto* written = std::get_if<std::string>(&spot->json().value);
  const std::optional<Endpoint> parsed = written ? parseEndpoint(*written) : std::nullopt;
  if (!parsed)
    return reading.mismatch(*spot, "an end of a stream", "write \"node.port\" or \"node.port[2]\"");
  endpoint = *parsed;
}

void readStream(Reading& reading, const Spot& spot, Stream& stream) {
  const ObjectReader object(reading, spot, "a stream", {"from", "to", "depth"});
  readEndpoint(reading, object, "from", stream.from);
  readEndpoint(reading, object, "to", stream.to);
  if (const auto depth = object.find("depth")) readNumber(reading, *depth, stream.depth.emplace());
}

void readGraph(Reading& reading, const Spot& spot, int depth, Graph& graph) {
  const ObjectReader object(reading, spot, "a program", {"nodes", "streams"});
  std::map<std::string, std::string> names;
  if (const auto nodes = object.find("nodes")) {
    forEach(reading, *nodes, "nodes", [&](const Spot& element) {
      readNode(reading, element, depth, graph.nodes.emplace_back());
      refuseTwice(reading, element, "node", graph.nodes.back().name, names);
    });
  }
  if (const auto streams = object.find("streams")) {
    forEach(reading, *streams, "streams",
            [&](const Spot& element) { readStream(reading, element, graph.streams.emplace_back()); });
  }
}

void readConstants(Reading& reading, const Spot& spot, std::map<std::string, std::string>& names,
                   std::map<std::string, Value>& constants) {
  const Json::Object* object = spot.json().object();
  if (!object) return reading.mismatch(spot, "constants (an object)", "write { \"D\": 256, ... }");
  for (const JsonMember& member : *object) {
    const Spot value = spot.member(member);
    if (!isIdentifier(member.key)) {
      reading.refuse(value,
                     "the constant " + jsonString(member.key) + " has a name that expressions cannot use",
                     "names are made of letters, digits and _, and do not begin with a digit");
    }
    refuseTwice(reading, value, "constant", member.key, names);
    readNumber(reading, value, constants[member.key]);
  }
}

/// The default of a Choice knob is one of its texts, of any other knob a number.
void readKnobDefault(Reading& reading, const Spot& spot, Knob& knob) {
  const auto* written = std::get_if<std::string>(&spot.json().value);
  if (knob.kind != KnobKind::Choice || !written) return read(reading, spot, knob.initial);
  const auto found = std::find(knob.choices.begin(), knob.choices.end(), *written);
  if (found == knob.choices.end()) {
    return reading.refuse(spot, "the default " + jsonString(*written) + " is not among the choices",
                          spellingFix(*written, knob.choices, "add it to \"choices\""));
  }
  knob.initial = found - knob.choices.begin();
}

void readKnob(Reading& reading, const Spot& spot, Knob& knob) {
  const ObjectReader object(
      reading, spot, "a knob",
      {"name", "kind", "minimum", "maximum", "step", "values", "choices", "default", "help"});
  object.requiredName("name", knob.name);
  if (const auto kind = object.require("kind")) readEnumeration(reading, *kind, knobKindNames, knob.kind);
  object.optional("minimum", knob.minimum);
  object.optional("maximum", knob.maximum);
  object.optional("step", knob.step);
  object.optional("values", knob.list);
  object.optional("choices", knob.choices);
  object.optional("help", knob.help);
  const std::set<std::string> different(knob.choices.begin(), knob.choices.end());
  if (different.size() != knob.choices.size())
    reading.refuse(*object.find("choices"), "one choice is written twice", "remove one of the two");
  if (const auto initial = object.require("default")) readKnobDefault(reading, *initial, knob);
}

void readScheduleStep(Reading& reading, const Spot& spot, ScheduleStep& step) {
  const ObjectReader object(reading, spot, "a step of the schedule",
                            {"transformation", "arguments", "enabled"});
  object.requiredName("transformation", step.transformation);
  if (const auto arguments = object.find("arguments"))
    readValues(reading, *arguments, "arguments", step.arguments);
  object.optional("enabled", step.enabled);
}

void readMachine(Reading& reading, const Spot& spot, Machine& machine) {
  const ObjectReader object(
      reading, spot, "a machine",
      {"name", "fifo_depth", "on_chip_bandwidth", "on_chip_capacity", "mock_bf16", "hbm_request_bytes",
       "hbm_channels", "hbm_latency", "hbm_initiation_interval", "hbm_start_up", "reference_mode",
       "hbm_model", "hbm_timing", "scratchpads", "hbm_controller_wait"});
  object.optional("name", machine.name);
  for (const MachineNumber& number : machineNumbers())
    object.optionalNumber(number.name, machine.*number.written);
  object.optional("mock_bf16", machine.mock_bf16);
  object.optional("reference_mode", machine.reference_mode);
  if (const auto model = object.find("hbm_model"))
    readEnumeration(reading, *model, hbmModelNames, machine.hbm_model);
  if (const auto timing = object.find("hbm_timing"))
    readValues(reading, *timing, "hbm_timing", machine.hbm_timing);
}

/// "shape" and "data": row-major; without a shape it is that of the lists.
void readTensor(Reading& reading, const Spot& input, const ObjectReader& object, Input& target) {
  const std::optional<Spot> shapeSpot = object.find("shape"), dataSpot = object.find("data");
  if (!shapeSpot && !dataSpot) return;
  if (!dataSpot)
    return reading.refuse(input, "there is a \"shape\" but no \"data\"", "add \"data\": [ ... ]");
  IntTensor tensor;
  if (!shapeSpot) {
    read(reading, *dataSpot, tensor);
    target.data = std::move(tensor);
    return;
  }
  read(reading, *dataSpot, tensor.data);
  std::vector<std::int64_t> shape;
  read(reading, *shapeSpot, shape);
  std::uint64_t product = 1;
  for (const std::int64_t size : shape) {
    if (size < 0) return reading.refuse(*shapeSpot, "a size is negative", "sizes are 0 or more");
    tensor.shape.push_back(static_cast<std::size_t>(size));
    if (__builtin_mul_overflow(product, static_cast<std::uint64_t>(size), &product))
      return reading.refuse(*shapeSpot, "the sizes multiply to more than 64 bits hold",
                            "make the shape fit the data");
  }
  if (product != tensor.data.size()) {
    return reading.refuse(*dataSpot,
                          "the shape asks for " + std::to_string(product) + " values, found " +
                              std::to_string(tensor.data.size()),
                          "give as many values as the product of the shape");
  }
  target.data = std::move(tensor);
}

void readInput(Reading& reading, const Spot& spot, Input& input) {
  const ObjectReader object(
      reading, spot, "an input",
      {"name", "kind", "file", "shape", "data", "counts", "tokens", "experts", "top_k", "seed"});
  object.requiredName("name", input.name);
  if (const auto kind = object.require("kind")) readEnumeration(reading, *kind, inputKindNames, input.kind);
  object.optional("file", input.file);
  readTensor(reading, spot, object, input);
  object.optional("counts", input.counts);
  object.optional("tokens", input.tokens);
  object.optional("experts", input.experts);
  object.optional("top_k", input.top_k);
  object.optional("seed", input.seed);
}

/// The version comes first: of a newer file nothing else is understood.
bool readVersion(Reading& reading, const Spot& root) {
  const Json::Object* object = root.json().object();
  if (!object) {
    reading.mismatch(root, "a Sluice document (an object)", "write { \"sluice\": 1, \"program\": { ... } }");
    return false;
  }
  const auto found =
      std::find_if(object->begin(), object->end(), [](const auto& m) { return m.key == "sluice"; });
  if (found == object->end()) {
    reading.refuse(root, "a Sluice document needs the key \"sluice\", the version of the format",
                   "add \"sluice\": 1");
    return false;
  }
  const Spot spot = root.member(*found);
  std::int64_t version = 0;
  read(reading, spot, version);
  if (reading.failed() || version == Document::currentVersion) return !reading.failed();
  const bool newer = version > Document::currentVersion;
  reading.refuse(spot,
                 "this is version " + std::to_string(version) +
                     " of the format; this program reads version " + std::to_string(Document::currentVersion),
                 newer ? "open it with a newer Sluice" : "write \"sluice\": 1");
  return false;
}

/// Reads a list of things with names into `target`.
template <class Thing>
void readNamed(Reading& reading, const std::optional<Spot>& list, const std::string& what,
               std::map<std::string, std::string>& names, std::vector<Thing>& target,
               void (*readOne)(Reading&, const Spot&, Thing&)) {
  if (!list) return;
  forEach(reading, *list, what + "s", [&](const Spot& element) {
    readOne(reading, element, target.emplace_back());
    refuseTwice(reading, element, what, target.back().name, names);
  });
}

void readDocument(Reading& reading, const Spot& root, Document& document) {
  const ObjectReader object(reading, root, "a Sluice document",
                            {"sluice", "title", "description", "constants", "knobs", "program", "schedule",
                             "machine", "inputs", "pinned"});
  object.optional("title", document.title);
  object.optional("description", document.description);
  std::map<std::string, std::string> integers, inputs;  // knobs and constants share their names
  if (const auto constants = object.find("constants"))
    readConstants(reading, *constants, integers, document.constants);
  readNamed(reading, object.find("knobs"), "knob", integers, document.knobs, readKnob);
  if (const auto program = object.require("program")) readGraph(reading, *program, 0, document.program);
  if (const auto schedule = object.find("schedule")) {
    forEach(reading, *schedule, "steps", [&](const Spot& element) {
      readScheduleStep(reading, element, document.schedule.emplace_back());
    });
  }
  if (const auto machine = object.find("machine")) readMachine(reading, *machine, document.machine);
  readNamed(reading, object.find("inputs"), "input", inputs, document.inputs, readInput);
  std::vector<std::string> pinned;
  object.optional("pinned", pinned);
  document.pinned = {pinned.begin(), pinned.end()};
}

}  // namespace

Result<IntTensor> parseTrace(std::string_view json, const std::string& name) {
  return parseWhole<IntTensor>(json, name, [](Reading& reading, const Spot& root, IntTensor& trace) {
    read(reading, root, trace);
    if (!reading.failed() && trace.data.empty())
      reading.refuse(root, "the trace holds no values", "write lists of whole numbers: [[0, 3], [1, 2]]");
  });
}

Result<Document> parseDocument(std::string_view json, const std::string& name) {
  return parseWhole<Document>(json, name, [](Reading& reading, const Spot& root, Document& document) {
    if (readVersion(reading, root)) readDocument(reading, root, document);
  });
}

Result<Document> loadDocument(const std::filesystem::path& file) {
  return loadWhole(file, parseDocument);
}

}  // namespace sluice
