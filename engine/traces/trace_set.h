#pragma once
// TraceSet: many traces for one input, read from files or generated, each of which would do alone.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/int_tensor.h"
#include "engine/core/result.h"
#include "engine/program/document.h"
#include "engine/program/trace_source.h"

namespace sluice::inline traces {

struct Trace {
  std::string name;        ///< "zipf 17", "layer 3, tokens 64-127", the name of a file
  std::size_t number = 0;  ///< in its source, from 0, whatever was left out before it
  IntTensor values;
};

struct TraceSet {
  std::vector<Trace> traces;  ///< those that fit the input, in the order of their numbers
  std::size_t chosen = 0;     ///< index into traces: the one that stands for them where only one can
  std::int64_t experts = 0;   ///< Routing: how many there are, under every trace
  Diagnostics left_out;       ///< warnings: one for each that does not fit, or that could not be read
};

constexpr std::size_t most_traces = 1'000'000;
constexpr std::size_t most_trace_values = std::size_t{1} << 27;  ///< of all traces together: 1 GiB

/// `source` is "set:KIND,option=value,..." or "set:PATH,option=value,..."; relative paths are taken from
/// `folder`. Errors: no such kind or option, an unreadable file, no trace that fits.
Result<TraceSet> loadTraceSet(const Input& input, const std::string& source,
                              const std::filesystem::path& folder);

/// The same source for a document in another folder: its relative paths still lead to the same files.
std::string movedTraceSource(const std::string& source, const std::filesystem::path& from,
                             const std::filesystem::path& to);

/// The inputs of a document that moves from one folder to another: files and sets are found as before.
std::vector<Input> movedInputs(std::vector<Input> inputs, const std::filesystem::path& from,
                               const std::filesystem::path& to);

/// A source with absolute paths, which were relative to `from`.
std::string absoluteTraceSource(const std::string& source, const std::filesystem::path& from);

}  // namespace sluice::inline traces
