#include "app/window/shell/guidance.h"

#include <QEvent>

#include "app/window/document/empty_canvas.h"
#include "app/window/document/file_commands.h"
#include "app/window/document/recent_files.h"
#include "app/window/document/samples.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/reference_help.h"
#include "app/window/shell/tour.h"
#include "app/window/shell/welcome_page.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/document_paths.h"
#include "widgets/palette/operator_palette.h"

namespace sluice::ui {

Guidance::Guidance(MainWindow* window, const WindowContext& context)
    : QObject(window), window_(window), context_(context) {
  addCommands();
}

void Guidance::welcomeWith(const RecentFiles& recent) {
  welcome_ = new WelcomePage(context_.canvas);
  welcome_->setRecent(recent.files());
  context_.canvas->installEventFilter(this);
  connect(context_.documents, &DocumentController::opened, welcome_, &QWidget::hide);
  connect(welcome_, &WelcomePage::fileChosen, window_, &MainWindow::openFile);
  connect(welcome_, &WelcomePage::tourRequested, this, &Guidance::startTour);
  connect(welcome_, &WelcomePage::openRequested, context_.files, &FileCommands::openWithDialog);
  connect(welcome_, &WelcomePage::newRequested, context_.files, &FileCommands::startEmpty);
  placeWelcome();
  new EmptyCanvas(context_.canvas, context_.documents, context_.files);
}

Tour* Guidance::tour() const {
  return tour_;
}

void Guidance::addCommands() {
  context_.commands->add({"help.reference", "&Help", "&Operators and Transformations…", "Shift+F1",
                          "Describe every operator and transformation; that of the selected node first"},
                         this, [this] { showReference(); });
  context_.commands->add(
      {"help.tour", "&Help", "Guided &Tour", "", "Two minutes with a program that deadlocks, and its fix"},
      this, [this] { startTour(); });
}

void Guidance::placeWelcome() {
  const QSize room = context_.canvas->size();
  const QSize size = QSize(760, 520).boundedTo(room);
  welcome_->setGeometry(
      QRect(QPoint((room.width() - size.width()) / 2, (room.height() - size.height()) / 2), size));
}

void Guidance::startTour() {
  if (tour_) return;
  if (!context_.files->mayDiscard()) return;
  tour_ = new Tour(window_, samplesFolder() + QStringLiteral("/softmax_depths.sluice"));
  tour_->start();
}

/// Of what is selected: on the canvas, else in the palette.
void Guidance::showReference() {
  if (!reference_) reference_ = new ReferenceHelp(window_);
  const std::string path = context_.canvas->selectedNode().toStdString();
  const Node* node = findNode(context_.documents->document(), path);
  reference_->show(node ? QString::fromStdString(node->kind) : context_.operators->currentKind());
}

bool Guidance::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) placeWelcome();
  return QObject::eventFilter(watched, event);
}

}  // namespace sluice::ui
