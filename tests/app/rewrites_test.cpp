// The page of dataflow rewrites, used as a person would: look for a place, apply a rewrite, see it in the
// program, take it back.

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

#include "app/window/document/document_controller.h"
#include "app/window/document/shown_program.h"
#include "app/window/schedule/schedule_controller.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "app/window/tensor/rewrite_controller.h"
#include "app/window/tensor/tensor_tools.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"

namespace sluice::ui {
class RewritesTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("rewrites_test"), folder_.path());
    QSettings().clear();
    window_ = makeWindow();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    QVERIFY(window_->openFile(sample("gpt2_block")));
    window_->commands()->action(QStringLiteral("tensor.rewrites"))->trigger();
    page_ = window_->tensors()->tools()->rewrites();
    QVERIFY(page_->isVisible());
    QTRY_COMPARE_WITH_TIMEOUT(page_->tree()->topLevelItemCount(), 19, engine_time);
    QTRY_VERIFY_WITH_TIMEOUT(!page_->tree()->topLevelItem(0)->text(2).isEmpty(), engine_time);
  }

  void everyPlaceIsLegalOrSaysWhyNot() {
    auto* refused = page_->findChild<QCheckBox*>(QStringLiteral("rewriteRefused"));
    refused->setChecked(true);
    int legal = 0, illegal = 0;
    for (int kind = 0; kind < page_->tree()->topLevelItemCount(); ++kind) {
      const QTreeWidgetItem* top = page_->tree()->topLevelItem(kind);
      for (int at = 0; at < top->childCount(); ++at) {
        const bool ok = top->child(at)->text(1).contains(QStringLiteral("yes"));
        (ok ? legal : illegal)++;
        QVERIFY(ok || top->child(at)->text(3).contains(QLatin1Char(':')));  // cause: fix
      }
    }
    QVERIFY(legal > 50 && illegal > 50);
    refused->setChecked(false);
    int shown = 0;
    for (int kind = 0; kind < page_->tree()->topLevelItemCount(); ++kind)
      shown += page_->tree()->topLevelItem(kind)->childCount();
    QCOMPARE(shown, legal);
  }

  /// What a rewrite changes is known before it is applied; the largest saving comes first.
  void theLargestGainComesFirst() {
    RewritesPage page;
    RewriteKind kind{QStringLiteral("fold"), {}, QStringLiteral("stream"), {}, {}};
    for (const char* place : {"unknown", "small", "large"}) {
      kind.spots.push_back({QString::fromLatin1(place), {}, {}});
      kind.spots.back().stream = QLatin1Char('#') + QString::fromLatin1(place);
    }
    kind.spots[1].gain = {-1000, 0, QStringLiteral("on-chip bytes 4000 -> 3000")};
    kind.spots[2].gain = {-2000, 500, QStringLiteral("on-chip bytes 4000 -> 2000")};
    RewriteKind other = kind;
    other.name = QStringLiteral("widen");
    other.spots = {{QStringLiteral("a"), {}, {}}};
    other.spots[0].gain = {0, -10, QStringLiteral("external bytes 20 -> 10")};
    page.setDesigns({{QStringLiteral("block"), 0, {other, kind}, {}}});
    const QTreeWidgetItem* best = page.tree()->topLevelItem(0);
    QCOMPARE(best->text(0), QStringLiteral("fold"));
    QVERIFY2(best->text(2).startsWith(QStringLiteral("at best \u22122")), qPrintable(best->text(2)));
    QCOMPARE(best->child(0)->text(0), QStringLiteral("stream large"));
    QCOMPARE(best->child(1)->text(0), QStringLiteral("stream small"));
    QVERIFY(best->child(2)->text(2).isEmpty());
    QVERIFY(best->child(0)->toolTip(2).contains(QStringLiteral("->")));
    QSignalSpy seen(&page, &RewritesPage::placeChosen);
    page.tree()->setCurrentItem(best->child(0));
    QCOMPARE(seen.size(), 1);
    QCOMPARE(seen[0][1].toString(), QStringLiteral("#large"));
    QCOMPARE(page.wanted()->kind, 1);  // of the design's list, whatever comes first
  }

  void aPlaceLightsUpOnTheCanvas() {
    GraphCanvas* canvas = window_->workspace()->canvas();
    for (int kind = 0; kind < page_->tree()->topLevelItemCount(); ++kind) {
      QTreeWidgetItem* top = page_->tree()->topLevelItem(kind);
      if (top->childCount() == 0 || !top->child(0)->text(0).startsWith(QStringLiteral("task "))) continue;
      canvas->clearSelection();
      page_->tree()->setCurrentItem(top->child(0));
      QVERIFY2(!canvas->selectedNode().isEmpty(), qPrintable(top->child(0)->text(0)));
      return;
    }
    QSKIP("no rewrite of a task is legal in the sample");
  }

  /// Filtered, selected and applied by mouse and keys: one step for undo.
  void aRewriteIsAppliedAndUndone() {
    auto* filter = page_->findChild<QLineEdit*>(QStringLiteral("rewriteFilter"));
    QTest::keyClicks(filter, QStringLiteral("insert fork"));
    QCOMPARE(page_->tree()->topLevelItemCount(), 1);
    QTreeWidgetItem* place = page_->tree()->topLevelItem(0)->child(0);
    QVERIFY(place);
    page_->tree()->setCurrentItem(place);
    const std::optional<RewriteWanted> wanted = page_->wanted();
    QVERIFY(wanted && !wanted->place.isEmpty());
    QCOMPARE(stepFor(*wanted).transformation, std::string("insert_fork"));
    QCOMPARE(stepFor(*wanted).arguments.at("output"), Value(wanted->place.toStdString()));
    const int before = window_->documents()->undoStack()->index();
    QTest::mouseClick(page_->findChild<QPushButton*>(QStringLiteral("applyRewrite")), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(page_->applied()->count(), 1, engine_time);
    QCOMPARE(window_->documents()->undoStack()->index(), before + 1);
    QCOMPARE(window_->documents()->document().schedule.back().transformation, std::string("insert_fork"));
    QVERIFY(page_->applied()->item(0)->text().contains(QStringLiteral("tasks")));  // what changed
    QTRY_VERIFY_WITH_TIMEOUT(forks() == 1, engine_time);
    QTest::keyClick(page_->tree(), Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(page_->applied()->count(), 0, engine_time);
    QTRY_VERIFY_WITH_TIMEOUT(forks() == 0, engine_time);
    filter->clear();
  }

  /// A shape of one's own, and a rewrite everywhere; each is taken back for itself.
  void argumentsAndEverywhere() {
    auto* filter = page_->findChild<QLineEdit*>(QStringLiteral("rewriteFilter"));
    filter->setText(QStringLiteral("vectorise"));
    QTreeWidgetItem* vectorise = page_->tree()->topLevelItem(0);
    QCOMPARE(vectorise->text(0), QStringLiteral("vectorise"));
    page_->tree()->setCurrentItem(vectorise->child(0));
    auto* argument = page_->findChild<QLineEdit*>(QStringLiteral("rewriteArgument"));
    QVERIFY(argument->isEnabled() && !argument->text().isEmpty());
    QTest::keyClick(argument, Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(page_->applied()->count(), 1, engine_time);
    filter->setText(QStringLiteral("unpack"));
    page_->tree()->setCurrentItem(page_->tree()->topLevelItem(0));
    auto* apply = page_->findChild<QPushButton*>(QStringLiteral("applyRewrite"));
    QVERIFY(apply->isEnabled());
    QCOMPARE(stepFor(*page_->wanted()).arguments.at("tensor"), Value("everywhere"));
    QTest::mouseClick(apply, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(page_->applied()->count(), 2, engine_time);
    page_->applied()->setCurrentRow(0);
    QTest::mouseClick(page_->findChild<QPushButton*>(QStringLiteral("removeRewrite")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(page_->applied()->count() == 1 &&
                                 page_->applied()->item(0)->text().contains(QStringLiteral("unpack")),
                             engine_time);
    window_->documents()->undoStack()->undo();
    QTRY_COMPARE_WITH_TIMEOUT(page_->applied()->count(), 2, engine_time);
    window_->documents()->undoStack()->undo();
    window_->documents()->undoStack()->undo();
    QTRY_COMPARE_WITH_TIMEOUT(page_->applied()->count(), 0, engine_time);
    filter->clear();
  }

  /// Without a tensor program there is nothing to rewrite, and the page says so.
  void withoutATensorProgram() {
    page_->setDesigns({});
    QCOMPARE(page_->tree()->topLevelItemCount(), 0);
    QVERIFY(!page_->findChild<QLabel*>(QStringLiteral("rewriteNotice"))->text().isEmpty());
    QVERIFY(!page_->findChild<QPushButton*>(QStringLiteral("applyRewrite"))->isEnabled());
    QVERIFY(!page_->wanted());
  }

  void cleanupTestCase() { window_.reset(); }

 private:
  int forks() const {
    int count = 0;
    for (const Node& node : window_->shownProgram()->document().program.nodes)
      count += QString::fromStdString(node.name).contains(QStringLiteral("fork")) ? 1 : 0;
    return count;
  }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
  RewritesPage* page_ = nullptr;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::RewritesTest)
#include "rewrites_test.moc"
