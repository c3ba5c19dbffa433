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

/// Backlogs that the log and the current cycle refer to: a stretch takes two passes outside reference mode.
std::size_t passesKept(bool reference, double channels) {
  return channels > max_pattern_cycles ? 2 : (reference ? 1 : 2) * logged + 2;
}

/// The most requests a cycle for which a table is not too large, nor its numbers. `cycles`: how far it may
/// reach.
std::uint64_t widestTable(double cycles, double interval) {
  if (cycles > max_pattern_cycles) return 0;
  constexpr double limit = 1 << 24;
  const double about = std::min(limit / interval / cycles + 1, static_cast<double>(max_pattern_requests));
  std::uint64_t widest = static_cast<std::uint64_t>(about);
  while (widest > 0 && (static_cast<double>(widest) * cycles + 1) * interval >= limit) --widest;
  return widest;
}

}  // namespace

Hbm::Hbm(const HbmConfig& config)
    : config_(config),
      channels_(config.channels),
      interval_(static_cast<double>(config.initiation_interval)),
      idle_extra_(config.reference ? 0 : static_cast<double>(config.start_up)),
      service_(std::max<Cycles>(config.latency + (config.reference ? config.start_up : 0), 1)),
      tables_(borrowTables(channels_, config.reference, static_cast<float>(interval_))),
      ring_(passesKept(config.reference, static_cast<double>(channels_)) * channels_),
      widest_(widestTable(static_cast<double>(channels_) + idle_extra_, interval_)) {
  tables_->backlogs.resize(ring_);
  backlog_ = tables_->backlogs.data();
  std::fill_n(backlog_, channels_, 0.0);
}

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
  runs_.insert(runs_.begin() + static_cast<std::ptrdiff_t>(place), Run{0, port});
  events_.insert(events_.begin() + static_cast<std::ptrdiff_t>(place), event);
  next_event_ = std::min(next_event_, event);
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
  } else if (per_cycle_ > widest_) [[unlikely]] {
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
  Cycles least = never;
  for (std::size_t i = 0;;) {
    const Cycles* const events = events_.data();
    for (const std::size_t count = events_.size(); i < count && events[i] > cycle_; ++i)
      least = std::min(least, events[i]);
    if (i == events_.size()) break;
    if (settle(i)) least = std::min(least, events_[i++]);
  }
  next_event_ = least;
}

/// The next phase of a run: its full groups, then the rest of one, then the port's next run. It sees the last
/// response a cycle after that reaches the controller. False: the port has nothing more to send.
bool Hbm::settle(std::size_t place) {
  Run& run = runs_[place];
  Port& port = ports_[run.port];
  Cycles event = cycle_;
  while (event <= cycle_) {
    if (port.left == 0) {
      resolve(place);
      port.answered = std::max(port.answered, port.last_start + service_ + 1);
      completions_.push({port.answered, run.port});
      send(run, 0);
      if (port.waiting.empty()) {
        port.sends = false;
        port.place = place;
        runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(place));
        events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(place));
        return false;
      }
      port.left = port.waiting.front().requests;
      port.last_start = 0;
      event = port.waiting.front().clock + 1;
      port.waiting.pop_front();
      continue;
    }
    if (run.now == 0) port.since = forgotten_ + log_.size();
    const std::uint64_t group = port.group;
    const std::uint64_t full = group == 1 ? port.left : port.left / group;
    const std::uint64_t cycles = std::max<std::uint64_t>(full, 1);
    send(run, full > 0 ? group : port.left);
    port.left -= run.now * cycles;
    event = cycle_ + cycles;
  }
  events_[place] = event;
  return true;
}

void Hbm::send(Run& run, std::uint64_t requests) {
  changes_.push_back({run.port, requests - run.now});
  per_cycle_ += requests - run.now;
  run.now = requests;
}

/// Of one position in the pattern, the last service starts last, so that only the last period decides when a
/// run completes; the state before it is found when that is asked. (Where an idle channel answers later than
/// a busy one, that many cycles more: a later service at the same position, then, has started even later.
/// There the log begins with that state.)
void Hbm::stretch(std::uint64_t cycles) {
  if (log_.size() == logged) forget(logged / 2);
  DispatchPattern& p = pattern();
  Cycles begin = cycle_;
  if (idle_extra_ > 0) {
    const std::uint64_t last = std::min(cycles, p.period() + static_cast<std::uint64_t>(idle_extra_));
    if (last < cycles) pass(p, cycles - last);
    begin += cycles - last;
    cycles = last;
  }
  log_.push_back({begin, cycles, &p, backlog_, counter_, most_, changes_.size()});
  pass(p, cycles);
}

/// Where the counter is `channels` < channels_ further on.
std::size_t Hbm::later(std::size_t counter, std::size_t channels) const {
  const std::size_t sum = counter + channels;
  return sum < channels_ ? sum : sum - channels_;
}

/// That many cycles of a pattern, from `counter` on. Rows of its table that are asked for later leave these
/// where they are.
[[gnu::always_inline]] inline PeriodicService Hbm::service(DispatchPattern& p, std::size_t counter,
                                                           std::uint64_t cycles) {
  const std::uint64_t period = p.period(), periods = cycles < period ? 0 : cycles / period;
  const std::uint64_t rest = cycles - periods * period;
  const float* const row = p.after(rest) + channels_ - counter;
  const float* const whole = p.after(periods > 0 ? period : 0) + channels_ - counter;
  return {whole,
          whole + p.idle(),
          row,
          row + p.idle(),
          static_cast<double>(periods),
          periods > 0 ? static_cast<double>(period) : 0,
          static_cast<double>(cycles)};
}

/// To the backlogs after so many cycles. The tables are turned to where the counter stands, not the backlogs:
/// what was just written is read again as it was written, which does not wait for the cache.
void Hbm::pass(DispatchPattern& p, std::uint64_t cycles) {
  const BacklogStep step{backlog_, nextBacklogs(), channels_};
  if (cycles < p.period()) {
    const float* const row = p.after(cycles) + channels_ - counter_;
    most_ = serve(step, row, row + p.idle(), static_cast<double>(cycles));
  } else {
    most_ = serve(step, service(p, counter_, cycles));
  }
  backlog_ = step.out;
  counter_ = later(counter_, p.movedAfter(cycles));
}

double* Hbm::nextBacklogs() {
  double* const next = tables_->backlogs.data() + passes_ * channels_;
  passes_ = (passes_ + 1) * channels_ < ring_ ? passes_ + 1 : 0;
  return next;
}

/// More requests each cycle than a pattern's table is made for: one by one.
void Hbm::stepCycle() {
  forget(log_.size());
  const DispatchOrder& order = tables_->order;
  tables_->order.extend(per_cycle_);
  std::uint64_t position = 0;
  for (const Run& run : runs_) {
    for (std::uint64_t k = run.now; k > 0; --k, ++position) {
      double& wait = backlog_[later(counter_, order[position].channel)];
      const double start = wait > 0 ? wait : idle_extra_;
      Cycles& last_start = ports_[run.port].last_start;
      last_start = std::max(last_start, cycle_ + 1 + static_cast<Cycles>(start));
      wait += interval_;
    }
  }
  decay(1);
  most_ = largest(backlog_, channels_);
  counter_ = later(counter_, order.moved(per_cycle_));
}

/// Nothing is sent for that many cycles.
void Hbm::decay(Cycles cycles) {
  const double elapsed = static_cast<double>(cycles);
  for (std::size_t c = 0; c < channels_; ++c) backlog_[c] = std::max(backlog_[c] - elapsed, 0.0);
  most_ = std::max(most_ - elapsed, 0.0);
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
    const LatestStart start = latestStart(stretch, position, count);
    port.last_start = std::max(port.last_start, start.begin + 1 + static_cast<Cycles>(start.latest));
    // Later requests to the same channels start later; to others, earlier services started an interval before
    // the channel was free again, or came to an idle channel.
    if (i == since) break;
    if (stretch.cycles >= channels_ && stretch.pattern->period() == channels_ && idle_extra_ == 0) break;
    const double ahead = static_cast<double>(port.last_start - (start.begin + 1));
    if (ahead + 1 >= idle_extra_ && ahead + interval_ >= start.most) break;
  }
  port.since = forgotten_ + log_.size();
}

/// The latest service start of `count` requests a cycle, in the cycles of a stretch that decide it.
Hbm::LatestStart Hbm::latestStart(const Stretch& stretch, std::uint64_t position, std::uint64_t count) {
  DispatchPattern& pattern = *stretch.pattern;
  const double* const y = stretch.backlogs;
  const std::size_t n = channels_;
  if (count > 0 && stretch.cycles >= pattern.period() && idle_extra_ == 0) {
    const DispatchPattern::LastService& last = pattern.lastService(tables_->order, position, count);
    const std::uint64_t before = stretch.cycles - pattern.period();
    const float* const busy = last.busy.data() + n - later(stretch.counter, pattern.movedAfter(before));
    const Largest most =
        before == 0 ? largest(y, busy, n) : largest(y, service(pattern, stretch.counter, before), busy, n);
    return {stretch.begin + before, std::max(last.idle, most.sum), most.backlog};
  }
  const double latest =
      idle_extra_ == 0 ? latestOfFew(stretch, position, count) : latestWithStartUp(stretch, position, count);
  return {stretch.begin, latest, stretch.most};
}

/// The same of a stretch shorter than the pattern's period, in which no channel is met twice.
double Hbm::latestOfFew(const Stretch& stretch, std::uint64_t position, std::uint64_t count) const {
  const std::size_t shift = stretch.pattern->shift();
  double latest = 0;
  for (std::uint64_t k = position; k < position + count; ++k) {
    const DispatchPattern::Visits& visits = stretch.pattern->visits(tables_->order, k, stretch.cycles);
    std::size_t channel = later(stretch.counter, tables_->order[k].channel);
    for (std::size_t cycle = 0; cycle < stretch.cycles; ++cycle) {
      latest = std::max(latest, stretch.backlogs[channel] + static_cast<double>(visits.busy[cycle]));
      channel = later(channel, shift);
    }
    latest = std::max(latest, static_cast<double>(visits.idle[stretch.cycles - 1]));
  }
  return latest;
}

/// The same where a request to an idle channel pays the start-up.
double Hbm::latestWithStartUp(const Stretch& stretch, std::uint64_t position, std::uint64_t count) const {
  DispatchPattern& pattern = *stretch.pattern;
  pattern.after(stretch.cycles);  // its rows are there
  double latest = 0;
  for (std::uint64_t k = position; k < position + count; ++k) {
    const DispatchOrder::Request request = tables_->order[k];
    const double ahead = interval_ * request.earlier;
    const double start_up = request.earlier == 0 ? idle_extra_ : 0;
    std::size_t channel = request.channel, of_backlog = later(stretch.counter, channel);
    const float* row = pattern.after(0);
    for (std::size_t cycle = 0; cycle < stretch.cycles; ++cycle, row += pattern.stride()) {
      const double busy = row[channel], idle = row[pattern.idle() + channel];
      const double now = static_cast<double>(cycle);
      const double free = std::max(stretch.backlogs[of_backlog] + busy, idle);
      latest = std::max(latest, std::max(free, now) + ahead + (free <= now ? start_up : 0.0));
      channel = later(channel, pattern.shift());
      of_backlog = later(of_backlog, pattern.shift());
    }
  }
  return latest;
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
  DispatchTables& tables = *tables_;
  if (per_cycle_ < tables.patterns.size() && tables.patterns[per_cycle_]) [[likely]]
    return *tables.patterns[per_cycle_];
  if (tables.count * channels_ * channels_ * 4 * sizeof(float) > pattern_bytes) {
    forget(log_.size());
    for (std::unique_ptr<DispatchPattern>& forgotten : tables.patterns) forgotten.reset();
    tables.count = 0;
  }
  tables.order.extend(per_cycle_);
  return tables.pattern(per_cycle_);
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
