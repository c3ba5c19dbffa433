#pragma once
// What the pages of the inspector share: the results they look things up in, and the look of their sections.

#include <QFormLayout>
#include <QLabel>
#include <QWidget>
#include <memory>

#include "engine/core/diagnostic.h"
#include "engine/explorer/evaluate.h"

namespace sluice::ui {

/// The newest answers. Either may be null; `simulated` may belong to older knobs than `symbolic` (then
/// `stale`).
struct InspectedResults {
  std::shared_ptr<const SymbolicResult> symbolic;
  std::shared_ptr<const PointResult> simulated;
  bool stale = false;
};

/// What is wrong with what is inspected.
struct FieldProblem {
  QString field;  ///< the parameter; empty: none in particular
  QString text;
  std::vector<FixEdit> fixes = {};  ///< edits that fix it
  bool operator==(const FieldProblem&) const = default;
};

/// A heading of a section.
QLabel* sectionTitle(const QString& title);
/// Muted, wrapped text.
QLabel* noteLabel(const QString& note);
/// A value that may be long and is worth copying.
QLabel* valueLabel(const QString& object_name);
/// A formula with room to break lines at its operators.
QString formulaText(const Expr& formula);
QFormLayout* sectionForm();
/// The label of a parameter, its unit below it.
QString withUnit(const QString& label, const std::string& unit);

/// What the user asks to change. (Structs and not plain Values: moc cannot look into a recursive variant.)
struct ParameterEdit {
  QString path, name;
  Value value;
};
struct DepthEdit {
  QString origin;
  std::optional<Value> depth;  ///< absent: back to the machine's
};

class InspectorPage : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;
  virtual void showDocument(const Document& document) = 0;
  virtual void showResults(const InspectedResults& results) = 0;
  /// Each at its field, those of no field at the top, with buttons for what fixes them.
  void showProblems(const QList<FieldProblem>& problems);
  /// Nothing can be edited; `why` stands at the top.
  void setReadOnly(const QString& why);

 signals:
  void fixRequested(const sluice::FixEdit& fix);

 protected:
  bool readOnly() const { return read_only_; }

 private:
  void showFixes(const QList<FieldProblem>& problems);

  bool read_only_ = false;
  QLabel* problems_ = nullptr;  ///< of no field; made when there are some
  QList<QWidget*> fixes_;       ///< their buttons
};

}  // namespace sluice::ui
