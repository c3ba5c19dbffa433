// The window stays the user's while the engine works: no work of the engine in the event loop, progress and
// time left while it lasts, and an end at once when it is cancelled. What is measured is reported; what is
// demanded is either an order of events or processor time of the window's thread against that of the engine.

#include <QAction>
#include <QLabel>
#include <QProgressBar>
#include <QSettings>
#include <QSignalSpy>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>

#include "app/window/explore/explorer_pane.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "engine/explorer/explore.h"
#include "engine/program/file_format.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/app/watchdog.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/diagnostics/diagnostics_list.h"
#include "widgets/knobs/knob_panel.h"
#include "widgets/plots/occupancy_plot.h"
#include "widgets/plots/pareto_plot.h"
#include "widgets/points/points_table.h"

namespace sluice::ui {
class LiveTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("live_test"), folder_.path());
  }
  void init() {
    QSettings().clear();
    window_ = makeWindow();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
  }
  void cleanup() { window_.reset(); }

  void theWatchdogBarksAtWorkInTheEventLoop() {
    Watchdog watchdog;
    QTest::qWait(30);
    QVERIFY(watchdog.longestTurn() < 0.2);
    QTimer::singleShot(0, this, [] {
      const double start = Watchdog::now();
      while (Watchdog::now() - start < 0.2) {
      }
    });
    QTest::qWait(50);
    QTest::qWait(10);  // the turn is over when the next begins
    QVERIFY(watchdog.longestTurn() >= 0.2);
    QVERIFY(watchdog.turns() > 0);
  }

  void noEngineInTheEventLoop() {
    // What one simulation of this costs, paid here by this thread.
    const Result<Document> document = loadDocument(sample("moe_mixtral").toStdString());
    QVERIFY(document);
    const auto workload =
        makeWorkload(*document, std::filesystem::path(SLUICE_SOURCE_DIR "/sample_workloads"));
    QVERIFY(workload);
    const double start = Watchdog::now();
    QVERIFY(evaluate(**workload, defaultKnobs(*document), RecordMode::Record));
    const double engine = Watchdog::now() - start;
    open("moe_mixtral");
    Watchdog watchdog;
    std::size_t answers = 0;
    connect(window_->session(), &SessionController::pointReady, this, [&] { ++answers; });
    QSlider* slider = firstSlider();
    for (int turn = 0; turn < 4; ++turn) {
      slider->setValue(slider->value() == slider->minimum() ? slider->value() + 1 : slider->minimum());
      QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
    }
    QVERIFY(answers >= 4);
    qInfo("one simulation: %.0f ms of processor; the window's longest turn while four ran: %.1f ms",
          engine * 1e3, watchdog.longestTurn() * 1e3);
    QVERIFY2(watchdog.longestTurn() < std::max(0.25, engine / 2),
             "the event loop did work that belongs to the engine's threads");
  }

  void everyViewFollowsOneTick() {
    open("simple_moe");
    window_->commands()->action(QStringLiteral("run.explore"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
    QTest::qWait(100);
    const auto ring = [this] {
      // The ring of the current point in the Pareto chart.
      ParetoChart* chart = window_->workspace()->pareto()->chart();
      for (int i = 0; i < chart->graphCount(); ++i)
        if (chart->graph(i)->name() == tr("current point")) return chart->graph(i)->data()->at(0)->key;
      return 0.0;
    };
    QSlider* slider = firstSlider();
    const double before = ring();
    const auto traces = window_->workspace()->occupancy()->csv();
    slider->setValue(slider->value() == slider->minimum() ? slider->value() + 1 : slider->minimum());
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
    QTest::qWait(50);
    QVERIFY(ring() != before);
    QVERIFY(window_->workspace()->occupancy()->csv() != traces);
  }

  void longWorkShowsProgressAndCancelEndsItAtOnce() {
    open("moe_mixtral");
    window_->documents()->edit(QStringLiteral("widen"), [](Document& document) {
      const auto list = std::find_if(document.knobs.begin(), document.knobs.end(),
                                     [](const Knob& knob) { return knob.kind == KnobKind::List; });
      if (list == document.knobs.end()) return;
      for (std::int64_t more = 0; more < 200; ++more) list->list.push_back(list->list.back() + 1);
    });
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
    QSignalSpy batches(window_->session(), &SessionController::pointsExplored);
    window_->commands()->action(QStringLiteral("run.explore"))->trigger();
    auto* bar = window_->findChild<QProgressBar*>(QStringLiteral("progressBar"));
    auto* cancel = window_->findChild<QToolButton*>(QStringLiteral("cancelButton"));
    QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible() && cancel->isVisible(), engine_time);
    QTRY_VERIFY_WITH_TIMEOUT(batches.size() >= 2 || settled(), engine_time);
    QVERIFY2(!settled(), "the space is too small for this test");
    const auto* left = window_->findChild<QLabel*>(QStringLiteral("timeLeft"));
    QTRY_VERIFY_WITH_TIMEOUT(left->text().endsWith(QStringLiteral(" left")), engine_time);
    QTest::mouseClick(cancel, Qt::LeftButton);
    // The window is free when the click returns; whatever still runs in the engine nobody hears of.
    QVERIFY(settled());
    QVERIFY(!bar->isVisible());
    const auto kept = window_->workspace()->points()->points().size();
    QTest::qWait(300);
    QCOMPARE(window_->workspace()->points()->points().size(), kept);
  }

  void selectionGoesThroughTheWindow() {
    open("deadlock_fork_join");
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
    window_->commands()->action(QStringLiteral("run.explore"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
    QTest::qWait(100);
    PointSelection* points = window_->workspace()->explorer()->selection();
    std::vector<int> stuck;
    for (std::size_t i = 0; i < points->points().size(); ++i)
      if (points->points()[i].state == PointState::Deadlocked) stuck.push_back(static_cast<int>(i));
    QVERIFY(!stuck.empty());
    // The diagnostics tell of them, and lead to them.
    DiagnosticsList* list = window_->workspace()->diagnostics();
    int note = -1;
    for (std::size_t row = 0; row < list->diagnostics().size(); ++row)
      if (list->diagnostics()[row].place.beginsWith(Where::ExploredPoints)) note = static_cast<int>(row);
    QVERIFY(note >= 0);
    QVERIFY(!list->diagnostics()[static_cast<std::size_t>(note)].fix.empty());
    window_->workspace()->showDiagnostics();
    list->scrollTo(list->model()->index(note, 0));
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                      list->visualRect(list->model()->index(note, 1)).center());
    QCOMPARE(points->selected(), stuck);
    QCOMPARE(window_->workspace()->table()->selectionModel()->selectedRows().size(),
             static_cast<qsizetype>(stuck.size()));
    // And back: points of one state choose their diagnostic.
    list->selectionModel()->clearSelection();
    points->select({stuck.front()});
    QVERIFY(list->selectionModel()->isRowSelected(note, {}));
    // A node that the deadlock names, selected on the canvas, lights its points up - and the inspector's
    // page.
    points->select({});
    window_->jumpTo(QStringLiteral("normalize"));
    QCOMPARE(window_->workspace()->canvas()->selectedNode(), QStringLiteral("normalize"));
    QVERIFY(points->points()[static_cast<std::size_t>(stuck.front())].cause.find("normalize") !=
            std::string::npos);
    QCOMPARE(points->selected(), stuck);
    // What the user chose himself stays.
    points->select({stuck.front()});
    window_->jumpTo(QStringLiteral("exp"));
    QCOMPARE(points->selected(), std::vector<int>{stuck.front()});
  }

  void filtersHaveTheirOwnUndo() {
    open("simple_moe");
    window_->commands()->action(QStringLiteral("run.explore"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
    PointSelection* points = window_->workspace()->explorer()->selection();
    const std::size_t all = points->shownCount();
    const int document_steps = window_->documents()->undoStack()->count();
    window_->commands()->action(QStringLiteral("points.selectFrontier"))->trigger();
    QVERIFY(!points->selected().empty());
    window_->commands()->action(QStringLiteral("points.keep"))->trigger();
    QCOMPARE(points->shownCount(), points->selected().size());
    QVERIFY(!window_->isWindowModified());
    QCOMPARE(window_->documents()->undoStack()->count(), document_steps);
    window_->commands()->action(QStringLiteral("points.undo"))->trigger();
    QCOMPARE(points->shownCount(), all);
    QVERIFY(!window_->commands()->action(QStringLiteral("points.undo"))->isEnabled());
  }

 private:
  bool settled() const { return window_->session()->idle(); }
  void open(const char* name) {
    QVERIFY(window_->openFile(sample(name)));
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
  }
  QSlider* firstSlider() const {
    for (QSlider* slider : window_->knobs()->findChildren<QSlider*>())
      if (slider->maximum() > slider->minimum()) return slider;
    return nullptr;
  }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::LiveTest)
#include "live_test.moc"
