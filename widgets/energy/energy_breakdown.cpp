#include "widgets/energy/energy_breakdown.h"

#include <QObject>

#include "engine/energy/technology.h"
#include "engine/explorer/metrics/technology_metrics.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {

EnergyBreakdown energyBreakdown(const PointResult& run, EnergyGroups groups) {
  EnergyBreakdown made;
  const std::optional<EnergyReport> report = energyReport(run);
  if (!report) return made;
  made.technology = qt(run.symbolic.technology->title);
  made.seconds = report->seconds;
  made.power = report->power();
  made.dynamic = report->dynamic.total();
  made.rows.push_back({QObject::tr("Whole run"), {}, report->dynamic, report->leakage});
  for (const EnergyRow& row : energyRows(run.symbolic.graph, *report, groups))
    made.rows.push_back(
        {row.name.empty() ? QObject::tr("(the program)") : qt(row.name), qt(row.place), row.parts, {}});
  return made;
}

EnergyBreakdown shortened(EnergyBreakdown breakdown, std::size_t most) {
  if (breakdown.rows.size() <= most + 2) return breakdown;
  EnergyBreakdown::Row rest;
  rest.name = QObject::tr("%1 others").arg(breakdown.rows.size() - most - 1);
  for (std::size_t i = most + 1; i < breakdown.rows.size(); ++i) rest.parts += breakdown.rows[i].parts;
  breakdown.rows.resize(most + 1);
  breakdown.rows.push_back(std::move(rest));
  return breakdown;
}

std::optional<Diagnostic> energyMissing(const PointResult& run) {
  if (!run.symbolic.technology)
    return error("missing-technology", Location(Where::Machine),
                 "the machine has no technology to take prices from",
                 "choose one in the Design view, or give --technology 7nm");
  if (!energyReport(run))
    return error("nothing-to-export", Location("the run"),
                 run.point.cause.empty() ? "its actions are more than can be counted"
                                         : "it has no energy, as it did not end: " + run.point.cause,
                 "choose a design that runs to its end");
  return std::nullopt;
}

}  // namespace sluice::ui
