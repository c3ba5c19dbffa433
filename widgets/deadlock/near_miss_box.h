#pragma once
// NearMissBox: of a run that ended, the FIFOs that a few slots fewer would deadlock, and what each costs.

#include <QList>
#include <QString>
#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QTreeWidget;

namespace sluice::ui {

struct NearMissRow {
  QString origin;  ///< as the canvas calls it, or empty
  QString name;    ///< "x.out -> join.in1"
  QString members;
  int instances = 1;
  qint64 depth = 0, fewer = 0, stall = 0, full = 0;
};

class NearMissBox : public QWidget {
  Q_OBJECT

 public:
  explicit NearMissBox(QWidget* parent = nullptr);

  void setMessage(const QString& message);  ///< what there is to say of the run
  void setAvailable(bool available);        ///< there is a run to look at
  void setSearching(double fraction, int runs);
  void setRows(const QList<NearMissRow>& rows, bool gave_up);
  void clear();
  int within() const;
  const QTreeWidget* table() const { return rows_; }
  QString csv() const;

 signals:
  void searchRequested(int within);
  void cancelRequested();
  void streamChosen(const QString& origin);

 private:
  void updateParts();

  QLabel *message_, *result_;
  QSpinBox* within_;
  QPushButton *find_, *cancel_;
  QProgressBar* bar_;
  QTreeWidget* rows_;
  QList<NearMissRow> misses_;  ///< that the rows show
  bool searching_ = false, available_ = false;
};

}  // namespace sluice::ui
