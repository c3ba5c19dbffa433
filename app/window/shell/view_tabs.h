#pragma once
// ViewTabs: views as tabs of one place, found by their ids.

#include <QTabWidget>

namespace sluice::ui {

class ViewTabs : public QTabWidget {
  Q_OBJECT

 public:
  explicit ViewTabs(const QString& name, QWidget* parent = nullptr);

  void add(const QString& id, const QString& title, QWidget* view);
  /// The id of the view in front; empty without one.
  QString current() const;
  /// To the front; an id that none of them has changes nothing.
  void bring(const QString& id);
};

}  // namespace sluice::ui
