#include "engine/simulator/memory.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sluice::sim {

namespace {

constexpr std::size_t logged = 128;             ///< stretches kept until every run is brought up to date
constexpr std::size_t patternBytes = 16 << 20;  ///< of all patterns, before they are forgotten
constexpr std::uint64_t maxPatternRequests = 4096;
constexpr double maxPatternCycles = 512;  ///< channels and, outside reference mode, start-up

/// The largest of non-negative numbers. Eight at a time, because one maximum has to wait for the other.
double largest(const double* numbers, std::size_t count) {
  std::array<double, 8> lanes{};
  std::size_t i = 0;
  for (; i + lanes.size() <= count; i += lanes.size()) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
      lanes[lane] = std::max(lanes[lane], numbers[i + lane]);
  }
  for (; i < count; ++i) lanes[0] = std::max(lanes[0], numbers[i]);
  return *std::max_element(lanes.begin(), lanes.end());
}

}  // namespace

Hbm::Hbm(const HbmConfig& config)
    : config_(config),
      channels_(config.channels),
      interval_(static_cast<double>(config.initiation_interval)),
      idle_extra_(config.reference ? 0 : static_cast<double>(config.start_up)),
      service_(std::max<Cycles>(config.latency + (config.reference ? config.start_up : 0), 1)),
      backlogs_((static_cast<double>(channels_) > maxPatternCycles ? 1 : logged + 1) * channels_),
      scratch_(channels_),
      order_(channels_, config.reference) {}

std::uint32_t Hbm::addPort(std::uint64_t groups_of) {
  ports_.emplace_back().group = groups_of;
  return static_cast<std::uint32_t>(ports_.size() - 1);
}

void Hbm::issue(std::uint32_t port, std::uint64_t requests, Cycles clock) {
  ++outstanding_;
  requests_ += requests;
  Port& p = ports_[port];
  if (std::exchange(p.sends, true)) {
    p.waiting.push_back({requests, clock});
    return;
  }
  Run run;
  run.port = port;
  run.left = requests;
  run.event = clock + 1;  // sent at the clock, visible one cycle later
  const auto later = [](std::uint32_t a, const Run& b) { return a < b.port; };
  runs_.insert(std::upper_bound(runs_.begin(), runs_.end(), port, later), run);
  next_event_ = std::min(next_event_, run.event);
}

Cycles Hbm::advance(std::vector<std::uint32_t>& completed, Cycles until) {
  for (;;) {
    if (next_event_ <= cycle_) update();
    // Whoever sees its answer at time c can issue something that the controller takes at c + 1, no earlier.
    const Cycles limit = std::min(until, completions_.empty() ? never : completions_.top().time);
    if (runs_.empty() || next_event_ > limit) break;  // what is sent stays the same: settled later
    proceed();
  }
  if (completions_.empty() || completions_.top().time > until) return until;
  const Cycles time = completions_.top().time;
  while (!completions_.empty() && completions_.top().time == time) {
    completed.push_back(completions_.top().port);
    completions_.pop();
    --outstanding_;
  }
  return time;
}

/// To the next event, or one cycle of requests too many for a table.
void Hbm::proceed() {
  Cycles end = next_event_;
  if (per_cycle_ == 0) {
    decay(end - cycle_);
  } else if (wide()) {
    stepCycle();
    end = cycle_ + 1;
  } else {
    stretch(end - cycle_);
  }
  cycle_ = end;
}

/// Runs with an event now begin, change or end.
void Hbm::update() {
  std::size_t kept = 0;
  next_event_ = never;
  for (Run& run : runs_) {
    bool sends = true;
    while (sends && run.event <= cycle_) sends = step(run);
    if (!sends) continue;
    next_event_ = std::min(next_event_, run.event);
    if (&run != &runs_[kept]) runs_[kept] = run;
    ++kept;
  }
  runs_.resize(kept);
  listSenders();
}

void Hbm::listSenders() {
  senders_at_ = senders_.size();
  per_cycle_ = 0;
  for (const Run& run : runs_) {
    if (run.now > 0) senders_.push_back({run.port, per_cycle_}), per_cycle_ += run.now;
  }
  senders_.push_back({std::numeric_limits<std::uint32_t>::max(), per_cycle_});
}

/// The next phase of a run: its full groups, then the rest of one, then the port's next run. False: the port
/// has none. It sees the last response a cycle after that reaches the controller.
bool Hbm::step(Run& run) {
  Port& port = ports_[run.port];
  if (run.left == 0) {
    resolve(run);
    port.answered = std::max(port.answered, run.last_start + service_ + 1);
    completions_.push({port.answered, run.port});
    port.sends = !port.waiting.empty();
    if (!port.sends) return false;
    run = {run.port, 0, 0, port.waiting.front().requests, port.waiting.front().clock + 1, 0};
    port.waiting.pop_front();
    return true;
  }
  if (run.now == 0) run.since = static_cast<std::uint32_t>(log_.size());
  const std::uint64_t group = port.group;
  const std::uint64_t full = group == 1 ? run.left : run.left / group;
  run.now = full > 0 ? group : run.left;
  const std::uint64_t cycles = std::max<std::uint64_t>(full, 1);
  run.left -= run.now * cycles;
  run.event = cycle_ + cycles;
  return true;
}

/// Of one position in the pattern, the last service starts last, so that only the last period decides when a
/// run completes: the log keeps the state before it. (Where an idle channel answers later than a busy one,
/// that many cycles more: a later service at the same position, then, has started even later.)
void Hbm::stretch(std::uint64_t cycles) {
  if (log_.size() == logged) clearLog();
  DispatchPattern& p = pattern();
  const std::uint64_t last = std::min(cycles, p.period() + static_cast<std::uint64_t>(idle_extra_));
  const std::uint64_t before = cycles - last;
  if (before > 0) {
    pass(p, before / p.period(), before % p.period());
    rotate(p.moved(before % p.period()), backlog());
  }
  pass(p, 0, last);
  log_.push_back({cycle_ + before, last, &p, senders_at_, senders_.size() - 1});
  rotate(p.moved(last), backlog());
}

/// The backlogs after `periods` and `rest` cycles, into scratch_; in it the channels are not renumbered. The
/// map of a period iterates in closed form: max(y + q busy, idle + (q - 1) max(busy, length)) after q of
/// them.
void Hbm::pass(DispatchPattern& p, std::uint64_t periods, std::size_t rest) {
  const double* const in = backlog();
  double* const out = scratch_.data();
  if (periods == 0) {
    const double elapsed = static_cast<double>(rest);
    const float *const busy = p.after(rest), *const idle = busy + channels_;
    for (std::size_t c = 0; c < channels_; ++c) {
      const double b = busy[c], i = idle[c];
      out[c] = std::max(std::max(in[c] + b, i) - elapsed, 0.0);
    }
    return;
  }
  const float *const busy = p.after(p.period()), *const idle = busy + channels_;
  const float *const rest_busy = p.after(rest), *const rest_idle = rest_busy + channels_;
  const double q = static_cast<double>(periods), length = static_cast<double>(p.period());
  const double elapsed = q * length + static_cast<double>(rest);
  for (std::size_t c = 0; c < channels_; ++c) {
    const double b = busy[c], i = idle[c], rest_b = rest_busy[c], rest_i = rest_idle[c];
    const double whole = std::max(in[c] + q * b, i + (q - 1) * std::max(b, length));
    out[c] = std::max(std::max(whole + rest_b, q * length + rest_i) - elapsed, 0.0);
  }
}

/// More requests each cycle than a pattern's table is made for: one by one.
void Hbm::stepCycle() {
  clearLog();
  order_.extend(per_cycle_);
  double* const y = backlog();
  std::uint64_t position = 0;
  for (Run& run : runs_) {
    for (std::uint64_t k = run.now; k > 0; --k, ++position) {
      double& wait = y[order_[position].channel];
      const double start = wait > 0 ? wait : idle_extra_;
      run.last_start = std::max(run.last_start, cycle_ + 1 + static_cast<Cycles>(start));
      wait += interval_;
    }
  }
  decay(1);
  std::copy_n(y, channels_, scratch_.data());
  rotate(order_.moved(per_cycle_), y);
}

/// scratch_ as seen from `by` channels further on.
void Hbm::rotate(std::size_t by, double* to) const {
  std::copy_n(scratch_.data() + by, channels_ - by, to);
  std::copy_n(scratch_.data(), by, to + channels_ - by);
}

/// Nothing is sent for that many cycles.
void Hbm::decay(Cycles cycles) {
  const double elapsed = static_cast<double>(cycles);
  double* const y = backlog();
  for (std::size_t c = 0; c < channels_; ++c) y[c] = std::max(y[c] - elapsed, 0.0);
}

/// Brings a run's last_start up to date, newest stretch first, until no older service can have started later.
void Hbm::resolve(Run& run) const {
  for (std::size_t i = log_.size(); i-- > run.since;) {
    run.last_start = std::max(run.last_start, latestStart(i, run.port));
    // Earlier services started an interval before the channel was free again, or came to an idle channel.
    const double ahead = static_cast<double>(run.last_start - (log_[i].begin + 1));
    if (i == run.since || (ahead + 1 >= idle_extra_ &&
                           ahead + interval_ >= largest(backlogs_.data() + i * channels_, channels_)))
      break;
  }
  run.since = static_cast<std::uint32_t>(log_.size());
}

/// The latest service start of a port's requests in the logged cycles of a stretch.
Cycles Hbm::latestStart(std::size_t index, std::uint32_t port) const {
  const Stretch& stretch = log_[index];
  const Sender* const first = senders_.data() + stretch.first_sender;
  const auto earlier = [](const Sender& a, std::uint32_t b) { return a.port < b; };
  const Sender* const sender = std::lower_bound(first, senders_.data() + stretch.last_sender, port, earlier);
  const double* const y = backlogs_.data() + index * channels_;
  const std::size_t n = channels_, shift = stretch.pattern->shift();
  const float* const table = stretch.pattern->after(0);
  double latest = 0;
  for (std::uint64_t k = sender->position; k < (sender + 1)->position; ++k) {
    const double ahead = interval_ * order_[k].earlier;
    const double start_up = order_[k].earlier == 0 ? idle_extra_ : 0;
    std::size_t channel = order_[k].channel;
    const float* row = table;
    for (std::size_t cycle = 0; cycle < stretch.cycles; ++cycle, row += 2 * n) {
      const double busy = row[channel], idle = row[n + channel];
      const double now = static_cast<double>(cycle), free = std::max(y[channel] + busy, idle);
      latest = std::max(latest, std::max(free, now) + ahead + (free <= now ? start_up : 0.0));
      channel += shift;
      if (channel >= n) channel -= n;
    }
  }
  return stretch.begin + 1 + static_cast<Cycles>(latest);
}

/// Whether a table of per_cycle_ requests a cycle would be too large, or its numbers.
bool Hbm::wide() const {
  const double cycles = static_cast<double>(channels_) + idle_extra_;
  return cycles > maxPatternCycles || per_cycle_ > maxPatternRequests ||
         (static_cast<double>(per_cycle_) * cycles + 1) * interval_ >= 1 << 24;
}

/// The pattern of per_cycle_ requests a cycle.
DispatchPattern& Hbm::pattern() {
  if (patterns_.size() <= per_cycle_) patterns_.resize(per_cycle_ + 1);
  std::unique_ptr<DispatchPattern>& pattern = patterns_[per_cycle_];
  if (pattern) return *pattern;
  if (pattern_count_ * channels_ * channels_ * 2 * sizeof(float) > patternBytes) {
    clearLog();
    for (std::unique_ptr<DispatchPattern>& forgotten : patterns_) forgotten.reset();
    pattern_count_ = 0;
  }
  order_.extend(per_cycle_);
  pattern = std::make_unique<DispatchPattern>(order_, per_cycle_, static_cast<float>(interval_));
  ++pattern_count_;
  return *pattern;
}

/// Brings every run up to date, so that the log can start afresh.
void Hbm::clearLog() {
  if (log_.empty()) return;
  for (Run& run : runs_) {
    if (run.now == 0) continue;
    resolve(run);
    run.since = 0;
  }
  std::copy_n(backlog(), channels_, backlogs_.data());
  log_.clear();
  senders_.clear();
  listSenders();
}

}  // namespace sluice::sim
