#include "app/window/shell/end_signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <QSocketNotifier>
#include <atomic>
#include <cerrno>

namespace sluice::ui {
namespace {

std::atomic<int> write_end = -1;
std::atomic<int> how_many = 0;

/// timeout(1) and batch systems send theirs to the process and to its group: two are one. Who asks a third
/// time has met a window that does not answer.
constexpr int patience = 2;

extern "C" void passOn(int number) {
  const int error = errno;
  if (++how_many > patience) {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    ::sigaction(number, &action, nullptr);
    ::raise(number);  // comes when this returns
  }
  const auto byte = static_cast<unsigned char>(number);
  (void)!::write(write_end, &byte, 1);
  errno = error;
}

}  // namespace

EndSignals::EndSignals(QObject* parent) : QObject(parent) {
  if (::pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) return;  // they end the program, as without this
  write_end = ends_[1];
  how_many = 0;
  auto* notifier = new QSocketNotifier(ends_[0], QSocketNotifier::Read, this);
  connect(notifier, &QSocketNotifier::activated, this, &EndSignals::read);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    Before before{number, {}};
    ::sigaction(number, nullptr, &before.action);
    if (before.action.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = passOn;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(number, &action, nullptr);
    before_.push_back(before);
  }
}

EndSignals::~EndSignals() {
  for (const Before& before : before_) ::sigaction(before.number, &before.action, nullptr);
  write_end = -1;
  for (const int end : ends_)
    if (end >= 0) ::close(end);
}

void EndSignals::read() {
  unsigned char number = 0;
  if (::read(ends_[0], &number, 1) != 1 || told_) return;
  told_ = true;
  emit came(number);
}

}  // namespace sluice::ui
