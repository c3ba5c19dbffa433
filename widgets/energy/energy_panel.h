#pragma once
// EnergyPanel: what a run costs in joules - a table and stacked bars, by operator or by region - and whether
// the canvas shows it.

#include <QWidget>

#include "widgets/energy/energy_breakdown.h"

class QBoxLayout;
class QCheckBox;
class QComboBox;
class QLabel;
class QSortFilterProxyModel;
class QTabBar;
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
  /// Of the document: a name, a file, or empty.
  void setTechnology(const QString& name);
  void setStale(bool stale);  ///< greyed: the numbers belong to an older point
  /// J, of what the canvas shows no node for.
  void setElsewhere(double energy);
  double elsewhere() const { return elsewhere_; }
  EnergyPlot* plot();
  QTableView* table();
  const std::shared_ptr<const PointResult>& run() const { return run_; }
  EnergyGroups groups() const;
  bool heats() const;  ///< the canvas is to show what each operator costs

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 signals:
  void placeActivated(const QString& place);
  void heatChanged();
  void technologyChosen(const QString& name);  ///< empty: none

 private:
  void build();
  void arrange();  ///< bars beside the table, or one at a time
  void refresh();
  void changed();  ///< what is seen is refreshed at once, else when somebody asks for it

  bool outdated_ = true;
  double elsewhere_ = 0;
  std::shared_ptr<const PointResult> run_;
  QComboBox *groups_, *technology_;
  QCheckBox* heat_;
  QLabel* total_;
  QBoxLayout* bar_;
  QTabBar* parts_;  ///< bars, table: one at a time, where there is no room for both
  EnergyPlot* plot_;
  EnergyModel* model_;
  QSortFilterProxyModel* sorted_;
  QTableView* table_;
};

}  // namespace sluice::ui
