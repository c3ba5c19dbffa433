// The deadlock screen under a user's hands: the wait cycles over the canvas, the chain beside it, the moment
// a wait cycle closed, the repair with its price - taken with one key, given back with one undo - and the
// exports.

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QTreeWidget>
#include <cmath>
#include <tuple>

#include "app/window/deadlock/deadlock_explanation_of.h"
#include "app/window/deadlock/deadlock_screen.h"
#include "app/window/deadlock/near_miss_search.h"
#include "app/window/explore/frontier_dialog.h"
#include "app/window/run/compare_controller.h"
#include "app/window/run/size_fifos_dialog.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/deadlock/deadlock_panel.h"
#include "widgets/deadlock/frontier_plot.h"
#include "widgets/deadlock/repair_box.h"
#include "widgets/diagnostics/diagnostics_list.h"
#include "widgets/metrics/metrics_bar.h"
#include "widgets/plots/print_style.h"

namespace sluice::ui {
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
    connect(window_->session(), &SessionController::pointReady, this,
            [this](const std::shared_ptr<const PointResult>& point) { reported_ = point; });
  }
  void cleanup() {
    window_.reset();
    reported_.reset();
  }

  void aRunThatEndsShowsNothing() {
    open("long_stall");
    QVERIFY(screen()->layer().waitCycles().isEmpty());
    QVERIFY(panel()->findChild<QLabel*>(QStringLiteral("deadlockNothing"))->isVisibleTo(panel()));
    QVERIFY(!command("deadlock.nextWaitCycle")->isEnabled());
    QVERIFY(!command("deadlock.apply")->isEnabled());
  }

  void theScreenExplainsAForkAndJoin() {
    open("shallow_branch");
    QVERIFY(screen()->dock()->isVisible());
    const DeadlockExplanation& explanation = panel()->explanation();
    QCOMPARE(explanation.verdict, QStringLiteral("artificial"));
    QCOMPARE(screen()->layer().waitCycles().size(), 1);
    QCOMPARE(tree()->topLevelItemCount(), 2);  // the wait cycle; who waits behind it
    QCOMPARE(chain()->count(), 4);
    // Operators that elaboration put in are called what the user calls them.
    for (const WaitStep& step : explanation.groups[0].steps)
      QVERIFY2(!step.sentence.contains("broadcast"), qPrintable(step.sentence));
    QVERIFY(chain()->item(1)->text().contains(QStringLiteral("is full (depth 3)")));
    QVERIFY(chain()->item(3)->text().contains(QStringLiteral("the wait cycle closes")));
    grab("shallow_branch");
    command("view.themeDark")->trigger();
    grab("shallow_branch_dark");
  }

  void independentWaitCyclesAreBoxedApart() {
    open("independent");
    QCOMPARE(screen()->layer().waitCycles().size(), 2);
    const Picture& picture = canvas()->graphScene()->picture();
    const QList<WaitGroup>& groups = panel()->explanation().groups;
    const QPainterPath first = screen()->layer().contour(picture, groups[0]);
    const QPainterPath second = screen()->layer().contour(picture, groups[1]);
    QVERIFY(!first.isEmpty() && !second.isEmpty());
    QVERIFY(!first.intersects(second));
    for (const WaitStep& step : groups[0].steps) {
      QVERIFY(first.contains(canvas()->nodeCenter(step.node)));
      QVERIFY(!second.contains(canvas()->nodeCenter(step.node)));
    }
    grab("independent");

    // Keys: the other wait cycle, and round again.
    QCOMPARE(panel()->currentGroup(), 0);
    QTest::keyClick(window_.get(), Qt::Key_F8);
    QCOMPARE(panel()->currentGroup(), 1);
    QVERIFY(chain()->item(0)->text().contains(QStringLiteral("b_")));
    QTest::keyClick(window_.get(), Qt::Key_F8);
    QCOMPARE(panel()->currentGroup(), 0);
    QTest::keyClick(window_.get(), Qt::Key_F8, Qt::ShiftModifier);
    QCOMPARE(panel()->currentGroup(), 1);

    // A wait cycle that is toggled off is no longer drawn.
    const QImage both = canvas()->viewport()->grab().toImage();
    tree()->topLevelItem(0)->setCheckState(0, Qt::Unchecked);
    QCOMPARE(screen()->layer().waitCycles().size(), 1);
    QVERIFY(canvas()->viewport()->grab().toImage() != both);
    tree()->topLevelItem(0)->setCheckState(0, Qt::Checked);
    QCOMPARE(screen()->layer().waitCycles().size(), 2);
  }

  void membersAreWalkedWithKeysAndSelectedOnTheCanvas() {
    open("shallow_branch");
    QStringList walked;
    for (int step = 0; step < 4; ++step) {
      QTest::keyClick(window_.get(), Qt::Key_F9);
      QCOMPARE(panel()->currentStep(), step);
      walked << canvas()->selectedNode();
    }
    walked.sort();
    QCOMPARE(walked, QStringList({"join", "spread", "sum", "x"}));
    QTest::keyClick(window_.get(), Qt::Key_F9, Qt::ShiftModifier);
    QCOMPARE(panel()->currentStep(), 2);
    // Members of a wait cycle wait for the next in the chain: their streams are its ends.
    const WaitGroup& cycle = panel()->explanation().groups[0];
    for (const WaitStep& step : cycle.steps)
      for (const WaitedStream& stream : step.streams) QVERIFY(!stream.origin.isEmpty());
  }

  void theMomentItClosedIsTold() {
    open("two_sources");
    QSignalSpy moment(screen(), &DeadlockScreen::cycleRequested);
    const WaitGroup& cycle = panel()->explanation().groups[0];
    QTest::keyClick(window_.get(), Qt::Key_F8, Qt::ControlModifier);
    QCOMPARE(moment.size(), 1);
    QCOMPARE(moment[0][0].toLongLong(), *cycle.closed_at);
    QVERIFY(panel()->showsClosing());
    // A wait at a full FIFO has it full by then, one at an empty FIFO empty.
    for (const WaitStep& step : cycle.steps)
      for (const WaitedStream& stream : step.streams) {
        const QStringList fill = stream.closing_fill.split('/');
        QCOMPARE(fill.size(), 2);
        QCOMPARE(fill[0], stream.full ? fill[1] : QStringLiteral("0"));
      }
    grab("two_sources_closed");
    QTest::mouseClick(panel()->findChild<QPushButton*>(QStringLiteral("deadlockClosing")), Qt::LeftButton);
    QVERIFY(!panel()->showsClosing());
  }

  void theRepairIsTakenWithOneKeyAndGivenBackWithOneUndo() {
    open("interlocking");
    const Document before = window_->documents()->document();
    const int steps = window_->documents()->undoStack()->index();
    const DeadlockExplanation& explanation = panel()->explanation();
    QVERIFY(explanation.repair && explanation.repair->verified && explanation.repair->minimal);
    const qint64 cycles = explanation.repair->cycles;
    grab("interlocking");
    QTest::keyClick(window_.get(), Qt::Key_R, Qt::ControlModifier);
    QCOMPARE(window_->documents()->undoStack()->index(), steps + 1);
    QVERIFY(!command("deadlock.apply")->isEnabled());
    settle();
    QVERIFY(panel()->explanation().groups.isEmpty());
    QVERIFY(screen()->layer().waitCycles().isEmpty());
    QCOMPARE(window_->documents()->document().program.streams[0].depth, std::optional<Value>(Value(6)));
    QVERIFY(reported_);
    QCOMPARE(static_cast<qint64>(reported_->simulation.cycles), cycles);
    // What the repair costs is among the figures.
    const auto* fifos = window_->findChild<MetricTile*>(QStringLiteral("metric.fifo_bytes"));
    QVERIFY(fifos && !fifos->shownText().startsWith(QStringLiteral("\u2013")));
    QVERIFY(reported_->point.metrics.fifo_bytes > 0);
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(window_->documents()->document() == before);
    settle();
    QVERIFY(panel()->explanation().repair);
    // The button does the same.
    QTest::mouseClick(panel()->findChild<QPushButton*>(QStringLiteral("applyRepair")), Qt::LeftButton);
    settle();
    QVERIFY(panel()->explanation().groups.isEmpty());
  }

  void waitCyclesAreFixedOneByOne() {
    open("independent");
    const Document before = window_->documents()->document();
    const int steps = window_->documents()->undoStack()->index();
    auto* own = panel()->findChild<QLabel*>(QStringLiteral("waitCycleRepair"));
    auto* only = panel()->findChild<QPushButton*>(QStringLiteral("applyWaitCycleRepair"));
    QVERIFY(own->isVisibleTo(panel()) && only->isVisibleTo(panel()));
    QVERIFY2(own->text().contains(QStringLiteral("Wait cycle 1 (")), qPrintable(own->text()));
    for (const char* part : {"a.out → a_join.in1", "→ 4", "3.072"})
      QVERIFY2(own->text().contains(QString::fromUtf8(part)), qPrintable(own->text()));
    QVERIFY(own->text().contains(QStringLiteral("deadlocks in one other wait cycle")));
    QTest::keyClick(window_.get(), Qt::Key_F8);
    QVERIFY(own->text().contains(QStringLiteral("Wait cycle 2 (")));
    QVERIFY(own->text().contains(QStringLiteral("→ 5")));

    // The second first: the other wait cycle is left, and its repair is the whole one now.
    QTest::keyClick(window_.get(), Qt::Key_R, Qt::ControlModifier | Qt::AltModifier);
    QCOMPARE(window_->documents()->undoStack()->index(), steps + 1);
    settle();
    QCOMPARE(panel()->explanation().groups[0].kind, WaitGroup::Kind::WaitCycle);
    QVERIFY(panel()->explanation().groups[1].kind != WaitGroup::Kind::WaitCycle);
    QVERIFY(!only->isVisibleTo(panel()));
    QVERIFY(!command("deadlock.applyWaitCycle")->isEnabled());
    QTest::keyClick(window_.get(), Qt::Key_R, Qt::ControlModifier);
    QCOMPARE(window_->documents()->undoStack()->index(), steps + 2);
    settle();
    QVERIFY(panel()->explanation().groups.isEmpty());
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
    settle();
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
    settle();
    QVERIFY(window_->documents()->document() == before);
    QTest::mouseClick(only, Qt::LeftButton);  // of the first
    QCOMPARE(window_->documents()->undoStack()->index(), steps + 1);
    settle();
    QVERIFY(chain()->item(0)->text().contains(QStringLiteral("b_")));
  }

  void aRealDeadlockSaysWhyNoDepthHelps() {
    open("rate_mismatch");
    QCOMPARE(panel()->explanation().verdict, QStringLiteral("real"));
    QVERIFY(!command("deadlock.apply")->isEnabled());
    QVERIFY(!panel()->findChild<QPushButton*>(QStringLiteral("applyRepair"))->isVisibleTo(panel()));
    const auto* reasons = panel()->findChild<QLabel*>(QStringLiteral("lockReasons"));
    QVERIFY(reasons->isVisibleTo(panel()));
    QVERIFY2(reasons->text().contains(QStringLiteral("'scatter.out[0] → join.in1' brought 6 tokens")),
             qPrintable(reasons->text()));
    grab("rate_mismatch");
  }

  void aDeadlockIsOneRowThatOpensItsPanel() {
    for (const char* name : {"rate_mismatch", "shallow_branch"}) {
      open(name);
      DiagnosticsList* list = window_->workspace()->diagnostics();
      QCOMPARE(list->diagnostics().size(), std::size_t{1});
      QCOMPARE(list->diagnostics()[0].code, std::string("deadlock"));
      QVERIFY(list->diagnostics()[0].related.empty());
      // Whether depth helps is for the panel to say.
      QVERIFY(list->diagnostics()[0].fix.find("reater depth") == std::string::npos);
      auto* dock = window_->findChild<QDockWidget*>(QStringLiteral("deadlockDock"));
      QVERIFY(dock);
      dock->close();
      QTRY_VERIFY(!panel()->isVisible());
      window_->workspace()->showDiagnostics();
      QTest::qWait(50);
      const QModelIndex row = list->model()->index(0, DiagnosticsModel::Cause);
      QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(row).center());
      QTRY_VERIFY(panel()->isVisible());
      QVERIFY(!canvas()->selectedNode().isEmpty() || !canvas()->selectedStream().isEmpty());
    }
  }

  void waitCyclesAreNamedByWhatDiffers() {
    open("nested_regions");
    const QList<WaitGroup> nested = panel()->explanation().groups;
    QStringList told;
    for (int cycle = 0; cycle < 4; ++cycle) told << nested[cycle].title.section(QLatin1Char('('), 1);
    told.sort();
    QCOMPARE(told, QStringList(
                       {"layer[0].head[0])", "layer[0].head[1])", "layer[1].head[0])", "layer[1].head[1])"}));
    QVERIFY2(
        tree()->topLevelItem(0)->text(0).startsWith(QStringLiteral("4 wait cycles alike, at layer.head.")),
        qPrintable(tree()->topLevelItem(0)->text(0)));
    open("independent");
    const QList<WaitGroup>& groups = panel()->explanation().groups;
    QVERIFY2(groups[0].title.startsWith(QStringLiteral("Wait cycle 1 (a")), qPrintable(groups[0].title));
    QVERIFY2(groups[1].title.startsWith(QStringLiteral("Wait cycle 2 (b")), qPrintable(groups[1].title));
    open("shallow_branch");  // nothing to tell it from
    QCOMPARE(panel()->explanation().groups[0].title, QStringLiteral("Wait cycle 1"));
  }

  void aHundredAlikeWaitCyclesAreDrawnOnce() {
    open("experts_128");
    QCOMPARE(panel()->explanation().groups.front().kind, WaitGroup::Kind::WaitCycle);
    QCOMPARE(screen()->layer().waitCycles().size(), 1);
    QCOMPARE(screen()->layer().waitCycles()[0].instances, 128);
    QCOMPARE(tree()->topLevelItem(0)->childCount(), 128);
    grab("experts_128");
    canvas()->toggleRegion(QStringLiteral("expert"));
    settle();
    grab("experts_128_expanded");
    QCOMPARE(screen()->layer().waitCycles().size(), 1);
    const QPainterPath ring =
        screen()->layer().contour(canvas()->graphScene()->picture(), panel()->explanation().groups[0]);
    QVERIFY(ring.contains(canvas()->nodeCenter(QStringLiteral("expert.join"))));
    QVERIFY(!ring.contains(canvas()->nodeCenter(QStringLiteral("copies"))));
  }

  void pictureAndSentencesAreWritten() {
    open("independent");
    const QString picture = folder_.filePath(QStringLiteral("deadlock.svg")),
                  chain_file = folder_.filePath(QStringLiteral("deadlock.txt"));
    QVERIFY(screen()->exportPicture(picture));
    QVERIFY(screen()->exportText(chain_file));
    QFile svg(picture), text(chain_file);
    QVERIFY(svg.open(QIODevice::ReadOnly) && text.open(QIODevice::ReadOnly));
    const QString drawn = QString::fromUtf8(svg.readAll()), told = QString::fromUtf8(text.readAll());
    QVERIFY(drawn.contains(QStringLiteral("closed at cycle")));
    QVERIFY(drawn.contains(QStringLiteral("FULL 3/3")) || drawn.contains(QStringLiteral("FULL 2/2")));
    QVERIFY(told.contains(QStringLiteral("), artificial, closed at cycle")));
    QVERIFY(told.contains(QStringLiteral("Repair, the smallest:")));
    QVERIFY(!screen()->exportPicture(folder_.filePath(QStringLiteral("deadlock.doc"))));
    QVERIFY(panel()
                ->findChild<QLabel*>(QStringLiteral("deadlockMessage"))
                ->text()
                .contains(QStringLiteral(".pdf")));
  }

  /// Nothing of a wait cycle is beyond the edge of the page.
  void allOfTheWaitCyclesIsOnThePage() {
    open("interlocking");
    const GraphCanvas& drawn = *canvas();
    const QSize page(double_column, static_cast<int>(std::ceil(drawn.paperHeight(double_column))));
    constexpr int around = 40;
    QImage image(page + QSize(2 * around, 2 * around), QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.translate(around, around);
    drawn.paintForPrint(painter, page);
    painter.end();
    const QRect inside = QRect(QPoint(around, around), page).adjusted(-1, -1, 1, 1);
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        if (!inside.contains(x, y) && image.pixel(x, y) != qRgb(255, 255, 255))
          QFAIL(qPrintable(QStringLiteral("drawn at %1, %2 of %3 x %4")
                               .arg(x - around)
                               .arg(y - around)
                               .arg(page.width())
                               .arg(page.height())));
  }

  void nearMissesOfARunThatEnds() {
    open("interlocking");
    QVERIFY(!command("deadlock.nearMisses")->isEnabled());
    QTest::keyClick(window_.get(), Qt::Key_R, Qt::ControlModifier);
    settle();
    QVERIFY(command("deadlock.nearMisses")->isEnabled());
    QTest::keyClick(window_.get(), Qt::Key_F7, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(!screen()->nearMisses()->running(), engine_time);
    auto* rows = panel()->findChild<QTreeWidget*>(QStringLiteral("nearMisses"));
    QTRY_COMPARE_WITH_TIMEOUT(rows->topLevelItemCount(), 2,
                              engine_time);  // the repair is tight: one slot fewer in either deadlocks
    for (int row = 0; row < 2; ++row) QCOMPARE(rows->topLevelItem(row)->text(1), QStringLiteral("6 → 5"));
    grab("near_misses");
    QTest::mouseClick(rows->viewport(), Qt::LeftButton, {},
                      rows->visualItemRect(rows->topLevelItem(0)).center());
    QVERIFY(canvas()->selectedStream() == QLatin1String("#shifted.in1") ||
            canvas()->selectedStream() == QLatin1String("#divided.in1"));
    // Another run: what was found belongs to the old one.
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
    settle();
    QCOMPARE(rows->topLevelItemCount(), 0);
  }

  void theFrontierOfTwoFifosIsDrawn() {
    open("interlocking");
    QTest::keyClick(window_.get(), Qt::Key_F9, Qt::ControlModifier);
    auto* dialog = window_->findChild<FrontierDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->computing(), engine_time);
    const FrontierPicture& picture = dialog->plot()->picture();
    QCOMPARE(picture.first, QStringLiteral("x.out → shifted.in1"));
    QCOMPARE(picture.second, QStringLiteral("shifted.out → divided.in1"));
    QCOMPARE(picture.cells.size(), picture.up_to * picture.up_to);
    for (const FrontierCell& cell : picture.cells) QCOMPARE(cell.ends, cell.first >= 6 && cell.second >= 6);
    QCOMPARE(picture.corners.size(), 1);
    QTest::qWait(50);
    QVERIFY(dialog->grab().save(QStringLiteral(SLUICE_BINARY_DIR "/deadlock_screen_frontier.png")));
    QVERIFY(dialog->exportPlotTo(folder_.filePath(QStringLiteral("frontier.pdf"))));
    QVERIFY(dialog->exportPlotTo(folder_.filePath(QStringLiteral("frontier.csv"))));
    QFile csv(folder_.filePath(QStringLiteral("frontier.csv")));
    QVERIFY(csv.open(QIODevice::ReadOnly));
    QCOMPARE(csv.readAll().count('\n'), picture.up_to * picture.up_to + 1);
    dialog->close();
  }

  void whatIsCertainIsMarkedBeforeAnyRun() {
    QStringList told;
    bool simulated = false;
    connect(window_->session(), &SessionController::pointReady, this, [&] { simulated = true; });
    connect(window_->session(), &SessionController::symbolicReady, this,
            [&](const std::shared_ptr<const SymbolicResult>& result) {
              if (simulated) return;
              for (const Diagnostic& warning : result->warnings)
                told << QString::fromStdString(text(warning.place));
            });
    open("shallow_branch");
    told.removeDuplicates();
    QCOMPARE(told, QStringList("stream 'x.out -> join.in1'"));
    QTest::keyClick(window_.get(), Qt::Key_R, Qt::ControlModifier);
    settle();
    QVERIFY(window_->workspace()->diagnostics()->diagnostics().empty());
  }

  void sizingFifosFreesADeadlockToo() {
    open("shallow_branch");
    command("schedule.sizeFifos")->trigger();
    auto* dialog = window_->findChild<SizeFifosDialog*>();
    QVERIFY(dialog);
    QComboBox* strategy = dialog->strategy();
    QCOMPARE(strategy->count(), static_cast<int>(depthStrategies().size()));
    for (const DepthStrategy& each : depthStrategies()) {
      const int at = strategy->findData(QString::fromLatin1(each.name));
      QVERIFY2(at >= 0, each.name);
      // The program compiles no tensors: nothing has curves.
      QCOMPARE(strategy->model()->flags(strategy->model()->index(at, 0)).testFlag(Qt::ItemIsEnabled),
               !each.of_design);
    }
    QTRY_VERIFY_WITH_TIMEOUT(dialog->sizes(), engine_time);
    QVERIFY(!*dialog->sizes());  // what a run fills: there is none that ends
    strategy->setCurrentIndex(strategy->findData(QStringLiteral("unlock")));
    QTRY_VERIFY_WITH_TIMEOUT(dialog->sizes() && *dialog->sizes(), engine_time);
    QCOMPARE((*dialog->sizes())->changes.size(), panel()->explanation().repair->changes.size());
    strategy->setCurrentIndex(strategy->findData(QStringLiteral("bram")));
    dialog->grouped()->click();
    QTRY_VERIFY_WITH_TIMEOUT(dialog->sizes() && *dialog->sizes(), engine_time);
    QVERIFY(dialog->findChild<QTextBrowser*>(QStringLiteral("sizePreview"))
                ->toPlainText()
                .contains(QStringLiteral("BRAM")));
    dialog->grouped()->click();
    strategy->setCurrentIndex(strategy->findData(QStringLiteral("unlock")));
    QTRY_VERIFY_WITH_TIMEOUT(dialog->sizes() && *dialog->sizes(), engine_time);
    dialog->accept();
    settle();
    QVERIFY(window_->workspace()->diagnostics()->diagnostics().empty());
  }

  /// Differences and what is stuck are not told side by side.
  void badgesAreOfTheActiveView() {
    QVERIFY(window_->openFile(sample("softmax_depths")));
    settle();
    const auto pin = [this](const char* id, int depth) {
      KnobValues knobs = window_->documents()->knobs();
      knobs["depth"] = depth;
      window_->documents()->setKnobs(knobs, QStringLiteral("Depth"));
      settle();
      command(id)->trigger();
      auto* compare = window_->findChild<CompareController*>();
      QTRY_VERIFY_WITH_TIMEOUT(compare->idle(), engine_time);
    };
    pin("compare.pinA", 16);
    pin("compare.pinB", 1);
    QVERIFY(screen()->isDeadlocked());
    QVERIFY(!canvas()->deltaOverlay().isEmpty());
    const auto told = [this] {
      int marks = 0, notes = 0;
      const Picture& picture = canvas()->graphScene()->picture();
      for (const BoxLook& box : picture.boxes)
        marks += box.mark && box.mark->kind == Mark::Kind::Deadlock ? 1 : 0, notes += box.note ? 1 : 0;
      for (const LinkLook& link : picture.links)
        marks += link.mark && link.mark->kind == Mark::Kind::Deadlock ? 1 : 0, notes += link.note ? 1 : 0;
      return std::tuple(marks > 0, notes > 0, !picture.plates.empty());
    };
    QCOMPARE(canvas()->topic(), Topic::Differences);  // the comparison has come to the front
    QCOMPARE(told(), std::tuple(false, true, false));
    command("deadlock.nextWaitCycle")->trigger();
    QTRY_COMPARE(canvas()->topic(), Topic::Deadlock);
    QCOMPARE(told(), std::tuple(true, false, true));
    command("compare.flip")->trigger();  // the view is seen: nothing comes to the front
    QCOMPARE(canvas()->topic(), Topic::Deadlock);
    command("compare.pinB")->trigger();
    QTRY_COMPARE(canvas()->topic(), Topic::Differences);
    auto* compare = window_->findChild<QDockWidget*>(QStringLiteral("compareDock"));
    compare->close();
    QTRY_COMPARE(canvas()->topic(), Topic::Deadlock);
    command("compare.clear")->trigger();
    QCOMPARE(told(), std::tuple(true, false, true));
  }

  /// It scrolls, where its parts would lie on each other.
  void aLowPanelIsReadWhole() {
    open("shallow_branch");
    DeadlockPanel low;
    low.resize(260, 280);
    low.setExplanation(panel()->explanation());
    low.show();
    QVERIFY(QTest::qWaitForWindowExposed(&low));
    QTest::qWait(20);
    QList<QRect> areas;
    const auto* box = low.findChild<RepairBox*>();
    for (const QWidget* part : box->findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
      if (!part->isVisible()) continue;
      if (const auto* label = qobject_cast<const QLabel*>(part))
        QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
      for (const QRect& other : areas) QVERIFY(!part->geometry().intersects(other));
      areas << part->geometry();
    }
    QVERIFY(areas.size() >= 3);
  }

  void fillsAreThoseOfTheSeries() {
    OccupancySeries series;
    series.samples = {{2, 1, 1, 1}, {5, 2, 2, 2}, {9, 0, 0, 0}};
    QCOMPARE(*fillAt(series, 0), 0u);
    QCOMPARE(*fillAt(series, 2), 1u);
    QCOMPARE(*fillAt(series, 8), 2u);
    QCOMPARE(*fillAt(series, 99), 0u);
    series.interval = 4;
    series.samples = {{0, 0, 3, 1}, {4, 2, 2, 2}};
    QVERIFY(!fillAt(series, 1));  // somewhere between 0 and 3
    QCOMPARE(*fillAt(series, 3), 1u);
    QCOMPARE(*fillAt(series, 5), 2u);
  }

 private:
  void open(const char* name) {
    QVERIFY(window_->openFile(QStringLiteral(SLUICE_SOURCE_DIR "/sample_workloads/deadlocks/%1.sluice")
                                  .arg(QString::fromLatin1(name))));
    settle();
  }
  void settle() {
    QTRY_VERIFY_WITH_TIMEOUT(
        window_->session()->idle() && !screen()->searching() && !canvas()->layoutPending(), engine_time);
  }
  void grab(const char* name) {
    QTest::qWait(50);
    QVERIFY(window_->grab().save(
        QStringLiteral(SLUICE_BINARY_DIR "/deadlock_screen_%1.png").arg(QString::fromLatin1(name))));
  }
  DeadlockScreen* screen() const { return window_->deadlock(); }
  DeadlockPanel* panel() const { return screen()->panel(); }
  GraphCanvas* canvas() const { return window_->workspace()->canvas(); }
  QTreeWidget* tree() const { return panel()->findChild<QTreeWidget*>(QStringLiteral("deadlockWaitCycles")); }
  QListWidget* chain() const { return panel()->findChild<QListWidget*>(QStringLiteral("deadlockChain")); }
  QAction* command(const char* id) const { return window_->commands()->action(QString::fromLatin1(id)); }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
  std::shared_ptr<const PointResult> reported_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::DeadlockScreenTest)
#include "deadlock_screen_test.moc"
