#pragma once
// xrt::kernel and xrt::run for C simulation: a kernel is a function of the project, which is called with the buffers of
// the card, if every one of them lies in the bank that the argument is joined to.

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "xrt_bo.h"
#include "xrt_device.h"

enum ert_cmd_state { ERT_CMD_STATE_NEW = 1, ERT_CMD_STATE_COMPLETED = 4, ERT_CMD_STATE_ERROR = 5 };

namespace csim {

/// A row of csim/kernels.cpp.
struct Kernel {
  std::string name;
  std::vector<int> banks;  ///< of its arguments
  void (*call)(void* const* memories);
};
const std::vector<Kernel>& kernels();

}  // namespace csim

namespace xrt {

class kernel {
 public:
  /// "NAME", or "NAME:{NAME_1}" for that instance of it.
  kernel(const device&, const uuid&, const std::string& name) {
    for (const csim::Kernel& each : csim::kernels())
      if (name == each.name || name == each.name + ":{" + each.name + "_1}") kernel_ = &each;
    if (kernel_ == nullptr) throw std::runtime_error("the design has no kernel " + name);
  }
  int group_id(int argument) const { return kernel_->banks.at(static_cast<std::size_t>(argument)); }
  const csim::Kernel& function() const { return *kernel_; }

 private:
  const csim::Kernel* kernel_ = nullptr;
};

class run {
 public:
  explicit run(const kernel& kernel) : kernel_(&kernel.function()), memories_(kernel_->banks.size(), nullptr) {}

  void set_arg(int argument, const bo& buffer) {
    const std::size_t at = static_cast<std::size_t>(argument);
    if (static_cast<int>(buffer.bank()) != kernel_->banks.at(at))
      throw std::runtime_error("argument " + std::to_string(argument) + " of " + kernel_->name +
                               " is joined to bank " + std::to_string(kernel_->banks[at]) +
                               "; the buffer lies in bank " + std::to_string(buffer.bank()));
    memories_[at] = buffer.onCard();
  }
  void start() {
    for (const void* memory : memories_)
      if (memory == nullptr) throw std::runtime_error("an argument of " + kernel_->name + " was not set");
    kernel_->call(memories_.data());
  }
  ert_cmd_state wait() { return ERT_CMD_STATE_COMPLETED; }

 private:
  const csim::Kernel* kernel_;
  std::vector<void*> memories_;
};

}  // namespace xrt
