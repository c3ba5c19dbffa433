#include "widgets/inspector/parameter_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/symbolic/expr.h"
#include "widgets/inspector/value_text.h"

namespace sluice::ui {
namespace {

constexpr int least_choice = 6;  // letters

QString shown(const Value& value) {
  return QString::fromStdString(sluice::text(value));
}

/// The unknown name in an expression; empty if that is not what is wrong.
std::string unknownName(const Diagnostic& why) {
  const LocationPart* symbol = why.place.find(Where::Symbol);
  return symbol ? symbol->name : std::string();
}

}  // namespace

ParameterEditor::ParameterEditor(ParameterSpec spec, EditorScope scope, QWidget* parent)
    : QWidget(parent), spec_(std::move(spec)), scope_(std::move(scope)), message_(new QLabel) {
  const QString name = QString::fromStdString(spec_.name);
  switch (spec_.kind) {
    case ParameterKind::Integer:
    case ParameterKind::IntegerList:
    case ParameterKind::Orders:
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
  if (scope_.makes_knobs) makeKnobButtons();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  auto* row = new QHBoxLayout;
  row->setSpacing(4);
  row->addWidget(control, 1);
  if (lines_) row->addWidget(lines_);
  if (knob_) row->addWidget(knob_);
  layout->addLayout(row);
  layout->addWidget(message_);
  if (create_) layout->addWidget(create_, 0, Qt::AlignLeft);
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
  // The longest of many choices does not push the buttons behind it out of a narrow inspector.
  combo_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  combo_->setMinimumContentsLength(least_choice);
  connect(combo_, &QComboBox::activated, this,
          [this] { commit(Value(combo_->currentText().toStdString())); });
}

void ParameterEditor::makeCheck() {
  check_ = new QCheckBox;
  connect(check_, &QCheckBox::clicked, this, [this](bool on) { commit(Value(on)); });
}

void ParameterEditor::makeKnobButtons() {
  if (spec_.kind == ParameterKind::Boolean || spec_.kind == ParameterKind::Text ||
      spec_.kind == ParameterKind::Orders)
    return;
  const QString name = QString::fromStdString(spec_.name);
  knob_ = new QToolButton;
  knob_->setText(QStringLiteral("\u25d4"));
  knob_->setAutoRaise(true);
  knob_->setObjectName(QStringLiteral("makeKnob.") + name);
  knob_->setAccessibleName(tr("Make %1 a knob").arg(name));
  knob_->setToolTip(tr("Make this a knob, to explore its values"));
  connect(knob_, &QToolButton::clicked, this, &ParameterEditor::askForKnob);
  if (!line_) return;
  create_ = new QPushButton(tr("Create a knob"));
  create_->setObjectName(QStringLiteral("createKnob.") + name);
  create_->hide();
  connect(create_, &QPushButton::clicked, this,
          [this] { emit knobWanted(this, QString::fromStdString(unknown_)); });
}

void ParameterEditor::askForKnob() {
  element_ = 0;
  const std::optional<Value> now = effectiveValue();
  if (now && now->list() && now->list()->size() > 1) {
    QMenu menu(this);
    menu.setObjectName(QStringLiteral("elements"));
    for (const Value& element : *now->list()) menu.addAction(shown(element));
    const QAction* chosen = menu.exec(knob_->mapToGlobal(knob_->rect().bottomLeft()));
    if (!chosen) return;
    element_ = static_cast<std::size_t>(menu.actions().indexOf(chosen));
  }
  emit knobWanted(this, {});
}

std::optional<Value> ParameterEditor::knobValue() const {
  const std::optional<Value> now = effectiveValue();
  if (!now || !now->list()) return now;
  if (element_ >= now->list()->size()) return std::nullopt;
  return (*now->list())[element_];
}

void ParameterEditor::useKnob(const std::string& knob, const std::string& unknown) {
  scope_.names.push_back(knob);
  if (unknown.empty()) {
    Value value = combo_ ? Value("=" + knob) : Value(knob);
    if (const std::optional<Value> now = effectiveValue(); now && now->list()) {
      std::vector<Value> elements = *now->list();
      elements.resize(std::max(elements.size(), element_ + 1));
      elements[element_] = value;
      value = Value(std::move(elements));
    }
    if (line_) line_->setModified(false);
    return commit(value);
  }
  const std::string typed = replaceSymbol(line_->text().toStdString(), unknown, knob);
  // Other unknown names stay; they are reported where the value is shown next.
  std::vector<std::string> names = scope_.names;
  for (;;) {
    const Result<Value> value = parseValue(spec_, QString::fromStdString(typed), names);
    if (value) {
      line_->setModified(false);
      return commit(*value);
    }
    names.push_back(unknownName(value.diagnostics().front()));
    if (names.back().empty()) return;
  }
}

void ParameterEditor::setValue(const std::optional<Value>& value) {
  value_ = value;
  const std::optional<Value> effective = effectiveValue();
  if (line_ && !(line_->hasFocus() && line_->isModified())) {
    line_->setText(value ? shown(*value) : QString());
    line_->setCursorPosition(0);  // a long one is read from its beginning
    // A line would lose the others.
    line_->setReadOnly(lines_ && line_->text().contains(QLatin1Char('\n')));
    setMessage({});
    if (scope_.makes_knobs && value && (value->string() || value->list())) validate(line_->text());
  }
  if (combo_) {
    const QString text = effective ? shown(*effective) : QString();
    // "=knob" takes the text that a choice knob stands at; it is no choice of its own, but must not be lost.
    if (!text.isEmpty() && combo_->findText(text) < 0) combo_->addItem(text);
    combo_->setCurrentIndex(combo_->findText(text));
  }
  if (check_) check_->setChecked(effective && effective->boolean() && *effective->boolean());
}

QString ParameterEditor::name() const {
  return QString::fromStdString(spec_.name);
}

QString ParameterEditor::message() const {
  return message_->text();
}

void ParameterEditor::setProblem(const QString& problem) {
  problem_ = problem;
  showMessage();
}

void ParameterEditor::setMessage(const QString& message, const std::string& unknown) {
  mistake_ = message;
  showMessage();
  unknown_ = unknown;
  if (!create_) return;
  create_->setVisible(!unknown.empty());
  if (!unknown.empty()) create_->setText(tr("Create &knob '%1'").arg(QString::fromStdString(unknown)));
}

void ParameterEditor::showMessage() {
  message_->setText(mistake_.isEmpty() ? problem_ : mistake_);
  message_->setVisible(!message_->text().isEmpty());
}

void ParameterEditor::validate(const QString& text) {
  if (text.trimmed().isEmpty() && spec_.initial) return setMessage({});
  const Result<Value> value = parseValue(spec_, text, scope_.names);
  if (value) return setMessage({});
  const Diagnostic& first = value.diagnostics().front();
  setMessage(QStringLiteral("\u26a0 %1: %2")
                 .arg(QString::fromStdString(first.cause), QString::fromStdString(first.fix)),
             unknownName(first));
}

void ParameterEditor::commitText() {
  if (!line_->isModified()) return;
  validate(line_->text());
  if (!mistake_.isEmpty()) return;
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
