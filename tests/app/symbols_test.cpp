// Knobs, constants and inputs as a user makes, renames, moves and deletes them: dialogs, refusals, the number
// of combinations, and one step for undo each.

#include <QAction>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <limits>

#include "app/window/edit/symbol_edits.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/quantity.h"
#include "widgets/inspector/inspector.h"
#include "widgets/knobs/knob_dialog.h"
#include "widgets/knobs/knob_panel.h"
#include "widgets/knobs/knob_proposal.h"

namespace sluice::ui {
class SymbolsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("symbols_test"), folder_.path());
  }
  void init() {
    QSettings().clear();
    window_ = makeWindow();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    QVERIFY(window_->openFile(sample("simple_moe")));
    settle();
    before_ = document();
  }
  void cleanup() { window_.reset(); }

  void aKnobIsMadeByCommandAndItsCombinationsAreCounted() {
    window_->commands()->action(QStringLiteral("edit.newKnob"))->trigger();
    QVERIFY(dialog());
    type("name", QStringLiteral("lanes"));
    chooseKind(KnobKind::List);
    type("values", QStringLiteral("1, 2, D/16, D"));
    type("default", QStringLiteral("4"));
    QCOMPARE(shown("knobCount"),
             QStringLiteral("4 values; %1 combinations of all knobs").arg(exactNumber(288)));
    press(QDialogButtonBox::Ok);
    QCOMPARE(document().knobs.size(), before_.knobs.size() + 1);
    QCOMPARE(document().knobs.back().list, (std::vector<std::int64_t>{1, 2, 4, 64}));
    QCOMPARE(document().knobs.back().initial, std::int64_t{4});
    QVERIFY(window_->knobs()->findChild<QWidget*>(QStringLiteral("knob.lanes")));
    undo();
    QVERIFY(document() == before_);
  }

  void whatCannotBeIsToldAtItsField() {
    QTest::mouseClick(window_->knobs()->findChild<QPushButton*>(QStringLiteral("newKnob")), Qt::LeftButton);
    QVERIFY(dialog());
    // A knob, a constant, the index of a region, a function, and no name at all.
    for (const char* name : {"depth", "D", "e", "max", "2b", ""}) {
      type("name", QString::fromLatin1(name));
      QVERIFY2(!shown("knobMessage.name").isEmpty() && !ok()->isEnabled(), name);
    }
    type("name", QStringLiteral("lanes"));
    QVERIFY(ok()->isEnabled());
    chooseKind(KnobKind::Range);
    type("minimum", QStringLiteral("8"));
    type("maximum", QStringLiteral("4"));
    QVERIFY(!shown("knobMessage.maximum").isEmpty());
    type("maximum", QStringLiteral("depth"));
    QVERIFY(shown("knobMessage.maximum").contains(QStringLiteral("another knob")));
    type("maximum", QStringLiteral("D"));
    type("default", QStringLiteral("7"));
    QVERIFY(!shown("knobMessage.default").isEmpty());
    type("default", QString());
    QVERIFY(ok()->isEnabled());
    QTest::keyClick(dialog(), Qt::Key_Escape);
    QVERIFY(document() == before_);
  }

  void aRenamedKnobIsRenamedWhereverItIsUsed() {
    KnobValues values = window_->documents()->knobs();
    values["weight_tile"] = 32;
    window_->documents()->setKnobs(values, QStringLiteral("turn"));
    row("weight_tile", "editKnob")->trigger();
    QVERIFY(dialog());
    type("name", QStringLiteral("columns"));
    press(QDialogButtonBox::Ok);
    QVERIFY(parameter("expert.repeat", "factor") == Value("F/columns"));
    QVERIFY(parameter("expert.up_load", "tile") == Value(std::vector<Value>{Value("D"), Value("columns")}));
    QCOMPARE(window_->documents()->knobs().at("columns"), std::int64_t{32});
    settle();
    QVERIFY(window_->session()->workload());
    undo();
    QVERIFY(document() == before_);
    QCOMPARE(window_->documents()->knobs().at("weight_tile"), std::int64_t{32});
  }

  void aDeletedKnobLeavesItsValue() {
    row("weight_tile", "removeKnob")->trigger();
    QVERIFY(parameter("expert.repeat", "factor") == Value("F/64"));
    QVERIFY(parameter("expert.up_load", "tile") == Value(std::vector<Value>{Value("D"), Value(64)}));
    undo();
    QVERIFY(document() == before_);
  }

  void knobsAreMoved() {
    row("token_tile", "knobDown")->trigger();
    QCOMPARE(document().knobs[1].name, std::string("token_tile"));
    row("token_tile", "knobUp")->trigger();
    QVERIFY(document() == before_);
    row("token_tile", "knobUp")->trigger();  // is the first already
    QVERIFY(document() == before_);
  }

  void aParameterBecomesAKnob() {
    select("expert.repeat");
    click("makeKnob.factor");
    QVERIFY(dialog());
    QCOMPARE(field("name")->text(), QStringLiteral("factor"));
    QCOMPARE(field("default")->text(), QStringLiteral("4"));  // F/weight_tile
    press(QDialogButtonBox::Ok);
    QVERIFY(parameter("expert.repeat", "factor") == Value("factor"));
    QCOMPARE(document().knobs.back().values(), (std::vector<std::int64_t>{1, 2, 4, 8, 16}));
    undo();
    QVERIFY(document() == before_);
    // A choice becomes one of its choices.
    select("expert.up");
    click("makeKnob.function");
    QVERIFY(dialog());
    press(QDialogButtonBox::Ok);
    QVERIFY(parameter("expert.up", "function") == Value("=function"));
    const Knob& made = document().knobs.back();
    QCOMPARE(made.choices.at(static_cast<std::size_t>(made.initial)), std::string("matmul"));
  }

  void anUnknownNameIsOfferedAsAKnob() {
    select("expert.repeat");
    auto* line = window_->inspector()->findChild<QLineEdit*>(QStringLiteral("parameter.factor"));
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, QStringLiteral("F/T"));
    auto* create = window_->inspector()->findChild<QPushButton*>(QStringLiteral("createKnob.factor"));
    QVERIFY(create && create->isVisibleTo(window_->inspector()));
    QVERIFY(create->text().contains(QStringLiteral("'T'")));
    create->click();
    QVERIFY(dialog());
    QCOMPARE(field("name")->text(), QStringLiteral("T"));
    press(QDialogButtonBox::Ok);
    QVERIFY(parameter("expert.repeat", "factor") == Value("F/T"));
    QCOMPARE(document().knobs.back().name, std::string("T"));
    undo();
    QVERIFY(document() == before_);
  }

  void constantsAreMadeRenamedAndDeleted() {
    window_->commands()->action(QStringLiteral("edit.newConstant"))->trigger();
    auto* made = window_->findChild<QDialog*>(QStringLiteral("constantDialog"));
    QVERIFY(made);
    made->findChild<QLineEdit*>(QStringLiteral("constantName"))->setText(QStringLiteral("half"));
    made->findChild<QLineEdit*>(QStringLiteral("constantValue"))->setText(QStringLiteral("D/2"));
    made->accept();
    QVERIFY(document().constants.at("half") == Value("D/2"));
    auto* button = window_->findChild<QToolButton*>(QStringLiteral("constant.D"));
    QVERIFY(button);
    button->click();
    QDialog* edited = nullptr;
    for (auto* each : window_->findChildren<QDialog*>(QStringLiteral("constantDialog")))
      if (each != made) edited = each;
    QVERIFY(edited);
    edited->findChild<QLineEdit*>(QStringLiteral("constantName"))->setText(QStringLiteral("width"));
    edited->accept();
    QVERIFY(document().constants.at("half") == Value("width/2"));
    QVERIFY(parameter("x_load", "tile") == Value(std::vector<Value>{Value(1), Value("width")}));
    undo();
    undo();
    QVERIFY(document() == before_);
  }

  void whatIsPutInStaysWhatItMeant() {
    Document changed;
    changed.constants = {{"A", Value("B - 1")}, {"B", Value(5)}, {"C", Value("2*A + AA")}};
    removeConstant(changed, "A");
    QVERIFY(changed.constants.at("C") == Value("2*(B - 1) + AA"));
    changeConstant(changed, "B", "b", Value(5));
    QVERIFY(changed.constants.at("C") == Value("2*(b - 1) + AA"));
    // An index of the same name is another matter inside its region.
    Node node;
    node.name = "region";
    node.kind = "Region";
    Region region;
    region.index = "b";
    region.count = Value("b");
    Stream inside;
    inside.depth = Value("b");
    region.body.streams = {inside};
    node.body = Box<Region>(region);
    changed.program.nodes = {node};
    changeConstant(changed, "b", "c", Value(5));
    QVERIFY(changed.program.nodes[0].body->count == Value("c"));
    QVERIFY(changed.program.nodes[0].body->body.streams[0].depth == Value("b"));
  }

  void valuesAreProposedAroundTheOldOne() {
    QCOMPARE(proposedKnob(KnobKind::List, 12, {}).values(), (std::vector<std::int64_t>{1, 2, 3, 4, 6, 12}));
    QCOMPARE(proposedKnob(KnobKind::PowerOfTwo, 16, Range(8, 32)).values(),
             (std::vector<std::int64_t>{8, 16, 32}));
    for (const std::int64_t around : {std::int64_t{-5}, std::int64_t{0}, std::int64_t{1}, std::int64_t{97},
                                      std::numeric_limits<std::int64_t>::max()})
      for (const KnobKind kind : {KnobKind::List, KnobKind::PowerOfTwo, KnobKind::Range}) {
        const Knob knob = proposedKnob(kind, around, {});
        QVERIFY(knob.allows(knob.initial));
      }
  }

 private:
  const Document& document() const { return window_->documents()->document(); }
  void undo() { window_->documents()->undoStack()->undo(); }
  void settle() { QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time); }
  /// Closed ones wait for the event loop to be deleted.
  KnobDialog* dialog() const {
    for (auto* each : window_->findChildren<KnobDialog*>())
      if (each->isVisible()) return each;
    return nullptr;
  }
  QLineEdit* field(const char* key) const {
    return dialog()->findChild<QLineEdit*>(QStringLiteral("knobField.") + QLatin1String(key));
  }
  QPushButton* ok() const { return dialog()->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok); }
  void press(QDialogButtonBox::StandardButton which) const {
    QPushButton* button = dialog()->findChild<QDialogButtonBox*>()->button(which);
    QVERIFY(button->isEnabled());
    button->click();
  }
  void type(const char* key, const QString& text) const {
    field(key)->selectAll();
    QTest::keyClick(field(key), Qt::Key_Delete);
    QTest::keyClicks(field(key), text);
  }
  void chooseKind(KnobKind kind) const {
    auto* box = dialog()->findChild<QComboBox*>(QStringLiteral("knobField.kind"));
    box->setCurrentIndex(box->findData(static_cast<int>(kind)));
  }
  QString shown(const char* name) const { return dialog()->findChild<QLabel*>(QLatin1String(name))->text(); }
  QAction* row(const char* knob, const char* action) const {
    auto* found = window_->knobs()->findChild<QWidget*>(QStringLiteral("knob.") + QLatin1String(knob));
    return found->findChild<QAction*>(QLatin1String(action));
  }
  void select(const char* path) const {
    window_->shownProgram()->wantScheduled(false);
    window_->jumpTo(QLatin1String(path));
    window_->inspector()->selectNode(QLatin1String(path));
  }
  void click(const char* name) const {
    auto* button = window_->inspector()->widget()->findChild<QToolButton*>(QLatin1String(name));
    QVERIFY2(button, name);
    button->click();
  }
  Value parameter(const char* node, const char* name) const {
    return findNode(document(), node)->parameters.at(name);
  }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
  Document before_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::SymbolsTest)
#include "symbols_test.moc"
