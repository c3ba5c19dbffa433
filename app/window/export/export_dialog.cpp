#include "app/window/export/export_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <algorithm>
#include <array>

namespace sluice::ui {
namespace {

struct Subject {
  ExportSubject subject;
  const char* name;
  const char* title;
};

constexpr std::array<Subject, 16> subjects = {{
    {ExportSubject::Pareto, "pareto", QT_TRANSLATE_NOOP("sluice::ui::ExportDialog", "Pareto plot")},
    {ExportSubject::Parallel, "parallel",
     QT_TRANSLATE_NOOP("sluice::ui::ExportDialog", "Parallel coordinates")},
    {ExportSubject::Sensitivity, "sensitivity", QT_TRANSLATE_NOOP("sluice::ui::ExportDialog", "Sensitivity")},
    {ExportSubject::Hypervolume, "hypervolume", QT_TRANSLATE_NOOP("sluice::ui::ExportDialog", "Hypervolume")},
    {ExportSubject::Occupancy, "occupancy",
     QT_TRANSLATE_NOOP("sluice::ui::ExportDialog", "FIFO occupancy plot")},
    {ExportSubject::Timeline, "timeline", QT_TRANSLATE_NOOP("sluice::ui::ExportDialog", "Timeline")},
    {ExportSubject::Canvas, "canvas", QT_TRANSLATE_NOOP("sluice::ui::ExportDialog", "Canvas")},
    {ExportSubject::Points, "points", QT_TRANSLATE_NOOP("sluice::ui::ExportDialog", "Table of points")},
    {ExportSubject::Stalls, "stalls",
     QT_TRANSLATE_NOOP("sluice::ui::ExportDialog", "Table of lost cycles and their causes")},
    {ExportSubject::NearMisses, "near-misses",
     QT_TRANSLATE_NOOP("sluice::ui::ExportDialog", "Table of near misses of deadlock")},
    {ExportSubject::CompareFigures, "compare-figures",
     QT_TRANSLATE_NOOP("sluice::ui::ExportDialog", "A against B: figures")},
    {ExportSubject::CompareOperators, "compare-operators",
     QT_TRANSLATE_NOOP("sluice::ui::ExportDialog", "A against B: operators")},
    {ExportSubject::CompareStreams, "compare-streams",
     QT_TRANSLATE_NOOP("sluice::ui::ExportDialog", "A against B: streams")},
    {ExportSubject::CompareCauses, "compare-lost-cycles",
     QT_TRANSLATE_NOOP("sluice::ui::ExportDialog", "A against B: lost cycles")},
    {ExportSubject::CompareTimelines, "compare-timelines",
     QT_TRANSLATE_NOOP("sluice::ui::ExportDialog", "A against B: timelines")},
    {ExportSubject::CompareOverlay, "compare-fifo",
     QT_TRANSLATE_NOOP("sluice::ui::ExportDialog", "A against B: FIFO overlay")},
}};

struct Preset {
  const char* title;
  int width, text;  ///< points
};

constexpr std::array<Preset, 3> presets = {{
    {QT_TRANSLATE_NOOP("sluice::ui::ExportDialog", "Single column, 3.33 in, 8 pt"), singleColumn, 8},
    {QT_TRANSLATE_NOOP("sluice::ui::ExportDialog", "Double column, 7 in, 8 pt"), doubleColumn, 8},
    {QT_TRANSLATE_NOOP("sluice::ui::ExportDialog", "Slide, 13.33 in, 20 pt"), slideWidth, 20},
}};

}  // namespace

QString nameOf(ExportSubject subject) {
  for (const Subject& each : subjects)
    if (each.subject == subject) return QString::fromLatin1(each.name);
  return {};
}

QString titleOf(ExportSubject subject) {
  for (const Subject& each : subjects)
    if (each.subject == subject) return ExportDialog::tr(each.title);
  return {};
}

bool isTable(ExportSubject subject) {
  return subject >= ExportSubject::Points && subject <= ExportSubject::CompareCauses;
}

QString ExportChoice::extension() const {
  return extensionOf(format);
}

QString ExportChoice::suggestedName() const {
  return (also.empty() ? nameOf(subject) : QStringLiteral("figure")) + QLatin1Char('.') + extension();
}

ExportDialog::ExportDialog(std::function<double(int width)> text_size, QWidget* parent)
    : QDialog(parent),
      canvas_text_(std::move(text_size)),
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
  for (const Subject& each : subjects) {
    auto* item = new QListWidgetItem(tr(each.title), subjects_);
    item->setData(Qt::UserRole, static_cast<int>(each.subject));
    item->setCheckState(each.subject == ExportSubject::Pareto ? Qt::Checked : Qt::Unchecked);
  }
  subjects_->setMaximumHeight(subjects_->sizeHintForRow(0) * static_cast<int>(subjects.size()) + 6);
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
  follow();
}

QWidget* ExportDialog::makeSize() {
  preset_->setObjectName(QStringLiteral("exportWidth"));
  preset_->setAccessibleName(tr("Size preset"));
  for (const Preset& preset : presets) preset_->addItem(tr(preset.title));
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
  const Preset& preset = presets[static_cast<std::size_t>(preset_->currentIndex())];
  width_->setValue(preset.width / 72.0);
  text_->setValue(preset.text);
}

std::vector<ExportSubject> ExportDialog::chosen() const {
  std::vector<ExportSubject> made;
  for (int row = 0; row < subjects_->count(); ++row)
    if (subjects_->item(row)->checkState() == Qt::Checked)
      made.push_back(static_cast<ExportSubject>(subjects_->item(row)->data(Qt::UserRole).toInt()));
  return made;
}

void ExportDialog::follow() {
  const std::vector<ExportSubject> parts = chosen();
  const ExportChoice now = choice();
  const bool drawn = now.format != ExportFormat::Csv;
  for (QWidget* field : std::initializer_list<QWidget*>{preset_, width_, text_}) field->setEnabled(drawn);
  columns_->setEnabled(drawn && parts.size() > 1);
  const bool table = std::any_of(parts.begin(), parts.end(), isTable);
  go_->setEnabled(!parts.empty());
  QString note = tr("Always dark on white, whatever the window's theme.");
  if (parts.empty()) note = tr("Choose at least one view.");
  if (table && drawn)
    note += tr(" Of a table, what fits on the page is drawn; LaTeX gets a tabular, CSV all of it.");
  const bool canvas = std::find(parts.begin(), parts.end(), ExportSubject::Canvas) != parts.end();
  if (canvas && drawn && canvas_text_) {
    const double size = canvas_text_(parts.size() > 1 ? now.width / columns_->value() : now.width);
    note += tr(" The canvas's text will be %1 pt%2.")
                .arg(QString::number(size, 'f', 1),
                     size < 6.5 ? tr("; collapse regions or make it wider") : QString());
  }
  note_->setText(note);
}

ExportChoice ExportDialog::choice() const {
  ExportChoice made;
  const std::vector<ExportSubject> parts = chosen();
  if (!parts.empty()) {
    made.subject = parts.front();
    made.also.assign(parts.begin() + 1, parts.end());
  }
  made.format = static_cast<ExportFormat>(format_->currentData().toInt());
  made.width = qRound(width_->value() * 72);
  made.text = text_->value();
  made.columns = columns_->value();
  return made;
}

}  // namespace sluice::ui
