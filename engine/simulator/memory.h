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
#include <stop_token>
#include <utility>
#include <vector>

#include "engine/core/units.h"
#include "engine/simulator/agenda.h"
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
  static constexpr Cycles never = Agenda::never;
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  struct Waiting {
    std::uint64_t requests;
    Cycles clock;
  };
  struct Port {
    std::uint64_t group;       ///< requests per full group
    bool sends = false;        ///< has a run whose requests are not all out
    std::size_t place = none;  ///< among places_
    std::uint64_t left = 0;    ///< requests of the run after its event
    std::uint64_t since = 0;   ///< number of the first stretch that last_start does not know
    Cycles last_start = 0;  ///< of the run's services, as far as known (an idle channel's start-up included)
    std::list<Waiting> waiting;  ///< runs behind it; there can be as many as tiles
    Cycles answered = 0;         ///< when its last run was answered
  };
  /// Ports that send, by number. Most that have sent all will send again: they keep their places until more
  /// are idle than not.
  struct Place {
    std::uint64_t sends;  ///< requests each cycle; 0: not begun, or none left
    std::uint32_t port;
  };
  /// Some cycles, at most a period of the pattern where a longer stretch ends (and, outside reference mode,
  /// the start-up more).
  struct Stretch {
    Cycles begin;
    std::uint64_t cycles;
    DispatchPattern* pattern;
    const double* backlogs;  ///< at its begin
    std::size_t counter;     ///< the channel counter then
    double most;             ///< the largest of them
    std::uint64_t changes;   ///< how many there were before it
  };
  struct Change {
    std::uint32_t port;
    std::uint64_t more;  ///< requests each cycle than before; modulo 2^64
  };

  void takePlace(std::uint32_t port);
  bool proceed();
  void settle(std::uint32_t port);
  void send(std::uint32_t port, std::uint64_t requests);
  void stretch(std::uint64_t cycles);
  void decay(Cycles cycles);
  void stepCycle();
  void resolve(std::uint32_t port);
  std::size_t later(std::size_t counter, std::size_t channels) const;
  double latestStart(const Stretch& stretch, std::uint64_t position, std::uint64_t count);
  double latestOfFew(const Stretch& stretch, std::uint64_t position, std::uint64_t count) const;
  double latestWithStartUp(const Stretch& stretch, std::uint64_t position, std::uint64_t count) const;
  DispatchPattern& pattern();
  DispatchPattern& makePattern();
  bool tooWide();
  void forget(std::size_t stretches);

  HbmConfig config_;
  std::size_t channels_;
  double interval_;
  double idle_extra_;  ///< start-up that only a request to an idle channel pays
  Cycles service_;     ///< from a service's start to the response
  std::vector<Port> ports_;
  std::vector<Place> places_;
  std::size_t idle_ = 0;         ///< of those, how many have no run
  Agenda events_;                ///< when the run of a port begins, sends another number, or has sent all
  std::uint64_t per_cycle_ = 0;  ///< requests in each cycle until then
  BorrowedTables tables_;
  double* ring_;             ///< backlogs after each of the last passes
  std::size_t passes_ = 1;   ///< where the next ones go
  double* backlog_;          ///< of each channel, at cycle_
  double most_ = 0;          ///< the largest of them
  std::size_t counter_ = 0;  ///< the channel at which the next cycle begins
  std::uint64_t widest_;     ///< requests a cycle that a table is made for
  std::vector<Stretch> log_;
  std::uint64_t forgotten_ = 0;       ///< stretches before those of the log
  std::vector<Change> changes_;       ///< of what ports send, since the log's first stretch
  std::uint64_t changes_before_ = 0;  ///< how many were before them
  Cycles cycle_ = 0;                  ///< next controller cycle that is not settled
  std::uint64_t outstanding_ = 0, requests_ = 0;
  Agenda completions_;  ///< when a port sees the last answer of a run
  std::stop_token stop_;
  std::optional<MemoryTrouble> trouble_;
};

}  // namespace sluice::inline simulator
