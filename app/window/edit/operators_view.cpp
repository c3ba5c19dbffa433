// The palette of operators as a view.

#include "app/window/shell/built_in_views.h"
#include "widgets/palette/operator_palette.h"

namespace sluice::ui::views {

ViewSpec operators() {
  return {.id = "operator",
          .title = "Operators",
          .area = Area::Left,
          .make = [](const WindowContext& context) -> MadeView { return {context.operators}; },
          .tab_of = "knob"};
}

}  // namespace sluice::ui::views
