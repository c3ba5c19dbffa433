#include "engine/tensor/external_layout.h"

#include <algorithm>

#include "engine/tensor/itensor.h"
#include "engine/tensor/itensor_text.h"

namespace sluice {
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

}  // namespace

Result<Done> verify(const ExternalLayout& layout, const TensorValue& tensor) {
  const auto wrong = [&](const std::string& cause, const std::string& mend) {
    return Diagnostic{Severity::Error, "external layout of tensor '" + tensor.name + "'", cause, mend};
  };
  const Shape& tile = layout.tile.empty() ? tensor.shape : layout.tile;
  if (!dividesAll(tile, tensor.shape))
    return wrong("tiles of " + shapeText(tile) + " do not divide its shape " + shapeText(tensor.shape),
                 "pack in tiles that divide every dimension");
  if (layout.vector.empty()) return Done{};
  if (!dividesAll(layout.vector, tile))
    return wrong("words of " + shapeText(layout.vector) + " do not divide its tiles of " + shapeText(tile),
                 "widen to words that divide the tile in every dimension");
  if (product(layout.vector) * tensor.scalar.bits > busBits)
    return wrong("words of " + shapeText(layout.vector) + " have " +
                     std::to_string(product(layout.vector) * tensor.scalar.bits) + " bits, the bus " +
                     std::to_string(busBits),
                 "use words of at most " + std::to_string(busBits / tensor.scalar.bits) + " elements");
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
  const ExternalAddresses addresses(layout, shape);
  std::vector<std::int64_t> taken;
  Shape index(offset.begin(), offset.end());
  const std::int64_t elements = product(tile);
  for (std::int64_t n = 0; n < elements; ++n) {
    taken.push_back(addresses.at(index));
    for (std::size_t k = index.size(); k-- > 0;) {
      if (++index[k] < offset[k] + tile[k]) break;
      index[k] = offset[k];
    }
  }
  std::sort(taken.begin(), taken.end());
  std::int64_t bursts = 1;
  for (std::size_t i = 1; i < taken.size(); ++i) bursts += taken[i] != taken[i - 1] + 1 ? 1 : 0;
  return bursts;
}

std::int64_t wordBits(const ExternalLayout& layout, const TensorValue& tensor) {
  return product(layout.vector) * tensor.scalar.bits;
}

}  // namespace sluice
