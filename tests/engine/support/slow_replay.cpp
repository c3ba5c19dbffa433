// Rules of streams (engine/simulator/semantics.md 2) and the memory (section 6) of the slow model.
#include "tests/engine/support/slow_replay.h"

#include <algorithm>
#include <stdexcept>

namespace sluice::slow {

bool happened(const World& world, OperatorId op, const Waiting& waiting) {
  if (waiting.reason == WaitReason::Memory) return world.ports.at(op).responses.size() >= waiting.token;
  if (waiting.or_token) {
    const SlowStream& other = world.streams[waiting.or_token->stream];
    if (other.tokens.size() > waiting.or_token->token || other.closed) return true;
  }
  const SlowStream& stream = world.streams[waiting.stream];
  if (waiting.reason == WaitReason::Full) return stream.dequeued.size() > waiting.token - stream.depth;
  return stream.tokens.size() > waiting.token || stream.closed;
}

Replay::Replay(World& world, OperatorId op)
    : world_(world),
      id_(op),
      op_(world.graph->operators[op]),
      follows_(world.graph->machine.reference_mode && op_.spec->kind != "Kernel" &&
               op_.spec->kind != "LayoutConverter"),
      taken_(op_.inputs.size()),
      sent_(op_.outputs.size()) {}

std::vector<std::uint64_t> Replay::list(const std::string& name) const {
  std::vector<std::uint64_t> values;
  for (const BoundInteger& value : op_.parameters.list(name))
    values.push_back(static_cast<std::uint64_t>(value.value));
  return values;
}

Cycles Replay::switchCycles(std::size_t port) const {
  const std::vector<std::uint64_t> each = list("port_switch_cycles");
  return each.empty() ? natural("switch_cycles") : each.at(port);
}

bool Replay::follow(std::optional<Cycles> waited) {
  if (!follows_ || !waited || *waited + 1 <= waited_) return false;
  waited_ = std::max(clock_, *waited + 1);
  return true;
}

void Replay::followAll(const std::vector<std::uint32_t>& ports) {
  Cycles latest = clock_;
  bool any = false;
  for (const std::uint32_t port : ports) {
    const std::optional<Cycles> sender = in(port).tokens.at(taken_[port]).waited;
    if (!follows_ || !sender || *sender + 1 <= waited_) continue;
    latest = std::max(latest, *sender + 1);
    any = true;
  }
  if (any) clock_ = waited_ = latest;
}

std::optional<SlowToken> Replay::peek(std::size_t port) {
  SlowStream& stream = in(port);
  if (taken_[port] < stream.tokens.size()) {
    const SlowToken& token = stream.tokens[taken_[port]];
    follow(token.waited);
    advanceTo(token.arrival);
    return token;
  }
  if (!stream.closed) throw Waiting{WaitReason::Empty, op_.inputs[port], taken_[port], {}};
  if (follow(stream.closer_waited)) advanceTo(waited_);
  return std::nullopt;
}

std::optional<SlowToken> Replay::dequeue(std::size_t port) {
  std::optional<SlowToken> token = peek(port);
  if (!token) return token;
  SlowStream& stream = in(port);
  const std::uint64_t number = taken_[port]++;
  if (number == stream.dequeued.size())
    stream.dequeued.push_back(clock_), stream.receiver_waited.push_back(waited());
  if (stream.dequeued[number] != clock_ || stream.receiver_waited[number] != waited())
    throw std::logic_error("slow model: " + op_.name + " changed its past (dequeue)");
  return token;
}

Cycles Replay::headArrival(std::size_t port) {
  SlowStream& stream = in(port);
  if (taken_[port] < stream.tokens.size()) return stream.tokens[taken_[port]].arrival;
  if (stream.closed) fail(port, "closed inside a group");
  throw Waiting{WaitReason::Empty, op_.inputs[port], taken_[port], {}};
}

std::optional<Cycles> Replay::sentFor(std::size_t port) const {
  const SlowStream& stream = world_.streams[op_.inputs[port]];
  if (taken_[port] >= stream.tokens.size()) return std::nullopt;
  return stream.tokens[taken_[port]].arrival;
}

bool Replay::ended(std::size_t port) const {
  const SlowStream& stream = world_.streams[op_.inputs[port]];
  return stream.closed && taken_[port] == stream.tokens.size();
}

std::optional<Cycles> Replay::slotSince(std::size_t port) const {
  const SlowStream& stream = world_.streams[op_.outputs[port]];
  if (sent_[port] < stream.depth) return 0;
  const std::uint64_t freed = sent_[port] - stream.depth;
  if (freed >= stream.dequeued.size()) return std::nullopt;
  return stream.dequeued[freed] + 1;
}

void Replay::waitFor(std::optional<std::size_t> full, std::optional<std::size_t> missing) const {
  Waiting waiting;
  if (full) {
    waiting = {WaitReason::Full, op_.outputs[*full], sent_[*full], {}};
    if (missing) waiting.or_token = Waiting::Alternative{op_.inputs[*missing], taken_[*missing]};
  } else {
    waiting = {WaitReason::Empty, op_.inputs[missing.value()], taken_[*missing], {}};
  }
  throw waiting;
}

std::optional<std::size_t> Replay::pick() {
  const std::vector<Choice>& choices = world_.choices[id_];
  if (choices_ == choices.size()) throw Polling{clock_, taken_, follows_, false, {}, {}, 0};
  const Choice& choice = choices[choices_++];
  advanceTo(choice.clock);
  if (choice.waited) waited_ = std::max(waited_, clock_);
  return choice.port;
}

void Replay::waitSlot(std::size_t port) {
  SlowStream& stream = out(port);
  if (sent_[port] < stream.depth) return;
  const std::uint64_t freed = sent_[port] - stream.depth;
  if (freed >= stream.dequeued.size()) throw Waiting{WaitReason::Full, op_.outputs[port], sent_[port], {}};
  follow(stream.receiver_waited[freed]);
  advanceTo(stream.dequeued[freed] + 1);
}

void Replay::enqueue(std::size_t port, Cycles stamp, const SlowValue& value, std::uint32_t stop) {
  waitSlot(port);
  SlowStream& stream = out(port);
  const std::uint64_t number = sent_[port]++;
  const Cycles arrival = std::max(stamp, clock_ + 1);
  if (number == stream.tokens.size()) stream.tokens.push_back({value, stop, clock_, arrival, waited()});
  const SlowToken& token = stream.tokens[number];
  if (token.arrival != arrival || token.enqueued != clock_ || token.stop != stop || token.waited != waited())
    throw std::logic_error("slow model: " + op_.name + " changed its past (enqueue)");
}

void Replay::moveTile(std::uint64_t rows, std::uint64_t cols, std::uint64_t bytes_per_element,
                      std::uint64_t par_dispatch) {
  MemoryPort& port = world_.ports.at(id_);
  const std::uint64_t requests = rows * ceilDiv(cols * bytes_per_element, machine().hbm_request_bytes);
  const Cycles start = clock_;
  std::uint64_t left = requests;
  for (Cycles k = 0; left > 0; ++k) {
    const std::uint64_t together = std::min(left, par_dispatch);
    left -= together;
    if (groups_ == port.groups.size()) port.groups.push_back({std::max(start + k, clock_ + 1), together});
    ++groups_;
  }
  if (port.responses.size() < responses_ + requests)
    throw Waiting{WaitReason::Memory, 0, responses_ + requests, {}};
  for (std::uint64_t left_over = requests; left_over > 0; --left_over) {
    const Cycles arrival = port.responses[responses_++];
    follow(arrival - 2 + machine().hbm_controller_wait);
    advanceTo(arrival);
  }
  off_chip_bytes_ += rows * cols * bytes_per_element;
}

void Replay::fail(std::size_t port, const std::string& cause) const {
  throw Fault{static_cast<std::uint32_t>(port), port < taken_.size() ? taken_[port] : 0, cause};
}

SlowMemory::SlowMemory(World& world) : machine_(world.graph->machine), channels_(machine_.hbm_channels) {
  for (auto& [id, port] : world.ports)
    if (isLoad(world.graph->operators[id])) ports_.push_back(&port);
  for (auto& [id, port] : world.ports)
    if (isStore(world.graph->operators[id])) ports_.push_back(&port);
}

bool SlowMemory::idle() const {
  return std::all_of(ports_.begin(), ports_.end(),
                     [](const MemoryPort* port) { return port->polled == port->groups.size(); }) &&
         std::all_of(channels_.begin(), channels_.end(),
                     [](const Channel& channel) { return channel.responses.empty(); });
}

/// Who polls may find at a late clock what others act on at an earlier one: their requests are taken in their
/// own cycles nevertheless, unless later ones have been.
void SlowMemory::takeLate() {
  Cycles first = time_;
  for (const MemoryPort* port : ports_)
    if (port->polled < port->groups.size()) first = std::min(first, port->groups[port->polled].arrival);
  for (Cycles late = std::max(first, untaken_); late < time_; ++late) take(late);
}

void SlowMemory::cycle() {
  takeLate();
  for (Channel& channel : channels_) {
    if (channel.responses.empty() || channel.responses.front().arrival > time_) continue;
    channel.responses.front().port->responses.push_back(time_ + 1);
    channel.responses.pop_front();
  }
  take(time_);
  ++time_;
}

void SlowMemory::take(Cycles time) {
  std::vector<MemoryPort*> requests;
  for (MemoryPort* port : ports_) {
    if (port->polled == port->groups.size() || port->groups[port->polled].arrival > time) continue;
    const std::uint64_t together = port->groups[port->polled++].requests;
    for (std::uint64_t i = 0; i < together; ++i) requests.push_back(port);
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    offset_ = (offset_ + i) % channels_.size();
    dispatch(time, requests[i], channels_[offset_]);
  }
  offset_ = (offset_ + requests.size()) % channels_.size();
  if (!requests.empty()) untaken_ = time + 1;
}

void SlowMemory::dispatch(Cycles time, MemoryPort* port, Channel& channel) {
  channel.clock = std::max(channel.clock, time + 1);
  const Cycles ready = channel.clock + machine_.hbm_start_up + machine_.hbm_latency;
  channel.responses.push_back({std::max(ready, channel.clock + 1), port});
  channel.clock += machine_.hbm_initiation_interval;
  ++requests_;
}

}  // namespace sluice::slow
