#pragma once
// Text tables and numbers for people.

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "engine/core/quantity_text.h"

namespace sluice::cli {

/// Columns padded to the widest cell; the first `left` columns to the left, numbers to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> header, std::size_t left = 1) : left_(left) {
    rows_.push_back(std::move(header));
  }
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// At most `most` rows, then a line that says how many were left out and which option shows them; 0: all.
  void print(std::ostream& out, std::size_t most = 0, const char* option = "--all") const;

 private:
  std::size_t left_;
  std::vector<std::vector<std::string>> rows_;
};

std::string counted(std::uint64_t number, const std::string& what);  ///< "1 point", "1 234 points"
std::string bytesText(double bytes);                                 ///< "4 229 431 552 (4.23 GB)"
std::string percent(double share);                                   ///< "12.3 %"
std::string decimal(double number, int digits);                      ///< fixed
std::string durationText(double seconds);                            ///< "850 ms", "12.3 s", "3 min 05 s"

}  // namespace sluice::cli
