// Both layouts put boxes side by side, left to right, without overlap; and whatever the helper process does,
// an answer comes.

#include <QFile>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>
#include <list>
#include <random>

#include "tests/widgets/canvas_programs.h"
#include "tests/widgets/test_program.h"
#include "widgets/canvas/arrangement.h"
#include "widgets/canvas/curve.h"
#include "widgets/canvas/graphviz_layout.h"
#include "widgets/canvas/layered_layout.h"
#include "widgets/canvas/row_layout.h"

using namespace sluice;
using namespace sluice::ui;

namespace {

QString helper() {
  return QStringLiteral(SLUICE_BINARY_DIR "/bin/sluice-layout");
}

/// A random graph without cycles: links lead from lower to higher numbers.
LayoutGraph randomGraph(unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  LayoutGraph graph;
  for (std::size_t i = 0; i < count; ++i) {
    LayoutNode node;
    node.width = static_cast<double>(100 + below(120));
    node.height = static_cast<double>(40 + below(60));
    for (std::size_t port = 0; port <= below(3); ++port)
      node.inputs.push_back(12 + 8 * static_cast<double>(port));
    for (std::size_t port = 0; port <= below(3); ++port)
      node.outputs.push_back(12 + 8 * static_cast<double>(port));
    graph.nodes.push_back(node);
  }
  for (std::size_t i = 1; i < count; ++i) {
    for (std::size_t link = 0; link <= below(2); ++link) {
      const std::size_t from = below(i);
      graph.edges.push_back(
          {from, below(graph.nodes[from].outputs.size()), i, below(graph.nodes[i].inputs.size())});
    }
  }
  return graph;
}

QString overlap(const LayoutGraph& graph, const LayoutResult& result) {
  for (std::size_t a = 0; a < graph.nodes.size(); ++a) {
    for (std::size_t b = a + 1; b < graph.nodes.size(); ++b) {
      const QRectF first(result.nodes[a].x, result.nodes[a].y, graph.nodes[a].width, graph.nodes[a].height);
      const QRectF second(result.nodes[b].x, result.nodes[b].y, graph.nodes[b].width, graph.nodes[b].height);
      if (first.intersects(second)) return QString("boxes %1 and %2 overlap").arg(a).arg(b);
    }
  }
  return {};
}

/// Every link starts at its output port, ends at its input port, and leads to the right.
QString wrongLink(const LayoutGraph& graph, const LayoutResult& result) {
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const LayoutEdge& edge = graph.edges[i];
    const LayoutPoint from = result.nodes[edge.from], to = result.nodes[edge.to];
    const LayoutPoint start{from.x + graph.nodes[edge.from].width,
                            from.y + graph.nodes[edge.from].outputs[edge.output]};
    const LayoutPoint end{to.x, to.y + graph.nodes[edge.to].inputs[edge.input]};
    if (start.x >= end.x) return QString("link %1 leads to the left").arg(i);
    const auto near = [](LayoutPoint a, LayoutPoint b) {
      return std::abs(a.x - b.x) < 2 && std::abs(a.y - b.y) < 2;
    };
    if (!near(result.edges[i].front(), start)) return QString("link %1 does not start at its port").arg(i);
    if (!near(result.edges[i].back(), end)) return QString("link %1 does not end at its port").arg(i);
  }
  return {};
}

QString outOfBounds(const LayoutGraph& graph, const LayoutResult& result) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const LayoutPoint at = result.nodes[i];
    if (at.x < -1 || at.y < -1 || at.x + graph.nodes[i].width > result.width + 1 ||
        at.y + graph.nodes[i].height > result.height + 1) {
      return QString("box %1 is outside of the layout's size").arg(i);
    }
  }
  return {};
}

/// Starts a layout and waits for its answer.
LayoutResult answer(GraphLayout& layout, const LayoutGraph& graph) {
  LayoutResult result;
  bool done = false;
  const auto connection =
      QObject::connect(&layout, &GraphLayout::finished, &layout, [&](quint64, const LayoutResult& got) {
        result = got;
        done = true;
      });
  layout.start(graph, 1);
  if (!QTest::qWaitFor([&] { return done; }, 20000)) qWarning("no answer");
  QObject::disconnect(connection);
  return result;
}

/// A program that stands in for the helper.
QString script(const QTemporaryDir& folder, const QByteArray& body) {
  const QString path = folder.filePath("helper.sh");
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return {};
  file.write("#!/bin/sh\n" + body + "\n");
  file.close();
  file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  return path;
}

}  // namespace

class LayoutTest : public QObject {
  Q_OBJECT

 private slots:
  void bothLayoutsAreClean() {
    QVERIFY(QFile::exists(helper()));
    GraphvizLayout graphviz(helper());
    graphviz.setDeadline(20000);
    QSignalSpy fallbacks(&graphviz, &GraphvizLayout::fellBack);
    LayeredLayout layered;
    for (unsigned seed = 1; seed <= 12; ++seed) {
      const LayoutGraph graph = randomGraph(seed, 3 + 4 * seed);
      for (GraphLayout* layout :
           {static_cast<GraphLayout*>(&graphviz), static_cast<GraphLayout*>(&layered)}) {
        const LayoutResult result = answer(*layout, graph);
        QCOMPARE(result.nodes.size(), graph.nodes.size());
        QCOMPARE(result.edges.size(), graph.edges.size());
        QCOMPARE(overlap(graph, result), QString());
        QCOMPARE(wrongLink(graph, result), QString());
        QCOMPARE(outOfBounds(graph, result), QString());
      }
    }
    QCOMPARE(fallbacks.count(), 0);  // else Graphviz itself was never asked
  }

  void endsGoToTheEnds() {
    LayoutGraph graph = randomGraph(5, 12);
    graph.nodes.push_back({14, 60, LayoutRank::First, {}, {20, 40}});
    graph.nodes.push_back({14, 60, LayoutRank::Last, {30}, {}});
    graph.edges.push_back({12, 1, 7, 0});
    graph.edges.push_back({3, 0, 13, 0});
    GraphvizLayout graphviz(helper());
    for (const LayoutResult& result : {answer(graphviz, graph), layeredLayout(graph)}) {
      QCOMPARE(overlap(graph, result), QString());
      for (std::size_t i = 0; i < 12; ++i) {
        QVERIFY(result.nodes[i].x > result.nodes[12].x);
        QVERIFY(result.nodes[i].x + graph.nodes[i].width < result.nodes[13].x + 1);
      }
    }
  }

  void circlesAndLoopsAreLaidOut() {
    LayoutGraph graph = randomGraph(3, 8);
    graph.edges.push_back({7, 0, 0, 0});  // back to the start
    graph.edges.push_back({4, 0, 4, 0});  // to itself
    GraphvizLayout graphviz(helper());
    QSignalSpy fallbacks(&graphviz, &GraphvizLayout::fellBack);
    for (const LayoutResult& result : {answer(graphviz, graph), layeredLayout(graph)}) {
      QCOMPARE(result.edges.size(), graph.edges.size());
      QCOMPARE(overlap(graph, result), QString());
    }
    QCOMPARE(fallbacks.count(), 0);
  }

  void layeredIsDeterministic() {
    QCOMPARE(layeredLayout(randomGraph(9, 40)), layeredLayout(randomGraph(9, 40)));
  }

  void emptyGraph() {
    GraphvizLayout graphviz(helper());
    QVERIFY(answer(graphviz, {}).nodes.empty());
    QVERIFY(layeredLayout({}).nodes.empty());
  }

  void absentHelperFallsBack() {
    const LayoutGraph graph = randomGraph(2, 10);
    GraphvizLayout layout("/nonexistent/sluice-layout");
    QSignalSpy fallbacks(&layout, &GraphvizLayout::fellBack);
    QCOMPARE(answer(layout, graph), layeredLayout(graph));
    QCOMPARE(fallbacks.count(), 1);
    QVERIFY(fallbacks[0][0].toString().contains("/nonexistent/sluice-layout"));
  }

  void misbehavingHelperFallsBack_data() {
    QTest::addColumn<QByteArray>("body");
    QTest::newRow("garbage") << QByteArray("cat >/dev/null; echo 'hello, world'");
    QTest::newRow("silence") << QByteArray("cat >/dev/null");
    QTest::newRow("failure") << QByteArray("cat >/dev/null; echo 'no dot today' >&2; exit 1");
    QTest::newRow("killed") << QByteArray("kill -9 $$");
    QTest::newRow("other graph") << QByteArray(
        "cat >/dev/null; printf 'sluice-layout 1\\nsize 1 1\\nnode 0 0\\nend\\n'");
    QTest::newRow("infinity") << QByteArray(
        "cat >/dev/null; printf 'sluice-layout 1\\nsize inf nan\\nend\\n'");
    QTest::newRow("deaf") << QByteArray("exec sleep 60");
  }
  void misbehavingHelperFallsBack() {
    QFETCH(const QByteArray, body);
    const QTemporaryDir folder;
    const LayoutGraph graph = randomGraph(4, 10);
    GraphvizLayout layout(script(folder, body));
    layout.setDeadline(600);
    QSignalSpy fallbacks(&layout, &GraphvizLayout::fellBack);
    QCOMPARE(answer(layout, graph), layeredLayout(graph));
    QCOMPARE(fallbacks.count(), 1);
    QVERIFY(!fallbacks[0][0].toString().isEmpty());
    QVERIFY(!layout.running());
  }

  void aDeadlineIsSetFromTheStart() {
    const QTemporaryDir folder;
    GraphvizLayout layout(script(folder, "exec sleep 60"));
    QSignalSpy fallbacks(&layout, &GraphvizLayout::fellBack);
    const LayoutGraph graph = randomGraph(4, 10);
    QCOMPARE(answer(layout, graph), layeredLayout(graph));
    QCOMPARE(fallbacks.count(), 1);
  }

  void newerRequestWins() {
    GraphvizLayout layout(helper());
    layout.setDeadline(20000);
    QSignalSpy finished(&layout, &GraphLayout::finished);
    const LayoutGraph last = randomGraph(8, 9);
    for (quint64 generation = 1; generation <= 6; ++generation) layout.start(randomGraph(7, 60), generation);
    layout.start(last, 7);
    QVERIFY(finished.wait(20000));
    QTest::qWait(300);  // time for an old answer to come, if it could
    QCOMPARE(finished.count(), 1);
    QCOMPARE(finished[0][0].toULongLong(), 7ULL);
    QCOMPARE(finished[0][1].value<LayoutResult>().nodes.size(), last.nodes.size());
  }

  void cancelledRequestNeverAnswers() {
    GraphvizLayout layout(helper());
    QSignalSpy finished(&layout, &GraphLayout::finished);
    layout.start(randomGraph(7, 30), 1);
    layout.cancel();
    QTest::qWait(300);
    QCOMPARE(finished.count(), 0);
  }

  /// The helper itself, as a process: what it refuses, it refuses with a message and exit code 1.
  void helperRefusesGarbage_data() {
    QTest::addColumn<QByteArray>("request");
    const QByteArray start = "sluice-layout 1\n";
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("other version") << QByteArray("sluice-layout 2\nend\n");
    QTest::newRow("cut off") << start + "node 10 10 middle in out\n";
    QTest::newRow("unknown word") << start + "nodes 1\nend\n";
    QTest::newRow("comma") << start + "node 10,5 10 middle in out\nend\n";
    QTest::newRow("negative size") << start + "node -10 10 middle in out\nend\n";
    QTest::newRow("not a number") << start + "node nan 10 middle in out\nend\n";
    QTest::newRow("huge") << start + "node 1e300 10 middle in out\nend\n";
    QTest::newRow("port outside") << start + "node 10 10 middle in 50 out\nend\n";
    QTest::newRow("no such node") << start + "node 10 10 middle in 5 out 5\nedge 0 0 3 0\nend\n";
    QTest::newRow("no such port") << start + "node 10 10 middle in 5 out 5\nedge 0 1 0 0\nend\n";
    QTest::newRow("binary") << QByteArray("\0\xff\n\n\0", 5);
  }
  void helperRefusesGarbage() {
    QFETCH(const QByteArray, request);
    QProcess process;
    process.start(helper(), QStringList());
    process.write(request);
    process.closeWriteChannel();
    QVERIFY(process.waitForFinished(20000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 1);
    QVERIFY(process.readAllStandardOutput().isEmpty());
    QVERIFY(process.readAllStandardError().startsWith("sluice-layout: "));
  }

  void protocolRoundTrip() {
    const LayoutGraph graph = randomGraph(11, 20);
    const auto read = layout_protocol::decodeGraph(layout_protocol::encode(graph));
    QVERIFY(bool(read));
    QVERIFY(*read == graph);
    const LayoutResult result = layeredLayout(graph);
    const auto back = layout_protocol::decodeResult(layout_protocol::encode(result), graph);
    QVERIFY(bool(back));
    QVERIFY(*back == result);
  }

  /// A chain too long for the view stands in rows: larger, nothing on anything, every link at its ports.
  void aLongChainStandsInRows() {
    LayoutGraph graph = randomGraph(6, 60);
    graph.edges.clear();
    for (std::size_t i = 1; i < graph.nodes.size(); ++i) graph.edges.push_back({i - 1, 0, i, 0});
    for (std::size_t i = 8; i < graph.nodes.size(); i += 5) graph.edges.push_back({i - 6, 0, i, 0});
    graph.edges.push_back({59, 0, 2, 0});  // and back
    const LayoutResult plain = layeredLayout(graph);
    const LayoutRoom room{1000, 600};
    const LayoutResult rows = inRows(graph, plain, room);
    QVERIFY(rows.width < plain.width / 2);
    QVERIFY(std::min(room.width / rows.width, room.height / rows.height) >
            1.15 * std::min(room.width / plain.width, room.height / plain.height));
    QCOMPARE(overlap(graph, rows), QString());
    QCOMPARE(outOfBounds(graph, rows), QString());
    QCOMPARE(rows.edges.size(), graph.edges.size());
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
      const LayoutEdge& edge = graph.edges[i];
      const LayoutPoint from = rows.nodes[edge.from], to = rows.nodes[edge.to];
      const auto apart = [](LayoutPoint a, double x, double y) { return std::hypot(a.x - x, a.y - y); };
      QCOMPARE(rows.edges[i].size() % 3, std::size_t{1});
      QVERIFY(apart(rows.edges[i].front(), from.x + graph.nodes[edge.from].width,
                    from.y + graph.nodes[edge.from].outputs[edge.output]) < 2);
      QVERIFY(apart(rows.edges[i].back(), to.x, to.y + graph.nodes[edge.to].inputs[edge.input]) < 2);
    }
    QCOMPARE(inRows(graph, plain, room), rows);
    QCOMPARE(inRows(graph, plain, {}), plain);
    QCOMPARE(inRows(graph, plain, {1e6, 1e6}), plain);
  }

  /// A link that passes rows where it has no box goes by beside them, and not to and fro through each.
  void aLinkGoesByBesideRows() {
    LayoutGraph graph = randomGraph(6, 40);
    graph.edges.clear();
    for (std::size_t i = 1; i < graph.nodes.size(); ++i) graph.edges.push_back({i - 1, 0, i, 0});
    graph.edges.push_back({3, 0, 36, 0});
    const LayoutResult rows = inRows(graph, layeredLayout(graph), {900, 900});
    int ends = 0;
    for (std::size_t i = 1; i < graph.nodes.size(); ++i)
      ends += rows.nodes[i].x < rows.nodes[i - 1].x ? 1 : 0;
    QVERIFY(ends >= 3);
    QCOMPARE(overlap(graph, rows), QString());
    QCOMPARE(outOfBounds(graph, rows), QString());
    const Curve& curve = rows.edges.back();
    int turns = 0;
    double direction = 1, reached = curve.front().x;
    for (std::size_t i = 0; i + 3 < curve.size(); i += 3)
      for (int step = 1; step <= 16; ++step) {
        const double x = pointOn(&curve[i], step / 16.0).x;
        if (direction * (x - reached) > 0) reached = x;
        if (direction * (x - reached) > -2) continue;
        direction = -direction;
        reached = x;
        ++turns;
      }
    QCOMPARE(turns, 2);  // at the end of the one row, and before the other
  }

  /// A region that was placed by hand makes room when it is expanded, and the written positions stay what
  /// they were.
  void expandedRegionMakesRoom() {
    test::SmallCatalog small;
    Document document = test::mixtureOfExperts();
    double x = 0;
    for (Node& node : document.program.nodes) {
      node.at = Position{x, 40};
      x += 320;
    }
    const TextWidth width = [](const std::string& text, TextRole) {
      return 7.0 * static_cast<double>(text.size());
    };
    const auto lookup = [made = std::list<LayoutResult>()](const LayoutGraph& graph) mutable {
      made.push_back(layeredLayout(graph));
      return static_cast<const LayoutResult*>(&made.back());
    };
    for (const bool collapsed : {true, false}) {
      test::expertOf(document).collapsed = collapsed;
      const SceneModel model = sceneModel(document, small.catalog(), width);
      const Arrangement places = arrange(model, lookup).arrangement;
      for (std::size_t i = 0; i < document.program.nodes.size(); ++i) {
        const std::size_t box = model.findBox(document.program.nodes[i].name);
        const Position at = writtenPosition(model, places, box, false);
        QCOMPARE(at.x, document.program.nodes[i].at->x);
        QCOMPARE(at.y, document.program.nodes[i].at->y);
        if (i == 0) continue;
        const SceneRect& before = places.boxes[model.findBox(document.program.nodes[i - 1].name)];
        QVERIFY(places.boxes[box].x >= before.x + before.width);
      }
    }
  }
};

SLUICE_WINDOW_TEST(LayoutTest)
#include "layout_test.moc"
