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
  void add(std::string_view bytes) {
    add(static_cast<std::int64_t>(bytes.size()));
    put(bytes);
  }
  void add(std::int64_t number) {
    std::array<char, 8> bytes;  // little-endian on every machine
    for (std::size_t i = 0; i < 8; ++i)
      bytes[i] = static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i));
    put({bytes.data(), bytes.size()});
  }
  /// 32 hexadecimal digits.
  std::string hex() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, digest());
    std::string digits;
    for (const unsigned char byte : canonical.digest) {
      digits += "0123456789abcdef"[byte >> 4];
      digits += "0123456789abcdef"[byte & 15];
    }
    return digits;
  }
  /// Half of them, as a number.
  std::uint64_t number() const { return digest().low64; }
  void clear() {
    waiting_.clear();
    begun_.reset();
  }

 private:
  /// Most hashes are of some dozens of bytes, which XXH3 takes much faster in one piece than one by one.
  static constexpr std::size_t most_waiting = std::size_t{1} << 16;

  void put(std::string_view bytes) {
    waiting_ += bytes;
    if (waiting_.size() > most_waiting) begin();
  }
  /// The state of what was added takes what waits.
  void begin() const {
    if (!begun_) {
      begun_.reset(XXH3_createState());
      XXH3_128bits_reset(begun_.get());
    }
    XXH3_128bits_update(begun_.get(), waiting_.data(), waiting_.size());
    waiting_.clear();
  }
  XXH128_hash_t digest() const {
    if (!begun_) return XXH3_128bits(waiting_.data(), waiting_.size());
    begin();
    return XXH3_128bits_digest(begun_.get());
  }

  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  mutable std::string waiting_;
  mutable std::unique_ptr<XXH3_state_t, Free> begun_;
};

}  // namespace sluice
