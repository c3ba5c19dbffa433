#pragma once
// Promise: which change of a design is worth a run, by what changes of its kind, and this very step, have
// brought elsewhere.

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/designer/moves.h"

namespace sluice::inline designer {

class Promise {
 public:
  explicit Promise(std::size_t objectives) : objectives_(objectives) {}

  /// The kind whose best step has the highest upper end of what its share of gains may be (UCB1): what was
  /// seldom tried is tried again.
  std::string bestOf(const Moves& moves) const;
  /// The share of changes to this very step that have led to the frontier, whatever design they were made of;
  /// drawn towards that of its kind, as that is all that is known of one never tried.
  double of(const StepEdit& edit, const std::string& kind) const { return ofKind(kind)(edit); }
  /// The same for many changes of one kind.
  std::function<double(const StepEdit&)> ofKind(const std::string& kind) const;

  /// `step`: StepEdit::key.
  void made(const std::string& kind, StepKey step);
  void gained(const std::string& kind, StepKey step);

  /// A run has shown that a change of this kind came to `found`, where its parent's run and the bounds of the
  /// two let `expected` be expected: objectives, NaN for what is not known; empty: it was cut.
  void ran(const std::string& kind, std::span<const double> expected, std::span<const double> found);
  /// `expected` times the best surprise that runs of this kind were. NaN where hardly any was run.
  std::vector<double> atBest(const std::string& kind, std::vector<double> expected) const;

 private:
  /// How often a change was made, and how often it led to the frontier.
  struct Record {
    std::uint64_t made = 0, gained = 0;
    double share() const { return static_cast<double>(gained) / static_cast<double>(made); }
  };
  /// By how much less than was expected the runs of a kind of change came to, at the best.
  struct Surprise {
    std::uint64_t runs = 0;
    std::vector<double> factors;  ///< of each objective; at most 1
  };

  std::size_t objectives_;
  std::map<std::string, Record> kinds_;
  std::unordered_map<StepKey, Record> steps_;  ///< looked up for every edit that is left
  std::map<std::string, Surprise> surprises_;
  std::uint64_t all_made_ = 0;
};

}  // namespace sluice::inline designer
