// The canvas on graphs too large for a box a node: runs of operators are shown as boxes, unfold, and are
// found.

#include <QApplication>
#include <QSignalSpy>
#include <QtTest>
#include <memory>

#include "tests/widgets/canvas_programs.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/canvas/scene_model.h"

using namespace sluice;
using namespace sluice::ui;

namespace {

const SceneModel& modelOf(const GraphCanvas& canvas) {
  return canvas.graphScene()->picture().model;
}

void dragMouse(GraphCanvas& canvas, const QPoint& from, const QPoint& to) {
  const auto send = [&](QEvent::Type type, const QPoint& at, Qt::MouseButton button, Qt::MouseButtons held) {
    QMouseEvent event(type, at, canvas.viewport()->mapToGlobal(at), button, held, Qt::NoModifier);
    QApplication::sendEvent(canvas.viewport(), &event);
  };
  send(QEvent::MouseButtonPress, from, Qt::LeftButton, Qt::LeftButton);
  for (int step = 1; step <= 4; ++step)
    send(QEvent::MouseMove, from + (to - from) * step / 4, Qt::NoButton, Qt::LeftButton);
  send(QEvent::MouseButtonRelease, to, Qt::LeftButton, Qt::NoButton);
}

}  // namespace

class CanvasFoldedTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<GraphCanvas> shown(const Document& document) {
    auto canvas = std::make_unique<GraphCanvas>(small_.catalog(), QString());
    canvas->resize(1100, 640);
    canvas->show();
    (void)QTest::qWaitForWindowActive(canvas.get());
    canvas->setDocument(document);
    return canvas;
  }

  /// A chain of so many nodes, flat.
  static Document flat(int count) {
    Document document;
    for (int i = 0; i < count; ++i) {
      Node node;
      node.name = "n" + std::to_string(i);
      node.kind = "Map";
      document.program.nodes.push_back(std::move(node));
      if (i > 0) {
        document.program.streams.push_back(
            {{"n" + std::to_string(i - 1), "out", {}}, {"n" + std::to_string(i), "in", {}}, {}});
      }
    }
    return document;
  }

  static QList<NodeGroup> halves(int count) {
    QList<NodeGroup> groups{{QStringLiteral("group 1"), {}, {}}, {QStringLiteral("group 2"), {}, {}}};
    for (int i = 0; i < count; ++i) groups[i < count / 2 ? 0 : 1].nodes << QStringLiteral("n%1").arg(i);
    return groups;
  }

  test::SmallCatalog small_;

 private slots:
  void largeGraphIsShownFolded() {
    constexpr int count = 30'000;
    const auto canvas = shown(flat(count));
    const SceneModel& model = modelOf(*canvas);
    QVERIFY(model.boxes.size() <= SceneModel::folded_boxes);
    std::size_t nodes = 0;
    for (const SceneBox& box : model.boxes) nodes += std::max<std::size_t>(1, box.folded);
    QCOMPARE(nodes, std::size_t{count});
    QCOMPARE(model.links.size(), model.boxes.size() - 1);  // a chain of runs
    // What is hidden shows as its run, and is found.
    const std::size_t hidden = model.visibleBox("n17");
    QVERIFY(hidden != nowhere);
    QCOMPARE(model.boxes[hidden].path, std::string("n0"));
    QVERIFY(model.boxes[hidden].name.find("n99") != std::string::npos);
    canvas->selectNode(QStringLiteral("n17"));
    QCOMPARE(canvas->selectedNode(), QStringLiteral("n17"));
    QVERIFY(model.findBox("n17") == nowhere);
    // A run cannot be dragged, and its place is nobody's.
    QSignalSpy moved(canvas.get(), &GraphCanvas::nodeMoved),
        edited(canvas.get(), &GraphCanvas::regionToggled);
    const QPoint at = canvas->viewportTransform().map(canvas->nodeCenter(QStringLiteral("n0"))).toPoint();
    dragMouse(*canvas, at, at + QPoint(60, 40));
    QCOMPARE(moved.count(), 0);
    QVERIFY(!canvas->nodePositions().contains(QStringLiteral("n0")));
    // Unfolded, its nodes stand between the other runs; folding them again is no edit either.
    const std::size_t before = model.boxes.size(), folded = model.boxes[model.findBox("n0")].folded;
    canvas->toggleRegion(QStringLiteral("n0"));
    QCOMPARE(modelOf(*canvas).boxes.size(), before - 1 + folded);
    QVERIFY(modelOf(*canvas).findBox("n17") != nowhere);
    QCOMPARE(modelOf(*canvas).boxes[modelOf(*canvas).findBox("n17")].folded, std::size_t{0});
    canvas->toggleRegion(QStringLiteral("n17"));
    QCOMPARE(modelOf(*canvas).boxes.size(), before);
    QCOMPARE(edited.count(), 0);
  }

  void smallGraphIsNotFolded() {
    const auto canvas = shown(flat(static_cast<int>(SceneModel::fold_from)));
    QCOMPARE(modelOf(*canvas).boxes.size(), SceneModel::fold_from);
  }

  /// As the fusion groups of a compiled program, which no region holds.
  void groupsFoldAndUnfold() {
    const auto canvas = shown(flat(20));
    canvas->setNodeGroups(halves(20));
    QCOMPARE(modelOf(*canvas).boxes.size(), std::size_t{20});

    auto* legend = canvas->findChild<GroupLegend*>();
    QVERIFY(legend && legend->isVisible());
    QTest::mouseClick(legend, Qt::LeftButton, {}, legend->row(0).center());
    const SceneModel& model = modelOf(*canvas);
    QCOMPARE(model.boxes.size(), std::size_t{11});
    QCOMPARE(canvas->foldedGroups(), QSet<int>{0});
    const SceneBox& box = model.boxes[model.findBox("n0")];
    QCOMPARE(box.name, std::string("group 1"));
    QCOMPARE(box.detail, std::string("10 operators"));
    QCOMPARE(model.links.size(), std::size_t{10});
    QCOMPARE(model.visibleBox("n7"), model.findBox("n0"));
    QVERIFY(!canvas->nodePositions().contains(QStringLiteral("n0")));

    // What is compiled anew, with a node more in the other group, leaves it folded.
    QList<NodeGroup> groups = halves(20);
    groups[1].note = QStringLiteral("1 MB");
    groups[1].nodes.removeLast();
    canvas->setNodeGroups(groups);
    QCOMPARE(canvas->foldedGroups(), QSet<int>{0});
    canvas->toggleAllNodeGroups();
    QCOMPARE(modelOf(*canvas).boxes.size(), std::size_t{3});
    canvas->toggleRegion(QStringLiteral("n0"));  // the button of the box
    QCOMPARE(canvas->foldedGroups(), QSet<int>{1});
    canvas->toggleAllNodeGroups();
    canvas->toggleAllNodeGroups();
    QCOMPARE(modelOf(*canvas).boxes.size(), std::size_t{20});
    QCOMPARE(modelOf(*canvas).links.size(), std::size_t{19});
  }

  /// As an imported transformer has them: one box until they are opened, without their fusion groups.
  void equalLayersBeginAsOneBox() {
    const auto canvas = shown(flat(20));
    QList<NodeGroup> groups{
        {QStringLiteral("layer"), QStringLiteral("3 equal, 18 tasks"), {}, GroupKind::EqualLayers, 3}};
    for (int i = 1; i < 19; ++i) groups[0].nodes << QStringLiteral("n%1").arg(i);
    groups << halves(20);
    groups[1].nodes.removeFirst();  // its first node is that of the layers, too
    canvas->setNodeGroups(groups);
    const SceneModel& model = modelOf(*canvas);
    QCOMPARE(model.boxes.size(), std::size_t{3});
    const SceneBox& box = model.boxes[model.findBox("n1")];
    QCOMPARE(box.badge, std::string("\u00d73"));
    QCOMPARE(box.detail, std::string("18 operators"));
    QCOMPARE(model.links.size(), std::size_t{2});
    auto* legend = canvas->findChild<GroupLegend*>();
    QCOMPARE(legend->accessibleName().count(QLatin1Char('\n')), 1);  // the group of the first half is inside

    canvas->toggleRegion(QStringLiteral("n1"));
    QCOMPARE(modelOf(*canvas).boxes.size(), std::size_t{20});
    QCOMPARE(legend->accessibleName().count(QLatin1Char('\n')), 2);
    canvas->setNodeGroups(groups.mid(0, 2));  // compiled anew: they stay open
    QCOMPARE(modelOf(*canvas).boxes.size(), std::size_t{20});
    canvas->toggleAllNodeGroups();
    QCOMPARE(canvas->foldedGroups(), QSet<int>{1});
    QTest::mouseClick(legend, Qt::LeftButton, {}, legend->row(0).center());
    QCOMPARE(modelOf(*canvas).boxes.size(), std::size_t{3});
    canvas->selectNode(QStringLiteral("n7"));  // found in its box
    QCOMPARE(modelOf(*canvas).visibleBox("n7"), modelOf(*canvas).findBox("n1"));
  }

  /// Experts that were written out one by one.
  void manyEqualRegionsBeginAsOneBox() {
    Document document = flat(2);
    for (int i = 0; i < 6; ++i) {
      Node expert = test::node("expert_" + std::to_string(i), "Region");
      expert.body = Box<Region>(test::expert());
      expert.body->body.nodes[0].at = Position{10.0 * i, 0};  // where they were drawn does not matter
      if (i == 5) expert.body->body.nodes[4].parameters["compute_bw"] = Value(7);
      document.program.nodes.push_back(expert);
    }
    const auto canvas = shown(document);
    const SceneModel& model = modelOf(*canvas);
    QCOMPARE(model.boxes.size(), std::size_t{4});  // the chain, five as one, and the one that differs
    const SceneBox& box = model.boxes[model.findBox("expert_0")];
    QCOMPARE(box.badge, std::string("\u00d75"));
    QCOMPARE(box.name, std::string("expert"));
    QVERIFY(model.findBox("expert_5") != nowhere);
    QCOMPARE(model.visibleBox("expert_3"), model.findBox("expert_0"));

    // A box costs what all stand for that it stands for: five experts of two nodes, one of them by itself.
    CostOverlay costs{{{QStringLiteral("n0"), 8e-6}}, QStringLiteral("J")};
    for (int i = 0; i < 6; ++i)
      for (const char* inside : {"gate", "up"})
        costs.costs[QStringLiteral("expert_%1.%2").arg(i).arg(QLatin1String(inside))] = 1e-6 * (i + 1);
    canvas->setCostOverlay(costs);
    QCOMPARE(canvas->costsByBox().size(), 3);
    QCOMPARE(canvas->costsByBox()[QStringLiteral("expert_0")].text, QStringLiteral("30\u00a0\u00b5J"));
    QCOMPARE(canvas->costsByBox()[QStringLiteral("expert_0")].change, 1.0);
    QCOMPARE(canvas->costsByBox()[QStringLiteral("expert_5")].text, QStringLiteral("12\u00a0\u00b5J"));
    QCOMPARE(canvas->costsByBox()[QStringLiteral("n0")].change, 8.0 / 30);

    QSignalSpy edited(canvas.get(), &GraphCanvas::regionToggled);
    canvas->toggleRegion(QStringLiteral("expert_0"));  // the button of the box
    QCOMPARE(modelOf(*canvas).boxes.size(), std::size_t{8});
    QCOMPARE(canvas->costsByBox().size(), 7);
    QCOMPARE(canvas->costsByBox()[QStringLiteral("expert_0")].text, QStringLiteral("2\u00a0\u00b5J"));
    canvas->toggleAllNodeGroups(true);
    QCOMPARE(modelOf(*canvas).boxes.size(), std::size_t{4});
    canvas->toggleAllNodeGroups(true);
    QCOMPARE(edited.count(), 0);
    QVERIFY(canvas->document() == document);

    // What is seen open does not close because an edit makes it equal.
    document.program.nodes.back().body->body.nodes[4].parameters["compute_bw"] = Value(1022);
    canvas->setDocument(document);
    QCOMPARE(modelOf(*canvas).boxes.size(), std::size_t{8});
    QCOMPARE(canvas->nodeGroups().back().count, 6);
    canvas->reset();
    QVERIFY(canvas->nodeGroups().isEmpty());
  }

  /// Three are seen at one glance.
  void fewEqualRegionsStayAsTheyAre() {
    Document document;
    for (int i = 0; i < 3; ++i) {
      document.program.nodes.push_back(test::node("head" + std::to_string(i), "Region"));
      document.program.nodes.back().body = Box<Region>(test::expert());
    }
    const auto canvas = shown(document);
    QCOMPARE(modelOf(*canvas).boxes.size(), std::size_t{3});
    QTest::mouseClick(canvas->findChild<GroupLegend*>(), Qt::LeftButton, {},
                      canvas->findChild<GroupLegend*>()->row(0).center());
    QCOMPARE(modelOf(*canvas).boxes.size(), std::size_t{1});
  }

  void theLegendCoversNoBox() {
    const auto canvas = shown(flat(60));
    canvas->setNodeGroups(halves(60));
    QTRY_VERIFY(!canvas->layoutPending());
    auto* legend = canvas->findChild<GroupLegend*>();
    const QRectF covered = canvas->viewportTransform().inverted().mapRect(
        QRectF(legend->geometry().translated(-canvas->viewport()->pos())));
    const Picture& picture = canvas->graphScene()->picture();
    for (std::size_t box = 0; box < picture.boxes.size(); ++box)
      QVERIFY2(!picture.rect(box).intersects(covered), picture.model.boxes[box].path.c_str());
  }

  void foldedGroupsEndWithTheirProgram() {
    const auto canvas = shown(flat(20));
    canvas->setNodeGroups(halves(20));
    canvas->toggleNodeGroup(1);
    canvas->setNodeGroups({});
    QCOMPARE(modelOf(*canvas).boxes.size(), std::size_t{20});
    canvas->setNodeGroups(halves(20));
    QVERIFY(canvas->foldedGroups().isEmpty());
  }
};

SLUICE_WINDOW_TEST(CanvasFoldedTest)
#include "canvas_folded_test.moc"
