#pragma once
// Tables as CSV after RFC 4180: comma, CRLF, quotes where a field needs them. The same bytes in every
// locale. Of what is written, a field that a spreadsheet would run as a formula gets an apostrophe before it,
// which spreadsheets take as "this is text".

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace sluice {

/// The shortest text that reads back as the same number; "" for NaN.
std::string csvNumber(double value);

class CsvTable {
 public:
  explicit CsvTable(const std::vector<std::string>& header) { row(header); }
  void row(const std::vector<std::string>& fields);
  const std::string& text() const { return text_; }
  /// Forgets what was written somewhere already; rows go on.
  void clear() { text_.clear(); }

 private:
  std::string text_;
};

/// The fields of every row; lines may end in LF, too. `name`: for the error, which is a quote that does not
/// end.
Result<std::vector<std::vector<std::string>>> parseCsv(std::string_view text, const std::string& name);

}  // namespace sluice
