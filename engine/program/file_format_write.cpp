// Writing a .sluice text: fixed order of keys, defaults left out, one node and one stream a line.

#include <charconv>
#include <cmath>

#include "engine/core/atomic_file.h"
#include "engine/program/file_format.h"
#include "engine/program/file_format_names.h"
#include "engine/program/json_tree.h"

namespace sluice {
namespace {

std::string json(const std::string& text) {
  return jsonString(text);
}
std::string json(bool value) {
  return value ? "true" : "false";
}
std::string json(std::int64_t value) {
  return std::to_string(value);
}
std::string json(std::uint64_t value) {
  return std::to_string(value);
}

std::string json(double value) {
  if (value == 0) return "0";  // also for -0
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  return std::string(digits, end);
}

std::string json(const Value& value);

template <class T>
std::string json(const std::vector<T>& list) {
  std::string line = "[";
  for (const T& element : list) line += (line.size() > 1 ? ", " : "") + json(element);
  return line + "]";
}

std::string json(const Value& value) {
  return std::visit([](const auto& held) { return json(held); }, static_cast<const Value::Base&>(value));
}

std::string json(const Values& values) {
  std::string line = "{";
  for (const auto& [key, value] : values)
    line += (line.size() > 1 ? ", " : "") + json(key) + ": " + json(value);
  return line + "}";
}

template <class Enumeration, std::size_t count>
std::string json(Enumeration value,
                 const std::array<std::pair<Enumeration, std::string_view>, count>& names) {
  for (const auto& [known, name] : names)
    if (known == value) return json(std::string(name));
  throw std::logic_error("an enumeration without a name");
}

/// One object in the making, "{"key": value, ...".
class Line {
 public:
  template <class T>
  Line& add(const char* key, const T& value) {
    return raw(key, json(value));
  }
  template <class T, class U>
  Line& unless(const U& initial, const char* key, const T& value) {
    return value == T(initial) ? *this : add(key, value);
  }
  Line& raw(const char* key, const std::string& value) {
    text_ += (text_.empty() ? "\"" : ", \"") + std::string(key) + "\": " + value;
    return *this;
  }
  std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

/// "OPEN\n  line,\n  line\nCLOSE", or "OPENCLOSE" without lines.
std::string block(char open, const std::vector<std::string>& lines, char close, const std::string& indent) {
  std::string text(1, open);
  for (std::size_t i = 0; i < lines.size(); ++i) text += (i == 0 ? "\n" : ",\n") + indent + "  " + lines[i];
  return text + (lines.empty() ? "" : "\n" + indent) + close;
}

std::string graphText(const Graph& graph, const std::string& indent);

std::string nodeText(const Node& node, const std::string& indent) {
  Line line;
  line.add("name", node.name).add("kind", node.kind);
  if (node.body) {
    line.unless(1, "count", node.body->count).unless("", "index", node.body->index);
    line.unless(std::vector<std::string>{}, "inputs", node.body->inputs);
    line.unless(std::vector<std::string>{}, "outputs", node.body->outputs);
    line.unless(Values{}, "widths", node.body->widths);
    line.unless(false, "by_instance", node.body->by_instance);
    line.unless(true, "collapsed", node.body->collapsed);
  }
  line.unless(Values{}, "parameters", node.parameters);
  if (node.at && std::isfinite(node.at->x) && std::isfinite(node.at->y))
    line.raw("at", "[" + json(node.at->x) + ", " + json(node.at->y) + "]");
  if (node.body) line.raw("program", graphText(node.body->body, indent));
  return line.text();
}

std::string streamText(const Stream& stream) {
  Line line;
  line.add("from", text(stream.from)).add("to", text(stream.to));
  if (stream.depth) line.add("depth", *stream.depth);
  return line.text();
}

std::string graphText(const Graph& graph, const std::string& indent) {
  const std::string inner = indent + "  ";
  std::vector<std::string> nodes, streams;
  for (const Node& node : graph.nodes) nodes.push_back(nodeText(node, inner + "  "));
  for (const Stream& stream : graph.streams) streams.push_back(streamText(stream));
  return block(
      '{', {"\"nodes\": " + block('[', nodes, ']', inner), "\"streams\": " + block('[', streams, ']', inner)},
      '}', indent);
}

std::string knobText(const Knob& knob) {
  const Knob initial;
  Line line;
  line.add("name", knob.name).raw("kind", json(knob.kind, knobKindNames));
  line.unless(initial.minimum, "minimum", knob.minimum).unless(initial.maximum, "maximum", knob.maximum);
  line.unless(initial.step, "step", knob.step);
  line.unless(initial.list, "values", knob.list).unless(initial.choices, "choices", knob.choices);
  const auto position = static_cast<std::size_t>(knob.initial);
  if (knob.kind == KnobKind::Choice && knob.initial >= 0 && position < knob.choices.size()) {
    line.add("default", knob.choices[position]);
  } else {
    line.add("default", knob.initial);
  }
  return line.unless("", "help", knob.help).text();
}

std::string stepText(const ScheduleStep& step) {
  return Line()
      .add("transformation", step.transformation)
      .unless(Values{}, "arguments", step.arguments)
      .unless(true, "enabled", step.enabled)
      .text();
}

std::vector<std::string> machineLines(const Machine& machine) {
  const Machine initial;
  std::vector<std::string> lines;
  const auto unless = [&](const auto& usual, const char* key, const auto& value) {
    if (!(value == usual)) lines.push_back(json(std::string(key)) + ": " + json(value));
  };
  unless(initial.name, "name", machine.name);
  unless(initial.fifo_depth, "fifo_depth", machine.fifo_depth);
  unless(initial.on_chip_bandwidth, "on_chip_bandwidth", machine.on_chip_bandwidth);
  unless(initial.on_chip_capacity, "on_chip_capacity", machine.on_chip_capacity);
  unless(initial.mock_bf16, "mock_bf16", machine.mock_bf16);
  unless(initial.hbm_request_bytes, "hbm_request_bytes", machine.hbm_request_bytes);
  unless(initial.hbm_channels, "hbm_channels", machine.hbm_channels);
  unless(initial.hbm_latency, "hbm_latency", machine.hbm_latency);
  unless(initial.hbm_initiation_interval, "hbm_initiation_interval", machine.hbm_initiation_interval);
  unless(initial.hbm_start_up, "hbm_start_up", machine.hbm_start_up);
  unless(initial.hbm_controller_wait, "hbm_controller_wait", machine.hbm_controller_wait);
  unless(initial.scratchpads, "scratchpads", machine.scratchpads);
  unless(initial.reference_mode, "reference_mode", machine.reference_mode);
  if (machine.hbm_model != initial.hbm_model)
    lines.push_back("\"hbm_model\": " + json(machine.hbm_model, hbmModelNames));
  unless(initial.hbm_timing, "hbm_timing", machine.hbm_timing);
  return lines;
}

std::string inputText(const Input& input) {
  const Input initial;
  Line line;
  line.add("name", input.name).raw("kind", json(input.kind, inputKindNames)).unless("", "file", input.file);
  line.unless(initial.counts, "counts", input.counts).unless(initial.tokens, "tokens", input.tokens);
  line.unless(initial.experts, "experts", input.experts).unless(initial.top_k, "top_k", input.top_k);
  line.unless(initial.seed, "seed", input.seed);
  if (input.data) {
    const std::vector<std::uint64_t> shape(input.data->shape.begin(), input.data->shape.end());
    if (shape != std::vector<std::uint64_t>{input.data->data.size()}) line.add("shape", shape);
    line.add("data", input.data->data);
  }
  return line.text();
}

template <class T, class Print>
std::vector<std::string> texts(const std::vector<T>& things, Print print) {
  std::vector<std::string> lines;
  for (const T& thing : things) lines.push_back(print(thing));
  return lines;
}

}  // namespace

std::string writeDocument(const Document& document) {
  std::vector<std::string> constants;
  for (const auto& [name, value] : document.constants) constants.push_back(json(name) + ": " + json(value));

  std::vector<std::string> parts{"\"sluice\": " + std::to_string(Document::currentVersion)};
  const auto add = [&](bool present, const char* key, const std::string& value) {
    if (present) parts.push_back(json(std::string(key)) + ": " + value);
  };
  const auto addBlock = [&](const char* key, char open, const std::vector<std::string>& lines, char close) {
    add(!lines.empty(), key, block(open, lines, close, "  "));
  };
  add(!document.title.empty(), "title", json(document.title));
  add(!document.description.empty(), "description", json(document.description));
  addBlock("constants", '{', constants, '}');
  addBlock("knobs", '[', texts(document.knobs, knobText), ']');
  add(true, "program", graphText(document.program, "  "));
  addBlock("schedule", '[', texts(document.schedule, stepText), ']');
  addBlock("machine", '{', machineLines(document.machine), '}');
  addBlock("inputs", '[', texts(document.inputs, inputText), ']');
  add(!document.pinned.empty(), "pinned", json(std::vector(document.pinned.begin(), document.pinned.end())));
  return block('{', parts, '}', "") + "\n";
}

Result<Done> saveDocument(const Document& document, const std::filesystem::path& file) {
  return writeFileAtomically(file, writeDocument(document));
}

}  // namespace sluice
