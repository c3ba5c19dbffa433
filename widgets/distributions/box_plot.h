#pragma once
// BoxPlot: a metric of each explored design over the traces: a box from the quarter to the three quarters
// with the median, whiskers from 5 % to 95 %, and the least and the most beyond them.

#include "widgets/distributions/distribution_data.h"
#include "widgets/export/exportable.h"
#include "widgets/plots/plot.h"

namespace sluice::ui {

class BoxPlot : public Plot {
  Q_OBJECT

 public:
  explicit BoxPlot(QWidget* parent = nullptr);

  /// Designs without a value are left out; of many those with the best medians are drawn.
  void setDesigns(const std::vector<SampledDesign>& designs, const MetricSpec& metric);
  void clear(const QString& notice);
  std::size_t drawn() const { return names_.size(); }
  QString csv() const override;

 protected:
  void restyle() override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void nameBoxes();

  std::string metric_;
  std::vector<QString> names_;  ///< of the boxes that are drawn
  std::vector<std::pair<QString, Summary>> all_;
  QCPStatisticalBox* boxes_;
};

/// Its pgf is what is painted: pgfplots draws boxes only from all their values.
Exportable exportable(BoxPlot& plot);

}  // namespace sluice::ui
