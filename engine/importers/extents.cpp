#include "engine/importers/extents.h"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace sluice::inline importers {
namespace {

constexpr const char* how = "give one, or several behind commas, as in 64,32,128";

}  // namespace

Result<std::vector<std::int64_t>> extentsFrom(const std::string& text, const Location& place) {
  std::vector<std::int64_t> extents;
  std::istringstream parts(text + ",");
  for (std::string part; std::getline(parts, part, ',');) {
    const auto space = [](char c) { return c == ' '; };
    part.erase(part.begin(), std::ranges::find_if_not(part, space));
    while (!part.empty() && space(part.back())) part.pop_back();
    std::int64_t extent = 0;
    const char* const end = part.data() + part.size();
    const auto [stop, wrong] = std::from_chars(part.data(), end, extent);
    if (part.empty() || wrong != std::errc() || stop != end || extent < 1)
      return error("invalid-option", place, "'" + part + "' is no extent, a whole number from 1 on", how);
    extents.push_back(extent);
  }
  return extents;
}

Result<Done> takeExtents(ImportOptions& options, const std::string& dimension,
                         const std::vector<std::int64_t>& extents, const Location& place) {
  if (extents.empty()) return error("invalid-option", place, "it has no extent", how);
  if (const auto least = std::ranges::min_element(extents); *least < 1)
    return error("invalid-option", place, std::to_string(*least) + " is no extent, a whole number from 1 on",
                 how);
  options.dimensions[dimension] = extents.front();
  if (extents.size() > 1) options.dimension_values[dimension] = extents;
  return Done{};
}

}  // namespace sluice::inline importers
