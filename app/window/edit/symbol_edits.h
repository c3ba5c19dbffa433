#pragma once
// Edits of what has a name in expressions or is named by operators: knobs, constants, inputs. Another name
// goes everywhere where the old one is used: parameters, counts and widths of regions, depths and indices of
// streams, other constants, arguments of the schedule, the machine. What is deleted leaves its value there.

#include <map>
#include <optional>
#include <string>

#include "engine/core/diagnostic.h"
#include "engine/program/document.h"

namespace sluice::ui {

/// Why a knob or constant may not be called so; `present`: the name that it has.
std::optional<Diagnostic> symbolRefused(const Document& document, const std::string& name,
                                        const std::string& present = {});
/// The wish, or with _2, _3 ...
std::string freeSymbol(const Document& document, const std::string& wish);

/// What the constants come to, with the knobs that are given; those that need others are left out.
std::map<std::string, std::int64_t> symbolValues(const Document& document, const KnobValues& knobs);

// Names that the document does not have change nothing.
void changeKnob(Document& document, const std::string& name, const Knob& knob);
void moveKnob(Document& document, const std::string& name, int by);
/// Where it was used stands `value`, or the text of the choice.
void removeKnob(Document& document, const std::string& name, std::int64_t value);
void changeConstant(Document& document, const std::string& name, const std::string& new_name,
                    const Value& value);
void removeConstant(Document& document, const std::string& name);
void renameInput(Document& document, const std::string& name, const std::string& new_name);

}  // namespace sluice::ui
