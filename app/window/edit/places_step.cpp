#include "app/window/edit/places_step.h"

#include <QUndoStack>
#include <optional>

#include "app/window/document/document_controller.h"
#include "widgets/canvas/graph_canvas.h"

namespace sluice::ui {
namespace {

/// One stands at the begin of a step and one at its end: what is held is set before the document changes, in
/// both directions, and shown after it, where the document itself has not changed.
class PlacesCommand : public QUndoCommand {
 public:
  PlacesCommand(GraphCanvas* canvas, std::optional<HeldPrograms> on_redo, std::optional<HeldPrograms> on_undo)
      : canvas_(canvas), on_redo_(std::move(on_redo)), on_undo_(std::move(on_undo)) {}

  void redo() override { show(on_redo_); }
  void undo() override { show(on_undo_); }

 private:
  void show(const std::optional<HeldPrograms>& held) {
    if (held) return canvas_->setHeldPlaces(*held);
    canvas_->refreshPlaces();
  }

  GraphCanvas* canvas_;
  const std::optional<HeldPrograms> on_redo_, on_undo_;
};

}  // namespace

void editWithPlaces(const WindowContext& context, const QString& label, const Document& document,
                    const HeldPrograms& before, const HeldPrograms& after) {
  QUndoStack* undo = context.documents->undoStack();
  undo->beginMacro(label);
  undo->push(new PlacesCommand(context.canvas, after, std::nullopt));
  context.documents->edit(label, [&](Document& changed) { changed = document; });
  undo->push(new PlacesCommand(context.canvas, std::nullopt, before));
  undo->endMacro();
}

}  // namespace sluice::ui
