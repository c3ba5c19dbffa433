// Time and comparison in the whole window: one cursor for timeline, canvas and occupancy plot; pins, flips,
// two files; the run for other tools.

#include <QAction>
#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QSettings>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

#include "app/window/run/compare_controller.h"
#include "app/window/run/results_view.h"
#include "app/window/run/time_controller.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "engine/explorer/evaluate.h"
#include "engine/program/trust.h"
#include "tests/app/main_windows.h"
#include "tests/app/picture.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/trust_line.h"
#include "widgets/diagnostics/diagnostics_list.h"
#include "widgets/export/exportable.h"
#include "widgets/metrics/metrics_bar.h"
#include "widgets/plots/occupancy_plot.h"
#include "widgets/timeline/time_cursor.h"
#include "widgets/timeline/timeline_panel.h"

namespace sluice::ui {
class TimeWindowTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("time_window_test"), folder_.path());
  }

  void init() {
    QSettings().clear();
    window_ = makeWindow();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    QVERIFY(window_->openFile(sample("simple_moe")));
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
  }
  void cleanup() { window_.reset(); }

  void theTimelineIsRecordedWhenItIsWanted() {
    QVERIFY(!time()->panel()->view()->run());
    trigger("panel.timelineDock");
    QTRY_VERIFY_WITH_TIMEOUT(time()->panel()->view()->run(), engine_time);
    QTRY_VERIFY_WITH_TIMEOUT(time()->idle(), engine_time);
    QVERIFY(time()->panel()->stallTable()->model()->rowCount() > 3);
  }

  /// Every stream's fill level and every node's state on the canvas are those of the run, at any cycle.
  void oneCursorForAllViews() {
    showTimeline();
    const TimelineRun run = time()->panel()->view()->run();
    for (const qint64 cycle : {0, 77, 500, 1234, 2000}) {
      time()->cursor()->setCycle(cycle);
      const TimeOverlay& overlay = canvas()->timeOverlay();
      QVERIFY(overlay.streams.size() > 5);
      std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> fills;
      for (StreamId id = 0; id < run.graph->streams.size(); ++id) {
        if (feedsInferredBroadcast(*run.graph, run.graph->streams[id])) continue;  // no stream of the program
        auto& [tokens, depth] = fills[run.graph->streams[id].origin];
        tokens += run.timeline->occupancyAt(id, static_cast<Cycles>(cycle));
        depth += run.graph->streams[id].depth;
      }
      for (auto fill = overlay.streams.begin(); fill != overlay.streams.end(); ++fill) {
        const auto& [tokens, depth] = fills.at(fill.key().toStdString());
        QCOMPARE(fill->tokens, tokens);
        QCOMPARE(fill->depth, depth);
      }
      for (OperatorId id = 0; id < run.graph->operators.size(); ++id) {
        if (isInferredBroadcast(run.graph->operators[id])) continue;
        const auto counts = overlay.nodes.value(QString::fromStdString(run.graph->operators[id].origin));
        const auto state = run.timeline->stateAt(id, static_cast<Cycles>(cycle)).state;
        QVERIFY(counts[static_cast<std::size_t>(state)] > 0);
      }
    }
    time()->cursor()->clear();
    QVERIFY(canvas()->timeOverlay().empty());
  }

  void aClickIntoTheOccupancyPlotMovesTheCursor() {
    showTimeline();
    OccupancyPlot* plot = window_->workspace()->occupancy();
    QVERIFY(!plot->traces().empty());
    const QPoint middle = plot->axisRect()->center();
    QTest::mouseClick(plot, Qt::LeftButton, {}, middle);
    QVERIFY(time()->cursor()->cycle());
    QCOMPARE(*time()->cursor()->cycle(), static_cast<qint64>(plot->xAxis->pixelToCoord(middle.x())));
  }

  void selectionGoesBothWays() {
    showTimeline();
    canvas()->setFocus();
    QTest::mouseClick(canvas()->viewport(), Qt::LeftButton, {},
                      canvas()->mapFromScene(canvas()->nodeCenter(QStringLiteral("scatter"))));
    QCOMPARE(canvas()->selectedNode(), QStringLiteral("scatter"));
    QCOMPARE(time()->panel()->view()->selection().processes.size(), std::size_t{1});
    emit time()->panel()->view()->nodeSelected(QStringLiteral("tokens"));
    QCOMPARE(canvas()->selectedNode(), QStringLiteral("tokens"));
  }

  void keysStepThroughTheEvents() {
    showTimeline();
    TimelineView* view = time()->panel()->view();
    view->setFocus();
    time()->cursor()->setCycle(0);
    QTest::keyClick(view, Qt::Key_Right);
    const qint64 first = *time()->cursor()->cycle();
    QVERIFY(first > 0);
    QTest::keyClick(view, Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(*time()->cursor()->cycle(), first + 1);
    QTest::keyClick(view, Qt::Key_End);
    QCOMPARE(*time()->cursor()->cycle(), time()->cursor()->end());
    QTest::keyClick(view, Qt::Key_Home);
    QTest::keyClick(view, Qt::Key_Space);
    QVERIFY(time()->cursor()->isPlaying());
    QTest::keyClick(view, Qt::Key_Space);
    QVERIFY(!time()->cursor()->isPlaying());
  }

  void twoPointsAreComparedAndFlipped() {
    trigger("compare.pinA");
    QTRY_VERIFY_WITH_TIMEOUT(compared()->idle(), engine_time);
    QVERIFY(window_->findChild<QDockWidget*>(QStringLiteral("compareDock"))->isVisible());
    QVERIFY(canvas()->deltaOverlay().isEmpty());
    KnobValues knobs = window_->documents()->knobs();
    knobs["depth"] = 1;
    window_->documents()->setKnobs(knobs, QStringLiteral("Shallower"));
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
    trigger("compare.pinB");
    QTRY_VERIFY_WITH_TIMEOUT(compared()->idle() && compared()->panel()->comparison(), engine_time);
    QVERIFY(compared()->panel()->run(0).title.contains(QStringLiteral("depth = 4")));
    QVERIFY(compared()->panel()->run(1).title.contains(QStringLiteral("depth = 1")));
    for (int run = 0; run < 2; ++run)  // not what they have in common
      QCOMPARE(compared()->panel()->run(run).title.count(QLatin1Char('=')), 1);
    QVERIFY(canvas()->deltaOverlay().contains(QStringLiteral("scatter")));
    const QString delta = canvas()->deltaOverlay().value(QStringLiteral("scatter")).text;
    trigger("compare.flip");
    QVERIFY(canvas()->deltaOverlay().value(QStringLiteral("scatter")).text.startsWith(QStringLiteral("A: ")));
    trigger("compare.flip");
    QVERIFY(canvas()->deltaOverlay().value(QStringLiteral("scatter")).text.startsWith(QStringLiteral("B: ")));
    trigger("compare.both");
    QCOMPARE(canvas()->deltaOverlay().value(QStringLiteral("scatter")).text, delta);
    trigger("compare.clear");
    QVERIFY(canvas()->deltaOverlay().isEmpty());
  }

  void anotherFileIsTheOtherRun() {
    compared()->pin(0);
    compared()->pinFile(sample("swiglu"));
    QTRY_VERIFY_WITH_TIMEOUT(compared()->idle() && compared()->panel()->comparison(), engine_time);
    QVERIFY(compared()->run(1).title.startsWith(QStringLiteral("swiglu.sluice")));
    QSignalSpy failed(compared(), &CompareController::failed);
    compared()->pinFile(QStringLiteral("/nowhere.sluice"));
    QTRY_VERIFY_WITH_TIMEOUT(compared()->idle(), engine_time);
    QCOMPARE(failed.count(), 1);
    QVERIFY(compared()->run(1).title.startsWith(QStringLiteral("swiglu.sluice")));  // the old one stays
  }

  /// What the window wrote of one run is what was measured of another: the tables, the timelines and the
  /// canvas show both, and how far the model is off.
  void aMeasuredRunStandsBesideTheModel() {
    showTimeline();
    const QString file = folder_.filePath(QStringLiteral("measured.vcd"));
    QVERIFY(time()->exportRun(file));
    const TimelineRun written = time()->panel()->view()->run();
    KnobValues knobs = window_->documents()->knobs();
    knobs["depth"] = 1;
    window_->documents()->setKnobs(knobs, QStringLiteral("Shallower"));
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
    compared()->openMeasured(file);
    QTRY_VERIFY_WITH_TIMEOUT(compared()->idle() && compared()->panel()->comparison(), engine_time);
    const ComparePanel& panel = *compared()->panel();
    const CompareModel& cycles = *panel.model(CompareModel::Table::Metrics);
    QCOMPARE(cycles.headerData(CompareModel::B, Qt::Horizontal, Qt::DisplayRole).toString(),
             QStringLiteral("Measured"));
    const auto measured = static_cast<double>(written.timeline->end());
    const auto model = static_cast<double>(compared()->run(0).point->simulation.cycles);
    QVERIFY(model != measured);
    QCOMPARE(panel.comparison()->metrics.at(0).value.error(), std::optional((model - measured) / measured));
    const TimelineRun shown = panel.timeline(1)->run();
    QVERIFY(shown);
    for (OperatorId id = 0; id < written.graph->operators.size(); ++id)
      for (Cycles cycle = 0; cycle < written.timeline->end(); cycle += 13) {
        const ProcessState was = written.timeline->stateAt(id, cycle).state;
        const bool on_chip = was == ProcessState::Unit;  // a file's memory is either
        QCOMPARE(shown.timeline->stateAt(id, cycle).state, on_chip ? ProcessState::Memory : was);
      }
    const QString note = canvas()->deltaOverlay().value(QStringLiteral("scatter")).text;
    QVERIFY2(note.contains(u'/'), qPrintable(note));
    trigger("compare.pinA");  // the measured run was of the run that was A
    QTRY_VERIFY_WITH_TIMEOUT(compared()->idle(), engine_time);
    QVERIFY(!compared()->run(1).point);
  }

  /// A recording that has every number of the model: the document may say so, and undo takes it back.
  void whatAgreesIsMarkedAsConfirmed() {
    QSignalSpy failed(compared(), &CompareController::failed);
    trigger("compare.confirm");
    QCOMPARE(failed.count(), 1);  // nothing that was measured is open
    showTimeline();
    const QString file = folder_.filePath(QStringLiteral("confirms.vcd"));
    QVERIFY(time()->exportRun(file));
    asOfAnotherTool(file);
    compared()->openMeasured(file);
    QTRY_VERIFY_WITH_TIMEOUT(compared()->idle() && compared()->panel()->comparison(), engine_time);
    QCOMPARE(failed.count(), 1);
    trigger("compare.confirm");  // any hardware may have these numbers
    QCOMPARE(failed.count(), 2);
    QVERIFY(!window_->documents()->document().provenance);
    const auto told = [this] { return window_->workspace()->diagnostics()->diagnostics().size(); };
    QCOMPARE(told(), std::size_t{1});
    const auto workload = makeWorkload(window_->documents()->document(), {});
    QVERIFY(workload);
    asRtlOf(file, **workload, window_->documents()->knobs());
    compared()->openMeasured(file);
    QTRY_VERIFY_WITH_TIMEOUT(compared()->idle() && compared()->panel()->comparison(), engine_time);
    QCOMPARE(told(), std::size_t{0});  // what spoke against the other one is gone
    const CompareModel& matches = *compared()->panel()->model(CompareModel::Table::Matches);
    QVERIFY(matches.rowCount() > 20);
    QCOMPARE(matches.index(0, CompareModel::What).data().toString(), QStringLiteral("operator, by name"));
    trigger("compare.confirm");
    QTRY_VERIFY_WITH_TIMEOUT(compared()->idle() && settled(), engine_time);
    QCOMPARE(failed.count(), 2);
    const auto note = [this] {
      return window_->metrics()->findChild<QLabel*>(QStringLiteral("resultsNote"))->text();
    };
    QVERIFY(window_->documents()->document().provenance);
    QTRY_VERIFY2(note().endsWith(QStringLiteral("RTL")), qPrintable(note()));
    const QString tip = window_->metrics()->tile(QStringLiteral("cycles"))->toolTip();
    QVERIFY2(tip.contains(QStringLiteral("confirmed by RTL")), qPrintable(tip));
    const QString other = window_->metrics()->tile(QStringLiteral("on_chip_bytes"))->toolTip();
    QVERIFY2(other.contains(QStringLiteral("Trust: model only")), qPrintable(other));
    const QString line = QStringLiteral("Trust in cycles: confirmed by RTL");
    QCOMPARE(trustLine(*canvas()), line);
    QCOMPARE(trustLine(*time()->panel()->view()), line);
    QCOMPARE(exportable(*time()->panel()->view()).trust, line);
    QCOMPARE(exportable(*canvas()).trust, line);
    window_->documents()->undoStack()->undo();
    QVERIFY(!window_->documents()->document().provenance);
    QTRY_VERIFY_WITH_TIMEOUT(settled() && !note().endsWith(QStringLiteral("RTL")), engine_time);

    window_->documents()->undoStack()->redo();
    QTRY_VERIFY_WITH_TIMEOUT(settled() && note().endsWith(QStringLiteral("RTL")), engine_time);
    KnobValues knobs = window_->documents()->knobs();
    knobs["depth"] = 1;
    window_->documents()->setKnobs(knobs, QStringLiteral("Shallower"));
    QTRY_VERIFY_WITH_TIMEOUT(settled() && !note().endsWith(QStringLiteral("RTL")), engine_time);
    const auto before = window_->documents()->document().provenance;
    compared()->openMeasured(file);
    QTRY_VERIFY_WITH_TIMEOUT(compared()->idle() && compared()->hasBoth(), engine_time);
    trigger("compare.confirm");
    QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 3, engine_time);
    QVERIFY(window_->documents()->document().provenance == before);
  }

  void measurementsOfSomethingElseAreRefused() {
    QSignalSpy failed(compared(), &CompareController::failed);
    compared()->openMeasured(QStringLiteral("/nowhere.vcd"));
    QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, engine_time);
    QVERIFY(!compared()->hasBoth());
  }

  void theRunGoesToOtherTools() {
    QVERIFY(!time()->exportRun(folder_.filePath(QStringLiteral("none.json"))));
    showTimeline();
    for (const char* name : {"run.json", "run.vcd"}) {
      const QString file = folder_.filePath(QString::fromLatin1(name));
      QVERIFY(time()->exportRun(file));
      QFile written(file);
      QVERIFY(written.open(QIODevice::ReadOnly));
      QVERIFY(written.readAll().contains(file.endsWith(QLatin1String("vcd")) ? "$enddefinitions"
                                                                             : "traceEvents"));
    }
    QVERIFY(!time()->exportRun(QStringLiteral("/nowhere/run.vcd")));
  }

  void theThemeReachesTheTimeline() {
    showTimeline();
    time()->cursor()->setCycle(900);
    for (const ThemeChoice theme : {ThemeChoice::Dark, ThemeChoice::Light}) {
      window_->setTheme(theme);
      QTest::qWait(50);
      QCOMPARE(looksDark(time()->panel()), theme == ThemeChoice::Dark);
    }
  }

 private:
  TimeController* time() const { return window_->time(); }
  CompareController* compared() const { return window_->comparison(); }
  GraphCanvas* canvas() const { return window_->workspace()->canvas(); }
  void trigger(const char* id) { window_->commands()->action(QString::fromLatin1(id))->trigger(); }
  bool settled() const { return window_->session()->idle() && !canvas()->layoutPending(); }
  void showTimeline() {
    trigger("panel.timelineDock");
    QTRY_VERIFY_WITH_TIMEOUT(time()->panel()->view()->run() && time()->idle() && settled(), engine_time);
  }

  /// What the window itself has written confirms nothing: another simulator has to have written it.
  static void asOfAnotherTool(const QString& file) {
    QFile dump(file);
    QVERIFY(dump.open(QIODevice::ReadOnly));
    QByteArray text = dump.readAll();
    dump.close();
    QVERIFY(text.contains("$version Sluice"));
    text.replace("$version Sluice", "$version Verilator");
    QVERIFY(dump.open(QIODevice::WriteOnly));
    dump.write(text);
  }

  /// The dump says that RTL of this point was recorded.
  static void asRtlOf(const QString& file, const Workload& workload, const KnobValues& knobs) {
    QByteArray bits;
    for (const char digit : coveredPoint(workload.document, knobs, workload.inputs))
      bits += QByteArray::number(QByteArray(1, digit).toInt(nullptr, 16), 2).rightJustified(4, '0');
    QFile dump(file);
    QVERIFY(dump.open(QIODevice::ReadOnly));
    QByteArray text = dump.readAll();
    dump.close();
    text.replace("$enddefinitions", "$var wire 128 zz~zz emitted_point [127:0] $end\n$enddefinitions");
    text.replace("\n#0\n", "\n#0\nb" + bits + " zz~zz\n");
    QVERIFY(dump.open(QIODevice::WriteOnly));
    dump.write(text);
  }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::TimeWindowTest)
#include "time_window_test.moc"
