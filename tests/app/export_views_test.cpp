// Every view as a file: from the command line and from the window, in every format, as a printer meets it.

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "app/window/export/export_dialog.h"
#include "app/window/run/compare_controller.h"
#include "app/window/run/time_controller.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "engine/explorer/evaluate.h"
#include "engine/program/file_format.h"
#include "tests/app/command_line.h"
#include "tests/app/paper.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/common/latex.h"
#include "widgets/plots/pareto_plot.h"
#include "widgets/points/points_model.h"
#include "widgets/timeline/timeline_panel.h"

namespace sluice::ui {
namespace {

constexpr double lineOfDejaVu = 1.1640625;  // a line of DejaVu Sans over its size, as poppler measures it

/// The rows of all tables of numbers in pgfplots source.
QList<QPair<double, double>> pgfRows(const QString& source) {
  QList<QPair<double, double>> rows;
  static const QRegularExpression row(QStringLiteral("^([-+0-9.eE]+) ([-+0-9.eE]+)$"),
                                      QRegularExpression::MultilineOption);
  for (auto found = row.globalMatch(source); found.hasNext();) {
    const auto each = found.next();
    rows.append({each.captured(1).toDouble(), each.captured(2).toDouble()});
  }
  return rows;
}

bool isBalanced(const QString& source) {
  int depth = 0;
  for (qsizetype i = 0; i < source.size(); ++i) {
    if (source[i] == QLatin1Char('\\')) {
      ++i;
      continue;
    }
    if (source[i] == QLatin1Char('{')) ++depth;
    if (source[i] == QLatin1Char('}') && --depth < 0) return false;
  }
  for (const char* name : {"tikzpicture", "scope", "axis"})
    if (source.count(QStringLiteral("\\begin{%1}").arg(QLatin1String(name))) !=
        source.count(QStringLiteral("\\end{%1}").arg(QLatin1String(name))))
      return false;
  return depth == 0;
}

}  // namespace

class ExportViewsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("export_views_test"), folder_.path());
  }

  void theCommandLineDrawsEveryChart_data() {
    QTest::addColumn<QString>("chart");
    QTest::addColumn<QString>("word");
    QTest::newRow("pareto") << "pareto"
                            << "Cycles";
    QTest::newRow("parallel") << "parallel"
                              << "weight_tile";
    QTest::newRow("sensitivity") << "sensitivity"
                                 << "weight_tile";
    QTest::newRow("fifo") << "fifo"
                          << "Tokens";
    QTest::newRow("energy") << "energy"
                            << "on chip";
    QTest::newRow("timeline") << "timeline"
                              << "scatter";
    QTest::newRow("graph") << "graph"
                           << "expert";
  }
  void theCommandLineDrawsEveryChart() {
    QFETCH(QString, chart);
    QFETCH(QString, word);
    for (const QString& format : {QStringLiteral("pdf"), QStringLiteral("svg"), QStringLiteral("png"),
                                  QStringLiteral("pgf"), QStringLiteral("csv")}) {
      const QString file = path(chart + QLatin1Char('.') + format);
      QCOMPARE(cli({QStringLiteral("export"), sample("simple_moe"), QStringLiteral("--chart"), chart,
                    QStringLiteral("--width"), QStringLiteral("3.33in"), QStringLiteral("--out"), file}),
               0);
      QVERIFY2(!bytesOf(file).isEmpty(), qPrintable(file));
    }
    const QByteArray svg = bytesOf(path(chart + QStringLiteral(".svg")));
    QVERIFY(QSvgRenderer(svg).isValid());
    QVERIFY(!svg.contains("<image"));
    QCOMPARE(QImage(path(chart + QStringLiteral(".png"))).width(), 640);
    const QString pgf = QString::fromUtf8(bytesOf(path(chart + QStringLiteral(".pgf"))));
    QVERIFY2(isBalanced(pgf), qPrintable(pgf.left(500)));
    QVERIFY(pgf.contains(QStringLiteral("\\begin{tikzpicture}")));
    QVERIFY2(pgf.contains(latexText(word)), qPrintable(pgf.left(3000)));
    QVERIFY(bytesOf(path(chart + QStringLiteral(".csv"))).count('\n') > 2);
    if (!popplerIsHere()) QSKIP("poppler-utils are not installed");
    const std::optional<Paper> paper = readPaper(path(chart + QStringLiteral(".pdf")));
    QVERIFY(paper);
    QVERIFY2(std::abs(paper->size.width() - 240) <= 0.5, qPrintable(QString::number(paper->size.width())));
    QVERIFY(paper->fonts > 0 && paper->loose == 0);
    QCOMPARE(paper->images, 0);
    QVERIFY2(paper->words.join(QLatin1Char(' ')).contains(word),
             qPrintable(paper->words.join(QLatin1Char(' '))));
  }

  void textIsTrueToATenthOfAPoint_data() {
    QTest::addColumn<int>("text");
    QTest::newRow("7 pt") << 7;
    QTest::newRow("8 pt") << 8;
    QTest::newRow("9 pt") << 9;
  }
  void textIsTrueToATenthOfAPoint() {
    if (!popplerIsHere()) QSKIP("poppler-utils are not installed");
    QFETCH(int, text);
    for (const char* chart : {"pareto", "parallel", "fifo", "timeline"}) {
      const QString file = path(QStringLiteral("text.pdf"));
      QCOMPARE(cli({QStringLiteral("export"), sample("simple_moe"), QStringLiteral("--chart"),
                    QLatin1String(chart), QStringLiteral("--width"), QStringLiteral("7in"),
                    QStringLiteral("--text"), QString::number(text), QStringLiteral("--out"), file}),
               0);
      const std::optional<Paper> paper = readPaper(file);
      QVERIFY(paper && paper->heights.size() > 5);
      QVERIFY(std::abs(paper->size.width() - 504) <= 0.5);
      for (qsizetype i = 0; i < paper->heights.size(); ++i)
        QVERIFY2(paper->offLine(i, text * lineOfDejaVu) <= 0.1 * lineOfDejaVu,
                 qPrintable(QStringLiteral("%1: %2 is %3 pt")
                                .arg(QLatin1String(chart), paper->words[i])
                                .arg(paper->heights[i] / lineOfDejaVu)));
    }
  }

  /// A real TeX reads every chart, and what it sets is as wide as the paper asked for.
  void texSetsWhatIsExported() {
    const QString tex = QStandardPaths::findExecutable(QStringLiteral("pdflatex"));
    QProcess find;
    find.start(QStringLiteral("kpsewhich"), {QStringLiteral("pgfplots.sty")});
    if (tex.isEmpty() || !find.waitForFinished() || find.exitCode() != 0)
      QSKIP("pdflatex with pgfplots is not installed");
    for (const char* chart : {"pareto", "parallel", "sensitivity", "fifo", "timeline", "graph"}) {
      const QString name = QLatin1String(chart) + QStringLiteral(".pgf");
      QCOMPARE(cli({QStringLiteral("export"), sample("simple_moe"), QStringLiteral("--chart"),
                    QLatin1String(chart), QStringLiteral("--width"), QStringLiteral("3.33in"),
                    QStringLiteral("--out"), path(name)}),
               0);
      const QString told = set(tex, QStringLiteral("\\input{%1}").arg(name));
      const QRegularExpressionMatch width =
          QRegularExpression(QStringLiteral("WIDTH ([0-9.]+)pt")).match(told);
      QVERIFY2(width.hasMatch(), qPrintable(told.right(2000)));
      QVERIFY2(std::abs(width.captured(1).toDouble() - 240 * 72.27 / 72) < 0.5,
               qPrintable(name + width.captured(0)));
    }
    MainWindow window(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout"));
    openAndExplore(window);
    ExportChoice choice;
    choice.views = {QStringLiteral("points")};
    choice.format = ExportFormat::Pgf;
    QVERIFY(window.exportFile(path(QStringLiteral("points.pgf")), choice));
    QVERIFY(set(tex, QStringLiteral("\\input{points.pgf}")).contains(QStringLiteral("WIDTH")));
  }

  /// With the class of a venue, whose fonts and packages are its own.
  void venuesSetWhatIsExported_data() {
    QTest::addColumn<QString>("document_class");
    QTest::newRow("IEEEtran") << QStringLiteral("[conference]{IEEEtran}");
    QTest::newRow("acmart") << QStringLiteral("[sigconf,nonacm]{acmart}");
  }
  void venuesSetWhatIsExported() {
    QFETCH(QString, document_class);
    const QString tex = QStandardPaths::findExecutable(QStringLiteral("pdflatex"));
    if (tex.isEmpty()) QSKIP("pdflatex is not installed");
    const QString name = QString::fromLatin1(QTest::currentDataTag()) + QStringLiteral(".cls");
    for (const QString& needed : {QStringLiteral("pgfplots.sty"), name}) {
      QProcess find;
      find.start(QStringLiteral("kpsewhich"), {needed});
      if (!find.waitForFinished() || find.exitCode() != 0)
        QSKIP(qPrintable(needed + QStringLiteral(" is not installed")));
    }
    for (const char* chart : {"pareto", "sensitivity", "graph"}) {
      const QString file = QLatin1String(chart) + QStringLiteral("-venue.pgf");
      QCOMPARE(cli({QStringLiteral("export"), sample("simple_moe"), QStringLiteral("--chart"),
                    QLatin1String(chart), QStringLiteral("--width"), QStringLiteral("3.33in"),
                    QStringLiteral("--out"), path(file)}),
               0);
      const QString told = set(tex, QStringLiteral("\\input{%1}").arg(file), document_class);
      QVERIFY2(told.contains(QStringLiteral("WIDTH")), qPrintable(told.right(2000)));
    }
  }

  void pgfplotsHoldsTheNumbersOfTheCsv() {
    const QString pgf = QString::fromUtf8(bytesOf(path(QStringLiteral("pareto.pgf"))));
    const QStringList lines = QString::fromUtf8(bytesOf(path(QStringLiteral("pareto.csv"))))
                                  .split(QStringLiteral("\r\n"), Qt::SkipEmptyParts);
    QVERIFY(lines.size() > 2);
    const QStringList header = lines.first().split(QLatin1Char(','));
    const auto cycles = header.indexOf(QStringLiteral("cycles")),
               bytes = header.indexOf(QStringLiteral("on_chip_bytes"));
    QList<QPair<double, double>> rows = pgfRows(pgf);
    for (const QString& line : lines.mid(1)) {
      const QStringList fields = line.split(QLatin1Char(','));
      const QPair<double, double> point(fields[cycles].toDouble(), fields[bytes].toDouble());
      QVERIFY2(rows.contains(point), qPrintable(line));
    }
    QVERIFY(pgf.contains(QStringLiteral("xlabel={Cycles")));
  }

  void theCommandLineExplainsItsRefusals() {
    QString told;
    QCOMPARE(cli({QStringLiteral("export"), sample("simple_moe"), QStringLiteral("--width"),
                  QStringLiteral("wide"), QStringLiteral("--out"), path(QStringLiteral("x.pdf"))}),
             2);
    QCOMPARE(cli({QStringLiteral("export"), sample("simple_moe"), QStringLiteral("--x"),
                  QStringLiteral("speed"), QStringLiteral("--out"), path(QStringLiteral("x.pdf"))},
                 &told),
             2);
    QVERIFY2(told.contains(QStringLiteral("speed")), qPrintable(told));
    QCOMPARE(cli({QStringLiteral("export"), sample("simple_moe"), QStringLiteral("--chart"),
                  QStringLiteral("graph"), QStringLiteral("--out"), path(QStringLiteral("nowhere/x.pdf"))},
                 &told),
             1);
    QVERIFY2(told.contains(QStringLiteral("nowhere")), qPrintable(told));
    QCOMPARE(cli({QStringLiteral("export"), sample("simple_moe"), QStringLiteral("--chart"),
                  QStringLiteral("graph"), QStringLiteral("--out"), path(QStringLiteral("x.bmp"))},
                 &told),
             1);
    QVERIFY(!QFile::exists(path(QStringLiteral("x.bmp"))));
  }

  /// The program itself, or what its schedule makes of it, as the window shows the one or the other.
  void theCommandLineDrawsTheGraphAfterItsSchedule() {
    const QString program = sample("moe_three_ways");
    const auto graph = [&](const char* name, const QStringList& more) {
      const int code =
          cli(QStringList{QStringLiteral("export"), program, QStringLiteral("--chart"),
                          QStringLiteral("graph"), QStringLiteral("--out"), path(QLatin1String(name))} +
              more);
      return code == 0 ? QString::fromUtf8(bytesOf(path(QLatin1String(name)))) : QString();
    };
    const QString plain = graph("plain.csv", {}),
                  scheduled = graph("scheduled.csv", {QStringLiteral("--scheduled")});
    const Result<Document> document = loadDocument(program.toStdString());
    QVERIFY(document);
    const auto workload = makeWorkload(*document, std::filesystem::path(program.toStdString()).parent_path());
    QVERIFY(workload);
    const auto types = evaluateSymbolic(**workload, defaultKnobs(*document));
    QVERIFY(types && types->scheduled);
    int made = 0;
    for (const Node& node : types->scheduled->document.program.nodes) {
      const QString name = QString::fromStdString(node.name);
      QVERIFY2(scheduled.contains(name), qPrintable(name));
      made += plain.contains(name) ? 0 : 1;
    }
    QVERIFY(made > 0);
    QVERIFY(!graph("scheduled.pdf",
                   {QStringLiteral("--scheduled"), QStringLiteral("--width"), QStringLiteral("7in")})
                 .isEmpty());
  }

  /// A graph that is too large for a column is drawn with less of it, and the command says with what.
  void theCommandLineSaysWhatAGraphLeavesOut() {
    const auto graph = [this](const char* width, QString* told) {
      return cli({QStringLiteral("export"), sample("decoder_layer_mixtral"), QStringLiteral("--chart"),
                  QStringLiteral("graph"), QStringLiteral("--width"), QLatin1String(width),
                  QStringLiteral("--out"), path(QStringLiteral("layer.pdf"))},
                 told);
    };
    QString told;
    QCOMPARE(graph("3.33in", &told), 0);
    QVERIFY2(told.contains(QStringLiteral("drawn with names only")), qPrintable(told));
    if (popplerIsHere()) {
      const std::optional<Paper> paper = readPaper(path(QStringLiteral("layer.pdf")));
      QVERIFY(paper && paper->words.contains(QStringLiteral("attend")));
      for (const double height : paper->heights) QVERIFY(height >= 6 * lineOfDejaVu - 0.1);
    }
    QCOMPARE(graph("7in", &told), 0);
    QVERIFY2(!told.contains(QStringLiteral("drawn with")), qPrintable(told));
  }

  void theWindowExportsSeveralViewsAsOneFigure() {
    MainWindow window(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout"));
    openAndExplore(window);
    ExportDialog dialog(window.views());
    auto* subjects = dialog.findChild<QListWidget*>(QStringLiteral("exportSubject"));
    // Upright titles of the sensitivity have no height to measure.
    for (int row = 0; row < subjects->count(); ++row) {
      const QString view = subjects->item(row)->data(Qt::UserRole).toString();
      const bool wanted = view == QLatin1String("pareto") || view == QLatin1String("parallel") ||
                          view == QLatin1String("occupancy");
      subjects->item(row)->setCheckState(wanted ? Qt::Checked : Qt::Unchecked);
    }
    dialog.findChild<QComboBox*>(QStringLiteral("exportWidth"))->setCurrentIndex(3);
    const ExportChoice choice = dialog.choice();
    QCOMPARE(choice.width, double_column);
    QCOMPARE(choice.views.size(), 3);
    QCOMPARE(choice.suggestedName(), QStringLiteral("figure.pdf"));
    QVERIFY(window.exportFile(path(QStringLiteral("figure.pdf")), choice));
    ExportChoice latex = choice;
    latex.format = ExportFormat::Pgf;
    QVERIFY(window.exportFile(path(QStringLiteral("figure.pgf")), latex));
    const QString source = QString::fromUtf8(bytesOf(path(QStringLiteral("figure.pgf"))));
    QVERIFY(isBalanced(source));
    for (const char* letter : {"(a)", "(b)", "(c)"}) QVERIFY(source.contains(QLatin1String(letter)));
    if (!popplerIsHere()) QSKIP("poppler-utils are not installed");
    const std::optional<Paper> paper = readPaper(path(QStringLiteral("figure.pdf")));
    QVERIFY(paper);
    QVERIFY(std::abs(paper->size.width() - 504) <= 0.5);
    QCOMPARE(paper->images, 0);
    QCOMPARE(paper->loose, 0);
    for (const char* letter : {"(a)", "(b)", "(c)"}) QCOMPARE(paper->words.count(QLatin1String(letter)), 1);
    for (qsizetype i = 0; i < paper->words.size(); ++i)
      QVERIFY(paper->offLine(i, 8 * lineOfDejaVu) <= 0.1 * lineOfDejaVu);
  }

  void theDialogTellsWhatWillComeOut() {
    Views views;
    const auto view = [](const char* id, ViewGroup group) {
      View made;
      made.id = made.title = QString::fromLatin1(id);
      made.group = group;
      return made;
    };
    View table = view("points", ViewGroup::Tables), canvas = view("canvas", ViewGroup::Program);
    table.is_table = true;
    canvas.note = [](int width) { return QStringLiteral("%1 pt").arg(width / 100.0, 0, 'f', 1); };
    for (const View& each : {table, canvas, view("pareto", ViewGroup::Points)}) views.add(each);
    QCOMPARE(views.all().front().id, QStringLiteral("pareto"));
    ExportDialog dialog(views);
    auto* subjects = dialog.findChild<QListWidget*>(QStringLiteral("exportSubject"));
    auto* note = dialog.findChild<QLabel*>(QStringLiteral("exportNote"));
    QPushButton* go = nullptr;
    for (QPushButton* button : dialog.findChildren<QPushButton*>())
      if (button->isDefault()) go = button;
    QVERIFY(go && go->isEnabled());
    const auto check = [&](const char* id, bool on) {
      for (int row = 0; row < subjects->count(); ++row)
        if (subjects->item(row)->data(Qt::UserRole).toString() == QLatin1String(id))
          subjects->item(row)->setCheckState(on ? Qt::Checked : Qt::Unchecked);
    };
    check("pareto", false);
    QVERIFY(!go->isEnabled());
    check("canvas", true);
    QVERIFY2(note->text().contains(QStringLiteral("2.4 pt")), qPrintable(note->text()));
    dialog.findChild<QDoubleSpinBox*>(QStringLiteral("exportInches"))->setValue(10);
    QVERIFY2(note->text().contains(QStringLiteral("7.2 pt")), qPrintable(note->text()));
    check("canvas", false);
    check("points", true);
    QVERIFY(go->isEnabled());
    QVERIFY2(note->text().contains(QStringLiteral("tabular")), qPrintable(note->text()));
    auto* format = dialog.findChild<QComboBox*>(QStringLiteral("exportFormat"));
    format->setCurrentIndex(format->findData(static_cast<int>(ExportFormat::Csv)));
    QVERIFY(go->isEnabled() && !note->text().contains(QStringLiteral("tabular")));
  }

  void tablesAndComparisonsGoOnPaperToo() {
    MainWindow window(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout"));
    openAndExplore(window);
    QStringList all = {QStringLiteral("stalls"), QStringLiteral("points")};
    for (const char* page : {"figures", "operators", "streams", "lost-cycles", "timelines", "fifo"})
      all << QStringLiteral("compare-") + QLatin1String(page);
    ExportChoice choice;
    // What is not there yet is reported, with a way to it; no file is left.
    for (const char* id : {"stalls", "near-misses", "compare-figures"}) {
      choice.views = {QString::fromLatin1(id)};
      const std::optional<Diagnostic> why = window.views().view(choice.views.front()).missing();
      QVERIFY(why && !why->fix.empty());
      QVERIFY(!window.exportFile(path(choice.suggestedName()), choice));
      QVERIFY(!QFile::exists(path(choice.suggestedName())));
    }
    window.commands()->action(QStringLiteral("panel.timelineDock"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(window.session()->idle() && window.time()->panel()->stallModel()->rowCount() > 0,
                             engine_time);
    window.comparison()->pin(0);
    KnobValues knobs = window.documents()->knobs();
    knobs["weight_tile"] = knobs["weight_tile"] == 32 ? 64 : 32;
    window.documents()->setKnobs(knobs, QStringLiteral("turn"));
    QTRY_VERIFY_WITH_TIMEOUT(window.session()->idle(), engine_time);
    window.comparison()->pin(1);
    QTRY_VERIFY_WITH_TIMEOUT(window.comparison()->panel()->comparison(), engine_time);
    // A comparison comes to the front of the timeline; what nobody sees is not recorded until it is back.
    window.findChild<QDockWidget*>(QStringLiteral("timelineDock"))->raise();
    QTRY_VERIFY_WITH_TIMEOUT(window.session()->idle() && window.time()->panel()->stallModel()->rowCount() > 0,
                             engine_time);
    for (const QString& id : all)
      for (const ExportFormat format :
           {ExportFormat::Pdf, ExportFormat::Svg, ExportFormat::Png, ExportFormat::Pgf, ExportFormat::Csv}) {
        choice.views = {id};
        choice.format = format;
        QVERIFY2(window.exportFile(path(choice.suggestedName()), choice), qPrintable(id));
        const QByteArray bytes = bytesOf(path(choice.suggestedName()));
        if (format == ExportFormat::Svg) QVERIFY(QSvgRenderer(bytes).isValid() && !bytes.contains("<image"));
        if (format == ExportFormat::Csv) QVERIFY2(bytes.count('\n') > 3, qPrintable(id));
        if (format != ExportFormat::Pgf || !window.views().view(id).is_table) continue;
        QVERIFY(bytes.contains("\\begin{tabular}") && isBalanced(QString::fromUtf8(bytes)));
      }
    const QString figures = QString::fromUtf8(bytesOf(path(QStringLiteral("compare-figures.pgf"))));
    QVERIFY2(figures.contains(QStringLiteral("weight\\_tile = 32")),
             qPrintable(figures));  // what A and B are
    if (!popplerIsHere()) QSKIP("poppler-utils are not installed");
    for (const char* name : {"stalls.pdf", "compare-figures.pdf", "points.pdf"}) {
      const std::optional<Paper> paper = readPaper(path(QLatin1String(name)));
      QVERIFY(paper && paper->fonts > 0 && paper->loose == 0 && paper->images == 0);
      QVERIFY(std::abs(paper->size.width() - 240) <= 0.5);
      for (qsizetype i = 0; i < paper->heights.size(); ++i)
        QVERIFY2(paper->offLine(i, 8 * lineOfDejaVu) <= 0.1 * lineOfDejaVu, qPrintable(paper->words[i]));
    }
  }

  void everyViewOfTheWindowInEveryFormatWhateverTheTheme() {
    MainWindow window(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout"));
    openAndExplore(window);
    QByteArray light;
    for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
      window.setTheme(theme);
      QTest::qWait(50);
      for (const char* id : {"canvas", "pareto", "occupancy", "parallel", "sensitivity", "hypervolume"})
        for (const ExportFormat format : {ExportFormat::Pdf, ExportFormat::Svg, ExportFormat::Png,
                                          ExportFormat::Pgf, ExportFormat::Csv}) {
          ExportChoice choice;
          choice.views = {QString::fromLatin1(id)};
          choice.format = format;
          const QString file = path(choice.suggestedName());
          QVERIFY2(window.exportFile(file, choice), qPrintable(file));
          if (format == ExportFormat::Png) QCOMPARE(QImage(file).pixelColor(0, 0), QColor(Qt::white));
          if (format == ExportFormat::Svg) QVERIFY(!bytesOf(file).contains("<image"));
        }
      ExportChoice choice;
      choice.format = ExportFormat::Pgf;
      QVERIFY(window.exportFile(path(QStringLiteral("theme.pgf")), choice));
      const QByteArray now = bytesOf(path(QStringLiteral("theme.pgf")));
      if (theme == ThemeChoice::Dark) QCOMPARE(now, light);
      light = now;
    }
    window.setTheme(ThemeChoice::Light);
  }

  void theClipboardHasEveryForm() {
    MainWindow window(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout"));
    openAndExplore(window);
    window.activateWindow();
    window.workspace()->pareto()->setFocus();
    window.commands()->action(QStringLiteral("file.copyPicture"))->trigger();
    const QMimeData* data = QApplication::clipboard()->mimeData();
    QVERIFY(data->hasImage());
    QVERIFY(data->data(QStringLiteral("application/pdf")).startsWith("%PDF"));
    QVERIFY(QSvgRenderer(data->data(QStringLiteral("image/svg+xml"))).isValid());
    QVERIFY(data->text().contains(QStringLiteral("on_frontier")));
  }

  void latexEatsEveryName() {
    QCOMPARE(
        latexText(QStringLiteral("a_b & 50 % {x} #1 $ ~ ^ \\")),
        QStringLiteral("a\\_b \\& 50 \\% \\{x\\} \\#1 \\$ $\\sim$ \\textasciicircum{} \\textbackslash{}"));
    QCOMPARE(latexText(QString::fromUtf8("\u03bb \u2248 \u00e9 \u4e2d")),
             QStringLiteral("$\\lambda$ $\\approx$ \u00e9 ?"));
    QCOMPARE(latexNumber(-0.0001), QStringLiteral("0"));
    QCOMPARE(latexNumber(1.25), QStringLiteral("1.25"));
  }

 private:
  QString path(const QString& name) const { return folder_.filePath(name); }

  /// What TeX says of a page with `body` in a box.
  QString set(const QString& tex, const QString& body,
              const QString& document_class = QStringLiteral("{article}")) const {
    QFile page(path(QStringLiteral("page.tex")));
    if (!page.open(QIODevice::WriteOnly)) return {};
    page.write(QStringLiteral("\\documentclass%2\\usepackage[T1]{fontenc}\\usepackage{pgfplots}"
                              "\\pgfplotsset{compat=1.16}\\begin{document}\\newsavebox\\view"
                              "\\sbox\\view{%1}\\typeout{WIDTH \\the\\wd\\view}\\noindent\\usebox\\view"
                              "\\end{document}\n")
                   .arg(body, document_class)
                   .toUtf8());
    page.close();
    QProcess process;
    process.setWorkingDirectory(folder_.path());
    process.start(
        tex, {QStringLiteral("-interaction=nonstopmode"), QStringLiteral("-halt-on-error"), page.fileName()});
    if (!process.waitForFinished(engine_time)) return {};
    const QString told = QString::fromUtf8(process.readAllStandardOutput());
    return process.exitCode() == 0 ? told : told.section(QStringLiteral("WIDTH"), 0, 0);
  }

  void openAndExplore(MainWindow& window) {
    QSettings().clear();
    window.show();
    QVERIFY(window.openFile(sample("simple_moe")));
    QTRY_VERIFY_WITH_TIMEOUT(window.session()->idle(), engine_time);
    window.commands()->action(QStringLiteral("run.explore"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(window.session()->idle(), engine_time);
    QVERIFY(!window.workspace()->points()->points().empty());
    QTest::qWait(150);
  }

  QTemporaryDir folder_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::ExportViewsTest)
#include "export_views_test.moc"
