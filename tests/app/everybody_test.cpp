// For everybody: a name for every control, colours that can be told apart, the whole way from editing to a
// run by keyboard, the welcome page and the tour.

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QSlider>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QTextEdit>
#include <algorithm>
#include <limits>
#include <set>

#include "app/window/document/samples.h"
#include "app/window/edit/connect_dialog.h"
#include "app/window/edit/edit_controller.h"
#include "app/window/explore/explorer_pane.h"
#include "app/window/export/export_dialog.h"
#include "app/window/manual/manual_window.h"
#include "app/window/schedule/schedule_controller.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/onboarding.h"
#include "app/window/shell/shortcut_editor.h"
#include "app/window/shell/tour.h"
#include "app/window/shell/welcome_page.h"
#include "app/window/shell/workspace.h"
#include "engine/operators/registry.h"
#include "engine/schedule/transformation.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/palette/operator_palette.h"
#include "widgets/plots/pareto_plot.h"
#include "widgets/points/points_model.h"

namespace sluice::ui {
namespace {

bool isControl(const QWidget* widget) {
  if (qobject_cast<const QScrollBar*>(widget)) return false;
  return qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QLineEdit*>(widget) ||
         qobject_cast<const QComboBox*>(widget) || qobject_cast<const QAbstractSpinBox*>(widget) ||
         qobject_cast<const QAbstractSlider*>(widget) || qobject_cast<const QAbstractItemView*>(widget) ||
         qobject_cast<const QTextEdit*>(widget) || qobject_cast<const QGraphicsView*>(widget);
}

/// Parts of Qt's own controls and bars, which speak for their parts.
bool isPartOfAControl(const QWidget* widget) {
  if (widget->objectName().startsWith(QLatin1String("qt_"))) return true;
  const QWidget* around = widget->parentWidget();
  if (!around) return false;
  if (around->inherits("QDockWidget")) return qobject_cast<const QAbstractButton*>(widget) != nullptr;
  for (const char* whole : {"QComboBox", "QComboBoxPrivateContainer", "QAbstractSpinBox", "QLineEdit",
                            "QTableView", "QTreeView", "QTabBar", "QKeySequenceEdit"})
    if (around->inherits(whole)) return true;
  return false;
}

QString pathOf(const QWidget* widget) {
  QStringList names;
  for (const QWidget* each = widget; each && names.size() < 6; each = each->parentWidget())
    names.prepend(QLatin1String(each->metaObject()->className()) + QLatin1Char('#') + each->objectName());
  return names.join(QStringLiteral(" / "));
}

QStringList nameless(QWidget* root) {
  QStringList missing;
  for (QWidget* widget : root->findChildren<QWidget*>()) {
    if (!isControl(widget) || isPartOfAControl(widget)) continue;
    QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(widget);
    if (!spoken || spoken->text(QAccessible::Name).trimmed().isEmpty()) missing << pathOf(widget);
  }
  return missing;
}

}  // namespace

class EverybodyTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    usePrivateSettings(QStringLiteral("everybody_test"), folder_.path());
  }
  void init() {
    QSettings().clear();
    window_ = makeWindow();
  }
  void cleanup() { window_.reset(); }

  void everyControlHasAName() {
    open("simple_moe");
    window_->jumpTo(QStringLiteral("expert"));
    expectNames(window_.get());
    window_->jumpTo(QStringLiteral("x_load"));
    expectNames(window_.get());
    window_->jumpTo(QStringLiteral("#tokens.in"));
    expectNames(window_.get());
    ShortcutEditor* keys = new ShortcutEditor(window_->commands());
    expectNames(keys);
    keys->close();
    ExportDialog exported(window_->views());
    expectNames(&exported);
    expectNames(window_->onboarding()->manual());
    window_->schedule()->add({"tile", {{"region", "expert"}}});
    expectNames(window_.get());
    window_->findChild<QDialog*>(QStringLiteral("stepDialog"))->reject();
    command("schedule.sizeFifos")->trigger();
    command("edit.connect")->trigger();
    command("view.commands")->trigger();
    command("help.shortcuts")->trigger();
    command("file.compose")->trigger();
    command("tensor.types")->trigger();
    expectNames(window_.get());
  }

  void textCanBeReadInBothThemes() {
    for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
      window_->setTheme(theme);
      const QPalette colours = QApplication::palette();
      const auto expect = [&](const char* what, const QColor& text, const QColor& ground, double least) {
        QVERIFY2(contrast(text, ground) >= least,
                 qPrintable(QStringLiteral("%1, %2: %3 on %4 has only %5")
                                .arg(nameOf(theme), QString::fromLatin1(what), text.name(), ground.name())
                                .arg(contrast(text, ground), 0, 'f', 2)));
      };
      for (const auto group : {QPalette::Active, QPalette::Inactive}) {
        const auto colour = [&](QPalette::ColorRole role) { return colours.color(group, role); };
        expect("window", colour(QPalette::WindowText), colour(QPalette::Window), 4.5);
        expect("fields", colour(QPalette::Text), colour(QPalette::Base), 4.5);
        expect("rows", colour(QPalette::Text), colour(QPalette::AlternateBase), 4.5);
        expect("buttons", colour(QPalette::ButtonText), colour(QPalette::Button), 4.5);
        expect("selection", colour(QPalette::HighlightedText), colour(QPalette::Highlight), 4.5);
        expect("tips", colour(QPalette::ToolTipText), colour(QPalette::ToolTipBase), 4.5);
        expect("links", colour(QPalette::Link), colour(QPalette::Base), 4.5);
      }
      const CanvasTheme& canvas = window_->workspace()->canvas()->theme();
      expect("names", canvas.text, canvas.box, 4.5);
      expect("details", canvas.muted, canvas.box, 4.5);
      expect("labels", canvas.muted, canvas.canvas, 4.5);
      expect("streams", canvas.edge, canvas.canvas, 3);
      expect("the selection", canvas.selection, canvas.canvas, 3);
      for (const QColor& mark : {canvas.error, canvas.warning, canvas.deadlock}) {
        expect("marks", mark, canvas.canvas, 3);
        expect("signs", canvas.on_mark, mark, 3);
      }
      for (const OperatorSpec* spec : registeredSpecs())
        expect(spec->category.c_str(), canvas.category(spec->category), canvas.box, 3);
    }
  }

  /// As painted: the ticks below a knob's slider, and the line around a field.
  void linesOfFieldsAndTicksOfKnobsCanBeSeenOnDarkGround() {
    window_->setTheme(ThemeChoice::Dark);
    open("gpt2_block");
    auto* slider = window_->findChild<QSlider*>(QStringLiteral("slider.tokens"));
    QVERIFY(slider && slider->isVisible());
    QLineEdit field;
    QSpinBox number;
    QComboBox choice;
    for (QWidget* each : std::initializer_list<QWidget*>{&field, &number, &choice}) each->resize(120, 26);
    const auto seen = [](QWidget& widget, const QRect& where) {
      const QImage picture = widget.grab().toImage();
      double best = 0;
      for (int y = where.top(); y <= where.bottom(); ++y)
        for (int x = where.left(); x <= where.right(); ++x)
          best = std::max(best, contrast(picture.pixelColor(x, y), QApplication::palette().window().color()));
      return best;
    };
    QVERIFY(seen(*slider, QRect(0, slider->height() - 5, slider->width(), 4)) >= 2.5);
    for (QWidget* each : std::initializer_list<QWidget*>{&field, &number, &choice})
      QVERIFY2(seen(*each, QRect(20, 0, 60, 2)) >= 2.5, each->metaObject()->className());
  }

  /// From nothing to a changed, simulated and explored program without the mouse.
  void aProgramIsEditedAndRunByKeyboard() {
    open("simple_moe");
    window_->shownProgram()->wantScheduled(false);
    GraphCanvas* canvas = window_->workspace()->canvas();
    // Find a node, and put an operator into the stream behind it.
    QTest::keyClick(window_.get(), Qt::Key_F, Qt::ControlModifier);
    auto* field = window_->findChild<QLineEdit*>(QStringLiteral("findField"));
    QTRY_VERIFY(field->hasFocus());
    QTest::keyClicks(field, QStringLiteral("x_load Linear"));
    QCOMPARE(canvas->selectedNode(), QStringLiteral("x_load"));
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(canvas->hasFocus());
    QTest::keyClick(canvas, Qt::Key_Right);
    QVERIFY(canvas->selectedStream().startsWith(QLatin1Char('#')));
    QTest::keyClick(window_.get(), Qt::Key_I, Qt::ControlModifier);
    QTRY_VERIFY(window_->operators()->search()->hasFocus());
    QTest::keyClicks(window_->operators()->search(), QStringLiteral("promote"));
    QTest::keyClick(window_->operators()->search(), Qt::Key_Return);
    const Node* made = window_->documents()->document().program.find("promote");
    QVERIFY(made);
    // Take it back, and explore.
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(!window_->documents()->document().program.find("promote"));
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    QTest::keyClick(window_.get(), Qt::Key_F5);
    QVERIFY(window_->session()->exploring());
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), 4 * engine_time);
  }

  void theWelcomePageOpensSamples() {
    WelcomePage* welcome = window_->onboarding()->welcome();
    QVERIFY(welcome->isVisible());
    if (samplesFolder().isEmpty()) QSKIP("no samples beside this build");
    QVERIFY(welcome->samples()->count() >= 8);
    QTest::qWait(100);
    QVERIFY(window_->grab().save(QStringLiteral(SLUICE_BINARY_DIR "/welcome.png")));
    welcome->samples()->setCurrentRow(0);
    QTest::keyClick(welcome->samples(), Qt::Key_Return);
    QVERIFY(window_->documents()->hasDocument());
    QVERIFY(!welcome->isVisible());
  }

  void theTourEndsWithAFrontier() {
    if (samplesFolder().isEmpty()) QSKIP("no samples beside this build");
    window_->onboarding()->welcome()->tourButton()->click();
    QPointer<Tour> tour = window_->onboarding()->tour();
    QVERIFY(tour && tour->isVisible());
    PointState last = PointState::Done;
    connect(window_->session(), &SessionController::pointReady, this,
            [&](const std::shared_ptr<const PointResult>& result) { last = result->point.state; });
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle() && last == PointState::Deadlocked, engine_time);
    int actions = 0;
    for (int stop = 0; tour && stop < tour->stops(); ++stop) {
      QCOMPARE(tour->stop(), stop);
      QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
      if (stop + 1 == tour->stops()) theFrontierAnswersTheTour();
      if (stop == 1) QVERIFY(window_->grab().save(QStringLiteral(SLUICE_BINARY_DIR "/tour.png")));
      tour->doButton()->click();
      ++actions;
      QTRY_VERIFY_WITH_TIMEOUT(!tour || tour->stop() > stop, engine_time);
    }
    QTRY_VERIFY(tour.isNull());
    QCOMPARE(last, PointState::Done);
    QVERIFY(actions <= 10);
  }

  void everyOperatorAndTransformationIsDescribed() {
    ManualWindow& manual = *window_->onboarding()->manual();
    for (const Transformation* known : registeredTransformations()) {
      manual.showPage(QStringLiteral("step:") + QString::fromStdString(known->spec.name));
      const QString page = manual.page()->toPlainText();
      QVERIFY2(page.contains(QString::fromStdString(known->spec.effect)), qPrintable(page));
    }
    for (const OperatorSpec* spec : registeredSpecs()) {
      manual.showPage(QStringLiteral("operator:") + QString::fromStdString(spec->kind));
      const QString page = manual.page()->toPlainText();
      for (const std::string* part :
           {&spec->paper, &spec->rules.shape, &spec->rules.cost, &spec->rules.timing})
        QVERIFY2(page.contains(QString::fromStdString(*part)), part->c_str());
      QVERIFY2(!page.contains(QStringLiteral("(default )")), qPrintable(page));
    }
  }

 private:
  /// Depths 8, 9 and 10: each takes more memory and fewer cycles, and no other depth is worth having.
  void theFrontierAnswersTheTour() {
    const ParetoPlot* plot = window_->workspace()->explorer()->pareto();
    QCOMPARE(plot->xMetric(), QStringLiteral("fifo_bytes"));
    QCOMPARE(plot->yMetric(), QStringLiteral("cycles"));
    std::set<std::int64_t> depths;
    std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
    std::vector<DesignPoint> done;
    for (const DesignPoint& point : window_->workspace()->explorer()->points()->points())
      if (point.state == PointState::Done) done.push_back(point);
    std::sort(done.begin(), done.end(), [](const DesignPoint& a, const DesignPoint& b) {
      return a.metrics.fifo_bytes < b.metrics.fifo_bytes;
    });
    for (const DesignPoint& point : done) {
      if (point.metrics.cycles >= best) continue;
      best = point.metrics.cycles;
      depths.insert(point.knobs.at("depth"));
    }
    QCOMPARE(depths, (std::set<std::int64_t>{8, 9, 10}));
  }

  void open(const char* name) {
    QVERIFY(window_->openFile(sample(name)));
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle() && !window_->workspace()->canvas()->layoutPending(),
                             engine_time);
  }
  void expectNames(QWidget* root) {
    const QStringList missing = nameless(root);
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join(QLatin1Char('\n'))));
  }
  QAction* command(const char* id) const { return window_->commands()->action(QString::fromLatin1(id)); }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::EverybodyTest)
#include "everybody_test.moc"
