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
class QPushButton;
class QToolButton;

namespace sluice::ui {

/// What an editor may offer: names for expressions, the document's inputs, and to make knobs.
struct EditorScope {
  std::vector<std::string> names;
  std::vector<std::string> inputs;
  bool makes_knobs = false;
};

class ParameterEditor : public QWidget {
  Q_OBJECT

 public:
  ParameterEditor(ParameterSpec spec, EditorScope scope, QWidget* parent = nullptr);

  /// Shows a value; absent: the parameter is left at its default.
  void setValue(const std::optional<Value>& value);
  /// As last reported or shown.
  const std::optional<Value>& value() const { return value_; }
  /// The parameter's.
  QString name() const;
  /// What is wrong with the value where it is used; stands below the control, unless something is wrong
  /// with what is typed.
  void setProblem(const QString& problem);
  /// The message below the control; empty if the value can be.
  QString message() const;
  const ParameterSpec& spec() const { return spec_; }
  /// What a knob would stand for: the value, or of a list the element that the user chose.
  std::optional<Value> knobValue() const;
  /// Reports a value with the new knob in it: in the place of knobValue(), or of the `unknown` name in what
  /// was typed.
  void useKnob(const std::string& knob, const std::string& unknown);

 signals:
  /// The user gave value() a new value.
  void edited();
  /// The user wants a knob for knobValue(), or for an unknown name in the typed expression.
  void knobWanted(sluice::ui::ParameterEditor* editor, const QString& unknown);

 private:
  void makeText();
  void makeLines();
  void editLines();
  void makeChoice();
  void makeCheck();
  void makeKnobButtons();
  void askForKnob();
  std::optional<Value> effectiveValue() const { return value_ ? value_ : spec_.initial; }
  void validate(const QString& text);
  void commitText();
  void commit(const Value& value);
  void setMessage(const QString& message, const std::string& unknown = {});
  void showMessage();

  ParameterSpec spec_;
  EditorScope scope_;
  std::optional<Value> value_;
  QLineEdit* line_ = nullptr;
  QToolButton* lines_ = nullptr;  ///< beside the line of a text: edits all its lines
  QComboBox* combo_ = nullptr;
  QCheckBox* check_ = nullptr;
  QToolButton* knob_ = nullptr;    ///< beside the control: makes a knob of the value
  QPushButton* create_ = nullptr;  ///< below the message: makes a knob of the unknown name
  std::size_t element_ = 0;        ///< of a list: what a knob is wanted for
  std::string unknown_;            ///< the name that the message is about
  QString mistake_, problem_;      ///< of what is typed; of the value
  QLabel* message_;
};

}  // namespace sluice::ui
