// A design that is taken: its steps and the knobs' values that they were found at become the program's, in
// one step for undo, and the file that is saved opens again.

#include <QAction>
#include <QComboBox>
#include <QPushButton>
#include <QSettings>
#include <QSlider>
#include <QSpinBox>
#include <QStatusBar>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

#include "app/window/designs/designs_controller.h"
#include "app/window/designs/designs_panel.h"
#include "app/window/designs/find_designs_dialog.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/common/qt_text.h"
#include "widgets/diagnostics/diagnostics_list.h"

namespace sluice::ui {
class TakenDesignsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("taken_designs_test"), folder_.path());
  }
  void init() {
    QSettings().clear();
    window_ = makeWindow();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    QVERIFY(window_->openFile(sample("simple_moe")));
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
  }
  void cleanup() { window_.reset(); }

  /// Rewrites are legal for the knobs that they were found at: the file keeps both, and opens again.
  void whatIsTakenAtOtherKnobValuesOpensAgain() {
    const QString file = folder_.filePath(QStringLiteral("taken.sluice"));
    QVERIFY(window_->openFile(sample("gpt2_block")));
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    auto* tokens = window_->findChild<QComboBox*>(QStringLiteral("value.tokens"));
    QVERIFY(tokens && tokens->currentText() != QStringLiteral("32"));
    tokens->setFocus();
    QTest::keyClicks(tokens, QStringLiteral("32"));
    QTRY_COMPARE(window_->documents()->knobs().at("tokens"), 32);
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    find(30);
    const int row = panel()->table()->rowCount() - 1;
    QVERIFY(panel()->frontier().back() > 0);  // not the program as it is
    panel()->table()->setCurrentCell(row, 0);
    const Design design = panel()->designs()[panel()->frontier()[static_cast<std::size_t>(row)]];
    // Also where the knob has been turned back since.
    window_->commands()->action(QStringLiteral("edit.resetKnobs"))->trigger();
    const Document before = window_->documents()->document();
    const KnobValues stood = window_->documents()->knobs();
    const int edits = window_->documents()->undoStack()->index();
    QTest::mouseClick(panel()->takeButton(), Qt::LeftButton);
    QVERIFY2(status().endsWith(QStringLiteral("tokens = 32")), qPrintable(status()));
    QCOMPARE(window_->documents()->undoStack()->index(), edits + 1);
    QCOMPARE(window_->documents()->knobs().at("tokens"), 32);
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    QVERIFY(window_->saveFile(file));
    QVERIFY(window_->openFile(file));
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    QCOMPARE(schedule(), design.schedule);
    QCOMPARE(window_->documents()->knobs().at("tokens"), 32);
    for (const Diagnostic& each : window_->workspace()->diagnostics()->diagnostics())
      QVERIFY2(each.severity != Severity::Error, each.cause.c_str());

    QVERIFY(window_->openFile(sample("gpt2_block")));
    QVERIFY(window_->documents()->document() == before && window_->documents()->knobs() == stood);
  }

  void takingBackGivesTheKnobsBackToo() {
    const DesignState before{window_->documents()->document(), window_->documents()->knobs()};
    QVERIFY(!before.document.knobs.empty());
    auto* slider =
        window_->findChild<QSlider*>(QStringLiteral("slider.") + qt(before.document.knobs[0].name));
    slider->setFocus();
    QTest::keyClick(slider, slider->value() == slider->maximum() ? Qt::Key_Left : Qt::Key_Right);
    const KnobValues turned = window_->documents()->knobs();
    QVERIFY(turned != before.knobs);
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    find(8);
    panel()->table()->setCurrentCell(0, 0);
    QTest::keyClick(panel()->table(), Qt::Key_Return);
    QVERIFY(defaultKnobs(window_->documents()->document()) == turned);
    QVERIFY(window_->documents()->knobs() == turned && !panel()->isOutdated());
    window_->commands()->action(QStringLiteral("edit.undo"))->trigger();
    QVERIFY(window_->documents()->document() == before.document);
    QVERIFY(window_->documents()->knobs() == turned);
  }

 private:
  void find(int budget) {
    window_->commands()->action(QStringLiteral("run.designs"))->trigger();
    auto* dialog = window_->findChild<FindDesignsDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    auto* field = dialog->findChild<QSpinBox*>(QStringLiteral("designsBudget"));
    field->selectAll();
    QTest::keyClicks(field, QString::number(budget));
    QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("designsStart")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!designs()->running(), engine_time);
  }
  DesignsController* designs() { return window_->designs(); }
  DesignsPanel* panel() { return designs()->panel(); }
  const std::vector<ScheduleStep>& schedule() { return window_->documents()->document().schedule; }
  QString status() const { return window_->statusBar()->currentMessage(); }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::TakenDesignsTest)
#include "taken_designs_test.moc"
