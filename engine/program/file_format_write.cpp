// Writing a .sluice text: fixed order of keys, defaults left out, one node and one stream a line.

#include <charconv>
#include <cmath>

#include "engine/core/atomic_file.h"
#include "engine/program/fields.h"
#include "engine/program/file_format.h"
#include "engine/program/file_format_names.h"
#include "engine/program/json_tree.h"

namespace sluice::inline program {
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

template <class Enumeration>
requires std::is_enum_v<Enumeration> std::string json(Enumeration value) {
  return json(std::string(spellings<Enumeration>.at(static_cast<std::size_t>(value))));
}

/// Nothing where a file has no number for it.
std::string json(const Position& at) {
  const bool finite = std::isfinite(at.x) && std::isfinite(at.y);
  return finite ? "[" + json(at.x) + ", " + json(at.y) + "]" : "";
}

std::string json(const Endpoint& end) {
  return json(text(end));
}

std::string json(const Bounds& bounds) {
  return "[" + json(bounds.from) + ", " + json(bounds.to) + "]";
}

std::string json(const KnobValues& values) {
  std::string line = "{";
  for (const auto& [key, value] : values)
    line += (line.size() > 1 ? ", " : "") + json(key) + ": " + json(value);
  return line + "}";
}

template <class T>
std::string json(const std::optional<T>& value) {
  return value ? json(*value) : "";
}

using Members = std::vector<std::string>;  ///< "key": value

void add(Members& members, std::string_view key, const std::string& value) {
  if (!value.empty()) members.push_back(json(std::string(key)) + ": " + value);
}

/// All fields but those that have their default. own(key): the value of one without a member.
template <class Struct, class Own = decltype([](std::string_view) { return ""; })>
Members membersOf(const Struct& of, Own own = {}) {
  static const Struct usual{};
  Members members;
  for (const Field<Struct>& field : fields<Struct>()) {
    const auto value = [&](auto member) {
      if constexpr (std::is_same_v<decltype(member), std::monostate>) {
        return std::string(own(field.key));
      } else {
        return !field.required() && of.*member == usual.*member ? "" : json(of.*member);
      }
    };
    add(members, field.key, std::visit(value, field.member));
  }
  return members;
}

/// "{"key": value, ...}".
std::string object(const Members& members) {
  std::string line = "{";
  for (const std::string& member : members) line += (line.size() > 1 ? ", " : "") + member;
  return line + "}";
}

/// "OPEN\n  line,\n  line\nCLOSE", or "OPENCLOSE" without lines.
std::string block(char open, const std::vector<std::string>& lines, char close, const std::string& indent) {
  std::string text(1, open);
  for (std::size_t i = 0; i < lines.size(); ++i) text += (i == 0 ? "\n" : ",\n") + indent + "  " + lines[i];
  return text + (lines.empty() ? "" : "\n" + indent) + close;
}

std::string graphText(const Graph& graph, const std::string& indent);

std::string nodeText(const Node& node, const std::string& indent) {
  Members members = membersOf(node);
  if (node.body) {
    const Members region = membersOf(*node.body);
    members.insert(members.begin() + 2, region.begin(), region.end());  // behind name and kind
    add(members, "program", graphText(node.body->body, indent));
  }
  return object(members);
}

std::string graphText(const Graph& graph, const std::string& indent) {
  const std::string inner = indent + "  ";
  std::vector<std::string> nodes, streams;
  for (const Node& node : graph.nodes) nodes.push_back(nodeText(node, inner + "  "));
  for (const Stream& stream : graph.streams) streams.push_back(object(membersOf(stream)));
  return block(
      '{', {"\"nodes\": " + block('[', nodes, ']', inner), "\"streams\": " + block('[', streams, ']', inner)},
      '}', indent);
}

std::string knobText(const Knob& knob) {
  return object(membersOf(knob, [&](std::string_view) {
    const auto position = static_cast<std::size_t>(knob.initial);
    const bool choice = knob.kind == KnobKind::Choice && knob.initial >= 0 && position < knob.choices.size();
    return choice ? json(knob.choices[position]) : json(knob.initial);
  }));
}

std::string inputText(const Input& input) {
  return object(membersOf(input, [&](std::string_view key) -> std::string {
    if (!input.data) return "";
    if (key == "data") return json(input.data->data);
    const std::vector<std::uint64_t> shape(input.data->shape.begin(), input.data->shape.end());
    return shape == std::vector<std::uint64_t>{input.data->data.size()} ? "" : json(shape);
  }));
}

std::string figureText(const Figure& figure) {
  return object(membersOf(figure, [&](std::string_view) {
    std::vector<std::string> panels;
    for (const FigurePanel& panel : figure.panels) panels.push_back(object(membersOf(panel)));
    return panels.empty() ? "" : block('[', panels, ']', "    ");
  }));
}

template <class T, class Print>
std::vector<std::string> texts(const std::vector<T>& things, Print print) {
  std::vector<std::string> lines;
  for (const T& thing : things) lines.push_back(print(thing));
  return lines;
}

}  // namespace

std::string writeDocument(const Document& document) {
  Members constants, parts{"\"sluice\": " + std::to_string(Document::current_version)};
  for (const auto& [name, value] : document.constants) add(constants, name, json(value));
  const auto add_text = [&](const char* key, const std::string& text) {
    if (!text.empty()) add(parts, key, json(text));
  };
  const auto add_block = [&](const char* key, char open, const std::vector<std::string>& lines, char close) {
    if (!lines.empty()) add(parts, key, block(open, lines, close, "  "));
  };
  const auto step_text = [](const ScheduleStep& step) { return object(membersOf(step)); };
  add_text("title", document.title);
  add_text("description", document.description);
  add_block("constants", '{', constants, '}');
  add_block("knobs", '[', texts(document.knobs, knobText), ']');
  add(parts, "program", graphText(document.program, "  "));
  add_block("schedule", '[', texts(document.schedule, step_text), ']');
  add_block("machine", '{', membersOf(document.machine), '}');
  add_block("inputs", '[', texts(document.inputs, inputText), ']');
  add_block("figures", '[', texts(document.figures, figureText), ']');
  if (const auto& provenance = document.provenance)
    add_block("provenance", '{',
              membersOf(*provenance, [&](std::string_view) { return json(provenance->trust); }), '}');
  if (!document.pinned.empty())
    add(parts, "pinned", json(std::vector(document.pinned.begin(), document.pinned.end())));
  return block('{', parts, '}', "") + "\n";
}

Result<Done> saveDocument(const Document& document, const std::filesystem::path& file) {
  return writeFileAtomically(file, writeDocument(document));
}

}  // namespace sluice::inline program
