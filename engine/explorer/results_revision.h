#pragma once
// The revision of the numbers that an evaluation gives. Result stores keep it with every point, so that
// `--resume` mixes no numbers of before a change with those of after it. A change of what any design point
// evaluates to raises it; tests/engine/results_revision_test.cpp finds out.

#include <string>

namespace sluice::inline explorer {

constexpr int results_revision = 9;

/// As stores write it.
inline std::string resultsRevisionText() {
  return "r" + std::to_string(results_revision);
}

}  // namespace sluice::inline explorer
