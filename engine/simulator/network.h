#pragma once
// Network: processes, channels and memory of one simulation, and the loop that runs them on one thread.
//
// A process runs until it waits; the process it waits for makes it ready again. When nothing is ready, what
// is left is ordered by simulated time: the next completion of memory, and the moments at which pollers
// (EagerMerge) look at their inputs. When there is none of either and a process is unfinished, that is a
// deadlock.

#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <memory_resource>
#include <optional>
#include <queue>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/simulator/bank_memory.h"
#include "engine/simulator/memory.h"
#include "engine/simulator/process.h"
#include "engine/simulator/result.h"
#include "engine/simulator/timeline_recorder.h"

namespace sluice::inline simulator {

struct RunOptions {
  std::stop_token stop;
  std::function<void(Cycles)> progress;  ///< simulated time so far; called at most every ~30 ms
  /// A process whose clock has come so far rests: a short run, the same whenever it is repeated, and
  /// cancelled.
  Cycles horizon = std::numeric_limits<Cycles>::max();
  /// A run in which processes were resumed more often, about, is stopped: the same whenever it is repeated,
  /// and cancelled.
  std::uint64_t most_resumptions = std::numeric_limits<std::uint64_t>::max();
};

class Network {
 public:
  explicit Network(const HbmConfig& hbm);
  /// With a memory down to its banks instead; of `hbm`, request size, channels and mode hold.
  Network(const HbmConfig& hbm, const Dram& dram);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // Building: operators and streams are numbered in the order they are added, as in the FlatGraph.
  Context& addOperator();
  Channel& addStream(std::uint64_t depth, OperatorId producer, OperatorId consumer);
  /// Output and input ports are wired in port order.
  void wireOutput(OperatorId op, StreamId stream);
  void wireInput(OperatorId op, StreamId stream);
  std::size_t streams() const { return channels_.size(); }
  /// Gives an operator its memory port; polled in the order of these calls.
  void addMemoryPort(OperatorId op, std::uint64_t par_dispatch);
  /// Exact occupancy over time and/or the first `limit` tokens of a stream.
  void record(StreamId stream, bool occupancy, std::vector<CapturedToken>* capture,
              std::size_t limit = std::numeric_limits<std::size_t>::max());
  /// A timeline of the whole run, exact for about `events`; after the streams have been added.
  void recordTimeline(std::size_t events);
  /// Tells all that happens at the streams and the memory ports, each into its trace; after the streams have
  /// been added, before record().
  void trace(std::span<StreamTrace> streams, std::span<MemoryTrace> memory);
  /// A stream from, or to, somebody who is not there but whose part is known; see Channel.
  Channel& addSource(std::span<const SentToken> sent, std::span<FreedSlot> taken, Cycles close_follow);
  Channel& addSink(std::uint64_t depth, std::span<SentToken> sent, std::span<const FreedSlot> taken);
  /// What memory answers this operator, as long as it asks for the same at the same times.
  void answerFrom(OperatorId op, const MemoryTrace& script);
  /// On-chip memory in `units` units that operators share, the operators dealt out to them in turn; 0: every
  /// operator has its own. After the operators have been added.
  void shareUnits(std::uint64_t units);
  /// Whether the memory controller last waited in the cycle of its answer (1) or in the one before (0);
  /// exact_timing.md. After the operators have been added.
  void setControllerWait(Cycles bit);
  void start(OperatorId op, Process process);

  /// Runs to the end, to a deadlock, a fault or a stop request.
  SimulationResult run(const RunOptions& options);
  /// The same, of a part that stands between traces.
  enum class Ending { Done, Stuck, Fault, OtherRequests };
  Ending runPart();
  OperatorStats statsOf(OperatorId op) const;
  /// How far who waits for the end of its streams follows an operator that has finished.
  Cycles followOf(OperatorId op) const { return contexts_[op].ownFollow(); }

  // For Context.
  void issue(Context& context, std::uint64_t requests);
  void addPoller(Context& context, Cycles deadline, bool idle);
  void askForUnit(Context& context, std::uint32_t unit, Cycles cycles);
  void noteWait(const Context& context, Waiting reason, const Channel* channel, Cycles until);
  Group* newGroup();
  void releaseGroup(Group* group);
  const Selector* selector(std::vector<std::uint32_t> indices, std::uint32_t width);
  void fail(SimulationFault fault);

 private:
  class Throttle;
  struct Poller {
    Context* context;
    Cycles at;           ///< looks at its inputs then
    Cycles deadline;     ///< and then at the latest
    std::uint64_t seen;  ///< what had come to its inputs when it last looked
  };

  bool runReady(Throttle& throttle, Cycles horizon);
  void finish(Context& context);
  void answerFromScript(Context& context, std::uint64_t requests);
  bool nextEvent();
  std::uint64_t moved() const;
  void failNotMoving();
  void wakePollers(Cycles time);
  static std::uint64_t cameTo(const Context& context);
  bool looksInVain(Poller& poller, Cycles time);
  void grantUnit();
  void somethingChanged(Cycles time);
  DeadlockReport diagnose() const;
  BlockedOperator describe(const Context& context) const;
  StreamId numberOf(const Channel& channel) const;
  SimulationResult collect(const Throttle& throttle);
  std::shared_ptr<const Timeline> collectTimeline(SimulationResult& result);

  bool reference_;
  Hbm hbm_;
  std::optional<BankMemory> banks_;  ///< serves instead of hbm_
  std::pmr::monotonic_buffer_resource arena_;
  std::pmr::deque<Context> contexts_{&arena_};
  std::pmr::deque<Channel> channels_{&arena_};
  struct Ends {
    OperatorId producer, consumer;
  };
  std::vector<Ends> ends_;                ///< parallel to channels_
  std::vector<OperatorId> memory_ports_;  ///< port -> operator
  std::deque<StreamRecorder> recorders_;
  std::unique_ptr<TimelineRecorder> timeline_;
  ReadyStack ready_;
  std::vector<Context*> looking_;  ///< pollers whose moment it is
  std::vector<std::uint32_t> completed_;
  std::vector<Poller> pollers_;
  /// A wish for an on-chip memory unit; served by time, then in the order of the operators.
  struct UnitRequest {
    Cycles time;
    OperatorId op;
    std::uint32_t unit;
    Cycles cycles;
    bool operator>(const UnitRequest& other) const {
      return time != other.time ? time > other.time : op > other.op;
    }
  };
  std::priority_queue<UnitRequest, std::vector<UnitRequest>, std::greater<>> unit_requests_;
  std::vector<Cycles> unit_free_;  ///< since when
  std::size_t fired_ = 0;          ///< pollers of the last moment that did more than look
  Cycles polled_at_ = 0;
  std::size_t running_ = 0, resting_ = 0;
  std::deque<Group> groups_;
  std::vector<Group*> free_groups_;
  std::deque<Selector> selectors_;
  std::optional<SimulationFault> fault_;
  std::stop_token stop_;
  bool occupancy_on_ = false;
  bool to_horizon_ = false;      ///< processes may rest
  bool other_requests_ = false;  ///< than those that answerFrom() knows
};

}  // namespace sluice::inline simulator
