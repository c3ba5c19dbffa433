// The canvas as it is read: on every sample text is of one legible size, none lies on another or on a box,
// all nodes are named when the whole is fitted, and a click on a line selects its stream.

#include <QApplication>
#include <QDir>
#include <QPainter>
#include <QTabWidget>
#include <QtTest>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/window/deadlock/deadlock_explanation_of.h"
#include "app/window/deadlock/deadlock_text.h"
#include "engine/explorer/evaluate.h"
#include "engine/operators/registry.h"
#include "engine/program/file_format.h"
#include "engine/schedule/schedule.h"
#include "tests/widgets/canvas_programs.h"
#include "tests/widgets/test_program.h"
#include "tests/widgets/text_recorder.h"
#include "widgets/canvas/curve.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/canvas/labels.h"
#include "widgets/canvas/minimap.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"
#include "widgets/deadlock/deadlock_layer.h"
#include "widgets/plots/print_style.h"

using namespace sluice;
using namespace sluice::ui;

namespace {

constexpr int layout_time = 30000;  // ms: generous, for sanitizers and busy machines

const Picture& pictureOf(const GraphCanvas& canvas) {
  return canvas.graphScene()->picture();
}

/// A label for every stream, as long as shapes are.
QHash<QString, QString> labelsOf(const GraphCanvas& canvas) {
  QHash<QString, QString> labels;
  for (const SceneLink& link : pictureOf(canvas).model.links)
    labels[qt(link.origin)] = QStringLiteral("[1, 32, floor(B/tile)]");
  return labels;
}

std::vector<test::PaintedText> textsOn(GraphCanvas& canvas) {
  const QRect view = canvas.viewport()->rect();
  test::TextRecorder page(view.size());
  QPainter painter(&page);
  canvas.QGraphicsView::render(&painter, QRectF(view), view);
  painter.end();
  return page.texts();
}

/// What lies on what, and what is too small or of another size.
QString faultsOf(GraphCanvas& canvas) {
  QString faults;
  const std::vector<test::PaintedText> texts = textsOn(canvas);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const test::PaintedText& text = texts[i];
    if (text.size < 9) faults += QStringLiteral("'%1' has %2 px; ").arg(text.text).arg(text.size);
    if (std::abs(text.size - texts.front().size) > 0.01)
      faults += QStringLiteral("'%1' is of another size; ").arg(text.text);
    for (std::size_t j = 0; j < i; ++j)
      if (text.area.intersects(texts[j].area))
        faults += QStringLiteral("'%1' lies on '%2'; ").arg(text.text, texts[j].text);
  }
  const Picture& picture = pictureOf(canvas);
  for (std::size_t link = 0; link < picture.links.size(); ++link)
    for (std::size_t box = 0; box < picture.boxes.size(); ++box)
      if (picture.model.boxes[box].kind != SceneBox::Kind::Frame &&
          picture.labelRect(link).intersects(picture.rect(box)))
        faults += QStringLiteral("the label of %1 lies on a box; ").arg(qt(picture.model.links[link].origin));
  for (const Plate& plate : picture.plates) {
    const QRectF area = canvas.viewportTransform().mapRect(plate.area);
    for (const test::PaintedText& text : texts)
      if (text.area.intersects(QPolygonF(area)) && !area.contains(text.area.boundingRect()))
        faults += QStringLiteral("'%1' lies on the plate '%2'; ").arg(text.text, plate.text);
    if (plate.needed && plate.area.isEmpty()) faults += QStringLiteral("'%1' has no place; ").arg(plate.text);
  }
  return faults.left(2000);
}

/// Of a name that a text has whole, or without its middle.
qsizetype lettersRead(const QString& name, const QString& text) {
  if (text.contains(QString(name).remove(QLatin1Char(' ')))) return name.size();
  const qsizetype gap = text.indexOf(QChar(0x2026));
  if (gap < 0) return 0;
  qsizetype before = name.size(), after = name.size();
  while (!text.left(gap).endsWith(name.left(before))) --before;
  while (!text.mid(gap + 1).startsWith(name.right(after))) --after;
  return before + after;
}

/// The nodes of whose names less than two thirds are read in their boxes.
QString namesCut(GraphCanvas& canvas) {
  const std::vector<test::PaintedText> texts = textsOn(canvas);
  const Picture& picture = pictureOf(canvas);
  QString cut;
  for (std::size_t box = 0; box < picture.boxes.size(); ++box) {
    const QRectF rect = canvas.viewportTransform().mapRect(picture.titleRect(box));
    const QString name = qt(picture.model.boxes[box].name);
    QString read;
    for (const test::PaintedText& text : texts)
      if (rect.contains(text.area.boundingRect().center())) read += text.text;
    read.remove(QLatin1Char(' '));
    if (lettersRead(name, read) < (2 * name.size() + 2) / 3)
      cut += QStringLiteral("%1 (%2); ").arg(name, read);
  }
  return cut;
}

/// The nodes whose names have a line that ends within a word.
QStringList namesBroken(GraphCanvas& canvas) {
  const std::vector<test::PaintedText> texts = textsOn(canvas);
  const Picture& picture = pictureOf(canvas);
  QStringList broken;
  for (std::size_t box = 0; box < picture.boxes.size(); ++box) {
    const SceneBox& model = picture.model.boxes[box];
    if (picture.detail != Detail::Names || model.kind == SceneBox::Kind::Frame) continue;
    const QRectF rect = canvas.viewportTransform().mapRect(picture.rect(box));
    QStringList lines;
    for (const test::PaintedText& text : texts)
      if (rect.contains(text.area.boundingRect().center())) lines << text.text;
    const QString name = qt(model.badge.empty() ? model.name : model.name + " " + model.badge);
    if (!endsWithWords(name, lines)) broken << name + QStringLiteral(": ") + lines.join(QLatin1Char('|'));
  }
  return broken;
}

/// What the window shows over the canvas when the run of a sample deadlocks.
struct Overlay {
  DeadlockExplanation explanation;
  QHash<QString, Mark> marks;
};

std::optional<Overlay> deadlockOf(const QString& file) {
  const std::filesystem::path path = file.toStdString();
  const Result<Document> document = loadDocument(path);
  if (!document) return std::nullopt;
  const auto workload = makeWorkload(*document, path.parent_path());
  if (!workload) return std::nullopt;
  const Result<PointResult> run = evaluate(**workload, defaultKnobs(*document), RecordMode::Record);
  if (!run || !run->simulation.deadlock) return std::nullopt;
  const auto& scheduled = run->symbolic.scheduled;
  const GraphCorrespondence match =
      matchPrograms(scheduled ? scheduled->document.program : document->program, document->program);
  return Overlay{deadlockExplanation(*run, nullptr, match),
                 deadlockMarks(run->symbolic.graph, *run->simulation.deadlock)};
}

}  // namespace

class CanvasReadingTest : public QObject {
  Q_OBJECT

 private:
  static bool crosses(const QPainterPath& path, const QRectF& area) {
    for (const QPolygonF& line : path.toSubpathPolygons())
      for (qsizetype i = 0; i + 1 < line.size(); ++i)
        for (int step = 0; step <= 50; ++step)
          if (area.contains(line[i] + (line[i + 1] - line[i]) * step / 50.0)) return true;
    return false;
  }

  std::unique_ptr<GraphCanvas> open(const Document& document, const QSize& size = QSize(1400, 800)) {
    auto canvas = std::make_unique<GraphCanvas>(builtInCatalog(),
                                                QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout"));
    canvas->resize(size);
    canvas->show();
    (void)QTest::qWaitForWindowExposed(canvas.get());
    canvas->setDocument(document);
    (void)QTest::qWaitFor([&] { return !canvas->layoutPending(); }, layout_time);
    canvas->fitAll();
    return canvas;
  }

  static void addSamples() {
    QTest::addColumn<QString>("file");
    const QDir folder(QStringLiteral(SLUICE_SOURCE_DIR "/sample_workloads"));
    for (const QString& name : folder.entryList({QStringLiteral("*.sluice")}, QDir::Files))
      QTest::newRow(qPrintable(name)) << folder.filePath(name);
  }

  static Document load(const QString& file) {
    const Result<Document> document = loadDocument(file.toStdString());
    return document ? *document : Document();
  }

  /// At how many points of its lines a click selects the stream that is drawn there; and where not.
  static std::pair<int, QString> clickEveryStream(GraphCanvas& canvas) {
    const Picture& picture = pictureOf(canvas);
    int tried = 0;
    QString wrong;
    for (std::size_t link = 0; link < picture.links.size(); ++link) {
      for (const double share : {0.5, 0.3, 0.7}) {
        const LayoutPoint on_line = placeOn(picture.arrangement.links[link], share).at;
        const QPoint at = canvas.viewportTransform().map(toPoint(on_line)).toPoint();
        const QPointF point = canvas.viewportTransform().inverted().map(QPointF(at));
        if (!canvas.viewport()->rect().contains(at) || somethingIsNearer(canvas, link, point)) continue;
        ++tried;
        QTest::mouseClick(canvas.viewport(), Qt::LeftButton, {}, at);
        if (canvas.selectedStream() != qt(picture.model.links[link].origin))
          wrong += QStringLiteral("%1 at %2: %3; ")
                       .arg(qt(picture.model.links[link].origin))
                       .arg(share)
                       .arg(canvas.selectedStream() + canvas.selectedNode());
      }
    }
    return {tried, wrong};
  }

  /// A box on the point, or another line less than a pixel further away.
  static bool somethingIsNearer(const GraphCanvas& canvas, std::size_t link, const QPointF& point) {
    const Picture& picture = pictureOf(canvas);
    const double pixel = 1 / canvas.zoom();
    const double own = distanceTo(picture.arrangement.links[link], toLayout(point), 1e9);
    for (std::size_t box = 0; box < picture.boxes.size(); ++box)
      if (picture.model.boxes[box].kind != SceneBox::Kind::Frame && picture.rect(box).contains(point))
        return true;
    for (std::size_t other = 0; other < picture.links.size(); ++other)
      if (other != link && distanceTo(picture.arrangement.links[other], toLayout(point), 1e9) < own + pixel)
        return true;
    return false;
  }

 private slots:
  void aClickOnALineSelectsItsStream_data() { addSamples(); }
  void aClickOnALineSelectsItsStream() {
    QFETCH(const QString, file);
    const auto canvas = open(load(file));
    const auto [plain, wrong] = clickEveryStream(*canvas);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    if (pictureOf(*canvas).links.empty()) return;  // a tensor program before it is compiled
    QVERIFY(plain > 0);
    // Marks and labels are drawn wider than the line, but take no clicks from other lines.
    QHash<QString, Mark> marks;
    for (const SceneLink& link : pictureOf(*canvas).model.links)
      marks[qt(link.origin)] = {Mark::Kind::Deadlock, {}, QStringLiteral("FULL")};
    canvas->setStreamLabels(labelsOf(*canvas));
    canvas->setMarks(marks);
    const auto [marked, wrongly] = clickEveryStream(*canvas);
    QVERIFY2(wrongly.isEmpty(), qPrintable(wrongly));
    QCOMPARE(marked, plain);
  }

  void textIsLegibleAndLiesOnNothing_data() { addSamples(); }
  void textIsLegibleAndLiesOnNothing() {
    QFETCH(const QString, file);
    const auto canvas = open(load(file));
    canvas->setStreamLabels(labelsOf(*canvas));
    for (const double zoom : {canvas->zoom(), 0.5, 1.0}) {
      canvas->setZoom(zoom);
      const QString faults = faultsOf(*canvas);
      QVERIFY2(faults.isEmpty(), qPrintable(QStringLiteral("at zoom %1: %2").arg(zoom).arg(faults)));
    }
    TimeOverlay time;
    for (const SceneBox& box : pictureOf(*canvas).model.boxes) time.nodes[qt(box.path)][0] = 1;
    for (const SceneLink& link : pictureOf(*canvas).model.links) time.streams[qt(link.origin)] = {2, 16};
    canvas->setTimeOverlay(time);
    for (const double zoom : {0.5, 1.0}) {
      canvas->setZoom(zoom);
      const QString faults = faultsOf(*canvas);
      QVERIFY2(faults.isEmpty(), qPrintable(QStringLiteral("in time, at zoom %1: %2").arg(zoom).arg(faults)));
    }
  }

  void aDeadlockCoversNoText_data() {
    QTest::addColumn<QString>("file");
    const QString samples = QStringLiteral(SLUICE_SOURCE_DIR "/sample_workloads/");
    QTest::newRow("deadlock_fork_join") << samples + QStringLiteral("deadlock_fork_join.sluice");
    const QDir folder(samples + QStringLiteral("deadlocks"));
    for (const QString& name : folder.entryList({QStringLiteral("*.sluice")}, QDir::Files))
      QTest::newRow(qPrintable(name)) << folder.filePath(name);
  }
  void aDeadlockCoversNoText() {
    QFETCH(const QString, file);
    const std::optional<Overlay> deadlock = deadlockOf(file);
    if (!deadlock) QSKIP("its run ends");
    const auto canvas = open(load(file));
    canvas->setStreamLabels(labelsOf(*canvas));
    canvas->setMarks(deadlock->marks);
    DeadlockLayer layer;
    canvas->addLayer(&layer);
    QSet<int> all;
    for (int group = 0; group < deadlock->explanation.groups.size(); ++group) all.insert(group);
    const bool in_cycles = std::ranges::any_of(deadlock->explanation.groups, [](const WaitGroup& group) {
      return group.kind == WaitGroup::Kind::WaitCycle;
    });
    for (const bool closing : {false, true}) {
      layer.setExplanation(deadlock->explanation, all, 0);
      layer.showClosing(closing);
      canvas->refreshLayers();
      canvas->fitAll();
      for (const double zoom : {canvas->zoom(), 0.5, 1.0}) {
        canvas->setZoom(zoom);
        const QString faults = faultsOf(*canvas);
        QVERIFY2(faults.isEmpty(), qPrintable(QStringLiteral("at zoom %1: %2").arg(zoom).arg(faults)));
      }
    }
    QVERIFY(!in_cycles || !pictureOf(*canvas).plates.empty());
    layer.clear();
    canvas->refreshLayers();
    QVERIFY(pictureOf(*canvas).plates.empty());
  }

  /// What is said of a stream when the run is there, long after the program was fitted, is seen without a
  /// touch.
  void whatComesLaterIsInView() {
    const QString file = QStringLiteral(SLUICE_SOURCE_DIR "/sample_workloads/deadlock_fork_join.sluice");
    const std::optional<Overlay> deadlock = deadlockOf(file);
    QVERIFY(deadlock);
    GraphCanvas canvas(builtInCatalog(), QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout"));
    canvas.resize(833, 344);
    canvas.show();
    QVERIFY(QTest::qWaitForWindowExposed(&canvas));
    canvas.setDocument(load(file));
    QTRY_VERIFY_WITH_TIMEOUT(!canvas.layoutPending(), layout_time);
    canvas.setStreamLabels(labelsOf(canvas));
    canvas.setMarks(deadlock->marks);
    QCoreApplication::processEvents();
    const Picture& picture = pictureOf(canvas);
    const QRectF view = canvas.viewportTransform().inverted().mapRect(QRectF(canvas.viewport()->rect()));
    for (std::size_t link = 0; link < picture.links.size(); ++link)
      QVERIFY(picture.labelRect(link).isEmpty() || view.contains(picture.labelRect(link)));
    // Who has moved the view keeps it.
    canvas.setZoom(2);
    canvas.setMarks({});
    QCoreApplication::processEvents();
    QCOMPARE(canvas.zoom(), 2.0);
  }

  /// In rows, as in a small view, what is said of one stream is hardly ever struck through by another.
  void linesKeepOffLabels() {
    const QString file = QStringLiteral(SLUICE_SOURCE_DIR "/sample_workloads/deadlock_fork_join.sluice");
    const std::optional<Overlay> deadlock = deadlockOf(file);
    QVERIFY(deadlock);
    for (const QSize size : {QSize(830, 370), QSize(720, 460), QSize(1400, 800)}) {
      const auto canvas = open(load(file), size);
      QHash<QString, QString> labels_of_streams = labelsOf(*canvas);
      for (QString& label : labels_of_streams) label = QStringLiteral("[1, 4, 8]");
      canvas->setStreamLabels(labels_of_streams);
      canvas->setMarks(deadlock->marks);
      const Picture& picture = pictureOf(*canvas);
      int labels = 0, struck = 0;
      for (std::size_t link = 0; link < picture.links.size(); ++link) {
        const QRectF label = picture.labelRect(link);
        labels += !label.isEmpty();
        for (std::size_t other = 0; other < picture.links.size() && !label.isEmpty(); ++other)
          if (other != link && crosses(picture.links[other].path, label.adjusted(2, 2, -2, -2))) {
            ++struck;
            break;
          }
      }
      QVERIFY2(labels > 2 && struck <= 1,
               qPrintable(QStringLiteral("%1 px: %2 of %3").arg(size.width()).arg(struck).arg(labels)));
    }
  }

  void paperKnowsNoWindow_data() { addSamples(); }
  /// A graph on paper is the same whatever the window's size, in one piece, and no higher than a page.
  void paperKnowsNoWindow() {
    QFETCH(const QString, file);
    const Document document = load(file);
    const auto wide = open(document), narrow = open(document, QSize(420, 700));
    const bool placed = std::ranges::any_of(pictureOf(*wide).model.boxes,
                                            [](const SceneBox& box) { return box.at.has_value(); });
    for (const int width : {single_column, double_column}) {
      const double height = wide->paperHeight(width);
      QVERIFY(height > 20 && height <= 620);
      if (placed) continue;  // by hand: as it is in the window
      QCOMPARE(narrow->paperHeight(width), height);
      QCOMPARE(narrow->paperScale(width), wide->paperScale(width));
      test::TextRecorder page(QSizeF(width, height));
      QPainter painter(&page);
      narrow->paintForPrint(painter, QSizeF(width, height));
      painter.end();
      for (const test::PaintedText& text : page.texts()) {
        bool number = false;
        (void)text.text.toInt(&number);
        QVERIFY2(!number, "it is cut into numbered pieces");
      }
    }
  }

  void everyNodeIsNamedWhenFitted_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("model");
    const QDir folder(QStringLiteral(SLUICE_SOURCE_DIR "/sample_workloads"));
    for (const QString& name : folder.entryList({QStringLiteral("*.sluice")}, QDir::Files))
      QTest::newRow(qPrintable(name)) << folder.filePath(name) << QString();
    for (const char* model : {"qwen", "llama", "gemma"})
      QTest::newRow(model) << folder.filePath(QStringLiteral("gpt2_block.sluice"))
                           << QString::fromLatin1(model);
  }
  /// As the window shows it: after its schedule, on the canvas of Build on small, large and fine screens.
  void everyNodeIsNamedWhenFitted() {
    QFETCH(const QString, file);
    QFETCH(const QString, model);
    Document document = load(file);
    if (!model.isEmpty()) findNode(document, "block")->parameters["model"] = Value(model.toStdString());
    if (!document.schedule.empty()) {
      const auto workload = makeWorkload(document, QFileInfo(file).path().toStdString());
      QVERIFY(workload);
      const Result<ScheduledProgram> applied =
          applySchedule(document, (*workload)->inputs, defaultKnobs(document));
      QVERIFY(applied);
      document = applied->document;
    }
    const auto canvas = open(document, QSize(1206, 660));
    for (const QSize size : {QSize(1206, 660), QSize(832, 366), QSize(746, 398)}) {
      canvas->resize(size);
      (void)QTest::qWaitFor([&] { return !canvas->layoutPending(); }, layout_time);
      canvas->fitAll();
      QVERIFY(canvas->zoom() >= names_zoom);
      const QString faults = faultsOf(*canvas);
      QVERIFY2(faults.isEmpty(), qPrintable(faults));
      const QString cut = namesCut(*canvas);
      QVERIFY2(
          cut.isEmpty(),
          qPrintable(QStringLiteral("%1 px, zoom %2: %3").arg(size.width()).arg(canvas->zoom()).arg(cut)));
      const QStringList broken = namesBroken(*canvas);
      QVERIFY2(broken.size() <= 2, qPrintable(broken.join(QStringLiteral("; "))));
    }
  }

  /// The canvas of Build in a window of 1024 x 640 has no room for every name of a compiled block: as many as
  /// do not lie on each other, or on a box, stand beside theirs.
  void fromAfarManyNodesAreNamed() {
    const QString file = QStringLiteral(SLUICE_SOURCE_DIR "/sample_workloads/gpt2_block.sluice");
    const Document document = load(file);
    const auto workload = makeWorkload(document, QFileInfo(file).path().toStdString());
    const Result<ScheduledProgram> applied =
        applySchedule(document, (*workload)->inputs, defaultKnobs(document));
    QVERIFY(applied);
    const auto canvas = open(applied->document, QSize(490, 200));
    canvas->fitAll();
    QCoreApplication::processEvents();
    const Picture& picture = pictureOf(*canvas);
    QVERIFY(picture.detail < Detail::Names);
    const QString faults = faultsOf(*canvas);
    QVERIFY2(faults.isEmpty(), qPrintable(faults));
    QVERIFY2(picture.plates.size() >= picture.boxes.size() / 4,
             qPrintable(QString::number(picture.plates.size())));
    for (const Plate& plate : picture.plates)
      for (std::size_t box = 0; box < picture.boxes.size(); ++box)
        QVERIFY(!plate.area.intersects(picture.rect(box)));
  }

  void oneKindOfWordsAtATime() {
    const auto canvas = open(load(QStringLiteral(SLUICE_SOURCE_DIR "/sample_workloads/simple_moe.sluice")));
    canvas->setZoom(1);
    const SceneModel& model = pictureOf(*canvas).model;
    const QString stream = qt(model.links.front().origin), node = qt(model.boxes.front().path);
    TimeOverlay time;
    time.streams[stream] = {1, 2};
    time.nodes[node][0] = 1;
    canvas->setDeltaOverlay(
        {{stream, {0.5, QStringLiteral("+50 %")}}, {node, {0.5, QStringLiteral("+9 %")}}});
    canvas->setTimeOverlay(time);
    QCOMPARE(pictureOf(*canvas).links.front().note->text, QStringLiteral("1/2"));
    canvas->setTimeOverlay({});
    QCOMPARE(pictureOf(*canvas).links.front().note->text, QStringLiteral("+50 %"));
    canvas->setDeltaOverlay({});
    QVERIFY(!pictureOf(*canvas).links.front().note);
    QVERIFY(!pictureOf(*canvas).boxes.front().note);
  }

  void theOverviewCoversNothing() {
    const auto canvas = open(test::meshOf(60));
    Minimap map(canvas.get());
    for (const double zoom : {0.6, 1.0, 2.0}) {
      canvas->setZoom(zoom);
      for (const QPointF& at : {canvas->contentRect().topLeft(), canvas->contentRect().center()}) {
        canvas->centerOn(at);
        if (map.isHidden()) continue;
        const QRectF covered = canvas->viewportTransform().inverted().mapRect(
            QRectF(map.pos() - canvas->viewport()->pos(), map.size()));
        QVERIFY(canvas->graphScene()->isFree(covered));
      }
    }
    canvas->centerOn(canvas->contentRect().topLeft());
    QTRY_VERIFY(!map.isHidden());  // there are free corners, and not all is in view
  }

  /// It shows the boxes whenever it is seen, also where it was made ready behind another view.
  void theOverviewIsNeverEmpty() {
    QTabWidget tabs;
    tabs.resize(900, 600);
    tabs.addTab(new QWidget, QStringLiteral("first"));
    auto* canvas = new GraphCanvas(builtInCatalog());
    auto* map = new Minimap(canvas);
    tabs.addTab(canvas, QStringLiteral("graph"));
    tabs.show();
    canvas->setDocument(test::meshOf(60));
    QTRY_VERIFY_WITH_TIMEOUT(!canvas->layoutPending(), layout_time);
    QTest::qWait(200);
    tabs.setCurrentIndex(1);
    canvas->setZoom(2);
    canvas->centerOn(canvas->contentRect().topLeft());
    QVERIFY(!map->isHidden());
    const QImage seen = map->grab().toImage();
    const QColor box = canvas->theme().category(pictureOf(*canvas).model.boxes.front().category);
    int drawn = 0;
    for (int y = 0; y < seen.height(); ++y)
      for (int x = 0; x < seen.width(); ++x) drawn += seen.pixelColor(x, y) == box;
    QVERIFY(drawn > 40);
  }

  /// What was in view does not leave it because the program becomes another one.
  void theViewStaysOnTheGraph() {
    const auto canvas = open(test::mixtureOfExperts());
    canvas->toggleRegion(QStringLiteral("expert"));
    QTRY_VERIFY_WITH_TIMEOUT(!canvas->layoutPending(), layout_time);
    canvas->setZoom(0.8);
    canvas->centerOn(canvas->contentRect().bottomRight());
    canvas->centerOn(canvas->nodeCenter(QStringLiteral("expert.down")));
    Document other = test::mixtureOfExperts();
    canvas->setDocument(other);  // the region is closed, and what was seen is not there any more
    QTRY_VERIFY_WITH_TIMEOUT(!canvas->layoutPending() && !canvas->animating(), layout_time);
    const QRectF view = canvas->viewportTransform().inverted().mapRect(QRectF(canvas->viewport()->rect()));
    const QRectF content = pictureOf(*canvas).contentRect(), seen = view & content;
    QVERIFY(seen.width() * seen.height() >
            0.3 * std::min(view.width(), content.width()) * std::min(view.height(), content.height()));
  }

  /// A number of the active view is there whatever the length of the name.
  void everyBoxHasRoomForItsNumber() {
    const QString file = QStringLiteral(SLUICE_SOURCE_DIR "/sample_workloads/decoder_layer_mixtral.sluice");
    const auto canvas = open(load(file), QSize(1000, 560));
    CostOverlay costs{{}, QStringLiteral("J")};
    for (const SceneBox& box : pictureOf(*canvas).model.boxes) costs.costs[qt(box.path)] = 12e-6;
    canvas->setCostOverlay(costs);
    for (const double zoom : {0.3, 0.4, 0.5, 0.7, 1.0}) {
      canvas->setZoom(zoom);
      canvas->centerOn(canvas->contentRect().center());
      const std::vector<test::PaintedText> texts = textsOn(*canvas);
      const QRectF view(canvas->viewport()->rect());
      for (std::size_t box = 0; box < pictureOf(*canvas).boxes.size(); ++box) {
        const QRectF rect = canvas->viewportTransform().mapRect(pictureOf(*canvas).titleRect(box));
        if (!view.contains(rect)) continue;
        const bool numbered = std::ranges::any_of(texts, [&rect](const test::PaintedText& text) {
          return text.text.startsWith(QStringLiteral("12")) && text.text.endsWith(QLatin1Char('J')) &&
                 rect.contains(text.area.boundingRect().center());
        });
        QVERIFY2(
            numbered,
            qPrintable(
                QStringLiteral("zoom %1: %2").arg(zoom).arg(qt(pictureOf(*canvas).model.boxes[box].name))));
      }
    }
  }
};

SLUICE_WINDOW_TEST(CanvasReadingTest)
#include "canvas_reading_test.moc"
