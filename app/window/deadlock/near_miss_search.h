#pragma once
// NearMissSearch: has the near misses of a run looked for beside the event loop, and shows them.

#include <QTimer>
#include <atomic>
#include <memory>

#include "app/window/document/graph_correspondence.h"
#include "app/window/shell/background_work.h"
#include "engine/fifo/near_misses.h"

namespace sluice::ui {

class NearMissBox;

class NearMissSearch : public QObject {
  Q_OBJECT

 public:
  NearMissSearch(NearMissBox* box, QObject* parent);

  /// A run that ended. `shown`: what of its program the canvas shows.
  void setPoint(std::shared_ptr<const Workload> workload, std::shared_ptr<const PointResult> point,
                const GraphCorrespondence& shown);
  void forget();
  void start(int within);
  bool running() const { return running_; }

 private:
  struct Progress;
  void showRows(const NearMisses& misses);

  NearMissBox* box_;
  std::shared_ptr<const Workload> workload_;
  std::shared_ptr<const PointResult> point_;
  GraphCorrespondence shown_;
  bool running_ = false;
  std::shared_ptr<Progress> progress_;
  QTimer timer_;
  BackgroundWork work_;  ///< last: its destructor waits
};

}  // namespace sluice::ui
