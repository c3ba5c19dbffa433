#pragma once
// What is written of a flat graph: its regions as a tree of scopes, the module and the parameters of every
// operator, the names of everything. Made whole, or not at all: what has no RTL is reported.

#include <map>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/operators/inference.h"
#include "engine/rtl/module_library.h"
#include "engine/rtl/sv_names.h"
#include "engine/rtl/tensor_data.h"
#include "engine/simulator/result.h"

namespace sluice::inline rtl {

/// A stream as a scope sees it.
enum class StreamPlace {
  Inside,    ///< its FIFO is here
  Outgoing,  ///< its producer is here, or further inside; its FIFO is further out
  Incoming   ///< its consumer is
};

struct ScopeStream {
  StreamId stream = 0;
  StreamPlace place = StreamPlace::Inside;
  std::string name;
};

/// A file that a module reads when the simulation begins.
struct PlannedData {
  std::string parameter;  ///< of the module, which is given the path
  std::string path;       ///< "data/route_3.hex"
  std::string lines;
};

struct PlannedOperator {
  const RtlModule* module = nullptr;
  std::size_t scope = 0;
  std::string instance;
  std::vector<std::pair<std::string, std::string>> parameters;  ///< name and SystemVerilog text
  std::vector<PlannedData> data;
};

/// The program, or an instance of a region.
struct Scope {
  std::string path;      ///< "expert[3]"; the program: empty
  std::string instance;  ///< in its parent
  std::size_t parent = 0;
  std::vector<std::size_t> children;
  std::vector<OperatorId> operators;
  std::vector<ScopeStream> streams;
  std::vector<std::pair<OperatorId, std::string>> memories;  ///< ports at the memory of who is inside; names
  SvNames names;

  const ScopeStream& find(StreamId stream) const;
  const std::string& memoryOf(OperatorId op) const;
};

struct RtlPlan {
  const FlatGraph* graph = nullptr;
  const Inference* inference = nullptr;
  std::vector<RtlModule> modules;
  std::vector<Scope> scopes;               ///< parents before their children; the program is the first
  std::vector<PlannedOperator> operators;  ///< parallel to the graph's
  std::vector<OperatorId> memory_ports;    ///< in the order in which the controller looks at them
  std::uint64_t value_bits = 64;           ///< of a token: numbers, and a bit for each target of a selector
  std::uint64_t group_tokens = 0;          ///< that buffers and tuples hold in the whole run
  const ComputedTensors* computed = nullptr;  ///< the functional level; null: that of timing
};

enum class RtlLevel { Timing, Functional };

/// A program for a project.
struct RtlProgram {
  const FlatGraph& graph;
  const Inference& inference;
  const InputSet& inputs;
  const SimulationResult* run =
      nullptr;  ///< what the simulator says of it, for expected.txt; null: no such file
  /// The functional level; null: that of timing. The programs of a project have the same level.
  const ComputedTensors* computed = nullptr;
  std::string point = {};  ///< coveredPoint(), by which a recording is known; empty: it carries none
  RtlLevel level() const { return computed ? RtlLevel::Functional : RtlLevel::Timing; }
};

/// Whether the program can be written at the level, without what is known of it after a run. Errors: those of
/// the plan.
Result<Done> checkRtl(const RtlProgram& program, RtlLevel level);

/// `program` outlives the plan. Places of groups follow each other from `first_group` on, and data lies in
/// `folder`. Errors: an operator without RTL, or without RTL at that level, a machine whose memory has none,
/// sizes that do not fit.
Result<RtlPlan> rtlPlan(const RtlProgram& program, std::uint64_t first_group = 0,
                        const std::string& folder = "data");

/// "top.expert_3.gate": where an operator or a FIFO is found in a simulation.
std::string operatorPath(const RtlPlan& plan, OperatorId op);
std::string streamPath(const RtlPlan& plan, StreamId stream);

}  // namespace sluice::inline rtl
