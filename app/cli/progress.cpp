#include "app/cli/progress.h"

#include <unistd.h>

#include "app/cli/table.h"
#include "engine/core/printable.h"

namespace sluice::cli {

namespace {

/// Past std::cerr, which lets no control characters through.
void replaceLine(const std::string& line) {
  const std::string bytes = "\r\033[K" + printable(line);
  (void)!::write(STDERR_FILENO, bytes.data(), bytes.size());
}

}  // namespace

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(const std::string& what, double fraction, double seconds_left) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  shown_ = true;
  const double spent = std::chrono::duration<double>(now - start_).count();
  const bool says = seconds_left >= 0 || spent < 1;
  std::string line = what + "  " + (says ? percent(fraction) : durationText(spent) + " so far");
  if (seconds_left >= 0) line += "  " + durationText(seconds_left) + " left";
  replaceLine(line);
}

void ProgressLine::clear() {
  if (shown_) replaceLine("");
  shown_ = false;
}

Heartbeat::Heartbeat(std::function<void()> beat)
    : thread_([this, beat = std::move(beat)](const std::stop_token& quit) {
        std::unique_lock lock(mutex_);
        while (!over_.wait_for(lock, quit, std::chrono::milliseconds(200), [] { return false; }) &&
               !quit.stop_requested())
          beat();
      }) {}

double secondsLeft(double fraction, double spent) {
  return fraction > 0.01 && spent > 0.05 ? spent * (1 - fraction) / fraction : -1;
}

}  // namespace sluice::cli
