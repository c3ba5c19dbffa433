#include "app/window/document/dimensions_dialog.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "engine/importers/extents.h"

namespace sluice::ui {

DimensionsDialog::DimensionsDialog(const QString& file, const std::vector<std::string>& names,
                                   QWidget* parent)
    : QDialog(parent),
      problem_(new QLabel),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel)) {
  setObjectName(QStringLiteral("dimensionsDialog"));
  setWindowTitle(tr("Import a Model"));
  auto* why =
      new QLabel(tr("%1 leaves these dimensions of its inputs open. A tensor program has fixed sizes. "
                    "Several extents, as in 64, 32, 128, make a knob of a dimension.")
                     .arg(QFileInfo(file).fileName()));
  why->setWordWrap(true);
  auto* form = new QFormLayout;
  for (const std::string& name : names) {
    const QString label = QString::fromStdString(name);
    auto* field =
        new QLineEdit(label.contains(QLatin1String("batch"), Qt::CaseInsensitive) ? QStringLiteral("1")
                                                                                  : QStringLiteral("64"));
    field->setObjectName(QStringLiteral("dimension.") + label);
    field->setAccessibleName(tr("Extents of %1").arg(label));
    connect(field, &QLineEdit::textChanged, this, &DimensionsDialog::check);
    form->addRow(label, field);
    fields_[name] = field;
  }
  problem_->setObjectName(QStringLiteral("dimensionsProblem"));
  problem_->setWordWrap(true);
  buttons_->button(QDialogButtonBox::Ok)->setText(tr("&Import"));
  connect(buttons_, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(why);
  layout->addLayout(form);
  layout->addWidget(problem_);
  layout->addWidget(buttons_);
}

Result<ImportOptions> DimensionsDialog::read() const {
  ImportOptions options;
  for (const auto& [name, field] : fields_) {
    const Location place(name);
    SLUICE_TRY(const std::vector<std::int64_t> extents,
               extentsFrom(field->text().trimmed().toStdString(), place));
    SLUICE_CHECK(takeExtents(options, name, extents, place));
  }
  return options;
}

void DimensionsDialog::check() {
  const Result<ImportOptions> options = read();
  QString problem;
  if (!options) {
    const Diagnostic& first = options.diagnostics().front();
    problem = QString::fromStdString(text(first.place) + ": " + first.cause + "; " + first.fix);
  }
  problem_->setText(problem);
  buttons_->button(QDialogButtonBox::Ok)->setEnabled(problem.isEmpty());
}

ImportOptions DimensionsDialog::options() const {
  Result<ImportOptions> options = read();
  return options ? *std::move(options) : ImportOptions{};
}

}  // namespace sluice::ui
