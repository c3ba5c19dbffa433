#pragma once
// A program that runs, and those of its FIFOs whose depths are open: what everything works on that chooses
// depths. Depths are in tokens.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/core/units.h"
#include "engine/program/flat_graph.h"

namespace sluice::inline operators {

/// The depth of a FIFO that is to have no limit: no program that ends fills it, and a loop that goes on for
/// ever fills no more memory than these tokens take before it deadlocks.
constexpr std::uint64_t unlimited_depth = std::uint64_t{1} << 22;

/// FIFOs that share one depth: those of one stream of the document, in every instance of its region.
struct DepthGroup {
  std::string origin;  ///< of the stream in the document
  std::vector<StreamId> streams = {};
  std::uint64_t depth = 0;                ///< as it is; of several the largest
  double bytes = 0;                       ///< of one more token in each
  std::int64_t tokens = unlimited_depth;  ///< that pass: deeper makes no difference
  bool fixed = false;                     ///< its slots are halves of a buffer: neither memory nor choice

  /// Of all its FIFOs with this depth, in whole bytes.
  Bytes bytesOf(std::int64_t tokens_each) const;
  /// Of a token in one of them; of several that differ the mean, rounded up.
  std::int64_t tokenBits() const;
};

struct DepthProblem {
  FlatGraph graph;
  InputSet inputs;
  std::vector<DepthGroup> groups;
};

/// With every FIFO that a stream of the document gives its depth; a token counts as one byte.
DepthProblem depthProblem(FlatGraph graph, InputSet inputs);
/// A problem with one depth for all FIFOs that are alike: as many tokens of one size, between operators of
/// one kind with the same parameters, at the same ports.
struct AlikeFifos {
  DepthProblem problem;
  std::vector<std::size_t> group_of;  ///< by group of the whole problem

  /// Of the whole problem's groups.
  std::vector<std::int64_t> spread(std::span<const std::int64_t> depths) const;
  /// The largest of those that are one group here.
  std::vector<std::int64_t> gathered(std::span<const std::int64_t> depths) const;
};
AlikeFifos alikeFifos(const DepthProblem& problem);
/// `bytes`: of a token of every stream of the graph, at least 1.
void setTokenBytes(DepthProblem& problem, const std::vector<double>& bytes);

// Below, `depths` is parallel to the groups.

/// `graph`: the problem's, or a copy of it.
void setDepths(FlatGraph& graph, const DepthProblem& problem, std::span<const std::int64_t> depths);
/// Of all open FIFOs.
Bytes fifoBytes(const DepthProblem& problem, std::span<const std::int64_t> depths);

}  // namespace sluice::inline operators
