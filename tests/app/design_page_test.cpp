// The machine and the inputs as a user edits them: fields, units, refusals, traces from files, undo.

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "app/window/document/design_page.h"
#include "app/window/schedule/schedule_trace.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/panels.h"
#include "app/window/shell/workspace.h"
#include "engine/core/atomic_file.h"
#include "engine/program/fields.h"
#include "engine/program/file_format.h"
#include "tests/app/main_windows.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/engine/support/npy.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/design/inputs_editor.h"
#include "widgets/design/machine_editor.h"
#include "widgets/diagnostics/diagnostics_list.h"

namespace sluice::ui {
class DesignPageTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("design_page_test"), folder_.path());
  }
  void init() {
    QSettings().clear();
    window_ = makeWindow();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    QVERIFY(window_->openFile(sample("moe_mixtral")));
    settle();
  }
  void cleanup() { window_.reset(); }

  void everyNumberOfTheMachineIsOneStepForUndo() {
    const Document before = document();
    int steps = 0;
    for (const Field<Machine>& field : fields<Machine>()) {
      if (!field.bound) continue;
      const char* name = field.key.data();
      type(machine(), name, QStringLiteral("7"));
      QVERIFY2(document().machine.*field.as<Value>() == Value(7), name);
      QCOMPARE(window_->documents()->undoStack()->count(), ++steps);
      QVERIFY(!line(machine(), name)->accessibleName().isEmpty());
    }
    for (; steps > 0; --steps) window_->documents()->undoStack()->undo();
    QVERIFY(document() == before);
    QCOMPARE(line(machine(), "fifo_depth")->text(), QString::fromStdString(text(before.machine.fifo_depth)));
  }

  void aChangeReachesTheSimulationAndAKnobMayStandInAField() {
    const Cycles cycles = window_->session()->workload() ? cyclesNow() : 0;
    type(machine(), "on_chip_bandwidth", QStringLiteral("1"));
    settle();
    QVERIFY(cyclesNow() > cycles);
    const std::string knob = document().knobs.front().name;
    type(machine(), "fifo_depth", QString::fromStdString(knob));
    QVERIFY(document().machine.fifo_depth == Value(knob));
  }

  void whatCannotBeIsRefusedBelowItsField() {
    const Document before = document();
    for (const char* wrong : {"0", "many", "2 +"}) {
      type(machine(), "hbm_channels", QString::fromLatin1(wrong));
      auto* message = machine()->findChild<QLabel*>(QStringLiteral("message.hbm_channels"));
      QVERIFY2(message->isVisibleTo(machine()) && !message->text().isEmpty(), wrong);
      QVERIFY(document() == before);
    }
  }

  void everyNumberSaysItsRange() {
    choose(machine(), "hbm_model", QStringLiteral("hbm2"));
    const auto saysIt = [&](const auto& field) {
      const QLineEdit* edit = line(machine(), field.key.data());
      return edit && edit->toolTip().contains(QString::fromStdString(text(field.range)));
    };
    for (const Field<Machine>& field : fields<Machine>())
      QVERIFY2(!field.bound || saysIt(field), field.key.data());
    for (const Field<Dram>& field : fields<Dram>()) QVERIFY2(saysIt(field), field.key.data());
    window_->documents()->undoStack()->undo();
  }

  void whatTheCheckFindsStandsAmongTheDiagnostics() {
    type(machine(), "hbm_channels", QStringLiteral("99999999999"));
    settle();
    QVERIFY2(told("hbm_channels"), "the list names the field");
    window_->documents()->undoStack()->undo();
    settle();
    QVERIFY(!told("hbm_channels"));
  }

  void aMemoryDownToItsBanksHasClocksAndTimings() {
    QVERIFY(!machine()->findChild<QLineEdit*>(QStringLiteral("parameter.dram_mhz")));
    choose(machine(), "hbm_model", QStringLiteral("hbm3"));
    QVERIFY(document().machine.hbm_model == HbmModel::Hbm3);
    QLineEdit* clock = line(machine(), "dram_mhz");
    QVERIFY(clock);
    QVERIFY(clock->text().isEmpty());  // the preset's
    QVERIFY(clock->placeholderText().contains(QString::number(Dram::preset(HbmModel::Hbm3).dram_mhz)));
    type(machine(), "dram_mhz", QStringLiteral("500"));
    QVERIFY(document().machine.hbm_timing.at("dram_mhz") == Value(500));
    type(machine(), "dram_mhz", QString());
    QVERIFY(document().machine.hbm_timing.empty());
    window_->documents()->undoStack()->undo();
    window_->documents()->undoStack()->undo();
    window_->documents()->undoStack()->undo();
    QVERIFY(document().machine.hbm_model == HbmModel::Node);
    QVERIFY(!line(machine(), "dram_mhz"));
  }

  void aTraceIsChosenAndOneThatDoesNotFitIsTold() {
    const Input before = document().inputs.front();
    const QString good = folder_.filePath(QStringLiteral("good.json"));
    QString rows;
    for (int token = 0; token < 64; ++token)
      rows += (token ? QStringLiteral(",[0,1]") : QStringLiteral("[0,1]"));
    write(good, QLatin1Char('[') + rows + QLatin1Char(']'));
    page()->useTrace(0, good);
    QVERIFY(document().inputs.front().data);
    QCOMPARE(document().inputs.front().data->shape, (std::vector<std::size_t>{64, 2}));
    settle();
    QVERIFY(!told("does not fit"));
    const QString bad = folder_.filePath(QStringLiteral("bad.json"));
    write(bad, QStringLiteral("[[0, 99]]"));
    page()->useTrace(0, bad);
    settle();
    QVERIFY(told("does not fit"));
    window_->documents()->undoStack()->undo();
    settle();
    QVERIFY(!told("does not fit"));
    // What is no trace changes nothing.
    write(bad, QStringLiteral("[[0, 1], [2]]"));
    page()->useTrace(0, bad);
    QVERIFY(told("this list has 1 elements"));
    QCOMPARE(document().inputs.front().data->shape, (std::vector<std::size_t>{64, 2}));
    page()->useTrace(0, folder_.filePath(QStringLiteral("missing.npy")));
    settle();
    QVERIFY(told("missing.npy"));
    window_->documents()->undoStack()->undo();
    window_->documents()->undoStack()->undo();
    QVERIFY(document().inputs.front() == before);
  }

  void aFileThatTheProgramCannotDoWithIsToldAtTheInput() {
    QVERIFY(window_->openFile(sample("attention_qwen")));
    settle();
    const auto file = [this](const char* name, std::vector<std::int64_t> values) {
      const QString path = folder_.filePath(QString::fromLatin1(name));
      writeNpy(path.toStdString(), {{values.size()}, values});
      return path;
    };
    std::vector<std::int64_t> lengths(64, 100);
    lengths.back() = 9000;
    page()->useTrace(0, file("beyond.npy", lengths));
    settle();
    QCOMPARE(toldAt("lengths"), QStringLiteral("request 63 asks for 282 tiles of its cache, which has 202"));
    page()->useTrace(0, file("short.npy", std::vector<std::int64_t>(8, 100)));
    settle();
    QVERIFY(toldAt("lengths").startsWith(QStringLiteral("the program does not fit together with these")));
    QCOMPARE(list().size(), std::size_t{1});
    const ScheduleTrace trace = traceSchedule(*window_->session()->workload(), window_->session()->knobs());
    QCOMPARE(trace.steps.front().diagnostics.size(), std::size_t{1});
    QVERIFY2(trace.steps.front().diagnostics == list(), "nor are the steps of its schedule");
    // A click leads to where another is chosen.
    window_->findChild<Panels*>()->bringForward(QStringLiteral("operators"));
    emit workspace()->diagnostics()->jumpRequested(list().front().place);
    QTRY_VERIFY(box(QStringLiteral("lengths")) && !box(QStringLiteral("lengths"))->visibleRegion().isEmpty());
    page()->useTrace(0, file("right.npy", std::vector<std::int64_t>(64, 100)));
    settle();
    QVERIFY(list().empty());
  }

  void aNumberOfAnInputHoldsNoExpression() {
    const Document before = document();
    for (const auto& [name, typed] : {std::pair("tokens", "60+4"), std::pair("counts", "[1, 2*3]")}) {
      QWidget* input = box(QString::fromStdString(before.inputs.front().name));
      const QString shown = line(input, name)->text();
      type(input, name, QString::fromLatin1(typed));
      QVERIFY2(document() == before, name);
      QCOMPARE(line(box(QString::fromStdString(before.inputs.front().name)), name)->text(), shown);
    }
  }

  void inputsComeGoAndAreRenamedWithWhatNamesThem() {
    const Document before = document();
    const auto input = [this] { return QString::fromStdString(document().inputs.front().name); };
    type(box(input()), "input_name", QStringLiteral("trace"));
    QCOMPARE(input(), QStringLiteral("trace"));
    settle();
    QVERIFY2(workspace()->diagnostics()->diagnostics().empty(), "what named it names it still");
    type(box(input()), "input_name", QStringLiteral("no name"));
    QCOMPARE(input(), QStringLiteral("trace"));
    QTest::mouseClick(inputs()->findChild<QPushButton*>(QStringLiteral("addInput")), Qt::LeftButton);
    QCOMPARE(document().inputs.size(), before.inputs.size() + 1);
    type(box(QStringLiteral("input1")), "input_values", QStringLiteral("3, 4, 5"));
    QCOMPARE(document().inputs.back().data->data, (std::vector<std::int64_t>{3, 4, 5}));
    type(box(QStringLiteral("input1")), "input_shape", QStringLiteral("2, 3"));
    QVERIFY((*document().inputs.back().data == IntTensor{{2, 3}, {3, 4, 5, 0, 0, 0}}));
    type(box(QStringLiteral("input1")), "input_values", QStringLiteral("1, 2"));  // no whole row
    QCOMPARE(document().inputs.back().data->data.size(), std::size_t{6});
    type(box(QStringLiteral("input1")), "input_values", QStringLiteral("1, 2, 3"));
    QVERIFY((*document().inputs.back().data == IntTensor{{1, 3}, {1, 2, 3}}));
    choose(box(QStringLiteral("input1")), "input_kind", QStringLiteral("Lengths"));
    QVERIFY(document().inputs.back().kind == InputKind::Lengths);
    QTest::mouseClick(inputs()->findChild<QPushButton*>(QStringLiteral("removeInput.input1")),
                      Qt::LeftButton);
    QCOMPARE(document().inputs.size(), before.inputs.size());
    while (window_->documents()->undoStack()->canUndo()) window_->documents()->undoStack()->undo();
    QVERIFY(document() == before);
  }

  void jsonTracesAreReadOrExplained() {
    const auto read = [](const char* text) { return parseTrace(text, "trace.json"); };
    QVERIFY(read("[1, 2, 3]") && read("[1, 2, 3]")->shape == std::vector<std::size_t>{3});
    QVERIFY((read("[[[1], [2]], [[3], [4]]]")->shape == std::vector<std::size_t>{2, 2, 1}));
    for (const char* wrong : {"", "{}", "[]", "[[]]", "[1.5]", "[1, [2]]", "[[1], 2]", "[[1, 2], [3]]",
                              "[\"a\"]", "[1e300]", "[1"}) {
      const auto refused = read(wrong);
      QVERIFY2(!refused, wrong);
      QVERIFY(!refused.diagnostics().front().fix.empty());
    }
  }

 private:
  Workspace* workspace() const { return window_->workspace(); }
  const Document& document() const { return window_->documents()->document(); }
  DesignPage* page() const { return window_->findChild<DesignPage*>(); }
  MachineEditor* machine() const { return window_->findChild<MachineEditor*>(); }
  InputsEditor* inputs() const { return window_->findChild<InputsEditor*>(); }
  Cycles cyclesNow() const { return workspace()->points() ? cycles_ : 0; }

  void settle() {
    const auto kept = connect(
        window_->session(), &SessionController::pointReady, this,
        [this](const std::shared_ptr<const PointResult>& result) { cycles_ = result->simulation.cycles; });
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->idle(), engine_time);
    disconnect(kept);
  }
  /// Old fields wait for the event loop to be deleted.
  template <class T>
  static T* shown(QWidget* parent, const QString& name) {
    for (T* each : parent->findChildren<T*>(name))
      if (each->isVisibleTo(parent)) return each;
    return nullptr;
  }
  static QLineEdit* line(QWidget* parent, const char* name) {
    return shown<QLineEdit>(parent, QStringLiteral("parameter.") + QLatin1String(name));
  }
  static void type(QWidget* parent, const char* name, const QString& text) {
    QLineEdit* field = line(parent, name);
    QVERIFY2(field, name);
    field->setFocus();
    field->selectAll();
    if (text.isEmpty()) QTest::keyClick(field, Qt::Key_Delete);
    QTest::keyClicks(field, text);
    QTest::keyClick(field, Qt::Key_Return);
    field->clearFocus();
  }
  static void choose(QWidget* parent, const char* name, const QString& choice) {
    auto* box = shown<QComboBox>(parent, QStringLiteral("parameter.") + QLatin1String(name));
    QVERIFY2(box, name);
    const int index = box->findText(choice);
    QVERIFY(index >= 0);
    box->setCurrentIndex(index);
    emit box->activated(index);
  }
  QWidget* box(const QString& input) const {
    return shown<QWidget>(inputs(), QStringLiteral("input.") + input);
  }
  Diagnostics list() const { return workspace()->diagnostics()->diagnostics(); }
  /// The beginning of what is told of an input, to the first bracket.
  QString toldAt(const std::string& input) const {
    for (const Diagnostic& each : list())
      if (const LocationPart* place = each.place.find(Where::Input); place && place->name == input)
        return QString::fromStdString(each.cause.substr(0, each.cause.find(" (")));
    return {};
  }
  bool told(const std::string& words) const {
    for (const Diagnostic& each : workspace()->diagnostics()->diagnostics())
      if (text(each).find(words) != std::string::npos) return true;
    return false;
  }
  static void write(const QString& file, const QString& content) {
    QVERIFY(writeFileAtomically(file.toStdString(), content.toStdString()));
  }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
  Cycles cycles_ = 0;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::DesignPageTest)
#include "design_page_test.moc"
