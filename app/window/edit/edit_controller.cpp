#include "app/window/edit/edit_controller.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QInputDialog>
#include <QMainWindow>
#include <algorithm>

#include "app/window/document/document_controller.h"
#include "app/window/document/document_edits.h"
#include "app/window/document/shown_program.h"
#include "app/window/edit/connect_dialog.h"
#include "app/window/edit/fit_to_stream.h"
#include "app/window/edit/places_step.h"
#include "app/window/run/session_controller.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/panels.h"
#include "engine/operators/draft.h"
#include "engine/operators/registry.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"
#include "widgets/inspector/field_spec.h"
#include "widgets/inspector/value_text.h"
#include "widgets/palette/operator_palette.h"

namespace sluice::ui {
namespace {

constexpr Position paste_offset{24, 24};

QString sentence(const Diagnostic& why) {
  return EditController::tr("%1 \u2192 %2").arg(qt(why.cause), qt(why.fix));
}

Diagnostic notEditable(const Location& what) {
  return error("not-editable", what, "it is not in the program itself, the schedule made it",
               "edit the step of the schedule, or switch to the Program view (Ctrl+1)");
}

}  // namespace

EditController::EditController(const WindowContext& context) : QObject(context.window), context_(context) {
  addCommands();
  connectCanvas();
  updateEnabled();
}

void EditController::addCommands() {
  addClipboardCommands();
  const auto on = [this](const Command& command, const std::function<void()>& run) {
    context_.commands->add(command, this, run);
  };
  on({.id = "edit.addOperator",
      .menu = "&Edit",
      .text = "Add &Operator…",
      .shortcuts = "Ctrl+I",
      .tooltip = "Choose an operator; with a stream selected it is put into the stream",
      .separated = true,
      .section = 2},
     [this] {
       context_.panels->raise(QStringLiteral("operator"));
       context_.operators->startSearch();
     });
  const auto region = [&](const char* id, const char* text, const char* keys, const char* tooltip,
                          const std::function<void()>& run) {
    on({.id = id, .menu = "&Edit", .text = text, .shortcuts = keys, .tooltip = tooltip, .section = 2}, run);
  };
  region("edit.connect", "Conn&ect Ports…", "Ctrl+J", "Draw a stream from an output to an input",
         [this] { connectByDialog(); });
  region("edit.group", "&Group into a Region", "Ctrl+G", "Make the selected nodes one region",
         [this] { group(); });
  region("edit.ungroup", "Dissol&ve the Region", "Ctrl+Shift+G",
         "Let the nodes of the selected region stand for themselves", [this] { dissolve(); });
  region("edit.replicate", "Rep&licate the Region…", "", "Set how many instances the region has",
         [this] { replicate(); });
}

/// Their keys count only on the canvas.
void EditController::addClipboardCommands() {
  const auto on = [this](Command command, const std::function<void()>& run) {
    command.menu = "&Edit";
    command.local = true;
    command.section = 1;
    context_.canvas->addAction(context_.commands->add(command, this, run));
  };
  on({"edit.cut", "", "Cu&t", "Ctrl+X", "Copy the selected nodes and delete them", "", true}, [this] {
    copy();
    removeSelected(tr("Cut"));
  });
  on({"edit.copy", "", "&Copy", "Ctrl+C", "Copy the selected nodes, as text"}, [this] { copy(); });
  on({"edit.paste", "", "&Paste", "Ctrl+V", "Put copied nodes into the program"}, [this] { paste(); });
  on({"edit.duplicate", "", "Dupl&icate", "Ctrl+D", "Copy the selected nodes beside them"},
     [this] { duplicate(); });
  on({"edit.delete", "", "&Delete", "Del", "Delete the selected nodes or the stream"},
     [this] { removeSelected(tr("Delete")); });
  on({"edit.rename", "", "Re&name", "F2", "Give the selected node another name"},
     [this] { context_.canvas->beginRename(); });
}

void EditController::group() {
  edit(
      tr("Group into a region"),
      [this](Document& document, const Selection& chosen) -> Result<std::vector<std::string>> {
        SLUICE_TRY(const std::string made, groupIntoRegion(document, chosen.nodes, builtInCatalog()));
        context_.canvas->followPlace(qt(*outermost(chosen.nodes).begin()), qt(made));
        return std::vector<std::string>{made};
      },
      Undone::InPlace);
}

void EditController::dissolve() {
  edit(
      tr("Dissolve the region"),
      [this](Document& document, const Selection& chosen) -> Result<std::vector<std::string>> {
        const std::string region = chosen.nodes.empty() ? "" : *chosen.nodes.rbegin();
        std::vector<std::string> inside;
        if (const Graph* body = findGraph(document, region))
          for (const Node& node : body->nodes) inside.push_back(joinPath(region, node.name));
        SLUICE_TRY(const std::vector<std::string> made, dissolveRegion(document, region));
        for (std::size_t i = 0; i < made.size() && i < inside.size(); ++i)
          context_.canvas->followPlace(qt(inside[i]), qt(made[i]));
        return made;
      },
      Undone::InPlace);
}

void EditController::connectCanvas() {
  GraphCanvas* canvas = context_.canvas;
  canvas->setLinkRule([this](const LinkWish& wish) { return whyNot(wish); });
  connect(canvas, &GraphCanvas::linkRequested, this, &EditController::join);
  connect(canvas, &GraphCanvas::operatorDropped, this, &EditController::add);
  connect(canvas, &GraphCanvas::renameRequested, this, &EditController::rename);
  connect(canvas, &GraphCanvas::selectionChanged, this, &EditController::updateEnabled);
  connect(context_.documents, &DocumentController::opened, this, &EditController::updateEnabled);
  connect(context_.documents, &DocumentController::changed, this, &EditController::updateEnabled);
}

void EditController::updateEnabled() {
  const bool open = context_.documents->hasDocument();
  const int nodes = static_cast<int>(context_.canvas->selectedNodes().size());
  const bool stream = !context_.canvas->selectedStream().isEmpty();
  const Node* node = findNode(context_.documents->document(), context_.canvas->selectedNode().toStdString());
  const auto enable = [&](const char* id, bool enabled) {
    context_.commands->action(QString::fromLatin1(id))->setEnabled(open && enabled);
  };
  for (const char* id : {"edit.copy", "edit.cut", "edit.duplicate", "edit.group"}) enable(id, nodes > 0);
  enable("edit.delete", nodes > 0 || stream);
  enable("edit.rename", nodes == 1 && node);
  enable("edit.ungroup", nodes == 1 && node && node->body);
  enable("edit.replicate", nodes == 1 && node && node->body);
  enable("edit.paste", true);
  enable("edit.connect", true);
}

Result<Selection> EditController::selection() const {
  Selection chosen;
  for (const QString& node : context_.canvas->selectedNodes()) {
    const std::string path = node.toStdString();
    if (!context_.shown->isInPlain(path)) return notEditable(Location(Where::Node, path));
    chosen.nodes.insert(path);
  }
  const std::string stream = context_.canvas->selectedStream().toStdString();
  if (stream.empty()) return chosen;
  if (!context_.shown->isPlainStream(stream)) return notEditable(Location(Where::Stream, stream));
  chosen.streams.insert(stream);
  return chosen;
}

void EditController::edit(const QString& label, const Edit& change, Undone undone) {
  if (!context_.documents->hasDocument()) return;
  const Result<Selection> chosen = selection();
  if (!chosen) return emit refused(chosen.diagnostics().front());
  GraphCanvas* canvas = context_.canvas;
  canvas->holdPlaces();
  const HeldPrograms before = undone == Undone::InPlace ? canvas->heldPlaces() : HeldPrograms();
  Document after = context_.documents->document();
  const Result<std::vector<std::string>> made = change(after, *chosen);
  if (!made) return emit refused(made.diagnostics().front());
  if (undone == Undone::InPlace)
    editWithPlaces(context_, label, after, before, HeldPrograms(canvas->heldPlaces()));
  else
    context_.documents->edit(label, [&](Document& document) { document = after; });
  select(*made);
}

void EditController::select(const std::vector<std::string>& paths) {
  QStringList nodes;
  for (const std::string& path : paths) nodes << qt(path);
  if (nodes.isEmpty()) return;
  context_.canvas->selectNodes(nodes);
  if (!context_.canvas->selectedNode().isEmpty())
    emit context_.canvas->nodeSelected(context_.canvas->selectedNode());
}

void EditController::removeSelected(const QString& label) {
  edit(label, [](Document& document, const Selection& chosen) -> Result<std::vector<std::string>> {
    removeParts(document, chosen);
    return std::vector<std::string>{};
  });
  if (context_.canvas->selectedNodes().isEmpty()) emit context_.canvas->selectionCleared();
}

void EditController::copy() {
  const Result<Selection> chosen = selection();
  if (!chosen) return emit refused(chosen.diagnostics().front());
  const Result<std::string> part = copyText(context_.documents->document(), chosen->nodes);
  if (!part) return emit refused(part.diagnostics().front());
  QApplication::clipboard()->setText(qt(*part));
}

void EditController::paste() {
  const std::string part = QApplication::clipboard()->text().toStdString();
  edit(tr("Paste"), [&](Document& document, const Selection& chosen) {
    std::string graph;  // of what is selected; into a region that is selected alone and open
    if (!chosen.nodes.empty()) graph = graphOf(*chosen.nodes.begin());
    if (!chosen.streams.empty()) graph = graphOf(*chosen.streams.begin());
    const Node* region =
        chosen.nodes.size() == 1 ? findNode(context_.shown->document(), *chosen.nodes.begin()) : nullptr;
    if (region && region->body && !region->body->collapsed) graph = *chosen.nodes.begin();
    return pasteText(document, graph, part, paste_offset);
  });
}

void EditController::duplicate() {
  edit(tr("Duplicate"), [](Document& document, const Selection& chosen) -> Result<std::vector<std::string>> {
    SLUICE_TRY(const std::string part, copyText(document, chosen.nodes));
    return pasteText(document, *commonGraph(chosen.nodes), part, paste_offset);
  });
}

void EditController::rename(const QString& path, const QString& name) {
  edit(tr("Rename %1").arg(path),
       [&](Document& document, const Selection&) -> Result<std::vector<std::string>> {
         SLUICE_CHECK(renameNode(document, path.toStdString(), name.toStdString()));
         const std::string renamed = joinPath(graphOf(path.toStdString()), name.toStdString());
         context_.canvas->followPlace(path, qt(renamed));
         return std::vector<std::string>{renamed};
       });
}

void EditController::replicate() {
  const std::string path = context_.canvas->selectedNode().toStdString();
  const Document& document = context_.documents->document();
  const Node* node = findNode(document, path);
  if (!node || !node->body) return emit refused(notEditable(Location(Where::Node, path)));
  bool sure = false;
  const QString said = QInputDialog::getText(context_.window, tr("Replicate"),
                                             tr("Instances of %1, a number or an expression:").arg(qt(path)),
                                             QLineEdit::Normal, qt(sluice::text(node->body->count)), &sure);
  if (!sure) return;
  const Result<Value> count = parseValue(specOf(&Region::count), said, namesInScope(document, graphOf(path)));
  if (!count) return emit refused(count.diagnostics().front());
  context_.documents->edit(tr("Replicate %1").arg(qt(path)),
                           [&](Document& changed) { setCount(changed, path, *count); });
}

void EditController::add(const QString& kind, const QString& graph, const QPointF& at,
                         const QString& stream) {
  const std::string into = graph.toStdString();
  if (!findGraph(context_.documents->document(), into))
    return emit refused(notEditable("region '" + into + "'"));
  const OperatorSpec* spec = builtInCatalog().find(kind.toStdString());
  const std::string split = stream.toStdString();
  if (!split.empty() && !context_.shown->isPlainStream(split))
    return emit refused(notEditable(Location(Where::Stream, split)));
  if (!split.empty() && (!spec || !canInsert(*spec))) {
    return emit refused(error("not-editable", Location(Where::Stream, split),
                              kind.toStdString() + " has no single input and output to be put between",
                              "drop it beside the stream and connect its ports"));
  }
  const QPointF free = split.empty() ? at : freePlace(into, at);
  const Position place{free.x(), free.y()};
  std::string path;
  context_.documents->edit(split.empty() ? tr("Add %1").arg(kind) : tr("Insert %1").arg(kind),
                           [&](Document& document) {
                             path = !spec           ? addRegion(document, into, place)
                                    : split.empty() ? addOperator(document, into, *spec, place)
                                                    : insertOnStream(document, split, *spec, place);
                             fitToStream(document, path, context_.documents->knobs(), inputs());
                           });
  select({path});
}

void EditController::addKind(const QString& kind) {
  GraphCanvas* canvas = context_.canvas;
  if (!canvas->selectedStream().isEmpty()) {
    const auto [graph, at] = canvas->placeAt(canvas->streamPoint(canvas->selectedStream()));
    return add(kind, graph, at, canvas->selectedStream());
  }
  const QString node = canvas->selectedNode();
  const QHash<QString, QPointF> places = canvas->nodePositions();
  if (places.contains(node)) {
    const QPointF beside(canvas->nodeSizes().value(node).width() + 64, 0);
    const std::string graph = graphOf(node.toStdString());
    return add(kind, qt(graph), freePlace(graph, places.value(node) + beside), {});
  }
  const QPointF middle =
      canvas->viewportTransform().inverted().map(QRectF(canvas->viewport()->rect()).center());
  add(kind, {}, freePlace({}, canvas->placeAt(middle).second), {});
}

QPointF EditController::freePlace(const std::string& graph, QPointF at) const {
  constexpr double width = 160, height = 56, gap = 16;  // of most operators
  const QHash<QString, QPointF> places = context_.canvas->nodePositions();
  const QHash<QString, QSizeF> sizes = context_.canvas->nodeSizes();
  for (bool moved = true; moved;) {
    moved = false;
    for (auto node = places.begin(); node != places.end(); ++node) {
      if (graphOf(node.key().toStdString()) != graph) continue;
      const QRectF taken = QRectF(*node, sizes.value(node.key())).adjusted(-gap, -gap, gap, gap);
      if (!taken.intersects(QRectF(at, QSizeF(width, height)))) continue;
      at.setY(taken.bottom());
      moved = true;
    }
  }
  return at;
}

std::optional<Stream> EditController::planned(const LinkWish& wish) const {
  const Document& document = context_.documents->document();
  const Graph* graph = findGraph(document, wish.graph);
  std::optional<Endpoint> from = parseEndpoint(wish.from), to = parseEndpoint(wish.to);
  if (!graph || !from || !to) return std::nullopt;
  for (const Endpoint* end : {&*from, &*to})
    if (end->node != "region" && !graph->find(end->node)) return std::nullopt;
  const bool many = isBundle(document, wish.graph, *from, true, builtInCatalog());
  const bool many_wanted = isBundle(document, wish.graph, *to, false, builtInCatalog());
  if (many == many_wanted) return Stream{*from, *to, {}};
  Endpoint& bundle = many ? *from : *to;
  std::int64_t free = 0;
  const auto taken = [&](const Stream& stream) {
    const Endpoint& end = many ? stream.from : stream.to;
    return end.node == bundle.node && end.port == bundle.port && end.index && *end.index == Value(free);
  };
  while (std::any_of(graph->streams.begin(), graph->streams.end(), taken)) ++free;
  bundle.index = Value(free);
  return Stream{*from, *to, {}};
}

InputSet EditController::inputs() const {
  const auto workload = context_.session->workload();
  return workload ? workload->inputs : InputSet{};
}

/// The document with one stream more.
Document EditController::joined(const std::string& graph, const Stream& stream) const {
  Document after = context_.documents->document();
  addStream(after, graph, stream);
  fitToStream(after, joinPath(graph, stream.to.node), context_.documents->knobs(), inputs());
  return after;
}

QString EditController::whyNot(const LinkWish& wish) const {
  const Document& document = context_.documents->document();
  const std::optional<Stream> stream = planned(wish);
  if (!stream) return sentence(notEditable("stream"));
  const auto why = newProblem(document, joined(wish.graph, *stream), context_.documents->knobs(), inputs());
  return why ? sentence(*why) : QString();
}

void EditController::join(const LinkWish& wish) {
  const std::optional<Stream> stream = planned(wish);
  if (!stream) return emit refused(notEditable(Location(Where::Stream, wish.from)));
  context_.documents->edit(tr("Connect %1 with %2").arg(qt(wish.from), qt(wish.to)),
                           [&](Document& document) { document = joined(wish.graph, *stream); });
}

void EditController::connectByDialog() {
  auto* dialog = new ConnectDialog(
      *context_.canvas, [this](const LinkWish& wish) { return whyNot(wish); }, context_.window);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog] {
    if (const auto wish = dialog->wish()) join(*wish);
  });
  dialog->open();
}

}  // namespace sluice::ui
