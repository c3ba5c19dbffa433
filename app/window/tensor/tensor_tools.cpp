#include "app/window/tensor/tensor_tools.h"

#include <QAction>
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QSettings>
#include <QShortcut>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/document/save_file_dialog.h"
#include "app/window/shell/commands.h"
#include "engine/core/atomic_file.h"
#include "engine/tensor/lowering/fifo_simulation.h"
#include "engine/tensor/sizing/timed_graph_file.h"
#include "widgets/common/diagnostic_text.h"
#include "widgets/export/export.h"
#include "widgets/fifos/sizing_page.h"
#include "widgets/fifos/token_curve_page.h"
#include "widgets/itensor/itensor_page.h"
#include "widgets/itensor/itensor_pane.h"
#include "widgets/itensor/tensor_grid.h"
#include "widgets/placement/placement_page.h"
#include "widgets/plots/token_curve_plot.h"
#include "widgets/rewrites/rewrites_page.h"

namespace sluice::ui {
namespace {

const QString folder_key = QStringLiteral("tensorTools/exports");
constexpr std::int64_t most_tokens = 20'000'000;  // of all runs of one search: what takes seconds
constexpr std::int64_t most_simulations = 2000, least_simulations = 50;

/// How many runs a search may take; 0 where so few would find nothing.
std::size_t simulationsFor(const TimedGraph& graph) {
  std::int64_t tokens = 1;
  for (const TimedStream& stream : graph.streams) tokens += stream.tokens;
  const std::int64_t runs = std::min(most_simulations, most_tokens / tokens);
  return runs < least_simulations ? 0 : static_cast<std::size_t>(runs);
}

/// On a small screen, or in large letters, a page is scrolled; what stands below all pages is seen whole.
QScrollArea* scrolled(QWidget* page) {
  auto* area = new QScrollArea;
  area->setWidget(page);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setFocusPolicy(Qt::NoFocus);
  return area;
}

constexpr const char* steps[] = {"tensor.play", "tensor.first", "tensor.previous",
                                 "tensor.next", "tensor.last",  "tensor.parting"};  // within types()

}  // namespace

TensorTools::TensorTools(QWidget* parent)
    : QDialog(parent),
      types_(new ITensorPage),
      curves_(new TokenCurvePage),
      sizing_(new SizingPage),
      rewrites_(new RewritesPage),
      placement_(new PlacementPage),
      pages_(new QTabWidget),
      export_(new QPushButton),
      status_(new QLabel) {
  setObjectName(QStringLiteral("tensorTools"));
  setWindowTitle(tr("Streams and FIFOs"));
  setWindowFlags(windowFlags() | Qt::WindowMinMaxButtonsHint);
  pages_->setObjectName(QStringLiteral("tensorPages"));
  pages_->setDocumentMode(true);
  pages_->tabBar()->setDrawBase(false);
  pages_->addTab(scrolled(types_), tr("Iterative tensors"));
  pages_->addTab(scrolled(curves_), tr("Token curves"));
  pages_->addTab(scrolled(sizing_), tr("FIFO sizes"));
  pages_->addTab(scrolled(rewrites_), tr("Dataflow rewrites"));
  pages_->addTab(scrolled(placement_), tr("Resources"));
  export_->setObjectName(QStringLiteral("exportTensors"));
  export_->setAutoDefault(false);
  status_->setObjectName(QStringLiteral("tensorStatus"));
  status_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  status_->setWordWrap(true);
  status_->setMinimumWidth(1);  // a long message must not widen the window
  auto* close = new QPushButton(tr("Close"));
  close->setAutoDefault(false);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(10, 8, 10, 8);
  row->addWidget(status_, 1);
  row->addWidget(export_);
  row->addWidget(close);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(pages_, 1);
  layout->addLayout(row);
  connect(close, &QPushButton::clicked, this, &QDialog::reject);
  connect(export_, &QPushButton::clicked, this, &TensorTools::exportWithDialog);
  const auto offer = [this] {
    const bool chart = page() == curves_, drawing = page() == types_;
    export_->setVisible(page() != rewrites_);
    export_->setText(drawing ? tr("E&xport Drawing…") : chart ? tr("E&xport Chart…") : tr("E&xport Table…"));
    export_->setToolTip(drawing ? tr("Write the order of access as PDF, SVG or PNG, or its tokens as CSV")
                        : chart ? tr("Write the token curves as PDF, SVG or PNG, or their data as CSV")
                        : page() == sizing_
                            ? tr("Write every FIFO and method as CSV")
                            : tr("Write what every part of the design takes of the card as CSV"));
  };
  connect(pages_, &QTabWidget::currentChanged, this, offer);
  connect(sizing_, &SizingPage::curvesRequested, this, [this](int stream, qint64 delay) {
    showCurves(static_cast<std::size_t>(stream), delay);
    show(curves_);
  });
  offer();
  connect(sizing_, &SizingPage::simulationWanted, this, &TensorTools::simulate);
  simulate();
  resize(QSize(1260, 840).boundedTo(screen()->availableSize() - QSize(20, 60)));
}

/// Beside the event loop: the runs of all sizings, and once for a design the search for the least depths.
void TensorTools::simulate() {
  std::vector<std::vector<std::int64_t>> depths;
  for (const ComparedSizing& sizing : sizing_->sizings()) depths.push_back(depthsOf(sizing));
  simulating_.ask([this, depths, graph = sizing_->graph(),
                   search = !sizing_->hasSimulated()](const std::stop_token& stop) -> BackgroundWork::Answer {
    std::vector<std::optional<SimulatedFifos>> runs(depths.size());
    std::optional<SimulatedSizing> found;
    const std::optional<Result<DepthProblem>> made =
        depths.empty() ? std::nullopt : std::optional(depthProblem(graph));
    if (made && *made) {
      const DepthProblem& problem = **made;
      std::vector<std::vector<std::int64_t>> starts;
      for (std::size_t sizing = 0; sizing < depths.size() && !stop.stop_requested(); ++sizing) {
        const bool runnable =
            depths[sizing].size() == problem.groups.size() &&
            std::ranges::all_of(depths[sizing], [](std::int64_t depth) { return depth > 0; });
        if (!runnable) continue;
        runs[sizing] = simulateFifos(problem, depths[sizing]);
        starts.push_back(depths[sizing]);
      }
      const std::size_t most = simulationsFor(graph);
      if (search && most > 0 && !starts.empty())
        found = sizeBySimulation(problem, starts, {.most_simulations = most, .stop = stop});
    }
    return [this, runs, found] { sizing_->setSimulated(runs, found); };
  });
}

void TensorTools::offerDesigns() {
  std::vector<SizingExample> designs = opened_;
  designs.insert(designs.end(), compiled_.begin(), compiled_.end());
  sizing_->setDesigns(std::move(designs));
}

void TensorTools::showCurves(std::size_t stream, std::int64_t delay) {
  const SizingOptions options = sizing_->options();
  curves_->setStream(sizing_->graph(), stream, delay, options.fifo, options.equalisation);
}

void TensorTools::setCompiled(std::vector<SizingExample> designs) {
  compiled_ = std::move(designs);
  offerDesigns();
  // The curves begin with the FIFO of the program in which most waits.
  const std::optional<std::size_t> deepest = sizing_->deepest();
  if (sizing_->showsGiven() && deepest && !curves_->isEdited())
    showCurves(*deepest, sizing_->delayOf(*deepest));
}

bool TensorTools::openDesign(const QString& file) {
  const Result<TimedGraph> graph = loadTimedGraph(file.toStdString());
  status_->setText(graph ? QString() : file + QStringLiteral(": ") + inlineText(graph.diagnostics().front()));
  if (!graph) return false;
  const QString name = QFileInfo(file).fileName();
  std::erase_if(opened_, [&](const SizingExample& before) { return before.name == name; });
  opened_.insert(opened_.begin(), SizingExample{name, file, *graph});
  offerDesigns();
  sizing_->choose(name);
  show(sizing_);
  return true;
}

void TensorTools::openDesignWithDialog() {
  const QString file = QFileDialog::getOpenFileName(this, tr("Open kernels and FIFOs"),
                                                    QSettings().value(folder_key).toString(),
                                                    tr("Kernels and streams (*.json);;All files (*)"));
  if (!file.isEmpty()) openDesign(file);
}

void TensorTools::show(QWidget* page) {
  for (int index = 0; index < pages_->count(); ++index)
    if (pages_->widget(index)->isAncestorOf(page)) pages_->setCurrentIndex(index);
  QDialog::show();
  raise();
  activateWindow();
}

QWidget* TensorTools::page() const {
  const auto* area = qobject_cast<const QScrollArea*>(pages_->currentWidget());
  return area ? area->widget() : nullptr;
}

Result<Done> TensorTools::write(const std::filesystem::path& path) {
  const std::optional<ExportFormat> format = formatOf(path);
  if (page() == types_ && format) {
    std::vector<Exportable> parts = {exportable(*types_->source()->grid(), tr("Source"))};
    if (types_->result()->isVisibleTo(types_))
      parts.push_back(exportable(*types_->result()->grid(), tr("Result")));
    const int width = parts.size() == 1 ? single_column : double_column;
    return writeExportable(composed(std::move(parts), 2), path, *format, {width, 8});
  }
  if (page() == curves_ && format)
    return exportPlot(*curves_->plot(), path, *format, {double_column, double_column * 5 / 8});
  if (page() == sizing_ && format == ExportFormat::Csv)
    return writeFileAtomically(path, sizingCsv(sizing_->graph(), sizing_->sizings()).toStdString());
  if (page() == placement_ && format == ExportFormat::Csv) {
    if (placement_->placed().parts.empty())
      return error("nothing-to-export", path.string(), "no compiled design is on a card",
                   "compile a tensor program and choose a card");
    return writeFileAtomically(path, csvOf(placement_->placed()).toStdString());
  }
  const bool table = page() == sizing_ || page() == placement_;
  return error("unknown-file-suffix", path.string(), "the name does not say which format is wanted",
               table ? "end it with .csv" : "end it with .pdf, .svg, .png or .csv");
}

bool TensorTools::exportPage(const QString& file) {
  const Result<Done> written = write(file.toStdString());
  status_->setText(written ? tr("Wrote %1").arg(file) : inlineText(written.diagnostics().front()));
  return static_cast<bool>(written);
}

void TensorTools::exportWithDialog() {
  const QDir folder(QSettings().value(folder_key).toString());
  const bool drawing = page() == types_, chart = drawing || page() == curves_;
  const QString file =
      chooseFileToSave(this,
                       drawing ? tr("Export the drawing")
                       : chart ? tr("Export the chart")
                               : tr("Export the table"),
                       folder.filePath(drawing             ? QStringLiteral("access-order.pdf")
                                       : chart             ? QStringLiteral("token-curves.pdf")
                                       : page() == sizing_ ? QStringLiteral("fifo-sizes.csv")
                                                           : QStringLiteral("resources.csv")),
                       chart ? QStringLiteral("PDF (*.pdf);;SVG (*.svg);;PNG (*.png);;CSV (*.csv)")
                             : QStringLiteral("CSV (*.csv)"));
  if (!file.isEmpty() && exportPage(file)) QSettings().setValue(folder_key, QFileInfo(file).path());
}

TensorCommands::TensorCommands(Commands* commands, QWidget* window)
    : QObject(window), commands_(commands), window_(window) {
  const auto on = [this](const Command& command, const std::function<void()>& run) {
    commands_->add(command, this, run);
  };
  const auto page = [this](auto which) { return [this, which] { tools()->show((tools()->*which)()); }; };
  on({"tensor.types", "&Tensor", "&Iterative Tensors…", "Ctrl+T",
      "Draw the order in which a stream sends a tensor, and the converter to another order"},
     page(&TensorTools::types));
  on({"tensor.curves", "&Tensor", "&Token Curves…", "Ctrl+Shift+T",
      "Draw what waits in a FIFO while one kernel produces and another consumes"},
     page(&TensorTools::curves));
  on({"tensor.sizing", "&Tensor", "FIFO &Sizes…", "Ctrl+Shift+D",
      "Compare methods that size the FIFOs of a design"},
     page(&TensorTools::sizing));
  on({"tensor.rewrites", "&Tensor", "Dataflow &Rewrites…", "Ctrl+Shift+W",
      "List where the compiled design may be rewritten, and why not elsewhere"},
     page(&TensorTools::rewrites));
  on({"tensor.placement", "&Tensor", "Resources on a &Card…", "",
      "Count what the compiled design takes of an accelerator card: LUTs, flip-flops, DSPs, blocks of "
      "memory"},
     page(&TensorTools::placement));
  on({"tensor.openDesign", "&Tensor", "&Open Kernels and FIFOs…", "",
      "Size the FIFOs of a JSON file of kernels and streams"},
     [this] { tools()->openDesignWithDialog(); });
  const auto step = [this](void (ITensorPage::*take)()) {
    return [this, take] {
      ITensorPage* types = tools()->types();
      if (!types->isVisible()) return tools()->show(types);
      (types->*take)();
    };
  };
  on({"tensor.play", "&Tensor", "&Play the Order", "P", "Step through the tokens, or stop", "", true, "",
      true},
     step(&ITensorPage::togglePlay));
  on({"tensor.first", "&Tensor", "&First Token", "Home", "Go to the first token", "", false, "", true},
     step(&ITensorPage::first));
  on({"tensor.previous", "&Tensor", "Pre&vious Token", "Left", "Go one token back", "", false, "", true},
     step(&ITensorPage::previous));
  on({"tensor.next", "&Tensor", "&Next Token", "Right", "Go one token on", "", false, "", true},
     step(&ITensorPage::next));
  on({"tensor.last", "&Tensor", "&Last Token", "End", "Go to the last token", "", false, "", true},
     step(&ITensorPage::last));
  on({"tensor.parting", "&Tensor", "First &Difference", "D",
      "Go to the first token in which two streams differ", "", false, "", true},
     step(&ITensorPage::goToParting));
}

TensorTools* TensorCommands::tools() {
  if (!tools_) {
    tools_ = new TensorTools(window_);
    tools_->setCompiled(compiled_);
    addKeys();
    emit made(tools_);
  }
  return tools_;
}

void TensorCommands::setCompiled(const std::vector<SizingExample>& designs) {
  compiled_ = designs;
  if (tools_) tools_->setCompiled(designs);
}

void TensorCommands::addKeys() {
  // Steps have theirs only where no text is typed.
  for (QWidget* widget : tools_->types()->stepWidgets())
    for (const char* step : steps) widget->addAction(commands_->action(QString::fromLatin1(step)));
  // Rewrites are edits of the program, which the window's own commands undo.
  for (const char* id : {"edit.undo", "edit.redo"})
    tools_->rewrites()->addAction(commands_->action(QString::fromLatin1(id)));
  // The keys that undo in the main window undo sizes by hand too.
  const auto key = [this](const char* id, void (QUndoStack::*step)()) {
    for (const QKeySequence& keys : commands_->action(QString::fromLatin1(id))->shortcuts()) {
      auto* shortcut =
          new QShortcut(keys, tools_->sizing(), nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
      connect(shortcut, &QShortcut::activated, tools_->sizing()->undoStack(), step);
    }
  };
  key("edit.undo", &QUndoStack::undo);
  key("edit.redo", &QUndoStack::redo);
}

}  // namespace sluice::ui
