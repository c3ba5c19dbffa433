#pragma once
// ConstantsEditor: the constants of a document, one row each. A value is typed in its row; a click on the
// name, or its menu, edits or deletes the constant.

#include <QWidget>
#include <map>

#include "engine/program/value.h"
#include "widgets/inspector/parameter_editor.h"

namespace sluice::ui {

class ConstantsEditor : public QWidget {
  Q_OBJECT

 public:
  explicit ConstantsEditor(QWidget* parent = nullptr);

  /// `names`: what expressions may use.
  void setConstants(const std::map<std::string, Value>& constants, const std::vector<std::string>& names);
  /// With what the user typed.
  const std::map<std::string, Value>& constants() const { return constants_; }

 signals:
  /// The user typed another value.
  void edited(const QString& name);
  void newWanted();
  void editWanted(const QString& name);
  void removeWanted(const QString& name);
  /// As of ParameterEditor.
  void knobWanted(sluice::ui::ParameterEditor* editor, const QString& unknown);

 private:
  void rebuild();
  QWidget* nameButton(const QString& name);

  std::map<std::string, Value> constants_;
  std::vector<std::string> names_;
  std::map<std::string, ParameterEditor*> editors_;
  QWidget* fields_ = nullptr;
};

}  // namespace sluice::ui
