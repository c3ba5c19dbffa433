#pragma once
// What exports of views and of figures share.

#include <memory>

#include "app/chart/export_job.h"
#include "engine/distributions/occupancy_bands.h"
#include "engine/distributions/sample_table.h"
#include "engine/explorer/explore.h"
#include "engine/explorer/workload_set.h"
#include "widgets/export/exportable.h"

namespace sluice {

namespace ui {
class GraphCanvas;
}

/// Every combination of the knobs, with progress on standard error; over a set under each of its traces,
/// whose samples go into the table as well.
Result<Exploration> exploreAll(const WorkloadSet& set, std::shared_ptr<SampleTable> table = nullptr);
/// What `job.chart` shows of a set of traces: distribution, boxes or experts. Errors: there is no set.
Result<Done> exportTraces(const ExportJob& job, const WorkloadSet& set);
/// Of FIFOs, over the set; none without one.
Result<std::vector<OccupancyBand>> bandsOf(const ExportJob& job, const WorkloadSet& set,
                                           const std::vector<std::string>& streams);
/// The program, or what its schedule makes of it, with the shapes of its streams, laid out. Errors: why the
/// schedule is refused.
Result<std::unique_ptr<ui::GraphCanvas>> laidOut(const ExportJob& job, const Workload& workload);
/// Into the job's file and format.
Result<Done> writePicture(const ExportJob& job, const ui::Exportable& picture, const ui::PrintStyle& style);
/// The figure that the job names. Errors: the program has none of that name, or it cannot be drawn.
Result<Done> exportFigure(const ExportJob& job, const WorkloadSet& set);

}  // namespace sluice
