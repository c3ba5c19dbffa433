#include "engine/simulator/memory.h"

#include <algorithm>
#include <numeric>
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

constexpr std::size_t passes_kept = logged + 1;  ///< backlogs that the log and the current cycle refer to

/// Exact, and a single instruction, as a signed number.
double exact(std::uint64_t count) {
  return static_cast<double>(static_cast<std::int64_t>(count));
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
      idle_extra_(config.reference ? 0 : exact(config.start_up)),
      service_(std::max<Cycles>(config.latency + (config.reference ? config.start_up : 0), 1)),
      tables_(borrowTables(channels_, config.reference, static_cast<float>(interval_))),
      widest_(widestTable(static_cast<double>(channels_) + idle_extra_, interval_)) {
  tables_->backlogs.resize(((widest_ > 0 ? passes_kept : 1) * channels_ + 7) / 8);
  ring_ = backlog_ = tables_->backlogs.front().data();
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
  if (p.place == none) [[unlikely]]
    takePlace(port);
  --idle_;
  events_.push(clock + 1, port);  // sent at the clock, visible one cycle later
}

/// A place for a port that has none, idle at first.
void Hbm::takePlace(std::uint32_t port) {
  if (idle_ > 8 + places_.size() / 2) {
    for (const Place& place : places_) ports_[place.port].place = none;
    std::erase_if(places_, [&](const Place& place) { return !ports_[place.port].sends; });
    for (std::size_t i = 0; i < places_.size(); ++i) ports_[places_[i].port].place = i;
    idle_ = 0;
  }
  auto at =
      std::partition_point(places_.begin(), places_.end(), [&](const Place& p) { return p.port < port; });
  at = places_.insert(at, {0, port});
  ++idle_;
  for (; at != places_.end(); ++at) ports_[at->port].place = static_cast<std::size_t>(at - places_.begin());
}

Cycles Hbm::advance(std::vector<std::uint32_t>& completed, Cycles until) {
  for (;;) {
    while (events_.time() <= cycle_) settle(events_.number());
    if (trouble_) [[unlikely]]
      return cycle_;
    // A process that sees its answer at time c can issue something that the controller takes at c + 1, no
    // earlier.
    const Cycles limit = std::min(until, completions_.time());
    if (events_.time() > limit || events_.time() == never)
      break;  // what is sent stays the same: settled later
    if (!proceed()) return cycle_;
  }
  const Cycles time = completions_.time();
  if (time > until || time == never) return until;
  for (; completions_.time() == time; completions_.pop(), --outstanding_)
    completed.push_back(completions_.number());
  return time;
}

/// To the next event, or one cycle of requests too many for a table. False: it may not go on.
bool Hbm::proceed() {
  Cycles end = events_.time();
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

/// The next phase of a port's run, as its event is now: its full groups, then the rest of one, then the
/// port's next run. It sees the last response a cycle after that reaches the controller.
void Hbm::settle(std::uint32_t number) {
  events_.pop();
  Port& port = ports_[number];
  Cycles event = cycle_;
  while (event <= cycle_) {
    if (port.left == 0) {
      resolve(number);
      port.answered = std::max(port.answered, port.last_start + service_ + 1);
      completions_.push(port.answered, number);
      send(number, 0);
      if (port.waiting.empty()) [[likely]] {
        port.sends = false;
        ++idle_;
        return;
      }
      port.left = port.waiting.front().requests;
      port.last_start = 0;
      event = port.waiting.front().clock + 1;
      port.waiting.pop_front();
      continue;
    }
    if (places_[port.place].sends == 0) port.since = forgotten_ + log_.size();
    const std::uint64_t full = port.group == 1 ? port.left : port.left / port.group;
    const std::uint64_t cycles = std::max<std::uint64_t>(full, 1);
    const std::uint64_t sends = full > 0 ? port.group : port.left;
    send(number, sends);
    port.left -= sends * cycles;
    event = cycle_ + cycles;
  }
  events_.push(event, number);
}

void Hbm::send(std::uint32_t port, std::uint64_t requests) {
  const std::uint64_t more = requests - std::exchange(places_[ports_[port].place].sends, requests);
  changes_.push_back({port, more});
  per_cycle_ += more;
}

/// Of one position in the pattern, the last service starts last, so that only the last period decides when a
/// run completes: the log begins with the state before it. (Where an idle channel answers later than a busy
/// one, that many cycles before: a later service at the same position, then, has started even later.)
void Hbm::stretch(std::uint64_t cycles) {
  if (log_.size() == logged) forget(logged / 2);
  DispatchPattern& p = pattern();
  const std::uint64_t last = std::min(cycles, p.period() + (config_.reference ? 0 : config_.start_up));
  const std::uint64_t before = cycles - last;
  if (before > 0) {
    most_ = serve(backlog_, channels_, p.service(counter_, before));
    counter_ = later(counter_, p.movedAfter(before));
  }
  log_.push_back({cycle_ + before, last, &p, backlog_, counter_, most_, changes_before_ + changes_.size()});
  // The tables are turned to where the counter stands, not the backlogs: what was just written is read again
  // as it was written, which does not wait for the cache.
  const float* const row = p.after(last) + channels_ - counter_;
  double* const next = ring_ + passes_ * channels_;
  passes_ = passes_ + 1 < passes_kept ? passes_ + 1 : 0;
  most_ = serve({backlog_, next, channels_}, row, row + p.idle(), exact(last));
  backlog_ = next;
  counter_ = later(counter_, p.movedAfter(last));
}

/// Where the counter is `channels` < channels_ further on.
std::size_t Hbm::later(std::size_t counter, std::size_t channels) const {
  const std::size_t sum = counter + channels;
  return sum < channels_ ? sum : sum - channels_;
}

/// More requests each cycle than a pattern's table is made for: one by one.
void Hbm::stepCycle() {
  forget(log_.size());
  const DispatchOrder& order = tables_->order;
  tables_->order.extend(per_cycle_);
  std::uint64_t position = 0;
  for (const Place& place : places_) {
    Cycles& last_start = ports_[place.port].last_start;
    for (std::uint64_t k = place.sends; k > 0; --k, ++position) {
      double& wait = backlog_[later(counter_, order[position].channel)];
      const double start = wait > 0 ? wait : idle_extra_;
      last_start = std::max(last_start, cycle_ + 1 + static_cast<Cycles>(start));
      wait += interval_;
    }
  }
  decay(1);
  most_ = largest(backlog_, channels_);
  counter_ = later(counter_, order.moved(per_cycle_));
}

/// Nothing is sent for that many cycles: nobody will ask for what was before.
void Hbm::decay(Cycles cycles) {
  forget(log_.size());
  double* const next = ring_;
  const double elapsed = static_cast<double>(cycles);
  for (std::size_t c = 0; c < channels_; ++c) next[c] = std::max(backlog_[c] - elapsed, 0.0);
  most_ = std::max(most_ - elapsed, 0.0);
  backlog_ = next, passes_ = 1;
}

/// Brings a run's last_start up to date, newest stretch first, until no older service can have started later.
void Hbm::resolve(std::uint32_t own) {
  Port& port = ports_[own];
  std::uint64_t count = places_[port.place].sends;  // of its requests in each cycle
  std::uint64_t position = 0;
  for (std::size_t i = 0; i < port.place; ++i) position += places_[i].sends;
  const Change* change = changes_.data() + changes_.size();
  const std::size_t since = port.since - forgotten_;
  for (std::size_t i = log_.size(); i-- > since;) {
    const Stretch& stretch = log_[i];
    for (const Change* const before = changes_.data() + (stretch.changes - changes_before_);
         change > before;) {
      const Change& undo = *--change;
      position -= undo.port < own ? undo.more : 0;
      count -= undo.port == own ? undo.more : 0;
    }
    const double latest = latestStart(stretch, position, count);
    port.last_start =
        std::max(port.last_start, stretch.begin + 1 + static_cast<Cycles>(static_cast<std::int64_t>(latest)));
    // Later requests to the same channels start later; to others, earlier services started an interval before
    // the channel was free again, or came to an idle channel.
    if (i == since) break;
    if (stretch.cycles >= channels_ && stretch.pattern->period() == channels_ && idle_extra_ == 0) break;
    const double ahead = exact(port.last_start - (stretch.begin + 1));
    if (ahead + 1 >= idle_extra_ && ahead + interval_ >= stretch.most) break;
  }
  port.since = forgotten_ + log_.size();
}

/// The latest service start of `count` requests a cycle in a stretch, after its begin.
double Hbm::latestStart(const Stretch& stretch, std::uint64_t position, std::uint64_t count) {
  DispatchPattern& pattern = *stretch.pattern;
  if (idle_extra_ > 0) return latestWithStartUp(stretch, position, count);
  if (stretch.cycles < pattern.period() || count == 0) return latestOfFew(stretch, position, count);
  const DispatchPattern::LastService& last = pattern.lastService(tables_->order, position, count);
  const float* const busy = last.busy.data() + channels_ - stretch.counter;
  return std::max(last.idle, largest(stretch.backlogs, busy, channels_));
}

/// The same of a stretch shorter than the pattern's period, in which no channel is met twice.
double Hbm::latestOfFew(const Stretch& stretch, std::uint64_t position, std::uint64_t count) const {
  const DispatchOrder& order = tables_->order;
  const std::size_t channels = channels_, counter = stretch.counter;
  double latest = 0;
  for (std::uint64_t k = position; k < position + count; ++k) {
    const std::span<const DispatchPattern::Visit> visits = stretch.pattern->visits(order, k, stretch.cycles);
    for (const DispatchPattern::Visit& visit : visits) {
      const std::size_t sum = counter + visit.channel;
      const double backlog = stretch.backlogs[sum < channels ? sum : sum - channels];
      latest = std::max(latest, backlog + static_cast<double>(visit.busy));
    }
    latest = std::max(latest, static_cast<double>(visits.back().idle));
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
  const auto most = std::max_element(places_.begin(), places_.end(),
                                     [](const Place& a, const Place& b) { return a.sends < b.sends; });
  trouble_ = {most->port, "too-many",
              std::to_string(per_cycle_) + " memory requests are sent in one cycle; " +
                  std::to_string(most_requests_acycle) + " are the most",
              "lower par_dispatch"};
  return true;
}

/// The pattern of per_cycle_ requests a cycle.
DispatchPattern& Hbm::pattern() {
  const DispatchTables& tables = *tables_;
  if (per_cycle_ < tables.patterns.size() && tables.patterns[per_cycle_]) [[likely]]
    return *tables.patterns[per_cycle_];
  return makePattern();
}

[[gnu::noinline, gnu::cold]] DispatchPattern& Hbm::makePattern() {
  DispatchTables& tables = *tables_;
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
  for (const Place& place : places_)
    if (place.sends > 0 && ports_[place.port].since < forgotten_ + stretches) resolve(place.port);
  const auto changes = stretches < log_.size() ? log_[stretches].changes - changes_before_ : changes_.size();
  changes_.erase(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(changes));
  changes_before_ += changes;
  log_.erase(log_.begin(), log_.begin() + static_cast<std::ptrdiff_t>(stretches));
  forgotten_ += stretches;
}

}  // namespace sluice::inline simulator
