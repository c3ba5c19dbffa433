#include "engine/program/document.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

#include "engine/program/spelling.h"

namespace sluice::inline program {
namespace {

/// "2" is the number 2, everything else an expression.
Value indexValue(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return text;
}

/// How many values minimum, minimum + step ... maximum are; 0 where there are none.
std::uint64_t rangeSize(const Knob& knob) {
  if (knob.step < 1 || knob.minimum > knob.maximum) return 0;
  const auto span = static_cast<std::uint64_t>(knob.maximum) - static_cast<std::uint64_t>(knob.minimum);
  const std::uint64_t steps = span / static_cast<std::uint64_t>(knob.step);
  return steps == std::numeric_limits<std::uint64_t>::max() ? steps : steps + 1;
}

std::vector<std::int64_t> rangeValues(const Knob& knob) {
  std::vector<std::int64_t> values;
  const std::uint64_t count = std::min<std::uint64_t>(rangeSize(knob), Knob::max_values);
  for (std::uint64_t i = 0; i < count; ++i) {  // unsigned, because i * step may be wider than int64
    const std::uint64_t above = i * static_cast<std::uint64_t>(knob.step);
    values.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(knob.minimum) + above));
  }
  return values;
}

std::vector<std::int64_t> powersOfTwo(const Knob& knob) {
  std::vector<std::int64_t> values;
  for (int exponent = 0; exponent < 63; ++exponent) {
    const std::int64_t power = std::int64_t{1} << exponent;
    if (power >= knob.minimum && power <= knob.maximum) values.push_back(power);
  }
  return values;
}

/// In a document that is const or not.
template <class AnyDocument>
auto graphOf(AnyDocument& document, const std::string& path) -> decltype(&document.program) {
  auto* graph = &document.program;
  for (std::size_t from = 0; !path.empty() && from <= path.size();) {
    const std::size_t dot = std::min(path.find('.', from), path.size());
    const std::string_view name = std::string_view(path).substr(from, dot - from);
    const auto node = std::find_if(graph->nodes.begin(), graph->nodes.end(),
                                   [&](const Node& each) { return each.name == name; });
    if (node == graph->nodes.end() || !node->body) return nullptr;
    graph = &node->body->body;
    from = dot + 1;
  }
  return graph;
}

}  // namespace

std::string text(const Endpoint& endpoint) {
  const std::string index = endpoint.index ? "[" + text(*endpoint.index) + "]" : "";
  return endpoint.node + "." + endpoint.port + index;
}

std::optional<Endpoint> parseEndpoint(const std::string& text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos) return std::nullopt;
  Endpoint endpoint;
  endpoint.node = text.substr(0, dot);
  std::string rest = text.substr(dot + 1);
  if (const std::size_t bracket = rest.find('['); bracket != std::string::npos) {
    const std::string index = rest.substr(bracket + 1, rest.size() - bracket - 2);
    const bool blank = index.find_first_not_of(' ') == std::string::npos;
    if (rest.back() != ']' || blank || index.find_first_of("[]") != std::string::npos) return std::nullopt;
    endpoint.index = indexValue(index);
    rest.resize(bracket);
  }
  endpoint.port = rest;
  if (!isIdentifier(endpoint.node) || !isIdentifier(endpoint.port)) return std::nullopt;
  return endpoint;
}

const Node* Graph::find(const std::string& name) const {
  const auto found =
      std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) { return node.name == name; });
  return found == nodes.end() ? nullptr : &*found;
}

std::vector<std::int64_t> Knob::values() const {
  switch (kind) {
    case KnobKind::Range:
      return rangeValues(*this);
    case KnobKind::List:
      return list;
    case KnobKind::PowerOfTwo:
      return powersOfTwo(*this);
    case KnobKind::Choice:
      break;
  }
  std::vector<std::int64_t> positions;
  for (std::size_t i = 0; i < choices.size(); ++i) positions.push_back(static_cast<std::int64_t>(i));
  return positions;
}

std::uint64_t Knob::size() const {
  return kind == KnobKind::Range ? rangeSize(*this) : values().size();
}

bool Knob::allows(std::int64_t value) const {
  if (kind == KnobKind::Range) {
    const auto above = static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(minimum);
    return step >= 1 && value >= minimum && value <= maximum && above % static_cast<std::uint64_t>(step) == 0;
  }
  const std::vector<std::int64_t> all = values();
  return std::find(all.begin(), all.end(), value) != all.end();
}

const Graph* findGraph(const Document& document, const std::string& path) {
  return graphOf(document, path);
}

Graph* findGraph(Document& document, const std::string& path) {
  return graphOf(document, path);
}

const Figure* findFigure(const Document& document, const std::string& name) {
  const auto found = std::ranges::find(document.figures, name, &Figure::name);
  return found == document.figures.end() ? nullptr : &*found;
}

KnobValues defaultKnobs(const Document& document) {
  KnobValues values;
  for (const Knob& knob : document.knobs) values[knob.name] = knob.initial;
  return values;
}

}  // namespace sluice::inline program
