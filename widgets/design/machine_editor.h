#pragma once
// MachineEditor: every number of the accelerator, with its unit, as the inspector edits parameters. What
// cannot be is refused below its field; what only the knobs can make wrong is found by the check.

#include <QWidget>
#include <functional>
#include <vector>

#include "engine/program/document.h"
#include "widgets/inspector/parameter_editor.h"

class QFormLayout;

namespace sluice::ui {

class MachineEditor : public QWidget {
  Q_OBJECT

 public:
  explicit MachineEditor(QWidget* parent = nullptr);

  /// `names`: what expressions may use.
  void setMachine(const Machine& machine, const std::vector<std::string>& names);
  /// With what the user changed.
  const Machine& machine() const { return machine_; }

 signals:
  /// The user changed `what`, as in "HBM channels".
  void edited(const QString& what);
  /// As of ParameterEditor.
  void knobWanted(sluice::ui::ParameterEditor* editor, const QString& unknown);

 private:
  struct Row {
    ParameterEditor* editor;
    std::function<std::optional<Value>(const Machine&)> get;
  };

  void rebuild();
  void addRow(QFormLayout* form, const QString& label, const ParameterSpec& spec,
              std::function<std::optional<Value>(const Machine&)> get,
              std::function<void(Machine&, const Value&)> set);
  template <class T>
  void addField(QFormLayout* form, T Machine::*member);
  void addTiming(QFormLayout* form);
  void addTechnology(QFormLayout* form);
  void showValues();

  Machine machine_;
  HbmModel shown_model_ = HbmModel::Node;  ///< whose fields there are
  std::string shown_technology_;           ///< among the choices
  std::vector<std::string> names_;
  std::vector<Row> rows_;
  QWidget* fields_ = nullptr;
};

}  // namespace sluice::ui
