#pragma once
// The functions of elementwise operators, in float32.

#include <cmath>

namespace functions {

inline float gelu(float x) {
#pragma HLS inline
  return 0.5f * x * (1.0f + std::erf(x / std::sqrt(2.0f)));
}
inline float gelu_tanh(float x) {
#pragma HLS inline
  return 0.5f * x * (1.0f + std::tanh(std::sqrt(2.0f / 3.14159274f) * (x + 0.044715f * x * x * x)));
}
inline float silu(float x) {
#pragma HLS inline
  return x / (1.0f + std::exp(-x));
}
inline float relu(float x) {
#pragma HLS inline
  return x > 0.0f ? x : 0.0f;
}
inline float sigmoid(float x) {
#pragma HLS inline
  return 1.0f / (1.0f + std::exp(-x));
}
inline float larger(float a, float b) {
#pragma HLS inline
  return a > b ? a : b;
}
inline float smaller(float a, float b) {
#pragma HLS inline
  return a < b ? a : b;
}
inline float less(float a, float b) {
#pragma HLS inline
  return a < b ? 1.0f : 0.0f;
}
inline float greater(float a, float b) {
#pragma HLS inline
  return a > b ? 1.0f : 0.0f;
}
inline float equal(float a, float b) {
#pragma HLS inline
  return a == b ? 1.0f : 0.0f;
}
inline float sign(float x) {
#pragma HLS inline
  return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : 0.0f;
}

}  // namespace functions
