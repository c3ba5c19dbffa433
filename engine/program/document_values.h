#pragma once
// Every value that a document holds, and the names that a value mentions.

#include <functional>
#include <set>
#include <string>

#include "engine/program/document.h"

namespace sluice::inline program {

/// Visits constants, parameters, counts and widths of regions, depths and indices of streams, arguments of
/// the schedule, and the machine.
void forEachValue(const Document& document, const std::function<void(const Value&)>& visit);

/// Adds every name that the value mentions, in expressions, in "=knob" and as a plain text.
void addNames(const Value& value, std::set<std::string>& names);

}  // namespace sluice::inline program
