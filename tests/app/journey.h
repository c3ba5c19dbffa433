#pragma once
// A user of the window, for tests of whole journeys: hands on the keyboard, or on the keyboard and the mouse,
// that do with visible widgets what a person does, and count it. A count is one key or shortcut, one text
// typed into a field, one click or one drag.

#include <QAbstractItemView>
#include <QApplication>
#include <QDialogButtonBox>
#include <QKeySequence>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>
#include <QStandardPaths>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QThreadPool>
#include <QTimer>
#include <QToolBar>
#include <functional>
#include <memory>
#include <stdexcept>

#include "app/window/document/document_controller.h"
#include "app/window/run/session_controller.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "tests/app/main_windows.h"
#include "tests/app/paper.h"
#include "tests/app/private_settings.h"
#include "widgets/canvas/graph_canvas.h"

namespace sluice::ui {

/// The visible one of that type and name; it is a mistake of the test, or of the window, if there is none.
template <class T>
T* visible(const QString& name) {
  for (QWidget* window : QApplication::topLevelWidgets())
    for (T* each : window->findChildren<T*>(name))
      if (each->isVisible()) return each;
  throw std::runtime_error("the user sees no " + name.toStdString());
}

class Keyboard {
 public:
  explicit Keyboard(QWidget* window) : window_(window) {}

  int actions() const { return actions_; }

  /// "Ctrl+N", "Return".
  void press(const char* keys, int times = 1) {
    const QKeyCombination key = QKeySequence(QLatin1String(keys))[0];
    for (int i = 0; i < times; ++i) {
      ++actions_;
      QTest::keyClick(receiver(), key.key(), key.keyboardModifiers());
    }
  }
  /// Where the keyboard is.
  void type(const QString& text) {
    ++actions_;
    QTest::keyClicks(receiver(), text);
  }
  /// With Tab, as often as it takes, to the widget of that name.
  void tabTo(const QString& name) {
    for (int i = 0; receiver()->objectName() != name; ++i) {
      if (i == 20) throw std::runtime_error("Tab does not lead to " + name.toStdString());
      press("Tab");
    }
  }
  /// A command by its name, through the command palette.
  void command(const QString& name) {
    press("Ctrl+K");
    type(name);
    press("Return");
    QCoreApplication::processEvents();  // the palette goes first
  }
  /// What to do in the dialog that comes next, where one waits in a loop of its own.
  void whenAsked(const std::function<void()>& act) {
    ++asked_;
    auto* look = new QTimer(window_);
    look->start(20);
    QObject::connect(look, &QTimer::timeout, window_,
                     [this, look, act, before = QPointer<QWidget>(QApplication::activeModalWidget())] {
                       const QWidget* now = QApplication::activeModalWidget();
                       if (!now || now == before || !now->isVisible()) return;
                       look->stop();
                       look->deleteLater();
                       --asked_;
                       act();
                     });
  }
  /// Every dialog that was expected came.
  bool wasAsked() const { return asked_ == 0; }

  /// The widget that has the keyboard: of the dialog in front, else of the window.
  QWidget* receiver() const {
    if (QWidget* popup = QApplication::activePopupWidget()) return popup;
    QWidget* front = QApplication::activeModalWidget();
    if (!front) front = QApplication::activeWindow();
    if (!front) front = window_;
    front->activateWindow();  // a dialog that closes leaves that to the window manager
    if (!QTest::qWaitForWindowActive(front)) throw std::runtime_error("the window is not active");
    return front->focusWidget() ? front->focusWidget() : front;
  }

 protected:
  QWidget* window() const { return window_; }
  void count() { ++actions_; }

 private:
  QWidget* window_;
  int actions_ = 0, asked_ = 0;
};

/// With a mouse, too.
class Hands : public Keyboard {
 public:
  using Keyboard::Keyboard;

  void click(QWidget* widget) { click(widget, widget->rect().center()); }
  void click(QWidget* widget, const QPoint& at) {
    count();
    QTest::mouseClick(reached(widget, at), Qt::LeftButton, {}, at);
  }
  void doubleClick(QWidget* widget, const QPoint& at) {
    count();
    QTest::mouseDClick(reached(widget, at), Qt::LeftButton, {}, at);
  }
  void drag(QWidget* widget, const QPoint& from, const QPoint& to) {
    count();
    reached(widget, to);
    QTest::mousePress(reached(widget, from), Qt::LeftButton, {}, from);
    for (const QPoint& at : {(from + to) / 2, to}) {
      QMouseEvent event(QEvent::MouseMove, at, widget->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, {});
      QApplication::sendEvent(widget, &event);
    }
    QTest::mouseRelease(widget, Qt::LeftButton, {}, to);
  }
  void click(QDialogButtonBox::StandardButton which) {
    click(QApplication::activeModalWidget()->findChild<QDialogButtonBox*>()->button(which));
  }
  /// What Return would press.
  void clickDefault() {
    for (QPushButton* each : QApplication::activeModalWidget()->findChildren<QPushButton*>())
      if (each->isDefault()) return click(each);
    throw std::runtime_error("the dialog has no default button");
  }
  void clickTab(const QString& title) {
    for (QTabBar* bar : window()->findChildren<QTabBar*>())
      for (int tab = 0; tab < bar->count(); ++tab)
        if (bar->isVisible() && bar->tabText(tab) == title) return click(bar, bar->tabRect(tab).center());
    throw std::runtime_error("the user sees no tab " + title.toStdString());
  }
  /// A button of the tool bar.
  void tool(const QAction* command) {
    for (const QToolBar* bar : window()->findChildren<QToolBar*>())
      if (QWidget* button = bar->widgetForAction(const_cast<QAction*>(command))) return click(button);
    throw std::runtime_error("no tool bar has " + command->objectName().toStdString());
  }
  /// An entry of a menu: two clicks.
  void choose(QMenuBar* bar, QMenu* menu, QAction* entry) {
    click(bar, bar->actionGeometry(menu->menuAction()).center());
    if (!QTest::qWaitForWindowExposed(menu)) throw std::runtime_error("the menu does not open");
    click(menu, menu->actionGeometry(entry).center());
  }

 private:
  /// What a mouse there would meet.
  static QWidget* reached(QWidget* widget, const QPoint& at) {
    QCoreApplication::processEvents();  // what was opened is laid out
    const QWidget* met = widget->window()->childAt(widget->mapTo(widget->window(), at));
    const bool is_it = met ? widget == met || widget->isAncestorOf(met) : widget->isWindow();
    if (!widget->isVisible() || !widget->isEnabled() || !is_it)
      throw std::runtime_error("the mouse does not reach " + widget->objectName().toStdString() + " (" +
                               widget->metaObject()->className() + "), " +
                               (met ? met->metaObject()->className() : "nothing") + " is there");
    return widget;
  }
};

/// The window of a journey; what is looked at in it, and what holds at the end.
class Journey {
 public:
  static constexpr int engine_time = 60000;  // ms: generous, for sanitizers and busy machines
  static constexpr int most_actions = 40;

  explicit Journey(const char* name) : name_(QString::fromLatin1(name)) {}

  /// Qt's sink fail the test; what a screen that is none cannot do is no complaint.
  void begin() {
    QVERIFY(folder_.isValid());
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
    QStandardPaths::setTestModeEnabled(true);
    usePrivateSettings(name_, folder_.path());
    QSettings().clear();
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    QVERIFY(QDir::setCurrent(folder_.path()));
    window_ = makeWindow({1600, 1000});
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
  }
  void end() { window_.reset(); }

  MainWindow* window() const { return window_.get(); }
  GraphCanvas* canvas() const { return window_->workspace()->canvas(); }
  QAction* command(const char* id) const { return window_->commands()->action(QLatin1String(id)); }
  DocumentController* documents() const { return window_->documents(); }
  const Document& document() const { return documents()->document(); }
  QString file(const QString& name) const { return folder_.filePath(name); }

  bool settled() const { return window_->session()->idle() && !canvas()->layoutPending(); }
  void settle() const { QTRY_VERIFY_WITH_TIMEOUT(settled(), 4 * engine_time); }

  /// A page with vectors and words.
  static void expectFigure(const QString& pdf) {
    QVERIFY(bytesOf(pdf).startsWith("%PDF-"));
    if (!popplerIsHere()) return;
    const std::optional<Paper> paper = readPaper(pdf);
    QVERIFY(paper);
    QVERIFY(paper->words.size() > 5);
    QCOMPARE(paper->images, 0);
    QCOMPARE(paper->loose, 0);
  }

  static void expectFew(const Keyboard& user) {
    qInfo("%d actions", user.actions());
    QVERIFY(user.actions() <= most_actions);
  }

  /// By `undo`, back to how the document was opened; then nothing runs, and nothing but the window is there.
  void expectWayBack(const Document& start, const Keyboard& user, const std::function<void()>& undo) const {
    QVERIFY(documents()->undoStack()->canUndo());
    for (int steps = documents()->undoStack()->index(); steps > 0; --steps) undo();
    QVERIFY(document() == start);
    QVERIFY(!documents()->undoStack()->canUndo());
    settle();
    QTRY_COMPARE(QThreadPool::globalInstance()->activeThreadCount(), 0);
    QVERIFY(user.wasAsked());
    for (const QWidget* each : QApplication::topLevelWidgets())
      QVERIFY2(each == window_.get() || !each->isVisible(), each->metaObject()->className());
  }

 private:
  const QString name_;
  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui
