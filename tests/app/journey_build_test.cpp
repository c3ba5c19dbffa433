// From an empty window to a figure: a program of three operators, a knob, its exploration, a constraint and a
// PDF, with mouse and keyboard and with the keyboard alone.

#include <QLineEdit>
#include <QToolButton>

#include "app/window/explore/explorer_pane.h"
#include "tests/app/journey.h"
#include "tests/widgets/test_program.h"
#include "widgets/points/point_selection.h"

namespace sluice::ui {

class JourneyBuildTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { journey_.begin(); }
  void cleanup() { journey_.end(); }

  void withMouseAndKeyboard() {
    Hands user(journey_.window());
    chooseFrom(user, "&File", "file.new");
    const Document start = journey_.document();
    user.clickTab(QStringLiteral("Operators"));
    user.click(visible<QLineEdit>(QStringLiteral("paletteSearch")));
    addOperators(user);
    chooseFrom(user, "&View", "canvas.fitAll");
    journey_.settle();
    QWidget* ground = journey_.canvas()->viewport();
    user.drag(ground, port("linear_off_chip_load", "out", true), port("map", "in", false));
    journey_.settle();
    user.drag(ground, port("map", "out", true), port("linear_off_chip_store", "in", false));
    expectProgram();
    user.click(ground, spot(journey_.canvas()->nodeCenter(QStringLiteral("map"))));
    user.click(visible<QToolButton>(QStringLiteral("makeKnob.compute_bw")));
    user.click(QDialogButtonBox::Ok);
    expectKnob();
    user.tool(journey_.command("run.explore"));
    expectExplored();
    user.click(visible<QLineEdit>(QStringLiteral("filterField")));
    limit(user);
    const QString figure = QStringLiteral("by_mouse.pdf");
    user.whenAsked([&] {
      user.whenAsked([&] {
        user.type(figure);
        user.click(QDialogButtonBox::Save);
      });
      user.clickDefault();
    });
    user.tool(journey_.command("file.export"));
    QVERIFY(selection()->rangeOf(QStringLiteral("cycles")));
    journey_.expectFigure(journey_.file(figure));
    journey_.expectFew(user);
    journey_.expectWayBack(start, user, [&] { user.tool(journey_.command("edit.undo")); });
  }

  void withTheKeyboardAlone() {
    Keyboard user(journey_.window());
    user.press("Ctrl+N");
    const Document start = journey_.document();
    user.press("Ctrl+I");
    addOperators(user);
    user.press("Ctrl+J");  // from the first output to the first input
    user.press("Return");
    journey_.settle();
    user.press("Ctrl+J");
    user.press("Down");
    user.press("Tab");
    user.press("Down");
    user.press("Return");
    expectProgram();
    user.press("Ctrl+F");
    user.press("Esc");      // on the canvas now, at the store
    user.press("Left", 2);  // over its stream
    QCOMPARE(journey_.canvas()->selectedNode(), QStringLiteral("map"));
    user.press("Return");  // to its parameters
    user.tabTo(QStringLiteral("makeKnob.compute_bw"));
    user.press("Space");
    user.press("Return");
    expectKnob();
    user.press("F5");
    expectExplored();
    user.press("Ctrl+Alt+F");
    limit(user);
    const QString figure = QStringLiteral("by_keyboard.pdf");
    user.whenAsked([&] {
      user.whenAsked([&] {
        user.type(figure);
        user.press("Return");
      });
      user.press("Return");
    });
    user.press("Ctrl+Shift+E");
    QVERIFY(selection()->rangeOf(QStringLiteral("cycles")));
    journey_.expectFigure(journey_.file(figure));
    journey_.expectFew(user);
    user.press("Ctrl+F");  // what a field has of undo is its own
    user.press("Esc");
    journey_.expectWayBack(start, user, [&] { user.press("Ctrl+Z"); });
  }

 private:
  /// Into the search of the palette, which has the keyboard.
  static void addOperators(Keyboard& user) {
    for (const char* kind : {"linearoffchipload", "map", "linearoffchipstore"}) {
      user.type(QLatin1String(kind));
      user.press("Return");
    }
  }
  static void limit(Keyboard& user) {
    user.type(QStringLiteral("cycles < 1M"));
    user.press("Return");
  }

  void chooseFrom(Hands& user, const char* menu, const char* entry) const {
    user.choose(journey_.window()->menuBar(), journey_.window()->commands()->menu(QLatin1String(menu)),
                journey_.command(entry));
  }

  void expectProgram() const {
    QCOMPARE(journey_.document().program.nodes.size(), std::size_t{3});
    QCOMPARE(journey_.document().program.streams.size(), std::size_t{2});
    QVERIFY(findStream("linear_off_chip_load.out", "map.in"));
    QVERIFY(findStream("map.out", "linear_off_chip_store.in"));
    journey_.settle();
  }
  bool findStream(const char* from, const char* to) const {
    for (const Stream& stream : journey_.document().program.streams)
      if (text(stream.from) == from && text(stream.to) == to) return true;
    return false;
  }
  void expectKnob() const {
    QCOMPARE(journey_.document().knobs.size(), std::size_t{1});
    const Knob& knob = journey_.document().knobs.front();
    QVERIFY(knob.size() > 1);
    QVERIFY(journey_.document().program.find("map")->parameters.at("compute_bw") == Value(knob.name));
    journey_.settle();
  }
  void expectExplored() const {
    journey_.settle();
    const auto& points = selection()->points();
    QCOMPARE(points.size(), static_cast<std::size_t>(journey_.document().knobs.front().size()));
    for (const DesignPoint& point : points) QCOMPARE(point.state, PointState::Done);
  }
  PointSelection* selection() const { return journey_.window()->workspace()->explorer()->selection(); }

  QPoint spot(const QPointF& scene) const {
    return journey_.canvas()->viewportTransform().map(scene).toPoint();
  }
  QPoint port(const char* node, const char* name, bool output) const {
    return spot(journey_.canvas()->portPoint(QLatin1String(node), QLatin1String(name), output));
  }

  Journey journey_{"journey_build_test"};
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::JourneyBuildTest)
#include "journey_build_test.moc"
