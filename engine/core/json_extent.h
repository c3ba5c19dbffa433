#pragma once
// What a JSON text is seen to be before anything is made of it: how deep and how large. A tree of JSON is
// copied, printed and thrown away recursively, so that some 100,000 brackets would end the stack.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

constexpr std::size_t deepest_json = 100;            ///< lists and objects in each other
constexpr std::size_t most_json_values = 4'000'000;  ///< in one text

/// What is too much of it ("it is nested deeper than 100"), or nothing. Texts that are no JSON may pass: what
/// parses them refuses them.
std::optional<std::string> tooMuchJson(std::string_view text);
/// Whether it begins as an object, or is blank.
bool beginsAsJson(std::string_view text);

}  // namespace sluice
