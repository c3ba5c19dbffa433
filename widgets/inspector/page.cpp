#include "widgets/inspector/page.h"

#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "engine/program/fix_edit.h"
#include "widgets/inspector/parameter_editor.h"

namespace sluice::ui {

QLabel* sectionTitle(const QString& title) {
  auto* label = new QLabel(title);
  QFont bold = label->font();
  bold.setBold(true);
  label->setFont(bold);
  label->setContentsMargins(0, 10, 0, 0);
  return label;
}

QLabel* noteLabel(const QString& note) {
  auto* label = new QLabel(note);
  label->setWordWrap(true);
  label->setEnabled(false);  // the palette's muted text, in every theme
  return label;
}

QLabel* valueLabel(const QString& object_name) {
  auto* label = new QLabel(QStringLiteral("\u2013"));
  label->setObjectName(object_name);
  label->setWordWrap(true);
  label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // never wider than the panel
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  label->setFocusPolicy(Qt::ClickFocus);
  return label;
}

QString formulaText(const Expr& formula) {
  QString text = QString::fromStdString(formula.text());
  text.replace(QLatin1String("*"), QLatin1String(" * "));
  return text;
}

QString withUnit(const QString& label, const std::string& unit) {
  return unit.empty() ? label : QStringLiteral("%1\n(%2)").arg(label, QString::fromStdString(unit));
}

QFormLayout* sectionForm() {
  auto* form = new QFormLayout;
  form->setContentsMargins(0, 0, 0, 0);
  form->setHorizontalSpacing(12);
  form->setVerticalSpacing(6);
  form->setLabelAlignment(Qt::AlignLeft | Qt::AlignTop);
  form->setFormAlignment(Qt::AlignLeft | Qt::AlignTop);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form->setRowWrapPolicy(QFormLayout::DontWrapRows);
  return form;
}

void InspectorPage::showProblems(const QList<FieldProblem>& problems) {
  QHash<QString, QStringList> by_field;
  for (const FieldProblem& each : problems) by_field[each.field] << QStringLiteral("\u26a0 ") + each.text;
  for (ParameterEditor* editor : findChildren<ParameterEditor*>())
    editor->setProblem(by_field.take(editor->name()).join(QLatin1Char('\n')));
  QStringList rest;  // also of fields that are not here
  for (const FieldProblem& each : problems)
    if (by_field.contains(each.field)) rest << QStringLiteral("\u26a0 ") + each.text;
  if (!problems_ && !rest.isEmpty()) {
    problems_ = new QLabel;
    problems_->setObjectName(QStringLiteral("nodeProblems"));
    problems_->setWordWrap(true);
    problems_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    if (auto* lines = qobject_cast<QVBoxLayout*>(layout())) lines->insertWidget(1, problems_);
  }
  if (problems_) {
    problems_->setText(rest.join(QLatin1Char('\n')));
    problems_->setVisible(!rest.isEmpty());
  }
  showFixes(problems);
}

void InspectorPage::showFixes(const QList<FieldProblem>& problems) {
  // One of them may have brought us here: they die later.
  for (QWidget* button : std::exchange(fixes_, {})) {
    button->hide();
    button->deleteLater();
  }
  QHash<QString, ParameterEditor*> editors;
  for (ParameterEditor* editor : findChildren<ParameterEditor*>()) editors[editor->name()] = editor;
  for (const FieldProblem& problem : problems) {
    const QWidget* field = editors.value(problem.field);
    auto* lines = qobject_cast<QVBoxLayout*>(field ? field->layout() : layout());
    if (!lines) continue;
    for (const FixEdit& fix : problem.fixes) {
      QString text = QString::fromStdString(sluice::text(fix));
      text.front() = text.front().toUpper();
      auto* button = new QPushButton(text);
      button->setObjectName(QStringLiteral("fix.") + problem.field);
      button->setToolTip(tr("Make this change; undo takes it back"));
      button->setEnabled(!read_only_);
      connect(button, &QPushButton::clicked, this, [this, fix] { emit fixRequested(fix); });
      lines->insertWidget(field ? lines->count() : 2, button, 0, Qt::AlignLeft);
      fixes_ << button;
    }
  }
}

void InspectorPage::setReadOnly(const QString& why) {
  read_only_ = true;
  auto* note = new QLabel(why);
  note->setObjectName(QStringLiteral("readOnlyNote"));
  note->setWordWrap(true);
  if (auto* lines = qobject_cast<QVBoxLayout*>(layout())) lines->insertWidget(1, note);
  for (ParameterEditor* editor : findChildren<ParameterEditor*>()) editor->setEnabled(false);
  for (QPushButton* button : findChildren<QPushButton*>()) button->setEnabled(false);
}

}  // namespace sluice::ui
