#pragma once
// DecisionPanel: from many points to one. Weights say what matters; limits are the shared filters. It names
// the best point that they leave, and what is given up for it in each metric.

#include <QWidget>
#include <optional>

#include "engine/explorer/decision.h"
#include "widgets/points/point_selection.h"

class QLabel;
class QPushButton;
class QSlider;

namespace sluice::ui {

class DecisionPanel : public QWidget {
  Q_OBJECT

 public:
  explicit DecisionPanel(PointSelection* selection, QWidget* parent = nullptr);

  Weights weights() const;
  const std::optional<Choice>& choice() const { return choice_; }

 signals:
  void pointActivated(int index);

 private:
  QWidget* makeWeights();
  void decideLater();
  void decide();
  QString describe(const Choice& choice) const;

  PointSelection* selection_;
  std::vector<std::pair<std::string, QSlider*>> sliders_;
  std::vector<QWidget*> priced_;  ///< the rows of metrics that only points with a technology have
  QLabel* answer_;
  QPushButton* use_;
  std::optional<Choice> choice_;
  bool pending_ = false;
};

}  // namespace sluice::ui
