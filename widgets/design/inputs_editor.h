#pragma once
// InputsEditor: the traces that bind the dynamic dimensions - from a file, generated, or written out - and
// what the document expects of them. The files themselves are the window's to choose and read.

#include <QWidget>
#include <vector>

#include "engine/program/document.h"
#include "widgets/inspector/parameter_editor.h"

class QFormLayout;

namespace sluice::ui {

class InputsEditor : public QWidget {
  Q_OBJECT

 public:
  explicit InputsEditor(QWidget* parent = nullptr);

  void setInputs(const std::vector<Input>& inputs);
  /// With what the user changed.
  const std::vector<Input>& inputs() const { return inputs_; }

 signals:
  /// The user changed something; `what` as in "the file of routing".
  void edited(const QString& what);
  /// The user wants to choose a file for this one.
  void fileWanted(int input);
  /// Another name: the owner of the program changes what refers to it.
  void renamed(const QString& from, const QString& to);

 private:
  void rebuild();
  void addInput(std::size_t number);
  void addFields(QFormLayout* form, std::size_t number);
  void addShape(QFormLayout* form, std::size_t number);
  void addSynthetic(QFormLayout* form, std::size_t number);
  ParameterEditor* field(QFormLayout* form, const QString& label, const ParameterSpec& spec,
                         const Value& value);
  template <class T>
  void addField(QFormLayout* form, std::size_t number, T Input::*member);
  void change(const QString& what);

  std::vector<Input> inputs_;
  QWidget* fields_ = nullptr;
};

}  // namespace sluice::ui
