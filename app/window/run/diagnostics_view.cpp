// The diagnostics as a view, with a page on each code; the edits that fix them are made here.

#include <QMainWindow>

#include "app/window/document/document_controller.h"
#include "app/window/run/diagnostic_help.h"
#include "app/window/shell/built_in_views.h"
#include "app/window/shell/commands.h"
#include "engine/operators/registry.h"
#include "engine/program/fix_edit.h"
#include "widgets/diagnostics/diagnostics_list.h"
#include "widgets/inspector/inspector.h"

namespace sluice::ui::views {
namespace {

/// One step for undo.
void makeFix(const WindowContext& context, const FixEdit& edit) {
  Result<Done> made = Done{};
  context.documents->edit(QObject::tr("Fix: %1").arg(QString::fromStdString(text(edit))),
                          [&](Document& document) { made = applyFix(document, edit, builtInCatalog()); });
  if (!made) context.report(made.diagnostics());
}

MadeView makeDiagnostics(const WindowContext& context) {
  DiagnosticsList* list = context.diagnostics;
  auto* help = new DiagnosticHelp(context.window);
  QObject::connect(list, &DiagnosticsList::explanationRequested, help, &DiagnosticHelp::show);
  const auto fix = [context](const FixEdit& edit) { makeFix(context, edit); };
  QObject::connect(list, &DiagnosticsList::fixRequested, context.documents, fix);
  QObject::connect(context.inspector, &Inspector::fixRequested, context.documents, fix);
  context.commands->add({"help.explain", "&Help", "&Explain the Diagnostic", "",
                         "Say what the code of the selected diagnostic means"},
                        list, [list] { list->explain(); });
  return {list};
}

}  // namespace

ViewSpec diagnostics() {
  return {.id = "diagnostics", .title = "Diagnostics", .area = Area::Run, .make = makeDiagnostics};
}

}  // namespace sluice::ui::views
