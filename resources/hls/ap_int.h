#pragma once
// ap_int for C simulation: the part of the vendor's header of this name that is used here, up to 32 bits.

/// An integer of W bits with a sign; what does not fit loses its upper bits.
template <int W>
class ap_int {
 public:
  ap_int(int value = 0) : value_(static_cast<int>(static_cast<unsigned>(value) << (32 - W)) >> (32 - W)) {}
  int to_int() const { return value_; }
  operator int() const { return value_; }

 private:
  int value_;
};
