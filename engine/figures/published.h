#pragma once
// Tables of published numbers (resources/published/README.md): rows of parameters and values, each with its
// own key.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace sluice::inline figures {

/// The fields of one row by column. A column that is not there or a field that is no number is a mistake in
/// the files of the program: std::logic_error.
class PublishedRow {
 public:
  explicit PublishedRow(std::map<std::string, std::string> fields) : fields_(std::move(fields)) {}
  const std::string& text(const std::string& column) const;
  double number(const std::string& column) const;
  /// Nothing where the field is empty.
  std::optional<double> value(const std::string& column) const;
  std::int64_t integer(const std::string& column) const;
  /// Integers with spaces between them.
  std::vector<std::int64_t> integers(const std::string& column) const;

 private:
  std::map<std::string, std::string> fields_;
};

using PublishedTable = std::vector<PublishedRow>;

/// Lines of comment, one of them "# key: COLUMN COLUMN", then CSV with a header. Errors, with the row: no
/// header or key, fields that are not as many as columns, an empty key, a key that was there before.
Result<PublishedTable> parsePublished(std::string_view csv, const std::string& name);

/// The file NAME.csv of the program; std::logic_error if there is none.
PublishedTable publishedTable(std::string_view name);

/// The row with these fields; std::logic_error if there is none.
const PublishedRow& rowWith(const PublishedTable& table, const std::map<std::string, std::string>& fields);
/// A copy, where the table goes at once.
PublishedRow rowWith(PublishedTable&& table, const std::map<std::string, std::string>& fields);

}  // namespace sluice::inline figures
