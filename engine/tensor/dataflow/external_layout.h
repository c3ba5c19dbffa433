#pragma once
// Where the elements of a tensor lie in external memory: row-major, or packed in tiles that lie together so
// that a tile is one burst, or widened into words of several elements so that one access fills the bus.
//
//   64x64 packed in 16x16, widened to 8x8:  4 x 4 x 2 x 2 x vector<8x8>

#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/result.h"
#include "engine/tensor/dataflow/dataflow.h"

namespace sluice::inline tensor {

/// One access of the bus to external memory.
constexpr std::int64_t bus_bits = 512;

/// A packed tile divides the tensor in every dimension, a word the tile. `place` names the tensor.
Result<Done> verify(const ExternalLayout& layout, const TensorValue& tensor);

/// The addresses of a tensor's elements, counted in elements.
class ExternalAddresses {
 public:
  /// Of a layout that passes verify().
  ExternalAddresses(const ExternalLayout& layout, std::span<const std::int64_t> shape);

  std::int64_t size() const { return size_; }
  std::int64_t at(std::span<const std::int64_t> index) const;

 private:
  /// Tiles lie row-major among each other, words in a tile, elements in a word.
  struct Dimension {
    std::int64_t tile = 1, vector = 1;                              ///< extents
    std::int64_t tile_step = 0, vector_step = 0, element_step = 0;  ///< of the address
  };
  std::vector<Dimension> dimensions_;
  std::int64_t size_ = 1;
};

/// Runs of consecutive addresses that a tile of `tile` elements at `offset` takes: the bursts of its
/// transfer.
std::int64_t burstCount(const ExternalLayout& layout, std::span<const std::int64_t> shape,
                        std::span<const std::int64_t> offset, std::span<const std::int64_t> tile);
/// Bits of one access to the tensor: a word of a widened one, otherwise a scalar.
std::int64_t wordBits(const ExternalLayout& layout, const TensorValue& tensor);

}  // namespace sluice::inline tensor
