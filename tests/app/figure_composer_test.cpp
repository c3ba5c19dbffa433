// Figures for papers: composed in the window by mouse and keyboard, kept in the file, and written by the
// shell as they were on the page.

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>
#include <cmath>

#include "app/window/edit/symbol_edits.h"
#include "app/window/export/figure_composer.h"
#include "app/window/export/figure_edits.h"
#include "app/window/export/figure_preview.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "engine/program/file_format.h"
#include "tests/app/command_line.h"
#include "tests/app/paper.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"

namespace sluice::ui {
namespace {

Figure threePanels() {
  Figure figure;
  figure.name = "Figure 1";
  figure.columns = 2;
  for (const PanelView view : {PanelView::Pareto, PanelView::Fifo, PanelView::Timeline})
    figure.panels.push_back({.view = view});
  return figure;
}

std::vector<PanelView> viewsOf(const Figure& figure) {
  std::vector<PanelView> views;
  for (const FigurePanel& panel : figure.panels) views.push_back(panel.view);
  return views;
}

}  // namespace

class FigureComposerTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("figure_composer_test"), folder_.path());
  }

  void panelsKeepToTheGrid() {
    Figure figure = threePanels();
    movePanel(figure, 0, 2);
    QVERIFY(viewsOf(figure) == std::vector({PanelView::Fifo, PanelView::Timeline, PanelView::Pareto}));
    movePanel(figure, 2, 0);
    QVERIFY(viewsOf(figure) == viewsOf(threePanels()));
    movePanel(figure, 0, 3);
    QVERIFY(figure == threePanels());
    setSpan(figure, 0, 5);
    QCOMPARE(figure.panels[0].span, 2);
    setHeight(figure, 0, 1'000'000);
    QCOMPARE(figure.panels[0].height, 2000);
    QCOMPARE(spanOf(figure, 130), 1);
    QCOMPARE(spanOf(figure, 200), 2);
    applyPreset(figure, figurePresets()[0]);
    QCOMPARE(figure.width, 252);
    QCOMPARE(figure.panels[0].span, 1);
    QCOMPARE(presetOf(figure), &figurePresets()[0]);
    figure.width = 300;
    QVERIFY(!presetOf(figure));
    removePanel(figure, 1);
    QCOMPARE(figure.panels.size(), std::size_t{2});
  }

  void figuresHaveNamesOfTheirOwn() {
    Document document;
    QCOMPARE(freeFigureName(document), std::string("Figure 1"));
    addFigure(document, threePanels());
    addFigure(document, threePanels());
    QCOMPARE(document.figures.size(), std::size_t{1});
    QCOMPARE(freeFigureName(document), std::string("Figure 2"));
    addFigure(document, {.name = "Figure 2"});
    changeFigure(document, "Figure 2", [](Figure& figure) { figure.name = "Figure 1"; });
    QVERIFY(findFigure(document, "Figure 2"));
    changeFigure(document, "Figure 2", [](Figure& figure) { figure.name = "overview"; });
    QVERIFY(findFigure(document, "overview"));
    removeFigure(document, "Figure 1");
    QCOMPARE(document.figures.size(), std::size_t{1});
  }

  void aKnobThatGetsAnotherNameKeepsItsPanels() {
    Document document;
    Knob& tile = document.knobs.emplace_back();
    tile.name = "tile";
    Figure figure = threePanels();
    figure.panels[0].x = "tile";
    figure.panels[2].knobs = {{"tile", 16}};
    addFigure(document, figure);
    Knob renamed = tile;
    renamed.name = "rows";
    changeKnob(document, "tile", renamed);
    QCOMPARE(document.figures[0].panels[0].x, std::string("rows"));
    QVERIFY(document.figures[0].panels[2].knobs == (KnobValues{{"rows", 16}}));
  }

  void textsOfFieldsAreReadAgain() {
    std::optional<Bounds> bounds;
    QVERIFY(readField(QStringLiteral("0, 5e6"), bounds));
    QVERIFY(bounds == (Bounds{0, 5e6}));
    QVERIFY(readField(fieldText(bounds), bounds) && bounds);
    QVERIFY(!readField(QStringLiteral("5, 1"), bounds));
    QVERIFY(readField(QString(), bounds) && !bounds);
    KnobValues knobs;
    QVERIFY(readField(QStringLiteral("tile=16, ways = 4"), knobs));
    QVERIFY(knobs == (KnobValues{{"tile", 16}, {"ways", 4}}));
    QVERIFY(!readField(QStringLiteral("tile=x"), knobs));
    std::vector<std::string> names;
    QVERIFY(readField(QStringLiteral("a, , b"), names));
    QCOMPARE(fieldText(names), QStringLiteral("a, b"));
  }

  void panelsAreMovedAndResizedByMouseAndKeyboard() {
    MainWindow window(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout"));
    FigureComposer* composer = composeWithTwoPanels(window);
    QVERIFY(composer);
    FigurePreview* page = composer->preview();
    const QPoint first = page->panelRect(0).center().toPoint(),
                 second = page->panelRect(1).center().toPoint();
    QTest::mouseClick(page, Qt::LeftButton, {}, second);
    QCOMPARE(page->selected(), 1);
    drag(page, second, first);
    QVERIFY(viewsOf(*composer->figure()) == std::vector({PanelView::Timeline, PanelView::Pareto}));
    QCOMPARE(page->selected(), 0);
    QTRY_VERIFY_WITH_TIMEOUT(composer->idle(), engine_time);
    // Its right edge to the end of the page, its lower edge down.
    const QRectF frame = page->panelRect(0);
    const QPoint right(qRound(frame.right()), qRound(frame.center().y()));
    drag(page, right, right + QPoint(qRound(frame.width()), 0));
    QCOMPARE(composer->figure()->panels[0].span, 2);
    QTRY_VERIFY_WITH_TIMEOUT(composer->idle(), engine_time);
    const QPoint lower(qRound(page->panelRect(0).center().x()), qRound(page->panelRect(0).bottom()));
    drag(page, lower, lower + QPoint(0, 60));
    QVERIFY(composer->figure()->panels[0].height > 0);
    // The same with keys.
    page->setFocus();
    QTest::keyClick(page, Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(composer->figure()->panels[0].span, 1);
    QTRY_VERIFY_WITH_TIMEOUT(composer->idle(), engine_time);
    const std::int64_t height = composer->figure()->panels[0].height;
    QTest::keyClick(page, Qt::Key_Down, Qt::ShiftModifier);
    QVERIFY(composer->figure()->panels[0].height > height);
    QTest::keyClick(page, Qt::Key_Right, Qt::ControlModifier);
    QVERIFY(viewsOf(*composer->figure()) == std::vector({PanelView::Pareto, PanelView::Timeline}));
    QTRY_VERIFY_WITH_TIMEOUT(composer->idle(), engine_time);
    QTest::keyClick(page, Qt::Key_Left);
    QCOMPARE(page->selected(), 0);
    QTest::keyClick(page, Qt::Key_Delete);
    QVERIFY(viewsOf(*composer->figure()) == std::vector({PanelView::Timeline}));
    window.commands()->action(QStringLiteral("edit.undo"))->trigger();
    QVERIFY(viewsOf(*composer->figure()) == std::vector({PanelView::Pareto, PanelView::Timeline}));
  }

  /// A page that begins empty is a page, and says what to do; what is missing on it is told in whole words.
  void anEmptyPageIsSeen() {
    MainWindow window(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout"));
    window.show();
    QVERIFY(window.openFile(sample("simple_moe")));
    window.commands()->action(QStringLiteral("file.compose"))->trigger();
    auto* composer = window.findChild<FigureComposer*>();
    QTest::mouseClick(composer->findChild<QPushButton*>(QStringLiteral("newFigure")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(composer->idle(), engine_time);
    QVERIFY(composer->preview()->height() > 100);
    composer->addPanel(PanelView::Pareto);
    QTRY_VERIFY_WITH_TIMEOUT(composer->idle(), engine_time);
    const QString note = composer->findChild<QLabel*>(QStringLiteral("figureNote"))->text();
    QVERIFY2(note.contains(QStringLiteral("explored points: no point")), qPrintable(note));
  }

  void fieldsChangeTheFigureAndUndoTakesThemBack() {
    MainWindow window(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout"));
    FigureComposer* composer = composeWithTwoPanels(window);
    QVERIFY(composer);
    composer->findChild<QListWidget*>(QStringLiteral("figurePanels"))->setCurrentRow(0);
    auto* title = composer->findChild<QLineEdit*>(QStringLiteral("panel_title"));
    QVERIFY(title && title->isVisible());
    title->setFocus();
    title->selectAll();
    QTest::keyClicks(title, QStringLiteral("Tiles"));
    QTest::keyClick(title, Qt::Key_Return);
    QCOMPARE(composer->figure()->panels[0].title, std::string("Tiles"));
    // A timeline has rows, a Pareto plot has not.
    QVERIFY(!composer->findChild<QLineEdit*>(QStringLiteral("panel_rows"))->isVisible());
    composer->findChild<QSpinBox*>(QStringLiteral("figure_text"))->setValue(9);
    QCOMPARE(composer->figure()->text, 9);
    const auto preset = composer->findChild<QComboBox*>(QStringLiteral("figurePreset"));
    QCOMPARE(preset->currentText(), QStringLiteral("Own size"));
    window.commands()->action(QStringLiteral("edit.undo"))->trigger();
    QCOMPARE(composer->figure()->text, 8);
    QVERIFY(preset->currentText().startsWith(QStringLiteral("IEEE text")));
    auto* name = composer->findChild<QLineEdit*>(QStringLiteral("figureName"));
    name->setText(QStringLiteral("overview"));
    QTest::keyClick(name, Qt::Key_Return);
    QCOMPARE(composer->figure()->name, std::string("overview"));
    QTest::mouseClick(composer->findChild<QPushButton*>(QStringLiteral("newFigure")), Qt::LeftButton);
    QCOMPARE(composer->figure()->name, std::string("Figure 1"));
    // What is not there is neither copied nor written.
    QTest::mouseClick(composer->findChild<QPushButton*>(QStringLiteral("copyFigure")), Qt::LeftButton);
    const QMimeData* copied = QApplication::clipboard()->mimeData();
    QVERIFY(!copied || !copied->hasFormat(QStringLiteral("image/svg+xml")));
    QVERIFY(!composer->exportTo(path(QStringLiteral("empty.pdf"))));
    QVERIFY(!QFile::exists(path(QStringLiteral("empty.pdf"))));
    QTest::mouseClick(composer->findChild<QPushButton*>(QStringLiteral("deleteFigure")), Qt::LeftButton);
    QCOMPARE(composer->figure()->name, std::string("overview"));
  }

  /// What is pasted into slides has its panels and series by name, and its text as text.
  void aFigureIsCopiedAsSvg() {
    MainWindow window(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout"));
    FigureComposer* composer = composeWithTwoPanels(window);
    QVERIFY(composer);
    QTest::mouseClick(composer->findChild<QPushButton*>(QStringLiteral("copyFigure")), Qt::LeftButton);
    const QMimeData* data = QApplication::clipboard()->mimeData();
    for (const char* format : {"image/svg+xml", "application/pdf"})
      QVERIFY2(data->hasFormat(QLatin1String(format)), format);
    QVERIFY(data->hasImage());
    const QByteArray svg = data->data(QStringLiteral("image/svg+xml"));
    for (const char* id : {"pareto", "frontier", "timeline"})
      QCOMPARE(svg.count(QByteArray("<g id=\"") + id + "\">"), 1);
    QVERIFY(svg.contains(">Cycles"));
  }

  void aFigureIsTheSameFromTheShell() {
    const QString program = path(QStringLiteral("paper.sluice")),
                  window_pdf = path(QStringLiteral("window.pdf"));
    {
      MainWindow window(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout"));
      FigureComposer* composer = composeWithTwoPanels(window);
      QVERIFY(composer);
      const Result<Done> written = composer->exportTo(window_pdf);
      QVERIFY2(written, written ? "" : text(written.diagnostics()).c_str());
      QVERIFY(window.saveFile(program));
    }
    const Result<Document> document = loadDocument(program.toStdString());
    QVERIFY(document);
    QCOMPARE(document->figures.size(), std::size_t{1});
    QCOMPARE(document->figures[0].width, 516);
    {
      MainWindow window(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout"));
      QVERIFY(window.openFile(program));
      window.commands()->action(QStringLiteral("file.compose"))->trigger();
      QVERIFY(*composerOf(window)->figure() == document->figures[0]);
    }
    const QString shell_pdf = path(QStringLiteral("shell.pdf"));
    QString told;
    QCOMPARE(cli({QStringLiteral("export"), program, QStringLiteral("--figure"), QStringLiteral("Figure 1"),
                  QStringLiteral("--out"), shell_pdf},
                 &told),
             0);
    QCOMPARE(cli({QStringLiteral("export"), program, QStringLiteral("--figure"), QStringLiteral("Figure 2"),
                  QStringLiteral("--out"), shell_pdf},
                 &told),
             1);
    QVERIFY2(told.contains(QStringLiteral("Figure 1")), qPrintable(told));
    QCOMPARE(cli({QStringLiteral("export"), program, QStringLiteral("--figure"), QStringLiteral("Figure 1"),
                  QStringLiteral("--width"), QStringLiteral("7in"), QStringLiteral("--out"), shell_pdf}),
             2);
    if (!popplerIsHere()) QSKIP("poppler-utils are not installed");
    const std::optional<Paper> shell = readPaper(shell_pdf), here = readPaper(window_pdf);
    QVERIFY(shell && here);
    QVERIFY2(std::abs(shell->size.width() - 516) <= 0.01, qPrintable(QString::number(shell->size.width())));
    QCOMPARE(shell->images, 0);
    QCOMPARE(shell->loose, 0);
    for (const char* word : {"(a)", "(b)", "Cycles", "frontier", "scatter"})
      QVERIFY2(shell->words.contains(QLatin1String(word)), word);
    QCOMPARE(shell->size, here->size);
    QCOMPARE(shell->words, here->words);
  }

  /// A program does not keep the designs that were found for it: their store does.
  void aFigureOfDesignsIsDrawnFromTheirStore() {
    const QString program = path(QStringLiteral("designed.sluice")), store = path(QStringLiteral("found.db")),
                  pdf = path(QStringLiteral("designed.pdf"));
    Result<Document> document = loadDocument(sample("simple_moe").toStdString());
    QVERIFY(document);
    document->figures = {{.name = "Found", .panels = {{.view = PanelView::Designs}}}};
    QVERIFY(saveDocument(*document, program.toStdString()));
    const auto drawn = [&](const QStringList& more, QString* told) {
      return cli(QStringList{QStringLiteral("export"), program, QStringLiteral("--figure"),
                             QStringLiteral("Found"), QStringLiteral("--out"), pdf} +
                     more,
                 told);
    };
    QString told;
    QCOMPARE(drawn({}, &told), 1);
    QVERIFY2(told.contains(QStringLiteral("--designs STORE")), qPrintable(told));
    QCOMPARE(cli({QStringLiteral("design"), program, QStringLiteral("--budget"), QStringLiteral("6"),
                  QStringLiteral("--store"), store}),
             0);
    const QStringList from_store{QStringLiteral("--designs"), store};
    QVERIFY2(drawn(from_store, &told) == 0, qPrintable(told));
    if (popplerIsHere()) {
      const std::optional<Paper> page = readPaper(pdf);
      QVERIFY(page && page->words.contains(QStringLiteral("frontier")));
    }
    // Designs of what the program was before are not passed off as its own; a design that is taken is.
    document->schedule.push_back({"fifo_depth", {}, true});
    QVERIFY(saveDocument(*document, program.toStdString()));
    QVERIFY2(drawn(from_store, &told) == 0, qPrintable(told));
    document->schedule.clear();
    document->machine.fifo_depth = Value(std::int64_t{5});
    QVERIFY(saveDocument(*document, program.toStdString()));
    QCOMPARE(drawn(from_store, &told), 1);
    QVERIFY2(told.contains(QStringLiteral("other programs")), qPrintable(told));
  }

 private:
  QString path(const QString& name) const { return folder_.filePath(name); }

  static FigureComposer* composerOf(MainWindow& window) {
    return window.findChild<FigureComposer*>(QStringLiteral("figureComposer"));
  }

  /// A Pareto plot and a timeline beside each other, at the width of IEEE's text.
  static FigureComposer* composeWithTwoPanels(MainWindow& window) {
    QSettings().clear();
    window.show();
    if (!window.openFile(sample("simple_moe"))) return nullptr;
    if (!QTest::qWaitFor([&] { return window.session()->idle(); }, engine_time)) return nullptr;
    window.commands()->action(QStringLiteral("run.explore"))->trigger();
    if (!QTest::qWaitFor([&] { return window.session()->idle(); }, engine_time)) return nullptr;
    window.commands()->action(QStringLiteral("file.compose"))->trigger();
    FigureComposer* composer = composerOf(window);
    for (const PanelView view : {PanelView::Pareto, PanelView::Timeline}) {
      const QString name = QStringLiteral("addPanel%1").arg(static_cast<int>(view));
      composer->findChild<QToolButton*>(QStringLiteral("addPanel"))
          ->menu()
          ->findChild<QAction*>(name)
          ->trigger();
    }
    const bool there = QTest::qWaitFor([&] { return composer->idle(); }, engine_time);
    return there && composer->figure()->panels.size() == 2 ? composer : nullptr;
  }

  static void drag(QWidget* page, QPoint from, QPoint to) {
    QTest::mousePress(page, Qt::LeftButton, {}, from);
    QTest::mouseMove(page, (from + to) / 2);
    QTest::mouseMove(page, to);
    QTest::mouseRelease(page, Qt::LeftButton, {}, to);
  }

  QTemporaryDir folder_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::FigureComposerTest)
#include "figure_composer_test.moc"
