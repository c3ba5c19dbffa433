#pragma once
// LatestWork: work beside the event loop, one at a time. Of what is asked for meanwhile only the newest is
// done, and only the newest is answered.

#include <QObject>
#include <QThreadPool>
#include <functional>

namespace sluice::ui {

class LatestWork : public QObject {
 public:
  using Answer = std::function<void()>;  ///< called by the event loop
  using Work = std::function<Answer()>;  ///< called by another thread

  explicit LatestWork(QObject* parent = nullptr);
  ~LatestWork() override;

  void ask(Work work);
  void forget();  ///< what is asked for is answered no more
  bool idle() const { return !running_; }

 private:
  void start(Work work);

  Work next_;
  bool running_ = false, wanted_ = false;
  QThreadPool pool_;  ///< last: its destructor waits
};

}  // namespace sluice::ui
