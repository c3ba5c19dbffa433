#pragma once
// Document: everything a .sluice file holds - program, schedule, knobs, machine, inputs, figures, canvas
// positions.
// Value types throughout: copying a Document copies it all, comparing compares it all; undo keeps copies.
//
// Design point = program x schedule x machine x inputs, bound by the knobs (engine/README.md, "From file to
// numbers").

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/core/box.h"
#include "engine/core/int_tensor.h"
#include "engine/program/dram.h"
#include "engine/program/figure.h"
#include "engine/program/provenance.h"
#include "engine/program/value.h"

namespace sluice::inline program {

struct Position {
  double x = 0, y = 0;  ///< canvas units (points), y down
  bool operator==(const Position&) const = default;
};

/// One end of a stream, written "node.port" or "node.port[2]". Inside a region body, node "region" is the
/// region's own boundary: "region.x" as a source reads the region's input x, as a destination feeds the
/// region's output x.
struct Endpoint {
  std::string node;
  std::string port;
  std::optional<Value>
      index;  ///< element of a variadic port or of a replicated region's port; absent: the whole bundle

  bool operator==(const Endpoint&) const = default;
};
std::string text(const Endpoint& endpoint);
std::optional<Endpoint> parseEndpoint(const std::string& text);

struct Region;

/// An operator, or (body set, kind "Region") a region: a graph of its own, instantiated count times.
struct Node {
  std::string name;  ///< unique in its graph; [A-Za-z_][A-Za-z0-9_]*
  std::string kind;  ///< a name of the operator registry, or "Region"
  Values parameters;
  std::optional<Position> at;
  Box<Region> body;

  bool operator==(const Node&) const = default;
};

/// A bounded FIFO from an output to an input. A source that feeds several streams is broadcast in the order
/// of the streams.
struct Stream {
  Endpoint from, to;
  std::optional<Value> depth;  ///< tokens; absent: machine.fifo_depth

  bool operator==(const Stream&) const = default;
};

struct Graph {
  std::vector<Node> nodes;  ///< order is meaning: memory ports are polled in this order
  std::vector<Stream> streams;

  const Node* find(const std::string& name) const;
  bool operator==(const Graph&) const = default;
};

struct Region {
  Value count = Value(1);  ///< instances; an expert x128 is one region
  std::string index;       ///< name of the instance number inside the body; empty: none
  std::vector<std::string> inputs, outputs;
  std::map<std::string, Value> widths;  ///< port -> streams that it bundles in each instance; absent: one
  /// Instances are laid out one after the other instead of operator by operator. Only the order in which
  /// off-chip memory polls its ports follows from it.
  bool by_instance = false;
  Graph body;
  bool collapsed = true;  ///< on the canvas

  bool operator==(const Region&) const = default;
};

enum class KnobKind { Range, List, PowerOfTwo, Choice };

/// A knob of the design space. Its value is an integer; a Choice's value is the position in `choices`, and a
/// string parameter
/// "=knob" takes the chosen text.
struct Knob {
  std::string name;
  KnobKind kind = KnobKind::Range;
  std::int64_t minimum = 1, maximum = 1, step = 1;  ///< Range (step) and PowerOfTwo
  std::vector<std::int64_t> list;                   ///< List
  std::vector<std::string> choices;                 ///< Choice
  std::int64_t initial = 1;                         ///< the default
  std::string help;

  static constexpr std::uint64_t max_values = 1'000'000;  ///< a knob with more is refused by check()
  std::vector<std::int64_t> values() const;  ///< every value, in order (a Range: the first max_values)
  std::uint64_t size() const;                ///< how many values there are
  bool allows(std::int64_t value) const;
  bool operator==(const Knob&) const = default;
};

/// One transformation of the schedule, applied in order. The transformations themselves are engine/schedule/.
struct ScheduleStep {
  std::string transformation;
  Values arguments;
  bool enabled = true;
  bool operator==(const ScheduleStep&) const = default;
};

/// The accelerator (engine/simulator/semantics.md 2, 5, 6). Integers may be expressions over knobs and
/// constants.
struct Machine {
  std::string name = "reference";
  Value fifo_depth = 2;          ///< tokens, for streams without a depth of their own
  Value on_chip_bandwidth = 64;  ///< bytes per cycle of one memory unit
  Value on_chip_capacity = 0;    ///< bytes; 0 = unlimited
  bool mock_bf16 = true;         ///< float32 tiles move as 2 bytes per element, in loads and in the simulator
  Value hbm_request_bytes = 64;
  Value hbm_channels = 32;
  Value hbm_latency = 2;              ///< cycles
  Value hbm_initiation_interval = 2;  ///< cycles between requests of one channel
  Value hbm_start_up = 14;            ///< cycles, paid by every request in reference mode
  /// Off: what the reference simulator does oddly is idealised (engine/simulator/README.md).
  bool reference_mode = true;
  HbmModel hbm_model = HbmModel::Node;  ///< Node: the reference's, by the numbers above; or down to the banks
  Values hbm_timing;  ///< what differs from the preset of a bank-level model, by Dram's names
  /// 0 or 1: the memory controller last waited in the cycle before an answer, or in that of the answer. A
  /// race of host threads in the reference simulator, which gives both (engine/simulator/exact_timing.md).
  Value hbm_controller_wait = 0;
  Value scratchpads = 0;  ///< shared on-chip memory units; 0 = every operator has one of its own
  /// What actions cost: a name, or a file beside the document (engine/energy/README.md); empty: nothing has a
  /// price.
  std::string technology;
  Value clock_mhz = 0;  ///< of the design, for energy and power; 0: the memory's or the technology's

  bool operator==(const Machine&) const = default;
};

enum class InputKind { Routing, Lengths, Tensor };

/// A trace that binds the program's dynamic dimensions. Exactly one of: inline data, a file, or the synthetic
/// generator.
struct Input {
  std::string name;
  InputKind kind = InputKind::Tensor;
  std::string file;               ///< .npy or .npz, relative to the .sluice file
  std::optional<IntTensor> data;  ///< inline values
  /// Synthetic routing: `counts[e]` tokens go to expert e, `top_k` experts a token (no token twice to one
  /// expert), shuffled by `seed`.
  std::vector<std::int64_t> counts;
  std::int64_t tokens = 0, experts = 0, top_k = 0;
  std::uint64_t seed = 1;

  bool operator==(const Input&) const = default;
};

struct Document {
  static constexpr int current_version = 1;

  std::string title, description;
  std::map<std::string, Value>
      constants;  ///< named integers of the workload: D, F, E ... (may refer to knobs and each other)
  std::vector<Knob> knobs;
  Graph program;
  std::vector<ScheduleStep> schedule;
  Machine machine;
  std::vector<Input> inputs;
  std::vector<Figure> figures;
  std::optional<Provenance> provenance;  ///< absent: nothing says why its numbers may be believed
  std::set<std::string> pinned;          ///< paths of nodes whose place automatic layout may not move

  bool operator==(const Document&) const = default;
};

/// The graph of a region by its path, "" the program itself; null if there is none.
const Graph* findGraph(const Document& document, const std::string& path);
Graph* findGraph(Document& document, const std::string& path);
/// The figure of that name; null if there is none.
const Figure* findFigure(const Document& document, const std::string& name);

KnobValues defaultKnobs(const Document& document);

}  // namespace sluice::inline program
