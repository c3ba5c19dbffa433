#pragma once
// What the tests of functional mode share: dense tensors, plain loops over them, and the bfloat16 of the
// references.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "engine/operators/functional.h"
#include "tests/engine/support/flat_builder.h"

namespace sluice::functional_test {

/// To nearest, ties to even - bit by bit, not by Eigen.
inline float toBFloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t even = bits >> 16 & 1U;
  return std::bit_cast<float>((bits + 0x7fffU + even) & 0xffff0000U);
}

inline FloatTensor zeros(std::size_t rows, std::size_t cols) {
  return {{rows, cols}, std::vector<float>(rows * cols, 0.0F)};
}
inline float& at(FloatTensor& x, std::size_t row, std::size_t col) {
  return x.data[row * x.shape.back() + col];
}
inline float at(const FloatTensor& x, std::size_t row, std::size_t col) {
  return x.data[row * x.shape.back() + col];
}

/// a b, or a b^T; rows [row, row + k) of `b`.
inline FloatTensor product(const FloatTensor& a, const FloatTensor& b, bool transposed = false,
                           std::size_t row = 0) {
  const std::size_t k = a.shape[1], n = transposed ? b.shape[0] : b.shape.back();
  FloatTensor y = zeros(a.shape[0], n);
  for (std::size_t i = 0; i < a.shape[0]; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t l = 0; l < k; ++l)
        sum += double{at(a, i, l)} * (transposed ? at(b, j, l) : at(b, row + l, j));
      at(y, i, j) = static_cast<float>(sum);
    }
  }
  return y;
}

inline float silu(float x) {
  return static_cast<float>(double{x} / (1 + std::exp(-double{x})));
}

/// silu(x gate) * (x up) down, with the expert's weights starting at the given rows.
inline FloatTensor swiglu(const FloatTensor& x, const FloatTensor& gate, const FloatTensor& up,
                          const FloatTensor& down, std::size_t expert = 0) {
  FloatTensor hidden = product(x, gate, false, expert * x.shape[1]);
  const FloatTensor other = product(x, up, false, expert * x.shape[1]);
  for (std::size_t i = 0; i < hidden.data.size(); ++i) hidden.data[i] = silu(hidden.data[i]) * other.data[i];
  return product(hidden, down, false, expert * hidden.shape[1]);
}

/// What a mixture of experts gives for every row of `x`: the experts that `routing` chooses for it, weighted.
/// The experts' matrices are those that fill the tensors "w_up", "w_gate" and "w_down".
inline FloatTensor routedExperts(const FloatTensor& x, const IntTensor& routing, const FloatTensor& weights,
                                 std::size_t experts, std::size_t inner) {
  const std::size_t tokens = x.shape[0], hidden = x.shape[1], top_k = routing.shape[1];
  const FloatTensor up = filledTensor("w_up", {experts, hidden, inner}),
                    gate = filledTensor("w_gate", {experts, hidden, inner}),
                    down = filledTensor("w_down", {experts, inner, hidden});
  FloatTensor y = zeros(tokens, hidden);
  for (std::size_t token = 0; token < tokens; ++token) {
    FloatTensor row = zeros(1, hidden);
    std::copy_n(&x.data[token * hidden], hidden, row.data.begin());
    for (std::size_t k = 0; k < top_k; ++k) {
      const auto expert = static_cast<std::size_t>(routing.data[token * top_k + k]);
      const FloatTensor out = swiglu(row, gate, up, down, expert);
      for (std::size_t j = 0; j < hidden; ++j) at(y, token, j) += at(weights, token, k) * at(out, 0, j);
    }
  }
  return y;
}

}  // namespace sluice::functional_test
