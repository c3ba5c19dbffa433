// Gestures on the canvas: Esc takes back whatever the mouse is doing, one gesture does not end another, and
// layers are painted where they say.

#include <QApplication>
#include <QDragEnterEvent>
#include <QLineEdit>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalSpy>
#include <QtTest>
#include <memory>

#include "tests/widgets/canvas_programs.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"

using namespace sluice;
using namespace sluice::ui;

namespace {

/// Notes when it is painted.
class SpyLayer : public CanvasLayer {
 public:
  SpyLayer(QStringList& order, const QString& name, Level level, bool exported)
      : order_(order), name_(name), level_(level), exported_(exported) {}
  Level level() const override { return level_; }
  bool exported() const override { return exported_; }
  bool empty() const override { return hidden; }
  void paint(QPainter&, const Picture&) const override { order_ << name_; }
  QRectF bounds(const Picture&) const override { return {-500, -500, 10, 10}; }

  bool hidden = false;

 private:
  QStringList& order_;
  const QString name_;
  const Level level_;
  const bool exported_;
};

}  // namespace

class CanvasGesturesTest : public QObject {
  Q_OBJECT

 private:
  void mouse(QEvent::Type type, const QPoint& at, Qt::MouseButton button, Qt::MouseButtons held) {
    QMouseEvent event(type, at, canvas_->viewport()->mapToGlobal(at), button, held, Qt::NoModifier);
    QApplication::sendEvent(canvas_->viewport(), &event);
  }
  void press(const QPoint& at, Qt::MouseButton button = Qt::LeftButton) {
    mouse(QEvent::MouseButtonPress, at, button, button);
  }
  void move(const QPoint& at) { mouse(QEvent::MouseMove, at, Qt::NoButton, Qt::LeftButton); }
  void release(const QPoint& at, Qt::MouseButton button = Qt::LeftButton) {
    mouse(QEvent::MouseButtonRelease, at, button, Qt::NoButton);
  }
  QPoint onScreen(const QPointF& scene) const { return canvas_->viewportTransform().map(scene).toPoint(); }
  QPoint middleOf(const char* node) const { return onScreen(canvas_->nodeCenter(QString::fromLatin1(node))); }

  test::SmallCatalog small_;
  std::unique_ptr<GraphCanvas> canvas_;

 private slots:
  void init() {
    canvas_ = std::make_unique<GraphCanvas>(small_.catalog(), QString());
    canvas_->resize(1100, 640);
    canvas_->show();
    (void)QTest::qWaitForWindowActive(canvas_.get());
    canvas_->setFocus();
    canvas_->setDocument(test::mixtureOfExperts());
    canvas_->setLinkRule([](const LinkWish&) { return QString(); });
  }
  void cleanup() { canvas_.reset(); }

  void escapePutsDraggedNodesBack() {
    const QHash<QString, QPointF> before = canvas_->nodePositions();
    QSignalSpy moved(canvas_.get(), &GraphCanvas::nodeMoved);
    const QPoint at = middleOf("combine");
    press(at);
    move(at + QPoint(40, 90));
    QVERIFY(canvas_->nodePositions() != before);
    QTest::keyClick(canvas_.get(), Qt::Key_Escape);
    QCOMPARE(canvas_->nodePositions(), before);
    QCOMPARE(canvas_->selectedNode(), QStringLiteral("combine"));  // Esc ended the drag, nothing else
    move(at + QPoint(80, 90));
    release(at + QPoint(80, 90));
    QCOMPARE(canvas_->nodePositions(), before);
    QCOMPARE(moved.count(), 0);
  }

  void escapeEndsALinkABandAndAPan() {
    QSignalSpy linked(canvas_.get(), &GraphCanvas::linkRequested),
        selected(canvas_.get(), &GraphCanvas::nodeSelected);
    const QPoint port = onScreen(canvas_->portPoint(QStringLiteral("router"), QStringLiteral("out"), true));
    press(port);
    move(middleOf("combine"));
    QTest::keyClick(canvas_.get(), Qt::Key_Escape);
    release(middleOf("combine"));
    QCOMPARE(linked.count(), 0);

    press({3, 3});
    move(QPoint(canvas_->viewport()->width() - 3, canvas_->viewport()->height() - 3));
    QTest::keyClick(canvas_.get(), Qt::Key_Escape);
    release({900, 600});
    QCOMPARE(selected.count(), 0);
    QVERIFY(canvas_->selectedNodes().isEmpty());

    press({300, 300}, Qt::MiddleButton);
    QTest::keyClick(canvas_.get(), Qt::Key_Escape);
    QCOMPARE(canvas_->viewport()->cursor().shape(), Qt::ArrowCursor);
    const QPoint origin = onScreen({0, 0});
    move({360, 350});
    QCOMPARE(onScreen({0, 0}), origin);
  }

  void escapeKeepsTheName() {
    QSignalSpy renamed(canvas_.get(), &GraphCanvas::renameRequested);
    canvas_->selectNode(QStringLiteral("router"));
    canvas_->beginRename();
    auto* field = canvas_->findChild<QLineEdit*>(QStringLiteral("renameField"));
    QVERIFY(field);
    QTest::keyClicks(field, QStringLiteral("gate"));
    QTest::keyClick(field, Qt::Key_Escape);
    QCOMPARE(renamed.count(), 0);
    canvas_->beginRename();
    canvas_->beginRename();  // a second field takes the place of the first
    field = canvas_->findChildren<QLineEdit*>(QStringLiteral("renameField")).last();
    QTest::keyClicks(field, QStringLiteral("gate"));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(renamed.count(), 1);
    QCOMPARE(renamed[0][1].toString(), QStringLiteral("gate"));
    QTRY_VERIFY(!canvas_->findChild<QLineEdit*>(QStringLiteral("renameField")));
  }

  void anotherProgramEndsTheGesture() {
    const QPoint at = middleOf("combine");
    QSignalSpy moved(canvas_.get(), &GraphCanvas::nodeMoved);
    press(at);
    move(at + QPoint(40, 90));
    canvas_->setDocument(test::meshOf(9));
    move(at + QPoint(80, 90));
    release(at + QPoint(80, 90));
    QCOMPARE(moved.count(), 0);
    QCOMPARE(canvas_->graphScene()->picture().boxes.size(), std::size_t{9});
  }

  void aSecondButtonDoesNotDisturb() {
    const QPoint at = middleOf("combine");
    QSignalSpy moved(canvas_.get(), &GraphCanvas::nodeMoved);
    press(at);
    move(at + QPoint(20, 60));
    press(at + QPoint(20, 60), Qt::MiddleButton);
    release(at + QPoint(20, 60), Qt::MiddleButton);
    move(at + QPoint(30, 120));
    release(at + QPoint(30, 120));
    QCOMPARE(moved.count(), 1);
  }

  void whatIsDraggedInAndOutLeavesNothingBehind() {
    QMimeData data;
    data.setData(QString::fromLatin1(GraphCanvas::operator_mime), "Map");
    const QString stream = QString::fromStdString(canvas_->graphScene()->picture().model.links[2].origin);
    const QPoint at = onScreen(canvas_->streamPoint(stream));
    QSignalSpy dropped(canvas_.get(), &GraphCanvas::operatorDropped);
    QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(canvas_->viewport(), &enter);
    QDragMoveEvent over(at, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(canvas_->viewport(), &over);
    QDragLeaveEvent leave;
    QApplication::sendEvent(canvas_->viewport(), &leave);
    QCOMPARE(dropped.count(), 0);
    QTest::mouseClick(canvas_->viewport(), Qt::LeftButton, {}, middleOf("router"));
    QCOMPARE(canvas_->selectedNode(), QStringLiteral("router"));
    QDropEvent drop(at, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(canvas_->viewport(), &enter);
    QApplication::sendEvent(canvas_->viewport(), &drop);
    QCOMPARE(dropped.count(), 1);
    QCOMPARE(dropped[0][3].toString(), stream);
  }

  void layersArePaintedWhereTheySay() {
    QStringList order;
    const QRectF content = canvas_->contentRect();
    SpyLayer over(order, QStringLiteral("over"), CanvasLayer::Level::Over, true);
    SpyLayer below(order, QStringLiteral("below"), CanvasLayer::Level::Below, true);
    SpyLayer screen(order, QStringLiteral("screen"), CanvasLayer::Level::Over, false);
    for (const SpyLayer* layer : {&over, &below, &screen}) canvas_->addLayer(layer);
    canvas_->refreshLayers();
    QVERIFY(canvas_->contentRect() != content);  // room for those that are exported
    order.clear();
    (void)canvas_->grab();
    QCOMPARE(order, QStringList({"below", "over", "screen"}));
    order.clear();
    QImage page(400, 300, QImage::Format_RGB32);
    QPainter painter(&page);
    canvas_->render(&painter, QRectF(0, 0, 400, 300));
    painter.end();
    QCOMPARE(order, QStringList({"below", "over"}));
    over.hidden = below.hidden = screen.hidden = true;
    order.clear();
    (void)canvas_->grab();
    QVERIFY(order.isEmpty());
    canvas_.reset();  // before its layers
  }
};

SLUICE_WINDOW_TEST(CanvasGesturesTest)
#include "canvas_gestures_test.moc"
