#pragma once
// LayoutSteps: between a layout that is being computed and who waits for it - how far it is, and whether it
// is still wanted.

#include <atomic>
#include <memory>
#include <stop_token>

namespace sluice::ui {

struct LayoutSteps {
  std::stop_token stop;
  std::shared_ptr<std::atomic<double>> done;  ///< 0..1; none: not asked for

  bool unwanted() const { return stop.stop_requested(); }
  void reached(double share) const {
    if (done) *done = share;
  }
};

}  // namespace sluice::ui
