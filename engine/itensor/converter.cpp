#include "engine/itensor/converter.h"

#include <algorithm>
#include <array>

#include "engine/itensor/canonical.h"
#include "engine/itensor/coverage.h"
#include "engine/itensor/itensor_text.h"

namespace sluice::inline itensor {
namespace {

constexpr std::uint8_t none = 255;

/// The loops of a regular tiling that run more than once, numbered from the outermost: their levels.
struct LoopNest {
  bool regular = true;
  std::uint8_t levels = 0;
  std::array<std::uint8_t, most_itensor_loops> loop;       ///< at each level
  std::array<std::uint8_t, most_itensor_loops> dimension;  ///< that it moves along; none: reuse
  std::array<std::uint8_t, most_itensor_loops> level;      ///< of each dimension; none: untiled

  explicit LoopNest(const ITensor& type) : regular(isRegularTiling(type)) {
    level.fill(none);
    if (!regular) return;
    for (std::size_t d = 0; d < type.loops.size(); ++d) {
      if (type.loops[d].trips == 1) continue;
      loop[levels] = static_cast<std::uint8_t>(d);
      dimension[levels] = none;
      for (std::size_t k = 0; k < type.rank(); ++k) {
        if (!type.map[k].uses(d)) continue;
        dimension[levels] = static_cast<std::uint8_t>(k);
        level[k] = levels;
      }
      ++levels;
    }
  }
  std::optional<std::size_t> loopAt(std::size_t at) const {
    return at < levels ? std::optional<std::size_t>(loop[at]) : std::nullopt;
  }
  std::optional<std::size_t> loopOf(std::size_t k) const {
    return level[k] == none ? std::nullopt : loopAt(level[k]);
  }
};

/// One inference: the two types and their nests.
struct Pair {
  const ITensor &source, &result;
  LoopNest from, to;

  Pair(const ITensor& a, const ITensor& b) : source(a), result(b), from(a), to(b) {}
  bool regular() const { return from.regular && to.regular; }

  /// Why the loops of a level are not shared, where those further out are; empty where they are.
  std::optional<PrefixBreak> breakAt(std::size_t level) const {
    if (level >= from.levels || level >= to.levels) return PrefixBreak::NoMoreLoops;
    if (source.loops[from.loop[level]].trips != result.loops[to.loop[level]].trips)
      return PrefixBreak::TripsDiffer;
    if (from.dimension[level] == none || from.dimension[level] == to.dimension[level]) return std::nullopt;
    return to.dimension[level] == none ? PrefixBreak::ResultRepeats : PrefixBreak::DimensionsDiffer;
  }

  /// Whether the published rule takes the dimension: equal tiles, and no loop or loops of one level.
  bool reducible(std::size_t k) const {
    return source.extent(k) == result.extent(k) && from.level[k] == to.level[k];
  }
};

void shareOrderFree(const Pair& pair, Converter& converter) {
  std::size_t shared = 0;
  std::optional<PrefixBreak> broken = pair.breakAt(0);
  while (!broken) broken = pair.breakAt(++shared);
  converter.prefix_break = *broken;
  converter.source_break = pair.from.loopAt(shared);
  converter.result_break = pair.to.loopAt(shared);
  // Innermost shared loops of pure reuse would only fill the same buffer again.
  while (shared > 0 && pair.from.dimension[shared - 1] == none) --shared;
  converter.before_loop = shared;
  for (std::size_t k = 0; k < pair.source.rank(); ++k) {
    DimensionVerdict& verdict = converter.dimensions[k].verdict;
    const bool same_tile = pair.source.extent(k) == pair.result.extent(k);
    if (pair.from.level[k] != none && pair.from.level[k] < shared)
      verdict = DimensionVerdict::SharedLoop;
    else if (!same_tile)
      verdict = DimensionVerdict::TilesDiffer;
    else if (pair.from.level[k] == none)
      verdict = DimensionVerdict::Untiled;
    else
      verdict = pair.reducible(k) ? DimensionVerdict::OuterLoop : DimensionVerdict::LevelsDiffer;
  }
}

/// The published walk: take dimensions up to the first that is not reducible, then give back the last ones
/// while a loop among those taken has one further out that is not.
void shareByDimension(const Pair& pair, bool from_last, Converter& converter) {
  const std::size_t rank = pair.source.rank();
  const auto at = [&](std::size_t i) { return from_last ? rank - 1 - i : i; };
  std::size_t taken = 0, loops = 0;
  while (taken < rank && pair.reducible(at(taken))) loops += pair.from.level[at(taken++)] != none ? 1 : 0;
  const std::size_t reached = taken;
  const auto beyond = [&](std::size_t i) {
    return pair.from.level[at(i)] != none && pair.from.level[at(i)] >= loops;
  };
  const auto any_beyond = [&] {
    for (std::size_t i = 0; i < taken; ++i) {
      if (beyond(i)) return true;
    }
    return false;
  };
  while (any_beyond()) loops -= pair.from.level[at(--taken)] != none ? 1 : 0;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t k = at(i);
    DimensionVerdict& verdict = converter.dimensions[k].verdict;
    if (i < taken)
      verdict = pair.from.level[k] == none ? DimensionVerdict::Untiled : DimensionVerdict::SharedLoop;
    else if (i < reached)
      verdict = DimensionVerdict::OuterLoop;
    else if (i > reached)
      verdict = DimensionVerdict::NotReached;
    else
      verdict = pair.source.extent(k) != pair.result.extent(k) ? DimensionVerdict::TilesDiffer
                                                               : DimensionVerdict::LevelsDiffer;
  }
  converter.before_loop = loops;
  converter.prefix_break = pair.breakAt(loops).value_or(PrefixBreak::DimensionOrder);
  converter.source_break = pair.from.loopAt(loops);
  converter.result_break = pair.to.loopAt(loops);
}

Diagnostic impossible(Code code, const std::string& side, std::string cause, std::string fix) {
  return error(code, "converter, " + side, std::move(cause), std::move(fix));
}

/// Whether the type is one of the whole tensor; a source must also send every element of it.
Result<Done> checkSide(const ITensor& type, bool regular, bool is_source,
                       std::span<const std::int64_t> shape) {
  const std::string side = is_source ? "source" : "result";
  if (shape.size() != type.rank())
    return impossible("rank-mismatch", side,
                      "it has " + std::to_string(type.rank()) + " dimensions and the tensor " +
                          shapeText(shape) + " has " + std::to_string(shape.size()),
                      "convert between types of one tensor");
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (offsetRange(type, k) == OffsetRange{0, shape[k]}) continue;
    const std::optional<std::vector<std::int64_t>> inferred = inferredShape(type);
    return impossible("layout-mismatch", side,
                      (inferred ? "its tiles reach over a tensor of " + shapeText(*inferred)
                                : "its offsets do not begin at 0") +
                          ", not over " + shapeText(shape),
                      "correct its trips and steps, or name another tensor");
  }
  if (regular || !is_source) return Done{};
  SLUICE_TRY(const Coverage sent, coverage(type, shape));
  if (sent.missed() == 0) return Done{};
  return impossible("layout-mismatch", side,
                    std::to_string(sent.missed()) + " of the " + std::to_string(sent.elements) +
                        " elements of the tensor are never sent",
                    "make the steps no larger than the tile");
}

Result<Done> check(const Pair& pair, std::span<const std::int64_t> shape) {
  if (pair.source.scalar != pair.result.scalar) {
    Diagnostic problem = impossible(
        "data-type-mismatch", "result",
        "its scalar is " + text(pair.result.scalar) + " and the source's " + text(pair.source.scalar),
        "convert the values in a kernel of their own");
    problem.related.emplace_back("converter, source");
    return problem;
  }
  SLUICE_CHECK(checkSide(pair.source, pair.from.regular, true, shape));
  SLUICE_CHECK(checkSide(pair.result, pair.to.regular, false, shape));
  const std::optional<std::int64_t> elements = boundedProduct(shape);
  const std::int64_t factors[] = {elements.value_or(most_itensor_size), pair.source.scalar.bits, 4};
  if (boundedProduct(factors)) return Done{};
  return impossible("too-many", "tensor " + shapeText(shape), "it has more than 2^58 bits",
                    "use smaller extents");
}

void setBuffer(const Pair& pair, std::span<const std::int64_t> shape, Converter& converter) {
  std::int64_t elements = 1, whole = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const DimensionVerdict verdict = converter.dimensions[k].verdict;
    const bool one_tile = verdict == DimensionVerdict::Untiled || verdict == DimensionVerdict::SharedLoop;
    converter.buffer.push_back(one_tile ? pair.source.extent(k) : shape[k]);
    elements *= converter.buffer.back();
    whole *= shape[k];
  }
  converter.kind = elements == whole ? ConverterKind::WholeTensor : ConverterKind::Reduced;
  converter.half_bytes = bytesOf(elements * pair.source.scalar.bits);
  converter.bytes = 2 * converter.half_bytes;
}

}  // namespace

Result<Converter> inferConverter(const ITensor& source, const ITensor& result,
                                 std::span<const std::int64_t> shape, ConverterOrder order) {
  const Pair pair(source, result);
  SLUICE_CHECK(check(pair, shape));
  Converter converter;
  converter.whole_bytes = 2 * bytesOf(*boundedProduct(shape) * source.scalar.bits);
  if (sameStream(source, result)) {
    converter.kind = ConverterKind::None;
    return converter;
  }
  converter.buffer.reserve(shape.size());
  converter.dimensions.resize(shape.size());
  for (std::size_t k = 0; k < shape.size() && pair.regular(); ++k)
    converter.dimensions[k] = {DimensionVerdict::Irregular, pair.from.loopOf(k), pair.to.loopOf(k)};
  if (!pair.regular())
    converter.prefix_break = PrefixBreak::Irregular;
  else if (order == ConverterOrder::OrderFree)
    shareOrderFree(pair, converter);
  else
    shareByDimension(pair, order == ConverterOrder::LastDimension, converter);
  setBuffer(pair, shape, converter);
  return converter;
}

}  // namespace sluice::inline itensor
