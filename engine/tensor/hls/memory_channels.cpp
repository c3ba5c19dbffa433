#include "engine/tensor/hls/memory_channels.h"

#include <algorithm>
#include <cmath>

#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/hls/code_writer.h"
#include "engine/tensor/hls/group_code.h"

namespace sluice::inline tensor {
namespace {

bool isHbm(const PlatformMemory& memory) {
  return memory.kind.starts_with("HBM");
}

/// Room of the channels, taken tensor by tensor.
class Allocation {
 public:
  explicit Allocation(const PlatformMemory& memory)
      : side_by_side_(isHbm(memory)),
        each_(static_cast<std::int64_t>(memory.gigabytes * 1e9 / static_cast<double>(memory.channels))),
        left_(static_cast<std::size_t>(memory.channels), each_) {}

  /// From the next channel on, the first with room; a count of 0: none has.
  MemoryChannels take(std::int64_t bytes) {
    const auto channels = static_cast<std::int64_t>(left_.size());
    const std::int64_t count = side_by_side_ ? std::max<std::int64_t>(1, (bytes + each_ - 1) / each_) : 1;
    for (std::int64_t tried = 0; tried < channels; ++tried) {
      const MemoryChannels chosen{(next_ + tried) % channels, count};
      if (chosen.first + count > channels || !hasRoom(chosen, bytes)) continue;
      for (std::int64_t i = 0; i < count; ++i, bytes -= each_) at(chosen.first + i) -= std::min(bytes, each_);
      next_ = (chosen.first + count) % channels;
      return chosen;
    }
    return {};
  }

 private:
  std::int64_t& at(std::int64_t channel) { return left_[static_cast<std::size_t>(channel)]; }
  bool hasRoom(const MemoryChannels& channels, std::int64_t bytes) {
    if (bytes > channels.count * each_) return false;
    for (std::int64_t i = 0; i < channels.count; ++i, bytes -= each_)
      if (at(channels.first + i) < std::min(bytes, each_)) return false;
    return true;
  }

  bool side_by_side_;  // a tensor may lie in several
  std::int64_t each_;
  std::vector<std::int64_t> left_;
  std::int64_t next_ = 0;
};

}  // namespace

std::string channelText(const MemoryChannels& channels, const PlatformMemory& memory) {
  const std::string last = channels.count > 1 ? joined(":", channels.first + channels.count - 1) : "";
  return joined(isHbm(memory) ? "HBM[" : "DDR[", channels.first, last, "]");
}

Result<std::vector<MemoryChannels>> memoryChannels(const HlsPlan& plan, const Platform& platform) {
  std::vector<MemoryChannels> of(plan.tensors.size());
  Allocation allocation(platform.memory);
  for (std::size_t group = 0; group < plan.tops.size(); ++group)
    for (const std::size_t task : transfersOf(plan, group)) {
      const std::size_t storage = plan.tensors[transferPort(plan.design().tasks[task]).tensor].storage;
      if (of[storage].count > 0) continue;
      const TensorValue& value = plan.design().program.tensors[storage];
      const std::int64_t bytes = (elementCount(value) * plan.tensors[storage].memoryBits() + 7) / 8;
      of[storage] = allocation.take(bytes);
      if (of[storage].count == 0)
        return error("does-not-fit", Location(Where::Tensor, value.name),
                     "it has " + std::to_string(bytes) + " bytes, for which no channel of " + platform.title +
                         " has room",
                     "take a platform with more memory, fewer layers, or narrower numbers");
    }
  for (std::size_t tensor = 0; tensor < of.size(); ++tensor) of[tensor] = of[plan.tensors[tensor].storage];
  return of;
}

}  // namespace sluice::inline tensor
