#include "widgets/placement/placed_design.h"

#include <QObject>
#include <algorithm>

#include "engine/core/csv.h"
#include "engine/tensor/placement/block_bound.h"
#include "widgets/common/diagnostic_text.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

Result<PlacedDesign> placedOn(const Platform& platform, const CompiledDesign& compiled,
                              const CompileOptions& options, const std::stop_token& stop) {
  PlacementOptions placement;
  placement.dies.stop = stop;
  return placeCompiled(compiled, options, BoundOptions{}.products_per_dsp, platform, placement);
}

/// The same card with room for anything: it tells what a design would need.
Platform roomy(Platform platform) {
  constexpr std::int64_t times = 10'000;
  for (Die& die : platform.dies)
    for (std::int64_t& count : die.resources.count) count *= times;
  return platform;
}

void addTotals(PlacedOnCard& shown, const DesignPlacement& group, const QString& name, bool by_die) {
  const std::vector<Die>& dies = shown.platform.dies;
  PlacedTotal all{name, {}, totalResources(shown.platform)};
  for (const Resources& used : group.dies.used) all.used += used;
  shown.totals.push_back(std::move(all));
  if (!by_die || dies.size() < 2) return;
  for (std::size_t die = 0; die < dies.size(); ++die)
    shown.totals.push_back(
        {name + QStringLiteral(", ") + qt(dies[die].name), group.dies.used[die], dies[die].resources});
}

}  // namespace

PlacedOnCard placedOnCard(const CompiledDesign& compiled, const CompileOptions& options,
                          const Platform& platform, const std::stop_token& stop) {
  PlacedOnCard shown{platform, {}, {}, {}};
  Result<PlacedDesign> placed = placedOn(platform, compiled, options, stop);
  const bool fits = static_cast<bool>(placed);
  if (!fits) {
    shown.problem = inlineText(placed.diagnostics().front());
    if (stop.stop_requested()) return shown;
    placed = placedOn(roomy(platform), compiled, options, stop);
    if (!placed) return shown;
  }
  for (std::size_t number = 0; number < placed->groups.size(); ++number) {
    const DesignPlacement& group = placed->groups[number];
    const QString name = QString::number(number + 1);
    addTotals(shown, group, QObject::tr("group %1").arg(name), fits);
    for (PartResources& part : partsOf(placed->compiled.design, group))
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
