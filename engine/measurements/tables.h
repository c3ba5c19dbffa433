#pragma once
// Tables of measurements in CSV: cells by the names of their columns, numbers that are numbers.

#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/location.h"
#include "engine/core/result.h"

namespace sluice::inline measurements {

/// Larger tables are refused.
inline constexpr std::uintmax_t most_table_bytes = std::uintmax_t{1} << 26;

inline constexpr std::size_t most_table_cells = 4'000'000;

struct TableLine {
  std::vector<std::string> cells;  ///< without blanks around them
  std::int64_t line = 0;
};

/// The lines of a CSV file, but for empty ones and comments that begin with #. Errors: too large, a quote
/// that does not end, no text.
Result<std::vector<TableLine>> readLines(std::istream& in, const std::string& file);

/// A table: its header, and cells by name.
class NamedColumns {
 public:
  NamedColumns(const TableLine& header, std::string file);

  /// The position of the first of these columns that is there; names as plainName() makes them.
  std::optional<std::size_t> column(std::initializer_list<std::string_view> names) const;
  const std::vector<std::string>& names() const { return names_; }
  Location place(const TableLine& line) const;
  /// Nothing where the cell is empty or the column is not there. Errors: no finite number, a negative one.
  Result<std::optional<double>> number(const TableLine& line, std::optional<std::size_t> column) const;
  /// Error: another column of the header is called as this one, so that which is meant cannot be known.
  Result<Done> isAlone(const TableLine& header, std::size_t column) const;
  /// A row that has as many cells as the header; trailing empty ones do not count.
  Result<Done> fits(const TableLine& line) const;

 private:
  std::vector<std::string> names_;
  std::string file_;
};

}  // namespace sluice::inline measurements
