#include "app/window/export_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>

namespace sluice::ui {

QString ExportChoice::extension() const {
  return extensionOf(format);
}

QString ExportChoice::suggestedName() const {
  const QString name = subject == ExportSubject::Canvas   ? QStringLiteral("canvas")
                       : subject == ExportSubject::Pareto ? QStringLiteral("pareto")
                                                          : QStringLiteral("occupancy");
  return name + QLatin1Char('.') + extension();
}

ExportDialog::ExportDialog(QWidget* parent)
    : QDialog(parent), subject_(new QComboBox), format_(new QComboBox), width_(new QComboBox) {
  setObjectName(QStringLiteral("exportDialog"));
  setWindowTitle(tr("Export"));
  subject_->setObjectName(QStringLiteral("exportSubject"));
  subject_->addItem(tr("Pareto plot"), static_cast<int>(ExportSubject::Pareto));
  subject_->addItem(tr("FIFO occupancy plot"), static_cast<int>(ExportSubject::Occupancy));
  subject_->addItem(tr("Canvas"), static_cast<int>(ExportSubject::Canvas));
  format_->setObjectName(QStringLiteral("exportFormat"));
  format_->addItem(tr("PDF (vectors, fonts embedded)"), static_cast<int>(ExportFormat::Pdf));
  format_->addItem(tr("SVG (vectors)"), static_cast<int>(ExportFormat::Svg));
  format_->addItem(tr("PNG (pixels, twice a screen's)"), static_cast<int>(ExportFormat::Png));
  format_->addItem(tr("CSV (the data)"), static_cast<int>(ExportFormat::Csv));
  width_->setObjectName(QStringLiteral("exportWidth"));
  width_->addItem(tr("Single column, 3.33 in"), singleColumn);
  width_->addItem(tr("Double column, 7 in"), doubleColumn);
  auto* form = new QFormLayout(this);
  form->setSpacing(10);
  form->addRow(tr("&What"), subject_);
  form->addRow(tr("&Format"), format_);
  form->addRow(tr("Wi&dth"), width_);
  auto* note = new QLabel(tr("Text of plots is 8 pt on paper."));
  note->setEnabled(false);
  form->addRow({}, note);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
  QPushButton* go = buttons->addButton(tr("Choose file…"), QDialogButtonBox::AcceptRole);
  go->setDefault(true);
  form->addRow(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(format_, &QComboBox::currentIndexChanged, this,
          [this] { width_->setEnabled(choice().format != ExportFormat::Csv); });
}

ExportChoice ExportDialog::choice() const {
  return {static_cast<ExportSubject>(subject_->currentData().toInt()),
          static_cast<ExportFormat>(format_->currentData().toInt()), width_->currentData().toInt()};
}

}  // namespace sluice::ui
