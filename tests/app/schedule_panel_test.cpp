// The schedule under a user's hands: the program after it on the canvas, the switch, the panel, the dialog.

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QToolButton>
#include <set>

#include "app/window/document/document_edits.h"
#include "app/window/schedule/schedule_controller.h"
#include "app/window/schedule/schedule_panel.h"
#include "app/window/schedule/step_dialog.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "engine/program/file_format.h"
#include "tests/app/main_windows.h"
#include "tests/app/picture.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/app/watchdog.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/quantity.h"
#include "widgets/inspector/inspector.h"
#include "widgets/inspector/parameter_editor.h"
#include "widgets/metrics/metrics_bar.h"
#include "widgets/plots/occupancy_plot.h"

namespace sluice::ui {
namespace {

std::string ends(const Stream& stream) {
  return text(stream.from) + " -> " + text(stream.to);
}

}  // namespace

class SchedulePanelTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("schedule_panel_test"), folder_.path());
  }
  void init() {
    QSettings().clear();
    openWindow();
  }
  void cleanup() { window_.reset(); }

  void theCanvasShowsWhatIsSimulated_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"moe_three_ways", "deepseek_moe", "gnn", "attention_qwen"})
      QTest::newRow(name) << QString::fromLatin1(name);
  }
  void theCanvasShowsWhatIsSimulated() {
    QFETCH(QString, name);
    open(name.toLatin1().constData());
    QVERIFY(window_->shownProgram()->isScheduled());
    const Result<Document> plain = loadDocument(sample(name.toLatin1().constData()).toStdString());
    QVERIFY(plain);
    const SymbolicResult result = evaluated(*plain);
    QVERIFY(result.scheduled);
    QVERIFY(sameMeaning(canvas()->document().program, result.scheduled->document.program));
    QVERIFY(nodePaths(canvas()->document()) != nodePaths(*plain));
    expandAll();
    expectLabelsOf(result);
  }

  void theProgramViewHasLabelsOfItsOwn() {
    open("moe_three_ways");
    expandAll();
    QTest::keyClick(window_.get(), Qt::Key_1, Qt::ControlModifier);
    QVERIFY(!window_->shownProgram()->isScheduled());
    QVERIFY(sameMeaning(canvas()->document().program, window_->documents()->document().program));
    QVERIFY(!findNode(canvas()->document(), "layer.expert.pack"));
    Document plain = window_->documents()->document();
    plain.schedule.clear();
    expectLabelsOf(evaluated(plain));
    // Heat only where both programs have the same operator.
    const Picture& picture = canvas()->graphScene()->picture();
    QVERIFY(picture.boxes[picture.model.findBox("x_load")].heat >= 0);
    QVERIFY(picture.boxes[picture.model.findBox("layer.expert.up_load")].heat < 0);
    QTest::keyClick(window_.get(), Qt::Key_2, Qt::ControlModifier);
    QVERIFY(window_->shownProgram()->isScheduled());
    QVERIFY(findNode(canvas()->document(), "layer.expert.pack"));
  }

  void theSwitchIsRemembered() {
    open("gnn");
    auto* plain = window_->findChild<QToolButton*>(QStringLiteral("switch.view.program"));
    QVERIFY(plain->isVisible());
    QTest::mouseClick(plain, Qt::LeftButton);
    QVERIFY(!window_->shownProgram()->isScheduled());
    QVERIFY(window_->commands()->action(QStringLiteral("view.program"))->isChecked());
    window_.reset();
    openWindow();
    open("gnn");
    QVERIFY(!window_->shownProgram()->isScheduled());
    QVERIFY(window_->commands()->action(QStringLiteral("view.program"))->isChecked());
    open("simple_moe");
    QVERIFY(!plainSwitch()->isVisible());
  }

  void aSelectedStreamIsTheSameInBothViews() {
    open("gnn");
    expandAll();
    const std::string before = originOf(canvas()->document(), "update.product.out -> update.activation.in");
    QVERIFY(!before.empty());
    window_->jumpTo(QString::fromStdString(before));
    const auto trace = occupancy()->traces();
    QVERIFY(!trace.empty());
    QTest::keyClick(window_.get(), Qt::Key_1, Qt::ControlModifier);
    const Stream* stream = findStream(canvas()->document(), canvas()->selectedStream().toStdString());
    QVERIFY(stream);
    QCOMPARE(ends(*stream), std::string("product.out -> activation.in"));
    QCOMPARE(occupancy()->traces().size(), trace.size());
    QCOMPARE(occupancy()->traces().front().name, trace.front().name);
  }

  void whatAStepMadeCannotBeEdited() {
    open("moe_three_ways");
    expandAll();
    window_->jumpTo(QStringLiteral("layer.expert.pack"));
    QVERIFY2(note().contains(QStringLiteral("step 1, tile")), qPrintable(note()));
    for (const ParameterEditor* editor : window_->inspector()->findChildren<ParameterEditor*>())
      QVERIFY(!editor->isEnabled());
    window_->jumpTo(QStringLiteral("layer.expert.up_load"));
    QVERIFY2(note().contains(QStringLiteral("step 2, split")), qPrintable(note()));
    window_->jumpTo(QStringLiteral("x_load"));
    QVERIFY2(note().isEmpty(), qPrintable(note()));
    // Its place is kept for the session, that of a node of the program in the document.
    const Document before = window_->documents()->document();
    emit canvas()->nodeMoved(QStringLiteral("layer.expert.pack"), QPointF(12, 34));
    QVERIFY(window_->documents()->document() == before);
    QCOMPARE(findNode(canvas()->document(), "layer.expert.pack")->at->x, 12.0);
    emit canvas()->nodeMoved(QStringLiteral("x_load"), QPointF(56, 78));
    QCOMPARE(findNode(window_->documents()->document(), "x_load")->at->x, 56.0);
    QCOMPARE(findNode(canvas()->document(), "x_load")->at->x, 56.0);
    QCOMPARE(findNode(canvas()->document(), "layer.expert.pack")->at->x, 12.0);
    undo();
    QVERIFY(window_->documents()->document() == before);
  }

  void aStepIsDisabledAndUndone() {
    open("moe_three_ways");
    const Document before = window_->documents()->document();
    const QString cycles = shown("cycles"), memory = shown("on_chip_bytes");
    clickCheckBox(1);
    QVERIFY(!window_->documents()->document().schedule[1].enabled);
    settle();
    QVERIFY(!findNode(canvas()->document(), "layer.expert.repeat"));
    QVERIFY(shown("on_chip_bytes") != memory);
    QVERIFY2(row(1).contains(QStringLiteral("off")), qPrintable(row(1)));
    undo();
    QVERIFY(window_->documents()->document() == before);
    settle();
    QVERIFY(findNode(canvas()->document(), "layer.expert.repeat"));
    QCOMPARE(shown("on_chip_bytes"), memory);
    QCOMPARE(shown("cycles"), cycles);
  }

  void stepsMoveAndGo() {
    open("deepseek_moe");
    const std::vector<ScheduleStep> steps = window_->documents()->document().schedule;
    list()->setFocus();
    list()->setCurrentRow(2);
    QTest::keyClick(list(), Qt::Key_Down, Qt::AltModifier);
    QCOMPARE(window_->documents()->document().schedule[3], steps[2]);
    QCOMPARE(list()->currentRow(), 3);
    QTest::mouseClick(panel()->findChild<QToolButton*>(QStringLiteral("moveStepUp")), Qt::LeftButton);
    QVERIFY(window_->documents()->document().schedule == steps);
    list()->model()->moveRow({}, 0, {}, 5);  // what dropping a row does
    QTRY_COMPARE(window_->documents()->document().schedule[4], steps[0]);
    undo();
    QVERIFY(window_->documents()->document().schedule == steps);
    QVERIFY(row(0).startsWith(QStringLiteral("1. Tile expert")));
    list()->setFocus();
    list()->setCurrentRow(4);
    QTest::keyClick(list(), Qt::Key_Delete);
    QCOMPARE(window_->documents()->document().schedule.size(), steps.size() - 1);
    QCOMPARE(list()->count(), 4);
    while (window_->documents()->undoStack()->canUndo()) undo();
    QVERIFY(window_->documents()->document().schedule == steps);
    QVERIFY(!window_->isWindowModified());
    settle();
  }

  void aRefusedStepSaysWhy() {
    open("moe_three_ways");
    window_->documents()->edit(QStringLiteral("break"),
                               [](Document& document) { document.schedule[1].arguments["size"] = Value(7); });
    settle();
    QVERIFY2(row(1).contains(QStringLiteral("refused")), qPrintable(row(1)));
    QVERIFY2(row(1).contains(QStringLiteral("7")), qPrintable(row(1)));
    QVERIFY2(row(2).contains(QStringLiteral("not reached")), qPrintable(row(2)));
    QVERIFY(!window_->shownProgram()->isScheduled());
    QVERIFY(sameMeaning(canvas()->document().program, window_->documents()->document().program));
    auto* refused = window_->findChild<QLabel*>(QStringLiteral("scheduleRefused"));
    QVERIFY(refused && refused->isVisible());
    undo();
    settle();
    QVERIFY(window_->shownProgram()->isScheduled());
  }

  void marksOfADeadlockAreInBothViews() {
    open("deadlock_fork_join");
    window_->documents()->edit(QStringLiteral("shallow"), [](Document& document) {
      addStep(document, {"fifo_depth", {{"to", "*"}, {"depth", 2}}});
    });
    settle();
    QVERIFY(window_->shownProgram()->isScheduled());
    const auto stuck = [this] {
      std::set<std::string> streams;
      const Picture& picture = canvas()->graphScene()->picture();
      for (std::size_t i = 0; i < picture.links.size(); ++i)
        if (picture.links[i].mark) streams.insert(picture.model.links[i].name);
      return streams;
    };
    const std::set<std::string> scheduled = stuck();
    QVERIFY(!scheduled.empty());
    QTest::keyClick(window_.get(), Qt::Key_1, Qt::ControlModifier);
    QVERIFY(!window_->shownProgram()->isScheduled());
    QVERIFY(stuck() == scheduled);
  }

  void aMistakeBehindALegalScheduleIsMarkedOnIt() {
    open("simple_moe");
    window_->documents()->edit(QStringLiteral("break"), [](Document& document) {
      addStep(document, {"fifo_depth", {{"to", "*"}, {"depth", 3}}});
      setParameter(document, "sum", "rank", Value(7));
    });
    settle();
    QVERIFY(window_->findChild<MetricTile*>(QStringLiteral("metric.cycles"))->isStale());
    QVERIFY(window_->shownProgram()->isScheduled());
    QVERIFY2(row(0).contains(QStringLiteral("streams changed: ")), qPrintable(row(0)));
    const Picture& picture = canvas()->graphScene()->picture();
    QVERIFY(picture.boxes[picture.model.findBox("sum")].mark);
    undo();
    settle();
    QVERIFY(!picture.boxes[picture.model.findBox("sum")].mark);
  }

  void aStepIsAddedWithAPreview() {
    open("simple_moe");
    const Document before = window_->documents()->document();
    QVERIFY(before.schedule.empty());
    window_->commands()->action(QStringLiteral("edit.addStep"))->trigger();
    choose("transformation", "fifo_depth");
    choose("argument.to", "*");
    // Nothing is wrong before it was typed: the dialog asks for it.
    QTRY_VERIFY(preview()->toPlainText().contains(QStringLiteral("Give Depth")));
    QVERIFY(!okButton()->isEnabled() && !dialog()->preview());
    type("argument.depth", "16*");
    waitForPreview();
    QVERIFY(!*dialog()->preview());
    QVERIFY(!okButton()->isEnabled());
    type("argument.depth", "16");
    waitForPreview();
    expectPreview(before);
    expectCycles();
    QTest::mouseClick(okButton(), Qt::LeftButton);
    QCOMPARE(window_->documents()->document().schedule.size(), std::size_t{1});
    QCOMPARE(window_->documents()->document().schedule[0],
             (ScheduleStep{"fifo_depth", {{"to", "*"}, {"depth", 16}}}));
    settle();
    QVERIFY(window_->shownProgram()->isScheduled());
    undo();
    QVERIFY(window_->documents()->document() == before);
    settle();
  }

  void theContextMenuTilesARegion() {
    open("moe_three_ways");
    for (int i = 0; i < 4; ++i)
      window_->documents()->edit(QStringLiteral("clear"), [](Document& d) { removeStep(d, 0); });
    settle();
    const Document before = window_->documents()->document();
    canvas()->selectNode(QStringLiteral("layer.expert"));
    emit canvas()->contextMenuRequested(QStringLiteral("layer.expert"), {}, QPoint(5, 5));
    auto* menu = window_->findChild<QMenu*>(QStringLiteral("canvasMenu"));
    QVERIFY(menu);
    QAction* const tile = actionOf(*menu, QStringLiteral("Tile"));
    QVERIFY(tile);
    tile->trigger();
    menu->close();
    QVERIFY(dialog());
    QCOMPARE(dialog()->step().arguments.at("region"), Value("layer.expert"));
    QCOMPARE(dialog()->step().arguments.at("input"), Value("x"));
    choose("argument.method", "static");
    type("argument.rows", "tile");
    waitForPreview();
    expectPreview(before);
    QVERIFY(preview()->toPlainText().contains(QStringLiteral("layer.expert.pack")));
    QTest::mouseClick(okButton(), Qt::LeftButton);
    settle();
    QVERIFY(findNode(canvas()->document(), "layer.expert.pack"));
    QCOMPARE(list()->count(), 1);
    QVERIFY2(row(0).contains(QStringLiteral("4 new")), qPrintable(row(0)));
  }

  void stepsAreOfferedForWhatTheyTake() {
    open("moe_three_ways");
    QTest::keyClick(window_.get(), Qt::Key_1, Qt::ControlModifier);
    expandAll();
    const QAction* split = window_->commands()->action(QStringLiteral("schedule.split"));
    const QAction* cut = window_->commands()->action(QStringLiteral("schedule.cut"));
    window_->jumpTo(QStringLiteral("layer.expert.up_load"));
    QVERIFY(split->isEnabled() && !cut->isEnabled());
    window_->jumpTo(QStringLiteral("layer.expert.up"));
    QVERIFY(!split->isEnabled() && cut->isEnabled());
    window_->jumpTo(QStringLiteral("x_load"));
    QVERIFY(!split->isEnabled() && !cut->isEnabled());
  }

  void editingAStepPreviewsItInItsPlace() {
    open("deepseek_moe");
    const Document before = window_->documents()->document();
    panel()->select(1);
    QTest::mouseClick(panel()->findChild<QToolButton*>(QStringLiteral("editStep")), Qt::LeftButton);
    QVERIFY(dialog());
    QCOMPARE(dialog()->step(), before.schedule[1]);
    waitForPreview();
    Document until = before;
    until.schedule.resize(1);
    expectPreview(until);
    type("argument.size", "7");
    waitForPreview();
    QVERIFY(!*dialog()->preview());
    QVERIFY(preview()->toPlainText().contains(QStringLiteral("cannot be applied")));
    QTest::keyClick(dialog(), Qt::Key_Escape);
    QVERIFY(window_->documents()->document() == before);
  }

  void aNodeLeadsToTheStepThatMadeIt() {
    open("deepseek_moe");
    canvas()->selectNode(QStringLiteral("expert.pack"));
    emit canvas()->contextMenuRequested(QStringLiteral("expert.pack"), {}, QPoint(5, 5));
    auto* menu = window_->findChild<QMenu*>(QStringLiteral("canvasMenu"));
    QVERIFY(menu);
    QAction* const step = actionOf(*menu, QStringLiteral("step 1, tile"));
    QVERIFY(step);
    step->trigger();
    menu->close();
    QVERIFY(dialog());
    QCOMPARE(dialog()->step(), window_->documents()->document().schedule[0]);
    QTest::keyClick(dialog(), Qt::Key_Escape);
  }

  void turningKnobsNeverBlocks() {
    open("deepseek_moe");
    Watchdog watchdog;
    for (int turn = 0; turn < 20; ++turn) {
      KnobValues knobs = window_->documents()->knobs();
      knobs["regions"] = turn % 2 ? 64 : 32;
      knobs["tile"] = turn % 3 ? 16 : 32;
      window_->documents()->setKnobs(knobs, QStringLiteral("turn"));
      QTest::qWait(30);
    }
    settle();
    qInfo("longest turn of the event loop while turning knobs under a schedule: %.1f ms",
          watchdog.longestTurn() * 1e3);
    QVERIFY(watchdog.longestTurn() < 1);
    QVERIFY(window_->shownProgram()->isScheduled());
  }

  void theThemeReachesPanelAndDialog() {
    open("moe_three_ways");
    panel()->select(1);
    for (const ThemeChoice theme : {ThemeChoice::Dark, ThemeChoice::Light}) {
      window_->setTheme(theme);
      QTest::mouseClick(panel()->findChild<QToolButton*>(QStringLiteral("editStep")), Qt::LeftButton);
      waitForPreview();
      QCOMPARE(looksDark(panel()), theme == ThemeChoice::Dark);
      QCOMPARE(looksDark(canvas()), theme == ThemeChoice::Dark);
      QCOMPARE(looksDark(dialog()), theme == ThemeChoice::Dark);
      QTest::keyClick(dialog(), Qt::Key_Escape);
    }
  }

 private:
  /// The first action whose text holds `part`; null: none.
  static QAction* actionOf(const QMenu& menu, const QString& part) {
    for (QAction* action : menu.actions())
      if (action->text().remove(QLatin1Char('&')).contains(part)) return action;
    return nullptr;
  }
  void openWindow() {
    window_ = makeWindow();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
  }
  void settle() {
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle() && window_->schedule()->idle(), engine_time);
    QTRY_VERIFY(!canvas()->layoutPending());
  }
  void open(const char* name) {
    QVERIFY(window_->openFile(sample(name)));
    settle();
  }
  SymbolicResult evaluated(const Document& document) const {
    const auto workload = makeWorkload(document, QFileInfo(sample("gnn")).absolutePath().toStdString());
    return *evaluateSymbolic(**workload, defaultKnobs(document));
  }
  void expandAll() {
    for (const std::string& path : nodePaths(canvas()->document())) {
      const Node* node = findNode(canvas()->document(), path);
      if (node->body && node->body->collapsed) canvas()->toggleRegion(QString::fromStdString(path));
    }
    settle();
  }
  /// Every stream on the canvas bears the shape that inference gives the stream of its ends.
  void expectLabelsOf(const SymbolicResult& result) {
    std::map<std::string, std::string> shapes;  // "expert: a.out -> b.in" -> shape of the first instance
    const FlatGraph& graph = result.graph;
    const Document& document = canvas()->document();
    for (std::size_t i = 0; i < graph.streams.size(); ++i) {
      const FlatStream& stream = graph.streams[i];
      const Stream* written = findStream(document, stream.origin);
      QVERIFY2(written, stream.origin.c_str());
      const std::string& consumer = graph.operators[stream.consumer].origin;
      if (written->to.node != "region" && !feedsInferredBroadcast(graph, stream)) {
        const std::string graph_path = graphOfStream(stream.origin);
        const std::string node = (graph_path.empty() ? "" : graph_path + ".") + written->to.node;
        QVERIFY2(isWithin(consumer, node), (consumer + " is not in " + node).c_str());
      }
      shapes.emplace(stream.origin, text(result.inference.streams[i].shape));
    }
    const Picture& picture = canvas()->graphScene()->picture();
    std::size_t labelled = 0;
    for (std::size_t i = 0; i < picture.model.links.size(); ++i) {
      const auto shape = shapes.find(picture.model.links[i].origin);
      if (shape == shapes.end()) {
        QVERIFY2(picture.links[i].label.isEmpty(), picture.model.links[i].name.c_str());
        continue;
      }
      QCOMPARE(picture.links[i].label.join(QLatin1Char('\n')), QString::fromStdString(shape->second));
      ++labelled;
    }
    QVERIFY2(labelled * 10 >= picture.model.links.size() * 7, "most streams have a label");
  }
  static std::string originOf(const Document& document, const std::string& full_name) {
    for (const auto& [id, stream] : namedStreams(document)) {
      const std::string path = graphOfStream(id);
      const std::string prefix = path.empty() ? "" : path + ".";
      if (prefix + text(stream->from) + " -> " + prefix + text(stream->to) == full_name) return id;
    }
    return {};
  }
  StepDialog* dialog() const { return window_->findChild<StepDialog*>(); }
  QPushButton* okButton() const {
    return dialog()->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
  }
  QTextBrowser* preview() const { return dialog()->findChild<QTextBrowser*>(QStringLiteral("stepPreview")); }
  void choose(const char* combo, const char* choice) {
    auto* box = dialog()->findChild<QComboBox*>(QString::fromLatin1(combo));
    QVERIFY2(box, combo);
    const int index = box->findText(QString::fromLatin1(choice));
    QVERIFY2(index >= 0, choice);
    box->setCurrentIndex(index);
  }
  void type(const char* field, const char* typed) {
    auto* line = dialog()->findChild<QLineEdit*>(QString::fromLatin1(field));
    QVERIFY2(line, field);
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, QString::fromLatin1(typed));
    QCOMPARE(line->text(), QString::fromLatin1(typed));
  }
  void waitForPreview() {
    QTRY_VERIFY_WITH_TIMEOUT(dialog() && dialog()->preview().has_value(), engine_time);
  }
  /// What the dialog shows is what previewStep says behind the schedule of `document`.
  void expectPreview(const Document& document) {
    const auto workload = makeWorkload(document, QFileInfo(sample("gnn")).absolutePath().toStdString());
    const auto wanted = previewStep(**workload, window_->documents()->knobs(), dialog()->step());
    QVERIFY(wanted);
    QVERIFY2(*dialog()->preview(), dialog()->preview()->operator bool() ? "" : "refused");
    const StepPreview& got = **dialog()->preview();
    QCOMPARE(got.place, wanted->place);
    QVERIFY(got.before.on_chip_bytes == wanted->before.on_chip_bytes);
    QVERIFY(got.after.on_chip_bytes == wanted->after.on_chip_bytes);
    QVERIFY(got.after.off_chip_bytes == wanted->after.off_chip_bytes);
    QVERIFY(got.after.compute == wanted->after.compute);
    QCOMPARE(got.shapes.size(), wanted->shapes.size());
    const QString shown = preview()->toPlainText();
    for (const auto& value : {wanted->before.on_chip_bytes, wanted->after.on_chip_bytes,
                              wanted->before.off_chip_bytes, wanted->after.off_chip_bytes}) {
      QVERIFY(value);
      QString told = text(quantity(*value, QStringLiteral("bytes")));
      QVERIFY2(shown.contains(told.replace(QChar::Nbsp, QLatin1Char(' '))), qPrintable(shown));
    }
    QVERIFY(okButton()->isEnabled());
  }
  /// On demand the dialog runs the program without and with the step.
  void expectCycles() {
    QVERIFY(!preview()->toPlainText().contains(QStringLiteral("Cycles")));
    auto* wanted = dialog()->findChild<QCheckBox*>(QStringLiteral("showCycles"));
    wanted->setFocus();
    QTest::keyClick(wanted, Qt::Key_Space);
    QTRY_VERIFY_WITH_TIMEOUT(dialog()->runs().has_value(), engine_time);
    Document with = window_->documents()->document();
    for (const std::optional<DesignPoint>& point : {dialog()->runs()->before, dialog()->runs()->after}) {
      const auto workload = makeWorkload(with, QFileInfo(sample("gnn")).absolutePath().toStdString());
      const auto run = evaluate(**workload, window_->documents()->knobs(), RecordMode::Count);
      QVERIFY(run && point && run->point.metrics.cycles == point->metrics.cycles);
      QString told = text(quantity(static_cast<double>(point->metrics.cycles), QString()));
      QVERIFY2(preview()->toPlainText().contains(told.replace(QChar::Nbsp, QLatin1Char(' '))),
               qPrintable(preview()->toPlainText()));
      with.schedule.push_back(dialog()->step());
    }
    QVERIFY(preview()->toPlainText().contains(QStringLiteral("Cycles (simulated)")));
  }
  void clickCheckBox(int step) {
    const QRect rect = list()->visualItemRect(list()->item(step));
    QTest::mouseClick(list()->viewport(), Qt::LeftButton, {}, rect.topLeft() + QPoint(13, 15));
  }
  void undo() {
    window_->activateWindow();  // a dialog may have been closed just now
    QTRY_VERIFY(window_->isActiveWindow());
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
  }
  QString shown(const char* name) const {
    return window_->metrics()->tile(QString::fromLatin1(name))->shownText();
  }
  QString note() const {
    const auto* label = window_->inspector()->findChild<QLabel*>(QStringLiteral("readOnlyNote"));
    return label ? label->text() : QString();
  }
  QString row(int step) const { return list()->item(step)->text(); }
  QToolButton* plainSwitch() const {
    return window_->findChild<QToolButton*>(QStringLiteral("switch.view.program"));
  }
  SchedulePanel* panel() const { return window_->schedule()->panel(); }
  QListWidget* list() const { return panel()->list(); }
  GraphCanvas* canvas() const { return window_->workspace()->canvas(); }
  OccupancyPlot* occupancy() const { return window_->workspace()->occupancy(); }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::SchedulePanelTest)
#include "schedule_panel_test.moc"
