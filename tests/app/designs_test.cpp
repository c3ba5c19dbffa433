// Finding designs from the window: asked for in the dialog, seen in the view, taken, undone, stopped.

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

#include "app/window/designs/designs_controller.h"
#include "app/window/designs/designs_panel.h"
#include "app/window/designs/find_designs_dialog.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "engine/schedule/transformation.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/plots/pareto_chart.h"

namespace sluice::ui {
class DesignsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("designs_test"), folder_.path());
  }
  void init() {
    QSettings().clear();
    window_ = makeWindow();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    QVERIFY(window_->openFile(sample("simple_moe")));
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
  }
  void cleanup() { window_.reset(); }

  void aDesignIsFoundTakenAndUndone() {
    find(20);
    QTRY_VERIFY_WITH_TIMEOUT(!designs()->running(), engine_time);
    const auto& result = designs()->result();
    QVERIFY(result && !result->cancelled && result->simulated > 1 && result->simulated <= 20);
    QVERIFY2(status().startsWith(QStringLiteral("Found designs: ")), qPrintable(status()));
    QVERIFY(panel()->isVisible());
    QCOMPARE(panel()->designs().size(), result->designs.size());
    QCOMPARE(static_cast<std::size_t>(panel()->table()->rowCount()), result->frontier.size());
    QVERIFY(!result->frontier.empty());
    const int row = rowWithSteps();
    QVERIFY(row >= 0);
    const Design& design = result->designs[result->frontier[static_cast<std::size_t>(row)]];
    panel()->table()->setFocus();
    panel()->table()->setCurrentCell(row, 0);
    QCOMPARE(panel()->selected(), static_cast<int>(result->frontier[static_cast<std::size_t>(row)]));
    QCOMPARE(panel()->table()->item(row, 4)->text().toUInt(), static_cast<uint>(design.schedule.size()));

    // Where it comes from: the program, then a row a step; the last tells the design's own numbers.
    const std::vector<ScheduleStep> old = schedule();
    QTreeWidget* lineage = panel()->lineage();
    QCOMPARE(static_cast<std::size_t>(lineage->topLevelItemCount()), 1 + design.schedule.size() - old.size());
    const QTreeWidgetItem* last = lineage->topLevelItem(lineage->topLevelItemCount() - 1);
    QVERIFY2(last->text(1).startsWith(panel()->table()->item(row, 0)->text()), qPrintable(last->text(1)));

    const int edits = window_->documents()->undoStack()->index();
    QTest::mouseClick(panel()->takeButton(), Qt::LeftButton);
    QCOMPARE(schedule(), design.schedule);
    QCOMPARE(window_->documents()->undoStack()->index(), edits + 1);
    QVERIFY(!panel()->isOutdated());
    window_->commands()->action(QStringLiteral("edit.undo"))->trigger();
    QCOMPARE(schedule(), old);
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);

    QTest::keyClick(panel()->table(), Qt::Key_Return);  // the same with the keyboard
    QCOMPARE(schedule(), design.schedule);
  }

  /// The chart and the table are one selection, also for keys.
  void whatIsSelectedIsSelectedInBoth() {
    find(12);
    QTRY_VERIFY_WITH_TIMEOUT(!designs()->running(), engine_time);
    panel()->select(-1);
    QVERIFY(!panel()->takeButton()->isEnabled());
    QVERIFY(panel()->table()->currentRow() < 0);
    QTest::keyClick(panel()->chart(), Qt::Key_Right);
    QCOMPARE(panel()->table()->currentRow(), 0);
    QVERIFY(panel()->takeButton()->isEnabled());
    QTest::keyClick(panel()->table(), Qt::Key_Down);
    const int at = std::min(1, panel()->table()->rowCount() - 1);
    QCOMPARE(panel()->selected(), static_cast<int>(panel()->frontier()[static_cast<std::size_t>(at)]));
  }

  void whatIsStoppedKeepsWhatWasFound() {
    find(100000);
    QTRY_VERIFY_WITH_TIMEOUT(panel()->designs().size() > 3, engine_time);
    QVERIFY2(status().startsWith(QStringLiteral("Finding designs: ")), qPrintable(status()));
    window_->commands()->action(QStringLiteral("run.cancel"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!designs()->running(), engine_time);
    QVERIFY(designs()->result()->cancelled);
    QVERIFY(panel()->designs().size() > 3);
    QVERIFY2(status().startsWith(QStringLiteral("Stopped the search")), qPrintable(status()));
  }

  /// Steps for a program that is edited meanwhile may name what is gone.
  void designsOfAnOlderProgramAreNotTaken() {
    find(5);
    QTRY_VERIFY_WITH_TIMEOUT(!designs()->running(), engine_time);
    const std::vector<ScheduleStep> old = schedule();
    window_->documents()->edit(QStringLiteral("edit"),
                               [](Document& document) { document.program.nodes.pop_back(); });
    QVERIFY(panel()->isOutdated() && !panel()->takeButton()->isEnabled());
    QTest::keyClick(panel()->table(), Qt::Key_Return);
    QCOMPARE(schedule(), old);
    window_->documents()->undoStack()->undo();
    QVERIFY(!panel()->isOutdated());
    QVERIFY(window_->openFile(sample("softmax_depths")));
    QVERIFY(panel()->designs().empty());
  }

  void theDialogSaysWhatIsAskedFor() {
    FindDesignsDialog* dialog = opened();
    DesignRequest request = dialog->request();
    QCOMPARE(request.objectives, defaultObjectives());
    QCOMPARE(request.budget, DesignRequest{}.budget);
    QVERIFY(request.allowed.empty() && request.locked.empty() && std::isinf(request.seconds));
    auto* allowed = dialog->findChild<QListWidget*>(QStringLiteral("designsAllowed"));
    auto* start = dialog->findChild<QPushButton*>(QStringLiteral("designsStart"));
    QVERIFY(start->isEnabled());
    allowed->setCurrentRow(0);
    QTest::keyClick(allowed, Qt::Key_Space);
    QVERIFY(!dialog->request().allowed.empty());
    QVERIFY(!dialog->request().allowed.contains(allowed->item(0)->text().toStdString()));
    for (int row = 0; row < allowed->count(); ++row) allowed->item(row)->setCheckState(Qt::Unchecked);
    QVERIFY(!start->isEnabled());
    allowed->item(allowed->count() - 1)->setCheckState(Qt::Checked);  // the rewrites, as one
    QVERIFY(start->isEnabled() && dialog->request().allowed.size() > 1);
    auto* locked = dialog->findChild<QListWidget*>(QStringLiteral("designsLocked"));
    locked->item(0)->setCheckState(Qt::Checked);
    dialog->findChild<QSpinBox*>(QStringLiteral("designsMinutes"))->setValue(2);
    request = dialog->request();
    QCOMPARE(request.locked, std::set<std::string>{locked->item(0)->text().toStdString()});
    QCOMPARE(request.seconds, 120.0);
    auto* second = dialog->findChild<QComboBox*>(QStringLiteral("designsObjective2"));
    second->setCurrentIndex(second->findData(QStringLiteral("cycles")));
    QVERIFY(!start->isEnabled());  // twice the same
    dialog->reject();
  }

 private:
  FindDesignsDialog* opened() {
    window_->commands()->action(QStringLiteral("run.designs"))->trigger();
    for (auto* dialog : window_->findChildren<FindDesignsDialog*>())
      if (dialog->isVisible()) return dialog;
    throw std::runtime_error("the dialog did not open");
  }
  void find(int budget) {
    FindDesignsDialog* dialog = opened();
    auto* field = dialog->findChild<QSpinBox*>(QStringLiteral("designsBudget"));
    field->selectAll();
    QTest::keyClicks(field, QString::number(budget));
    QCOMPARE(field->value(), budget);
    QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("designsStart")), Qt::LeftButton);
    QVERIFY(designs()->running());
  }
  /// A design that is not the program as it is.
  int rowWithSteps() {
    const std::vector<std::size_t>& frontier = panel()->frontier();
    for (std::size_t row = 0; row < frontier.size(); ++row)
      if (frontier[row] > 0) return static_cast<int>(row);
    return -1;
  }
  DesignsController* designs() { return window_->designs(); }
  DesignsPanel* panel() { return designs()->panel(); }
  const std::vector<ScheduleStep>& schedule() { return window_->documents()->document().schedule; }
  QString status() const { return window_->findChild<QLabel*>(QStringLiteral("statusMessage"))->text(); }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::DesignsTest)
#include "designs_test.moc"
