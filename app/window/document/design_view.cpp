// Constants, inputs and machine as a view.

#include <QMainWindow>
#include <QScrollArea>

#include "app/window/document/design_page.h"
#include "app/window/document/document_controller.h"
#include "app/window/edit/symbol_controller.h"
#include "app/window/shell/built_in_views.h"

namespace sluice::ui::views {
namespace {

QWidget* makeDesign(const WindowContext& context) {
  DocumentController* documents = context.documents;
  auto* page = new DesignPage(documents);
  (new SymbolController(context))->follow(*page);
  QObject::connect(documents, &DocumentController::opened, page,
                   [page, documents] { page->setDocument(documents->document()); });
  QObject::connect(documents, &DocumentController::changed, page,
                   [page, documents](const DesignState& before) {
                     if (!(documents->document() == before.document))
                       page->setDocument(documents->document());
                   });
  QObject::connect(page, &DesignPage::refused, context.window, context.report);
  auto* scrolled = new QScrollArea;
  scrolled->setWidget(page);
  scrolled->setWidgetResizable(true);
  scrolled->setFrameShape(QFrame::NoFrame);
  scrolled->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  return scrolled;
}

}  // namespace

ViewSpec design() {
  return {.id = "design",
          .title = "Design",
          .area = Area::Left,
          .make = [](const WindowContext& context) -> MadeView { return {makeDesign(context)}; }};
}

}  // namespace sluice::ui::views
