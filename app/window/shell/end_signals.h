#pragma once
// SIGINT, SIGTERM and SIGHUP as a signal of the event loop: a window that is asked to end from outside - by a
// terminal, a batch system, the end of a login - still puts aside what is not saved.

#include <signal.h>

#include <QObject>
#include <vector>

namespace sluice::ui {

class EndSignals : public QObject {
  Q_OBJECT

 public:
  /// Takes the signals over until it is destroyed; there can be one at a time. One that is ignored,
  /// as nohup and shells in the background do, stays ignored.
  explicit EndSignals(QObject* parent = nullptr);
  ~EndSignals() override;

 signals:
  /// The first one; told once.
  void came(int signal);

 private:
  void read();

  int ends_[2] = {-1, -1};  ///< of a pipe: a handler of signals may do no more than write
  bool told_ = false;
  struct Before {
    int number;
    struct sigaction action;
  };
  std::vector<Before> before_;
};

}  // namespace sluice::ui
