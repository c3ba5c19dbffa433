// A toy search strategy.

#include "tests/architecture/toys.h"

namespace sluice::toys {

void searchFirst(Trials& trials) {
  const std::uint64_t first = 0;
  trials.evaluate({&first, 1});
}

}  // namespace sluice::toys
