#pragma once
// FilterBar: the filters that every view of the points shares, as a row of chips, and a field to type another
// one: "on-chip memory < 8 MB".

#include <QWidget>

#include "widgets/points/point_selection.h"

class QHBoxLayout;
class QLabel;
class QLineEdit;

namespace sluice::ui {

class FilterBar : public QWidget {
  Q_OBJECT

 public:
  explicit FilterBar(PointSelection* selection, QWidget* parent = nullptr);

  /// Buttons behind the field; the actions are the window's.
  void addCommands(const QList<QAction*>& actions);
  void focusField();
  /// "37 of 96 points".
  QString countText() const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void renew();
  void showCount();
  void enter();

  PointSelection* selection_;
  QLineEdit* field_;
  QHBoxLayout *chips_, *row_;
  QLabel *count_, *problem_;
  std::vector<PointFilter> shown_;
};

}  // namespace sluice::ui
