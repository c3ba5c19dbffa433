#pragma once
// DistributionPlot: the empirical distribution of a metric over the traces - which share of them is at most
// so large - with the chosen trace marked, and the quantiles that people ask for.

#include "widgets/distributions/distribution_data.h"
#include "widgets/export/exportable.h"
#include "widgets/plots/plot.h"

namespace sluice::ui {

class DistributionPlot : public Plot {
  Q_OBJECT

 public:
  explicit DistributionPlot(QWidget* parent = nullptr);

  /// `chosen`: index of a trace.
  void setSamples(const WorkloadSet& set, const PointSamples& samples, const MetricSpec& metric,
                  std::size_t chosen);
  void clear(const QString& notice);
  /// "zipf 17: 1.234 M cycles, the 62nd percentile of 1,536".
  QString sentence() const { return sentence_; }
  QString csv() const override;

 protected:
  void restyle() override;

 private:
  QString sentence_;
  std::string metric_;
  std::vector<double> values_;  ///< ascending; infinite where a run did not end
  std::vector<std::string> quantiles_;
  QCPTextElement* heading_;
  QCPGraph *line_, *marks_, *chosen_;
};

Exportable exportable(DistributionPlot& plot);

}  // namespace sluice::ui
