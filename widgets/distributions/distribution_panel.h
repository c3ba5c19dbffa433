#pragma once
// DistributionPanel: a design under every trace of a set: the distribution of a metric, the explored designs
// side by side, FIFOs with bands, tokens of experts, and the traces themselves.

#include <QWidget>

#include "widgets/distributions/distribution_data.h"

class QComboBox;
class QLabel;
class QSortFilterProxyModel;
class QTableView;
class QTabWidget;

namespace sluice::ui {

class BoxPlot;
class DistributionPlot;
class ExpertsPlot;
class OccupancyPlot;
class TraceModel;

class DistributionPanel : public QWidget {
  Q_OBJECT

 public:
  enum class Page { Distribution, Designs, Fifos, Experts, Traces };

  explicit DistributionPanel(QWidget* parent = nullptr);

  void setData(const DistributionData& shown);
  const DistributionData& shown() const { return data_; }
  void setStale(bool stale);  ///< greyed: the numbers belong to an older point
  /// "412 of 1,000 traces"; empty: nothing is under way.
  void setProgress(const QString& progress);
  void setFifos(const PointResult& run, const std::vector<OccupancyBand>& bands);
  const MetricSpec& metric() const;
  QString sentence() const;

  QTabWidget* tabs() const { return tabs_; }
  QWidget* page(Page page) const;
  DistributionPlot* distribution() const { return distribution_; }
  BoxPlot* boxes() const { return boxes_; }
  OccupancyPlot* fifos() const { return fifos_; }
  ExpertsPlot* experts() const { return experts_; }
  QTableView* table() const { return table_; }
  TraceModel* traces() const { return model_; }

 signals:
  void pageChanged();

 private:
  void makeBar();
  void show();
  void showExperts();
  void choose(std::size_t trace);

  DistributionData data_;
  std::size_t chosen_ = 0;  ///< the trace that is marked
  QComboBox *metric_, *order_;
  QLabel* progress_;
  QTabWidget* tabs_;
  DistributionPlot* distribution_;
  BoxPlot* boxes_;
  OccupancyPlot* fifos_;
  ExpertsPlot* experts_;
  TraceModel* model_;
  QSortFilterProxyModel* sorted_;
  QTableView* table_;
};

}  // namespace sluice::ui
