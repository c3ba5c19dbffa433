// A metric has one name, one unit and one format, wherever the window shows it: in the bar of figures, on
// axes, in tables, filters, dialogs and files. All of it is held against the registry.

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>
#include <set>

#include "app/window/explore/explorer_pane.h"
#include "app/window/explore/search_dialog.h"
#include "app/window/run/compare_controller.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "engine/explorer/metrics/registry.h"
#include "engine/explorer/tables.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/compare/compare_model.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/metrics/metrics_bar.h"
#include "widgets/plots/pareto_plot.h"
#include "widgets/points/point_columns.h"
#include "widgets/points/point_selection.h"

namespace sluice::ui {

class MetricNamesTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("metric_names_test"), folder_.path());
    QSettings().clear();
    window_ = makeWindow({1600, 1000});
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    QVERIFY(window_->openFile(sample("simple_moe")));
    wait();
    command("run.explore");
    wait();
  }
  void cleanupTestCase() { window_.reset(); }

  void namesAreToldApart() {
    std::set<QString> taken;
    for (const MetricSpec* metric : registeredMetrics())
      for (const QString& name : std::set<QString>{qt(metric->title), qt(metric->short_title)})
        QVERIFY2(taken.insert(name.toLower()).second, qPrintable(name));
  }

  void theBarOfFiguresHasThem() {
    int tiles = 0;
    for (const MetricSpec* metric : registeredMetrics()) {
      const auto* tile = window_->findChild<MetricTile*>(QStringLiteral("metric.") + qt(metric->name));
      if (!tile) continue;
      ++tiles;
      QVERIFY2(tile->findChild<QLabel*>()->text() == qt(metric->short_title), metric->name.c_str());
      QVERIFY2(tile->toolTip().startsWith(qt(metric->title)), qPrintable(tile->toolTip()));
    }
    QVERIFY(tiles >= 8);
  }

  /// What had no room in a narrow window comes back in a wide one.
  void theBarOfFiguresGrowsWithTheWindow() {
    const auto* total = window_->findChild<MetricTile*>(QStringLiteral("metric.total_on_chip_bytes"));
    const auto* cycles = window_->findChild<MetricTile*>(QStringLiteral("metric.cycles"));
    window_->resize(1024, 640);
    QTRY_VERIFY(!total->isVisible());
    QVERIFY(cycles->isVisible());
    window_->resize(1900, 1000);
    QTRY_VERIFY(total->isVisible());
  }

  void pointsHaveThemAsTitlesUnitsAndColumns() {
    const PointColumns& columns = *explorer()->selection()->columns();
    const QAbstractItemModel& table = *window_->workspace()->points();
    QStringList titles;
    for (int section = 0; section < table.columnCount(); ++section)
      titles << table.headerData(section, Qt::Horizontal).toString();
    const QString header = window_->workspace()->points()->csv({}).section(QLatin1Char('\n'), 0, 0);
    const QStringList written = header.split(QLatin1Char(','));
    for (const MetricSpec* metric : metricsWith(false)) {
      const auto column = columns.find(qt(metric->name));
      QVERIFY2(column, metric->name.c_str());
      QCOMPARE(columnTitle(columns.columns()[*column]), qt(metric->title));
      QCOMPARE(columnUnit(columns.columns()[*column]), metricUnit(qt(metric->name)));
      QCOMPARE(titles.count(qt(metric->title)), 1);
      QCOMPARE(written.count(qt(metric->name)), 1);
      const double value = columns.columns()[*column].values.front();
      const QModelIndex cell = table.index(0, static_cast<int>(titles.indexOf(qt(metric->title))));
      QCOMPARE(cell.data().toString(), text(metricQuantity(qt(metric->name), value)));
    }
  }

  void axesAreChosenByThem() {
    const auto combos = pareto()->findChildren<QComboBox*>();
    int metrics = 0;
    for (const QComboBox* combo : combos)
      for (int i = 0; i < combo->count(); ++i) {
        const MetricSpec* metric = findMetric(combo->itemData(i).toString().toStdString());
        if (!metric) continue;
        QCOMPARE(combo->itemText(i), qt(metric->title));
        ++metrics;
      }
    QVERIFY(metrics >= static_cast<int>(2 * metricsWith(false).size()));
  }

  /// Typed as they are shown anywhere, they are understood.
  void filtersKnowThem() {
    for (const MetricSpec* metric : registeredMetrics())
      for (const std::string& typed :
           {metric->name, std::string(metric->title), std::string(metric->short_title)})
        QVERIFY2(findMetricTyped(typed) == metric, typed.c_str());
    auto* field = window_->findChild<QLineEdit*>(QStringLiteral("filterField"));
    QVERIFY(field);
    for (const MetricSpec* metric : metricsWith(false)) {
      const std::size_t before = explorer()->selection()->filters().size();
      field->setText(qt(metric->title) + QStringLiteral(" >= 0"));
      QTest::keyClick(field, Qt::Key_Return);
      QCOMPARE(explorer()->selection()->filters().size(), before + 1);
      explorer()->selection()->undoStack()->undo();
    }
  }

  void theSearchHasThem() {
    command("run.search");
    auto* dialog = window_->findChild<SearchDialog*>();
    QVERIFY(dialog);
    const auto shown = [dialog](const char* combo, const MetricSpec& metric) {
      const auto* box = dialog->findChild<QComboBox*>(QString::fromLatin1(combo));
      return box->itemText(box->findData(qt(metric.name)));
    };
    for (const MetricSpec* metric : registeredMetrics()) {
      QVERIFY(shown("searchObjective1", *metric).startsWith(metricAxisLabel(qt(metric->name))));
      QCOMPARE(shown("searchLimited", *metric), qt(metric->title));
    }
    dialog->reject();
  }

  void comparisonsHaveThem() {
    auto* compare = window_->findChild<CompareController*>();
    for (const int run : {0, 1}) {
      compare->pin(run);
      QTRY_VERIFY_WITH_TIMEOUT(compare->idle(), engine_time);
    }
    QTRY_VERIFY(compare->panel()->comparison());
    const CompareModel& model = *compare->panel()->model(CompareModel::Table::Metrics);
    std::set<QString> titles;
    for (const MetricSpec* metric : registeredMetrics()) titles.insert(qt(metric->title));
    int metrics = 0;
    for (int row = 0; row < model.rowCount(); ++row)
      metrics += titles.contains(model.index(row, CompareModel::Name).data().toString()) ? 1 : 0;
    QVERIFY2(metrics >= 8, qPrintable(QString::number(metrics)));
  }

  /// FIFO bytes stand beside the on-chip bytes of the papers, and their sum beside both, in STeP programs as
  /// in compiled ones.
  void fifosAreCountedAlikeEverywhere() {
    for (const char* name : {"simple_moe", "gpt2_block"}) {
      QVERIFY(window_->openFile(sample(name)));
      std::shared_ptr<const PointResult> point;
      const auto seen = connect(window_->session(), &SessionController::pointReady, this,
                                [&point](const std::shared_ptr<const PointResult>& ready) { point = ready; });
      wait();
      disconnect(seen);
      QVERIFY(point);
      const Metrics& metrics = point->point.metrics;
      QVERIFY(metrics.fifo_bytes > 0 && metrics.on_chip_bytes > 0);
      QCOMPARE(metrics.total_on_chip_bytes, metrics.on_chip_bytes + metrics.fifo_bytes);
      for (const char* metric : {"on_chip_bytes", "fifo_bytes", "total_on_chip_bytes"})
        QVERIFY2(window_->findChild<MetricTile*>(QStringLiteral("metric.") + QLatin1String(metric)), metric);
    }
  }

 private:
  void wait() { QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time); }
  void command(const char* id) { window_->commands()->action(QString::fromLatin1(id))->trigger(); }
  ExplorerPane* explorer() const { return window_->workspace()->explorer(); }
  ParetoPlot* pareto() const { return explorer()->pareto(); }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::MetricNamesTest)
#include "metric_names_test.moc"
