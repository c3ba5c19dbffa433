#include "widgets/placement/placed_design.h"

#include <QObject>
#include <algorithm>

#include "engine/core/csv.h"
#include "engine/tensor/placement/block_bound.h"
#include "engine/tensor/placement/needed_placement.h"
#include "widgets/common/diagnostic_text.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

/// "task attention: it needs ... ; the next".
QString problemText(const Diagnostics& problems) {
  constexpr std::size_t most_named = 3;
  QStringList lines;
  for (std::size_t at = 0; at < std::min(most_named, problems.size()); ++at)
    lines << qt(text(problems[at].place)) + QStringLiteral(": ") + sentence(problems[at].cause);
  if (problems.size() > most_named)
    lines << QObject::tr("%n more are not named.", nullptr, static_cast<int>(problems.size() - most_named));
  return lines.join(QLatin1Char(' ')) + QLatin1Char(' ') + sentence(problems.front().fix);
}

void addTotals(PlacedOnCard& shown, const DesignPlacement& group, const QString& name, double fill) {
  const std::vector<Die>& dies = shown.platform.dies;
  const auto total = [fill](const QString& of, const Resources& used, const Resources& available) {
    return PlacedTotal{of, used, share(available, fill), available};
  };
  Resources all;
  for (const Resources& used : group.dies.used) all += used;
  shown.totals.push_back(total(name, all, totalResources(shown.platform)));
  if (dies.size() < 2) return;
  for (std::size_t die = 0; die < dies.size(); ++die)
    shown.totals.push_back(
        total(name + QStringLiteral(", ") + qt(dies[die].name), group.dies.used[die], dies[die].resources));
}

}  // namespace

PlacedOnCard placedOnCard(const CompiledDesign& compiled, const CompileOptions& options,
                          const Platform& platform, const std::stop_token& stop) {
  PlacedOnCard shown{platform, {}, {}, {}};
  PlacementOptions placement;
  placement.dies.stop = stop;
  const Result<NeededPlacement> needed =
      placeAsNeeded(compiled, options, BoundOptions{}.products_per_dsp, platform, placement);
  const Diagnostics& problems = needed ? needed->problems : needed.diagnostics();
  if (!problems.empty()) shown.problem = problemText(problems);
  if (!needed) return shown;
  const PlacedDesign& placed = needed->placed;
  for (std::size_t number = 0; number < placed.groups.size(); ++number) {
    const DesignPlacement& group = placed.groups[number];
    const QString name = QString::number(number + 1);
    addTotals(shown, group, QObject::tr("group %1").arg(name), placement.dies.fill);
    for (PartResources& part : partsOf(placed.compiled.design, group))
      shown.parts.push_back({name, std::move(part)});
  }
  return shown;
}

QString csvOf(const PlacedOnCard& placed) {
  std::vector<std::string> header{"group", "part", "kind", "bits"};
  for (const Resource resource : all_resources) header.emplace_back(text(resource));
  CsvTable table(header);
  const auto add = [&table](std::vector<std::string> row, const Resources& resources) {
    for (const Resource resource : all_resources) row.push_back(std::to_string(resources[resource]));
    table.row(row);
  };
  for (const PlacedPart& each : placed.parts)
    add({each.group.toStdString(), each.part.name, std::string(text(each.part.kind)),
         std::to_string(each.part.bits)},
        each.part.resources);
  for (const PlacedTotal& each : placed.totals) {
    add({"", each.name.toStdString(), "used", ""}, each.used);
    add({"", each.name.toStdString(), "available", ""}, each.available);
  }
  return QString::fromStdString(table.text());
}

}  // namespace sluice::ui
