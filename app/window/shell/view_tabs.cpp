#include "app/window/shell/view_tabs.h"

#include <QTabBar>
#include <QVariant>

namespace sluice::ui {
namespace {

constexpr const char* idProperty = "viewId";

}  // namespace

ViewTabs::ViewTabs(const QString& name, QWidget* parent) : QTabWidget(parent) {
  setObjectName(name);
  setDocumentMode(true);
  setUsesScrollButtons(true);
  tabBar()->setDrawBase(false);
}

void ViewTabs::add(const QString& id, const QString& title, QWidget* view) {
  view->setProperty(idProperty, id);
  addTab(view, title);
}

QString ViewTabs::current() const {
  return currentWidget() ? currentWidget()->property(idProperty).toString() : QString();
}

void ViewTabs::bring(const QString& id) {
  for (int tab = 0; tab < count(); ++tab)
    if (widget(tab)->property(idProperty).toString() == id) return setCurrentIndex(tab);
}

}  // namespace sluice::ui
