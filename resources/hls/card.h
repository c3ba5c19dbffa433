#pragma once
// The card that the host program runs on, by way of the vendor's runtime (XRT): memories, kernels, times.

#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

namespace host {

inline std::uint32_t bitsOf(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float floatOf(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

struct Options {
  std::string xclbin;
  unsigned device = 0;
  int runs = 1;
};

inline Options optionsOf(int count, char** words) {
  const auto number = [](const std::string& text, int least) {
    char* end = nullptr;
    const long value = std::strtol(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0' || value < least || value > 1000000)
      throw std::runtime_error(text + " is no number from " + std::to_string(least) + " on");
    return static_cast<int>(value);
  };
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--device" && i + 1 < count)
      options.device = static_cast<unsigned>(number(words[++i], 0));
    else if (word == "--runs" && i + 1 < count)
      options.runs = number(words[++i], 1);
    else if (options.xclbin.empty() && !word.empty() && word[0] != '-')
      options.xclbin = word;
    else
      throw std::runtime_error("options: XCLBIN [--device NUMBER] [--runs NUMBER]");
  }
  if (options.xclbin.empty()) throw std::runtime_error("name the file that the linker made: XCLBIN");
  return options;
}

/// The device with the design on it.
struct Card {
  explicit Card(const Options& options) : device(options.device), design(device.load_xclbin(options.xclbin)) {}

  xrt::device device;
  xrt::uuid design;
};

/// A tensor in the card's memory: elements of 1 to 32 bits side by side, the first in the lowest bits of the first
/// byte, so that a word of the kernels has its elements in their order.
class Memory {
 public:
  Memory(const Card& card, int bank, std::size_t elements, unsigned bits)
      : bits_(bits),
        bytes_((elements * bits + 7) / 8, 0),
        buffer_(card.device, bytes_.size(), static_cast<unsigned>(bank)) {}

  void put(std::size_t element, std::uint32_t value) {
    for (unsigned bit = 0; bit < bits_; bit += step()) {
      unsigned char& byte = bytes_[(element * bits_ + bit) / 8];
      const unsigned shift = (element * bits_ + bit) % 8;
      byte = static_cast<unsigned char>((byte & ~(mask() << shift)) | ((value >> bit & mask()) << shift));
    }
  }
  std::uint32_t get(std::size_t element) const {
    std::uint32_t value = 0;
    for (unsigned bit = 0; bit < bits_; bit += step()) {
      const unsigned shift = (element * bits_ + bit) % 8;
      value |= (bytes_[(element * bits_ + bit) / 8] >> shift & mask()) << bit;
    }
    return value;
  }

  void toCard() {
    buffer_.write(bytes_.data(), bytes_.size(), 0);
    buffer_.sync(XCL_BO_SYNC_BO_TO_DEVICE);
  }
  void fromCard() {
    buffer_.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
    buffer_.read(bytes_.data(), bytes_.size(), 0);
  }
  const xrt::bo& buffer() const { return buffer_; }

 private:
  unsigned step() const { return std::min(bits_, 8u); }  // the bits of an element that lie in one byte
  std::uint32_t mask() const { return (1u << step()) - 1; }

  unsigned bits_;
  std::vector<unsigned char> bytes_;
  xrt::bo buffer_;
};

/// The top function of a group.
class Kernel {
 public:
  Kernel(const Card& card, const std::string& name)
      : name_(name), kernel_(card.device, card.design, name + ":{" + name + "_1}") {}

  /// The memory that the linker joined the argument to.
  int bank(int argument) const { return kernel_.group_id(argument); }

  /// From its start until it has ended.
  void run(std::initializer_list<const Memory*> arguments) {
    xrt::run run(kernel_);
    int number = 0;
    for (const Memory* memory : arguments) run.set_arg(number++, memory->buffer());
    const auto begin = std::chrono::steady_clock::now();
    run.start();
    const ert_cmd_state state = run.wait();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    if (state != ERT_CMD_STATE_COMPLETED)
      throw std::runtime_error(name_ + " ended in state " + std::to_string(static_cast<int>(state)));
    milliseconds_.push_back(time.count());
  }

  /// Of all runs; prints them, and gives the shortest.
  double report() const {
    if (milliseconds_.empty()) return 0;
    double sum = 0;
    for (const double time : milliseconds_) sum += time;
    const double least = *std::min_element(milliseconds_.begin(), milliseconds_.end());
    std::printf("%s: %zu runs, %.6g ms at least, %.6g ms on average\n", name_.c_str(), milliseconds_.size(), least,
                sum / static_cast<double>(milliseconds_.size()));
    return least;
  }

 private:
  std::string name_;
  xrt::kernel kernel_;
  std::vector<double> milliseconds_;
};

}  // namespace host
