#pragma once
// FindBar: a field in the corner of the canvas that walks through what fits: nodes by name, kind and
// parameters, streams by their ends and types. Its owner says what there is and shows what was found.

#include <QFrame>
#include <QList>

class QLabel;
class QLineEdit;

namespace sluice::ui {

struct FindEntry {
  QString key;   ///< a node's path or a stream's origin
  QString text;  ///< what is searched
};

class FindBar : public QFrame {
  Q_OBJECT

 public:
  explicit FindBar(QWidget* parent);

  void setEntries(const QList<FindEntry>& entries);
  void open();
  void next() { step(1); }
  void previous() { step(-1); }
  QLineEdit* field() const { return field_; }
  QString countText() const;

 signals:
  void opened();  ///< the owner may bring the entries up to date
  void found(const QString& key);
  void closed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void search();
  void step(int distance);
  void show(int index);

  QList<FindEntry> entries_;
  QStringList hits_;
  int current_ = -1;
  QLineEdit* field_;
  QLabel* count_;
};

}  // namespace sluice::ui
