#include "widgets/design/constant_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

#include "engine/program/fields.h"
#include "widgets/common/diagnostic_text.h"
#include "widgets/common/qt_text.h"
#include "widgets/inspector/value_text.h"

namespace sluice::ui {

ConstantDialog::ConstantDialog(const QString& name, const Value& value, ConstantSurroundings surroundings,
                               QWidget* parent)
    : QDialog(parent),
      surroundings_(std::move(surroundings)),
      name_(new QLineEdit(name)),
      value_(new QLineEdit(qt(text(value)))),
      message_(new QLabel),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel)) {
  setObjectName(QStringLiteral("constantDialog"));
  setWindowTitle(tr("Constant"));
  name_->setObjectName(QStringLiteral("constantName"));
  name_->setAccessibleName(tr("Name"));
  value_->setObjectName(QStringLiteral("constantValue"));
  value_->setAccessibleName(tr("Value"));
  value_->setPlaceholderText(tr("a number or an expression"));
  message_->setObjectName(QStringLiteral("constantMessage"));
  message_->setWordWrap(true);
  auto* form = new QFormLayout(this);
  form->addRow(tr("&Name"), name_);
  form->addRow(tr("&Value"), value_);
  form->addRow(message_);
  form->addRow(buttons_);
  connect(name_, &QLineEdit::textChanged, this, &ConstantDialog::check);
  connect(value_, &QLineEdit::textChanged, this, &ConstantDialog::check);
  connect(buttons_, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
  name_->selectAll();
  resize(380, sizeHint().height());
  check();
}

QString ConstantDialog::name() const {
  return name_->text().trimmed();
}

Result<Value> ConstantDialog::value() const {
  ParameterSpec spec;
  spec.name = "value";
  spec.range = any_number;
  return parseValue(spec, value_->text(), surroundings_.names);
}

void ConstantDialog::check() {
  const Result<Value> typed = value();
  std::optional<Diagnostic> wrong = surroundings_.refused(name().toStdString());
  if (!wrong && !typed) wrong = typed.diagnostics().front();
  message_->setText(wrong ? QStringLiteral("\u26a0 ") + causeAndFix(*wrong) : QString());
  buttons_->button(QDialogButtonBox::Ok)->setEnabled(!wrong);
}

}  // namespace sluice::ui
