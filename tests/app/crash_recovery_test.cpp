// Nothing is lost: copies of what is not saved, files that others change, files that may not be written, and
// the session as it was.

#include <QAction>
#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <fstream>

#include "app/window/document/crash_recovery.h"
#include "app/window/document/document_edits.h"
#include "app/window/document/file_watch.h"
#include "app/window/document/recovery.h"
#include "app/window/explore/explorer_pane.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/end_signals.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "engine/program/file_format.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/notice_bar.h"
#include "widgets/diagnostics/diagnostics_list.h"
#include "widgets/parallel/parallel_view.h"

namespace sluice::ui {
namespace {

QString sampleFile() {
  return QStringLiteral(SLUICE_SOURCE_DIR "/sample_workloads/simple_moe.sluice");
}

}  // namespace

class CrashRecoveryTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    usePrivateSettings(QStringLiteral("crash_recovery_test"), settings_.path());
  }
  void init() {
    QSettings().clear();
    QDir(QFileInfo(QSettings().fileName()).absolutePath() + QStringLiteral("/windows")).removeRecursively();
    folder_ = std::make_unique<QTemporaryDir>();
    file_ = folder_->filePath(QStringLiteral("mine.sluice"));
    QVERIFY(QFile::copy(sampleFile(), file_));
    QFile::setPermissions(file_, QFile::ReadOwner | QFile::WriteOwner);
  }

  void aCopyIsThereAfterACrashAndGoneAfterASave() {
    const QString copies = folder_->filePath(QStringLiteral("recovery"));
    DocumentController documents;
    Recovery recovery(&documents, copies);
    QVERIFY(documents.open(file_.toStdString()));
    QVERIFY(copied(copies).isEmpty());
    deepen(documents, 77);
    QTRY_COMPARE_WITH_TIMEOUT(copied(copies).size(), qsizetype{1}, 4 * Recovery::delay);
    // Who is at work on it keeps it.
    DocumentController after;
    Recovery next(&after, copies);
    QVERIFY(!next.leftBehind());
    // As a crash leaves it: the files, but nobody who holds the lock.
    const QString crashed = QDir(copies).filePath(QStringLiteral("crashed.sluice"));
    const QString copy = copied(copies).first();
    QVERIFY(QFile::copy(copy, crashed));
    QVERIFY(QFile::copy(copy + QStringLiteral(".ini"), crashed + QStringLiteral(".ini")));
    const auto left = next.leftBehind();
    QVERIFY(left);
    QCOMPARE(left->original, file_);
    QVERIFY(next.recover(*left));
    QVERIFY(after.document() == documents.document());
    QVERIFY(after.isModified());
    QCOMPARE(QString::fromStdString(after.file().string()), file_);
    QVERIFY(!QFile::exists(crashed));
    QVERIFY(after.save());
    QVERIFY(documents.save());
    QVERIFY(copied(copies).isEmpty());
    QVERIFY(*loadDocument(file_.toStdString()) == documents.document());
  }

  void whatIsNotSavedOutlivesASignal() {
    const QString copies = folder_->filePath(QStringLiteral("recovery"));
    {
      DocumentController documents;
      Recovery recovery(&documents, copies);
      QVERIFY(documents.open(file_.toStdString()));
      deepen(documents, 77);
      EndSignals ends;
      QSignalSpy came(&ends, &EndSignals::came);
      QVERIFY(came.isValid());
      ::raise(SIGTERM);
      ::raise(SIGTERM);  // as timeout(1) does, to the process and to its group
      QTRY_COMPARE(came.size(), qsizetype{1});
      QCOMPARE(came.first().first().toInt(), SIGTERM);
      recovery.leave();
    }
    DocumentController after;
    Recovery next(&after, copies);
    const auto left = next.leftBehind();
    QVERIFY(left);
    QCOMPARE(left->original, file_);
  }

  void aCopyIsAsPrivateAsItsOriginal() {
    constexpr QFileDevice::Permissions others = QFileDevice::ReadGroup | QFileDevice::ReadOther;
    const auto copyOf = [this](QFileDevice::Permissions more, const QString& copies) {
      QFile::setPermissions(file_, QFileDevice::ReadOwner | QFileDevice::WriteOwner | more);
      DocumentController documents;
      Recovery recovery(&documents, copies);
      if (!documents.open(file_.toStdString())) return QFileDevice::Permissions();
      deepen(documents, 5);
      recovery.writeNow();
      deepen(documents, 6);
      recovery.writeNow();  // and stays so
      return QFileInfo(copied(copies).value(0)).permissions();
    };
    const auto closed = copyOf({}, folder_->filePath(QStringLiteral("closed")));
    QVERIFY((closed & QFileDevice::ReadOwner) != 0);
    QVERIFY((closed & others) == 0);
    QVERIFY((copyOf(others, folder_->filePath(QStringLiteral("open"))) & others) == others);
  }

  void manyChangesStillAreCopied() {
    const QString copies = folder_->filePath(QStringLiteral("recovery"));
    DocumentController documents;
    Recovery recovery(&documents, copies);
    QVERIFY(documents.open(file_.toStdString()));
    std::int64_t depth = 1;
    const std::int64_t most = 3 * Recovery::longest / (Recovery::delay / 4);
    while (copied(copies).isEmpty() && depth < most) {
      deepen(documents, ++depth);  // never quiet for long
      QTest::qWait(Recovery::delay / 4);
    }
    QVERIFY(!copied(copies).isEmpty());
  }

  void theWindowOffersWhatWasLeftBehind() {
    const QString copies =
        QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/recovery");
    QDir(copies).removeRecursively();
    QVERIFY(QDir().mkpath(copies));
    Document edited = *loadDocument(file_.toStdString());
    edited.title = "edited before the crash";
    const QString copy = QDir(copies).filePath(QStringLiteral("old.sluice"));
    QVERIFY(saveDocument(edited, copy.toStdString()));
    QSettings(copy + QStringLiteral(".ini"), QSettings::IniFormat)
        .setValue(QStringLiteral("original"), file_);
    const auto window = makeWindow();
    window->keeping()->offerRecovery();
    NoticeBar* notices = window->keeping()->notices();
    QVERIFY2(notices->text().contains(QStringLiteral("mine.sluice")), qPrintable(notices->text()));
    press(notices, "Recover");
    QCOMPARE(window->documents()->document().title, edited.title);
    QVERIFY(window->isWindowModified());
    QVERIFY(notices->text().isEmpty());
    QVERIFY(!QFile::exists(copy));
    QVERIFY(window->saveFile(file_));
  }

  void anotherProgramsChangeIsToldAndReloaded() {
    const auto window = makeWindow();
    QVERIFY(window->openFile(file_));
    NoticeBar* notices = window->keeping()->notices();
    deepen(*window->documents(), 9);
    QVERIFY(window->documents()->save());
    QTest::qWait(500);
    QVERIFY2(notices->text().isEmpty(), "our own save is no change of another program");
    Document theirs = window->documents()->document();
    theirs.title = "theirs";
    std::ofstream(file_.toStdString()) << writeDocument(theirs);
    QTRY_VERIFY(notices->text().contains(QStringLiteral("another program")));
    press(notices, "Reload");
    QCOMPARE(window->documents()->document().title, std::string("theirs"));
    QVERIFY(QFile::remove(file_));
    QTRY_VERIFY(notices->text().contains(QStringLiteral("deleted")));
    press(notices, "Keep Mine");
    QVERIFY(window->saveFile(file_));
    QVERIFY(QFile::exists(file_));
  }

  void aReadOnlyFileIsToldAndKept() {
    QFile::setPermissions(file_, QFile::ReadOwner);
    if (QFileInfo(file_).isWritable()) QSKIP("this user may write everything");
    const auto window = makeWindow();
    QVERIFY(window->openFile(file_));
    QVERIFY(window->windowTitle().contains(QStringLiteral("read-only")));
    QVERIFY(!window->keeping()->notices()->text().isEmpty());
  }

  void theSessionComesBack() {
    QString node;
    double zoom = 0;
    {
      const auto window = makeWindow();
      QVERIFY(window->openFile(file_));
      QTRY_VERIFY_WITH_TIMEOUT(!window->workspace()->canvas()->layoutPending(), engine_time);
      window->workspace()->canvas()->toggleRegion(QStringLiteral("expert"));
      QVERIFY(!window->documents()->isModified());
      QTRY_VERIFY_WITH_TIMEOUT(!window->workspace()->canvas()->layoutPending(), engine_time);
      window->workspace()->canvas()->setZoom(1.7);
      window->jumpTo(QStringLiteral("x_load"));
      zoom = window->workspace()->canvas()->zoom();
      node = window->workspace()->canvas()->selectedNode();
      QVERIFY(window->close());
    }
    const auto window = makeWindow();
    QVERIFY(window->keeping()->restoreSession().isEmpty());
    QCOMPARE(QString::fromStdString(window->documents()->file().string()), file_);
    QTRY_COMPARE_WITH_TIMEOUT(window->workspace()->canvas()->selectedNode(), node, engine_time);
    QCOMPARE(window->workspace()->canvas()->zoom(), zoom);
    QVERIFY(!findNode(window->workspace()->canvas()->document(), "expert")->body->collapsed);
    QVERIFY(window->close());
    // A file that is gone is reported in the list of diagnostics, and not asked for again.
    QVERIFY(QFile::remove(file_));
    const auto later = makeWindow();
    QVERIFY(later->keeping()->restoreSession().isEmpty());
    QVERIFY(!later->documents()->hasDocument());
    const Diagnostics& told = later->workspace()->diagnostics()->diagnostics();
    QVERIFY(told.size() == 1 && text(told.front().place) == file_.toStdString());
  }

  void everyWindowComesBackWithItsOwn() {
    const QString other = folder_->filePath(QStringLiteral("other.sluice"));
    const QString third = folder_->filePath(QStringLiteral("third.sluice"));
    for (const QString& file : {other, third}) QVERIFY(QFile::copy(sampleFile(), file));
    {
      // One window is closed while others are open: it is not part of the session.
      const auto one = makeWindow(), two = makeWindow(), three = makeWindow();
      QVERIFY(one->openFile(file_) && two->openFile(other) && three->openFile(third));
      QTRY_VERIFY_WITH_TIMEOUT(!two->workspace()->canvas()->layoutPending(), engine_time);
      two->workspace()->canvas()->setZoom(1.9);
      two->workspace()->explorer()->bring(two->workspace()->explorer()->parallel());
      two->findChild<QDockWidget*>(QStringLiteral("knobDock"))->hide();
      QVERIFY(three->close());
      // One is quit: all are.
      one->commands()->action(QStringLiteral("file.quit"))->trigger();
      QVERIFY(!one->isVisible());
      QTRY_VERIFY(!two->isVisible());
    }
    const auto first = makeWindow(), second = makeWindow();
    const QStringList more = first->keeping()->restoreSession();
    QCOMPARE(more.size(), qsizetype{1});
    QVERIFY(second->keeping()->restoreWindow(more.first()));
    QVERIFY(!makeWindow()->keeping()->restoreWindow(more.first()));  // taken already
    const auto fileOf = [](MainWindow& window) {
      return QString::fromStdString(window.documents()->file().string());
    };
    QCOMPARE((QSet<QString>{fileOf(*first), fileOf(*second)}), (QSet<QString>{file_, other}));
    MainWindow& two = fileOf(*first) == other ? *first : *second;
    MainWindow& one = fileOf(*first) == other ? *second : *first;
    QTRY_COMPARE_WITH_TIMEOUT(two.workspace()->canvas()->zoom(), 1.9, engine_time);
    QCOMPARE(two.workspace()->explorer()->current(), two.workspace()->explorer()->parallel());
    QVERIFY(one.workspace()->explorer()->current() != one.workspace()->explorer()->parallel());
    QVERIFY(two.findChild<QDockWidget*>(QStringLiteral("knobDock"))->isHidden());
    QVERIFY(!one.findChild<QDockWidget*>(QStringLiteral("knobDock"))->isHidden());
    // They are open now: a third start finds nothing, and a file that is asked for takes nothing away.
    const auto third_start = makeWindow();
    QVERIFY(third_start->keeping()->restoreSession().isEmpty());
    QVERIFY(!third_start->documents()->hasDocument());
  }

  void aFileThatIsAskedForBeginsANewSession() {
    {
      const auto window = makeWindow();
      QVERIFY(window->openFile(file_));
      QVERIFY(window->close());
    }
    const auto asked = makeWindow();
    asked->keeping()->beginSession();
    QVERIFY(asked->keeping()->restoreSession().isEmpty());
    QVERIFY(!asked->documents()->hasDocument());
  }

 private:
  static void deepen(DocumentController& documents, std::int64_t depth) {
    documents.edit(QStringLiteral("deepen"),
                   [&](Document& document) { setDepth(document, "#tokens.in", Value(depth)); });
  }
  static QStringList copied(const QString& folder) {
    QStringList files;
    for (const QFileInfo& file : QDir(folder).entryInfoList({QStringLiteral("*.sluice")}, QDir::Files))
      files << file.absoluteFilePath();
    return files;
  }
  static void press(NoticeBar* notices, const char* text) {
    for (QPushButton* button : notices->findChildren<QPushButton*>())
      if (!button->isHidden() && button->text() == QLatin1String(text)) return button->click();
    QFAIL("no such button");
  }
  QTemporaryDir settings_;
  std::unique_ptr<QTemporaryDir> folder_;
  QString file_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::CrashRecoveryTest)
#include "crash_recovery_test.moc"
