#pragma once
// When two iterative tensor types describe the same stream: the same tokens in the same order.

#include <compare>

#include "engine/itensor/itensor.h"

namespace sluice::inline itensor {

/// The shortest loop nest with the same offsets: no loop of one trip, no two adjacent loops that one could
/// replace (reuse loops above all), steps that take up the common factor of their coefficients. Two types
/// have the same canonical form exactly if they send the same element types at the same offsets in the same
/// order: the innermost loop is the longest stretch of equal offset differences from the start, and so on
/// outwards, so nothing is left to choose.
ITensor canonicalForm(const ITensor& type);

/// Whether a bare FIFO may join the two; canonicalForm(a) == canonicalForm(b), but without making either.
bool sameStream(const ITensor& a, const ITensor& b);

/// An order of canonical forms, for sets and maps of streams.
std::strong_ordering compareTypes(const ITensor& a, const ITensor& b);

}  // namespace sluice::inline itensor
