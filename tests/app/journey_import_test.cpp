// From a model of another tool to its frontier: an ONNX file opened, a choice of its compilation made a knob,
// and every value of it explored, with mouse and keyboard and with the keyboard alone.

#include <QDialogButtonBox>
#include <QListWidget>
#include <QPushButton>
#include <QToolButton>

#include "app/window/explore/explorer_pane.h"
#include "engine/core/atomic_file.h"
#include "tests/app/journey.h"
#include "tests/engine/support/onnx_model.h"
#include "tests/widgets/test_program.h"
#include "widgets/plots/pareto_plot.h"

namespace sluice::ui {

class JourneyImportTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    journey_.begin();
    testing_support::onnx::Model model;
    model.input("x", {64, 64}).weight("w1", {64, 256}).weight("w2", {256, 64});
    model.node("MatMul", {"x", "w1"}, "h").node("Gelu", {"h"}, "a").node("MatMul", {"a", "w2"}, "y");
    model.output("y");
    QVERIFY(writeFileAtomically(journey_.file(QStringLiteral("model.onnx")).toStdString(), model.write()));
  }
  void cleanup() { journey_.end(); }

  void withMouseAndKeyboard() {
    Hands user(journey_.window());
    user.whenAsked([&] {
      user.type(QStringLiteral("model.onnx"));
      user.click(QDialogButtonBox::Open);
    });
    user.tool(journey_.command("file.open"));
    journey_.settle();
    const Document start = journey_.document();
    auto* steps = visible<QListWidget>(QStringLiteral("scheduleSteps"));
    user.click(steps->viewport(), steps->visualItemRect(steps->item(0)).center());
    user.click(visible<QToolButton>(QStringLiteral("editStep")));
    user.whenAsked([&] { user.click(QDialogButtonBox::Ok); });  // the values that are proposed
    user.click(visible<QToolButton>(QStringLiteral("knob.tile")));
    waitForPreview();
    user.click(QDialogButtonBox::Ok);
    expectKnob();
    user.tool(journey_.command("run.explore"));
    expectFrontier();
    journey_.expectFew(user);
    journey_.expectWayBack(start, user, [&] { user.tool(journey_.command("edit.undo")); });
  }

  void withTheKeyboardAlone() {
    Keyboard user(journey_.window());
    user.whenAsked([&] {
      user.type(QStringLiteral("model.onnx"));
      user.press("Return");
    });
    user.press("Ctrl+O");
    journey_.settle();
    const Document start = journey_.document();
    while (user.receiver()->objectName() != QLatin1String("scheduleSteps") && user.actions() < 20)
      user.press("Ctrl+F6");
    user.press("Return");
    user.tabTo(QStringLiteral("knob.tile"));
    user.whenAsked([&] { user.press("Return"); });
    user.press("Space");
    waitForPreview();
    user.press("Return");
    expectKnob();
    user.press("F5");
    expectFrontier();
    journey_.expectFew(user);
    journey_.expectWayBack(start, user, [&] { user.press("Ctrl+Z"); });
  }

 private:
  /// A step can be taken once it is known what it does.
  static void waitForPreview() {
    const QPushButton* change = visible<QDialog>(QStringLiteral("stepDialog"))
                                    ->findChild<QDialogButtonBox*>()
                                    ->button(QDialogButtonBox::Ok);
    QTest::qWait(200);  // as long as nobody types
    QTRY_VERIFY_WITH_TIMEOUT(change->isEnabled(), Journey::engine_time);
  }
  void expectKnob() const {
    QCOMPARE(journey_.document().knobs.size(), std::size_t{1});
    QCOMPARE(journey_.document().knobs.front().size(), std::uint64_t{3});
    journey_.settle();
  }
  void expectFrontier() const {
    journey_.settle();
    const ExplorerPane* explorer = journey_.window()->workspace()->explorer();
    QCOMPARE(explorer->points()->points().size(), std::size_t{3});
    QVERIFY(explorer->pareto()->isVisible());
    QVERIFY(explorer->pareto()->chart()->frontier().size() > 1);
  }

  Journey journey_{"journey_import_test"};
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::JourneyImportTest)
#include "journey_import_test.moc"
