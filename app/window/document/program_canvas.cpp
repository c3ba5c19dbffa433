#include "app/window/document/program_canvas.h"

#include "app/window/document/document_controller.h"
#include "app/window/document/document_edits.h"
#include "app/window/document/shown_program.h"
#include "app/window/run/results_view.h"
#include "app/window/shell/window_context.h"
#include "engine/program/stream_id.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/held_places.h"
#include "widgets/inspector/inspector.h"

namespace sluice::ui {
namespace {

// What the canvas calls the two programs.
constexpr auto plain_places = "program", scheduled_places = "scheduled";

QString tr(const char* text) {
  return QObject::tr(text);
}

void connectLooks(DocumentController& documents, ShownProgram& shown, GraphCanvas& canvas) {
  QObject::connect(
      &canvas, &GraphCanvas::regionToggled, &shown,
      [&shown](const QString& path, bool collapsed) { shown.collapse(path.toStdString(), collapsed); });
  QObject::connect(&canvas, &GraphCanvas::nodeMoved, &documents,
                   [&documents, &shown](const QString& path, const QPointF& at) {
                     const Position place{at.x(), at.y()};
                     if (!shown.isInPlain(path.toStdString())) return shown.place(path.toStdString(), place);
                     documents.edit(tr("Move %1").arg(path), [&](Document& document) {
                       setPosition(document, path.toStdString(), place);
                     });
                   });
}

void connectManyMoves(DocumentController& documents, ShownProgram& shown, GraphCanvas& canvas) {
  QObject::connect(&canvas, &GraphCanvas::nodesMoved, &documents,
                   [&documents, &shown](const QHash<QString, QPointF>& places) {
                     const auto each = [&](auto&& move, bool plain) {
                       for (auto node = places.begin(); node != places.end(); ++node)
                         if (shown.isInPlain(node.key().toStdString()) == plain)
                           move(node.key().toStdString(), Position{node->x(), node->y()});
                     };
                     each([&](const std::string& path, Position at) { shown.place(path, at); }, false);
                     documents.edit(tr("Move nodes"), [&](Document& document) {
                       each([&](const std::string& path, Position at) { setPosition(document, path, at); },
                            true);
                     });
                   });
}

}  // namespace

void connectEdits(const WindowContext& context) {
  DocumentController& documents = *context.documents;
  ShownProgram& shown = *context.shown;
  GraphCanvas& canvas = *context.canvas;
  Inspector& inspector = *context.inspector;
  connectLooks(documents, shown, canvas);
  connectManyMoves(documents, shown, canvas);
  QObject::connect(&inspector, &Inspector::parameterEdited, &documents,
                   [&documents](const ParameterEdit& edit) {
                     documents.edit(tr("Set %1 of %2").arg(edit.name, edit.path), [&](Document& document) {
                       setParameter(document, edit.path.toStdString(), edit.name.toStdString(), edit.value);
                     });
                   });
  QObject::connect(&inspector, &Inspector::countEdited, &documents, [&documents](const ParameterEdit& edit) {
    documents.edit(tr("Set count of %1").arg(edit.path),
                   [&](Document& document) { setCount(document, edit.path.toStdString(), edit.value); });
  });
  QObject::connect(&inspector, &Inspector::depthEdited, &documents,
                   [&documents, &shown](const DepthEdit& edit) {
                     const std::string stream = edit.origin.toStdString();
                     if (!shown.isPlainStream(stream)) return;
                     documents.edit(tr("Set depth of a stream"),
                                    [&](Document& document) { setDepth(document, stream, edit.depth); });
                   });
  QObject::connect(&shown, &ShownProgram::readOnlyChanged, &inspector,
                   [&shown, &inspector] { inspector.setReadOnly(shown.readOnly()); });
}

void holdPlaces(const WindowContext& context, const Document& before, const Document& after) {
  GraphCanvas& canvas = *context.canvas;
  canvas.holdPlaces();
  if (before.schedule == after.schedule || before.program != after.program) return;
  HeldPrograms held = canvas.heldPlaces();
  held.erase(scheduled_places);
  canvas.setHeldPlaces(std::move(held));
}

void showProgram(const WindowContext& context) {
  const ShownProgram& shown = *context.shown;
  GraphCanvas& canvas = *context.canvas;
  const std::string stream = canvas.selectedStream().toStdString();
  const bool gone = !stream.empty() && !findStream(shown.document(), stream);
  if (gone) canvas.clearSelection();
  canvas.setProgramName(QString::fromLatin1(shown.isScheduled() ? scheduled_places : plain_places));
  canvas.setDocument(shown.document());
  if (gone) {
    context.inspector->selectStream({});
    context.results->selectStream({});
  }
  context.results->setPrograms(shown.document(), shown.plain());
}

}  // namespace sluice::ui
