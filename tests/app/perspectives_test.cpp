// Perspectives: every view of each is of use at common sizes of screens, switching changes only where views
// stand, views move and come back, what needs attention comes forward, and another document starts afresh.

#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QStandardPaths>
#include <QTabBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "app/window/document/crash_recovery.h"
#include "app/window/document/document_edits.h"
#include "app/window/explore/explorer_pane.h"
#include "app/window/run/compare_controller.h"
#include "app/window/run/time_controller.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/docks.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/perspectives.h"
#include "app/window/shell/view_spec.h"
#include "app/window/shell/workspace.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/elided_label.h"
#include "widgets/diagnostics/diagnostics_list.h"
#include "widgets/points/point_selection.h"
#include "widgets/timeline/time_cursor.h"
#include "widgets/timeline/timeline_panel.h"

namespace sluice::ui {
class PerspectivesTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("perspectives_test"), folder_.path());
  }
  void init() {
    QSettings().clear();
    window_ = makeWindow();
    open("simple_moe");
  }
  void cleanup() { window_.reset(); }

  void everyViewOfAPerspectiveIsOfUse_data() {
    QTest::addColumn<QSize>("size");
    QTest::newRow("1366 x 768") << QSize(1366, 768);
    QTest::newRow("1920 x 1200") << QSize(1920, 1200);
    QTest::newRow("2560 x 1600 at 200 %") << QSize(1280, 800);
  }
  void everyViewOfAPerspectiveIsOfUse() {
    QFETCH(QSize, size);
    window_->resize(size);
    for (const Perspective& each : perspectives()) {
      trigger(each.id);
      trigger("view.resetPanels");
      QTest::qWait(20);
      QCOMPARE(window_->size(), size);  // nothing has made it larger
      QList<QRect> taken = {window_->workspace()->geometry()};
      const QSize canvas = this->canvas()->size();
      QVERIFY2(canvas.width() >= 280 && canvas.height() >= 140, told(each, "canvas", canvas));
      for (const DockPlace& place : each.places) {
        const QDockWidget* dock = this->dock(place.views.front());
        QVERIFY2(dock && isInFront(*dock), told(each, place.views.front(), {}));
        const QSize room = dock->widget()->size();
        QVERIFY2(room.width() >= 240 && room.height() >= 110, told(each, place.views.front(), room));
        QVERIFY2(window_->rect().contains(dock->geometry()), told(each, place.views.front(), room));
        for (const QRect& other : taken)
          QVERIFY2(!other.intersects(dock->geometry()), told(each, place.views.front(), room));
        taken << dock->geometry();
      }
      for (const QTabBar* tabs : window_->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (!tabs->isVisible()) continue;
        const QRect last = tabs->tabRect(tabs->count() - 1);
        QVERIFY2(tabs->tabRect(0).left() >= 0 && last.right() <= tabs->width(),
                 told(each, qPrintable(tabs->tabText(0)), tabs->size()));
      }
      QVERIFY(window_->grab().save(
          QStringLiteral(SLUICE_BINARY_DIR "/%1_%2.png").arg(QLatin1String(each.id)).arg(size.width())));
    }
  }

  void timelinesHaveRoom() {
    window_->resize(1366, 768);
    trigger("perspective.time");
    const TimelineView* view = window_->time()->panel()->view();
    QTRY_VERIFY_WITH_TIMEOUT(view->run(), engine_time);
    QVERIFY2(view->height() >= 300, qPrintable(QString::number(view->height())));
    trigger("perspective.compare");
    window_->comparison()->panel()->tabs()->setCurrentIndex(4);
    for (int run : {0, 1}) {
      const TimelineView* one = window_->comparison()->panel()->timeline(run);
      QTRY_VERIFY(one->viewport()->height() >=
                  TimelineView::ruler_height + 12 * TimelineView::process_height);
    }
  }

  void switchingChangesOnlyWhereViewsStand() {
    canvas()->setZoom(1.7);
    canvas()->selectNode(QStringLiteral("scatter"));
    trigger("perspective.time");
    QTRY_VERIFY_WITH_TIMEOUT(window_->time()->panel()->view()->run(), engine_time);
    window_->time()->cursor()->setCycle(77);
    dock("occupancy")->close();
    for (const Perspective& each : perspectives()) trigger(each.id);
    trigger("perspective.time");
    QTRY_VERIFY_WITH_TIMEOUT(window_->time()->panel()->view()->run(), engine_time);
    QCOMPARE(canvas()->zoom(), 1.7);
    QCOMPARE(canvas()->selectedNode(), QStringLiteral("scatter"));
    QCOMPARE(window_->time()->cursor()->cycle().value_or(-1), qint64{77});
    QVERIFY(dock("occupancy")->isHidden());  // as it was left
    trigger("view.resetPanels");
    QVERIFY(!dock("occupancy")->isHidden());
  }

  void viewsFloatCloseAndComeBack() {
    for (const char* id : {"pareto", "diagnostics", "timeline", "inspector"}) {
      QDockWidget* each = dock(id);
      QVERIFY(each->features().testFlag(QDockWidget::DockWidgetFloatable));
      QVERIFY(each->features().testFlag(QDockWidget::DockWidgetMovable));
      each->show();
      each->setFloating(true);
      QVERIFY(each->isWindow() && each->isVisible());
      each->close();
      QVERIFY(each->isHidden());
      each->toggleViewAction()->trigger();
      QVERIFY(each->isVisible());
      trigger("view.resetPanels");
      QVERIFY(!each->isFloating());
    }
    // A view behind a tab comes forward, one in front goes.
    QAction* points = window_->commands()->action(QStringLiteral("panel.points"));
    QVERIFY(!isInFront(*dock("points")));
    points->trigger();
    QVERIFY(isInFront(*dock("points")) && points->isChecked());
    points->trigger();
    QVERIFY(dock("points")->isHidden() && !points->isChecked());
  }

  void whatNeedsAttentionComesForward() {
    dock("deadlock")->raise();
    emit canvas()->nodeSelected(QStringLiteral("scatter"));
    QTRY_VERIFY(isInFront(*dock("inspector")));
    QVERIFY(!isInFront(*dock("diagnostics")));
    window_->documents()->edit(QStringLiteral("break it"),
                               [](Document& document) { setParameter(document, "sum", "rank", Value(7)); });
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle() && isInFront(*dock("diagnostics")), engine_time);
    const auto* message = window_->findChild<ElidedLabel*>(QStringLiteral("statusMessage"));
    const Diagnostics& all = window_->workspace()->diagnostics()->diagnostics();
    QVERIFY(!all.empty() && message->text().contains(QString::fromStdString(all.front().cause.substr(1))));
    QVERIFY(window_->findChild<QToolButton*>(QStringLiteral("diagnosticCounts"))->property("alarm").toBool());
  }

  void anotherDocumentStartsAfresh() {
    trigger("perspective.time");
    QTRY_VERIFY_WITH_TIMEOUT(window_->time()->panel()->view()->run(), engine_time);
    window_->time()->cursor()->setCycle(50);
    window_->time()->panel()->filter()->setText(QStringLiteral("scatter"));
    window_->comparison()->pin(0);
    QTRY_VERIFY_WITH_TIMEOUT(window_->comparison()->idle(), engine_time);
    PointSelection* points = window_->workspace()->explorer()->selection();
    points->showOnly(PointState::Done);
    open("simple_moe");  // the same is only read again
    QVERIFY(window_->comparison()->run(0).point && points->filters().size() == 1);
    open("swiglu");
    QVERIFY(!window_->comparison()->run(0).point);
    QVERIFY(points->filters().empty() && !points->undoStack()->canUndo());
    QVERIFY(!window_->time()->cursor()->cycle());
    QVERIFY(window_->time()->panel()->filter()->text().isEmpty());
  }

  /// A window that has no time to close comes back as it stood.
  void theArrangementOutlivesACrash() {
    trigger("perspective.deadlock");
    dock("knob")->close();
    window_->resize(1100, 700);
    QTest::qWait(1500);
    window_.reset();
    window_ = makeWindow();
    window_->keeping()->restoreSession();
    QVERIFY(window_->documents()->hasDocument());
    QVERIFY(window_->commands()->action(QStringLiteral("perspective.deadlock"))->isChecked());
    QVERIFY(dock("knob")->isHidden() && !dock("deadlock")->isHidden() && dock("pareto")->isHidden());
    QCOMPARE(window_->height(), 700);  // the screen of a test is narrow
  }

 private:
  void open(const char* name) {
    QVERIFY(window_->openFile(sample(name)));
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle() && !canvas()->layoutPending(), engine_time);
  }
  GraphCanvas* canvas() const { return window_->workspace()->canvas(); }
  void trigger(const char* id) { window_->commands()->action(QString::fromLatin1(id))->trigger(); }
  QDockWidget* dock(const char* id) const {
    return window_->findChild<QDockWidget*>(QString::fromLatin1(id) + QStringLiteral("Dock"));
  }
  const char* told(const Perspective& perspective, const char* view, const QSize& size) {
    told_ = QStringLiteral("%1 in %2: %3 x %4")
                .arg(QLatin1String(view), QLatin1String(perspective.title))
                .arg(size.width())
                .arg(size.height())
                .toUtf8();
    return told_.constData();
  }

  QByteArray told_;
  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::PerspectivesTest)
#include "perspectives_test.moc"
