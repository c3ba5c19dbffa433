// A compiled tensor program in the window: what was compiled is seen on the canvas, in the inspector, and on
// the page of FIFO sizes.

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <set>

#include "app/window/schedule/schedule_controller.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "app/window/tensor/compiled_view.h"
#include "app/window/tensor/tensor_tools.h"
#include "engine/itensor/converter.h"
#include "engine/itensor/itensor_text.h"
#include "engine/program/file_format.h"
#include "engine/schedule/schedule.h"
#include "tests/app/private_settings.h"
#include "tests/app/samples.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/document_paths.h"
#include "widgets/fifos/sizing_page.h"
#include "widgets/inspector/inspector.h"
#include "widgets/itensor/itensor_examples.h"
#include "widgets/itensor/itensor_page.h"
#include "widgets/itensor/itensor_pane.h"
#include "widgets/itensor/type_field.h"

namespace sluice::ui {
class CompiledViewTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    usePrivateSettings(QStringLiteral("compiled_view_test"), folder_.path());
    const Result<Document> document = loadDocument(sample("gpt2_block").toStdString());
    QVERIFY(document);
    workload_.document = *document;  // it has no inputs
    knobs_ = defaultKnobs(workload_.document);
  }

  /// Every stream of the program and every converter has types that fit each other and its FIFO.
  void everyStreamAndConverterHasItsTypes() {
    for (const std::int64_t on_chip : {std::int64_t{41984}, std::int64_t{512}}) {
      knobs_["on_chip"] = on_chip;
      const ScheduleTrace trace = traceSchedule(workload_, knobs_);
      QVERIFY(trace.compiled.back().contains(trace.steps.front().program));
      const CompiledProgram& program = *trace.compiled.back().begin()->second;
      const Result<ScheduledProgram> applied = applySchedule(workload_.document, workload_.inputs, knobs_);
      QVERIFY(applied);
      const CompiledView view = compiledView(trace, applied->document);
      std::size_t converters = 0, streams = 0;
      for (const Node& node : applied->document.program.nodes) {
        const auto types = view.types.constFind(QString::fromStdString(node.name));
        QCOMPARE(types != view.types.constEnd(), node.kind == "LayoutConverter");
        if (node.kind != "LayoutConverter") continue;
        const Result<Converter> converter = inferConverter(types->source, types->result, types->shape);
        QVERIFY(converter && converter->kind != ConverterKind::None);
        ++converters;
      }
      for (const std::string& id : streamIds(applied->document.program, "")) {
        const auto types = view.types.constFind(QString::fromStdString(id));
        if (types == view.types.constEnd()) continue;
        QVERIFY(!types->tensor.isEmpty());
        const Result<Converter> converter = inferConverter(types->source, types->result, types->shape);
        QVERIFY(converter && converter->kind == ConverterKind::None);  // a FIFO joins them
        ++streams;
      }
      QVERIFY(converters >= 3);
      QCOMPARE(streams, program.compilation.compiled.design.streams.size());
      // Groups: each task in one, none where there is but one group.
      std::set<QString> grouped;
      for (const NodeGroup& group : view.groups)
        for (const QString& path : group.nodes) QVERIFY(grouped.insert(path).second);
      if (on_chip == 41984) QVERIFY(view.groups.isEmpty());
      if (on_chip == 512) {
        QVERIFY(view.groups.size() >= 2);
        QCOMPARE(grouped.size(), program.compilation.compiled.design.tasks.size());
      }
    }
  }

  /// Three blocks of a model are one group, with the loads, converters and stores that work for them.
  void equalLayersAreOneGroup() {
    Workload blocks = workload_;
    blocks.document.program.nodes.front().parameters["blocks"] = Value(std::int64_t{3});
    const KnobValues knobs = defaultKnobs(blocks.document);
    const ScheduleTrace trace = traceSchedule(blocks, knobs);
    const Result<ScheduledProgram> applied = applySchedule(blocks.document, blocks.inputs, knobs);
    QVERIFY(applied);
    const CompiledView view = compiledView(trace, applied->document);
    QVERIFY(!view.groups.isEmpty());
    const NodeGroup& layers = view.groups.front();
    QVERIFY(layers.kind == GroupKind::EqualLayers);
    QCOMPARE(layers.count, 3);
    const CompiledProgram& program = *trace.compiled.back().begin()->second;
    const DataflowDesign& design = program.compilation.compiled.design;
    for (std::size_t task = 0; task < design.tasks.size(); ++task)
      QVERIFY2(layers.nodes.contains(QString::fromStdString(program.lowered.nodes[task])),
               design.tasks[task].name.c_str());  // the program is nothing but its blocks
    QCOMPARE(layers.nodes.size(), static_cast<qsizetype>(applied->document.program.nodes.size()));
    // Behind the first layer are two thirds of the kernels; then come the groups of fusion.
    QCOMPARE(view.groups[1].count, 2);
    int kernels = 0, behind = 0;
    for (std::size_t task = 0; task < design.tasks.size(); ++task) {
      if (design.tasks[task].kind != TaskKind::Compute) continue;
      ++kernels;
      behind += view.groups[1].nodes.contains(QString::fromStdString(program.lowered.nodes[task]));
    }
    QCOMPARE(behind * 3, kernels * 2);
    for (const NodeGroup& group : view.groups.mid(2)) QVERIFY(group.kind == GroupKind::Fusion);
  }

  /// The page of orders begins with a converter of the program, and leaves alone what the user types.
  void orderOfAccessBeginsWithTheProgram() {
    QSettings().clear();
    MainWindow window(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout"));
    window.show();
    QVERIFY(window.openFile(sample("gpt2_block")));
    ITensorPage* page = window.tensors()->tools()->types();
    const QString textbook = QString::fromLatin1(itensorExamples()[1].type);
    QTRY_VERIFY_WITH_TIMEOUT(page->source()->field()->text() != textbook, engine_time);
    QVERIFY(page->source()->type() && page->result()->type());
    QVERIFY(!(*page->source()->type() == *page->result()->type()));
    page->source()->setTypeText(textbook);
    KnobValues knobs = window.documents()->knobs();
    knobs["on_chip"] = 512;
    window.documents()->setKnobs(knobs, QStringLiteral("Less memory"));
    QTRY_VERIFY_WITH_TIMEOUT(window.schedule()->idle() && window.session()->idle(), engine_time);
    QCOMPARE(page->source()->field()->text(), textbook);
  }

  void theWindowShowsThem() {
    QSettings().clear();
    MainWindow window(QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout"));
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QVERIFY(window.openFile(sample("gpt2_block")));
    GraphCanvas* canvas = window.workspace()->canvas();
    QVERIFY(canvas->nodeGroups().isEmpty());
    KnobValues knobs = window.documents()->knobs();
    knobs["on_chip"] = 512;
    window.documents()->setKnobs(knobs, QStringLiteral("Less memory"));
    QTRY_VERIFY_WITH_TIMEOUT(
        canvas->nodeGroups().size() >= 2 && window.schedule()->idle() && !canvas->layoutPending(),
        engine_time);
    auto* legend = canvas->findChild<GroupLegend*>();
    QVERIFY(legend && legend->isVisible());
    QVERIFY(legend->accessibleName().contains(QStringLiteral("group 2")));
    QTest::qWait(100);
    groundIsColoured(*canvas);
    canvas->setZoom(1);
    QTest::qWait(50);
    QVERIFY(canvas->rect().contains(legend->geometry()));  // it does not scroll away
    canvas->fitAll();
    converterIsExplained(window, *canvas);
    designIsSized(window);
    window.documents()->undoStack()->undo();
    QTRY_VERIFY_WITH_TIMEOUT(canvas->nodeGroups().isEmpty(), engine_time);
    QVERIFY(!legend->isVisible());
  }

 private:
  /// Beside the box of a node is the colour of its group.
  static void groundIsColoured(GraphCanvas& canvas) {
    const QImage image = canvas.viewport()->grab().toImage();
    for (int group = 0; group < 2; ++group) {
      const QColor wanted = blend(canvas.theme().canvas, groupColour(group, canvas.theme()), 0.18);
      std::size_t seen = 0;
      for (int y = 0; y < image.height() - 120; ++y)
        for (int x = 0; x < image.width(); ++x) seen += image.pixelColor(x, y).rgb() == wanted.rgb();
      QVERIFY2(seen > 50, qPrintable(QString::number(seen)));
    }
  }

  static void converterIsExplained(MainWindow& window, GraphCanvas& canvas) {
    QString converter;
    for (const Node& node : window.shownProgram()->document().program.nodes)
      if (node.kind == "LayoutConverter") converter = QString::fromStdString(node.name);
    QVERIFY(!converter.isEmpty());
    canvas.selectNode(converter);
    window.inspector()->selectNode(converter);
    auto* reason = window.inspector()->findChild<QLabel*>(QStringLiteral("converterReason"));
    QVERIFY(reason && reason->text().contains(QStringLiteral("Two buffers of")));
    const QString from = window.inspector()->findChild<QLabel*>(QStringLiteral("sourceType"))->text();
    const QString to = window.inspector()->findChild<QLabel*>(QStringLiteral("resultType"))->text();
    QVERIFY(from != to && parseITensor(from.toStdString()) && parseITensor(to.toStdString()));
    QTest::mouseClick(window.inspector()->findChild<QPushButton*>(QStringLiteral("showOrder")),
                      Qt::LeftButton);
    auto* tools = window.findChild<TensorTools*>();
    QVERIFY(tools && tools->isVisible());
    QCOMPARE(tools->page(), tools->types());
    QCOMPARE(*tools->types()->source()->type(), parseITensor(from.toStdString())->type);
    QCOMPARE(*tools->types()->result()->type(), parseITensor(to.toStdString())->type);
    QVERIFY(tools->types()->parting());
    // A stream has one type; drawn alone.
    const auto shown = [&window](const char* name) {
      return window.inspector()->widget()->findChild<QLabel*>(QString::fromLatin1(name));
    };
    std::size_t typed = 0;
    const std::vector<std::string> streams = streamIds(window.shownProgram()->document().program, "");
    for (const std::string& id : streams) {
      window.inspector()->selectStream(QString::fromStdString(id));
      typed += shown("sourceType") != nullptr;
      QVERIFY(!shown("resultType"));
    }
    QVERIFY(typed * 2 > streams.size());  // the others hold a group back until the one before is done
  }

  static void designIsSized(MainWindow& window) {
    auto* tools = window.findChild<TensorTools*>();
    SizingPage* page = tools->sizing();
    auto* designs = page->findChild<QComboBox*>(QStringLiteral("sizingExample"));
    QVERIFY2(designs->itemText(0).contains(QStringLiteral("block")), qPrintable(designs->itemText(0)));
    QCOMPARE(designs->currentIndex(), 0);  // not an example
    page->choose(designs->itemText(0));
    QVERIFY(page->graph().kernels.size() > 20);
    QCOMPARE(page->sizings().back().fifos.size(), page->graph().streams.size());
    QVERIFY(page->sizings()[1].failed.empty());
  }

  QTemporaryDir folder_;
  Workload workload_;
  KnobValues knobs_;
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::CompiledViewTest)
#include "compiled_view_test.moc"
