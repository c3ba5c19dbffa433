#pragma once
// Functions that exporters take apart, known again by what they compute: a group of nodes is run on rows of
// numbers and compared with the functions that a program has.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sluice::inline tensor {

using NumberRow = std::vector<double>;
/// What a group makes of a row of its last dimension; empty where that is not known.
using RowFunction = std::function<std::optional<NumberRow>(const NumberRow&)>;

struct KnownFunction {
  std::string op;        ///< as an ONNX node: "Silu", "Gelu", "RMSNormalization", "LayerNormalization"
  bool by_tanh = false;  ///< Gelu: its approximation
  std::optional<double> epsilon;  ///< of a normalization
};

/// `op` of a node on numbers; empty for one that is none of one or two numbers.
std::optional<double> computed(const std::string& op, std::span<const double> operands);

/// `rounded`: the group's constants may have been rounded to 16 bits.
std::optional<KnownFunction> knownActivation(const RowFunction& group, bool rounded);
/// `constants`: numbers in the group, one of which may be its epsilon.
std::optional<KnownFunction> knownNormalization(const RowFunction& group, std::span<const double> constants,
                                                bool rounded);

}  // namespace sluice::inline tensor
