#include "engine/tensor/hls/operator_code.h"

#include <algorithm>
#include <numeric>

#include "engine/tensor/dataflow/dataflow_tiles.h"
#include "engine/tensor/hls/function_code.h"
#include "engine/tensor/programs/operator_traits.h"

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;

bool isMatrixProduct(Kind kind) {
  return kind == Kind::Linear || kind == Kind::BatchedMatmul;
}

bool sumsOverTiles(Kind kind) {
  return isMatrixProduct(kind) || kind == Kind::Conv;
}

bool worksOnRows(Kind kind) {
  return kind == Kind::Softmax || kind == Kind::LayerNorm || kind == Kind::RmsNorm || kind == Kind::Rotary ||
         isReduction(kind);
}

std::size_t stepOperands(const std::vector<ElementwiseStep>& steps) {
  return static_cast<std::size_t>(
      std::ranges::count_if(steps, [](const ElementwiseStep& step) { return step.operand.has_value(); }));
}

}  // namespace

bool isSummed(const TensorOperator& op, std::size_t port) {
  if (!sumsOverTiles(op.kind)) return false;
  const std::size_t before = op.inputs.size() + stepOperands(op.before_steps);
  return port < 2 || (port >= op.inputs.size() && port < before);
}

OperatorCode::OperatorCode(const DataflowDesign& design, const Task& task, std::vector<std::int64_t> unroll,
                           std::span<const NumberFormat> formats)
    : op_(design.program.operators[task.subject]), unroll_(std::move(unroll)) {
  for (const TaskPort& port : task.inputs) tiles_.push_back(tileShape(port.type));
  tile_ = tileShape(task.outputs[0].type);
  makeArrays(task);
  if (!multipliesIntegers(op_, formats)) return;
  const NumberFormat &left = formats[op_.inputs[0]], &right = formats[op_.inputs[1]];
  inputs_[0].type = left.type(), inputs_[1].type = right.type();
  sums_ = result_;
  sums_->name = "sums", sums_->type = "int";
  sums_scale_ = left.scale * right.scale;
}

bool OperatorCode::sumsTiles() const {
  return sumsOverTiles(op_.kind);
}

/// The unroll factors of loops from `from` to `to`, as far as they divide the extent.
std::int64_t OperatorCode::factor(std::size_t from, std::size_t to, std::int64_t extent) const {
  std::int64_t all = 1;
  for (std::size_t d = from; d < std::min(to, unroll_.size()); ++d) all *= unroll_[d];
  return std::gcd(all, extent);
}

void OperatorCode::makeArrays(const Task& task) {
  const std::int64_t size = elementsOf(tile_);
  const std::int64_t at_once = factor(0, unroll_.size(), size);
  for (std::size_t port = 0; port < task.inputs.size(); ++port) {
    const std::int64_t own = elementsOf(tiles_[port]);
    inputs_.push_back({joined("x", port), {own}, {std::min(own, at_once)}});
  }
  result_ = {"result", {size}, {at_once}};
  if (isMatrixProduct(op_.kind)) makeProductArrays();
  if (hasWindow(op_.kind)) makeWindowArrays();
  if (!worksOnRows(op_.kind)) return;
  const std::int64_t length = tiles_[0].back(), rows = elementsOf(tiles_[0]) / length;
  const std::int64_t lanes = factor(tile_.size() - 1, unroll_.size(), length);
  inputs_[0] = {"x0", {rows, length}, {1, lanes}};
  if (!isReduction(op_.kind)) result_ = {"result", {rows, length}, {1, lanes}};
}

void OperatorCode::makeProductArrays() {
  const std::int64_t depth = tiles_[0].back(), columns = tile_.back();
  const bool batched = op_.kind == Kind::BatchedMatmul;
  const std::int64_t rows = batched ? tile_[tile_.size() - 2] : elementsOf(tile_) / columns;
  const std::int64_t batches = elementsOf(tile_) / (rows * columns);
  const std::int64_t right_batches = elementsOf(tiles_[1]) / (depth * columns);
  const std::size_t last = tile_.size() - 1;
  const std::int64_t by_row = factor(batched ? last - 1 : 0, last, rows);
  const std::int64_t by_column = factor(last, last + 1, columns);
  const std::int64_t by_depth = factor(last + 1, last + 2, depth);
  const bool transposed = !batched || op_.transposed_right;
  const auto array = [](std::string name, std::int64_t outer, std::vector<std::int64_t> shape,
                        std::vector<std::int64_t> banks) {
    if (outer > 1) shape.insert(shape.begin(), outer), banks.insert(banks.begin(), 1);
    return HlsArray{std::move(name), std::move(shape), std::move(banks)};
  };
  inputs_[0] = array("x0", batches, {rows, depth}, {by_row, by_depth});
  inputs_[1] = transposed ? array("x1", right_batches, {columns, depth}, {by_column, by_depth})
                          : array("x1", right_batches, {depth, columns}, {by_depth, by_column});
  result_ = array("result", batches, {rows, columns}, {by_row, by_column});
}

void OperatorCode::flatLoop(CodeWriter& code, std::int64_t extent) const {
  const std::int64_t at_once = factor(0, unroll_.size(), extent);
  code.loop("e", extent);
  code.pragma("pipeline II=1");
  if (at_once > 1) code.pragma("unroll factor=", at_once);
}

/// The element of an operand for element e of an array of `size`: it is repeated over leading dimensions.
std::string OperatorCode::second(std::size_t port, std::int64_t size) const {
  const std::int64_t own = inputs_[port].size();
  return inputs_[port].element(own == size ? "e" : own == 1 ? "0" : joined("e % ", own));
}

void OperatorCode::steps(CodeWriter& code, const std::vector<ElementwiseStep>& list, std::size_t operand,
                         const HlsArray& array) const {
  if (list.empty()) return;
  flatLoop(code, array.size());
  code.line("float value = ", array.element("e"), ";");
  for (const ElementwiseStep& step : list) {
    const std::string other = step.operand  ? second(operand++, array.size())
                              : step.number ? floatLiteral(*step.number)
                                            : "";
    code.line("value = ", functionText(step.kind, "value", other), ";");
  }
  code.line(array.element("e"), " = value;");
  code.close();
}

void OperatorCode::begin(CodeWriter& code) const {
  if (sumsTiles()) clear(code);
}

void OperatorCode::clear(CodeWriter& code) const {
  flatLoop(code, result_.size());
  code.line(sums_ ? sums_->element("e") + " = 0;" : result_.element("e") + " = 0.0f;");
  code.close();
}

void OperatorCode::work(CodeWriter& code) const {
  if (!op_.before_steps.empty()) steps(code, op_.before_steps, op_.inputs.size(), inputs_[0]);
  switch (op_.kind) {
    case Kind::Linear:
    case Kind::BatchedMatmul:
      return product(code);
    case Kind::Conv:
    case Kind::DepthwiseConv:
      return convolution(code);
    case Kind::MaxPool:
    case Kind::AveragePool:
      return pool(code);
    case Kind::Softmax:
      return softmax(code);
    case Kind::LayerNorm:
    case Kind::RmsNorm:
      return norm(code);
    case Kind::Rotary:
      return rotary(code);
    case Kind::Concat:
      return concat(code);
    default:
      if (isReduction(op_.kind)) return reduce(code);
      return isElementwise(op_.kind) ? elementwise(code) : moving(code);
  }
}

void OperatorCode::finish(CodeWriter& code) const {
  if (sums_) {
    flatLoop(code, result_.size());
    code.line(result_.element("e"), " = static_cast<float>(", sums_->element("e"), ") * ",
              floatLiteral(sums_scale_), ";");
    code.close();
  }
  if (op_.kind == Kind::Linear && op_.inputs.size() == 3) {
    flatLoop(code, result_.size());
    code.line(result_.element("e"), " += ", second(2, result_.size()), ";");
    code.close();
  }
  if (hasWindow(op_.kind) && op_.inputs.size() == 3) channelBias(code);
  steps(code, op_.after_steps, op_.inputs.size() + stepOperands(op_.before_steps), result_);
}

/// Reductions outermost, so that successive iterations add to different sums; k still ascends for each sum.
void OperatorCode::product(CodeWriter& code) const {
  const std::size_t batch = result_.shape.size() == 3 ? 1 : 0;
  const std::int64_t rows = result_.shape[batch], columns = result_.shape[batch + 1];
  const HlsArray &left = inputs_[0], &right = inputs_[1];
  const std::int64_t depth = left.shape.back(), by_depth = left.banks.back();
  const std::int64_t by_row = result_.banks[batch], by_column = result_.banks[batch + 1];
  code.loop("k", depth, by_depth);
  if (batch == 1) code.loop("batch", result_.shape[0]);
  code.loop("row", rows, by_row);
  code.loop("column", columns, by_column);
  code.pragma("pipeline II=1");
  const auto inner = [&](const char* name, std::int64_t factor, const std::string& outer) {
    if (factor == 1) return outer;
    code.loop(name, factor);
    code.pragma("unroll");
    return outer + " + " + name;
  };
  const std::string k = inner("k_lane", by_depth, "k"), row = inner("row_lane", by_row, "row");
  const std::string column = inner("column_lane", by_column, "column");
  const std::string own_batch = batch == 1 ? "[batch]" : "";
  std::string right_batch;
  if (right.shape.size() == 3)
    right_batch = right.shape[0] == result_.shape[0]
                      ? "[batch]"
                      : joined("[batch / ", result_.shape[0] / right.shape[0], "]");
  const bool transposed = op_.kind == Kind::Linear || op_.transposed_right;
  const std::string both = joined("x0", own_batch, "[", row, "][", k, "] * x1", right_batch, "[",
                                  transposed ? column : k, "][", transposed ? k : column, "]");
  code.line(sums_ ? "sums" : "result", own_batch, "[", row, "][", column,
            "] += ", sums_ ? "static_cast<int>(" + both + ")" : both, ";");
  const int loops = 3 + static_cast<int>(batch) + (by_depth > 1) + (by_row > 1) + (by_column > 1);
  for (int i = 0; i < loops; ++i) code.close();
}

void OperatorCode::elementwise(CodeWriter& code) const {
  flatLoop(code, result_.size());
  const std::string other = op_.inputs.size() == 2 ? second(1, result_.size())
                            : op_.number           ? floatLiteral(*op_.number)
                                                   : "";
  code.line(result_.element("e"), " = ", functionText(op_.kind, inputs_[0].element("e"), other), ";");
  code.close();
}

}  // namespace sluice::inline tensor
