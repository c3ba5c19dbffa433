#pragma once
// xrt::device for C simulation: the part of the header of this name of the vendor's runtime (XRT) that the host program
// uses. There is one card, and whatever is loaded, its design is the one that was compiled with this.

#include <stdexcept>
#include <string>

namespace xrt {

class uuid {};

class device {
 public:
  explicit device(unsigned number) {
    if (number != 0) throw std::runtime_error("no such device: C simulation has number 0 alone");
  }
  uuid load_xclbin(const std::string&) { return {}; }
};

}  // namespace xrt
