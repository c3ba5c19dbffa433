#include "app/window/session_memory.h"

#include <QFileInfo>
#include <QSettings>

#include "app/window/document_controller.h"
#include "widgets/canvas/graph_canvas.h"

namespace sluice::ui {
namespace {

QString key(const char* name) {
  return QStringLiteral("session/") + QLatin1String(name);
}

}  // namespace

void rememberSession(const DocumentController& documents, const GraphCanvas& canvas) {
  QSettings settings;
  settings.remove(QStringLiteral("session"));
  if (!documents.hasFile()) return;
  const QPointF middle =
      canvas.viewportTransform().inverted().map(QRectF(canvas.viewport()->rect()).center());
  settings.setValue(key("file"), QString::fromStdString(documents.file().string()));
  settings.setValue(key("zoom"), canvas.zoom());
  settings.setValue(key("middle"), middle);
  settings.setValue(key("nodes"), canvas.selectedNodes());
  settings.setValue(key("stream"), canvas.selectedStream());
}

QString rememberedFile() {
  const QString file = QSettings().value(key("file")).toString();
  return QFileInfo::exists(file) ? file : QString();
}

void restoreView(GraphCanvas& canvas) {
  const QSettings settings;
  const double zoom = settings.value(key("zoom")).toDouble();
  if (zoom > 0) {
    canvas.setZoom(zoom);
    canvas.centerOn(settings.value(key("middle")).toPointF());
  }
  const QString stream = settings.value(key("stream")).toString();
  const QStringList nodes = settings.value(key("nodes")).toStringList();
  if (!stream.isEmpty()) {
    canvas.selectStream(stream);
    if (!canvas.selectedStream().isEmpty()) emit canvas.streamSelected(stream);
  } else if (!nodes.isEmpty()) {
    canvas.selectNodes(nodes);
    if (!canvas.selectedNode().isEmpty()) emit canvas.nodeSelected(canvas.selectedNode());
  }
}

}  // namespace sluice::ui
