// The inspector as a view: what is selected, and its parameters.

#include "app/window/shell/built_in_views.h"
#include "widgets/inspector/inspector.h"

namespace sluice::ui::views {

ViewSpec inspector() {
  return {.id = "inspector",
          .title = "Inspector",
          .area = Area::Right,
          .make = [](const WindowContext& context) -> MadeView { return {context.inspector}; }};
}

}  // namespace sluice::ui::views
