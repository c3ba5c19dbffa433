#pragma once
// What the designer gives, as JSON, for `design` and for JSON-RPC.

#include <string>

#include "app/cli/json.h"
#include "engine/designer/designer.h"

namespace sluice::cli {

/// Metrics over their bounds, by name.
Json gapsJson(const std::vector<BoundGap>& gaps);
Json designJson(const std::string& file, const Document& document, const DesignRequest& request,
                const DesignResult& result);

}  // namespace sluice::cli
