// Exported files as a journal would look at them: page size, fonts, no bitmaps, whole files only.

#include <QDir>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "engine/explorer/evaluate.h"
#include "engine/program/file_format.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/export/export.h"
#include "widgets/plots/occupancy_plot.h"
#include "widgets/plots/pareto_chart.h"

namespace sluice::ui {
namespace {

constexpr QSize columnSize{single_column, 150};

/// What a program prints; nothing if it is not installed or fails.
QString run(const QString& program, const QStringList& arguments) {
  if (QStandardPaths::findExecutable(program).isEmpty()) return {};
  QProcess process;
  process.start(program, arguments);
  if (!process.waitForFinished(20000) || process.exitCode() != 0) return {};
  return QString::fromUtf8(process.readAllStandardOutput());
}

bool popplerIsHere() {
  return !QStandardPaths::findExecutable(QStringLiteral("pdfinfo")).isEmpty();
}

QByteArray bytesOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Fonts embedded, not one bitmap, and the page as large as asked.
void checkPdf(const QString& file, QSize size) {
  const QString info = run(QStringLiteral("pdfinfo"), {file});
  const QRegularExpression page(QStringLiteral("Page size:\\s+([0-9.]+) x ([0-9.]+) pts"));
  const auto match = page.match(info);
  QVERIFY2(match.hasMatch(), qPrintable(info));
  QVERIFY(std::abs(match.captured(1).toDouble() - size.width()) <= 0.5);
  QVERIFY(std::abs(match.captured(2).toDouble() - size.height()) <= 0.5);
  const QStringList fonts =
      run(QStringLiteral("pdffonts"), {file}).split(QLatin1Char('\n'), Qt::SkipEmptyParts).mid(2);
  QVERIFY(!fonts.isEmpty());
  for (const QString& font : fonts) {
    const QStringList words = font.simplified().split(QLatin1Char(' '));
    QVERIFY2(words.size() >= 5 && words[words.size() - 5] == QLatin1String("yes"), qPrintable(font));
  }
  const QStringList images = run(QStringLiteral("pdfimages"), {QStringLiteral("-list"), file})
                                 .split(QLatin1Char('\n'), Qt::SkipEmptyParts);
  QCOMPARE(images.size(), 2);  // the heading alone
}

}  // namespace

class ExportTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    std::vector<DesignPoint> points;
    for (int index = 0; index < 40; ++index) {
      DesignPoint point;
      point.knobs = {{"tile", index}};
      point.metrics.cycles = static_cast<Cycles>(1000 + 37 * (index * 7 % 40));
      point.metrics.on_chip_bytes = static_cast<Bytes>(100000 - 1000 * (index * 11 % 40));
      if (index % 9 == 0) point.state = PointState::Infeasible;
      if (index % 10 == 0) point.state = PointState::Deadlocked;
      points.push_back(point);
    }
    points_.setPoints(points);
    chart_ = std::make_unique<ParetoChart>(&points_);
    chart_->resize(700, 400);
    chart_->setCurrent(points[1]);
    occupancy_ = std::make_unique<OccupancyPlot>();
    occupancy_->setTraces(
        {{QStringLiteral("a.out -> b.in"), 4, {{{0, 1, 1, 1}, {500, 4, 4, 4}}, 1}},
         {QStringLiteral("b.out -> c.in"), 9, {{{0, 0, 7, 1}, {64, 3, 9, 4}, {128, 0, 2, 0}}, 64}}},
        1000, QStringLiteral("Two streams"));
  }

  void plotsAsPdf() {
    if (!popplerIsHere()) QSKIP("poppler-utils are not installed");
    for (Plot* plot : std::initializer_list<Plot*>{chart_.get(), occupancy_.get()}) {
      const QString file = path("plot.pdf");
      QVERIFY(exportPlot(*plot, file.toStdString(), ExportFormat::Pdf, columnSize));
      checkPdf(file, columnSize);
    }
    QVERIFY(
        exportPlot(*chart_, path("wide.pdf").toStdString(), ExportFormat::Pdf, QSize(double_column, 315)));
    checkPdf(path("wide.pdf"), QSize(double_column, 315));
  }

  void textIsEightPointOnPaper() {
    if (!popplerIsHere()) QSKIP("poppler-utils are not installed");
    const QString file = path("font.pdf");
    QVERIFY(exportPlot(*chart_, file.toStdString(), ExportFormat::Pdf, columnSize));
    const QString words =
        run(QStringLiteral("pdftotext"), {QStringLiteral("-bbox"), file, QStringLiteral("-")});
    const QRegularExpression word(
        QStringLiteral("yMin=\"([0-9.]+)\" xMax=\"[0-9.]+\" yMax=\"([0-9.]+)\">Cycles<"));
    const auto match = word.match(words);
    QVERIFY2(match.hasMatch(), qPrintable(words.left(2000)));
    const double height = match.captured(2).toDouble() - match.captured(1).toDouble();
    // A line of DejaVu Sans is 1.164 times its size.
    QVERIFY2(std::abs(height - 8 * 1.164) < 0.3, qPrintable(QString::number(height)));
  }

  void plotsAsSvgPngAndCsv() {
    QVERIFY(exportPlot(*chart_, path("plot.svg").toStdString(), ExportFormat::Svg, columnSize));
    QSvgRenderer svg(path("plot.svg"));
    QVERIFY(svg.isValid());
    QCOMPARE(svg.viewBox().size(), columnSize);
    QVERIFY(bytesOf(path("plot.svg")).contains("Cycles"));
    QVERIFY(!bytesOf(path("plot.svg")).contains("<image"));

    QVERIFY(exportPlot(*chart_, path("plot.png").toStdString(), ExportFormat::Png, columnSize));
    const QImage image(path("plot.png"));
    QCOMPARE(image.size(), QSize(640, 400));
    QVERIFY(std::abs(image.dotsPerMeterX() * 0.0254 - 192) < 1);
    QCOMPARE(image.pixelColor(1, 1), QColor(Qt::white));

    QVERIFY(exportPlot(*chart_, path("plot.csv").toStdString(), ExportFormat::Csv, columnSize));
    const QList<QByteArray> lines = bytesOf(path("plot.csv")).trimmed().split('\n');
    QCOMPARE(lines.size(), 41);
    QVERIFY(lines.first().startsWith("tile,"));
    QVERIFY(lines.first().trimmed().endsWith("on_frontier"));
  }

  void exportingLeavesTheScreenAsItWas() {
    chart_->replot();
    const QImage before = chart_->grab().toImage();
    const QColor background = chart_->theme().background;
    QVERIFY(exportPlot(*chart_, path("again.pdf").toStdString(), ExportFormat::Pdf, columnSize));
    QCOMPARE(chart_->theme().background, background);
    chart_->replot();
    QCOMPARE(chart_->grab().toImage(), before);
  }

  void aFolderThatIsNotThereIsExplained() {
    const QString file = path("nowhere/plot.pdf");
    const Result<Done> written = exportPlot(*chart_, file.toStdString(), ExportFormat::Pdf, columnSize);
    QVERIFY(!written);
    QVERIFY(!written.diagnostics().front().fix.empty());
    QVERIFY(!QFile::exists(file));
  }

  void formatsGoByTheName() {
    QCOMPARE(formatOf("a/b.PDF"), ExportFormat::Pdf);
    QCOMPARE(formatOf("b.svg"), ExportFormat::Svg);
    QCOMPARE(formatOf("b.png"), ExportFormat::Png);
    QCOMPARE(formatOf("b.csv"), ExportFormat::Csv);
    QVERIFY(!formatOf("b.txt") && !formatOf("b"));
  }

  void theCanvasInEveryFormat() {
    const Result<Document> document =
        loadDocument(SLUICE_SOURCE_DIR "/sample_workloads/deadlock_fork_join.sluice");
    QVERIFY(document);
    GraphCanvas canvas(builtInCatalog());
    canvas.resize(600, 400);
    canvas.setDocument(*document);
    QTRY_VERIFY(!canvas.layoutPending());
    for (const char* name : {"canvas.svg", "canvas.png", "canvas.csv", "canvas.pdf"}) {
      const QString file = path(name);
      QVERIFY(exportCanvas(canvas, file.toStdString(), *formatOf(file.toStdString()), double_column));
    }
    QVERIFY(bytesOf(path("canvas.csv")).contains("normalize"));
    QVERIFY(bytesOf(path("canvas.svg")).contains("normalize"));
    if (!popplerIsHere()) QSKIP("poppler-utils are not installed");
    checkPdf(path("canvas.pdf"), QSize(double_column, static_cast<int>(canvas.paperHeight(double_column))));
    QVERIFY(run(QStringLiteral("pdftotext"), {path("canvas.pdf"), QStringLiteral("-")})
                .contains(QStringLiteral("normalize")));
  }

 private:
  QString path(const char* name) const { return folder_.filePath(QString::fromLatin1(name)); }

  QTemporaryDir folder_;
  PointsModel points_;
  std::unique_ptr<ParetoChart> chart_;
  std::unique_ptr<OccupancyPlot> occupancy_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::ExportTest)
#include "export_test.moc"
