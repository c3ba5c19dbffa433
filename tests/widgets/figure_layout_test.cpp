// Figures for papers: at 3.33 in and at 7 in no legend, label or tick lies on another one or leaves the page.

#include <QMimeData>
#include <QSvgRenderer>
#include <QTest>
#include <cmath>

#include "tests/widgets/test_program.h"
#include "tests/widgets/text_recorder.h"
#include "widgets/common/quantity.h"
#include "widgets/decision/sensitivity_view.h"
#include "widgets/export/export.h"
#include "widgets/parallel/parallel_view.h"
#include "widgets/plots/figure_plot.h"
#include "widgets/plots/occupancy_plot.h"
#include "widgets/plots/pareto_chart.h"

namespace sluice::ui {
namespace {

/// Every state of a point, so that the legend is as long as it gets; large numbers, so that ticks are long.
std::vector<DesignPoint> everyKindOfPoint() {
  std::vector<DesignPoint> points;
  for (int index = 0; index < 40; ++index) {
    DesignPoint point;
    point.knobs = {{"tile", index}, {"weight_tile", index % 4 * 16}, {"copies", 1 + index % 3}};
    point.metrics.cycles = static_cast<Cycles>(1'000'000 + 37'000 * (index * 7 % 40));
    point.metrics.on_chip_bytes = static_cast<Bytes>(100'000'000 - 1'000'000 * (index * 11 % 40));
    if (index % 9 == 0) point.state = PointState::Infeasible;
    if (index % 10 == 0) point.state = PointState::Deadlocked;
    points.push_back(point);
  }
  return points;
}

FigureChart barsOfExperts() {
  FigureChart chart;
  chart.name = "bars";
  chart.title = "Speedup by tiling";
  chart.x_label = "Batch and routing";
  chart.y_label = "Speedup";
  chart.bars = true;
  chart.categories = {"batch 64", "batch 256", "batch 1024", "skew"};
  chart.curves = {{"static tiling", {0, 1, 2, 3}, {1, 1.4, 2.2, 0.8}, {}, false},
                  {"dynamic tiling", {0, 1, 2, 3}, {1.2, 1.9, 2.8, 1.7}, {}, false},
                  {"dynamic tiling, published", {0, 1, 2, 3}, {1.3, 1.8, 2.9, 1.8}, {}, true}};
  return chart;
}

QString faultsOf(const Exportable& figure, const PrintStyle& style) {
  const QSizeF size = figure.size(style);
  test::TextRecorder page(size);
  QCPPainter painter;
  if (!painter.begin(&page)) return QStringLiteral("cannot paint");
  painter.setModes(QCPPainter::pmVectorized | QCPPainter::pmNoCaching | QCPPainter::pmNonCosmetic);
  figure.paint(painter, size, style);
  painter.end();
  if (page.texts().size() < 8) return QStringLiteral("only %1 texts").arg(page.texts().size());
  return page.faults() + page.tooSmall();
}

}  // namespace

class FigureLayoutTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    points_.setPoints(everyKindOfPoint());
    columns_ = std::make_unique<PointColumns>(&points_);
    selection_ = std::make_unique<PointSelection>(columns_.get());
    pareto_ = std::make_unique<ParetoChart>(selection_.get());
    pareto_->setCurrent(everyKindOfPoint()[1]);
    parallel_ = std::make_unique<ParallelView>(selection_.get());
    sensitivity_ = std::make_unique<SensitivityView>(selection_.get());
    occupancy_ = std::make_unique<OccupancyPlot>();
    occupancy_->setTraces(
        {{QStringLiteral("expert.pack.out -> expert.gate.in1"), 4, {{{0, 1, 1, 1}, {500, 4, 4, 4}}, 1}},
         {QStringLiteral("expert.gate.out -> expert.act.in"), 9, {{{0, 0, 7, 1}, {64, 3, 9, 4}}, 64}}},
        12'345'678, QStringLiteral("Two streams"));
    bars_ = std::make_unique<FigurePlot>();
    bars_->setChart(barsOfExperts());
  }

  void nothingLiesOnAnything_data() {
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("columns");
    QTest::addColumn<int>("text");
    for (const int columns : {1, 2, 3}) {
      QTest::addRow("3.33 in, %d columns", columns) << single_column << columns << 8;
      QTest::addRow("7 in, %d columns", columns) << double_column << columns << 8;
    }
    QTest::addRow("slide") << slide_width << 2 << 20;
  }
  void nothingLiesOnAnything() {
    QFETCH(int, width);
    QFETCH(int, columns);
    QFETCH(int, text);
    const PrintStyle style{width, text};
    for (const Exportable& part : parts()) {
      const QString faults = faultsOf(composed({part, part}, columns), style);
      QVERIFY2(faults.isEmpty(), qPrintable(part.name + ": " + faults));
    }
    const QString faults = faultsOf(composed(parts(), columns), style);
    QVERIFY2(faults.isEmpty(), qPrintable(faults));
  }

  void unitsStandInTheTitlesOfAxes() {
    pareto_->asPrinted({double_column, 300}, {.width = double_column}, [&] {
      QCOMPARE(pareto_->xAxis->label(), QStringLiteral("Cycles (millions)"));
      QCOMPARE(pareto_->yAxis->label(), QStringLiteral("On-chip memory (MB)"));
      for (const QCPAxis* axis : {pareto_->xAxis, pareto_->yAxis}) {
        const QVector<double> ticks = axis->tickVector();
        const QVector<QString> labels = axis->tickVectorLabels();
        for (qsizetype i = 0; i < ticks.size(); ++i)
          QVERIFY2(std::abs(labels[i].toDouble() * 1e6 - ticks[i]) < 1e3, qPrintable(labels[i]));
      }
    });
    occupancy_->asPrinted({double_column, 250}, {.width = double_column}, [&] {
      QCOMPARE(occupancy_->xAxis->label(), QStringLiteral("Time (million cycles)"));
    });
    const QString pgf = exportable(*pareto_, QStringLiteral("pareto"), {}).pgf({504, 300}, {504, 8});
    QVERIFY(pgf.contains(QStringLiteral("scaled y ticks=base 10:-6")));
  }

  void theFrontierIsTheHeaviestLine() {
    pareto_->asPrinted({single_column, 150}, {}, [&] {
      double frontier = 0, others = 0;
      for (int i = 0; i < pareto_->graphCount(); ++i) {
        const QCPGraph* graph = pareto_->graph(i);
        double& heaviest = graph->name() == QStringLiteral("frontier") ? frontier : others;
        heaviest = std::max(heaviest, graph->pen().widthF());
      }
      QVERIFY(frontier > others);
      QVERIFY(frontier > 2 * pareto_->xAxis->grid()->pen().widthF());
    });
  }

  void aNarrowSensitivityIsAHeatMap() {
    const Exportable table = exportable(*sensitivity_);
    const auto upright = [&](int width) {
      const PrintStyle style{width, 8};
      test::TextRecorder page(table.size(style));
      QCPPainter painter(&page);
      table.paint(painter, table.size(style), style);
      painter.end();
      return std::count_if(page.texts().begin(), page.texts().end(), [this](const test::PaintedText& each) {
        const QRectF area = each.area.boundingRect();
        const bool a_metric =
            sensitivity_->metrics().end() !=
            std::ranges::find_if(sensitivity_->metrics(), [&](const QString& metric) {
              return each.text == metricTitle(metric) || each.text == metricShortTitle(metric);
            });
        return a_metric && area.height() > area.width();
      });
    };
    QCOMPARE(upright(single_column), 0);
    QCOMPARE(upright(double_column), 0);
  }

  void anSvgNamesItsViewAndSeries() {
    const auto data = clipboardData(
        composed({exportable(*pareto_, QStringLiteral("pareto"), {}), exportable(*parallel_)}, 2),
        {double_column, 8});
    const QByteArray svg = data->data(QStringLiteral("image/svg+xml"));
    QVERIFY(QSvgRenderer(svg).isValid());
    for (const char* id : {"figure", "pareto", "frontier", "dominated", "parallel"})
      QCOMPARE(svg.count(QByteArray("<g id=\"") + id + "\">"), 1);
    QVERIFY(!svg.contains("sluice-group"));
    QCOMPARE(svg.count("<g"), svg.count("</g>"));
    QVERIFY(svg.indexOf("id=\"pareto\"") < svg.indexOf("id=\"frontier\""));
    QVERIFY(svg.indexOf("id=\"frontier\"") < svg.indexOf("id=\"parallel\""));
  }

  void coincidentLinesAreOneWithACount() {
    OccupancyPlot plot;
    const OccupancySeries series{{{0, 1, 1, 1}, {500, 2, 2, 2}}, 1};
    plot.setTraces({{QStringLiteral("a.out -> b.in"), 2, series},
                    {QStringLiteral("a.out -> c.in"), 2, series},
                    {QStringLiteral("a.out -> d.in"), 3, series}},
                   1000, {});
    QCOMPARE(plot.legend->itemCount(), 2);
    QVERIFY(plot.csv().contains(QStringLiteral("c.in")));
    QStringList names;
    for (int i = 0; i < plot.graphCount(); ++i) names << plot.graph(i)->name();
    QVERIFY(!names.filter(QStringLiteral("1 more alike")).isEmpty());
  }

  void columnsHaveRoomForTheirText() {
    QCOMPARE(figureColumns(2, 4, {single_column, 8}), 1);
    QCOMPARE(figureColumns(2, 4, {double_column, 8}), 2);
    QCOMPARE(figureColumns(4, 4, {double_column, 8}), 2);
    QCOMPARE(figureColumns(2, 4, {double_column, 16}), 1);
    QCOMPARE(figureColumns(4, 1, {slide_width, 8}), 1);
  }

  void aNoteTellsWhatCannotBe() {
    QCOMPARE(figureNote(2, 2, {double_column, 8}), QString());
    QCOMPARE(figureNote(1, 2, {single_column, 8}), QString());
    QCOMPARE(figureNote(2, 1, {single_column, 8}), QString());
    QVERIFY(figureNote(2, 2, {single_column, 8}).contains(QStringLiteral("below each other")));
    QVERIFY(figureNote(4, 4, {double_column, 8}).contains(QLatin1Char('2')));
    QVERIFY(figureNote(1, 1, {100, 8}).contains(QStringLiteral("Too narrow")));
  }

  void aLegendAndTicksGiveWay() {
    pareto_->asPrinted({single_column, 150}, {single_column, 8}, [&] {
      QVERIFY(pareto_->legend->outerRect().right() <= single_column);
      QVERIFY(!pareto_->legend->outerRect().intersects(pareto_->axisRect()->outerRect()));
      const QFontMetricsF metrics(pareto_->xAxis->tickLabelFont());
      const QVector<double> ticks = pareto_->xAxis->tickVector();
      const QVector<QString> labels = pareto_->xAxis->tickVectorLabels();
      QVERIFY(ticks.size() >= 2);
      for (qsizetype i = 1; i < ticks.size(); ++i) {
        const double apart =
            pareto_->xAxis->coordToPixel(ticks[i]) - pareto_->xAxis->coordToPixel(ticks[i - 1]);
        QVERIFY(apart >
                (metrics.horizontalAdvance(labels[i]) + metrics.horizontalAdvance(labels[i - 1])) / 2);
      }
    });
  }

 private:
  std::vector<Exportable> parts() const {
    return {exportable(*pareto_, QStringLiteral("pareto"), QStringLiteral("Pareto")),
            exportable(*occupancy_, QStringLiteral("occupancy"), QStringLiteral("Occupancy"), 0.5),
            exportable(*bars_, QStringLiteral("bars"), QStringLiteral("Bars")), exportable(*parallel_),
            exportable(*sensitivity_)};
  }

  PointsModel points_;
  std::unique_ptr<PointColumns> columns_;
  std::unique_ptr<PointSelection> selection_;
  std::unique_ptr<ParetoChart> pareto_;
  std::unique_ptr<ParallelView> parallel_;
  std::unique_ptr<SensitivityView> sensitivity_;
  std::unique_ptr<OccupancyPlot> occupancy_;
  std::unique_ptr<FigurePlot> bars_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::FigureLayoutTest)
#include "figure_layout_test.moc"
