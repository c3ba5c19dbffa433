#pragma once
// The text of iterative tensor types:
//   itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>
// Element, trip counts * steps (outermost loop first), affine map from iteration to offset. The older
// positional spelling, itensor<4x2xf32, [4,2], [2,4], (d0,d1)->(d1,d0), 1>, is read too; it ends with the
// depth of the FIFO, which is no part of the type any more.

#include <string>
#include <string_view>

#include "engine/itensor/itensor.h"

namespace sluice::inline itensor {

struct WrittenITensor {
  ITensor type;
  std::optional<std::int64_t> fifo_depth;  ///< where the text ends with one
};

/// `place` is how a diagnostic calls the text; it adds the column. A type that is read passes verify().
Result<WrittenITensor> parseITensor(std::string_view text, const Location& place = "itensor type");
std::string text(const ITensor& type);
/// "(d0,d1)->(d1,2*d0+1)".
std::string mapText(const ITensor& type);
/// "2*d0+1".
std::string text(const AffineForm& form);
/// "4x2xf32", "vector<2x4xf32>".
std::string elementText(const ITensor& type);

/// "8x8"; every extent at least 1.
Result<std::vector<std::int64_t>> parseTensorShape(std::string_view text, const Location& place);
std::string shapeText(std::span<const std::int64_t> shape);

}  // namespace sluice::inline itensor
