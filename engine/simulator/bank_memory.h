#pragma once
// BankMemory: off-chip memory down to its banks (HBM2, HBM3). Every pseudo channel is on its own: a queue,
// from which the access that can be first goes first (FR-FCFS); rows that stay open; activate, precharge and
// column timing per bank and bank group; refresh of all banks; turn-around of the bus. The numbers are Dram's
// (engine/program/dram.h). A bank prepares a row as soon as its burst has come, beside the other banks'
// accesses.
//
// Time is cut into windows shorter than any answer takes, so that no process can ask in a window because of
// an answer in it. In a window every pseudo channel is served alone.

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <queue>
#include <stop_token>
#include <vector>

#include "engine/core/units.h"
#include "engine/program/dram.h"
#include "engine/simulator/memory_trouble.h"

namespace sluice::inline simulator {

/// Where the requests of a run go: rows of `row_requests` requests, `row_stride` bytes apart.
struct Access {
  std::uint64_t address = 0, row_requests = 1, row_stride = 0;
  bool write = false;
};

class BankMemory {
 public:
  BankMemory(const Dram& dram, std::uint64_t channels, std::uint64_t request_bytes);

  // As of Hbm.
  std::uint32_t addPort(std::uint64_t groups_of);
  void issue(std::uint32_t port, std::uint64_t requests, const Access& access, Cycles clock);
  bool busy() const { return outstanding_ > 0; }
  Cycles advance(std::vector<std::uint32_t>& completed, Cycles until = std::numeric_limits<Cycles>::max());
  std::uint64_t requests() const { return requests_; }
  Cycles clock() const { return cycle_; }
  /// A stop request or trouble ends advance() before anything is completed.
  void heed(std::stop_token stop) { stop_ = std::move(stop); }
  const std::optional<MemoryTrouble>& trouble() const { return trouble_; }

  std::uint64_t rowHits() const;
  std::uint64_t rowMisses() const;
  /// Bursts of a port whose row was open, and others: each has activated its row.
  std::uint64_t rowHits(std::uint32_t port) const { return ports_[port].hits; }
  std::uint64_t rowMisses(std::uint32_t port) const { return ports_[port].misses; }

 private:
  using Ticks = std::uint64_t;  ///< of the memory's clock
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  struct Run {
    Access access;
    std::uint64_t requests = 0, sent = 0, bursts = 0;  ///< bursts: in queues
    Cycles first = 0, answer = 0;
  };
  struct Port {
    std::uint64_t group = 1;
    std::deque<Run> runs;  ///< oldest first; requests leave in this order
    Cycles answered = 0;
    std::uint64_t hits = 0, misses = 0;
  };
  struct Burst {
    Ticks arrival;
    std::uint64_t row;
    std::uint32_t bank, port;
    std::uint64_t run;  ///< number of the port's run, counted from the beginning
    bool write;
  };
  struct Bank {
    bool open = false;
    std::uint64_t row = 0;
    Ticks can_access = 0, can_precharge = 0, can_activate = 0;
  };
  struct BankGroup {
    Ticks can_access = 0, can_read = 0, can_activate = 0;
  };
  struct Unit {  ///< a pseudo channel
    std::vector<Burst> queue;
    std::size_t head = 0;
    std::vector<Bank> banks;
    std::vector<BankGroup> groups;
    Ticks can_access = 0, can_read = 0, can_write = 0, can_activate = 0;
    std::array<Ticks, 4> activates{};  ///< when each of the last four makes room for another
    std::size_t oldest_activate = 0;
    Ticks next_refresh = 0;
    std::uint64_t passed_by = 0;  ///< how often the oldest burst was
    std::size_t size() const { return queue.size() - head; }
  };
  struct Completion {
    Cycles time;
    std::uint32_t port;
    bool operator>(const Completion& other) const {
      return time != other.time ? time > other.time : port > other.port;
    }
  };

  Ticks ticks(Cycles cycles) const { return ceilDiv(cycles * dram_.dram_mhz, dram_.core_mhz); }
  Cycles nextCycle() const;
  void send(Cycles until);
  void sendGroup(std::uint32_t port, Cycles cycle);
  void enqueue(Burst burst, std::uint64_t number);
  void serve(Unit& unit, Ticks until);
  std::size_t choose(const Unit& unit, Ticks now) const;
  Ticks access(Unit& unit, const Burst& burst);
  Ticks earliestAccess(const Unit& unit, const Burst& burst) const;
  Ticks earliestActivate(const Unit& unit, const Burst& burst) const;
  Ticks earliestWithoutRefresh(const Unit& unit, const Burst& burst) const;
  void refresh(Unit& unit, Ticks now) const;
  void activate(Unit& unit, const Burst& burst, Ticks time) const;
  void done(const Burst& burst, Ticks data_end);

  Dram dram_;
  std::uint64_t request_bytes_;
  std::array<std::uint64_t, 5> extents_;  ///< Part -> how many there are
  Cycles window_;
  std::vector<Unit> units_;
  std::vector<Port> ports_;
  std::vector<std::uint64_t> retired_;  ///< port -> runs that are answered
  std::vector<std::uint32_t> senders_;  ///< ports with requests to send, ascending
  std::uint64_t queued_ = 0;            ///< bursts in all queues
  Cycles cycle_ = 0;
  std::uint64_t outstanding_ = 0, requests_ = 0;
  std::priority_queue<Completion, std::vector<Completion>, std::greater<>> completions_;
  std::stop_token stop_;
  std::optional<MemoryTrouble> trouble_;
};

}  // namespace sluice::inline simulator
