#pragma once
// StoreDialog: past explorations in result stores - what was explored, when, how far - to be looked at again
// in the explorer's views, joined with those of other stores, and written for other tools. Files are read and
// written beside the event loop.

#include <QDialog>
#include <vector>

#include "app/window/shell/background_work.h"
#include "engine/explorer/store/result_store.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTreeWidget;

namespace sluice::ui {

class StoreDialog : public QDialog {
  Q_OBJECT

 public:
  explicit StoreDialog(QWidget* parent);

  /// Offers the stores used last, and lists what the newest of them holds.
  void showRecent();
  /// Lists what the store holds.
  void openStore(const QString& file);
  /// Adds what another store, or a .jsonl file, holds to the one that is open.
  void mergeStore(const QString& other);
  /// CSV, or JSON Lines where the name ends in .jsonl; of the chosen exploration, or of all.
  void exportTo(const QString& file);
  bool idle() const { return work_.idle(); }

 signals:
  /// The points of an exploration, in the order in which it visited them; they may be taken.
  void explorationOpened(std::vector<sluice::DesignPoint>& points, const sluice::ExplorationRecord& record);

 private:
  void build();
  void offerRecent();
  void enable();
  void list(const Result<std::vector<ExplorationRecord>>& records, const QString& file);
  void openChosen();
  const ExplorationRecord* chosen() const;
  void tell(const QString& text, bool trouble = false);
  void refuse(const Diagnostics& diagnostics);

  QString file_;
  std::vector<ExplorationRecord> records_;  ///< rows of the list
  QComboBox* recent_;
  QLabel *name_, *status_;
  QTreeWidget* list_;
  QPushButton *choose_, *merge_, *export_, *open_;
  BackgroundWork work_;  ///< last: its destructor waits
};

}  // namespace sluice::ui
