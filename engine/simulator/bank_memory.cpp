#include "engine/simulator/bank_memory.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace sluice::inline simulator {

namespace {
constexpr std::uint64_t rows_of_abank = 1 << 14;  ///< where the row is not the top of an address
constexpr Cycles longest_window = 4096;
constexpr std::uint64_t most_queued = 1 << 23;         ///< bursts; some hundred megabytes
constexpr Cycles last_cycle = std::uint64_t{1} << 45;  ///< its ticks stay within 64 bits
constexpr std::uint64_t most_refreshes = 1 << 20;      ///< in a row, before one burst
}  // namespace

BankMemory::BankMemory(const Dram& dram, std::uint64_t channels, std::uint64_t request_bytes)
    : dram_(dram),
      request_bytes_(request_bytes),
      extents_{channels * dram.pseudo_channels, dram.bank_groups, dram.banks,
               dram.row_bytes / dram.burst_bytes, rows_of_abank} {
  Unit unit;
  unit.banks.resize(dram.bank_groups * dram.banks);
  unit.groups.resize(dram.bank_groups);
  unit.next_refresh = dram.tREFI > 0 ? dram.tREFI : never;
  units_.assign(channels * dram.pseudo_channels, unit);
  const Ticks soonest = std::min(dram.tCL, dram.tCWL) + dram.tBL;
  window_ = std::clamp<Cycles>(soonest * dram.core_mhz / dram.dram_mhz + dram.controller_latency, 1,
                               longest_window);
}

std::uint32_t BankMemory::addPort(std::uint64_t groups_of) {
  ports_.emplace_back().group = groups_of;
  retired_.push_back(0);
  return static_cast<std::uint32_t>(ports_.size() - 1);
}

std::uint64_t BankMemory::rowHits() const {
  return std::accumulate(ports_.begin(), ports_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Port& port) { return sum + port.hits; });
}

std::uint64_t BankMemory::rowMisses() const {
  return std::accumulate(ports_.begin(), ports_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Port& port) { return sum + port.misses; });
}

void BankMemory::issue(std::uint32_t port, std::uint64_t requests, const Access& access, Cycles clock) {
  if (clock > last_cycle || requests > last_cycle - std::min(requests_, last_cycle))
    trouble_ = {port, "overflow", "the memory would be at work beyond cycle 2^45",
                "make tiles or streams smaller"};
  Run run;
  run.access = access;
  run.requests = requests;
  run.first = clock + 1;
  ports_[port].runs.push_back(run);
  const auto at = std::lower_bound(senders_.begin(), senders_.end(), port);
  if (at == senders_.end() || *at != port) senders_.insert(at, port);
  ++outstanding_;
  requests_ += requests;
}

Cycles BankMemory::advance(std::vector<std::uint32_t>& completed, Cycles until) {
  for (;;) {
    if (trouble_ || stop_.stop_requested()) return cycle_;
    const Cycles limit = std::min(until, completions_.empty() ? never : completions_.top().time);
    cycle_ = std::max(cycle_, std::min(nextCycle(), limit));
    if (cycle_ > limit || (queued_ == 0 && senders_.empty())) break;
    const Cycles end = std::min(cycle_ + window_, limit == never ? never : limit + 1);
    send(end);
    // A request reaches its pseudo channel a cycle after the controller has taken it.
    for (Unit& unit : units_) serve(unit, ticks(end + 1));
    cycle_ = end;
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

/// The first cycle in which something is sent or waits in a queue.
Cycles BankMemory::nextCycle() const {
  if (queued_ > 0) return cycle_;
  Cycles next = never;
  for (const std::uint32_t port : senders_) {
    for (const Run& run : ports_[port].runs) {
      if (run.sent < run.requests) {
        next = std::min(next, run.first);
        break;
      }
    }
  }
  return next;
}

/// Every port sends one group a cycle, in port order.
void BankMemory::send(Cycles until) {
  for (Cycles cycle = cycle_; cycle < until && !senders_.empty() && !trouble_; ++cycle) {
    for (const std::uint32_t port : senders_) sendGroup(port, cycle);
    std::erase_if(senders_, [&](std::uint32_t port) {
      const std::deque<Run>& runs = ports_[port].runs;
      return runs.empty() || runs.back().sent == runs.back().requests;
    });
  }
}

void BankMemory::sendGroup(std::uint32_t port, Cycles cycle) {
  Port& p = ports_[port];
  const auto sends = [](const Run& run) { return run.sent < run.requests; };
  const auto run = std::find_if(p.runs.begin(), p.runs.end(), sends);
  if (run == p.runs.end() || run->first > cycle) return;
  for (std::uint64_t k = std::min(p.group, run->requests - run->sent); k > 0; --k, ++run->sent) {
    if (queued_ > most_queued) {
      trouble_ = {port, "too-many", "more than " + std::to_string(most_queued) + " bursts wait in the memory",
                  "make its tiles or par_dispatch smaller, or the bursts of the memory larger"};
      return;
    }
    const std::uint64_t row = run->sent / run->access.row_requests;
    const std::uint64_t column = run->sent % run->access.row_requests;
    const std::uint64_t address =
        run->access.address + row * run->access.row_stride + column * request_bytes_;
    const std::uint64_t first = address / dram_.burst_bytes;
    const std::uint64_t last = (address + request_bytes_ - 1) / dram_.burst_bytes;
    Burst burst{};
    burst.arrival = ticks(cycle + 1);
    burst.port = port;
    burst.run = retired_[port] + static_cast<std::uint64_t>(run - p.runs.begin());
    burst.write = run->access.write;
    for (std::uint64_t number = first; number <= last; ++number, ++run->bursts) enqueue(burst, number);
  }
}

/// Takes the burst's number apart and puts it into the queue of its pseudo channel.
void BankMemory::enqueue(Burst burst, std::uint64_t number) {
  std::array<std::uint64_t, 5> part{};
  for (const Dram::Part p : dram_.mapping) {
    const auto index = static_cast<std::size_t>(p);
    if (p == dram_.mapping.back()) {
      part[index] = number;
    } else {
      part[index] = number % extents_[index];
      number /= extents_[index];
    }
  }
  const auto top = static_cast<std::size_t>(dram_.mapping.back());
  if (dram_.mapping.back() != Dram::Part::Row) part[top] %= extents_[top];  // as the capacity is not modelled
  const auto of = [&](Dram::Part p) { return part[static_cast<std::size_t>(p)]; };
  burst.bank = static_cast<std::uint32_t>(of(Dram::Part::BankGroup) * dram_.banks + of(Dram::Part::Bank));
  burst.row = of(Dram::Part::Row);
  units_[of(Dram::Part::Channel)].queue.push_back(burst);
  ++queued_;
}

/// Serves one pseudo channel as long as the next column access could be before `until`.
void BankMemory::serve(Unit& unit, Ticks until) {
  while (unit.size() > 0) {
    const Ticks now = std::max(unit.queue[unit.head].arrival, unit.can_access);
    if (now >= until) return;
    const std::size_t chosen = choose(unit, now);
    const Burst burst = unit.queue[chosen];
    unit.passed_by = chosen == unit.head ? 0 : unit.passed_by + 1;
    // The older ones move up, so that the queue stays in order of arrival.
    for (std::size_t i = chosen; i > unit.head; --i) unit.queue[i] = unit.queue[i - 1];
    ++unit.head;
    --queued_;
    if (unit.head >= 1024 && unit.head * 2 >= unit.queue.size()) {
      unit.queue.erase(unit.queue.begin(), unit.queue.begin() + static_cast<std::ptrdiff_t>(unit.head));
      unit.head = 0;
    }
    const Ticks start = access(unit, burst);
    done(burst, start + (burst.write ? dram_.tCWL : dram_.tCL) + dram_.tBL);
  }
}

/// First ready, first come, first served: of those that have arrived and that the queue holds, the one whose
/// column access can be first, the oldest of these. No access is passed over forever: the oldest goes first
/// when that happened four queues' worth of times.
std::size_t BankMemory::choose(const Unit& unit, Ticks now) const {
  if (unit.passed_by >= 4 * dram_.queue) return unit.head;
  const std::size_t end = unit.head + std::min<std::size_t>(unit.size(), dram_.queue);
  std::size_t best = unit.head;
  Ticks soonest = never;
  for (std::size_t i = unit.head; i < end && unit.queue[i].arrival <= now; ++i) {
    const Ticks time = earliestAccess(unit, unit.queue[i]);
    if (time >= soonest) continue;
    best = i, soonest = time;
    if (time <= now) break;
  }
  return best;
}

/// Issues the commands of a burst, and refreshes that come before them; returns its column access.
BankMemory::Ticks BankMemory::access(Unit& unit, const Burst& burst) {
  Bank& bank = unit.banks[burst.bank];
  BankGroup& group = unit.groups[burst.bank / dram_.banks];
  for (std::uint64_t refreshes = 0;; ++refreshes) {
    const bool hit = bank.open && bank.row == burst.row;
    const Ticks time = earliestAccess(unit, burst);
    if (time >= unit.next_refresh && refreshes < most_refreshes) {
      refresh(unit, earliestWithoutRefresh(unit, burst));
      continue;
    }
    if (refreshes == most_refreshes)
      trouble_ = {burst.port, "out-of-range", "the memory refreshes all the time and serves nothing",
                  "give tREFI more than tRFC + tRP + tRCD"};
    if (!hit) activate(unit, burst, earliestActivate(unit, burst));
    Port& port = ports_[burst.port];
    hit ? ++port.hits : ++port.misses;
    const Ticks write_end = time + dram_.tCWL + dram_.tBL;
    unit.can_access = time + std::max(dram_.tCCD_S, dram_.tBL);
    group.can_access = time + std::max(dram_.tCCD_L, dram_.tBL);
    if (burst.write) {
      unit.can_read = std::max(unit.can_read, write_end + dram_.tWTR_S);
      group.can_read = std::max(group.can_read, write_end + dram_.tWTR_L);
    } else {
      unit.can_write = time + dram_.tRTW;
    }
    bank.can_precharge =
        std::max(bank.can_precharge, burst.write ? write_end + dram_.tWR : time + dram_.tRTP);
    return time;
  }
}

BankMemory::Ticks BankMemory::earliestAccess(const Unit& unit, const Burst& burst) const {
  const BankGroup& group = unit.groups[burst.bank / dram_.banks];
  const Bank& bank = unit.banks[burst.bank];
  Ticks time = std::max({burst.arrival, unit.can_access, group.can_access});
  time = burst.write ? std::max(time, unit.can_write) : std::max({time, unit.can_read, group.can_read});
  const bool hit = bank.open && bank.row == burst.row;
  return std::max(time, hit ? bank.can_access : earliestActivate(unit, burst) + dram_.tRCD);
}

/// A bound of the access by all but the bank itself, which refreshing closes.
BankMemory::Ticks BankMemory::earliestWithoutRefresh(const Unit& unit, const Burst& burst) const {
  const BankGroup& group = unit.groups[burst.bank / dram_.banks];
  const Ticks activate =
      std::max({unit.can_activate, group.can_activate, unit.activates[unit.oldest_activate]});
  const Ticks bus = burst.write ? unit.can_write : std::max(unit.can_read, group.can_read);
  return std::max({burst.arrival, unit.can_access, group.can_access, bus, activate + dram_.tRCD});
}

/// Precharging first where another row is open. Banks prepare beside each other's accesses.
BankMemory::Ticks BankMemory::earliestActivate(const Unit& unit, const Burst& burst) const {
  const Bank& bank = unit.banks[burst.bank];
  const Ticks closed =
      bank.open ? std::max(burst.arrival, bank.can_precharge) + dram_.tRP : bank.can_activate;
  return std::max({burst.arrival, closed, unit.can_activate,
                   unit.groups[burst.bank / dram_.banks].can_activate, unit.activates[unit.oldest_activate]});
}

void BankMemory::activate(Unit& unit, const Burst& burst, Ticks time) const {
  Bank& bank = unit.banks[burst.bank];
  bank.open = true;
  bank.row = burst.row;
  bank.can_access = time + dram_.tRCD;
  bank.can_precharge = time + dram_.tRAS;
  unit.can_activate = time + dram_.tRRD_S;
  unit.groups[burst.bank / dram_.banks].can_activate = time + dram_.tRRD_L;
  unit.activates[unit.oldest_activate] = time + dram_.tFAW;
  unit.oldest_activate = (unit.oldest_activate + 1) % unit.activates.size();
}

/// All banks of a pseudo channel close and are refreshed. `now`: refreshes long before were done while idle.
void BankMemory::refresh(Unit& unit, Ticks now) const {
  if (now > unit.next_refresh + dram_.tREFI)
    unit.next_refresh += (now - unit.next_refresh) / dram_.tREFI * dram_.tREFI;
  Ticks begin = unit.next_refresh;
  for (const Bank& bank : unit.banks) {
    begin = std::max(begin, bank.open ? bank.can_precharge + dram_.tRP : bank.can_activate);
  }
  for (Bank& bank : unit.banks) {
    bank.open = false;
    bank.can_activate = begin + dram_.tRFC;
  }
  unit.next_refresh += dram_.tREFI;
}

void BankMemory::done(const Burst& burst, Ticks data_end) {
  Port& port = ports_[burst.port];
  Run& run = port.runs[burst.run - retired_[burst.port]];
  const Cycles back = ceilDiv(data_end * dram_.core_mhz, dram_.dram_mhz) + dram_.controller_latency + 1;
  run.answer = std::max(run.answer, back);
  --run.bursts;
  // A port's runs are answered in order.
  while (!port.runs.empty() && port.runs.front().bursts == 0 &&
         port.runs.front().sent == port.runs.front().requests) {
    port.answered = std::max(port.answered, port.runs.front().answer);
    completions_.push({port.answered, burst.port});
    port.runs.pop_front();
    ++retired_[burst.port];
  }
}

}  // namespace sluice::inline simulator
