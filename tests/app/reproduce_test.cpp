// File > Reproduce a Figure under a user's hands: choose, run, look, cancel, sort, export; and sluice-chart,
// which draws the same charts for sluice-cli.

#include <QAction>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QProcess>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <ctime>

#include "app/window/export/reproduce_dialog.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "tests/app/command_line.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/app/watchdog.h"
#include "tests/widgets/test_program.h"
#include "widgets/diagnostics/diagnostics_list.h"
#include "widgets/plots/figure_plot.h"

namespace sluice::ui {
namespace {

QByteArray bytesOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// With ' for ".
QByteArray json(const char* text) {
  return QByteArray(text).replace('\'', '"');
}

/// Processor time of the whole program so far, in seconds.
double worked() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace

class ReproduceTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("reproduce_test"), folder_.path());
  }

  void init() {
    QSettings().clear();
    dialog_ = std::make_unique<ReproduceDialog>();
    dialog_->show();
    QVERIFY(QTest::qWaitForWindowExposed(dialog_.get()));
  }
  void cleanup() { dialog_.reset(); }

  void theMenuOpensIt() {
    MainWindow window(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout"));
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QAction* action = window.commands()->action(QStringLiteral("file.reproduce"));
    QVERIFY(action->isEnabled());  // it needs no document
    action->trigger();
    auto* dialog = window.findChild<ReproduceDialog*>();
    QVERIFY(dialog && dialog->isVisible() && !dialog->isModal());
    QTest::keyClick(dialog, Qt::Key_Escape);
    QVERIFY(!dialog->isVisible());
    action->trigger();
    QVERIFY(dialog->isVisible());
    QCOMPARE(window.findChildren<ReproduceDialog*>().size(), 1);
  }

  void everyFigureIsOfferedWithItsTitle() {
    QCOMPARE(list()->count(), static_cast<int>(figureNames().size()));
    for (int row = 0; row < list()->count(); ++row)
      QVERIFY(list()->item(row)->text().size() > list()->item(row)->data(Qt::UserRole).toString().size() + 5);
  }

  void enterRunsAndShowsChartTableClaimsAndNotes() {
    choose("fig8");
    list()->setFocus();
    QTest::keyClick(list(), Qt::Key_Return);
    QVERIFY(!run()->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(dialog_->figure() && run()->isEnabled(), engine_time);
    QCOMPARE(dialog_->figure()->figure, "fig8");
    QCOMPARE(table("figurePoints")->model()->rowCount(), static_cast<int>(dialog_->figure()->points.size()));
    QCOMPARE(table("figureClaims")->model()->rowCount(), static_cast<int>(dialog_->figure()->claims.size()));
    QVERIFY(dialog_->plot() && dialog_->plot()->isVisible());
    QCOMPARE(dialog_->plot()->chart().name, "fig8_cycles");
    QVERIFY(dialog_->findChild<QPlainTextEdit*>(QStringLiteral("figureNotes"))
                ->toPlainText()
                .contains(QStringLiteral("register-transfer")));
    QVERIFY(status().contains(QStringLiteral("fig8")));
    QVERIFY(!dialog_->findChild<QProgressBar*>(QStringLiteral("reproduceProgress"))->isVisible());
  }

  void rowsSortByNumber() {
    finish("fig8");
    QTableView* points = table("figurePoints");
    QCOMPARE(points->model()->columnCount(), 7);  // the last is the input
    for (const int column : {3, 4, 5}) {
      points->sortByColumn(column, Qt::AscendingOrder);
      double before = -1;
      for (int row = 0; row < points->model()->rowCount(); ++row) {
        const double value = points->model()->index(row, column).data(Qt::UserRole).toDouble();
        QVERIFY(value >= before);
        before = value;
      }
    }
    points->sortByColumn(1, Qt::AscendingOrder);  // "m 16, n 16" ... "m 64, n 256"
    QCOMPARE(points->model()->index(3, 1).data().toString(), QStringLiteral("m 16, n 32"));
    QVERIFY(points->model()->index(44, 1).data().toString().endsWith(QStringLiteral("n 256")));
  }

  void syntheticTracesAreNoted() {
    finish("fig15");
    QVERIFY(dialog_->findChild<QPlainTextEdit*>(QStringLiteral("figureNotes"))
                ->toPlainText()
                .contains(QStringLiteral("synthetic")));
    QVERIFY2(status().contains(QStringLiteral("8 of them on synthetic input")), qPrintable(status()));
    const QAbstractItemModel* points = table("figurePoints")->model();
    QCOMPARE(points->headerData(6, Qt::Horizontal).toString(), QStringLiteral("Input"));
    for (int row = 0; row < points->rowCount(); ++row) {
      QCOMPARE(points->index(row, 6).data().toString(), QStringLiteral("synthetic"));
      QVERIFY(points->index(row, 6).data(Qt::ToolTipRole).toString().contains(QStringLiteral("4007_4070")));
    }
    const QAbstractItemModel* claims = table("figureClaims")->model();
    QCOMPARE(claims->index(0, 4).data().toString(), QStringLiteral("synthetic"));
    finish("fig8");  // needs no trace
    QVERIFY(!status().contains(QStringLiteral("synthetic")));
    QCOMPARE(table("figurePoints")->model()->index(0, 6).data().toString(), QString());
  }

  void cancelAnswersAtOnceAndKeepsWhatWasThere() {
    finish("fig8");
    for (QObject* canceller : {static_cast<QObject*>(dialog_.get()), static_cast<QObject*>(cancel())}) {
      choose("fig12");
      run()->click();
      QVERIFY(cancel()->isEnabled());
      QTest::qWait(10);
      if (canceller == cancel()) {
        cancel()->click();
      } else {
        QTest::keyClick(dialog_.get(), Qt::Key_Escape);
      }
      QVERIFY(run()->isEnabled() && !cancel()->isEnabled() && dialog_->isVisible());
      QVERIFY(status().contains(QStringLiteral("Cancelled")));
      QTest::qWait(300);  // nothing of it comes later
      QCOMPARE(dialog_->figure()->figure, "fig8");
    }
    finish("fig15");
    QTest::keyClick(dialog_.get(), Qt::Key_Escape);
    QVERIFY(!dialog_->isVisible());
  }

  void theEventLoopTurnsAndTheThreadStops() {
    double start = worked();
    {
      Watchdog watchdog;
      finish("fig12");
      qInfo("longest turn of the event loop during fig12: %.1f ms", watchdog.longestTurn() * 1e3);
      QVERIFY2(watchdog.longestTurn() < 1, "the window was blocked");
    }
    const double whole = worked() - start;
    choose("fig12");
    start = worked();
    run()->click();
    QTest::qWait(50);
    dialog_.reset();  // waits for the thread
    const double given_up = worked() - start;
    qInfo("fig12: %.2f s of work, %.2f s when it is given up", whole, given_up);
    QVERIFY(given_up < whole / 2);
  }

  void aFolderThatIsNotThereIsExplained() {
    traces()->setText(folder_.filePath(QStringLiteral("nowhere")));
    choose("fig8");
    run()->click();
    QVERIFY(run()->isEnabled());
    QCOMPARE(diagnostics()->diagnostics().size(), std::size_t{1});
    QVERIFY(diagnostics()->isVisible());
    QVERIFY(!diagnostics()->diagnostics().front().fix.empty());
    traces()->clear();
    finish("fig8");
    QVERIFY(diagnostics()->diagnostics().empty());
    QVERIFY(!diagnostics()->isVisible());
  }

  void aBrokenTraceIsExplained() {
    QVERIFY(QDir(folder_.path()).mkpath(QStringLiteral("broken/conv_stdev")));
    QFile file(folder_.filePath(QStringLiteral("broken/conv_stdev/x_4007_4070.npy")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("this is no array");
    file.close();
    traces()->setText(folder_.filePath(QStringLiteral("broken")));
    choose("fig15");
    run()->click();
    QTRY_VERIFY_WITH_TIMEOUT(!diagnostics()->diagnostics().empty(), engine_time);
    QVERIFY(diagnostics()->isVisible() && run()->isEnabled());
    QVERIFY(QString::fromStdString(text(diagnostics()->diagnostics().front().place))
                .contains(QStringLiteral("4007")));
  }

  void theFolderIsRemembered() {
    QVERIFY(QDir(folder_.path()).mkpath(QStringLiteral("empty")));
    traces()->setText(folder_.filePath(QStringLiteral("empty")));
    finish("fig15");
    ReproduceDialog again;
    QCOMPARE(again.findChild<QLineEdit*>(QStringLiteral("tracesFolder"))->text(),
             folder_.filePath(QStringLiteral("empty")));
    QCOMPARE(again.findChild<QListWidget*>()->currentItem()->data(Qt::UserRole).toString(),
             QStringLiteral("fig15"));
  }

  void chartsAndTablesAreExported() {
    const QString pdf = folder_.filePath(QStringLiteral("chart.pdf"));
    QVERIFY(!dialog_->exportChart(pdf));  // nothing yet
    QVERIFY(!dialog_->findChild<QPushButton*>(QStringLiteral("exportChart"))->isEnabled());
    finish("fig8");
    QVERIFY(dialog_->findChild<QPushButton*>(QStringLiteral("exportChart"))->isEnabled());
    QVERIFY(dialog_->exportChart(pdf));
    QVERIFY(bytesOf(pdf).startsWith("%PDF"));
    for (const char* name : {"chart.svg", "chart.png", "chart.csv"})
      QVERIFY(dialog_->exportChart(folder_.filePath(QString::fromLatin1(name))));
    QVERIFY(bytesOf(folder_.filePath(QStringLiteral("chart.png"))).startsWith("\x89PNG"));
    QVERIFY(bytesOf(folder_.filePath(QStringLiteral("chart.svg"))).contains("RTL cycles"));
    QVERIFY(bytesOf(folder_.filePath(QStringLiteral("chart.csv"))).contains("m = 16"));
    QVERIFY(dialog_->exportTable(folder_.filePath(QStringLiteral("table.csv"))));
    QCOMPARE(bytesOf(folder_.filePath(QStringLiteral("table.csv"))).count('\n'), 1 + 45 + 2);
    QVERIFY(!dialog_->exportChart(folder_.filePath(QStringLiteral("chart.txt"))));
    QVERIFY(!dialog_->exportChart(folder_.filePath(QStringLiteral("nowhere/chart.pdf"))));
    QVERIFY(diagnostics()->isVisible());
    QCOMPARE(diagnostics()->diagnostics().size(), std::size_t{1});
  }

  void severalChartsHaveTabs() {
    finish("fig13");
    auto* charts = dialog_->findChild<QTabWidget*>(QStringLiteral("figureCharts"));
    QCOMPARE(charts->count(), 2);
    charts->setCurrentIndex(1);
    QCOMPARE(dialog_->plot()->chart().name, "fig13_compute");
    finish("fig8");
    QCOMPARE(charts->count(), 1);
  }

  void commandLineWritesCharts() {
    const QString out = folder_.filePath(QStringLiteral("cli"));
    QCOMPARE(cli({QStringLiteral("reproduce"), QStringLiteral("fig8"), QStringLiteral("--out"), out}), 0);
    QVERIFY(bytesOf(out + QStringLiteral("/fig8_cycles.pdf")).startsWith("%PDF"));
    QVERIFY(bytesOf(out + QStringLiteral("/fig8.csv")).contains("m 16"));
  }

  void chartHelperDrawsWithoutADisplay() {
    const QByteArray job =
        json("{'folder':'") + folder_.path().toUtf8() +
        json(
            "','charts':[{'name':'one','title':'t','x_label':'x','y_label':'y','log_x':true,'log_y':false,'"
            "bars':false,'categories':[],'curves':[{'name':'ours','x':[1,2],'y':[null,4],'labels':['a','b'],'"
            "published':false}]},{'name':'two','title':'t','x_label':'x','y_label':'y','log_x':false,'log_y':"
            "true,'bars':true,'categories':['a'],'curves':[]}]}");
    const Outcome outcome = chart(job);
    QCOMPARE(outcome.error, QByteArray());
    QCOMPARE(outcome.code, 0);
    for (const char* name : {"one.pdf", "two.pdf"})
      QVERIFY(bytesOf(folder_.filePath(QString::fromLatin1(name))).startsWith("%PDF"));
  }

  void chartHelperRefuses_data() {
    QTest::addColumn<QByteArray>("job");
    const QByteArray begin = "{\"folder\":\"" + folder_.path().toUtf8() + "/refused\",\"charts\":[";
    const QByteArray good = json(
        "'title':'t','x_label':'x','y_label':'y','log_x':false,'log_y':false,'bars':false,'categories':[],'"
        "curves':[{'name':'ours','x':[1],'y':[1],'labels':[],'published':false}]}");
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("no JSON") << QByteArray("fig8");
    QTest::newRow("cut off") << begin + "{\"name\":\"good\"," + good.left(60);
    QTest::newRow("no object") << QByteArray("[1]");
    QTest::newRow("no charts") << QByteArray("{\"folder\":\"/tmp\"}");
    QTest::newRow("wrong type") << begin + "{\"name\":7," + good + "]}";
    QTest::newRow("a name with a folder") << begin + "{\"name\":\"../x\"," + good + "]}";
    QTest::newRow("no name") << begin + "{\"name\":\"\"," + good + "]}";
    QTest::newRow("more x than y") << begin + "{\"name\":\"good\"," + good + ",{\"name\":\"bad\"," +
                                          QByteArray(good).replace("[1],\"y\"", "[1,2],\"y\"") + "]}";
    QTest::newRow("no text for a number")
        << begin + "{\"name\":\"bad\"," + QByteArray(good).replace("[1]", "[\"1\"]") + "]}";
  }
  void chartHelperRefuses() {
    QFETCH(QByteArray, job);
    const QString folder = folder_.filePath(QStringLiteral("refused"));
    QVERIFY(QDir().mkpath(folder));
    const Outcome outcome = chart(job);
    QCOMPARE(outcome.code, 1);
    QCOMPARE(outcome.error.count('\n'), 1);
    QVERIFY2(outcome.error.startsWith("sluice-chart: error: "), outcome.error);
    QVERIFY2(outcome.error.trimmed().endsWith("[json-type]"), outcome.error);
    QVERIFY(QDir(folder).isEmpty());
  }

  void chartHelperTellsOfAFolderThatItCannotWriteTo() {
    const QByteArray job = json(
        "{'folder':'/proc/"
        "nowhere','charts':[{'name':'a','title':'t','x_label':'','y_label':'','log_x':false,'log_y':false,'"
        "bars':false,'categories':[],'curves':[]}]}");
    const Outcome outcome = chart(job);
    QCOMPARE(outcome.code, 1);
    QCOMPARE(outcome.error.count('\n'), 1);
    QVERIFY2(outcome.error.contains("/proc/nowhere"), outcome.error);
  }

 private:
  struct Outcome {
    int code;
    QByteArray error;
  };
  static Outcome chart(const QByteArray& job) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.remove(QStringLiteral("QT_QPA_PLATFORM"));  // it must see to that itself
    environment.remove(QStringLiteral("DISPLAY"));
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-chart"), QStringList());
    process.write(job);
    process.closeWriteChannel();
    if (!process.waitForFinished(engine_time)) return {-1, "it did not end"};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2,
            process.readAllStandardError()};
  }

  void choose(const char* name) {
    for (int row = 0; row < list()->count(); ++row)
      if (list()->item(row)->data(Qt::UserRole).toString() == QLatin1String(name)) list()->setCurrentRow(row);
  }
  void finish(const char* name) {
    choose(name);
    run()->click();
    QTRY_VERIFY_WITH_TIMEOUT(run()->isEnabled(), engine_time);
    QVERIFY(dialog_->figure());
    QCOMPARE(dialog_->figure()->figure, std::string(name));
  }
  QListWidget* list() const { return dialog_->findChild<QListWidget*>(QStringLiteral("figureList")); }
  QLineEdit* traces() const { return dialog_->findChild<QLineEdit*>(QStringLiteral("tracesFolder")); }
  QPushButton* run() const { return dialog_->findChild<QPushButton*>(QStringLiteral("reproduceRun")); }
  QPushButton* cancel() const { return dialog_->findChild<QPushButton*>(QStringLiteral("reproduceCancel")); }
  DiagnosticsList* diagnostics() const { return dialog_->findChild<DiagnosticsList*>(); }
  QString status() const { return dialog_->findChild<QLabel*>(QStringLiteral("reproduceStatus"))->text(); }
  QTableView* table(const char* name) const {
    return dialog_->findChild<QTableView*>(QString::fromLatin1(name));
  }

  QTemporaryDir folder_;
  std::unique_ptr<ReproduceDialog> dialog_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::ReproduceTest)
#include "reproduce_test.moc"
