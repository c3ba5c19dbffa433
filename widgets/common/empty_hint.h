#pragma once
// EmptyHint: what a list or table says in its middle while it has no rows: what would fill it.

#include <QLabel>

class QAbstractItemView;

namespace sluice::ui {

class EmptyHint : public QLabel {
  Q_OBJECT

 public:
  /// For a view that has its model; the view owns the hint.
  EmptyHint(QAbstractItemView* view, const QString& hint);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void follow();

  QAbstractItemView* view_;
};

}  // namespace sluice::ui
