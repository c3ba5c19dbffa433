// Networks that write traces, and parts of networks that run between them.

#include "engine/simulator/network.h"

namespace sluice::inline simulator {

void Network::trace(std::span<StreamTrace> streams, std::span<MemoryTrace> memory) {
  for (StreamId stream = 0; stream < channels_.size(); ++stream) {
    if (!channels_[stream].recorder) record(stream, false, nullptr);
    channels_[stream].recorder->joinTrace(streams[stream]);
  }
  for (Context& context : contexts_) context.memory_trace_ = &memory[context.op_];
}

Channel& Network::addSource(std::span<const SentToken> sent, std::span<FreedSlot> taken,
                            Cycles close_follow) {
  ends_.push_back({});
  Channel& channel = channels_.emplace_back(sent, taken);
  channel.close(close_follow);
  return channel;
}

Channel& Network::addSink(std::uint64_t depth, std::span<SentToken> sent, std::span<const FreedSlot> taken) {
  ends_.push_back({});
  return channels_.emplace_back(depth, sent, taken);
}

void Network::answerFrom(OperatorId op, const MemoryTrace& script) {
  contexts_[op].script_ = &script;
}

void Network::answerFromScript(Context& context, std::uint64_t requests) {
  const std::vector<MemoryTrace::Run>& runs = context.script_->runs;
  const std::size_t next = context.scripted_++;
  if (next >= runs.size() || runs[next].issued != context.now || runs[next].requests != requests) {
    other_requests_ = true;  // it waits for ever
    return;
  }
  context.answers_.push_back(runs[next].answered);
  if (context.waiting_ == Waiting::ForMemory && context.answers_.size() == 1) ready_.push(context);
}

}  // namespace sluice::inline simulator
