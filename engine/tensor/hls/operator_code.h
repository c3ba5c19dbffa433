#pragma once
// What a kernel does with the tiles that have come: the arrays that it keeps them in, and its loops. The
// order of every sum is that of tensorValues(), so results are the same bits.

#include "engine/tensor/dataflow/dataflow.h"
#include "engine/tensor/hls/code_writer.h"
#include "engine/tensor/hls/stream_code.h"

namespace sluice::inline tensor {

/// Whether the operator sums over tiles of its input `port` (of readTensors()).
bool isSummed(const TensorOperator& op, std::size_t port);

/// A compute task's operator on its tiles.
class OperatorCode {
 public:
  /// `unroll` has a factor of each loop of nestOf(); the design is a verified one.
  OperatorCode(const DataflowDesign& design, const Task& task, std::vector<std::int64_t> unroll,
               std::span<const NumberFormat> formats);

  const std::vector<HlsArray>& inputs() const { return inputs_; }
  const HlsArray& result() const { return result_; }
  /// Of a product of integers: its sums.
  const std::optional<HlsArray>& sums() const { return sums_; }
  /// Whether it sums over tiles: tiles of isSummed() ports come first, the others once for a result.
  bool sumsTiles() const;

  /// Before the tiles that are summed over come: nothing but sums of 0.
  void begin(CodeWriter& code) const;
  /// With a tile of each summed input; or, of what is no product, with all inputs.
  void work(CodeWriter& code) const;
  /// With the inputs that come once for a result.
  void finish(CodeWriter& code) const;

 private:
  std::int64_t factor(std::size_t from, std::size_t to, std::int64_t extent) const;
  void makeArrays(const Task& task);
  void makeProductArrays();
  void makeWindowArrays();
  void clear(CodeWriter& code) const;
  void flatLoop(CodeWriter& code, std::int64_t extent) const;
  void steps(CodeWriter& code, const std::vector<ElementwiseStep>& list, std::size_t operand,
             const HlsArray& array) const;
  std::string second(std::size_t port, std::int64_t size) const;
  void product(CodeWriter& code) const;
  void convolution(CodeWriter& code) const;
  void pool(CodeWriter& code) const;
  void openTaps(CodeWriter& code) const;
  void closeTaps(CodeWriter& code) const;
  void channelBias(CodeWriter& code) const;
  void elementwise(CodeWriter& code) const;
  void softmax(CodeWriter& code) const;
  void norm(CodeWriter& code) const;
  void rotary(CodeWriter& code) const;
  void reduce(CodeWriter& code) const;
  void moving(CodeWriter& code) const;
  void concat(CodeWriter& code) const;
  std::string sourceOfMove() const;

  const TensorOperator& op_;
  std::vector<std::vector<std::int64_t>> tiles_;  ///< of the inputs
  std::vector<std::int64_t> tile_;                ///< of the result
  std::vector<std::int64_t> unroll_;
  std::vector<HlsArray> inputs_;
  HlsArray result_;
  std::optional<HlsArray> sums_;
  float sums_scale_ = 1;  ///< what a sum of 1 stands for
};

}  // namespace sluice::inline tensor
