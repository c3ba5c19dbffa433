#include "engine/simulator/memory.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/simulator/backlog.h"

namespace sluice::inline simulator {

namespace {

constexpr std::size_t logged = 64;  ///< stretches, of which the older half is forgotten when it is full
constexpr std::size_t pattern_bytes = 16 << 20;  ///< of all patterns, before they are forgotten
constexpr std::uint64_t max_pattern_requests = 4096;
constexpr std::uint64_t most_requests_acycle = 1 << 24;
constexpr std::uint64_t most_cycles = std::uint64_t{1} << 52;  ///< at work: backlogs are exact in doubles
constexpr double max_pattern_cycles = 512;  ///< channels and, outside reference mode, start-up

}  // namespace

Hbm::Hbm(const HbmConfig& config)
    : config_(config),
      channels_(config.channels),
      interval_(static_cast<double>(config.initiation_interval)),
      idle_extra_(config.reference ? 0 : static_cast<double>(config.start_up)),
      service_(std::max<Cycles>(config.latency + (config.reference ? config.start_up : 0), 1)),
      backlogs_((static_cast<double>(channels_) > max_pattern_cycles ? 2 : 2 * logged + 2) * 2 * channels_),
      backlog_(backlogs_.data()),
      order_(channels_, config.reference) {}

std::uint32_t Hbm::addPort(std::uint64_t groups_of) {
  ports_.emplace_back().group = groups_of;
  return static_cast<std::uint32_t>(ports_.size() - 1);
}

void Hbm::issue(std::uint32_t port, std::uint64_t requests, Cycles clock) {
  ++outstanding_;
  if (requests > most_cycles / config_.initiation_interval - requests_) {
    trouble_ = {port, "overflow", "the memory would be at work for more than 2^52 cycles",
                "make tiles or streams smaller, or hbm_initiation_interval"};
    return;
  }
  requests_ += requests;
  Port& p = ports_[port];
  if (std::exchange(p.sends, true)) {
    p.waiting.push_back({requests, clock});
    return;
  }
  p.left = requests;
  p.last_start = 0;
  std::size_t place = std::min(p.place, runs_.size());  // others may have come and gone
  while (place > 0 && runs_[place - 1].port > port) --place;
  while (place < runs_.size() && runs_[place].port < port) ++place;
  const Cycles event = clock + 1;  // sent at the clock, visible one cycle later
  runs_.insert(runs_.begin() + static_cast<std::ptrdiff_t>(place), Run{event, 0, port});
  if (next_ >= place) ++next_;
  if (event > next_event_) return;
  ties_ = event == next_event_ ? ties_ + 1 : 1;
  next_event_ = event;
  next_ = place;
}

Cycles Hbm::advance(std::vector<std::uint32_t>& completed, Cycles until) {
  for (;;) {
    if (next_event_ <= cycle_) update();
    if (trouble_) return cycle_;
    // A process that sees its answer at time c can issue something that the controller takes at c + 1, no
    // earlier.
    const Cycles limit = std::min(until, completions_.empty() ? never : completions_.top().time);
    if (runs_.empty() || next_event_ > limit) break;  // what is sent stays the same: settled later
    if (!proceed()) return cycle_;
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

/// To the next event, or one cycle of requests too many for a table. False: it may not go on.
bool Hbm::proceed() {
  Cycles end = next_event_;
  if (per_cycle_ == 0) {
    decay(end - cycle_);
  } else if (wide()) {
    if (tooWide() || stop_.stop_requested()) return false;
    stepCycle();
    end = cycle_ + 1;
  } else {
    stretch(end - cycle_);
  }
  cycle_ = end;
  return true;
}

/// Runs with an event now begin, change or end.
void Hbm::update() {
  if (ties_ == 1 && next_event_ == cycle_) {
    settle(next_);
  } else {
    for (std::size_t i = 0; i < runs_.size();) {
      if (runs_[i].event > cycle_ || settle(i)) ++i;
    }
  }
  findNext();
}

/// Without branches, as whose event is next cannot be predicted.
void Hbm::findNext() {
  Cycles event = never;
  std::size_t place = 0, ties = 0;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const Cycles other = runs_[i].event;
    ties = other < event ? 1 : ties + (other == event);
    place = other <= event ? i : place;
    event = std::min(event, other);
  }
  next_event_ = event;
  next_ = place;
  ties_ = ties;
}

/// The next phase of a run: its full groups, then the rest of one, then the port's next run. It sees the last
/// response a cycle after that reaches the controller. False: the port has nothing more to send.
bool Hbm::settle(std::size_t place) {
  Run& run = runs_[place];
  Port& port = ports_[run.port];
  while (run.event <= cycle_) {
    if (port.left == 0) {
      resolve(place);
      port.answered = std::max(port.answered, port.last_start + service_ + 1);
      completions_.push({port.answered, run.port});
      send(run, 0);
      if (port.waiting.empty()) {
        port.sends = false;
        port.place = place;
        runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(place));
        return false;
      }
      port.left = port.waiting.front().requests;
      port.last_start = 0;
      run.event = port.waiting.front().clock + 1;
      port.waiting.pop_front();
      continue;
    }
    if (run.now == 0) port.since = forgotten_ + log_.size();
    const std::uint64_t group = port.group;
    const std::uint64_t full = group == 1 ? port.left : port.left / group;
    const std::uint64_t cycles = std::max<std::uint64_t>(full, 1);
    send(run, full > 0 ? group : port.left);
    port.left -= run.now * cycles;
    run.event = cycle_ + cycles;
  }
  return true;
}

void Hbm::send(Run& run, std::uint64_t requests) {
  changes_.push_back({run.port, requests - run.now});
  per_cycle_ += requests - run.now;
  run.now = requests;
}

/// Of one position in the pattern, the last service starts last, so that only the last period decides when a
/// run completes: the log keeps the state before it. (Where an idle channel answers later than a busy one,
/// that many cycles more: a later service at the same position, then, has started even later.)
void Hbm::stretch(std::uint64_t cycles) {
  if (log_.size() == logged) forget(logged / 2);
  DispatchPattern& p = pattern();
  const std::uint64_t last = std::min(cycles, p.period() + static_cast<std::uint64_t>(idle_extra_));
  const std::uint64_t before = cycles - last;
  if (before > 0) pass(p, before / p.period(), before % p.period());
  log_.push_back({cycle_ + before, last, &p, backlog_, changes_.size()});
  pass(p, 0, last);
}

/// To the backlogs after `periods` and `rest` cycles.
void Hbm::pass(DispatchPattern& p, std::uint64_t periods, std::size_t rest) {
  const BacklogStep step{backlog_, nextBacklogs(), channels_};
  const double cycles = static_cast<double>(rest);
  if (periods == 0) {
    const float* const row = p.after(rest);
    serve(step, row, row + channels_, cycles);
  } else {
    p.after(p.period());
    const float *const row = p.after(rest), *const whole = p.after(p.period());
    const double q = static_cast<double>(periods), length = static_cast<double>(p.period());
    serve(step, {whole, whole + channels_, row, row + channels_, q, length, q * length + cycles});
  }
  backlog_ = step.out + p.moved(rest);
}

double* Hbm::nextBacklogs() {
  double* const next = backlogs_.data() + passes_ * 2 * channels_;
  passes_ = (passes_ + 1) * 2 * channels_ < backlogs_.size() ? passes_ + 1 : 0;
  return next;
}

/// More requests each cycle than a pattern's table is made for: one by one.
void Hbm::stepCycle() {
  forget(log_.size());
  order_.extend(per_cycle_);
  std::uint64_t position = 0;
  for (const Run& run : runs_) {
    for (std::uint64_t k = run.now; k > 0; --k, ++position) {
      double& wait = backlog_[order_[position].channel];
      const double start = wait > 0 ? wait : idle_extra_;
      Cycles& last_start = ports_[run.port].last_start;
      last_start = std::max(last_start, cycle_ + 1 + static_cast<Cycles>(start));
      wait += interval_;
    }
  }
  decay(1);
  double* const out = nextBacklogs();
  std::copy_n(backlog_, channels_, out);
  std::copy_n(backlog_, channels_, out + channels_);
  backlog_ = out + order_.moved(per_cycle_);
}

/// Nothing is sent for that many cycles.
void Hbm::decay(Cycles cycles) {
  const double elapsed = static_cast<double>(cycles);
  for (std::size_t c = 0; c < channels_; ++c) backlog_[c] = std::max(backlog_[c] - elapsed, 0.0);
}

/// Brings a run's last_start up to date, newest stretch first, until no older service can have started later.
void Hbm::resolve(std::size_t place) {
  const std::uint32_t own = runs_[place].port;
  Port& port = ports_[own];
  std::uint64_t count = runs_[place].now, position = 0;  // of its requests in each cycle
  for (std::size_t i = 0; i < place; ++i) position += runs_[i].now;
  std::size_t change = changes_.size();
  const std::size_t since = port.since - forgotten_;
  for (std::size_t i = log_.size(); i-- > since;) {
    const Stretch& stretch = log_[i];
    for (; change > stretch.changes; --change) {
      const Change& undo = changes_[change - 1];
      position -= undo.port < own ? undo.more : 0;
      count -= undo.port == own ? undo.more : 0;
    }
    double latest = 0;
    for (std::uint64_t k = 0; k < count; ++k) latest = std::max(latest, latestStart(stretch, position + k));
    port.last_start = std::max(port.last_start, stretch.begin + 1 + static_cast<Cycles>(latest));
    // Later requests to the same channels start later; to others, earlier services started an interval before
    // the channel was free again, or came to an idle channel.
    if (i == since) break;
    if (stretch.cycles >= channels_ && stretch.pattern->period() == channels_ && idle_extra_ == 0) break;
    const double ahead = static_cast<double>(port.last_start - (stretch.begin + 1));
    if (ahead + 1 >= idle_extra_ && ahead + interval_ >= largest(stretch.backlogs, channels_)) break;
  }
  port.since = forgotten_ + log_.size();
}

/// The latest service start of a position's requests in the logged cycles of a stretch.
double Hbm::latestStart(const Stretch& stretch, std::uint64_t position) {
  DispatchPattern& pattern = *stretch.pattern;
  const double* const y = stretch.backlogs;
  const std::size_t n = channels_;
  if (stretch.cycles == pattern.period() && idle_extra_ == 0) {
    const DispatchPattern::LastService& last = pattern.lastService(order_, position);
    return std::max(last.idle, largestSum(y, last.busy.data(), n));
  }
  const double ahead = interval_ * order_[position].earlier;
  const double start_up = order_[position].earlier == 0 ? idle_extra_ : 0;
  std::size_t channel = order_[position].channel;
  const float* row = pattern.after(0);
  double latest = 0;
  for (std::size_t cycle = 0; cycle < stretch.cycles; ++cycle, row += 2 * n) {
    const double busy = row[channel], idle = row[n + channel];
    const double now = static_cast<double>(cycle), free = std::max(y[channel] + busy, idle);
    latest = std::max(latest, std::max(free, now) + ahead + (free <= now ? start_up : 0.0));
    channel += pattern.shift();
    if (channel >= n) channel -= n;
  }
  return latest;
}

/// Whether a table of per_cycle_ requests a cycle would be too large, or its numbers.
bool Hbm::wide() const {
  const double cycles = static_cast<double>(channels_) + idle_extra_;
  return cycles > max_pattern_cycles || per_cycle_ > max_pattern_requests ||
         (static_cast<double>(per_cycle_) * cycles + 1) * interval_ >= 1 << 24;
}

/// What is sent in a cycle is more than can be kept in memory.
bool Hbm::tooWide() {
  if (per_cycle_ <= most_requests_acycle) return false;
  const auto most =
      std::max_element(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) { return a.now < b.now; });
  trouble_ = {most->port, "too-many",
              std::to_string(per_cycle_) + " memory requests are sent in one cycle; " +
                  std::to_string(most_requests_acycle) + " are the most",
              "lower par_dispatch"};
  return true;
}

/// The pattern of per_cycle_ requests a cycle.
DispatchPattern& Hbm::pattern() {
  if (patterns_.size() <= per_cycle_) patterns_.resize(per_cycle_ + 1);
  std::unique_ptr<DispatchPattern>& pattern = patterns_[per_cycle_];
  if (pattern) return *pattern;
  if (pattern_count_ * channels_ * channels_ * 2 * sizeof(float) > pattern_bytes) {
    forget(log_.size());
    for (std::unique_ptr<DispatchPattern>& forgotten : patterns_) forgotten.reset();
    pattern_count_ = 0;
  }
  order_.extend(per_cycle_);
  pattern = std::make_unique<DispatchPattern>(order_, per_cycle_, static_cast<float>(interval_));
  ++pattern_count_;
  return *pattern;
}

/// The log's oldest stretches, once the runs that began before them know what they need.
void Hbm::forget(std::size_t stretches) {
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (runs_[i].now > 0 && ports_[runs_[i].port].since < forgotten_ + stretches) resolve(i);
  }
  const std::size_t changes = stretches < log_.size() ? log_[stretches].changes : changes_.size();
  changes_.erase(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(changes));
  log_.erase(log_.begin(), log_.begin() + static_cast<std::ptrdiff_t>(stretches));
  for (Stretch& stretch : log_) stretch.changes -= changes;
  forgotten_ += stretches;
}

}  // namespace sluice::inline simulator
