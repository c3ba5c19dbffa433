#include "engine/simulator/network.h"
#include "engine/core/stopwatch.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace sluice::inline simulator {

namespace {
constexpr Cycles never = std::numeric_limits<Cycles>::max();
}  // namespace

/// Looks at the wall clock and the stop token now and then, not at every step; and, as a watchdog, whether
/// anything has moved since long before.
class Network::Throttle {
 public:
  Throttle(const Network& network, const RunOptions& options)
      : network_(network), options_(options), started_(Clock::now()), last_(started_) {}

  /// True: stop. `cycle` is only asked for when it is reported.
  template <class CycleOf>
  bool due(CycleOf&& cycle) {
    if (++steps_ % 1024 != 0) return false;
    if (options_.stop.stop_requested() || steps_ > options_.most_resumptions) return stopped_ = true;
    if (steps_ % watched_steps == 0) {
      const std::uint64_t before = std::exchange(moved_, network_.moved());
      if (before == moved_) return stuck_ = true;
    }
    const auto now = Clock::now();
    if (options_.progress && now - last_ >= std::chrono::milliseconds(30)) {
      last_ = now;
      options_.progress(cycle());
    }
    return false;
  }
  bool stopped() const { return stopped_; }
  bool stuck() const { return stuck_; }
  double seconds() const { return secondsSince(started_); }

 private:
  static constexpr std::uint64_t watched_steps = 1 << 22;  ///< every process has run by then
  const Network& network_;
  const RunOptions& options_;
  Clock::time_point started_, last_;
  std::uint64_t steps_ = 0, moved_ = 0;
  bool stopped_ = false, stuck_ = false;
};

Network::Network(const HbmConfig& hbm) : reference_(hbm.reference), hbm_(hbm) {}

Network::Network(const HbmConfig& hbm, const Dram& dram) : Network(hbm) {
  banks_.emplace(dram, hbm.channels, hbm.request_bytes);
}

Network::~Network() = default;

Context& Network::addOperator() {
  Context& context = contexts_.emplace_back(*this, static_cast<OperatorId>(contexts_.size()), ready_, arena_);
  if (!reference_) context.followNobody();  // the end of a stream takes no time to see
  return context;
}

Channel& Network::addStream(std::uint64_t depth, OperatorId producer, OperatorId consumer) {
  ends_.push_back({producer, consumer});
  return channels_.emplace_back(depth);
}

void Network::wireOutput(OperatorId op, StreamId stream) {
  contexts_[op].outputs_.push_back(&channels_[stream]);
}
void Network::wireInput(OperatorId op, StreamId stream) {
  contexts_[op].inputs_.push_back(&channels_[stream]);
}

void Network::addMemoryPort(OperatorId op, std::uint64_t par_dispatch) {
  contexts_[op].memory_port_ = banks_ ? banks_->addPort(par_dispatch) : hbm_.addPort(par_dispatch);
  memory_ports_.push_back(op);
}

void Network::record(StreamId stream, bool occupancy, std::vector<CapturedToken>* capture,
                     std::size_t limit) {
  occupancy_on_ |= occupancy;
  channels_[stream].recorder = &recorders_.emplace_back(occupancy, capture, limit);
}

void Network::shareUnits(std::uint64_t units) {
  unit_free_.assign(units, 0);
  if (units == 0) return;
  for (Context& context : contexts_) {
    context.shares_units_ = true;
    context.unit_ = static_cast<std::uint32_t>(context.op_ % units);
  }
}

void Network::setControllerWait(Cycles bit) {
  for (Context& context : contexts_) context.answer_lead_ = 1 - bit;
}

void Network::start(OperatorId op, Process process) {
  contexts_[op].process_ = std::move(process);
  ready_.push(contexts_[op]);
  ++running_;
}

SimulationResult Network::run(const RunOptions& options) {
  Throttle throttle(*this, options);
  stop_ = options.stop;
  to_horizon_ = options.horizon != never;
  banks_ ? banks_->heed(options.stop) : hbm_.heed(options.stop);
  bool go = !options.stop.stop_requested();
  while (go && runReady(throttle, options.horizon)) {
    if (!nextEvent()) break;
    go = !throttle.due([&] { return banks_ ? banks_->clock() : hbm_.clock(); });
  }
  if (running_ > 0 && stop_.stop_requested()) go = false;
  if (throttle.stuck()) failNotMoving();
  SimulationResult result = collect(throttle);
  result.cancelled = !throttle.stuck() && (!go || throttle.stopped() || resting_ > 0);
  result.fault = fault_;
  if (running_ > 0 && !result.cancelled && !fault_) result.deadlock = diagnose();
  if (timeline_) result.timeline = collectTimeline(result);
  return result;
}

Network::Ending Network::runPart() {
  const RunOptions options;
  Throttle throttle(*this, options);
  while (runReady(throttle, options.horizon) && nextEvent()) {
  }
  if (fault_) return Ending::Fault;
  if (other_requests_) return Ending::OtherRequests;
  return running_ > 0 ? Ending::Stuck : Ending::Done;
}

/// A number that grows whenever a token or a clock moves.
std::uint64_t Network::moved() const {
  std::uint64_t sum = banks_ ? banks_->clock() : hbm_.clock();
  for (const Context& context : contexts_) sum += context.now;
  for (const Channel& channel : channels_) sum += channel.sent() + channel.received();
  return sum;
}

/// A bug of an operator's behaviour: told, and the run ends.
void Network::failNotMoving() {
  const auto last =
      std::find_if(contexts_.begin(), contexts_.end(), [](const Context& context) { return !context.done_; });
  fail({last == contexts_.end() ? OperatorId{0} : last->op_, 0, 0, "internal-error",
        "the simulation runs on, but no token and no clock has moved for millions of steps",
        "this is an error of the simulator: please report it with the file"});
}

OperatorStats Network::statsOf(OperatorId op) const {
  const Context& context = contexts_[op];
  return {context.now,   context.busy_,          context.blocked_on_input_, context.blocked_on_output_,
          context.flops, context.off_chip_bytes, context.blocked_on_unit_};
}

/// Runs processes until all wait. Those that watch their inputs go before what they wake, as all that look at
/// one moment see the same; then the process that was woken last, as what it shares with its waker is still
/// in the cache. False: stopped or failed.
bool Network::runReady(Throttle& throttle, Cycles horizon) {
  const auto go_on = [&](Context& context) {
    if (context.now >= horizon) [[unlikely]]
      return ++resting_ > 0;
    if (context.process_.resume()) [[unlikely]]
      finish(context);
    return !fault_ && !throttle.due([&] { return context.now; });
  };
  for (Context* const context : looking_)
    if (!go_on(*context)) return false;
  looking_.clear();
  while (!ready_.empty())
    if (!go_on(ready_.pop())) return false;
  return true;
}

/// The process has returned: its streams close.
void Network::finish(Context& context) {
  context.done_ = true;
  --running_;
  for (Channel* channel : context.outputs_) {
    channel->close(context.ownFollow());
    if (channel->recorder) channel->recorder->closed(context.ownFollow());
    if (channel->waiting_receiver) context.wake(channel->waiting_receiver);
  }
}

/// Nothing is ready. Makes ready what happens next in simulated time; false if nothing will.
bool Network::nextEvent() {
  if (std::exchange(fired_, 0) > 0) {
    somethingChanged(polled_at_ + 1);  // a process that polled at the same time saw nothing yet
  }
  Cycles look = never;
  for (const Poller& poller : pollers_) look = std::min(look, poller.at);
  const Cycles access = unit_requests_.empty() ? never : unit_requests_.top().time;
  const Cycles until = std::min(look, access);
  if (banks_ ? banks_->busy() : hbm_.busy()) {
    completed_.clear();
    const Cycles time = banks_ ? banks_->advance(completed_, until) : hbm_.advance(completed_, until);
    for (const std::uint32_t port : completed_) {
      Context& context = contexts_[memory_ports_[port]];
      context.answers_.push_back(time);
      if (MemoryTrace* const trace = context.memory_trace_) [[unlikely]]
        trace->runs[trace->answered++].answered = time;
      if (context.waiting_ == Waiting::ForMemory && context.answers_.size() == 1) ready_.push(context);
    }
    if (!completed_.empty()) {
      somethingChanged(time);
      return true;
    }
    if (const auto& trouble = banks_ ? banks_->trouble() : hbm_.trouble()) {
      fail({memory_ports_[trouble->port], 0, 0, trouble->code, trouble->cause, trouble->fix});
      return false;
    }
    if (stop_.stop_requested()) return false;
  }
  if (until == never) return false;
  if (access <= look) {
    grantUnit();
  } else {
    wakePollers(look);
  }
  return true;
}

/// The earliest access that is asked for; no process can ask for an earlier one any more.
void Network::grantUnit() {
  const UnitRequest request = unit_requests_.top();
  unit_requests_.pop();
  Cycles& free = unit_free_[request.unit];
  Context& context = contexts_[request.op];
  context.granted_ = std::max(free, request.time);
  free = context.granted_ + request.cycles;
  ready_.push(context);
  somethingChanged(request.time);
}

/// A number that grows whenever something comes to an input.
std::uint64_t Network::cameTo(const Context& context) {
  std::uint64_t sum = 0;
  for (const Channel* const input : context.inputs_) sum += input->sent() + (input->closed() ? 1 : 0);
  return sum;
}

void Network::wakePollers(Cycles time) {
  polled_at_ = time;
  std::size_t left = 0;
  for (Poller& poller : pollers_) {
    if (poller.at != time || looksInVain(poller, time)) {
      pollers_[left++] = poller;
      continue;
    }
    looking_.push_back(poller.context);
    ++fired_;  // until it turns out that it only looked
  }
  pollers_.resize(left);
}

/// Its clock goes on; whether nothing has come since it last looked. Such a look changes nothing, so it is
/// not made: memory answers somebody all the time.
bool Network::looksInVain(Poller& poller, Cycles time) {
  Context& context = *poller.context;
  if (time > context.now) {
    if (timeline_) noteWait(context, Waiting::ForEvent, nullptr, time);
    context.blocked_on_input_ += time - context.now, context.now = time;
  }
  if (to_horizon_ || time >= poller.deadline || cameTo(context) != poller.seen) return false;
  context.lookedAgain();
  poller.at = poller.deadline;
  return true;
}

void Network::somethingChanged(Cycles time) {
  for (Poller& poller : pollers_) poller.at = std::min(poller.at, std::max(poller.context->now, time));
}

void Network::addPoller(Context& context, Cycles deadline, bool idle) {
  pollers_.push_back({&context, deadline, deadline, cameTo(context)});
  if (idle) {
    --fired_;
  } else {
    context.polls_since_ = context.now;
  }
}

void Network::issue(Context& context, std::uint64_t requests) {
  if (context.script_) [[unlikely]]
    return answerFromScript(context, requests);
  if (context.memory_trace_) [[unlikely]]
    context.memory_trace_->runs.push_back({context.now, requests, 0});
  if (banks_) {
    banks_->issue(context.memory_port_, requests, context.access, context.now);
  } else {
    hbm_.issue(context.memory_port_, requests, context.now);
  }
}

void Network::askForUnit(Context& context, std::uint32_t unit, Cycles cycles) {
  unit_requests_.push({context.now, context.op_, unit, cycles});
}

Group* Network::newGroup() {
  if (free_groups_.empty()) free_groups_.push_back(&groups_.emplace_back());
  Group* group = free_groups_.back();
  free_groups_.pop_back();
  group->tokens.clear();
  group->users = 1;
  return group;
}

void Network::releaseGroup(Group* group) {
  for (const Token& token : group->tokens) {
    const bool holds = token.kind == TokenKind::Buffer || token.kind == TokenKind::Tuple;
    if (holds && --token.group->users == 0) releaseGroup(token.group);
  }
  free_groups_.push_back(group);
}

const Selector* Network::selector(std::vector<std::uint32_t> indices, std::uint32_t width) {
  return &selectors_.emplace_back(Selector{std::move(indices), width});
}

void Network::fail(SimulationFault fault) {
  if (!fault_) fault_ = std::move(fault);
}

SimulationResult Network::collect(const Throttle& throttle) {
  SimulationResult result;
  result.wall_seconds = throttle.seconds();
  result.hbm_requests = banks_ ? banks_->requests() : hbm_.requests();
  Cycles memory_end = 0;
  for (const OperatorId op : memory_ports_)
    memory_end = std::max(memory_end, contexts_[op].now + 3);  // semantics.md 7.1
  result.cycles = memory_end;
  for (const Context& context : contexts_) {
    result.cycles = std::max(result.cycles, context.now);
    if (!addWithin<63>(result.flops, context.flops) ||
        !addWithin<63>(result.off_chip_bytes, context.off_chip_bytes))
      fail({context.op_, 0, 0, "overflow", "with it the program comes to more than 2^63 operations or bytes",
            "make tiles or streams smaller"});
    result.operators.push_back(statsOf(context.op_));
    result.operators.back().switches = context.switches;
  }
  for (std::uint32_t port = 0; banks_ && port < memory_ports_.size(); ++port) {
    OperatorStats& stats = result.operators[memory_ports_[port]];
    stats.row_hits += banks_->rowHits(port);
    stats.row_activations += banks_->rowMisses(port);
  }
  for (Channel& channel : channels_) {
    StreamStats stats;
    stats.tokens = channel.sent();
    result.token_hops += channel.received();
    const auto& levels = channel.levels();
    std::size_t top = levels.size();
    while (top > 1 && levels[top - 1] == 0) --top;
    stats.groups.resize(top);
    std::uint64_t sum = 0;
    for (std::size_t k = top; k-- > 0;) stats.groups[k] = sum += levels[k];
    OccupancySeries series;
    if (channel.recorder) {
      channel.recorder->finish();
      stats.max_occupancy = channel.recorder->maxOccupancy();
      series = channel.recorder->takeSeries();
    }
    result.streams.push_back(std::move(stats));
    if (occupancy_on_) result.occupancy.push_back(std::move(series));
  }
  return result;
}

// Context: the parts that are not worth inlining.

void Context::follow(Cycles follow, const Channel& channel) {
  if (follow <= waited_) return;
  waited_ = std::max(now, follow);
  if (follow <= now) return;
  if (recorded_) noteWait(Waiting::ForToken, &channel, follow);
  blocked_on_input_ += follow - now, now = follow;
}

void Context::leaveEither() {
  if (either_in_) either_in_->waiting_receiver = nullptr;
  if (either_out_) either_out_->waiting_sender = nullptr;
  either_ = false;
}

void Context::Memory::await_suspend(std::coroutine_handle<>) const {
  me.waitFor(Waiting::ForMemory, nullptr);
  me.network_.issue(me, requests);
}

void Context::request(std::uint64_t requests) {
  network_.issue(*this, requests);
}

void Context::Work::await_suspend(std::coroutine_handle<>) const {
  me.waitFor(Waiting::ForUnit, nullptr);
  me.network_.askForUnit(me, unit, moving);
}

void Context::Poll::await_suspend(std::coroutine_handle<>) const {
  me.waitFor(Waiting::ForEvent, nullptr);
  me.network_.addPoller(me, deadline, idle);
}

void Context::shareGroup(const Token& token, std::uint64_t copies) {
  token.group->users += copies - 1;
  if (token.group->users == 0) network_.releaseGroup(token.group);
}

Group* Context::newGroup() {
  return network_.newGroup();
}

const Selector* Context::selector(std::vector<std::uint32_t> indices, std::uint32_t width) {
  return network_.selector(std::move(indices), width);
}

void Context::failBeyond(const char* what) {
  fail("overflow", 0, std::string("it comes to more than 2^62 ") + what,
       "make tiles, streams or costs smaller");
}

void Context::fail(Code code, std::uint32_t input_port, std::string cause, std::string fix) {
  const std::uint64_t token = input_port < inputs_.size() ? inputs_[input_port]->received() : 0;
  network_.fail({op_, input_port, token, code, std::move(cause), std::move(fix)});
}

}  // namespace sluice::inline simulator
