#pragma once
// WorkloadSet: a document with every trace of the sets that its inputs are. Where an input is no set it is
// the same under every trace.

#include <optional>
#include <string>
#include <vector>

#include "engine/explorer/evaluate.h"
#include "engine/program/trace_source.h"

namespace sluice::inline explorer {

struct TraceMember {
  std::string name;
  std::size_t number = 0;  ///< in its source
  InputSet inputs;         ///< those that are sets
};

struct WorkloadSet {
  std::shared_ptr<const Workload> workload;  ///< of the chosen trace: what stands for all where only one can
  std::vector<TraceMember> traces;           ///< empty: no input is a set
  std::size_t chosen = 0;                    ///< index into traces
  Diagnostics left_out;                      ///< warnings: traces that do not fit, or could not be read
  std::map<std::string, std::string> sources = {};  ///< of the inputs that are sets, by name

  bool empty() const { return traces.empty(); }
  /// The chosen one; nothing where no input is a set.
  std::optional<TraceName> chosenName() const;
  /// "50 traces of routing=set:zipf,count=50".
  std::string description() const;
  /// The workload under one of the traces.
  Workload at(std::size_t trace) const;
};

/// As makeWorkload(), with all traces. Several sets go together, trace by trace.
Result<WorkloadSet> makeWorkloadSet(Document document, const std::filesystem::path& folder,
                                    const std::map<std::string, std::filesystem::path>& files = {});

}  // namespace sluice::inline explorer
