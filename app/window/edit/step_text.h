#pragma once
// Steps of a schedule in words, as rich text: what the panel lists and the dialog previews.

#include <QString>
#include <optional>

#include "app/window/schedule/schedule_trace.h"
#include "engine/explorer/preview.h"

namespace sluice::ui {

/// "Tile layer.expert": the transformation and what it works on.
QString stepTitle(const ScheduleStep& step);
/// "input: x · method: tiling = static · rows: tile = 16": the other arguments; a knob with where it stands.
QString stepArguments(const ScheduleStep& step, const Document& document, const KnobValues& knobs);
/// "4 new operators, 2 changed", or why there is nothing.
QString stepEffect(const ScheduleTrace::Step& step);

/// Cause and fix of each, as html.
QString diagnosticsHtml(const Diagnostics& diagnostics);
/// The program before and after a step, run; absent where it is not complete.
struct StepRuns {
  std::optional<DesignPoint> before, after;
};
/// Operators, totals before and after, and shapes, as html; with the cycles of the runs, where there are.
QString previewHtml(const StepPreview& preview, const std::optional<StepRuns>& runs = {});

}  // namespace sluice::ui
