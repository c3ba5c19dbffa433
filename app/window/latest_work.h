#pragma once
// LatestWork: work beside the event loop, one at a time. Of what is asked for meanwhile only the newest is
// done, and only the newest is answered; what it supersedes is asked to stop.

#include <QObject>
#include <QThreadPool>
#include <functional>
#include <stop_token>

#include "engine/core/diagnostic.h"

namespace sluice::ui {

class LatestWork : public QObject {
  Q_OBJECT

 public:
  using Answer = std::function<void()>;                             ///< called by the event loop
  using Work = std::function<Answer(const std::stop_token& stop)>;  ///< called by another thread

  explicit LatestWork(QObject* parent = nullptr);
  ~LatestWork() override;

  void ask(Work work);
  void stop();    ///< asks what is under way to stop; it is answered with what it has
  void forget();  ///< what is asked for is answered no more
  bool idle() const { return !running_; }

 signals:
  /// Instead of an answer: the work threw, for lack of memory or by a mistake of ours.
  void failed(const sluice::Diagnostic& why);

 private:
  void start(Work work);
  Answer answerOf(const Work& work, const std::stop_token& stop);

  Work next_;
  std::stop_source stop_;  ///< of what is under way
  bool running_ = false, wanted_ = false;
  QThreadPool pool_;  ///< last: its destructor waits
};

}  // namespace sluice::ui
