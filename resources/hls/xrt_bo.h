#pragma once
// xrt::bo for C simulation: a buffer in a bank of the card's memory, of which the host has a copy. What is written into
// one is in the other when they are synchronised, and not before.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "xrt_device.h"

enum xclBOSyncDirection { XCL_BO_SYNC_BO_TO_DEVICE = 0, XCL_BO_SYNC_BO_FROM_DEVICE = 1 };

namespace xrt {

using memory_group = std::uint32_t;

class bo {
 public:
  bo(const device&, std::size_t bytes, memory_group bank) : buffer_(std::make_shared<Buffer>()) {
    if (bytes == 0) throw std::runtime_error("a buffer has at least a byte");
    buffer_->bytes = bytes, buffer_->bank = bank;
    buffer_->host.resize(bytes, 0);
    buffer_->card.resize((bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
  }

  void write(const void* from, std::size_t bytes, std::size_t at) {
    check(bytes, at);
    std::memcpy(buffer_->host.data() + at, from, bytes);
  }
  void read(void* to, std::size_t bytes, std::size_t at) {
    check(bytes, at);
    std::memcpy(to, buffer_->host.data() + at, bytes);
  }
  void sync(xclBOSyncDirection direction) {
    if (direction == XCL_BO_SYNC_BO_TO_DEVICE)
      std::memcpy(buffer_->card.data(), buffer_->host.data(), buffer_->bytes);
    else
      std::memcpy(buffer_->host.data(), buffer_->card.data(), buffer_->bytes);
  }

  // What only the kernels of C simulation ask for.
  void* onCard() const { return buffer_->card.data(); }
  memory_group bank() const { return buffer_->bank; }

 private:
  struct Buffer {
    std::size_t bytes = 0;
    memory_group bank = 0;
    std::vector<unsigned char> host;
    std::vector<std::max_align_t> card;
  };
  void check(std::size_t bytes, std::size_t at) const {
    if (at > buffer_->bytes || bytes > buffer_->bytes - at) throw std::runtime_error("beyond the end of a buffer");
  }

  std::shared_ptr<Buffer> buffer_;
};

}  // namespace xrt
