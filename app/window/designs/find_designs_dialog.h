#pragma once
// FindDesignsDialog: what schedules are to be sought - objectives, constraints, how long, with which
// transformations, what of the program stays as it is, and the store that a search goes on from. What cannot
// be sought is said before it starts; the choices are there again the next time.

#include <QDialog>
#include <array>

#include "app/window/designs/design_search.h"

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QFormLayout;
class QLabel;
class QListWidget;
class QSpinBox;

namespace sluice::ui {

class ConstraintEditor;
class ObjectiveField;
class StoreField;

class FindDesignsDialog : public QDialog {
  Q_OBJECT

 public:
  /// `file`: of the document; the store is sought from its folder.
  FindDesignsDialog(const Document& document, std::filesystem::path file, QWidget* parent);

  /// As the fields stand; constraints that cannot be read are left out.
  DesignSearch search() const;
  void accept() override;
  /// A search into a store was stopped: the next dialog proposes to go on.
  static void proposeToGoOn();

 private:
  void buildGoals(QFormLayout& form);
  void buildLimits(QFormLayout& form);
  void buildStore(QFormLayout& form);
  void buildLists(QFormLayout& form);
  void connectFields();
  void recall();
  void remember() const;
  void refresh();

  const Document document_;
  const std::filesystem::path file_;
  std::array<ObjectiveField*, 2> objectives_;
  ConstraintEditor* constraints_;
  QSpinBox *budget_, *minutes_, *steps_, *seed_;
  QCheckBox* plain_;
  StoreField* store_;
  QCheckBox* resume_;
  QListWidget *allowed_, *locked_;
  QLabel* status_;
  QDialogButtonBox* buttons_;
};

}  // namespace sluice::ui
