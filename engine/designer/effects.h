#pragma once
// Effects: what changes have done to the bounds of designs, so that those of a further change are expected
// before its program is worked out. A change puts one step in the place of another, or of none; what it does
// is taken to be much the same in every design, and the reverse the other way round.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace sluice::inline designer {

/// Of which kind ("add tile", "drop") it is, and the steps as text; empty: none.
struct StepChange {
  std::string kind, from, to;
};

class Effects {
 public:
  /// A change has led from bounds to bounds, of the objectives; NaN where nothing is certain.
  void saw(const StepChange& change, std::span<const double> before, std::span<const double> after);
  /// The least bounds that can be expected of it behind `before`; NaN where nothing tells.
  std::vector<double> expected(const StepChange& change, std::span<const double> before) const;

 private:
  using Ratios = std::vector<double>;  ///< of bounds after and before; NaN where one is not certain
  /// The least of each that were seen.
  struct Least {
    std::uint64_t times = 0;
    Ratios ratios;
    bool alike = true;  ///< they were all the same
    void add(const Ratios& seen);
  };

  std::optional<Ratios> of(const std::string& from, const std::string& to) const;

  std::map<std::string, Least> kinds_;
  std::unordered_map<std::string, std::map<std::string, Least>> steps_;  ///< from each, to each
};

}  // namespace sluice::inline designer
