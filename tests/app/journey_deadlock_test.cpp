// From a program that deadlocks to the figure of one that ends: the deadlock is reported, its repair is
// taken, the run ends and is exported, with mouse and keyboard and with the keyboard alone.

#include <QListWidget>
#include <QPushButton>

#include "app/window/deadlock/deadlock_screen.h"
#include "tests/app/journey.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/deadlock/deadlock_panel.h"

namespace sluice::ui {

class JourneyDeadlockTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    journey_.begin();
    QVERIFY(QFile::copy(sample("deadlock_fork_join"),
                        journey_.file(QStringLiteral("deadlock_fork_join.sluice"))) ||
            QFile::exists(journey_.file(QStringLiteral("deadlock_fork_join.sluice"))));
  }
  void cleanup() { journey_.end(); }

  void withMouseAndKeyboard() {
    Hands user(journey_.window());
    user.whenAsked([&] {
      user.type(QStringLiteral("deadlock_fork_join.sluice"));
      user.click(QDialogButtonBox::Open);
    });
    user.tool(journey_.command("file.open"));
    const Document start = journey_.document();
    waitForRepair();
    user.click(visible<QPushButton>(QStringLiteral("applyRepair")));
    expectEnd();
    const QString figure = QStringLiteral("by_mouse.pdf");
    user.whenAsked([&] {
      auto* views = visible<QListWidget>(QStringLiteral("exportSubject"));
      const QListWidgetItem* item = canvasItem();
      const QRect canvas = views->visualItemRect(item);
      if (item->checkState() != Qt::Checked)  // it is where it is in front
        user.click(views->viewport(), QPoint(canvas.left() + 10, canvas.center().y()));
      user.whenAsked([&] {
        user.type(figure);
        user.click(QDialogButtonBox::Save);
      });
      user.clickDefault();
    });
    user.tool(journey_.command("file.export"));
    journey_.expectFigure(journey_.file(figure));
    journey_.expectFew(user);
    journey_.expectWayBack(start, user, [&] { user.tool(journey_.command("edit.undo")); });
    waitForRepair();
  }

  void withTheKeyboardAlone() {
    Keyboard user(journey_.window());
    user.whenAsked([&] {
      user.type(QStringLiteral("deadlock_fork_join.sluice"));
      user.press("Return");
    });
    user.press("Ctrl+O");
    const Document start = journey_.document();
    waitForRepair();
    user.press("F9");  // whom the first waits for
    QVERIFY(!journey_.canvas()->selectedNode().isEmpty());
    user.press("Ctrl+R");
    expectEnd();
    const QString figure = QStringLiteral("by_keyboard.pdf");
    user.whenAsked([&] {
      user.type(QStringLiteral("Canvas"));  // to its row
      if (canvasItem()->checkState() != Qt::Checked) user.press("Space");
      user.whenAsked([&] {
        user.type(figure);
        user.press("Return");
      });
      user.press("Return");
    });
    user.press("Ctrl+Shift+E");
    journey_.expectFigure(journey_.file(figure));
    journey_.expectFew(user);
    journey_.expectWayBack(start, user, [&] { user.press("Ctrl+Z"); });
    waitForRepair();
  }

 private:
  static const QListWidgetItem* canvasItem() {
    auto* views = visible<QListWidget>(QStringLiteral("exportSubject"));
    return views->findItems(QStringLiteral("Canvas"), Qt::MatchExactly)[0];
  }
  DeadlockPanel* panel() const { return journey_.window()->deadlock()->panel(); }
  void waitForRepair() const {
    journey_.settle();
    QTRY_VERIFY_WITH_TIMEOUT(journey_.command("deadlock.apply")->isEnabled(), Journey::engine_time);
    QVERIFY(panel()->isVisible());
    QCOMPARE(panel()->explanation().verdict, QStringLiteral("artificial"));
  }
  void expectEnd() const {
    QVERIFY(journey_.documents()->undoStack()->canUndo());
    journey_.settle();
    QVERIFY(!journey_.window()->deadlock()->isDeadlocked());
    QVERIFY(panel()->explanation().groups.isEmpty());
  }

  Journey journey_{"journey_deadlock_test"};
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::JourneyDeadlockTest)
#include "journey_deadlock_test.moc"
