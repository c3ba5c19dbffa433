#pragma once
// SymbolController: makes, edits, renames, moves and deletes knobs and constants, wherever the user asks for
// it: in the knob panel, beside a parameter or the machine's numbers, on the design page, by commands.

#include <QObject>
#include <functional>

#include "app/window/shell/window_context.h"
#include "engine/core/range.h"
#include "engine/program/document.h"

namespace sluice::ui {

class DesignPage;
class Inspector;
class KnobPanel;
class ParameterEditor;

class SymbolController : public QObject {
  Q_OBJECT

 public:
  explicit SymbolController(const WindowContext& context);

  void addCommands();
  // What the user asks for there is done.
  void follow(const KnobPanel& knobs);
  void follow(const Inspector& inspector);
  void follow(const DesignPage& design);

 private:
  void makeKnob();
  void editKnob(const std::string& name);
  void removeKnob(const std::string& name);
  /// For the value of the field, or for an unknown name in it.
  void makeKnobFor(ParameterEditor* editor, const QString& unknown);
  void makeConstant();
  void editConstant(const std::string& name);
  /// Shows the dialog; `accepted` gets what was made. `present`: the knob that is edited.
  void ask(const Knob& knob, const std::string& present, const std::function<void(const Knob&)>& accepted,
           const Range& range = {});
  void askForConstant(const std::string& name, const Value& value, const std::string& present,
                      const std::function<void(const std::string&, const Value&)>& accepted);

  const WindowContext context_;
};

}  // namespace sluice::ui
