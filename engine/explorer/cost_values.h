#pragma once
// The symbolic cost of an operator or a program as numbers, at one design point.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/operators/inference.h"

namespace sluice::inline explorer {

/// The values of a Cost; absent where a symbol is only known after a run.
struct CostValues {
  std::optional<double> off_chip_bytes, on_chip_bytes, flops;
  std::optional<double> compute;  ///< allocated FLOPs per cycle

  const std::optional<double>& of(Expr Cost::*term) const;
};

struct CostTerm {
  Expr Cost::*formula;
  std::optional<double> CostValues::*value;
  const char* what;  ///< "bytes on chip"
};
std::span<const CostTerm> costTerms();

/// Symbols with a known value: knobs, routed tokens.
using KnownSymbols = std::map<std::string, double>;
/// The values of `costs`; one compilation for all that can be evaluated.
std::vector<CostValues> valuesOf(std::span<const Cost> costs, const KnownSymbols& known);

/// The nearest count; 0 where nothing is known.
std::uint64_t rounded(const std::optional<double>& value);
/// 0 where there is nothing to divide by.
double ratioOf(double above, double below);

}  // namespace sluice::inline explorer
