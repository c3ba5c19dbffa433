// The knob panel under keyboard and mouse.

#include <QComboBox>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QStyle>
#include <QStyleOptionSlider>
#include <QTest>
#include <QToolButton>

#include "tests/widgets/test_program.h"
#include "widgets/knobs/knob_panel.h"

namespace sluice::ui {
namespace {

Knob knob(const char* name, KnobKind kind, std::int64_t initial) {
  Knob made;
  made.name = name;
  made.kind = kind;
  made.initial = initial;
  return made;
}

std::vector<Knob> someKnobs() {
  Knob range = knob("depth", KnobKind::Range, 5);
  range.minimum = 2;
  range.maximum = 20;
  range.step = 3;
  range.help = "tokens in a FIFO";
  Knob power = knob("tile", KnobKind::PowerOfTwo, 16);
  power.minimum = 8;
  power.maximum = 64;
  Knob list = knob("bw", KnobKind::List, 250);
  list.list = {100, 250, 1000};
  Knob choice = knob("mode", KnobKind::Choice, 0);
  choice.choices = {"static", "dynamic"};
  return {range, power, list, choice};
}

QPoint handleOf(const QSlider& slider) {
  QStyleOptionSlider option;
  option.initFrom(&slider);
  option.orientation = slider.orientation();
  option.minimum = slider.minimum();
  option.maximum = slider.maximum();
  option.tickPosition = slider.tickPosition();
  option.tickInterval = slider.tickInterval();
  option.sliderPosition = slider.sliderPosition();
  option.sliderValue = slider.value();
  option.state |= QStyle::State_Horizontal;
  return slider.style()
      ->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, &slider)
      .center();
}

}  // namespace

class KnobsTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    panel_ = std::make_unique<KnobPanel>();
    panel_->resize(280, 500);
    panel_->setKnobs(someKnobs());
    panel_->show();
    QVERIFY(QTest::qWaitForWindowExposed(panel_.get()));
  }
  void cleanup() { panel_.reset(); }

  void defaultsAreShown() {
    QCOMPARE(panel_->values(), (KnobValues{{"depth", 5}, {"tile", 16}, {"bw", 250}, {"mode", 0}}));
    QCOMPARE(value<QComboBox>("mode")->currentText(), QStringLiteral("static"));
    QVERIFY(!child<QToolButton>("reset.depth")->isEnabled());
    QCOMPARE(child<QWidget>("knob.depth")->toolTip(), QStringLiteral("tokens in a FIFO"));
  }

  void arrowKeysStepThroughAllowedValues() {
    QSignalSpy spy(panel_.get(), &KnobPanel::knobsChanged);
    auto* slider = child<QSlider>("slider.tile");
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_Right);
    QCOMPARE(panel_->values().at("tile"), 32);
    QTest::keyClick(slider, Qt::Key_End);
    QCOMPARE(panel_->values().at("tile"), 64);
    QTest::keyClick(slider, Qt::Key_Right);
    QCOMPARE(spy.size(), 2);
    QCOMPARE(spy.last().at(1).toString(), QStringLiteral("tile"));
    QCOMPARE(spy.last().at(2).toBool(), false);
    QCOMPARE(spy.last().at(0).value<KnobValues>().at("tile"), 64);
  }

  void draggingReportsOnTheWay() {
    QSignalSpy changes(panel_.get(), &KnobPanel::knobsChanged), ends(panel_.get(), &KnobPanel::dragFinished);
    auto* slider = child<QSlider>("slider.depth");
    const QPoint start = handleOf(*slider);
    QTest::mousePress(slider, Qt::LeftButton, {}, start);
    for (int x = start.x(); x < slider->width(); x += 4) QTest::mouseMove(slider, QPoint(x, start.y()));
    QVERIFY(changes.size() >= 3);
    QCOMPARE(changes.last().at(2).toBool(), true);
    QCOMPARE(ends.size(), 0);
    QTest::mouseRelease(slider, Qt::LeftButton, {}, QPoint(slider->width() - 1, start.y()));
    QCOMPARE(ends.size(), 1);
    QCOMPARE(panel_->values().at("depth"), 20);
    for (const auto& change : changes) {
      const auto depth = change.at(0).value<KnobValues>().at("depth");
      QVERIFY((depth - 2) % 3 == 0);
    }
  }

  void aTypedValueSnapsToAnAllowedOne() {
    auto* spin = value<QSpinBox>("depth");
    spin->setFocus();
    spin->selectAll();
    QTest::keyClicks(spin, QStringLiteral("13"));
    QTest::keyClick(spin, Qt::Key_Return);
    QCOMPARE(panel_->values().at("depth"), 14);
    QCOMPARE(spin->value(), 14);
  }

  void boxesAndResetWork() {
    QSignalSpy spy(panel_.get(), &KnobPanel::knobsChanged);
    auto* mode = value<QComboBox>("mode");
    mode->setFocus();
    QTest::keyClick(mode, Qt::Key_Down);
    QCOMPARE(panel_->values().at("mode"), 1);
    auto* reset = child<QToolButton>("reset.mode");
    QVERIFY(reset->isEnabled());
    QTest::mouseClick(reset, Qt::LeftButton);
    QCOMPARE(panel_->values().at("mode"), 0);
    QVERIFY(!reset->isEnabled());
    QCOMPARE(spy.size(), 2);
  }

  void settingValuesIsSilentAndKeepsRows() {
    QSignalSpy spy(panel_.get(), &KnobPanel::knobsChanged);
    const auto* before = child<QSlider>("slider.bw");
    panel_->setKnobs(someKnobs());
    panel_->setValues({{"bw", 1000}, {"unknown", 3}});
    QCOMPARE(child<QSlider>("slider.bw"), before);
    QCOMPARE(before->value(), 2);
    QCOMPARE(spy.size(), 0);
    QCOMPARE(panel_->values().at("bw"), 1000);
  }

  void everythingHasANameForScreenReaders() {
    for (const QSlider* slider : panel_->findChildren<QSlider*>())
      QVERIFY(!slider->accessibleName().isEmpty());
    for (const QComboBox* box : panel_->findChildren<QComboBox*>()) QVERIFY(!box->accessibleName().isEmpty());
  }

 private:
  template <class Widget>
  Widget* child(const char* name) {
    auto* found = panel_->findChild<Widget*>(QString::fromLatin1(name));
    Q_ASSERT(found);
    return found;
  }
  template <class Widget>
  Widget* value(const char* knob) {
    return child<Widget>((std::string("value.") + knob).c_str());
  }

  std::unique_ptr<KnobPanel> panel_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::KnobsTest)
#include "knobs_test.moc"
