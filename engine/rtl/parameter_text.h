#pragma once
// The parameters of a module as SystemVerilog, from those of the operator and the machine.

#include <string>
#include <utility>
#include <vector>

#include "engine/core/result.h"
#include "engine/program/flat_graph.h"
#include "engine/rtl/module_library.h"

namespace sluice::inline rtl {

/// Where the operator keeps the tokens of its groups.
struct GroupPlaces {
  std::uint64_t first = 0, size = 0;
};

/// In the module's order. An error names the operator whose choice the module does not know.
Result<std::vector<std::pair<std::string, std::string>>> parameterTexts(const FlatOperator& op,
                                                                        const BoundMachine& machine,
                                                                        const InputSet& inputs,
                                                                        const GroupPlaces& groups,
                                                                        const RtlModule& module);

}  // namespace sluice::inline rtl
