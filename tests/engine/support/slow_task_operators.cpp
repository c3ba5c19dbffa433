// Slow model: the tasks of tensor-level designs. A kernel is walked cycle by cycle, step by step by division.
#include <algorithm>
#include <deque>
#include <map>

#include "tests/engine/support/slow_operators.h"

namespace sluice::slow {
namespace {

using Ports = std::vector<std::size_t>;

std::uint64_t ceilOf(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

/// What a kernel does in which step.
class Steps {
 public:
  explicit Steps(const Replay& replay)
      : takes_(replay.list("takes")),
        gives_(replay.list("gives")),
        interval_(replay.natural("interval")),
        interval_steps_(replay.natural("interval_steps")) {
    for (const std::uint64_t tokens : takes_) count = std::max(count, tokens);
    for (const std::uint64_t tokens : gives_) count = std::max(count, tokens);
    std::uint64_t first = 0;
    while (!gives_.empty() && givenAt(first).empty()) ++first;
    depth = replay.natural("initial_delay") - start(first);
  }

  std::uint64_t count = 0;
  Cycles depth = 0;

  /// By the pipeline's clock, if nothing holds the kernel up.
  Cycles start(std::uint64_t step) const { return ceilOf(step * interval_, interval_steps_); }
  Ports takenAt(std::uint64_t step) const {
    Ports ports;
    for (std::size_t port = 0; port < takes_.size(); ++port)
      if (ceilOf((step + 1) * takes_[port], count) > ceilOf(step * takes_[port], count))
        ports.push_back(port);
    return ports;
  }
  Ports givenAt(std::uint64_t step) const {
    Ports ports;
    for (std::size_t port = 0; port < gives_.size(); ++port)
      if ((step + 1) * gives_[port] / count > step * gives_[port] / count) ports.push_back(port);
    return ports;
  }
  bool lastOf(std::size_t port, std::uint64_t step) const {
    return (step + 1) * gives_[port] / count == gives_[port];
  }

 private:
  std::vector<std::uint64_t> takes_, gives_;
  std::uint64_t interval_, interval_steps_;
};

struct Leaving {
  Cycles tick = 0;
  std::uint64_t step = 0;
};

class SlowKernel {
 public:
  explicit SlowKernel(Replay& replay) : replay_(replay), steps_(replay) {
    const auto sizes = replay.list("tile");
    for (std::size_t port = 0; port < replay.outputs(); ++port) {
      const std::size_t at = sizes.size() == 2 ? 0 : 2 * port;
      const std::string scalar = replay.choice("scalar");
      tiles_.push_back(
          tile(sizes.at(at), sizes.at(at + 1), scalar == "i8" ? 1 : elementBytes(replay, scalar)));
    }
    replay.count(replay.natural("flops"));
  }

  void run() {
    const bool drains = replay_.flag("flushable");
    for (; step_ < steps_.count || !inside_.empty(); ++time_) drains ? draining() : standing();
    replay_.setClock(last_);
    for (std::size_t port = 0; port < replay_.inputs(); ++port) {
      if (replay_.sentFor(port)) replay_.fail(port, "too many tokens");
      if (!replay_.ended(port)) replay_.waitFor({}, port);
    }
  }

 private:
  std::optional<std::size_t> missing() const {
    if (step_ == steps_.count) return {};
    for (const std::size_t port : steps_.takenAt(step_))
      if (!replay_.sentFor(port)) return port;
    return {};
  }

  /// A cycle of a kernel whose pipeline drains by itself.
  void draining() {
    if (const auto port = missing(); port && replay_.ended(*port)) replay_.fail(*port, "ended early");
    const bool leaves = !inside_.empty() && inside_.front().tick == clock_;
    if (leaves && !roomUntil(inside_.front(), time_)) return;  // stands still
    if (leaves) leave();
    if (step_ < steps_.count && clock_ >= next_) {
      Cycles arrival = 0;
      for (const std::size_t port : steps_.takenAt(step_)) {
        if (!replay_.sentFor(port)) runAhead();
        arrival = std::max(arrival, *replay_.sentFor(port));
      }
      if (arrival <= time_) take();
    }
    endCycle();
  }

  /// What has no way to go leaves in the cycle in which it came.
  void endCycle() {
    if (!inside_.empty() && inside_.front().tick == clock_)
      --time_;
    else
      ++clock_;
  }

  /// Whether all slots are there at `time`; waits for those that nobody knows of.
  bool roomUntil(const Leaving& leaving, Cycles time) {
    Cycles ready = 0;
    for (const std::size_t port : steps_.givenAt(leaving.step)) {
      if (!replay_.slotSince(port)) {
        replay_.setClock(time);
        replay_.waitFor(port, missing());
      }
      ready = std::max(ready, *replay_.slotSince(port));
    }
    return ready <= time;
  }

  /// The next step's input is not there yet: what is inside leaves all the same, as far as it can.
  [[noreturn]] void runAhead() {
    Cycles stood = time_ - clock_;
    Cycles earliest = next_ + stood;
    for (; !inside_.empty(); inside_.pop_front()) {
      const Cycles due = inside_.front().tick + stood;
      Cycles at = due;
      while (!roomUntil(inside_.front(), at)) ++at;
      time_ = at;
      if (due <= earliest) earliest += at - due;
      stood += at - due;
      send();
    }
    replay_.setClock(earliest);
    replay_.waitFor({}, missing());
  }

  void send() {
    for (const std::size_t port : steps_.givenAt(inside_.front().step)) {
      replay_.setClock(time_);
      replay_.enqueue(port, tiles_[port], steps_.lastOf(port, inside_.front().step) ? 1 : 0);
    }
    last_ = std::max(last_, time_);
  }
  void leave() {
    send();
    inside_.pop_front();
  }

  void take() {
    for (const std::size_t port : steps_.takenAt(step_)) {
      replay_.setClock(time_);
      replay_.dequeue(port);
    }
    last_ = std::max(last_, time_);
    if (!steps_.givenAt(step_).empty()) inside_.push_back({clock_ + steps_.depth, step_});
    next_ = clock_ + steps_.start(step_ + 1) - steps_.start(step_);
    ++step_;
  }

  /// A cycle of a kernel that stands still without input.
  void standing() {
    const bool due = step_ < steps_.count && clock_ >= next_;
    const bool leaves = !inside_.empty() && inside_.front().tick == clock_;
    replay_.setClock(time_);
    if (leaves)
      for (const std::size_t port : steps_.givenAt(inside_.front().step)) replay_.waitSlot(port);
    if (due) {
      for (const std::size_t port : steps_.takenAt(step_))
        if (!replay_.peek(port)) replay_.fail(port, "ended early");
    }
    time_ = replay_.now();
    if (leaves) leave();
    if (due) take();
    endCycle();
  }

  Replay& replay_;
  Steps steps_;
  std::vector<SlowValue> tiles_;
  std::deque<Leaving> inside_;
  Cycles time_ = 0, clock_ = 0, next_ = 0, last_ = 0;
  std::uint64_t step_ = 0;
};

void kernel(Replay& replay) {
  SlowKernel(replay).run();
}

/// Token by token: when the last `fill` tokens of a half were written, and its last token read.
void layoutConverter(Replay& replay) {
  const std::uint64_t iterations = replay.natural("iterations"), fill = replay.natural("fill"),
                      drain = replay.natural("drain");
  const auto sizes = replay.list("tile");
  const std::string scalar = replay.choice("scalar");
  std::vector<Cycles> written, read;  // when the next one may be
  const auto canFill = [&] {
    const std::uint64_t half = written.size() / fill;
    return half < iterations && (half < 2 || read.size() >= (half - 1) * drain);
  };
  const auto fillTime = [&] {
    const std::uint64_t half = written.size() / fill;
    Cycles time = written.empty() ? 0 : written.back();
    if (half >= 2 && written.size() % fill == 0) time = std::max(time, read[(half - 1) * drain - 1]);
    return time;
  };
  while (read.size() < iterations * drain) {
    const std::uint64_t half = read.size() / drain;
    const bool filled = written.size() >= (half + 1) * fill;
    if (canFill() && replay.ended(0)) replay.fail(0, "ended early");
    if (canFill() && replay.sentFor(0)) {
      replay.setClock(fillTime());
      replay.dequeue(0);
      written.push_back(replay.now() + replay.natural("fill_interval"));
      continue;
    }
    std::optional<std::size_t> full;
    for (std::size_t port = replay.outputs(); filled && port-- > 0;)
      if (!replay.slotSince(port)) full = port;
    Cycles drain_time = read.empty() ? 0 : read.back();
    if (filled) drain_time = std::max(drain_time, written[(half + 1) * fill - 1]);
    replay.setClock(filled ? drain_time : fillTime());
    if (full || !filled) replay.waitFor(full, canFill() ? std::optional<std::size_t>(0) : std::nullopt);
    for (std::size_t port = 0; port < replay.outputs(); ++port) replay.waitSlot(port);
    for (std::size_t port = 0; port < replay.outputs(); ++port) {
      const std::size_t at = sizes.size() == 2 ? 0 : 2 * port;
      replay.enqueue(port,
                     tile(sizes.at(at), sizes.at(at + 1), scalar == "i8" ? 1 : elementBytes(replay, scalar)),
                     read.size() + 1 == iterations * drain ? 1 : 0);
    }
    read.push_back(replay.now() + replay.natural("drain_interval"));
  }
  replay.setClock(read.back());
  if (replay.sentFor(0)) replay.fail(0, "too many tokens");
  if (!replay.ended(0)) replay.waitFor({}, 0);
}

}  // namespace

Procedure taskProcedure(const std::string& kind) {
  static const std::map<std::string, Procedure> procedures = {{"Kernel", kernel},
                                                              {"LayoutConverter", layoutConverter}};
  const auto found = procedures.find(kind);
  return found == procedures.end() ? nullptr : found->second;
}

}  // namespace sluice::slow
