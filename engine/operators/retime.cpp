#include "engine/operators/retime.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

#include "engine/itensor/itensor_text.h"
#include "engine/operators/assemble.h"
#include "engine/program/fields.h"

namespace sluice::inline operators {
namespace {

constexpr Cycles never = std::numeric_limits<Cycles>::max();

/// Who chooses by arrival may choose otherwise when anything comes earlier or later.
std::string choosesByArrival(const std::string& name) {
  return "'" + name + "' takes what arrives first, which may now be something else";
}

void addText(std::string& text, const BoundInteger& value) {
  text += std::to_string(value.value) + ",";
}
void addText(std::string& text, bool value) {
  text += value ? "true," : "false,";
}
void addText(std::string& text, const std::string& value) {
  text += std::to_string(value.size()) + ":" + value + ",";
}
void addText(std::string& text, const std::vector<BoundInteger>& values) {
  text += "[";
  for (const BoundInteger& value : values) addText(text, value);
  text += "]";
}
void addText(std::string& text, const std::vector<StreamOrder>& orders) {
  text += "[";
  for (const StreamOrder& order : orders) addText(text, order ? sluice::text(*order) : std::string());
  text += "]";
}

/// The parameters that are durations, or the others.
std::string textOf(const FlatOperator& op, bool durations) {
  std::string text;
  for (const ParameterSpec& spec : op.spec->parameters) {
    if (spec.duration != durations) continue;
    const auto value = op.parameters.values().find(spec.name);
    if (value == op.parameters.values().end()) continue;
    text += spec.name + "=";
    std::visit([&](const auto& v) { addText(text, v); }, value->second);
  }
  return text;
}

/// Numbers of the off-chip memory that a trace can be re-timed for.
constexpr std::array memory_numbers{&BoundMachine::hbm_channels, &BoundMachine::hbm_latency,
                                    &BoundMachine::hbm_initiation_interval, &BoundMachine::hbm_start_up};
/// Others that it can be re-timed for, or that no run asks. A number in neither list is part of the key, so
/// that a new one is safe before anybody thinks of re-timing.
constexpr std::array other_numbers{&BoundMachine::fifo_depth, &BoundMachine::on_chip_bandwidth,
                                   &BoundMachine::on_chip_capacity};

bool sameMemory(const BoundMachine& a, const BoundMachine& b) {
  const auto same = [&](auto member) { return a.*member == b.*member; };
  const auto same_dram = [&](auto member) { return a.dram.*member == b.dram.*member; };
  return std::ranges::all_of(memory_numbers, same) && same_dram(&Dram::mapping) &&
         std::ranges::all_of(fields<Dram>(), same_dram, &Field<Dram>::as<std::uint64_t>);
}

/// What is waited for: when it is there, and how far who waits for it follows its maker.
struct Awaited {
  Cycles at = 0, follow = 0;
  bool operator==(const Awaited&) const = default;
};

/// A process after that wait.
std::pair<Cycles, Cycles> after(const simulator::Look& began, const Awaited& awaited) {
  const Cycles waited = awaited.follow > began.waited ? std::max(began.clock, awaited.follow) : began.waited;
  return {std::max(began.clock, awaited.at), waited};
}

/// Whether a wait that began with `began` (if that is known) leaves its process as it did.
bool endsAsBefore(const std::optional<simulator::Look>& began, const Awaited& then, const Awaited& now) {
  return then == now || (began && after(*began, then) == after(*began, now));
}

std::optional<simulator::Look> at(const std::vector<simulator::Look>& looks, std::size_t k) {
  return k < looks.size() ? std::optional(looks[k]) : std::nullopt;
}

}  // namespace

std::string retimingKey(const FlatGraph& graph) {
  const auto holds = [](const auto& numbers, auto number) {
    return std::ranges::find(numbers, number) != numbers.end();
  };
  std::string key;
  for (const FlatOperator& op : graph.operators) {
    key += op.name + "|" + op.spec->kind + "|" + textOf(op, false);
    for (const StreamId stream : op.inputs) key += std::to_string(stream) + "<";
    for (const StreamId stream : op.outputs) key += std::to_string(stream) + ">";
  }
  const BoundMachine& m = graph.machine;
  for (const Field<Machine>& field : fields<Machine>())
    if (field.bound && !holds(memory_numbers, field.bound) && !holds(other_numbers, field.bound))
      key += std::to_string(m.*field.bound) + ";";
  for (const std::uint64_t value :
       {std::uint64_t{m.mock_bf16}, std::uint64_t{m.reference_mode}, static_cast<std::uint64_t>(m.hbm_model)})
    key += std::to_string(value) + ";";
  return key;
}

/// A run with all that a part of it needs to be run again.
struct RecordedRun {
  FlatGraph graph;
  const InputSet& inputs;
  std::vector<const Operator*> definitions;
  std::vector<std::uint64_t> addresses;
  std::string key;
  std::unique_ptr<simulator::Network> network;  ///< the tokens in the traces live in it
  std::vector<simulator::StreamTrace> streams;
  std::vector<simulator::MemoryTrace> memory;
  SimulationResult run;

  RecordedRun(FlatGraph g, const InputSet& i, const std::stop_token& stop);
  /// To any change.
  std::string objection() const;
  /// The cycles of the run if all ended with this operator (engine/simulator/semantics.md 7.1).
  Cycles endOf(OperatorId op, const OperatorStats& stats) const {
    return stats.finished + (definitions[op]->memory == MemoryRole::None ? 0 : 3);
  }
};

RecordedRun::RecordedRun(FlatGraph g, const InputSet& i, const std::stop_token& stop)
    : graph(std::move(g)),
      inputs(i),
      definitions(definitionsOf(graph)),
      addresses(addressesOf(graph, inputs, definitions)),
      key(retimingKey(graph)),
      network(assemble(graph, inputs, nullptr)),
      streams(graph.streams.size()),
      memory(graph.operators.size()) {
  network->trace(streams, memory);
  run = network->run({stop, {}, never});
}

std::string RecordedRun::objection() const {
  if (run.cancelled || run.fault || run.deadlock) return "the recorded run did not finish";
  if (!graph.machine.reference_mode) return "outside reference mode loads read ahead into free slots";
  if (graph.machine.scratchpads > 0)
    return "operators share on-chip memory units by the time at which they ask";
  for (OperatorId op = 0; op < graph.operators.size(); ++op)
    if (definitions[op]->arrival == Arrival::WatchesAll) return choosesByArrival(graph.operators[op].name);
  return {};
}

namespace {

/// A changed graph, and the part of it that is run again between traces; it grows until no other is
/// reached.
class Part {
 public:
  Part(const RecordedRun& recorded, const FlatGraph& changed)
      : recorded_(recorded),
        changed_(changed),
        in_part_(changed.operators.size()),
        streams_(changed.streams.size()) {}

  void setDepth(StreamId stream, std::uint64_t depth) { depths_.emplace_back(stream, depth); }
  void add(OperatorId op) {
    if (in_part_[op]) return;
    in_part_[op] = true;
    members_.push_back(op);
    const FlatOperator& o = changed_.operators[op];
    for (const StreamId stream : o.inputs) hops_ += recorded_.streams[stream].sent.size();
    for (const StreamId stream : o.outputs) hops_ += recorded_.streams[stream].sent.size();
  }
  /// All that speak with memory are in the part, with the memory of the changed graph.
  void addMemory();
  /// Empty: the times are found; else why they cannot be.
  std::string settle();
  Retimer::Answer answer() const;

 private:
  /// The new times at a stream with one end in the part.
  struct Edge {
    bool in_use = false;
    std::vector<simulator::FreedSlot> taken;  ///< its consumer is in the part
    std::vector<simulator::SentToken> sent;   ///< its producer is
  };

  std::uint64_t depthOf(StreamId stream) const {
    for (const auto& [changed, depth] : depths_)
      if (changed == stream) return depth;
    return changed_.streams[stream].depth;
  }
  std::string unreachable() const;
  simulator::Network::Ending runOnce();
  void connectMemory(simulator::Network& network, const std::vector<OperatorId>& local) const;
  StreamId addStream(simulator::Network& network, StreamId stream, const std::vector<OperatorId>& local);
  bool slotsAsBefore(StreamId stream, std::span<const simulator::FreedSlot> taken) const;
  bool tokensAsBefore(StreamId stream, OperatorId local_producer) const;
  std::size_t addReached();

  const RecordedRun& recorded_;
  const FlatGraph& changed_;
  Arrival arrivalOf(OperatorId op) const { return recorded_.definitions[op]->arrival; }

  std::vector<std::pair<StreamId, std::uint64_t>> depths_;
  std::vector<bool> in_part_;
  std::vector<OperatorId> members_;
  std::vector<Edge> streams_;
  std::vector<OperatorStats> stats_;  ///< of the members
  std::vector<Cycles> follows_;       ///< of the ends of their streams
  std::uint64_t hops_ = 0;            ///< of one run of the part
  bool with_memory_ = false;          ///< else it answers as it did
};

/// Why the part cannot be run again.
std::string Part::unreachable() const {
  for (const OperatorId op : members_) {
    if (arrivalOf(op) == Arrival::Chooses) return choosesByArrival(changed_.operators[op].name);
  }
  return {};
}

/// Its number in the network of the part; `local`: of the operators there.
StreamId Part::addStream(simulator::Network& network, StreamId stream, const std::vector<OperatorId>& local) {
  const FlatStream& s = changed_.streams[stream];
  const simulator::StreamTrace& trace = recorded_.streams[stream];
  Edge& edge = streams_[stream];
  const std::uint64_t depth = depthOf(stream);
  edge = {};
  if (in_part_[s.producer] && in_part_[s.consumer]) {
    network.addStream(depth, local[s.producer], local[s.consumer]);
  } else if (in_part_[s.consumer]) {
    edge.in_use = true;
    edge.taken.assign(trace.sent.size(), {never, 0});
    network.addSource(trace.sent, edge.taken, trace.close_follow);
  } else {
    edge.in_use = true;
    edge.sent.resize(std::min<std::uint64_t>(trace.sent.size(), trace.taken.size() + depth));
    network.addSink(depth, edge.sent, trace.taken);
  }
  return static_cast<StreamId>(network.streams() - 1);
}

void Part::addMemory() {
  with_memory_ = true;
  for (OperatorId op = 0; op < in_part_.size(); ++op)
    if (recorded_.definitions[op]->memory != MemoryRole::None) add(op);
}

void Part::connectMemory(simulator::Network& network, const std::vector<OperatorId>& local) const {
  for (const MemoryRole role : {MemoryRole::Reader, MemoryRole::Writer}) {  // as assemble() does
    for (OperatorId op = 0; op < in_part_.size(); ++op) {
      if (!in_part_[op] || recorded_.definitions[op]->memory != role) continue;
      if (with_memory_) {
        const std::int64_t par_dispatch = changed_.operators[op].parameters.integer("par_dispatch");
        network.addMemoryPort(local[op], static_cast<std::uint64_t>(par_dispatch));
      } else {
        network.answerFrom(local[op], recorded_.memory[op]);
      }
    }
  }
}

simulator::Network::Ending Part::runOnce() {
  const std::unique_ptr<simulator::Network> empty = emptyNetwork(changed_.machine);
  simulator::Network& network = *empty;
  std::vector<OperatorId> local(in_part_.size());
  std::vector<simulator::Context*> contexts;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    local[members_[i]] = static_cast<OperatorId>(i);
    contexts.push_back(&network.addOperator());
  }
  network.setControllerWait(changed_.machine.hbm_controller_wait);
  std::map<StreamId, StreamId> number;
  const auto number_of = [&](StreamId stream) {
    const auto [at, fresh] = number.try_emplace(stream);
    if (fresh) at->second = addStream(network, stream, local);
    return at->second;
  };
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const FlatOperator& op = changed_.operators[members_[i]];
    const auto id = static_cast<OperatorId>(i);
    for (const StreamId stream : op.inputs) network.wireInput(id, number_of(stream));
    for (const StreamId stream : op.outputs) network.wireOutput(id, number_of(stream));
  }
  connectMemory(network, local);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const OperatorId op = members_[i];
    const Instance instance{changed_.operators[op], changed_.machine, recorded_.inputs, nullptr,
                            recorded_.addresses[op]};
    network.start(static_cast<OperatorId>(i), recorded_.definitions[op]->behaviour(instance, *contexts[i]));
  }
  const simulator::Network::Ending ending = network.runPart();
  stats_.clear(), follows_.clear();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    stats_.push_back(network.statsOf(static_cast<OperatorId>(i)));
    follows_.push_back(network.followOf(static_cast<OperatorId>(i)));
  }
  return ending;
}

/// Whether the producer would wait for its slots as long as it did, as their tokens are `taken`.
bool Part::slotsAsBefore(StreamId stream, std::span<const simulator::FreedSlot> taken) const {
  const FlatStream& s = changed_.streams[stream];
  const simulator::StreamTrace& trace = recorded_.streams[stream];
  const std::uint64_t before = recorded_.graph.streams[stream].depth, depth = depthOf(stream);
  const bool exact = arrivalOf(s.producer) == Arrival::TwoClocks;
  const auto ready = [&](std::span<const simulator::FreedSlot> slots, std::size_t k,
                         std::uint64_t d) -> Awaited {
    if (k < d) return {};
    if (k - d >= slots.size() || slots[k - d].at == never) return {never, 0};
    return {slots[k - d].at + 1, exact ? 0 : slots[k - d].follow};
  };
  for (std::size_t k = std::min(before, depth); k < trace.sent.size(); ++k) {
    const std::optional<simulator::Look> began = exact ? std::nullopt : at(trace.asked, k);
    if (!endsAsBefore(began, ready(trace.taken, k, before), ready(taken, k, depth))) return false;
  }
  return true;
}

/// Whether the consumer would wait for its tokens, and for the end, as long as it did.
bool Part::tokensAsBefore(StreamId stream, OperatorId producer) const {
  const simulator::StreamTrace& trace = recorded_.streams[stream];
  const std::vector<simulator::SentToken>& sent = streams_[stream].sent;
  const Arrival arrival = arrivalOf(changed_.streams[stream].consumer);
  const bool follows = arrival != Arrival::TwoClocks, exact = !follows || arrival == Arrival::Chooses;
  const auto awaited = [&](const simulator::SentToken& token) {
    return Awaited{token.arrival, follows ? token.follow : 0};
  };
  if (sent.size() != trace.sent.size()) return false;
  for (std::size_t k = 0; k < sent.size(); ++k) {
    const std::optional<simulator::Look> began = exact ? std::nullopt : at(trace.looked, k);
    if (!endsAsBefore(began, awaited(trace.sent[k]), awaited(sent[k]))) return false;
  }
  const auto member = std::find(members_.begin(), members_.end(), producer) - members_.begin();
  // The end itself takes no time; only following who ended does.
  const Cycles then = trace.close_follow, now = follows_[static_cast<std::size_t>(member)];
  if (!follows || then == now) return true;
  const std::optional<simulator::Look> began = exact ? std::nullopt : at(trace.looked, sent.size());
  const auto ended = [&](Cycles follow) { return Awaited{follow > began->waited ? follow : 0, follow}; };
  return began && after(*began, ended(then)) == after(*began, ended(now));
}

/// Neighbours that would not do as they did join. How many.
std::size_t Part::addReached() {
  std::set<OperatorId> reached;
  const auto look = [&](StreamId stream) {
    const FlatStream& s = changed_.streams[stream];
    const bool from = in_part_[s.producer], to = in_part_[s.consumer];
    if (!from && !slotsAsBefore(stream, to ? streams_[stream].taken : recorded_.streams[stream].taken))
      reached.insert(s.producer);
    if (from && !to && !tokensAsBefore(stream, s.producer)) reached.insert(s.consumer);
  };
  for (const OperatorId op : members_) {
    for (const StreamId stream : changed_.operators[op].inputs) look(stream);
    for (const StreamId stream : changed_.operators[op].outputs) look(stream);
  }
  for (const auto& [stream, depth] : depths_) look(stream);
  for (const OperatorId op : reached) add(op);
  return reached.size();
}

std::string Part::settle() {
  std::uint64_t spent = 0;
  if (members_.empty()) addReached();
  while (!members_.empty()) {
    if (std::string why = unreachable(); !why.empty()) return why;
    spent += hops_;
    if (spent > recorded_.run.token_hops)
      return "the change concerns " + std::to_string(members_.size()) + " of " +
             std::to_string(in_part_.size()) + " operators or more: a fresh simulation is no slower";
    const simulator::Network::Ending ending = runOnce();
    if (ending == simulator::Network::Ending::Stuck)
      return "a token would have to wait for a slot that its consumer does not free";
    if (ending == simulator::Network::Ending::Fault) return "an operator does not accept its tokens any more";
    if (ending == simulator::Network::Ending::OtherRequests) {
      addMemory();  // all its answers may change
    } else if (addReached() == 0) {
      break;
    }
  }
  return {};
}

Retimer::Answer Part::answer() const {
  Retimer::Answer answer{Cycles{0}, {}, {}};
  for (std::size_t i = 0; i < members_.size(); ++i) answer.again.emplace_back(members_[i], stats_[i]);
  for (OperatorId op = 0; op < in_part_.size(); ++op) {
    if (!in_part_[op])
      *answer.cycles = std::max(*answer.cycles, recorded_.endOf(op, recorded_.run.operators[op]));
  }
  for (const auto& [op, stats] : answer.again)
    *answer.cycles = std::max(*answer.cycles, recorded_.endOf(op, stats));
  return answer;
}

/// Operators that take other times for their work now.
std::vector<OperatorId> slowedOrQuickened(const FlatGraph& a, const FlatGraph& b) {
  std::vector<OperatorId> list;
  for (OperatorId op = 0; op < a.operators.size(); ++op) {
    if (textOf(a.operators[op], true) != textOf(b.operators[op], true)) list.push_back(op);
  }
  return list;
}

}  // namespace

Retimer::Retimer(FlatGraph graph, const InputSet& inputs, const std::stop_token& stop)
    : recorded_(std::make_unique<RecordedRun>(std::move(graph), inputs, stop)) {}
Retimer::Retimer(Retimer&&) noexcept = default;
Retimer& Retimer::operator=(Retimer&&) noexcept = default;
Retimer::~Retimer() = default;

const FlatGraph& Retimer::graph() const {
  return recorded_->graph;
}
const SimulationResult& Retimer::run() const {
  return recorded_->run;
}

Retimer::Answer Retimer::withDepths(std::span<const std::pair<StreamId, std::uint64_t>> depths) {
  if (std::string why = recorded_->objection(); !why.empty()) return {{}, std::move(why), {}};
  Part part(*recorded_, recorded_->graph);
  for (const auto& [stream, depth] : depths) {
    if (depth == 0) return {{}, "a FIFO holds a token at least", {}};
    part.setDepth(stream, depth);
  }
  if (std::string why = part.settle(); !why.empty()) return {{}, std::move(why), {}};
  return part.answer();
}

Retimer::Answer Retimer::as(const FlatGraph& other) {
  const FlatGraph& graph = recorded_->graph;
  const auto because = [](std::string why) { return Answer{{}, std::move(why), {}}; };
  if (std::string why = recorded_->objection(); !why.empty()) return because(std::move(why));
  if (retimingKey(other) != recorded_->key)
    return because("more than depths, latencies and bandwidths differs");
  if (graph.machine.on_chip_bandwidth != other.machine.on_chip_bandwidth)
    return because("every operator reads and writes tiles by the on-chip bandwidth");
  Part part(*recorded_, other);
  if (!sameMemory(graph.machine, other.machine)) part.addMemory();
  for (StreamId stream = 0; stream < graph.streams.size(); ++stream) {
    if (graph.streams[stream].depth != other.streams[stream].depth)
      part.setDepth(stream, other.streams[stream].depth);
  }
  for (const OperatorId op : slowedOrQuickened(graph, other)) part.add(op);
  if (std::string why = part.settle(); !why.empty()) return because(std::move(why));
  return part.answer();
}

}  // namespace sluice::inline operators
