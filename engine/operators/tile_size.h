#pragma once
// Parameters that are the size of a tile: [rows, columns].

#include "engine/operators/operator.h"

namespace sluice::inline operators {

/// `fix`: "write init as [rows, columns]".
inline std::optional<Diagnostic> checkTwoNumbers(const ShapeContext& t, const std::string& parameter,
                                                 const std::string& fix) {
  const std::size_t given = t.op.parameters.list(parameter).size();
  if (given == 2) return {};
  return t.problem("operator-rule", "",
                   parameter + " has " + std::to_string(given) + " numbers, but a tile is two-dimensional",
                   fix);
}

/// The tile that an accumulation starts from, by the parameter "init".
inline simulator::Token initialTile(const Instance& instance) {
  const std::vector<std::uint64_t> init = instance.list("init");
  return simulator::Token::tile(static_cast<std::uint32_t>(init[0]), static_cast<std::uint32_t>(init[1]), 1,
                                false);
}

}  // namespace sluice::inline operators
