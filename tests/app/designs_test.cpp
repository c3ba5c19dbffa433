// Finding designs from the window: asked for in the dialog, seen in the view, taken, undone, stopped.

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QSpinBox>
#include <QTabBar>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

#include "app/window/designs/designs_controller.h"
#include "app/window/designs/designs_panel.h"
#include "app/window/designs/find_designs_dialog.h"
#include "app/window/designs/lineage_tree.h"
#include "app/window/explore/recent_stores.h"
#include "app/window/export/export_dialog.h"
#include "app/window/export/figure_composer.h"
#include "app/window/run/compare_controller.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/onboarding.h"
#include "app/window/shell/views.h"
#include "app/window/shell/workspace.h"
#include "engine/schedule/transformation.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/common/elided_label.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/plots/bound_lines.h"
#include "widgets/plots/pareto_chart.h"

namespace sluice::ui {
class DesignsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
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
    showPart(0);
    QTest::keyClick(panel()->chart(), Qt::Key_Right);
    showPart(1);
    QCOMPARE(panel()->table()->currentRow(), 0);
    QVERIFY(panel()->takeButton()->isEnabled());
    QTest::keyClick(panel()->table(), Qt::Key_Down);
    const int at = std::min(1, panel()->table()->rowCount() - 1);
    QCOMPARE(panel()->selected(), static_cast<int>(panel()->frontier()[static_cast<std::size_t>(at)]));
  }

  /// A click looks at a design, and nothing else; Return takes it.
  void aClickOnAPointTakesNothing() {
    find(12);
    showPart(0);
    QTRY_VERIFY_WITH_TIMEOUT(!designs()->running(), engine_time);
    const std::vector<ScheduleStep> old = schedule();
    const int row = rowWithSteps();
    QVERIFY(row >= 0);
    const auto design = static_cast<int>(panel()->frontier()[static_cast<std::size_t>(row)]);
    panel()->select(-1);
    const auto at = panel()->chart()->pixelOf(design);
    QVERIFY(at);
    QTest::mouseClick(panel()->chart(), Qt::LeftButton, {}, at->toPoint());
    QVERIFY(panel()->selected() >= 0);
    QCOMPARE(schedule(), old);
    QVERIFY(!window_->documents()->undoStack()->canUndo());
    panel()->select(design);
    QTest::keyClick(panel()->chart(), Qt::Key_Return);
    QCOMPARE(schedule(), panel()->designs()[static_cast<std::size_t>(design)].schedule);
    QCOMPARE(window_->documents()->undoStack()->index(), 1);
  }

  /// As the chart of explored points has it, on paper too.
  void axesAreLogarithmicAndGoOnPaper() {
    find(12);
    showPart(0);
    QTRY_VERIFY_WITH_TIMEOUT(!designs()->running(), engine_time);
    for (const char* name : {"designsLogX", "designsLogY"}) {
      auto* box = panel()->findChild<QCheckBox*>(QLatin1String(name));
      QVERIFY(box->isVisible());
      QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
      QVERIFY(box->isChecked());
    }
    const ParetoChart* chart = panel()->chart();
    QCOMPARE(chart->xAxis->scaleType(), QCPAxis::stLogarithmic);
    QCOMPARE(chart->yAxis->scaleType(), QCPAxis::stLogarithmic);
    const QString file = folder_.filePath(QStringLiteral("designs.tex"));
    QVERIFY(window_->exportFile(file, {.views = {QStringLiteral("designs")}, .format = ExportFormat::Pgf}));
    QFile written(file);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const QByteArray text = written.readAll();
    QVERIFY2(text.contains("xmode=log") && text.contains("ymode=log"), text.left(600).constData());
  }

  /// What no schedule can beat is a line in the chart, or told at its edge.
  void boundsShow() {
    find(8);
    showPart(0);
    QTRY_VERIFY_WITH_TIMEOUT(!designs()->running(), engine_time);
    int proved = 0;
    for (int axis = 0; axis < 2; ++axis) {
      const QString name = qt(defaultObjectives()[static_cast<std::size_t>(axis)]);
      const auto bound = boundOf(designs()->result()->bounds, name.toStdString());
      if (!bound || *bound == 0) continue;
      ++proved;
      const QCPRange range = (axis == 0 ? panel()->chart()->xAxis : panel()->chart()->yAxis)->range();
      const QString told = text(metricQuantity(name, static_cast<double>(*bound)));
      QVERIFY(range.contains(static_cast<double>(*bound)) ||
              panel()->chart()->bounds().words().contains(told));
    }
    QVERIFY(proved > 0);
  }

  /// Of the design that is chosen, once: whether it computes the same, and what each step was chosen over.
  void aDesignIsProvedAndExplained() {
    find(20);
    QTRY_VERIFY_WITH_TIMEOUT(!designs()->running(), engine_time);
    QTRY_VERIFY_WITH_TIMEOUT(designs()->idle(), engine_time);
    const int row = rowWithSteps();
    QVERIFY(row >= 0);
    panel()->table()->setCurrentCell(row, 0);
    QTRY_VERIFY_WITH_TIMEOUT(designs()->idle(), engine_time);
    QVERIFY2(proof().startsWith(QStringLiteral("Same tensors")), qPrintable(proof()));
    // What the command line says, of the same design.
    const auto design = static_cast<std::size_t>(panel()->selected());
    const std::unique_ptr<Executor> executor = makeExecutor();
    const std::vector<DesignReport> reports =
        reportDesigns({window_->documents()->document(), window_->session()->workload()->inputs},
                      window_->documents()->knobs(), designs()->request(), *designs()->result(),
                      std::span(&design, 1), *executor);
    QCOMPARE(reports.size(), std::size_t{1});
    QCOMPARE(proof().toLower(), qt(samenessText(reports[0].sameness)).toLower());
    std::size_t rivals = 0;
    for (std::size_t step = 0; step < reports[0].lineage.size(); ++step) {
      const QTreeWidgetItem* item = panel()->lineage()->topLevelItem(static_cast<int>(step) + 1);
      QCOMPARE(static_cast<std::size_t>(item->childCount()), 1 + reports[0].lineage[step].rivals.size());
      QVERIFY(item->child(0)->text(0).endsWith(qt(boundText(reports[0].lineage[step].bound_after))));
      rivals += reports[0].lineage[step].rivals.size();
    }
    QVERIFY(rivals > 0 && !reports[0].lineage[0].rivals.empty());
    showPart(2);
    QTreeWidgetItem* step = panel()->lineage()->topLevelItem(1);
    const auto first = static_cast<int>(reports[0].lineage[0].rivals.front());
    panel()->lineage()->setCurrentItem(step);
    QTest::keyClick(panel()->lineage(), Qt::Key_Right);  // opens it
    QVERIFY(step->isExpanded());
    panel()->lineage()->setCurrentItem(step->child(1));
    QTest::keyClick(panel()->lineage(), Qt::Key_Return);
    QCOMPARE(panel()->selected(), first);
    panel()->select(static_cast<int>(design));  // what is known is not proved again
    QVERIFY2(designs()->idle() && proof().startsWith(QStringLiteral("Same tensors")), qPrintable(proof()));
  }

  void aProofIsStoppedAndBegunAgain() {
    find(6);
    QTRY_VERIFY_WITH_TIMEOUT(!designs()->running(), engine_time);
    QTRY_VERIFY_WITH_TIMEOUT(designs()->idle(), engine_time);
    panel()->select(unproved());
    auto* check = panel()->findChild<QPushButton*>(QStringLiteral("designsCheck"));
    QVERIFY(!designs()->idle() && check->isVisible());
    QVERIFY2(proof().startsWith(QStringLiteral("Checking")), qPrintable(proof()));
    QTest::mouseClick(check, Qt::LeftButton);
    QVERIFY(designs()->idle());
    QVERIFY2(proof().startsWith(QStringLiteral("Not checked")), qPrintable(proof()));
    QTest::mouseClick(check, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(designs()->idle(), engine_time);
    QVERIFY2(proof().startsWith(QStringLiteral("Same tensors")), qPrintable(proof()));
    QVERIFY(!check->isVisible());
  }

  void nothingScrollsSidewaysOnALaptop() {
    window_->resize(1366, 768);
    find(20);
    QTRY_VERIFY_WITH_TIMEOUT(!designs()->running(), engine_time);
    panel()->table()->setCurrentCell(rowWithSteps(), 0);
    QTRY_VERIFY_WITH_TIMEOUT(designs()->idle(), engine_time);
    QCOMPARE(panel()->table()->horizontalScrollBar()->maximum(), 0);
    const QHeaderView* header = panel()->table()->horizontalHeader();
    for (int column = 0; column < header->count(); ++column) {
      QVERIFY(static_cast<QAbstractItemView*>(panel()->table())
                  ->sizeHintForIndex(panel()->table()->model()->index(0, column))
                  .width() <= header->sectionSize(column));
      QTRY_VERIFY2(header->sectionSizeHint(column) <= header->sectionSize(column),
                   qPrintable(QStringLiteral("column %1: %2 of %3")
                                  .arg(column)
                                  .arg(header->sectionSize(column))
                                  .arg(header->sectionSizeHint(column))));
      QVERIFY(!panel()->table()->horizontalHeaderItem(column)->toolTip().isEmpty());
    }
    showPart(2);
    QCOMPARE(panel()->lineage()->horizontalScrollBar()->maximum(), 0);
    QVERIFY(panel()->lineage()->columnWidth(0) >= 150);
  }

  void twoDesignsAreCompared() {
    find(20);
    QTRY_VERIFY_WITH_TIMEOUT(!designs()->running(), engine_time);
    panel()->select(0);
    QTest::mouseClick(panel()->findChild<QPushButton*>(QStringLiteral("designsPinA")), Qt::LeftButton);
    const std::size_t other = panel()->frontier()[static_cast<std::size_t>(rowWithSteps())];
    panel()->select(static_cast<int>(other));
    QTest::mouseClick(panel()->findChild<QPushButton*>(QStringLiteral("designsPinB")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(window_->comparison()->hasBoth(), engine_time);
    QTRY_VERIFY_WITH_TIMEOUT(window_->comparison()->idle(), engine_time);
    const ComparedRun &a = window_->comparison()->run(0), &b = window_->comparison()->run(1);
    QVERIFY2(b.title.startsWith(QStringLiteral("design %1 of simple_moe").arg(other)), qPrintable(b.title));
    QCOMPARE(a.point->point.metrics.cycles, panel()->designs()[0].point.metrics.cycles);
    QCOMPARE(b.point->point.metrics.cycles, panel()->designs()[other].point.metrics.cycles);
    QVERIFY(window_->comparison()->panel()->comparison());
  }

  void theChartIsExported() {
    QVERIFY(window_->views().view(QStringLiteral("designs")).missing());
    find(8);
    QTRY_VERIFY_WITH_TIMEOUT(!designs()->running(), engine_time);
    QVERIFY(!window_->views().view(QStringLiteral("designs")).missing());
    panel()->table()->setFocus();
    QCOMPARE(window_->views().focused().id, QStringLiteral("designs"));
    window_->commands()->action(QStringLiteral("file.copyPicture"))->trigger();
    QVERIFY(QApplication::clipboard()->mimeData()->hasImage());
    for (const ExportFormat format :
         {ExportFormat::Pdf, ExportFormat::Svg, ExportFormat::Png, ExportFormat::Pgf, ExportFormat::Csv}) {
      ExportChoice choice;
      choice.views = {QStringLiteral("designs")};
      choice.format = format;
      const QString file = folder_.filePath(choice.suggestedName());
      QVERIFY(window_->exportFile(file, choice));
      QVERIFY2(QFileInfo(file).size() > 100, qPrintable(file));
    }
    ExportChoice figure;
    figure.views = {QStringLiteral("designs"), QStringLiteral("canvas")};
    QTRY_VERIFY_WITH_TIMEOUT(!window_->views().view(QStringLiteral("canvas")).missing(), engine_time);
    QVERIFY(window_->exportFile(folder_.filePath(figure.suggestedName()), figure));
  }

  /// As the manual has it done before its picture is taken.
  void designsAreAPanelOfAFigure() {
    window_->commands()->action(QStringLiteral("file.compose"))->trigger();
    auto* composer = window_->findChild<FigureComposer*>();
    QVERIFY(composer);
    composer->addPanel(PanelView::Designs);
    QTRY_VERIFY(composer->idle());
    const QString file = folder_.filePath(QStringLiteral("panel.pdf"));
    QVERIFY(!composer->exportTo(file));  // before a search
    find(20);
    QTRY_VERIFY_WITH_TIMEOUT(!designs()->running() && composer->idle(), engine_time);
    const Result<Done> written = composer->exportTo(file);
    QVERIFY2(written, qPrintable(written ? QString() : qt(text(written.diagnostics()))));
    QVERIFY(QFileInfo(file).size() > 1000);
  }

  void aLinkFindsDesigns() {
    QVERIFY(window_->onboarding()->mayFollow(QStringLiteral("designs:5")));
    QVERIFY(!window_->onboarding()->mayFollow(QStringLiteral("designs:none")));
    QVERIFY(window_->onboarding()->follow(QStringLiteral("designs:5")));
    QVERIFY(designs()->running());
    QTRY_VERIFY_WITH_TIMEOUT(designs()->idle() && designs()->result(), engine_time);
    QVERIFY(panel()->isVisible() && panel()->selected() >= 0);
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
    DesignRequest request = dialog->search().request;
    QCOMPARE(request.objectives, defaultObjectives());
    QCOMPARE(request.budget, DesignRequest{}.budget);
    QCOMPARE(request.seed, DesignRequest{}.seed);
    QCOMPARE(request.most_steps, DesignRequest{}.most_steps);
    QVERIFY(request.allowed.empty() && request.locked.empty() && std::isinf(request.seconds));
    QVERIFY(dialog->search().store.empty() && !dialog->search().resume);
    QVERIFY(!dialog->findChild<QCheckBox*>(QStringLiteral("designsResume"))->isEnabled());  // no store
    auto* allowed = dialog->findChild<QListWidget*>(QStringLiteral("designsAllowed"));
    auto* start = dialog->findChild<QPushButton*>(QStringLiteral("designsStart"));
    QVERIFY(start->isEnabled());
    allowed->setCurrentRow(0);
    QTest::keyClick(allowed, Qt::Key_Space);
    QVERIFY(!dialog->search().request.allowed.empty());
    QVERIFY(!dialog->search().request.allowed.contains(allowed->item(0)->text().toStdString()));
    for (int row = 0; row < allowed->count(); ++row) allowed->item(row)->setCheckState(Qt::Unchecked);
    QVERIFY(!start->isEnabled());
    allowed->item(allowed->count() - 1)->setCheckState(Qt::Checked);  // the rewrites, as one
    QVERIFY(start->isEnabled() && dialog->search().request.allowed.size() > 1);
    auto* locked = dialog->findChild<QListWidget*>(QStringLiteral("designsLocked"));
    locked->item(0)->setCheckState(Qt::Checked);
    dialog->findChild<QSpinBox*>(QStringLiteral("designsMinutes"))->setValue(2);
    request = dialog->search().request;
    QCOMPARE(request.locked, std::set<std::string>{locked->item(0)->text().toStdString()});
    QCOMPARE(request.seconds, 120.0);
    type(dialog->findChild<QSpinBox*>(QStringLiteral("designsSteps")), 3);
    type(dialog->findChild<QSpinBox*>(QStringLiteral("designsSeed")), 7);
    QCOMPARE(dialog->search().request.most_steps, std::size_t{3});
    QCOMPARE(dialog->search().request.seed, std::uint64_t{7});
    auto* second = dialog->findChild<QComboBox*>(QStringLiteral("designsObjective2"));
    second->setCurrentIndex(second->findData(QStringLiteral("cycles")));
    QVERIFY(!start->isEnabled());  // twice the same
    dialog->reject();
  }

  /// What was stopped stands in the store that was chosen; the next dialog proposes to go on from there.
  void aSearchIsGoneOnWithFromItsStore() {
    const QString store = folder_.filePath(QStringLiteral("designs.db"));
    FindDesignsDialog* dialog = opened();
    inFileDialog(this, [&](QFileDialog* files) {
      files->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(store);
    });
    QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("searchBrowse")), Qt::LeftButton);
    QCOMPARE(dialog->findChild<QLineEdit*>(QStringLiteral("searchStore"))->text(), store);
    QVERIFY(!dialog->search().resume);
    start(dialog, 100000);
    QTRY_VERIFY_WITH_TIMEOUT(panel()->designs().size() > 3, engine_time);
    window_->commands()->action(QStringLiteral("run.cancel"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!designs()->running(), engine_time);
    QCOMPARE(designs()->result()->reused, std::uint64_t{0});
    const Design first = panel()->designs().front();

    dialog = opened();
    QCOMPARE(dialog->search().store, std::filesystem::path(store.toStdString()));
    auto* resume = dialog->findChild<QCheckBox*>(QStringLiteral("designsResume"));
    QVERIFY(resume->isEnabled() && resume->isChecked());
    start(dialog, 5);
    QTRY_VERIFY_WITH_TIMEOUT(!designs()->running(), engine_time);
    QVERIFY(designs()->result()->reused > 0);
    QVERIFY2(status().endsWith(QStringLiteral("in the store")), qPrintable(status()));
    QCOMPARE(metric(panel()->designs().front().point, "cycles"), metric(first.point, "cycles"));
    QCOMPARE(recentStores().front().file, store);  // Past Explorations has it
  }

  void aStoreThatCannotBeWrittenIsTold() {
    FindDesignsDialog* dialog = opened();
    QTest::keyClicks(dialog->findChild<QLineEdit*>(QStringLiteral("searchStore")),
                     QStringLiteral("/nowhere/at/all.db"));
    start(dialog, 5);
    QTRY_VERIFY_WITH_TIMEOUT(!designs()->running(), engine_time);
    QVERIFY(!designs()->result());
    QVERIFY2(status().contains(QStringLiteral("cannot be opened")), qPrintable(status()));
  }

  /// All of them, but of what is locked only what was locked in this program.
  void choicesAreThereAgainTheNextTime() {
    FindDesignsDialog* dialog = opened();
    choose(dialog);
    type(dialog->findChild<QSpinBox*>(QStringLiteral("designsBudget")), 2);
    const DesignRequest asked = dialog->search().request;
    dialog->reject();
    dialog = opened();  // what was given up is not remembered
    QCOMPARE(dialog->search().request.seed, DesignRequest{}.seed);
    choose(dialog);
    start(dialog, 2);
    QTRY_VERIFY_WITH_TIMEOUT(!designs()->running(), engine_time);

    dialog = opened();
    const DesignRequest kept = dialog->search().request;
    QCOMPARE(kept.objectives, asked.objectives);
    QCOMPARE(kept.constraints.size(), std::size_t{1});
    QCOMPARE(kept.budget, asked.budget);
    QCOMPARE(kept.seconds, 540.0);
    QCOMPARE(kept.most_steps, std::size_t{4});
    QCOMPARE(kept.seed, std::uint64_t{11});
    QVERIFY(kept.allowed == asked.allowed && kept.locked == asked.locked && kept.locked.size() == 1);
    dialog->reject();
    QVERIFY(window_->openFile(sample("softmax_depths")));
    dialog = opened();
    QVERIFY(dialog->search().request.locked.empty());
    QVERIFY(dialog->search().request.allowed == asked.allowed);
    dialog->reject();
  }

  void itsListsAreReadWholeInANarrowDialog() {
    FindDesignsDialog* dialog = opened();
    dialog->resize(dialog->minimumSizeHint());
    QTest::qWait(20);
    auto* allowed = dialog->findChild<QListWidget*>(QStringLiteral("designsAllowed"));
    auto* locked = dialog->findChild<QListWidget*>(QStringLiteral("designsLocked"));
    QVERIFY(allowed->viewport()->width() >= allowed->sizeHintForColumn(0));
    QVERIFY(allowed->geometry().right() < locked->geometry().left());
    QVERIFY(locked->width() >= 24 * locked->fontMetrics().averageCharWidth());
    const auto* limit = dialog->findChild<QLineEdit*>(QStringLiteral("searchLimit"));
    QVERIFY(limit->fontMetrics().horizontalAdvance(limit->placeholderText()) < limit->width());
    dialog->reject();
  }

 private:
  FindDesignsDialog* opened() {
    window_->commands()->action(QStringLiteral("run.designs"))->trigger();
    for (auto* dialog : window_->findChildren<FindDesignsDialog*>())
      if (dialog->isVisible()) return dialog;
    throw std::runtime_error("the dialog did not open");
  }
  void type(QSpinBox* field, int number) {
    field->selectAll();
    QTest::keyClicks(field, QString::number(number));
    QCOMPARE(field->value(), number);
  }
  void start(FindDesignsDialog* dialog, int budget) {
    type(dialog->findChild<QSpinBox*>(QStringLiteral("designsBudget")), budget);
    QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("designsStart")), Qt::LeftButton);
    QVERIFY(designs()->running());
  }
  /// Something else than usual in every field but the budget.
  void choose(FindDesignsDialog* dialog) {
    auto* first = dialog->findChild<QComboBox*>(QStringLiteral("designsObjective1"));
    first->setCurrentIndex(first->findData(QStringLiteral("off_chip_bytes")));
    QTest::keyClicks(dialog->findChild<QLineEdit*>(QStringLiteral("searchConstraints")),
                     QStringLiteral("cycles<=1e9"));
    dialog->findChild<QListWidget*>(QStringLiteral("designsAllowed"))->item(0)->setCheckState(Qt::Unchecked);
    dialog->findChild<QListWidget*>(QStringLiteral("designsLocked"))->item(1)->setCheckState(Qt::Checked);
    type(dialog->findChild<QSpinBox*>(QStringLiteral("designsMinutes")), 9);
    type(dialog->findChild<QSpinBox*>(QStringLiteral("designsSteps")), 4);
    type(dialog->findChild<QSpinBox*>(QStringLiteral("designsSeed")), 11);
  }
  /// A design whose run ended, but that was not selected yet.
  int unproved() {
    for (std::size_t design = panel()->designs().size(); design-- > 0;)
      if (isEvaluated(panel()->designs()[design]) && static_cast<int>(design) != panel()->selected())
        return static_cast<int>(design);
    return -1;
  }
  void find(int budget) {
    start(opened(), budget);
    showPart(1);
  }
  /// Chart, frontier or steps: where the window is narrow, one at a time.
  void showPart(int part) {
    panel()->findChild<QTabBar*>(QStringLiteral("designsParts"))->setCurrentIndex(part);
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
  QString proof() { return panel()->findChild<QLabel*>(QStringLiteral("designsProof"))->text(); }
  QString status() const { return window_->findChild<ElidedLabel*>(QStringLiteral("statusMessage"))->text(); }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::DesignsTest)
#include "designs_test.moc"
