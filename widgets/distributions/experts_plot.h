#pragma once
// ExpertsPlot: how many tokens each expert gets: the mean over the traces as a bar, from the least to the
// most as a line, and the chosen trace as a mark.

#include "engine/distributions/expert_loads.h"
#include "widgets/export/exportable.h"
#include "widgets/plots/plot.h"
#include "widgets/plots/spread_lines.h"

namespace sluice::ui {

class ExpertsPlot : public Plot {
  Q_OBJECT

 public:
  explicit ExpertsPlot(QWidget* parent = nullptr);

  /// `ranked`: the busiest of each trace first, else by the number of the expert.
  void setLoads(const ExpertLoads& loads, bool ranked);
  void clear(const QString& notice);
  QString csv() const override;

 protected:
  void restyle() override;

 private:
  ExpertLoads loads_;
  bool ranked_ = true;
  QCPBars* mean_;
  SpreadLines spread_;
  QCPGraph* chosen_;
};

Exportable exportable(ExpertsPlot& plot);

}  // namespace sluice::ui
