#include "app/window/export/reproduce_dialog.h"

#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTabBar>
#include <QTableView>
#include <QVBoxLayout>

#include "app/window/document/save_file_dialog.h"
#include "app/window/run/diagnostic_help.h"
#include "app/window/shell/named.h"
#include "engine/core/atomic_file.h"
#include "widgets/common/plain_table.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/diagnostics/diagnostics_list.h"
#include "widgets/export/export.h"
#include "widgets/figures/figure_model.h"
#include "widgets/plots/figure_plot.h"

namespace sluice::ui {
namespace {

QTabWidget* tabs(const char* name, const QString& accessible) {
  auto* widget = named(new QTabWidget, name, accessible);
  widget->setDocumentMode(true);
  widget->tabBar()->setDrawBase(false);
  return widget;
}

void setSetting(const char* key, const QString& value) {
  QSettings().setValue(QString::fromLatin1(key), value);
}
QString setting(const char* key) {
  return QSettings().value(QString::fromLatin1(key)).toString();
}

constexpr const char* traces_key = "reproduce/traces";
constexpr const char* figure_key = "reproduce/figure";
constexpr const char* exports_key = "reproduce/exports";

}  // namespace

ReproduceDialog::ReproduceDialog(QWidget* parent)
    : QDialog(parent),
      points_(new FigureModel(FigureModel::Rows::Points, this)),
      claims_(new FigureModel(FigureModel::Rows::Claims, this)) {
  setObjectName(QStringLiteral("reproduceDialog"));
  setWindowTitle(tr("Reproduce a Figure"));
  auto* parts = new QSplitter(Qt::Horizontal);
  parts->setChildrenCollapsible(false);
  parts->setHandleWidth(1);
  parts->addWidget(buildChoice());
  parts->addWidget(buildResults());
  parts->setStretchFactor(1, 1);
  parts->setSizes({320, 780});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(parts, 1);
  layout->addWidget(buildButtons());
  connectRun();
  setRunning(false);
  say(tr("Choose a figure and press Enter."));
  figures_->setFocus();
  resize(1100, 760);
}

QWidget* ReproduceDialog::buildChoice() {
  figures_ = named(new QListWidget, "figureList", tr("Published figures"));
  figures_->setFrameShape(QFrame::NoFrame);
  figures_->setWordWrap(true);
  figures_->setStyleSheet(QStringLiteral("QListView::item { padding: 5px 0px; }"));
  figures_->setAlternatingRowColors(true);
  figures_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  for (const std::string& name : figureNames()) {
    auto* item = new QListWidgetItem(tr("%1: %2").arg(qt(name), qt(figureTitle(name))), figures_);
    item->setData(Qt::UserRole, qt(name));
    if (qt(name) == setting(figure_key)) figures_->setCurrentItem(item);
  }
  if (!figures_->currentItem()) figures_->setCurrentRow(0);
  traces_ = named(new QLineEdit(setting(traces_key)), "tracesFolder", tr("Folder with the papers' traces"));
  traces_->setPlaceholderText(tr("synthetic traces"));
  traces_->setToolTip(
      tr("A folder with the papers' traces, searched with its subfolders.\n"
         "Where there is none, synthetic traces with the published statistics stand in."));
  auto* browse = named(new QPushButton(tr("&Browse…")), "browseTraces", tr("Choose the folder of traces"));
  browse->setAutoDefault(false);
  connect(browse, &QPushButton::clicked, this, &ReproduceDialog::browseTraces);
  auto* label = new QLabel(tr("&Traces folder"));
  label->setBuddy(traces_);
  auto* folder = new QHBoxLayout;
  folder->addWidget(traces_, 1);
  folder->addWidget(browse);
  auto* choice = new QWidget;
  auto* layout = new QVBoxLayout(choice);
  layout->setContentsMargins(0, 0, 0, 10);
  layout->addWidget(figures_, 1);
  auto* below = new QVBoxLayout;
  below->setContentsMargins(10, 4, 10, 0);
  below->addWidget(label);
  below->addLayout(folder);
  layout->addLayout(below);
  choice->setMinimumWidth(240);
  return choice;
}

QWidget* ReproduceDialog::buildResults() {
  charts_ = tabs("figureCharts", tr("Charts"));
  charts_->setTabBarAutoHide(true);
  auto* hint = new QLabel(tr("The charts of the figure stand here once it has run."));
  hint->setAlignment(Qt::AlignCenter);
  hint->setEnabled(false);
  hint->setBackgroundRole(QPalette::Base);
  hint->setAutoFillBackground(true);
  charts_->addTab(hint, QString());
  details_ = tabs("figureDetails", tr("Numbers of the figure"));
  points_table_ = tableOf(points_, QStringLiteral("figurePoints"), tr("Points"));
  claims_table_ = tableOf(claims_, QStringLiteral("figureClaims"), tr("Claims"));
  notes_ = named(new QPlainTextEdit, "figureNotes", tr("Notes"));
  notes_->setReadOnly(true);
  notes_->setTabChangesFocus(true);
  notes_->setFrameShape(QFrame::NoFrame);
  notes_->setPlaceholderText(tr("Nothing to note."));
  details_->addTab(notes_, tr("Notes"));
  diagnostics_ = new DiagnosticsList;
  connect(diagnostics_, &DiagnosticsList::explanationRequested, new DiagnosticHelp(this),
          &DiagnosticHelp::show);
  details_->addTab(diagnostics_, tr("Diagnostics"));
  auto* results = new QSplitter(Qt::Vertical);
  results->setChildrenCollapsible(false);
  results->setHandleWidth(1);
  results->addWidget(charts_);
  results->addWidget(details_);
  results->setSizes({420, 240});
  results->setStretchFactor(0, 3);
  results->setStretchFactor(1, 2);
  return results;
}

QTableView* ReproduceDialog::tableOf(FigureModel* model, const QString& name, const QString& title) {
  auto* table = new QTableView;
  table->setObjectName(name);
  table->setAccessibleName(title);
  auto* sorted = new QSortFilterProxyModel(table);
  sorted->setSourceModel(model);
  sorted->setSortRole(FigureModel::sort_role);
  table->setModel(sorted);
  table->setSortingEnabled(true);
  table->sortByColumn(-1, Qt::AscendingOrder);
  makePlain(*table);
  table->resizeColumnsToContents();
  details_->addTab(table, title);
  return table;
}

QWidget* ReproduceDialog::buildButtons() {
  const auto button = [](const QString& text, const char* name) {
    auto* made = named(new QPushButton(text), name, QString(text).remove(QLatin1Char('&')));
    made->setAutoDefault(false);
    return made;
  };
  status_ = named(new QLabel, "reproduceStatus", tr("What is going on"));
  status_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  bar_ = named(new QProgressBar, "reproduceProgress", tr("Progress"));
  bar_->setRange(0, 1000);
  bar_->setTextVisible(false);
  bar_->setFixedSize(160, 10);
  left_ = named(new QLabel, "reproduceLeft", tr("Time left"));
  start_ = button(tr("&Run"), "reproduceRun");
  start_->setDefault(true);
  cancel_ = button(tr("&Cancel"), "reproduceCancel");
  cancel_->setToolTip(tr("Stop the run (Esc)"));
  export_chart_ = button(tr("&Export Chart…"), "exportChart");
  export_chart_->setToolTip(tr("Write the chart as PDF, SVG, PNG or LaTeX, or its data as CSV"));
  export_table_ = button(tr("Export T&able…"), "exportTable");
  export_table_->setToolTip(tr("Write every point and claim as CSV"));
  QPushButton* close = button(tr("Close"), "reproduceClose");
  connect(start_, &QPushButton::clicked, this, &ReproduceDialog::run);
  connect(figures_, &QListWidget::itemDoubleClicked, this, &ReproduceDialog::run);
  connect(cancel_, &QPushButton::clicked, &run_, &FigureRun::cancel);
  connect(export_chart_, &QPushButton::clicked, this, &ReproduceDialog::exportChartWithDialog);
  connect(export_table_, &QPushButton::clicked, this, &ReproduceDialog::exportTableWithDialog);
  connect(close, &QPushButton::clicked, this, [this] {
    run_.cancel();
    reject();
  });
  auto* row = new QWidget;
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(10, 8, 10, 8);
  layout->addWidget(start_);
  layout->addWidget(cancel_);
  layout->addWidget(bar_);
  layout->addWidget(left_);
  layout->addWidget(status_, 1);
  layout->addWidget(export_chart_);
  layout->addWidget(export_table_);
  layout->addWidget(close);
  return row;
}

void ReproduceDialog::connectRun() {
  connect(&run_, &FigureRun::progressed, this, [this](double fraction, double seconds_left) {
    bar_->setValue(static_cast<int>(fraction * 1000));
    left_->setText(seconds_left >= 0 ? tr("%1 left").arg(durationText(seconds_left)) : QString());
  });
  connect(&run_, &FigureRun::finished, this, &ReproduceDialog::showFigure);
  connect(&run_, &FigureRun::failed, this, [this](const Diagnostics& diagnostics) {
    setDiagnostics(diagnostics);
    say(tr("It failed: see Diagnostics"));
  });
  connect(&run_, &FigureRun::cancelled, this, [this] { say(tr("Cancelled")); });
}

void ReproduceDialog::setRunning(bool running) {
  start_->setEnabled(!running);
  cancel_->setEnabled(running);
  bar_->setVisible(running);
  left_->setVisible(running);
  left_->clear();
  bar_->setValue(0);
  export_chart_->setEnabled(!running && plot());
  export_table_->setEnabled(!running && figure_);
}

void ReproduceDialog::say(const QString& message) {
  setRunning(false);
  status_->setText(message);
}

void ReproduceDialog::runFigure(const QString& name) {
  for (int row = 0; row < figures_->count(); ++row)
    if (figures_->item(row)->data(Qt::UserRole) == name) figures_->setCurrentRow(row);
  run();
}

void ReproduceDialog::run() {
  const QListWidgetItem* chosen = figures_->currentItem();
  if (!chosen || run_.running()) return;
  const QString name = chosen->data(Qt::UserRole).toString(), traces = traces_->text().trimmed();
  if (!traces.isEmpty() && !QFileInfo(traces).isDir()) {
    setDiagnostics({error("file-not-found", traces.toStdString(), "there is no such folder",
                          "choose the folder of the traces, or leave it empty for synthetic ones")});
    return say(tr("It did not start: see Diagnostics"));
  }
  setSetting(traces_key, traces);
  setSetting(figure_key, name);
  setDiagnostics({});
  setRunning(true);
  status_->setText(tr("Running %1").arg(name));
  run_.start(name.toStdString(), traces.toStdString());
}

void ReproduceDialog::reject() {
  if (run_.running()) return run_.cancel();
  QDialog::reject();
}

void ReproduceDialog::showFigure(const std::shared_ptr<const FigureResult>& figure) {
  figure_ = figure;
  while (charts_->count() > 0) delete charts_->widget(0);
  for (const FigureChart& chart : figure->charts) {
    auto* plot = new FigurePlot;
    plot->setChart(chart);
    charts_->addTab(plot, qt(chart.title));
  }
  points_->setFigure(*figure);
  claims_->setFigure(*figure);
  QStringList notes;
  for (const std::string& note : figure->notes) notes << qt(note);
  notes_->setPlainText(notes.join(QLatin1Char('\n')));
  for (QTableView* table : {points_table_, claims_table_}) {
    table->sortByColumn(-1, Qt::AscendingOrder);
    table->resizeColumnsToContents();
  }
  const auto count = [this](QWidget* page, const QString& title, std::size_t rows) {
    details_->setTabText(details_->indexOf(page), rows == 0 ? title : tr("%1 (%2)").arg(title).arg(rows));
  };
  count(points_table_, tr("Points"), figure->points.size());
  count(claims_table_, tr("Claims"), figure->claims.size());
  count(notes_, tr("Notes"), figure->notes.size());
  QString done = tr("%1: %2 points in %3")
                     .arg(qt(figure->figure))
                     .arg(figure->points.size())
                     .arg(measuredTime(figure->wall_seconds));
  if (const std::size_t synthetic = figure->syntheticPoints(); synthetic > 0)
    done += tr(", %1 of them on synthetic input: see Notes").arg(synthetic);
  say(done);
}

FigurePlot* ReproduceDialog::plot() const {
  return qobject_cast<FigurePlot*>(charts_->currentWidget());
}

void ReproduceDialog::setDiagnostics(const Diagnostics& diagnostics) {
  diagnostics_->setDiagnostics(diagnostics);
  const int page = details_->indexOf(diagnostics_);
  details_->setTabText(
      page, diagnostics.empty() ? tr("Diagnostics") : tr("Diagnostics (%1)").arg(diagnostics.size()));
  if (!diagnostics.empty()) {
    details_->setCurrentIndex(page);
  } else if (details_->currentIndex() == page) {
    details_->setCurrentIndex(0);
  }
}

bool ReproduceDialog::report(const Result<Done>& result, const QString& message) {
  setDiagnostics(result ? Diagnostics{} : result.diagnostics());
  status_->setText(result ? message : tr("Nothing was written: see Diagnostics"));
  return static_cast<bool>(result);
}

bool ReproduceDialog::exportChart(const QString& file) {
  const std::filesystem::path path = file.toStdString();
  const auto write = [&]() -> Result<Done> {
    if (!plot())
      return error("nothing-to-export", path.string(), "there is no chart yet", "run a figure first");
    const std::optional<ExportFormat> format = formatOf(path);
    if (!format)
      return error("unknown-file-suffix", path.string(), "the name does not say which format is wanted",
                   "end it with .pdf, .svg, .png, .pgf or .csv");
    return exportPlot(*plot(), path, *format, plot()->paperSize());
  };
  return report(write(), tr("Wrote %1").arg(file));
}

bool ReproduceDialog::exportTable(const QString& file) {
  const std::filesystem::path path = file.toStdString();
  if (!figure_)
    return report(error("nothing-to-export", path.string(), "there is no table yet", "run a figure first"),
                  {});
  return report(writeFileAtomically(path, figureCsv(*figure_)), tr("Wrote %1").arg(file));
}

void ReproduceDialog::browseTraces() {
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder of the traces"), traces_->text());
  if (!folder.isEmpty()) traces_->setText(folder);
}

void ReproduceDialog::exportChartWithDialog() {
  const QDir folder(setting(exports_key));
  const QString file = chooseFileToSave(
      this, tr("Export the chart"), folder.filePath(qt(plot()->chart().name) + QStringLiteral(".pdf")),
      QStringLiteral("PDF (*.pdf);;SVG (*.svg);;PNG (*.png);;LaTeX (*.pgf);;CSV (*.csv)"));
  if (!file.isEmpty() && exportChart(file)) setSetting(exports_key, QFileInfo(file).path());
}

void ReproduceDialog::exportTableWithDialog() {
  const QDir folder(setting(exports_key));
  const QString file = chooseFileToSave(this, tr("Export the table"),
                                        folder.filePath(qt(figure_->figure) + QStringLiteral(".csv")),
                                        QStringLiteral("CSV (*.csv)"));
  if (!file.isEmpty() && exportTable(file)) setSetting(exports_key, QFileInfo(file).path());
}

}  // namespace sluice::ui
