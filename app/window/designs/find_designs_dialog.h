#pragma once
// FindDesignsDialog: what schedules are to be sought - objectives, constraints, how long, with which
// transformations, and what of the program stays as it is. What cannot be sought is said before it starts.

#include <QDialog>
#include <array>

#include "engine/designer/designer.h"

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QFormLayout;
class QLabel;
class QListWidget;
class QSpinBox;

namespace sluice::ui {

class ConstraintEditor;

class FindDesignsDialog : public QDialog {
  Q_OBJECT

 public:
  FindDesignsDialog(const Document& document, QWidget* parent);

  /// As the fields stand; constraints that cannot be read are left out.
  DesignRequest request() const;
  /// The search begins without the steps that the program has.
  bool fromPlain() const;

 private:
  void buildGoals(QFormLayout& form);
  void buildLimits(QFormLayout& form);
  void buildLists(QFormLayout& form);
  void connectFields();
  void refresh();

  const Document document_;
  std::array<QComboBox*, 2> objectives_;
  ConstraintEditor* constraints_;
  QSpinBox *budget_, *minutes_;
  QCheckBox* plain_;
  QListWidget *allowed_, *locked_;
  QLabel* status_;
  QDialogButtonBox* buttons_;
};

}  // namespace sluice::ui
