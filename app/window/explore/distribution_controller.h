#pragma once
// DistributionController: runs the shown design under every trace of the program's sets, in the background
// and only while somebody looks, and brings what the exploration has found to the same panel.

#include <QObject>
#include <QTimer>
#include <memory>

#include "app/window/shell/background_work.h"
#include "app/window/shell/window_context.h"
#include "engine/core/executor.h"
#include "widgets/distributions/distribution_data.h"

namespace sluice::ui {

class DistributionPanel;

class DistributionController : public QObject {
  Q_OBJECT

 public:
  explicit DistributionController(const WindowContext& context);

  DistributionPanel* panel() const { return panel_; }
  void setWanted(bool wanted);
  /// Everything that was asked for is shown.
  bool idle() const { return work_.idle() && fifo_work_.idle() && !refresh_.isActive(); }

 signals:
  void setOpened();  ///< the program has a set of traces, where the one before had none
  void setClosed();  ///< the other way round

 private:
  void follow();
  void evaluateShown();
  void takeExplored();
  void showFifos();

  const WindowContext context_;
  DistributionPanel* panel_;
  DistributionData data_;
  std::shared_ptr<const PointResult> sampled_, banded_;  ///< whose samples and bands were asked for last
  bool wanted_ = false;
  const std::unique_ptr<Executor> executor_;
  QTimer refresh_;                   ///< while an exploration streams in
  BackgroundWork work_, fifo_work_;  ///< last: their destructors wait
};

}  // namespace sluice::ui
