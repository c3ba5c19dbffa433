#include "engine/tensor/dataflow/external_layout.h"

#include <algorithm>
#include <array>

#include "engine/itensor/itensor.h"
#include "engine/itensor/itensor_text.h"

namespace sluice::inline tensor {
namespace {

using Shape = std::vector<std::int64_t>;

bool dividesAll(std::span<const std::int64_t> part, std::span<const std::int64_t> whole) {
  bool divides = part.size() == whole.size();
  for (std::size_t k = 0; divides && k < part.size(); ++k) divides = part[k] >= 1 && whole[k] % part[k] == 0;
  return divides;
}

std::int64_t product(std::span<const std::int64_t> shape) {
  std::int64_t result = 1;
  for (const std::int64_t extent : shape) result *= extent;
  return result;
}

/// What an index of dimension k gives to the digits of an address: of its tile, of its word in the tile, of
/// its element in the word. The most significant come first: the tiles of all dimensions, then the words,
/// then the elements.
class Digits {
 public:
  Digits(const ExternalLayout& layout, std::span<const std::int64_t> shape, std::size_t k)
      : k_(k), rank_(shape.size()) {
    const std::int64_t tile = layout.tile.empty() ? shape[k] : layout.tile[k];
    const std::int64_t word = layout.vector.empty() ? 1 : layout.vector[k];
    unit_ = {tile, word, 1};
    radix_ = {shape[k] / tile, tile / word, word};
  }

  /// The index after a carry that stops at digit `stop` of all 3 * rank; -1 where it does not stop there.
  std::int64_t carried(std::int64_t index, std::size_t stop) const {
    std::int64_t rest = index, result = 0;
    for (std::size_t part = 0; part < 3; ++part) {
      const std::int64_t digit = rest / unit_[part];
      rest %= unit_[part];
      const std::size_t place = part * rank_ + k_;
      const bool last = digit == radix_[part] - 1;
      if (place == stop ? last : place > stop && !last) return -1;
      result += (place == stop ? digit + 1 : place > stop ? 0 : digit) * unit_[part];
    }
    return result;
  }
  /// Whether a carry may stop at digit `stop`, where that is one of these: it counts further than to 0.
  bool mayStopAt(std::size_t stop) const { return stop % rank_ != k_ || radix_[stop / rank_] > 1; }

 private:
  std::size_t k_, rank_;
  std::array<std::int64_t, 3> unit_{}, radix_{};
};

}  // namespace

Result<Done> verify(const ExternalLayout& layout, const TensorValue& tensor) {
  const auto wrong = [&](const std::string& cause, const std::string& fix) {
    return error("layout-mismatch", "external layout of tensor '" + tensor.name + "'", cause, fix);
  };
  const Shape& tile = layout.tile.empty() ? tensor.shape : layout.tile;
  if (!dividesAll(tile, tensor.shape))
    return wrong("tiles of " + shapeText(tile) + " do not divide its shape " + shapeText(tensor.shape),
                 "pack in tiles that divide every dimension");
  if (layout.vector.empty()) return Done{};
  if (!dividesAll(layout.vector, tile))
    return wrong("words of " + shapeText(layout.vector) + " do not divide its tiles of " + shapeText(tile),
                 "widen to words that divide the tile in every dimension");
  if (product(layout.vector) * tensor.scalar.bits > bus_bits)
    return wrong("words of " + shapeText(layout.vector) + " have " +
                     std::to_string(product(layout.vector) * tensor.scalar.bits) + " bits, the bus " +
                     std::to_string(bus_bits),
                 "use words of at most " + std::to_string(bus_bits / tensor.scalar.bits) + " elements");
  return Done{};
}

ExternalAddresses::ExternalAddresses(const ExternalLayout& layout, std::span<const std::int64_t> shape)
    : dimensions_(shape.size()) {
  for (std::size_t k = 0; k < shape.size(); ++k) {
    dimensions_[k].tile = layout.tile.empty() ? shape[k] : layout.tile[k];
    dimensions_[k].vector = layout.vector.empty() ? 1 : layout.vector[k];
  }
  // From the innermost step outwards: elements of a word, words of a tile, tiles.
  for (std::size_t k = shape.size(); k-- > 0;) {
    dimensions_[k].element_step = size_;
    size_ *= dimensions_[k].vector;
  }
  for (std::size_t k = shape.size(); k-- > 0;) {
    dimensions_[k].vector_step = size_;
    size_ *= dimensions_[k].tile / dimensions_[k].vector;
  }
  for (std::size_t k = shape.size(); k-- > 0;) {
    dimensions_[k].tile_step = size_;
    size_ *= shape[k] / dimensions_[k].tile;
  }
}

std::int64_t ExternalAddresses::at(std::span<const std::int64_t> index) const {
  std::int64_t address = 0;
  for (std::size_t k = 0; k < dimensions_.size(); ++k) {
    const Dimension& d = dimensions_[k];
    const std::int64_t in_tile = index[k] % d.tile;
    address += index[k] / d.tile * d.tile_step + in_tile / d.vector * d.vector_step +
               in_tile % d.vector * d.element_step;
  }
  return address;
}

std::int64_t burstCount(const ExternalLayout& layout, std::span<const std::int64_t> shape,
                        std::span<const std::int64_t> offset, std::span<const std::int64_t> tile) {
  // A burst for every element, less those whose successor is taken, too. The successor is where the carry
  // stops at one digit of the address: that digit counts up, those behind it go from their last value to 0,
  // and those before it stay. Which elements do so is decided for each dimension by itself.
  std::int64_t bursts = product(tile);
  for (std::size_t stop = 0; stop < 3 * shape.size(); ++stop) {
    if (!Digits(layout, shape, stop % shape.size()).mayStopAt(stop)) continue;
    std::int64_t followed = 1;
    for (std::size_t k = 0; k < shape.size() && followed > 0; ++k) {
      const Digits digits(layout, shape, k);
      std::int64_t here = 0;
      for (std::int64_t index = offset[k]; index < offset[k] + tile[k]; ++index) {
        const std::int64_t next = digits.carried(index, stop);
        if (next >= offset[k] && next < offset[k] + tile[k]) ++here;
      }
      followed *= here;
    }
    bursts -= followed;
  }
  return std::max<std::int64_t>(bursts, 1);
}

std::int64_t wordBits(const ExternalLayout& layout, const TensorValue& tensor) {
  return product(layout.vector) * tensor.scalar.bits;
}

}  // namespace sluice::inline tensor
