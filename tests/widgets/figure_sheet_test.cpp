// Figures of a document on paper: panels in their grid, with letters, titles and captions, each as it asks.

#include <QTest>

#include "tests/widgets/test_program.h"
#include "tests/widgets/text_recorder.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/export/figure_sheet.h"
#include "widgets/plots/plot.h"
#include "widgets/points/points_model.h"

namespace sluice::ui {
namespace {

std::vector<DesignPoint> tradeoff() {
  std::vector<DesignPoint> points;
  for (int index = 0; index < 20; ++index) {
    DesignPoint point;
    point.knobs = {{"tile", 1 << index % 5}, {"ways", index % 4}};
    point.metrics.cycles = static_cast<Cycles>(1'000'000 + 37'000 * (index * 7 % 20));
    point.metrics.on_chip_bytes = static_cast<Bytes>(90'000'000 - 1'000'000 * (index * 11 % 20));
    points.push_back(point);
  }
  return points;
}

}  // namespace

class FigureSheetTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    points_.setPoints(tradeoff());
    data_.points = &points_;
    figure_ = {.name = "Figure 1", .width = 516, .columns = 2};
    figure_.panels = {{.view = PanelView::Pareto, .title = "Cost", .caption = "all points"},
                      {.view = PanelView::Parallel}};
  }

  void panelsStandBesideEachOther() {
    const FigureSheet sheet(Document(), figure_, data_);
    QCOMPARE(sheet.size().width(), 516.0);
    QVERIFY(!sheet.missing());
    const std::vector<QRectF> places = sheet.places();
    QCOMPARE(places.size(), std::size_t{2});
    QCOMPARE(places[0].top(), places[1].top());
    QCOMPARE(places[0].height(), places[1].height());
    QVERIFY(places[0].right() < places[1].left());
    QVERIFY(places[1].right() <= 516.001);
    const QString texts = textsOn(sheet);
    for (const char* text : {"Cost", "(a) all points", "(b)"})
      QVERIFY2(texts.contains(QLatin1String(text)), text);
  }

  void aPanelTakesTheColumnsAndTheHeightThatItAsksFor() {
    Figure figure = figure_;
    figure.panels[0].span = 2;
    figure.panels[0].height = 111;
    const FigureSheet sheet(Document(), figure, data_);
    QCOMPARE(sheet.places()[0].width(), 516.0);
    QCOMPARE(sheet.pictureHeight(0), 111.0);
    QVERIFY(sheet.places()[1].top() > sheet.places()[0].bottom());
  }

  void aPlotShowsWhatIsAsked() {
    Figure figure = figure_;
    figure.letters = false;
    figure.panels.resize(1);
    FigurePanel& panel = figure.panels[0];
    QVERIFY(textsOn(FigureSheet(Document(), figure, data_)).contains(QStringLiteral("dominated")));
    QVERIFY(FigureSheet(Document(), figure, data_).offered(0).contains(QStringLiteral("dominated")));
    panel.hidden = {"dominated"};
    panel.x_label = "Time";
    const QString texts = textsOn(FigureSheet(Document(), figure, data_));
    QVERIFY(!texts.contains(QStringLiteral("dominated")) && texts.contains(QStringLiteral("frontier")));
    QVERIFY(texts.contains(QStringLiteral("Time")) && !texts.contains(QStringLiteral("Cycles")));
    QVERIFY(!texts.contains(QStringLiteral("(a)")));
    panel.legend = LegendPlace::None;
    QVERIFY(!textsOn(FigureSheet(Document(), figure, data_)).contains(QStringLiteral("frontier")));
    panel.legend = LegendPlace::Inside;
    QVERIFY(textsOn(FigureSheet(Document(), figure, data_)).contains(QStringLiteral("frontier")));
    panel.x = "speed";
    const std::optional<Diagnostic> why = FigureSheet(Document(), figure, data_).missing();
    QVERIFY(why && why->code == "unknown-metric");
  }

  void anAxisCountsInTheUnitThatIsAsked() {
    Figure figure = figure_;
    figure.panels.resize(1);
    FigurePanel& panel = figure.panels[0];
    const QString fitting = textsOn(FigureSheet(Document(), figure, data_));
    QVERIFY(fitting.contains(QStringLiteral("(MB)")) &&
            fitting.contains(QStringLiteral("Cycles (millions)")));
    panel.x_unit = UnitPrefix::Kilo;
    panel.y_unit = UnitPrefix::Kilo;
    const QString kilo = textsOn(FigureSheet(Document(), figure, data_));
    QVERIFY(kilo.contains(QStringLiteral("(kB)")) && kilo.contains(QStringLiteral("Cycles (thousands)")));
    QVERIFY(kilo.contains(QStringLiteral("80000")));  // of 80 MB
    panel.y_unit = UnitPrefix::One;
    QVERIFY(textsOn(FigureSheet(Document(), figure, data_)).contains(QStringLiteral("(bytes)")));
  }

  /// A legend inside stands where no point is: here all of them lie on the other diagonal.
  void aLegendInsideCoversNoPoint() {
    std::vector<DesignPoint> falling = tradeoff(), rising = falling;
    for (std::size_t i = 0; i < falling.size(); ++i) {
      falling[i].metrics.cycles = 1'000'000 + 50'000 * i;
      falling[i].metrics.on_chip_bytes = static_cast<Bytes>(90'000'000 - 4'000'000 * i);
      rising[i].metrics.cycles = falling[i].metrics.cycles;
      rising[i].metrics.on_chip_bytes = static_cast<Bytes>(10'000'000 + 4'000'000 * i);
    }
    Figure figure = figure_;
    figure.panels.resize(1);
    figure.panels[0].legend = LegendPlace::Inside;
    const auto right = [&](const std::vector<DesignPoint>& points) {
      PointsModel model;
      model.setPoints(points);
      FigureData data;
      data.points = &model;
      const FigureSheet sheet(Document(), figure, data);
      test::TextRecorder page(sheet.size());
      QCPPainter painter;
      painter.begin(&page);
      sheet.exportable().paint(painter, sheet.size(), sheet.style());
      painter.end();
      const auto found =
          std::ranges::find(page.texts(), QStringLiteral("frontier"), &test::PaintedText::text);
      if (found == page.texts().end()) qFatal("there is no legend");
      return found->area.boundingRect().center().x() > sheet.places()[0].center().x();
    };
    QVERIFY(right(falling));  // top right is free
    QVERIFY(!right(rising));  // top left is
  }

  /// Two panels in a column of a paper: the title of an axis has the height that it needs.
  void narrowPanelsAreNotOverprinted() {
    Figure figure = figure_;
    figure.width = 240;
    figure.panels = {{.view = PanelView::Pareto}, {.view = PanelView::Pareto, .x = "tile"}};
    const FigureSheet sheet(Document(), figure, data_);
    test::TextRecorder page(sheet.size());
    QCPPainter painter;
    QVERIFY(painter.begin(&page));
    painter.setModes(QCPPainter::pmVectorized | QCPPainter::pmNoCaching | QCPPainter::pmNonCosmetic);
    sheet.exportable().paint(painter, sheet.size(), sheet.style());
    painter.end();
    QVERIFY2(page.faults().isEmpty(), qPrintable(page.faults()));
  }

  void designsAreAPanelOfTheirOwn() {
    Figure figure = figure_;
    figure.panels = {{.view = PanelView::Designs}};
    QCOMPARE(FigureSheet(Document(), figure, data_).missing()->code, std::string("nothing-to-export"));
    FigureData found = data_;
    found.designs = &points_;
    found.sought = {"cycles", "on_chip_bytes"};
    found.bounds = {900'000, std::nullopt};
    const FigureSheet sheet(Document(), figure, found);
    QVERIFY(!sheet.missing());
    const QString texts = textsOn(sheet);
    for (const char* text : {"frontier", "Cycles", "On-chip memory", "bound"})
      QVERIFY2(texts.contains(QLatin1String(text)), qPrintable(texts));
    figure.panels[0].x = "tile";  // of which nothing is proved
    QVERIFY(!textsOn(FigureSheet(Document(), figure, found)).contains(QStringLiteral("bound")));
  }

  /// A graph has room in a column, if only its names or less; in a panel that is far too low it has none.
  void aGraphThatCannotBeReadIsRefused() {
    const auto sheetMissing = [this](int boxes, std::int64_t height) {
      GraphCanvas canvas(builtInCatalog());
      Document document;
      for (int i = 0; i < boxes; ++i) {
        Node node;
        node.name = "n" + std::to_string(i);
        node.kind = "Flatten";
        node.at = Position{i % 40 * 260.0, i / 40 * 120.0};
        document.program.nodes.push_back(node);
      }
      canvas.setDocument(document);
      Figure figure = figure_;
      figure.columns = 1;
      figure.width = 240;
      figure.panels = {{.view = PanelView::Graph, .height = height}};
      FigureData data = data_;
      data.canvas = &canvas;
      return FigureSheet(document, figure, data).missing();
    };
    QVERIFY(!sheetMissing(1, 0));
    QVERIFY(!sheetMissing(800, 0));
    for (const int boxes : {1, 800}) {
      const auto why = sheetMissing(boxes, 8);
      QVERIFY(why && why->code == "text-too-small" && why->place.beginsWith(Where::Figure));
      QVERIFY(!why->fix.empty());
    }
  }

  void whatIsNotThereIsTold() {
    Figure figure = figure_;
    figure.panels[1].view = PanelView::Timeline;
    const FigureSheet sheet(Document(), figure, data_);
    const std::optional<Diagnostic> why = sheet.missing();
    QVERIFY(why && why->code == "nothing-to-export" && why->place.beginsWith(Where::Figure));
    QVERIFY(FigureSheet(Document(), figure_, {}).missing());
    FigureData failed = data_;
    failed.refused[{}] = error("out-of-range", Location(Where::Knob, "tile"), "too large", "make it smaller");
    QCOMPARE(FigureSheet(Document(), figure, failed).missing()->code, std::string("out-of-range"));
  }

  void runsAreThoseOfThePanels() {
    Document document;
    Knob& tile = document.knobs.emplace_back();
    tile.name = "tile";
    tile.kind = KnobKind::List;
    tile.list = {8, 16};
    tile.initial = 8;
    Figure figure = figure_;
    QVERIFY(runsOf(document, figure).empty());
    figure.panels = {{.view = PanelView::Fifo},
                     {.view = PanelView::Timeline},
                     {.view = PanelView::Fifo, .knobs = {{"tile", 16}, {"gone", 1}}}};
    const auto runs = runsOf(document, figure);
    QCOMPARE(runs.size(), std::size_t{2});
    QVERIFY(runs.at({{"tile", 8}}) == RecordMode::Timeline);
    QVERIFY(runs.at({{"tile", 16}}) == RecordMode::Record);
  }

 private:
  static QString textsOn(const FigureSheet& sheet) {
    test::TextRecorder page(sheet.size());
    QCPPainter painter;
    if (!painter.begin(&page)) return {};
    painter.setModes(QCPPainter::pmVectorized | QCPPainter::pmNoCaching | QCPPainter::pmNonCosmetic);
    sheet.exportable().paint(painter, sheet.size(), sheet.style());
    painter.end();
    QString texts;
    for (const test::PaintedText& each : page.texts()) texts += each.text;  // a line may come in parts
    return texts;
  }

  PointsModel points_;
  FigureData data_;
  Figure figure_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::FigureSheetTest)
#include "figure_sheet_test.moc"
