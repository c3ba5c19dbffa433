// A session as the user has it: several real processes, that quit together, are killed, and come back.

#include <signal.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLockFile>
#include <QMap>
#include <QProcess>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"

namespace sluice::ui {
namespace {

constexpr int patience = 60000;  // ms: a window starts, on a machine that has other things to do

bool isAlive(qint64 process) {
  QFile status(QStringLiteral("/proc/%1/stat").arg(process));
  // One that ended and that nobody has asked after yet is dead as well.
  return status.open(QIODevice::ReadOnly) && !status.readAll().contains(") Z ");
}

}  // namespace

class ProcessesTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (!QFileInfo::exists(QStringLiteral("/proc/self/stat"))) QSKIP("processes are found in /proc");
    QVERIFY(home_.isValid());
    for (const char* name : {"simple_moe", "swiglu"}) {
      files_ << home_.filePath(QLatin1String(name) + QStringLiteral(".sluice"));
      QVERIFY(QFile::copy(sample(name), files_.last()));
    }
  }

  /// Also those that are just writing who they are: one that is left keeps the test's output open.
  void cleanup() {
    for (int turn = 0; turn < 10; ++turn) {
      started_ << windows().values();
      for (const qint64 process : std::as_const(started_)) ::kill(static_cast<pid_t>(process), SIGKILL);
      started_.clear();
      QTest::qWait(50);
    }
  }

  void windowsQuitTogetherAndComeBack() {
    QVERIFY(start(files_));
    QTRY_COMPARE_WITH_TIMEOUT(windows().keys(), files_, patience);
    const QMap<QString, qint64> first = windows();
    QVERIFY(first[files_[0]] != first[files_[1]]);

    QTest::qWait(1100);  // the hour of a file has seconds on some disks
    QFile quit(notes(QStringLiteral("quit")));
    QVERIFY(quit.open(QIODevice::WriteOnly));  // what File > Quit does for the other windows
    quit.close();
    QTRY_VERIFY_WITH_TIMEOUT(!isAlive(first[files_[0]]) && !isAlive(first[files_[1]]), patience);
    QVERIFY(windows().isEmpty());

    QVERIFY(start({}));
    QTRY_COMPARE_WITH_TIMEOUT(windows().keys(), files_, patience);
  }

  void killedWindowsComeBackToo_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("killed") << SIGKILL;
    QTest::newRow("asked to end") << SIGTERM;
  }
  void killedWindowsComeBackToo() {
    QFETCH(const int, signal);
    QVERIFY(start(files_));
    QTRY_COMPARE_WITH_TIMEOUT(windows().keys(), files_, patience);
    const QMap<QString, qint64> first = windows();
    for (const qint64 process : first) QCOMPARE(::kill(static_cast<pid_t>(process), signal), 0);
    QTRY_VERIFY_WITH_TIMEOUT(!isAlive(first[files_[0]]) && !isAlive(first[files_[1]]), patience);
    QVERIFY(start({}));
    QTRY_COMPARE_WITH_TIMEOUT(windows().keys(), files_, patience);
    for (const qint64 process : windows()) QVERIFY(!first.values().contains(process));
  }

  void helpAndVersionNeedNoDisplay_data() {
    QTest::addColumn<QString>("option");
    QTest::addColumn<QString>("wanted");
    QTest::newRow("help") << QStringLiteral("--help") << QStringLiteral("--screenshot");
    QTest::newRow("h") << QStringLiteral("-h") << QStringLiteral("--screenshot");
    QTest::newRow("version") << QStringLiteral("--version") << QStringLiteral("sluice ");
    QTest::newRow("v") << QStringLiteral("-v") << QStringLiteral("sluice ");
  }
  void helpAndVersionNeedNoDisplay() {
    QFETCH(const QString, option);
    QFETCH(const QString, wanted);
    QProcessEnvironment own = QProcessEnvironment::systemEnvironment();
    for (const char* each : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"})
      own.remove(QLatin1String(each));
    QProcess process;
    process.setProcessEnvironment(own);
    process.start(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice"), {option});
    QVERIFY(process.waitForFinished(patience));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 0);
    QVERIFY(QString::fromUtf8(process.readAllStandardOutput()).contains(wanted));
  }

 private:
  QString notes(const QString& name) const {
    return home_.filePath(QStringLiteral("Sluice/windows/") + name);
  }

  QStringList allNotes() const {
    return QDir(notes({})).entryList({QStringLiteral("*.window")}, QDir::Files);
  }

  bool start(const QStringList& files) {
    earlier_ = allNotes();
    QProcess process;
    process.setProgram(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice"));
    process.setArguments(files);
    QProcessEnvironment own = QProcessEnvironment::systemEnvironment();
    for (const char* each : {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"})
      own.insert(QLatin1String(each), home_.path());
    own.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    process.setProcessEnvironment(own);
    process.setStandardErrorFile(QProcess::nullDevice());
    qint64 id = 0;
    const bool started = process.startDetached(&id);
    if (started) started_ << id;
    return started;
  }

  /// Files that are open, with the process that has each. Not from notes of an earlier session: a window
  /// that comes back holds those for the moment in which it reads them.
  QMap<QString, qint64> windows() const {
    QMap<QString, qint64> open;
    for (const QString& each : allNotes()) {
      if (earlier_.contains(each)) continue;
      qint64 process = 0;
      QString host, application;
      QLockFile lock(notes(each) + QStringLiteral(".open"));
      if (!lock.getLockInfo(&process, &host, &application) || !isAlive(process)) continue;
      open[QSettings(notes(each), QSettings::IniFormat).value(QStringLiteral("file")).toString()] = process;
    }
    return open;
  }

  QTemporaryDir home_;
  QStringList files_;
  QStringList earlier_;  ///< notes there were when a session was started
  QList<qint64> started_;
};

}  // namespace sluice::ui

SLUICE_TEST_WITHOUT_WINDOW(sluice::ui::ProcessesTest)
#include "processes_test.moc"
