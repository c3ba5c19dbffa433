#pragma once
// Columns of whole numbers of a CSV file with a header, as logs of requests and of experts are.

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace sluice::inline traces {

struct NumberColumns {
  std::vector<std::vector<std::int64_t>> columns;  ///< parallel to the names that were asked for
  Diagnostics wrong;                               ///< a warning for each cell that is no whole number
};

/// What stands for such a cell.
constexpr std::int64_t no_number = -1;

/// Errors: no file, a column that is not there.
Result<NumberColumns> readNumberColumns(const std::filesystem::path& file,
                                        const std::vector<std::string>& names, const Location& place);
/// The fields of a line without quotes, without the spaces around them.
std::vector<std::string_view> fieldsOf(std::string_view line);

}  // namespace sluice::inline traces
