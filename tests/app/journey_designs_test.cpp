// From a plain program to a schedule that nobody wrote: designs are looked for, one is taken and undone, it
// stands beside the program as it is, and their chart goes on paper, with mouse and keyboard and with the
// keyboard alone.

#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QTabBar>
#include <QTableWidget>

#include "app/window/designs/designs_controller.h"
#include "app/window/designs/designs_panel.h"
#include "app/window/run/compare_controller.h"
#include "tests/app/journey.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/plots/pareto_chart.h"

namespace sluice::ui {

class JourneyDesignsTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    journey_.begin();
    const QString own = journey_.file(QStringLiteral("simple_moe.sluice"));
    QVERIFY(QFile::exists(own) || QFile::copy(sample("simple_moe"), own));
  }
  void cleanup() { journey_.end(); }

  void withMouseAndKeyboard() {
    Hands user(journey_.window());
    user.whenAsked([&] {
      user.type(QStringLiteral("simple_moe.sluice"));
      user.click(QDialogButtonBox::Open);
    });
    user.tool(journey_.command("file.open"));
    journey_.settle();
    const Document start = journey_.document();
    user.choose(journey_.window()->menuBar(), journey_.window()->commands()->menu(QStringLiteral("&Run")),
                journey_.command("run.designs"));
    auto* budget = visible<QSpinBox>(QStringLiteral("designsBudget"));
    user.click(budget, QPoint(20, budget->height() / 2));
    user.press("Ctrl+A");
    user.type(QStringLiteral("20"));
    QCOMPARE(budget->value(), 20);
    user.click(visible<QPushButton>(QStringLiteral("designsStart")));
    waitForDesigns();
    user.clickTab(QStringLiteral("Frontier"));
    user.press("Home");
    user.press("Down");  // the program as it is comes first
    const Design design = chosen();
    user.click(visible<QPushButton>(QStringLiteral("designsTake")));
    expectTaken(design);
    user.tool(journey_.command("edit.undo"));
    QVERIFY(journey_.document() == start);
    user.click(visible<QPushButton>(QStringLiteral("designsPinB")));
    journey_.settle();
    QTRY_VERIFY_WITH_TIMEOUT(journey_.window()->comparison()->idle(), Journey::engine_time);
    user.press("Ctrl+Alt+A");
    expectCompared(design);
    const QString figure = QStringLiteral("by_mouse.pdf");
    user.whenAsked([&] {
      chooseDesigns(user);
      user.whenAsked([&] {
        user.type(figure);
        user.click(QDialogButtonBox::Save);
      });
      user.clickDefault();
    });
    user.tool(journey_.command("file.export"));
    journey_.expectFigure(journey_.file(figure));
    journey_.expectFew(user);
    QVERIFY(user.wasAsked());
  }

  /// Taken and undone with a region open, a design leaves the graph where it can be seen.
  void takingBackLeavesTheGraphInView() {
    MainWindow* window = journey_.window();
    QVERIFY(window->openFile(journey_.file(QStringLiteral("simple_moe.sluice"))));
    journey_.settle();
    GraphCanvas* canvas = window->workspace()->canvas();
    const auto settled = [&] {
      journey_.settle();
      QTRY_VERIFY_WITH_TIMEOUT(!canvas->layoutPending() && !canvas->animating(), Journey::engine_time);
    };
    canvas->toggleRegion(QStringLiteral("expert"));
    settled();
    canvas->fitAll();
    canvas->zoomIn();  // by hand: it does not fit by itself any more
    Hands user(window);
    user.choose(window->menuBar(), window->commands()->menu(QStringLiteral("&Run")),
                journey_.command("run.designs"));
    visible<QSpinBox>(QStringLiteral("designsBudget"))->setValue(20);
    user.click(visible<QPushButton>(QStringLiteral("designsStart")));
    waitForDesigns();
    for (int row = 1; row < std::min(4, static_cast<int>(panel()->designs().size())); ++row) {
      user.clickTab(QStringLiteral("Frontier"));
      user.press("Home");
      user.press("Down", row);
      user.click(visible<QPushButton>(QStringLiteral("designsTake")));
      settled();
      expectMuchInView(*canvas);
      user.tool(journey_.command("edit.undo"));
      settled();
      expectMuchInView(*canvas);
    }
  }

  void withTheKeyboardAlone() {
    Keyboard user(journey_.window());
    user.whenAsked([&] {
      user.type(QStringLiteral("simple_moe.sluice"));
      user.press("Return");
    });
    user.press("Ctrl+O");
    journey_.settle();
    const Document start = journey_.document();
    user.press("Ctrl+Shift+F5");
    user.tabTo(QStringLiteral("designsBudget"));
    user.press("Ctrl+A");
    user.type(QStringLiteral("20"));
    QCOMPARE(visible<QSpinBox>(QStringLiteral("designsBudget"))->value(), 20);
    user.press("Return");
    waitForDesigns();
    QVERIFY(panel()->isAncestorOf(user.receiver()) || user.receiver() == panel());
    user.press("Right");  // from the program as it is to the next on the frontier
    const Design design = chosen();
    user.press("Return");
    expectTaken(design);
    user.press("Ctrl+Alt+B");
    QTRY_VERIFY_WITH_TIMEOUT(journey_.window()->comparison()->idle(), Journey::engine_time);
    user.press("Ctrl+Z");
    journey_.settle();
    QVERIFY(journey_.document() == start);
    user.press("Ctrl+Alt+A");
    expectCompared(design);
    const QString figure = QStringLiteral("by_keyboard.pdf");
    user.whenAsked([&] {
      user.type(QStringLiteral("Designs"));  // to its row
      user.press("Space");
      user.whenAsked([&] {
        user.type(figure);
        user.press("Return");
      });
      user.press("Return");
    });
    user.press("Ctrl+Shift+E");
    journey_.expectFigure(journey_.file(figure));
    journey_.expectFew(user);
    QVERIFY(user.wasAsked());
  }

 private:
  DesignsPanel* panel() const { return journey_.window()->designs()->panel(); }

  void waitForDesigns() const {
    QTRY_VERIFY_WITH_TIMEOUT(!journey_.window()->designs()->running(), Journey::engine_time);
    const auto& result = journey_.window()->designs()->result();
    QVERIFY(result && result->frontier.size() > 1);
    QVERIFY(panel()->isVisible());
  }
  /// One that has steps of its own.
  Design chosen() const {
    const int at = panel()->selected();
    if (at <= 0) throw std::runtime_error("no design but the program itself is selected");
    return panel()->designs()[static_cast<std::size_t>(at)];
  }
  void expectTaken(const Design& design) const {
    QVERIFY(!design.schedule.empty());
    QVERIFY(journey_.document().schedule == design.schedule);
    journey_.settle();
  }
  /// The program as A against the design as B.
  void expectCompared(const Design& design) const {
    const CompareController* comparison = journey_.window()->comparison();
    QTRY_VERIFY_WITH_TIMEOUT(comparison->idle() && comparison->hasBoth(), Journey::engine_time);
    QCOMPARE(comparison->run(1).point->point.metrics.cycles, design.point.metrics.cycles);
    QVERIFY(comparison->run(0).point->point.metrics.cycles != design.point.metrics.cycles ||
            comparison->run(0).point->point.metrics.on_chip_bytes != design.point.metrics.on_chip_bytes);
  }
  static void expectMuchInView(const GraphCanvas& canvas) {
    const QRectF view = canvas.viewportTransform().inverted().mapRect(QRectF(canvas.viewport()->rect()));
    const QRectF content = canvas.contentRect(), seen = view & content;
    QVERIFY(seen.width() * seen.height() >
            0.3 * std::min(view.width(), content.width()) * std::min(view.height(), content.height()));
  }
  static void chooseDesigns(Hands& user) {
    auto* views = visible<QListWidget>(QStringLiteral("exportSubject"));
    QListWidgetItem* item = views->findItems(QStringLiteral("Designs"), Qt::MatchExactly).value(0);
    if (!item) throw std::runtime_error("designs cannot be exported");
    if (item->checkState() == Qt::Checked) return;
    views->scrollToItem(item);
    const QRect row = views->visualItemRect(item);
    user.click(views->viewport(), QPoint(row.left() + 10, row.center().y()));
  }

  Journey journey_{"journey_designs_test"};
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::JourneyDesignsTest)
#include "journey_designs_test.moc"
