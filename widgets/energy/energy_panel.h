#pragma once
// EnergyPanel: what a run costs in joules - a table and stacked bars, by operator or by region - and whether
// the canvas shows it.

#include <QWidget>

#include "widgets/energy/energy_breakdown.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QSortFilterProxyModel;
class QTableView;

namespace sluice::ui {

class EnergyModel;
class EnergyPlot;

class EnergyPanel : public QWidget {
  Q_OBJECT

 public:
  explicit EnergyPanel(QWidget* parent = nullptr);

  /// Null: there is none.
  void setRun(std::shared_ptr<const PointResult> run);
  void setStale(bool stale);  ///< greyed: the numbers belong to an older point
  EnergyPlot* plot();
  QTableView* table();
  const std::shared_ptr<const PointResult>& run() const { return run_; }
  EnergyGroups groups() const;
  bool heats() const;  ///< the canvas is to show what each operator costs

 protected:
  void showEvent(QShowEvent* event) override;

 signals:
  void placeActivated(const QString& place);
  void heatChanged();

 private:
  void refresh();
  void changed();  ///< what is seen is refreshed at once, else when somebody asks for it

  bool outdated_ = true;
  std::shared_ptr<const PointResult> run_;
  QComboBox* groups_;
  QCheckBox* heat_;
  QLabel* total_;
  EnergyPlot* plot_;
  EnergyModel* model_;
  QSortFilterProxyModel* sorted_;
  QTableView* table_;
};

}  // namespace sluice::ui
