#pragma once
// The graph of an ONNX model in plain values: what onnx.cpp converts.

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace sluice::inline tensor {

/// Without its fraction; what is far beyond every extent stays at the bound.
inline std::int64_t integerFrom(double number) {
  constexpr double most = 4.611686018427388e18;  // 2^62
  return number >= most   ? std::int64_t{1} << 62
         : number > -most ? static_cast<std::int64_t>(number)
                          : -(std::int64_t{1} << 62);
}

struct OnnxValue {
  std::optional<std::vector<std::int64_t>> shape;
  std::int64_t type = 0;  ///< for onnxType()
  bool constant = false;  ///< an initializer, a Constant, or computed from such and from shapes
  bool derived = false;   ///< the last of these, and no number alone: nobody has it as a tensor
  std::optional<std::vector<double>> elements;  ///< where they are few, and integers or one number
  std::optional<std::int64_t> largest;          ///< of integers that are counted, also where they are many
  std::int64_t stored = 0;  ///< the type of a constant that is stored in fewer bits, else 0
  std::string unread;       ///< why integers have none

  /// The only one, or the one that all are.
  std::optional<double> number() const {
    if (!elements || elements->empty()) return {};
    for (const double element : *elements)
      if (element != elements->front()) return {};
    return elements->front();
  }
  std::optional<std::vector<std::int64_t>> integers() const {
    if (!elements) return {};
    std::vector<std::int64_t> numbers;
    for (const double number : *elements) numbers.push_back(integerFrom(number));
    return numbers;
  }
};

/// Elements of a constant that are read and computed with: what is a shape or an index has fewer.
constexpr std::int64_t most_onnx_elements = 512;
/// Types of ONNX that rules name.
constexpr std::int64_t onnx_float = 1, onnx_int32 = 6, onnx_int64 = 7, onnx_string = 8, onnx_bool = 9;

struct OnnxBody;

struct OnnxNode {
  std::string op, name;
  std::vector<std::string> inputs;  ///< empty: an optional input that is not given
  std::vector<std::string> outputs;
  std::map<std::string, std::int64_t> integers;
  std::map<std::string, std::vector<std::int64_t>> lists;
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> texts;
  std::set<std::string> captured = {};  ///< values from outside that its subgraphs read, as those of If do
  std::map<std::string, std::vector<std::string>> words = {};  ///< lists of texts
  /// The graphs of an If, a Loop or a Scan, whose values have names of their own.
  std::map<std::string, std::shared_ptr<const OnnxBody>> bodies = {};
  std::size_t origin = 0;  ///< the number of the model's node that it is, or that it is a part of
  /// Of a Conv that a ConvTranspose became: one of so many elements of its input is no zero between others.
  std::int64_t spread = 0;
};

struct OnnxBody {
  std::vector<OnnxNode> nodes;
  std::vector<std::string> outputs;
  std::vector<std::string> inputs = {};
};

/// What a value of a node's graph `body` is called outside of it; the node is known by its first output.
inline std::string nameInBody(const std::string& output, const std::string& body, const std::string& value) {
  return output + "/" + body + "/" + value;
}

/// "node 'h_node' (Gelu)".
inline Location placeOf(const OnnxNode& node) {
  return Location(Where::Node, node.name, node.op);
}

struct OnnxGraph {
  std::string name;
  std::int64_t opset = 0;
  std::vector<OnnxNode> nodes;  ///< Constants are values, not nodes
  std::size_t written = 0;      ///< nodes of the model, before one becomes several
  std::map<std::string, OnnxValue> values;
  std::vector<std::string> outputs;
  std::int64_t most_elements = most_onnx_elements;   ///< of a value that is computed from constants
  std::map<std::string, std::int64_t> extents = {};  ///< that symbolic dimensions were given
  /// Filled in by inferShapes() where it is there: every node in its order, with those of the branches that
  /// are taken.
  std::optional<std::vector<OnnxNode>> all = {};
};

/// Whether operators of that name have graphs that may take their place.
bool hasBodies(const std::string& op);
/// A ModelProto as it is written, its functions inlined; fields of more than `most_bytes` are cut off there.
Result<nlohmann::json> readOnnxModel(std::string_view bytes, const Location& place, std::size_t most_bytes,
                                     const std::stop_token& stop);

/// Thrown where a value has no shape: neither the model nor its operators give it.
struct MissingShape {
  std::string value;  ///< its name
  std::string cause;
  std::string fix =
      "an operator before it is not known here: save the model with the shapes of its values "
      "(onnx.shape_inference.infer_shapes)";
};

/// `dimensions`: extents of symbolic dimensions, also of a nameless one, as "x.0" for the first of the input
/// x. Dimensions that are expressions of others ("Min(512, seq)") follow from these. One that the model does
/// not have is an error, so are those without an extent, all in one, and a stop request. Places are those in
/// the model; where the bytes are none, `file`.
Result<OnnxGraph> readOnnx(std::string_view bytes, const Location& file,
                           const std::map<std::string, std::int64_t>& dimensions,
                           const std::stop_token& stop = {});

/// The usual groups of operators that exporters take apart become one node again, where they compute what it
/// computes: GELU and SiLU, layer and RMS normalization ("Gelu", "Silu", "LayerNormalization",
/// "RMSNormalization", with their attributes). Says which. A stop request leaves the rest as they are.
Diagnostics joinGroups(OnnxGraph& graph, const std::stop_token& stop = {});

}  // namespace sluice::inline tensor
