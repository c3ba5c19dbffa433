#pragma once
// Proof of sameness: a scheduled program is run in functional mode beside the plain one, and what both store
// is compared element by element. At full size such a run may take hours, so the pair is shrunk first
// (shrunk_pair.h): smaller extents, but the same operators and the same steps.
//
// Tensor programs that the schedule compiles are compared with what their operators give on dense tensors.

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>

#include "engine/explorer/evaluate.h"

namespace sluice::inline designer {

struct PlainPrograms;

/// Whether a scheduled program stores what the plain one does.
struct Sameness {
  enum class Verdict { Same, Different, Unknown };

  Verdict verdict = Verdict::Unknown;
  /// Of Different: the first tensor and element that differs; of Unknown: what could not be done. Empty for
  /// Same.
  std::string why;
  /// What was shrunk for the run, with the values that it ran with; empty: at full size. By names: constants
  /// as they are called, the rest as in ShrunkPair::sizes.
  std::map<std::string, std::int64_t> sizes;
  double largest_difference = 0;  ///< over all stored elements, relative to the largest of their tensor
};
const char* text(Sameness::Verdict verdict);  ///< "same", "different", "unknown"

/// `workload` holds the schedule in its document; the plain program is the same without all of its steps. It
/// gives the same on every machine, unless it is asked to stop: then the verdict is Unknown, "cancelled".
Sameness checkSameness(const Workload& workload, const KnobValues& knobs, const std::stop_token& stop = {});
/// Of many designs of one program: `known` has what was found out of the plain one.
Sameness checkSameness(const Workload& workload, const KnobValues& knobs, PlainPrograms& known,
                       const std::stop_token& stop = {});
/// The same for a plain program, whose own schedule does not count, and any other that stands for it. Both
/// have the same knobs; constants and inputs are shrunk in both.
Sameness checkSameness(const Workload& plain, const Workload& scheduled, const KnobValues& knobs,
                       const std::stop_token& stop = {});

}  // namespace sluice::inline designer
