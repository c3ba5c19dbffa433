// New documents: an untitled one at once, what an empty canvas says, templates, saving under a name, and what
// becomes of untitled work after a crash.

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <functional>

#include "app/window/document/document_controller.h"
#include "app/window/document/recovery.h"
#include "app/window/document/templates.h"
#include "app/window/edit/edit_controller.h"
#include "app/window/run/session_controller.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/onboarding.h"
#include "app/window/shell/welcome_page.h"
#include "app/window/shell/workspace.h"
#include "engine/program/file_format.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/document_paths.h"
#include "widgets/diagnostics/diagnostics_list.h"

namespace sluice::ui {
class NewDocumentTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    QStandardPaths::setTestModeEnabled(true);
    usePrivateSettings(QStringLiteral("new_document_test"), folder_.path());
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    QVERIFY(QDir::setCurrent(folder_.path()));
  }
  void init() {
    QSettings().clear();
    window_ = makeWindow({1400, 900});
  }
  void cleanup() {
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    window_.reset();
  }

  void newAsksNothing() {
    QVERIFY(window_->onboarding()->welcome()->isVisible());
    QVERIFY(!emptyCanvas()->isVisible());
    trigger("file.new");
    QVERIFY(!QApplication::activeModalWidget());
    QVERIFY(documents()->hasDocument());
    QVERIFY(!documents()->hasFile());
    QVERIFY(!documents()->isModified());
    QVERIFY(window_->windowTitle().startsWith(QStringLiteral("untitled.sluice (not saved yet)")));
    QVERIFY(!window_->onboarding()->welcome()->isVisible());
    QVERIFY(emptyCanvas()->isVisible());
    QVERIFY(!QFileInfo::exists(folder_.filePath(QStringLiteral("untitled.sluice"))));
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    QVERIFY2(diagnostics().empty(), text(diagnostics()).c_str());
    // Nothing is lost with it, so nothing is asked.
    trigger("file.new");
    QVERIFY(!QApplication::activeModalWidget());
  }

  void theEmptyCanvasGoesWithTheFirstOperator() {
    trigger("file.new");
    window_->edits()->addKind(QStringLiteral("LinearOffChipLoad"));
    QVERIFY(!emptyCanvas()->isVisible());
    QVERIFY(documents()->isModified());
    trigger("edit.undo");
    QVERIFY(emptyCanvas()->isVisible());
    QVERIFY(!documents()->isModified());
  }

  /// The view does not move under what is dropped, and the views that its errors covered come back.
  void whatIsDroppedOnAnEmptyCanvasStays() {
    trigger("file.new");
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    GraphCanvas* canvas = window_->workspace()->canvas();
    QWidget* occupancy = window_->findChild<QWidget*>(QStringLiteral("occupancyDock"));
    QVERIFY(occupancy && !occupancy->visibleRegion().isEmpty());
    const QPoint at(canvas->viewport()->width() / 4, canvas->viewport()->height() / 4);
    QMimeData data;
    data.setData(QString::fromLatin1(GraphCanvas::operator_mime), "LinearOffChipLoad");
    QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(canvas->viewport(), &enter);
    QDropEvent event(at, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(canvas->viewport(), &event);
    const QString node = QStringLiteral("linear_off_chip_load");
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle() && !canvas->layoutPending(), engine_time);
    const QPoint shown = canvas->viewportTransform().map(canvas->nodeCenter(node)).toPoint();
    QVERIFY2((shown - at).manhattanLength() < 120,
             qPrintable(
                 QStringLiteral("%1, %2 for %3, %4").arg(shown.x()).arg(shown.y()).arg(at.x()).arg(at.y())));
    QTRY_VERIFY(!diagnostics().empty() && occupancy->visibleRegion().isEmpty());
    trigger("edit.undo");
    QTRY_VERIFY_WITH_TIMEOUT(diagnostics().empty(), engine_time);
    QTRY_VERIFY(!occupancy->visibleRegion().isEmpty());
  }

  /// Load, map, store out of the palette, joined, run without a parameter typed in.
  void freshOperatorsFitTogether() {
    trigger("file.new");
    for (const char* kind : {"LinearOffChipLoad", "Map", "LinearOffChipStore"}) {
      window_->workspace()->canvas()->clearSelection();
      window_->edits()->addKind(QString::fromLatin1(kind));
    }
    for (const LinkWish& wish : {LinkWish{"", "linear_off_chip_load.out", "map.in"},
                                 LinkWish{"", "map.out", "linear_off_chip_store.in"}}) {
      QCOMPARE(window_->edits()->whyNot(wish), QString());
      window_->edits()->join(wish);
    }
    QSignalSpy ran(window_->session(), &SessionController::pointReady);
    QTRY_VERIFY_WITH_TIMEOUT(!ran.isEmpty(), engine_time);
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    QVERIFY2(diagnostics().empty(), text(diagnostics()).c_str());
  }

  void whatAFreshOperatorLacksIsSaid() {
    trigger("file.new");
    window_->edits()->addKind(QStringLiteral("DynLinearOffChipLoad"));
    QTRY_VERIFY_WITH_TIMEOUT(
        text(diagnostics()).find("no input of the document is chosen") != std::string::npos, engine_time);
    QVERIFY(text(diagnostics()).find("''") == std::string::npos);
  }

  void aFreshOperatorTakesTheTileThatArrives() {
    trigger("file.new.load_map_store");
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    const auto node = [&](const char* path) { return findNode(documents()->document(), path); };
    const Value tiles = node("load")->parameters.at("tile");
    // Into a stream, and by a stream.
    GraphCanvas* canvas = window_->workspace()->canvas();
    QTRY_VERIFY_WITH_TIMEOUT(!canvas->layoutPending(), engine_time);
    canvas->selectStream(QStringLiteral("#activation.in"));
    window_->edits()->addKind(QStringLiteral("Scan"));
    QCOMPARE(node("scan")->parameters.at("init"), tiles);
    canvas->clearSelection();
    window_->edits()->addKind(QStringLiteral("LinearOffChipStore"));
    QCOMPARE(node("linear_off_chip_store")->parameters.at("tile"), Value(std::vector<Value>{16, 16}));
    const LinkWish wish{"", "activation.out", "linear_off_chip_store.in"};
    QCOMPARE(window_->edits()->whyNot(wish), QString());
    window_->edits()->join(wish);
    QCOMPARE(node("linear_off_chip_store")->parameters.at("tile"), tiles);
    trigger("edit.undo");
    QCOMPARE(node("linear_off_chip_store")->parameters.at("tile"), Value(std::vector<Value>{16, 16}));
  }

  void everyTemplateOpensAndRuns_data() {
    QTest::addColumn<QString>("name");
    for (const Template& each : templates()) QTest::newRow(qPrintable(each.name)) << each.name;
  }
  void everyTemplateOpensAndRuns() {
    QFETCH(QString, name);
    QSignalSpy ran(window_->session(), &SessionController::pointReady);
    trigger("file.new");
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    ran.clear();
    QTest::mouseClick(emptyCanvas()->findChild<QPushButton*>(QStringLiteral("template.") + name),
                      Qt::LeftButton);
    QVERIFY(!emptyCanvas()->isVisible());
    QVERIFY(!documents()->document().title.empty());
    QVERIFY(!documents()->document().knobs.empty());
    QVERIFY(!documents()->hasFile() && !documents()->isModified());
    QTRY_VERIFY_WITH_TIMEOUT(!ran.isEmpty(), engine_time);
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    QVERIFY2(diagnostics().empty(), text(diagnostics()).c_str());
    const auto result = ran.last().first().value<std::shared_ptr<const PointResult>>();
    QVERIFY(!result->simulation.deadlock && !result->simulation.fault);
    QVERIFY(result->simulation.cycles > 0);
    // The menu opens the same.
    const Document opened = documents()->document();
    trigger("file.new");
    trigger(("file.new." + name.toStdString()).c_str());
    QVERIFY(documents()->document() == opened);
  }

  void savingAsksForAName() {
    trigger("file.new.load_map_store");
    QString suggested;
    inFileDialog(this, [&](QFileDialog* dialog) {
      suggested = dialog->selectedFiles().value(0);
      dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))
          ->setText(folder_.filePath(QStringLiteral("mine")));
    });
    trigger("file.save");
    QCOMPARE(QFileInfo(suggested).fileName(), QStringLiteral("untitled.sluice"));
    const QString file = folder_.filePath(QStringLiteral("mine.sluice"));
    QVERIFY(documents()->hasFile() && !documents()->isModified());
    QVERIFY(*loadDocument(file.toStdString()) == documents()->document());
    QCOMPARE(QSettings().value(QStringLiteral("recentFiles")).toStringList(), QStringList(file));
  }

  /// Others begin with it, too: a change of it goes into a file of one's own, also by Return alone.
  void aSampleIsNotOverwritten() {
    const QString file = sample("simple_moe");
    const Result<Document> before = loadDocument(file.toStdString());
    QVERIFY(before && window_->openFile(file));
    documents()->edit(QStringLiteral("title"), [](Document& document) { document.title = "mine"; });
    QString suggested;
    inFileDialog(this, [&](QFileDialog* dialog) { suggested = dialog->selectedFiles().value(0); });
    trigger("file.save");
    QCOMPARE(suggested, folder_.filePath(QStringLiteral("simple_moe.sluice")));
    QVERIFY(*loadDocument(suggested.toStdString()) == documents()->document());
    QVERIFY(*loadDocument(file.toStdString()) == *before);
    documents()->edit(QStringLiteral("title"), [](Document& document) { document.title = "again"; });
    trigger("file.save");  // it has a file of its own now
    QVERIFY(!QApplication::activeModalWidget() && !documents()->isModified());
    QVERIFY(QFile::remove(suggested));
  }

  void whatWasChangedIsAskedFor() {
    trigger("file.new");
    window_->edits()->addKind(QStringLiteral("Map"));
    bool asked = false, answered = false;
    QTimer::singleShot(200, this, [&] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      asked = box && box->text().contains(QStringLiteral("untitled.sluice"));
      if (!box) return;
      QTest::keyClicks(box, QStringLiteral("sd"));  // typed for something else: Save, Discard
      answered = !box->isVisible();
      QTest::keyClick(box, Qt::Key_Escape);
    });
    trigger("file.new.attention");
    QVERIFY(asked && !answered);
    QCOMPARE(documents()->document().program.nodes.size(), std::size_t{1});
  }

  void untitledWorkOutlivesACrash() {
    const QString copies = folder_.filePath(QStringLiteral("copies"));
    {
      DocumentController documents;
      Recovery recovery(&documents, copies);
      documents.openNew({}, folder_.filePath(QStringLiteral("untitled.sluice")).toStdString());
      recovery.writeNow();
      QVERIFY(QDir(copies).isEmpty());  // nothing to lose yet
      documents.edit(QStringLiteral("title"), [](Document& document) { document.title = "kept"; });
      recovery.leave();
    }
    DocumentController next;
    Recovery recovery(&next, copies);
    const auto left = recovery.leftBehind();
    QVERIFY(left && left->untitled);
    QVERIFY(recovery.recover(*left));
    QCOMPARE(next.document().title, std::string("kept"));
    QVERIFY(!next.hasFile() && next.isModified());
  }

  void inputsAreFoundFromAnotherFolder() {
    const QDir root(folder_.path());
    QVERIFY(root.mkpath(QStringLiteral("a/traces")) && root.mkpath(QStringLiteral("b")));
    const std::filesystem::path a = root.filePath(QStringLiteral("a")).toStdString(),
                                b = root.filePath(QStringLiteral("b")).toStdString();
    Document document;
    document.inputs.resize(1);
    document.inputs.front().name = "lengths";
    document.inputs.front().file = "traces/l.npy";
    DocumentController documents;
    documents.openNew(document, a / "untitled.sluice");
    documents.edit(QStringLiteral("title"), [](Document& each) { each.title = "other"; });
    const auto file = [&] { return documents.document().inputs.front().file; };
    QVERIFY(documents.saveAs(b / "mine.sluice"));
    QCOMPARE(file(), (a / "traces" / "l.npy").string());
    QVERIFY(*loadDocument(b / "mine.sluice") == documents.document());
    QVERIFY(!documents.isModified());
    // So does what undo brings back.
    documents.undoStack()->undo();
    QCOMPARE(documents.document().title, std::string());
    QCOMPARE(file(), (a / "traces" / "l.npy").string());
    documents.undoStack()->redo();
    QVERIFY(!documents.isModified());
  }

 private:
  DocumentController* documents() const { return window_->documents(); }
  const Diagnostics& diagnostics() const { return window_->workspace()->diagnostics()->diagnostics(); }
  QWidget* emptyCanvas() const { return window_->findChild<QWidget*>(QStringLiteral("emptyCanvas")); }
  void trigger(const char* id) { window_->commands()->action(QString::fromLatin1(id))->trigger(); }
  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::NewDocumentTest)
#include "new_document_test.moc"
