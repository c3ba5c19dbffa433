#pragma once
// BackgroundWork: a TaskLane whose pieces are answered by the event loop; the window has no other work beside
// that. A piece is asked to stop when its answer is no longer wanted, and an exception in it takes nothing
// down.

#include <QObject>
#include <cstdint>
#include <functional>
#include <stop_token>

#include "engine/core/task_lane.h"

namespace sluice::ui {

class BackgroundWork : public QObject {
  Q_OBJECT

 public:
  using Answer = std::function<void()>;                             ///< called by the event loop
  using Work = std::function<Answer(const std::stop_token& stop)>;  ///< called by another thread

  explicit BackgroundWork(QObject* parent = nullptr);

  void ask(Work work);           ///< instead of all that was asked for before: only the newest is answered
  void add(Work work);           ///< behind what was asked for before
  void stop() { lane_.stop(); }  ///< asks what is under way to stop; it is answered with what it has
  void forget();                 ///< nothing that was asked for is answered
  bool idle() const { return settled_ == newest_; }

 signals:
  /// Instead of an answer: the work threw, for lack of memory or by a mistake of ours.
  void failed(const sluice::Diagnostic& why);

 private:
  void deliver(std::uint64_t number, Answer answer);

  std::uint64_t newest_ = 0;   ///< number of the last piece that was asked for
  std::uint64_t settled_ = 0;  ///< up to which pieces have been answered or forgotten
  TaskLane lane_;              ///< last: its destructor waits
};

}  // namespace sluice::ui
