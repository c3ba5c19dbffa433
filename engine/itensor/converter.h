#pragma once
// The layout converter between two kernels that disagree on the order of a tensor's tiles: a double buffer
// that the source fills in its order while the result drains the other half in its own. The outer loops that
// both orders share are run around it, so the buffer holds only what one iteration of them delivers.

#include <span>
#include <vector>

#include "engine/itensor/itensor.h"

namespace sluice::inline itensor {

/// How the shared loops are looked for.
enum class ConverterOrder {
  OrderFree,       ///< loop by loop from the outermost, in whatever order the dimensions come: never larger
  FirstDimension,  ///< the published listing: dimension by dimension from the first, up to the first mismatch
  LastDimension    ///< the same from the last, as on the slides
};

enum class ConverterKind {
  None,     ///< both types are the same stream: a bare FIFO
  Reduced,  ///< a buffer smaller than the tensor
  WholeTensor
};

/// Why a dimension has the buffer extent it has.
enum class DimensionVerdict {
  Untiled,       ///< one tile spans it on both sides
  SharedLoop,    ///< its loop is shared: one tile
  TilesDiffer,   ///< the tiles differ in this dimension
  LevelsDiffer,  ///< its loops stand at different depths of the two nests
  OuterLoop,     ///< its loops agree, but one further out is not shared
  NotReached,    ///< the walk over the dimensions had stopped before
  Irregular      ///< a side is no regular tiling, so nothing is shared
};

struct DimensionReason {
  DimensionVerdict verdict = DimensionVerdict::Irregular;
  std::optional<std::size_t> source_loop, result_loop;  ///< that move along it, more than one trip

  bool operator==(const DimensionReason&) const = default;
};

/// What kept the loop below the shared ones from being shared.
enum class PrefixBreak {
  NoMoreLoops,    ///< one side has none left
  TripsDiffer,    ///< the loops run differently often
  ResultRepeats,  ///< the source moves on, the result replays
  DimensionsDiffer,
  Irregular,
  DimensionOrder  ///< the walk over the dimensions stopped (or took the loop back), not the loops themselves
};

struct Converter {
  ConverterKind kind = ConverterKind::WholeTensor;
  std::vector<std::int64_t> buffer;  ///< one half's shape; empty for None
  /// The shared loops around the buffer, not counting loops of one trip.
  std::size_t before_loop = 0;
  std::int64_t half_bytes = 0;
  std::int64_t bytes = 0;        ///< both halves
  std::int64_t whole_bytes = 0;  ///< both halves if they held the whole tensor
  std::vector<DimensionReason> dimensions;
  PrefixBreak prefix_break = PrefixBreak::NoMoreLoops;
  /// The loops at which the shared prefix ends.
  std::optional<std::size_t> source_break, result_break;

  bool operator==(const Converter&) const = default;
};

/// The converter from `source` to `result`, both of a tensor of `shape`. Fails where they are not: different
/// scalars, or a type that reaches over another tensor or whose source leaves elements out.
///
/// OrderFree is the smallest buffer there is between regular tilings. A loop is shared where both sides run
/// it equally often and move along the same dimension; or where the source sends everything below it again at
/// every trip, whatever the result does meanwhile.
Result<Converter> inferConverter(const ITensor& source, const ITensor& result,
                                 std::span<const std::int64_t> shape,
                                 ConverterOrder order = ConverterOrder::OrderFree);

}  // namespace sluice::inline itensor
