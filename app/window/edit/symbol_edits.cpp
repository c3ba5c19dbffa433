#include "app/window/edit/symbol_edits.h"

#include <algorithm>
#include <functional>
#include <set>

#include "engine/explorer/tables.h"
#include "engine/operators/registry.h"
#include "engine/program/binding.h"
#include "engine/program/fields.h"
#include "engine/program/spelling.h"
#include "engine/schedule/transformation.h"
#include "engine/symbolic/expr.h"

namespace sluice::ui {
namespace {

/// What stands for a symbol from now on.
struct Substitute {
  std::string name;
  Value value;
  std::string choice;  ///< for "=name"
};

/// As a part of an expression.
std::string asOperand(const Value& value) {
  const std::string written = text(value);
  const bool plain = value.integer() ? *value.integer() >= 0 : isIdentifier(written);
  return plain ? written : "(" + written + ")";
}

void substitute(Value& value, bool expression, const Substitute& by) {
  if (const auto* list = value.list()) {
    std::vector<Value> elements = *list;
    for (Value& element : elements) substitute(element, expression, by);
    value = Value(std::move(elements));
    return;
  }
  const std::string* written = value.string();
  if (!written) return;
  if (*written == "=" + by.name) {
    value = Value(by.choice);
  } else if (expression && *written == by.name) {
    value = Value(by.value);
  } else if (expression) {
    value = Value(replaceSymbol(*written, by.name, asOperand(by.value)));
  }
}

bool isExpression(const OperatorSpec* spec, const std::string& parameter) {
  const ParameterSpec* known = spec ? spec->parameter(parameter) : nullptr;
  return known && (known->kind == ParameterKind::Integer || known->kind == ParameterKind::IntegerList);
}

bool isExpression(const Transformation* transformation, const std::string& argument) {
  return transformation && std::ranges::any_of(transformation->spec.arguments, [&](const ArgumentSpec& each) {
           return each.name == argument &&
                  (each.kind == ArgumentKind::Integer || each.kind == ArgumentKind::Integers);
         });
}

void substituteIn(Graph& graph, const Substitute& by) {
  for (Node& node : graph.nodes) {
    const OperatorSpec* spec = builtInCatalog().find(node.kind);
    for (auto& [parameter, value] : node.parameters) substitute(value, isExpression(spec, parameter), by);
    if (!node.body) continue;
    substitute(node.body->count, true, by);
    for (auto& [port, width] : node.body->widths) substitute(width, true, by);
    // Inside, the instance's number goes by that name.
    if (node.body->index != by.name) substituteIn(node.body->body, by);
  }
  for (Stream& stream : graph.streams)
    for (std::optional<Value>* value : {&stream.depth, &stream.from.index, &stream.to.index})
      if (*value) substitute(**value, true, by);
}

void substituteEverywhere(Document& document, const Substitute& by) {
  for (auto& [name, value] : document.constants) substitute(value, true, by);
  substituteIn(document.program, by);
  for (ScheduleStep& step : document.schedule) {
    const Transformation* known = findTransformation(step.transformation);
    for (auto& [argument, value] : step.arguments) substitute(value, isExpression(known, argument), by);
  }
  for (const Field<Machine>& field : fields<Machine>()) {
    if (const auto number = field.as<Value>()) substitute(document.machine.*number, true, by);
    if (const auto numbers = field.as<Values>())
      for (auto& [name, value] : document.machine.*numbers) substitute(value, true, by);
  }
}

void rename(Document& document, const std::string& name, const std::string& new_name) {
  if (name == new_name) return;
  substituteEverywhere(document, {name, Value(new_name), "=" + new_name});
  for (Figure& figure : document.figures)
    for (FigurePanel& panel : figure.panels) {
      for (std::string* axis : {&panel.x, &panel.y})
        if (*axis == name) *axis = new_name;
      std::ranges::replace(panel.hidden, name, new_name);
      if (auto knob = panel.knobs.extract(name)) {
        knob.key() = new_name;
        panel.knobs.insert(std::move(knob));
      }
    }
}

std::vector<Knob>::iterator findKnob(Document& document, const std::string& name) {
  return std::ranges::find(document.knobs, name, &Knob::name);
}

void addIndices(const Graph& graph, std::set<std::string>& names) {
  for (const Node& node : graph.nodes) {
    if (!node.body) continue;
    names.insert(node.body->index);
    addIndices(node.body->body, names);
  }
}

std::set<std::string> takenNames(const Document& document) {
  std::set<std::string> names;
  addIndices(document.program, names);
  for (const auto& [name, value] : document.constants) names.insert(name);
  for (const Knob& knob : document.knobs) names.insert(knob.name);
  return names;
}

/// Every parameter that names an input, with the graphs inside.
void forEachInputName(Graph& graph, const std::function<void(Value&)>& visit) {
  for (Node& node : graph.nodes) {
    if (const OperatorSpec* spec = builtInCatalog().find(node.kind))
      for (const ParameterSpec& parameter : spec->parameters) {
        const auto value = node.parameters.find(parameter.name);
        if (parameter.kind == ParameterKind::Input && value != node.parameters.end()) visit(value->second);
      }
    if (node.body) forEachInputName(node.body->body, visit);
  }
}

}  // namespace

std::optional<Diagnostic> symbolRefused(const Document& document, const std::string& name,
                                        const std::string& present) {
  const Location place(Where::Field, "name");
  if (!isIdentifier(name))
    return error("invalid-name", place, "a name is made of letters, digits and _, and begins with no digit",
                 "write one such as tile_rows");
  if (Binding::reserved(name))
    return error("invalid-name", place, "'" + name + "' is a function of expressions", "choose another name");
  if (name != present && takenNames(document).contains(name))
    return error("name-taken", place, "there is a knob, a constant or a region's index of this name",
                 "choose another, such as " + freeSymbol(document, name));
  return std::nullopt;
}

std::string freeSymbol(const Document& document, const std::string& wish) {
  const std::set<std::string> taken = takenNames(document);
  const std::string stem = Binding::reserved(wish) || !isIdentifier(wish) ? "knob" : wish;
  return freeName(stem, [&](const std::string& name) { return taken.contains(name); });
}

std::map<std::string, std::int64_t> symbolValues(const Document& document, const KnobValues& knobs) {
  std::map<std::string, std::int64_t> values = knobs;
  for (bool more = true; more;) {
    more = false;
    for (const auto& [name, written] : document.constants) {
      if (values.contains(name)) continue;
      const Result<Expr> expression = parseExpr(text(written));
      const auto value = expression ? expression->value(values) : std::nullopt;
      if (value) values[name] = *value;
      more = more || value;
    }
  }
  return values;
}

void changeKnob(Document& document, const std::string& name, const Knob& knob) {
  const auto found = findKnob(document, name);
  if (found == document.knobs.end()) return;
  *found = knob;
  rename(document, name, knob.name);
}

void moveKnob(Document& document, const std::string& name, int by) {
  const auto found = findKnob(document, name);
  if (found == document.knobs.end()) return;
  const std::ptrdiff_t from = found - document.knobs.begin(), to = from + by;
  if (to < 0 || to >= std::ssize(document.knobs)) return;
  const Knob knob = *found;
  document.knobs.erase(found);
  document.knobs.insert(document.knobs.begin() + to, knob);
}

void removeKnob(Document& document, const std::string& name, std::int64_t value) {
  const auto found = findKnob(document, name);
  if (found == document.knobs.end()) return;
  const Substitute by{name, Value(value), knobText(*found, value)};
  document.knobs.erase(found);
  substituteEverywhere(document, by);
}

void changeConstant(Document& document, const std::string& name, const std::string& new_name,
                    const Value& value) {
  if (document.constants.erase(name) == 0) return;
  document.constants[new_name] = value;
  rename(document, name, new_name);
}

void removeConstant(Document& document, const std::string& name) {
  const auto found = document.constants.find(name);
  if (found == document.constants.end()) return;
  const Substitute by{name, found->second, text(found->second)};
  document.constants.erase(found);
  substituteEverywhere(document, by);
}

void renameInput(Document& document, const std::string& name, const std::string& new_name) {
  for (Input& input : document.inputs)
    if (input.name == name) input.name = new_name;
  forEachInputName(document.program, [&](Value& value) {
    if (value == Value(name)) value = Value(new_name);
    // Or the choice of a knob is the input's name.
    for (Knob& knob : document.knobs)
      if (value == Value("=" + knob.name)) std::ranges::replace(knob.choices, name, new_name);
  });
}

}  // namespace sluice::ui
