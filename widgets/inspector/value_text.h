#pragma once
// Reads a parameter as the user types it: "16", "F/f"; a list as "[1, N]", "1, N", "1xN", "1 x N" or "1 N";
// iterative tensor types as "itensor<...>, itensor<...>".

#include <QString>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/program/operator_spec.h"

namespace sluice::ui {

/// Integer, IntegerList, Text and Orders. `names`: what an expression may refer to; any other name is
/// refused, with a place that has it as its symbol.
Result<Value> parseValue(const ParameterSpec& spec, const QString& text,
                         const std::vector<std::string>& names);

}  // namespace sluice::ui
