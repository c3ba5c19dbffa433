#pragma once
// Process: one operator instance as a C++20 coroutine with its own clock. Context is what its code sees: its
// ports, its clock, and the few awaitable steps of semantics.md 3. A step that need not wait does not
// suspend; its code is forced inline, because it is what the simulator spends its time on.
//
//   simulator::Process negate(simulator::Context& me) {
//     while (simulator::Token x = co_await me.peek(me.in(0))) {   // false: the stream has closed
//       me.advance(1);                                      // busy for a cycle
//       co_await me.push(me.out(0), x);                     // may wait for a slot
//       me.take(me.in(0));                                  // frees the slot of x
//     }
//   }

#include <coroutine>
#include <exception>
#include <limits>
#include <memory>
#include <memory_resource>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/core/checked.h"
#include "engine/core/diagnostic.h"
#include "engine/simulator/bank_memory.h"
#include "engine/simulator/channel.h"

namespace sluice::inline simulator {

class Network;
class Context;

/// A coroutine whose parameters include its Context.
class Process {
 public:
  struct promise_type {
    Process get_return_object() { return Process(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { failure = std::current_exception(); }
    /// From the network's arena: thousands of processes come and go together, and neighbours lie together.
    template <class... Arguments>
    static void* operator new(std::size_t bytes, Arguments&... arguments) {
      return arenaOf(arguments...).allocate(bytes);
    }
    static void operator delete(void*, std::size_t) {}
    std::exception_ptr failure;

   private:
    template <class First, class... Others>
    static std::pmr::memory_resource& arenaOf(First& first, Others&... others) {
      if constexpr (std::is_same_v<First, Context>)
        return arenaOf(first);
      else
        return arenaOf(others...);
    }
    static std::pmr::memory_resource& arenaOf(Context& context);
  };
  using Handle = std::coroutine_handle<promise_type>;

  Process() = default;
  explicit Process(Handle handle) : handle_(handle) {}
  Process(Process&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Process& operator=(Process&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Process() {
    if (handle_) handle_.destroy();
  }

  /// Runs until the process blocks or ends: then true. An exception in its code (a bug) comes out here.
  bool resume() {
    handle_.resume();
    if (!handle_.done()) [[likely]]
      return false;
    if (handle_.promise().failure) std::rethrow_exception(handle_.promise().failure);
    return true;
  }
  /// It will be resumed soon.
  void prefetch() const {
    const char* const frame = static_cast<const char*>(handle_.address());
    __builtin_prefetch(frame);
    __builtin_prefetch(frame + 64);
    __builtin_prefetch(frame + 128);
  }

 private:
  Handle handle_;
};

enum class Waiting : std::uint8_t { No, ForToken, ForSlot, ForMemory, ForEvent, ForUnit };

/// Processes that can run again, the last one first. Each is on it once at most, so they are linked.
class ReadyStack {
 public:
  bool empty() const { return !top_; }
  inline void push(Context& context);
  inline Context& pop();

 private:
  Context* top_ = nullptr;
};

class alignas(64) Context {
 public:
  /// `ready`: where processes go that can run again. `arena`: for what lives as long as the network.
  Context(Network& network, OperatorId op, ReadyStack& ready, std::pmr::memory_resource& arena)
      : ready_(ready), inputs_(&arena), outputs_(&arena), network_(network), op_(op) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  Cycles now = 0;

  /// The clock follows to `follow` unless it has been there: `channel` is what is waited for. Only who
  /// gathers from several channels at once (Reassemble) calls it itself; peek() and slot() do what a wait for
  /// one does.
  void follow(Cycles follow, const Channel& channel);
  /// Whether, at this clock, what carries `follow` shows to one that looks without waiting (EagerMerge).
  bool sees(Cycles follow) const { return follow <= std::max(now, waited_); }
  /// It has looked again at a later clock, which is a wait.
  void lookedAgain() { waited_ = std::max(waited_, now); }
  /// For operators with two activities: each has a clock of its own, so they follow no process and none
  /// follows them.
  void followNobody() { waited_ = nobody; }

  Channel& in(std::size_t port) { return *inputs_[port]; }
  Channel& out(std::size_t port) { return *outputs_[port]; }
  std::size_t inputs() const { return inputs_.size(); }
  std::size_t outputs() const { return outputs_.size(); }

  /// Busy for `cycles`.
  [[gnu::always_inline]] void advance(Cycles cycles) {
    if (!addWithin<count_bits>(now, cycles)) [[unlikely]]
      return failBeyond("cycles");
    busy_ += cycles;
  }
  /// Operations and traffic of the operator. They stay within 62 bits, as do clocks; else the run fails.
  void countFlops(Flops more) {
    if (!addWithin<count_bits>(flops, more)) [[unlikely]]
      failBeyond("floating-point operations");
  }
  void countTraffic(Bytes more) {
    if (!addWithin<count_bits>(off_chip_bytes, more)) [[unlikely]]
      failBeyond("bytes of off-chip traffic");
  }
  /// The clock reaches `time` by waiting for something that only that much time brings.
  void advanceTo(Cycles time) {
    if (time > now) busy_ += time - now, now = time;
  }

  struct Peek;
  struct Slot;
  struct Slots;
  struct Push;
  struct Memory;
  struct Answer;
  struct Work;
  struct Queued;
  struct Poll;
  struct Either;
  /// The head of `channel`, still in its slot; false when the stream has closed. Clock: at least its arrival.
  Peek peek(Channel& channel);
  /// Takes the head, that was peeked; its slot is free from now on.
  Token take(Channel& channel);
  /// Waits for a token to be queued, now or in the future, without moving the clock. False: closed.
  Queued queued(Channel& channel);
  /// Waits for a free slot without using it.
  Slot slot(Channel& channel);
  /// Waits for a free slot in an output, in the order of the outputs, as slot() does; true: all have one.
  Slots slotInAll();
  /// For operators with two activities of their own clocks, filling and draining: waits until `in` has a
  /// token (or is closed) or `out` has a slot, without moving the clock. Null: not waited for.
  Either either(Channel* in, Channel* out);
  /// Pushes; visible at max(stamp, clock + 1), the clock after waiting for a slot. Without a stamp: the clock
  /// of the call.
  Push push(Channel& channel, const Token& token, Cycles stamp);
  Push push(Channel& channel, const Token& token);
  /// The same where slot() has waited.
  void put(Channel& channel, const Token& token, Cycles stamp = 0);
  /// The same of every output, where slotInAll() has waited.
  void putInAll(const Token& token);
  /// Moves `requests` memory requests through the operator's port and waits for the last response
  /// (semantics.md 6.1).
  Memory memory(std::uint64_t requests);
  /// The same in two steps, so that several runs can be under way: issues the requests, behind those issued
  /// before; waits for the last response of the oldest run that was not waited for, and returns its time.
  void request(std::uint64_t requests);
  Answer answer();

  /// Busy for `cycles`. Where operators share the units of on-chip memory (Machine::scratchpads), the work
  /// begins when the unit is free for the `moving` cycles in which tiles move, and takes as long at least.
  Work work(Cycles cycles, Cycles moving);
  Work work(Cycles cycles, Cycles moving, std::uint32_t where);
  /// The on-chip memory unit that the operator's own tiles are in.
  std::uint32_t unit() const { return unit_; }
  bool sharesUnits() const { return shares_units_; }

  /// For operators that watch several inputs at once (semantics.md 4): waits until everything that happens
  /// before the time it returns at has happened, then resumes with the clock at the first moment when
  /// something may have changed, at most `deadline`. `idle`: since the poll before, nothing was done but
  /// looking. Before the deadline it is resumed only if something has come to an input since.
  Poll poll(Cycles deadline, bool idle);

  /// Before a token is emitted `copies` times instead of once (0: it is dropped): keeps count of who refers
  /// to its group.
  void share(const Token& token, std::uint64_t copies) {
    if (token.kind == TokenKind::Buffer || token.kind == TokenKind::Tuple) shareGroup(token, copies);
  }
  /// A new group with one user.
  Group* newGroup();
  /// An interned selector.
  const Selector* selector(std::vector<std::uint32_t> indices, std::uint32_t width);

  /// A token that the operator cannot accept: the simulation ends with this fault. The process must co_return
  /// after it.
  [[gnu::cold]] void fail(Code code, std::uint32_t input_port, std::string cause, std::string fix);

 private:
  friend class Network;
  friend class ReadyStack;
  friend struct Process::promise_type;

  static constexpr unsigned count_bits = 62;  ///< so that sums of two of them fit 63
  [[gnu::cold]] void failBeyond(const char* what);
  void waitFor(Waiting reason, Channel* channel) { waiting_ = reason, waiting_on_ = channel; }

  /// As the last wait of a process that follows none: no `follow` is later, and its own, a cycle later, is
  /// 0.
  static constexpr Cycles nobody = std::numeric_limits<Cycles>::max();

  /// It waits for what carries `follow`; afterwards a clock that has to catch up does so.
  [[gnu::always_inline]] void observe(Cycles follow) {
    if (follow > waited_) waited_ = std::max(now, follow);
  }
  /// Of the next token, which is free.
  [[gnu::always_inline]] void seeSlot(Channel& channel) {
    if (channel.recorder) [[unlikely]]
      channel.recorder->asked({now, waited_}, channel.sent());
    if (!channel.slotFreed()) return;
    const FreedSlot& freed = channel.freedSlot();
    const Cycles ready = freed.at + 1;  // the response takes a cycle
    observe(freed.follow);
    if (ready > now) {
      if (recorded_) [[unlikely]]
        noteWait(Waiting::ForSlot, &channel, ready);
      blocked_on_output_ += ready - now, now = ready;
    }
  }
  /// What its tokens, slots and ends carry.
  Cycles ownFollow() const { return waited_ + 1; }

  // In the order of their use, as in Channel.
  Cycles waited_ = 0;  ///< clock when it last waited
  Cycles busy_ = 0, blocked_on_input_ = 0, blocked_on_output_ = 0;
  Process process_;
  Channel* waiting_on_ = nullptr;
  Waiting waiting_ = Waiting::No;  ///< while it waits, or when it last did
  bool shares_units_ = false;
  bool done_ : 1 = false;
  bool recorded_ : 1 = false;  ///< waits go to the timeline
  bool either_ = false;        ///< is in either()
  std::uint32_t unit_ = 0;
  ReadyStack& ready_;
  Context* below_ = nullptr;  ///< it, on the stack of those that can run again
  std::pmr::vector<Channel*> inputs_, outputs_;

 public:
  Flops flops = 0;
  std::uint64_t switches = 0;  ///< as in OperatorStats
  Bytes off_chip_bytes = 0;
  Access access;  ///< where the next memory requests go; only a memory with banks asks

 private:
  Network& network_;
  OperatorId op_;
  std::uint32_t memory_port_ = 0;
  std::vector<Cycles> answers_;  ///< of memory, not yet seen
  Cycles answer_lead_ =
      0;  ///< the memory controller last waited so long before (Machine::hbm_controller_wait)
  Cycles blocked_on_unit_ = 0;
  Cycles granted_ = 0;                   ///< when the unit that was waited for is free
  Cycles polls_since_ = 0;               ///< clock of the first look after the last thing it did
  MemoryTrace* memory_trace_ = nullptr;  ///< what memory answers is written here
  const MemoryTrace* script_ = nullptr;  ///< what memory answered an earlier run, and now
  std::size_t scripted_ = 0;             ///< how much of it has been asked for
  Channel* either_in_ = nullptr;         ///< the two channels that either() is registered at
  Channel* either_out_ = nullptr;

  /// The clock goes on to `until` by waiting; in a recorded run that is reported.
  [[gnu::cold]] void noteWait(Waiting reason, const Channel* channel, Cycles until);
  Cycles seeAnswer() {
    waiting_ = Waiting::No;  // what it asks for next must not take it for one that waits for this
    const Cycles time = answers_.front();
    answers_.size() == 1 ? answers_.clear() : void(answers_.erase(answers_.begin()));
    if (recorded_) [[unlikely]]
      noteWait(Waiting::ForMemory, nullptr, time);
    waited_ = std::max({waited_, now, time - answer_lead_});
    advanceTo(time);
    return time;
  }
  void granted() {
    if (recorded_) [[unlikely]]
      noteWait(Waiting::ForUnit, nullptr, granted_);
    if (granted_ > now) blocked_on_unit_ += granted_ - now, now = granted_;
  }
  [[gnu::always_inline]] void wake(Context*& waiter) {
    Context& woken = *std::exchange(waiter, nullptr);
    woken.process_.prefetch();
    if (woken.either_) [[unlikely]]
      woken.leaveEither();
    ready_.push(woken);
  }
  [[gnu::cold]] void leaveEither();
  void shareGroup(const Token& token, std::uint64_t copies);
};

struct Context::Peek {
  Context& me;
  Channel& channel;
  [[gnu::always_inline]] bool await_ready() const { return !channel.empty() || channel.closed(); }
  void await_suspend(std::coroutine_handle<>) const {
    channel.waiting_receiver = &me;
    me.waitFor(Waiting::ForToken, &channel);
  }
  [[gnu::always_inline]] Token await_resume() const {
    if (channel.recorder) [[unlikely]]
      channel.recorder->looked({me.now, me.waited_}, channel.received());
    if (channel.empty()) [[unlikely]] {
      me.follow(channel.headFollow(), channel);
      return Token{};
    }
    me.observe(channel.headFollow());
    const Cycles time = channel.headArrival();
    if (time > me.now) {
      if (me.recorded_) [[unlikely]]
        me.noteWait(Waiting::ForToken, &channel, time);
      me.blocked_on_input_ += time - me.now, me.now = time;
    }
    return channel.head();
  }
};

struct Context::Queued {
  Context& me;
  Channel& channel;
  [[gnu::always_inline]] bool await_ready() const { return !channel.empty() || channel.closed(); }
  void await_suspend(std::coroutine_handle<>) const {
    channel.waiting_receiver = &me;
    me.waitFor(Waiting::ForToken, &channel);
  }
  bool await_resume() const { return !channel.empty(); }
};

struct Context::Slot {
  Context& me;
  Channel& channel;
  [[gnu::always_inline]] bool await_ready() const { return !channel.full(); }
  void await_suspend(std::coroutine_handle<>) const {
    channel.waiting_sender = &me;
    me.waitFor(Waiting::ForSlot, &channel);
  }
  [[gnu::always_inline]] void await_resume() const { me.seeSlot(channel); }
};

struct Context::Slots {
  Context& me;
  Channel* full = nullptr;
  [[gnu::always_inline]] bool await_ready() {
    for (Channel* const channel : me.outputs_) {
      if (channel->full()) {
        full = channel;
        return false;
      }
      me.seeSlot(*channel);
    }
    return true;
  }
  void await_suspend(std::coroutine_handle<> handle) const { Slot{me, *full}.await_suspend(handle); }
  [[gnu::always_inline]] bool await_resume() const { return !full; }
};

struct Context::Either {
  Context& me;
  Channel* in;
  Channel* out;
  bool await_ready() const { return (in && (!in->empty() || in->closed())) || (out && !out->full()); }
  void await_suspend(std::coroutine_handle<>) const {
    if (in) in->waiting_receiver = &me;
    if (out) out->waiting_sender = &me;
    me.either_ = true, me.either_in_ = in, me.either_out_ = out;
    me.waitFor(out ? Waiting::ForSlot : Waiting::ForToken, out ? out : in);
  }
  void await_resume() const {}
};

struct Context::Push {
  Slot slot;
  const Token& token;  ///< lives until the end of the co_await expression
  Cycles stamp;
  [[gnu::always_inline]] bool await_ready() const { return slot.await_ready(); }
  void await_suspend(std::coroutine_handle<> handle) const { slot.await_suspend(handle); }
  [[gnu::always_inline]] void await_resume() const {
    slot.await_resume();
    slot.me.put(slot.channel, token, stamp);
  }
};

struct Context::Memory {
  Context& me;
  std::uint64_t requests;
  bool await_ready() const { return requests == 0; }
  void await_suspend(std::coroutine_handle<>) const;
  void await_resume() const {
    if (requests > 0) me.seeAnswer();
  }
};

struct Context::Answer {
  Context& me;
  bool await_ready() const { return !me.answers_.empty(); }
  void await_suspend(std::coroutine_handle<>) const { me.waitFor(Waiting::ForMemory, nullptr); }
  Cycles await_resume() const { return me.seeAnswer(); }
};

struct Context::Work {
  Context& me;
  Cycles cycles, moving;
  std::uint32_t unit;
  [[gnu::always_inline]] bool await_ready() const { return !me.shares_units_ || moving == 0; }
  void await_suspend(std::coroutine_handle<>) const;
  [[gnu::always_inline]] void await_resume() const {
    if (me.shares_units_) [[unlikely]] {
      if (moving > 0) me.granted();
      return me.advance(std::max(cycles, moving));
    }
    me.advance(cycles);
  }
};

struct Context::Poll {
  Context& me;
  Cycles deadline;
  bool idle;
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<>) const;
  void await_resume() const {}
};

inline void ReadyStack::push(Context& context) {
  context.below_ = std::exchange(top_, &context);
}
inline Context& ReadyStack::pop() {
  return *std::exchange(top_, top_->below_);
}

inline std::pmr::memory_resource& Process::promise_type::arenaOf(Context& context) {
  return *context.inputs_.get_allocator().resource();
}

inline Context::Peek Context::peek(Channel& channel) {
  return {*this, channel};
}
inline Context::Queued Context::queued(Channel& channel) {
  return {*this, channel};
}
inline Context::Slot Context::slot(Channel& channel) {
  return {*this, channel};
}
inline Context::Slots Context::slotInAll() {
  return {*this};
}
inline Context::Either Context::either(Channel* in, Channel* out) {
  return {*this, in, out};
}
inline Context::Push Context::push(Channel& channel, const Token& token, Cycles stamp) {
  return {{*this, channel}, token, stamp};
}
inline Context::Push Context::push(Channel& channel, const Token& token) {
  return {{*this, channel}, token, now};
}
inline Context::Work Context::work(Cycles cycles, Cycles moving) {
  return {*this, cycles, moving, unit_};
}
inline Context::Work Context::work(Cycles cycles, Cycles moving, std::uint32_t where) {
  return {*this, cycles, moving, where};
}
inline Context::Poll Context::poll(Cycles deadline, bool idle) {
  return {*this, deadline, idle};
}
inline Context::Memory Context::memory(std::uint64_t requests) {
  return {*this, requests};
}
inline Context::Answer Context::answer() {
  return {*this};
}

[[gnu::always_inline]] inline void Context::put(Channel& channel, const Token& token, Cycles stamp) {
  channel.push(token, now, std::max(stamp, now + 1), ownFollow());
  if (channel.waiting_receiver) wake(channel.waiting_receiver);
}

[[gnu::always_inline]] inline void Context::putInAll(const Token& token) {
  for (Channel* const channel : outputs_) put(*channel, token);
}

[[gnu::always_inline]] inline Token Context::take(Channel& channel) {
  const Token token = channel.head();
  channel.take({now, ownFollow()});
  if (channel.waiting_sender) wake(channel.waiting_sender);
  return token;
}

}  // namespace sluice::inline simulator
