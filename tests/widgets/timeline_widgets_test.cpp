// The timeline and the comparison as a user meets them: drag the cursor, zoom, fold, filter, step, play.

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QPainter>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSet>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QTreeView>
#include <QWheelEvent>
#include <map>
#include <random>

#include "tests/engine/support/documents.h"
#include "tests/engine/support/growth.h"
#include "tests/widgets/test_program.h"
#include "tests/widgets/text_recorder.h"
#include "widgets/canvas/canvas_theme.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/export/exportable.h"
#include "widgets/plots/occupancy_plot.h"
#include "widgets/timeline/state_look.h"
#include "widgets/timeline/time_cursor.h"
#include "widgets/timeline/timeline_panel.h"

namespace sluice::ui {
namespace {

using namespace testing_support;

std::shared_ptr<const PointResult> recorded(const Workload& workload, const KnobValues& knobs) {
  Result<PointResult> result = evaluate(workload, knobs, RecordMode::Timeline);
  if (!result) throw std::runtime_error(text(result.diagnostics()));
  return std::make_shared<const PointResult>(*std::move(result));
}

TimelineRun runOf(const std::shared_ptr<const PointResult>& point) {
  return {std::shared_ptr<const FlatGraph>(point, &point->symbolic.graph), point->simulation.timeline};
}

std::shared_ptr<const PointResult> sample(const char* name) {
  const auto workload = sampleWorkload(std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads" / name);
  return recorded(*workload, defaultKnobs(workload->document));
}

/// A run of the given numbers of rows and of waits in each, without a simulation.
TimelineRun synthetic(std::size_t processes, std::size_t waits) {
  auto graph = std::make_shared<FlatGraph>();
  static const OperatorSpec spec{"Map", "", "", "", {}, {}, {}};
  std::vector<ProcessTimeline> rows(processes);
  std::vector<OccupancyTrack> streams;
  std::mt19937_64 dice(7);
  Cycles end = 0;
  for (std::size_t i = 0; i < processes; ++i) {
    FlatOperator op;
    op.name = op.origin = "op" + std::to_string(i);
    op.spec = &spec;
    op.outputs = {static_cast<StreamId>(i)};
    graph->operators.push_back(op);
    FlatStream stream;
    stream.name = op.name + ".out -> sink.in";
    stream.origin = "#" + std::to_string(i);
    stream.producer = stream.consumer = static_cast<OperatorId>(i);
    stream.depth = 4;
    graph->streams.push_back(stream);
    std::array<std::vector<Wait>, wait_kinds> kinds;
    OccupancySeries series;
    Cycles time = 0;
    for (std::size_t w = 0; w < waits; ++w) {
      time += 1 + dice() % 9;
      const Cycles length = 1 + dice() % 9;
      kinds[dice() % wait_kinds].push_back(
          {time, time + length, time + length, length, static_cast<StreamId>(i)});
      time += length;
      const auto level = static_cast<std::uint32_t>(dice() % 5);
      series.samples.push_back({time, level, level, level});
    }
    for (std::size_t kind = 0; kind < wait_kinds; ++kind)
      rows[i].waits[kind] = WaitTrack(std::move(kinds[kind]), 1);
    rows[i].finished = time;
    streams.emplace_back(std::move(series));
    end = std::max(end, time);
  }
  return {graph, std::make_shared<const Timeline>(std::move(rows), std::move(streams), end)};
}

int rowNamed(const TimelineView& view, const QString& path) {
  for (std::size_t i = 0; i < view.rows().shown().size(); ++i)
    if (view.rows().shown()[i].path == path) return static_cast<int>(i);
  return -1;
}

/// Frames of a synthetic run of 20 rows: zoomed ever closer, the cursor dragged in each.
class Frames {
 public:
  explicit Frames(std::size_t waits) : run_(synthetic(20, waits)) {
    view_.resize(1600, 700);
    view_.setRun(run_, {});
    cursor_.setEnd(static_cast<qint64>(run_.timeline->end()));
  }
  std::size_t events() const { return run_.timeline->events(); }
  void draw() {
    QImage image(view_.size(), QImage::Format_RGB32);
    const double end = static_cast<double>(run_.timeline->end());
    for (int frame = 0; frame < 30; ++frame) {
      const double length = end / (1 + frame);
      view_.setRange({end / 3, end / 3 + length});
      view_.viewport()->render(&image);
      cursor_.setCycle(static_cast<qint64>(end / 3 + length * frame / 60));
      view_.viewport()->render(&image);
    }
  }

 private:
  TimelineRun run_;
  TimeCursor cursor_;
  TimelineView view_{&cursor_};
};

}  // namespace

class TimelineWidgetsTest : public QObject {
  Q_OBJECT

 private slots:
  void statesAreToldApartByPatternAndContrast() {
    for (const bool dark : {false, true}) {
      QSet<int> patterns;
      QSet<QString> letters;
      for (const ProcessState state : all_states) {
        const StateLook look = stateLook(state, dark);
        patterns.insert(look.pattern);
        letters.insert(stateLetter(state));
        QVERIFY(!stateName(state).isEmpty());
        if (look.pattern == Qt::SolidPattern || look.pattern == Qt::NoBrush) continue;
        QVERIFY2(contrast(look.ink, look.ground) > 2, qPrintable(stateName(state)));
        int inked = 0;
        for (int x = 0; x < 6; ++x)
          for (int y = 0; y < 6; ++y) inked += look.inked(x, y) ? 1 : 0;
        QVERIFY(inked > 3 && inked < 30);
      }
      QCOMPARE(patterns.size(), qsizetype{6});
      QCOMPARE(letters.size(), qsizetype{6});
    }
  }

  void draggingMovesTheCursorToTheCycleUnderTheMouse() {
    Shown shown(sample("simple_moe.sluice"));
    TimelineView& view = *shown.panel.view();
    QSignalSpy moved(&shown.cursor, &TimeCursor::cycleChanged);
    const int y = 100;
    QTest::mousePress(view.viewport(), Qt::LeftButton, {}, QPoint(view.nameWidth() + 50, y));
    for (int x = 60; x < 300; x += 40) QTest::mouseMove(view.viewport(), QPoint(view.nameWidth() + x, y));
    QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, QPoint(view.nameWidth() + 300, y));
    QVERIFY(moved.count() > 3);
    const auto expected = static_cast<qint64>(view.cycleAt(view.nameWidth() + 260));
    QCOMPARE(*shown.cursor.cycle(), expected);
  }

  void eachPixelShowsTheStatesOfItsCycles() {
    const auto point = sample("simple_moe.sluice");
    const Timeline& timeline = *point->simulation.timeline;
    const TimeRange range{100, 1100};
    const auto columns = stateColumns(timeline, {3}, range, 250);
    for (std::size_t column = 0; column < columns.size(); ++column) {
      StateCycles expected{};
      for (Cycles cycle = 100 + 4 * column; cycle < 104 + 4 * column; ++cycle)
        ++expected[static_cast<std::size_t>(timeline.stateAt(3, cycle).state)];
      QVERIFY(columns[column] == expected);
    }
    // More pixels than cycles: each shows one cycle.
    const auto near = stateColumns(timeline, {3}, {100, 110}, 100);
    for (std::size_t column = 0; column < near.size(); ++column) {
      const auto state = timeline.stateAt(3, 100 + column / 10).state;
      QVERIFY(near[column][static_cast<std::size_t>(state)] > 0);
    }
  }

  void stepsGoToTheEventsOfTheSelectionExactly() {
    const auto point = sample("simple_moe.sluice");
    Shown shown(point);
    TimelineView& view = *shown.panel.view();
    view.select(QStringLiteral("scatter"), {});
    const TimelineSelection selection = view.selection();
    QCOMPARE(selection.processes.size(), std::size_t{1});
    shown.cursor.setCycle(0);
    for (int step = 0; step < 20; ++step) {
      const auto expected =
          point->simulation.timeline->nextEvent(selection, static_cast<Cycles>(*shown.cursor.cycle()));
      QVERIFY(expected);
      view.goToNextEvent();
      QCOMPARE(*shown.cursor.cycle(), static_cast<qint64>(*expected));
    }
    const qint64 there = *shown.cursor.cycle();
    view.goToNextEvent();
    view.goToPreviousEvent();
    QCOMPARE(*shown.cursor.cycle(), there);
  }

  void regionsFoldAndTheFilterFinds() {
    Shown shown(sample("simple_moe.sluice"));
    TimelineView& view = *shown.panel.view();
    const auto count = [&] { return view.rows().shown().size(); };
    view.setAllCollapsed(true);
    const std::size_t folded = count();
    QCOMPARE(rowNamed(view, QStringLiteral("expert[0].gate")), -1);
    const int region = rowNamed(view, QStringLiteral("expert"));
    QVERIFY(region >= 0);
    const QRect rect = view.rowRect(region);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, QPoint(10, rect.center().y()));
    QVERIFY(count() > folded);
    view.setAllCollapsed(false);
    QVERIFY(rowNamed(view, QStringLiteral("expert[0].gate")) >= 0);
    QTest::keyClicks(shown.panel.filter(), QStringLiteral("[1].ga"));
    QVERIFY(rowNamed(view, QStringLiteral("expert[1].gate")) >= 0);
    QCOMPARE(rowNamed(view, QStringLiteral("expert[0].gate")), -1);
    QCOMPARE(rowNamed(view, QStringLiteral("scatter")), -1);
    QVERIFY(rowNamed(view, QStringLiteral("expert")) >= 0);  // around it
    shown.panel.filter()->clear();
    view.setStreamsShown(false);
    for (const TimelineRow& row : view.rows().shown()) QVERIFY(row.kind != TimelineRow::Kind::Stream);
  }

  /// A fan-out's copies are no region of the program.
  void anInferredOperatorIsARowBesideItsSource() {
    Shown shown(sample("deadlock_fork_join.sluice"));
    const TimelineView& view = *shown.panel.view();
    const int row = rowNamed(view, QStringLiteral("exp.out.broadcast"));
    QVERIFY(row >= 0);
    const TimelineRow& broadcast = view.rows().shown()[static_cast<std::size_t>(row)];
    QCOMPARE(broadcast.name, QStringLiteral("exp.out.broadcast"));
    QCOMPARE(broadcast.depth, 0);
    for (const TimelineRow& each : view.rows().all()) QVERIFY(each.kind != TimelineRow::Kind::Region);
  }

  /// The first look is at what works; a row that is asked for is unfolded.
  void theBusiestComeFirstAndTheIdleAreFolded() {
    FlatGraph graph;
    BusyCycles busy;
    for (int i = 0; i < 30; ++i) {
      FlatOperator op;
      op.name = op.origin = "op" + std::to_string(i);
      busy[QString::fromStdString(op.name)] = i < 20 ? 1 : i;
      graph.operators.push_back(op);
    }
    TimelineRows rows;
    rows.setGraph(graph);
    QCOMPARE(rows.shown().front().path, QStringLiteral("op0"));
    QCOMPARE(rows.shown().size(), std::size_t{30});
    busy[QStringLiteral("op3")] = 1000;
    rows.setGraph(graph, busy);
    QCOMPARE(rows.shown().front().path, QStringLiteral("op3"));
    QCOMPARE(rows.shown()[1].path, QStringLiteral("op29"));
    QCOMPARE(rows.shown().back().path, TimelineRows::idlePath());
    QCOMPARE(rows.shown().back().processes.size(), std::size_t{19});
    QCOMPARE(rows.shown().size(), std::size_t{12});
    rows.setCollapsed(TimelineRows::idlePath(), false);
    QCOMPARE(rows.shown().size(), std::size_t{31});
    QVERIFY(rows.rowOf(QStringLiteral("op7")) > 11);
  }

  /// A program of a dozen nodes fills a timeline of 300 pixels with its FIFOs; of a handful all are seen.
  void theIdleOfASmallProgramAreFolded() {
    for (const auto& [operators, shown] : {std::pair(12, 5), std::pair(8, 8)}) {
      FlatGraph graph;
      BusyCycles busy;
      for (int i = 0; i < operators; ++i) {
        FlatOperator op;
        op.name = op.origin = "op" + std::to_string(i);
        busy[QString::fromStdString(op.name)] = i < 4 ? 500 : 1;
        graph.operators.push_back(op);
      }
      TimelineRows rows;
      rows.setGraph(graph, busy);
      QCOMPARE(rows.shown().size(), static_cast<std::size_t>(shown));
      QCOMPARE(rows.shown().back().path == TimelineRows::idlePath(), operators == 12);
    }
  }

  /// On paper the emptiest FIFOs are left out, and only as many as have no room.
  void onPaperAsManyFifosAreShownAsHaveRoom() {
    TimeCursor cursor;
    TimelineView view(&cursor);
    view.setRun(synthetic(15, 20), {});
    const Exportable paper = exportable(view);
    const PrintStyle style{.width = single_column};
    const QSizeF size(single_column, paper.height(style));
    test::TextRecorder page(size);
    QCPPainter painter;
    QVERIFY(painter.begin(&page));
    paper.paint(painter, size, style);
    painter.end();
    int fifos = 0, operators = 0;
    double lowest = 0;
    for (const test::PaintedText& each : page.texts()) {
      fifos += each.text.startsWith(QChar(u'\u2192'));
      operators += each.text.startsWith(QStringLiteral("op"));
      lowest = std::max(lowest, each.area.boundingRect().bottom());
    }
    QCOMPARE(operators, 15);
    QVERIFY2(fifos > 3 && fifos < 15, qPrintable(QString::number(fifos)));
    QVERIFY(lowest > size.height() - 24);  // no white below
  }

  void clickingANameSelects() {
    Shown shown(sample("simple_moe.sluice"));
    TimelineView& view = *shown.panel.view();
    QSignalSpy nodes(&view, &TimelineView::nodeSelected), streams(&view, &TimelineView::streamSelected);
    for (std::size_t row = 0; row < view.rows().shown().size(); ++row) {
      const QRect rect = view.rowRect(static_cast<int>(row));
      if (rect.bottom() > view.viewport()->height()) break;
      QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, QPoint(120, rect.center().y()));
    }
    QVERIFY(nodes.count() > 2);
    QVERIFY(streams.count() > 2);
  }

  void zoomKeepsTheCycleUnderTheMouse() {
    Shown shown(sample("simple_moe.sluice"));
    TimelineView& view = *shown.panel.view();
    const QPointF at(view.nameWidth() + 200, 100);
    const double cycle = view.cycleAt(at.x());
    QWheelEvent wheel(at, view.viewport()->mapToGlobal(at), {}, QPoint(0, 480), {}, Qt::ControlModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(view.viewport(), &wheel);
    QVERIFY(view.range().length() < static_cast<double>(view.run().timeline->end()) / 3);
    QVERIFY(std::abs(view.cycleAt(at.x()) - cycle) < 1);
    view.fit();
    QCOMPARE(view.range().from, 0.0);
  }

  void playingGoesOnByItselfAndStopsAtTheEnd() {
    TimeCursor cursor;
    cursor.setEnd(2000);
    cursor.setSpeed(20000);
    QSignalSpy moved(&cursor, &TimeCursor::cycleChanged);
    cursor.setPlaying(true);
    QVERIFY(cursor.isPlaying());
    QTRY_VERIFY_WITH_TIMEOUT(!cursor.isPlaying(), 10000);
    QCOMPARE(*cursor.cycle(), qint64{2000});
    QVERIFY(moved.count() >= 2);
    for (int i = 1; i < moved.count(); ++i) QVERIFY(moved[i][0].toLongLong() > moved[i - 1][0].toLongLong());
    cursor.setCycle(50);
    cursor.setPlaying(true);
    cursor.setCycle(60);  // a user who takes the cursor stops it
    QVERIFY(!cursor.isPlaying());
    cursor.clear();
    QVERIFY(!cursor.cycle());
  }

  void aRowOfTheStallTableJumpsToItsStretches() {
    const auto point = sample("simple_moe.sluice");
    Shown shown(point);
    TimelineRun run = runOf(point);
    shown.panel.setStalls(run, findStalls(*run.graph, *run.timeline));
    QTreeView& table = *shown.panel.stallTable();
    QVERIFY(table.model()->rowCount() > 3);
    double shares = 0;
    for (int row = 0; row < table.model()->rowCount(); ++row) {
      const QString share = table.model()->index(row, StallModel::Share).data().toString();
      shares += share.left(share.size() - 2).toDouble();
    }
    QVERIFY2(std::abs(shares - 100) < 0.01 * table.model()->rowCount(), "shares sum to 100 %");
    const auto* model = qobject_cast<StallModel*>(table.model());
    table.expandAll();
    const QModelIndex victim = model->index(0, 0, model->index(0, 0));
    const StallRow row = *model->rowAt(victim);
    table.setCurrentIndex(victim);
    QTest::keyClick(&table, Qt::Key_Return);
    const TimelineView& view = *shown.panel.view();
    QVERIFY(shown.cursor.cycle());
    const auto cycle = static_cast<Cycles>(*shown.cursor.cycle());
    QCOMPARE(run.timeline->stateAt(row.victim, cycle).state, row.state);
    QVERIFY(stallAt(*run.graph, *run.timeline, row.victim, cycle).cause == row.cause);
    QVERIFY(view.range().from <= static_cast<double>(cycle) && static_cast<double>(cycle) <= view.range().to);
    QTest::keyClick(&table, Qt::Key_Return);  // the next stretch
    if (stallIntervals(*run.graph, *run.timeline, row).size() > 1)
      QVERIFY(static_cast<Cycles>(*shown.cursor.cycle()) != cycle);
  }

  void tableHoldsItsStructureForViews() {
    const auto point = sample("simple_moe.sluice");
    StallModel model;
    const TimelineRun run = runOf(point);
    StallFindings stalls = findStalls(*run.graph, *run.timeline, 1000);
    std::size_t rows = 0;
    for (const StallVictims& each : stalls.victims) rows += each.rows.size();
    QVERIFY(rows > stalls.report.causes.size());
    model.setStalls(run, std::move(stalls));
    std::size_t victims = 0;
    for (int cause = 0; cause < model.rowCount(); ++cause) {
      const QModelIndex parent = model.index(cause, 0);
      for (int row = 0; row < model.rowCount(parent); ++row, ++victims) {
        const QModelIndex child = model.index(row, 1, parent);
        QCOMPARE(child.parent(), parent);
        QVERIFY(model.rowAt(child)->cause == *model.causeAt(parent));
      }
    }
    QCOMPARE(victims, rows);
  }

  void victimsAreListedWhenACauseIsUnfolded() {
    const auto point = sample("simple_moe.sluice");
    Shown shown(point);
    const TimelineRun run = runOf(point);
    shown.panel.setStalls(run, findStalls(*run.graph, *run.timeline, 2));
    StallModel& model = *shown.panel.stallModel();
    QTreeView& table = *shown.panel.stallTable();
    const auto lostAt = [&](const QModelIndex& index) {
      return index.siblingAtColumn(StallModel::Lost)
          .data()
          .toString()
          .remove(QRegularExpression("[^0-9]"))
          .toULongLong();
    };
    const auto sumBelow = [&](const QModelIndex& cause) {
      Cycles sum = 0;
      for (int row = 0; row < model.rowCount(cause); ++row) sum += lostAt(model.index(row, 0, cause));
      return sum;
    };
    const QModelIndex first = model.index(0, 0), fourth = model.index(3, 0);
    QCOMPARE(model.rowCount(first), 3);  // two, and a line for the others
    QCOMPARE(sumBelow(first), lostAt(first));
    QVERIFY(model.hasChildren(fourth));
    QCOMPARE(model.rowCount(fourth), 0);
    connect(&model, &StallModel::victimsWanted, this, [&](int cause, std::size_t most) {
      const std::array wanted{*model.causeAt(model.index(cause, 0))};
      model.setVictims(cause, stallVictims(*run.graph, *run.timeline, wanted, most).front());
    });
    const QSignalSpy asked(&model, &StallModel::victimsWanted);
    table.expand(fourth);
    QCOMPARE(asked.count(), 1);
    QVERIFY(model.rowCount(fourth) > 0);
    QCOMPARE(sumBelow(fourth), lostAt(fourth));
    const QModelIndex others = model.index(2, 0, first);
    QVERIFY(!model.rowAt(others));
    table.expand(first);
    table.setCurrentIndex(others);
    QTest::keyClick(&table, Qt::Key_Return);
    QCOMPARE(asked.count(), 2);
    QVERIFY(model.rowCount(first) > 3);
    QCOMPARE(sumBelow(first), lostAt(first));
    QVERIFY(model.csv().contains(QStringLiteral("(others)")));
  }

  void aFrameCostsItsPixelsAndNotItsEvents() {
    std::map<std::size_t, Frames> frames;
    for (const std::size_t waits : {std::size_t{3125}, std::size_t{25000}}) frames.try_emplace(waits, waits);
    QVERIFY(frames.at(25000).events() >= 1000000);  // 20 rows of (2 ends + 1 sample)
    // A walk through the events would take eight times as long.
    QVERIFY(testing_support::growsSlowly(
        3125, [&](std::size_t waits) { frames.at(waits).draw(); }, 4));
  }

  void csvHasTheStatesThatShow() {
    const auto point = sample("simple_moe.sluice");
    Shown shown(point);
    TimelineView& view = *shown.panel.view();
    view.setFilter(QStringLiteral("scatter"));
    view.setRange({200, 400});
    const QStringList lines = view.csv().split(QStringLiteral("\r\n"), Qt::SkipEmptyParts);
    QVERIFY(lines.size() > 3);
    Cycles covered = 0;
    for (const QString& line : lines) {
      const QStringList cells = line.split(QLatin1Char(','));
      if (cells[0] == QLatin1String("scatter")) covered += cells[3].toULongLong() - cells[2].toULongLong();
    }
    QCOMPARE(covered, Cycles{200});
  }

  void theOverlayTellsFillsAndStates() {
    const auto workload = workloadOf(chainDocument(2, 10, 2));
    GraphCanvas canvas(builtInCatalog());
    canvas.resize(900, 300);
    canvas.setDocument(workload->document);
    canvas.show();
    QTRY_VERIFY(!canvas.layoutPending());
    const QImage before = canvas.grab().toImage();
    TimeOverlay overlay;
    overlay.nodes[QStringLiteral("map_0")][static_cast<std::size_t>(ProcessState::Starved)] = 1;
    overlay.streams[QStringLiteral("#map_0.in")] = {2, 2};
    canvas.setTimeOverlay(overlay);
    QVERIFY(canvas.grab().toImage() != before);
    canvas.setTimeOverlay({});
    QVERIFY(canvas.grab().toImage() == before);
    canvas.setDeltaOverlay({{QStringLiteral("map_1"), {0.5, QStringLiteral("+50 %")}}});
    QVERIFY(canvas.grab().toImage() != before);
    canvas.setDeltaOverlay({});
    QVERIFY(canvas.grab().toImage() == before);
  }

  void comparingShowsDifferencesFlipsAndLinksRanges() {
    const auto workload = workloadOf(chainDocument(3, 200, 0));
    const auto a = recorded(*workload, {{"depth", 1}}), b = recorded(*workload, {{"depth", 8}});
    ComparePanel panel({});
    panel.resize(1100, 420);
    panel.setRuns({a, QStringLiteral("depth = 1")}, {b, QStringLiteral("depth = 8")});
    panel.setComparison(std::make_shared<const Comparison>(compare(*a, *b)));
    panel.show();
    CompareModel& streams = *panel.model(CompareModel::Table::Streams);
    QCOMPARE(streams.rowCount(), 12);
    QCOMPARE(streams.index(0, CompareModel::A).data().toString(), QStringLiteral("1"));
    QCOMPARE(streams.index(0, CompareModel::B).data().toString(), QStringLiteral("8"));
    QVERIFY(streams.index(0, CompareModel::Change).data().toString().contains(QStringLiteral("700")));
    QVERIFY(panel.model(CompareModel::Table::Operators)->rowCount() >= 20);
    QVERIFY(panel.model(CompareModel::Table::Causes)->rowCount() > 0);
    QCOMPARE(panel.overlay()->traces().size(), std::size_t{2});

    panel.tabs()->setCurrentIndex(4);
    panel.timeline(0)->setRange({20, 60});
    QCOMPARE(panel.timeline(1)->range().from, 20.0);
    QCOMPARE(panel.timeline(1)->range().to, 60.0);
    QVERIFY(panel.timeline(0)->rows().shown().size() == panel.timeline(1)->rows().shown().size());
    for (std::size_t row = 0; row < panel.timeline(0)->rows().shown().size(); ++row)
      QCOMPARE(panel.timeline(0)->rows().shown()[row].path, panel.timeline(1)->rows().shown()[row].path);
    panel.resize(1100, 200);
    QTest::qWait(20);
    panel.timeline(0)->verticalScrollBar()->setValue(33);
    QCOMPARE(panel.timeline(1)->verticalScrollBar()->value(),
             panel.timeline(0)->verticalScrollBar()->value());
    panel.flip(0);
    QVERIFY(panel.timeline(0)->isVisibleTo(&panel) && !panel.timeline(1)->isVisibleTo(&panel));
    panel.flip(1);
    QVERIFY(!panel.timeline(0)->isVisibleTo(&panel) && panel.timeline(1)->isVisibleTo(&panel));
    panel.flip(-1);
    QVERIFY(panel.timeline(0)->isVisibleTo(&panel) && panel.timeline(1)->isVisibleTo(&panel));
    QVERIFY(!panel.model(CompareModel::Table::Metrics)->csv().isEmpty());
    panel.setRuns({}, {});
    QCOMPARE(streams.rowCount(), 0);
  }

 private:
  /// A panel on the screen with a run.
  struct Shown {
    explicit Shown(const std::shared_ptr<const PointResult>& point) : panel(&cursor, {}) {
      panel.resize(1200, 500);
      panel.setRun(runOf(point), {});
      panel.show();
      if (!QTest::qWaitForWindowExposed(&panel)) throw std::runtime_error("no window");
    }
    TimeCursor cursor;
    TimelinePanel panel;
  };
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::TimelineWidgetsTest)
#include "timeline_widgets_test.moc"
