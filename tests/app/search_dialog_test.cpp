// Searching the design space from the window: what is asked for, what cannot be, what comes of it, with and
// without a store.

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

#include "app/window/explore/explorer_pane.h"
#include "app/window/explore/objective_field.h"
#include "app/window/explore/search_dialog.h"
#include "app/window/explore/store_dialog.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/common/elided_label.h"
#include "widgets/diagnostics/diagnostics_list.h"
#include "widgets/plots/hypervolume_plot.h"
#include "widgets/plots/pareto_plot.h"

namespace sluice::ui {
namespace {

/// The dialog's fields, as a user finds them.
struct Fields {
  explicit Fields(const QWidget* dialog) : dialog_(dialog) {}

  template <class T>
  T* find(const char* name) const {
    return dialog_->findChild<T*>(QString::fromLatin1(name));
  }
  void choose(const char* combo, const char* value) const {
    auto* const box = find<QComboBox>(combo);
    const int index = box->findData(QString::fromLatin1(value));
    QVERIFY2(index >= 0, value);
    box->setCurrentIndex(index);
  }
  void type(const char* line, const QString& text) const {
    auto* const field = find<QLineEdit>(line);
    field->selectAll();
    QTest::keyClick(field, Qt::Key_Delete);
    QTest::keyClicks(field, text);
  }
  void budget(int points) const {
    auto* const field = find<QSpinBox>("searchBudget");
    field->selectAll();
    QTest::keyClicks(field, QString::number(points));
    QCOMPARE(field->value(), points);
  }
  QString text(const char* label) const { return find<QLabel>(label)->text(); }
  QPushButton* start() const { return find<QPushButton>("searchStart"); }

 private:
  const QWidget* dialog_;
};

}  // namespace

class SearchDialogTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("search_dialog_test"), folder_.path());
  }
  void init() {
    QSettings().clear();
    window_ = makeWindow();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    QVERIFY(window_->openFile(sample("simple_moe")));
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
  }
  void cleanup() { window_.reset(); }

  void aSearchKeepsItsBudgetAndDrawsItsFrontier() {
    const Fields fields = opened();
    fields.choose("searchStrategy", "nsga2");
    QVERIFY(fields.text("searchSummary").contains(QStringLiteral("NSGA-II")));
    fields.budget(20);
    fields.choose("searchObjective1", "compute_utilization");
    fields.choose("searchObjective2", "on_chip_bytes");
    fields.type("searchConstraints", QStringLiteral("on_chip_bytes<=1e12, cycle<=3"));
    QVERIFY(!fields.start()->isEnabled());
    QVERIFY2(fields.text("searchConstraintsNote").contains(QStringLiteral("'cycle' is not a metric")),
             qPrintable(fields.text("searchConstraintsNote")));
    fields.type("searchConstraints", QStringLiteral("cycles>=10, on_chip_bytes<=1e12, cycles<=9"));
    QVERIFY(!fields.start()->isEnabled());
    QVERIFY(fields.text("searchConstraintsNote")
                .contains(QStringLiteral("contradicts cycles"), Qt::CaseInsensitive));
    fields.type("searchConstraints", QStringLiteral("on_chip_bytes<=1e12, cycles <= 1e9"));
    QVERIFY(fields.start()->isEnabled());
    QVERIFY2(fields.text("searchStatus").contains(QStringLiteral("20 of")),
             qPrintable(fields.text("searchStatus")));
    run(fields);
    QCOMPARE(points().size(), std::size_t{20});
    QVERIFY(!pareto()->chart()->frontier().empty());
    QCOMPARE(pareto()->xMetric(), QStringLiteral("compute_utilization"));
    QCOMPARE(pareto()->yMetric(), QStringLiteral("on_chip_bytes"));
    QVERIFY(!explorer()->hypervolume()->history().empty());
    QVERIFY2(status().startsWith(QStringLiteral("Explored 20 points (nsga2)")), qPrintable(status()));
    QVERIFY2(status().contains(QStringLiteral("on the frontier of Compute utilisation, On-chip memory")),
             qPrintable(status()));
  }

  void aConstraintIsChosenFromLists() {
    const Fields fields = opened();
    QVERIFY(!fields.find<QPushButton>("searchAddConstraint")->isEnabled());
    fields.choose("searchLimited", "on_chip_bytes");
    fields.type("searchLimit", QStringLiteral("50 cycles"));  // of another unit
    QVERIFY(!fields.find<QPushButton>("searchAddConstraint")->isEnabled());
    fields.type("searchLimit", QStringLiteral("50 MB"));
    QTest::mouseClick(fields.find<QPushButton>("searchAddConstraint"), Qt::LeftButton);
    fields.choose("searchLimited", "cycles");
    fields.choose("searchSense", ">=");
    fields.type("searchLimit", QStringLiteral("2e3"));
    QTest::keyClick(fields.find<QLineEdit>("searchLimit"), Qt::Key_Return);
    QVERIFY(fields.start()->window()->isVisible());  // Return added it, and started nothing
    QCOMPARE(fields.find<QLineEdit>("searchConstraints")->text(),
             QStringLiteral("on_chip_bytes<=50 MB, cycles>=2e3"));
    fields.type("searchLimit", QStringLiteral("1 k"));  // another limit of the same
    QTest::keyClick(fields.find<QLineEdit>("searchLimit"), Qt::Key_Return);
    QCOMPARE(fields.find<QLineEdit>("searchConstraints")->text(),
             QStringLiteral("on_chip_bytes<=50 MB, cycles>=1 k"));
    QVERIFY(fields.start()->isEnabled());
    const auto* dialog = qobject_cast<const SearchDialog*>(fields.start()->window());
    const std::vector<Constraint> constraints = dialog->request().constraints;
    QCOMPARE(constraints.size(), std::size_t{2});
    QCOMPARE(constraints[0].value, 50e6);
    QCOMPARE(constraints[1].value, 1000.0);
    QVERIFY(!constraints[1].at_most);
  }

  /// What breaks a constraint is neither on the frontier nor shown; F5 takes everything again.
  void constraintsAreFiltersOfTheirSearch() {
    explore();
    const std::size_t all = points().size();
    std::vector<double> cycles;
    for (const DesignPoint& point : points()) cycles.push_back(metric(point, "cycles"));
    std::sort(cycles.begin(), cycles.end());
    const double middle = cycles[cycles.size() / 2];
    Fields fields = opened();
    fields.type("searchConstraints", QStringLiteral("cycles>=%1").arg(middle, 0, 'f', 0));
    fields.choose("searchObjective2", "");
    run(fields);
    QCOMPARE(points().size(), all);
    QVERIFY(selection()->shownCount() > 0 && selection()->shownCount() < all);
    for (const std::size_t index : pareto()->chart()->frontier())
      QVERIFY(metric(points()[index], "cycles") >= middle);
    QCOMPARE(pareto()->xMetric(), QStringLiteral("cycles"));
    QCOMPARE(pareto()->yMetric(), QStringLiteral("on_chip_bytes"));
    for (const double volume : explorer()->hypervolume()->history()) QVERIFY(volume <= 1);

    fields = opened();  // another search, another filter
    fields.type("searchConstraints", QStringLiteral("on_chip_bytes<=1e12"));
    run(fields);
    QVERIFY(!selection()->rangeOf(QStringLiteral("cycles")));
    QVERIFY(selection()->rangeOf(QStringLiteral("on_chip_bytes")));
    selection()->setRange(QStringLiteral("on_chip_bytes"), 0, 1e11);  // the user's own now
    explore();
    QCOMPARE(selection()->filters().size(), std::size_t{1});
    selection()->clearFilters();
    explore();
    QCOMPARE(selection()->shownCount(), all);
  }

  void aSecondSearchTakesItsPointsFromTheStore() {
    const QString store = folder_.filePath(QStringLiteral("second.db"));
    Fields fields = opened();
    QVERIFY(!fields.find<QCheckBox>("searchResume")->isEnabled());
    fields.choose("searchStrategy", "random");
    fields.budget(12);
    fields.type("searchStore", store);
    QVERIFY(fields.find<QCheckBox>("searchWarmStart")->isEnabled());
    QTest::mouseClick(fields.find<QCheckBox>("searchResume"), Qt::LeftButton, {}, {8, 8});
    run(fields);
    QVERIFY2(!status().contains(QStringLiteral("store")), qPrintable(status()));
    QCOMPARE(points().size(), std::size_t{12});
    run(opened());  // as remembered
    QCOMPARE(points().size(), std::size_t{12});
    QVERIFY2(status().contains(QStringLiteral("12 points, 12 from the store")), qPrintable(status()));

    window_->commands()->action(QStringLiteral("points.store"))->trigger();
    auto* stores = window_->findChild<StoreDialog*>();
    // The store of a minute ago is open already.
    const auto* recent = stores->findChild<QComboBox*>(QStringLiteral("recentStores"));
    QCOMPARE(recent->count(), 1);
    QVERIFY2(recent->itemText(0).startsWith(QStringLiteral("second.db")), qPrintable(recent->itemText(0)));
    QVERIFY2(recent->itemText(0).contains(QStringLiteral("12 points")), qPrintable(recent->itemText(0)));
    auto* list = stores->findChild<QTreeWidget*>(QStringLiteral("explorations"));
    QTRY_COMPARE(list->topLevelItemCount(), 1);
    QCOMPARE(list->topLevelItem(0)->text(3), QStringLiteral("random"));
    QCOMPARE(list->topLevelItem(0)->text(6), QStringLiteral("12"));
    stores->close();

    fields = opened();
    QTest::mouseClick(fields.find<QCheckBox>("searchWarmStart"), Qt::LeftButton, {}, {8, 8});
    run(fields);
    QVERIFY2(status().contains(QStringLiteral("12 from the store")), qPrintable(status()));
    QVERIFY(points().size() > 12);
  }

  void aStoreThatCannotBeIsToldAsADiagnostic() {
    const Fields fields = opened();
    fields.budget(3);
    fields.choose("searchStrategy", "random");
    fields.type("searchStore", QStringLiteral("/nowhere/at/all.db"));
    run(fields);
    QVERIFY(told("/nowhere/at/all.db"));
    QVERIFY(points().empty());
  }

  void whatCannotBeSearchedIsSaidBeforeItStarts() {
    const Fields fields = opened();
    QVERIFY(fields.start()->isEnabled());
    const auto refused = [&fields](const char* why) {
      return !fields.start()->isEnabled() && fields.text("searchStatus").contains(QLatin1String(why));
    };
    fields.choose("searchStrategy", "exhaustive");
    fields.budget(5);
    QVERIFY2(refused("at most 5 are to be evaluated"), qPrintable(fields.text("searchStatus")));
    fields.choose("searchStrategy", "pruned");
    QVERIFY(refused("at most 5 are to be evaluated"));
    QVERIFY(!fields.find<QSpinBox>("searchSeed")->isEnabled());
    fields.choose("searchStrategy", "halving");
    QVERIFY(fields.start()->isEnabled());
    QVERIFY(fields.find<QSpinBox>("searchSeed")->isEnabled());
    fields.choose("searchObjective3", "flops");
    QVERIFY2(refused("short runs"), qPrintable(fields.text("searchStatus")));
    fields.choose("searchStrategy", "nspso");
    QVERIFY(fields.start()->isEnabled());
    fields.choose("searchFidelity", "symbolic");
    QVERIFY2(refused("symbolic level"), qPrintable(fields.text("searchStatus")));
    fields.choose("searchObjective3", "cycles");
    QVERIFY2(refused("given twice"), qPrintable(fields.text("searchStatus")));
    fields.choose("searchObjective3", "");
    run(fields);
    QCOMPARE(points().size(), std::size_t{5});
    QCOMPARE(points().front().fidelity, Fidelity::Symbolic);
    QVERIFY(!pareto()->chart()->frontier().empty());
  }

  void aSpaceThatIsTooLargeForF5IsSearched() {
    enlarge();
    explore();
    QVERIFY(told("Run > Search"));
    const Fields fields = opened();
    QVERIFY(fields.text("searchSize").contains(QStringLiteral("depth")));
    QCOMPARE(fields.find<QComboBox>("searchStrategy")->currentText(), QStringLiteral("nsga2"));
    QCOMPARE(fields.find<QSpinBox>("searchBudget")->value(), 1000);
    fields.choose("searchStrategy", "latin-hypercube");
    fields.budget(10);
    run(fields);
    QCOMPARE(points().size(), std::size_t{10});
    QVERIFY(!told("Run > Search"));
  }

  void aKnobThatDoesNotVaryKeepsItsValue() {
    const Fields fields = opened();
    const QString whole = fields.text("searchSize");
    auto* const vary = fields.find<QListWidget>("searchVary");
    QVERIFY(vary->count() > 1);
    const KnobValues present = window_->documents()->knobs();
    const std::string name = window_->documents()->document().knobs.front().name;
    vary->setCurrentRow(0);
    QTest::keyClick(vary, Qt::Key_Space);
    QCOMPARE(vary->item(0)->checkState(), Qt::Unchecked);
    QVERIFY2(fields.text("searchSize") != whole, qPrintable(whole));
    fields.choose("searchStrategy", "exhaustive");
    run(fields);
    QCOMPARE(points().size(),
             designSpace(window_->documents()->document(), {{name, present.at(name)}}).size());
    for (const DesignPoint& point : points()) QCOMPARE(point.knobs.at(name), present.at(name));
  }

  void aSearchCanBeStopped() {
    enlarge();
    const Fields fields = opened();
    fields.choose("searchStrategy", "random");
    fields.budget(100000);
    QTest::mouseClick(fields.start(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(points().size() > 3, engine_time);
    QVERIFY2(status().contains(QStringLiteral("of 100")), qPrintable(status()));
    window_->commands()->action(QStringLiteral("run.cancel"))->trigger();
    QVERIFY(window_->session()->idle());
    QCOMPARE(status(), QStringLiteral("Cancelled"));
  }

  void wherePruningLeavesNothingItsCauseIsTold() {
    const Fields fields = opened();
    fields.choose("searchStrategy", "pruned");
    fields.type("searchConstraints", QStringLiteral("cycles<=1"));
    run(fields);
    QVERIFY(points().empty());
    QVERIFY2(status().contains(QStringLiteral("0 points, ")) &&
                 status().contains(QStringLiteral(" ruled out by their bounds")),
             qPrintable(status()));
    QVERIFY(told("cycles is at least"));
  }

  void theChoicesAreThereAgain() {
    Fields fields = opened();
    const int proposed = fields.find<QSpinBox>("searchBudget")->value();
    fields.choose("searchStrategy", "moead");
    fields.choose("searchFidelity", "record");
    fields.choose("searchObjective1", "flops");
    fields.choose("searchObjective3", "cycles");
    fields.type("searchConstraints", QStringLiteral("cycles<=1e9"));
    QTest::keyClick(fields.start()->window(), Qt::Key_Escape);  // thought better of
    fields = opened();
    QCOMPARE(fields.find<QComboBox>("searchStrategy")->currentText(), QStringLiteral("exhaustive"));
    fields.choose("searchStrategy", "moead");
    fields.choose("searchFidelity", "record");
    fields.choose("searchObjective1", "flops");
    fields.choose("searchObjective3", "cycles");
    fields.type("searchConstraints", QStringLiteral("cycles<=1e9"));
    fields.find<QSpinBox>("searchSeed")->setValue(7);
    run(fields);
    QCOMPARE(points().front().fidelity, Fidelity::Record);
    fields = opened();
    QCOMPARE(fields.find<QComboBox>("searchStrategy")->currentText(), QStringLiteral("moead"));
    QCOMPARE(fields.find<QComboBox>("searchFidelity")->currentData().toString(), QStringLiteral("record"));
    QCOMPARE(fields.find<QComboBox>("searchObjective1")->currentData().toString(), QStringLiteral("flops"));
    QCOMPARE(fields.find<QComboBox>("searchObjective3")->currentData().toString(), QStringLiteral("cycles"));
    QCOMPARE(fields.find<QLineEdit>("searchConstraints")->text(), QStringLiteral("cycles<=1e9"));
    QCOMPARE(fields.find<QSpinBox>("searchSeed")->value(), 7);
    QCOMPARE(fields.find<QSpinBox>("searchBudget")->value(), proposed);
    fields.start()->window()->close();
    enlarge();  // a budget that was only proposed is proposed anew
    QCOMPARE(opened().find<QSpinBox>("searchBudget")->value(), 1000);
  }

  void everyFieldHasANameAndAKey() {
    const Fields fields = opened();
    const QWidget* dialog = fields.start()->window();
    int named = 0;
    QWidgetList all = dialog->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
    for (const ObjectiveField* objective : dialog->findChildren<ObjectiveField*>())
      all.push_back(objective->metric());
    for (const QWidget* field : all) {
      if (field->focusPolicy() == Qt::NoFocus || field->inherits("QDialogButtonBox")) continue;
      QVERIFY2(!field->accessibleName().isEmpty(), qPrintable(field->objectName()));
      ++named;
    }
    QVERIFY(named >= 8);
    QStringList keys;
    for (const QLabel* label : dialog->findChildren<QLabel*>()) {
      const qsizetype at = label->text().indexOf(QLatin1Char('&'));
      if (at < 0 || !label->buddy()) continue;
      const QString letter = label->text().mid(at + 1, 1).toLower();
      QVERIFY2(!keys.contains(letter), qPrintable(label->text()));
      keys << letter;
    }
    for (const QAbstractButton* button : dialog->findChildren<QAbstractButton*>()) {
      const qsizetype at = button->text().indexOf(QLatin1Char('&'));
      if (at < 0 || button->parentWidget()->inherits("QDialogButtonBox")) continue;
      const QString letter = button->text().mid(at + 1, 1).toLower();
      QVERIFY2(!keys.contains(letter), qPrintable(button->text()));
      keys << letter;
    }
  }

 private:
  Fields opened() {
    window_->activateWindow();  // a dialog that closes leaves that to the window manager
    if (!QTest::qWaitForWindowActive(window_.get())) throw std::runtime_error("the window is not active");
    QTest::keyClick(window_.get(), Qt::Key_F5, Qt::ShiftModifier);
    for (auto* dialog : window_->findChildren<SearchDialog*>())
      if (dialog->isVisible()) return Fields(dialog);
    throw std::runtime_error("the dialog did not open");
  }
  void run(const Fields& fields) {
    QVERIFY2(fields.start()->isEnabled(), qPrintable(fields.text("searchStatus")));
    QTest::mouseClick(fields.start(), Qt::LeftButton);
    QVERIFY(window_->session()->exploring());
    wait();
  }
  void explore() {
    QTest::keyClick(window_.get(), Qt::Key_F5);
    wait();
  }
  void wait() { QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), 4 * engine_time); }
  /// More combinations than F5 takes.
  void enlarge() {
    window_->documents()->edit(QStringLiteral("enlarge"), [](Document& document) {
      for (Knob& knob : document.knobs) {
        if (knob.name != "depth") continue;
        knob.kind = KnobKind::Range;
        knob.minimum = 2;
        knob.maximum = 1'000'000;
        knob.step = 1;
      }
    });
    wait();
  }
  bool told(const char* what) const {
    for (const Diagnostic& each : window_->workspace()->diagnostics()->diagnostics())
      if (sluice::text(each).find(what) != std::string::npos) return true;
    return false;
  }
  QString status() const { return window_->findChild<ElidedLabel*>(QStringLiteral("statusMessage"))->text(); }
  const std::vector<DesignPoint>& points() const { return window_->workspace()->points()->points(); }
  ExplorerPane* explorer() const { return window_->workspace()->explorer(); }
  PointSelection* selection() const { return explorer()->selection(); }
  ParetoPlot* pareto() const { return explorer()->pareto(); }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::SearchDialogTest)
#include "search_dialog_test.moc"
