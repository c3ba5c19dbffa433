// GraphCanvas: selecting by call, going into regions and out of them, and renaming what is selected.

#include <QAccessible>
#include <algorithm>

#include "widgets/canvas/gestures/rename_field.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/canvas/scene_presenter.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {

void GraphCanvas::describeSelection() {
  const QString text = selection_.description();
  if (text == accessibleDescription()) return;
  setAccessibleDescription(text);
  QAccessibleEvent event(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&event);
}

void GraphCanvas::reveal(std::size_t box, std::size_t link) {
  const Picture& picture = scene_->picture();
  if (box != nowhere)
    camera_.reveal(picture.titleRect(box));
  else if (link != nowhere)
    camera_.reveal(QRectF(picture.links[link].middle, QSizeF(1, 1)).adjusted(-40, -20, 40, 20));
}

void GraphCanvas::selectNode(const QString& path) {
  const std::size_t box = scene_->picture().model.visibleBox(path.toStdString());
  if (box == nowhere) return clearSelection();
  // The last of several is selected already: the others stay.
  if (selectedNode() != path) selection_.set({path}, {});
  reveal(box, nowhere);
}

void GraphCanvas::selectNodes(const QStringList& paths) {
  const SceneModel& model = scene_->picture().model;
  QStringList nodes = paths;
  nodes.removeIf([&](const QString& node) { return model.visibleBox(node.toStdString()) == nowhere; });
  selection_.set(nodes, {});
  if (!nodes.isEmpty()) reveal(model.visibleBox(nodes.last().toStdString()), nowhere);
}

void GraphCanvas::selectStream(const QString& origin) {
  const SceneModel& model = scene_->picture().model;
  const std::size_t link = model.findLink(origin.toStdString());
  const std::size_t box = link == nowhere ? model.visibleBox(origin.toStdString()) : nowhere;
  if (link == nowhere && box == nowhere) return clearSelection();
  selection_.set({}, origin);
  reveal(box, link);
}

void GraphCanvas::selectAllNodes() {
  const SceneModel& model = scene_->picture().model;
  if (model.groups.empty()) return;
  const std::size_t here = model.visibleBox(selectedNode().toStdString());
  QStringList nodes;
  for (const std::size_t box : model.groups[here == nowhere ? 0 : model.boxes[here].group].boxes)
    if (model.boxes[box].folded == 0) nodes << qt(model.boxes[box].path);
  if (!nodes.isEmpty()) selection_.pickNodes(nodes);
}

void GraphCanvas::toggleRegion(const QString& path) {
  if (!presenter_->hasInside(path)) return;
  camera_.holdAndShow(path);
  presenter_->toggle(path);
  showLegend();  // of a folded group
}

void GraphCanvas::enterRegion() {
  const SceneModel& model = scene_->picture().model;
  std::size_t box = model.visibleBox(selectedNode().toStdString());
  if (box == nowhere) return;
  if (model.boxes[box].kind == SceneBox::Kind::Operator) box = model.groups[model.boxes[box].group].frame;
  if (box == nowhere) return;
  const QString path = qt(model.boxes[box].path);
  if (model.boxes[box].kind == SceneBox::Kind::Region) toggleRegion(path);
  selection_.pick(path, {});
  const std::size_t now = model.findBox(path.toStdString());
  if (now != nowhere) camera_.fit(scene_->picture().rect(now).adjusted(-12, -12, 12, 12));
}

void GraphCanvas::leaveRegion() {
  const Picture& picture = scene_->picture();
  const bool stream = selectedNode().isEmpty();
  const std::string here = (stream ? selectedStream() : selectedNode()).toStdString();
  const std::size_t end = stream ? here.find('#') : here.rfind('.');
  const std::size_t around =
      end == std::string::npos ? nowhere : picture.model.visibleBox(here.substr(0, end));
  if (around == nowhere) return fitAll();
  selection_.pick(qt(picture.model.boxes[around].path), {});
  const std::size_t frame = picture.model.groups[picture.model.boxes[around].group].frame;
  if (frame == nowhere) return fitAll();
  camera_.fit(picture.rect(frame).adjusted(-12, -12, 12, 12));
}

void GraphCanvas::beginRename() {
  const Picture& picture = scene_->picture();
  const QString path = selectedNode();
  const std::size_t box = picture.model.findBox(path.toStdString());
  if (box == nowhere) return;
  if (rename_) rename_->cancel();
  rename_ = new RenameField(qt(picture.model.boxes[box].name), viewport());
  rename_->setAccessibleName(tr("New name of %1").arg(path));
  const QRect title = viewportTransform().mapRect(picture.titleRect(box)).toRect();
  rename_->setGeometry(title.left() + 4, title.top() + 4, std::max(150, title.width() - 8),
                       rename_->sizeHint().height());
  connect(rename_, &RenameField::ended, this, [this] {
    rename_ = nullptr;
    setFocus();
  });
  connect(rename_, &RenameField::renamed, this,
          [this, path](const QString& name) { emit renameRequested(path, name); });
  rename_->show();
  rename_->setFocus();
}

}  // namespace sluice::ui
