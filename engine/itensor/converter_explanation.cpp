#include "engine/itensor/converter_explanation.h"

#include "engine/core/enum_names.h"
#include "engine/itensor/itensor_text.h"

namespace sluice::inline itensor {
namespace {

std::string loopText(std::optional<std::size_t> loop) {
  return loop ? "d" + std::to_string(*loop) : "no loop";
}

/// "d1 (2 trips)", "no loop".
std::string loopText(const ITensor& type, std::optional<std::size_t> loop) {
  return loop ? loopText(loop) + " (" + std::to_string(type.loops[*loop].trips) + " trips)" : "no loop";
}

/// The dimensions that loop d moves, "no dimension" for reuse.
std::string movedText(const ITensor& type, std::size_t d) {
  for (std::size_t k = 0; k < type.rank(); ++k) {
    if (type.map[k].uses(d)) return "dimension " + std::to_string(k);
  }
  return "no dimension";
}

std::string breakText(const Converter& converter, const ITensor& source, const ITensor& result) {
  const auto from = converter.source_break, to = converter.result_break;
  const std::string next =
      "Next come source loop " + loopText(source, from) + " and result loop " + loopText(result, to) + ": ";
  switch (converter.prefix_break) {
    case PrefixBreak::NoMoreLoops:
      if (!from && !to) return "Both have no further loops.";
      return std::string("The ") + (from ? "result" : "source") + " has no further loop; the " +
             (from ? "source goes on with " + loopText(source, from)
                   : "result goes on with " + loopText(result, to)) +
             ".";
    case PrefixBreak::TripsDiffer:
      return next + "they run differently often.";
    case PrefixBreak::ResultRepeats:
      return next + "the source moves along " + movedText(source, *from) + " while the result sends again.";
    case PrefixBreak::DimensionsDiffer:
      return next + "they move along " + movedText(source, *from) + " and " + movedText(result, *to) + ".";
    case PrefixBreak::DimensionOrder:
      return next + "they agree, but the walk over the dimensions stopped before it could take them.";
    case PrefixBreak::Irregular:
      break;
  }
  return std::string("The ") + (isRegularTiling(source) ? "result" : "source") +
         " is no regular tiling (every offset a loop of its own whose step is the tile), so nothing can be "
         "shared.";
}

}  // namespace

std::string text(ConverterOrder order) {
  static constexpr EnumName<ConverterOrder> names[] = {{ConverterOrder::OrderFree, "order-free"},
                                                       {ConverterOrder::FirstDimension, "printed"},
                                                       {ConverterOrder::LastDimension, "slides"}};
  return nameIn(names, order);
}

std::string text(ConverterKind kind) {
  static constexpr EnumName<ConverterKind> names[] = {{ConverterKind::None, "none"},
                                                      {ConverterKind::Reduced, "reduced"},
                                                      {ConverterKind::WholeTensor, "whole tensor"}};
  return nameIn(names, kind);
}

std::string text(DimensionVerdict verdict) {
  static constexpr EnumName<DimensionVerdict> names[] = {
      {DimensionVerdict::Untiled, "untiled"},
      {DimensionVerdict::SharedLoop, "shared loop"},
      {DimensionVerdict::TilesDiffer, "tiles differ"},
      {DimensionVerdict::LevelsDiffer, "levels differ"},
      {DimensionVerdict::OuterLoop, "outer loop not shared"},
      {DimensionVerdict::NotReached, "not reached"},
      {DimensionVerdict::Irregular, "irregular"}};
  return nameIn(names, verdict);
}

std::string text(PrefixBreak reason) {
  static constexpr EnumName<PrefixBreak> names[] = {
      {PrefixBreak::NoMoreLoops, "no more loops"},      {PrefixBreak::TripsDiffer, "trips differ"},
      {PrefixBreak::ResultRepeats, "result repeats"},   {PrefixBreak::DimensionsDiffer, "dimensions differ"},
      {PrefixBreak::DimensionOrder, "dimension order"}, {PrefixBreak::Irregular, "irregular"}};
  return nameIn(names, reason);
}

std::string dimensionText(const Converter& converter, const ITensor& source, const ITensor& result,
                          std::size_t k) {
  if (converter.kind == ConverterKind::None) return "no buffer";
  const DimensionReason& reason = converter.dimensions[k];
  const std::string whole = "whole (" + std::to_string(converter.buffer[k]) + "): ";
  const std::string loops =
      loopText(reason.source_loop) + " of the source and " + loopText(reason.result_loop) + " of the result";
  switch (reason.verdict) {
    case DimensionVerdict::Untiled:
      return "one tile of " + std::to_string(converter.buffer[k]) + " spans it";
    case DimensionVerdict::SharedLoop:
      return "one tile of " + std::to_string(converter.buffer[k]) + ": " + loops + " are shared";
    case DimensionVerdict::TilesDiffer:
      return whole + "the tiles differ, " + std::to_string(source.extent(k)) + " and " +
             std::to_string(result.extent(k));
    case DimensionVerdict::LevelsDiffer:
      return whole + loops + " move along it, at different depths";
    case DimensionVerdict::OuterLoop:
      return whole + loops + " agree, but a loop outside them is not shared";
    case DimensionVerdict::NotReached:
      return whole + "the walk over the dimensions had stopped before it";
    case DimensionVerdict::Irregular:
      break;
  }
  return whole + "a side is no regular tiling";
}

std::string prefixText(const Converter& converter, const ITensor& source, const ITensor& result) {
  if (converter.kind == ConverterKind::None) return "Both types are the same stream: a FIFO joins them.";
  const std::string count = std::to_string(converter.before_loop);
  const std::string shared = converter.before_loop == 0   ? "No outer loop is shared. "
                             : converter.before_loop == 1 ? "The outermost loop is shared. "
                                                          : "The " + count + " outermost loops are shared. ";
  return shared + breakText(converter, source, result);
}

std::string explanation(const Converter& converter, const ITensor& source, const ITensor& result) {
  std::string lines = prefixText(converter, source, result);
  if (converter.kind == ConverterKind::None) return lines;
  lines = "Two buffers of " + shapeText(converter.buffer) + ", " + std::to_string(converter.bytes) + " of " +
          std::to_string(converter.whole_bytes) + " bytes. " + lines;
  for (std::size_t k = 0; k < converter.dimensions.size(); ++k)
    lines += " Dimension " + std::to_string(k) + ": " + dimensionText(converter, source, result, k) + ".";
  return lines;
}

}  // namespace sluice::inline itensor
