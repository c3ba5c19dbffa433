#pragma once
// The graph of an ONNX model in plain values: what onnx.cpp converts.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace sluice {

struct OnnxValue {
  std::optional<std::vector<std::int64_t>> shape;
  std::int64_t type = 0;                              ///< for onnxType()
  bool constant = false;                              ///< an initializer or a Constant
  std::optional<std::vector<std::int64_t>> integers;  ///< of a constant of 64-bit integers
  std::optional<double> number;                       ///< of a constant with one element
  std::string unread;                                 ///< why such a constant has none
};

struct OnnxNode {
  std::string op, name;
  std::vector<std::string> inputs;  ///< empty: an optional input that is not given
  std::vector<std::string> outputs;
  std::map<std::string, std::int64_t> integers;
  std::map<std::string, std::vector<std::int64_t>> lists;
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> texts;
};

struct OnnxGraph {
  std::string name;
  std::int64_t opset = 0;
  std::vector<OnnxNode> nodes;  ///< Constants are values, not nodes
  std::map<std::string, OnnxValue> values;
  std::vector<std::string> outputs;
};

/// `dimensions`: extents of symbolic dimensions; one that the model does not have is an error, and so is a
/// stop request.
Result<OnnxGraph> readOnnx(std::string_view bytes, const std::string& name,
                           const std::map<std::string, std::int64_t>& dimensions,
                           const std::stop_token& stop = {});

/// The usual groups of operators that exporters take apart become one node again, where they compute what it
/// computes: GELU and SiLU, layer and RMS normalization ("Gelu", "Silu", "LayerNormalization",
/// "RMSNormalization", with their attributes). Says which. A stop request leaves the rest as they are.
Diagnostics joinGroups(OnnxGraph& graph, const std::stop_token& stop = {});

}  // namespace sluice
