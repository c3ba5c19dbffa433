// Kernels that pass over rows: softmax, norms, rotary embeddings, reductions.

#include "engine/tensor/hls/operator_code.h"

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;

/// How many elements of a row count: what is behind them is padding.
std::int64_t counting(const TensorOperator& op, std::int64_t length) {
  return op.valid > 0 ? op.valid : length;
}

/// A loop over the elements of a row, one a cycle.
void openRow(CodeWriter& code, std::int64_t length) {
  code.loop("i", length);
  code.pragma("pipeline II=1");
}

}  // namespace

void OperatorCode::softmax(CodeWriter& code) const {
  const std::int64_t length = counting(op_, result_.shape[1]), padding = result_.shape[1] - length;
  code.loop("row", result_.shape[0]);
  code.line("float most = x0[row][0];");
  openRow(code, length);
  code.line("most = most < x0[row][i] ? x0[row][i] : most;");
  code.close();
  code.line("float sum = 0.0f;");
  openRow(code, length);
  code.line("result[row][i] = std::exp(x0[row][i] - most);");
  code.line("sum += result[row][i];");
  code.close();
  openRow(code, length);
  code.line("result[row][i] /= sum;");
  code.close();
  if (padding > 0) {
    openRow(code, padding);
    code.line("result[row][", length, " + i] = 0.0f;");
    code.close();
  }
  code.close();
}

void OperatorCode::norm(CodeWriter& code) const {
  const std::int64_t length = result_.shape[1], count = counting(op_, length);
  const bool centred = op_.kind == Kind::LayerNorm;
  const std::string value = centred ? "(x0[row][i] - mean)" : "x0[row][i]";
  code.loop("row", result_.shape[0]);
  if (centred) {
    code.line("float mean = 0.0f;");
    openRow(code, count);
    code.line("mean += x0[row][i];");
    code.close();
    code.line("mean /= ", floatLiteral(static_cast<float>(count)), ";");
  }
  code.line("float squares = 0.0f;");
  openRow(code, count);
  code.line("squares += ", value, " * ", value, ";");
  code.close();
  code.line("const float scale = 1.0f / std::sqrt(squares / ", floatLiteral(static_cast<float>(count)), " + ",
            floatLiteral(op_.epsilon), ");");
  openRow(code, length);
  code.line("result[row][i] = ", value, " * scale * x1[i]", centred ? " + x2[i]" : "", ";");
  code.close();
  code.close();
}

/// By angles, or by their cosines and sines.
void OperatorCode::rotary(CodeWriter& code) const {
  const std::int64_t length = result_.shape[1], half = length / 2, table = inputs_[1].size();
  const bool angles = op_.inputs.size() == 2;
  code.loop("row", result_.shape[0]);
  openRow(code, half);
  code.line("const int at = row * ", length, " % ", table, " + i;");
  code.line("const float a = x0[row][i], b = x0[row][i + ", half, "];");
  const auto entry = [&](const char* function, const char* input, std::int64_t behind) {
    const std::string at = behind == 0 ? "at" : joined("at + ", behind);
    return angles ? joined(function, "(x1[", at, "])") : joined(input, "[", at, "]");
  };
  code.line("result[row][i] = a * ", entry("std::cos", "x1", 0), " - b * ", entry("std::sin", "x2", 0), ";");
  code.line("result[row][i + ", half, "] = b * ", entry("std::cos", "x1", half), " + a * ",
            entry("std::sin", "x2", half), ";");
  code.close();
  code.close();
}

void OperatorCode::reduce(CodeWriter& code) const {
  const std::int64_t rows = inputs_[0].shape[0], length = counting(op_, inputs_[0].shape[1]);
  const bool sums = op_.kind == Kind::ReduceSum || op_.kind == Kind::ReduceMean;
  code.loop("row", rows);
  code.line("float all = ", sums ? "0.0f" : "x0[row][0]", ";");
  openRow(code, length);
  if (sums)
    code.line("all += x0[row][i];");
  else if (op_.kind == Kind::ReduceMax)
    code.line("all = all < x0[row][i] ? x0[row][i] : all;");
  else
    code.line("all = x0[row][i] < all ? x0[row][i] : all;");
  code.close();
  const bool mean = op_.kind == Kind::ReduceMean;
  code.line("result[row] = all", mean ? " / " + floatLiteral(static_cast<float>(length)) : "", ";");
  code.close();
}

}  // namespace sluice::inline tensor
