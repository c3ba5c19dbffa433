#include "app/window/document/empty_canvas.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/window/document/document_controller.h"
#include "app/window/document/file_commands.h"
#include "app/window/document/templates.h"
#include "widgets/canvas/graph_canvas.h"

namespace sluice::ui {

EmptyCanvas::EmptyCanvas(GraphCanvas* canvas, const DocumentController* documents, FileCommands* files)
    : QFrame(canvas), canvas_(canvas), documents_(documents) {
  setObjectName(QStringLiteral("emptyCanvas"));
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  auto* lines = new QVBoxLayout(this);
  lines->setContentsMargins(24, 16, 24, 16);
  auto* text = new QLabel(
      tr("<h3>The program is empty</h3>"
         "<p>Drag operators from the palette onto the canvas (Edit \u25b8 Add Operator finds them by name), "
         "and draw streams from outputs to inputs.</p>"
         "<p>Or begin with a template:</p>"));
  text->setWordWrap(true);
  lines->addWidget(text);
  for (const Template& each : templates()) {
    auto* button = new QPushButton(QString(each.title).remove(QLatin1Char('&')));  // letters are the menu's
    button->setObjectName(QStringLiteral("template.") + each.name);
    button->setToolTip(each.summary);
    lines->addWidget(button);
    connect(button, &QPushButton::clicked, files, [files, each] { files->startFrom(each); });
  }
  canvas->installEventFilter(this);
  connect(documents, &DocumentController::opened, this, &EmptyCanvas::follow);
  connect(documents, &DocumentController::changed, this, &EmptyCanvas::follow);
  follow();
}

void EmptyCanvas::follow() {
  setVisible(documents_->hasDocument() && documents_->document().program.nodes.empty());
  place();
}

void EmptyCanvas::place() {
  const QSize size = QSize(440, heightForWidth(440)).expandedTo(minimumSizeHint()).boundedTo(canvas_->size());
  const QSize rest = canvas_->size() - size;
  setGeometry(QRect(QPoint(rest.width() / 2, rest.height() / 2), size));
}

bool EmptyCanvas::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) place();
  return QFrame::eventFilter(watched, event);
}

}  // namespace sluice::ui
