#pragma once
// How much of an ONNX model a program covers.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/tensor/onnx/onnx_model.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

/// Of one node.
struct OnnxWork {
  std::int64_t products = 0;  ///< multiplications of matrix products, convolutions
  std::int64_t bytes = 0;     ///< of the constants that it reads and of what it makes
  bool unknown = false;       ///< what it computes, or on how much, is not known
};

/// The products of matrices that an Einsum of operands of these shapes becomes; empty where it is not known
/// (operators/einsum.cpp).
std::optional<std::int64_t> productsOfEinsum(const OnnxNode& node,
                                             std::span<const std::vector<std::int64_t>> shapes);

/// From inferred shapes.
OnnxWork workOf(const OnnxGraph& graph, const OnnxNode& node);

struct OnnxCut {
  std::string node, op, why;
  OnnxWork work;
  std::size_t origin = 0;  ///< of the node: several cuts may be parts of one
};

struct OnnxCoverage {
  std::size_t nodes = 0;  ///< of the model as it is written, constants aside
  std::int64_t products = 0, bytes = 0;
  std::size_t pieces = 0;     ///< parts of the program that no tensor connects
  std::vector<OnnxCut> cuts;  ///< in the model's order

  void count(const OnnxWork& work);
  void cut(const OnnxNode& node, const OnnxWork& work, const std::string& why);

  /// Without those of which a part is cut out.
  std::size_t nodesUnderstood() const;
  std::int64_t productsCut() const;
  std::int64_t bytesCut() const;
  std::size_t unknownCuts() const;
  /// From 0 to 1; 1 where there are none.
  double shareOfProducts() const;
  double shareOfBytes() const;
};

/// Parts of a program that share no tensor but those from outside.
std::size_t piecesOf(const TensorProgram& program);

/// "MatMul (3), TopK": operators that were cut out, the one with the most products first, each with its
/// reason.
std::string wanting(const OnnxCoverage& coverage);

}  // namespace sluice::inline tensor
