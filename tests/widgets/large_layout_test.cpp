// A graph whose layout takes long: it is shown at once and can be used meanwhile, the newest program is the
// one that is laid out, and the layout can be stopped.

#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <memory>
#include <random>

#include "tests/widgets/canvas_programs.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/canvas/layered_layout.h"
#include "widgets/canvas/rough_layout.h"

using namespace sluice;
using namespace sluice::ui;

namespace {

constexpr int layout_time = 60000;  // ms

/// Each operator takes from the one `lanes` before it and from one far back: links pass through many columns.
Document longStreams(int count, int lanes = 1) {
  std::mt19937 random(1);
  Document document;
  const auto name = [](int i) { return "n" + std::to_string(i); };
  for (int i = 0; i < count; ++i) {
    document.program.nodes.push_back(test::node(name(i), "BinaryMap", {{"function", "add"}}));
    if (i < lanes) continue;
    const int far = std::max(0, i - lanes - static_cast<int>(random() % 60));
    document.program.streams.push_back(test::stream(name(i - lanes) + ".out", name(i) + ".in1"));
    document.program.streams.push_back(test::stream(name(far) + ".out", name(i) + ".in2"));
  }
  return document;
}

LayoutGraph chainWithShortcuts(std::size_t count) {
  std::mt19937 random(1);
  LayoutGraph graph;
  for (std::size_t i = 0; i < count; ++i) {
    graph.nodes.push_back({150, 62, LayoutRank::Middle, {20, 40}, {30}});
    if (i > 0) graph.edges.push_back({i - 1, 0, i, 0});
    if (i > 0 && i % 10 == 0) graph.edges.push_back({random() % i, 0, i, 1});
  }
  return graph;
}

}  // namespace

class LargeLayoutTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<GraphCanvas> canvas_;
  test::SmallCatalog small_;

 private slots:
  void init() {
    canvas_ = std::make_unique<GraphCanvas>(small_.catalog());
    canvas_->resize(1100, 640);
    canvas_->show();
    (void)QTest::qWaitForWindowExposed(canvas_.get());
  }
  void cleanup() { canvas_.reset(); }

  void isShownAtOnceAndUsableMeanwhile() {
    QSignalSpy arranged(canvas_.get(), &GraphCanvas::arranged);
    canvas_->setDocument(longStreams(1400));
    QVERIFY(canvas_->layoutPending());
    QCOMPARE(canvas_->graphScene()->picture().boxes.size(), std::size_t{1400});
    const QHash<QString, QPointF> rough = canvas_->nodePositions();
    const QRectF content = canvas_->contentRect();
    QVERIFY2(content.width() < 6 * content.height(), "a strip");
    canvas_->selectNode(QStringLiteral("n700"));
    canvas_->setZoom(0.5);
    canvas_->camera().pan({30, 10});
    QVERIFY(!canvas_->grab().isNull());
    QVERIFY(arranged.wait(layout_time));
    QVERIFY(!canvas_->layoutPending());
    QCOMPARE(canvas_->selectedNode(), QStringLiteral("n700"));
    QVERIFY(canvas_->nodePositions() != rough);
  }

  void onlyTheNewestProgramIsLaidOut() {
    QSignalSpy arranged(canvas_.get(), &GraphCanvas::arranged);
    for (const int count : {1400, 1350, 1300}) canvas_->setDocument(longStreams(count));
    canvas_->setDocument(longStreams(40));
    QVERIFY(!canvas_->layoutPending());
    QTest::qWait(500);
    QCOMPARE(arranged.count(), 1);
    QCOMPARE(canvas_->graphScene()->picture().boxes.size(), std::size_t{40});
  }

  void whatIsShownStaysWhenTheLayoutIsStopped() {
    canvas_->setDocument(longStreams(1400));
    const QHash<QString, QPointF> rough = canvas_->nodePositions();
    canvas_->cancelLayout();
    QVERIFY(!canvas_->layoutPending());
    canvas_->resize(900, 500);  // which would break it into other rows
    QTest::qWait(500);
    QVERIFY(!canvas_->layoutPending());
    QCOMPARE(canvas_->nodePositions(), rough);
    canvas_->setDocument(longStreams(1401));
    QVERIFY(canvas_->layoutPending());
    QTRY_VERIFY_WITH_TIMEOUT(!canvas_->layoutPending(), layout_time);
  }

  void tellsHowFarItIs() {
    QSignalSpy progressed(canvas_.get(), &GraphCanvas::layoutProgressed);
    QSignalSpy arranged(canvas_.get(), &GraphCanvas::arranged);
    canvas_->setDocument(longStreams(1400));
    QVERIFY(arranged.wait(layout_time));
    std::vector<double> shares;
    for (const QList<QVariant>& call : progressed) shares.push_back(call[0].toDouble());
    QVERIFY(!shares.empty());
    QCOMPARE(shares.back(), 1.0);
    QVERIFY(shares.front() >= 0 && std::is_sorted(shares.begin(), shares.end()));
  }

  void anotherRoomMakesOtherRows() {
    canvas_->setDocument(longStreams(1400, 14));
    QVERIFY(canvas_->layoutPending());
    QTRY_VERIFY_WITH_TIMEOUT(!canvas_->layoutPending(), layout_time);
    const QHash<QString, QPointF> wide = canvas_->nodePositions();
    canvas_->resize(500, 1000);
    QTRY_VERIFY_WITH_TIMEOUT(!canvas_->layoutPending() && canvas_->nodePositions() != wide, layout_time);
  }

  void tenThousandOperatorsUnfoldMeanwhile() {
    canvas_->setDocument(longStreams(10'000));
    for (const char* run : {"n0", "n3400", "n6800"}) {
      const SceneModel& model = canvas_->graphScene()->picture().model;
      const std::size_t box = model.visibleBox(run);
      QVERIFY(box != nowhere);
      canvas_->toggleRegion(QString::fromStdString(model.boxes[box].path));
      QVERIFY(canvas_->graphScene()->picture().model.findBox(run) != nowhere);
    }
    QTRY_VERIFY_WITH_TIMEOUT(!canvas_->layoutPending(), layout_time);
    for (const char* run : {"n0", "n3400", "n6800"})
      QVERIFY(canvas_->graphScene()->picture().model.findBox(run) != nowhere);
  }

  void tenThousandBoxesAreNotWaitedFor() {
    const LayoutGraph graph = chainWithShortcuts(10'000);
    QVERIFY(!isQuick(graph));
    LayeredLayout layout;
    QSignalSpy finished(&layout, &GraphLayout::finished);
    layout.start(graph, 1);
    QCOMPARE(finished.count(), 0);
    layout.cancel();
    layout.start(chainWithShortcuts(20), 2);
    QCOMPARE(finished.count(), 1);  // a small one is there at once
    QTest::qWait(300);
    QCOMPARE(finished.count(), 1);
  }

  void roughPlacesAreApart() {
    const LayoutGraph graph = chainWithShortcuts(300);
    const LayoutResult rough = roughLayout(graph, {1000, 600});
    QCOMPARE(rough.nodes.size(), graph.nodes.size());
    QCOMPARE(rough.edges.size(), graph.edges.size());
    for (std::size_t a = 0; a < rough.nodes.size(); ++a) {
      const QRectF one(rough.nodes[a].x, rough.nodes[a].y, graph.nodes[a].width, graph.nodes[a].height);
      QVERIFY(one.right() <= rough.width && one.bottom() <= rough.height);
      for (std::size_t b = a + 1; b < rough.nodes.size(); ++b)
        QVERIFY(!one.intersects(
            {rough.nodes[b].x, rough.nodes[b].y, graph.nodes[b].width, graph.nodes[b].height}));
    }
    QVERIFY(roughLayout({}, {}).nodes.empty());
  }
};

SLUICE_WINDOW_TEST(LargeLayoutTest)
#include "large_layout_test.moc"
