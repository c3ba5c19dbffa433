#pragma once
// ParameterEditor: edits one parameter of an operator, with the fitting control for its kind. A value that
// cannot be is not reported; the reason and the fix stand below the control instead.

#include <QWidget>
#include <optional>
#include <string>
#include <vector>

#include "engine/program/operator_spec.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace sluice::ui {

/// What an editor may offer: names for expressions, and the document's inputs.
struct EditorScope {
  std::vector<std::string> names;
  std::vector<std::string> inputs;
};

class ParameterEditor : public QWidget {
  Q_OBJECT

 public:
  ParameterEditor(ParameterSpec spec, EditorScope scope, QWidget* parent = nullptr);

  /// Shows a value; absent: the parameter is left at its default.
  void setValue(const std::optional<Value>& value);
  /// As last reported or shown.
  const std::optional<Value>& value() const { return value_; }
  /// The message below the control; empty if the value can be.
  QString message() const;

 signals:
  /// The user gave value() a new value.
  void edited();

 private:
  void makeText();
  void makeLines();
  void editLines();
  void makeChoice();
  void makeCheck();
  void validate(const QString& text);
  void commitText();
  void commit(const Value& value);
  void setMessage(const QString& message);

  ParameterSpec spec_;
  EditorScope scope_;
  std::optional<Value> value_;
  QLineEdit* line_ = nullptr;
  QToolButton* lines_ = nullptr;  ///< beside the line of a text: edits all its lines
  QComboBox* combo_ = nullptr;
  QCheckBox* check_ = nullptr;
  QLabel* message_;
};

}  // namespace sluice::ui
