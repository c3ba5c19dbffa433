#pragma once
// SplitMix64: random numbers that are the same on every platform and in every release (the std::
// distributions are not), so that a document's seed always means the same inputs.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace sluice {

class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, bound), without the bias of a bare modulo; bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t rejected =
        (0 - bound) % bound;  // 2^64 mod bound: the values that would make small results likelier
    std::uint64_t value = next();
    while (value < rejected) value = next();
    return value % bound;
  }

  /// Fisher-Yates.
  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace sluice
