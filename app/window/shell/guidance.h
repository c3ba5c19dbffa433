#pragma once
// Guidance: what helps somebody who begins - the welcome page, the tour, and the description of every
// operator and transformation.

#include <QObject>
#include <QPointer>

#include "app/window/shell/window_context.h"

namespace sluice::ui {

class Commands;
class MainWindow;
class RecentFiles;
class ReferenceHelp;
class Tour;
class WelcomePage;

class Guidance : public QObject {
  Q_OBJECT

 public:
  Guidance(MainWindow* window, const WindowContext& context);

  /// The welcome page, over the canvas of a window that is complete.
  void welcomeWith(const RecentFiles& recent);

  WelcomePage* welcome() const { return welcome_; }
  Tour* tour() const;

 private:
  void addCommands();
  void placeWelcome();
  void startTour();
  void showReference();
  bool eventFilter(QObject* watched, QEvent* event) override;

  MainWindow* window_;
  const WindowContext context_;
  WelcomePage* welcome_ = nullptr;
  QPointer<Tour> tour_;
  ReferenceHelp* reference_ = nullptr;  ///< made when it is first asked for
};

}  // namespace sluice::ui
