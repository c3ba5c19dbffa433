// From a model of another tool to its frontier: an ONNX file opened, and the design space that it comes with
// explored, with mouse and keyboard and with the keyboard alone.

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
    expectKnobs();
    user.tool(journey_.command("run.explore"));
    expectFrontier();
    journey_.expectFew(user);
  }

  void withTheKeyboardAlone() {
    Keyboard user(journey_.window());
    user.whenAsked([&] {
      user.type(QStringLiteral("model.onnx"));
      user.press("Return");
    });
    user.press("Ctrl+O");
    journey_.settle();
    expectKnobs();
    user.press("F5");
    expectFrontier();
    journey_.expectFew(user);
  }

 private:
  /// Tile, unrolling, memory and how FIFOs are sized: an imported model is a design space.
  void expectKnobs() const {
    QStringList names;
    for (const Knob& knob : journey_.document().knobs) names << QString::fromStdString(knob.name);
    QCOMPARE(names, (QStringList{"tile", "unroll", "on_chip", "sizing"}));
    QCOMPARE(journey_.document().knobs.front().size(), std::uint64_t{3});
  }
  void expectFrontier() const {
    journey_.settle();
    const ExplorerPane* explorer = journey_.window()->workspace()->explorer();
    QCOMPARE(explorer->points()->points().size(), std::size_t{3 * 3 * 2 * 3});
    QVERIFY(explorer->pareto()->isVisible());
    QVERIFY(explorer->pareto()->chart()->frontier().size() > 1);
  }

  Journey journey_{"journey_import_test"};
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::JourneyImportTest)
#include "journey_import_test.moc"
