#pragma once
// The registry of ONNX operators: what shape each gives, and what it becomes in a tensor program. Each family
// stands in a file of operators/.

#include <span>
#include <string>
#include <string_view>

namespace sluice::inline tensor {

class OnnxInference;
class OnnxConverter;
struct OnnxNode;

struct OnnxOperator {
  std::string_view name;  ///< of the default domain, or of com.microsoft
  /// Shapes of its results, and their elements where they are few and known.
  void (*infer)(OnnxInference&) = nullptr;
  /// Its operators in the program. Throws OnnxUnknown for a form that a program does not have. Null: no form
  /// is known, and it is cut out.
  void (*convert)(OnnxConverter&, const OnnxNode&) = nullptr;
  bool several = false;  ///< convert() makes all of its results, not only the first
};

/// Null: there is none of that name.
const OnnxOperator* onnxOperator(const std::string& name);
std::span<const OnnxOperator* const> onnxOperators();

}  // namespace sluice::inline tensor
