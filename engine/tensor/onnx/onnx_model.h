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

namespace sluice::inline tensor {

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

/// "node 'h_node' (Gelu)".
inline Location placeOf(const OnnxNode& node) {
  return Location(Where::Node, node.name, node.op);
}

struct OnnxGraph {
  std::string name;
  std::int64_t opset = 0;
  std::vector<OnnxNode> nodes;  ///< Constants are values, not nodes
  std::map<std::string, OnnxValue> values;
  std::vector<std::string> outputs;
};

/// Thrown where a value has no shape: neither the model nor its operators give it.
struct MissingShape {
  std::string value;  ///< its name
  std::string cause;
};

/// `dimensions`: extents of symbolic dimensions; one that the model does not have is an error, and so is a
/// stop request. Places are those in the model; where the bytes are none, `file`.
Result<OnnxGraph> readOnnx(std::string_view bytes, const Location& file,
                           const std::map<std::string, std::int64_t>& dimensions,
                           const std::stop_token& stop = {});

/// The usual groups of operators that exporters take apart become one node again, where they compute what it
/// computes: GELU and SiLU, layer and RMS normalization ("Gelu", "Silu", "LayerNormalization",
/// "RMSNormalization", with their attributes). Says which. A stop request leaves the rest as they are.
Diagnostics joinGroups(OnnxGraph& graph, const std::stop_token& stop = {});

}  // namespace sluice::inline tensor
