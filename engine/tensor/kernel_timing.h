#pragma once
// How fast the tasks of a materialised design are: initial delay, initiation interval, tokens (token_curve.h),
// from their loops, unroll factors, buffers and transfers. StreamTensor gets these numbers from the vendor's
// tools; here they are a model. What it assumes:
//
// * A compute task takes interval * iterations / unrolled cycles in all (tiling.h), spread evenly over its
//   steps, one step per token of its busiest port, and at least a cycle each. A token leaves when its last
//   step is through and the latency of the arithmetic has passed (ScaleHLS's: addition 4, multiplication 3,
//   division 15, exponential 8, load 2, store 1).
// * Operators that pass over a row several times (softmax, norms) work on successive rows in all passes at
//   once: further passes cost delay, not rate.
// * Converters write and read a token a cycle; their output is a line through fill and drain, which in fact
//   come in bursts (the simulator has them).
// * Transfers move a token at the rate of their port. Where all of them together ask for more than the memory
//   gives while the slowest task runs, each is as slow as all together.

#include "engine/program/flat_graph.h"
#include "engine/tensor/dataflow.h"
#include "engine/tensor/tiling.h"
#include "engine/tensor/token_curve.h"

namespace sluice {

struct TimingOptions {
  TilingOptions tiling;
  BoundMachine machine;
  std::int64_t requests_per_cycle = 1;  ///< of one transfer's port
};

struct TaskTiming {
  TokenCurve curve;           ///< of the output tokens; of a store, of the tokens that it takes
  std::int64_t steps = 1;     ///< tokens of the busiest port
  Interval interval;          ///< {cycles, steps}: what so many steps take
  std::int64_t cycles = 1;    ///< the task is busy
  std::int64_t tail = 1;      ///< from the last token in to the last token out
  std::int64_t operations = 0;
  NestTiling tiling;          ///< Compute
  std::int64_t iterations = 1, fill = 1, drain = 1;  ///< Converter: tokens per iteration of the shared loops
  std::int64_t bursts = 1;    ///< Load, Store: runs of addresses that a token takes
};

/// The loops of an operator as a nest that can be tiled and unrolled: rows are parallel loops, and the
/// operations are rounded up to whole ones per iteration. It has no accesses: vectors follow from the loops.
LoopNest loopNestOf(const TensorProgram& program, const TensorOperator& op);

/// Of every task. Fails where a nest cannot be tiled as the options say.
Result<std::vector<TaskTiming>> taskTimings(const DataflowDesign& design, const TimingOptions& options);

/// Bytes of one token of the port in memory or a FIFO.
std::int64_t tokenBytes(const TaskPort& port);

}  // namespace sluice
