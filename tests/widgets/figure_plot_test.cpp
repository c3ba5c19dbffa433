// Charts of figures: what is drawn, hollow or filled, on which axes; what odd data do; where labels go.

#include <QTest>
#include <cmath>
#include <limits>
#include <random>

#include "tests/widgets/test_program.h"
#include "tests/widgets/text_recorder.h"
#include "widgets/export/exportable.h"
#include "widgets/figures/figure_model.h"
#include "widgets/plots/figure_plot.h"
#include "widgets/plots/point_labels.h"

namespace sluice::ui {
namespace {

using Curve = FigureChart::Curve;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

FigureChart chartOf(std::vector<Curve> curves) {
  FigureChart chart;
  chart.name = "chart";
  chart.title = "Title";
  chart.x_label = "Memory (bytes)";
  chart.y_label = "Cycles";
  chart.curves = std::move(curves);
  return chart;
}

/// "static" and its published twin, "dynamic" and its.
FigureChart fourCurves() {
  return chartOf({{"static", {10, 20, 40}, {9, 5, 3}, {"8", "16", "32"}, false},
                  {"dynamic", {12}, {2}, {""}, false},
                  {"static, published", {10, 20, 40}, {9, 5, 3}, {"", "", ""}, true},
                  {"dynamic, published", {12}, {2.5}, {""}, true}});
}

FigureChart barChart() {
  FigureChart chart =
      chartOf({{"ours", {0, 1, 2}, {3, 1, 2}, {}, false}, {"published", {0, 1, 2}, {3, 2, 1}, {}, true}});
  chart.bars = true;
  chart.categories = {"low 1", "low 2", "high 1"};
  return chart;
}

template <class T>
T* named(FigurePlot& plot, const char* name) {
  for (int i = 0; i < plot.plottableCount(); ++i)
    if (plot.plottable(i)->name() == QLatin1String(name)) return qobject_cast<T*>(plot.plottable(i));
  return nullptr;
}

/// Pixels of exactly this colour.
int count(const QImage& image, const QColor& colour, const QRect& inside) {
  int found = 0;
  for (int y = inside.top(); y <= inside.bottom(); ++y)
    for (int x = inside.left(); x <= inside.right(); ++x)
      found += image.pixelColor(x, y).rgb() == colour.rgb();
  return found;
}

QImage drawn(FigurePlot& plot) {
  plot.resize(500, 360);
  plot.replot();
  return plot.toPixmap(500, 360).toImage();
}

/// The inside of one bar, in pixels.
QRect barRect(const FigurePlot& plot, const QCPBars& bars, int key) {
  const double width = plot.xAxis->coordToPixel(bars.width()) - plot.xAxis->coordToPixel(0);
  const QPointF top = bars.dataPixelPosition(key);
  const double base = plot.yAxis->coordToPixel(bars.baseValue());
  return QRectF(top.x() - width / 2 + 3, top.y() + 3, width - 6, base - top.y() - 6).toRect();
}

}  // namespace

class FigurePlotTest : public QObject {
  Q_OBJECT

 private slots:
  void oneHueASeriesHollowIsPublished() {
    FigurePlot plot;
    plot.setChart(fourCurves());
    const auto* ours = named<QCPCurve>(plot, "static");
    const auto* theirs = named<QCPCurve>(plot, "static, published");
    const auto* other = named<QCPCurve>(plot, "dynamic");
    QVERIFY(ours && theirs && other);
    QCOMPARE(ours->dataCount(), 3);
    QCOMPARE(theirs->dataCount(), 3);
    QCOMPARE(ours->pen().color(), theirs->pen().color());
    QVERIFY(ours->pen().color() != other->pen().color());
    QCOMPARE(ours->pen().style(), Qt::SolidLine);
    QCOMPARE(theirs->pen().style(), Qt::DashLine);
    QCOMPARE(ours->scatterStyle().brush().style(), Qt::SolidPattern);
    QCOMPARE(theirs->scatterStyle().brush().style(), Qt::NoBrush);
    QCOMPARE(ours->scatterStyle().shape(), theirs->scatterStyle().shape());
    QVERIFY(ours->scatterStyle().shape() != other->scatterStyle().shape());
    QVERIFY(theirs->scatterStyle().size() > ours->scatterStyle().size());
  }

  void theLegendExplainsEverySeriesAndHollowOnce() {
    FigurePlot plot;
    plot.setChart(fourCurves());
    QStringList entries;
    for (int i = 0; i < plot.legend->itemCount(); ++i)
      if (auto* item = qobject_cast<QCPPlottableLegendItem*>(plot.legend->item(i)))
        entries << item->plottable()->name();
    QCOMPARE(entries, (QStringList{QStringLiteral("static"), QStringLiteral("dynamic"),
                                   QStringLiteral("published"), QStringLiteral("equal")}));
    drawn(plot);
    QVERIFY(plot.legend->outerRect().bottom() < plot.axisRect()->rect().top());  // never over data
    QVERIFY(!plot.legend->outerRect().intersects(plot.axisRect()->outerRect()));
  }

  void aLegendOfAnyLengthFitsOnPaper() {
    for (int series = 1; series < 12; ++series) {
      FigureChart chart = fourCurves();
      chart.curves.clear();
      chart.identity_line = true;
      for (int i = 0; i < series; ++i)
        chart.curves.push_back({"series " + std::to_string(i), {1.0 + i}, {2.0}, {}, i % 3 == 2});
      FigurePlot plot;
      plot.setChart(chart);
      QImage image(240, 240, QImage::Format_RGB32);
      image.fill(Qt::red);
      QCPPainter painter(&image);
      plot.paintForPrint(painter, image.size());
      painter.end();
      QCOMPARE(image.pixelColor(1, 1), QColor(Qt::white));
      QVERIFY(plot.legend->outerRect().right() <= 240);
      QVERIFY(plot.legend->outerRect().bottom() <= plot.axisRect()->outerRect().top() + 1);
      QVERIFY(!plot.theme().on_paper);  // and the screen is as it was
    }
  }

  void markersAreInThePicture() {
    FigurePlot plot;
    FigureChart chart = chartOf({{"ours", {1, 2, 3}, {1, 2, 3}, {}, false}});
    plot.setChart(chart);
    QImage image = drawn(plot);
    const auto at = [&](double x, double y) {
      return QPointF(plot.xAxis->coordToPixel(x), plot.yAxis->coordToPixel(y)).toPoint();
    };
    const QColor colour = plot.theme().series(0).colour;
    QCOMPARE(image.pixelColor(at(2, 2)), colour);
    QCOMPARE(image.pixelColor(at(1.3, 2.7)), plot.theme().background);
    chart.curves[0].published = true;  // hollow: the middle shows the ground, the ring around it does not
    chart.identity_line = false;
    chart.curves[0].x = {1, 3};
    chart.curves[0].y = {1, 3};
    plot.setChart(chart);
    image = drawn(plot);
    const QRect around(at(3, 3) - QPoint(7, 7), QSize(15, 15));
    QVERIFY(count(image, plot.theme().background, around) < 15 * 15 - 20);
    QCOMPARE(image.pixelColor(at(3, 3) + QPoint(1, -2)), plot.theme().background);
  }

  void everyPointIsInsideTheAxes_data() {
    QTest::addColumn<bool>("log");
    QTest::newRow("linear") << false;
    QTest::newRow("logarithmic") << true;
  }
  void everyPointIsInsideTheAxes() {
    QFETCH(bool, log);
    FigurePlot plot;
    FigureChart chart = fourCurves();
    chart.log_x = chart.log_y = log;
    plot.setChart(chart);
    drawn(plot);
    QCOMPARE(plot.xAxis->scaleType(), log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    QCOMPARE(plot.yAxis->scaleType(), log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    for (const Curve& curve : chart.curves)
      for (std::size_t i = 0; i < curve.x.size(); ++i)
        QVERIFY(plot.axisRect()->rect().contains(
            QPointF(plot.xAxis->coordToPixel(curve.x[i]), plot.yAxis->coordToPixel(curve.y[i])).toPoint()));
    QCOMPARE(plot.ratioAxes()->axis(QCPAxis::atBottom)->label(), QStringLiteral("Memory (bytes)"));
  }

  void oursOverPublishedStandsBelow() {
    FigurePlot plot;
    plot.setChart(fourCurves());
    drawn(plot);
    QVERIFY(plot.ratioAxes());
    const QRect above = plot.axisRect()->rect(), below = plot.ratioAxes()->rect();
    QVERIFY(below.top() > above.bottom() && below.height() < above.height());
    QCOMPARE(below.left(), above.left());  // what belongs together stands above each other
    QCOMPARE(below.right(), above.right());
    const QCPAxis *x = plot.ratioAxes()->axis(QCPAxis::atBottom),
                  *y = plot.ratioAxes()->axis(QCPAxis::atLeft);
    QCOMPARE(x->range(), plot.xAxis->range());
    QCOMPARE(y->label(), QStringLiteral("Ours / published"));
    QVERIFY(plot.xAxis->label().isEmpty() && !plot.xAxis->tickLabels());
    QVERIFY(y->tickVectorLabels().contains(QStringLiteral("1")));
    const auto* equal = named<QCPCurve>(plot, "as published");
    const auto* ratio = named<QCPCurve>(plot, "dynamic, ours / published");
    QVERIFY(equal && ratio && named<QCPCurve>(plot, "static, ours / published"));
    for (const QCPCurveData& at : *equal->data()) QCOMPARE(at.value, 1.0);
    QCOMPARE(ratio->dataCount(), 1);
    QCOMPARE(ratio->data()->at(0)->key, 12.0);
    QCOMPARE(ratio->data()->at(0)->value, 2 / 2.5);
    QCOMPARE(ratio->pen().color(), named<QCPCurve>(plot, "dynamic")->pen().color());
    QVERIFY(y->range().contains(0.8) && y->range().contains(1));
  }

  void ratiosOfBarsStandBelowTheirBars() {
    FigurePlot plot;
    plot.setChart(barChart());
    drawn(plot);
    const auto* ratio = named<QCPCurve>(plot, "ours, ours / published");
    QVERIFY(ratio && ratio->lineStyle() == QCPCurve::lsNone);
    QCOMPARE(ratio->dataCount(), 3);
    QCOMPARE(ratio->data()->at(1)->value, 0.5);
    for (int key = 0; key < 3; ++key) QVERIFY(std::abs(ratio->data()->at(key)->key - key) < 1e-9);
  }

  void thereAreRatiosOnlyWhereBothAreKnown() {
    FigurePlot plot;
    plot.setChart(chartOf({{"ours", {1, 2}, {1, 2}, {}, false}}));
    QVERIFY(!plot.ratioAxes());
    const int alone = plot.paperSize().height();
    plot.setChart(
        chartOf({{"a", {1, 2, 3}, {1, 2, 3}, {}, false}, {"a, published", {1, 3}, {1, 1}, {}, true}}));
    QVERIFY(!plot.ratioAxes());  // a level
    plot.setChart(chartOf(
        {{"a", {1, 2, 3}, {1, 2, 30}, {}, false}, {"a, published", {1, nan, 3}, {1, nan, 1}, {}, true}}));
    QVERIFY(plot.ratioAxes() && plot.paperSize().height() > alone);
    drawn(plot);
    QCOMPARE(named<QCPCurve>(plot, "a, ours / published")->dataCount(), 2);
    QCOMPARE(plot.ratioAxes()->axis(QCPAxis::atLeft)->scaleType(), QCPAxis::stLogarithmic);  // 1 and 30
    QCOMPARE(plot.csv().count(QLatin1Char('\n')), 1 + 3 + 2);
    plot.setChart(chartOf({{"ours", {1, 2}, {1, 2}, {}, false}}));
    QVERIFY(!plot.ratioAxes() && plot.xAxis->tickLabels());
    QCOMPARE(plot.axisRects().size(), 1);
    QCOMPARE(plot.xAxis->label(), QStringLiteral("Memory (bytes)"));
    drawn(plot);
  }

  void ratiosAreInEveryExport() {
    for (const FigureChart& chart : {fourCurves(), barChart()}) {
      FigurePlot plot;
      plot.setChart(chart);
      Exportable page = exportable(plot, QStringLiteral("figure"), QString());
      page.height = [&plot](const PrintStyle&) { return plot.paperSize().height(); };
      const PrintStyle style{.width = plot.paperSize().width()};
      const QSizeF size = page.size(style);
      test::TextRecorder recorder(size);
      QCPPainter painter(&recorder);
      painter.setModes(QCPPainter::pmVectorized | QCPPainter::pmNoCaching | QCPPainter::pmNonCosmetic);
      page.paint(painter, size, style);
      painter.end();
      QVERIFY2(recorder.faults().isEmpty(), qPrintable(recorder.faults()));
      QVERIFY2(recorder.tooSmall().isEmpty(), qPrintable(recorder.tooSmall()));
      QString texts;
      for (const test::PaintedText& each : recorder.texts()) texts += each.text;
      QVERIFY2(texts.contains(QStringLiteral("Ours / published")), qPrintable(texts));
      const QString pgf = page.pgf(size, style);
      QCOMPARE(pgf.count(QStringLiteral("\\begin{axis}")), 2);
      QCOMPARE(pgf.count(QStringLiteral("ylabel={Ours / published}")), 1);
      for (const char* entry : {"published", "equal"})  // explained without data of their own
        QCOMPARE(pgf.count(QStringLiteral("\\addlegendentry{%1}").arg(QLatin1String(entry))), 1);
      QCOMPARE(pgf.count(QStringLiteral("xticklabels=\\empty")), 1);
      QVERIFY(plot.csv().section(QLatin1Char('\r'), 0, 0).endsWith(QStringLiteral("ours_over_published")));
    }
  }

  void logarithmicTicksAreRoundAndApart() {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> exponent(-2, 10), decades(0.2, 6);
    for (int round = 0; round < 300; ++round) {
      QCPRange range;
      range.lower = std::pow(10, exponent(random));
      range.upper = range.lower * std::pow(10, decades(random));
      QVector<double> ticks;
      LogQuantityTicker().generate(range, QLocale::c(), QLatin1Char('g'), 4, ticks, nullptr, nullptr);
      const double span = std::log10(range.upper / range.lower);
      std::vector<double> inside;
      for (const double tick : ticks)
        if (range.contains(tick)) inside.push_back(tick);
      QVERIFY2(!inside.empty(), qPrintable(QStringLiteral("%1 to %2").arg(range.lower).arg(range.upper)));
      for (std::size_t i = 1; span < 5 && i < inside.size(); ++i)
        QVERIFY2(std::log10(inside[i] / inside[i - 1]) > 0.08 * span,
                 qPrintable(QStringLiteral("%1 to %2").arg(range.lower).arg(range.upper)));
    }
  }

  void barsStandSideBySideFilledAndHollow() {
    FigurePlot plot;
    plot.setChart(barChart());
    const QImage image = drawn(plot);
    const auto* ours = named<QCPBars>(plot, "ours");
    const auto* theirs = named<QCPBars>(plot, "published");
    QVERIFY(ours && theirs);
    QCOMPARE(ours->dataCount(), 3);
    QVERIFY(ours->barsGroup() && ours->barsGroup() == theirs->barsGroup());
    const QColor colour = plot.theme().series(0).colour;
    for (int key = 0; key < 3; ++key) {
      const QRect filled = barRect(plot, *ours, key), hollow = barRect(plot, *theirs, key);
      QVERIFY(!filled.intersects(hollow));
      QCOMPARE(count(image, colour, filled), filled.width() * filled.height());
      QCOMPARE(count(image, plot.theme().background, hollow), hollow.width() * hollow.height());
      QVERIFY(std::abs(plot.xAxis->coordToPixel(key) - (filled.left() + hollow.right()) / 2.0) <
              4);  // centred
    }
    QCOMPARE(plot.yAxis->range().lower, 0.0);  // the length of a bar is its value
    QVERIFY(plot.yAxis->range().upper > 3);
  }

  void barsOnALogarithmicAxisEndAtTheirValue() {
    FigurePlot plot;
    FigureChart chart = barChart();
    chart.log_y = true;
    chart.curves[0].y = {10, 1000, 100000};
    plot.setChart(chart);
    const QImage image = drawn(plot);
    const auto* ours = named<QCPBars>(plot, "ours");
    const QColor colour = plot.theme().series(0).colour;
    for (int key = 0; key < 3; ++key) {
      const int x = static_cast<int>(ours->dataPixelPosition(key).x());
      const int top =
          static_cast<int>(plot.yAxis->coordToPixel(chart.curves[0].y[static_cast<std::size_t>(key)]));
      QCOMPARE(image.pixelColor(x, top + 3), colour);
      QCOMPARE(image.pixelColor(x, plot.axisRect()->bottom() - 3), colour);
      QVERIFY(image.pixelColor(x, top - 4) != colour);
    }
  }

  void negativeBarsHangFromZero() {
    FigurePlot plot;
    FigureChart chart = barChart();
    chart.curves[0].y = {-3, -1, -2};
    chart.curves[1].y = {-1, -1, -1};
    plot.setChart(chart);
    QCOMPARE(plot.yAxis->range().upper, 0.0);
    QVERIFY(plot.yAxis->range().lower < -3);
  }

  void oddDataDrawNothingWrong_data() {
    QTest::addColumn<std::vector<double>>("x");
    QTest::addColumn<std::vector<double>>("y");
    QTest::addColumn<int>("points");
    const double infinity = std::numeric_limits<double>::infinity();
    QTest::newRow("nothing") << std::vector<double>{} << std::vector<double>{} << 0;
    QTest::newRow("one point") << std::vector<double>{5} << std::vector<double>{7} << 1;
    QTest::newRow("all the same") << std::vector<double>{5, 5, 5} << std::vector<double>{7, 7, 7} << 3;
    QTest::newRow("not a number") << std::vector<double>{1, 2, nan} << std::vector<double>{1, nan, 3} << 1;
    QTest::newRow("infinite") << std::vector<double>{1, infinity} << std::vector<double>{-infinity, 2} << 0;
    QTest::newRow("zero") << std::vector<double>{0, 1} << std::vector<double>{0, 1} << -1;
    QTest::newRow("more x than y") << std::vector<double>{1, 2, 3} << std::vector<double>{1} << 1;
    QTest::newRow("huge") << std::vector<double>{1e-300, 1e300} << std::vector<double>{1e-300, 1e300} << 2;
  }
  void oddDataDrawNothingWrong() {
    QFETCH(std::vector<double>, x);
    QFETCH(std::vector<double>, y);
    QFETCH(int, points);
    for (int kind = 0; kind < 8; ++kind) {
      FigureChart chart = chartOf({{"ours", x, y, {"a", "b", "c"}, false}});
      chart.log_x = chart.log_y = kind & 1;
      chart.bars = kind & 2;
      chart.identity_line = kind & 4;
      FigurePlot plot;
      plot.setChart(chart);
      drawn(plot);
      QVERIFY(plot.xAxis->range().lower < plot.xAxis->range().upper);
      QVERIFY(plot.yAxis->range().lower < plot.yAxis->range().upper);
      QVERIFY(std::isfinite(plot.yAxis->range().size()));
      if (const auto* curve = named<QCPCurve>(plot, "ours"); curve && points >= 0)
        QCOMPARE(curve->dataCount(), points);
      if (points == 0) QCOMPARE(plot.drawnLabels().size(), std::size_t{0});
    }
  }

  void aSecondChartLeavesNothingOfTheFirst() {
    FigurePlot plot;
    plot.setChart(fourCurves());
    plot.setChart(barChart());
    QVERIFY(!named<QCPCurve>(plot, "static"));
    plot.setChart(chartOf({{"ours", {1, 2}, {1, 2}, {}, false}}));
    QVERIFY(!named<QCPBars>(plot, "ours"));
    QCOMPARE(named<QCPCurve>(plot, "ours")->dataCount(), 2);
    QCOMPARE(plot.findChildren<QCPBarsGroup*>().size(), 1);
    drawn(plot);
    plot.setChart({});
    drawn(plot);
  }

  void labelsNeverTouchAnything() {
    std::mt19937 random(11);
    const QRectF bounds(0, 0, 300, 200);
    std::uniform_real_distribution<double> x(0, 300), y(0, 200), width(8, 60);
    std::size_t placed = 0, all = 0;
    for (int round = 0; round < 60; ++round) {
      std::vector<QPointF> points;
      std::vector<QSizeF> sizes;
      std::vector<QLineF> lines;
      for (int i = 0; i < 25; ++i) {
        points.emplace_back(x(random), y(random));
        sizes.emplace_back(width(random), 9);
      }
      for (int i = 1; i < 8; ++i)
        lines.emplace_back(points[static_cast<std::size_t>(i - 1)], points[static_cast<std::size_t>(i)]);
      const std::vector<QRectF> places = placeLabels(points, sizes, points, 3, lines, bounds);
      QCOMPARE(places.size(), points.size());
      all += places.size();
      for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i].isNull()) continue;
        ++placed;
        QVERIFY(bounds.contains(places[i]));
        for (std::size_t j = 0; j < i; ++j) QVERIFY(!places[i].intersects(places[j]));
        for (const QPointF& point : points) QVERIFY(!places[i].contains(point));
        for (const QLineF& line : lines)  // sampled, against the geometry of the code
          for (int step = 0; step <= 200; ++step) QVERIFY(!places[i].contains(line.pointAt(step / 200.0)));
        const QPointF nearest(std::clamp(points[i].x(), places[i].left(), places[i].right()),
                              std::clamp(points[i].y(), places[i].top(), places[i].bottom()));
        QVERIFY(QLineF(nearest, points[i]).length() < 8);  // beside its own point
      }
    }
    QVERIFY2(placed > all / 3, "labels must not vanish for no reason");
  }

  void labelsAreDrawnWhereThereIsRoom() {
    FigurePlot plot;
    plot.setChart(fourCurves());
    drawn(plot);
    QCOMPARE(plot.drawnLabels().size(), std::size_t{3});
    FigureChart pile = chartOf({{"ours", {}, {}, {}, false}});
    for (int i = 0; i < 60; ++i) {
      pile.curves[0].x.push_back(1 + i * 1e-9);
      pile.curves[0].y.push_back(1);
      pile.curves[0].labels.push_back("label " + std::to_string(i));
    }
    pile.curves[0].x.push_back(2);
    pile.curves[0].y.push_back(2);
    plot.setChart(pile);
    drawn(plot);
    QVERIFY(plot.drawnLabels().size() < 10);
  }

  void categoriesWrapAndTurn() {
    FigurePlot plot;
    FigureChart chart = barChart();
    for (std::string& category : chart.categories) category = "wide category";
    plot.setChart(chart);
    plot.show();
    const QCPAxis* axis = plot.ratioAxes()->axis(QCPAxis::atBottom);
    const auto labels = [&](int width) {
      plot.resize(width, 300);
      QCoreApplication::processEvents();
      plot.replot();
      return axis->tickVectorLabels();
    };
    QVERIFY(!labels(900).first().contains(QLatin1Char('\n')));
    QVERIFY(labels(320).first().contains(QLatin1Char('\n')));
    QCOMPARE(axis->tickLabelRotation(), 0.0);
    labels(150);
    QVERIFY(axis->tickLabelRotation() > 0);
  }

  void paperIsAsWideAsItMustBe() {
    FigurePlot plot;
    plot.setChart(fourCurves());
    const int column = plot.paperSize().width();
    FigureChart many = barChart();
    for (int i = 0; i < 9; ++i) many.categories.push_back("more");
    plot.setChart(many);
    QVERIFY(plot.paperSize().width() > column);
  }

  void csvHasEveryPoint() {
    FigurePlot plot;
    plot.setChart(fourCurves());
    QVERIFY(plot.csv().startsWith(
        QStringLiteral("curve,published,x,y,label,ours_over_published\r\nstatic,0,10,9,8,1\r\n")));
    QCOMPARE(plot.csv().count(QLatin1Char('\n')), 1 + 8);
    plot.setChart(barChart());
    QVERIFY(plot.csv().contains(QStringLiteral("published,1,high 1,1,,\r\n")));
  }

  void theModelShowsWhatIsMissing() {
    FigureResult figure;
    figure.points = {{"qwen", "tile 16", "cycles", 200, 300}, {"qwen", "tile 8", "cycles", {}, 1234567}};
    figure.claims = {{"speed-up", 2, 3}};
    FigureModel points(FigureModel::Rows::Points), claims(FigureModel::Rows::Claims);
    points.setFigure(figure);
    claims.setFigure(figure);
    QCOMPARE(points.index(0, 5).data().toString(), QStringLiteral("1.5000"));
    QCOMPARE(points.index(1, 3).data().toString(), QStringLiteral("\u2013"));
    QCOMPARE(points.index(1, 4).data().toString(), QStringLiteral("1\u202f234\u202f567"));
    QVERIFY(points.index(1, 1).data(FigureModel::sort_role).toString() <
            points.index(0, 1).data(FigureModel::sort_role).toString());
    QVERIFY(points.index(1, 3).data(FigureModel::sort_role).toDouble() > 1e300);
    QCOMPARE(claims.rowCount(), 1);
    QCOMPARE(claims.index(0, 3).data().toString(), QStringLiteral("1.5000"));
  }
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::FigurePlotTest)
#include "figure_plot_test.moc"
