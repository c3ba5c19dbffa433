#include "app/cli/progress.h"

#include <unistd.h>

#include <iostream>

#include "app/cli/table.h"

namespace sluice::cli {

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(const std::string& what, double fraction, double seconds_left) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  shown_ = true;
  std::cerr << "\r\033[K" << what << "  " << percent(fraction);
  if (seconds_left >= 0) std::cerr << "  " << durationText(seconds_left) << " left";
  std::cerr << std::flush;
}

void ProgressLine::clear() {
  if (shown_) std::cerr << "\r\033[K" << std::flush;
  shown_ = false;
}

double secondsLeft(double fraction, double spent) {
  return fraction > 0.01 && spent > 0.05 ? spent * (1 - fraction) / fraction : -1;
}

}  // namespace sluice::cli
