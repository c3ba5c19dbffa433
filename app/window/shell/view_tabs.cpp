#include "app/window/shell/view_tabs.h"

#include <QTabBar>
#include <QVariant>

namespace sluice::ui {
namespace {

constexpr const char* id_property = "viewId";

}  // namespace

ViewTabs::ViewTabs(const QString& name, QWidget* parent) : QTabWidget(parent) {
  setObjectName(name);
  setDocumentMode(true);
  setUsesScrollButtons(true);
  tabBar()->setDrawBase(false);
}

void ViewTabs::add(const QString& id, const QString& title, QWidget* view) {
  view->setProperty(id_property, id);
  addTab(view, title);
}

QString ViewTabs::current() const {
  return currentWidget() ? currentWidget()->property(id_property).toString() : QString();
}

void ViewTabs::bring(const QString& id) {
  for (int tab = 0; tab < count(); ++tab)
    if (widget(tab)->property(id_property).toString() == id) return setCurrentIndex(tab);
}

}  // namespace sluice::ui
