// The diagnostics as a view.

#include "app/window/shell/built_in_views.h"
#include "widgets/diagnostics/diagnostics_list.h"

namespace sluice::ui::views {

ViewSpec diagnostics() {
  return {.id = "diagnostics",
          .title = "Diagnostics",
          .area = Area::Run,
          .make = [](const WindowContext& context) -> MadeView { return {context.diagnostics}; }};
}

}  // namespace sluice::ui::views
