#pragma once
// What the designer gives, as JSON, for `design` and for JSON-RPC.

#include <string>

#include "app/cli/json.h"
#include "app/cli/trust_report.h"
#include "engine/designer/design_report.h"

namespace sluice::cli {

/// As pointJson(); the state of one that has bounds and no run is "bounds".
Json pointOf(const Document& document, const Design& design);
/// 0 or null where nothing is proved.
Json boundsJson(const ProgramBounds& bounds);
/// Metrics over their bounds, by name.
Json gapsJson(const std::vector<BoundGap>& gaps);
/// `reports`: of designs on the frontier; others have neither `same_values` nor `lineage`.
Json designJson(const std::string& file, const Workload& workload, const DesignRequest& request,
                const DesignResult& result, const std::vector<DesignReport>& reports);

}  // namespace sluice::cli
