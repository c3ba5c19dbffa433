#pragma once
// EnergyBreakdown: what a run costs, as the energy view shows it: the rows of a table and of stacked bars.

#include <QString>
#include <optional>
#include <vector>

#include "engine/energy/report.h"
#include "engine/explorer/evaluate.h"

namespace sluice::ui {

struct EnergyBreakdown {
  struct Row {
    QString name;
    QString place;  ///< node path of an operator or region; empty: the program, or several
    EnergyParts parts;
    std::optional<double> leakage;  ///< J; only of the whole run
    double total() const { return parts.total() + leakage.value_or(0); }
  };
  QString technology;     ///< its title; empty: there is no breakdown
  double seconds = 0;     ///< of the run
  double power = 0;       ///< W
  std::vector<Row> rows;  ///< the whole run first, then what costs most
  double dynamic = 0;     ///< J, of all rows but the first together

  bool empty() const { return rows.empty(); }
  /// Of the dynamic energy, in 0..1.
  double share(const Row& row) const { return dynamic > 0 ? row.parts.total() / dynamic : 0; }
};

/// Empty where the run has no energy (energyReport()).
EnergyBreakdown energyBreakdown(const PointResult& run, EnergyGroups groups);
/// The whole run and the `most` rows that cost most; all others together as one more.
EnergyBreakdown shortened(EnergyBreakdown breakdown, std::size_t most);
/// Why a run has no energy; nothing where it has.
std::optional<Diagnostic> energyMissing(const PointResult& run);

}  // namespace sluice::ui
