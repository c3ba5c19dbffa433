#pragma once
// Numbers narrower than float32, as streams and memories carry them: bfloat16 and float16, rounded to the nearest,
// of two to the even one; and integers, which stand for themselves times the scale of their tensor.

#include <ap_int.h>

#include <cmath>
#include <cstdint>

namespace numbers {

union Word {
  float value;
  std::uint32_t bits;
};

inline std::uint32_t bitsOf(float value) {
#pragma HLS inline
  Word word;
  word.value = value;
  return word.bits;
}
inline float floatOf(std::uint32_t bits) {
#pragma HLS inline
  Word word;
  word.bits = bits;
  return word.value;
}

struct bfloat16 {
  std::uint16_t bits;
};
struct float16 {
  std::uint16_t bits;
};

/// As<T>::of(x, scale) is x as a T, As<T>::value(n, scale) what a T stands for; for the host, As<T>::bits(n) are those
/// that memory has of it.
template <class T>
struct As;

template <>
struct As<bfloat16> {
  static std::uint32_t bits(bfloat16 n) { return n.bits; }
  static bfloat16 ofBits(std::uint32_t bits) {
    bfloat16 made;
    made.bits = static_cast<std::uint16_t>(bits);
    return made;
  }
  static bfloat16 of(float x, float) {
#pragma HLS inline
    const std::uint32_t bits = bitsOf(x);
    const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
    const std::uint32_t rounded = is_nan ? bits | 0x400000u : bits + 0x7fffu + (bits >> 16 & 1u);
    bfloat16 made;
    made.bits = static_cast<std::uint16_t>(rounded >> 16);
    return made;
  }
  static float value(bfloat16 n, float) {
#pragma HLS inline
    return floatOf(static_cast<std::uint32_t>(n.bits) << 16);
  }
};

template <>
struct As<float16> {
  static std::uint32_t bits(float16 n) { return n.bits; }
  static float16 ofBits(std::uint32_t bits) {
    float16 made;
    made.bits = static_cast<std::uint16_t>(bits);
    return made;
  }
  static float16 of(float x, float) {
#pragma HLS inline
    const std::uint32_t bits = bitsOf(x), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
    std::uint32_t made;
    if (size > 0x7f800000u) {
      made = 0x7e00u;  // no number
    } else if (size >= 0x477ff000u) {
      made = 0x7c00u;  // 65520 and more: infinity
    } else if (size < 0x38800000u) {
      made = bitsOf(floatOf(size) + 0.5f) - bitsOf(0.5f);  // the steps of the sum are those of the smallest numbers
    } else {
      made = (size - (112u << 23) + 0xfffu + (size >> 13 & 1u)) >> 13;
    }
    float16 result;
    result.bits = static_cast<std::uint16_t>(sign | made);
    return result;
  }
  static float value(float16 n, float) {
#pragma HLS inline
    const std::uint32_t sign = static_cast<std::uint32_t>(n.bits & 0x8000u) << 16, size = n.bits & 0x7fffu;
    if (size >= 0x7c00u) return floatOf(sign | 0x7f800000u | (size & 0x3ffu) << 13);
    if (size < 0x400u) return floatOf(sign | bitsOf(static_cast<float>(size) * 5.9604644775390625e-08f));
    return floatOf(sign | ((size << 13) + (112u << 23)));
  }
};

template <int W>
struct As<ap_int<W> > {
  static std::uint32_t bits(ap_int<W> n) { return static_cast<std::uint32_t>(n.to_int()); }
  static ap_int<W> ofBits(std::uint32_t bits) { return ap_int<W>(static_cast<int>(bits)); }
  static ap_int<W> of(float x, float scale) {
#pragma HLS inline
    const float most = static_cast<float>((1 << (W - 1)) - 1), steps = std::nearbyint(x / scale);
    return ap_int<W>(static_cast<int>(steps > most ? most : steps >= -most ? steps : steps < -most ? -most : 0.0f));
  }
  static float value(ap_int<W> n, float scale) {
#pragma HLS inline
    return static_cast<float>(n.to_int()) * scale;
  }
};

}  // namespace numbers
