#pragma once
// Expressions over sizes, "2*seq + 1", and texts that hold them as $(2*seq + 1).

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::inline tensor {

using NamedSizes = std::map<std::string, std::int64_t, std::less<>>;

/// Sums, differences and products of whole numbers and names, and brackets. Empty: it is none, or its value
/// lies below 0 or above 2^53.
std::optional<std::int64_t> sizeOf(std::string_view text, const NamedSizes& sizes);
/// The bracket that closes the one at `at`; the end of the text where there is none.
std::size_t closingBracket(std::string_view text, std::size_t at);
/// The text with what `value` gives of the inside of every $(...). Empty: it gave nothing.
std::optional<std::string> withExpressions(
    std::string_view text, const std::function<std::optional<std::int64_t>(std::string_view)>& value);

}  // namespace sluice::inline tensor
