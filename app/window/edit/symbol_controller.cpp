#include "app/window/edit/symbol_controller.h"

#include <QAction>
#include <QMainWindow>
#include <QPointer>
#include <algorithm>

#include "app/window/document/design_page.h"
#include "app/window/document/document_controller.h"
#include "app/window/edit/symbol_edits.h"
#include "app/window/shell/commands.h"
#include "engine/symbolic/expr.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"
#include "widgets/design/constant_dialog.h"
#include "widgets/design/constants_editor.h"
#include "widgets/design/machine_editor.h"
#include "widgets/inspector/inspector.h"
#include "widgets/inspector/parameter_editor.h"
#include "widgets/knobs/knob_dialog.h"
#include "widgets/knobs/knob_panel.h"
#include "widgets/knobs/knob_proposal.h"

namespace sluice::ui {

SymbolController::SymbolController(const WindowContext& context)
    : QObject(context.window), context_(context) {}

void SymbolController::addCommands() {
  const std::vector<QAction*> actions{
      context_.commands->add({.id = "edit.newKnob",
                              .menu = "&Edit",
                              .text = "Ne&w Knob\u2026",
                              .shortcuts = "",
                              .tooltip = "Make a knob: a number or a choice that is explored",
                              .section = 4},
                             this, [this] { makeKnob(); }),
      context_.commands->add({.id = "edit.newConstant",
                              .menu = "&Edit",
                              .text = "New Const&ant\u2026",
                              .shortcuts = "",
                              .tooltip = "Make a constant, for expressions to use",
                              .section = 4},
                             this, [this] { makeConstant(); })};
  const auto update = [this, actions] {
    for (QAction* action : actions) action->setEnabled(context_.documents->hasDocument());
  };
  update();
  connect(context_.documents, &DocumentController::opened, this, update);
}

void SymbolController::follow(const KnobPanel& knobs) {
  connect(&knobs, &KnobPanel::newKnobWanted, this, &SymbolController::makeKnob);
  connect(&knobs, &KnobPanel::newConstantWanted, this, &SymbolController::makeConstant);
  connect(&knobs, &KnobPanel::editWanted, this,
          [this](const QString& knob) { editKnob(knob.toStdString()); });
  connect(&knobs, &KnobPanel::removeWanted, this,
          [this](const QString& knob) { removeKnob(knob.toStdString()); });
  connect(&knobs, &KnobPanel::moveWanted, this, [this](const QString& knob, int by) {
    context_.documents->edit(tr("Move knob %1").arg(knob),
                             [&](Document& document) { moveKnob(document, knob.toStdString(), by); });
  });
}

void SymbolController::follow(const Inspector& inspector) {
  connect(&inspector, &Inspector::knobWanted, this, &SymbolController::makeKnobFor);
}

void SymbolController::follow(const DesignPage& design) {
  const ConstantsEditor* constants = design.constants();
  connect(design.machine(), &MachineEditor::knobWanted, this, &SymbolController::makeKnobFor);
  connect(constants, &ConstantsEditor::knobWanted, this, &SymbolController::makeKnobFor);
  connect(constants, &ConstantsEditor::newWanted, this, &SymbolController::makeConstant);
  connect(constants, &ConstantsEditor::editWanted, this,
          [this](const QString& name) { editConstant(name.toStdString()); });
  connect(constants, &ConstantsEditor::removeWanted, this, [this](const QString& name) {
    context_.documents->edit(tr("Delete constant %1").arg(name),
                             [&](Document& document) { removeConstant(document, name.toStdString()); });
  });
}

void SymbolController::ask(const Knob& knob, const std::string& present,
                           const std::function<void(const Knob&)>& accepted, const Range& range) {
  if (!context_.documents->hasDocument()) return;
  const Document& document = context_.documents->document();
  KnobSurroundings around;
  for (const Knob& each : document.knobs)
    if (each.name != present) around.others.push_back(each);
  around.constants = symbolValues(document, {});
  around.refused = [this, present](const std::string& name) {
    return symbolRefused(context_.documents->document(), name, present);
  };
  around.range = range;
  auto* dialog = new KnobDialog(knob, std::move(around), context_.window);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [dialog, accepted] {
    if (const Result<Knob> made = dialog->knob()) accepted(*made);
  });
  dialog->open();
}

void SymbolController::makeKnob() {
  Knob knob = proposedKnob(KnobKind::PowerOfTwo, 4, {});
  knob.name = freeSymbol(context_.documents->document(), "knob");
  ask(knob, {}, [this](const Knob& made) {
    context_.documents->edit(tr("New knob %1").arg(qt(made.name)),
                             [&](Document& document) { document.knobs.push_back(made); });
  });
}

void SymbolController::editKnob(const std::string& name) {
  const auto& knobs = context_.documents->document().knobs;
  const auto found = std::ranges::find(knobs, name, &Knob::name);
  if (found == knobs.end()) return;
  ask(*found, name, [this, before = *found](const Knob& made) {
    if (made == before) return;
    DocumentController* documents = context_.documents;
    const std::int64_t value = documents->knobs().at(before.name);
    documents->undoStack()->beginMacro(tr("Edit knob %1").arg(qt(before.name)));
    documents->edit({}, [&](Document& document) { changeKnob(document, before.name, made); });
    // Under another name it stands where it stood.
    KnobValues values = documents->knobs();
    if (made.allows(value)) values[made.name] = value;
    documents->setKnobs(values, {});
    documents->undoStack()->endMacro();
  });
}

void SymbolController::removeKnob(const std::string& name) {
  const auto value = context_.documents->knobs().find(name);
  if (value == context_.documents->knobs().end()) return;
  context_.documents->edit(tr("Delete knob %1").arg(qt(name)),
                           [&](Document& document) { ui::removeKnob(document, name, value->second); });
}

void SymbolController::makeKnobFor(ParameterEditor* editor, const QString& name) {
  const std::string unknown = name.toStdString();
  const Document& document = context_.documents->document();
  const ParameterSpec& spec = editor->spec();
  const std::optional<Value> value = unknown.empty() ? editor->knobValue() : std::nullopt;
  Knob knob;
  if (spec.kind == ParameterKind::Choice || spec.kind == ParameterKind::Input) {
    knob.kind = KnobKind::Choice;
    knob.choices = spec.choices;
    if (spec.kind == ParameterKind::Input)
      for (const Input& input : document.inputs) knob.choices.push_back(input.name);
    const auto now = std::ranges::find(knob.choices, value ? text(*value) : std::string());
    knob.initial = now == knob.choices.end() ? 0 : now - knob.choices.begin();
  } else {
    const Result<Expr> expression = parseExpr(value ? text(*value) : "4");
    const std::map<std::string, std::int64_t> known = symbolValues(document, context_.documents->knobs());
    const std::int64_t around = expression ? expression->value(known).value_or(1) : 1;
    knob = proposedKnob(proposedKind(around), around, spec.range);
  }
  knob.name = unknown.empty() ? freeSymbol(document, spec.name) : unknown;
  const auto make = [this, field = QPointer<ParameterEditor>(editor), unknown](const Knob& made) {
    DocumentController* documents = context_.documents;
    documents->undoStack()->beginMacro(tr("New knob %1").arg(qt(made.name)));
    // First the field: a new name in scope makes the fields anew.
    if (field) field->useKnob(made.name, unknown);
    documents->edit({}, [&](Document& changed) { changed.knobs.push_back(made); });
    documents->undoStack()->endMacro();
  };
  ask(knob, {}, make, spec.range);
}

void SymbolController::askForConstant(const std::string& name, const Value& value, const std::string& present,
                                      const std::function<void(const std::string&, const Value&)>& accepted) {
  if (!context_.documents->hasDocument()) return;
  ConstantSurroundings around{namesInScope(context_.documents->document(), {}),
                              [this, present](const std::string& wanted) {
                                return symbolRefused(context_.documents->document(), wanted, present);
                              }};
  std::erase(around.names, present);
  auto* dialog = new ConstantDialog(qt(name), value, std::move(around), context_.window);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [dialog, accepted] {
    if (const Result<Value> made = dialog->value()) accepted(dialog->name().toStdString(), *made);
  });
  dialog->open();
}

void SymbolController::makeConstant() {
  const std::string name = freeSymbol(context_.documents->document(), "N");
  askForConstant(name, Value(1), {}, [this](const std::string& made, const Value& value) {
    context_.documents->edit(tr("New constant %1").arg(qt(made)),
                             [&](Document& document) { document.constants[made] = value; });
  });
}

void SymbolController::editConstant(const std::string& name) {
  const auto& constants = context_.documents->document().constants;
  const auto found = constants.find(name);
  if (found == constants.end()) return;
  askForConstant(name, found->second, name, [this, name](const std::string& made, const Value& value) {
    context_.documents->edit(tr("Edit constant %1").arg(qt(name)),
                             [&](Document& document) { changeConstant(document, name, made, value); });
  });
}

}  // namespace sluice::ui
