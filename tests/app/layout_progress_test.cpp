// The status bar while the graph is laid out: how far it is, and a button that stops it.

#include <QProgressBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "app/window/run/status_panel.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/widgets/test_program.h"

namespace sluice::ui {

class LayoutProgressTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { usePrivateSettings(QStringLiteral("layout_progress_test"), folder_.path()); }

  void isShownAndCanBeStopped() {
    const auto window = makeWindow({1200, 800});
    QTRY_VERIFY(window->session()->idle());
    auto* status = window->findChild<StatusPanel*>(QStringLiteral("statusPanel"));
    auto* bar = window->findChild<QProgressBar*>(QStringLiteral("progressBar"));
    auto* cancel = window->findChild<QToolButton*>(QStringLiteral("cancelButton"));
    QVERIFY(status && bar && cancel && !bar->isVisible());
    QSignalSpy stopped(status, &StatusPanel::layoutCancelRequested);
    QSignalSpy session_stopped(status, &StatusPanel::cancelRequested);
    status->showLayout(0.1);
    QVERIFY(!bar->isVisible());  // what takes no time does not flicker
    QTest::qWait(300);
    status->showLayout(0.4);
    QVERIFY(bar->isVisible() && cancel->isVisible());
    QCOMPARE(bar->value(), 400);
    cancel->click();
    QCOMPARE(stopped.count(), 1);
    QCOMPARE(session_stopped.count(), 0);
    status->showLayout(1);
    QVERIFY(!bar->isVisible() && !cancel->isVisible());
  }

 private:
  QTemporaryDir folder_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::LayoutProgressTest)
#include "layout_progress_test.moc"
