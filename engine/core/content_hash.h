#pragma once
// ContentHash: XXH3 over texts and whole numbers, the same on every machine. Texts go in with their length,
// so that what stands side by side is never taken for something else.

#include <xxhash.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sluice {

class ContentHash {
 public:
  ContentHash() : state_(XXH3_createState(), XXH3_freeState) { XXH3_128bits_reset(state_.get()); }

  void add(std::string_view bytes) {
    add(static_cast<std::int64_t>(bytes.size()));
    XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
  }
  void add(std::int64_t number) {
    std::array<unsigned char, 8> bytes;  // little-endian on every machine
    for (std::size_t i = 0; i < 8; ++i)
      bytes[i] = static_cast<unsigned char>(static_cast<std::uint64_t>(number) >> (8 * i));
    XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
  }
  /// 32 hexadecimal digits.
  std::string hex() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_.get()));
    std::string digits;
    for (const unsigned char byte : canonical.digest) {
      digits += "0123456789abcdef"[byte >> 4];
      digits += "0123456789abcdef"[byte & 15];
    }
    return digits;
  }
  /// Half of them, as a number.
  std::uint64_t number() const { return XXH3_128bits_digest(state_.get()).low64; }
  void clear() { XXH3_128bits_reset(state_.get()); }

 private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

}  // namespace sluice
