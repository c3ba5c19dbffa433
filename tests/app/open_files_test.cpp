// What a file manager does with several files: `sluice A B` is a window each.

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>

#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"

namespace sluice::ui {

class OpenFilesTest : public QObject {
  Q_OBJECT

 private slots:
  void severalFilesAreAWindowEach() {
    QTemporaryDir home;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    for (const char* each : {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"})
      environment.insert(QLatin1String(each), home.path());
    // Files of this test's own, so that no other window is taken for one of these.
    QStringList files;
    for (const char* name : {"one", "two", "three"}) {
      files << home.filePath(QString::fromLatin1(name) + QStringLiteral(".sluice"));
      QVERIFY(QFile::copy(sample("simple_moe"), files.last()));
    }
    QProcess first;
    first.setProcessEnvironment(environment);
    first.start(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice"), files);
    QVERIFY(first.waitForStarted());
    const auto others = [&] {
      QList<qint64> found;
      for (const QString& file : files.mid(1))
        if (const qint64 process = processOf(file)) found << process;
      return found;
    };
    QTRY_COMPARE_WITH_TIMEOUT(others().size(), qsizetype{2}, 60000);
    for (const qint64 process : others()) ::kill(static_cast<pid_t>(process), SIGTERM);
    first.terminate();
    QVERIFY(first.waitForFinished(30000));
    QTRY_VERIFY_WITH_TIMEOUT(others().isEmpty(), 30000);
  }

 private:
  /// The process whose only file is this one; 0: none.
  static qint64 processOf(const QString& file) {
    for (const QString& entry : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
      QFile line(QStringLiteral("/proc/%1/cmdline").arg(entry));
      if (entry.toLongLong() == 0 || !line.open(QIODevice::ReadOnly)) continue;
      const QList<QByteArray> words = line.readAll().split('\0');
      if (words.size() > 2 && words.first().endsWith("/sluice") && words[words.size() - 2] == file.toUtf8() &&
          words[words.size() - 3] == "--")
        return entry.toLongLong();
    }
    return 0;
  }
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::OpenFilesTest)
#include "open_files_test.moc"
