#include "app/window/shell/onboarding.h"

#include <QApplication>
#include <QDockWidget>
#include <QEvent>

#include "app/window/document/empty_canvas.h"
#include "app/window/document/file_commands.h"
#include "app/window/document/recent_files.h"
#include "app/window/document/samples.h"
#include "app/window/manual/manual_links.h"
#include "app/window/manual/manual_window.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/tour.h"
#include "app/window/shell/view_tabs.h"
#include "app/window/shell/welcome_page.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/document_paths.h"
#include "widgets/palette/operator_palette.h"

namespace sluice::ui {
namespace {

/// The page on the view that has the keyboard; empty: it is in none.
QString pageOfFocusedView() {
  for (const QWidget* each = QApplication::focusWidget(); each; each = each->parentWidget()) {
    if (const auto* tabs = qobject_cast<const ViewTabs*>(each))
      return QStringLiteral("view:") + tabs->current();
    if (qobject_cast<const QDockWidget*>(each))
      return QStringLiteral("view:") + each->objectName().chopped(QLatin1String("Dock").size());
  }
  return {};
}

}  // namespace

Onboarding::Onboarding(MainWindow* window, const WindowContext& context)
    : QObject(window), window_(window), context_(context) {
  addCommands();
}

void Onboarding::welcomeWith(const RecentFiles& recent) {
  welcome_ = new WelcomePage(context_.canvas);
  welcome_->setRecent(recent.files());
  context_.canvas->installEventFilter(this);
  connect(context_.documents, &DocumentController::opened, welcome_, &QWidget::hide);
  connect(welcome_, &WelcomePage::fileChosen, window_, &MainWindow::openFile);
  connect(welcome_, &WelcomePage::tourRequested, this, &Onboarding::startTour);
  connect(welcome_, &WelcomePage::openRequested, context_.files, &FileCommands::openWithDialog);
  connect(welcome_, &WelcomePage::newRequested, context_.files, &FileCommands::startEmpty);
  placeWelcome();
  new EmptyCanvas(context_.canvas, context_.documents, context_.files);
}

Tour* Onboarding::tour() const {
  return tour_;
}

void Onboarding::addCommands() {
  context_.commands->add({"help.manual", "&Help", "&Manual", "F1",
                          "Tutorials, every view, operator and diagnostic, and a search"},
                         this, [this] { manual()->showPage(manual()->current()); });
  context_.commands->add({"help.reference", "&Help", "&What Is This?", "Shift+F1",
                          "Open the manual at the selected operator, or at the view that has the keyboard"},
                         this, [this] { showReference(); });
  context_.commands->add(
      {"help.tour", "&Help", "Guided &Tour", "", "Two minutes with a program that deadlocks, and its fix"},
      this, [this] { startTour(); });
}

void Onboarding::placeWelcome() {
  const QSize room = context_.canvas->size();
  const QSize size = QSize(760, 520).boundedTo(room);
  welcome_->setGeometry(
      QRect(QPoint((room.width() - size.width()) / 2, (room.height() - size.height()) / 2), size));
}

void Onboarding::startTour() {
  if (tour_) return;
  if (!context_.files->mayDiscard()) return;
  tour_ = new Tour(window_, samplesFolder() + QStringLiteral("/softmax_depths.sluice"));
  tour_->start();
}

ManualWindow* Onboarding::manual() {
  if (!manual_) manual_ = new ManualWindow(context_);
  return manual_;
}

Result<Done> Onboarding::follow(const QString& link) {
  return followLink(context_, link);
}

bool Onboarding::mayFollow(const QString& link) const {
  return sluice::ui::mayFollow(context_, link);
}

/// Of what is selected where the keyboard is: on the canvas, or in the palette of operators.
void Onboarding::showReference() {
  const std::string path = context_.canvas->selectedNode().toStdString();
  const Node* node = context_.canvas->hasFocus() ? findNode(context_.documents->document(), path) : nullptr;
  const bool in_palette = context_.operators->isAncestorOf(QApplication::focusWidget());
  const QString kind = node         ? QString::fromStdString(node->kind)
                       : in_palette ? context_.operators->currentKind()
                                    : QString();
  manual()->showPage(kind.isEmpty() ? pageOfFocusedView() : QStringLiteral("operator:") + kind);
}

bool Onboarding::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) placeWelcome();
  return QObject::eventFilter(watched, event);
}

}  // namespace sluice::ui
