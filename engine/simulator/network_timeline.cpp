// The timeline of a network: what its processes waited for, told as it happens, and what the end of the run
// tells of it.

#include "engine/simulator/network.h"

namespace sluice::inline simulator {

namespace {

ProcessState stateOf(Waiting reason) {
  switch (reason) {
    case Waiting::ForSlot:
      return ProcessState::Blocked;
    case Waiting::ForMemory:
      return ProcessState::Memory;
    case Waiting::ForUnit:
      return ProcessState::Unit;
    default:
      return ProcessState::Starved;
  }
}

}  // namespace

void Context::noteWait(Waiting reason, const Channel* channel, Cycles until) {
  network_.noteWait(*this, reason, channel, until);
}

void Network::recordTimeline(std::size_t events) {
  timeline_ = std::make_unique<TimelineRecorder>(contexts_.size(), events);
  for (Context& context : contexts_) context.recorded_ = true;
  for (StreamId stream = 0; stream < channels_.size(); ++stream) {
    if (!channels_[stream].recorder) record(stream, true, nullptr);
    channels_[stream].recorder->joinTimeline(*timeline_, stream, ends_[stream].consumer);
  }
}

void Network::noteWait(const Context& context, Waiting reason, const Channel* channel, Cycles until) {
  Wait wait{context.now, until};
  if (channel) {
    wait.stream = channel->recorder->stream();
    if (reason == Waiting::ForSlot) {
      wait.handed = until - 1;  // slotReady() is a cycle after the token was taken
    } else {
      wait.handed =
          channel->empty() ? contexts_[ends_[wait.stream].producer].now : channel->recorder->headPushed();
    }
  }
  timeline_->waited(context.op_, stateOf(reason), wait);
}

/// In a deadlock, waits that never end; else a process that was stopped in the middle counts as done.
std::shared_ptr<const Timeline> Network::collectTimeline(SimulationResult& result) {
  for (const Context& context : contexts_) {
    if (context.done_ || !result.deadlock) timeline_->finished(context.op_, context.now);
  }
  if (result.deadlock) {
    for (const BlockedOperator& blocked : result.deadlock->blocked) {
      Wait wait{blocked.since, Wait::never};
      if (blocked.reason != WaitReason::Memory) wait.stream = blocked.stream;
      timeline_->waited(blocked.op, stateOf(contexts_[blocked.op].waiting_), wait);
    }
  }
  timeline_->nameTheRest([&](OperatorId op) {
    std::pair<StreamId, Cycles> last{Wait::any_stream, 0};
    for (const Channel* channel : contexts_[op].inputs_) {
      const StreamId stream = channel->recorder->stream();
      const Cycles ended = contexts_[ends_[stream].producer].now;
      if (last.first == Wait::any_stream || ended > last.second) last = {stream, ended};
    }
    return last;
  });
  std::vector<OccupancySeries> streams = result.occupancy;
  for (OccupancySeries& series : result.occupancy) series.decimate(StreamRecorder::max_samples);
  Cycles end = result.cycles;
  if (result.deadlock) end = std::max(end, result.deadlock->at + 1);
  return std::make_shared<const Timeline>(timeline_->take(std::move(streams), end));
}

}  // namespace sluice::inline simulator
