#include "app/process/standard_error.h"

#include <iostream>

#include "engine/core/printable.h"

namespace sluice {

StandardError::StandardError() : before_(std::cerr.rdbuf(this)) {}

StandardError::~StandardError() {
  std::cerr.rdbuf(before_);
}

StandardError::int_type StandardError::overflow(int_type next) {
  if (traits_type::eq_int_type(next, traits_type::eof())) return traits_type::not_eof(next);
  const char byte = traits_type::to_char_type(next);
  return xsputn(&byte, 1) == 1 ? next : traits_type::eof();
}

std::streamsize StandardError::xsputn(const char* bytes, std::streamsize count) {
  const std::string shown = printable({bytes, static_cast<std::size_t>(count)});
  const auto all = static_cast<std::streamsize>(shown.size());
  return before_->sputn(shown.data(), all) == all ? count : 0;
}

int StandardError::sync() {
  return before_->pubsync();
}

}  // namespace sluice
