#pragma once
// Integers of 128 bits, in which products of two counts are exact.

namespace sluice::inline csdf {

__extension__ typedef __int128 Wide;

}  // namespace sluice::inline csdf
