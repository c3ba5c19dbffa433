#pragma once
// How fast the tasks of a materialised design are: initial delay, initiation interval, tokens
// (token_curve.h), from their loops, unroll factors, buffers and transfers. StreamTensor gets these numbers
// from the vendor's tools; here they are a model. What it assumes:
//
// * A compute task takes interval * iterations / unrolled cycles in all (tiling.h), spread evenly over its
//   steps, one step per token of its busiest port, and at least a cycle each. A token leaves when its last
//   step is through and the latency of the arithmetic has passed (ScaleHLS's: addition 4, multiplication 3,
//   division 15, exponential 8, load 2, store 1).
// * Operators that pass over a row several times (softmax, norms) work on successive rows in all passes at
//   once: further passes cost delay, not rate.
// * Converters write and read a token a cycle. A half may take as long to drain as the next one to fill, so
//   their output is a line from the first full half on, at the pace of the design; in fact it comes in bursts
//   where the reader allows (the simulator has them).
// * A port passes a token or vector a cycle, so where tiles are sent in vectors a task takes as long as
// those.
// * Transfers move a token at the rate of their port. Where all of them together ask for more than the memory
//   gives while the slowest task runs, each is as slow as all together.
// * A task is no faster than what feeds it, and a load no faster than who reads it; so initial delays are
//   those of inputs that come at that pace. With conservative equalisation all tasks of a group have the pace
//   of the slowest one.

#include "engine/program/flat_graph.h"
#include "engine/tensor/dataflow/dataflow.h"
#include "engine/tensor/loop_nests/tiling.h"
#include "engine/tensor/sizing/timed_graph.h"

namespace sluice::inline tensor {

struct TimingOptions {
  BoundMachine machine;
  std::int64_t requests_per_cycle = 1;  ///< of one transfer's port
  Equalisation equalisation = Equalisation::Normal;
};

struct TaskTiming {
  TokenCurve curve;         ///< at its pace: of output tokens; of a store, of the tokens that it takes
  std::int64_t steps = 1;   ///< tokens of the busiest port
  std::int64_t cycles = 1;  ///< for all steps, if nothing holds it up
  std::int64_t pace = 1;    ///< for all steps, at the pace of what is around it
  std::int64_t depth = 1;   ///< from the last step that goes into a token until it leaves
  std::int64_t operations = 0;
  NestTiling tiling;                                 ///< Compute
  std::int64_t iterations = 1, fill = 1, drain = 1;  ///< Converter: tokens per iteration of the shared loops
  std::int64_t bursts = 1;  ///< Load, Store, rows of a lookup: runs of addresses that a token takes
};

/// Of every task; `tilings` has those of the compute tasks, in order (task_nests.h).
std::vector<TaskTiming> taskTimings(const DataflowDesign& design, std::vector<NestTiling> tilings,
                                    const TimingOptions& options);

/// Whether it moves a tensor between the chip and its memory.
bool isTransfer(const Task& task);
/// What a load or a store moves.
const TaskPort& transferPort(const Task& task);

/// Bytes of one token of the port in memory or a FIFO.
std::int64_t tokenBytes(const TaskPort& port);

}  // namespace sluice::inline tensor
