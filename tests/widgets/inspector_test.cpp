// The inspector: its form is made from a spec, edits are reported, mistakes explained.

#include <QCheckBox>
#include <QComboBox>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <QToolButton>

#include "engine/itensor/itensor_text.h"
#include "tests/widgets/test_program.h"
#include "widgets/common/document_paths.h"
#include "widgets/inspector/inspector.h"
#include "widgets/inspector/parameter_editor.h"
#include "widgets/inspector/stall_bar.h"
#include "widgets/inspector/value_text.h"

namespace sluice::ui {
namespace {

OperatorSpec mixerSpec() {
  OperatorSpec spec;
  spec.kind = "Mixer";
  spec.category = "Higher order";
  spec.summary = "Mixes what it gets.";
  spec.paper = "STeP 3.2";
  spec.parameters = {
      {"rank", ParameterKind::Integer, Value(1), 1, {}, "how deep", ""},
      {"function", ParameterKind::Choice, Value("add"), 0, {"add", "multiply"}, "what to do", ""},
      {"wide", ParameterKind::Boolean, Value(false), 0, {}, "whether", ""},
      {"shape", ParameterKind::IntegerList, std::nullopt, 1, {}, "tiles", "tiles"},
      {"trace", ParameterKind::Input, std::nullopt, 0, {}, "the trace", ""},
  };
  spec.inputs = {{"in", "", "tiles"}};
  spec.outputs = {{"out", "rank", "tiles"}};
  return spec;
}

Document document() {
  Document made;
  made.title = "Mixing";
  made.constants = {{"F", Value(64)}};
  Knob tile;
  tile.name = "tile";
  tile.maximum = 8;
  made.knobs = {tile};
  made.inputs.resize(2);
  made.inputs[0].name = "lengths";
  made.inputs[1].name = "routing";
  Node mixer;
  mixer.name = "mixer";
  mixer.kind = "Mixer";
  mixer.parameters = {{"shape", Value(std::vector<Value>{1, "F"})}, {"trace", "lengths"}};
  Region region;
  region.count = Value(4);
  region.index = "e";
  region.inputs = {"x"};
  region.body.nodes = {mixer};
  region.body.streams = {{{"region", "x", std::nullopt}, {"mixer", "in", std::nullopt}, std::nullopt}};
  Node expert;
  expert.name = "expert";
  expert.kind = "Region";
  expert.body = Box<Region>(region);
  made.program.nodes = {expert};
  return made;
}

}  // namespace

class InspectorTest : public QObject {
  Q_OBJECT

 private slots:
  /// A text of several lines is not squeezed into one, and edited as lines.
  void linesOfATextAreEdited() {
    ParameterEditor editor({"text", ParameterKind::Text, Value(""), 0, {}, "a program", ""}, {});
    editor.setValue(Value("program @p {\n}"));
    editor.show();
    auto* line = editor.findChild<QLineEdit*>(QStringLiteral("parameter.text"));
    QVERIFY(line->isReadOnly());
    QSignalSpy edited(&editor, &ParameterEditor::edited);
    const auto answer = [&editor](const QString& expected, const QString& text) {
      QTimer::singleShot(0, &editor, [&editor, expected, text] {
        auto* dialog = editor.findChild<QInputDialog*>();
        QCOMPARE(dialog->textValue(), expected);
        dialog->setTextValue(text);
        dialog->accept();
      });
      QTest::mouseClick(editor.findChild<QToolButton*>(QStringLiteral("lines.text")), Qt::LeftButton);
    };
    answer(QStringLiteral("program @p {\n}"), QStringLiteral("program @q {\n}"));
    QCOMPARE(edited.count(), 1);
    QCOMPARE(*editor.value()->string(), std::string("program @q {\n}"));
    answer(QStringLiteral("program @q {\n}"), QStringLiteral("program @q {\n}"));  // nothing new
    QCOMPARE(edited.count(), 1);
    answer(QStringLiteral("program @q {\n}"), QString());  // emptied: the default
    QCOMPARE(edited.count(), 2);
    QCOMPARE(*editor.value()->string(), std::string());
    QVERIFY(!line->isReadOnly());
  }

  void aLongChoiceLeavesRoomForTheButtonBesideIt() {
    ParameterEditor editor(
        {"function", ParameterKind::Choice, Value("add"), {}, {"add", "retile_streamify_by_row"}, "", ""},
        {{}, {}, true});
    QVERIFY2(editor.minimumSizeHint().width() <= 150,
             qPrintable(QString::number(editor.minimumSizeHint().width())));
    editor.resize(150, 60);
    editor.show();
    QVERIFY(QTest::qWaitForWindowExposed(&editor));
    const auto* button = editor.findChild<QToolButton*>(QStringLiteral("makeKnob.function"));
    QVERIFY(editor.rect().contains(QRect(button->mapTo(&editor, QPoint()), button->size())));
  }

  void init() {
    inspector_ = std::make_unique<Inspector>(Catalog({&spec_}));
    inspector_->resize(320, 800);
    inspector_->setDocument(document());
    inspector_->show();
    QVERIFY(QTest::qWaitForWindowExposed(inspector_.get()));
    inspector_->selectNode(QStringLiteral("expert.mixer"));
    edits_ = std::make_unique<QSignalSpy>(inspector_.get(), &Inspector::parameterEdited);
  }
  void cleanup() {
    edits_.reset();
    inspector_.reset();
  }

  void theFormIsTheSpec() {
    QCOMPARE(child<QLabel>("inspectedName")->text(), QStringLiteral("expert.mixer"));
    QCOMPARE(child<QLineEdit>("parameter.shape")->text(), QStringLiteral("[1, F]"));
    QVERIFY(child<QLineEdit>("parameter.rank")->placeholderText().startsWith(QStringLiteral("1")));
    QCOMPARE(child<QComboBox>("parameter.function")->count(), 2);
    QCOMPARE(child<QComboBox>("parameter.function")->currentText(), QStringLiteral("add"));
    QCOMPARE(child<QComboBox>("parameter.trace")->currentText(), QStringLiteral("lengths"));
    QVERIFY(!child<QCheckBox>("parameter.wide")->isChecked());
  }

  void aRegionsNumberAndSymbolAreNamedLikeTheRest() {
    inspector_->selectNode(QStringLiteral("expert"));
    QStringList labels;
    for (const QLabel* label : inspector_->widget()->findChildren<QLabel*>()) labels << label->text();
    QVERIFY(labels.contains(QStringLiteral("Count")) && labels.contains(QStringLiteral("Index")));
  }

  void typingANumberOrAnExpressionIsReported() {
    type("parameter.rank", "3");
    QCOMPARE(edit(), (std::pair<QString, Value>{QStringLiteral("rank"), Value(3)}));
    type("parameter.rank", "F/tile + e");
    QCOMPARE(edit().second, Value("F/tile + e"));
    type("parameter.shape", "2, ceil(F, tile), 4");
    QCOMPARE(edit().second, Value(std::vector<Value>{2, "ceil(F, tile)", 4}));
    QCOMPARE(edits_->first().first().value<ParameterEdit>().path, QStringLiteral("expert.mixer"));
  }

  void mistakesAreExplainedAndNotReported() {
    for (const auto& [typed, expected] :
         std::initializer_list<std::pair<const char*, const char*>>{{"0", "at least 1"},
                                                                    {"G*2", "no knob or constant 'G'"},
                                                                    {"2 +", ""},
                                                                    {"99999999999999999999", ""}}) {
      type("parameter.rank", typed);
      const QLabel* message = child<QLabel>("message.rank");
      QVERIFY2(message->isVisible(), typed);
      QVERIFY2(message->text().contains(QString::fromLatin1(expected)), qPrintable(message->text()));
      QCOMPARE(edits_->size(), 0);
    }
    type("parameter.rank", "2");
    QVERIFY(!child<QLabel>("message.rank")->isVisible());
    QCOMPARE(edits_->size(), 1);
  }

  void problemsStandAtTheirFields() {
    const QString mixer = QStringLiteral("expert.mixer");
    inspector_->setProblems({{mixer,
                              {{QStringLiteral("rank"), QStringLiteral("too deep")},
                               {QStringLiteral("shape"), QStringLiteral("too wide")},
                               {QStringLiteral("shape"), QStringLiteral("and too flat")},
                               {QString(), QStringLiteral("it does not run")}}}});
    QVERIFY(child<QLabel>("message.rank")->text().contains(QStringLiteral("too deep")));
    const QString shape = child<QLabel>("message.shape")->text();
    QVERIFY(shape.contains(QStringLiteral("too wide")) && shape.contains(QStringLiteral("and too flat")));
    QVERIFY(child<QLabel>("message.shape")->isVisible());
    QVERIFY(!child<QLabel>("message.wide")->isVisible());
    QVERIFY(child<QLabel>("nodeProblems")->text().contains(QStringLiteral("does not run")));
    // What is typed comes first, and can be entered all the same.
    auto* line = child<QLineEdit>("parameter.rank");
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, QStringLiteral("0"));
    QVERIFY(child<QLabel>("message.rank")->text().contains(QStringLiteral("at least 1")));
    type("parameter.rank", "2");
    QCOMPARE(edit().second, Value(2));
    inspector_->setProblems({});
    QVERIFY(!child<QLabel>("message.rank")->isVisible());
    QVERIFY(!child<QLabel>("nodeProblems")->isVisible());
  }

  void whatMendsAProblemIsAButtonAtItsField() {
    const FixEdit fix{FixEdit::Kind::ReplaceSymbol, "expert.mixer", "rank", "N", "M"};
    QSignalSpy fixes(inspector_.get(), &Inspector::fixRequested);
    inspector_->setProblems({{QStringLiteral("expert.mixer"),
                              {{QStringLiteral("rank"), QStringLiteral("'N' is not known"), {fix}},
                               {QString(), QStringLiteral("another kind"), {fix}}}}});
    auto* button = child<QPushButton>("fix.rank");
    QVERIFY(button);
    QTRY_VERIFY(button->isVisible());
    QCOMPARE(button->text(), QStringLiteral("Use 'M'"));
    QCOMPARE(button->parentWidget(), child<QLabel>("message.rank")->parentWidget());
    QVERIFY(child<QPushButton>("fix."));
    button->click();
    QCOMPARE(fixes.size(), qsizetype{1});
    QCOMPARE(fixes.front().front().value<FixEdit>(), fix);
    inspector_->setProblems({});
    QTRY_VERIFY(!inspector_->findChild<QPushButton*>(QStringLiteral("fix.rank")));
  }

  void choicesAndChecksAreReported() {
    auto* function = child<QComboBox>("parameter.function");
    function->setFocus();
    QTest::keyClick(function, Qt::Key_Down);
    QCOMPARE(edit(), (std::pair<QString, Value>{QStringLiteral("function"), Value("multiply")}));
    QTest::mouseClick(child<QCheckBox>("parameter.wide"), Qt::LeftButton, {}, QPoint(6, 8));
    QCOMPARE(edit(), (std::pair<QString, Value>{QStringLiteral("wide"), Value(true)}));
  }

  void leavingAFieldUntouchedReportsNothing() {
    child<QLineEdit>("parameter.shape")->setFocus();
    child<QLineEdit>("parameter.rank")->setFocus();
    QCOMPARE(edits_->size(), 0);
  }

  void anEditFromElsewhereKeepsTheFormAndShows() {
    auto* line = child<QLineEdit>("parameter.shape");
    Document changed = document();
    findNode(changed, "expert.mixer")->parameters["shape"] = Value(std::vector<Value>{9});
    inspector_->setDocument(changed);
    QCOMPARE(child<QLineEdit>("parameter.shape"), line);
    QCOMPARE(line->text(), QStringLiteral("[9]"));
    changed.program.nodes.clear();
    inspector_->setDocument(changed);  // the node is gone, and so is its page
    QVERIFY(!inspector_->widget()->findChild<QLineEdit*>(QStringLiteral("parameter.shape")));
  }

  void aRegionHasACount() {
    QSignalSpy counts(inspector_.get(), &Inspector::countEdited);
    inspector_->selectNode(QStringLiteral("expert"));
    type("parameter.count", "F/2");
    QCOMPARE(counts.size(), 1);
    QCOMPARE(counts.first().first().value<ParameterEdit>().value, Value("F/2"));
  }

  void aStreamHasADepth() {
    QSignalSpy depths(inspector_.get(), &Inspector::depthEdited);
    inspector_->selectStream(QStringLiteral("expert#mixer.in"));
    QVERIFY(child<QLabel>("inspectedName")->text().contains(QStringLiteral("mixer.in")));
    QVERIFY(!child<QPushButton>("machineDepth")->isEnabled());
    type("parameter.depth", "16");
    QCOMPARE(depths.size(), 1);
    QCOMPARE(depths.first().first().value<DepthEdit>().origin, QStringLiteral("expert#mixer.in"));
    QCOMPARE(*depths.first().first().value<DepthEdit>().depth, Value(16));
    Document changed = document();
    findStream(changed, "expert#mixer.in")->depth = Value(16);
    inspector_->setDocument(changed);
    QTest::mouseClick(child<QPushButton>("machineDepth"), Qt::LeftButton);
    QVERIFY(!depths.last().first().value<DepthEdit>().depth.has_value());
  }

  void aStreamShowsItsOrder() {
    inspector_->selectStream(QStringLiteral("expert#mixer.in"));
    QVERIFY(!inspector_->widget()->findChild<TensorTypesBox*>());
    const std::string written = "itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>";
    auto result = std::make_shared<SymbolicResult>();
    result->graph.streams.emplace_back().origin = "expert#mixer.in";
    StreamType& type = result->inference.streams.emplace_back();
    type.element = TileType{Scalar::F32, Dim::fixed(4), Dim::fixed(2)};
    type.order = std::make_shared<const ITensor>(parseITensor(written)->type);
    inspector_->setResults({result, nullptr, false});
    QCOMPARE(child<QLabel>("sourceType")->text(), QString::fromStdString(written));
    QCOMPARE(child<QLabel>("tensorOfTypes")->text(), QStringLiteral("8x8"));
    QSignalSpy asked(inspector_.get(), &Inspector::orderRequested);
    QTest::mouseClick(child<QPushButton>("showOrder"), Qt::LeftButton);
    QCOMPARE(asked.size(), 1);
    inspector_->setResults({});
    QVERIFY(!inspector_->widget()->findChild<TensorTypesBox*>());
  }

  void measuredTimesAreSummedOverInstances() {
    auto result = std::make_shared<PointResult>();
    for (int instance = 0; instance < 4; ++instance) {
      FlatOperator op;
      op.name = "expert[" + std::to_string(instance) + "].mixer";
      op.origin = "expert.mixer";
      op.spec = &spec_;
      result->symbolic.graph.operators.push_back(op);
      result->simulation.operators.push_back({100, 50, 25, 5, 0, 0});
    }
    result->simulation.cycles = 100;
    inspector_->setResults({nullptr, result, false});
    const QString spoken = child<StallBar>("stallBar")->accessibleName();
    QVERIFY2(spoken.contains(QStringLiteral("busy 50.0")), qPrintable(spoken));
    QVERIFY2(spoken.contains(QStringLiteral("idle or finished 20.0")), qPrintable(spoken));
  }

  void ordersParseAsTheyPrint() {
    const ParameterSpec orders{
        "takes_order", ParameterKind::Orders, Value(std::vector<Value>{}), 0, {}, "", ""};
    const QString type =
        QStringLiteral("itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>");
    for (const QString& written :
         {QStringLiteral("[]"), QStringLiteral("[%1]").arg(type), QStringLiteral("[%1, %1]").arg(type),
          QStringLiteral("[, %1]").arg(type)}) {
      const Result<Value> value = parseValue(orders, written, {});
      QVERIFY2(static_cast<bool>(value), qPrintable(written));
      QCOMPARE(QString::fromStdString(sluice::text(*value)), written);
    }
    QCOMPARE(*parseValue(orders, type, {}), Value(std::vector<Value>{type.toStdString()}));
    for (const char* wrong : {"[itensor<4xf32]", "8", "[tile<4>]"})
      QVERIFY2(!parseValue(orders, QString::fromLatin1(wrong), {}), wrong);
  }

  void valuesParseAsTheyPrint() {
    const ParameterSpec list{"list", ParameterKind::IntegerList, std::nullopt, 0, {}, "", ""};
    for (const char* written : {"[]", "[1]", "[1, N, ceil(N, 4)]"}) {
      const Result<Value> value = parseValue(list, QString::fromLatin1(written), {"N"});
      QVERIFY(static_cast<bool>(value));
      QCOMPARE(QString::fromStdString(sluice::text(*value)), QString::fromLatin1(written));
    }
    for (const auto& [written, meant] : std::initializer_list<std::pair<const char*, const char*>>{
             {"16x64", "[16, 64]"},
             {"16 X N", "[16, N]"},
             {"16xN", "[16, N]"},
             {"[2x3x4]", "[2, 3, 4]"},
             {"16\u00d764", "[16, 64]"},
             {"[16 64]", "[16, 64]"},
             {"[ 1, 2 ]", "[1, 2]"},
             {"N / 2  N", "[N / 2, N]"},
             {"max(N, 2) x (N + 1)", "[max(N, 2), (N + 1)]"}}) {
      const Result<Value> value = parseValue(list, QString::fromUtf8(written), {"N"});
      QVERIFY2(static_cast<bool>(value), written);
      QCOMPARE(QString::fromStdString(sluice::text(*value)), QString::fromLatin1(meant));
    }
    ParameterSpec bytes = list;
    bytes.kind = ParameterKind::Integer;
    bytes.unit = "bytes";
    for (const auto& [written, meant] : std::initializer_list<std::pair<const char*, int>>{
             {"50 MB", 50'000'000}, {"4 KiB", 4096}, {"2e3", 2000}, {"3k", 3000}})
      QCOMPARE(*parseValue(bytes, QString::fromLatin1(written), {"N"}), Value(meant));
    for (const char* wrong : {"50 cycles", "1.5", "40 %", "4 KiB * N"})
      QVERIFY2(!parseValue(bytes, QString::fromLatin1(wrong), {"N"}), wrong);
    // A name is a name.
    QCOMPARE(*parseValue(list, QStringLiteral("2 x 3"), {"x"}), Value(std::vector<Value>{2, "x", 3}));
    for (const char* wrong : {"[1,, 2]", "[1, 2", "1;2", "[a]", "16x", "x16", "2 x"}) {
      const Result<Value> value = parseValue(list, QString::fromLatin1(wrong), {"N"});
      QVERIFY2(!value, wrong);
      QVERIFY(!value.diagnostics().front().fix.empty());
    }
  }

  void pathsFindWhatTheyName() {
    Document made = document();
    QCOMPARE(nodePaths(made), (std::vector<std::string>{"expert", "expert.mixer"}));
    QCOMPARE(namedStreams(made).size(), std::size_t{1});
    QCOMPARE(namedStreams(made).front().id, std::string("expert#mixer.in"));
    for (const char* nowhere : {"", "mixer", "expert.", "expert.mixer.out", ".expert"})
      QVERIFY(!findNode(made, nowhere));
    for (const char* nowhere :
         {"", "#mixer.in", "expert#0", "expert#", "expert#mixer.in~2", "expert#mixer.in~", "expert"})
      QVERIFY(!findStream(made, nowhere));
    const auto names = namesInScope(made, "expert.mixer");
    QVERIFY(std::find(names.begin(), names.end(), "e") != names.end());
    const auto outside = namesInScope(made, "nothing");
    QVERIFY(std::find(outside.begin(), outside.end(), "e") == outside.end());
    QCOMPARE(shortStreamName("expert[3].pack.out -> expert[3].gate.in"),
             std::string("expert[3]: pack.out \u2192 gate.in"));
    QCOMPARE(shortStreamName("expert[0].y.out -> gather.in[0]"),
             std::string("expert[0].y.out \u2192 gather.in[0]"));
    QCOMPARE(shortStreamName("e[0].pack.out.broadcast.out[1] -> e[0].up.in"),
             std::string("e[0]: pack.out \u2192 up.in"));
    QCOMPARE(shortStreamName("a.out -> a.in"), std::string("a.out \u2192 a.in"));
    QCOMPARE(shortStreamName("a.broadcast.out[] -> a.broadcast.out[12]"),
             std::string("a.broadcast.out[] \u2192 a"));
    const std::string name(500'000, 'n');
    QCOMPARE(shortStreamName(name + ".out -> a.in"), name + ".out \u2192 a.in");
    QCOMPARE(withoutIndices("a[3].b[e+1].c"), std::string("a.b.c"));
  }

 private:
  template <class Widget>
  Widget* child(const char* name) {
    auto* found = inspector_->widget()->findChild<Widget*>(QString::fromLatin1(name));
    Q_ASSERT(found);
    return found;
  }
  void type(const char* field, const char* typed) {
    auto* line = child<QLineEdit>(field);
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, QString::fromLatin1(typed));
    QTest::keyClick(line, Qt::Key_Return);
  }
  /// The last edit reported.
  std::pair<QString, Value> edit() const {
    if (edits_->isEmpty()) return {};
    const auto edit = edits_->last().first().value<ParameterEdit>();
    return {edit.name, edit.value};
  }

  OperatorSpec spec_ = mixerSpec();
  std::unique_ptr<Inspector> inspector_;
  std::unique_ptr<QSignalSpy> edits_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::InspectorTest)
#include "inspector_test.moc"
