#pragma once
// SearchDialog: how the design space is to be searched - strategy, budget, objectives, constraints, result
// store. What cannot be searched like that is said before anything starts; the choices are there again the
// next time.

#include <QDialog>

#include "engine/explorer/session.h"

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QFormLayout;
class QLabel;
class QSpinBox;

namespace sluice::ui {

class ConstraintEditor;
class DocumentController;
class ObjectiveField;
class SessionController;
class StoreField;
class VaryList;

class SearchDialog : public QDialog {
  Q_OBJECT

 public:
  /// `knobs`: their present values, which those have that are not to vary. `file`: of the document; the store
  /// is sought from its folder.
  SearchDialog(const Document& document, const KnobValues& knobs, std::filesystem::path file,
               QWidget* parent);

  /// As the fields stand; constraints that cannot be read are left out.
  SearchRequest request() const;
  void accept() override;

 private:
  void buildSpace(QFormLayout& form, const KnobValues& knobs);
  void buildStrategy(QFormLayout& form);
  void buildGoals(QFormLayout& form);
  void buildStore(QFormLayout& form);
  void connectFields();
  void recall();
  void remember() const;
  void refresh();
  void showProblem(const Diagnostics& why);

  const Document document_;
  const std::filesystem::path file_;
  const bool over_traces_;
  QLabel* size_;
  VaryList* vary_;
  QComboBox *strategy_, *precision_;
  QLabel* summary_;
  QSpinBox *budget_, *seed_;
  QComboBox* fidelity_;
  std::vector<ObjectiveField*> objectives_;
  ConstraintEditor* constraints_;
  StoreField* store_;
  QCheckBox *resume_, *warm_start_;
  QLabel* status_;
  QDialogButtonBox* buttons_;
};

/// Asks how to search, and has the session do it.
void openSearch(const DocumentController& documents, SessionController* session, QWidget* parent);

}  // namespace sluice::ui
