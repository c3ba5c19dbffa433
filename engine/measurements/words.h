#pragma once
// The words of a text between blanks, a buffer at a time.

#include <array>
#include <cstdint>
#include <istream>
#include <string>

#include "engine/core/content_hash.h"

namespace sluice::inline measurements {

class Words {
 public:
  static constexpr std::size_t longest = std::size_t{1} << 16;

  explicit Words(std::istream& in) : in_(in) {}

  /// The next word; false at the end of the text, and where a word is too long.
  bool next(std::string& word);
  bool tooLong() const { return too_long_; }
  /// Of the word that was read last, from 1.
  std::int64_t line() const { return line_; }
  /// Nothing stood between the last word and the end of the text.
  bool cutOff() const { return cut_off_; }
  /// Of all that was read, a block at a time: what a file is known by.
  std::string hash() const { return hash_.hex(); }

 private:
  int get();

  std::istream& in_;
  std::array<char, 65536> buffer_{};
  std::size_t at_ = 0, end_ = 0;
  std::int64_t line_ = 1;
  ContentHash hash_;
  bool line_ended_ = false, too_long_ = false, cut_off_ = false;
};

}  // namespace sluice::inline measurements
