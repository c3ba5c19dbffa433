#pragma once
// What exports of views and of figures share.

#include <memory>

#include "app/chart/export_job.h"
#include "engine/explorer/explore.h"
#include "widgets/export/printable.h"

namespace sluice {

namespace ui {
class GraphCanvas;
}

/// Every combination of the knobs, with progress on standard error.
Result<Exploration> exploreAll(const Workload& workload);
/// The program with the shapes of its streams, laid out.
std::unique_ptr<ui::GraphCanvas> laidOut(const Workload& workload, const KnobValues& knobs);
/// Into the job's file and format.
Result<Done> writePicture(const ExportJob& job, const ui::Printable& picture, const ui::PrintStyle& style);
/// The figure that the job names. Errors: the program has none of that name, or it cannot be drawn.
Result<Done> exportFigure(const ExportJob& job, const Workload& workload);

}  // namespace sluice
