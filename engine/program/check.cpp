// check(): the errors of an elaboration at the default knobs, and warnings about what is declared but not
// used.

#include <set>

#include "engine/program/document_values.h"
#include "engine/program/elaborate.h"
#include "engine/program/trace_source.h"

namespace sluice::inline program {
namespace {

void warnUnused(const Document& document, Diagnostics& diagnostics) {
  std::set<std::string> used;
  forEachValue(document, [&](const Value& value) { addNames(value, used); });
  for (const auto& [name, value] : document.constants) {
    if (!used.contains(name))
      diagnostics.push_back(warning("unused-name", Location(Where::Constant, name), "nothing uses it",
                                    "use it in an expression, or remove it"));
  }
  for (const Knob& knob : document.knobs) {
    if (!used.contains(knob.name)) {
      diagnostics.push_back(warning("unused-name", Location(Where::Knob, knob.name),
                                    "nothing uses it: its values give the same design",
                                    "use it in an expression, or remove it"));
    }
  }
  for (const Input& input : document.inputs) {
    if (!used.contains(input.name))
      diagnostics.push_back(warning("unused-name", Location(Where::Input, input.name), "no operator reads it",
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
      diagnostics.push_back(warning("unused-name", Location(Where::Knob, knob.name),
                                    std::string("a knob of its kind does not look at '") + key + "'",
                                    "remove it"));
  };
  stray(!range && bounds, "minimum and maximum");
  stray(knob.kind != KnobKind::Range && knob.step != plain.step, "step");
  stray(knob.kind != KnobKind::List && !knob.list.empty(), "values");
  stray(knob.kind != KnobKind::Choice && !knob.choices.empty(), "choices");
}

/// An input has exactly one source; of a set of traces tokens, experts, top_k and counts say what they are
/// like.
void checkSource(const Input& input, Diagnostics& diagnostics) {
  const bool sizes = !input.counts.empty() || input.tokens != 0 || input.experts != 0 || input.top_k != 0;
  const bool synthetic = sizes && !isTraceSet(input.file);
  const int sources = (input.file.empty() ? 0 : 1) + (input.data ? 1 : 0) + (synthetic ? 1 : 0);
  if (sources == 1) return;
  diagnostics.push_back(
      error(sources == 0 ? Code("missing-data") : Code("duplicate-field"), Location(Where::Input, input.name),
            sources == 0 ? "it has no source of values" : "it has more than one source of values",
            "give exactly one of: a file, inline data, or counts, tokens, experts and top_k of a synthetic "
            "routing"));
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

}  // namespace sluice::inline program
