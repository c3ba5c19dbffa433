#pragma once
// SteppedHbm: the memory node of engine/simulator/semantics.md 6, one cycle and one request after the other,
// as its rules are worded. What the closed form of simulator::Hbm is checked against.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/simulator/memory.h"

namespace sluice::testing_support {

class SteppedHbm {
 public:
  explicit SteppedHbm(const simulator::HbmConfig& config) : config_(config), free_(config.channels) {}

  std::uint32_t addPort(std::uint64_t group) {
    ports_.push_back({.group = group});
    return static_cast<std::uint32_t>(ports_.size() - 1);
  }
  void issue(std::uint32_t port, std::uint64_t requests, Cycles clock) {
    ports_[port].first = clock + 1;
    ports_[port].left = requests;
    ports_[port].answer = 0;
    ports_[port].waits = true;
    requests_ += requests;
  }
  bool busy() const {
    return std::any_of(ports_.begin(), ports_.end(), [](const Port& p) { return p.waits; });
  }
  Cycles advance(std::vector<std::uint32_t>& completed) {
    for (;; ++cycle_) {
      Cycles earliest = never;
      for (const Port& p : ports_) {
        if (p.waits && p.left == 0) earliest = std::min(earliest, p.answer);
      }
      if (earliest < cycle_) {  // everything that leaves at that time has been dispatched
        for (std::uint32_t i = 0; i < ports_.size(); ++i) {
          if (!ports_[i].waits || ports_[i].left > 0 || ports_[i].answer != earliest) continue;
          ports_[i].waits = false;
          completed.push_back(i);
        }
        return earliest;
      }
      dispatch();
    }
  }
  std::uint64_t requests() const { return requests_; }

 private:
  static constexpr Cycles never = ~Cycles{0};
  struct Port {
    std::uint64_t group = 1, left = 0;
    Cycles first = 0, answer = 0;
    bool waits = false;
  };

  void dispatch() {
    std::uint64_t sent = 0;
    for (Port& p : ports_) {
      if (!p.waits || p.first > cycle_) continue;
      for (std::uint64_t k = std::min(p.group, p.left); k > 0; --k, --p.left) {
        if (config_.reference) offset_ = (offset_ + sent) % config_.channels;
        const std::uint64_t channel = config_.reference ? offset_ : (offset_ + sent) % config_.channels;
        ++sent;
        const Cycles start = std::max(free_[channel], cycle_ + 1);
        const bool pays = config_.reference || free_[channel] <= cycle_ + 1;
        free_[channel] = start + config_.initiation_interval;
        const Cycles service = config_.latency + (config_.reference ? config_.start_up : 0);
        const Cycles extra = pays && !config_.reference ? config_.start_up : 0;
        p.answer = std::max(p.answer, start + std::max<Cycles>(service, 1) + extra + 1);
      }
    }
    offset_ = (offset_ + sent) % config_.channels;
  }

  simulator::HbmConfig config_;
  std::vector<Cycles> free_;
  std::vector<Port> ports_;
  std::uint64_t offset_ = 0, requests_ = 0;
  Cycles cycle_ = 0;
};

}  // namespace sluice::testing_support
