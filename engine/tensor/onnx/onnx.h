#pragma once
// ONNX models as tensor programs, as far as their operators are known (onnx_operators.h, README.md). Groups
// of operators that compute SiLU, GELU or one of the normalizations are found by computing them
// (onnx_functions.h), rotary embeddings and shared heads by their structure (programs/known_blocks.h). Around
// anything else the program is cut: what such an operator reads leaves the program, what it makes comes in
// from outside, and the report says so. Shapes that the model does not declare are inferred
// (onnx_inference.h). Of weights only integers and constants with one element are read here; onnx_weights.h
// reads the others. A type that tensors do not have is taken as one of its width, which the report says, or
// its operator is cut out. A cast changes the type that the operator before it writes, or is left to those
// that read its result. Names are made printable and unique: the program can be written and read again.

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/tensor/onnx/onnx_coverage.h"
#include "engine/tensor/onnx/onnx_weights.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

struct OnnxOptions {
  std::map<std::string, std::int64_t> dimensions;  ///< extents of symbolic dimensions: "seq" -> 64
  std::stop_token stop = {};
};

struct OnnxImport {
  TensorProgram program;
  Diagnostics report;  ///< notes on what was taken for something else, warnings on what was cut out
  OnnxCoverage coverage = {};
  OnnxSources sources = {};  ///< of the tensors from outside, by name
  /// Values that follow from shapes and constants alone and come in as tables; onnxWeights() computes them.
  std::vector<std::string> derived = {};
};

/// Errors: no model, a symbolic dimension without an extent, nodes out of order, shapes that nobody gives,
/// nothing understood at all; a stop request. What was cut out before is reported with the error.
Result<OnnxImport> importOnnx(std::string_view bytes, const std::string& name, const OnnxOptions& options);

/// The symbolic dimensions of the model's inputs, each once, in their order, those of expressions and
/// nameless ones ("x.0") included; none where the bytes are no model.
std::vector<std::string> onnxDimensions(std::string_view bytes);

}  // namespace sluice::inline tensor
