// The points' table and what it shares with the other views: values that go by names, and the level at which
// a point is known.

#include <QLabel>
#include <QTest>
#include <QToolButton>

#include "tests/widgets/test_program.h"
#include "widgets/common/quantity.h"
#include "widgets/decision/decision_panel.h"
#include "widgets/decision/sensitivity_view.h"
#include "widgets/parallel/parallel_view.h"
#include "widgets/plots/pareto_plot.h"
#include "widgets/points/filter_bar.h"
#include "widgets/points/points_table.h"

namespace sluice::ui {
namespace {

struct Views {
  PointsModel model;
  PointColumns columns{&model};
  PointSelection selection{&columns};
  ParetoPlot pareto{&selection};
  ParallelView parallel{&selection};
  PointsTable table{&model};
  FilterBar filters{&selection};

  Views() { table.follow(&selection); }
};

}  // namespace

class PointsTest : public QObject {
  Q_OBJECT

 private slots:
  void aRangeNamesItsUnitOnce() {
    const QString dash = QStringLiteral(" \u2013 ");
    const PointColumn cycles{.name = QStringLiteral("cycles"), .values = {}};
    QCOMPARE(columnRangeText(cycles, 1452, 4194), QStringLiteral("1.452") + dash + columnText(cycles, 4194));
    QCOMPARE(columnRangeText(cycles, 12, 4194), columnText(cycles, 12) + dash + columnText(cycles, 4194));
    const PointColumn knob{.name = QStringLiteral("tile"), .is_knob = true, .values = {}};
    QCOMPARE(columnRangeText(knob, 4, 16), QStringLiteral("4") + dash + QStringLiteral("16"));
  }

  void valuesWithNamesGoByTheirNames() {
    Views views;
    const QStringList modes = {QStringLiteral("static"), QStringLiteral("interleaved"),
                               QStringLiteral("dynamic")};
    std::vector<DesignPoint> points;
    for (std::int64_t mode = 2; mode >= 0; --mode)
      for (std::int64_t tile = 1; tile <= 2; ++tile) {
        DesignPoint point;
        point.knobs = {{"mode", mode}, {"tile", tile}};
        point.metrics.cycles = static_cast<Cycles>(1000 + 100 * mode + tile);
        point.metrics.on_chip_bytes = static_cast<Bytes>(10 * tile);
        points.push_back(point);
      }
    Knob mode;
    mode.name = "mode";
    mode.kind = KnobKind::Choice;
    mode.choices = {"static", "interleaved", "dynamic"};
    views.model.setPoints(points);
    views.model.setKnobNames(knobNames({mode}));

    // The table: names in the cells, sorted in the order of the knob, not of the alphabet.
    const QAbstractItemModel& table = *views.table.model();
    QCOMPARE(table.index(0, 0).data().toString(), QStringLiteral("dynamic"));
    views.table.sortByColumn(0, Qt::AscendingOrder);
    for (int row = 0; row < 6; ++row) QCOMPARE(table.index(row, 0).data().toString(), modes[row / 2]);
    // Filters are written and read with names; a wrong one tells those that there are.
    const Result<PointFilter> interleaved = parseFilter(QStringLiteral("mode = Interleaved"), views.columns);
    QVERIFY(interleaved);
    views.selection.setRange(interleaved->column, interleaved->low, interleaved->high);
    QCOMPARE(views.selection.shownCount(), std::size_t{2});
    QVERIFY(views.filters.findChild<QToolButton*>(QStringLiteral("filterChip0"))
                ->text()
                .startsWith(QStringLiteral("mode = interleaved")));
    views.selection.setRange(QStringLiteral("mode"), 1, 2);
    QCOMPARE(filterText(views.selection.filters().front(), views.columns),
             QStringLiteral("mode = interleaved or dynamic"));
    const Result<PointFilter> wrong = parseFilter(QStringLiteral("mode = dynamical"), views.columns);
    QVERIFY(!wrong);
    QVERIFY(wrong.diagnostics().front().fix.find("static, interleaved, dynamic") != std::string::npos);
    QCOMPARE(wrong.diagnostics().front().code, std::string("unknown-choice"));
    views.selection.clearFilters();
    // Axis, Choose and CSV.
    views.pareto.setMetrics(QStringLiteral("mode"), QStringLiteral("cycles"));
    const auto ticks = views.pareto.chart()->xAxis->ticker().dynamicCast<QCPAxisTickerText>();
    QVERIFY(ticks);
    QCOMPARE(QStringList(ticks->ticks().values()), modes);
    DecisionPanel decision(&views.selection);
    QVERIFY(decision.findChild<QLabel*>(QStringLiteral("decisionAnswer"))
                ->text()
                .contains(QStringLiteral("mode = static, tile = 1")));
    SensitivityView sensitivity(&views.selection);
    for (const QString& csv : {views.model.csv({}), views.parallel.csv(), sensitivity.csv()})
      for (const QString& name : modes) QVERIFY2(csv.contains(name), qPrintable(csv));
    QVERIFY(sensitivity.csv().contains(QStringLiteral("dynamic: 1201.5")));
    // Points of another program take its names, or none.
    views.model.setKnobNames({});
    QCOMPARE(views.model.index(0, 0).data().toString(), QStringLiteral("2"));
    QVERIFY(!views.pareto.chart()->xAxis->ticker().dynamicCast<QCPAxisTickerText>());
  }

  /// Knobs first, then metrics, state and level last: also when a first exploration brings the knobs.
  void knobsAndMetricsStandBeforeTheState() {
    Views views;
    std::vector<DesignPoint> points(2);
    const auto titles = [&] {
      QStringList all;
      const QHeaderView* header = views.table.horizontalHeader();
      for (int place = 0; place < header->count(); ++place)
        all << views.model.headerData(header->logicalIndex(place), Qt::Horizontal, Qt::DisplayRole)
                   .toString();
      return all;
    };
    for (const int knobs : {4, 1, 0, 2}) {
      for (DesignPoint& point : points) {
        point.knobs.clear();
        for (int knob = 0; knob < knobs; ++knob) point.knobs["knob" + std::to_string(knob)] = 1;
      }
      views.model.setPoints({});
      views.model.setPoints(points);
      const QStringList all = titles();
      for (int knob = 0; knob < knobs; ++knob) QCOMPARE(all[knob], QStringLiteral("knob%1").arg(knob));
      QCOMPARE(all[knobs], metricTitle(QStringLiteral("cycles")));
      QCOMPARE(all.mid(all.size() - 2), (QStringList{QStringLiteral("State"), QStringLiteral("Fidelity")}));
    }
  }

  void theTableTellsHowAPointIsKnown() {
    Views views;
    std::vector<DesignPoint> points(3);
    for (std::size_t i = 0; i < 3; ++i) {
      points[i].knobs = {{"tile", static_cast<std::int64_t>(i)}};
      points[i].metrics.cycles = 10 + static_cast<Cycles>(i);
      points[i].metrics.on_chip_bytes = 30 - static_cast<Bytes>(i);
    }
    points[0].fidelity = Fidelity::Symbolic;
    points[2].fidelity = Fidelity::Record;
    points[2].peak_fifo_tokens = 17;
    views.model.setPoints({points[0], points[1]});
    const auto cell = [&](int row, const QString& title) {
      for (int column = 0; column < views.model.columnCount(); ++column)
        if (views.model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString() == title)
          return views.model.index(row, column).data().toString();
      return QStringLiteral("no such column");
    };
    const QString peak = QStringLiteral("Most tokens in FIFOs"), dash = QStringLiteral("\u2013");
    QCOMPARE(cell(0, peak), QStringLiteral("no such column"));
    views.model.append(std::span(points).subspan(2));
    QCOMPARE(cell(0, QStringLiteral("Fidelity")), QStringLiteral("symbolic"));
    QCOMPARE(cell(1, QStringLiteral("Fidelity")), QStringLiteral("counted"));
    QCOMPARE(cell(2, QStringLiteral("Fidelity")), QStringLiteral("recorded"));
    // Bounds are marked as such; what a level does not tell is a dash, never a zero.
    QCOMPARE(cell(0, metricTitle(QStringLiteral("cycles"))), QStringLiteral("\u2265 10\u00a0cycles"));
    QCOMPARE(cell(0, metricTitle(QStringLiteral("flops"))), dash);
    QCOMPARE(cell(1, metricTitle(QStringLiteral("flops"))), QStringLiteral("0\u00a0FLOP"));
    QCOMPARE(cell(1, peak), dash);
    QCOMPARE(cell(2, peak), QStringLiteral("17"));
    QVERIFY(views.model.csv({}).contains(QStringLiteral("symbolic,10")));
    // A bound is no better than what was measured: the frontier is of the points that ran.
    QCOMPARE(views.pareto.chart()->frontier(), (std::vector<std::size_t>{1, 2}));
  }
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::PointsTest)
#include "points_test.moc"
