#pragma once
// SampleTable: the samples of the designs that an exploration has evaluated so far, for the views that show
// them while it goes on. Threads may add and look at the same time.

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/distributions/point_samples.h"

namespace sluice::inline distributions {

class SampleTable {
 public:
  using Samples = std::shared_ptr<const PointSamples>;

  void add(const KnobValues& knobs, Samples samples) {
    const std::lock_guard lock(mutex_);
    samples_.insert_or_assign(knobs, std::move(samples));
  }
  /// By knobs, in their order.
  std::vector<std::pair<KnobValues, Samples>> all() const {
    const std::lock_guard lock(mutex_);
    return {samples_.begin(), samples_.end()};
  }

 private:
  mutable std::mutex mutex_;
  std::map<KnobValues, Samples> samples_;
};

}  // namespace sluice::inline distributions
