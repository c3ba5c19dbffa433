#pragma once
// PlacementPage: what a compiled design takes of an accelerator card - LUTs, flip-flops, DSPs and blocks of
// memory of every kernel, converter, transfer and FIFO, and of all of them against what the card has.

#include <QWidget>

#include "widgets/placement/placed_design.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QSortFilterProxyModel;
class QTableView;

namespace sluice::ui {

class PartsModel;
class TotalsModel;

class PlacementPage : public QWidget {
  Q_OBJECT

 public:
  explicit PlacementPage(QWidget* parent = nullptr);

  /// Tensor programs of the schedule, by their paths. None: the page says how to get one.
  void setPrograms(const QStringList& programs);
  /// A card or a machine file, which is chosen.
  void addPlatform(const QString& name, const QString& title);
  QString program() const;
  QString platform() const;  ///< a name, or a file
  /// While it is computed, what was shown stays.
  void setPlaced(const PlacedOnCard& placed);
  const PlacedOnCard& placed() const { return placed_; }
  QTableView* parts() const { return parts_; }
  QTableView* totals() const { return totals_; }
  QString notice() const;
  void tell(const QString& notice);

 signals:
  void changed();  ///< another program or platform is chosen
  void platformFileWanted();
  void partChosen(const QString& name);

 private:
  QWidget* buildTop();

  PlacedOnCard placed_;
  QComboBox *programs_, *platforms_;
  QLineEdit* filter_;
  QLabel* notice_;
  PartsModel* parts_model_;
  TotalsModel* totals_model_;
  QSortFilterProxyModel* sorted_;
  QTableView *parts_, *totals_;
};

}  // namespace sluice::ui
