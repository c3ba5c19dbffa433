#include "engine/energy/energy_floor.h"

#include <algorithm>
#include <limits>

namespace sluice::inline energy {
namespace {

constexpr double rounding = 1 - 1e-9;  // a run adds up its joules in another order

double leastOf(const Technology& technology, const auto& isMeant, const auto& joulesOf) {
  double least = std::numeric_limits<double>::infinity();
  for (const Price& price : technology.prices)
    if (isMeant(price.action)) least = std::min(least, joulesOf(price));
  return least < std::numeric_limits<double>::infinity() ? std::max(least, 0.0) : 0;
}

}  // namespace

double clockHertz(const Technology& technology, const BoundMachine& machine) {
  const bool banks = machine.hbm_model != HbmModel::Node;
  const double own = banks ? static_cast<double>(machine.dram.core_mhz) : technology.clock_mhz;
  return 1e6 * (machine.clock_mhz > 0 ? static_cast<double>(machine.clock_mhz) : own);
}

double leastEnergy(const Technology& technology, const BoundMachine& machine, const LeastWork& work) {
  const double operation = leastOf(
      technology, [](Action action) { return action == Action::Add || action == Action::Multiply; },
      [](const Price& price) { return price.energy->constant().value_or(0); });
  const bool rows = technology.find(Action::RowActivation) && machine.hbm_model != HbmModel::Node;
  const double byte = leastOf(
      technology,
      [](Action action) { return action == Action::OffChipRead || action == Action::OffChipWrite; },
      [&](const Price& price) {
        const Amount& access = rows ? *price.column_energy : *price.energy;
        return access.constant().value_or(0) / price.per_bytes;
      });
  const Price* const always = technology.find(Action::StaticPower);
  const double watts = always ? always->energy->constant().value_or(0) : 0;
  return rounding *
         (static_cast<double>(work.flops) * operation + static_cast<double>(work.off_chip_bytes) * byte +
          watts * static_cast<double>(work.cycles) / clockHertz(technology, machine));
}

}  // namespace sluice::inline energy
