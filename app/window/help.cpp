#include "app/window/help.h"

#include <QMessageBox>

#include "app/window/commands.h"
#include "widgets/canvas/graph_canvas.h"

namespace sluice::ui {

void showShortcuts(QWidget* window, const Commands& commands, const GraphCanvas& canvas) {
  QMessageBox box(QMessageBox::NoIcon, QObject::tr("Keyboard shortcuts"),
                  commands.shortcutsHtml(canvas.canvasActions()), QMessageBox::Close, window);
  box.exec();
}

void showAbout(QWidget* window) {
  QMessageBox::about(
      window, QObject::tr("About Sluice"),
      QObject::tr("<h3>Sluice %1</h3><p>Explores the design space of streaming tensor programs on spatial "
                  "dataflow accelerators.</p>")
          .arg(QStringLiteral(SLUICE_VERSION)));
}

}  // namespace sluice::ui
