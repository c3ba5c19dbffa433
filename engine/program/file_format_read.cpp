// Reading a .sluice text. What the names mean (unknown kinds, knob defaults ...) is not checked here but by
// check().

#include <algorithm>
#include <set>

#include "engine/program/fields.h"
#include "engine/program/file_format.h"
#include "engine/program/file_format_names.h"
#include "engine/program/json_reader.h"
#include "engine/program/rewrite_words.h"
#include "engine/program/spelling.h"

namespace sluice::inline program {
namespace {

template <class Enumeration>
requires std::is_enum_v<Enumeration>
void read(JsonDecoder& reading, const JsonCursor& spot, Enumeration& target) {
  std::string written;
  read(reading, spot, written);
  if (written.empty() && !std::holds_alternative<std::string>(spot.json().value)) return;
  constexpr auto& names = spellings<Enumeration>;
  const auto found = std::find(names.begin(), names.end(), written);
  if (found == names.end())
    return reading.mismatch(spot, "a kind",
                            spellingFix(written, {names.begin(), names.end()}, "choose a known kind"),
                            "unknown-choice");
  target = static_cast<Enumeration>(found - names.begin());
}

void read(JsonDecoder& reading, const JsonCursor& spot, Endpoint& endpoint) {
  const auto* written = std::get_if<std::string>(&spot.json().value);
  const std::optional<Endpoint> parsed = written ? parseEndpoint(*written) : std::nullopt;
  if (!parsed)
    return reading.mismatch(spot, "an end of a stream", "write \"node.port\" or \"node.port[2]\"",
                            written ? Code("text-syntax") : Code("json-type"));
  endpoint = *parsed;
}

void read(JsonDecoder& reading, const JsonCursor& spot, Bounds& bounds) {
  const Json::List* list = spot.json().list();
  if (!list || list->size() != 2) return reading.mismatch(spot, "two numbers", "write [from, to]");
  read(reading, spot.element(0), bounds.from);
  read(reading, spot.element(1), bounds.to);
  if (bounds.from >= bounds.to)
    reading.refuse("out-of-range", spot, "it ends where it begins, or before",
                   "write the smaller number first");
}

void read(JsonDecoder& reading, const JsonCursor& spot, KnobValues& values) {
  const Json::Object* object = spot.json().object();
  if (!object) return reading.mismatch(spot, "values of knobs (an object)", "write { \"tile\": 16, ... }");
  for (const JsonMember& member : *object) read(reading, spot.member(member), values[member.key]);
}

/// A member as its field has it: texts that are names, values that are numbers.
template <class T>
void readMember(JsonDecoder& reading, const JsonCursor& spot, const std::string& key, bool name, T& target) {
  if constexpr (std::is_same_v<T, Value>) {
    readNumber(reading, spot, target);
  } else if constexpr (std::is_same_v<T, Values>) {
    const Json::Object* object = spot.json().object();
    if (!object) return reading.mismatch(spot, key + " (an object)", "write { \"name\": value, ... }");
    for (const JsonMember& member : *object) read(reading, spot.member(member), target[member.key]);
  } else if constexpr (std::is_same_v<T, KnobValues>) {
    read(reading, spot, target);
  } else if constexpr (requires { target.emplace(); }) {
    readMember(reading, spot, key, name, target.emplace());
  } else if constexpr (std::is_same_v<T, std::string>) {
    name ? readName(reading, spot, target) : read(reading, spot, target);
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    if (!name) return read(reading, spot, target);
    forEach(reading, spot, "port names",
            [&](const JsonCursor& element) { readName(reading, element, target.emplace_back()); });
  } else {
    read(reading, spot, target);
  }
}

template <class Struct>
std::vector<std::string> keysOf() {
  std::vector<std::string> keys;
  for (const Field<Struct>& field : fields<Struct>()) keys.emplace_back(field.key);
  return keys;
}

template <class Struct>
void readFields(JsonDecoder& reading, const ObjectReader& object, Struct& target) {
  for (const Field<Struct>& field : fields<Struct>()) {
    const std::optional<JsonCursor> spot =
        field.required() ? object.require(field.key) : object.find(field.key);
    if (!spot) continue;
    field.visitMember([&](auto member) {
      readMember(reading, *spot, std::string(field.key), field.isName(), target.*member);
    });
  }
}

/// An object that is its fields and nothing else.
template <class Struct>
void readStruct(JsonDecoder& reading, const JsonCursor& spot, const std::string& what, Struct& target) {
  readFields(reading, ObjectReader(reading, spot, what, keysOf<Struct>()), target);
}

void readGraph(JsonDecoder& reading, const JsonCursor& spot, int depth, Graph& graph);

void readRegion(JsonDecoder& reading, const JsonCursor& spot, const ObjectReader& object, int depth,
                Node& node) {
  if (depth >= max_region_depth) {
    return reading.refuse("too-many", spot,
                          "regions are nested more than " + std::to_string(max_region_depth) + " deep",
                          "dissolve some of the regions");
  }
  Region region;
  readFields(reading, object, region);
  SeenNames ports;
  for (const auto& [key, names] :
       {std::pair("inputs", &region.inputs), std::pair("outputs", &region.outputs)})
    for (std::size_t i = 0; i < names->size(); ++i)
      refuseTwice(reading, object.find(key)->element(i), "port", (*names)[i], ports);
  if (const auto program = object.find("program")) readGraph(reading, *program, depth + 1, region.body);
  node.body = std::move(region);
}

void readNode(JsonDecoder& reading, const JsonCursor& spot, int depth, Node& node) {
  const Json::Object* members = spot.json().object();
  const bool isRegion =
      members && std::any_of(members->begin(), members->end(), [](const JsonMember& member) {
        const auto* kind = std::get_if<std::string>(&member.value.value);
        return member.key == "kind" && kind && *kind == region_kind;
      });
  std::vector<std::string> keys = keysOf<Node>();
  if (isRegion) std::ranges::copy(keysOf<Region>(), std::back_inserter(keys));
  const ObjectReader object(reading, spot, isRegion ? "a region" : "a node", std::move(keys));
  readFields(reading, object, node);
  if (node.name == boundary_name) {
    reading.refuse("invalid-name", *object.find("name"),
                   "the name 'region' is kept for the region's own boundary", "give the node another name");
  }
  if (isRegion) readRegion(reading, spot, object, depth, node);
}

void readGraph(JsonDecoder& reading, const JsonCursor& spot, int depth, Graph& graph) {
  const ObjectReader object(reading, spot, "a program", {"nodes", "streams"});
  SeenNames names;
  if (const auto nodes = object.find("nodes")) {
    forEach(reading, *nodes, "nodes", [&](const JsonCursor& element) {
      readNode(reading, element, depth, graph.nodes.emplace_back());
      refuseTwice(reading, element, "node", graph.nodes.back().name, names);
    });
  }
  if (const auto streams = object.find("streams")) {
    forEach(reading, *streams, "streams", [&](const JsonCursor& element) {
      readStruct(reading, element, "a stream", graph.streams.emplace_back());
    });
  }
}

void readConstants(JsonDecoder& reading, const JsonCursor& spot, SeenNames& names,
                   std::map<std::string, Value>& constants) {
  const Json::Object* object = spot.json().object();
  if (!object) return reading.mismatch(spot, "constants (an object)", "write { \"D\": 256, ... }");
  for (const JsonMember& member : *object) {
    const JsonCursor value = spot.member(member);
    if (!isIdentifier(member.key)) {
      reading.refuse("invalid-name", value,
                     "the constant " + jsonString(member.key) + " has a name that expressions cannot use",
                     "names are made of letters, digits and _, and do not begin with a digit");
    }
    refuseTwice(reading, value, "constant", member.key, names);
    readNumber(reading, value, constants[member.key]);
  }
}

/// The default of a Choice knob is one of its texts, of any other knob a number.
void readKnobDefault(JsonDecoder& reading, const JsonCursor& spot, Knob& knob) {
  const auto* written = std::get_if<std::string>(&spot.json().value);
  if (knob.kind != KnobKind::Choice || !written) return read(reading, spot, knob.initial);
  const auto found = std::find(knob.choices.begin(), knob.choices.end(), *written);
  if (found == knob.choices.end()) {
    return reading.refuse("unknown-choice", spot,
                          "the default " + jsonString(*written) + " is not among the choices",
                          spellingFix(*written, knob.choices, "add it to \"choices\""));
  }
  knob.initial = found - knob.choices.begin();
}

void readKnob(JsonDecoder& reading, const JsonCursor& spot, Knob& knob) {
  const ObjectReader object(reading, spot, "a knob", keysOf<Knob>());
  readFields(reading, object, knob);
  const std::set<std::string> different(knob.choices.begin(), knob.choices.end());
  if (different.size() != knob.choices.size())
    reading.refuse("duplicate-name", *object.find("choices"), "one choice is written twice",
                   "remove one of the two");
  if (const auto initial = object.find("default")) readKnobDefault(reading, *initial, knob);
}

/// "shape" and "data": row-major; without a shape it is that of the lists.
void readTensor(JsonDecoder& reading, const JsonCursor& input, const ObjectReader& object, Input& target) {
  const std::optional<JsonCursor> shapeSpot = object.find("shape"), dataSpot = object.find("data");
  if (!shapeSpot && !dataSpot) return;
  if (!dataSpot)
    return reading.refuse("missing-data", input, "there is a \"shape\" but no \"data\"",
                          "add \"data\": [ ... ]");
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
    if (size < 0)
      return reading.refuse("out-of-range", *shapeSpot, "a size is negative", "sizes are 0 or more");
    tensor.shape.push_back(static_cast<std::size_t>(size));
    if (__builtin_mul_overflow(product, static_cast<std::uint64_t>(size), &product))
      return reading.refuse("overflow", *shapeSpot, "the sizes multiply to more than 64 bits hold",
                            "make the shape fit the data");
  }
  if (product != tensor.data.size()) {
    return reading.refuse("input-shape", *dataSpot,
                          "the shape asks for " + std::to_string(product) + " values, found " +
                              std::to_string(tensor.data.size()),
                          "give as many values as the product of the shape");
  }
  target.data = std::move(tensor);
}

void readInput(JsonDecoder& reading, const JsonCursor& spot, Input& input) {
  const ObjectReader object(reading, spot, "an input", keysOf<Input>());
  readFields(reading, object, input);
  readTensor(reading, spot, object, input);
}

/// The numbers of a figure are not bound to knobs: they are checked where they are read.
template <class Struct>
void refuseOutOfRange(JsonDecoder& reading, const ObjectReader& object, const Struct& target) {
  for (const Field<Struct>& field : fields<Struct>()) {
    const auto spot = object.find(field.key);
    if (!spot || field.range == any_number) continue;
    const auto refuse = [&](bool fits) {
      if (!fits) reading.refuse("out-of-range", *spot, "it is not in the range", "give " + text(field.range));
    };
    if (const auto whole = field.template as<std::int64_t>()) refuse(field.range.contains(target.*whole));
    if (const auto real = field.template as<double>())
      refuse(target.*real >= static_cast<double>(field.range.minimum) &&
             target.*real <= static_cast<double>(field.range.maximum));
  }
}

void readPanel(JsonDecoder& reading, const JsonCursor& spot, FigurePanel& panel) {
  const ObjectReader object(reading, spot, "a panel", keysOf<FigurePanel>());
  readFields(reading, object, panel);
  refuseOutOfRange(reading, object, panel);
}

void readFigure(JsonDecoder& reading, const JsonCursor& spot, Figure& figure) {
  const ObjectReader object(reading, spot, "a figure", keysOf<Figure>());
  readFields(reading, object, figure);
  refuseOutOfRange(reading, object, figure);
  if (const auto name = object.find("name"); name && figure.name.empty() && !reading.failed())
    reading.refuse("invalid-name", *name, "the figure has no name", "write for example \"Figure 1\"");
  if (const auto panels = object.find("panels"))
    forEach(reading, *panels, "panels",
            [&](const JsonCursor& element) { readPanel(reading, element, figure.panels.emplace_back()); });
}

void readProvenance(JsonDecoder& reading, const JsonCursor& spot, std::optional<Provenance>& provenance) {
  const ObjectReader object(reading, spot, "a provenance", keysOf<Provenance>());
  readFields(reading, object, provenance.emplace());
  if (const auto trust = object.find("trust")) read(reading, *trust, provenance->trust);
}

/// The version comes first: of a newer file nothing else is understood.
bool readVersion(JsonDecoder& reading, const JsonCursor& root) {
  const Json::Object* object = root.json().object();
  if (!object) {
    reading.mismatch(root, "a Sluice document (an object)", "write { \"sluice\": 1, \"program\": { ... } }");
    return false;
  }
  const auto found =
      std::find_if(object->begin(), object->end(), [](const auto& m) { return m.key == "sluice"; });
  if (found == object->end()) {
    reading.refuse("missing-field", root,
                   "a Sluice document needs the key \"sluice\", the version of the format",
                   "add \"sluice\": 1");
    return false;
  }
  const JsonCursor spot = root.member(*found);
  std::int64_t version = 0;
  read(reading, spot, version);
  if (reading.failed() || version == Document::current_version) return !reading.failed();
  const bool newer = version > Document::current_version;
  reading.refuse("format-version", spot,
                 "this is version " + std::to_string(version) +
                     " of the format; this program reads version " +
                     std::to_string(Document::current_version),
                 newer ? "open it with a newer Sluice" : "write \"sluice\": 1");
  return false;
}

/// Reads a list of things with names into `target`.
template <class Thing>
void readNamed(JsonDecoder& reading, const std::optional<JsonCursor>& list, const std::string& what,
               SeenNames& names, std::vector<Thing>& target,
               void (*readOne)(JsonDecoder&, const JsonCursor&, Thing&)) {
  if (!list) return;
  forEach(reading, *list, what + "s", [&](const JsonCursor& element) {
    readOne(reading, element, target.emplace_back());
    refuseTwice(reading, element, what, target.back().name, names);
  });
}

void readDocument(JsonDecoder& reading, const JsonCursor& root, Document& document) {
  const ObjectReader object(reading, root, "a Sluice document",
                            {"sluice", "title", "description", "constants", "knobs", "program", "schedule",
                             "machine", "inputs", "figures", "provenance", "pinned"});
  object.optional("title", document.title);
  object.optional("description", document.description);
  SeenNames integers, inputs, figures;  // knobs and constants share their names
  if (const auto constants = object.find("constants"))
    readConstants(reading, *constants, integers, document.constants);
  readNamed(reading, object.find("knobs"), "knob", integers, document.knobs, readKnob);
  if (const auto program = object.require("program")) readGraph(reading, *program, 0, document.program);
  if (const auto schedule = object.find("schedule")) {
    forEach(reading, *schedule, "steps", [&](const JsonCursor& element) {
      readStruct(reading, element, "a step of the schedule", document.schedule.emplace_back());
    });
    separateRewrites(document);
  }
  if (const auto machine = object.find("machine"))
    readStruct(reading, *machine, "a machine", document.machine);
  readNamed(reading, object.find("inputs"), "input", inputs, document.inputs, readInput);
  readNamed(reading, object.find("figures"), "figure", figures, document.figures, readFigure);
  if (const auto provenance = object.find("provenance"))
    readProvenance(reading, *provenance, document.provenance);
  std::vector<std::string> pinned;
  object.optional("pinned", pinned);
  document.pinned = {pinned.begin(), pinned.end()};
}

}  // namespace

Result<IntTensor> parseTrace(std::string_view json, const std::string& name) {
  return parseWhole<IntTensor>(json, name,
                               [](JsonDecoder& reading, const JsonCursor& root, IntTensor& trace) {
                                 read(reading, root, trace);
                                 if (!reading.failed() && trace.data.empty())
                                   reading.refuse("missing-data", root, "the trace holds no values",
                                                  "write lists of whole numbers: [[0, 3], [1, 2]]");
                               });
}

Result<Document> parseDocument(std::string_view json, const std::string& name, const std::stop_token& stop) {
  const auto whole = [](JsonDecoder& reading, const JsonCursor& root, Document& document) {
    if (readVersion(reading, root)) readDocument(reading, root, document);
  };
  return parseWhole<Document>(json, name, whole, stop);
}

Result<Document> loadDocument(const std::filesystem::path& file) {
  return loadWhole(file,
                   [](std::string_view json, const std::string& name) { return parseDocument(json, name); });
}

}  // namespace sluice::inline program
