#pragma once
// Loop and Scan whose number of iterations follows from shapes and constants, written out: each iteration is
// the nodes of the body under names of its own.

#include <optional>
#include <string>
#include <vector>

#include "engine/tensor/onnx/onnx_model.h"

namespace sluice::inline tensor {

class OnnxUnrolling {
 public:
  /// Both must outlive it. Values that iterations begin with are added to the graph.
  OnnxUnrolling(OnnxGraph& graph, const OnnxNode& node);

  /// Once the shapes of the iterations so far are inferred: whether there is another one. Nothing: data says
  /// so, or there are more than 512, or more than 2^17 nodes.
  std::optional<bool> goesOn() const;
  /// The nodes of the next one.
  std::vector<OnnxNode> iteration();
  /// What makes the results of the last states, and of what iterations gave; nothing where these are none.
  std::optional<std::vector<OnnxNode>> results() const;

 private:
  bool isLoop() const { return node_.op == "Loop"; }
  std::size_t states() const;
  std::string inThis(const std::string& name) const;
  OnnxNode inThis(OnnxNode node) const;
  void addConstant(const std::string& name, std::int64_t type, double number);
  std::vector<OnnxNode> inputs();
  std::int64_t listed(const char* attribute, std::size_t i) const;
  std::optional<std::int64_t> length() const;

  OnnxGraph& graph_;
  const OnnxNode& node_;
  const OnnxBody* body_ = nullptr;
  std::int64_t done_ = 0;
  std::string condition_;                        ///< of the next iteration; empty: none
  std::vector<std::string> state_;               ///< now
  std::vector<std::vector<std::string>> given_;  ///< by the iterations, of each result behind the states
};

}  // namespace sluice::inline tensor
