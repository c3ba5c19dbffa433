#include "engine/core/alike_diagnostics.h"

#include <algorithm>

namespace sluice {

Diagnostics alikeOnce(const Diagnostics& problems) {
  Diagnostics once;
  std::vector<std::size_t> more;
  for (const Diagnostic& problem : problems) {
    const auto same = std::ranges::find_if(once, [&](const Diagnostic& each) {
      return each.code == problem.code && each.cause == problem.cause && each.fix == problem.fix;
    });
    if (same != once.end()) {
      ++more[static_cast<std::size_t>(same - once.begin())];
      continue;
    }
    once.push_back(problem);
    more.push_back(0);
  }
  for (std::size_t i = 0; i < once.size(); ++i)
    if (more[i] > 0) once[i].cause += "; the same holds for " + std::to_string(more[i]) + " more";
  return once;
}

}  // namespace sluice
