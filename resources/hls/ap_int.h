#pragma once
// ap_int and ap_uint for C simulation: the part of the vendor's header of this name that is used here. ap_int has up to
// 32 bits, in as few bytes as hold them; ap_uint has ranges of bits, which are numbers without a sign.

#include <cstdint>
#include <type_traits>

/// An integer of W bits with a sign; what does not fit loses its upper bits.
template <int W>
class ap_int {
 public:
  ap_int(int value = 0)
      : value_(static_cast<Value>(static_cast<int>(static_cast<unsigned>(value) << (32 - W)) >> (32 - W))) {}
  int to_int() const { return value_; }
  operator int() const { return value_; }

 private:
  typedef typename std::conditional<(W <= 8), std::int8_t,
                                    typename std::conditional<(W <= 16), std::int16_t, std::int32_t>::type>::type Value;
  Value value_;
};

/// W bits, of which ranges of up to 32 are read and written.
template <int W>
class ap_uint {
 public:
  class Range {
   public:
    Range(ap_uint& word, int high, int low) : word_(word), high_(high), low_(low) {}
    Range& operator=(int value) {
      for (int bit = low_; bit <= high_; ++bit) {
        const unsigned char one = static_cast<unsigned char>(1u << bit % 8);
        unsigned char& byte = word_.bytes_[bit / 8];
        byte = static_cast<unsigned char>(static_cast<unsigned>(value) >> (bit - low_) & 1u ? byte | one : byte & ~one);
      }
      return *this;
    }
    operator int() const { return word_.bits(high_, low_); }

   private:
    ap_uint& word_;
    int high_, low_;
  };

  Range range(int high, int low) { return Range(*this, high, low); }
  int range(int high, int low) const { return bits(high, low); }

 private:
  int bits(int high, int low) const {
    unsigned value = 0;
    for (int bit = high; bit >= low; --bit) value = value << 1 | (bytes_[bit / 8] >> bit % 8 & 1u);
    return static_cast<int>(value);
  }

  unsigned char bytes_[(W + 7) / 8] = {};
};
