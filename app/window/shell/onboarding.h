#pragma once
// Onboarding: what helps somebody who begins - the welcome page, the tour, and the manual.

#include <QObject>
#include <QPointer>

#include "app/window/shell/window_context.h"
#include "engine/core/result.h"

namespace sluice::ui {

class Commands;
class MainWindow;
class ManualWindow;
class RecentFiles;
class Tour;
class WelcomePage;

class Onboarding : public QObject {
  Q_OBJECT

 public:
  Onboarding(MainWindow* window, const WindowContext& context);

  /// The welcome page, over the canvas of a window that is complete.
  void welcomeWith(const RecentFiles& recent);

  WelcomePage* welcome() const { return welcome_; }
  Tour* tour() const;
  /// Made when it is first asked for.
  ManualWindow* manual();
  /// Does what a link of the manual does in the window (manual_links.h).
  Result<Done> follow(const QString& link);
  bool mayFollow(const QString& link) const;

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
  ManualWindow* manual_ = nullptr;
};

}  // namespace sluice::ui
