// A toy metric.

#include "tests/architecture/toys.h"

namespace sluice::toys {

const MetricSpec& energy() {
  static const MetricSpec spec{
      .name = "toy_energy",
      .title = "Toy energy",
      .short_title = "Energy",
      .column = "energy",
      .unit = "pJ",
      .kind = MetricKind::Count,
      .prominence = Prominence::Headline,
      .derived =
          [](const Metrics& counts, const SymbolicResult&) {
            return 2 * static_cast<double>(counts.token_hops) + static_cast<double>(counts.cycles);
          },
  };
  return spec;
}

}  // namespace sluice::toys
