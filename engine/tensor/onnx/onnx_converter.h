#pragma once
// An ONNX graph as a tensor program, node by node: what the rules of operators build with.

#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/tensor/onnx/onnx_coverage.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_model.h"
#include "engine/tensor/onnx/onnx_weights.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

/// Why an operator cannot be converted; it is cut out then.
struct OnnxUnknown : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Without the leading dimensions of one element.
OnnxShape withoutLeadingOnes(const OnnxShape& shape);

class OnnxConverter {
 public:
  using Kind = TensorOperatorKind;

  OnnxConverter(OnnxGraph graph, std::stop_token stop);

  /// Throws MissingShape. At a stop request it is what there is so far.
  TensorProgram convert();
  /// Of a conversion, one that failed included.
  const Diagnostics& report() const { return report_; }
  /// After a conversion.
  const OnnxCoverage& coverage() const { return coverage_; }
  /// Likewise: where the tensors from outside have their values.
  const OnnxSources& sources() const { return sources_; }
  /// Likewise: values that follow from shapes and constants alone, and that come in as tables from outside.
  const std::set<std::string>& derived() const { return derived_; }

  // ---- for the rules of operators: values
  // ------------------------------------------------------------------

  std::int64_t opset() const { return graph_.opset; }
  const OnnxValue* value(const std::string& name) const;
  bool constant(const std::string& name) const;
  /// Of a constant with one element that is known.
  std::optional<double> number(const std::string& name) const;
  std::optional<OnnxShape> integers(const std::string& name) const;
  /// An attribute that later opsets have as an input; nothing where neither is given. Throws OnnxUnknown
  /// where the input is computed.
  std::optional<OnnxShape> list(const OnnxNode& node, const std::string& attribute, std::size_t input) const;
  OnnxShape shape(const std::string& name) const;
  /// Of the value's elements, as its readers see them: a cast may be left to them.
  Scalar scalar(const std::string& name);
  Scalar scalarOf(const std::string& name, std::int64_t type);
  /// The tensor of a value that is there: made before, or from outside.
  std::size_t tensor(const std::string& name);
  const TensorValue& at(std::size_t tensor) const { return program_.tensors[tensor]; }
  /// A constant in another form than it is stored in; `transposed`: its two dimensions changed places.
  std::size_t constantAs(const std::string& name, const OnnxShape& shape, TensorRole role,
                         bool transposed = false);
  /// A constant of that shape, but for leading dimensions of 1, or a single number that is repeated.
  std::size_t broadcastConstant(const std::string& name, const OnnxShape& shape, TensorRole role);
  /// A value in another shape of the same elements.
  std::size_t viewed(const std::string& name, const OnnxShape& shape);
  /// A second operand of an elementwise operator: of a suffix of the shape `whole`, repeated where it must
  /// be.
  std::size_t repeated(const std::string& name, const OnnxShape& whole, const std::string& result);
  bool isRead(const std::string& name) const { return uses_.contains(name); }
  std::size_t readers(const std::string& name) const;
  /// The kind of the operator that makes a value; nothing of what comes from outside.
  std::optional<Kind> writerOf(const std::string& name) const;

  // ---- operators
  // -------------------------------------------------------------------------------------------

  /// The tensor that the operator writes. Throws OnnxUnknown where a program does not take it.
  std::size_t add(TensorOperator op, const std::string& result, OnnxShape shape, Scalar scalar);
  /// One of several steps: its result has the scalar of its first input, and a name of its own.
  std::size_t step(TensorOperator op, const std::string& result, OnnxShape shape);
  std::size_t reshaped(std::size_t tensor, const OnnxShape& shape, const std::string& result);
  std::size_t transposed(std::size_t tensor, const std::vector<std::size_t>& permutation,
                         const std::string& result);
  /// The tensor is repeated to `shape`, dimensions counted from the last.
  std::size_t expanded(std::size_t tensor, const OnnxShape& shape, const std::string& result);
  /// `count` elements along an axis; the tensor itself where that is all of them.
  std::size_t sliced(std::size_t tensor, std::size_t axis, std::int64_t begin, std::int64_t count,
                     const std::string& result);
  /// The last operator of a node, which makes one of its results.
  void apply(const OnnxNode& node, TensorOperator op, OnnxShape shape, std::size_t output = 0);
  /// The result is that tensor, in another scalar where a cast says so.
  void give(const OnnxNode& node, std::size_t tensor, std::size_t output = 0);
  /// The result is the first input itself.
  void pass(const OnnxNode& node);
  void cast(const OnnxNode& node);
  void tell(Diagnostic diagnostic) { report_.push_back(std::move(diagnostic)); }
  /// A table that the model does not have, with `number` everywhere: a gain of 1, a bias of 0.
  std::size_t ownTable(const std::string& name, OnnxShape shape, Scalar scalar, double number);
  /// Likewise, with these elements.
  std::size_t ownTable(const std::string& name, OnnxShape shape, Scalar scalar, std::vector<float> elements);
  /// A weight that the model has in another form than any here.
  std::size_t ownWeight(const std::string& name, OnnxShape shape, Scalar scalar);
  /// A table to be added to scores: 0 where a query may see a key, the lowest number where the key is later.
  std::size_t causalMask(const std::string& name, OnnxShape shape, Scalar scalar);

 private:
  void one(const OnnxNode& node);
  std::string resolved(std::string name) const;
  Scalar resultScalar(const OnnxNode& node, std::size_t output);
  std::size_t addTensor(const std::string& name, OnnxShape shape, Scalar scalar, TensorRole role);
  std::size_t fromOutside(const std::string& wanted, OnnxShape shape, Scalar scalar, TensorRole role,
                          const OnnxSource& source);
  void nameResults();
  void nameAll(TensorProgram& program);
  std::optional<std::string> wrongWith(TensorOperator op) const;
  void cut(const OnnxNode& node, const OnnxWork& work, const std::string& why);
  void leaves(const std::string& name);

  OnnxGraph graph_;
  std::stop_token stop_;
  TensorProgram program_;
  Diagnostics report_;
  OnnxCoverage coverage_;
  OnnxSources sources_;                      ///< by the names of tensors that no operator writes
  std::map<std::string, std::size_t> uses_;  ///< readers of each value, the model's outputs included
  std::map<std::string, std::string> aliases_;
  std::map<std::string, Scalar> casts_;                             ///< value -> not the type it is stored in
  std::map<std::string, std::size_t> made_;                         ///< value -> tensor
  std::map<std::pair<std::string, OnnxShape>, std::size_t> forms_;  ///< constants in other shapes
  std::map<std::string, std::size_t> transposes_;                   ///< constants transposed
  std::map<std::size_t, Kind> writers_;                             ///< of activations
  std::set<std::size_t> results_;
  std::set<std::int64_t> inexact_;  ///< types that are taken as others
  std::set<std::string> derived_;
};

}  // namespace sluice::inline tensor
