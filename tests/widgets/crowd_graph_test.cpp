// A crowd of points looks as if each was painted by itself, also while it is panned.

#include <QTest>
#include <random>

#include "tests/widgets/test_program.h"
#include "widgets/plots/crowd_graph.h"

namespace sluice::ui {
namespace {

QImage pictureOf(bool crowded, const QCPScatterStyle& style, double panned) {
  QCustomPlot plot;
  plot.resize(500, 300);
  auto* graph = new CrowdGraph(plot.xAxis, plot.yAxis);
  graph->setLineStyle(QCPGraph::lsNone);
  graph->setScatterStyle(style);
  graph->setAntialiasedScatters(false);
  graph->setCrowded(crowded);
  graph->setAdaptiveSampling(false);
  std::mt19937 random(3);
  QVector<double> x, y;
  for (int i = 0; i < 1500; ++i) {
    x << static_cast<double>(random() % 10000) / 100;
    y << static_cast<double>(random() % 10000) / 100;
  }
  graph->setData(x, y);
  plot.xAxis->setRange(panned, 100 + panned);  // what is panned out is clipped
  plot.yAxis->setRange(-5, 105);
  plot.replot(QCustomPlot::rpImmediateRefresh);
  return plot.toPixmap(500, 300).toImage();
}

/// Every mark of one picture has one in the other, at most a pixel beside it: a coordinate may be rounded
/// either way.
bool covers(const QImage& picture, const QImage& other, QRgb colour) {
  for (int y = 0; y < picture.height(); ++y)
    for (int x = 0; x < picture.width(); ++x) {
      if (picture.pixel(x, y) != colour) continue;
      bool found = false;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          found = found || (other.valid(x + dx, y + dy) && other.pixel(x + dx, y + dy) == colour);
      if (!found) return false;
    }
  return true;
}

int inkOf(const QImage& picture, QRgb colour) {
  int ink = 0;
  for (int y = 0; y < picture.height(); ++y)
    for (int x = 0; x < picture.width(); ++x) ink += picture.pixel(x, y) == colour;
  return ink;
}

}  // namespace

class CrowdGraphTest : public QObject {
  Q_OBJECT

 private slots:
  void looksAsPaintedOneByOne_data() {
    QTest::addColumn<int>("shape");
    QTest::addColumn<double>("size");
    QTest::addColumn<double>("panned");
    QTest::newRow("square") << static_cast<int>(QCPScatterStyle::ssSquare) << 2.0 << 0.0;
    QTest::newRow("cross, panned") << static_cast<int>(QCPScatterStyle::ssCross) << 3.0 << 31.7;
    QTest::newRow("plus") << static_cast<int>(QCPScatterStyle::ssPlus) << 3.0 << -4.1;
    QTest::newRow("dot") << static_cast<int>(QCPScatterStyle::ssDot) << 1.0 << 0.0;
  }

  void looksAsPaintedOneByOne() {
    QFETCH(int, shape);
    QFETCH(double, size);
    QFETCH(double, panned);
    const QColor colour(200, 30, 60);
    const QCPScatterStyle style(static_cast<QCPScatterStyle::ScatterShape>(shape), QPen(colour), Qt::NoBrush,
                                size);
    const QImage one_by_one = pictureOf(false, style, panned), crowd = pictureOf(true, style, panned);
    QVERIFY(covers(one_by_one, crowd, colour.rgb()));
    QVERIFY(covers(crowd, one_by_one, colour.rgb()));
    const int wanted = inkOf(one_by_one, colour.rgb()), made = inkOf(crowd, colour.rgb());
    QVERIFY2(wanted > 500 && std::abs(made - wanted) <= wanted / 20,
             qPrintable(QStringLiteral("%1 pixels for %2").arg(made).arg(wanted)));
  }
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::CrowdGraphTest)
#include "crowd_graph_test.moc"
