// The whole window under a user's hands: open, turn a knob, look, click, undo, edit, break, fix, save,
// export.

#include <QAction>
#include <QComboBox>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QMimeData>
#include <QProcess>
#include <QProgressBar>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QSlider>
#include <QStandardPaths>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <random>

#include "app/window/document/document_edits.h"
#include "app/window/document/places.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "engine/program/file_format.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/app/watchdog.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/document_paths.h"
#include "widgets/diagnostics/diagnostics_list.h"
#include "widgets/inspector/inspector.h"
#include "widgets/knobs/knob_panel.h"
#include "widgets/metrics/metrics_bar.h"
#include "widgets/plots/occupancy_plot.h"
#include "widgets/plots/pareto_plot.h"
#include "widgets/points/points_table.h"

namespace sluice::ui {
class WindowTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("window_test"), folder_.path());
  }

  void init() {
    QSettings().clear();
    window_ = makeWindow();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
  }
  void cleanup() { window_.reset(); }

  void openingShowsFiguresShapesAndOccupancy() {
    open("simple_moe");
    QVERIFY(window_->windowTitle().startsWith(QStringLiteral("simple_moe.sluice")));
    QVERIFY(!window_->isWindowModified());
    for (const char* name : {"cycles", "on_chip_bytes", "off_chip_bytes", "flops", "compute_utilization"}) {
      const QString shown = window_->metrics()->tile(QString::fromLatin1(name))->shownText();
      QVERIFY2(!shown.startsWith(QStringLiteral("\u2013")), name);
    }
    QVERIFY(!occupancy()->traces().empty());
    QVERIFY(occupancy()->graphCount() > 0);
    QCOMPARE(diagnostics()->diagnostics().size(), std::size_t{0});
  }

  void turningAKnobMovesEverything() {
    open("simple_moe");
    const QString cycles = shown("cycles"), memory = shown("on_chip_bytes");
    auto* slider = knobSlider("weight_tile");
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_Right);
    QCOMPARE(window_->documents()->knobs().at("weight_tile"), 128);
    QVERIFY(window_->metrics()->tile(QStringLiteral("cycles"))->isStale());
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
    QVERIFY(shown("cycles") != cycles);
    QVERIFY(shown("on_chip_bytes") != memory);
    QVERIFY(!window_->metrics()->tile(QStringLiteral("cycles"))->isStale());
    QVERIFY(!window_->isWindowModified());  // a knob is no part of the file
    undo();
    QCOMPARE(slider->value(), 1);
    QTRY_COMPARE_WITH_TIMEOUT(shown("cycles"), cycles, engine_time);
  }

  void aDragIsOneStepForUndo() {
    open("simple_moe");
    auto* slider = knobSlider("token_tile");
    const KnobValues before = window_->documents()->knobs();
    slider->setSliderDown(true);
    for (int step = 0; step <= slider->maximum(); ++step) {
      slider->setSliderPosition(step);
      QTest::qWait(3);
    }
    slider->setSliderDown(false);
    QVERIFY(window_->documents()->knobs() != before);
    QCOMPARE(window_->documents()->undoStack()->count(), 1);
    undo();
    QCOMPARE(window_->documents()->knobs(), before);
  }

  void theLastKnobWins() {
    open("simple_moe");
    std::vector<KnobValues> arrived;
    connect(
        window_->session(), &SessionController::pointReady, this,
        [&](const std::shared_ptr<const PointResult>& result) { arrived.push_back(result->point.knobs); });
    std::mt19937 random(3);
    auto* slider = knobSlider("token_tile");
    for (int turn = 0; turn < 40; ++turn) {
      slider->setValue(static_cast<int>(random() % 4u));
      QTest::qWait(static_cast<int>(random() % 25u));
    }
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
    QVERIFY(!arrived.empty());
    QCOMPARE(arrived.back(), window_->documents()->knobs());
    // Nothing older comes after it.
    const std::size_t count = arrived.size();
    QTest::qWait(150);
    QCOMPARE(arrived.size(), count);
  }

  void everyTurnOfAKnobIsAnswered() {
    open("simple_moe");
    QString answers;  // in their order: estimated, simulated
    connect(window_->session(), &SessionController::symbolicReady, this,
            [&] { answers += QLatin1Char('e'); });
    connect(window_->session(), &SessionController::pointReady, this, [&] { answers += QLatin1Char('s'); });
    for (int turn = 0; turn < 30; ++turn) {
      answers.clear();
      knobSlider("token_tile")->setValue(turn % 2);
      QTRY_COMPARE_WITH_TIMEOUT(answers, QStringLiteral("es"), engine_time);
    }
  }

  void exploringFillsThePlotAndNeverBlocks() {
    open("simple_moe");
    // A space large enough to take seconds.
    window_->documents()->edit(QStringLiteral("widen"), [](Document& document) {
      for (Knob& knob : document.knobs) {
        if (knob.name != "depth" && knob.name != "compute_bw") continue;
        for (std::int64_t value = 5; value < 19; ++value) knob.list.push_back(100 * value);
      }
    });
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
    Watchdog watchdog;
    QSignalSpy batches(window_->session(), &SessionController::pointsExplored);
    window_->commands()->action(QStringLiteral("run.explore"))->trigger();
    QVERIFY(window_->findChild<QToolButton*>(QStringLiteral("cancelButton"))->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(settled(), 4 * engine_time);
    const std::uint64_t size = designSpace(window_->documents()->document()).size();
    QCOMPARE(points().size(), static_cast<std::size_t>(size));
    QVERIFY(batches.size() >= 1);
    QVERIFY(!pareto()->frontier().empty());
    QVERIFY(!window_->findChild<QProgressBar*>()->isVisible());
    qInfo("longest turn of the event loop while exploring %d points in %d batches: %.1f ms",
          static_cast<int>(size), static_cast<int>(batches.size()), watchdog.longestTurn() * 1e3);
    QVERIFY2(watchdog.longestTurn() < 1,
             "the window was blocked");  // the figure is reported; the bound only catches blocking
  }

  void exploringAgainWithTheTableOpen() {
    open("moe_mixtral");
    QTableView* table = window_->workspace()->table();
    for (QTabWidget* tabs : window_->findChildren<QTabWidget*>())
      if (tabs->indexOf(table) >= 0) tabs->setCurrentWidget(table);
    QVERIFY(table->isVisible());
    explore();
    const int rows = table->model()->rowCount();
    QVERIFY(rows > 1);
    explore();
    QCOMPARE(table->model()->rowCount(), rows);
    // What a header view asks when it still has the columns of before.
    const PointsModel none;
    QVERIFY(!none.headerData(none.columnCount(), Qt::Horizontal, Qt::DisplayRole).isValid());
    QVERIFY(!none.headerData(-1, Qt::Horizontal, Qt::DisplayRole).isValid());
  }

  void clickingAPointSetsItsKnobsAndUndoTakesItBack() {
    open("simple_moe");
    explore();
    const KnobValues before = window_->documents()->knobs();
    int target = -1;
    for (const std::size_t index : pareto()->frontier()) {
      if (points()[index].knobs != before) target = static_cast<int>(index);
    }
    QVERIFY(target >= 0);
    QTest::qWait(100);
    QTest::mouseClick(pareto(), Qt::LeftButton, {}, pareto()->pixelOf(target)->toPoint());
    const KnobValues chosen = window_->documents()->knobs();
    QVERIFY(chosen != before);
    QCOMPARE(window_->knobs()->values(), chosen);
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
    undo();
    QCOMPARE(window_->documents()->knobs(), before);
    QCOMPARE(window_->knobs()->values(), before);
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(window_->documents()->knobs(), chosen);
  }

  void aSimulatedPointIsThePointOfTheSweep() {
    open("simple_moe");
    explore();
    QSignalSpy ready(window_->session(), &SessionController::pointReady);
    const DesignPoint& wanted = points()[points().size() / 2];
    emit window_->workspace()->table()->pointActivated(static_cast<int>(points().size() / 2));
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
    QVERIFY(!ready.isEmpty());
    const auto result = ready.last().first().value<std::shared_ptr<const PointResult>>();
    QCOMPARE(result->point.knobs, wanted.knobs);
    for (const MetricSpec* metric : registeredMetrics())
      QCOMPARE(metric->number(result->point.metrics), metric->number(wanted.metrics));
  }

  void clickingAStreamShowsItsOccupancy() {
    open("deadlock_fork_join");
    clickStream("#normalize.in1");
    QTRY_COMPARE(occupancy()->traces().size(), std::size_t{1});
    QVERIFY2(occupancy()->title().contains(QStringLiteral("normalize.in1")),
             qPrintable(occupancy()->title()));
    QVERIFY(!occupancy()->traces().front().series.samples.empty());
    QVERIFY(window_->inspector()
                ->findChild<QLabel*>(QStringLiteral("inspectedName"))
                ->text()
                .contains(QStringLiteral("exp.out")));
  }

  void editingAParameterIsUndoableAndSimulatesAgain() {
    open("deadlock_fork_join");
    clickNode("spread");
    auto* factor = window_->inspector()->findChild<QLineEdit*>(QStringLiteral("parameter.factor"));
    QVERIFY(factor);
    QCOMPARE(factor->text(), QStringLiteral("blocks"));
    edit(factor, "blocks*0 + 8");
    QCOMPARE(findNode(window_->documents()->document(), "spread")->parameters.at("factor"),
             Value("blocks*0 + 8"));
    QVERIFY(window_->isWindowModified());
    undo();
    QVERIFY(!window_->isWindowModified());
    QCOMPARE(factor->text(), QStringLiteral("blocks"));
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
  }

  void aMistakeIsListedAndJumpsToItsPlace() {
    open("simple_moe");
    window_->documents()->edit(QStringLiteral("break it"),
                               [](Document& document) { setParameter(document, "sum", "rank", Value(7)); });
    QTRY_VERIFY_WITH_TIMEOUT(settled() && !diagnostics()->diagnostics().empty(), engine_time);
    const Diagnostic& first = diagnostics()->diagnostics().front();
    QVERIFY(!first.place.empty() && !first.cause.empty() && !first.fix.empty());
    QVERIFY2(resolvePlace(window_->documents()->document(), first.place), text(first.place).c_str());
    window_->workspace()->showDiagnostics();
    QTest::qWait(50);
    const QModelIndex row = diagnostics()->model()->index(0, 1);
    QTest::mouseClick(diagnostics()->viewport(), Qt::LeftButton, {}, diagnostics()->visualRect(row).center());
    QVERIFY2(window_->workspace()->canvas()->selectedNode() == QLatin1String("sum") ||
                 !window_->workspace()->canvas()->selectedStream().isEmpty(),
             text(first.place).c_str());
    undo();
    QTRY_VERIFY_WITH_TIMEOUT(settled() && diagnostics()->diagnostics().empty(), engine_time);
  }

  void aDeadlockIsToldAndFixed() {
    open("deadlock_fork_join");
    QTRY_VERIFY_WITH_TIMEOUT(!diagnostics()->diagnostics().empty(), engine_time);
    const Diagnostics& all = diagnostics()->diagnostics();
    QCOMPARE(std::count_if(all.begin(), all.end(),
                           [](const Diagnostic& each) { return each.severity == Severity::Error; }),
             1);
    QCOMPARE(all.size(), std::size_t{1});
    const QString told = QString::fromStdString(all.front().cause);
    QVERIFY2(told.startsWith(QStringLiteral("deadlock: ")), qPrintable(told));
    QVERIFY2(told.contains(QStringLiteral("in one wait cycle")), qPrintable(told));
    const Location& place = diagnostics()->diagnostics().front().place;
    QVERIFY2(resolvePlace(window_->documents()->document(), place), text(place).c_str());
    auto* slider = knobSlider("depth");
    slider->setFocus();
    for (int press = 0; press < 6; ++press) QTest::keyClick(slider, Qt::Key_Right);
    QCOMPARE(window_->documents()->knobs().at("depth"), 8);
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
    QCOMPARE(diagnostics()->diagnostics().size(), std::size_t{0});
    QVERIFY(!shown("cycles").startsWith(QStringLiteral("\u2013")));
  }

  void regionsAndMovesAreUndoable() {
    open("simple_moe");
    const Document before = window_->documents()->document();
    GraphCanvas* canvas = window_->workspace()->canvas();
    canvas->toggleRegion(QStringLiteral("expert"));
    emit canvas->nodeMoved(QStringLiteral("sum"), QPointF(12, 34));
    QCOMPARE(findNode(window_->documents()->document(), "sum")->at->x, 12.0);
    while (window_->documents()->undoStack()->canUndo()) undo();
    QVERIFY(window_->documents()->document() == before);
    QVERIFY(!window_->isWindowModified());
  }

  void randomEditsUndoToTheStart() {
    open("simple_moe");
    const DesignState start{window_->documents()->document(), window_->documents()->knobs()};
    std::mt19937 random(11);
    const std::vector<std::string> nodes = nodePaths(start.document);
    const std::vector<NamedStream> streams = namedStreams(start.document);
    for (int round = 0; round < 300; ++round) {
      DocumentController& documents = *window_->documents();
      switch (random() % 6) {
        case 0:
          documents.edit({}, [&](Document& d) {
            setPosition(d, nodes[random() % nodes.size()], {double(random() % 900), 1});
          });
          break;
        case 1:
          documents.edit({}, [&](Document& d) {
            setDepth(d, streams[random() % streams.size()].id, Value(int(1 + random() % 9)));
          });
          break;
        case 2:
          documents.edit({}, [&](Document& d) { setCollapsed(d, "expert", random() % 2 == 0); });
          break;
        case 3:
          knobSlider("token_tile")->setValue(int(random() % 4));
          break;
        case 4:
          documents.undoStack()->undo();
          break;
        case 5:
          documents.undoStack()->redo();
          break;
      }
    }
    window_->documents()->undoStack()->setIndex(window_->documents()->undoStack()->count());
    const DesignState end{window_->documents()->document(), window_->documents()->knobs()};
    QVERIFY(!(end == start));
    window_->documents()->undoStack()->setIndex(0);
    QVERIFY((DesignState{window_->documents()->document(), window_->documents()->knobs()} == start));
    window_->documents()->undoStack()->setIndex(window_->documents()->undoStack()->count());
    QVERIFY((DesignState{window_->documents()->document(), window_->documents()->knobs()} == end));
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
  }

  void savedAndReloadedIsTheSame() {
    open("simple_moe");
    window_->documents()->edit(QStringLiteral("deepen"),
                               [](Document& d) { setDepth(d, "#scatter.control", Value(7)); });
    knobSlider("token_tile")->setValue(0);
    window_->commands()->action(QStringLiteral("edit.keepKnobs"))->trigger();
    QVERIFY(window_->isWindowModified());
    const QString file = folder_.filePath(QStringLiteral("copy.sluice"));
    QVERIFY(window_->saveFile(file));
    QVERIFY(!window_->isWindowModified());
    const Document saved = window_->documents()->document();
    const Result<Document> loaded = loadDocument(file.toStdString());
    QVERIFY(loaded);
    QVERIFY(*loaded == saved);
    QVERIFY(window_->openFile(file));
    QVERIFY(window_->documents()->document() == saved);
    QCOMPARE(window_->documents()->knobs().at("token_tile"), 2);
    QCOMPARE(QSettings().value(QStringLiteral("recentFiles")).toStringList().first(), file);
  }

  void aBadFileIsListedAndChangesNothing() {
    open("simple_moe");
    const Document before = window_->documents()->document();
    const QString file = folder_.filePath(QStringLiteral("bad.sluice"));
    QFile bad(file);
    QVERIFY(bad.open(QIODevice::WriteOnly));
    bad.write("{\"sluice\": 1, \"title\": }");
    bad.close();
    QVERIFY(!window_->openFile(file));
    QVERIFY(!diagnostics()->diagnostics().empty());
    QVERIFY(!diagnostics()->diagnostics().front().fix.empty());
    QVERIFY(window_->documents()->document() == before);
    QVERIFY(!window_->openFile(QStringLiteral("/nowhere/at/all.sluice")));
    QVERIFY(window_->windowTitle().startsWith(QStringLiteral("simple_moe")));
  }

  void aFileCanBeDropped() {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(sample("swiglu"))});
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(window_.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(window_.get(), &drop);
    QVERIFY(window_->windowTitle().startsWith(QStringLiteral("swiglu")));
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
  }

  void closingAChangedDocumentAsks() {
    open("simple_moe");
    window_->documents()->edit(QStringLiteral("deepen"),
                               [](Document& d) { setDepth(d, "#scatter.control", Value(7)); });
    bool asked = false;
    QTimer::singleShot(200, this, [&] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      if (!box) return;
      asked = true;
      QTest::keyClick(box, Qt::Key_Escape);
    });
    QVERIFY(!window_->close());
    QVERIFY(asked);
    QVERIFY(window_->isVisible());
  }

  void cancellingAnExplorationEndsItAtOnce() {
    open("simple_moe");
    window_->commands()->action(QStringLiteral("run.explore"))->trigger();
    QTest::qWait(30);
    window_->findChild<QToolButton*>(QStringLiteral("cancelButton"))->click();
    QVERIFY(!window_->session()->exploring());
    window_->commands()->action(QStringLiteral("run.explore"))->trigger();
    QVERIFY(window_->session()->exploring());
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QVERIFY(!window_->session()->exploring());
    const std::size_t count = points().size();
    QTest::qWait(200);
    QCOMPARE(points().size(), count);
  }

  void exportingFromTheWindowMakesARealPdf() {
    open("simple_moe");
    explore();
    for (const char* view : {"pareto", "occupancy", "canvas"}) {
      const ExportChoice choice{{QString::fromLatin1(view)}, ExportFormat::Pdf, single_column};
      const QString file = folder_.filePath(choice.suggestedName());
      QVERIFY(window_->exportFile(file, choice));
      if (QStandardPaths::findExecutable(QStringLiteral("pdfinfo")).isEmpty()) continue;
      QVERIFY2(output("pdfinfo", {file}).contains(QRegularExpression(QStringLiteral("Page size: +240 x"))),
               qPrintable(file));
      const QStringList fonts = output("pdffonts", {file}).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
      QVERIFY(fonts.size() > 2);
      QVERIFY(!output("pdffonts", {file})
                   .contains(QRegularExpression(QStringLiteral(" no +(yes|no) +(yes|no) +\\d"))));
      QCOMPARE(output("pdfimages", {QStringLiteral("-list"), file})
                   .split(QLatin1Char('\n'), Qt::SkipEmptyParts)
                   .size(),
               2);
    }
    QVERIFY(!window_->exportFile(QStringLiteral("/nowhere/a.pdf"), {}));
    QVERIFY(!diagnostics()->diagnostics().empty());
  }

  void bothThemesAreReadable() {
    open("simple_moe");
    for (const ThemeChoice theme : {ThemeChoice::Dark, ThemeChoice::Light}) {
      window_->setTheme(theme);
      QTest::qWait(50);
      const bool dark = theme == ThemeChoice::Dark;
      QCOMPARE(window_->palette().color(QPalette::Base).lightness() < 128, dark);
      QCOMPARE(pareto()->theme().dark, dark);
      QCOMPARE(occupancy()->theme().dark, dark);
      const QImage picture = window_->grab().toImage();
      QCOMPARE(picture.pixelColor(picture.width() / 2, picture.height() - 4).lightness() < 128, dark);
      QVERIFY(picture.save(QStringLiteral(SLUICE_BINARY_DIR "/window_%1.png").arg(nameOf(theme))));
    }
  }

  void everyCommandHasATextAndIsInAMenu() {
    const QString help = window_->commands()->shortcutsHtml();
    for (const QAction* action : window_->findChildren<QAction*>(
             QRegularExpression(QStringLiteral("^(file|edit|run|view|help)\\.")))) {
      QVERIFY2(!action->text().isEmpty() && !action->toolTip().isEmpty(), qPrintable(action->objectName()));
      QVERIFY(help.contains(action->statusTip().toHtmlEscaped()));
    }
    QVERIFY_EXCEPTION_THROWN(window_->commands()->action(QStringLiteral("file.fly")), std::out_of_range);
  }

  void placesAreFound() {
    open("simple_moe");
    const Document& document = window_->documents()->document();
    const auto node = [](const char* path) { return std::optional<Place>(Place{path, {}}); };
    const auto stream = [](const char* origin) { return std::optional<Place>(Place{{}, origin}); };
    QVERIFY(resolvePlace(document, Location(Where::Operator, "expert[1].gate") /
                                       Location(Where::Port, "in1")) == node("expert.gate"));
    QVERIFY(resolvePlace(document, Location(Where::Node, "sum") / Location(Where::Parameter, "rank")) ==
            node("sum"));
    QVERIFY(resolvePlace(document, Location(Where::Operator, "expert[0].pack.out.broadcast")) ==
            node("expert.pack"));
    QVERIFY(resolvePlace(document, Location(Where::Stream, "x_load.out -> tokens.in")) ==
            stream("#tokens.in"));
    QVERIFY(resolvePlace(document, Location(Where::Stream, "expert[1].group.out -> expert[1].merge.in")) ==
            stream("expert#merge.in"));
    QVERIFY(resolvePlace(document, Location(Where::JsonPath, "$.program.nodes[0].parameters.tile")) ==
            node("x_load"));
    QVERIFY(
        resolvePlace(document, Location(Where::JsonPath, "$.program.nodes[4].program.streams[1].depth")) ==
        stream("expert#merge.in"));
    for (const Location& unknown :
         {Location(), Location("operator 'sum'"), Location(Where::Machine), Location(Where::Knob, "depth"),
          Location(Where::JsonPath, "$.machine"), Location(Where::JsonPath, "$.program.nodes[999]"),
          Location(Where::Operator, "nobody")})
      QVERIFY2(!resolvePlace(document, unknown), text(unknown).c_str());
  }

 private:
  void open(const char* name) {
    QVERIFY(window_->openFile(sample(name)));
    QTRY_VERIFY_WITH_TIMEOUT(settled(), engine_time);
  }
  void explore() {
    QTest::keyClick(window_.get(), Qt::Key_F5);
    QVERIFY(window_->session()->exploring());
    QTRY_VERIFY_WITH_TIMEOUT(settled(), 4 * engine_time);
  }
  void undo() { QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier); }
  bool settled() const { return window_->session()->idle(); }
  QString shown(const char* name) const {
    return window_->metrics()->tile(QString::fromLatin1(name))->shownText();
  }
  QSlider* knobSlider(const char* name) const {
    return window_->knobs()->findChild<QSlider*>(QStringLiteral("slider.") + QString::fromLatin1(name));
  }
  ParetoChart* pareto() const { return window_->workspace()->pareto()->chart(); }
  OccupancyPlot* occupancy() const { return window_->workspace()->occupancy(); }
  DiagnosticsList* diagnostics() const { return window_->workspace()->diagnostics(); }
  const std::vector<DesignPoint>& points() const { return window_->workspace()->points()->points(); }
  void clickAt(const QPointF& scene) const {
    GraphCanvas* canvas = window_->workspace()->canvas();
    QTRY_VERIFY(!canvas->layoutPending());
    QTest::mouseClick(canvas->viewport(), Qt::LeftButton, {}, canvas->mapFromScene(scene));
  }
  void clickNode(const char* path) const {
    QTRY_VERIFY(!window_->workspace()->canvas()->layoutPending());
    clickAt(window_->workspace()->canvas()->nodeCenter(QString::fromLatin1(path)));
  }
  void clickStream(const char* origin) const {
    QTRY_VERIFY(!window_->workspace()->canvas()->layoutPending());
    clickAt(window_->workspace()->canvas()->streamPoint(QString::fromLatin1(origin)));
  }
  static void edit(QLineEdit* line, const char* typed) {
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, QString::fromLatin1(typed));
    QTest::keyClick(line, Qt::Key_Return);
  }
  static QString output(const char* program, const QStringList& arguments) {
    QProcess process;
    process.start(QString::fromLatin1(program), arguments);
    process.waitForFinished(20000);
    return QString::fromUtf8(process.readAllStandardOutput());
  }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::WindowTest)
#include "window_test.moc"
