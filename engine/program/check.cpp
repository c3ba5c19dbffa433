// check(): the errors of an elaboration at the default knobs, and warnings about what is declared but not
// used.

#include <algorithm>
#include <set>
#include <utility>

#include "engine/program/elaborate.h"
#include "engine/program/number_ranges.h"
#include "engine/program/spelling.h"

namespace sluice {
namespace {

/// Every name that a value mentions, in expressions, in "=knob" and as a plain text.
void collect(const Value& value, std::set<std::string>& names) {
  if (const auto* list = value.list()) {
    for (const Value& element : *list) collect(element, names);
  }
  const auto* written = value.string();
  if (!written) return;
  const auto partOfName = [](char c) {
    return isIdentifier(std::string_view(&c, 1)) || (c >= '0' && c <= '9');
  };
  std::string name;
  for (const char c : *written + " ") {
    if (partOfName(c)) {
      name += c;
    } else if (!name.empty()) {
      names.insert(std::exchange(name, {}));
    }
  }
}

void collect(const Values& values, std::set<std::string>& names) {
  for (const auto& [name, value] : values) collect(value, names);
}

void collect(const Graph& graph, std::set<std::string>& names) {
  for (const Node& node : graph.nodes) {
    collect(node.parameters, names);
    if (!node.body) continue;
    collect(node.body->count, names);
    collect(node.body->widths, names);
    collect(node.body->body, names);
  }
  for (const Stream& stream : graph.streams) {
    for (const auto* value : {&stream.depth, &stream.from.index, &stream.to.index})
      if (*value) collect(**value, names);
  }
}

void collect(const Machine& machine, std::set<std::string>& names) {
  for (const MachineNumber& number : machineNumbers()) collect(machine.*number.written, names);
  collect(machine.hbm_timing, names);
}

std::set<std::string> usedNames(const Document& document) {
  std::set<std::string> names;
  collect(document.program, names);
  collect(document.machine, names);
  for (const ScheduleStep& step : document.schedule) collect(step.arguments, names);
  for (const auto& [constant, value] : document.constants) collect(value, names);
  return names;
}

Diagnostic warning(Location place, std::string cause, std::string fix) {
  return {Severity::Warning, std::move(place), std::move(cause), std::move(fix)};
}

void warnUnused(const Document& document, Diagnostics& diagnostics) {
  const std::set<std::string> used = usedNames(document);
  for (const auto& [name, value] : document.constants) {
    if (!used.contains(name))
      diagnostics.push_back(warning(Location(Where::Constant, name), "nothing uses it",
                                    "use it in an expression, or remove it"));
  }
  for (const Knob& knob : document.knobs) {
    if (!used.contains(knob.name)) {
      diagnostics.push_back(warning(Location(Where::Knob, knob.name),
                                    "nothing uses it: its values give the same design",
                                    "use it in an expression, or remove it"));
    }
  }
  for (const Input& input : document.inputs) {
    if (!used.contains(input.name))
      diagnostics.push_back(warning(Location(Where::Input, input.name), "no operator reads it",
                                    "name it in a SelectGen or MetadataGen, or remove it"));
  }
}

/// Fields that the kind of the knob does not look at.
void warnStray(const Knob& knob, Diagnostics& diagnostics) {
  const Knob plain;
  const bool range = knob.kind == KnobKind::Range || knob.kind == KnobKind::PowerOfTwo;
  const bool bounds = knob.minimum != plain.minimum || knob.maximum != plain.maximum;
  const auto stray = [&](bool is, const char* key) {
    if (is)
      diagnostics.push_back(warning(Location(Where::Knob, knob.name),
                                    std::string("a knob of its kind does not look at '") + key + "'",
                                    "remove it"));
  };
  stray(!range && bounds, "minimum and maximum");
  stray(knob.kind != KnobKind::Range && knob.step != plain.step, "step");
  stray(knob.kind != KnobKind::List && !knob.list.empty(), "values");
  stray(knob.kind != KnobKind::Choice && !knob.choices.empty(), "choices");
}

/// An input has exactly one source.
void checkSource(const Input& input, Diagnostics& diagnostics) {
  const bool synthetic = !input.counts.empty() || input.tokens != 0 || input.experts != 0 || input.top_k != 0;
  const int sources = (input.file.empty() ? 0 : 1) + (input.data ? 1 : 0) + (synthetic ? 1 : 0);
  if (sources == 1) return;
  diagnostics.push_back(
      {Severity::Error, Location(Where::Input, input.name),
       sources == 0 ? "it has no source of values" : "it has more than one source of values",
       "give exactly one of: a file, inline data, or counts, tokens, experts and top_k of a synthetic "
       "routing"});
}

}  // namespace

Diagnostics check(const Document& document, const Catalog& catalog, const std::stop_token& stop) {
  Diagnostics diagnostics;
  if (const Result<FlatGraph> graph = elaborate(document, {}, catalog, stop); !graph)
    diagnostics = graph.diagnostics();
  if (isCancelled(diagnostics)) return diagnostics;
  for (const Input& input : document.inputs) checkSource(input, diagnostics);
  for (const Knob& knob : document.knobs) warnStray(knob, diagnostics);
  warnUnused(document, diagnostics);
  return diagnostics;
}

}  // namespace sluice
