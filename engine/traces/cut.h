#pragma once
// Cuts long recordings into traces of one batch each, and sets along an axis into their traces.

#include "engine/traces/trace_source.h"

namespace sluice::inline traces {

/// Along the first axis; `name` stands before the number, "shape" loses its first extent.
TraceSet cutAxis(const IntTensor& tensor, const std::string& name);
/// Batches of `batch` rows that follow each other; 0: all are one. Names are "NAMEtokens 64-127". What is
/// left at the end is reported, by `place`. Numbers begin behind the traces of `into`.
void cutBatches(TraceSet& into, const IntTensor& rows, std::int64_t batch, const std::string& name,
                const char* unit, const Location& place);

/// How many requests a trace has: the option `batch`, or as many as the document's own lengths. Error:
/// neither is there.
Result<std::int64_t> batchOf(const TraceRequest& request);

/// Adds the traces of a part of the set, a file of a folder say, behind those that are there.
void append(TraceSet& into, TraceSet part, const std::string& name);

}  // namespace sluice::inline traces
