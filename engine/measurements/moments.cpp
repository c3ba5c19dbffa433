#include "engine/measurements/moments.h"

namespace sluice::inline measurements {

void Moments::settle(Measurement& measurement) const {
  if (count_ <= most) return;
  for (MeasuredRun& run : measurement.runs) {
    for (MeasuredOperator& op : run.operators) op.spans = {};
    for (MeasuredStream& stream : run.streams) stream.levels = {};
  }
  measurement.notes.push_back(note(
      "file-too-large", measurement.runs.front().place,
      "more than " + std::to_string(most) + " changes are recorded: it is compared, but not drawn over time",
      "record a shorter run, or fewer signals"));
}

}  // namespace sluice::inline measurements
