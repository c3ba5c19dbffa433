#pragma once
// Effects: what changes have done to the bounds of designs, so that the bounds of a change are expected before
// its program is worked out.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace sluice::inline designer {

class Effects {
 public:
  /// A change of this kind has led from bounds to bounds, of the objectives; NaN where nothing is certain.
  /// `change`: text of what it takes out and puts in.
  void saw(const std::string& kind, const std::string& change, std::span<const double> before,
           std::span<const double> after);
  /// The least bounds that the same change, made of other designs, lets expect behind `before`; NaN where it
  /// was not made yet, unless all changes of its kind have done the same.
  std::vector<double> expected(const std::string& kind, const std::string& change,
                               std::span<const double> before) const;

 private:
  /// Ratios of the bounds after and before; NaN where one is not known.
  struct Seen {
    std::uint64_t times = 0;
    std::vector<double> least, most;  ///< of each objective
    void add(std::span<const double> before, std::span<const double> after);
  };

  std::map<std::string, Seen> kinds_;
  std::unordered_map<std::string, Seen> changes_;
};

}  // namespace sluice::inline designer
