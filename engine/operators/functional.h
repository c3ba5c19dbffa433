#pragma once
// Functional mode: a simulation that also computes. Tiles carry their elements, loads read tensors, stores
// write them. For verification: a transformed program must give the same tensors as the plain one.
//
//   const auto before = compute(plain, inputs), after = compute(transformed, inputs);
//   EXPECT_LT(maxRelativeError((*after).at("y"), (*before).at("y")), 1e-5);

#include <memory>
#include <stop_token>

#include "engine/operators/tensor_memory.h"
#include "engine/operators/tile_arithmetic.h"

namespace sluice::inline operators {

struct ComputeOptions {
  Precision precision = Precision::Float32;
  TensorSet tensors;  ///< contents of off-chip memory; a tensor that is missing is filledTensor() of its name
  TaskValuesByName tasks;                               ///< of operators that were lowered from tasks
  std::uint64_t memory_limit = std::uint64_t{4} << 30;  ///< bytes of tile elements, and again of tensors
  std::stop_token stop;
  /// Gets the names of the tensors that are read, and that neither `tensors` nor a store gives: their numbers
  /// are made up.
  std::vector<std::string>* made_up = nullptr;
};

/// The tensors that the program's stores wrote. Errors: tensors that do not fit the operators, and a run that
/// ends with a fault or a deadlock, or is stopped.
Result<TensorSet> compute(const FlatGraph& graph, const InputSet& inputs, const ComputeOptions& options = {});

/// The largest difference of two elements, relative to the largest magnitude in `expected`; infinite where
/// shapes differ or a number is none.
double maxRelativeError(const FloatTensor& actual, const FloatTensor& expected);

/// What the operators of one functional run share.
class Functional {
 public:
  /// `graph` must outlive it.
  static Result<std::unique_ptr<Functional>> of(const FlatGraph& graph, const ComputeOptions& options);

  TileArithmetic& arithmetic() { return arithmetic_; }
  TensorPort* port(const FlatOperator& op) { return memory_.port(op); }
  TaskValues* task(const FlatOperator& op) const {
    const auto found = tasks_.find(op.name);
    return found == tasks_.end() ? nullptr : found->second;
  }
  TensorSet outputs() const { return memory_.outputs(); }

 private:
  explicit Functional(const ComputeOptions& options) : arithmetic_(options.precision, options.memory_limit) {}

  TileArithmetic arithmetic_;
  TaskValuesByName tasks_;
  TensorMemory memory_;
};

}  // namespace sluice::inline operators
