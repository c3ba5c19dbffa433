// What the window shows of energy and of sets of traces: views that open by themselves, follow the design,
// and go on paper; statistics in searches.

#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "app/window/document/document_controller.h"
#include "app/window/explore/explorer_pane.h"
#include "app/window/export/export_dialog.h"
#include "app/window/export/figure_composer.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "engine/core/atomic_file.h"
#include "engine/program/file_format.h"
#include "tests/app/command_line.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/elided_label.h"
#include "widgets/common/quantity.h"
#include "widgets/distributions/box_plot.h"
#include "widgets/distributions/distribution_panel.h"
#include "widgets/distributions/experts_plot.h"
#include "widgets/distributions/trace_model.h"
#include "widgets/energy/energy_panel.h"
#include "widgets/energy/energy_plot.h"
#include "widgets/plots/occupancy_plot.h"
#include "widgets/plots/pareto_plot.h"
#include "widgets/plots/spread_lines.h"

namespace sluice::ui {

class TracesWindowTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("traces_window_test"), folder_.path());
    Document document = *loadDocument(sample("simple_moe").toStdString());
    document.machine.technology = "7nm";
    QVERIFY(writeFileAtomically(path("priced.sluice").toStdString(), writeDocument(document)));
    for (Input& input : document.inputs) {
      if (input.kind != InputKind::Routing) continue;
      input.data.reset();
      input.file = "set:zipf,count=12,exponent=1.5";
    }
    for (Knob& knob : document.knobs) {  // a design that is on the frontier of some traces
      if (knob.name == "compute_bw") knob.initial = 1024;
      if (knob.name == "weight_tile") knob.initial = 32;
    }
    QVERIFY(writeFileAtomically(path("many.sluice").toStdString(), writeDocument(document)));
  }
  void init() {
    QSettings().clear();
    window_ = makeWindow({1366, 768});
  }
  void cleanup() { window_.reset(); }

  void energyIsSplitAndSeenOnTheCanvas() {
    QVERIFY(window_->openFile(path("priced.sluice")));
    trigger("panel.energy");
    auto* panel = window_->findChild<EnergyPanel*>();
    QTRY_VERIFY_WITH_TIMEOUT(panel->run() && panel->table()->model()->rowCount() > 5, engine_time);
    const EnergyBreakdown breakdown = energyBreakdown(*panel->run(), EnergyGroups::Operators);
    double sum = 0;
    for (std::size_t i = 1; i < breakdown.rows.size(); ++i) sum += breakdown.rows[i].total();
    QVERIFY(std::abs(sum - breakdown.dynamic) < 1e-9 * sum);
    QCOMPARE(panel->table()->model()->index(0, 0).data().toString(), QStringLiteral("Whole run"));
    QVERIFY(panel->table()->model()->index(0, 1).data().toString().contains(QStringLiteral("\u00b5J")));
    // A collapsed region costs what its operators cost together; opened, each shows its own.
    GraphCanvas* canvas = window_->workspace()->canvas();
    const QString region = QStringLiteral("expert"), inside = QStringLiteral("expert.up_load");
    double of_region = 0;
    for (const EnergyBreakdown::Row& row : breakdown.rows)
      if (row.place.startsWith(region + QLatin1Char('.'))) of_region += row.parts.total();
    QVERIFY(of_region > 0);
    if (!canvas->costsByBox().contains(region)) canvas->toggleRegion(region);
    QTRY_VERIFY(canvas->costsByBox().contains(region));
    QCOMPARE(canvas->costsByBox()[region].text, ui::text(quantity(of_region, QStringLiteral("J"))));
    QCOMPARE(canvas->costsByBox()[region].change, 1.0);
    QVERIFY(!canvas->costsByBox().contains(inside));
    canvas->toggleRegion(region);
    QTRY_VERIFY(canvas->costsByBox().contains(inside));
    QVERIFY(!canvas->costsByBox().contains(region));
    QVERIFY(canvas->costsByBox()[inside].change > 0.9);
    panel->findChild<QCheckBox*>(QStringLiteral("energyHeat"))->click();
    QVERIFY(canvas->costsByBox().isEmpty());
    auto* groups = panel->findChild<QComboBox*>(QStringLiteral("energyGroups"));
    groups->setCurrentIndex(groups->findData(static_cast<int>(EnergyGroups::Regions)));
    QCOMPARE(panel->table()->model()->rowCount(), 3);  // the run, the program, its region
    exportAll({QStringLiteral("energy"), QStringLiteral("energy-table")});
  }

  /// A point under a thousand traces takes long: from the first second on runs tell how far it is.
  void anExplorationOverTracesTellsOfItsRuns() {
    QVERIFY(window_->openFile(sample("moe_mixtral_many")));
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    const auto* message = window_->findChild<ElidedLabel*>(QStringLiteral("statusMessage"));
    const auto* left = window_->findChild<QLabel*>(QStringLiteral("timeLeft"));
    const auto* bar = window_->findChild<QProgressBar*>(QStringLiteral("progressBar"));
    bool told = false;
    connect(window_->session(), &SessionController::runsExplored, this, [&](const ExploreProgress& runs) {
      if (told || runs.seconds_left < 0 || bar->value() == 0) return;
      told = true;
      QCOMPARE(runs.total, std::uint64_t{4 * 1000});
      QVERIFY(runs.evaluated > 0 && runs.evaluated < runs.total);
      QVERIFY2(message->text().contains(QStringLiteral("of 4 points")) &&
                   message->text().contains(QStringLiteral("of %1 runs").arg(exactNumber(4000))),
               qPrintable(message->text()));
      QVERIFY2(left->text().endsWith(QStringLiteral(" left")), qPrintable(left->text()));
    });
    trigger("run.explore");
    QVERIFY2(message->text().contains(QStringLiteral("0 of 4 points")), qPrintable(message->text()));
    QTRY_VERIFY_WITH_TIMEOUT(told || window_->session()->idle(), engine_time);
    QVERIFY(told);
    window_->session()->cancel();
    QCOMPARE(message->text(), QStringLiteral("Cancelled"));
  }

  /// Where the program has a schedule its nodes cost what the schedule has made of them: nothing is lost, or
  /// it is said how much.
  void energyOfAScheduleGoesToTheProgram_data() {
    QTest::addColumn<QString>("program");
    for (const char* program : {"gpt2_block", "gnn", "deepseek_moe", "attention_qwen", "moe_three_ways"})
      QTest::newRow(program) << program;
  }
  void energyOfAScheduleGoesToTheProgram() {
    QFETCH(const QString, program);
    Document document = *loadDocument(sample(program.toLatin1().constData()).toStdString());
    document.machine.technology = "7nm";
    const QString file = program + QStringLiteral("_priced.sluice");
    QVERIFY(writeFileAtomically(path(qPrintable(file)).toStdString(), writeDocument(document)));
    QVERIFY(window_->openFile(path(qPrintable(file))));
    trigger("panel.energy");
    auto* panel = window_->findChild<EnergyPanel*>();
    QTRY_VERIFY_WITH_TIMEOUT(panel->run() && panel->table()->model()->rowCount() > 1, engine_time);
    const double dynamic = energyBreakdown(*panel->run(), EnergyGroups::Operators).dynamic;
    const GraphCanvas* canvas = window_->workspace()->canvas();
    const QString total = QStringLiteral("energyTotal");
    for (const char* view : {"view.scheduled", "view.program"}) {
      trigger(view);
      const auto told = [&] { return panel->findChild<QLabel*>(total)->text(); };
      QTRY_VERIFY_WITH_TIMEOUT(std::abs(canvas->costs() + panel->elsewhere() - dynamic) < 1e-9 * dynamic,
                               engine_time);
      QTRY_VERIFY_WITH_TIMEOUT(panel->elsewhere() < 0.05 * dynamic, engine_time);  // the steps are known
      QCOMPARE(told().contains(QStringLiteral("not in the program on the canvas")), panel->elsewhere() > 0);
      QVERIFY(!canvas->costsByBox().isEmpty());
    }
  }

  /// In a narrow dock bars and table show one at a time, each whole.
  void energyFitsANarrowPlace() {
    QVERIFY(window_->openFile(path("priced.sluice")));
    trigger("panel.energy");
    auto* panel = window_->findChild<EnergyPanel*>();
    QTRY_VERIFY_WITH_TIMEOUT(panel->run() && panel->table()->model()->rowCount() > 5, engine_time);
    QVERIFY(panel->width() < 620);
    auto* parts = panel->findChild<QTabBar*>(QStringLiteral("energyParts"));
    QVERIFY(parts->isVisible() && panel->plot()->isVisible() && !panel->table()->isVisible());
    const QCPLegend* legend = panel->plot()->legend;
    QTRY_VERIFY(panel->plot()->viewport().contains(legend->outerRect()));
    for (int item = 0; item < legend->itemCount(); ++item)
      if (const QCPAbstractLegendItem* entry = legend->item(item))
        QVERIFY(entry->minimumOuterSizeHint().width() <= entry->outerRect().width() + 1);
    parts->setCurrentIndex(1);
    QVERIFY(!panel->plot()->isVisible() && panel->table()->isVisible());
  }

  void withoutATechnologyItIsSaidWhereToChooseOne() {
    QVERIFY(window_->openFile(sample("simple_moe")));
    trigger("panel.energy");
    auto* panel = window_->findChild<EnergyPanel*>();
    QTRY_VERIFY_WITH_TIMEOUT(panel->run(), engine_time);
    QCOMPARE(panel->table()->model()->rowCount(), 0);
    QVERIFY(energyMissing(*panel->run())->code == "missing-technology");
    auto* technology = panel->findChild<QComboBox*>(QStringLiteral("energyTechnology"));
    technology->setFocus();
    QTest::keyClicks(technology, QStringLiteral("7nm"));
    QTest::keyClick(technology, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(panel->table()->model()->rowCount() > 5, engine_time);
    trigger("edit.undo");
    QTRY_COMPARE_WITH_TIMEOUT(panel->table()->model()->rowCount(), 0, engine_time);
    QVERIFY(technology->currentData().toString().isEmpty());
  }

  void aSetOpensItsViewAndPlacesTheChosenTrace() {
    QVERIFY(window_->openFile(path("many.sluice")));
    auto* panel = window_->findChild<DistributionPanel*>();
    QTRY_VERIFY_WITH_TIMEOUT(panel->isVisible(), engine_time);
    QTRY_VERIFY_WITH_TIMEOUT(panel->sentence().contains(QStringLiteral("percentile of 12")), engine_time);
    QCOMPARE(panel->traces()->rowCount(), 12);
    QVERIFY(panel->experts()->csv().count(QLatin1Char('\n')) > 2);
    panel->tabs()->setCurrentWidget(panel->fifos());
    QTRY_VERIFY_WITH_TIMEOUT(panel->fifos()->csv().contains(QStringLiteral("of the traces")), engine_time);

    trigger("run.explore");
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle() && panel->boxes()->drawn() > 2, engine_time);
    const ParetoChart* chart = window_->workspace()->explorer()->pareto()->chart();
    QTRY_VERIFY(!chart->spreads().empty());
    const Spread spread = chart->spreads().spreads().front();
    QVERIFY(spread.x_low <= spread.x && spread.x <= spread.x_high);
    QTRY_VERIFY(panel->traces()->csv().contains(QStringLiteral(",1,")) ||
                panel->traces()->csv().contains(QStringLiteral(",0,")));
    exportAll({QStringLiteral("distribution"), QStringLiteral("boxes"), QStringLiteral("fifo-bands"),
               QStringLiteral("experts"), QStringLiteral("traces"), QStringLiteral("pareto")});
  }

  /// In a figure, as the command line writes it again.
  void tracesArePanelsOfFigures() {
    QVERIFY(window_->openFile(path("many.sluice")));
    trigger("file.compose");
    auto* composer = window_->findChild<FigureComposer*>();
    for (const PanelView view : {PanelView::Distribution, PanelView::Boxes, PanelView::Experts})
      composer->findChild<QAction*>(QStringLiteral("addPanel%1").arg(static_cast<int>(view)))->trigger();
    auto* order = composer->findChild<QComboBox*>(QStringLiteral("panel_x"));
    QVERIFY(order->isVisible());
    QCOMPARE(order->count(), 2);  // by rank, by number
    emit order->activated((order->setCurrentText(QStringLiteral("expert")), order->currentIndex()));
    QVERIFY(!composer->findChild<QWidget*>(QStringLiteral("panel_rows"))->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle() && composer->idle(), engine_time);
    QVERIFY(!composer->exportTo(path("early.pdf")));  // no design has been explored
    trigger("run.explore");
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle() && composer->idle(), engine_time);
    const Result<Done> written = composer->exportTo(path("traces.svg"));
    QVERIFY2(written, qPrintable(written ? QString() : qt(text(written.diagnostics()))));
    const QString drawn = textOf(path("traces.svg"));
    for (const char* shown : {"percentile of 12", "Share of the traces", "quartiles, median", "Tokens"})
      QVERIFY2(drawn.contains(QLatin1String(shown)), shown);
    QVERIFY(!drawn.contains(QStringLiteral("busiest")));  // by number
    QVERIFY(window_->saveFile(path("figure.sluice")));
    QString told;
    QVERIFY2(cli({QStringLiteral("export"), path("figure.sluice"), QStringLiteral("--figure"),
                  QStringLiteral("Figure 1"), QStringLiteral("--out"), path("again.svg")},
                 &told) == 0,
             qPrintable(told));
    QCOMPARE(textOf(path("again.svg")), drawn);
  }

  /// Without a user, too: what is asked for is brought to the front, run under every trace, and then written.
  void aBatchRunWaitsForTheTraces() {
    const QString charts = path("charts");
    const QStringList views{QStringLiteral("distribution"), QStringLiteral("boxes"),
                            QStringLiteral("fifo-bands"), QStringLiteral("experts"),
                            QStringLiteral("energy")};
    QString told;
    QVERIFY2(runProgram("sluice",
                        {QStringLiteral("--charts"), charts, QStringLiteral("--views"),
                         views.join(QLatin1Char(',')), path("many.sluice")},
                        &told) == 0,
             qPrintable(told));
    for (const QString& view : views)
      QVERIFY(QFileInfo(charts + QLatin1Char('/') + view + QStringLiteral(".pdf")).size() > 1000);
    const auto lines = [&charts](const char* view) {
      QFile file(charts + QLatin1Char('/') + QLatin1String(view) + QStringLiteral(".csv"));
      return file.open(QIODevice::ReadOnly) ? file.readAll().count('\n') : 0;
    };
    QCOMPARE(lines("distribution"), 13);
    QVERIFY(lines("boxes") > 3);
    QVERIFY(lines("fifo-bands") > 3);
  }

  void aSearchTakesStatistics() {
    QVERIFY(window_->openFile(path("many.sluice")));
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    trigger("run.search");
    auto* dialog = window_->findChild<QDialog*>(QStringLiteral("searchDialog"));
    auto* statistic = dialog->findChild<QComboBox*>(QStringLiteral("searchObjective1Statistic"));
    QVERIFY(statistic->isVisible());
    statistic->setCurrentIndex(statistic->findData(QStringLiteral("p95")));
    dialog->findChild<QLineEdit*>(QStringLiteral("searchConstraints"))
        ->setText(QStringLiteral("P(deadlock)=0"));
    QVERIFY(dialog->findChild<QPushButton*>(QStringLiteral("searchStart"))->isEnabled());
    dialog->accept();
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    QCOMPARE(window_->session()->search()->objectives.front(), std::string("p95(cycles)"));
    const auto& points = window_->workspace()->explorer()->points()->points();
    QVERIFY(!points.empty());
    QVERIFY(std::isfinite(metric(points.front(), "p95(cycles)")));
  }

 private:
  QString path(const char* name) const { return folder_.filePath(QString::fromLatin1(name)); }
  void trigger(const char* command) { window_->commands()->action(QString::fromLatin1(command))->trigger(); }
  static QString textOf(const QString& file) {
    QFile opened(file);
    return opened.open(QIODevice::ReadOnly) ? QString::fromUtf8(opened.readAll()) : QString();
  }
  void exportAll(const QStringList& views) {
    for (const QString& view : views)
      for (const ExportFormat format : {ExportFormat::Pdf, ExportFormat::Pgf, ExportFormat::Csv}) {
        const ExportChoice choice{{view}, format, single_column};
        const QString file = folder_.filePath(choice.suggestedName());
        QVERIFY2(window_->exportFile(file, choice), qPrintable(view));
        QVERIFY2(QFileInfo(file).size() > 40, qPrintable(file));
      }
  }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::TracesWindowTest)
#include "traces_window_test.moc"
