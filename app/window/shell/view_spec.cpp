#include "app/window/shell/view_spec.h"

#include <QCoreApplication>
#include <algorithm>
#include <string_view>

#include "app/window/shell/built_in_views.h"

namespace sluice::ui {

Registry<ViewSpec>& viewRegistry() {
#define SLUICE_VIEW_ENTRY(name) views::name(),
  static Registry<ViewSpec> registry({SLUICE_VIEWS(SLUICE_VIEW_ENTRY)});
#undef SLUICE_VIEW_ENTRY
  return registry;
}

Result<Done> addViews(const std::vector<ViewSpec>& views, const Location& place) {
  for (const ViewSpec& view : views) {
    const auto known = viewRegistry().soFar();
    const bool taken = std::ranges::any_of(
        known, [&](const ViewSpec& other) { return std::string_view(other.id) == view.id; });
    if (taken)
      return error("name-taken", place, "there is a view '" + std::string(view.id) + "' already",
                   "give the plug-in's view another id");
    viewRegistry().add(view);
  }
  return Done{};
}

QString titleOf(const ViewSpec& spec) {
  return QCoreApplication::translate("sluice::ui::ViewSpec", spec.title);
}

}  // namespace sluice::ui
