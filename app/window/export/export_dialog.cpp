#include "app/window/export/export_dialog.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <algorithm>
#include <cmath>

#include "app/window/export/figure_edits.h"
#include "app/window/shell/views.h"

namespace sluice::ui {

QString ExportChoice::extension() const {
  return extensionOf(format);
}

QString ExportChoice::suggestedName() const {
  return (views.size() == 1 ? views.front() : QStringLiteral("figure")) + QLatin1Char('.') + extension();
}

ExportDialog::ExportDialog(const Views& views, QWidget* parent)
    : QDialog(parent),
      views_(views),
      subjects_(new QListWidget),
      format_(new QComboBox),
      preset_(new QComboBox),
      width_(new QDoubleSpinBox),
      text_(new QSpinBox),
      columns_(new QSpinBox),
      note_(new QLabel) {
  setObjectName(QStringLiteral("exportDialog"));
  setWindowTitle(tr("Export"));
  subjects_->setObjectName(QStringLiteral("exportSubject"));
  subjects_->setAccessibleName(tr("What to export; several make one figure"));
  const QStringList first = ExportChoice().views;
  for (const View& each : views_.all()) {
    auto* item = new QListWidgetItem(each.title, subjects_);
    item->setData(Qt::UserRole, each.id);
    item->setCheckState(first.contains(each.id) ? Qt::Checked : Qt::Unchecked);
  }
  subjects_->setMaximumHeight(subjects_->sizeHintForRow(0) * subjects_->count() + 6);
  format_->setObjectName(QStringLiteral("exportFormat"));
  format_->addItem(tr("PDF (vectors, fonts embedded)"), static_cast<int>(ExportFormat::Pdf));
  format_->addItem(tr("SVG (vectors)"), static_cast<int>(ExportFormat::Svg));
  format_->addItem(tr("PNG (pixels, twice a screen's)"), static_cast<int>(ExportFormat::Png));
  format_->addItem(tr("LaTeX (pgfplots, TikZ)"), static_cast<int>(ExportFormat::Pgf));
  format_->addItem(tr("CSV (the data)"), static_cast<int>(ExportFormat::Csv));
  auto* form = new QFormLayout(this);
  form->setSpacing(10);
  form->addRow(tr("&What"), subjects_);
  form->addRow(tr("&Format"), format_);
  form->addRow(tr("&Size"), makeSize());
  note_->setObjectName(QStringLiteral("exportNote"));
  note_->setWordWrap(true);
  note_->setEnabled(false);
  form->addRow({}, note_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
  go_ = buttons->addButton(tr("Choose file…"), QDialogButtonBox::AcceptRole);
  go_->setDefault(true);
  form->addRow(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(subjects_, &QListWidget::itemChanged, this, &ExportDialog::follow);
  connect(format_, &QComboBox::currentIndexChanged, this, &ExportDialog::follow);
  connect(width_, &QDoubleSpinBox::valueChanged, this, &ExportDialog::follow);
  for (const QSpinBox* number : {text_, columns_})
    connect(number, &QSpinBox::valueChanged, this, &ExportDialog::follow);
  follow();
}

QWidget* ExportDialog::makeSize() {
  preset_->setObjectName(QStringLiteral("exportWidth"));
  preset_->setAccessibleName(tr("Size preset"));
  for (const FigurePreset& preset : figurePresets())
    preset_->addItem(QCoreApplication::translate("sluice::ui::FigureComposer", preset.title));
  const auto column = std::ranges::find(figurePresets(), ExportChoice{}.width, &FigurePreset::width);
  preset_->setCurrentIndex(static_cast<int>(column - figurePresets().begin()));
  width_->setObjectName(QStringLiteral("exportInches"));
  width_->setAccessibleName(tr("Width"));
  width_->setRange(1, 40);
  width_->setDecimals(2);
  width_->setSingleStep(0.1);
  width_->setSuffix(tr(" in"));
  text_->setObjectName(QStringLiteral("exportText"));
  text_->setAccessibleName(tr("Text size"));
  text_->setRange(6, 36);
  text_->setSuffix(tr(" pt text"));
  columns_->setObjectName(QStringLiteral("exportColumns"));
  columns_->setAccessibleName(tr("Columns of the figure"));
  columns_->setRange(1, 4);
  columns_->setValue(2);
  columns_->setSuffix(tr(" columns"));
  auto* size = new QWidget;
  auto* row = new QHBoxLayout(size);
  row->setContentsMargins(0, 0, 0, 0);
  for (QWidget* field : std::initializer_list<QWidget*>{preset_, width_, text_, columns_})
    row->addWidget(field);
  connect(preset_, &QComboBox::currentIndexChanged, this, &ExportDialog::usePreset);
  usePreset();
  return size;
}

void ExportDialog::usePreset() {
  const FigurePreset& preset = figurePresets()[static_cast<std::size_t>(preset_->currentIndex())];
  width_->setValue(std::floor(static_cast<double>(preset.width) / 0.72) / 100);  // as its title says
  text_->setValue(static_cast<int>(preset.text));
}

std::vector<const View*> ExportDialog::chosen() const {
  std::vector<const View*> made;
  for (int row = 0; row < subjects_->count(); ++row)
    if (subjects_->item(row)->checkState() == Qt::Checked)
      made.push_back(&views_.view(subjects_->item(row)->data(Qt::UserRole).toString()));
  return made;
}

void ExportDialog::follow() {
  const std::vector<const View*> parts = chosen();
  const ExportChoice now = choice();
  const bool drawn = now.format != ExportFormat::Csv;
  for (QWidget* field : std::initializer_list<QWidget*>{preset_, width_, text_}) field->setEnabled(drawn);
  columns_->setEnabled(drawn && parts.size() > 1);
  const bool table = std::any_of(parts.begin(), parts.end(), [](const View* part) { return part->is_table; });
  go_->setEnabled(!parts.empty());
  QString note = tr("Always dark on white, whatever the window's theme.");
  if (parts.empty()) note = tr("Choose at least one view.");
  if (table && drawn)
    note += tr(" Of a table, what fits on the page is drawn; LaTeX gets a tabular, CSV all of it.");
  const PrintStyle style{now.width, now.text};
  const int width = now.width / figureColumns(now.columns, parts.size(), style);
  const QString figure = figureNote(now.columns, parts.size(), style);
  if (drawn && !parts.empty() && !figure.isEmpty()) note += QLatin1Char(' ') + figure;
  for (const View* part : parts)
    if (drawn && part->note) note += QLatin1Char(' ') + part->note(width);
  note_->setText(note);
}

ExportChoice ExportDialog::choice() const {
  ExportChoice made;
  made.views.clear();
  for (const View* part : chosen()) made.views << part->id;
  made.format = static_cast<ExportFormat>(format_->currentData().toInt());
  made.width = qRound(width_->value() * 72);
  made.text = text_->value();
  made.columns = columns_->value();
  return made;
}

}  // namespace sluice::ui
