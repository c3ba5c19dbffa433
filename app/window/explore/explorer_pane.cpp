#include "app/window/explore/explorer_pane.h"

#include <QAction>
#include <QDockWidget>
#include <QFile>
#include <QFileInfo>
#include <QGraphicsOpacityEffect>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "app/window/document/document_edits.h"
#include "app/window/explore/recent_stores.h"
#include "app/window/explore/store_dialog.h"
#include "app/window/run/session_controller.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/docks.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/trust_line.h"
#include "widgets/decision/decision_panel.h"
#include "widgets/decision/sensitivity_view.h"
#include "widgets/parallel/parallel_view.h"
#include "widgets/plots/hypervolume_plot.h"
#include "widgets/plots/pareto_plot.h"
#include "widgets/points/filter_bar.h"
#include "widgets/points/points_table.h"

namespace sluice::ui {
namespace {

constexpr double faintness = 0.45;  // of points of an older program

}  // namespace

ExplorerPane::ExplorerPane(QWidget* parent)
    : QWidget(parent),
      points_(new PointsModel(this)),
      columns_(new PointColumns(points_, this)),
      selection_(new PointSelection(columns_, this)),
      filters_(new FilterBar(selection_)),
      pareto_(new ParetoPlot(selection_)),
      table_(new PointsTable(points_)),
      parallel_(new ParallelView(selection_)),
      sensitivity_(new SensitivityView(selection_)),
      hypervolume_(new HypervolumePlot),
      decision_(new DecisionPanel(selection_)),
      outdated_(new QLabel(tr("Points from before the program was edited"))) {
  setObjectName(QStringLiteral("explorerPane"));
  table_->follow(selection_);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  setMinimumWidth(300);  // many filters must not make the window wider
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  outdated_->setObjectName(QStringLiteral("outdatedPoints"));
  outdated_->setContentsMargins(10, 2, 8, 2);
  outdated_->hide();
  layout->addWidget(outdated_);
  layout->addWidget(filters_);
  connect(points_, &PointsModel::modelReset, this, [this] {
    if (points_->points().empty()) setOutdated(false);
  });
  connect(pareto_, &ParetoPlot::pointActivated, this, &ExplorerPane::pointActivated);
  connect(table_, &PointsTable::pointActivated, this, &ExplorerPane::pointActivated);
  connect(parallel_, &ParallelView::pointActivated, this, &ExplorerPane::pointActivated);
  connect(decision_, &DecisionPanel::pointActivated, this, &ExplorerPane::pointActivated);
  connect(pareto_, &ParetoPlot::metricsChanged, hypervolume_, &HypervolumePlot::setMetrics);
  connect(sensitivity_, &SensitivityView::cellChosen, this,
          [this](const QString& knob, const QString& metric) {
            pareto_->setMetrics(knob, metric);
            bring(pareto_);
          });
}

QList<QWidget*> ExplorerPane::pages() const {
  return {pareto_, table_, parallel_, sensitivity_, hypervolume_, decision_};
}

QWidget* ExplorerPane::current() const {
  for (QWidget* page : pages())
    if (const QDockWidget* dock = dockOf(*page); dock && isInFront(*dock)) return page;
  return nullptr;
}

void ExplorerPane::bring(QWidget* view) {
  if (QDockWidget* dock = dockOf(*view)) bringToFront(*dock);
}

void ExplorerPane::forget() {
  filters_of_search_.clear();
  constraints_.clear();
  selection_->select({});
  selection_->clearBaseline();
  selection_->clearFilters();
  selection_->undoStack()->clear();
  hypervolume_->start();
}

void ExplorerPane::follow(SessionController* session) {
  connect(session, &SessionController::exploreStarted, this, [this, session] {
    explored_ = session->workload();
    setOutdated(false);
    constrain(session->search() ? session->search()->constraints : std::vector<Constraint>());
    if (session->search()) lookAt(*session->search());
    hypervolume_->start();
  });
  connect(session, &SessionController::exploreReady, this,
          [this, session](const std::shared_ptr<const Exploration>& result) {
            const auto& search = session->search();
            if (!search || search->store.empty() || !explored_) return;
            const QString title = qt(explored_->document.title);
            rememberStore({QFileInfo(QFile::decodeName(search->store.string().c_str())).absoluteFilePath(),
                           title.isEmpty() ? QFileInfo(qt(search->file)).completeBaseName() : title,
                           result->points.size(), QDateTime::currentDateTime()});
          });
  connect(session, &SessionController::pointsExplored, hypervolume_,
          [this](const std::vector<DesignPoint>& points, const ExploreProgress& progress) {
            hypervolume_->add(constraints_.empty() ? points : withConstraints(points),
                              progress.seconds_spent);
          });
}

void ExplorerPane::outdate() {
  setOutdated(true);
}

bool ExplorerPane::settle(const Document& program) {
  if (!is_outdated_) return true;
  setOutdated(false);
  return explored_ && sameMeaning(explored_->document, program);
}

void ExplorerPane::setOutdated(bool outdated) {
  is_outdated_ = outdated;
  const bool shown = outdated && !points_->points().empty();
  outdated_->setVisible(shown);
  for (QWidget* page : pages()) {
    if (!shown) {
      page->setGraphicsEffect(nullptr);
    } else if (!page->graphicsEffect()) {
      auto* faint = new QGraphicsOpacityEffect(page);
      faint->setOpacity(faintness);
      page->setGraphicsEffect(faint);
    }
  }
}

/// The chart shows two: the first, and of a single one what stands there already.
void ExplorerPane::lookAt(const SearchRequest& search) {
  const QString x = qt(search.objectives.front());
  QString y = search.objectives.size() > 1 ? qt(search.objectives[1]) : pareto_->yMetric();
  if (x == y) y = qt(defaultObjectives()[x == qt(defaultObjectives()[0]) ? 1 : 0]);
  pareto_->setMetrics(x, y);
}

/// Filters of the search before go with it, unless the user has made others of them.
void ExplorerPane::constrain(const std::vector<Constraint>& constraints) {
  for (const PointFilter& old : std::exchange(filters_of_search_, {})) {
    const PointFilter* now = selection_->rangeOf(old.column);
    if (now && *now == old) selection_->clearRange(old.column);
  }
  constraints_ = constraints;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::map<std::string, std::pair<double, double>> ranges;
  for (const Constraint& constraint : constraints) {
    auto& [low, high] = ranges.try_emplace(constraint.metric, -infinity, infinity).first->second;
    if (constraint.at_most) high = std::min(high, constraint.value);
    if (!constraint.at_most) low = std::max(low, constraint.value);
  }
  for (const auto& [metric, range] : ranges) {
    selection_->setRange(qt(metric), range.first, range.second);
    if (const PointFilter* set = selection_->rangeOf(qt(metric))) filters_of_search_.push_back(*set);
  }
}

/// What breaks a constraint adds nothing to the hypervolume.
std::vector<DesignPoint> ExplorerPane::withConstraints(std::vector<DesignPoint> points) const {
  for (DesignPoint& point : points)
    if (point.state == PointState::Done && !fulfils(point, constraints_))
      point.state = PointState::Infeasible;
  return points;
}

void ExplorerPane::addCommands(Commands* commands) {
  const auto on = [this, commands](const Command& command, auto&& run) {
    return commands->add(command, this, run);
  };
  on({"points.store", "&Points", "&Past Explorations…", "",
      "Look at explorations in result stores, merge stores"},
     [this] { showStores(); });
  on({"points.filter", "&Points", "&Filter…", "Ctrl+Alt+F", "Type a limit, as in on-chip memory < 8 MB"},
     [this] {
       if (!current()) bring(pareto_);
       filters_->focusField();
     });
  QAction* keep = on({"points.keep", "&Points", "&Keep Selected", "", "Show the selected points only"},
                     [this] { selection_->keepSelected(); });
  QAction* hide = on({"points.hide", "&Points", "&Hide Selected", "", "Show all but the selected points"},
                     [this] { selection_->hideSelected(); });
  on({"points.feasible", "&Points", "Finished &Only", "", "Hide infeasible, deadlocked and failed points"},
     [this] { selection_->showOnly(PointState::Done); });
  on({"points.clear", "&Points", "&Remove All Filters", "", "Show every explored point"},
     [this] { selection_->clearFilters(); });
  QAction* undo = on({"points.undo", "&Points", "&Undo Filter", "Alt+Z",
                      "Take back the last change of the filters", "", true},
                     [this] { selection_->undoStack()->undo(); });
  QAction* redo =
      on({"points.redo", "&Points", "R&edo Filter", "Alt+Shift+Z", "Make the change of the filters again"},
         [this] { selection_->undoStack()->redo(); });
  on({"points.selectFrontier", "&Points", "Select the Fron&tier", "", "Select every non-dominated point", "",
      true},
     [this] {
       const std::vector<std::size_t>& frontier = pareto_->chart()->frontier();
       selection_->select(std::vector<int>(frontier.begin(), frontier.end()));
     });
  on({"points.knee", "&Points", "Select the K&nee", "",
      "Select the frontier's point with the best of both metrics"},
     [this] { pareto_->selectKnee(); });
  QAction* baseline =
      on({"points.baseline", "&Points", "Compare with Se&lected", "",
          "Make the selected points the baseline of the Pareto improvement distance", "", true},
         [this] { selection_->makeSelectedBaseline(); });
  QAction* no_baseline =
      on({"points.noBaseline", "&Points", "Compare with Nothin&g", "", "Forget the baseline"},
         [this] { selection_->clearBaseline(); });
  filters_->addCommands({undo, redo});
  const auto enable = [=, this] {
    for (QAction* action : {keep, hide, baseline}) action->setEnabled(!selection_->selected().empty());
    no_baseline->setEnabled(!selection_->baseline().empty());
    undo->setEnabled(selection_->undoStack()->canUndo());
    redo->setEnabled(selection_->undoStack()->canRedo());
  };
  connect(selection_, &PointSelection::selectionChanged, this, enable);
  connect(selection_, &PointSelection::baselineChanged, this, enable);
  connect(selection_->undoStack(), &QUndoStack::indexChanged, this, enable);
  enable();
}

void ExplorerPane::setTrust(std::function<TrustLabel(std::size_t row)> of_row, const TrustLabel& of_all) {
  points_->setTrust(std::move(of_row));
  for (QWidget* view : std::initializer_list<QWidget*>{pareto_, parallel_, sensitivity_, hypervolume_})
    ui::setTrust(*view, QString::fromStdString(text(of_all)));
}

StoreDialog* ExplorerPane::showStores() {
  if (!stores_) {
    stores_ = new StoreDialog(window());
    connect(stores_, &StoreDialog::explorationOpened, this,
            [this](std::vector<DesignPoint>& points, const ExplorationRecord& record) {
              explored_.reset();
              setOutdated(false);
              points_->clear();
              points_->setKnobNames(knobNames(record.knobs));
              setTrust({}, {});  // its program is not at hand
              points_->setPoints(std::move(points));
              hypervolume_->start();
              std::vector<DesignPoint> comparable;
              for (const DesignPoint& point : points_->points())
                if (points_->isComparable(point)) comparable.push_back(point);
              hypervolume_->add(comparable, 0);
              bring(pareto_);
            });
  }
  stores_->showRecent();
  stores_->show();
  stores_->raise();
  return stores_;
}

}  // namespace sluice::ui
