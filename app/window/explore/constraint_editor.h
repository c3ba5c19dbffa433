#pragma once
// ConstraintEditor: what a search must keep to. A constraint is chosen from lists, or typed in the line,
// where those that were chosen stand, too.

#include <QWidget>

#include "engine/explorer/explore.h"

class QComboBox;
class QLabel;
class QLayout;
class QLineEdit;
class QPushButton;

namespace sluice::ui {

class ConstraintEditor : public QWidget {
  Q_OBJECT

 public:
  /// `over_traces`: constraints may be on statistics, and on how many traces lock the design up.
  explicit ConstraintEditor(bool over_traces, QWidget* parent = nullptr);

  /// Errors: one that cannot be read, or that contradicts one before it.
  Result<std::vector<Constraint>> constraints() const;
  QString text() const;
  void setText(const QString& text);
  /// Where a label's key leads.
  QWidget* first() const;

 signals:
  void changed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QLayout* choice();
  QString chosen() const;
  void add();
  void tell();

  const bool over_traces_;
  QComboBox *limited_, *statistic_, *sense_;
  QLineEdit* limit_;
  QPushButton* add_;
  QLineEdit* line_;
  QLabel* note_;
};

}  // namespace sluice::ui
