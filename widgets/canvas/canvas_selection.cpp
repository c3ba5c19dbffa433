#include "widgets/canvas/canvas_selection.h"

#include <algorithm>

#include "widgets/canvas/graph_scene.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {

void CanvasSelection::set(const QStringList& nodes, const QString& stream) {
  const bool other = nodes != nodes_ || stream != stream_;
  nodes_ = nodes;
  stream_ = stream;
  Picture& picture = scene_->picture();
  const std::size_t link = stream.isEmpty() ? nowhere : picture.model.findLink(stream.toStdString());
  std::vector<bool> chosen(picture.boxes.size() + 1, false);  // the last: nowhere
  const auto mark = [&](const QString& name) {
    chosen[std::min(picture.model.visibleBox(name.toStdString()), picture.boxes.size())] = true;
  };
  for (const QString& node : nodes) mark(node);
  if (link == nowhere && !stream.isEmpty()) mark(stream);
  for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
    if (std::exchange(picture.boxes[i].selected, chosen[i]) != chosen[i]) scene_->refreshBox(i);
  }
  for (std::size_t i = 0; i < picture.links.size(); ++i) {
    if (std::exchange(picture.links[i].selected, i == link) != (i == link)) scene_->refreshLink(i);
  }
  emit shown();
  if (other) emit changed();
}

void CanvasSelection::pick(const QString& node, const QString& stream) {
  const QStringList nodes = node.isEmpty() ? QStringList() : QStringList(node);
  if (nodes == nodes_ && stream == stream_) return;
  if (stream.isEmpty()) return pickNodes(nodes);
  set(nodes, stream);
  emit streamPicked(stream);
}

void CanvasSelection::pickNodes(const QStringList& nodes) {
  set(nodes, {});
  if (nodes.isEmpty())
    emit cleared();
  else
    emit picked(nodes.last());
}

void CanvasSelection::toggle(const QString& node) {
  QStringList nodes = nodes_;
  if (!nodes.removeOne(node)) nodes << node;
  pickNodes(nodes);
}

void CanvasSelection::restore() {
  const SceneModel& model = scene_->picture().model;
  QStringList nodes = nodes_;
  nodes.removeIf([&](const QString& node) { return model.visibleBox(node.toStdString()) == nowhere; });
  const bool node_gone = !nodes_.isEmpty() && nodes.isEmpty();
  const std::string stream = stream_.toStdString();
  const bool stream_gone =
      !stream.empty() && model.findLink(stream) == nowhere && model.visibleBox(stream) == nowhere;
  if (node_gone || stream_gone)
    pick({}, {});
  else
    set(nodes, stream_);
}

void CanvasSelection::forget() {
  nodes_.clear();
  stream_.clear();
}

QRectF CanvasSelection::bounds() const {
  const Picture& picture = scene_->picture();
  const std::size_t link = picture.model.findLink(stream_.toStdString());
  if (link != nowhere) return picture.links[link].path.boundingRect();
  QRectF rect;
  for (const QString& name : nodes_ + QStringList(stream_)) {
    const std::size_t box = picture.model.visibleBox(name.toStdString());
    if (box != nowhere) rect |= picture.rect(box);
  }
  return rect;
}

QString CanvasSelection::description() const {
  const Picture& picture = scene_->looks();
  const std::size_t link = picture.model.findLink(stream_.toStdString());
  const std::size_t box = picture.model.findBox(node().toStdString());
  QString text = tr("Nothing selected. Arrow keys walk along the streams, Tab from node to node.");
  std::optional<Mark> mark;
  if (box != nowhere) {
    const SceneBox& shown = picture.model.boxes[box];
    text = tr("Node %1, %2, %3 inputs, %4 outputs")
               .arg(node(), qt(shown.title))
               .arg(shown.inputs.size())
               .arg(shown.outputs.size());
    if (nodes_.size() > 1)
      text = tr("%n nodes selected, the last: %1", nullptr, static_cast<int>(nodes_.size())).arg(text);
    mark = picture.boxes[box].mark;
  } else if (link != nowhere) {
    text = tr("Stream %1").arg(qt(picture.model.links[link].name));
    if (!picture.links[link].label.isEmpty()) text += ", " + picture.links[link].label.join(", ");
    mark = picture.links[link].mark;
  } else if (!empty()) {
    text = tr("%1, inside a collapsed region").arg(node() + stream_);
  }
  return mark ? text + ". " + mark->tooltip : text;
}

}  // namespace sluice::ui
