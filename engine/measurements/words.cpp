#include "engine/measurements/words.h"

#include <utility>

namespace sluice::inline measurements {

int Words::get() {
  if (at_ == end_) {
    in_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    at_ = 0, end_ = static_cast<std::size_t>(in_.gcount());
    if (end_ == 0) return -1;
    hash_.add(std::string_view(buffer_.data(), end_));
  }
  return static_cast<unsigned char>(buffer_[at_++]);
}

bool Words::next(std::string& word) {
  word.clear();
  for (int c = get();; c = get()) {
    if (std::exchange(line_ended_, c == '\n')) ++line_;
    const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
    if (c < 0 && !word.empty()) cut_off_ = true;
    if (c < 0 || (blank && !word.empty())) return !word.empty();
    if (blank) continue;
    if (word.size() == longest) {
      too_long_ = true;
      return false;
    }
    word += static_cast<char>(c);
  }
}

}  // namespace sluice::inline measurements
