#pragma once
// Protobuf's wire format, written by hand: so that a test of a reader does not lean on what it tests.

#include <cstdint>
#include <string>

namespace sluice::testing_support {

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value > 127; value >>= 7) bytes += static_cast<char>(value | 128);
  return bytes + static_cast<char>(value);
}
/// proto3 writes no zeros, except where a field has presence.
inline std::string number(int field, std::uint64_t value, bool presence = false) {
  return value == 0 && !presence ? "" : varint(static_cast<std::uint64_t>(field) << 3) + varint(value);
}
inline std::string bytes(int field, const std::string& content) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(content.size()) + content;
}
template <class Values>
std::string packed(int field, const Values& values) {
  std::string content;
  for (const auto& value : values)
    content += varint(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  return content.empty() ? "" : bytes(field, content);
}

}  // namespace sluice::testing_support
