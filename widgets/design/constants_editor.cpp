#include "widgets/design/constants_editor.h"

#include <QAction>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/program/fields.h"
#include "widgets/common/qt_text.h"
#include "widgets/inspector/page.h"

namespace sluice::ui {

ConstantsEditor::ConstantsEditor(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("constantsEditor"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* add = new QPushButton(tr("New Constant\u2026"));
  add->setObjectName(QStringLiteral("newConstant"));
  connect(add, &QPushButton::clicked, this, &ConstantsEditor::newWanted);
  layout->addWidget(add, 0, Qt::AlignLeft);
  rebuild();
}

void ConstantsEditor::setConstants(const std::map<std::string, Value>& constants,
                                   const std::vector<std::string>& names) {
  const auto same = [](const auto& one, const auto& other) { return one.first == other.first; };
  const bool same_rows = names == names_ && std::equal(constants.begin(), constants.end(), constants_.begin(),
                                                       constants_.end(), same);
  constants_ = constants;
  names_ = names;
  if (!same_rows) rebuild();
  for (const auto& [name, editor] : editors_) editor->setValue(constants_.at(name));
}

void ConstantsEditor::rebuild() {
  // The field that asks for this may be at work still.
  if (fields_) fields_->hide(), fields_->deleteLater();
  editors_.clear();
  fields_ = new QWidget;
  auto* form = sectionForm();
  fields_->setLayout(form);
  for (const auto& [name, value] : constants_) {
    ParameterSpec spec;
    spec.name = name;
    spec.range = any_number;
    EditorScope scope{names_, {}, true};
    std::erase(scope.names, name);
    auto* editor = new ParameterEditor(spec, scope);
    form->addRow(nameButton(qt(name)), editor);
    editors_[name] = editor;
    connect(editor, &ParameterEditor::knobWanted, this, &ConstantsEditor::knobWanted);
    connect(editor, &ParameterEditor::edited, this, [this, editor, constant = name] {
      constants_[constant] = *editor->value();
      emit edited(qt(constant));
    });
  }
  qobject_cast<QVBoxLayout*>(layout())->insertWidget(0, fields_);
  fields_->show();
}

QWidget* ConstantsEditor::nameButton(const QString& name) {
  auto* button = new QToolButton;
  button->setText(name);
  button->setAutoRaise(true);
  button->setObjectName(QStringLiteral("constant.") + name);
  button->setAccessibleName(tr("Edit the constant %1").arg(name));
  button->setToolTip(tr("Edit name and value; the menu deletes it"));
  button->setContextMenuPolicy(Qt::ActionsContextMenu);
  auto* edit = new QAction(tr("&Edit\u2026"), button);
  auto* remove = new QAction(tr("&Delete"), button);
  remove->setObjectName(QStringLiteral("removeConstant.") + name);
  button->addActions({edit, remove});
  connect(button, &QToolButton::clicked, edit, &QAction::trigger);
  connect(edit, &QAction::triggered, this, [this, name] { emit editWanted(name); });
  connect(remove, &QAction::triggered, this, [this, name] { emit removeWanted(name); });
  return button;
}

}  // namespace sluice::ui
