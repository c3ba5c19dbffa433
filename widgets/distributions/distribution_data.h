#pragma once
// DistributionData: what the views of a set of traces show: the design as it is, and the explored ones.

#include <memory>
#include <vector>

#include "engine/distributions/occupancy_bands.h"
#include "engine/distributions/point_samples.h"
#include "engine/explorer/workload_set.h"

namespace sluice::ui {

struct SampledDesign {
  KnobValues knobs;
  std::shared_ptr<const PointSamples> samples;
};

struct DistributionData {
  std::shared_ptr<const WorkloadSet> set;       ///< null: no input is a set of traces
  std::shared_ptr<const PointSamples> samples;  ///< of the design as it is; null: not there yet
  KnobValues knobs;                             ///< of that design
  std::vector<SampledDesign> explored;          ///< in the order of the design space
  std::vector<const MetricSpec*> objectives;    ///< of the frontier that a trace may change
};

}  // namespace sluice::ui
