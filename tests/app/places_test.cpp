// Where nodes stand while a program is edited: an edit, its undo and its redo move nothing else, until the
// user asks for a layout or opens another file; and the file knows nothing of it.

#include <QAction>
#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "app/window/edit/edit_controller.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "tests/app/canvas_mouse.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/common/document_paths.h"

namespace sluice::ui {
namespace {

constexpr int layout_time = 60000;  // ms: generous, for sanitizers and busy machines

}  // namespace

class PlacesTest : public QObject, private CanvasMouse {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("places_test"), folder_.path());
  }
  void init() {
    QSettings().clear();
    window_ = makeWindow(QSize(1500, 1000));
    QVERIFY(window_->openFile(sample("simple_moe")));
    window_->shownProgram()->wantScheduled(false);
    QTRY_VERIFY_WITH_TIMEOUT(settled(), layout_time);
    canvas()->fitAll();
  }
  void cleanup() { window_.reset(); }

  void nothingElseMovesByAnEdit_data() { openedOrNot(); }
  void nothingElseMovesByAnEdit() {
    begin();
    const Seen home = seen();
    const Document before = document();
    drop("Flatten", emptySpot());
    QCOMPARE(moved(home), QString());
    QCOMPARE(turned(home), QString());
    const QRectF dropped = rect("flatten");
    drop("Flatten", emptySpot() + QPoint(0, 30));
    QCOMPARE(moved(home), QString());
    window_->edits()->join({"", "flatten.out", "flatten2.in"});
    QCOMPARE(moved(home), QString());
    QCOMPARE(turned(home), QString());
    canvas()->selectNode(QStringLiteral("tokens"));
    command("edit.duplicate")->trigger();
    QVERIFY(document().program.find("tokens_2"));
    QCOMPARE(moved(home), QString());
    emit canvas()->renameRequested(QStringLiteral("tokens"), QStringLiteral("a_longer_name"));
    QVERIFY(document().program.find("a_longer_name"));
    QCOMPARE(moved(home), QString());
    QCOMPARE(rect("a_longer_name").topLeft(), home.boxes.value(QStringLiteral("tokens")).topLeft());
    canvas()->selectNode(QStringLiteral("a_longer_name"));
    command("edit.delete")->trigger();
    QVERIFY(!document().program.find("a_longer_name"));
    QCOMPARE(moved(home), QString());
    while (stack()->canUndo()) {
      stack()->undo();
      QCOMPARE(moved(home), QString());
    }
    QVERIFY(document() == before);
    QCOMPARE(rect("tokens"), home.boxes.value(QStringLiteral("tokens")));
    QCOMPARE(turned(home), QString());
    while (stack()->canRedo()) {
      stack()->redo();
      QCOMPARE(moved(home), QString());
    }
    QCOMPARE(rect("flatten"), dropped);
  }

  void aDraggedNodeStaysWhereItWasLeft_data() { openedOrNot(); }
  void aDraggedNodeStaysWhereItWasLeft() {
    begin();
    const Seen home = seen();
    const QPoint from = onScreen(canvas()->nodeCenter(QStringLiteral("tokens")));
    drag(from, onScreen(canvas()->contentRect().bottomRight()) + QPoint(-90, 30));
    const QRectF left = rect("tokens");
    QVERIFY(left != home.boxes.value(QStringLiteral("tokens")));
    QCOMPARE(moved(home), QStringLiteral("tokens "));
    drop("Flatten", emptySpot());
    QCOMPARE(moved(home), QStringLiteral("tokens "));
    QCOMPARE(rect("tokens"), left);
    stack()->undo();
    stack()->undo();
    QCOMPARE(moved(home), QString());
    QCOMPARE(turned(home), QString());
  }

  /// Opened at the edge of the view, a region comes into it as far as there is room.
  void anOpenedRegionIsInView() {
    for (const double edge : {0.02, 0.98}) {
      canvas()->setZoom(0.8);
      const QRect view = canvas()->viewport()->rect();
      const QPoint wanted(static_cast<int>(edge * view.width()), static_cast<int>(edge * view.height()));
      canvas()->camera().pan(wanted - onScreen(canvas()->nodeCenter(QStringLiteral("expert"))));
      canvas()->toggleRegion(QStringLiteral("expert"));
      QTRY_VERIFY_WITH_TIMEOUT(settled(), layout_time);
      const QRectF frame = canvas()->viewportTransform().mapRect(rect("expert"));
      const QRectF seen = frame & QRectF(view);
      QVERIFY(seen.width() >= std::min<double>(frame.width(), view.width()) - 25);
      QVERIFY(seen.height() >= std::min<double>(frame.height(), view.height()) - 25);
      canvas()->toggleRegion(QStringLiteral("expert"));
      QTRY_VERIFY_WITH_TIMEOUT(settled(), layout_time);
    }
  }

  void insideARegionToo() {
    canvas()->toggleRegion(QStringLiteral("expert"));
    QTRY_VERIFY_WITH_TIMEOUT(settled(), layout_time);
    canvas()->fitAll();
    const Seen home = seen();
    const QRectF frame = rect("expert");
    canvas()->selectNode(QStringLiteral("expert.gate"));
    command("edit.delete")->trigger();
    QVERIFY(!findNode(document(), "expert.gate"));
    QCOMPARE(moved(home), QString());
    stack()->undo();
    QCOMPARE(moved(home), QString());
    QCOMPARE(turned(home), QString());
    // What does not fit makes the region larger, and moves nothing in it.
    drop("Flatten", onScreen(frame.bottomLeft() + QPointF(frame.width() / 2, -8)));
    QVERIFY(findNode(document(), "expert.flatten"));
    QString others = moved(home);
    QVERIFY2(!others.contains(QStringLiteral("expert.")), qPrintable(others));
    QVERIFY(rect("expert").contains(rect("expert.flatten")));
    for (auto box = home.boxes.begin(); box != home.boxes.end(); ++box)
      if (!box.key().startsWith(QStringLiteral("expert")))
        QVERIFY2(!rect("expert").intersects(rect(qPrintable(box.key()))), qPrintable(box.key()));
    const Seen grown = seen();
    const double width = rect("expert").width();
    stack()->undo();
    QCOMPARE(moved(grown), QString());  // nor does undo
    // Closing makes room, and opening again puts everything back.
    canvas()->toggleRegion(QStringLiteral("expert"));
    QVERIFY(rect("expert").width() < width);
    canvas()->toggleRegion(QStringLiteral("expert"));
    QTRY_VERIFY_WITH_TIMEOUT(settled(), layout_time);
    QCOMPARE(moved(grown), QString());
  }

  void groupingAndDissolvingMoveNothingElse() {
    const Seen home = seen();
    canvas()->selectNodes({QStringLiteral("x_load"), QStringLiteral("tokens")});
    command("edit.group")->trigger();
    QVERIFY(document().program.find("part"));
    QCOMPARE(moved(home), QString());
    for (auto box = home.boxes.begin(); box != home.boxes.end(); ++box)
      if (document().program.find(box.key().toStdString()))
        QVERIFY2(!box.value().intersects(rect("part")), qPrintable(box.key()));
    const QRectF inside = rect("part.tokens");
    canvas()->selectNode(QStringLiteral("part"));
    command("edit.ungroup")->trigger();
    QVERIFY(document().program.find("tokens"));
    QTRY_VERIFY_WITH_TIMEOUT(settled(), layout_time);
    QCOMPARE(rect("tokens"), inside);
    stack()->undo();
    stack()->undo();
    QCOMPARE(moved(home), QString());
    QCOMPARE(turned(home), QString());
  }

  void theCommandLaysOutAnewAndUndoTakesItBack() {
    const Seen home = seen();
    window_->edits()->addKind(QStringLiteral("Flatten"));
    window_->edits()->join({"", "x_load.out", "flatten.in"});
    stack()->undo();
    QTRY_VERIFY_WITH_TIMEOUT(settled(), layout_time);
    canvas()->selectNode(QStringLiteral("tokens"));
    command("edit.delete")->trigger();
    QCOMPARE(moved(home), QString());
    const Seen edited = seen();
    const Document before = document();
    command("arrange.all")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(settled() && !canvas()->animating(), layout_time);
    QVERIFY(!moved(edited).isEmpty());
    const Seen fresh = seen();
    stack()->undo();
    QVERIFY(document() == before);
    QTRY_VERIFY_WITH_TIMEOUT(settled() && !canvas()->animating(), layout_time);
    QCOMPARE(moved(edited), QString());
    QCOMPARE(turned(edited), QString());
    stack()->redo();
    QTRY_VERIFY_WITH_TIMEOUT(settled() && !canvas()->animating(), layout_time);
    QCOMPARE(moved(fresh), QString());
  }

  void ofASelectionOnlyThatIsLaidOut() {
    drop("Flatten", emptySpot());
    const Seen edited = seen();
    canvas()->selectNode(QStringLiteral("tokens"));
    command("arrange.selection")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(settled() && !canvas()->animating(), layout_time);
    QVERIFY(QStringLiteral("tokens ").contains(moved(edited)));
    stack()->undo();
    QTRY_VERIFY_WITH_TIMEOUT(settled() && !canvas()->animating(), layout_time);
    QCOMPARE(moved(edited), QString());
  }

  void theFileKnowsNothingOfIt() {
    const Seen home = seen();
    const Document before = document();
    drop("Flatten", emptySpot());
    for (const Node& node : document().program.nodes)
      if (node.name != "flatten") QVERIFY(node.at == before.program.find(node.name)->at);
    stack()->undo();
    QVERIFY(document() == before);
    QVERIFY(!window_->documents()->isModified());
    command("arrange.all")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(settled() && !canvas()->animating(), layout_time);
    QVERIFY(!window_->documents()->isModified());
    // Nothing is left to be laid out: that is no step for undo.
    const int steps = stack()->count();
    command("arrange.all")->trigger();
    QCOMPARE(stack()->count(), steps);
    QVERIFY(!canvas()->animating());
    // Another file, or the same once more, begins with its own layout.
    canvas()->selectNode(QStringLiteral("x_load"));
    command("edit.delete")->trigger();
    QVERIFY(window_->openFile(sample("simple_moe")));
    window_->shownProgram()->wantScheduled(false);
    QTRY_VERIFY_WITH_TIMEOUT(settled(), layout_time);
    QCOMPARE(moved(home), QString());
  }

 private:
  struct Seen {
    QHash<QString, QRectF> boxes;
    QHash<QString, QPainterPath> links;
  };

  static void openedOrNot() {
    QTest::addColumn<bool>("opened");
    QTest::newRow("with the region closed") << false;
    QTest::newRow("with the region open") << true;
  }
  void begin() {
    QFETCH(bool, opened);
    if (opened) canvas()->toggleRegion(QStringLiteral("expert"));
    QTRY_VERIFY_WITH_TIMEOUT(settled(), layout_time);
    canvas()->fitAll();
  }

  const Picture& picture() const { return canvas()->graphScene()->picture(); }
  Seen seen() const {
    Seen all;
    for (std::size_t i = 0; i < picture().boxes.size(); ++i)
      all.boxes[QString::fromStdString(picture().model.boxes[i].path)] = picture().rect(i);
    for (std::size_t i = 0; i < picture().links.size(); ++i)
      all.links[QString::fromStdString(picture().model.links[i].origin)] = picture().links[i].path;
    return all;
  }
  /// Those that stand elsewhere than in `before`; also regions that have another size.
  QString moved(const Seen& before) const {
    if (!QTest::qWaitFor([&] { return settled(); }, layout_time)) return QStringLiteral("no layout");
    QStringList names;
    const Seen now = seen();
    for (auto box = before.boxes.begin(); box != before.boxes.end(); ++box) {
      const auto same = now.boxes.find(box.key());
      if (same == now.boxes.end()) continue;
      const QPointF by = same->topLeft() - box->topLeft(), grown = same->bottomRight() - box->bottomRight();
      if (by.manhattanLength() > 0.01 || grown.manhattanLength() > 0.01)
        names << box.key() + QLatin1Char(' ');
    }
    names.sort();
    return names.join(QString());
  }
  /// Lines that run otherwise.
  QString turned(const Seen& before) const {
    QString names;
    const Seen now = seen();
    for (auto link = before.links.begin(); link != before.links.end(); ++link)
      if (now.links.contains(link.key()) && now.links[link.key()] != link.value())
        names += link.key() + QLatin1Char(' ');
    return names;
  }
  QRectF rect(const char* path) const {
    const std::size_t box = picture().model.findBox(path);
    return box == nowhere ? QRectF() : picture().rect(box);
  }

  GraphCanvas* canvas() const override { return window_->workspace()->canvas(); }
  const Document& document() const { return window_->documents()->document(); }
  QUndoStack* stack() const { return window_->documents()->undoStack(); }
  QAction* command(const char* id) const { return window_->commands()->action(QString::fromLatin1(id)); }
  bool settled() const { return window_->session()->idle() && !canvas()->layoutPending(); }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::PlacesTest)
#include "places_test.moc"
