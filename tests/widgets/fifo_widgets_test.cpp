// Token curves and FIFO sizes under a user's hands: typing, dragging, editing depths, undoing; every number
// against the engine, and the conflict that is drawn against the one that is there.

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <random>
#include <set>

#include "tests/widgets/test_program.h"
#include "widgets/common/quantity.h"
#include "widgets/fifos/fifo_fields.h"
#include "widgets/fifos/sizing_examples.h"
#include "widgets/fifos/sizing_model.h"
#include "widgets/fifos/sizing_page.h"
#include "widgets/fifos/timed_graph_view.h"
#include "widgets/fifos/token_curve_page.h"
#include "widgets/plots/token_curve_plot.h"

namespace sluice::ui {
namespace {

template <class T>
T* find(const QWidget& page, const char* name) {
  T* found = page.findChild<T*>(QString::fromLatin1(name));
  if (!found) qFatal("no %s", name);
  return found;
}

/// Clicks on a FIFO's path find pixels of this colour near its label.
bool isDrawnIn(const TimedGraphView& view, std::size_t stream, const QColor& colour) {
  const QImage image = const_cast<TimedGraphView&>(view).grab().toImage();
  const QPoint middle = view.labelPoint(stream).toPoint();
  for (int y = middle.y() - 40; y <= middle.y() + 40; ++y)
    for (int x = middle.x() - 40; x <= middle.x() + 40; ++x)
      if (image.rect().contains(x, y) && image.pixelColor(x, y) == colour) return true;
  return false;
}

}  // namespace

class FifoWidgetsTest : public QObject {
  Q_OBJECT

 private slots:
  void curvesAreTheEnginesTokenByToken() {
    std::mt19937 random(3);
    const auto below = [&](unsigned most) { return static_cast<std::int64_t>(random() % most); };
    TokenCurvePlot plot;
    for (int round = 0; round < 200; ++round) {
      const StreamTiming stream{
          {below(9), {1 + below(4), 1 + below(2)}, 1 + below(40)}, {1 + below(5), 1}, below(60)};
      const FifoBehaviour fifo{below(2), below(2) == 1, false};
      plot.setStream(stream, fifo);
      std::size_t at = 0;
      std::int64_t highest = 0;
      for (std::int64_t time = 0; time <= plot.samples().back().time; ++time) {
        while (at + 1 < plot.samples().size() && plot.samples()[at + 1].time <= time) ++at;
        QCOMPARE(plot.samples()[at].produced, tokensAt(stream.production, time));
        QCOMPARE(plot.samples()[at].waiting, occupancyAt(stream, fifo, time));
        QCOMPARE(plot.samples()[at].produced - plot.samples()[at].taken, plot.samples()[at].waiting);
        highest = std::max(highest, plot.samples()[at].waiting);
      }
      QCOMPARE(plot.samples().back().waiting, 0);  // it ends when all have left
      QCOMPARE(plot.samples().back().produced, stream.production.tokens);
      if (stream.production.interval.tokens == 1) QCOMPARE(highest, peakOccupancy(stream, fifo));
    }
  }

  void draggingTheDelayMovesEverything() {
    TokenCurvePage page;
    showPage(page);
    find<QSpinBox>(page, "producerTokens")->setValue(40);
    find<QSpinBox>(page, "consumerTokens")->setValue(40);
    TokenCurvePlot* plot = page.plot();
    QTest::qWait(50);
    const QString peak = find<QLabel>(page, "exactPeak")->text();
    const QPoint from = plot->handle();
    const QCPRange range = plot->xAxis->range();
    const int to = static_cast<int>(plot->xAxis->coordToPixel(20));
    QSignalSpy moved(plot, &TokenCurvePlot::delayChanged);
    QTest::mouseMove(plot, from);
    QCOMPARE(plot->cursor().shape(), Qt::SizeHorCursor);
    QTest::mousePress(plot, Qt::LeftButton, {}, from);
    for (int x = from.x(); x <= to; x += 7) QTest::mouseMove(plot, {x, from.y()});
    QTest::mouseMove(plot, {to, from.y()});
    QCOMPARE(plot->xAxis->range(), range);  // it holds still meanwhile
    QVERIFY(moved.size() > 5);
    QCOMPARE(page.timing().delay, 20);
    QTest::mouseRelease(plot, Qt::LeftButton, {}, {to, from.y()});
    QCOMPARE(find<QSpinBox>(page, "streamDelay")->value(), 20);
    QVERIFY(find<QLabel>(page, "exactPeak")->text() != peak);
    showsTheEnginesNumbers(page);
    QTest::mouseMove(plot, {to + 40, from.y()});  // no longer held
    QCOMPARE(page.timing().delay, 20);
    plot->setFocus();
    QTest::keyClick(plot, Qt::Key_Right);
    QCOMPARE(page.timing().delay, 21);
    QTest::keyClick(plot, Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(page.timing().delay, 11);
    QTest::keyClick(plot, Qt::Key_Home);
    QCOMPARE(page.timing().delay, 3);  // the first token cannot come earlier
    QTest::keyClick(plot, Qt::Key_Left);
    QCOMPARE(page.timing().delay, 3);
    QTest::keyClick(plot, Qt::Key_End);
    QCOMPARE(page.timing().delay, plot->mostDelay());
    QCOMPARE(find<QLabel>(page, "exactPeak")->text(), QStringLiteral("40"));
    showsTheEnginesNumbers(page);
  }

  void fieldsMakeTheCurve() {
    TokenCurvePage page;
    showPage(page);
    QCOMPARE(find<QLabel>(page, "equationOne")->text().left(1), QStringLiteral("3"));  // Figure 8(a)
    auto* tokens = find<QSpinBox>(page, "producerTokens");
    tokens->setValue(4);
    auto* latency = find<QSpinBox>(page, "producerLatency");
    QCOMPARE(latency->value(), 6);
    latency->setValue(10);  // 7 cycles for 3 more tokens
    QCOMPARE(find<QLineEdit>(page, "producerInterval")->text(), QStringLiteral("7/3"));
    QCOMPARE(page.timing().production.interval.cycles, 7);
    QCOMPARE(page.timing().production.interval.tokens, 3);
    auto* interval = find<QLineEdit>(page, "producerInterval");
    interval->setFocus();
    interval->selectAll();
    QTest::keyClicks(interval, QStringLiteral("0x5"));  // only a 5 is a number here
    QCOMPARE(interval->text(), QStringLiteral("5"));
    QCOMPARE(latency->value(), 18);
    showsTheEnginesNumbers(page);
    tokens->setValue(1);
    QVERIFY(!latency->isEnabled());
    showsTheEnginesNumbers(page);
  }

  void switchesOfTheFifo() {
    TokenCurvePage page;
    showPage(page);
    QCOMPARE(page.plot()->leastDelay(), 3);
    find<QCheckBox>(page, "fifoRegistered")->click();
    QCOMPARE(page.plot()->leastDelay(), 4);
    QCOMPARE(page.timing().delay, 4);
    showsTheEnginesNumbers(page);
    const QString before = find<QLabel>(page, "exactPeak")->text();
    find<QCheckBox>(page, "fifoHeld")->click();
    QVERIFY(find<QLabel>(page, "exactPeak")->text() != before);
    showsTheEnginesNumbers(page);
    const QString allowed = find<QLabel>(page, "longestDelay")->text();
    find<QCheckBox>(page, "fifoPush")->click();
    QVERIFY(find<QLabel>(page, "longestDelay")->text() != allowed);
    showsTheEnginesNumbers(page);
  }

  void conservativeIntervalsMeetTheLongestLatency() {
    TokenCurvePage page;
    showPage(page);
    QCOMPARE(page.timing().production.interval.cycles, 1);
    auto* equalisation = find<QComboBox>(page, "equalisation");
    equalisation->setFocus();
    QTest::keyClick(equalisation, Qt::Key_Down);
    QCOMPARE(latency(page.timing().production), 10);  // the consumer's
    find<QSpinBox>(page, "longestLatency")->setValue(43);
    QCOMPARE(latency(page.timing().production), 43);
    QCOMPARE(page.timing().consumption.cycles, 41);
    QCOMPARE(page.timing().consumption.tokens, 4);
    showsTheEnginesNumbers(page);
  }

  void manyTokensAreDrawnAtOnce() {
    TokenCurvePage page;
    showPage(page);
    find<QSpinBox>(page, "producerTokens")->setValue(1'000'000);
    find<QSpinBox>(page, "consumerTokens")->setValue(1'000'000);
    page.plot()->grab();
    QVERIFY(page.plot()->samples().size() <= 10'100);
    QCOMPARE(find<QLabel>(page, "exactPeak")->text().toLongLong(), peakOccupancy(page.timing(), {}));
  }

  void theTableHasWhatTheEngineSays() {
    for (const SizingExample& example : sizingExamples()) {
      SizingPage page;
      showPage(page);
      page.setGraph(example.graph, example.note);
      const QAbstractItemModel& model = *page.table()->model();
      QCOMPARE(model.rowCount(), static_cast<int>(example.graph.streams.size()));
      const auto* columns = qobject_cast<const SizingModel*>(&model);
      const SizingMethod methods[] = {SizingMethod::PathProgram, SizingMethod::StartTime,
                                      SizingMethod::AsSoonAsPossible};
      for (std::size_t method = 0; method < 3; ++method) {
        const Result<FifoSizing> sizing = sizeFifos(example.graph, methods[method], {});
        QVERIFY(sizing);
        for (std::size_t row = 0; row < sizing->fifos.size(); ++row) {
          const auto shown = [&](SizingModel::Quantity quantity) {
            return model.index(static_cast<int>(row), columns->columnOf(method, quantity))
                .data()
                .toLongLong();
          };
          const SizedFifo& fifo = sizing->fifos[row];
          QCOMPARE(shown(SizingModel::Delay), fifo.delay);
          QCOMPARE(shown(SizingModel::Published), fifo.published.tokens);
          QCOMPARE(shown(SizingModel::Peak), fifo.peak);
          QCOMPARE(shown(SizingModel::Depth), fifo.depth);
        }
        const QAbstractItemModel& summary = *page.summary()->model();
        QCOMPARE(summary.index(static_cast<int>(method), SummaryModel::Delays).data().toLongLong(),
                 sizing->total_delay);
        const QString word = summary.index(static_cast<int>(method), SummaryModel::Verdict).data().toString();
        QCOMPARE(word.contains(QStringLiteral("full rate")),
                 !sizing->verdict.stall && !sizing->verdict.deadlock);
      }
    }
  }

  void theCounterExampleShowsItsTwoPaths() {
    SizingPage page;
    showPage(page);
    choose(page, 2);
    find<QSpinBox>(page, "delayScale")->setValue(10);
    QCOMPARE(page.shownSizing(), std::size_t{0});
    QVERIFY(page.verdict().contains(QStringLiteral("cannot run at full rate")));
    const std::optional<FifoConflict>& conflict = page.graphView()->conflict();
    QVERIFY(conflict);
    QTest::qWait(50);
    const PlotTheme theme = PlotTheme::screen(page.palette(), page.font());
    std::size_t on_paths = 0;
    for (std::size_t stream = 0; stream < page.graph().streams.size(); ++stream) {
      const auto on = [stream](const std::vector<std::vector<std::size_t>>& paths) {
        return std::ranges::any_of(
            paths, [stream](const auto& path) { return std::ranges::count(path, stream) > 0; });
      };
      if (on(conflict->fifo_paths)) QVERIFY(isDrawnIn(*page.graphView(), stream, theme.series(1).colour));
      if (on(conflict->slow_paths)) QVERIFY(isDrawnIn(*page.graphView(), stream, theme.series(0).colour));
      on_paths += on(conflict->fifo_paths) || on(conflict->slow_paths);
    }
    QVERIFY(on_paths >= 3);
    page.summary()->setFocus();
    QTest::keyClick(page.summary(), Qt::Key_Down);  // start times
    QCOMPARE(page.shownSizing(), std::size_t{1});
    QVERIFY(!page.graphView()->conflict());
    QVERIFY(page.verdict().contains(QStringLiteral("runs at full rate")));
    for (std::size_t stream = 0; stream < page.graph().streams.size(); ++stream)
      QVERIFY(!isDrawnIn(*page.graphView(), stream, theme.series(1).colour));
  }

  void aDepthByHandIsCheckedAndUndone() {
    SizingPage page;
    showPage(page);
    choose(page, 4);  // a pipeline that does not drain
    const auto* columns = qobject_cast<const SizingModel*>(page.table()->model());
    const QModelIndex cell = columns->index(2, columns->columnOf(3, SizingModel::Depth));
    QCOMPARE(cell.data().toInt(), 7);
    page.table()->setFocus();
    page.table()->setCurrentIndex(cell);
    QTest::keyClick(page.table(), Qt::Key_F2);
    auto* editor = page.table()->findChild<QSpinBox*>();
    QVERIFY(editor);
    QTest::keyClicks(editor, QStringLiteral("4"));
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_COMPARE(cell.data().toInt(), 4);
    QCOMPARE(page.shownSizing(), std::size_t{3});
    QVERIFY(page.verdict().contains(QStringLiteral("deadlocks")));
    QVERIFY(page.graphView()->conflict());
    QVERIFY(page.graphView()->accessibleDescription().contains(QStringLiteral("deadlocks")));
    auto* undo = find<QPushButton>(page, "undoDepth");
    QVERIFY(undo->isEnabled());
    QTest::mouseClick(undo, Qt::LeftButton);
    QCOMPARE(cell.data().toInt(), 7);
    QVERIFY(!page.graphView()->conflict());
    QVERIFY(!undo->isEnabled());
    QTest::mouseClick(find<QPushButton>(page, "redoDepth"), Qt::LeftButton);
    QCOMPARE(cell.data().toInt(), 4);
    page.summary()->selectRow(2);
    QTest::mouseClick(find<QPushButton>(page, "takeDepths"), Qt::LeftButton);
    QCOMPARE(cell.data().toInt(), 7);
    QCOMPARE(page.undoStack()->count(), 2);
    page.undoStack()->undo();
    QCOMPARE(cell.data().toInt(), 4);
    // What is not by hand cannot be edited; another design has nothing to undo.
    QVERIFY(!columns->index(0, 1).flags().testFlag(Qt::ItemIsEditable));
    choose(page, 0);
    QCOMPARE(page.undoStack()->count(), 0);
  }

  void edgesAndRowsAreOne() {
    SizingPage page;
    showPage(page);
    QTest::qWait(50);
    for (int stream = 0; stream < 3; ++stream) {
      QTest::mouseClick(page.graphView(), Qt::LeftButton, {},
                        page.graphView()->labelPoint(static_cast<std::size_t>(stream)).toPoint());
      QCOMPARE(page.table()->currentIndex().row(), stream);
    }
    QSignalSpy asked(&page, &SizingPage::curvesRequested);
    const QModelIndex name = page.table()->model()->index(2, 0);
    QTest::mouseClick(page.table()->viewport(), Qt::LeftButton, {}, page.table()->visualRect(name).center());
    QTest::mouseDClick(page.table()->viewport(), Qt::LeftButton, {}, page.table()->visualRect(name).center());
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked.front()[0].toInt(), 2);
    QCOMPARE(asked.front()[1].toInt(), 8);  // the delay of Figure 8(f)
  }

  void optionsSizeAnew() {
    SizingPage page;
    showPage(page);
    const Bytes before = page.sizings()[1].totalBytes();
    find<QCheckBox>(page, "fifoRegistered")->click();
    QVERIFY(page.sizings()[1].totalBytes() > before);
    QCOMPARE(depthsOf(page.sizings()[3]), depthsOf(page.sizings()[1]));  // not edited yet: they follow
    page.setDepth(0, 9);
    find<QCheckBox>(page, "fifoRegistered")->click();
    QCOMPARE(page.sizings()[3].fifos[0].depth, 9);  // edited: they stay
  }

  void theSimulatorsAnswersStandBesideTheFormulas() {
    SizingPage page;
    QSignalSpy wanted(&page, &SizingPage::simulationWanted);
    showPage(page);
    choose(page, 2);
    QCOMPARE(wanted.size(), 1);
    const Result<DepthProblem> problem = depthProblem(page.graph());
    QVERIFY(problem);
    std::vector<std::vector<std::int64_t>> depths;
    std::vector<std::optional<SimulatedFifos>> runs;
    for (const ComparedSizing& sizing : page.sizings()) {
      depths.push_back(depthsOf(sizing));
      runs.push_back(simulateFifos(*problem, depths.back()));
    }
    const SimulatedSizing found = sizeBySimulation(*problem, depths, {});
    page.setSimulated(runs, found);
    QCOMPARE(page.sizings().size(), std::size_t{5});
    const auto cell = [&](int row, SummaryModel::Column column) {
      return page.summary()->model()->index(row, column).data().toString();
    };
    QCOMPARE(cell(3, SummaryModel::Method), QStringLiteral("Simulated"));
    QCOMPARE(cell(4, SummaryModel::Method), QStringLiteral("By hand"));
    for (const int row : {0, 1, 2})
      QCOMPARE(cell(row, SummaryModel::SimulatedCycles),
               exactNumber(runs[static_cast<std::size_t>(row)]->cycles));
    QCOMPARE(cell(3, SummaryModel::SimulatedCycles), exactNumber(found.cycles));
    QCOMPARE(cell(4, SummaryModel::SimulatedCycles), exactNumber(runs[3]->cycles));
    const auto* table = qobject_cast<const SizingModel*>(page.table()->model());
    for (const std::size_t method : {0, 1, 2}) {
      std::set<std::size_t> counted;
      Cycles stalls = 0;
      for (std::size_t fifo = 0; fifo < runs[method]->peak.size(); ++fifo) {
        const int column = table->columnOf(method, SizingModel::SimulatedPeak);
        QCOMPARE(table->index(static_cast<int>(fifo), column).data().toLongLong(), runs[method]->peak[fifo]);
        if (counted.insert(page.graph().streams[fifo].producer).second) stalls += runs[method]->stalls[fifo];
      }
      QCOMPARE(cell(static_cast<int>(method), SummaryModel::Stalls), exactNumber(stalls));
    }
    // Never more memory than a method that is as fast; the simulator's FIFOs are registered ones.
    for (const std::size_t row : {0, 1, 2})
      QVERIFY(runs[row]->cycles > found.cycles ||
              page.sizings()[row].totalBytes() >= page.sizings()[3].totalBytes());
    // The columns move along: by hand is still what is edited, and a second answer adds no column.
    const auto* columns = qobject_cast<const SizingModel*>(page.table()->model());
    QVERIFY(
        !columns->index(0, columns->columnOf(3, SizingModel::Depth)).flags().testFlag(Qt::ItemIsEditable));
    QVERIFY(columns->index(0, columns->columnOf(4, SizingModel::Depth)).flags().testFlag(Qt::ItemIsEditable));
    QCOMPARE(columns->columnOf(4, SizingModel::SizeInBytes), columns->columnCount() - 1);
    page.setDepth(0, 9);
    QCOMPARE(wanted.size(), 2);
    QCOMPARE(columns->index(0, columns->columnOf(4, SizingModel::Depth)).data().toInt(), 9);
    QVERIFY(page.hasSimulated());
    page.setSimulated(runs, found);
    QCOMPARE(page.sizings().size(), std::size_t{5});
    page.summary()->selectRow(3);
    QTest::mouseClick(find<QPushButton>(page, "takeDepths"), Qt::LeftButton);
    QCOMPARE(depthsOf(page.sizings()[4]), found.depths);
    find<QCheckBox>(page, "fifoRegistered")->click();  // other options: asked for again
    QVERIFY(!page.hasSimulated());
    QCOMPARE(page.sizings().size(), std::size_t{4});
  }

  void aProgramsDesignsComeFirstAndFollowIt() {
    SizingPage page;
    showPage(page);
    page.setDepth(0, 7);
    std::vector<SizingExample> given{sizingExamples()[4]};
    given[0].name = QStringLiteral("block of the program");
    page.setDesigns(given);
    QCOMPARE(find<QComboBox>(page, "sizingExample")->currentText(), sizingExamples()[0].name);
    QCOMPARE(page.sizings().back().fifos[0].depth, 7);  // the user is elsewhere and is left alone
    page.choose(given[0].name);
    QCOMPARE(page.graph().kernels.size(), given[0].graph.kernels.size());
    given[0].graph.kernels.push_back({"more", {1, {1, 1}, 32}, true});
    page.setDesigns(given);
    QCOMPARE(page.graph().kernels.size(), given[0].graph.kernels.size());  // it follows the program
    page.setDesigns({});
    QCOMPARE(page.graph().kernels.size(), sizingExamples()[0].graph.kernels.size());
  }

  void itOpensOnTheProgramAndTheVerdictAgreesWithTheStalls() {
    SizingPage page;
    showPage(page);
    std::vector<SizingExample> given{sizingExamples()[0]};
    given[0].name = QStringLiteral("block of the program");
    page.setDesigns(given);
    QCOMPARE(find<QComboBox>(page, "sizingExample")->currentText(), given[0].name);
    QVERIFY(page.showsGiven());
    QVERIFY(page.deepest());
    page.summary()->selectRow(1);
    QVERIFY(page.verdict().contains(QStringLiteral("runs at full rate")));
    QVERIFY(!page.verdict().contains(QStringLiteral("waited")));
    std::vector<std::optional<SimulatedFifos>> runs(page.sizings().size());
    runs[1] = SimulatedFifos{false, 1200, {1, 1, 1}, {1500, 20, 0}};
    page.setSimulated(runs, std::nullopt);
    QVERIFY2(page.verdict().contains(QStringLiteral("producers waited")), qPrintable(page.verdict()));
    page.setDesigns({});  // another file, without a tensor program
    QVERIFY(!page.showsGiven());
  }

  void whatIsTooLargeIsSaid() {
    SizingPage page;
    showPage(page);
    TimedGraph chain;
    for (std::size_t kernel = 0; kernel <= most_kernels; ++kernel) {
      chain.kernels.push_back({"k" + std::to_string(kernel), {1, {1, 1}, 10}, true});
      if (kernel > 0) chain.streams.push_back({kernel - 1, kernel, 10, 8});
    }
    page.setGraph(chain, {});
    QVERIFY(page.sizings().empty());
    QVERIFY(page.verdict().contains(QStringLiteral("201 kernels")));
    page.setDepth(0, 5);  // nothing to set
    QVERIFY(!find<QPushButton>(page, "takeDepths")->isEnabled());
    QTest::mouseClick(page.graphView(), Qt::LeftButton, {}, page.graphView()->labelPoint(7).toPoint());
    page.grab();
    chain.kernels.pop_back();
    chain.streams.pop_back();
    page.setGraph(chain, {});
    QCOMPARE(page.sizings().size(), std::size_t{4});
    TimedGraph cyclic = sizingExamples()[0].graph;
    cyclic.streams.push_back({2, 0, 1000, 32});
    page.setGraph(cyclic, {});
    QVERIFY(page.verdict().contains(QStringLiteral("cycle")));
    QCOMPARE(page.summary()->model()->index(0, SummaryModel::Verdict).data().toString().mid(2),
             QStringLiteral("failed"));
    page.grab();
  }

 private:
  static void showPage(QWidget& page) {
    page.resize(1240, 800);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
  }

  static void choose(SizingPage& page, int example) {
    find<QComboBox>(page, "sizingExample")->setCurrentIndex(example);
  }

  static void showsTheEnginesNumbers(const TokenCurvePage& page) {
    const FifoBehaviour fifo = page.findChild<FifoFields*>()->fifo();
    const StreamTiming& stream = page.timing();
    const auto first = [&page](const char* name) {
      return find<QLabel>(page, name)->text().section(QLatin1Char(' '), 0, 0).toLongLong();
    };
    QCOMPARE(first("equationOne"), occupancyEquation1(stream));
    QCOMPARE(first("equationTwo"), occupancyEquation2(stream));
    QCOMPARE(first("exactPeak"), peakOccupancy(stream, fifo));
    QCOMPARE(first("recommendedDepth"), recommendedDepth(stream, fifo));
    const bool one = maximumOccupancy(stream).equation == OccupancyEquation::One;
    QVERIFY(find<QLabel>(page, one ? "equationOne" : "equationTwo")->text().contains(QStringLiteral("used")));
    QVERIFY(
        !find<QLabel>(page, one ? "equationTwo" : "equationOne")->text().contains(QStringLiteral("used")));
    QCOMPARE(find<QSpinBox>(page, "streamDelay")->value(), static_cast<int>(stream.delay));
    QCOMPARE(page.plot()->delay(), stream.delay);
  }
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::FifoWidgetsTest)
#include "fifo_widgets_test.moc"
