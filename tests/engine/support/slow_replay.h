#pragma once
// The parts of the slow model: the history that all share, one operator's run over it, and the memory.

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/engine/support/slow_model.h"

namespace sluice::slow {

/// One load's or store's connection to the memory.
struct MemoryPort {
  struct Group {
    Cycles arrival = 0;
    std::uint64_t requests = 0;
  };
  std::vector<Group> groups;
  std::size_t polled = 0;         ///< groups that the controller has taken
  std::vector<Cycles> responses;  ///< arrival of each
};

/// The outcome of polling all inputs until one has the next group: which, none when all are closed, and the
/// clock reached by then.
struct Choice {
  std::optional<std::size_t> port;
  Cycles clock = 0;
  bool waited = false;  ///< it looked more than once
};

/// Everything that has happened so far. It only grows.
struct World {
  const FlatGraph* graph = nullptr;
  const InputSet* inputs = nullptr;
  Shows shows = Shows::LastWait;
  std::vector<SlowStream> streams;
  std::map<OperatorId, MemoryPort> ports;  ///< loads and stores
  std::map<OperatorId, std::vector<Choice>>
      choices;  ///< EagerMerge: what it found each time that it looked for a group
};

/// Thrown by a run that needs something that has not happened yet.
struct Waiting {
  WaitReason reason = WaitReason::Empty;
  StreamId stream = 0;
  std::uint64_t token =
      0;  ///< number of the token to push or pop; Memory: how many responses it needs in all
  /// Waits for this token as well: whichever is there first.
  struct Alternative {
    StreamId stream = 0;
    std::uint64_t token = 0;
  };
  std::optional<Alternative> or_token;
};

/// Thrown by a run that polls its inputs (engine/simulator/semantics.md 4) from `clock` on. Each of `heads`
/// is the next token of an input.
struct Polling {
  Cycles clock = 0;
  std::vector<std::uint64_t> heads;
  bool follows = true;  ///< else everything shows at once
  bool again = false;   ///< it has looked before
  // What the looks so far have shown.
  std::set<std::size_t> known;  ///< inputs with a token, or closed
  std::optional<std::size_t> port;
  Cycles arrival = 0;
};

/// Thrown by a run that met a token it cannot accept.
struct Fault {
  std::uint32_t port = 0;
  std::uint64_t token = 0;
  std::string cause;
};

bool happened(const World& world, OperatorId op, const Waiting& waiting);

/// One run of one operator from time 0.
class Replay {
 public:
  Replay(World& world, OperatorId op);

  const FlatOperator& op() const { return op_; }
  const BoundMachine& machine() const { return world_.graph->machine; }
  const InputData& input(const std::string& parameter = "input") const {
    return world_.inputs->at(op_.parameters.string(parameter));
  }
  std::int64_t integer(const std::string& name) const { return op_.parameters.integer(name); }
  std::uint64_t natural(const std::string& name) const { return static_cast<std::uint64_t>(integer(name)); }
  bool flag(const std::string& name) const { return op_.parameters.boolean(name); }
  const std::string& choice(const std::string& name) const { return op_.parameters.string(name); }
  std::vector<std::uint64_t> list(const std::string& name) const;
  /// Cycles to turn to a port.
  Cycles switchCycles(std::size_t port) const;
  std::size_t inputs() const { return op_.inputs.size(); }
  std::size_t outputs() const { return op_.outputs.size(); }

  Cycles now() const { return clock_; }
  /// When it last waited; none: it follows nobody and nobody follows it.
  std::optional<Cycles> waited() const {
    if (!follows_) return std::nullopt;
    return world_.shows == Shows::Clock ? clock_ : waited_;
  }
  void spend(Cycles cycles) { clock_ += cycles; }
  void advanceTo(Cycles time) { clock_ = std::max(clock_, time); }

  /// The next token of an input, none when the input is closed and drained. The clock goes to its arrival; at
  /// the end it follows the producer. Taking it (dequeue) frees its slot at the clock reached.
  std::optional<SlowToken> peek(std::size_t port);
  std::optional<SlowToken> dequeue(std::size_t port);
  /// Arrival of the next token of an input, as soon as it has been sent, without any effect on the clock.
  Cycles headArrival(std::size_t port);
  /// Waits for the senders of these inputs' next tokens, all at once (Reassemble); the tokens are there.
  void followAll(const std::vector<std::uint32_t>& ports);
  // For operators with two activities of their own clocks (Kernel, LayoutConverter).
  void setClock(Cycles time) { clock_ = time; }
  /// The arrival of the next token of an input, none while it has not been sent.
  std::optional<Cycles> sentFor(std::size_t port) const;
  bool ended(std::size_t port) const;  ///< closed, and all its tokens taken
  /// Since when there is a slot for the next token, none while there is not.
  std::optional<Cycles> slotSince(std::size_t port) const;
  /// Waits for a slot of output `full`, or for a token of input `missing`, or for either.
  [[noreturn]] void waitFor(std::optional<std::size_t> full, std::optional<std::size_t> missing) const;
  /// Polls all inputs, cycle by cycle, until it is clear which has the next group
  /// (engine/operators/timing.md 4.4).
  std::optional<std::size_t> pick();
  void waitSlot(std::size_t port);
  void enqueue(std::size_t port, Cycles stamp, const SlowValue& value, std::uint32_t stop);
  void enqueue(std::size_t port, const SlowValue& value, std::uint32_t stop) {
    enqueue(port, clock_, value, stop);
  }
  /// Moves one tile: all requests, then all responses.
  void moveTile(std::uint64_t rows, std::uint64_t cols, std::uint64_t bytes_per_element,
                std::uint64_t par_dispatch);
  void count(Flops flops) { flops_ += flops; }
  [[noreturn]] void fail(std::size_t port, const std::string& cause) const;

  Flops flops() const { return flops_; }
  Bytes offChipBytes() const { return off_chip_bytes_; }

 private:
  /// Waits for something whose maker last waited at `waited`: goes on from there, unless it has been there.
  /// Whether it did.
  bool follow(std::optional<Cycles> waited);
  SlowStream& in(std::size_t port) { return world_.streams[op_.inputs[port]]; }
  SlowStream& out(std::size_t port) { return world_.streams[op_.outputs[port]]; }

  World& world_;
  OperatorId id_;
  const FlatOperator& op_;
  bool follows_;
  Cycles clock_ = 0, waited_ = 0;
  Flops flops_ = 0;
  Bytes off_chip_bytes_ = 0;
  std::vector<std::uint64_t> taken_, sent_;  ///< tokens per input, per output
  std::uint64_t groups_ = 0, responses_ = 0, choices_ = 0;
};

/// Runs the operator to its end (or throws Waiting or Fault).
void runOperator(Replay& replay);
bool isLoad(const FlatOperator& op);
bool isStore(const FlatOperator& op);

/// The memory controller and its channels, one cycle at a time (engine/simulator/semantics.md 6).
class SlowMemory {
 public:
  explicit SlowMemory(World& world);
  void cycle();
  bool idle() const;
  Cycles time() const { return time_; }  ///< the next cycle
  std::uint64_t requests() const { return requests_; }

 private:
  struct Response {
    Cycles arrival = 0;
    MemoryPort* port = nullptr;
  };
  struct Channel {
    Cycles clock = 0;
    std::deque<Response> responses;
  };
  void takeLate();
  void take(Cycles time);  ///< the controller's cycle `time`
  void dispatch(Cycles time, MemoryPort* port, Channel& channel);

  const BoundMachine& machine_;
  std::vector<MemoryPort*> ports_;  ///< in polling order
  std::vector<Channel> channels_;
  Cycles time_ = 0, untaken_ = 0;  ///< the next cycle; from when on no request has been taken
  std::size_t offset_ = 0;
  std::uint64_t requests_ = 0;
};

}  // namespace sluice::slow
