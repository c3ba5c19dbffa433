// A toy search strategy.

#include "tests/architecture/toys.h"

namespace sluice::toys {

void searchFirst(SearchContext& context) {
  const std::uint64_t first = 0;
  context.evaluate({&first, 1});
}

}  // namespace sluice::toys
