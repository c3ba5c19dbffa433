#include "app/window/shell/guidance.h"

#include <QAction>
#include <QEvent>

#include "app/window/document/file_commands.h"
#include "app/window/document/recent_files.h"
#include "app/window/document/samples.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/reference_help.h"
#include "app/window/shell/tour.h"
#include "app/window/shell/welcome_page.h"
#include "app/window/shell/workspace.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/document_paths.h"
#include "widgets/palette/operator_palette.h"

namespace sluice::ui {

Guidance::Guidance(MainWindow* window, FileCommands* files, RecentFiles* recent)
    : QObject(window),
      window_(window),
      files_(files),
      recent_(recent),
      welcome_(new WelcomePage(window->workspace()->canvas())) {
  connectCommands();
  welcome_->setRecent(recent->files());
  window->workspace()->canvas()->installEventFilter(this);
  connect(window->documents(), &DocumentController::opened, welcome_, &QWidget::hide);
  connect(welcome_, &WelcomePage::fileChosen, window, &MainWindow::openFile);
  connect(welcome_, &WelcomePage::tourRequested, this, &Guidance::startTour);
  connect(welcome_, &WelcomePage::openRequested, files, &FileCommands::openWithDialog);
  connect(welcome_, &WelcomePage::newRequested, files, &FileCommands::newWithDialog);
  placeWelcome();
}

Tour* Guidance::tour() const {
  return tour_;
}

void Guidance::connectCommands() {
  const auto on = [this](const char* id, auto&& run) {
    connect(window_->commands()->action(QString::fromLatin1(id)), &QAction::triggered, this, run);
  };
  on("help.tour", [this] { startTour(); });
  on("help.reference", [this] { showReference(); });
}

void Guidance::placeWelcome() {
  const QSize room = window_->workspace()->canvas()->size();
  const QSize size = QSize(760, 520).boundedTo(room);
  welcome_->setGeometry(
      QRect(QPoint((room.width() - size.width()) / 2, (room.height() - size.height()) / 2), size));
}

void Guidance::startTour() {
  if (tour_) return;
  if (!files_->mayDiscard()) return;
  tour_ = new Tour(window_, samplesFolder() + QStringLiteral("/deadlock_fork_join.sluice"));
  tour_->start();
}

/// Of what is selected: on the canvas, else in the palette.
void Guidance::showReference() {
  if (!reference_) reference_ = new ReferenceHelp(window_);
  const std::string path = window_->workspace()->canvas()->selectedNode().toStdString();
  const Node* node = findNode(window_->documents()->document(), path);
  reference_->show(node ? QString::fromStdString(node->kind) : window_->operators()->currentKind());
}

bool Guidance::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) placeWelcome();
  return QObject::eventFilter(watched, event);
}

}  // namespace sluice::ui
