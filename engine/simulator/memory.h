#pragma once
// Hbm: the off-chip memory node of the reference simulator (step_sim_spec 5): a controller that takes one
// group of requests per port and cycle, ports in fixed order, and sends them to channels by a running,
// triangular counter; each channel serves one request per initiation interval and answers start_up + latency
// cycles after the service began. Addresses do not matter, nothing pushes back.
//
// Requests come in runs (a tile is NREQ requests, one group per cycle). While the set of dispatching ports
// does not change, the channels follow a periodic pattern, and a whole number of periods is applied in closed
// form: the time a channel becomes free is max(x + a, T + b) of the time x before, and that map iterates in
// closed form. The result equals the request-by-request model.

#include <cstdint>
#include <limits>
#include <queue>
#include <vector>

#include "engine/core/units.h"

namespace sluice::sim {

struct HbmConfig {
  std::uint64_t request_bytes = 64, channels = 32, latency = 2, initiation_interval = 2, start_up = 14;
};

class Hbm {
 public:
  explicit Hbm(const HbmConfig& config);

  /// A port; lower ports are polled first. `groups_of`: requests a group (par_dispatch).
  std::uint32_t addPort(std::uint64_t groups_of);

  /// `requests` > 0 requests issued by a process whose clock is `clock`: group k leaves at clock + k. One run
  /// per port at a time.
  void issue(std::uint32_t port, std::uint64_t requests, Cycles clock);

  /// Whether a run has no answer yet.
  bool busy() const { return outstanding_ > 0; }

  /// Advances until the earliest run completes, but not beyond `until`, provided that no process issues
  /// anything before that. Appends the ports that completed (all at the same time; none if `until` comes
  /// first) and returns the clock at which they see their last response. busy() must hold.
  Cycles advance(std::vector<std::uint32_t>& completed, Cycles until = std::numeric_limits<Cycles>::max());

  std::uint64_t requests() const { return requests_; }
  Cycles clock() const { return cycle_; }

  /// Off: every cycle is stepped one by one, as the specification words it. For tests and benchmarks.
  bool closed_form = true;

 private:
  struct Port {
    std::uint64_t group = 1;  ///< requests per full group
    Cycles first = 0;         ///< cycle in which the controller takes the first group
    std::uint64_t left = 0;   ///< requests not yet dispatched
    Cycles last_start = 0;    ///< latest service start of the run so far
    std::uint64_t now = 0;    ///< requests in each cycle of the present stretch
  };
  struct Completion {
    Cycles time;
    std::uint32_t port;
    bool operator>(const Completion& other) const {
      return time != other.time ? time > other.time : port > other.port;
    }
  };

  Cycles stretchEnd(Cycles limit);
  void stretch(Cycles cycles);
  void stepCycle();
  void skipPeriods(std::uint64_t periods, std::uint64_t length);
  void retire();

  HbmConfig config_;
  std::vector<Port> ports_;
  std::vector<std::uint32_t> active_;       ///< ports with requests left, ascending
  std::vector<std::uint32_t> dispatching_;  ///< those that send in the present stretch
  std::vector<Cycles> free_;                ///< per channel: when it can begin its next service
  std::vector<Cycles> scratch_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t per_cycle_ = 0;  ///< requests in each cycle of the present stretch
  std::uint64_t offset_ = 0;     ///< the running channel counter
  Cycles cycle_ = 0;             ///< next controller cycle
  std::uint64_t outstanding_ = 0, requests_ = 0;
  std::priority_queue<Completion, std::vector<Completion>, std::greater<>> completions_;
};

}  // namespace sluice::sim
