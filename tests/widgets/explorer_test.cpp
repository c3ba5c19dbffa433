// The explorer's views as a researcher uses them: filters typed and brushed, undone; points selected in one
// view light up in all; axes moved and turned; the knee, the baseline, the weights.

#include <QAbstractButton>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>
#include <QToolButton>
#include <cmath>
#include <random>

#include "engine/explorer/statistics.h"
#include "tests/engine/support/growth.h"
#include "tests/widgets/test_program.h"
#include "widgets/decision/decision_panel.h"
#include "widgets/decision/sensitivity_view.h"
#include "widgets/parallel/parallel_view.h"
#include "widgets/plots/hypervolume_plot.h"
#include "widgets/plots/pareto_plot.h"
#include "widgets/points/filter_bar.h"
#include "widgets/points/points_table.h"

namespace sluice::ui {
namespace {

/// A full factorial design: cycles fall with the tile, memory rises with it; few ways are slow.
std::vector<DesignPoint> factorial() {
  std::vector<DesignPoint> points;
  for (std::int64_t tile = 1; tile <= 64; tile *= 2)
    for (std::int64_t ways = 1; ways <= 4; ++ways)
      for (std::int64_t depth = 2; depth <= 3; ++depth) {
        DesignPoint point;
        point.knobs = {{"tile", tile}, {"ways", ways}, {"depth", depth}};
        point.metrics.cycles = static_cast<Cycles>(100000 / tile + 4000 / ways);
        point.metrics.on_chip_bytes = static_cast<Bytes>(1000000 * tile + 1000 * depth);
        point.metrics.off_chip_bytes = 5;
        if (tile == 64) point.state = PointState::Infeasible;
        if (ways == 1 && depth == 2) {
          point.state = PointState::Deadlocked;
          point.cause = "deadlock at cycle 7: expert[0].gate waits for sum";
        }
        points.push_back(point);
      }
  return points;
}

std::vector<DesignPoint> randomPoints(int count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<DesignPoint> points;
  for (int i = 0; i < count; ++i) {
    DesignPoint point;
    point.knobs = {{"a", 1 << random() % 6},
                   {"b", static_cast<std::int64_t>(random() % 10)},
                   {"c", static_cast<std::int64_t>(random() % 500)}};
    point.metrics.cycles = 1 + random() % 1000000;
    point.metrics.on_chip_bytes = 1 + random() % 10000000;
    point.metrics.off_chip_bytes = 1 + random() % 10000000;
    point.metrics.compute_utilization = static_cast<double>(random() % 1000) / 1000;
    if (random() % 10 == 0) point.state = PointState::Deadlocked;
    if (random() % 10 == 0) point.state = PointState::Infeasible;
    points.push_back(point);
  }
  return points;
}

/// Everything that shows points, with one selection.
struct Views {
  PointsModel model;
  PointColumns columns{&model};
  PointSelection selection{&columns};
  ParetoPlot pareto{&selection};
  ParallelView parallel{&selection};
  PointsTable table{&model};
  FilterBar filters{&selection};

  Views() {
    table.follow(&selection);
    parallel.resize(800, 320);
    pareto.resize(600, 360);
    filters.resize(600, 40);
    for (QWidget* view : std::initializer_list<QWidget*>{&parallel, &pareto, &filters}) view->show();
  }
  bool exposed() { return QTest::qWaitForWindowExposed(&parallel) && QTest::qWaitForWindowExposed(&pareto); }
  std::size_t axis(const char* column) const {
    for (std::size_t i = 0; i < parallel.axes().axes().size(); ++i)
      if (parallel.axes().axes()[i].column == QLatin1String(column)) return i;
    return 99;
  }
  void drag(QWidget& view, QPointF from, QPointF to) const {
    QTest::mousePress(&view, Qt::LeftButton, {}, from.toPoint());
    for (int step = 1; step <= 4; ++step)
      QTest::mouseMove(&view, (from + (to - from) * step / 4.0).toPoint());
    QTest::mouseRelease(&view, Qt::LeftButton, {}, to.toPoint());
  }
};

}  // namespace

class ExplorerTest : public QObject {
  Q_OBJECT

 private slots:
  void limitsAreReadAsTheyAreWritten_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("column");
    QTest::addColumn<double>("inside");
    QTest::addColumn<double>("outside");
    QTest::newRow("metric") << "on_chip_bytes < 8 MB"
                            << "on_chip_bytes" << 7.9e6 << 8e6;
    QTest::newRow("title") << "On-chip memory <= 8MB"
                           << "on_chip_bytes" << 8e6 << 8.1e6;
    QTest::newRow("turned") << "4 KiB >= on chip memory"
                            << "on_chip_bytes" << 4096.0 << 4097.0;
    QTest::newRow("both") << "2k <= cycles < 5k"
                          << "cycles" << 2000.0 << 5000.0;
    QTest::newRow("knob") << "tile = 16"
                          << "tile" << 16.0 << 17.0;
    QTest::newRow("percent") << "compute utilisation > 40 %"
                             << "compute_utilization" << 0.41 << 0.4;
  }
  void limitsAreReadAsTheyAreWritten() {
    QFETCH(QString, text);
    QFETCH(QString, column);
    QFETCH(double, inside);
    QFETCH(double, outside);
    Views views;
    views.model.setPoints(factorial());
    const Result<PointFilter> filter = parseFilter(text, views.columns);
    QVERIFY(filter);
    QCOMPARE(filter->column, column);
    QVERIFY(inside >= filter->low && inside <= filter->high);
    QVERIFY(!(outside >= filter->low && outside <= filter->high));
  }

  void aLimitThatCannotBeReadIsExplained() {
    Views views;
    views.model.setPoints(factorial());
    auto* field = views.filters.findChild<QLineEdit*>(QStringLiteral("filterField"));
    auto* problem = views.filters.findChild<QLabel*>(QStringLiteral("filterProblem"));
    for (const char* text :
         {"cycles", "weight < 5", "3 < 4", "cycles < tile", "5 < cycles < 3", "cycles < x y"}) {
      field->setText(QString::fromLatin1(text));
      QTest::keyClick(field, Qt::Key_Return);
      QVERIFY2(problem->isVisible() && problem->text().size() > 20, text);
      QVERIFY(views.selection.filters().empty());
      const Result<PointFilter> refused = parseFilter(QString::fromLatin1(text), views.columns);
      QVERIFY(!refused && !refused.diagnostics().front().fix.empty());
    }
    field->setText(QStringLiteral("weight < 5"));
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY2(problem->text().contains(QStringLiteral("tile")), qPrintable(problem->text()));  // what there is
  }

  void filtersStackAndUndo() {
    Views views;
    const std::vector<DesignPoint> points = factorial();
    views.model.setPoints(points);
    auto* field = views.filters.findChild<QLineEdit*>(QStringLiteral("filterField"));
    for (const char* text : {"on-chip memory < 8 MB", "ways >= 2"}) {
      field->clear();
      QTest::keyClicks(field, QString::fromLatin1(text));
      QTest::keyClick(field, Qt::Key_Return);
    }
    std::size_t expected = 0;
    for (const DesignPoint& point : points)
      if (point.knobs.at("ways") >= 2 && point.metrics.on_chip_bytes < 8000000) ++expected;
    QCOMPARE(views.selection.shownCount(), expected);
    QVERIFY(expected > 0 && expected < points.size());
    QTRY_COMPARE(views.table.model()->rowCount(), static_cast<int>(expected));
    QVERIFY(views.filters.countText().contains(QString::number(expected)));
    for (const std::size_t i : views.pareto.chart()->frontier()) QVERIFY(views.selection.isShown(i));
    // The first chip goes; undo brings it back.
    auto* chip = views.filters.findChild<QToolButton*>(QStringLiteral("filterChip0"));
    QVERIFY(chip->text().startsWith(QStringLiteral("On-chip memory")));
    chip->click();
    QCOMPARE(views.selection.filters().size(), std::size_t{1});
    views.selection.undoStack()->undo();
    QCOMPARE(views.selection.filters().size(), std::size_t{2});
    QCOMPARE(views.selection.shownCount(), expected);
    views.selection.undoStack()->undo();
    views.selection.undoStack()->undo();
    QCOMPARE(views.selection.shownCount(), points.size());
    views.selection.undoStack()->redo();
    views.selection.undoStack()->redo();
    QCOMPARE(views.selection.shownCount(), expected);
  }

  void randomFiltersUndoStepByStep() {
    Views views;
    views.model.setPoints(factorial());
    QUndoStack& undo = *views.selection.undoStack();
    std::mt19937 random(4);
    const auto number = [](auto value) { return static_cast<double>(value); };
    // What the filters were at each index of the undo stack.
    std::vector<std::vector<PointFilter>> at_index = {{}};
    for (int step = 0; step < 400; ++step) {
      const int before = undo.index();
      const bool travels = random() % 3 == 0;
      switch (travels ? 4 + random() % 2 : random() % 4) {
        case 0:
          views.selection.setRange(QStringLiteral("tile"), number(random() % 32), number(32 + random() % 40));
          break;
        case 1:
          views.selection.setRange(QStringLiteral("cycles"), 0, number(random() % 100000));
          break;
        case 2:
          views.selection.removeFilter(random() % 3);
          break;
        case 3:
          views.selection.select({static_cast<int>(random() % 40), static_cast<int>(random() % 40)});
          views.selection.hideSelected();
          break;
        case 4:
          undo.undo();
          break;
        default:
          undo.redo();
      }
      const auto now = static_cast<std::size_t>(undo.index());
      if (!travels && undo.index() == before + 1) {
        at_index.resize(now);
        at_index.push_back(views.selection.filters());
      }
      QVERIFY(views.selection.filters() == at_index[now]);
    }
    while (undo.canUndo()) undo.undo();
    QVERIFY(views.selection.filters().empty());
    QCOMPARE(views.selection.shownCount(), views.model.points().size());
  }

  void oneSelectionLightsUpEverywhere() {
    Views views;
    QVERIFY(views.exposed());
    views.model.setPoints(factorial());
    QTest::qWait(60);
    const auto rows = [&] { return views.table.selectionModel()->selectedRows().size(); };
    // In the chart.
    const auto target = static_cast<int>(views.pareto.chart()->frontier().front());
    QTest::mouseClick(views.pareto.chart(), Qt::LeftButton, {},
                      views.pareto.chart()->pixelOf(target)->toPoint());
    QCOMPARE(views.selection.selected(), std::vector<int>{target});
    QCOMPARE(rows(), 1);
    // In the table.
    views.table.selectRow(3);
    QCOMPARE(views.selection.selected().size(), std::size_t{1});
    QVERIFY(views.selection.selected().front() != target || target == 3);
    // An area of the chart, with Shift.
    const QPoint corner(views.pareto.chart()->axisRect()->topLeft() + QPoint(2, 2));
    QTest::mousePress(views.pareto.chart(), Qt::LeftButton, Qt::ShiftModifier, corner);
    QTest::mouseMove(views.pareto.chart(), views.pareto.chart()->axisRect()->bottomRight() - QPoint(2, 2));
    QTest::mouseRelease(views.pareto.chart(), Qt::LeftButton, Qt::ShiftModifier,
                        views.pareto.chart()->axisRect()->bottomRight() - QPoint(2, 2));
    QCOMPARE(views.selection.selected().size(), views.model.points().size());
    QCOMPARE(rows(), static_cast<qsizetype>(views.model.points().size()));
    // In the parallel coordinates, a line between two axes.
    views.selection.select({});
    const std::size_t first = views.axis("depth");
    const QPointF between = (views.parallel.axisPoint(first, 1) + views.parallel.axisPoint(first + 1, 1)) / 2;
    QTest::mouseClick(&views.parallel, Qt::LeftButton, {}, between.toPoint());
    QCOMPARE(views.selection.selected().size(), std::size_t{1});
    QCOMPARE(rows(), 1);
    QCOMPARE(views.table.selectionModel()->selectedRows().front().row(), views.selection.selected().front());
  }

  void theSelectionFollowsItsPointsIntoAnotherOrder() {
    Views views;
    std::vector<DesignPoint> points = factorial();
    views.model.setPoints(points);
    views.selection.select({2, 11});
    views.selection.makeSelectedBaseline();
    const KnobValues first = points[2].knobs;
    std::reverse(points.begin(), points.end());
    views.model.setPoints(points);
    QCOMPARE(views.selection.selected().size(), std::size_t{2});
    QCOMPARE(points[static_cast<std::size_t>(views.selection.selected().back())].knobs, first);
    QCOMPARE(views.selection.baseline(), views.selection.selected());
  }

  void brushingAnAxisFiltersEveryView() {
    Views views;
    QVERIFY(views.exposed());
    views.model.setPoints(factorial());
    QTest::qWait(60);
    const std::size_t tile = views.axis("tile");
    views.drag(views.parallel, views.parallel.axisPoint(tile, 0.9), views.parallel.axisPoint(tile, 0.45));
    const PointFilter* range = views.selection.rangeOf(QStringLiteral("tile"));
    QVERIFY(range);
    QCOMPARE(range->low, 8.0);  // the levels 1, 2, 4 ... 64 stand evenly
    QCOMPARE(range->high, 32.0);
    QCOMPARE(views.selection.undoStack()->count(), 1);  // a drag is one step
    std::size_t expected = 0;
    for (const DesignPoint& point : views.model.points())
      if (point.knobs.at("tile") >= 8 && point.knobs.at("tile") <= 32) ++expected;
    QCOMPARE(views.selection.shownCount(), expected);
    QTRY_COMPARE(views.table.model()->rowCount(), static_cast<int>(expected));
    // The brush is dragged down as it is, then clicked away.
    views.drag(views.parallel, views.parallel.axisPoint(tile, 0.69), views.parallel.axisPoint(tile, 0.5));
    QCOMPARE(views.selection.rangeOf(QStringLiteral("tile"))->low, 4.0);
    QTest::mouseClick(&views.parallel, Qt::LeftButton, {}, views.parallel.axisPoint(tile, 0.5).toPoint());
    QVERIFY(!views.selection.rangeOf(QStringLiteral("tile")));
    views.selection.undoStack()->undo();
    QVERIFY(views.selection.rangeOf(QStringLiteral("tile")));
  }

  void axesAreReorderedAndInverted() {
    Views views;
    QVERIFY(views.exposed());
    views.model.setPoints(factorial());
    QTest::qWait(60);
    QStringList before;
    for (const ParallelAxis& axis : views.parallel.axes().axes()) before << axis.column;
    QVERIFY(before.contains(QStringLiteral("tile")) && before.contains(QStringLiteral("cycles")));
    views.drag(views.parallel, views.parallel.titleRect(0).center(), views.parallel.titleRect(2).center());
    QStringList after;
    for (const ParallelAxis& axis : views.parallel.axes().axes()) after << axis.column;
    before.move(0, 2);
    QCOMPARE(after, before);
    const std::size_t cycles = views.axis("cycles");
    const double place = views.parallel.axes().place(cycles, views.parallel.axes().axes()[cycles].low);
    QTest::mouseDClick(&views.parallel, Qt::LeftButton, {},
                       views.parallel.titleRect(cycles).center().toPoint());
    QVERIFY(views.parallel.axes().axes()[cycles].inverted);
    QCOMPARE(views.parallel.axes().place(cycles, views.parallel.axes().axes()[cycles].low), 1 - place);
  }

  void theKeyboardBrushesToo() {
    Views views;
    QVERIFY(views.exposed());
    views.model.setPoints(factorial());
    views.parallel.setFocus();
    QTest::qWait(60);
    QTest::keyClick(&views.parallel, Qt::Key_Up);
    const QString first = views.parallel.axes().axes()[0].column;
    const PointFilter* range = views.selection.rangeOf(first);
    QVERIFY2(range, qPrintable(first));
    QCOMPARE(range->low, range->high);
    const double level = range->low;
    QTest::keyClick(&views.parallel, Qt::Key_Up);
    QVERIFY(views.selection.rangeOf(first)->low > level);
    QTest::keyClick(&views.parallel, Qt::Key_Delete);
    QVERIFY(!views.selection.rangeOf(first));
    QTest::keyClick(&views.parallel, Qt::Key_Right, Qt::ControlModifier);
    QCOMPARE(views.parallel.axes().axes()[1].column, first);
    QTest::keyClick(&views.parallel, Qt::Key_I);
    QVERIFY(views.parallel.axes().axes()[1].inverted);
  }

  void placesAndValuesAreInverse() {
    Views views;
    views.model.setPoints(randomPoints(500, 3));
    for (std::size_t axis = 0; axis < views.parallel.axes().axes().size(); ++axis) {
      const auto column = views.columns.find(views.parallel.axes().axes()[axis].column);
      for (const bool inverted : {false, true}) {
        if (inverted) views.parallel.invertAxis(axis);
        for (const bool log : {false, true}) {
          views.parallel.setLogarithmic(axis, log);
          for (const double value : views.columns.columns()[*column].values) {
            if (std::isnan(value)) continue;
            const double place = views.parallel.axes().place(axis, value);
            QVERIFY(place >= -1e-9 && place <= 1 + 1e-9);
            QVERIFY(std::abs(views.parallel.axes().valueAt(axis, place) - value) <=
                    1e-6 * (1 + std::abs(value)));
          }
        }
      }
    }
  }

  void kneeFiguresAndBaseline() {
    Views views;
    views.model.setPoints(factorial());
    ParetoChart* chart = views.pareto.chart();
    QTest::qWait(100);
    QVERIFY(chart->figures().knee);
    QVERIFY(std::find(chart->frontier().begin(), chart->frontier().end(),
                      static_cast<std::size_t>(*chart->figures().knee)) != chart->frontier().end());
    QVERIFY(chart->figures().hypervolume > 0 && chart->figures().hypervolume <= 1);
    QVERIFY(!chart->figures().improvement);
    // All points of one way are the baseline.
    std::vector<int> slow;
    std::vector<double> pairs;
    for (std::size_t i = 0; i < views.model.points().size(); ++i) {
      const DesignPoint& point = views.model.points()[i];
      if (point.knobs.at("ways") != 2 || point.state != PointState::Done) continue;
      slow.push_back(static_cast<int>(i));
      pairs.push_back(static_cast<double>(point.metrics.cycles));
      pairs.push_back(static_cast<double>(point.metrics.on_chip_bytes));
    }
    views.selection.select(slow);
    views.selection.makeSelectedBaseline();
    QTRY_VERIFY(chart->figures().improvement);
    double best = 0;
    for (const std::size_t i : chart->frontier()) {
      const Metrics& metrics = views.model.points()[i].metrics;
      const double distance = paretoImprovementDistance(static_cast<double>(metrics.cycles),
                                                        static_cast<double>(metrics.on_chip_bytes), pairs);
      QVERIFY(std::abs(*chart->improvementOf(i) - distance) < 1e-12);
      best = std::max(best, distance);
    }
    QVERIFY(std::abs(*chart->figures().improvement - best) < 1e-12);
    QVERIFY(best > 1);
    QVERIFY(views.pareto.findChild<QLabel*>(QStringLiteral("paretoFigures"))
                ->text()
                .contains(QStringLiteral("PID")));
    views.selection.undoStack()->undo();
    QTRY_VERIFY(!chart->figures().improvement);
  }

  void aKnobIsAnAxisToo() {
    Views views;
    views.model.setPoints(factorial());
    views.pareto.setMetrics(QStringLiteral("tile"), QStringLiteral("cycles"));
    QCOMPARE(views.pareto.xMetric(), QStringLiteral("tile"));
    QVERIFY(views.pareto.chart()->frontier().empty());  // a knob is neither good nor bad
    QCOMPARE(views.pareto.chart()->xAxis->label(), QStringLiteral("tile"));
    // A deadlocked point has no cycles but a tile: it stands above it.
    views.pareto.chart()->replot();
    for (std::size_t i = 0; i < views.model.points().size(); ++i) {
      const DesignPoint& point = views.model.points()[i];
      if (point.state != PointState::Deadlocked) continue;
      const auto pixel = views.pareto.chart()->pixelOf(static_cast<int>(i));
      QVERIFY(pixel);
      QVERIFY(std::abs(pixel->x() - views.pareto.chart()->xAxis->coordToPixel(
                                        static_cast<double>(point.knobs.at("tile")))) < 1e-6);
      QVERIFY(pixel->y() <
              views.pareto.chart()->axisRect()->top() + views.pareto.chart()->axisRect()->height() * 0.1);
    }
  }

  void sensitivityFindsTheKnobThatMatters() {
    Views views;
    views.model.setPoints(factorial());
    SensitivityView view(&views.selection);
    view.resize(900, 200);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QCOMPARE(view.rows().size(), std::size_t{3});
    QCOMPARE(view.rows().front().knob, QStringLiteral("tile"));
    const auto cycles = static_cast<std::size_t>(
        std::find(view.metrics().begin(), view.metrics().end(), QStringLiteral("cycles")) -
        view.metrics().begin());
    QVERIFY(view.rows().front().effects[cycles].share > 0.9);
    QVERIFY(view.rows().front().effects[cycles].trend < -0.5);
    QSignalSpy chosen(&view, &SensitivityView::cellChosen);
    QTest::mouseClick(&view, Qt::LeftButton, {}, view.cellRect(0, cycles).center().toPoint());
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen.front().front().toString(), QStringLiteral("tile"));
    // Over one tile only, the tile explains nothing.
    views.selection.setRange(QStringLiteral("tile"), 16, 16);
    for (const SensitivityView::Row& row : view.rows())
      if (row.knob == QLatin1String("ways")) QVERIFY(row.effects[cycles].share > 0.99);
    QVERIFY(view.csv().contains(QStringLiteral("ways,cycles,")));
  }

  void hypervolumeOnlyGrows() {
    HypervolumePlot plot;
    std::vector<DesignPoint> points = randomPoints(300, 8);
    plot.start();
    for (std::size_t at = 0; at < points.size(); at += 50)
      plot.add({points.begin() + static_cast<std::ptrdiff_t>(at),
                points.begin() + static_cast<std::ptrdiff_t>(at) + 50},
               static_cast<double>(at));
    const std::vector<double>& history = plot.history();
    QCOMPARE(history.size(), points.size());
    QVERIFY(std::is_sorted(history.begin(), history.end()));
    QVERIFY(history.back() > 0.5 && history.back() <= 1);
    QCOMPARE(plot.csv().count(QLatin1Char('\n')), 301);
    plot.setMetrics(QStringLiteral("a"), QStringLiteral("cycles"));
    QVERIFY(plot.history().empty());
  }

  void weightsChoose() {
    Views views;
    views.model.setPoints(factorial());
    DecisionPanel panel(&views.selection);
    panel.show();
    const auto weigh = [&](const char* metric, int weight) {
      panel.findChild<QSlider*>(QStringLiteral("weight.") + QLatin1String(metric))->setValue(weight);
    };
    weigh("cycles", 10);
    weigh("on_chip_bytes", 0);
    QVERIFY(panel.choice());
    QCOMPARE(views.model.points()[panel.choice()->point].knobs.at("tile"), 32);  // 64 is infeasible
    // "Best under 8 MB."
    views.selection.setRange(QStringLiteral("on_chip_bytes"), 0, 8e6);
    QTRY_COMPARE(views.model.points()[panel.choice()->point].knobs.at("tile"), 4);
    QSignalSpy used(&panel, &DecisionPanel::pointActivated);
    panel.findChild<QAbstractButton*>(QStringLiteral("useDecision"))->click();
    QCOMPARE(used.front().front().toInt(), static_cast<int>(panel.choice()->point));
    weigh("cycles", 0);
    QVERIFY(!panel.choice());
    QVERIFY(!panel.findChild<QAbstractButton*>(QStringLiteral("useDecision"))->isEnabled());
  }

  void aHundredThousandPoints() {
    Views views;
    QVERIFY(views.exposed());
    views.model.setPoints(randomPoints(100000, 6));
    for (int frame = 0; frame < 7; ++frame) {
      views.selection.setRange(QStringLiteral("c"), 20 * frame, 20 * frame + 200, 1);
      views.parallel.grab();
    }
    QCOMPARE(views.selection.undoStack()->count(), 1);
    QTRY_COMPARE(views.table.model()->rowCount(), static_cast<int>(views.selection.shownCount()));
    std::size_t expected = 0;
    for (const DesignPoint& point : views.model.points())
      if (point.knobs.at("c") >= 120 && point.knobs.at("c") <= 320) ++expected;
    QCOMPARE(views.selection.shownCount(), expected);
  }

  void timeGrowsAsThePoints() {
    QVERIFY(testing_support::growsSlowly(12500, [](std::size_t points) {
      Views views;
      views.model.setPoints(randomPoints(static_cast<int>(points), 6));
      views.parallel.grab();
      views.selection.setRange(QStringLiteral("c"), 20, 220);
      views.parallel.grab();
      QTRY_COMPARE(views.table.model()->rowCount(), static_cast<int>(views.selection.shownCount()));
      views.pareto.chart()->xAxis->moveRange(views.pareto.chart()->xAxis->range().size() * 0.01);
      views.pareto.chart()->replot();
    }));
  }
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::ExplorerTest)
#include "explorer_test.moc"
