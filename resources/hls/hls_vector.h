#pragma once
// hls::vector for C simulation: the part of the vendor's header of this name that is used here.

#include <cstddef>

// The vendor's processes are ordinary calls; here they are threads (dataflow.h).
#define CSIM_THREADS 1

namespace hls {

template <class T, std::size_t N>
class vector {
 public:
  T& operator[](std::size_t at) { return values_[at]; }
  const T& operator[](std::size_t at) const { return values_[at]; }

 private:
  T values_[N] = {};
};

}  // namespace hls
