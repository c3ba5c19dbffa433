#include "app/window/export/figure_composer.h"

#include <QApplication>
#include <QClipboard>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <map>

#include "app/window/document/document_controller.h"
#include "app/window/document/save_file_dialog.h"
#include "app/window/explore/explorer_pane.h"
#include "app/window/export/figure_edits.h"
#include "app/window/export/figure_preview.h"
#include "app/window/shell/commands.h"
#include "engine/explorer/metrics/registry.h"
#include "widgets/common/diagnostic_text.h"
#include "widgets/export/export.h"
#include "widgets/points/point_columns.h"

namespace sluice::ui {
namespace {

constexpr int refresh_delay = 120;  // ms

/// Of points, in whole hundredths that the page has: 516 points are the 7.16 in of the preset.
QString inches(double points) {
  return QString::number(std::floor(points / 0.72 + 1e-6) / 100, 'f', 2);
}

/// Fields that only some panels have a use for, and which. All others are for every panel.
const std::map<std::string_view, std::set<PanelView>>& usedBy() {
  using enum PanelView;
  static const std::map<std::string_view, std::set<PanelView>> used = {
      {"x", {Pareto, Designs, Distribution, Experts}},
      {"y", {Pareto, Designs, Boxes}},
      {"log_x", {Pareto, Designs}},
      {"log_y", {Pareto, Designs}},
      {"x_unit", {Pareto, Designs, Fifo, Energy, Distribution}},
      {"y_unit", {Pareto, Designs, Fifo, Boxes, Experts}},
      {"x_range", {Pareto, Designs, Fifo, Energy, Timeline, Distribution, Experts}},
      {"y_range", {Pareto, Designs, Fifo, Distribution, Boxes, Experts}},
      {"x_label", {Pareto, Designs, Fifo, Energy, Distribution, Boxes, Experts}},
      {"y_label", {Pareto, Designs, Fifo, Distribution, Boxes, Experts}},
      {"legend", {Pareto, Designs, Fifo, Energy, Distribution, Boxes, Experts}},
      {"hidden", {Pareto, Designs, Parallel}},
      {"rows", {Fifo, Timeline}},
      {"knobs", {Fifo, Timeline, Energy, Distribution}}};
  return used;
}

std::set<std::string_view> uselessFields(PanelView view) {
  std::set<std::string_view> useless;
  for (const auto& [field, views] : usedBy())
    if (!views.contains(view)) useless.insert(field);
  return useless;
}

/// What an axis of the panel may be of.
QStringList axesOf(PanelView view, PointsModel* points) {
  QStringList axes;
  if (view == PanelView::Experts) return {QStringLiteral("rank"), QStringLiteral("expert")};
  if (view == PanelView::Distribution || view == PanelView::Boxes) {
    for (const MetricSpec* metric : registeredMetrics()) axes << qt(metric->name);
    return axes;
  }
  PointColumns columns(points);
  for (const PointColumn& column : columns.columns()) axes << column.name;
  return axes;
}

QWidget* scrolled(QWidget* widget) {
  auto* area = new QScrollArea;
  area->setWidget(widget);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  return area;
}

}  // namespace

FigureComposer::FigureComposer(const WindowContext& context, QWidget* parent)
    : QDialog(parent),
      context_(context),
      source_(context),
      figures_(new QComboBox),
      preset_(new QComboBox),
      name_(new QLineEdit),
      remove_(new QPushButton(tr("De&lete"))),
      copy_(new QPushButton(tr("Cop&y"))),
      export_(new QPushButton(tr("E&xport…"))),
      panels_(new QListWidget),
      add_(new QToolButton),
      remove_panel_(new QToolButton),
      preview_(new FigurePreview),
      note_(new QLabel) {
  setObjectName(QStringLiteral("figureComposer"));
  setWindowTitle(tr("Compose Figure"));
  auto* page = new QScrollArea;
  page->setWidget(preview_);
  page->setAlignment(Qt::AlignCenter);
  page->setBackgroundRole(QPalette::Dark);
  auto* middle = new QHBoxLayout;
  middle->addWidget(makePanels());
  middle->addWidget(page, 1);
  middle->addWidget(makeFields());
  auto* all = new QVBoxLayout(this);
  all->addWidget(makeBar());
  all->addLayout(middle, 1);
  all->addWidget(makeButtons());
  // A page of text at its true size is seen whole where the screen has room.
  resize(QSize(1340, 860).boundedTo(screen()->availableSize() - QSize(20, 60)).expandedTo({1100, 640}));
  refresh_.setSingleShot(true);
  refresh_.setInterval(refresh_delay);
  connect(&refresh_, &QTimer::timeout, this, &FigureComposer::refresh);
  connect(&source_, &FigureSource::changed, this, [this] {
    if (isVisible()) refresh_.start();
  });
  connect(context_.documents, &DocumentController::changed, this, &FigureComposer::follow);
  connect(context_.documents, &DocumentController::opened, this, &FigureComposer::follow);
  connectPreview();
  for (const char* id : {"edit.undo", "edit.redo", "file.save", "run.explore"})  // by their keys here, too
    addAction(context_.commands->action(QString::fromLatin1(id)));
  follow();
}

QWidget* FigureComposer::makeBar() {
  figures_->setObjectName(QStringLiteral("figureChoice"));
  figures_->setAccessibleName(tr("Figure"));
  figures_->setToolTip(tr("The figures of this document"));
  name_->setObjectName(QStringLiteral("figureName"));
  name_->setAccessibleName(tr("Name of the figure"));
  name_->setToolTip(tr("By which 'sluice-cli export --figure' knows it"));
  preset_->setObjectName(QStringLiteral("figurePreset"));
  preset_->setAccessibleName(tr("Size preset"));
  preset_->setToolTip(tr("Width, text size and columns that journals and slides ask for"));
  for (const FigurePreset& each : figurePresets()) preset_->addItem(tr(each.title));
  preset_->addItem(tr("Own size"));
  auto* more = new QPushButton(tr("&New"));
  more->setObjectName(QStringLiteral("newFigure"));
  more->setToolTip(tr("Begin another figure"));
  remove_->setObjectName(QStringLiteral("deleteFigure"));
  remove_->setToolTip(tr("Take the figure out of the document"));
  auto* bar = new QWidget;
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(0, 0, 0, 0);
  for (QWidget* each : std::initializer_list<QWidget*>{figures_, more, remove_, name_, preset_})
    row->addWidget(each);
  row->addStretch(1);
  for (QPushButton* button : {more, remove_}) button->setAutoDefault(false);
  connect(figures_, &QComboBox::textActivated, this, &FigureComposer::choose);
  connect(more, &QPushButton::clicked, this, &FigureComposer::addFigure);
  connect(remove_, &QPushButton::clicked, this, &FigureComposer::removeFigure);
  connect(name_, &QLineEdit::editingFinished, this, &FigureComposer::rename);
  connect(preset_, &QComboBox::activated, this, &FigureComposer::usePreset);
  return bar;
}

QWidget* FigureComposer::makePanels() {
  panels_->setObjectName(QStringLiteral("figurePanels"));
  panels_->setAccessibleName(tr("Panels in their order"));
  panels_->setToolTip(tr("Drag a panel to another place"));
  panels_->setDragDropMode(QAbstractItemView::InternalMove);
  panels_->setMinimumWidth(150);
  add_->setObjectName(QStringLiteral("addPanel"));
  add_->setText(tr("&Add Panel"));
  add_->setToolTip(tr("Put a view on the page"));
  add_->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(add_);
  for (std::size_t index = 0; index < std::size(spellings<PanelView>); ++index) {
    const auto view = static_cast<PanelView>(index);
    QAction* action = menu->addAction(tr(panelTitle(view)), this, [this, view] { addPanel(view); });
    action->setObjectName(QStringLiteral("addPanel%1").arg(static_cast<int>(view)));
  }
  add_->setMenu(menu);
  remove_panel_->setObjectName(QStringLiteral("removePanel"));
  remove_panel_->setText(tr("&Remove"));
  remove_panel_->setToolTip(tr("Take the selected panel from the page"));
  auto* side = new QWidget;
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(add_);
  buttons->addWidget(remove_panel_);
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(panels_, 1);
  column->addLayout(buttons);
  side->setMaximumWidth(190);
  connect(panels_, &QListWidget::currentRowChanged, this, &FigureComposer::selectPanel);
  connect(panels_->model(), &QAbstractItemModel::rowsMoved, this,
          [this](const QModelIndex&, int from, int, const QModelIndex&, int before) {
            const int to = before > from ? before - 1 : before;
            // The list is filled anew, which it does not bear while it moves a row.
            QTimer::singleShot(0, this, [this, from, to] { movePanel(from, to); });
          });
  connect(remove_panel_, &QToolButton::clicked, this, [this] { removePanel(selected_); });
  return side;
}

QWidget* FigureComposer::makeFields() {
  panel_form_ =
      new FieldForm<FigurePanel>(QStringLiteral("panel_"), {"x", "y"}, [this](const FigurePanel& panel) {
        if (selected_ < 0) return;
        change(tr("Change panel"), [&panel, at = static_cast<std::size_t>(selected_)](Figure& figure) {
          if (at < figure.panels.size()) figure.panels[at] = panel;
        });
      });
  page_form_ = new FieldForm<Figure>(QStringLiteral("figure_"), {"font"}, [this](const Figure& changed) {
    change(tr("Change figure"), [&changed](Figure& figure) { figure = changed; });
  });
  auto* tabs = new QTabWidget;
  tabs->setObjectName(QStringLiteral("figureTabs"));
  tabs->setAccessibleName(tr("Panel and page"));
  tabs->addTab(scrolled(panel_form_), tr("&Panel"));
  tabs->addTab(scrolled(page_form_), tr("Pa&ge"));
  tabs->setFixedWidth(310);
  return tabs;
}

QWidget* FigureComposer::makeButtons() {
  note_->setObjectName(QStringLiteral("figureNote"));
  note_->setWordWrap(true);
  export_->setObjectName(QStringLiteral("exportFigure"));
  export_->setToolTip(tr("Write the figure as PDF, SVG, PNG or LaTeX, or its data as CSV"));
  export_->setAutoDefault(false);
  copy_->setObjectName(QStringLiteral("copyFigure"));
  copy_->setToolTip(tr("Put the figure on the clipboard, for slides and documents: as SVG, PDF and pixels"));
  copy_->setAutoDefault(false);
  auto* close = new QPushButton(tr("&Close"));
  close->setToolTip(tr("The figures stay in the document; save it to keep them"));
  close->setAutoDefault(false);
  connect(export_, &QPushButton::clicked, this, &FigureComposer::exportWithDialog);
  connect(copy_, &QPushButton::clicked, this, &FigureComposer::copy);
  connect(close, &QPushButton::clicked, this, &QDialog::close);
  auto* bottom = new QWidget;
  auto* row = new QHBoxLayout(bottom);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(note_, 1);
  for (QPushButton* button : {copy_, export_, close}) row->addWidget(button);
  return bottom;
}

void FigureComposer::connectPreview() {
  connect(preview_, &FigurePreview::panelSelected, this, &FigureComposer::selectPanel);
  connect(preview_, &FigurePreview::panelMoved, this, &FigureComposer::movePanel);
  connect(preview_, &FigurePreview::panelStretched, this, &FigureComposer::stretchPanel);
  connect(preview_, &FigurePreview::panelRemoved, this, &FigureComposer::removePanel);
  connect(preview_, &FigurePreview::panelSpanned, this, [this](int panel, int columns) {
    const auto at = static_cast<std::size_t>(panel);
    change(tr("Resize panel"), [at, columns](Figure& figure) {
      if (at < figure.panels.size()) setSpan(figure, at, figure.panels[at].span + columns);
    });
  });
}

const Figure* FigureComposer::figure() const {
  return findFigure(context_.documents->document(), chosen_.toStdString());
}

void FigureComposer::choose(const QString& figure) {
  chosen_ = figure;
  selected_ = -1;
  follow();
}

void FigureComposer::addFigure() {
  Figure made;
  made.name = freeFigureName(context_.documents->document());
  applyPreset(made, figurePresets()[1]);
  chosen_ = qt(made.name);
  selected_ = -1;
  context_.documents->edit(tr("New figure"),
                           [&made](Document& document) { sluice::ui::addFigure(document, made); });
}

void FigureComposer::removeFigure() {
  const std::string name = chosen_.toStdString();
  context_.documents->edit(tr("Delete figure"),
                           [&name](Document& document) { sluice::ui::removeFigure(document, name); });
}

void FigureComposer::addPanel(PanelView view) {
  if (!figure()) addFigure();
  FigurePanel panel;
  panel.view = view;
  if (showsDesign(view)) panel.knobs = context_.documents->knobs();
  const int last = static_cast<int>(figure()->panels.size());
  change(tr("Add panel"), [&panel](Figure& figure) { figure.panels.push_back(panel); });
  selectPanel(last);
}

void FigureComposer::change(const QString& label, const std::function<void(Figure&)>& change) {
  const std::string name = chosen_.toStdString();
  context_.documents->edit(label, [&](Document& document) { changeFigure(document, name, change); });
}

void FigureComposer::rename() {
  const QString name = name_->text().trimmed();
  const std::string made = name.toStdString();
  if (!figure() || name == chosen_) return;
  if (name.isEmpty() || findFigure(context_.documents->document(), made)) return name_->setText(chosen_);
  const std::string before = chosen_.toStdString();
  chosen_ = name;
  context_.documents->edit(tr("Rename figure"), [&](Document& document) {
    changeFigure(document, before, [&](Figure& figure) { figure.name = made; });
  });
}

void FigureComposer::usePreset(int preset) {
  const auto known = figurePresets();
  if (static_cast<std::size_t>(preset) >= known.size()) return follow();
  change(tr("Size of the figure"),
         [&](Figure& figure) { applyPreset(figure, known[static_cast<std::size_t>(preset)]); });
}

void FigureComposer::movePanel(int from, int to) {
  selected_ = to;
  preview_->select(to);
  change(tr("Move panel"), [from, to](Figure& figure) {
    sluice::ui::movePanel(figure, static_cast<std::size_t>(from), static_cast<std::size_t>(to));
  });
}

void FigureComposer::stretchPanel(int panel, QSizeF by) {
  const auto at = static_cast<std::size_t>(panel);
  if (!sheet_ || at >= sheet_->places().size()) return;
  const double width = sheet_->places()[at].width() + by.width(),
               height = sheet_->pictureHeight(at) + by.height();
  change(tr("Resize panel"), [&](Figure& figure) {
    if (by.width() != 0) setSpan(figure, at, spanOf(figure, width));
    if (by.height() != 0) setHeight(figure, at, std::max(24L, std::lround(height)));
  });
}

void FigureComposer::removePanel(int panel) {
  if (panel < 0) return;
  change(tr("Remove panel"),
         [panel](Figure& figure) { sluice::ui::removePanel(figure, static_cast<std::size_t>(panel)); });
}

void FigureComposer::selectPanel(int panel) {
  selected_ = panel;
  preview_->select(panel);
  if (panels_->currentRow() != panel) panels_->setCurrentRow(panel);
  showSelected();
}

Result<Done> FigureComposer::exportTo(const QString& file) {
  refresh();
  const Location place(Where::File, file.toStdString());
  if (!sheet_) return error("nothing-to-export", place, "there is no figure", "begin one with New");
  if (std::optional<Diagnostic> why = sheet_->missing()) return *std::move(why);
  const std::optional<ExportFormat> format = formatOf(file.toStdString());
  if (!format)
    return error("unknown-file-suffix", place, "its name does not say which format is wanted",
                 "end it with .pdf, .svg, .png, .pgf or .csv");
  return writeExportable(sheet_->exportable(), file.toStdString(), *format, sheet_->style());
}

void FigureComposer::copy() {
  refresh();
  const std::optional<Diagnostic> why = sheet_ ? sheet_->missing() : std::nullopt;
  if (!sheet_ || why) return note_->setText(why ? inlineText(*why) : tr("There is no figure to copy."));
  QApplication::clipboard()->setMimeData(clipboardData(sheet_->exportable(), sheet_->style()).release());
  note_->setText(tr("Copied: %1").arg(chosen_));
}

void FigureComposer::exportWithDialog() {
  const QString suggested =
      QString::fromStdString((context_.documents->folder() / (chosen_.toStdString() + ".pdf")).string());
  const QString file =
      chooseFileToSave(this, tr("Export the figure"), suggested,
                       QStringLiteral("PDF (*.pdf);;SVG (*.svg);;PNG (*.png);;LaTeX (*.pgf);;CSV (*.csv)"));
  if (file.isEmpty()) return;
  const Result<Done> written = exportTo(file);
  note_->setText(written ? tr("Wrote %1").arg(file) : qt(text(written.diagnostics())).trimmed());
}

void FigureComposer::showEvent(QShowEvent* event) {
  QDialog::showEvent(event);
  follow();
}

void FigureComposer::follow() {
  if (!context_.documents->hasDocument()) return;
  const std::vector<Figure>& all = context_.documents->document().figures;
  if (!figure()) chosen_ = all.empty() ? QString() : qt(all.front().name);
  const QSignalBlocker quiet(figures_);
  figures_->clear();
  for (const Figure& each : all) figures_->addItem(qt(each.name));
  figures_->setCurrentText(chosen_);
  const Figure* shown = figure();
  name_->setText(chosen_);
  const FigurePreset* preset = shown ? presetOf(*shown) : nullptr;
  const auto known = figurePresets();
  preset_->setCurrentIndex(static_cast<int>(preset ? preset - known.data() : std::ssize(known)));
  for (QWidget* each : std::initializer_list<QWidget*>{name_, preset_, remove_, copy_, export_, page_form_})
    each->setEnabled(shown != nullptr);
  if (shown) page_form_->showValue(*shown, {{QStringLiteral("font"), QFontDatabase::families()}});
  showPanels();
  if (isVisible()) refresh_.start();
}

void FigureComposer::showPanels() {
  const QSignalBlocker quiet(panels_);
  panels_->clear();
  if (const Figure* shown = figure())
    for (const FigurePanel& panel : shown->panels)
      panels_->addItem(panel.title.empty() ? tr(panelTitle(panel.view)) : qt(panel.title));
  selected_ = std::min(selected_, panels_->count() - 1);
  panels_->setCurrentRow(selected_);
  showSelected();
}

void FigureComposer::refresh() {
  refresh_.stop();
  const Figure* shown = figure();
  sheet_.reset();
  if (!shown) {
    preview_->setPicture({}, {}, {});
    note_->setText(tr("No figure yet: New begins one, Add Panel puts a view on it."));
    return;
  }
  const Document& document = context_.documents->document();
  sheet_ = std::make_unique<FigureSheet>(document, *shown, source_.dataFor(document, *shown));
  const double scale = preview_->pixelsPerPoint() * preview_->devicePixelRatioF();
  preview_->setPicture(paintedImage(sheet_->exportable(), sheet_->style(), scale), sheet_->size(),
                       sheet_->places());
  const std::optional<Diagnostic> why = sheet_->missing();
  note_->setText(
      why ? qt(text(why->place) + ": " + why->cause + "; " + why->fix)
          : tr("%1 in by %2 in").arg(inches(sheet_->size().width()), inches(sheet_->size().height())));
  selectPanel(selected_);
}

void FigureComposer::showSelected() {
  const Figure* shown = figure();
  const auto at = static_cast<std::size_t>(std::max(0, selected_));
  const bool any = shown && selected_ >= 0 && at < shown->panels.size();
  panel_form_->setVisible(any);
  remove_panel_->setEnabled(any);
  if (!any || !isVisible()) return;
  const FigurePanel& panel = shown->panels[at];
  QHash<QString, QStringList> offered;
  offered[QStringLiteral("x")] = offered[QStringLiteral("y")] =
      axesOf(panel.view, context_.explorer->points());
  if (sheet_ && at < sheet_->places().size())
    offered[QStringLiteral("hidden")] = offered[QStringLiteral("rows")] = sheet_->offered(at);
  panel_form_->showValue(panel, offered, uselessFields(panel.view));
}

}  // namespace sluice::ui
