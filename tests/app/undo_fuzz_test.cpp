// Undo is total: random changes of every part of a document, taken back and made again ten thousand times,
// lead back to what was there at first, and forward to what was there at last.

#include <QCryptographicHash>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <random>

#include "app/window/document/document_controller.h"
#include "app/window/document/document_edits.h"
#include "app/window/edit/graph_edits.h"
#include "app/window/edit/place_edits.h"
#include "engine/fifo/unlock.h"
#include "engine/operators/registry.h"
#include "engine/program/fields.h"
#include "engine/program/file_format.h"
#include "engine/schedule/schedule.h"
#include "tests/app/private_settings.h"
#include "tests/widgets/test_program.h"
#include "widgets/common/document_paths.h"

namespace sluice::ui {
namespace {

QByteArray hashOf(const DocumentController& documents) {
  QCryptographicHash hash(QCryptographicHash::Sha256);
  hash.addData(QByteArray::fromStdString(writeDocument(documents.document())));
  for (const auto& [name, value] : documents.knobs())
    hash.addData(QByteArray::fromStdString(name) + QByteArray::number(static_cast<qint64>(value)));
  return hash.result();
}

/// One random change a call, of any part of the document.
class Scribbler {
 public:
  Scribbler(DocumentController& documents, std::uint32_t seed) : documents_(documents), random_(seed) {}

  void change() {
    const std::vector<void (Scribbler::*)(Document&)> edits{
        &Scribbler::addNode,  &Scribbler::removeNode, &Scribbler::renameSome, &Scribbler::group,
        &Scribbler::dissolve, &Scribbler::paste,      &Scribbler::connect,    &Scribbler::disconnect,
        &Scribbler::insert,   &Scribbler::place,      &Scribbler::collapse,   &Scribbler::parameter,
        &Scribbler::depth,    &Scribbler::schedule,   &Scribbler::machine,    &Scribbler::inputs,
        &Scribbler::knobs,    &Scribbler::repair,     &Scribbler::pin};
    const std::size_t which = below(edits.size() + 2);
    if (which >= edits.size()) return turnKnob();
    documents_.edit(QString::number(which), [&](Document& document) {
      const Document before = document;
      (this->*edits[which])(document);
      changes_["machine"] += document.machine != before.machine;
      changes_["inputs"] += document.inputs != before.inputs;
      changes_["schedule"] += document.schedule != before.schedule;
      changes_["pins"] += document.pinned != before.pinned;
    });
  }
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  /// How often each kind of change changed something.
  const std::map<std::string, int>& changes() const { return changes_; }

 private:
  std::string node(const Document& document) {
    const std::vector<std::string> paths = nodePaths(document);
    return paths.empty() ? "" : paths[below(paths.size())];
  }
  std::string stream(const Document& document) {
    const std::vector<NamedStream> streams = namedStreams(document);
    return streams.empty() ? "" : streams[below(streams.size())].id;
  }
  const OperatorSpec& spec() { return *builtInCatalog().all()[below(builtInCatalog().all().size())]; }
  Position position() {
    return {8.0 * static_cast<double>(below(200)), 8.0 * static_cast<double>(below(100))};
  }

  void addNode(Document& document) {
    if (document.program.nodes.size() < 60)
      addOperator(document, graphOf(node(document)), spec(), position());
  }
  void removeNode(Document& document) {
    if (document.program.nodes.size() > 5) removeParts(document, {{node(document)}, {}});
  }
  void renameSome(Document& document) {
    if (const auto done = renameNode(document, node(document), "n" + std::to_string(below(1000))); !done)
      return;
  }
  void group(Document& document) {
    const std::string first = node(document);
    std::set<std::string> nodes{first};
    for (int i = 0; i < 3; ++i)
      if (const std::string other = node(document); graphOf(other) == graphOf(first)) nodes.insert(other);
    const auto made = groupIntoRegion(document, nodes, builtInCatalog());
    if (made && std::count(made->begin(), made->end(), '.') > 3) removeParts(document, {{*made}, {}});
  }
  void dissolve(Document& document) {
    for (const std::string& path : nodePaths(document)) {
      if (!findNode(document, path)->body || below(2) == 0) continue;
      if (dissolveRegion(document, path)) return;
    }
  }
  void paste(Document& document) {
    const auto part = copyText(document, {node(document)});
    if (part && document.program.nodes.size() < 60)
      if (const auto pasted = pasteText(document, "", *part, {24, 24}); !pasted) return;
  }
  void connect(Document& document) {
    const std::string from = node(document), to = node(document);
    if (!from.empty() && graphOf(from) == graphOf(to))
      addStream(document, graphOf(from), {{nameOf(from), "out", {}}, {nameOf(to), "in", {}}, {}});
  }
  void disconnect(Document& document) { removeParts(document, {{}, {stream(document)}}); }
  void insert(Document& document) {
    if (document.program.nodes.size() < 60) insertOnStream(document, stream(document), spec(), position());
  }
  void place(Document& document) {
    below(3) == 0 ? freePlaces(document, {node(document)})
                  : setPlaces(document, {{node(document), position()}});
  }
  void collapse(Document& document) { setCollapsed(document, node(document), below(2) == 0); }
  void parameter(Document& document) {
    setParameter(document, node(document), "rank", static_cast<std::int64_t>(below(4)));
  }
  void depth(Document& document) {
    setDepth(document, stream(document), Value(static_cast<std::int64_t>(1 + below(9))));
  }
  void schedule(Document& document) {
    const std::size_t count = document.schedule.size();
    switch (below(6)) {
      case 5:
        document.schedule.clear();
        break;
      case 0:
        if (count < 12) addStep(document, step(document));
        break;
      case 3:
        replaceStep(document, below(count), step(document));
        break;
      case 1:
        removeStep(document, below(count));
        break;
      case 2:
        enableStep(document, below(count), below(2) == 0);
        break;
      default:
        moveStep(document, below(count), below(count));
    }
  }
  ScheduleStep step(const Document& document) {
    const auto number = [this] { return Value(static_cast<std::int64_t>(1 + below(9))); };
    switch (below(4)) {
      case 0:
        return {"tile", {{"region", node(document)}, {"rows", number()}}};
      case 1:
        return {"parallelize", {{"region", node(document)}, {"ways", number()}, {"method", "interleaved"}}};
      case 2:
        return {"time_multiplex", {{"region", node(document)}, {"regions", number()}}};
      default:
        return {"fifo_depth", {{"to", "*"}, {"depth", number()}}};
    }
  }
  void machine(Document& document) {
    Machine& machine = document.machine;
    std::vector<Value Machine::*> numbers;
    for (const Field<Machine>& field : fields<Machine>())
      if (field.bound) numbers.push_back(field.as<Value>());
    const std::size_t which = below(numbers.size() + 5);
    if (which < numbers.size()) {
      machine.*numbers[which] = static_cast<std::int64_t>(1 + below(64));
    } else if (which == numbers.size()) {
      machine.reference_mode = !machine.reference_mode;
    } else if (which == numbers.size() + 1) {
      machine.mock_bf16 = !machine.mock_bf16;
    } else if (which == numbers.size() + 2) {
      machine.name = "machine " + std::to_string(below(100));
    } else if (machine.hbm_model == HbmModel::Node) {
      machine.hbm_model = below(2) == 0 ? HbmModel::Hbm2 : HbmModel::Hbm3;
    } else if (which == numbers.size() + 3) {
      machine.hbm_model = HbmModel::Node;
      machine.hbm_timing.clear();
    } else {
      machine.hbm_timing["tRCD"] = static_cast<std::int64_t>(1 + below(30));
    }
  }
  void inputs(Document& document) {
    if (!document.inputs.empty() && below(2) == 0) {
      Input& input = document.inputs[below(document.inputs.size())];
      switch (below(4)) {
        case 0:
          input.seed = below(1000);
          break;
        case 1:
          input.file = "other_" + std::to_string(below(100)) + ".npy";
          break;
        case 2:
          input.kind = InputKind::Routing;
          input.counts = {static_cast<std::int64_t>(below(9)), static_cast<std::int64_t>(below(9))};
          break;
        default:
          input.tokens = static_cast<std::int64_t>(below(64));
      }
    } else if (document.inputs.size() < 4) {
      Input input;
      input.name = "input_" + std::to_string(below(1000));
      input.file = "trace.npy";
      document.inputs.push_back(input);
    } else {
      document.inputs.pop_back();
    }
  }
  void knobs(Document& document) {
    if (document.knobs.size() < 8) {
      Knob knob;
      knob.name = "knob_" + std::to_string(below(1000));
      knob.maximum = 64;
      document.knobs.push_back(knob);
    } else {
      makeDefaults(document, documents_.knobs());
      document.knobs.pop_back();
    }
  }
  /// As the window applies it: to the streams, or behind a schedule as further steps.
  void repair(Document& document) {
    std::optional<Result<ScheduledProgram>> scheduled;
    if (!document.schedule.empty()) {
      if (document.schedule.size() >= 16) return;
      scheduled = applySchedule(document, {}, documents_.knobs());
      if (!*scheduled) return;  // what this scribbler writes is seldom legal
    }
    Repair fix;
    fix.changes.push_back(
        {stream(scheduled ? (**scheduled).document : document), "", 1, 1, 1 + below(30), 0});
    if (fix.changes.front().origin.empty()) return;
    document = repaired(document, scheduled ? &**scheduled : nullptr, fix);
    ++changes_[scheduled ? "repair behind a schedule" : "repair"];
  }
  void pin(Document& document) {
    if (document.pinned.size() > 6) document.pinned.clear();
    const std::string pinned = node(document);
    if (!pinned.empty()) document.pinned.insert(pinned);
  }
  void turnKnob() {
    KnobValues values = documents_.knobs();
    if (values.empty()) return;
    std::next(values.begin(), static_cast<std::ptrdiff_t>(below(values.size())))->second =
        static_cast<std::int64_t>(1 + below(64));
    documents_.setKnobs(values, QStringLiteral("turn"), below(2) == 0 ? QStringLiteral("drag") : QString());
    if (below(3) == 0) documents_.endDrag();
  }

  DocumentController& documents_;
  std::mt19937 random_;
  std::map<std::string, int> changes_;
};

}  // namespace

class UndoFuzzTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { usePrivateSettings(QStringLiteral("undo_fuzz_test"), folder_.path()); }

  void tenThousandStepsLeadBack_data() {
    QTest::addColumn<QString>("name");
    QTest::newRow("simple_moe") << QStringLiteral("simple_moe");
    QTest::newRow("deadlock_fork_join") << QStringLiteral("deadlock_fork_join");
  }
  void tenThousandStepsLeadBack() {
    QFETCH(QString, name);
    DocumentController documents;
    QVERIFY(documents.open(
        (QStringLiteral(SLUICE_SOURCE_DIR "/sample_workloads/") + name + QStringLiteral(".sluice"))
            .toStdString()));
    const QByteArray start = hashOf(documents);
    Scribbler scribbler(documents, 20260801);
    QUndoStack* undo = documents.undoStack();
    std::map<int, QByteArray> seen{{0, start}};  // by position in the stack
    int edits = 0, undone = 0;
    for (int step = 0; step < 10000; ++step) {
      const std::size_t what = scribbler.below(10);
      if (what < 3 && undo->canUndo()) {
        undo->undo();
        ++undone;
      } else if (what < 5 && undo->canRedo()) {
        undo->redo();
      } else {
        const int before = undo->index();
        scribbler.change();
        if (undo->index() > before || undo->count() == before)
          seen.erase(seen.upper_bound(undo->index() - 1), seen.end());
        ++edits;
      }
      if (step % 16 != 0) continue;  // a hash is the dearest part
      const auto known = seen.find(undo->index());
      if (known != seen.end())
        QCOMPARE(hashOf(documents), known->second);
      else
        seen[undo->index()] = hashOf(documents);
    }
    QVERIFY(edits > 4000 && undone > 2000);
    for (const auto& [what, least] : std::map<std::string, int>{
             {"machine", 100}, {"inputs", 100}, {"schedule", 100}, {"pins", 50}, {"repair", 10}}) {
      const auto made = scribbler.changes().find(what);
      QVERIFY2(made != scribbler.changes().end() && made->second >= least, what.c_str());
      qInfo("%s: %d", what.c_str(), made->second);
    }
    const QByteArray end = hashOf(documents);
    const int top = undo->index();
    QVERIFY(top > 0);
    while (undo->canUndo()) undo->undo();
    QCOMPARE(hashOf(documents), start);
    QVERIFY(!documents.isModified());
    while (undo->index() < top) undo->redo();
    QCOMPARE(hashOf(documents), end);
    qInfo("10000 steps, %d edits, at the end %d to undo", edits, top);
  }

 private:
  QTemporaryDir folder_;
};

}  // namespace sluice::ui

SLUICE_TEST_WITHOUT_WINDOW(sluice::ui::UndoFuzzTest)
#include "undo_fuzz_test.moc"
