#include "engine/tensor/programs/region_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/tensor/programs/operator_traits.h"

namespace sluice::inline tensor {
namespace {

std::size_t productOf(const std::vector<std::size_t>& shape, std::size_t begin, std::size_t end) {
  std::size_t product = 1;
  for (std::size_t k = begin; k < end; ++k) product *= shape[k];
  return product;
}

/// `count` positions of dimension `axis` of one tensor, into another one.
void copyAlong(const FloatTensor& from, std::size_t from_begin, FloatTensor& to, std::size_t to_begin,
               std::size_t count, std::size_t axis) {
  const std::size_t outer = productOf(from.shape, 0, axis);
  const std::size_t inner = productOf(from.shape, axis + 1, from.shape.size());
  for (std::size_t i = 0; i < outer; ++i) {
    const auto source =
        from.data.begin() + static_cast<std::ptrdiff_t>((i * from.shape[axis] + from_begin) * inner);
    std::copy_n(source, count * inner,
                to.data.begin() + static_cast<std::ptrdiff_t>((i * to.shape[axis] + to_begin) * inner));
  }
}

void concat(const TensorOperator& op, const FloatTensor& first, std::span<const FloatTensor> operands,
            FloatTensor& to) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const FloatTensor& from = i == 0 ? first : operands[i];
    copyAlong(from, 0, to, begin, from.shape[op.axis], op.axis);
    begin += from.shape[op.axis];
  }
}

void expand(const FloatTensor& from, FloatTensor& to) {
  std::vector<std::size_t> index(to.shape.size(), 0);
  for (float& value : to.data) {
    std::size_t at = 0;
    for (std::size_t k = 0; k < index.size(); ++k)
      at = at * from.shape[k] + (from.shape[k] == 1 ? 0 : index[k]);
    value = from.data[at];
    for (std::size_t k = index.size(); k-- > 0;) {
      if (++index[k] < to.shape[k]) break;
      index[k] = 0;
    }
  }
}

/// `Sum` of integers is double, which has all below 2^53.
template <class Sum>
float reduced(TensorOperatorKind kind, std::span<const float> row) {
  if (kind == TensorOperatorKind::ReduceMax) return *std::ranges::max_element(row);
  if (kind == TensorOperatorKind::ReduceMin) return *std::ranges::min_element(row);
  Sum sum = 0;
  for (const float x : row) sum += x;
  return static_cast<float>(kind == TensorOperatorKind::ReduceMean ? sum / static_cast<Sum>(row.size())
                                                                   : sum);
}

/// One image of one channel.
using Image = std::span<const float>;

class Windows {
 public:
  Windows(const TensorOperator& op, const FloatTensor& in, const FloatTensor& out)
      : window_(op.window),
        height_(in.shape[2]),
        width_(in.shape[3]),
        rows_(out.shape[2]),
        columns_(out.shape[3]) {}

  /// Calls `visit(result, tap, element)` for every element of the image that a tap meets.
  template <class Visit>
  void forEach(std::size_t tap_rows, std::size_t tap_columns, const Visit& visit) const {
    for (std::size_t i = 0; i < rows_ * columns_; ++i)
      for (std::size_t tap = 0; tap < tap_rows * tap_columns; ++tap) {
        const std::int64_t y = place(i / columns_, tap / tap_columns, 0);
        const std::int64_t x = place(i % columns_, tap % tap_columns, 1);
        if (y < 0 || x < 0 || y >= static_cast<std::int64_t>(height_) ||
            x >= static_cast<std::int64_t>(width_))
          continue;
        visit(i, tap, static_cast<std::size_t>(y) * width_ + static_cast<std::size_t>(x));
      }
  }
  std::size_t imageSize() const { return height_ * width_; }
  std::size_t resultSize() const { return rows_ * columns_; }

 private:
  std::int64_t place(std::size_t result, std::size_t tap, std::size_t k) const {
    return static_cast<std::int64_t>(result) * window_.strides[k] +
           static_cast<std::int64_t>(tap) * window_.dilations[k] - window_.padding[k];
  }

  const TensorWindow& window_;
  std::size_t height_, width_, rows_, columns_;
};

template <class Sum>
void convolve(const TensorOperator& op, const FloatTensor& x, std::span<const FloatTensor> operands,
              FloatTensor& y) {
  const FloatTensor& weight = operands[1];
  const Windows windows(op, x, y);
  const std::size_t channels = x.shape[1], results = y.shape[1], taps = weight.shape[2] * weight.shape[3];
  const bool deep = op.kind == TensorOperatorKind::Conv;
  for (std::size_t n = 0; n < y.shape[0] * results; ++n) {
    const std::size_t m = n % results, batch = n / results;
    const std::span<float> out = std::span(y.data).subspan(n * windows.resultSize(), windows.resultSize());
    std::vector<Sum> sums(out.size(), 0);
    for (std::size_t c = deep ? 0 : m; c < (deep ? channels : m + 1); ++c) {
      const Image image =
          Image(x.data).subspan((batch * channels + c) * windows.imageSize(), windows.imageSize());
      const Image own = Image(weight.data).subspan((m * weight.shape[1] + (deep ? c : 0)) * taps, taps);
      windows.forEach(weight.shape[2], weight.shape[3], [&](std::size_t i, std::size_t tap, std::size_t at) {
        sums[i] += Sum{own[tap]} * image[at];
      });
    }
    std::ranges::transform(sums, out.begin(), [](Sum sum) { return static_cast<float>(sum); });
    if (op.inputs.size() == 3)  // behind the sum, as in a product of matrices
      for (float& each : out) each += operands[2].data[m];
  }
}

void pool(const TensorOperator& op, const FloatTensor& x, FloatTensor& y) {
  const Windows windows(op, x, y);
  const bool largest = op.kind == TensorOperatorKind::MaxPool;
  for (std::size_t n = 0; n < y.shape[0] * y.shape[1]; ++n) {
    const std::span<float> out = std::span(y.data).subspan(n * windows.resultSize(), windows.resultSize());
    const Image image = Image(x.data).subspan(n * windows.imageSize(), windows.imageSize());
    std::ranges::fill(out, largest ? -std::numeric_limits<float>::infinity() : 0.0f);
    std::vector<float> met(out.size(), 0.0f);
    windows.forEach(static_cast<std::size_t>(op.window.size[0]), static_cast<std::size_t>(op.window.size[1]),
                    [&](std::size_t i, std::size_t, std::size_t at) {
                      out[i] = largest ? std::max(out[i], image[at]) : out[i] + image[at];
                      ++met[i];
                    });
    for (std::size_t i = 0; !largest && i < out.size(); ++i) out[i] /= std::max(met[i], 1.0f);
  }
}

/// No numbers where a place names no row.
void lookUp(const FloatTensor& places, const FloatTensor& table, FloatTensor& result) {
  const std::size_t length = table.shape[1];
  result.data.clear();
  for (const float place : places.data) {
    const std::optional<std::size_t> row = rowNamed(place, table.shape[0]);
    for (std::size_t i = 0; i < length; ++i)
      result.data.push_back(row ? table.data[*row * length + i] : std::numeric_limits<float>::quiet_NaN());
  }
}

}  // namespace

std::optional<std::size_t> rowNamed(float place, std::size_t rows) {
  const auto count = static_cast<float>(rows);
  if (!(place >= -count && place < count) || place != std::trunc(place)) return {};
  return static_cast<std::size_t>(place < 0 ? place + count : place);
}

void applyRegion(const TensorOperator& op, const FloatTensor& first, std::span<const FloatTensor> operands,
                 FloatTensor& result, bool exact_sums) {
  switch (op.kind) {
    case TensorOperatorKind::Slice:
      return copyAlong(first, static_cast<std::size_t>(op.begin), result, 0, result.shape[op.axis], op.axis);
    case TensorOperatorKind::Concat:
      return concat(op, first, operands, result);
    case TensorOperatorKind::Expand:
      return expand(first, result);
    case TensorOperatorKind::Lookup:
      return lookUp(first, operands[1], result);
    case TensorOperatorKind::Where:
      for (std::size_t i = 0; i < result.data.size(); ++i) {
        const FloatTensor& chosen = operands[first.data[i % first.data.size()] != 0.0f ? 1 : 2];
        result.data[i] = chosen.data[i % chosen.data.size()];
      }
      return;
    case TensorOperatorKind::Conv:
    case TensorOperatorKind::DepthwiseConv:
      return (exact_sums ? convolve<double> : convolve<float>)(op, first, operands, result);
    case TensorOperatorKind::MaxPool:
    case TensorOperatorKind::AveragePool:
      return pool(op, first, result);
    default: {
      const std::size_t length = first.shape.back();
      const std::size_t counting = op.valid > 0 ? static_cast<std::size_t>(op.valid) : length;
      for (std::size_t i = 0; i < result.data.size(); ++i)
        result.data[i] =
            (exact_sums ? reduced<double>
                        : reduced<float>)(op.kind, std::span(first.data).subspan(i * length, counting));
    }
  }
}

}  // namespace sluice::inline tensor
