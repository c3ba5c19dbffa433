#pragma once
// Kernels and the streams between them as a cyclo-static dataflow graph (csdf/graph.h). What they do in the
// long run, execution after execution, is then answered exactly: the throughput, and the fewest bytes of
// FIFOs that reach it. Each kernel becomes up to four actors, which together do what the operator Kernel
// does:
//
//   NAME        a step takes what it needs of every input
//   NAME_pace   the rest of the interval until the next step
//   NAME_pipe   the way through the pipeline
//   NAME_leave  what a step has completed leaves to all outputs at once, when they have room
//
// The pipeline is rigid: a step begins only when the one before whose place it takes has left.

#include <stop_token>

#include "engine/csdf/graph.h"
#include "engine/tensor/sizing/timed_graph.h"

namespace sluice::inline tensor {

struct KernelDataflow {
  CsdfGraph graph;
  std::vector<std::size_t> fifos;  ///< its channel for each stream; their capacities are the depths
  std::size_t actor = 0;           ///< the steps of the first kernel
  std::int64_t rounds = 1;         ///< of that actor in an execution

  /// Of one execution in the long run, in cycles; `period` and `repetition`: of an iteration of the graph.
  Rational cyclesOf(const Rational& period, const Repetition& repetition) const;
  /// What an iteration is of an execution: 1/16 of it, say.
  Rational executionsOf(const Repetition& repetition) const;
};

/// Errors: those of check(), "unsupported-operator" of a kernel that does not drain, "overflow" and
/// "too-many" where exact arithmetic or a graph does not hold it.
Result<KernelDataflow> kernelDataflow(const TimedGraph& timed);

struct ExactDepths {
  std::vector<std::int64_t> depths;  ///< by stream
  Rational cycles;                   ///< of one execution in the long run
  std::uint64_t evaluations = 0;     ///< exact throughputs that were computed
};

/// The fewest bits of FIFOs with which executions follow each other as fast as with unlimited ones. Errors:
/// those of kernelDataflow() and csdfThroughput(); "deadlock" where no depths let it go on;
/// "too-many" of a graph of more than 20,000 firings an iteration, "unfinished-search" where more than
/// `most_evaluations` would be needed.
Result<ExactDepths> exactDepths(const TimedGraph& timed, std::uint64_t most_evaluations,
                                const std::stop_token& stop = {});

}  // namespace sluice::inline tensor
