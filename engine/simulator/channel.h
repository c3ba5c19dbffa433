#pragma once
// Channel: a bounded FIFO between two processes with their own clocks, as in the Dataflow Abstract Machine
// (semantics.md 2).
//
//   sender                                   receiver
//   slot:    blocks while capacity tokens    peek: blocks while empty; clock = max(clock, arrival)
//            are in the FIFO; clock =        take: the slot becomes free at the receiver's clock
//            max(clock, time freed + 1)
//   push:    arrival = max(stamp, clock + 1)
//
// Beside its clock every process has the clock at which it last waited. A process that waits for another
// follows it no further than to the cycle after that one's last wait: `follow`, which goes with tokens, freed
// slots and the end of a stream (exact_timing.md). 0: it is not followed.
//
// Only simulated times decide anything: results do not depend on the order in which processes are resumed.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/units.h"
#include "engine/simulator/recorder.h"
#include "engine/simulator/token.h"
#include "engine/simulator/trace.h"

namespace sluice::inline simulator {

class Context;

class alignas(64) Channel {
 public:
  static constexpr std::size_t max_levels = 16;  ///< deeper stop levels count as the last

  // The process that waits here; the other side wakes it. At most one each, as both ends are single.
  Context* waiting_sender = nullptr;
  Context* waiting_receiver = nullptr;
  StreamRecorder* recorder = nullptr;

  using Slot = SentToken;

  explicit Channel(std::uint64_t capacity) : capacity_(capacity) {
    const std::uint64_t size = std::bit_ceil(std::min<std::uint64_t>(capacity, 16));
    if (size > few_slots_.size()) {
      slots_.resize(size), freed_.resize(size);
      slot_ = slots_.data(), freed_at_ = freed_.data();
    } else {
      slot_ = few_slots_.data(), freed_at_ = few_freed_.data();
    }
    slot_mask_ = freed_mask_ = size - 1;
  }
  /// All tokens of an earlier run, to be taken again; `taken`: room for when each of them is.
  Channel(std::span<const Slot> sent, std::span<FreedSlot> taken)
      : sent_(sent.size()),
        capacity_(sent.size() + 1),
        slot_(const_cast<Slot*>(sent.data())),
        freed_at_(taken.data()) {
    slot_mask_ = freed_mask_ = everything;  // nothing is pushed: the slots are only read
  }
  /// A sender alone: token k is taken at taken[k], as in an earlier run. `sent` has room for what can be
  /// sent.
  Channel(std::uint64_t capacity, std::span<Slot> sent, std::span<const FreedSlot> taken)
      : received_(sent.size() - capacity),  // full() once all of `sent` is used
        capacity_(capacity),
        slot_(sent.data()),
        freed_at_(const_cast<FreedSlot*>(taken.data())) {
    slot_mask_ = freed_mask_ = everything;  // nothing is taken: the times are only read
  }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  bool empty() const { return sent_ == received_; }
  bool full() const { return sent_ - received_ == capacity_; }
  bool closed() const { return closed_; }
  std::uint64_t sent() const { return sent_; }
  std::uint64_t received() const { return received_; }
  std::uint64_t capacity() const { return capacity_; }
  const std::array<std::uint64_t, max_levels>& levels() const { return levels_; }

  /// Arrival time of the head; not empty.
  Cycles headArrival() const { return slot_[received_ & slot_mask_].arrival; }
  const Token& head() const { return slot_[received_ & slot_mask_].token; }
  /// How far who waits for the head, or for the end when it is empty, follows the sender.
  Cycles headFollow() const { return empty() ? close_follow_ : slot_[received_ & slot_mask_].follow; }

  /// Whether the slot for the next token held one before; not full.
  bool slotFreed() const { return sent_ >= capacity_; }
  const FreedSlot& freedSlot() const { return freed_at_[(sent_ - capacity_) & freed_mask_]; }

  [[gnu::always_inline]] void push(const Token& token, Cycles sender_clock, Cycles arrival, Cycles follow) {
    if (sent_ - received_ > slot_mask_) [[unlikely]]
      growSlots();
    Slot& slot = slot_[sent_ & slot_mask_];
    slot.arrival = arrival;
    slot.follow = follow;
    slot.token = token;
    ++sent_;
    ++levels_[std::min<std::size_t>(token.stop, max_levels - 1)];
    if (recorder) [[unlikely]]
      recorder->enqueued(sender_clock, slot);
  }

  [[gnu::always_inline]] void take(FreedSlot freed) {
    if (received_ > freed_mask_ && freed_mask_ + 1 < capacity_) [[unlikely]]
      growFreed();
    freed_at_[received_ & freed_mask_] = freed;
    ++received_;
    if (recorder) [[unlikely]]
      recorder->dequeued(freed);
  }

  void close(Cycles follow) {
    closed_ = true;
    close_follow_ = follow;
  }

  /// How many tokens were taken before `time`; exact as far back as the capacity reaches. Mostly that is near
  /// the last one: looked for in steps that double, then between the last two.
  std::uint64_t takenBefore(Cycles time) const {
    std::uint64_t low = received_ > capacity_ ? received_ - capacity_ : 0, high = received_;
    const auto later = [&](std::uint64_t token) { return freed_at_[token & freed_mask_].at >= time; };
    for (std::uint64_t step = 1; high > low; step *= 2) {
      const std::uint64_t token = high - std::min(step, high - low);
      if (!later(token)) {
        low = token + 1;
        break;
      }
      high = token;
    }
    while (high > low) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (later(middle))
        high = middle;
      else
        low = middle + 1;
    }
    return high;
  }

 private:
  static constexpr std::uint64_t everything =
      ~std::uint64_t{0};  ///< a mask: the ring is as long as the stream

  // Out of line: who pushes and takes is short, so that it is a part of every operator's code.
  [[gnu::noinline, gnu::cold]] void growSlots() {
    std::vector<Slot> grown(slots_.size() * 2);
    for (std::uint64_t i = received_; i < sent_; ++i) grown[i & (grown.size() - 1)] = slots_[i & slot_mask_];
    slots_ = std::move(grown);
    slot_ = slots_.data(), slot_mask_ = slots_.size() - 1;
  }
  /// Before the ring has wrapped once, growing keeps every entry where it is.
  [[gnu::noinline, gnu::cold]] void growFreed() {
    freed_.resize(freed_.size() * 2);
    freed_at_ = freed_.data(), freed_mask_ = freed_.size() - 1;
  }

  // In the order of their use, as are the waiters before them: a simulation goes round many channels, and
  // what it takes is mostly cache misses. A hop over a FIFO of one token meets three cache lines: with the
  // waiters, with what is freed, and with the slot.
  std::uint64_t sent_ = 0, received_ = 0, capacity_ = 1;
  Slot* slot_ = nullptr;  ///< the ring, and its size - 1: the hot path does without vector::size()
  FreedSlot* freed_at_ = nullptr;
  std::uint64_t slot_mask_ = 0, freed_mask_ = 0;
  bool closed_ = false;
  std::array<FreedSlot, 2> few_freed_{};
  std::array<std::uint64_t, max_levels> levels_{};  ///< tokens by stop level
  Cycles close_follow_ = 0;
  std::array<Slot, 2> few_slots_;  ///< of a short FIFO
  std::vector<Slot> slots_;        ///< ring, grows up to the capacity: a deep, empty FIFO costs nothing
  std::vector<FreedSlot> freed_;   ///< ring: when each of the last `capacity` tokens was taken
};

}  // namespace sluice::inline simulator
