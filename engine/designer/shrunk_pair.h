#pragma once
// A plain and a scheduled program with smaller extents, for a run of both in functional mode that takes
// moments. What may be shrunk, the same in both programs:
//
//   - constants of the document that are plain integers ("D"): divided by a prime, as often as needed;
//   - the entries of a routing or of a list of lengths: the first ones are kept, and a constant that is as
//     many goes along ("routing entries");
//   - lengths themselves: all to the same scale, rounded up ("lengths values"), the longest not below 128;
//   - extents of a tensor program: all of one value alike ("block extent 1024");
//   - where none of these alone will do: two of them together, or one and an integer that a step of the
//     schedule has for an argument, such as a tile's size ("step 2 size").
//
// Widths go before tokens, as the steps of a schedule are mostly about tokens: constants first, to no less
// than 8, then the rest, to no less than 2. Knobs are left alone. The structure stays: both programs still
// elaborate, type and take their steps, have the operators that they had, and no number among their
// parameters that was more than 1 becomes 1.

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/designer/plain_programs.h"
#include "engine/explorer/evaluate.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline designer {

struct ShrunkPair {
  Workload plain;                             ///< without a schedule
  Workload scheduled;                         ///< its schedule not applied yet
  std::map<std::string, std::int64_t> sizes;  ///< what was shrunk, by the names above, with the new values
  double work = 0;                            ///< of the plain program, as most_work counts it
  std::string why;                            ///< why there is none; else empty
};

/// The FLOPs, bytes of traffic and elements in memory of a plain program's functional run, all together.
/// FLOPs alone would not do: loads and stores carry elements as well, and tensors are filled first. What only
/// a run tells does not count, such as the work of attention over lengths. 2^24 take less than a second. What
/// cannot be shrunk that far, still runs up to the second limit in a minute or so.
constexpr double wanted_work = 0x1p24, most_work = 0x1p30;

/// Whether the entries and values of inputs may become fewer: only a run tells what they have to fit.
enum class ShrunkInputs { Yes, No };
/// `known`: what was found out of plain programs before.
ShrunkPair shrink(const Workload& plain, const Workload& scheduled, const KnobValues& knobs,
                  PlainPrograms& known, ShrunkInputs inputs = ShrunkInputs::Yes,
                  const std::stop_token& stop = {});

/// "operator 'load': ..." of the first of them, or "cancelled".
std::string causeOf(const Diagnostics& diagnostics);

/// A node of the plain program that holds a tensor program, at one of its instances.
struct HeldProgram {
  std::string path;      ///< in the document: "layer.block"
  std::string instance;  ///< in the graph: "layer[2].block"
  TensorProgram program;
};
/// Of a document whose schedule is not applied. Errors: as elaborate() and tensorProgramOf().
Result<std::vector<HeldProgram>> heldPrograms(const Document& document, const KnobValues& knobs,
                                              const std::stop_token& stop = {});

}  // namespace sluice::inline designer
