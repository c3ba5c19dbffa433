// The knobs as a view: a slider each; turning one is a step for undo.

#include "app/window/document/document_controller.h"
#include "app/window/edit/symbol_controller.h"
#include "app/window/shell/built_in_views.h"
#include "widgets/inspector/inspector.h"
#include "widgets/knobs/knob_panel.h"

namespace sluice::ui::views {
namespace {

KnobPanel* makeKnobs(const WindowContext& context) {
  DocumentController& documents = *context.documents;
  auto* panel = new KnobPanel;
  auto* symbols = new SymbolController(context);
  symbols->addCommands();
  symbols->follow(*panel);
  symbols->follow(*context.inspector);
  QObject::connect(&documents, &DocumentController::opened, panel, [panel, &documents] {
    panel->setKnobs(documents.document().knobs);
    panel->setValues(documents.knobs());
  });
  QObject::connect(&documents, &DocumentController::changed, panel,
                   [panel, &documents](const DesignState& before) {
                     if (!(documents.document() == before.document))
                       panel->setKnobs(documents.document().knobs);
                     panel->setValues(documents.knobs());
                   });
  QObject::connect(panel, &KnobPanel::knobsChanged, &documents,
                   [&documents](const KnobValues& values, const QString& knob, bool dragging) {
                     documents.setKnobs(values, QObject::tr("Turn %1").arg(knob),
                                        dragging ? knob : QString());
                   });
  QObject::connect(panel, &KnobPanel::dragFinished, &documents, [&documents] { documents.endDrag(); });
  return panel;
}

}  // namespace

ViewSpec knobs() {
  return {.id = "knob",
          .title = "Knobs",
          .area = Area::Left,
          .make = [](const WindowContext& context) -> MadeView { return {makeKnobs(context)}; }};
}

}  // namespace sluice::ui::views
