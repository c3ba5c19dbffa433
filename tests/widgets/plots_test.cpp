// The plots as a user meets them: points appear, are hovered and clicked; axes change; themes change.

#include <QCheckBox>
#include <QComboBox>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>
#include <cmath>
#include <random>

#include "tests/app/watchdog.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/canvas_theme.h"
#include "widgets/common/quantity.h"
#include "widgets/plots/bound_lines.h"
#include "widgets/plots/occupancy_plot.h"
#include "widgets/plots/pareto_plot.h"
#include "widgets/points/points_table.h"

namespace sluice::ui {
namespace {

DesignPoint point(std::int64_t tile, std::uint64_t cycles, std::uint64_t bytes,
                  PointState state = PointState::Done) {
  DesignPoint made;
  made.knobs = {{"tile", tile}};
  made.state = state;
  made.metrics.cycles = cycles;
  made.metrics.on_chip_bytes = bytes;
  made.metrics.operational_intensity = static_cast<double>(cycles) / 7;
  if (state != PointState::Done) made.cause = "because of a test";
  return made;
}

std::vector<DesignPoint> randomPoints(int count, unsigned seed, std::uint64_t range) {
  std::mt19937_64 random(seed);
  std::vector<DesignPoint> points;
  for (int index = 0; index < count; ++index) {
    const auto state = static_cast<PointState>(random() % 8 < 5 ? 0 : random() % 3);
    points.push_back(point(index, 1 + random() % range, 1 + random() % range, state));
  }
  return points;
}

/// Straight from the definition: done, and no done point is better in one metric and as good in the other.
std::vector<std::size_t> dominanceByDefinition(const std::vector<DesignPoint>& points) {
  std::vector<std::size_t> kept;
  const auto done = [&](std::size_t i) { return points[i].state == PointState::Done; };
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool stays = done(i);
    for (std::size_t j = 0; stays && j < points.size(); ++j) {
      if (i == j || !done(j)) continue;
      const Metrics &a = points[i].metrics, &b = points[j].metrics;
      const bool as_good = b.cycles <= a.cycles && b.on_chip_bytes <= a.on_chip_bytes;
      const bool better = b.cycles < a.cycles || b.on_chip_bytes < a.on_chip_bytes;
      if (as_good && (better || j < i)) stays = false;
    }
    if (stays) kept.push_back(i);
  }
  return kept;
}

std::vector<std::size_t> sorted(std::vector<std::size_t> values) {
  std::sort(values.begin(), values.end());
  return values;
}

OccupancySeries series(std::vector<OccupancySeries::Sample> samples, Cycles interval = 1) {
  return {std::move(samples), interval};
}

QPalette palette(const QColor& base, const QColor& text) {
  QPalette made;
  made.setColor(QPalette::Base, base);
  made.setColor(QPalette::Text, text);
  return made;
}

}  // namespace

class PlotsTest : public QObject {
  Q_OBJECT

  /// The range behind what points at 100..1000 need, with a bound.
  static QCPRange rangeWith(double bound, bool logarithmic) {
    PointsModel model;
    ParetoChart chart(&model);
    chart.setLogarithmic(logarithmic, false);
    model.setPoints({point(1, 1000, 10), point(2, 100, 20)});
    chart.setBounds(bound, std::nullopt);
    return chart.xAxis->range();
  }

 private slots:
  void axesStretchToBounds() {
    QVERIFY(rangeWith(1, false).contains(1));
    QVERIFY(rangeWith(1, true).contains(1));
    QVERIFY(rangeWith(5000, false).contains(5000));
    QVERIFY(!rangeWith(100'000, false).contains(100'000));  // the points would be a smear
    QVERIFY(rangeWith(100'000, true).contains(100'000));
    QVERIFY(rangeWith(100'000, false).contains(1000));
  }

  /// Also in a plot that is so low that its margins are lower than the ring.
  void theRingAtTheEdgeIsWhole() {
    PointsModel model;
    ParetoChart chart(&model);
    model.setPoints({point(1, 1000, 10), point(2, 100, 20), point(3, 550, 400)});
    chart.setCurrent(point(3, 550, 400));
    chart.resize(420, 150);
    chart.show();
    QVERIFY(QTest::qWaitForWindowExposed(&chart));
    QTest::qWait(150);
    const QImage image = chart.grab().toImage();
    const QRgb ring = chart.theme().current.rgb();
    const QRect axes = chart.axisRect()->rect();
    const int middle = static_cast<int>(chart.xAxis->coordToPixel(550));
    const int centre = static_cast<int>(chart.yAxis->coordToPixel(400));
    int above = 0, top = centre;
    for (int y = axes.top() - 12; y < centre; ++y)
      for (int x = middle - 8; x <= middle + 8; ++x)
        if (image.pixel(x, y) == ring) top = std::min(top, y), above += y < axes.top() ? 1 : 0;
    QVERIFY2(centre - axes.top() < 6, "the plot is too high for this test");
    QVERIFY(top < axes.top() && above > 3);
  }

  /// As a line where it shows, in a word at the edge where it does not; in the legend either way.
  void boundsAreSeenOrTold() {
    PointsModel model;
    ParetoChart chart(&model);
    model.setPoints({point(1, 1000, 10), point(2, 100, 20)});
    const auto in_legend = [&chart] {
      for (int i = 0; i < chart.legend->itemCount(); ++i) {
        auto* item = qobject_cast<QCPPlottableLegendItem*>(chart.legend->item(i));
        if (item && item->plottable()->name() == QStringLiteral("bound")) return true;
      }
      return false;
    };
    QVERIFY(!in_legend());
    chart.setBounds(90, 8);
    QVERIFY(in_legend());
    QVERIFY2(chart.bounds().words().isEmpty(), qPrintable(chart.bounds().words()));
    chart.xAxis->setRange(200, 1000);  // as by the mouse
    QVERIFY2(chart.bounds().words().contains(text(metricQuantity(QStringLiteral("cycles"), 90))),
             qPrintable(chart.bounds().words()));
    chart.setBounds(90, 1'000'000);
    QVERIFY2(
        chart.bounds().words().contains(text(metricQuantity(QStringLiteral("on_chip_bytes"), 1'000'000))),
        qPrintable(chart.bounds().words()));
    chart.setMetrics(QStringLiteral("cycles"),
                     QStringLiteral("off_chip_bytes"));  // they are of other metrics
    QVERIFY(!in_legend() && chart.bounds().words().isEmpty());
  }

  void frontierIsTheDefinitionHoweverPointsArrive() {
    for (const unsigned seed : {1u, 2u, 3u, 4u}) {
      const std::vector<DesignPoint> points =
          randomPoints(300, seed, seed % 2 ? 1000000 : 25);  // 25: many ties
      PointsModel at_once, streamed;
      ParetoChart first(&at_once), second(&streamed);
      at_once.setPoints(points);
      for (std::size_t at = 0; at < points.size(); at += 17) {
        streamed.append(std::span(points).subspan(at, std::min<std::size_t>(17, points.size() - at)));
      }
      QCOMPARE(sorted(first.frontier()), dominanceByDefinition(points));
      QCOMPARE(second.frontier(), first.frontier());
    }
  }

  void aGrowingMetricIsMaximised() {
    PointsModel model;
    ParetoChart chart(&model);
    chart.setMetrics(QStringLiteral("operational_intensity"), QStringLiteral("on_chip_bytes"));
    model.setPoints({point(0, 70, 10), point(1, 140, 10), point(2, 210, 30), point(3, 140, 20)});
    QCOMPARE(sorted(chart.frontier()), (std::vector<std::size_t>{1, 2}));
  }

  void clickingAPointActivatesIt() {
    PointsModel model;
    ParetoPlot plot(&model);
    plot.resize(500, 320);
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    model.setPoints({point(8, 100, 900), point(16, 500, 500), point(32, 900, 100), point(64, 800, 800),
                     point(128, 0, 0, PointState::Deadlocked)});
    QTest::qWait(50);
    QSignalSpy spy(&plot, &ParetoPlot::pointActivated);
    for (int index = 0; index < 5; ++index) {
      const auto pixel = plot.chart()->pixelOf(index);
      QVERIFY(pixel.has_value());
      QTest::mouseClick(plot.chart(), Qt::LeftButton, {}, pixel->toPoint());
      QCOMPARE(spy.size(), index + 1);
      QCOMPARE(spy.last().first().toInt(), index);
    }
    // Between the points nothing happens, and a drag is no click.
    QTest::mouseClick(plot.chart(), Qt::LeftButton, {}, plot.chart()->pixelOf(0)->toPoint() + QPoint(60, 60));
    QTest::mousePress(plot.chart(), Qt::LeftButton, {}, plot.chart()->pixelOf(1)->toPoint());
    QTest::mouseMove(plot.chart(), plot.chart()->pixelOf(1)->toPoint() + QPoint(30, 0));
    QTest::mouseRelease(plot.chart(), Qt::LeftButton, {},
                        plot.chart()->pixelOf(1)->toPoint() + QPoint(30, 0));
    QCOMPARE(spy.size(), 5);
  }

  void hoveringTellsKnobsAndMetrics() {
    PointsModel model;
    ParetoPlot plot(&model);
    plot.resize(500, 320);
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    model.setPoints({point(8, 100, 900), point(16, 123456, 500)});
    QTest::qWait(50);
    QTest::mouseMove(plot.chart(), plot.chart()->pixelOf(1)->toPoint());
    QTRY_VERIFY(QToolTip::text().contains(QStringLiteral("tile")));
    QVERIFY(QToolTip::text().contains(QStringLiteral("123.5")));
    QVERIFY(QToolTip::text().contains(QStringLiteral("On the frontier")));
  }

  void boxesChooseTheAxes() {
    PointsModel model;
    ParetoPlot plot(&model);
    model.setPoints(randomPoints(50, 9, 1000));
    auto* x = plot.findChild<QComboBox*>(QStringLiteral("paretoX"));
    x->setCurrentIndex(x->findData(QStringLiteral("operational_intensity")));
    QCOMPARE(plot.xMetric(), QStringLiteral("operational_intensity"));
    QVERIFY(plot.chart()->xAxis->label().startsWith(QStringLiteral("Operational intensity")));
    plot.findChild<QCheckBox*>(QStringLiteral("paretoLogY"))->click();
    QCOMPARE(plot.chart()->yAxis->scaleType(), QCPAxis::stLogarithmic);
    QVERIFY(plot.chart()->yAxis->range().lower > 0);
  }

  void aHundredThousandPointsStayQuick() {
    PointsModel model;
    ParetoChart chart(&model);
    chart.resize(800, 500);
    chart.show();
    const std::vector<DesignPoint> points = randomPoints(100000, 5, 1u << 30);
    const auto drawn =
        static_cast<int>(std::count_if(points.begin(), points.end(), [](const DesignPoint& each) {
          return each.state != PointState::Cancelled;
        }));
    QVERIFY(QTest::qWaitForWindowExposed(&chart));
    double longest = 0;  // step while streaming
    for (std::size_t at = 0; at < points.size(); at += 1000) {
      const double before = Watchdog::now();
      model.append(std::span(points).subspan(at, 1000));
      QCoreApplication::processEvents();
      longest = std::max(longest, Watchdog::now() - before);
    }
    QTest::qWait(100);  // the chart gathers what streams in
    QCOMPARE(chart.graph(0)->dataCount() + chart.graph(1)->dataCount() + chart.graph(2)->dataCount() +
                 static_cast<int>(chart.frontier().size()),
             drawn);
    QVERIFY2(longest < 0.25, "streaming points must not block the window");
    QCOMPARE(model.rowCount(), 100000);
  }

  void themesFollowThePaletteAndCanBeTold() {
    OccupancyPlot plot;
    for (const auto& colours :
         {palette(Qt::white, Qt::black), palette(QColor(0x1C, 0x1E, 0x22), Qt::white)}) {
      plot.setPalette(colours);
      QCOMPARE(plot.theme().background, colours.color(QPalette::Base));
      QCOMPARE(plot.xAxis->labelColor(), colours.color(QPalette::Text));
      QVERIFY(contrast(plot.theme().frontier, plot.theme().background) >= 3);
      QVERIFY(contrast(plot.theme().failed, plot.theme().background) >= 3);
      for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < a; ++b) {
          QVERIFY(plot.theme().series(a).colour != plot.theme().series(b).colour);
          QVERIFY(plot.theme().series(a).dash != plot.theme().series(b).dash);
        }
      }
    }
  }

  void occupancyAtIsWhatTheSamplesSay() {
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
      std::vector<OccupancySeries::Sample> samples;
      Cycles time = random() % 3;
      for (int index = 0; index < 30; ++index) {
        const auto level = static_cast<std::uint32_t>(random() % 5);
        samples.push_back({time, level, level, level});
        time += 1 + random() % 9;
      }
      const OccupancySeries made = series(samples);
      for (Cycles cycle = 0; cycle < time + 5; ++cycle) {
        std::uint32_t expected = 0;
        for (const OccupancySeries::Sample& sample : samples) {
          if (sample.time <= cycle) expected = sample.last;
        }
        QCOMPARE(occupancyAt(made, cycle), expected);
      }
    }
  }

  void theCursorTellsTheCycle() {
    OccupancyPlot plot;
    plot.resize(500, 300);
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    plot.setTraces({{QStringLiteral("a.out -> b.in"), 4, series({{0, 1, 1, 1}, {500, 4, 4, 4}})}}, 1000,
                   QStringLiteral("one stream"));
    plot.replot();
    QSignalSpy spy(&plot, &OccupancyPlot::cursorMoved);
    const QPoint middle(static_cast<int>(plot.xAxis->coordToPixel(750)), plot.axisRect()->center().y());
    QTest::mouseMove(&plot, middle);
    QTRY_VERIFY(!spy.isEmpty());
    QVERIFY(std::abs(spy.last().first().toDouble() - 750) < 5);
  }

  void occupancyShowsDepthBandAndData() {
    OccupancyPlot plot;
    plot.setTraces({{QStringLiteral("exact"), 2, series({{0, 1, 1, 1}, {10, 2, 2, 2}})},
                    {QStringLiteral("decimated"), 8, series({{0, 0, 5, 3}, {64, 2, 8, 8}}, 64)}},
                   128, QStringLiteral("two"));
    QCOMPARE(plot.title(), QStringLiteral("two"));
    QCOMPARE(plot.legend->itemCount(), 2);
    QCOMPARE(plot.graphCount(), 2 + 4);  // line and depth each, low and high of the decimated one
    QVERIFY(plot.yAxis->range().upper >= 8);
    const QString csv = plot.csv();
    QVERIFY(csv.startsWith(QStringLiteral("stream,depth,cycle,low,high,last")));
    QVERIFY(csv.contains(QStringLiteral("decimated,8,64,2,8,8")));
    QCOMPARE(csv.count(QLatin1Char('\n')), 5);
    plot.clear(QStringLiteral("none"));
    QCOMPARE(plot.graphCount(), 0);
  }

  /// A legend of many rows would lie on itself and on the axes.
  void aLowPlotGoesWithoutItsLegend() {
    OccupancyPlot plot;
    plot.resize(330, 130);
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    std::vector<OccupancyTrace> traces;
    for (std::uint32_t stream = 1; stream <= 4; ++stream)
      traces.push_back(
          {QStringLiteral("a.out -> b%1.in").arg(stream), 8, series({{0, stream, stream, stream}})});
    plot.setTraces(std::move(traces), 1000, QStringLiteral("The fullest streams"));
    plot.replot();
    QVERIFY(!plot.legend->visible());
    QVERIFY2(plot.axisRect()->height() >= 35, qPrintable(QString::number(plot.axisRect()->height())));
    plot.resize(330, 400);
    plot.replot();
    QVERIFY(plot.legend->visible());
    QVERIFY(plot.legend->outerRect().bottom() < plot.axisRect()->top());
    plot.resize(330, 130);
    plot.replot();
    QVERIFY(!plot.legend->visible());
    plot.asPrinted(QSize(240, 130), {}, [&plot] { QVERIFY(plot.legend->visible()); });
    QVERIFY(!plot.legend->visible());
  }

  void aTitleIsShortenedWhereThePlotIsNarrow() {
    OccupancyPlot plot;
    OccupancyTrace trace;
    trace.name = QStringLiteral("a.out \u2192 b.in");
    trace.depth = 2;
    const QString title = QStringLiteral("Streams at convert_value_by_head_of_the_block");
    plot.setTraces({trace}, 10, title);
    const auto* heading = plot.findChild<QCPTextElement*>();
    plot.resize(900, 300);
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    QCOMPARE(heading->text(), title);
    plot.resize(200, 300);
    QTest::qWait(20);
    QVERIFY(heading->text().contains(QChar(0x2026)));
    QVERIFY(QFontMetrics(heading->font()).horizontalAdvance(heading->text()) <= plot.width());
  }

  void aMessageIsBrokenWhereThePlotIsNarrow() {
    OccupancyPlot plot;
    plot.resize(200, 160);
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    plot.clear(
        QStringLiteral("the machine has no technology to take prices from: choose one in the Design view"));
    plot.replot();
    const auto* notice = qobject_cast<QCPItemText*>(plot.item(0));
    QVERIFY(notice);
    QVERIFY(notice->text().contains(QLatin1Char('\n')));
    QVERIFY(notice->left->pixelPosition().x() >= 0);
    QVERIFY(notice->right->pixelPosition().x() <= plot.width());
  }

  void theTableSortsNumbersAndActivates() {
    PointsModel model;
    PointsTable table(&model);
    model.setPoints({point(9, 100, 900), point(10, 50, 500), point(100, 0, 0, PointState::Deadlocked)});
    table.sortByColumn(0, Qt::DescendingOrder);
    QCOMPARE(table.model()->index(0, 0).data().toString(), QStringLiteral("100"));  // not "9"
    QSignalSpy spy(&table, &PointsTable::pointActivated);
    table.selectPoint(1);
    table.setFocus();
    QTest::keyClick(&table, Qt::Key_Return);
    QCOMPARE(spy.size(), 1);
    QCOMPARE(spy.first().first().toInt(), 1);
    QVERIFY(model.csv({}).contains(QStringLiteral("deadlocked")));
  }

  /// What is shown, in which order, and what a row is in the source: after filtering, sorting and adding.
  void theTableShowsWhatTheFilterLeavesInOrder() {
    PointsModel model;
    ShownRows rows(&model, PointsModel::sort_role);
    std::vector<DesignPoint> points;
    for (int i = 0; i < 200; ++i)
      points.push_back(point(i % 17, static_cast<Cycles>(1000 + i * 37 % 101), 5,
                             i % 5 == 0 ? PointState::Infeasible : PointState::Done));
    model.setPoints(points);
    QCOMPARE(rows.rowCount(), 200);
    rows.setFilter([](int row) { return row % 3 == 0; });
    QCOMPARE(rows.rowCount(), 67);
    const auto check = [&](Qt::SortOrder order) {
      for (int row = 0; row < rows.rowCount(); ++row) {
        const QModelIndex source = rows.mapToSource(rows.index(row, 0));
        QCOMPARE(source.row() % 3, 0);
        QCOMPARE(rows.mapFromSource(source), rows.index(row, 0));
        QCOMPARE(rows.headerData(row, Qt::Vertical, Qt::DisplayRole).toInt(), source.row() + 1);
        if (row == 0) continue;
        const QModelIndex before = rows.mapToSource(rows.index(row - 1, 0));
        const qlonglong a = before.data(PointsModel::sort_role).toLongLong(),
                        b = source.data(PointsModel::sort_role).toLongLong();
        QVERIFY(order == Qt::AscendingOrder ? a <= b : a >= b);
        if (a == b) QVERIFY2(before.row() < source.row(), "equal ones keep their order");
      }
    };
    QPersistentModelIndex held(rows.mapFromSource(model.index(42, 1)));
    rows.sort(0, Qt::AscendingOrder);
    check(Qt::AscendingOrder);
    QCOMPARE(rows.mapToSource(held).row(), 42);
    rows.sort(0, Qt::DescendingOrder);
    check(Qt::DescendingOrder);
    QVERIFY(!rows.mapFromSource(model.index(1, 0)).isValid());
    rows.sort(1, Qt::AscendingOrder);  // states are texts
    QCOMPARE(rows.index(0, 1).data().toString(), stateText(PointState::Done));
    rows.sort(-1);
    model.append(std::vector<DesignPoint>(30, points.front()));
    QCOMPARE(rows.rowCount(), 77);
    QCOMPARE(rows.mapToSource(rows.index(76, 0)).row(), 228);
  }

  void numbersReadWell() {
    QCOMPARE(text(quantity(1234567, QStringLiteral("cycles"))), QStringLiteral("1.235\u00a0M\u00a0cycles"));
    QCOMPARE(text(quantity(0, QStringLiteral("bytes"))), QStringLiteral("0\u00a0B"));
    QCOMPARE(text(quantity(2.5e9, QStringLiteral("FLOPs"))), QStringLiteral("2.5\u00a0GFLOP"));
    QCOMPARE(text(percentage(0.5)), QStringLiteral("50.0\u00a0%"));
    QCOMPARE(exactNumber(1234567), QStringLiteral("1\u202f234\u202f567"));
    QCOMPARE(tickLabel(250000), QStringLiteral("250k"));
    QCOMPARE(quantity(std::nan(""), {}).number, QStringLiteral("\u2013"));
    // Ties go to the even digit, as on the command line.
    QCOMPARE(quantity(100.25, {}).number, QStringLiteral("100.2"));
    QCOMPARE(text(percentage(0.03125 / 8)), QStringLiteral("0.39\u00a0%"));
    QCOMPARE(percentChange(0.00125, 2), QStringLiteral("+0.12\u00a0%"));
  }
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::PlotsTest)
#include "plots_test.moc"
