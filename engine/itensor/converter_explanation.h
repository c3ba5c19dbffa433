#pragma once
// What a converter's inference found, in words: for the window and the command line.

#include <string>

#include "engine/itensor/converter.h"

namespace sluice::inline itensor {

/// Names as the command line and its JSON write them: "order-free", "reduced", "tiles differ", ...
std::string text(ConverterOrder order);
std::string text(ConverterKind kind);
std::string text(DimensionVerdict verdict);
std::string text(PrefixBreak reason);

/// Why dimension k of the buffer is as large as it is.
std::string dimensionText(const Converter& converter, const ITensor& source, const ITensor& result,
                          std::size_t k);
/// Which loops are shared, and what ended them.
std::string prefixText(const Converter& converter, const ITensor& source, const ITensor& result);
/// All of it: the buffer, the loops, every dimension.
std::string explanation(const Converter& converter, const ITensor& source, const ITensor& result);

}  // namespace sluice::inline itensor
