// The deadlock screen under a user's hands: the circles over the canvas, the chain beside it, the moment a
// circle closed, the repair with its price - taken with one key, given back with one undo - and the exports.

#include <QAction>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QFile>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

#include "app/window/commands.h"
#include "app/window/deadlock_screen.h"
#include "app/window/deadlock_story_of.h"
#include "app/window/main_window.h"
#include "app/window/workspace.h"
#include "tests/app/private_settings.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/deadlock/deadlock_panel.h"
#include "widgets/deadlock/repair_box.h"

namespace sluice::ui {
namespace {

constexpr int engineTime = 120000;  // ms: generous, for sanitizers and busy machines

}  // namespace

class DeadlockScreenTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("deadlock_screen_test"), folder_.path());
  }
  void init() {
    QSettings().clear();
    window_ = std::make_unique<MainWindow>();
    window_->resize(1600, 1000);
    window_->show();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
  }
  void cleanup() { window_.reset(); }

  void aRunThatEndsShowsNothing() {
    open("long_stall");
    QVERIFY(screen()->layer().circles().isEmpty());
    QVERIFY(panel()->findChild<QLabel*>(QStringLiteral("deadlockNothing"))->isVisibleTo(panel()));
    QVERIFY(!command("deadlock.nextCircle")->isEnabled());
    QVERIFY(!command("deadlock.apply")->isEnabled());
  }

  void theScreenExplainsAForkAndJoin() {
    open("shallow_branch");
    QVERIFY(screen()->dock()->isVisible());
    const DeadlockStory& story = panel()->story();
    QCOMPARE(story.verdict, QStringLiteral("artificial"));
    QCOMPARE(screen()->layer().circles().size(), 1);
    QCOMPARE(tree()->topLevelItemCount(), 2);  // the circle; who waits behind it
    QCOMPARE(chain()->count(), 4);
    // Operators that elaboration put in are called what the user calls them.
    for (const WaitStep& step : story.groups[0].steps) QVERIFY2(!step.sentence.contains("broadcast"), qPrintable(step.sentence));
    QVERIFY(chain()->item(1)->text().contains(QStringLiteral("is full (depth 3)")));
    QVERIFY(chain()->item(3)->text().contains(QStringLiteral("the circle closes")));
    grab("shallow_branch");
    command("view.themeDark")->trigger();
    grab("shallow_branch_dark");
  }

 private:
  void open(const char* name) {
    QVERIFY(window_->openFile(
        QStringLiteral(SLUICE_SOURCE_DIR "/sample_workloads/deadlocks/%1.sluice").arg(QString::fromLatin1(name))));
    settle();
  }
  void settle() {
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle() && !screen()->searching() && !canvas()->layoutPending(),
                             engineTime);
  }
  void grab(const char* name) {
    QTest::qWait(50);
    QVERIFY(window_->grab().save(QStringLiteral(SLUICE_BINARY_DIR "/deadlock_screen_%1.png").arg(QString::fromLatin1(name))));
  }
  DeadlockScreen* screen() const { return window_->deadlock(); }
  DeadlockPanel* panel() const { return screen()->panel(); }
  GraphCanvas* canvas() const { return window_->workspace()->canvas(); }
  QTreeWidget* tree() const { return panel()->findChild<QTreeWidget*>(QStringLiteral("deadlockCircles")); }
  QListWidget* chain() const { return panel()->findChild<QListWidget*>(QStringLiteral("deadlockChain")); }
  QAction* command(const char* id) const { return window_->commands()->action(QString::fromLatin1(id)); }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

QTEST_MAIN(sluice::ui::DeadlockScreenTest)
#include "deadlock_screen_test.moc"
