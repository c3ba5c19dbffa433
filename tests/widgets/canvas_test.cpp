// The canvas, used as a person uses it: clicks, wheel, drags, keys; and looked at: what is drawn where.

#include <QAction>
#include <QApplication>
#include <QBuffer>
#include <QContextMenuEvent>
#include <QPainter>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSvgGenerator>
#include <QWheelEvent>
#include <QtTest>
#include <memory>

#include "tests/widgets/canvas_programs.h"
#include "tests/widgets/drawn.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/canvas_theme.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/canvas/scene_model.h"
#include "widgets/common/trust_line.h"

using namespace sluice;
using namespace sluice::ui;

namespace {

QString helper() {
  return QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout");
}

const SceneModel& model(const GraphCanvas& canvas) {
  return canvas.graphScene()->picture().model;
}

QPoint onScreen(const GraphCanvas& canvas, const QPointF& scene) {
  return canvas.viewportTransform().map(scene).toPoint();
}

void press(GraphCanvas& canvas, QEvent::Type type, const QPoint& at, Qt::MouseButton button,
           Qt::MouseButtons buttons) {
  QMouseEvent event(type, at, canvas.viewport()->mapToGlobal(at), button, buttons, Qt::NoModifier);
  QApplication::sendEvent(canvas.viewport(), &event);
}

void dragMouse(GraphCanvas& canvas, const QPoint& from, const QPoint& to, Qt::MouseButton button) {
  press(canvas, QEvent::MouseButtonPress, from, button, button);
  for (int step = 1; step <= 4; ++step)
    press(canvas, QEvent::MouseMove, from + (to - from) * step / 4, Qt::NoButton, button);
  press(canvas, QEvent::MouseButtonRelease, to, button, Qt::NoButton);
}

void wheel(GraphCanvas& canvas, const QPoint& at, int delta) {
  QWheelEvent event(at, canvas.viewport()->mapToGlobal(at), QPoint(), QPoint(0, delta), Qt::NoButton,
                    Qt::NoModifier, Qt::NoScrollPhase, false);
  QApplication::sendEvent(canvas.viewport(), &event);
}

QImage imageOf(GraphCanvas& canvas) {
  return canvas.grab().toImage();
}

QPalette darkPalette() {
  QPalette palette;
  palette.setColor(QPalette::Window, QColor(30, 32, 36));
  palette.setColor(QPalette::Base, QColor(20, 22, 26));
  for (const auto role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText})
    palette.setColor(role, Qt::white);
  return palette;
}

}  // namespace

class CanvasTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<GraphCanvas> open(const Document& document, const QString& layout = {}) {
    auto canvas = std::make_unique<GraphCanvas>(small_.catalog(), layout);
    canvas->resize(1100, 640);
    canvas->show();
    (void)QTest::qWaitForWindowActive(canvas.get());
    canvas->setFocus();
    canvas->setDocument(document);
    return canvas;
  }

  static Document expanded() {
    Document document = test::mixtureOfExperts();
    test::expertOf(document).collapsed = false;
    return document;
  }

  test::SmallCatalog small_;

 private slots:
  void initTestCase() {
    QApplication::setStyle("Fusion");
    QVERIFY2(QFontInfo(QApplication::font()).family().startsWith("DejaVu"),
             "these tests look at texts set in DejaVu Sans");
  }

  void collapsedRegionIsOneBox() {
    const auto canvas = open(test::mixtureOfExperts());
    QCOMPARE(model(*canvas).boxes.size(), std::size_t{7});
    QCOMPARE(model(*canvas).links.size(), std::size_t{7});
    const SceneBox& region = model(*canvas).boxes[model(*canvas).findBox("expert")];
    QVERIFY(region.kind == SceneBox::Kind::Region);
    QCOMPARE(region.badge, std::string("×E"));
    QCOMPARE(region.detail, std::string("10 operators"));
  }

  void expandedRegionShowsItsBody() {
    const auto canvas = open(expanded());
    QCOMPARE(model(*canvas).boxes.size(), std::size_t{17});
    QCOMPARE(model(*canvas).links.size(), std::size_t{22});
    const Picture& picture = canvas->graphScene()->picture();
    const QRectF frame = picture.rect(model(*canvas).findBox("expert"));
    for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
      const bool inside = model(*canvas).boxes[i].path.starts_with("expert.");
      if (inside)
        QVERIFY(frame.contains(picture.rect(i)));
      else if (model(*canvas).boxes[i].path != "expert")
        QVERIFY(!frame.intersects(picture.rect(i)));
    }
  }

  void portsComeFromCatalogAndStreams() {
    Document document = test::mixtureOfExperts();
    document.program.streams.push_back(test::stream("dispatch.out[3]", "result.oops"));
    const SceneModel scene =
        sceneModel(document, small_.catalog(), [](const std::string&, TextRole) { return 50.0; });
    const SceneBox& dispatch = scene.boxes[scene.findBox("dispatch")];
    QCOMPARE(dispatch.outputs.size(), std::size_t{2});
    QVERIFY(dispatch.outputs[0].name == "out[3]" || dispatch.outputs[1].name == "out[3]");
    const SceneBox& result = scene.boxes[scene.findBox("result")];
    QCOMPARE(result.inputs.size(), std::size_t{2});
    QVERIFY(!result.inputs[1].known);
    document.program.streams.push_back(test::stream("nobody.out", "result.in"));
    QCOMPARE(sceneModel(document, small_.catalog(), [](const std::string&, TextRole) { return 50.0; })
                 .links.size(),
             std::size_t{8});
  }

  void clickSelectsNode() {
    const auto canvas = open(test::mixtureOfExperts());
    QSignalSpy nodes(canvas.get(), &GraphCanvas::nodeSelected),
        cleared(canvas.get(), &GraphCanvas::selectionCleared);
    QTest::mouseClick(canvas->viewport(), Qt::LeftButton, {},
                      onScreen(*canvas, canvas->nodeCenter("dispatch")));
    QCOMPARE(nodes.count(), 1);
    QCOMPARE(nodes[0][0].toString(), QString("dispatch"));
    QVERIFY(canvas->accessibleDescription().contains("dispatch"));
    QTest::mouseClick(canvas->viewport(), Qt::LeftButton, {}, QPoint(4, 4));
    QCOMPARE(cleared.count(), 1);
    QCOMPARE(canvas->selectedNode(), QString());
  }

  void clickSelectsStream() {
    const auto canvas = open(expanded());
    for (const QString& origin : {QString("#expert.x"), QString("expert#act.in")}) {
      QSignalSpy streams(canvas.get(), &GraphCanvas::streamSelected);
      const QPoint at = onScreen(*canvas, canvas->streamPoint(origin));
      QTest::mouseClick(canvas->viewport(), Qt::LeftButton, {}, at);
      QCOMPARE(streams.count(), 1);
      QCOMPARE(streams[0][0].toString(), origin);
      QVERIFY(!canvas->tipAt(at).isEmpty());
      setTrust(*canvas, QStringLiteral("confirmed by RTL"));
      QVERIFY(canvas->tipAt(at).endsWith(QStringLiteral("Trust in cycles: confirmed by RTL")));
      setTrust(*canvas, {});
      QVERIFY(!canvas->tipAt(at).contains(QStringLiteral("Trust")));
    }
  }

  void selectingByCallIsSilent() {
    const auto canvas = open(test::mixtureOfExperts());
    QSignalSpy nodes(canvas.get(), &GraphCanvas::nodeSelected),
        streams(canvas.get(), &GraphCanvas::streamSelected);
    QSignalSpy cleared(canvas.get(), &GraphCanvas::selectionCleared);
    canvas->selectNode("combine");
    QCOMPARE(canvas->selectedNode(), QString("combine"));
    canvas->selectStream("#collect.control");
    QCOMPARE(canvas->selectedStream(), QString("#collect.control"));
    QCOMPARE(canvas->selectedNode(), QString());
    canvas->clearSelection();
    QCOMPARE(nodes.count() + streams.count() + cleared.count(), 0);
  }

  void hiddenNodeShowsAsItsRegion() {
    const auto canvas = open(test::mixtureOfExperts());
    canvas->selectNode("expert.gate");
    QCOMPARE(canvas->selectedNode(), QString("expert.gate"));
    const Picture& picture = canvas->graphScene()->picture();
    QVERIFY(picture.boxes[picture.model.findBox("expert")].selected);
    canvas->setMarks({{"expert.gate", {Mark::Kind::Warning, "hm"}},
                      {"expert#w_gate.ref", {Mark::Kind::Deadlock, "stuck", "FULL"}}});
    QVERIFY(picture.boxes[picture.model.findBox("expert")].mark->kind == Mark::Kind::Deadlock);
  }

  void selectingScrollsIntoView() {
    const auto canvas = open(expanded());
    canvas->setZoom(3);
    for (const QString& path : {QString("tokens"), QString("result"), QString("expert.up")}) {
      canvas->selectNode(path);
      QVERIFY(canvas->viewport()->rect().contains(onScreen(*canvas, canvas->nodeCenter(path))));
    }
    const int before = canvas->horizontalScrollBar()->value();
    canvas->selectNode("expert.up");  // already there: nothing moves
    QCOMPARE(canvas->horizontalScrollBar()->value(), before);
  }

  void wheelKeepsThePointUnderTheCursor() {
    const auto canvas = open(expanded());
    for (const QPoint& at : {QPoint(300, 200), QPoint(20, 610), QPoint(1000, 30)}) {
      for (const int delta : {120, 360, -120, -720, 240}) {
        const QPointF before = canvas->viewportTransform().inverted().map(QPointF(at));
        const double zoom = canvas->zoom();
        wheel(*canvas, at, delta);
        QVERIFY(delta > 0 ? canvas->zoom() > zoom : canvas->zoom() < zoom);
        const QPointF now = canvas->viewportTransform().map(before) - at;
        QVERIFY2(now.manhattanLength() <= 1.5,
                 qPrintable(QString("moved by %1, %2").arg(now.x()).arg(now.y())));
      }
    }
    for (int i = 0; i < 60; ++i) wheel(*canvas, {500, 300}, 480);
    QCOMPARE(canvas->zoom(), GraphCanvas::maximum_zoom);
    for (int i = 0; i < 60; ++i) wheel(*canvas, {500, 300}, -480);
    QCOMPARE(canvas->zoom(), GraphCanvas::minimum_zoom);
  }

  void fitShowsEverything() {
    const auto canvas = open(expanded());
    canvas->setZoom(5);
    QTest::keyClick(canvas.get(), Qt::Key_F);
    QVERIFY(QRectF(canvas->viewport()->rect())
                .contains(canvas->viewportTransform().mapRect(canvas->contentRect())));
    canvas->setZoom(5);
    QTest::keyClick(canvas.get(), Qt::Key_0, Qt::ControlModifier);
    QVERIFY(canvas->zoom() < 1);
    canvas->selectNode("expert.gate");
    canvas->fitSelection();
    QVERIFY(canvas->zoom() > 1);
    QVERIFY(canvas->viewport()->rect().contains(onScreen(*canvas, canvas->nodeCenter("expert.gate"))));
  }

  void middleDragAndSpaceDragPan() {
    const auto canvas = open(test::mixtureOfExperts());
    const auto origin = [&] { return onScreen(*canvas, QPointF(0, 0)); };
    QPoint before = origin();
    dragMouse(*canvas, {300, 300}, {360, 250}, Qt::MiddleButton);
    QCOMPARE(origin() - before, QPoint(60, -50));
    before = origin();
    QSignalSpy moved(canvas.get(), &GraphCanvas::nodeMoved);
    QTest::keyPress(canvas.get(), Qt::Key_Space);
    const QPoint node = onScreen(*canvas, canvas->nodeCenter("dispatch"));
    dragMouse(*canvas, node, node + QPoint(-40, 20), Qt::LeftButton);
    QTest::keyRelease(canvas.get(), Qt::Key_Space);
    QCOMPARE(origin() - before, QPoint(-40, 20));
    QCOMPARE(moved.count(), 0);
  }

  void dragMovesNode() {
    const auto canvas = open(test::mixtureOfExperts());
    QSignalSpy moved(canvas.get(), &GraphCanvas::nodeMoved);
    const QHash<QString, QPointF> before = canvas->nodePositions();
    const QPoint from = onScreen(*canvas, canvas->nodeCenter("combine"));
    dragMouse(*canvas, from, from + QPoint(30, 120), Qt::LeftButton);
    QCOMPARE(moved.count(), 1);
    QCOMPARE(moved[0][0].toString(), QString("combine"));
    const QPointF at = moved[0][1].toPointF();
    QVERIFY(QLineF(at, before["combine"] + QPointF(30, 120) / canvas->zoom()).length() < 8);
    QCOMPARE(std::fmod(at.x(), 8.0), 0.0);
    QCOMPARE(std::fmod(at.y(), 8.0), 0.0);
    for (const QString& other : {QString("tokens"), QString("dispatch"), QString("result")}) {
      QCOMPARE(canvas->nodePositions()[other], before[other]);
    }
    // The owner writes it down and shows the document again: nothing jumps.
    Document document = test::mixtureOfExperts();
    document.program.nodes[5].at = Position{at.x(), at.y()};
    canvas->setDocument(document);
    QCOMPARE(canvas->nodePositions()["combine"], at);
    QCOMPARE(canvas->nodePositions()["dispatch"], before["dispatch"]);
  }

  void dragInsideARegion() {
    const auto canvas = open(expanded());
    QSignalSpy moved(canvas.get(), &GraphCanvas::nodeMoved);
    const QPointF before = canvas->nodePositions()["expert.act"];
    const QPoint from = onScreen(*canvas, canvas->nodeCenter("expert.act"));
    dragMouse(*canvas, from, from + QPoint(0, 60), Qt::LeftButton);
    QCOMPARE(moved.count(), 1);
    QCOMPARE(moved[0][0].toString(), QString("expert.act"));
    QVERIFY(QLineF(moved[0][1].toPointF(), before + QPointF(0, 60) / canvas->zoom()).length() < 8);
    const Picture& picture = canvas->graphScene()->picture();
    QVERIFY(picture.rect(picture.model.findBox("expert"))
                .contains(picture.rect(picture.model.findBox("expert.act"))));
  }

  void writtenPositionsAreHonoured() {
    Document document = test::mixtureOfExperts();
    for (std::size_t i = 0; i < document.program.nodes.size(); ++i) {
      document.program.nodes[i].at = Position{static_cast<double>(i % 3) * 300, static_cast<double>(i) * 100};
    }
    const auto canvas = open(document);
    for (const Node& node : document.program.nodes) {
      QCOMPARE(canvas->nodePositions()[QString::fromStdString(node.name)], QPointF(node.at->x, node.at->y));
    }
  }

  void regionToggles() {
    const auto canvas = open(test::mixtureOfExperts());
    QSignalSpy toggled(canvas.get(), &GraphCanvas::regionToggled);
    const Picture& picture = canvas->graphScene()->picture();
    const QPointF corner =
        canvas->viewportTransform().map(picture.rect(picture.model.findBox("expert")).topLeft());
    QTest::mouseDClick(canvas->viewport(), Qt::LeftButton, {},
                       onScreen(*canvas, canvas->nodeCenter("expert")));
    QCOMPARE(toggled.count(), 1);
    QCOMPARE(toggled[0][1].toBool(), false);
    QCOMPARE(model(*canvas).boxes.size(), std::size_t{17});
    // It stays where the eye is, unless it has to move to be seen whole.
    const QRectF now = canvas->viewportTransform().mapRect(picture.rect(picture.model.findBox("expert")));
    QVERIFY((now.topLeft() - corner).manhattanLength() <= 2 ||
            QRectF(canvas->viewport()->rect()).contains(now));
    const QPointF button = picture.button(picture.model.findBox("expert")).center();
    canvas->fitAll();
    QTest::mouseClick(canvas->viewport(), Qt::LeftButton, {}, onScreen(*canvas, button));
    QCOMPARE(toggled.count(), 2);
    QCOMPARE(toggled[1][1].toBool(), true);
    QCOMPARE(model(*canvas).boxes.size(), std::size_t{7});
    canvas->selectNode("expert");
    QTest::keyClick(canvas.get(), Qt::Key_Return);
    QCOMPARE(toggled.count(), 3);
  }

  void keyboardWalksAlongTheStreams() {
    const auto canvas = open(expanded());
    const auto go = [&](Qt::Key key) {
      QTest::keyClick(canvas.get(), key);
      return canvas->selectedNode() + canvas->selectedStream();
    };
    canvas->selectNode("tokens");
    QCOMPARE(go(Qt::Key_Right), QString("#dispatch.in"));
    QCOMPARE(go(Qt::Key_Right), QString("dispatch"));
    QCOMPARE(go(Qt::Key_Right), QString("#expert.x"));
    QCOMPARE(go(Qt::Key_Right), QString("expert#pack.in"));  // through the frame's port
    QCOMPARE(go(Qt::Key_Right), QString("expert.pack"));
    QCOMPARE(go(Qt::Key_Left), QString("expert#pack.in"));
    QCOMPARE(go(Qt::Key_Left), QString("#expert.x"));
    canvas->selectNode("expert.tile_rows");
    const QString first = go(Qt::Key_Right);
    QSet<QString> seen{first};
    for (int i = 0; i < 3; ++i) seen.insert(go(Qt::Key_Down));
    for (int i = 0; i < 6; ++i) seen.insert(go(Qt::Key_Up));
    QCOMPARE(seen,
             QSet<QString>({"expert#gate.in1", "expert#up.in1", "expert#w_gate.ref", "expert#w_up.ref"}));
    QSignalSpy cleared(canvas.get(), &GraphCanvas::selectionCleared);
    QCOMPARE(go(Qt::Key_Escape), QString());
    QCOMPARE(cleared.count(), 1);
  }

  void tabWalksTheNodesAndLeaves() {
    const auto canvas = open(test::mixtureOfExperts());
    QSignalSpy nodes(canvas.get(), &GraphCanvas::nodeSelected);
    for (int i = 0; i < 7; ++i) QTest::keyClick(canvas.get(), Qt::Key_Tab);
    QCOMPARE(nodes.count(), 7);
    QCOMPARE(canvas->selectedNode(), QString("result"));
    QTest::keyClick(canvas.get(), Qt::Key_Backtab);
    QCOMPARE(canvas->selectedNode(), QString("combine"));
    canvas->selectNode("result");
    QTest::keyClick(canvas.get(), Qt::Key_Tab);  // the canvas has no neighbour here; it must not wrap around
    QCOMPARE(canvas->selectedNode(), QString("result"));
  }

  void contextMenuTellsWhatIsUnderTheCursor() {
    const auto canvas = open(test::mixtureOfExperts());
    QSignalSpy asked(canvas.get(), &GraphCanvas::contextMenuRequested);
    const QPoint at = onScreen(*canvas, canvas->nodeCenter("router"));
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, canvas->viewport()->mapToGlobal(at));
    QApplication::sendEvent(canvas->viewport(), &event);
    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked[0][0].toString(), QString("router"));
    QCOMPARE(canvas->selectedNode(), QString("router"));
  }

  void labelsAreDrawn() {
    const auto canvas = open(test::mixtureOfExperts());
    canvas->setZoom(1);
    canvas->centerOn(canvas->streamPoint("#expert.x"));
    canvas->setStreamLabels({{"#expert.x", "[1, B] tile"}});
    const Picture& picture = canvas->graphScene()->picture();
    const QRect label =
        canvas->viewportTransform().mapRect(picture.labelRect(picture.model.findLink("#expert.x"))).toRect();
    QVERIFY(!label.isEmpty());
    const int with = test::ink(imageOf(*canvas), label);
    canvas->setStreamLabels({});
    const int without = test::ink(imageOf(*canvas), label);
    QVERIFY2(with > without + 60, qPrintable(QString("%1 with, %2 without").arg(with).arg(without)));
  }

  void everyBoxCarriesItsName() {
    const auto canvas = open(test::mixtureOfExperts());
    canvas->setZoom(1);
    for (const Node& node : test::mixtureOfExperts().program.nodes) {
      const QString path = QString::fromStdString(node.name);
      canvas->selectNode(path);
      const Picture& picture = canvas->graphScene()->picture();
      const QRectF rect = picture.rect(picture.model.findBox(node.name)).adjusted(8, 5, -28, -5);
      QVERIFY(test::ink(imageOf(*canvas), canvas->viewportTransform().mapRect(rect).toRect()) > 150);
    }
  }

  void namesStayLegibleFromAfar() {
    const auto canvas = open(test::mixtureOfExperts());
    const Picture& picture = canvas->graphScene()->picture();
    const QRectF box = picture.rect(picture.model.findBox("router")).adjusted(12, 4, -4, -10);
    for (const double zoom : {0.4, 0.5, 0.6, 0.7}) {
      canvas->setZoom(zoom);
      const QRect area = canvas->viewportTransform().mapRect(box).toRect();
      const int height = test::tallest(imageOf(*canvas), area);
      QVERIFY2(height >= 8, qPrintable(QString("%1 pixels at zoom %2").arg(height).arg(zoom)));
    }
  }

  void marksAndHeatAreVisible() {
    const auto canvas = open(test::mixtureOfExperts());
    canvas->setZoom(1);
    canvas->centerOn(canvas->nodeCenter("collect"));
    const QImage calm = imageOf(*canvas);
    canvas->setMarks({{"collect", {Mark::Kind::Error, "wrong"}},
                      {"#collect.in", {Mark::Kind::Deadlock, "stuck", "FULL"}}});
    const QImage marked = imageOf(*canvas);
    QVERIFY(test::countOf(marked, canvas->theme().error) > test::countOf(calm, canvas->theme().error) + 100);
    QVERIFY(test::countOf(marked, canvas->theme().deadlock) >
            test::countOf(calm, canvas->theme().deadlock) + 100);
    QVERIFY(canvas->tipAt(onScreen(*canvas, canvas->nodeCenter("collect"))).contains("wrong"));
    canvas->setMarks({});
    QCOMPARE(imageOf(*canvas), calm);
    canvas->setStreamHeat({{"#collect.in", 1.0}});
    QVERIFY(test::countOf(imageOf(*canvas), canvas->theme().heat(1)) >
            test::countOf(calm, canvas->theme().heat(1)) + 100);
    canvas->setStreamHeat({});
    canvas->setNodeHeat({{"collect", 0.9}});
    QVERIFY(test::countOf(imageOf(*canvas), canvas->theme().heat(0.9)) > 100);
  }

  void followsThePalette() {
    const auto canvas = open(expanded());
    QCOMPARE(canvas->theme().is_dark, false);
    canvas->setPalette(darkPalette());
    QCOMPARE(canvas->theme().is_dark, true);
    QVERIFY(qGray(imageOf(*canvas).pixel(3, 3)) < 50);
    canvas->setPalette(QPalette(Qt::lightGray));
    QVERIFY(qGray(imageOf(*canvas).pixel(3, 3)) > 200);
  }

  void textAndMarksHaveContrast() {
    for (const CanvasTheme& theme : {CanvasTheme::light("Sans"), CanvasTheme::dark("Sans")}) {
      for (const QColor& ground : {theme.box, theme.canvas, theme.frame}) {
        QVERIFY(contrast(theme.text, ground) >= 7);
        QVERIFY(contrast(theme.muted, ground) >= 4.5);
        QVERIFY(contrast(theme.edge, ground) >= 3);
        for (const QColor& mark : {theme.error, theme.warning, theme.deadlock, theme.selection}) {
          QVERIFY(contrast(mark, ground) >= 3);
          QVERIFY(contrast(mark, theme.on_mark) >= 3 || mark == theme.selection);
        }
      }
    }
  }

  void graphvizArrangesAfterwards() {
    auto canvas = std::make_unique<GraphCanvas>(small_.catalog(), helper());
    canvas->resize(1000, 600);
    canvas->show();
    QSignalSpy arranged(canvas.get(), &GraphCanvas::arranged);
    canvas->setDocument(expanded());
    QCOMPARE(model(*canvas).boxes.size(), std::size_t{17});  // there at once
    QVERIFY(canvas->layoutPending());
    QVERIFY(arranged.wait(20000));
    QVERIFY(!canvas->layoutPending());
    QVERIFY(QRectF(canvas->viewport()->rect())
                .contains(canvas->viewportTransform().mapRect(canvas->contentRect())));
    // Only parameters change: the layout is known and nothing moves.
    const QHash<QString, QPointF> before = canvas->nodePositions();
    Document other = expanded();
    other.program.nodes[5].parameters["rank"] = 2;
    canvas->setDocument(other);
    QVERIFY(!canvas->layoutPending());
    QCOMPARE(canvas->nodePositions(), before);
  }

  void newerDocumentWins() {
    GraphCanvas canvas(small_.catalog(), helper());
    canvas.show();
    QSignalSpy arranged(&canvas, &GraphCanvas::arranged);
    canvas.setDocument(test::meshOf(120));
    canvas.setDocument(test::meshOf(40));
    canvas.setDocument(test::meshOf(25));
    QVERIFY(arranged.wait(20000));
    QTest::qWait(200);
    QCOMPARE(arranged.count(), 1);
    QCOMPARE(model(canvas).boxes.size(), std::size_t{25});
  }

  void removedNodeLosesTheSelection() {
    const auto canvas = open(test::mixtureOfExperts());
    QSignalSpy cleared(canvas.get(), &GraphCanvas::selectionCleared);
    canvas->selectNode("combine");
    Document document = test::mixtureOfExperts();
    document.program.nodes.erase(document.program.nodes.begin() + 5);
    canvas->setDocument(document);
    QCOMPARE(canvas->selectedNode(), QString());
    QCOMPARE(cleared.count(), 1);
    canvas->reset();
    QVERIFY(canvas->contentRect().isEmpty());
  }

  void brokenDocumentsAreDrawn() {
    Document document = test::mixtureOfExperts();
    document.program.nodes.push_back(test::node("tokens", "NoSuchKind"));  // a name twice
    document.program.nodes.push_back(test::node("odd", "NoSuchKind", {{"x", 3}}));
    document.program.streams.push_back(test::stream("odd.out", "odd.in"));
    document.program.streams.push_back(test::stream("region.x", "odd.in"));
    document.program.streams.push_back(test::stream("result.nothing", "tokens.nothing"));
    Node empty = test::node("empty", "Region");
    empty.body = Box<Region>(Region{});
    empty.body->collapsed = false;
    document.program.nodes.push_back(empty);
    for (const QString& layout : {QString(), helper()}) {
      const auto canvas = open(document, layout);
      QTRY_VERIFY(!canvas->layoutPending());
      QCOMPARE(model(*canvas).boxes.size(), std::size_t{9});
      QVERIFY(!imageOf(*canvas).isNull());
    }
  }

  void renderIsVectorAndFitsItsTarget() {
    const auto canvas = open(expanded());
    canvas->selectNode("expert.gate");
    QImage page(800, 400, QImage::Format_RGB32);
    page.fill(Qt::white);
    QPainter painter(&page);
    canvas->render(&painter, QRectF(100, 50, 600, 300));
    painter.end();
    QVERIFY(test::ink(page, QRect(100, 50, 600, 300)) > 1500);
    for (const QRect& margin :
         {QRect(0, 0, 800, 49), QRect(0, 351, 800, 49), QRect(0, 0, 99, 400), QRect(701, 0, 99, 400)}) {
      QCOMPARE(test::ink(page, margin), 0);
    }
    QBuffer buffer;
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    svg.setSize({800, 400});
    painter.begin(&svg);
    canvas->render(&painter, QRectF(0, 0, 800, 400));
    painter.end();
    QVERIFY(buffer.data().contains("tile_rows"));
    QVERIFY(!buffer.data().contains("<image"));
  }

  void thousandNodes() {
    GraphCanvas canvas(small_.catalog());
    canvas.resize(1200, 800);
    canvas.show();
    canvas.setDocument(test::meshOf(1000));
    QCOMPARE(model(canvas).boxes.size(), std::size_t{1000});
    for (const double zoom : {canvas.zoom(), 0.05, 0.2, 0.5, canvas.zoom()}) {
      canvas.setZoom(zoom);
      const QImage image = imageOf(canvas);
      QVERIFY(test::ink(image, image.rect()) > 500);
    }
  }
};

SLUICE_WINDOW_TEST(CanvasTest)
#include "canvas_test.moc"
