#pragma once
// What `distribution`, `simulate` and `explore` tell of a set of traces.

#include "app/cli/command.h"
#include "app/cli/json.h"
#include "engine/core/csv.h"
#include "engine/distributions/trace_evaluator.h"

namespace sluice::cli {

/// How many there are and of what sets, which were left out, and which one is chosen.
Json tracesJson(const WorkloadSet& set);
/// Mean, deviation, quantiles, the worst trace of a metric, and where the chosen trace lies.
Json summaryJson(const WorkloadSet& set, const PointSamples& samples, const MetricSpec& metric);
/// The traces under which a run did not end, or did not fit: number, name, state and cause.
Json unfinishedJson(const WorkloadSet& set, const PointSamples& samples);
/// Of a table with a row for each trace: its number, name, state and all metrics.
std::vector<std::string> samplesHeader();
/// These rows; in each the cells of `before` come first.
void addSamples(CsvTable& table, const std::vector<std::string>& before, const WorkloadSet& set,
                const PointSamples& samples);
/// Tokens that each expert gets, over the traces: by expert, and by how many it gets (the busiest first).
/// Null where no set is a routing.
Json tokensPerExpertJson(const WorkloadSet& set);

/// Rows of a histogram, with a mark where `chosen` lies; none where all values are alike.
std::string histogramText(std::vector<double> values, double chosen, const MetricSpec& metric);

}  // namespace sluice::cli
