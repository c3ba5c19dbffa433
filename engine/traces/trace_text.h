#pragma once
// The text of a source of traces: "set:" and a generator or a path, then options, each behind a comma.

#include <string>

#include "engine/traces/trace_source.h"

namespace sluice::inline traces {

struct TraceText {
  std::string head;  ///< "zipf", "traces/mixtral"; a path may hold commas
  std::vector<TraceOptions::Given> options;
};

/// What stands last as NAME=VALUE, with a name in small letters, is an option; all before it is the head.
TraceText parseTraceText(const std::string& source);
std::string text(const TraceText& source);

}  // namespace sluice::inline traces
