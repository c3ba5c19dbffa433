#include "widgets/inspector/parameter_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/inspector/value_text.h"

namespace sluice::ui {
namespace {

QString shown(const Value& value) {
  return QString::fromStdString(sluice::text(value));
}

}  // namespace

ParameterEditor::ParameterEditor(ParameterSpec spec, EditorScope scope, QWidget* parent)
    : QWidget(parent), spec_(std::move(spec)), scope_(std::move(scope)), message_(new QLabel) {
  const QString name = QString::fromStdString(spec_.name);
  switch (spec_.kind) {
    case ParameterKind::Integer:
    case ParameterKind::IntegerList:
      makeText();
      break;
    case ParameterKind::Text:
      makeText();
      makeLines();
      break;
    case ParameterKind::Choice:
    case ParameterKind::Input:
      makeChoice();
      break;
    case ParameterKind::Boolean:
      makeCheck();
      break;
  }
  QWidget* control = line_ ? static_cast<QWidget*>(line_) : combo_ ? static_cast<QWidget*>(combo_) : check_;
  control->setObjectName(QStringLiteral("parameter.") + name);
  control->setAccessibleName(name);
  control->setToolTip(QString::fromStdString(helpWithRange(spec_)));
  setFocusProxy(control);
  message_->setObjectName(QStringLiteral("message.") + name);
  message_->setWordWrap(true);
  message_->hide();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  auto* row = new QHBoxLayout;
  row->setSpacing(4);
  row->addWidget(control, 1);
  if (lines_) row->addWidget(lines_);
  layout->addLayout(row);
  layout->addWidget(message_);
}

void ParameterEditor::makeText() {
  line_ = new QLineEdit;
  if (spec_.initial) line_->setPlaceholderText(tr("%1 (default)").arg(shown(*spec_.initial)));
  connect(line_, &QLineEdit::textEdited, this, &ParameterEditor::validate);
  connect(line_, &QLineEdit::editingFinished, this, &ParameterEditor::commitText);
}

void ParameterEditor::makeLines() {
  const QString name = QString::fromStdString(spec_.name);
  lines_ = new QToolButton;
  lines_->setText(QStringLiteral("\u2026"));
  lines_->setObjectName(QStringLiteral("lines.") + name);
  lines_->setAccessibleName(tr("Edit the lines of %1").arg(name));
  lines_->setToolTip(tr("Edit it in a window with several lines"));
  connect(lines_, &QToolButton::clicked, this, &ParameterEditor::editLines);
}

void ParameterEditor::editLines() {
  QInputDialog dialog(this);
  dialog.setObjectName(QStringLiteral("linesDialog"));
  dialog.setOption(QInputDialog::UsePlainTextEditForTextInput);
  dialog.setWindowTitle(QString::fromStdString(spec_.name));
  dialog.setLabelText(QString::fromStdString(spec_.help));
  if (value_) dialog.setTextValue(shown(*value_));
  dialog.resize(720, 480);
  if (dialog.exec() != QDialog::Accepted) return;
  const bool emptied = dialog.textValue().trimmed().isEmpty() && spec_.initial;
  const Value value = emptied ? *spec_.initial : *parseValue(spec_, dialog.textValue(), scope_.names);
  if (value_ && *value_ == value) return;
  setValue(value);
  emit edited();
}

void ParameterEditor::makeChoice() {
  combo_ = new QComboBox;
  const auto& choices = spec_.kind == ParameterKind::Input ? scope_.inputs : spec_.choices;
  for (const std::string& choice : choices) combo_->addItem(QString::fromStdString(choice));
  combo_->setPlaceholderText(tr("choose"));
  connect(combo_, &QComboBox::activated, this,
          [this] { commit(Value(combo_->currentText().toStdString())); });
}

void ParameterEditor::makeCheck() {
  check_ = new QCheckBox;
  connect(check_, &QCheckBox::clicked, this, [this](bool on) { commit(Value(on)); });
}

void ParameterEditor::setValue(const std::optional<Value>& value) {
  value_ = value;
  const std::optional<Value>& effective = value ? value : spec_.initial;
  if (line_ && !(line_->hasFocus() && line_->isModified())) {
    line_->setText(value ? shown(*value) : QString());
    // A line would lose the others.
    line_->setReadOnly(lines_ && line_->text().contains(QLatin1Char('\n')));
    setMessage({});
  }
  if (combo_) {
    const QString text = effective ? shown(*effective) : QString();
    // "=knob" takes the text that a choice knob stands at; it is no choice of its own, but must not be lost.
    if (!text.isEmpty() && combo_->findText(text) < 0) combo_->addItem(text);
    combo_->setCurrentIndex(combo_->findText(text));
  }
  if (check_) check_->setChecked(effective && effective->boolean() && *effective->boolean());
}

QString ParameterEditor::message() const {
  return message_->text();
}

void ParameterEditor::setMessage(const QString& message) {
  message_->setText(message);
  message_->setVisible(!message.isEmpty());
}

void ParameterEditor::validate(const QString& text) {
  if (text.trimmed().isEmpty() && spec_.initial) return setMessage({});
  const Result<Value> value = parseValue(spec_, text, scope_.names);
  if (value) return setMessage({});
  const Diagnostic& first = value.diagnostics().front();
  setMessage(QStringLiteral("\u26a0 %1: %2")
                 .arg(QString::fromStdString(first.cause), QString::fromStdString(first.fix)));
}

void ParameterEditor::commitText() {
  if (!line_->isModified()) return;
  validate(line_->text());
  if (!message().isEmpty()) return;
  line_->setModified(false);
  // An emptied field asks for the default.
  if (line_->text().trimmed().isEmpty() && spec_.initial) return commit(*spec_.initial);
  commit(*parseValue(spec_, line_->text(), scope_.names));
}

void ParameterEditor::commit(const Value& value) {
  if (value_ && *value_ == value) return;
  value_ = value;
  emit edited();
}

}  // namespace sluice::ui
