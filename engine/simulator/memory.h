#pragma once
// Hbm: the off-chip memory node of the reference simulator (semantics.md 6): a controller that takes one
// group of requests per port and cycle, ports in fixed order, and sends them to channels by a running,
// triangular counter; each channel serves one request per initiation interval and answers start_up + latency
// cycles after the service began. Addresses do not matter, nothing pushes back.
//
// Requests come in runs (a tile is NREQ requests, one group per cycle). Time is cut into stretches in which
// the same ports dispatch the same groups. A stretch of any length is a few vector operations over the
// channels (DispatchPattern). When a run's last service starts is only asked when its last request is out:
// then the log of stretches is read backwards until no earlier service can have started later. The result
// equals the model that steps every request (tests/engine/support/stepped_hbm.h).
//
// Outside reference mode the counter is a plain round robin, only a request that finds its channel idle pays
// the start-up, and a port may have several runs, served and answered one after the other.

#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <optional>
#include <queue>
#include <stop_token>
#include <utility>
#include <vector>

#include "engine/core/units.h"
#include "engine/simulator/backlog.h"
#include "engine/simulator/dispatch_pattern.h"
#include "engine/simulator/memory_trouble.h"

namespace sluice::inline simulator {

struct HbmConfig {
  std::uint64_t request_bytes = 64, channels = 32, latency = 2, initiation_interval = 2, start_up = 14;
  bool reference = true;
};

class Hbm {
 public:
  explicit Hbm(const HbmConfig& config);

  /// A port; lower ports are polled first. `groups_of`: requests a group (par_dispatch).
  std::uint32_t addPort(std::uint64_t groups_of);

  /// `requests` > 0 requests issued by a process whose clock is `clock`: group k leaves at clock + k, behind
  /// what the port has issued before.
  void issue(std::uint32_t port, std::uint64_t requests, Cycles clock);

  /// Whether a run has no answer yet.
  bool busy() const { return outstanding_ > 0; }

  /// Advances until the earliest run completes, but not beyond `until`, provided that no process issues
  /// anything before that. Appends the ports that completed (all at the same time; none if `until` comes
  /// first) and returns the clock at which they see their last response. busy() must hold.
  Cycles advance(std::vector<std::uint32_t>& completed, Cycles until = std::numeric_limits<Cycles>::max());

  std::uint64_t requests() const { return requests_; }
  /// How far it has come, at least.
  Cycles clock() const { return cycle_; }
  /// A stop request or trouble ends advance() before anything is completed.
  void heed(std::stop_token stop) { stop_ = std::move(stop); }
  const std::optional<MemoryTrouble>& trouble() const { return trouble_; }

 private:
  static constexpr Cycles never = std::numeric_limits<Cycles>::max();

  /// What a port sends, until its event: when it begins, sends another number, or has sent all.
  struct Run {
    std::uint64_t now = 0;  ///< requests each cycle until then; 0: not begun
    std::uint32_t port = 0;
  };
  struct Waiting {
    std::uint64_t requests;
    Cycles clock;
  };
  struct Port {
    std::uint64_t group;      ///< requests per full group
    bool sends = false;       ///< has a run among runs_
    std::size_t place = 0;    ///< of its last run among runs_, about
    std::uint64_t left = 0;   ///< requests of the run after its event
    std::uint64_t since = 0;  ///< number of the first stretch that last_start does not know
    Cycles last_start = 0;  ///< of the run's services, as far as known (an idle channel's start-up included)
    std::list<Waiting> waiting;  ///< runs behind it; there can be as many as tiles
    Cycles answered = 0;         ///< when its last run was answered
  };
  struct Completion {
    Cycles time;
    std::uint32_t port;
    bool operator>(const Completion& other) const {
      return time != other.time ? time > other.time : port > other.port;
    }
  };
  struct Stretch {
    Cycles begin;
    std::uint64_t cycles;
    DispatchPattern* pattern;
    const double* backlogs;  ///< at its begin
    std::size_t counter;     ///< the channel counter then
    double most;             ///< the largest of them
    std::size_t changes;     ///< how many of changes_ were before it
  };
  /// Of some requests in a stretch: after `begin`, its first cycle or that of its last period.
  struct LatestStart {
    Cycles begin;
    double latest;  ///< service start
    double most;    ///< backlog at `begin`
  };
  struct Change {
    std::uint32_t port;
    std::uint64_t more;  ///< requests each cycle than before; modulo 2^64
  };

  bool proceed();
  void update();
  bool settle(std::size_t run);
  void send(Run& run, std::uint64_t requests);
  void stretch(std::uint64_t cycles);
  void pass(DispatchPattern& p, std::uint64_t cycles);
  double* nextBacklogs();
  void decay(Cycles cycles);
  void stepCycle();
  void resolve(std::size_t run);
  PeriodicService service(DispatchPattern& p, std::size_t counter, std::uint64_t cycles);
  std::size_t later(std::size_t counter, std::size_t channels) const;
  LatestStart latestStart(const Stretch& stretch, std::uint64_t position, std::uint64_t count);
  double latestOfFew(const Stretch& stretch, std::uint64_t position, std::uint64_t count) const;
  double latestWithStartUp(const Stretch& stretch, std::uint64_t position, std::uint64_t count) const;
  DispatchPattern& pattern();
  bool tooWide();
  void forget(std::size_t stretches);

  HbmConfig config_;
  std::size_t channels_;
  double interval_;
  double idle_extra_;  ///< start-up that only a request to an idle channel pays
  Cycles service_;     ///< from a service's start to the response
  std::vector<Port> ports_;
  std::vector<Run> runs_;        ///< whose requests are not all out; by port, ascending
  std::vector<Cycles> events_;   ///< of each
  Cycles next_event_ = never;    ///< the earliest
  std::uint64_t per_cycle_ = 0;  ///< requests in each cycle until then
  BorrowedTables tables_;
  std::size_t ring_;  ///< how many backlogs tables_ has room for: those after each of the last passes
  std::size_t passes_ = 1;
  double* backlog_;          ///< of each channel, at cycle_
  double most_ = 0;          ///< the largest of them
  std::size_t counter_ = 0;  ///< the channel at which the next cycle begins
  std::uint64_t widest_;     ///< requests a cycle that a table is made for
  std::vector<Stretch> log_;
  std::uint64_t forgotten_ = 0;  ///< stretches before those of the log
  std::vector<Change> changes_;  ///< of what the runs send, since the log's first stretch
  Cycles cycle_ = 0;             ///< next controller cycle that is not settled
  std::uint64_t outstanding_ = 0, requests_ = 0;
  std::priority_queue<Completion, std::vector<Completion>, std::greater<>> completions_;
  std::stop_token stop_;
  std::optional<MemoryTrouble> trouble_;
};

}  // namespace sluice::inline simulator
