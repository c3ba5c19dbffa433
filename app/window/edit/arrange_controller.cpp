#include "app/window/edit/arrange_controller.h"

#include <QAction>
#include <QMainWindow>
#include <QSettings>
#include <algorithm>

#include "app/window/document/document_controller.h"
#include "app/window/document/document_edits.h"
#include "app/window/document/shown_program.h"
#include "app/window/edit/places_step.h"
#include "app/window/shell/commands.h"
#include "widgets/canvas/find_bar.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/minimap.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

constexpr double grid = 8;  // points, as when a node is dragged

}  // namespace

ArrangeController::ArrangeController(const WindowContext& context, const EditController* edits)
    : QObject(context.window),
      context_(context),
      edits_(edits),
      find_(new FindBar(context.canvas)),
      minimap_(new Minimap(context.canvas)) {
  addCommands();
  connectOverview();
  connectFind();
  connect(context_.canvas, &GraphCanvas::selectionChanged, this, &ArrangeController::updateEnabled);
  context_.canvas->addLayer(&pins_);
  connect(context_.documents, &DocumentController::opened, this, &ArrangeController::showPins);
  connect(context_.documents, &DocumentController::changed, this, &ArrangeController::showPins);
  connect(context_.documents, &DocumentController::opened, this, &ArrangeController::updateEnabled);
  connect(context_.documents, &DocumentController::changed, this, &ArrangeController::updateEnabled);
  updateEnabled();
}

void ArrangeController::addCommands() {
  const auto on = [this](const Command& command, const std::function<void()>& run) {
    context_.commands->add(command, this, run);
  };
  on({"arrange.all", "&Arrange", "La&y Out the Program", "Ctrl+L",
      "Find new places for all nodes that are not pinned"},
     [this] { layOut({}); });
  on({"arrange.selection", "&Arrange", "Lay Out the &Selection", "Ctrl+Shift+L",
      "Find new places for the selected nodes; the others stay"},
     [this] {
       const Result<Selection> chosen = edits_->selection();
       if (!chosen) return emit refused(chosen.diagnostics().front());
       if (!chosen->nodes.empty()) layOut(chosen->nodes);
     });
  on({"arrange.pin", "&Arrange", "&Pin", "Ctrl+Shift+P", "Keep the selected nodes where they are"},
     [this] { pin(true); });
  on({"arrange.unpin", "&Arrange", "&Unpin", "", "Let automatic layout move the selected nodes"},
     [this] { pin(false); });
  const auto align = [this](Alignment alignment) {
    return [this, alignment] {
      place(tr("Align"), [alignment](const std::vector<PlacedBox>& all) { return aligned(all, alignment); });
    };
  };
  on({"arrange.left", "&Arrange", "Align &Left Edges", "", "Bring the selected nodes onto one line", "",
      true},
     align(Alignment::Left));
  on({"arrange.centre", "&Arrange", "Align &Centres", "", "Bring the selected nodes onto one line"},
     align(Alignment::Centre));
  on({"arrange.right", "&Arrange", "Align &Right Edges", "", "Bring the selected nodes onto one line"},
     align(Alignment::Right));
  on({"arrange.top", "&Arrange", "Align &Top Edges", "", "Bring the selected nodes onto one line"},
     align(Alignment::Top));
  on({"arrange.middle", "&Arrange", "Align &Middles", "", "Bring the selected nodes onto one line"},
     align(Alignment::Middle));
  on({"arrange.bottom", "&Arrange", "Align &Bottom Edges", "", "Bring the selected nodes onto one line"},
     align(Alignment::Bottom));
  const auto spread = [this](Direction direction) {
    return [this, direction] {
      place(tr("Distribute"),
            [direction](const std::vector<PlacedBox>& all) { return distributed(all, direction); });
    };
  };
  on({"arrange.acrossEvenly", "&Arrange", "Distribute &Horizontally", "", "Make the gaps between them equal",
      "", true},
     spread(Direction::Horizontal));
  on({"arrange.downEvenly", "&Arrange", "Distribute &Vertically", "", "Make the gaps between them equal"},
     spread(Direction::Vertical));
  on({"arrange.snap", "&Arrange", "Snap to the &Grid", "", "Round the places of the selected nodes"}, [this] {
    place(tr("Snap to the grid"), [](const std::vector<PlacedBox>& all) { return snapped(all, grid); });
  });
}

void ArrangeController::connectOverview() {
  const auto key = QStringLiteral("view/minimap");
  QAction* overview = context_.commands->add(
      {.id = "view.minimap",
       .menu = "&View",
       .text = "&Overview",
       .shortcuts = "",
       .tooltip = "Show the whole program small in a corner of the canvas",
       .section = 2},
      this, [this, key] {
        const QAction* chosen = context_.commands->action(QStringLiteral("view.minimap"));
        QSettings().setValue(key, chosen->isChecked());
        minimap_->setWanted(chosen->isChecked());
      });
  overview->setCheckable(true);
  overview->setChecked(QSettings().value(key, true).toBool());
  minimap_->setWanted(overview->isChecked());
}

void ArrangeController::updateEnabled() {
  const auto count = context_.canvas->selectedNodes().size();
  const bool open = context_.documents->hasDocument();
  const auto enable = [&](const char* id, qsizetype least) {
    context_.commands->action(QString::fromLatin1(id))->setEnabled(open && count >= least);
  };
  for (const char* id :
       {"arrange.left", "arrange.centre", "arrange.right", "arrange.top", "arrange.middle", "arrange.bottom"})
    enable(id, 2);
  for (const char* id : {"arrange.acrossEvenly", "arrange.downEvenly"}) enable(id, 3);
  for (const char* id : {"arrange.snap", "arrange.selection", "arrange.pin"}) enable(id, 1);
  const auto& pins = context_.documents->document().pinned;
  const QStringList nodes = context_.canvas->selectedNodes();
  const bool pinned = std::any_of(nodes.begin(), nodes.end(),
                                  [&](const QString& node) { return pins.contains(node.toStdString()); });
  enable("arrange.unpin", pinned ? 1 : count + 1);
  for (const char* id : {"arrange.all", "edit.find"}) enable(id, 0);
}

Result<std::vector<PlacedBox>> ArrangeController::boxes() const {
  SLUICE_TRY(const Selection chosen, edits_->selection());
  SLUICE_CHECK(commonGraph(chosen.nodes));
  const QHash<QString, QPointF> places = context_.canvas->nodePositions();
  const QHash<QString, QSizeF> sizes = context_.canvas->nodeSizes();
  std::vector<PlacedBox> all;
  for (const std::string& node : outermost(chosen.nodes)) {
    const QPointF at = places.value(qt(node));
    const QSizeF size = sizes.value(qt(node));
    all.push_back({node, {at.x(), at.y()}, size.width(), size.height()});
  }
  return all;
}

void ArrangeController::place(const QString& label,
                              const std::function<Places(const std::vector<PlacedBox>&)>& where) {
  const Result<std::vector<PlacedBox>> all = boxes();
  if (!all) return emit refused(all.diagnostics().front());
  context_.canvas->animateNextLayout();
  context_.documents->edit(label, [&](Document& document) { setPlaces(document, where(*all)); });
}

void ArrangeController::pin(bool pinned) {
  const Result<std::vector<PlacedBox>> all = boxes();
  if (!all) return emit refused(all.diagnostics().front());
  context_.documents->edit(pinned ? tr("Pin") : tr("Unpin"), [&](Document& document) {
    for (const PlacedBox& box : *all) {
      if (!pinned) {
        document.pinned.erase(box.path);
        continue;
      }
      document.pinned.insert(box.path);
      setPlaces(document, {{box.path, box.at}});
    }
  });
}

void ArrangeController::showPins() {
  if (pins_.setPinned(context_.documents->document().pinned)) context_.canvas->refreshLayers();
}

void ArrangeController::layOut(const std::set<std::string>& nodes) {
  GraphCanvas* canvas = context_.canvas;
  const QHash<QString, QPointF> places = canvas->nodePositions();
  Document document = context_.documents->document();
  if (nodes.empty()) {
    const std::vector<std::string> all = nodePaths(document);
    freePlaces(document, {all.begin(), all.end()});
    const bool held =
        std::ranges::any_of(canvas->heldPlaces(), [](const auto& of) { return !of.second.empty(); });
    if (!held && document == context_.documents->document()) return;  // it stands as the layout has it
  } else {
    Places others;  // beside the selected ones: they stay where they are seen
    for (auto at = places.begin(); at != places.end(); ++at)
      others[at.key().toStdString()] = {at->x(), at->y()};
    setPlaces(document, others);
    freePlaces(document, nodes);
  }
  canvas->holdPlaces();
  const HeldPrograms before = canvas->heldPlaces();
  HeldPrograms after = nodes.empty() ? HeldPrograms() : before;
  for (auto& [program, held] : after) held.release(nodes);
  canvas->animateNextLayout();
  editWithPlaces(context_, nodes.empty() ? tr("Lay out the program") : tr("Lay out the selection"), document,
                 before, after);
}

void ArrangeController::connectFind() {
  context_.commands->add({.id = "edit.find",
                          .menu = "&Edit",
                          .text = "&Find…",
                          .shortcuts = "Ctrl+F",
                          .tooltip = "Find nodes and streams by name, kind, parameter or type",
                          .separated = true,
                          .section = 3},
                         find_, [this] { find_->open(); });
  connect(find_, &FindBar::opened, this, &ArrangeController::fillFind);
  connect(find_, &FindBar::closed, context_.canvas, qOverload<>(&QWidget::setFocus));
  connect(find_, &FindBar::found, this, [this](const QString& key) {
    GraphCanvas* canvas = context_.canvas;
    if (namesStream(key.toStdString())) {
      canvas->selectStream(key);
      emit canvas->streamSelected(key);
    } else {
      canvas->selectNode(key);
      emit canvas->nodeSelected(key);
    }
  });
}

void ArrangeController::fillFind() {
  const Document& document = context_.shown->document();
  QList<FindEntry> entries;
  for (const std::string& path : nodePaths(document)) {
    const Node& node = *findNode(document, path);
    QString words = qt(path + " " + node.kind);
    for (const auto& [name, value] : node.parameters) words += qt(" " + name + " = " + sluice::text(value));
    entries << FindEntry{qt(path), words};
  }
  const QHash<QString, QString> labels = context_.canvas->streamLabels();
  for (const auto& [id, stream] : namedStreams(document)) {
    const std::string ends = sluice::text(stream->from) + " -> " + sluice::text(stream->to) + " ";
    entries << FindEntry{qt(id), qt(joinPath(graphOfStream(id), "") + ends) + labels.value(qt(id))};
  }
  find_->setEntries(entries);
}

}  // namespace sluice::ui
