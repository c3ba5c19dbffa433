#include "app/window/shell/views.h"

#include <QApplication>
#include <QWidget>
#include <algorithm>
#include <stdexcept>

#include "app/window/shell/docks.h"

namespace sluice::ui {

void Views::add(View view) {
  if (!view.area) view.area = view.widget;
  const auto after = [](ViewGroup group, const View& other) { return group < other.group; };
  const auto at = std::upper_bound(all_.begin(), all_.end(), view.group, after);
  all_.insert(at, std::move(view));
}

const View* Views::find(const QString& id) const {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const View& each) { return each.id == id; });
  return found == all_.end() ? nullptr : &*found;
}

const View& Views::view(const QString& id) const {
  const View* found = find(id);
  if (!found) throw std::out_of_range("no view " + id.toStdString());
  return *found;
}

const View* Views::inFront(const QWidget* area) const {
  const auto found = std::find_if(all_.begin(), all_.end(), [area](const View& each) {
    return each.area == area && (each.widget == area || each.widget->isVisibleTo(area));
  });
  return found == all_.end() ? nullptr : &*found;
}

const View& Views::focused() const {
  for (const QWidget* at = QApplication::focusWidget(); at && !at->isWindow(); at = at->parentWidget())
    if (const View* view = inFront(at)) return *view;
  for (const View& each : all_)
    if (const QDockWidget* dock = each.widget ? dockOf(*each.widget) : nullptr;
        dock && isInFront(*dock) && each.widget->isVisible())
      return each;
  return all_.front();
}

const View& Views::lookedAt() const {
  const View& keyboard = focused();
  if (keyboard.widget && dockOf(*keyboard.widget)) return keyboard;
  for (const View& each : all_) {
    const QDockWidget* dock = each.widget ? dockOf(*each.widget) : nullptr;
    if (dock && isInFront(*dock) && each.widget->isVisible() && !each.missing()) return each;
  }
  return keyboard;
}

std::optional<Diagnostic> missingUnless(bool there, const char* place, const char* cause, const char* fix) {
  if (there) return std::nullopt;
  return error("nothing-to-export", place, cause, fix);
}

}  // namespace sluice::ui
