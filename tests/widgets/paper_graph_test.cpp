// Graphs on paper: every sample and the compiled block of GPT-2 are readable in a column and on a page, alone
// and as two and four panels of a figure - no text lies on another one, leaves the page, is too small or cut
// by more than a third - and what had to be left out for that is told.

#include <QDir>
#include <QtTest>
#include <memory>

#include "engine/explorer/evaluate.h"
#include "engine/operators/registry.h"
#include "engine/program/file_format.h"
#include "engine/schedule/schedule.h"
#include "tests/widgets/test_program.h"
#include "tests/widgets/text_recorder.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/canvas/paper_graph.h"
#include "widgets/common/qt_text.h"
#include "widgets/export/figure_sheet.h"
#include "widgets/export/panel_view.h"
#include "widgets/plots/plot.h"

namespace sluice::ui {
namespace {

constexpr int layout_time = 30000;  // ms

Document scheduled(const QString& file, Document document) {
  const auto workload = makeWorkload(document, QFileInfo(file).path().toStdString());
  if (!workload) return document;
  const Result<ScheduledProgram> applied =
      applySchedule(document, (*workload)->inputs, defaultKnobs(document));
  return applied ? applied->document : document;
}

std::unique_ptr<GraphCanvas> opened(const Document& document) {
  auto canvas = std::make_unique<GraphCanvas>(builtInCatalog());
  canvas->resize(1000, 600);
  canvas->setDocument(document);
  (void)QTest::qWaitFor([&] { return !canvas->layoutPending(); }, layout_time);
  QHash<QString, QString> labels;
  for (const SceneLink& link : canvas->graphScene()->picture().model.links)
    labels[qt(link.origin)] = QStringLiteral("[1, 32, floor(B/tile)]");
  canvas->setStreamLabels(labels);
  return canvas;
}

QString faultsOf(const Exportable& figure, const PrintStyle& style, QString* texts = nullptr) {
  const QSizeF size = figure.size(style);
  test::TextRecorder page(size);
  QCPPainter painter;
  if (!painter.begin(&page)) return QStringLiteral("cannot paint");
  painter.setModes(QCPPainter::pmVectorized | QCPPainter::pmNoCaching | QCPPainter::pmNonCosmetic);
  figure.paint(painter, size, style);
  painter.end();
  if (page.texts().empty()) return QStringLiteral("no text");
  for (const test::PaintedText& text : page.texts())
    if (texts) *texts += text.text + QLatin1Char('\n');
  return page.faults() + page.tooSmall();
}

/// Names that have lost more than a third.
QString cutNames(const Picture& picture, const QString& texts) {
  QString found;
  for (const SceneBox& box : picture.model.boxes) {
    if (!box.node_group.empty()) continue;  // it has an ellipsis of its own
    QString left = qt(box.name);
    QStringList lines = texts.split(QLatin1Char('\n'));
    bool whole = false;
    qsizetype most = 0;
    for (qsizetype i = 0; i < lines.size(); ++i) {
      QString joined;
      for (qsizetype line = i; line < std::min(i + 3, lines.size()); ++line) {
        joined += lines[line];
        whole = whole || joined == left || joined.startsWith(left);
        const auto dots = joined.indexOf(QChar(0x2026));
        if (dots > 0 && left.startsWith(joined.left(dots))) most = std::max(most, dots);
      }
    }
    if (!whole && 3 * most < 2 * left.size()) found += left + QLatin1Char(' ');
  }
  return found;
}

}  // namespace

class PaperGraphTest : public QObject {
  Q_OBJECT

 private slots:
  void everySampleIsReadable_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<bool>("schedule");
    const QDir samples(QStringLiteral(SLUICE_SOURCE_DIR "/sample_workloads"));
    for (const QString& folder : {samples.path(), samples.filePath(QStringLiteral("deadlocks"))})
      for (const QString& name : QDir(folder).entryList({QStringLiteral("*.sluice")}, QDir::Files))
        for (const bool schedule : {false, true})
          QTest::addRow("%s%s", qPrintable(name), schedule ? ", scheduled" : "")
              << QDir(folder).filePath(name) << schedule;
  }
  void everySampleIsReadable() {
    QFETCH(const QString, file);
    QFETCH(const bool, schedule);
    Result<Document> loaded = loadDocument(file.toStdString());
    QVERIFY(loaded);
    if (schedule && loaded->schedule.empty()) return;
    const Document document = schedule ? scheduled(file, *loaded) : *loaded;
    const auto canvas = opened(document);
    for (const int width : {single_column, double_column}) {
      const PaperGraph graph = canvas->onPaper(width);
      QVERIFY2(graph.readable(), qPrintable(QString::number(graph.textSize())));
      QString texts;
      const QString faults = faultsOf(exportable(*canvas), {width, 8}, &texts);
      QVERIFY2(faults.isEmpty(), qPrintable(QStringLiteral("%1 pt: ").arg(width) + faults));
      if (!graph.pieces) {
        const QString cut = cutNames(graph.picture, texts);
        QVERIFY2(cut.isEmpty(), qPrintable(QStringLiteral("%1 pt: cut: ").arg(width) + cut));
      }
      for (const int panels : {2, 4}) inAFigure(*canvas, width, panels);
    }
  }

  /// What is left out stands in the caption; the first step that can be read is taken.
  void whatIsLeftOutIsTold() {
    const auto canvas =
        opened(*loadDocument(SLUICE_SOURCE_DIR "/sample_workloads/decoder_layer_mixtral.sluice"));
    QVERIFY(canvas->onPaper(2000).note().isEmpty());
    const PaperGraph column = canvas->onPaper(single_column);
    QVERIFY(column.step >= PaperStep::Parameters);
    Figure figure{.name = "f", .width = single_column, .columns = 1};
    figure.panels = {{.view = PanelView::Graph, .caption = "the layer"}};
    const FigureSheet sheet(Document(), figure, {.canvas = canvas.get()});
    QVERIFY(!sheet.missing());
    QString texts;
    (void)faultsOf(sheet.exportable(), sheet.style(), &texts);
    const QString told = texts.simplified();
    QVERIFY2(told.contains(QStringLiteral("the layer (") + column.note()), qPrintable(told));
  }

  /// Chains are one box each, runs at last; all that is in them is still there.
  void muchIsFolded() {
    Document document;
    const auto name = [](int i) { return "n" + std::to_string(i); };
    for (int i = 0; i < 800; ++i) {
      Node node;
      node.name = name(i);
      node.kind = "Flatten";
      document.program.nodes.push_back(node);
      if (i > 0)
        document.program.streams.push_back(
            {*parseEndpoint(name(i - 1) + ".out"), *parseEndpoint(name(i) + ".in"), std::nullopt});
    }
    const auto chain = opened(document)->onPaper(single_column);
    QVERIFY(chain.readable());
    QCOMPARE(chain.step, PaperStep::Chains);
    QCOMPARE(chain.picture.model.boxes.size(), std::size_t{1});
    QCOMPARE(qt(chain.picture.model.boxes.front().name), QStringLiteral("n0 … n799"));
    document.program.streams.clear();
    const auto loose = opened(document)->onPaper(single_column);
    QVERIFY(loose.readable());
    QCOMPARE(loose.step, PaperStep::Runs);
    std::size_t nodes = 0;
    for (const SceneBox& box : loose.picture.model.boxes) nodes += std::max<std::size_t>(1, box.folded);
    QCOMPARE(nodes, std::size_t{800});
  }

 private:
  static void inAFigure(const GraphCanvas& canvas, int width, int panels) {
    Figure figure{.name = "f", .width = width, .columns = width == single_column ? 1 : 2};
    for (int i = 0; i < panels; ++i) figure.panels.push_back({.view = PanelView::Graph});
    const FigureSheet sheet(Document(), figure, {.canvas = &canvas});
    const auto why = sheet.missing();
    QVERIFY2(!why, why ? why->cause.c_str() : "");
    const QString faults = faultsOf(sheet.exportable(), sheet.style());
    QVERIFY2(faults.isEmpty(),
             qPrintable(QStringLiteral("%1 panels at %2 pt: ").arg(panels).arg(width) + faults));
  }
};

}  // namespace sluice::ui

SLUICE_WINDOW_TEST(sluice::ui::PaperGraphTest)
#include "paper_graph_test.moc"
