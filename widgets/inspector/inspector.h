#pragma once
// Inspector: what is selected on the canvas, in numbers and controls. It reports edits and changes nothing
// itself.

#include <QHash>
#include <QPointer>
#include <QScrollArea>

#include "widgets/inspector/page.h"
#include "widgets/inspector/tensor_types.h"

namespace sluice::ui {

class ParameterEditor;

class Inspector : public QScrollArea {
  Q_OBJECT

 public:
  explicit Inspector(Catalog catalog, QWidget* parent = nullptr);

  /// Keeps the selection as long as its node or stream is still there.
  void setDocument(const Document& document);
  void setResults(const InspectedResults& results);
  /// What is wrong, by path and origin.
  void setProblems(const QHash<QString, QList<FieldProblem>>& problems);
  /// What cannot be edited, by path or origin, with the reason.
  void setReadOnly(const QHash<QString, QString>& reasons);
  /// Of converters, by path, and of streams, by origin; of others, what the graph says.
  void setTensorTypes(const QHash<QString, TensorTypes>& types);
  void selectNode(const QString& path);
  void selectStream(const QString& origin);
  void clearSelection();
  /// Gives the keyboard to the first field.
  void startEditing();

 signals:
  void parameterEdited(const sluice::ui::ParameterEdit& edit);
  void countEdited(const sluice::ui::ParameterEdit& edit);
  void depthEdited(const sluice::ui::DepthEdit& edit);
  /// An edit that fixes a problem is to be made.
  void fixRequested(const sluice::FixEdit& fix);
  /// As of ParameterEditor.
  void knobWanted(sluice::ui::ParameterEditor* editor, const QString& unknown);
  void orderRequested(const sluice::ui::TensorTypes& types);

 private:
  void rebuild();
  void addTensorTypes();
  std::optional<TensorTypes> tensorTypes() const;
  QString readOnlyReason() const;
  QList<FieldProblem> problems() const;
  void showPage(QWidget* page);
  QWidget* emptyPage() const;

  Catalog catalog_;
  Document document_;
  InspectedResults results_;
  QHash<QString, QString> read_only_;
  QHash<QString, TensorTypes> tensor_types_;
  QHash<QString, QList<FieldProblem>> problems_;
  std::string node_, stream_;
  const OperatorSpec* shown_spec_ = nullptr;
  QPointer<TensorTypesBox> types_box_;
  InspectorPage* page_ = nullptr;  ///< null while nothing is selected
};

}  // namespace sluice::ui
