// What the window keeps in sight of designs before this one: results while an edit is half done, points that
// knobs went through, the change of each figure, and the streams of the occupancy plot.

#include <QLabel>
#include <QSettings>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>

#include "app/window/document/document_edits.h"
#include "app/window/explore/explorer_pane.h"
#include "app/window/run/results_view.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/knobs/knob_panel.h"
#include "widgets/metrics/metrics_bar.h"
#include "widgets/plots/occupancy_plot.h"
#include "widgets/plots/occupancy_traces.h"
#include "widgets/plots/pareto_plot.h"

namespace sluice::ui {
class OlderResultsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("older_results_test"), folder_.path());
  }
  void init() {
    QSettings().clear();
    window_ = makeWindow();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    QVERIFY(window_->openFile(sample("simple_moe")));
    wait();
  }
  void cleanup() { window_.reset(); }

  void whileAnEditIsHalfDoneTheLastResultsStay() {
    explore();
    const QString cycles = tile("cycles")->shownText();
    const std::size_t traces = occupancy()->traces().size(), explored = points().size();
    QVERIFY(explored > 1);
    QCOMPARE(note(), QStringLiteral("simulated"));
    setRank(7);
    QCOMPARE(tile("cycles")->shownText(), cycles);
    QVERIFY(tile("cycles")->isStale());
    QCOMPARE(note(), QStringLiteral("Results from before the last edit"));
    QCOMPARE(occupancy()->traces().size(), traces);
    QCOMPARE(points().size(), explored);
    QVERIFY(outdated()->isVisible());
    QVERIFY(pareto()->parentWidget()->graphicsEffect());
    setRank(8);
    QCOMPARE(note(), QStringLiteral("Results from before the last 2 edits"));
    undo();
    QTRY_COMPARE(note(), QStringLiteral("Results from before the last edit"));
    undo();
    QTRY_COMPARE_WITH_TIMEOUT(note(), QStringLiteral("simulated"), engine_time);
    QVERIFY(!tile("cycles")->isStale());
    // They are of the program as it is again.
    QCOMPARE(points().size(), explored);
    QVERIFY(!outdated()->isVisible());
    QVERIFY(!pareto()->parentWidget()->graphicsEffect());
  }

  void pointsOfAnotherProgramGoWhenItHasResults() {
    explore();
    QVERIFY(!points().empty());
    window_->documents()->edit(QStringLiteral("deepen"),
                               [](Document& document) { document.machine.fifo_depth = Value(9); });
    wait();
    QVERIFY(points().empty());
    QVERIFY(!outdated()->isVisible());
    QVERIFY(!tile("cycles")->isStale());
  }

  void anotherFileBeginsWithNothing() {
    turn("weight_tile");
    QVERIFY(!pareto()->visited().empty());
    QVERIFY(window_->openFile(sample("deadlock_fork_join")));
    wait();
    QVERIFY(pareto()->visited().empty());
    QVERIFY(tile("cycles")->changeText().isEmpty());
  }

  void aKnobLeavesATrailAndTellsTheChange() {
    QVERIFY(pareto()->visited().empty());
    QVERIFY(tile("on_chip_bytes")->changeText().isEmpty());
    const DesignPoint first = *current();
    turn("weight_tile");
    QCOMPARE(pareto()->visited().size(), std::size_t{1});
    QCOMPARE(pareto()->visited().front().knobs, first.knobs);
    const double before = metric(first, paretoPlot()->xMetric().toStdString());
    QVERIFY(pareto()->xAxis->range().contains(before));
    QVERIFY(pareto()->xAxis->range().contains(metric(*current(), paretoPlot()->xMetric().toStdString())));
    const double share = metric(*current(), "on_chip_bytes") / metric(first, "on_chip_bytes") - 1;
    const QString told = tile("on_chip_bytes")->changeText();
    QVERIFY2(told.startsWith(share < 0 ? QStringLiteral("\u2212") : QStringLiteral("+")), qPrintable(told));
    QVERIFY(tile("on_chip_bytes")->toolTip().contains(QStringLiteral("Before:")));
    QVERIFY(tile("on_chip_bytes")->toolTip().contains(QStringLiteral("of a simulated run")));
    const QCPRange range = pareto()->xAxis->range();
    undo();
    wait();
    QCOMPARE(pareto()->visited().size(), std::size_t{1});  // where one is now is no trail
    QCOMPARE(pareto()->xAxis->range(), range);             // and the axes hold still
    explore();
    QVERIFY(!points().empty());
    QCOMPARE(pareto()->visited().size(), std::size_t{1});
  }

  void theOccupancyPlotKeepsItsStreams() {
    const auto before = styles();
    QVERIFY(!before.empty());
    turn("weight_tile");
    const auto after = styles();
    QVERIFY(!after.empty());
    for (const auto& [name, style] : after) {
      QVERIFY2(before.contains(name), qPrintable(name));
      QCOMPARE(style, before.at(name));
    }
    undo();
    wait();
    QVERIFY(styles() == before);
  }

  void aChosenStreamThatARunLacksKeepsItsPlace() {
    using Names = std::vector<std::string>;
    ChosenStreams streams;
    const auto names = [&](const Names& candidates) {
      std::map<int, std::string> shown;
      for (const auto& [candidate, place] : streams.choose(candidates)) shown[place] = candidates[candidate];
      return shown;
    };
    using Shown = std::map<int, std::string>;
    QVERIFY(names({"a", "b"}) == (Shown{{0, "a"}, {1, "b"}}));
    QVERIFY(names({"e", "d", "c", "b", "a"}) == (Shown{{0, "a"}, {1, "b"}, {2, "e"}, {3, "d"}}));
    QVERIFY(names({"x", "b", "d"}) == (Shown{{1, "b"}, {3, "d"}}));
    QVERIFY(names({"a", "b", "d", "e"}) == (Shown{{0, "a"}, {1, "b"}, {2, "e"}, {3, "d"}}));
    streams.setOtherProgram();
    QVERIFY(names({"x", "b", "d"}) == (Shown{{0, "x"}, {1, "b"}, {3, "d"}}));
    QVERIFY(names({"y"}) == (Shown{{0, "y"}}));  // none is left: others are chosen
  }

 private:
  void wait() { QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time); }
  void explore() {
    window_->commands()->action(QStringLiteral("run.explore"))->trigger();
    wait();
  }
  void undo() { QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier); }
  void turn(const char* knob) {
    auto* slider =
        window_->knobs()->findChild<QSlider*>(QStringLiteral("slider.") + QString::fromLatin1(knob));
    slider->setFocus();
    QTest::keyClick(slider, slider->value() < slider->maximum() ? Qt::Key_Right : Qt::Key_Left);
    wait();
  }
  /// No program has such a rank.
  void setRank(int rank) {
    window_->documents()->edit(QStringLiteral("break it"), [rank](Document& document) {
      setParameter(document, "sum", "rank", Value(rank));
    });
    wait();
  }
  const DesignPoint* current() {
    return window_->findChild<ResultsView*>() ? &window_->findChild<ResultsView*>()->point()->point : nullptr;
  }
  std::map<QString, int> styles() const {
    std::map<QString, int> found;
    for (const OccupancyTrace& trace : occupancy()->traces()) found[trace.name] = trace.style.value_or(-1);
    return found;
  }
  MetricTile* tile(const char* name) const { return window_->metrics()->tile(QString::fromLatin1(name)); }
  QString note() const {
    return window_->metrics()->findChild<QLabel*>(QStringLiteral("resultsNote"))->text();
  }
  QLabel* outdated() const { return window_->findChild<QLabel*>(QStringLiteral("outdatedPoints")); }
  ParetoPlot* paretoPlot() const { return window_->workspace()->pareto(); }
  ParetoChart* pareto() const { return paretoPlot()->chart(); }
  OccupancyPlot* occupancy() const { return window_->workspace()->occupancy(); }
  const std::vector<DesignPoint>& points() const { return window_->workspace()->points()->points(); }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::OlderResultsTest)
#include "older_results_test.moc"
