// File > Export as Project under a user's hands: a compiled program becomes a folder, what has no such form
// is reported in the dialog and nothing is written, and the dialog remembers what was chosen.

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/window/export/project_dialog.h"
#include "app/window/run/session_controller.h"
#include "app/window/shell/commands.h"
#include "engine/emitters/registry.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"

namespace sluice::ui {

class ProjectExportTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("project_export_test"), folder_.path());
  }
  void init() { QSettings().clear(); }

  void everyFormIsACommand() {
    const auto window = makeWindow();
    QVERIFY(!window->commands()->action(QStringLiteral("file.project"))->isEnabled());
    for (const Emitter* emitter : registeredEmitters())
      QVERIFY(window->commands()->action(QStringLiteral("file.project.") +
                                         QString::fromStdString(emitter->name)));
  }

  void aCompiledProgramBecomesAFolder() {
    const auto window =
        opened(QStringLiteral(SLUICE_SOURCE_DIR "/resources/templates/tensor_program.sluice"));
    ProjectDialog* dialog = openDialog(*window);
    const QString project = folder_.filePath(QStringLiteral("block_hls"));
    dialog->findChild<QLineEdit*>(QStringLiteral("projectFolder"))->setText(project);
    dialog->findChild<QCheckBox*>(QStringLiteral("projectData"))->setChecked(false);
    auto* numbers = dialog->findChild<QComboBox*>(QStringLiteral("projectNumbers"));
    numbers->setCurrentIndex(numbers->findData(QStringLiteral("program")));
    dialog->findChild<QLineEdit*>(QStringLiteral("projectGiven"))->setText(folderOfHeaders());
    auto* card = dialog->findChild<QComboBox*>(QStringLiteral("projectPlatform"));
    card->setCurrentIndex(card->findData(QStringLiteral("u55c")));
    QSignalSpy written(dialog, &ProjectDialog::written);
    write(*dialog);
    QTRY_COMPARE_WITH_TIMEOUT(written.size(), 1, engine_time);
    QVERIFY(textOf(project + QStringLiteral("/Makefile"))
                .contains("VENDOR_HEADERS ?= " + folderOfHeaders().toUtf8()));
    QVERIFY(written[0][0].toString().contains(project));
    QTRY_VERIFY(!window->findChild<ProjectDialog*>());  // it has closed itself
    // The next one has the choices; into a folder with something of the user's it writes nothing, and stays.
    dialog = openDialog(*window);
    QCOMPARE(dialog->findChild<QComboBox*>(QStringLiteral("projectPlatform"))->currentData().toString(),
             QStringLiteral("u55c"));
    QVERIFY(!dialog->findChild<QCheckBox*>(QStringLiteral("projectData"))->isChecked());
    QCOMPARE(dialog->findChild<QComboBox*>(QStringLiteral("projectNumbers"))->currentData().toString(),
             QStringLiteral("program"));
    QCOMPARE(dialog->findChild<QLineEdit*>(QStringLiteral("projectGiven"))->text(), folderOfHeaders());
    const QString other = folder_.filePath(QStringLiteral("own"));
    QVERIFY(QDir().mkpath(other + QStringLiteral("/work")));
    dialog->findChild<QLineEdit*>(QStringLiteral("projectFolder"))->setText(other);
    write(*dialog);
    QTRY_VERIFY_WITH_TIMEOUT(statusOf(*dialog).contains(other), engine_time);
    QVERIFY(dialog->isVisible() && !QFileInfo::exists(other + QStringLiteral("/Makefile")));
    // Into the project of before: what was changed there is not lost unless that is wanted, what is beside it
    // not at all.
    for (const char* name : {"/Makefile", "/notes.txt"}) {
      QFile file(project + QString::fromLatin1(name));
      QVERIFY(file.open(QIODevice::Append) && file.write("# mine\n") > 0);
    }
    dialog->findChild<QLineEdit*>(QStringLiteral("projectFolder"))->setText(project);
    write(*dialog);
    QTRY_VERIFY_WITH_TIMEOUT(statusOf(*dialog).contains(QStringLiteral("'Makefile'")), engine_time);
    QVERIFY(textOf(project + QStringLiteral("/Makefile")).contains("# mine"));
    QSignalSpy again(dialog, &ProjectDialog::written);
    dialog->findChild<QCheckBox*>(QStringLiteral("projectReplace"))->setChecked(true);
    write(*dialog);
    QTRY_COMPARE_WITH_TIMEOUT(again.size(), 1, engine_time);
    QVERIFY(again[0][0].toString().contains(QStringLiteral("kept notes.txt")));
    QVERIFY(!textOf(project + QStringLiteral("/Makefile")).contains("# mine"));
    QCOMPARE(textOf(project + QStringLiteral("/notes.txt")), QByteArray("# mine\n"));
  }

  void whatHasNoSuchFormIsTold() {
    const auto window = opened(sample("simple_moe"));
    ProjectDialog* dialog = openDialog(*window);
    const QString project = folder_.filePath(QStringLiteral("moe_hls"));
    dialog->findChild<QLineEdit*>(QStringLiteral("projectFolder"))->setText(project);
    write(*dialog);
    QTRY_VERIFY_WITH_TIMEOUT(statusOf(*dialog).contains(QStringLiteral("has no HLS")), engine_time);
    QVERIFY(dialog->isVisible() && !QFileInfo::exists(project));
    dialog->findChild<QLineEdit*>(QStringLiteral("projectFolder"))->clear();
    QVERIFY(!dialog->findChild<QPushButton*>(QStringLiteral("projectWrite"))->isEnabled());
    QTest::keyClick(dialog, Qt::Key_Escape);
    QTRY_VERIFY(!window->findChild<ProjectDialog*>());
  }

 private:
  static std::unique_ptr<MainWindow> opened(const QString& file) {
    auto window = makeWindow();
    if (!window->openFile(file) || !QTest::qWaitFor([&] { return window->session()->idle(); }, engine_time))
      qFatal("the program cannot be opened");
    return window;
  }

  static ProjectDialog* openDialog(MainWindow& window) {
    window.commands()->action(QStringLiteral("file.project.hls"))->trigger();
    auto* dialog = window.findChild<ProjectDialog*>();
    if (!dialog || !QTest::qWaitForWindowExposed(dialog)) qFatal("there is no dialog");
    return dialog;
  }

  static void write(ProjectDialog& dialog) {
    QTest::mouseClick(dialog.findChild<QPushButton*>(QStringLiteral("projectWrite")), Qt::LeftButton);
  }

  static QString statusOf(const ProjectDialog& dialog) {
    return dialog.findChild<QLabel*>(QStringLiteral("projectStatus"))->text();
  }

  /// With the names that a vendor's have.
  QString folderOfHeaders() const {
    const QString folder = folder_.filePath(QStringLiteral("headers"));
    QDir().mkpath(folder);
    for (const char* name : {"hls_stream.h", "hls_streamofblocks.h", "hls_vector.h", "ap_int.h"})
      if (QFile header(folder + QLatin1Char('/') + QLatin1String(name)); !header.open(QIODevice::WriteOnly))
        qFatal("no header can be written");
    return folder;
  }

  static QByteArray textOf(const QString& file) {
    QFile read(file);
    return read.open(QIODevice::ReadOnly) ? read.readAll() : QByteArray();
  }

  QTemporaryDir folder_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::ProjectExportTest)
#include "project_export_test.moc"
