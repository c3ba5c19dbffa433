// What is typed goes where the user types: the command palette has the keyboard, and keys without Ctrl or Alt
// call no command while a field has it.

#include <QAbstractButton>
#include <QApplication>
#include <QGroupBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <set>

#include "app/window/run/time_controller.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "app/window/tensor/tensor_tools.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/commands/command_palette.h"
#include "widgets/timeline/time_cursor.h"
#include "widgets/timeline/timeline_panel.h"

namespace sluice::ui {
class TypingTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    usePrivateSettings(QStringLiteral("typing_test"), folder_.path());
  }
  void init() {
    QSettings().clear();
    window_ = makeWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    QVERIFY(window_->openFile(sample("simple_moe")));
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle() && !canvas()->layoutPending(), engine_time);
  }
  void cleanup() { window_.reset(); }

  /// It is part of the window, so that no window manager can leave it without the keyboard.
  void thePaletteHasTheKeyboard() {
    canvas()->setFocus();
    canvas()->selectNode(QStringLiteral("expert"));
    QTest::keyClick(window_.get(), Qt::Key_K, Qt::ControlModifier);
    QPointer<CommandPalette> palette = window_->findChild<CommandPalette*>();
    QVERIFY(palette && !palette->isWindow());
    QTRY_VERIFY(palette->field()->hasFocus());
    const double zoom = canvas()->zoom();
    QTest::keyClicks(window_->focusWidget(),
                     QStringLiteral("f+e "));  // keys of the canvas, were it to get them
    QCOMPARE(palette->field()->text(), QStringLiteral("f+e "));
    QCOMPARE(canvas()->zoom(), zoom);
    QTest::keyClick(window_->focusWidget(), Qt::Key_Escape);
    QTRY_VERIFY(palette.isNull());
    QVERIFY(canvas()->hasFocus());
    QCOMPARE(canvas()->selectedNode(), QStringLiteral("expert"));
  }

  void aClickBesideThePaletteClosesIt() {
    window_->commands()->action(QStringLiteral("view.commands"))->trigger();
    QPointer<CommandPalette> palette = window_->findChild<CommandPalette*>();
    QTRY_VERIFY(palette && palette->field()->hasFocus());
    canvas()->setFocus(Qt::MouseFocusReason);
    QTRY_VERIFY(palette.isNull());
    QVERIFY(canvas()->hasFocus());
  }

  /// The timeline steps with arrows and plays with the space bar, but not while its filter is typed.
  void aFieldKeepsTheKeysOfTheViewAroundIt() {
    window_->commands()->action(QStringLiteral("panel.timelineDock"))->trigger();
    TimelinePanel* panel = window_->time()->panel();
    QTRY_VERIFY_WITH_TIMEOUT(panel->view()->run(), engine_time);
    TimeCursor* cursor = window_->time()->cursor();
    cursor->setCycle(100);
    QLineEdit* filter = panel->filter();
    filter->setFocus();
    QTest::keyClicks(filter, QStringLiteral("a b"));
    for (const Qt::Key key : {Qt::Key_Left, Qt::Key_Right, Qt::Key_Home, Qt::Key_End})
      QTest::keyClick(filter, key);
    QCOMPARE(filter->text(), QStringLiteral("a b"));
    QCOMPARE(*cursor->cycle(), qint64{100});
    QVERIFY(!cursor->isPlaying());
    panel->view()->setFocus();
    QTest::keyClick(panel->view(), Qt::Key_Home);
    QCOMPARE(*cursor->cycle(), qint64{0});
  }

  /// Alt+V opens View; a letter there chooses in the menu, and calls no command that has it as its key.
  void lettersInAMenuChooseFromIt() {
    canvas()->setFocus();
    QTest::keyClick(window_->windowHandle(), Qt::Key_V, Qt::AltModifier);
    QTRY_VERIFY(qobject_cast<QMenu*>(QApplication::activePopupWidget()));
    for (const Qt::Key key : {Qt::Key_D, Qt::Key_P, Qt::Key_Home, Qt::Key_F})  // First Difference, Play, ...
      if (QApplication::activePopupWidget()) QTest::keyClick(window_->windowHandle(), key);
    QVERIFY(!window_->findChild<TensorTools*>());
    while (QApplication::activePopupWidget()) QApplication::activePopupWidget()->close();
    QTest::keyClick(window_->windowHandle(), Qt::Key_V, Qt::AltModifier);
    for (const Qt::Key key : {Qt::Key_H, Qt::Key_D}) QTest::keyClick(window_->windowHandle(), key);
    QTRY_COMPARE(QSettings().value(QStringLiteral("theme")).toString(), QStringLiteral("dark"));
    QVERIFY(!window_->findChild<TensorTools*>() && !QApplication::activePopupWidget());
  }

  /// Opened with the mouse, the keyboard is still in the canvas, whose F would fit the graph.
  void aMenuOpenedWithTheMouseHasTheLettersToo() {
    canvas()->setFocus();
    canvas()->zoomIn();
    const double zoom = canvas()->zoom();
    QMenuBar* bar = window_->menuBar();
    QAction* view = window_->commands()->menu(QStringLiteral("&View"))->menuAction();
    QTest::mouseClick(bar, Qt::LeftButton, {}, bar->actionGeometry(view).center());
    QTRY_VERIFY(QApplication::activePopupWidget());
    QTest::keyClick(window_->windowHandle(), Qt::Key_F);
    while (QApplication::activePopupWidget()) QApplication::activePopupWidget()->close();
    QCOMPARE(canvas()->zoom(), zoom);
  }

  /// Of two entries with one letter a key would only mark one; buttons would take the menu's.
  void everyLetterOfAMenuIsThereOnce() {
    const std::set<QString> bar = lettersOf(window_->menuBar()->actions(), QStringLiteral("the menu bar"));
    QVERIFY(bar.size() > 5);
    for (const QWidget* each : window_->findChildren<QWidget*>()) {
      if (each->window() != window_.get()) continue;
      QString text;
      if (const auto* button = qobject_cast<const QAbstractButton*>(each)) text = button->text();
      if (const auto* label = qobject_cast<const QLabel*>(each); label && label->buddy())
        text = label->text();
      if (const auto* box = qobject_cast<const QGroupBox*>(each)) text = box->title();
      const QString letter = QKeySequence::mnemonic(text).toString();
      QVERIFY2(letter.isEmpty() || !bar.contains(letter), qPrintable(text));
    }
  }

 private:
  /// With those of the menus below.
  std::set<QString> lettersOf(const QList<QAction*>& entries, const QString& of) {
    std::set<QString> letters;
    for (const QAction* each : entries) {
      if (each->menu()) lettersOf(each->menu()->actions(), each->text());
      const QString letter = QKeySequence::mnemonic(each->text()).toString();
      if (letter.isEmpty() || letters.insert(letter).second) continue;
      QTest::qFail(qPrintable(QStringLiteral("%1 is there twice in %2").arg(each->text(), of)), __FILE__,
                   __LINE__);
    }
    return letters;
  }

  GraphCanvas* canvas() const { return window_->workspace()->canvas(); }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::TypingTest)
#include "typing_test.moc"
