// The diagnostics as a view, with a page on each code.

#include <QMainWindow>

#include "app/window/run/diagnostic_help.h"
#include "app/window/shell/built_in_views.h"
#include "app/window/shell/commands.h"
#include "widgets/diagnostics/diagnostics_list.h"

namespace sluice::ui::views {
namespace {

MadeView makeDiagnostics(const WindowContext& context) {
  DiagnosticsList* list = context.diagnostics;
  auto* help = new DiagnosticHelp(context.window);
  QObject::connect(list, &DiagnosticsList::explanationRequested, help, &DiagnosticHelp::show);
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
