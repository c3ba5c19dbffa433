// One selection everywhere: whatever is selected in one view lights up in all others. Each view against each
// other, as a user clicks.

#include <QAction>
#include <QDockWidget>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "app/window/document/places.h"
#include "app/window/explore/explorer_pane.h"
#include "app/window/run/time_controller.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/diagnostics/diagnostics_list.h"
#include "widgets/parallel/parallel_view.h"
#include "widgets/plots/pareto_plot.h"
#include "widgets/points/point_selection.h"
#include "widgets/points/points_table.h"
#include "widgets/timeline/timeline_panel.h"

namespace sluice::ui {
class SelectionTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("selection_test"), folder_.path());
    QSettings().clear();
    window_ = makeWindow({1600, 1100});
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    QVERIFY(window_->openFile(sample("deadlock_fork_join")));
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle() && !canvas()->layoutPending(), engine_time);
    trigger("run.explore");
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    trigger("panel.timelineDock");
    QTRY_VERIFY_WITH_TIMEOUT(timeline()->run(), engine_time);
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle() && window_->time()->idle(), engine_time);
  }
  void cleanupTestCase() { window_.reset(); }

  /// What is at fault in the run, and in seven of the explored points.
  void aPlaceLightsUpEverywhere_data() {
    QTest::addColumn<QString>("view");
    for (const char* view : {"canvas", "timeline", "diagnostics", "table", "pareto", "parallel"})
      QTest::newRow(view) << QString::fromLatin1(view);
  }
  void aPlaceLightsUpEverywhere() {
    QFETCH(QString, view);
    selectNothing();
    if (view == QLatin1String("canvas")) clickCanvas(QStringLiteral("row_sum"));
    if (view == QLatin1String("timeline")) clickTimeline(QStringLiteral("row_sum"));
    if (view == QLatin1String("diagnostics")) clickDiagnostic("row_sum");
    if (view == QLatin1String("table")) clickTable();
    if (view == QLatin1String("pareto")) clickPareto();
    if (view == QLatin1String("parallel")) clickParallel();
    QCOMPARE(canvas()->selectedNode(), QStringLiteral("row_sum"));
    QVERIFY(workspace()->diagnostics()->selectionModel()->hasSelection());
    bringTimeline();
    QCOMPARE(operatorsOfTimeline(), QStringList("row_sum"));
    const bool points = view == QLatin1String("table") || view == QLatin1String("pareto") ||
                        view == QLatin1String("parallel");
    const std::vector<int>& chosen = workspace()->explorer()->selection()->selected();
    QCOMPARE(chosen.size(), points ? std::size_t{1} : std::size_t{7});
    for (const int point : chosen)
      QVERIFY(workspace()->points()->points()[static_cast<std::size_t>(point)].state ==
              PointState::Deadlocked);
    QTRY_COMPARE(workspace()->table()->selectionModel()->selectedRows().size(),
                 static_cast<qsizetype>(chosen.size()));
  }

  void aStreamLightsUpInTheTimelineAndBack() {
    selectNothing();
    const QString origin = QStringLiteral("#exp.in");
    canvas()->selectStream(origin);
    emit canvas()->streamSelected(origin);
    const TimelineSelection chosen = timeline()->selection();
    QVERIFY(chosen.processes.empty());
    QCOMPARE(chosen.streams.size(), std::size_t{1});
    QCOMPARE(timeline()->run().graph->streams[chosen.streams.front()].origin, origin.toStdString());
    selectNothing();
    clickTimeline(origin);
    QCOMPARE(canvas()->selectedStream(), origin);
  }

  void pointsThatFinishedSelectNoPlace() {
    selectNothing();
    const auto& points = workspace()->points()->points();
    const auto done = std::find_if(points.begin(), points.end(),
                                   [](const DesignPoint& point) { return point.state == PointState::Done; });
    QVERIFY(done != points.end());
    workspace()->table()->selectPoint(static_cast<int>(done - points.begin()));
    QVERIFY(canvas()->selectedNode().isEmpty());
    QVERIFY(operatorsOfTimeline().size() > 1);  // nothing in particular
  }

 private:
  Workspace* workspace() const { return window_->workspace(); }
  GraphCanvas* canvas() const { return workspace()->canvas(); }
  TimelineView* timeline() const { return window_->time()->panel()->view(); }
  void trigger(const char* id) { window_->commands()->action(QString::fromLatin1(id))->trigger(); }

  /// What brings points to the front may cover it, and a run is recorded for those who look only.
  void bringTimeline() {
    for (QWidget* at = window_->time()->panel(); at; at = at->parentWidget())
      if (auto* dock = qobject_cast<QDockWidget*>(at)) dock->raise();
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle() && window_->time()->idle() && timeline()->run(),
                             engine_time);
  }
  void selectNothing() {
    workspace()->explorer()->selection()->select({});
    canvas()->clearSelection();
    emit canvas()->selectionCleared();
    QVERIFY(canvas()->selectedNode().isEmpty());
  }
  QStringList operatorsOfTimeline() const {
    QStringList names;
    for (const OperatorId id : timeline()->selection().processes)
      names << QString::fromStdString(timeline()->run().graph->operators[id].name);
    return names;
  }
  /// The first point that deadlocked.
  int deadlocked() const {
    const auto& points = workspace()->points()->points();
    const auto found = std::find_if(points.begin(), points.end(), [](const DesignPoint& point) {
      return point.state == PointState::Deadlocked;
    });
    return static_cast<int>(found - points.begin());
  }

  void clickCanvas(const QString& node) {
    canvas()->fitAll();
    QTest::mouseClick(canvas()->viewport(), Qt::LeftButton, {},
                      canvas()->mapFromScene(canvas()->nodeCenter(node)));
  }
  void clickTimeline(const QString& origin) {
    const int row = timeline()->rows().rowOf(origin);
    QVERIFY(row >= 0);
    timeline()->select(origin.contains(QLatin1Char('#')) ? QString() : origin,
                       origin.contains(QLatin1Char('#')) ? origin : QString());  // scrolls there
    QTest::mouseClick(timeline()->viewport(), Qt::LeftButton, {},
                      QPoint(60, timeline()->rowRect(row).center().y()));
  }
  void clickDiagnostic(const std::string& node) {
    workspace()->showDiagnostics();
    DiagnosticsList* list = workspace()->diagnostics();
    QTRY_VERIFY(list->viewport()->isVisible());
    QTest::qWait(50);  // its dock has its place
    const Diagnostics& all = list->diagnostics();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto place = resolvePlace(canvas()->document(), all[i].place);
      if (!place || place->node != node) continue;
      const QModelIndex index = list->model()->index(static_cast<int>(i), 0);
      list->scrollTo(index);
      return QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                               list->visualRect(index).topLeft() + QPoint(8, 8));
    }
    QFAIL("no diagnostic names the node");
  }
  void clickTable() {
    PointsTable* table = workspace()->table();
    workspace()->explorer()->bring(table);
    const QModelIndex index = table->model()->index(0, 0);
    table->scrollTo(index);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(index).center());
    if (workspace()->explorer()->selection()->selected().empty()) return;
    const int point = workspace()->explorer()->selection()->selected().front();
    if (workspace()->points()->points()[static_cast<std::size_t>(point)].state != PointState::Deadlocked)
      table->selectPoint(deadlocked());
  }
  void clickPareto() {
    ParetoChart* chart = workspace()->pareto()->chart();
    workspace()->explorer()->bring(workspace()->pareto());
    QTest::qWait(50);
    const auto at = chart->pixelOf(deadlocked());
    QVERIFY(at);
    QTest::mouseClick(chart, Qt::LeftButton, {}, at->toPoint());
  }
  void clickParallel() {
    ParallelView* view = workspace()->explorer()->parallel();
    workspace()->explorer()->bring(view);
    QTest::qWait(50);
    // Its only value is that of the knob: an end of the axis.
    QTest::mouseClick(view, Qt::LeftButton, {}, (view->axisPoint(0, 0) + QPointF(12, 0)).toPoint());
  }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::SelectionTest)
#include "selection_test.moc"
