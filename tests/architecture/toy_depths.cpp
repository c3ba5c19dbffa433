// A toy strategy for the depths of FIFOs.

#include "tests/architecture/toys.h"

namespace sluice::toys {

Result<ChosenDepths> chooseThree(const DepthRequest& request) {
  return ChosenDepths{std::vector<std::int64_t>(request.problem.groups.size(), 3)};
}

}  // namespace sluice::toys
