#include "engine/itensor/converter_counts.h"

#include <algorithm>
#include <tuple>

#include "engine/itensor/converter.h"

namespace sluice::inline itensor {
namespace {

/// The type without its innermost loop, whose tokens are one larger token: where that loop moves along
/// dimension `k` alone, by the token's extent. Empty otherwise.
std::optional<ITensor> joined(const ITensor& type, std::size_t k) {
  if (type.loops.empty()) return {};
  const std::size_t last = type.loops.size() - 1;
  for (std::size_t other = 0; other < type.rank(); ++other)
    if (type.stride(other, last) != (other == k ? type.extent(k) : 0)) return {};
  ITensor larger = type;
  if (larger.tile.empty()) larger.tile.assign(type.rank(), 1);
  larger.tile[k] *= type.loops[last].trips;
  larger.loops.pop_back();
  for (AffineForm& form : larger.map) form.coefficients.pop_back();
  return larger;
}

/// The type, and those of the larger tiles that it may have been cut from in row-major order: the innermost
/// loops joined into a tile, from the last dimension on, each dimension once.
std::vector<ITensor> asTiles(const ITensor& type) {
  std::vector<ITensor> types = {type};
  if (!type.vector_token) return types;
  types.front().vector_token = false;
  for (std::size_t k = type.rank(); k-- > 0;)
    if (std::optional<ITensor> larger = joined(types.back(), k)) types.push_back(*std::move(larger));
  return types;
}

}  // namespace

std::int64_t sharedIterations(const ITensor& source, std::size_t before_loop) {
  std::int64_t iterations = 1;
  for (const ITensorLoop& loop : source.loops)
    if (loop.trips > 1 && before_loop > 0) iterations *= loop.trips, --before_loop;
  return iterations;
}

std::int64_t doubleBufferBytes(std::span<const std::int64_t> buffer, const ITensor& source) {
  std::int64_t elements = 2;
  for (const std::int64_t extent : buffer) elements *= extent;
  return bytesOf(elements * source.scalar.bits);
}

std::vector<ConverterCounts> converterCounts(const ITensor& source, const ITensor& result) {
  std::vector<ConverterCounts> ways;
  const std::optional<std::vector<std::int64_t>> shape = inferredShape(source);
  if (!shape) return ways;
  const std::vector<ITensor> results = asTiles(result);
  for (const ITensor& from : asTiles(source)) {
    for (const ITensor& to : results) {
      for (const ConverterOrder order :
           {ConverterOrder::OrderFree, ConverterOrder::FirstDimension, ConverterOrder::LastDimension}) {
        const Result<Converter> converter = inferConverter(from, to, *shape, order);
        if (!converter) continue;
        if (converter->kind == ConverterKind::None)  // token by token
          ways.push_back({tokenCount(from), doubleBufferBytes(from.tile, from)});
        else
          ways.push_back(
              {sharedIterations(from, converter->before_loop), doubleBufferBytes(converter->buffer, from)});
      }
    }
  }
  if (ways.empty()) return ways;
  ways.push_back({1, doubleBufferBytes(*shape, source)});
  const auto key = [](const ConverterCounts& way) { return std::tuple(way.bytes, -way.iterations); };
  std::ranges::sort(ways, {}, key);
  ways.erase(std::unique(ways.begin(), ways.end()), ways.end());
  return ways;
}

}  // namespace sluice::inline itensor
