#pragma once
// BackgroundWork: work beside the event loop, one piece at a time; the window has no other. A piece is asked
// to stop when nobody wants its answer any more, and an exception in it takes nothing down.

#include <QObject>
#include <QThreadPool>
#include <deque>
#include <functional>
#include <stop_token>

#include "engine/core/diagnostic.h"

namespace sluice::ui {

class BackgroundWork : public QObject {
  Q_OBJECT

 public:
  using Answer = std::function<void()>;                             ///< called by the event loop
  using Work = std::function<Answer(const std::stop_token& stop)>;  ///< called by another thread

  explicit BackgroundWork(QObject* parent = nullptr);
  ~BackgroundWork() override;  ///< waits for what is under way, which is asked to stop

  void ask(Work work);  ///< instead of all that was asked for before: only the newest is answered
  void add(Work work);  ///< behind what was asked for before
  void stop();          ///< asks what is under way to stop; it is answered with what it has
  void forget();        ///< nothing that was asked for is answered
  bool idle() const { return !running_ && waiting_.empty(); }

 signals:
  /// Instead of an answer: the work threw, for lack of memory or by a mistake of ours.
  void failed(const sluice::Diagnostic& why);

 private:
  void startNext();
  Answer answerOf(const Work& work, const std::stop_token& stop);

  std::deque<Work> waiting_;
  std::stop_source stop_;  ///< of what is under way
  bool running_ = false, wanted_ = false;
  QThreadPool pool_;  ///< last: its destructor waits
};

}  // namespace sluice::ui
